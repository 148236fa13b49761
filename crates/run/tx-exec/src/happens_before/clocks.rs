//! The happens-before order between the events of threads, represented by vector clocks.
//!
//! All events of a block that precede a barrier of the whole block happen before all events that
//! follow the barrier. Each barrier of the whole block starts a new *phase*. Therefore, vector
//! clocks need to order only the events after the last barrier of the whole block. After a barrier
//! of the whole block, the vector clock of a thread has one entry per lane of its warp. After a
//! thread has synchronised with threads of other warps, for example at a named barrier, its vector
//! clock has one entry per thread of the block.
//!
//! Events of different blocks are unordered, unless a release and acquire pattern of PTX orders
//! these events. In a release and acquire pattern, one thread executes a fence and then writes a
//! word atomically; a second thread reads this word atomically and then executes a fence. A release
//! and acquire pattern can also order two threads of one block.
//!
//! If blocks run in clusters, this module treats all threads of a cluster as one block.

use super::{
    fence::{BlockEvents, EventSet, Fence, FenceOrder},
    segment::{Relation, Segment},
};
use crate::{
    launch::{MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS},
    warp::WARP,
};
use std::rc::Rc;

const NO_SEGMENT: u32 = u32::MAX;

/// Vector clocks that arriving threads release at a barrier, and that waiting threads acquire.
///
/// Released clocks are needed only until the next barrier of the whole block, because this barrier
/// ([`Clocks::join_all`]) orders all threads of the block.
#[derive(Debug, Default)]
pub struct ReleasedClocks {
    block: u32,
    phase: u32,
    /// Vector clock with one entry per thread of the block; empty before the first arrival.
    clocks: Rc<[u32]>,
    /// Released events of blocks other than the running block.
    blocks: Option<BlockEvents>,
    /// Vector clock that [`Clocks::release`] merged into `clocks` last. [`Clocks::release`] skips a
    /// vector clock that has the same allocation as `last`, because several threads often share one
    /// allocated vector clock.
    last: Option<Rc<[u32]>>,
}

fn raise(clocks: &mut [u32], more: &[u32]) {
    for (to, &from) in clocks.iter_mut().zip(more) {
        *to = from.max(*to);
    }
}

/// Vector clocks of all threads of the running block.
///
/// The linear index of a thread in the block identifies the thread. Blocks run one after the other.
/// [`Clocks::start_block`] resets the clocks. A segment is the interval between two
/// synchronisations of one thread. `start_block` keeps the segments of earlier blocks, because an
/// access of the running block can race with an access of an earlier block. A new `Clocks` has no
/// threads: call [`Clocks::start_block`] first.
///
/// # Panics
///
/// All methods panic for a thread that is not in the block. [`Clocks::get`] panics for a segment
/// number that [`Clocks::segment`] did not return.
#[derive(Debug, Default)]
pub struct Clocks {
    block: u32,
    phase: u32,
    /// The part of each thread's vector clock that belongs to the lanes of the thread's own warp.
    warp: Vec<[u32; WARP]>,
    /// The vector clock of each thread, with one entry per thread of the block. The entries for the
    /// lanes of the thread's own warp are unused, because the field `warp` stores these entries.
    others: Vec<Option<Rc<[u32]>>>,
    /// Number of the current segment of each thread; `NO_SEGMENT` if the segment has no number yet.
    current: Vec<u32>,
    segments: Vec<Segment>,
    /// For each thread, the events of other blocks that happen before the next event of the thread.
    fences: FenceOrder,
}

impl Clocks {
    /// Starts a block of `threads` threads. Initially, the events of different threads of the block
    /// are unordered.
    ///
    /// `block` is a unique number of the block, for example the position of the block in the
    /// execution order.
    ///
    /// # Panics
    ///
    /// Panics if `threads` exceeds the limit of a cluster:
    /// [`MAX_CLUSTER_BLOCKS`](crate::MAX_CLUSTER_BLOCKS) times
    /// [`MAX_BLOCK_THREADS`](crate::MAX_BLOCK_THREADS).
    pub fn start_block(&mut self, block: u32, threads: usize) {
        const MAX_THREADS: usize = (MAX_CLUSTER_BLOCKS * MAX_BLOCK_THREADS) as usize;
        assert!(
            threads <= MAX_THREADS,
            "a block of {threads} threads, expected at most {MAX_THREADS}"
        );
        self.block = block;
        self.phase = 0;
        self.warp.resize(threads, [0; WARP]);
        self.others.resize(threads, None);
        self.current.resize(threads, NO_SEGMENT);
        self.fences.start_block(threads);
        self.reset();
    }

    fn reset(&mut self) {
        for (thread, clocks) in self.warp.iter_mut().enumerate() {
            *clocks = [0; WARP];
            clocks[thread % WARP] = 1;
        }
        self.others.fill(None);
        self.current.fill(NO_SEGMENT);
    }

    /// Synchronises all threads of the block: every event before the call is ordered before every
    /// event after the call.
    pub fn join_all(&mut self) {
        self.phase += 1;
        self.reset();
        self.fences.join(0..self.current.len());
    }

    /// Records a fence of device scope that `thread` executes.
    pub fn fence(&mut self, thread: usize, fence: Fence) {
        if fence.acquires {
            self.acquire_fence(thread);
        }
        if fence.releases {
            self.release_fence(thread);
        }
    }

    /// Acquires the events that other threads released through words that `thread` has read
    /// atomically.
    fn acquire_fence(&mut self, thread: usize) {
        let Some(found) = self.fences.acquire(thread) else {
            return;
        };
        let own = found.get(&self.block).cloned();
        if let Some(own) = own.filter(|own| own.phase == self.phase) {
            self.learn_clocks(thread, &own.clocks);
        }
        // A new segment is necessary, because the thread is now ordered after more events.
        self.advance(thread);
    }

    /// Executes a release fence of `thread`. Each later atomic write of `thread` releases all
    /// events that are ordered before the fence.
    fn release_fence(&mut self, thread: usize) {
        let mut clocks = vec![0; self.current.len()];
        self.collect(thread, &mut clocks);
        let own = EventSet {
            phase: self.phase,
            clocks: clocks.into(),
        };
        // Later events of the thread are not part of the release.
        self.advance(thread);
        self.fences.release(thread, self.block, own);
    }

    /// Records an atomic access of `thread` to the word at `address`.
    ///
    /// An atomic read-modify-write adds its released events to the events that earlier writes of
    /// the word released. An atomic write without a read replaces the events that earlier writes of
    /// the word released.
    pub fn atomic(&mut self, thread: usize, address: u64, reads: bool, writes: bool) {
        self.fences.atomic(thread, address, reads, writes);
    }

    /// Returns whether any thread has executed a release fence. If no thread has executed a release
    /// fence, events of different blocks are unordered.
    pub(super) fn orders_blocks(&self) -> bool {
        self.fences.is_used()
    }

    /// Returns the number of the running block.
    pub fn block(&self) -> u32 {
        self.block
    }

    pub(super) fn threads(&self) -> usize {
        self.current.len()
    }

    /// Returns the number of the current segment of `thread`, for the field `segment` of an
    /// [`AccessEvent`](super::AccessEvent). Returns `None` if 2³² − 1 segments already exist.
    pub fn segment(&mut self, thread: usize) -> Option<u32> {
        if self.current[thread] == NO_SEGMENT {
            let next = u32::try_from(self.segments.len())
                .ok()
                .filter(|&next| next != NO_SEGMENT)?;
            self.segments.push(Segment {
                block: self.block,
                phase: self.phase,
                clock: self.warp[thread][thread % WARP],
                thread: thread as u16,
            });
            self.current[thread] = next;
        }
        Some(self.current[thread])
    }

    /// Returns the segment with the number `segment`, which [`Clocks::segment`] returned.
    pub fn get(&self, segment: u32) -> Segment {
        self.segments[segment as usize]
    }

    /// Returns the happens-before relation between the events of `segment` and the next event of
    /// thread `me`.
    pub fn relation(&self, me: usize, segment: Segment) -> Relation {
        if segment.block != self.block {
            match self.fences.knows(me, segment) {
                true => Relation::Ordered,
                false => Relation::OtherBlock,
            }
        } else if segment.phase != self.phase {
            Relation::Past
        } else if self.knows(me, segment.thread as usize, segment.clock) {
            Relation::Ordered
        } else {
            Relation::Concurrent
        }
    }

    /// Returns whether the events of `segment` happen before the next event of thread `me`.
    pub fn is_before(&self, me: usize, segment: Segment) -> bool {
        matches!(
            self.relation(me, segment),
            Relation::Past | Relation::Ordered
        )
    }

    /// Returns whether an event of thread `other` happens before the next event of thread `me`. The
    /// event of `other` must follow the last barrier of the whole block. At the event of `other`,
    /// the vector clock of `other` contains the value `clock` in the entry of `other`.
    pub fn knows(&self, me: usize, other: usize, clock: u32) -> bool {
        if me / WARP == other / WARP {
            self.warp[me][other % WARP] >= clock
        } else {
            self.others[me]
                .as_ref()
                .is_some_and(|others| others[other] >= clock)
        }
    }

    /// Synchronises some threads of one warp, as at `bar.warp.sync`.
    pub fn join_lanes(&mut self, members: &[usize]) {
        let mut joined = [0; WARP];
        let mut others: Option<Rc<[u32]>> = None;
        for &member in members {
            raise(&mut joined, &self.warp[member]);
            others = match (others, &self.others[member]) {
                (Some(left), Some(right)) if !Rc::ptr_eq(&left, right) => Some(
                    left.iter()
                        .zip(right.iter())
                        .map(|(&left, &right)| left.max(right))
                        .collect(),
                ),
                (left, right) => left.or_else(|| right.clone()),
            };
        }
        for &member in members {
            self.warp[member] = joined;
            self.others[member].clone_from(&others);
            self.advance(member);
        }
        self.fences.join(members.iter().copied());
    }

    /// Merges the vector clock of `thread` into the vector clock `known`. `known` has one entry per
    /// thread of the block; all entries are initially 0.
    ///
    /// Together with [`Clocks::learn`], this function implements a barrier for threads of several
    /// warps. Call `collect` for every arriving thread, and [`Clocks::learn`] for the waiting
    /// threads. Call [`Clocks::advance`] for a thread that arrives at the barrier without waiting
    /// at the barrier.
    pub fn collect(&self, thread: usize, known: &mut [u32]) {
        if let Some(others) = &self.others[thread] {
            let first = thread / WARP * WARP;
            for (other, (to, &from)) in known.iter_mut().zip(others.iter()).enumerate() {
                if other.wrapping_sub(first) >= WARP {
                    *to = from.max(*to);
                }
            }
        }
        let first = thread / WARP * WARP;
        raise(&mut known[first..], &self.warp[thread]);
    }

    /// Orders the threads `members` after the events in the vector clock `known`, which
    /// [`Clocks::collect`] computes. Each entry of `known` must be at least as large as the
    /// corresponding entry in the vector clock of every member.
    pub fn learn(&mut self, members: &[usize], known: &[u32]) {
        let known: Rc<[u32]> = known.into();
        for &member in members {
            let first = member / WARP * WARP;
            raise(&mut self.warp[member], &known[first..]);
            self.others[member] = Some(known.clone());
            self.advance(member);
        }
        // Threads that arrived without waiting do not release events of other blocks. The checks
        // may therefore report a race between accesses that PTX orders.
        self.fences.join(members.iter().copied());
    }

    /// Merges the vector clock of `thread` into `released`, and starts a new segment of the thread
    /// ([`Clocks::advance`]).
    ///
    /// Together with [`Clocks::acquire`], this function implements a barrier whose arrival and wait
    /// are two operations. The events of a thread between its arrival and its wait at the barrier
    /// are not released. Discards the clocks in `released` that threads released before the last
    /// barrier of the whole block.
    pub fn release(&mut self, thread: usize, released: &mut ReleasedClocks) {
        let clocks = self.clocks_of(released);
        let first = thread / WARP * WARP;
        raise(&mut clocks[first..], &self.warp[thread]);
        if let Some(others) = &self.others[thread] {
            let is_known = |last: &Rc<[u32]>| Rc::ptr_eq(last, others);
            if !released.last.as_ref().is_some_and(is_known) {
                // The entries for the thread's own warp in `others` are not newer than the entries
                // merged above, so this merge does not change them.
                raise(self.clocks_of(released), others);
                released.last = Some(others.clone());
            }
        }
        self.fences.add_to(thread, &mut released.blocks);
        self.advance(thread);
    }

    /// Orders `thread` after the events in `released` (acquire).
    pub fn acquire(&mut self, thread: usize, released: &ReleasedClocks) {
        if !self.is_present(released) {
            return;
        }
        self.learn_clocks(thread, &released.clocks);
        self.fences.order_after(thread, &released.blocks);
    }

    /// Synchronises the threads `members`, which can belong to several warps. Each member releases
    /// its vector clock to `released` ([`Clocks::release`]). All threads of `members` then acquire
    /// `released` ([`Clocks::acquire`]).
    pub fn synchronize(&mut self, members: &[usize], released: &mut ReleasedClocks) {
        for &member in members {
            self.release(member, released);
        }
        for &member in members {
            let first = member / WARP * WARP;
            raise(&mut self.warp[member], &released.clocks[first..]);
            self.others[member] = Some(released.clocks.clone());
            self.fences.replace(member, &released.blocks);
        }
    }

    /// Returns whether threads released the clocks in `released` after the last barrier of the
    /// whole block. All events before the last barrier of the whole block happen before the next
    /// event of every thread, so clocks from before this barrier are not needed.
    fn is_present(&self, released: &ReleasedClocks) -> bool {
        (released.block, released.phase) == (self.block, self.phase)
            && released.clocks.len() == self.current.len()
    }

    fn clocks_of<'k>(&self, released: &'k mut ReleasedClocks) -> &'k mut [u32] {
        if !self.is_present(released) {
            *released = ReleasedClocks {
                block: self.block,
                phase: self.phase,
                clocks: vec![0; self.current.len()].into(),
                ..ReleasedClocks::default()
            };
        }
        Rc::make_mut(&mut released.clocks)
    }

    fn learn_clocks(&mut self, thread: usize, clocks: &Rc<[u32]>) {
        let first = thread / WARP * WARP;
        raise(&mut self.warp[thread], &clocks[first..]);
        let others = &mut self.others[thread];
        // Threads with equal vector clocks share one allocation.
        match others {
            Some(own) if own.iter().zip(clocks.iter()).any(|(own, new)| own > new) => {
                raise(Rc::make_mut(own), clocks);
            }
            _ => *others = Some(clocks.clone()),
        }
    }

    /// Starts a second segment (interval between two synchronisations) of every thread. The first
    /// segment of a thread then contains no accesses, and represents the start of the thread.
    ///
    /// `mark_beginnings` must be called directly after [`Clocks::start_block`].
    pub(crate) fn mark_beginnings(&mut self) {
        for thread in 0..self.current.len() {
            self.advance(thread);
        }
    }

    /// Adds the start of `thread` to `released`, but none of the events that follow the start.
    /// Requires a call of [`Clocks::mark_beginnings`].
    pub(crate) fn release_beginning(&self, thread: usize, released: &mut ReleasedClocks) {
        // In later phases, all threads are ordered after the starts of all threads.
        if self.phase == 0 {
            let clock = &mut self.clocks_of(released)[thread];
            *clock = 1.max(*clock);
        }
    }

    /// Returns whether at least one thread in the index range `of` starts before the next event of
    /// thread `me`, in the happens-before order. Requires a call of [`Clocks::mark_beginnings`].
    pub(crate) fn knows_beginning(&self, me: usize, mut of: std::ops::Range<usize>) -> bool {
        self.phase != 0 || of.any(|thread| self.knows(me, thread, 1))
    }

    /// Returns the phase (number of barriers of the whole block since the block started), and the
    /// entry of `thread` in its own vector clock. The returned pair changes whenever the thread
    /// synchronises. Returns `None` if the thread has accessed memory in its current segment.
    pub(crate) fn untouched(&self, thread: usize) -> Option<(u32, u32)> {
        (self.current[thread] == NO_SEGMENT).then(|| (self.phase, self.warp[thread][thread % WARP]))
    }

    /// Starts the next segment of `thread`. The events of the new segment do not yet happen before
    /// any event of another thread.
    pub fn advance(&mut self, thread: usize) {
        self.warp[thread][thread % WARP] += 1;
        self.current[thread] = NO_SEGMENT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the events of the segment with number `segment` happen before the next event
    /// of the thread `second`.
    fn ordered(clocks: &mut Clocks, segment: u32, second: usize) -> bool {
        let segment = clocks.get(segment);
        clocks.relation(second, segment) != Relation::Concurrent
    }

    #[test]
    fn a_warp_join_orders_its_members_only() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 64);
        let before = clocks.segment(0).unwrap();
        clocks.join_lanes(&[0, 1]);
        let after = clocks.segment(0).unwrap();
        assert!(ordered(&mut clocks, before, 1));
        assert!(!ordered(&mut clocks, before, 2));
        assert!(!ordered(&mut clocks, after, 1));
    }

    #[test]
    fn order_is_transitive_across_warps() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 96);
        let write = clocks.segment(3).unwrap();
        clocks.join_lanes(&[3, 0]);
        let mut known = vec![0; 96];
        for thread in [0, 40] {
            clocks.collect(thread, &mut known);
        }
        clocks.learn(&[0, 40], &known);
        clocks.join_lanes(&[40, 41]);
        assert!(ordered(&mut clocks, write, 41));
        assert!(!ordered(&mut clocks, write, 42));
        assert!(!ordered(&mut clocks, write, 70));
    }

    /// Checks the release and acquire pattern between two blocks: a thread of block 0 executes a
    /// fence and then accesses a word atomically; a thread of block 1 accesses this word atomically
    /// and then executes a fence. Checks that an event of block 0 is not ordered before an event of
    /// block 1 if the fence of either block is missing.
    #[test]
    fn a_word_between_two_fences_orders_blocks() {
        for (releases, acquires) in [(true, true), (true, false), (false, true)] {
            let mut clocks = Clocks::default();
            clocks.start_block(0, 64);
            let stored = clocks.segment(40).unwrap();
            clocks.join_all();
            if releases {
                clocks.fence(0, Fence::BOTH);
            }
            clocks.atomic(0, 16, true, true);
            let late = clocks.segment(0).unwrap();
            clocks.start_block(1, 64);
            clocks.atomic(3, 16, true, true);
            assert!(!clocks.is_before(3, clocks.get(stored)));
            if acquires {
                clocks.fence(3, Fence::BOTH);
            }
            assert_eq!(
                clocks.is_before(3, clocks.get(stored)),
                releases && acquires
            );
            assert!(!clocks.is_before(4, clocks.get(stored)));
            clocks.join_all();
            assert_eq!(
                clocks.is_before(4, clocks.get(stored)),
                releases && acquires
            );
            assert!(!clocks.is_before(4, clocks.get(late)));
        }
    }

    /// Three blocks access one word atomically. Checks that block 2 acquires the events of block 0
    /// if block 1 executes a read-modify-write, but not if block 1 only writes the word.
    #[test]
    fn counting_passes_on_what_was_offered_and_storing_does_not() {
        for stores in [false, true] {
            let mut clocks = Clocks::default();
            clocks.start_block(0, 1);
            let first = clocks.segment(0).unwrap();
            clocks.fence(0, Fence::BOTH);
            clocks.atomic(0, 8, true, true);
            clocks.start_block(1, 1);
            clocks.atomic(0, 8, !stores, true);
            clocks.start_block(2, 1);
            clocks.atomic(0, 8, true, true);
            clocks.fence(0, Fence::BOTH);
            assert_eq!(clocks.is_before(0, clocks.get(first)), !stores);
        }
    }

    #[test]
    fn a_word_between_two_fences_orders_threads_of_a_block() {
        for late in [false, true] {
            let mut clocks = Clocks::default();
            clocks.start_block(0, 96);
            let early = clocks.segment(0).unwrap();
            clocks.fence(0, Fence::BOTH);
            let after = clocks.segment(0).unwrap();
            clocks.atomic(0, 16, true, true);
            clocks.atomic(70, 16, true, true);
            if late {
                clocks.join_all();
            }
            clocks.fence(70, Fence::BOTH);
            assert!(ordered(&mut clocks, early, 70));
            assert_eq!(ordered(&mut clocks, after, 70), late);
            assert_eq!(ordered(&mut clocks, early, 71), late);
            // Clocks released in a new phase do not contain entries of an older phase.
            let fresh = clocks.segment(0).unwrap();
            assert!(!ordered(&mut clocks, fresh, 70));
        }
    }

    /// Checks that the events of a thread between its arrival and its wait at a barrier are not
    /// released. Checks that clocks released before a barrier of the whole block order no events
    /// after this barrier.
    #[test]
    fn knowledge_is_of_its_phase() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 64);
        let mut released = ReleasedClocks::default();
        let before = clocks.segment(0).unwrap();
        clocks.release(0, &mut released);
        let between = clocks.segment(0).unwrap();
        assert!(!ordered(&mut clocks, before, 40));
        clocks.acquire(40, &released);
        assert!(ordered(&mut clocks, before, 40));
        assert!(!ordered(&mut clocks, between, 40));
        clocks.join_all();
        let since = clocks.segment(0).unwrap();
        clocks.acquire(41, &released);
        assert!(!ordered(&mut clocks, since, 41));
        // The first arrival of a new phase resets the released clocks.
        clocks.release(5, &mut released);
        clocks.acquire(41, &released);
        assert!(!ordered(&mut clocks, since, 41));
    }

    /// Checks that an event can be ordered after the start of a thread without being ordered after
    /// later events of this thread.
    #[test]
    fn beginnings() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 128);
        clocks.mark_beginnings();
        let mut released = ReleasedClocks::default();
        let before = clocks.segment(100).unwrap();
        assert!(!clocks.knows_beginning(3, 64..128));
        clocks.release_beginning(100, &mut released);
        clocks.acquire(3, &released);
        assert!(clocks.knows_beginning(3, 64..128));
        assert!(!clocks.knows_beginning(4, 64..128));
        assert!(!ordered(&mut clocks, before, 3));
        clocks.join_all();
        assert!(clocks.knows_beginning(4, 64..128));
    }

    #[test]
    fn a_barrier_of_the_block_orders_everything() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 1024);
        let write = clocks.segment(1000).unwrap();
        clocks.join_all();
        assert!(ordered(&mut clocks, write, 1));
    }
}
