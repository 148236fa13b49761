//! Segments of threads, and the happens-before relation between a segment and an event of a thread.

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
    /// Entry of the thread in its own vector clock. The entry is 1 plus the number of
    /// synchronisations of the thread since the last barrier of the whole block.
    pub clock: u32,
    /// Linear index of the thread in its block.
    pub thread: u16,
}

/// Happens-before relation between the events of a [`Segment`] and the next event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The segment and the thread belong to different blocks, and the events of the segment do not
    /// happen before the next event of the thread.
    OtherBlock,
    /// A barrier of the whole block follows the segment, so the events of the segment happen before
    /// the next event of every thread of the block.
    Past,
    /// The events of the segment happen before the next event of the thread, but possibly not
    /// before the next event of another thread.
    Ordered,
    /// The segment and the thread belong to one block, and the events of the segment do not happen
    /// before the next event of the thread.
    Concurrent,
}
