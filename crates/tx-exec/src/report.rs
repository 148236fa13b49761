//! What a launch counts.

/// How often threads accessed one kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Reads that are not atomic.
    pub reads: u64,
    /// Writes that are not atomic.
    pub writes: u64,
    /// Atomic accesses.
    pub atomics: u64,
}

/// What a launch executed.
///
/// Accesses are counted once for each thread and operation, however many bytes they touch.
/// Synchronising operations are counted once for each time a group of threads completes one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Clusters of blocks that ran: a block that is not in one with others is one of its own.
    pub clusters: u64,
    /// Blocks that ran.
    pub blocks: u64,
    /// Threads of all blocks.
    pub threads: u64,
    /// Iterations of loops, of all threads.
    pub iterations: u64,
    /// Barriers of whole blocks.
    pub barriers: u64,
    /// Barriers of some warps of a block.
    pub named_barriers: u64,
    /// Barriers of whole clusters.
    pub cluster_barriers: u64,
    /// Warp barriers.
    pub warp_syncs: u64,
    /// Shuffles.
    pub shuffles: u64,
    /// `redux.sync` operations.
    pub reductions: u64,
    /// Votes, ballots, matches and elections.
    pub votes: u64,
    /// Accesses to global memory.
    pub global: Accesses,
    /// Accesses to shared memory, of the thread's own block or of another in its cluster.
    pub shared: Accesses,
    /// Accesses to memory of a single thread that is not in registers.
    pub private: Accesses,
}

impl Accesses {
    fn all(&self) -> u64 {
        self.reads + self.writes + self.atomics
    }
}

/// Threads of a warp.
const WARP: u64 = 32;

impl Report {
    /// About how much there was to do: what every thread started, repeated, accessed and waited
    /// for, counted alike.
    ///
    /// It is the same wherever the launch is made, which its time is not.
    pub fn work(&self) -> u64 {
        let warps = self.warp_syncs + self.shuffles + self.reductions + self.votes;
        let of_block = self.threads / self.blocks.max(1);
        let of_cluster = self.threads / self.clusters.max(1);
        let barriers =
            (self.barriers + self.named_barriers) * of_block + self.cluster_barriers * of_cluster;
        let accesses = self.global.all() + self.shared.all() + self.private.all();
        self.threads + self.iterations + accesses + WARP * warps + barriers
    }
}
