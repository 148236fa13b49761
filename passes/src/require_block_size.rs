use melior::ir::operation::OperationLike;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, Op, attribute, codes, error, integers, is, remove_attribute, set_attribute, walk,
};
use tx_target::{MAX_BLOCK, MAX_THREADS};

pass! {
    /// Require launches to use the block size that the kernel was compiled for.
    ///
    /// ## What it does
    /// `convert-gpu-to-nvvm` lowers a known block size to `nvvm.maxntid`, an upper bound. This pass
    /// replaces `nvvm.maxntid` by `nvvm.reqntid`, an exact size that the driver checks at launch.
    /// The member masks of shuffles and the thread counts of barriers depend on the exact block
    /// size. PTX permits only one of `.maxntid` and `.reqntid` on a kernel.
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
    /// The pass rejects a block size that is not between 1 and the limits of CUDA. For a negative
    /// block size, LLVM would abort; for a size of zero or above a limit, the driver would reject
    /// the launch.
    pub struct RequireBlockSize as "nvvm-require-block-size" creates [nvvm] {
    } counts {
        /// kernels with an exact block size
        kernels,
    }
}

impl Pass for RequireBlockSize {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut kernels = Vec::new();
        for func in walk(module).into_iter().filter(|op| is(*op, "llvm.func")) {
            if let (Some(_), Some(block)) = (
                attribute(func, "nvvm.kernel"),
                attribute(func, "gpu.known_block_size"),
            ) {
                check(func, &integers(block).unwrap_or_default())?;
                kernels.push((func, block));
            }
        }
        for (func, block) in kernels {
            remove_attribute(func, "nvvm.maxntid");
            set_attribute(func, "nvvm.reqntid", block);
            counts.add("kernels", 1);
        }
        Ok(())
    }
}

fn check(func: Op<'_>, block: &[i64]) -> Result<(), Failed> {
    let within = |(size, most): (&i64, u32)| (1..=i64::from(most)).contains(size);
    let fits = block.iter().zip(MAX_BLOCK).all(within)
        && block.iter().product::<i64>() <= i64::from(MAX_THREADS);
    if fits {
        return Ok(());
    }
    Err(error(
        func.location(),
        format!(
            "no device supports blocks of {block:?} threads: expected 1 to {MAX_BLOCK:?}, and at \
             most {MAX_THREADS} in total"
        ),
    )
    .code(codes::TX0106)
    .emit())
}
