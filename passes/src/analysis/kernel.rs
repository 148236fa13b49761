//! Properties of the kernel that contains an op: block size, cluster size, chip and thread ids.

use crate::analysis::target;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::{Scope, scope};
use tx_mlir::{
    Builder, Failed, Index, Op, Val, attribute, codes, enclosing, error, integers, name,
};
use tx_target::{Chip, DEFAULT_CHIP, MAX_CLUSTER, MAX_GRID, MAX_THREADS, WARP, WARPS_PER_GROUP};

/// Maximum number of threads of a block along z.
const MAX_Z: i64 = 64;
pub(crate) const WARPGROUP: i64 = (WARP * WARPS_PER_GROUP) as i64;
pub(crate) const WARP_SIZE: i64 = WARP as i64;

#[derive(Clone, Copy)]
pub(crate) struct Kernel<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) block: [i64; 3],
    pub(crate) threads: i64,
    /// Number of blocks per cluster, if known.
    pub(crate) blocks: Option<i64>,
}

pub(crate) use tx_mlir::gpu::is_kernel;
use tx_mlir::gpu::missing_block_size;

/// Checks that a GPU can launch the `known_block_size` and `known_grid_size` of a kernel.
pub(crate) fn check_launch(func: Op<'_>) -> Result<(), Failed> {
    if attribute(func, "known_block_size").is_some() {
        Kernel::of(func, func)?;
    }
    let grid = attribute(func, "known_grid_size")
        .and_then(integers)
        .unwrap_or_default();
    for ((axis, size), most) in ["x", "y", "z"].iter().zip(grid).zip(MAX_GRID) {
        if !(0..=i64::from(most)).contains(&size) {
            let message = format!("`known_grid_size` along {axis} is {size}, expected 0 to {most}");
            return Err(error(func.location(), message).code(codes::TX0106).emit());
        }
    }
    Ok(())
}

impl<'c> Kernel<'c> {
    pub(crate) fn around(op: Op<'c>) -> Result<Self, Failed> {
        let name = tx_mlir::name(op);
        match enclosing(op, "gpu.func") {
            Some(func) if is_kernel(func) => Self::of(func, op),
            Some(func) => Err(
                error(op.location(), format!("`{name}` must be in a kernel"))
                    .code(codes::TX0104)
                    .note_at(
                        func.location(),
                        "this `gpu.func` lacks the keyword `kernel`",
                    )
                    .emit(),
            ),
            None => {
                let report = error(
                    op.location(),
                    format!("`{name}` must be in a `gpu.func` kernel"),
                )
                .code(codes::TX0104);
                Err(if tx_dialect_tile::is_tile_op(op) {
                    report
                        .note("only ops at `scope(grid)` are allowed in a host function")
                        .emit()
                } else {
                    report.emit()
                })
            }
        }
    }

    /// Reads the attributes of the kernel `func`, and reports errors at `op`.
    pub(crate) fn of(func: Op<'c>, op: Op<'c>) -> Result<Self, Failed> {
        let Some(sizes) = attribute(func, "known_block_size").and_then(integers) else {
            return Err(error(op.location(), "the kernel has no block size")
                .code(codes::TX0105)
                .note_at(func.location(), missing_block_size(func))
                .emit());
        };
        let threads = sizes
            .iter()
            .try_fold(1i64, |n, s| n.checked_mul(*s))
            .unwrap_or(i64::MAX);
        match sizes.as_slice() {
            [x, y, z]
                if sizes.iter().all(|n| *n > 0)
                    && threads <= i64::from(MAX_THREADS)
                    && *z <= MAX_Z => {
                Ok(Self {
                    op: func,
                    block: [*x, *y, *z],
                    threads,
                    blocks: blocks_of_cluster(func, op)?,
                })
            }
            _ => Err(error(
                op.location(),
                format!("a block has 1 to {MAX_THREADS} threads, at most {MAX_Z} along z, found {sizes:?}"),
            )
            .code(codes::TX0106)
            .note_at(func.location(), "`known_block_size` is set here")
            .emit()),
        }
    }

    /// Returns the number of threads in one thread group of a scope, such as 32 for `warp`. The
    /// last warp of a block may have fewer than 32 threads.
    pub(crate) fn threads_of(&self, scope: Scope) -> i64 {
        match scope {
            Scope::Thread => 1,
            Scope::Warp => WARP_SIZE,
            Scope::Warpgroup => WARPGROUP,
            _ => self.threads,
        }
    }

    pub(crate) fn has_partial_warp(&self) -> bool {
        self.threads % WARP_SIZE != 0
    }

    /// Emits the linear thread id, with x varying fastest.
    pub(crate) fn thread(&self, b: &Builder<'c>) -> Index<'c> {
        let mut linear = Index::Const(0);
        let mut pitch = 1;
        for (dimension, size) in ["x", "y", "z"].into_iter().zip(self.block) {
            if size > 1 {
                let id = b
                    .create("gpu.thread_id")
                    .attr_text("dimension", &format!("#gpu<dim {dimension}>"))
                    .result(b.index_type())
                    .value();
                let term = b.mul(Index::Val(id), Index::Const(pitch));
                linear = b.add(linear, term);
            }
            pitch *= size;
        }
        linear
    }

    /// Emits the position of `thread` within its group of the scope `scope`, such as a warp.
    pub(crate) fn position(&self, b: &Builder<'c>, thread: Index<'c>, scope: Scope) -> Index<'c> {
        let size = self.threads_of(scope);
        if size >= self.threads {
            thread
        } else {
            b.rem(thread, Index::Const(size))
        }
    }

    pub(crate) fn warp(&self, b: &Builder<'c>, thread: Index<'c>) -> Index<'c> {
        if self.threads <= WARP_SIZE {
            Index::Const(0)
        } else {
            b.div(thread, Index::Const(WARP_SIZE))
        }
    }

    pub(crate) fn lane(&self, b: &Builder<'c>, thread: Index<'c>) -> Index<'c> {
        self.position(b, thread, Scope::Warp)
    }

    /// Returns the chip of the first `#nvvm.target` of the kernel's module, or the default chip.
    pub(crate) fn chip(&self) -> Chip {
        let default = || Chip::parse(DEFAULT_CHIP).unwrap_or(tx_target::CHIPS[0]);
        enclosing(self.op, "gpu.module")
            .and_then(|module| {
                target::targets(module).find_map(|target| Chip::parse(&target.chip).ok())
            })
            .unwrap_or_else(default)
    }
}

/// Returns the number of blocks per cluster of the kernel `func`, and reports errors at `op`.
fn blocks_of_cluster<'c>(func: Op<'c>, op: Op<'c>) -> Result<Option<i64>, Failed> {
    let Some(sizes) = attribute(func, "known_cluster_size").and_then(integers) else {
        return Ok(None);
    };
    let blocks = sizes.iter().try_fold(1i64, |n, s| n.checked_mul(*s));
    let fits = sizes.len() == 3 && sizes.iter().all(|n| *n > 0);
    match blocks.filter(|blocks| fits && *blocks <= i64::from(MAX_CLUSTER)) {
        Some(blocks) => Ok(Some(blocks)),
        None => Err(error(
            op.location(),
            format!("a cluster has 1 to {MAX_CLUSTER} blocks, found {sizes:?}"),
        )
        .code(codes::TX0107)
        .note_at(func.location(), "`known_cluster_size` is set here")
        .emit()),
    }
}

/// Emits the mask of existing lanes in the warp of the current thread.
pub(crate) fn members<'c>(b: &Builder<'c>, kernel: &Kernel<'c>) -> Val<'c> {
    let i32 = b.int_type(32);
    let left_over = kernel.threads % WARP_SIZE;
    if left_over == 0 {
        return b.int(-1, i32);
    }
    let partial = b.int((1 << left_over) - 1, i32);
    if kernel.threads < WARP_SIZE {
        return partial;
    }
    let full = b.int(-1, i32);
    let thread = kernel.thread(b);
    let in_full_warp = b.less(thread, Index::Const(kernel.threads - left_over));
    b.select(in_full_warp, full, partial)
}

/// Returns the number of threads that `tile-analyze-scope` recorded on `op`; the op must have a
/// scope and must be in `kernel`.
///
/// # Errors
/// Fails if the attribute `exec` is missing, or if the number of threads in `exec` exceeds the
/// number of threads of the scope.
pub(crate) fn recorded_threads(op: Op<'_>, kernel: &Kernel<'_>) -> Result<i64, Failed> {
    let threads = tx_mlir::dictionary_entry(op, "exec", "threads")
        .and_then(|a| melior::ir::attribute::IntegerAttribute::try_from(a).ok())
        .map(|a| a.value())
        .ok_or_else(|| {
            error(
                op.location(),
                format!("`{}` has no `exec` attribute", name(op)),
            )
            .code(codes::TX0114)
            .note("run `tile-analyze-scope` first")
            .emit()
        })?;
    // The attribute may be written by hand.
    let most = scope(op)
        .map_or(1, |s| kernel.threads_of(s))
        .min(kernel.threads);
    if (1..=most).contains(&threads) {
        return Ok(threads);
    }
    Err(error(
        op.location(),
        format!("`exec` must give 1 to {most} threads for this scope and block, found {threads}"),
    )
    .code(codes::TX0115)
    .emit())
}
