//! Who knows of whom: the happens-before order of one block's threads, as vector clocks.
//!
//! A barrier that the whole block joins orders everything before it before everything after it.
//! Such a barrier starts a new *phase*, and only accesses of the current phase need clocks at all.
//! Inside a phase a thread keeps a clock for the lanes of its warp, and for the other warps only
//! once a named barrier has connected it to them.
//!
//! Blocks know nothing of each other, unless a thread of one fences what it did, then writes a word
//! atomically, and a thread of the other reads that word atomically, then fences: PTX's release and
//! acquire patterns. Threads of one block learn of each other that way too.
//!
//! Where blocks run in clusters, all threads of a cluster are one block here.

use crate::WARP;
use std::collections::BTreeMap;
use std::rc::Rc;

const NO_SEGMENT: u32 = u32::MAX;

/// What one thread does between two synchronisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Number of the block, as [`Clocks::start_block`] was given it.
    pub block: u32,
    /// How often all threads of the block had met before, in [`Clocks::join_all`].
    pub phase: u32,
    /// The thread's own clock: how often it had synchronised in this phase, plus 1.
    pub clock: u32,
    /// Linear index of the thread in its block.
    pub thread: u16,
}

/// How what was done in a [`Segment`] stands to what a thread does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Made by another block, of which the thread does not know it.
    OtherBlock,
    /// Made in an earlier phase: every thread of the block is ordered after it.
    Past,
    /// Ordered before this thread's present, as far as the thread of the segment is concerned.
    Ordered,
    /// Not ordered.
    Concurrent,
}

/// What a fence among all threads of the device orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// What comes after it, behind what atomic reads before it found.
    pub acquires: bool,
    /// What came before it, in front of atomic writes after it.
    pub releases: bool,
}

impl Fence {
    /// Both: `fence.acq_rel` and `fence.sc`.
    pub const BOTH: Self = Self {
        acquires: true,
        releases: true,
    };

    /// The one of an `llvm.fence` with this `ordering` and `syncscope`; none where it orders
    /// nothing that is known here, as one among fewer threads.
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

/// What is known of a block that ran before: all of its phases up to this one, and of this one the
/// threads up to these clocks.
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

    /// What is known of the same block by either.
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

/// What some threads of a block gave away at a barrier, for those that wait there to take.
///
/// It is worth something in the phase in which it was given only: after [`Clocks::join_all`]
/// everybody knows it.
#[derive(Debug, Default)]
pub struct Knowledge {
    block: u32,
    phase: u32,
    /// A clock for every thread; empty when nobody gave.
    clocks: Rc<[u32]>,
    /// What they know of other blocks.
    blocks: Option<Blocks>,
    /// What the last of them knew of other warps: the next one often knows the very same.
    last: Option<Rc<[u32]>>,
}

/// Each clock becomes the later of the two.
fn raise(clocks: &mut [u32], more: &[u32]) {
    for (to, &from) in clocks.iter_mut().zip(more) {
        *to = from.max(*to);
    }
}

/// What is known of blocks, by their numbers.
type Blocks = Rc<BTreeMap<u32, Rc<Known>>>;

/// What is known by either.
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

/// What a thread knows of other blocks, and what fences let it give away and take.
#[derive(Clone, Debug, Default)]
struct Beyond {
    /// What happened in other blocks before its present.
    known: Option<Blocks>,
    /// What its last fence lets its atomic accesses pass on.
    offered: Option<Blocks>,
    /// What its atomic accesses found, which it knows after its next fence.
    found: Option<Blocks>,
}

/// What each thread of the block that runs knows of each other.
///
/// Threads are named by their linear index in the block. Blocks run one after the other; the clocks
/// of one are forgotten when the next starts, but its [`Segment`]s stay, so that what it did is
/// recognised as another block's. Default clocks are those of a block without threads: begin with
/// [`Clocks::start_block`].
///
/// # Panics
///
/// All methods panic when they are given a thread that the block does not have, and [`Clocks::get`]
/// when it is given a number that [`Clocks::segment`] did not give.
#[derive(Debug, Default)]
pub struct Clocks {
    block: u32,
    phase: u32,
    /// For each thread, the clocks of its warp's lanes as it knows them; its own lane's entry is
    /// its own clock.
    warp: Vec<[u32; WARP]>,
    /// For each thread, the clocks of all threads as it knows them; its own warp's entries are not used.
    others: Vec<Option<Rc<[u32]>>>,
    /// The segment each thread is in, once it has one.
    current: Vec<u32>,
    segments: Vec<Segment>,
    /// For each thread, what it has to do with other blocks.
    beyond: Vec<Beyond>,
    /// What may be learned from words that were written atomically, by their addresses.
    passed: BTreeMap<u64, Option<Blocks>>,
    /// Whether a thread fenced for other blocks.
    fenced: bool,
}

impl Clocks {
    /// Begins a block of `threads` threads, none of which knows of another.
    ///
    /// `block` is a number that tells it from the blocks before it: its number in the order of
    /// execution, for example.
    ///
    /// # Panics
    ///
    /// When `threads` is more than a cluster may have:
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

    /// Every thread of the block has met every other, at a barrier of the block: what any of them
    /// did before is ordered before what any of them does from now on.
    pub fn join_all(&mut self) {
        self.phase += 1;
        self.reset();
        if self.fenced {
            let members: Vec<usize> = (0..self.beyond.len()).collect();
            self.tell_of_blocks(&members);
        }
    }

    /// All of these know of other blocks what one of them knows.
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

    /// `thread` fences for all threads of the device.
    pub fn fence(&mut self, thread: usize, fence: Fence) {
        if fence.acquires {
            self.acquire(thread);
        }
        if fence.releases {
            self.release(thread);
        }
    }

    /// `thread` knows from now on what is to be learned from the words that it has read atomically.
    fn acquire(&mut self, thread: usize) {
        let beyond = &mut self.beyond[thread];
        let Some(found) = beyond.found.take() else {
            return;
        };
        let own = found.get(&self.block).cloned();
        merge(&mut beyond.known, &Some(found));
        if let Some(own) = own.filter(|own| own.phase == self.phase) {
            self.learn_clocks(thread, &own.clocks);
        }
        // Its next segment is told from the one before, in which it knew less.
        self.advance(thread);
    }

    /// What `thread` did and knows may be learned from the words that it writes atomically from now on.
    fn release(&mut self, thread: usize) {
        self.fenced = true;
        let mut clocks = vec![0; self.current.len()];
        self.collect(thread, &mut clocks);
        let own = Known {
            phase: self.phase,
            clocks: clocks.into(),
        };
        // What it does from now on is not part of this.
        self.advance(thread);
        let beyond = &mut self.beyond[thread];
        let mut offered = beyond.known.clone().unwrap_or_default();
        Rc::make_mut(&mut offered).insert(self.block, Rc::new(own));
        beyond.offered = Some(offered);
    }

    /// `thread` accesses the word at `address` atomically.
    ///
    /// One that is read and written in one keeps what could be learned from it before; one that is
    /// only written does not.
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

    /// Whether a thread knows of another block, or may come to.
    pub(super) fn orders_blocks(&self) -> bool {
        self.fenced
    }

    /// The block that was begun last.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// Threads of the block that was begun last.
    pub(super) fn threads(&self) -> usize {
        self.current.len()
    }

    /// The number of the segment that `thread` is in, for [`Touch`](super::Touch); absent when
    /// there are too many to number (2³² − 1 since the clocks were made).
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

    /// The segment of a number that [`Clocks::segment`] gave.
    pub fn get(&self, segment: u32) -> Segment {
        self.segments[segment as usize]
    }

    /// How what was done in `segment` stands to what thread `me` does now.
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

    /// Whether what was done in a segment of another block happened before what thread `me` does now.
    fn knows_of_block(&self, me: usize, segment: Segment) -> bool {
        let known = self.beyond.get(me).and_then(|beyond| beyond.known.as_ref());
        let known = known.and_then(|blocks| blocks.get(&segment.block));
        known.is_some_and(|known| known.covers(segment))
    }

    /// Whether what was done in `segment` happened before what thread `me` does now.
    pub fn is_before(&self, me: usize, segment: Segment) -> bool {
        matches!(
            self.relation(me, segment),
            Relation::Past | Relation::Ordered
        )
    }

    /// Whether what thread `other` did at `clock` in this phase happened before what thread `me` does now.
    pub fn knows(&self, me: usize, other: usize, clock: u32) -> bool {
        if me / WARP == other / WARP {
            self.warp[me][other % WARP] >= clock
        } else {
            self.others[me]
                .as_ref()
                .is_some_and(|others| others[other] >= clock)
        }
    }

    /// Some threads of one warp meet, as at `bar.warp.sync`: what any of them did before, or knew
    /// of, is ordered before what any of them does from now on.
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

    /// Adds what `thread` knows to `known`, which holds a clock for every thread of the block, at first 0.
    ///
    /// With [`Clocks::learn`] this makes any barrier of some threads of several warps: all that
    /// arrive are collected, and those that wait learn. A thread that arrives without waiting must
    /// [advance](Clocks::advance).
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

    /// The threads `members`, of any warps, learn `known`, which holds a clock for every thread of
    /// the block and what each of them knows itself: see [`Clocks::collect`].
    pub fn learn(&mut self, members: &[usize], known: &[u32]) {
        let known: Rc<[u32]> = known.into();
        for &member in members {
            let first = member / WARP * WARP;
            raise(&mut self.warp[member], &known[first..]);
            self.others[member] = Some(known.clone());
            self.advance(member);
        }
        // Those that arrived without waiting are left out: fewer are told than might be.
        self.tell_of_blocks(members);
    }

    /// Adds what `thread` did and knows to `knowledge`, and [advances](Clocks::advance) it.
    ///
    /// With [`Clocks::take`] this makes a barrier at which a thread arrives first and waits later,
    /// or not at all: what it does between the two is not given away. `knowledge` that was given in
    /// an earlier phase is forgotten.
    pub fn give(&mut self, thread: usize, knowledge: &mut Knowledge) {
        let clocks = self.clocks_of(knowledge);
        let first = thread / WARP * WARP;
        raise(&mut clocks[first..], &self.warp[thread]);
        if let Some(others) = &self.others[thread] {
            let is_known = |last: &Rc<[u32]>| Rc::ptr_eq(last, others);
            if !knowledge.last.as_ref().is_some_and(is_known) {
                // What this holds of its own warp is older than what was just added, and as true.
                raise(self.clocks_of(knowledge), others);
                knowledge.last = Some(others.clone());
            }
        }
        if self.fenced {
            merge(&mut knowledge.blocks, &self.beyond[thread].known);
        }
        self.advance(thread);
    }

    /// `thread` learns what was given to `knowledge`.
    pub fn take(&mut self, thread: usize, knowledge: &Knowledge) {
        if !self.is_present(knowledge) {
            return;
        }
        self.learn_clocks(thread, &knowledge.clocks);
        if self.fenced {
            merge(&mut self.beyond[thread].known, &knowledge.blocks);
        }
    }

    /// The threads `members`, of any warps, meet: each of them [gives](Clocks::give) and then
    /// [takes](Clocks::take).
    pub fn meet(&mut self, members: &[usize], knowledge: &mut Knowledge) {
        for &member in members {
            self.give(member, knowledge);
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

    /// Whether what was given is news: everybody knows what was given in an earlier phase.
    fn is_present(&self, knowledge: &Knowledge) -> bool {
        (knowledge.block, knowledge.phase) == (self.block, self.phase)
            && knowledge.clocks.len() == self.current.len()
    }

    fn clocks_of<'k>(&self, knowledge: &'k mut Knowledge) -> &'k mut [u32] {
        if !self.is_present(knowledge) {
            *knowledge = Knowledge {
                block: self.block,
                phase: self.phase,
                clocks: vec![0; self.current.len()].into(),
                ..Knowledge::default()
            };
        }
        Rc::make_mut(&mut knowledge.clocks)
    }

    /// `thread` knows from now on that all threads are past these clocks.
    fn learn_clocks(&mut self, thread: usize, clocks: &Rc<[u32]>) {
        let first = thread / WARP * WARP;
        raise(&mut self.warp[thread], &clocks[first..]);
        let others = &mut self.others[thread];
        // What many threads know is kept once, as long as none of them knows more.
        match others {
            Some(own) if own.iter().zip(clocks.iter()).any(|(own, new)| own > new) => {
                raise(Rc::make_mut(own), clocks);
            }
            _ => *others = Some(clocks.clone()),
        }
    }

    /// Leaves the first segment of every thread empty: to know of it is to know that the thread has begun.
    ///
    /// It must be called right after [`Clocks::start_block`].
    pub(crate) fn mark_beginnings(&mut self) {
        for thread in 0..self.current.len() {
            self.advance(thread);
        }
    }

    /// Adds to `knowledge` that `thread` has begun, and nothing of what it did, where beginnings are marked.
    pub(crate) fn give_beginning(&self, thread: usize, knowledge: &mut Knowledge) {
        // In later phases everybody knows.
        if self.phase == 0 {
            let clock = &mut self.clocks_of(knowledge)[thread];
            *clock = 1.max(*clock);
        }
    }

    /// Whether thread `me` knows that one of these threads has begun, where beginnings are marked.
    pub(crate) fn knows_beginning(&self, me: usize, mut of: std::ops::Range<usize>) -> bool {
        self.phase != 0 || of.any(|thread| self.knows(me, thread, 1))
    }

    /// What stays the same as long as `thread` synchronises with nobody; absent once it has
    /// accessed something.
    pub(crate) fn untouched(&self, thread: usize) -> Option<(u32, u32)> {
        (self.current[thread] == NO_SEGMENT).then(|| (self.phase, self.warp[thread][thread % WARP]))
    }

    /// `thread` enters its next segment: what it does from now on is not part of what others have
    /// learned from it.
    pub fn advance(&mut self, thread: usize) {
        self.warp[thread][thread % WARP] += 1;
        self.current[thread] = NO_SEGMENT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the present of `first`, before any further synchronisation, is known to `second`.
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

    /// What a block did before a fence and an atomic write is known to a thread of another block
    /// that reads the word atomically and fences, and to those that it meets; not without one of
    /// the fences, and not what came after.
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

    /// A third block learns of the first from the word that the second has counted on, and nothing
    /// from one that was written anew.
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

    /// Threads of one block learn of each other through a word between two fences as well.
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
            // What is given in a new phase does not hold clocks of an older one.
            let fresh = clocks.segment(0).unwrap();
            assert!(!ordered(&mut clocks, fresh, 70));
        }
    }

    /// What a thread does between arriving and waiting is not given away, and what was given before
    /// all met is not taken for what was done since.
    #[test]
    fn knowledge_is_of_its_phase() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 64);
        let mut knowledge = Knowledge::default();
        let before = clocks.segment(0).unwrap();
        clocks.give(0, &mut knowledge);
        let between = clocks.segment(0).unwrap();
        assert!(!ordered(&mut clocks, before, 40));
        clocks.take(40, &knowledge);
        assert!(ordered(&mut clocks, before, 40));
        assert!(!ordered(&mut clocks, between, 40));
        clocks.join_all();
        let since = clocks.segment(0).unwrap();
        clocks.take(41, &knowledge);
        assert!(!ordered(&mut clocks, since, 41));
        // The first that gives in the new phase starts anew.
        clocks.give(5, &mut knowledge);
        clocks.take(41, &knowledge);
        assert!(!ordered(&mut clocks, since, 41));
    }

    /// To know that a thread has begun is not to know what it did.
    #[test]
    fn beginnings() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 128);
        clocks.mark_beginnings();
        let mut knowledge = Knowledge::default();
        let before = clocks.segment(100).unwrap();
        assert!(!clocks.knows_beginning(3, 64..128));
        clocks.give_beginning(100, &mut knowledge);
        clocks.take(3, &knowledge);
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
