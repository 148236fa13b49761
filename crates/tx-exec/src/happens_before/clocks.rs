//! Who knows of whom: the happens-before order of one block's threads, as vector clocks.
//!
//! A barrier that the whole block joins orders everything before it before everything after it. Such a barrier
//! starts a new *phase*, and only accesses of the current phase need clocks at all. Inside a phase a thread keeps a
//! clock for the lanes of its warp, and for the other warps only once a named barrier has connected it to them.

use crate::WARP;
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
    /// Made by another block. Nothing orders blocks.
    OtherBlock,
    /// Made in an earlier phase: every thread of the block is ordered after it.
    Past,
    /// Ordered before this thread's present.
    Ordered,
    /// Not ordered.
    Concurrent,
}

/// What each thread of the block that runs knows of each other.
///
/// Threads are named by their linear index in the block. Blocks run one after the other; the clocks of one are
/// forgotten when the next starts, but its [`Segment`]s stay, so that what it did is recognised as another block's.
/// Default clocks are those of a block without threads: begin with [`Clocks::start_block`].
///
/// # Panics
///
/// All methods panic when they are given a thread that the block does not have, and [`Clocks::get`] when it is given a
/// number that [`Clocks::segment`] did not give.
#[derive(Debug, Default)]
pub struct Clocks {
    block: u32,
    phase: u32,
    /// For each thread, the clocks of its warp's lanes as it knows them; its own lane's entry is its own clock.
    warp: Vec<[u32; WARP]>,
    /// For each thread, the clocks of all threads as it knows them; its own warp's entries are not used.
    others: Vec<Option<Rc<[u32]>>>,
    /// The segment each thread is in, once it has one.
    current: Vec<u32>,
    segments: Vec<Segment>,
}

impl Clocks {
    /// Begins a block of `threads` threads, none of which knows of another.
    ///
    /// `block` is a number that tells it from the blocks before it: its number in the order of execution, for example.
    ///
    /// # Panics
    ///
    /// When `threads` is more than [`MAX_BLOCK_THREADS`](crate::MAX_BLOCK_THREADS).
    pub fn start_block(&mut self, block: u32, threads: usize) {
        assert!(
            threads <= crate::MAX_BLOCK_THREADS as usize,
            "a block of {threads} threads, expected at most {}",
            crate::MAX_BLOCK_THREADS
        );
        self.block = block;
        self.phase = 0;
        self.warp.resize(threads, [0; WARP]);
        self.others.resize(threads, None);
        self.current.resize(threads, NO_SEGMENT);
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

    /// Every thread of the block has met every other, at a barrier of the block: what any of them did before is
    /// ordered before what any of them does from now on.
    pub fn join_all(&mut self) {
        self.phase += 1;
        self.reset();
    }

    /// The block that was begun last.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// The number of the segment that `thread` is in, for [`Touch`](super::Touch); absent when there are too many to
    /// number (2³² − 1 since the clocks were made).
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
            Relation::OtherBlock
        } else if segment.phase != self.phase {
            Relation::Past
        } else if self.knows(me, segment.thread as usize, segment.clock) {
            Relation::Ordered
        } else {
            Relation::Concurrent
        }
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

    /// Some threads of one warp meet, as at `bar.warp.sync`: what any of them did before, or knew of, is ordered before
    /// what any of them does from now on.
    pub fn join_lanes(&mut self, members: &[usize]) {
        let mut joined = [0; WARP];
        let mut others: Option<Rc<[u32]>> = None;
        for &member in members {
            for (to, &from) in joined.iter_mut().zip(&self.warp[member]) {
                *to = from.max(*to);
            }
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
    }

    /// Adds what `thread` knows to `known`, which holds a clock for every thread of the block, at first 0.
    ///
    /// With [`Clocks::learn`] this makes any barrier of some threads of several warps: all that arrive are collected,
    /// and those that wait learn. A thread that arrives without waiting must [advance](Clocks::advance).
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
        for (to, &from) in known[first..].iter_mut().zip(&self.warp[thread]) {
            *to = from.max(*to);
        }
    }

    /// The threads `members`, of any warps, learn `known`, which holds a clock for every thread of the block and what
    /// each of them knows itself: see [`Clocks::collect`].
    pub fn learn(&mut self, members: &[usize], known: &[u32]) {
        let known: Rc<[u32]> = known.into();
        for &member in members {
            let first = member / WARP * WARP;
            for (to, &from) in self.warp[member].iter_mut().zip(&known[first..]) {
                *to = from.max(*to);
            }
            self.others[member] = Some(known.clone());
            self.advance(member);
        }
    }

    /// `thread` enters its next segment: what it does from now on is not part of what others have learned from it.
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

    #[test]
    fn a_barrier_of_the_block_orders_everything() {
        let mut clocks = Clocks::default();
        clocks.start_block(0, 1024);
        let write = clocks.segment(1000).unwrap();
        clocks.join_all();
        assert!(ordered(&mut clocks, write, 1));
    }
}
