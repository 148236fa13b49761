//! Which thread and which block goes next.

use crate::{
    WARP,
    machine::{Machine, State},
};

/// Which of the threads and blocks that can run goes next.
///
/// Blocks run one after the other, or clusters of blocks where the launch has any: then the threads
/// of a cluster's blocks take turns as those of one block do, in the order of their blocks' ranks.
/// A thread runs until it has to wait for others, or completes what others wait in: a barrier, a
/// shuffle. Some orders also [preempt](Order::RoundRobin) it before an access to memory. Then the
/// next thread is chosen among those that can run, whatever their warp.
///
/// Which races there are does not depend on the order, unless which accesses are made does; the
/// results of a program without races and atomics do not depend on it. A different order can show a
/// race or a missing synchronisation as a different result, and the first fault found may be
/// another one. [`Order::all`] and [`Order::systematic`] are lists to run a program in. Every order
/// is deterministic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// Blocks and threads in ascending order, in turn.
    #[default]
    Sequential,
    /// Blocks and threads in descending order, in turn: consumers that follow their producers in
    /// the block come before them.
    Reverse,
    /// An order of blocks and threads that looks random and depends on the seed alone.
    Shuffled(u64),
    /// Threads in ascending order, each of which is preempted before every access to memory, every
    /// barrier and every operation of a warp. Threads that do the same go in lockstep: all of them
    /// make their first access, then all make their second.
    RoundRobin,
    /// As [`Order::Shuffled`], and a thread is preempted before some of its accesses to memory,
    /// barriers and operations of a warp, half of them on average.
    Interleaved(u64),
    /// The warp of this number, counted from 0, runs as far as it can before all others, which run as in
    /// [`Order::Sequential`]: it overtakes the others where nothing holds it back. A block without
    /// that warp runs as in
    /// [`Order::Sequential`]. In a cluster the warps of all its blocks are counted, those of rank 0 first.
    WarpFirst(u32),
    /// The warp of this number runs only when no other can, which run as in [`Order::Sequential`]:
    /// the others overtake it where nothing holds them back. A block without that warp runs as in
    /// [`Order::Sequential`]. Warps are counted as in [`Order::WarpFirst`].
    WarpLast(u32),
}

impl Order {
    /// One order of each kind, for blocks of any size; the random ones depend on `seed`.
    pub const fn all(seed: u64) -> [Self; 7] {
        [
            Self::Sequential,
            Self::Reverse,
            Self::RoundRobin,
            Self::WarpFirst(0),
            Self::WarpLast(0),
            Self::Shuffled(seed),
            Self::Interleaved(seed),
        ]
    }

    /// Every order that is not random, for blocks (or clusters) of `warps` warps: 3 + 2 · `warps` of them.
    ///
    /// Of any two warps without a barrier between them, each goes as far as it can before the other
    /// in one of them at least; so does, of any two lanes, each before the other, up to the next
    /// operation that they meet in.
    pub fn systematic(warps: u32) -> impl Iterator<Item = Self> + Clone {
        [Self::Sequential, Self::Reverse, Self::RoundRobin]
            .into_iter()
            .chain((0..warps).map(Self::WarpFirst))
            .chain((0..warps).map(Self::WarpLast))
    }

    /// The generator of an order that is random, for one of several purposes.
    fn random(self, purpose: u64) -> Option<Random> {
        match self {
            Self::Shuffled(seed) | Self::Interleaved(seed) => Some(Random(seed ^ purpose)),
            _ => None,
        }
    }
}

/// What random numbers are for: each has a sequence of its own.
mod purpose {
    pub(super) const BLOCKS: u64 = 0;
    pub(super) const THREADS: u64 = !0;
    pub(super) const PREEMPTION: u64 = 0x5555_5555_5555_5555;
}

/// A small generator of random numbers (SplitMix64).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// Whether a thread that need not wait lets others run before its next access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Preemption {
    Never,
    Always,
    /// Every other time, on average.
    Random(Random),
}

impl Preemption {
    pub(crate) fn new(order: Order) -> Self {
        match order {
            Order::RoundRobin => Self::Always,
            Order::Interleaved(_) => order
                .random(purpose::PREEMPTION)
                .map_or(Self::Never, Self::Random),
            _ => Self::Never,
        }
    }

    pub(crate) fn is_due(&mut self) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Random(random) => random.next() >> 63 != 0,
        }
    }
}

/// The clusters of a grid in the order in which they run, and the blocks of each. A block may be a
/// cluster of its own.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    grid: [u32; 3],
    cluster: [u32; 3],
    order: BlockOrder,
}

#[derive(Clone, Debug)]
enum BlockOrder {
    Ascending,
    Descending,
    /// Linear indices of the clusters.
    List(Vec<u32>),
}

/// Grids of more clusters than this run in ascending order even when shuffled: the order would cost
/// too much memory.
const MAX_SHUFFLED: u32 = 1 << 24;

/// Coordinates of the element of a linear index in a box that has fewer than 2³² elements.
fn position(index: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [
        index % x,
        index / x % y,
        (u64::from(index) / (u64::from(x) * u64::from(y))) as u32,
    ]
}

impl Blocks {
    /// For a grid that has fewer than 2³² blocks, and is a multiple of the cluster along each axis.
    pub(crate) fn new(grid: [u32; 3], cluster: [u32; 3], order: Order) -> Self {
        let mut blocks = Self {
            grid,
            cluster,
            order: BlockOrder::Ascending,
        };
        let count = blocks.count();
        blocks.order = match order.random(purpose::BLOCKS) {
            Some(mut random) if count <= MAX_SHUFFLED => {
                let mut list: Vec<_> = (0..count).collect();
                for index in (1..list.len()).rev() {
                    list.swap(index, random.below(index + 1));
                }
                BlockOrder::List(list)
            }
            _ if order == Order::Reverse => BlockOrder::Descending,
            _ => BlockOrder::Ascending,
        };
        blocks
    }

    /// Clusters of the grid.
    pub(crate) fn count(&self) -> u32 {
        self.clusters().iter().product()
    }

    pub(crate) fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// Blocks of a cluster along each axis.
    pub(crate) fn cluster(&self) -> [u32; 3] {
        self.cluster
    }

    /// Clusters of the grid along each axis.
    pub(crate) fn clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis])
    }

    /// Coordinates of the block of rank `rank` in the cluster that runs as number `number`.
    pub(crate) fn coordinates(&self, number: u32, rank: u32) -> [u32; 3] {
        let cluster = match &self.order {
            BlockOrder::Ascending => number,
            BlockOrder::Descending => self.count() - 1 - number,
            BlockOrder::List(list) => list[number as usize],
        };
        let cluster = position(cluster, self.clusters());
        let block = position(rank, self.cluster);
        std::array::from_fn(|axis| cluster[axis] * self.cluster[axis] + block[axis])
    }
}

/// Chooses the thread that runs next.
pub(crate) struct Turns {
    order: Order,
    /// For an order that is random.
    random: Option<Random>,
    /// The thread chosen last.
    last: usize,
    candidates: Vec<usize>,
}

impl Turns {
    pub(crate) fn new(order: Order) -> Self {
        Self {
            order,
            random: order.random(purpose::THREADS),
            last: 0,
            candidates: Vec::new(),
        }
    }

    /// Begins a block, or a cluster of blocks, of `threads` threads.
    pub(crate) fn start_block(&mut self, threads: usize) {
        self.candidates.clear();
        // The first is the one after it.
        self.last = match self.order {
            Order::Reverse => 0,
            _ => threads - 1,
        };
    }

    /// The thread that runs next; `None` when none can.
    pub(crate) fn next(&mut self, machine: &Machine<'_>) -> Option<usize> {
        let threads = &machine.threads;
        let is_runnable = |&index: &usize| matches!(threads[index].state, State::Runnable);
        let mut ascending = (self.last + 1..threads.len()).chain(0..=self.last);
        let mut descending = (0..self.last).rev().chain((self.last..threads.len()).rev());
        let next = match self.order {
            Order::Sequential | Order::RoundRobin => ascending.find(is_runnable),
            Order::Reverse => descending.find(is_runnable),
            Order::WarpFirst(warp) | Order::WarpLast(warp) => {
                let count = threads.len();
                let start = (warp as usize).saturating_mul(WARP).min(count);
                let end = (start + WARP).min(count);
                let after = self.last + 1;
                let own = (start.max(after)..end).chain(start..end.min(after));
                let others = ascending.filter(|index| !(start..end).contains(index));
                // One that spins for what others do is as good as waiting: it must not keep them
                // from doing it.
                let goes_on = |&index: &usize| !threads[index].spins;
                let find = |wanted: &dyn Fn(&usize) -> bool| match self.order {
                    Order::WarpFirst(_) => own.clone().chain(others.clone()).find(wanted),
                    _ => others.clone().chain(own.clone()).find(wanted),
                };
                find(&|index| is_runnable(index) && goes_on(index)).or_else(|| find(&is_runnable))
            }
            Order::Shuffled(_) | Order::Interleaved(_) => {
                let random = self.random.as_mut()?;
                // A list of candidates that were runnable when it was made: what has changed since
                // is looked at when they are taken, and the list is made again when it is empty. So
                // a choice does not cost a look at every thread.
                loop {
                    if self.candidates.is_empty() {
                        self.candidates
                            .extend((0..threads.len()).filter(is_runnable));
                        if self.candidates.is_empty() {
                            return None;
                        }
                    }
                    let chosen = random.below(self.candidates.len());
                    let index = self.candidates.swap_remove(chosen);
                    if is_runnable(&index) {
                        break Some(index);
                    }
                }
            }
        };
        self.last = next.unwrap_or(self.last);
        next
    }
}
