use crate::expand_cache_hints::{GLOBAL, is_global};
use melior::ir::ValueLike;
use tx_mlir::{
    Builder, Failed, Op, attribute, integer_attribute, is, operands, results, set_operand,
    vector_parts, walk,
};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Keep loads of vectors apart from scalar loads of the same address.
    ///
    /// ## What it does
    /// Where one way of a branch loads a vector that the other loads one by one, LLVM takes the
    /// vector apart, loads the elements that both ways begin with in front of the branch, and what
    /// is left are narrow loads in both ways. So the address of each vector in global memory is
    /// laundered: it stays the same, and costs no instruction, but LLVM no longer sees that it is
    /// an address of other loads. Loads stay as they are that are atomic or volatile, or not known
    /// to be of global memory.
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
    /// Never.
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
