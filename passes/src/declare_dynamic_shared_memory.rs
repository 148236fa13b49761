use melior::dialect::llvm::attributes::{Linkage, linkage};
use melior::dialect::llvm::r#type::array;
use melior::ir::r#type::IntegerType;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, Op, attribute, enumerator_of, integer_attribute, is, set_attribute, type_value, walk,
};

pass! {
    /// Declare dynamic shared memory as external.
    ///
    /// ## What it does
    /// `convert-gpu-to-nvvm` lowers `gpu.dynamic_shared_memory` to an internal variable of zero
    /// elements. LLVM emits the internal variable as a static array of one byte. With the static
    /// array of one byte, accesses to dynamic shared memory are out of bounds, and a launch with
    /// the maximum dynamic shared memory fails because of the extra byte. This pass sets the
    /// linkage of the variable for dynamic shared memory to external. LLVM then emits the variable
    /// as `.extern .shared … []`, an array that begins after the static shared memory.
    ///
    /// ## Before
    /// ```mlir
    /// llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct DeclareDynamicSharedMemory as "nvvm-declare-dynamic-shared-memory" creates [llvm] {
    } counts {
        /// variables declared
        variables,
    }
}

/// Number of the shared address space in NVVM.
const SHARED: i64 = 3;

impl Pass for DeclareDynamicSharedMemory {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let context = tx_mlir::context(module);
        let empty = array(IntegerType::new(context, 8).into(), 0);
        for op in walk(module) {
            if is(op, "llvm.mlir.global")
                && integer_attribute(op, "addr_space") == Some(SHARED)
                && attribute(op, "global_type").and_then(type_value) == Some(empty)
                && enumerator_of(op, "linkage") == Some("internal")
            {
                set_attribute(op, "linkage", linkage(context, Linkage::External));
                counts.add("variables", 1);
            }
        }
        Ok(())
    }
}
