//! The happens-before order between the events of threads, represented by vector clocks.
//!
//! A barrier of the whole block orders all earlier events of the block before all later events.
//! Each barrier of the whole block starts a new *phase*. Only accesses of the current phase need
//! vector clocks. In a phase, the vector clock of a thread has one entry per lane of its warp.
//! Entries for threads of other warps are stored only after a named barrier has synchronised the
//! thread with these warps.
//!
//! Blocks are unordered, except by the release and acquire patterns of PTX. In a release and
//! acquire pattern, one thread executes a fence and then writes a word atomically. Another thread
//! reads this word atomically and then executes a fence. The two threads may belong to different
//! blocks or to one block.
//!
//! If blocks run in clusters, this module treats all threads of a cluster as one block.

use crate::WARP;
use std::collections::BTreeMap;
use std::rc::Rc;

const NO_SEGMENT: u32 = u32::MAX;

/// Interval between two consecutive synchronisations of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Number of the block, as passed to [`Clocks::start_block`].
    pub block: u32,
    /// Number of block-wide barriers ([`Clocks::join_all`]) that completed before the segment.
    pub phase: u32,
    /// Entry of the thread in its own vector clock: the number of its synchronisations in this
    /// phase, plus 1.
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

/// Effect of a fence of device scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Whether the fence has acquire semantics: atomic reads that precede the fence are ordered
    /// before accesses that follow the fence.
    pub acquires: bool,
    /// Whether the fence has release semantics: accesses that precede the fence are ordered before
    /// atomic writes that follow the fence.
    pub releases: bool,
}

impl Fence {
    /// Fence with acquire and release semantics: `fence.acq_rel` or `fence.sc`.
    pub const BOTH: Self = Self {
        acquires: true,
        releases: true,
    };

    /// Returns the fence of an `llvm.fence` with this `ordering` and `syncscope`. Returns `None`
    /// for a scope narrower than the device, and for an ordering without effect.
    pub fn of_llvm(ordering: i64, scope: &str) -> Option<Self> {
        let [acquires, releases] = match ordering {
            4 => [true, false],
            5 => [false, true],
            6 | 7 => [true, true],
            _ => return None,
        };
        ["", "device"]
            .contains(&scope)
            .then_some(Self { acquires, releases })
    }
}

/// Set of the events of one block that happened before the current events of a thread. The set
/// contains all events of the phases before `phase`. For each thread, the set also contains the
/// events in `phase` up to the thread's entry in `clocks`.
#[derive(Debug)]
struct Known {
    phase: u32,
    clocks: Rc<[u32]>,
}

impl Known {
    fn covers(&self, segment: Segment) -> bool {
        let clock = self.clocks.get(usize::from(segment.thread));
        segment.phase < self.phase
            || segment.phase == self.phase && clock.is_some_and(|clock| *clock >= segment.clock)
    }

    /// Returns the union of the event sets `self` and `other`.
    fn or(self: &Rc<Self>, other: &Rc<Self>) -> Rc<Self> {
        match self.phase.cmp(&other.phase) {
            _ if Rc::ptr_eq(self, other) => self.clone(),
            std::cmp::Ordering::Greater => self.clone(),
            std::cmp::Ordering::Less => other.clone(),
            std::cmp::Ordering::Equal => {
                let both = self.clocks.iter().zip(other.clocks.iter());
                Rc::new(Self {
                    phase: self.phase,
                    clocks: both.map(|(&left, &right)| left.max(right)).collect(),
                })
            }
        }
    }
}

/// Vector clocks that arriving threads release at a barrier, and that waiting threads acquire.
///
/// Released clocks are valid only in the current phase, because [`Clocks::join_all`] orders all
/// threads of the block at the end of each phase.
#[derive(Debug, Default)]
pub struct ReleasedClocks {
    block: u32,
    phase: u32,
    /// Vector clock with one entry per thread of the block; empty before the first arrival.
    clocks: Rc<[u32]>,
    /// Events of other blocks that arriving threads release.
    blocks: Option<Blocks>,
    /// Vector clock for other warps that the last arrival released. Threads often share one
    /// allocation of this clock. If the next arrival releases the same allocation, its clock need
    /// not be merged.
    last: Option<Rc<[u32]>>,
}

fn raise(clocks: &mut [u32], more: &[u32]) {
    for (to, &from) in clocks.iter_mut().zip(more) {
        *to = from.max(*to);
    }
}

/// Map from a block number to the events of this block that are ordered before a thread.
type Blocks = Rc<BTreeMap<u32, Rc<Known>>>;

fn merge(into: &mut Option<Blocks>, more: &Option<Blocks>) {
    let Some(more) = more else { return };
    let Some(all) = into else {
        *into = Some(more.clone());
        return;
    };
    if Rc::ptr_eq(all, more) {
        return;
    }
    let all = Rc::make_mut(all);
    for (block, known) in more.iter() {
        let both = all
            .get(block)
            .map_or_else(|| known.clone(), |own| own.or(known));
        all.insert(*block, both);
    }
}

/// Events of other blocks that are ordered before one thread by fences and atomic accesses.
#[derive(Clone, Debug, Default)]
struct Beyond {
    known: Option<Blocks>,
    /// Events that are ordered before the last release fence of the thread. Atomic writes of the
    /// thread after the fence release these events.
    offered: Option<Blocks>,
    /// Events that other threads released through words that this thread has read atomically. The
    /// next fence of the thread acquires these events.
    found: Option<Blocks>,
}

/// Vector clocks of all threads of the running block.
///
/// Threads are identified by their linear index in the block. Blocks run one after the other.
/// [`Clocks::start_block`] resets the clocks. The segments of earlier blocks stay valid, so that
/// races with accesses of these blocks are detected. A new `Clocks` has no threads: call
/// [`Clocks::start_block`] first.
///
/// # Panics
///
/// All methods panic for a thread that is not in the block. [`Clocks::get`] panics for a number
/// that [`Clocks::segment`] did not return.
#[derive(Debug, Default)]
pub struct Clocks {
    block: u32,
    phase: u32,
    /// The vector clock of each thread, restricted to the lanes of the thread's warp (including its
    /// own lane).
    warp: Vec<[u32; WARP]>,
    /// The vector clock of each thread, with one entry per thread of the block. The entries for the
    /// thread's own warp are unused.
    others: Vec<Option<Rc<[u32]>>>,
    /// Number of the current segment of each thread, or `NO_SEGMENT`.
    current: Vec<u32>,
    segments: Vec<Segment>,
    /// The events of other blocks that are ordered before each thread.
    beyond: Vec<Beyond>,
    /// Map from the address of a word to the events that atomic writes of the word released.
    passed: BTreeMap<u64, Option<Blocks>>,
    fenced: bool,
}

impl Clocks {
    /// Starts a block of `threads` threads, whose events are unordered.
    ///
    /// `block` is a unique number of the block, for example its number in execution order.
    ///
    /// # Panics
    ///
    /// Panics if `threads` exceeds the limit of a cluster:
    /// [`MAX_CLUSTER_BLOCKS`](crate::MAX_CLUSTER_BLOCKS) times
    /// [`MAX_BLOCK_THREADS`](crate::MAX_BLOCK_THREADS).
    pub fn start_block(&mut self, block: u32, threads: usize) {
        const MOST: usize = (crate::MAX_CLUSTER_BLOCKS * crate::MAX_BLOCK_THREADS) as usize;
        assert!(
            threads <= MOST,
            "a block of {threads} threads, expected at most {MOST}"
        );
        self.block = block;
        self.phase = 0;
        self.warp.resize(threads, [0; WARP]);
        self.others.resize(threads, None);
        self.current.resize(threads, NO_SEGMENT);
        self.beyond.clear();
        self.beyond.resize(threads, Beyond::default());
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
        if self.fenced {
            let members: Vec<usize> = (0..self.beyond.len()).collect();
            self.tell_of_blocks(&members);
        }
    }

    /// Orders all threads of `members` after each event of another block that is ordered before at
    /// least one member.
    fn tell_of_blocks(&mut self, members: &[usize]) {
        if !self.fenced {
            return;
        }
        let mut known = None;
        for &member in members {
            merge(&mut known, &self.beyond[member].known);
        }
        for &member in members {
            self.beyond[member].known.clone_from(&known);
        }
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

    /// Acquires the events released by all words that `thread` has read atomically.
    fn acquire_fence(&mut self, thread: usize) {
        let beyond = &mut self.beyond[thread];
        let Some(found) = beyond.found.take() else {
            return;
        };
        let own = found.get(&self.block).cloned();
        merge(&mut beyond.known, &Some(found));
        if let Some(own) = own.filter(|own| own.phase == self.phase) {
            self.learn_clocks(thread, &own.clocks);
        }
        // A new segment is necessary, because the thread is now ordered after more events.
        self.advance(thread);
    }

    /// Executes a release fence: atomic writes of `thread` after the fence release all events that
    /// are ordered before the fence.
    fn release_fence(&mut self, thread: usize) {
        self.fenced = true;
        let mut clocks = vec![0; self.current.len()];
        self.collect(thread, &mut clocks);
        let own = Known {
            phase: self.phase,
            clocks: clocks.into(),
        };
        // Later events of the thread are not part of the release.
        self.advance(thread);
        let beyond = &mut self.beyond[thread];
        let mut offered = beyond.known.clone().unwrap_or_default();
        Rc::make_mut(&mut offered).insert(self.block, Rc::new(own));
        beyond.offered = Some(offered);
    }

    /// Records an atomic access of `thread` to the word at `address`.
    ///
    /// A read-modify-write keeps the events released by earlier writes of the word. An atomic write
    /// that does not read replaces the events released by earlier writes of the word.
    pub fn atomic(&mut self, thread: usize, address: u64, reads: bool, writes: bool) {
        if !self.fenced {
            return;
        }
        let beyond = &mut self.beyond[thread];
        let passed = self.passed.entry(address).or_default();
        if reads {
            merge(&mut beyond.found, passed);
        } else {
            *passed = None;
        }
        if writes {
            merge(passed, &beyond.offered);
        }
    }

    /// Returns whether any fence has been executed. If no thread has executed a fence, events of
    /// different blocks are unordered.
    pub(super) fn orders_blocks(&self) -> bool {
        self.fenced
    }

    /// Returns the number of the running block.
    pub fn block(&self) -> u32 {
        self.block
    }

    pub(super) fn threads(&self) -> usize {
        self.current.len()
    }

    /// Returns the number of the current segment of `thread`, for [`AccessEvent`](super::AccessEvent). Returns
    /// `None` if 2³² − 1 segments already exist.
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

    /// Returns the segment whose number [`Clocks::segment`] returned.
    pub fn get(&self, segment: u32) -> Segment {
        self.segments[segment as usize]
    }

    /// Returns the relation of `segment` to the current events of thread `me`.
    pub fn relation(&self, me: usize, segment: Segment) -> Relation {
        if segment.block != self.block {
            match self.knows_of_block(me, segment) {
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

    /// Returns whether a segment of another block is ordered before the current events of thread
    /// `me`.
    fn knows_of_block(&self, me: usize, segment: Segment) -> bool {
        let known = self.beyond.get(me).and_then(|beyond| beyond.known.as_ref());
        let known = known.and_then(|blocks| blocks.get(&segment.block));
        known.is_some_and(|known| known.covers(segment))
    }

    /// Returns whether `segment` is ordered before the current events of thread `me`.
    pub fn is_before(&self, me: usize, segment: Segment) -> bool {
        matches!(
            self.relation(me, segment),
            Relation::Past | Relation::Ordered
        )
    }

    /// Returns whether the event of thread `other` at `clock` in this phase is ordered before the
    /// current events of thread `me`.
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
        self.tell_of_blocks(members);
    }

    /// Merges the vector clock of `thread` into `known`, which has one entry per thread of the
    /// block, initially 0.
    ///
    /// Together with [`Clocks::learn`], this function implements a barrier of threads of several
    /// warps. Call `collect` for every arriving thread, and [`Clocks::learn`] for the waiting
    /// threads. Call [`Clocks::advance`] for a thread that arrives without waiting.
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

    /// Orders the threads `members` after the vector clock `known` from [`Clocks::collect`]. Each
    /// entry of `known` must be at least the entry in the vector clock of every member.
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
        self.tell_of_blocks(members);
    }

    /// Merges the vector clock of `thread` into `knowledge`, and starts a new segment of the thread
    /// ([`Clocks::advance`]).
    ///
    /// Together with [`Clocks::acquire`], this function implements a barrier whose arrival and wait
    /// are two operations. A thread does not release its events between arrival and wait. Clocks in
    /// `knowledge` that were released in an earlier phase are discarded.
    pub fn release(&mut self, thread: usize, knowledge: &mut ReleasedClocks) {
        let clocks = self.clocks_of(knowledge);
        let first = thread / WARP * WARP;
        raise(&mut clocks[first..], &self.warp[thread]);
        if let Some(others) = &self.others[thread] {
            let is_known = |last: &Rc<[u32]>| Rc::ptr_eq(last, others);
            if !knowledge.last.as_ref().is_some_and(is_known) {
                // The entries for the thread's own warp in `others` are not newer than the entries
                // merged above. Merging them again has no effect.
                raise(self.clocks_of(knowledge), others);
                knowledge.last = Some(others.clone());
            }
        }
        if self.fenced {
            merge(&mut knowledge.blocks, &self.beyond[thread].known);
        }
        self.advance(thread);
    }

    /// Orders `thread` after the events in `knowledge` (acquire).
    pub fn acquire(&mut self, thread: usize, knowledge: &ReleasedClocks) {
        if !self.is_present(knowledge) {
            return;
        }
        self.learn_clocks(thread, &knowledge.clocks);
        if self.fenced {
            merge(&mut self.beyond[thread].known, &knowledge.blocks);
        }
    }

    /// Synchronises the threads `members`, which can belong to several warps. Each member releases
    /// its vector clock to `knowledge` ([`Clocks::release`]). All members then acquire `knowledge`
    /// ([`Clocks::acquire`]).
    pub fn synchronize(&mut self, members: &[usize], knowledge: &mut ReleasedClocks) {
        for &member in members {
            self.release(member, knowledge);
        }
        for &member in members {
            let first = member / WARP * WARP;
            raise(&mut self.warp[member], &knowledge.clocks[first..]);
            self.others[member] = Some(knowledge.clocks.clone());
            if self.fenced {
                self.beyond[member].known.clone_from(&knowledge.blocks);
            }
        }
    }

    /// Returns whether `knowledge` was released in the current phase. Events of earlier phases are
    /// already ordered before the current events of all threads.
    fn is_present(&self, knowledge: &ReleasedClocks) -> bool {
        (knowledge.block, knowledge.phase) == (self.block, self.phase)
            && knowledge.clocks.len() == self.current.len()
    }

    fn clocks_of<'k>(&self, knowledge: &'k mut ReleasedClocks) -> &'k mut [u32] {
        if !self.is_present(knowledge) {
            *knowledge = ReleasedClocks {
                block: self.block,
                phase: self.phase,
                clocks: vec![0; self.current.len()].into(),
                ..ReleasedClocks::default()
            };
        }
        Rc::make_mut(&mut knowledge.clocks)
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

    /// Starts a second segment of every thread. The first segment of a thread then contains no
    /// accesses, and represents the start of the thread.
    ///
    /// `mark_beginnings` must be called directly after [`Clocks::start_block`].
    pub(crate) fn mark_beginnings(&mut self) {
        for thread in 0..self.current.len() {
            self.advance(thread);
        }
    }

    /// Adds the start of `thread` to `knowledge`, but no event of the thread after its start.
    /// Requires a call of [`Clocks::mark_beginnings`].
    pub(crate) fn release_beginning(&self, thread: usize, knowledge: &mut ReleasedClocks) {
        // In later phases, all threads are ordered after the starts of all threads.
        if self.phase == 0 {
            let clock = &mut self.clocks_of(knowledge)[thread];
            *clock = 1.max(*clock);
        }
    }

    /// Returns whether the start of at least one thread in `of` is ordered before thread `me`.
    /// Requires a call of [`Clocks::mark_beginnings`].
    pub(crate) fn knows_beginning(&self, me: usize, mut of: std::ops::Range<usize>) -> bool {
        self.phase != 0 || of.any(|thread| self.knows(me, thread, 1))
    }

    /// Returns the current phase, and the entry of `thread` in its own vector clock. The returned
    /// pair of phase and clock changes whenever the thread synchronises. Returns `None` if the
    /// thread has accessed memory in its current segment.
    pub(crate) fn untouched(&self, thread: usize) -> Option<(u32, u32)> {
        (self.current[thread] == NO_SEGMENT).then(|| (self.phase, self.warp[thread][thread % WARP]))
    }

    /// Starts the next segment of `thread`. The events of the new segment are not yet ordered
    /// before any other thread.
    pub fn advance(&mut self, thread: usize) {
        self.warp[thread][thread % WARP] += 1;
        self.current[thread] = NO_SEGMENT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the segment is ordered before the current events of the thread `second`.
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

    /// A fence followed by an atomic write in the first block, and an atomic read of the same word
    /// followed by a fence in the second block, order the two blocks. Only the events of the first
    /// block before its fence are ordered before the second block. If either fence is missing, the
    /// two blocks are unordered.
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

    /// A read-modify-write in the second block forwards the released events of the first block to a
    /// third block. A plain write in the second block does not forward the events of the first
    /// block.
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

    /// Events between arrival and wait are not released, and clocks of an earlier phase do not
    /// order later events.
    #[test]
    fn knowledge_is_of_its_phase() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 64);
        let mut knowledge = ReleasedClocks::default();
        let before = clocks.segment(0).unwrap();
        clocks.release(0, &mut knowledge);
        let between = clocks.segment(0).unwrap();
        assert!(!ordered(&mut clocks, before, 40));
        clocks.acquire(40, &knowledge);
        assert!(ordered(&mut clocks, before, 40));
        assert!(!ordered(&mut clocks, between, 40));
        clocks.join_all();
        let since = clocks.segment(0).unwrap();
        clocks.acquire(41, &knowledge);
        assert!(!ordered(&mut clocks, since, 41));
        // The first arrival of a new phase resets the released clocks.
        clocks.release(5, &mut knowledge);
        clocks.acquire(41, &knowledge);
        assert!(!ordered(&mut clocks, since, 41));
    }

    /// If a thread is ordered after the start of another thread, it is not ordered after the other
    /// events of that thread.
    #[test]
    fn beginnings() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 128);
        clocks.mark_beginnings();
        let mut knowledge = ReleasedClocks::default();
        let before = clocks.segment(100).unwrap();
        assert!(!clocks.knows_beginning(3, 64..128));
        clocks.release_beginning(100, &mut knowledge);
        clocks.acquire(3, &knowledge);
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
