use tx_mlir::{
    Failed, Op, attribute, is, remove_attribute, set_attribute, walk,
};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Make kernels refuse a launch with another block size than they were compiled for.
    ///
    /// ## What it does
    /// A known block size comes out of `convert-gpu-to-nvvm` as `nvvm.maxntid`, an upper bound.
    /// This pass makes it `nvvm.reqntid`: member masks of shuffles and counts of barriers are
    /// computed from it, and the driver then checks it. PTX allows one of the two.
    ///
    /// ## Before
    /// ```mlir
    /// llvm.func @k() attributes {gpu.known_block_size = array<i32: 32, 1, 1>, nvvm.kernel,
    ///                            nvvm.maxntid = array<i32: 32, 1, 1>}
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// llvm.func @k() attributes {gpu.known_block_size = array<i32: 32, 1, 1>, nvvm.kernel,
    ///                            nvvm.reqntid = array<i32: 32, 1, 1>}
    /// ```
    ///
    /// ## Fails when
    /// Never.
    pub struct RequireBlockSize as "nvvm-require-block-size" creates [nvvm] {
    } counts {
        /// kernels with an exact block size
        kernels,
    }
}

impl Pass for RequireBlockSize {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for func in walk(module).into_iter().filter(|op| is(*op, "llvm.func")) {
            let (Some(_), Some(block)) =
                (attribute(func, "nvvm.kernel"), attribute(func, "gpu.known_block_size"))
            else {
                continue;
            };
            remove_attribute(func, "nvvm.maxntid");
            set_attribute(func, "nvvm.reqntid", block);
            counts.add("kernels", 1);
        }
        Ok(())
    }
}
