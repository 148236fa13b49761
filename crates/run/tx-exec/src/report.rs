//! Counters of a launch.

use crate::warp::WARP;

/// Numbers of accesses to one memory space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Number of non-atomic reads.
    pub reads: u64,
    /// Number of non-atomic writes.
    pub writes: u64,
    /// Number of atomic accesses.
    pub atomics: u64,
}

/// Counters of the operations that a launch executed.
///
/// An access counts once per thread and operation, independent of the size of the access. A barrier
/// or a warp operation counts once per completion, not once per thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Number of clusters. A block without a cluster counts as a cluster of one block.
    pub clusters: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// Number of threads in all blocks.
    pub threads: u64,
    /// Number of loop iterations of all threads.
    pub iterations: u64,
    /// Number of barriers of whole blocks.
    pub barriers: u64,
    /// Number of barriers in which only some warps of a block participate.
    pub named_barriers: u64,
    /// Number of barriers of whole clusters.
    pub cluster_barriers: u64,
    /// Number of warp barriers.
    pub warp_syncs: u64,
    /// Number of shuffles.
    pub shuffles: u64,
    /// Number of `redux.sync` operations.
    pub reductions: u64,
    /// Number of votes, ballots, matches and elections.
    pub votes: u64,
    /// Accesses to global memory.
    pub global: Accesses,
    /// Accesses to the shared memory of the block of the accessing thread, or of another block in
    /// the cluster.
    pub shared: Accesses,
    /// Accesses to private memory. Accesses to values in registers are not counted.
    pub private: Accesses,
}

impl Accesses {
    fn all(&self) -> u64 {
        self.reads + self.writes + self.atomics
    }
}

impl Report {
    /// Returns the number of steps: started threads, loop iterations, accesses and
    /// synchronisations, summed over all threads.
    ///
    /// Unlike the run time, the number of steps does not depend on the host machine.
    pub fn work(&self) -> u64 {
        let warps = self.warp_syncs + self.shuffles + self.reductions + self.votes;
        let of_block = self.threads / self.blocks.max(1);
        let of_cluster = self.threads / self.clusters.max(1);
        let barriers =
            (self.barriers + self.named_barriers) * of_block + self.cluster_barriers * of_cluster;
        let accesses = self.global.all() + self.shared.all() + self.private.all();
        self.threads + self.iterations + accesses + WARP as u64 * warps + barriers
    }
}
