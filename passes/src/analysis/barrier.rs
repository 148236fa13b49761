//! Barriers: the position of a barrier, and the threads that the barrier orders.

use tx_mlir::Op;

/// Threads that a barrier must order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BarrierScope {
    Warp,
    /// The barrier orders the warps of one warpgroup; each warpgroup has a separate barrier.
    Warpgroup,
    Block,
    Cluster,
}

impl BarrierScope {
    /// Returns the threads that the barrier must order if only one warp of the block reaches the
    /// barrier: `Cluster` for a cluster barrier, and `Warp` for any other barrier.
    pub(super) fn of_one_warp(self) -> Self {
        match self {
            Self::Cluster => Self::Cluster,
            _ => Self::Warp,
        }
    }
}

/// A barrier to insert.
pub(crate) struct Barrier<'c> {
    pub(crate) before: Op<'c>,
    pub(crate) reach: BarrierScope,
    /// Warps that reach the barrier. If not all warps of the block reach the barrier, the barrier
    /// is a named barrier.
    pub(crate) warps: Vec<i64>,
    pub(crate) number: i64,
}
