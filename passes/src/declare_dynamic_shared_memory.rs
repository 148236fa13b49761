use melior::dialect::llvm::attributes::{Linkage, linkage};
use melior::dialect::llvm::r#type::array;
use melior::ir::r#type::IntegerType;
use tx_mlir::{
    Failed, Op, attribute, enumerator_of, integer_attribute, is, set_attribute, type_value, walk,
};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Declare dynamic shared memory as PTX has it.
    ///
    /// ## What it does
    /// `convert-gpu-to-nvvm` makes an internal variable without elements of
    /// `gpu.dynamic_shared_memory`. LLVM emits it as a static variable of one byte: accesses lie beyond it,
    /// and a launch that asks for all that a block may have is refused, as the byte comes on top. With
    /// external linkage it becomes `.extern .shared … []`, which begins where static shared memory ends.
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
    /// Never.
    pub struct DeclareDynamicSharedMemory as "nvvm-declare-dynamic-shared-memory" creates [llvm] {
    } counts {
        /// variables declared
        variables,
    }
}

/// The number of the address space of shared memory.
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
