use crate::expand_cache_hints::{GLOBAL, is_global};
use melior::ir::ValueLike;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, attribute, integer_attribute, is, operands, results, set_operand,
    vector_parts, walk,
};

pass! {
    /// Prevent LLVM from splitting vector loads.
    ///
    /// ## What it does
    /// If one arm of a branch loads a vector and the other arm loads the same elements one by one,
    /// LLVM splits the vector load. LLVM hoists the loads of the first vector elements above the
    /// branch, and leaves narrow loads in both arms. To prevent the split, the pass applies the
    /// intrinsic `llvm.intr.launder.invariant.group` to the address of each vector load from global
    /// memory. The result of the intrinsic equals the original address, and the intrinsic compiles
    /// to no instruction. Because of the intrinsic, LLVM cannot detect that the vector load in one
    /// arm and the scalar loads in the other arm read the same memory. The pass does not change
    /// atomic loads, volatile loads, and loads whose address is not provably in global memory.
    ///
    /// ## Before
    /// ```mlir
    /// %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %g = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<1>
    /// %q = llvm.intr.launder.invariant.group %g : !llvm.ptr<1>
    /// %v = llvm.load %q {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct KeepVectors as "nvvm-keep-vectors" creates [llvm] {
    } counts {
        /// loads whose address was laundered
        loads,
    }
}

impl Pass for KeepVectors {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for load in walk(module).into_iter().filter(|op| is(*op, "llvm.load")) {
            let plain = attribute(load, "volatile_").is_none()
                && integer_attribute(load, "ordering").is_none_or(|ordering| ordering == 0);
            let pointer = operands(load)[0];
            if !plain || vector_parts(results(load)[0].r#type()).is_none() || !is_global(pointer) {
                continue;
            }
            let b = Builder::before(load);
            let global = b.float_type(GLOBAL);
            let address = match pointer.r#type() == global {
                true => pointer,
                false => b
                    .create("llvm.addrspacecast")
                    .operands(&[pointer])
                    .result(global)
                    .value(),
            };
            let apart = b
                .create("llvm.intr.launder.invariant.group")
                .operands(&[address])
                .result(global)
                .value();
            set_operand(load, 0, apart);
            counts.add("loads", 1);
        }
        Ok(())
    }
}
