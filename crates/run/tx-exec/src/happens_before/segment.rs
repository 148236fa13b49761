//! Segments of threads, and their relation to the events of a thread.

/// Interval between two consecutive synchronisations of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Number of the block, as passed to [`Clocks::start_block`].
    ///
    /// [`Clocks::start_block`]: super::Clocks::start_block
    pub block: u32,
    /// Number of block-wide barriers ([`Clocks::join_all`]) that completed before the segment.
    ///
    /// [`Clocks::join_all`]: super::Clocks::join_all
    pub phase: u32,
    /// Entry of the thread in its own vector clock. The entry is the number of the thread's
    /// synchronisations in this phase, plus 1.
    pub clock: u32,
    /// Linear index of the thread in its block.
    pub thread: u16,
}

/// Relation between the events of a [`Segment`] and the current events of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The segment belongs to another block, and is not ordered before the current events of the
    /// thread.
    OtherBlock,
    /// The segment belongs to an earlier phase, so every thread of the block is ordered after the
    /// segment.
    Past,
    /// The segment is ordered before the current events of the thread.
    Ordered,
    /// The segment and the current events of the thread are concurrent.
    Concurrent,
}
