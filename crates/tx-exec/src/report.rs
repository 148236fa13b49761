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
/// Accesses are counted once for each thread and operation, however many bytes they touch. Synchronising operations
/// are counted once for each time a group of threads completes one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Blocks that ran.
    pub blocks: u64,
    /// Barriers of whole blocks.
    pub barriers: u64,
    /// Barriers of some warps of a block.
    pub named_barriers: u64,
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
    /// Accesses to shared memory.
    pub shared: Accesses,
    /// Accesses to memory of a single thread that is not in registers.
    pub private: Accesses,
}
