//! Execution order of threads and blocks.

use crate::warp::WARP;

/// Execution order of runnable threads, and of blocks.
///
/// Blocks, or clusters of blocks, run one after the other. The executor schedules the threads of a
/// cluster like the threads of one block, and the thread indices increase with the block rank. A
/// thread runs until it waits for other threads in a barrier, a shuffle or another collective
/// operation. A thread also stops when its arrival completes a collective operation. Some orders
/// also [preempt](Order::RoundRobin) a thread before a memory access. The thread that runs next can
/// belong to any warp.
///
/// If the threads execute the same accesses in every order, the set of races does not depend on the
/// order. The results of a program without races and atomics do not depend on the order. If a race
/// or a missing synchronisation exists, the result and the first fault can depend on the order.
/// [`Order::all`] and [`Order::systematic`] list orders for tests. Every order is deterministic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// Blocks and threads run in ascending order.
    #[default]
    Sequential,
    /// Blocks and threads run in descending order. In descending order, a consumer thread with a
    /// higher index than its producer thread runs before the producer thread.
    Reverse,
    /// Blocks and threads run in a pseudo-random order that depends on the seed only.
    Shuffled(u64),
    /// Threads run in ascending order, and are preempted before every memory access, barrier and
    /// warp operation. Threads with equal control flow run in lockstep: no thread starts its second
    /// access before all threads have finished their first accesses.
    RoundRobin,
    /// Blocks and threads run as in [`Order::Shuffled`]. Threads are preempted before a
    /// pseudo-random half of their memory accesses, barriers and warp operations.
    Interleaved(u64),
    /// Whenever the warp with the given index (counted from 0) can run, this warp runs before all
    /// other warps. The threads outside the warp with the given index run as in
    /// [`Order::Sequential`]. In a cluster, warp indices continue from block to block, in the order
    /// of the block ranks.
    WarpFirst(u32),
    /// The warp with the given index runs only if no thread of another warp can run. The threads
    /// outside the warp with the given index run as in [`Order::Sequential`]. The index of the warp
    /// is counted as in [`Order::WarpFirst`].
    WarpLast(u32),
}

impl Order {
    /// Returns one order for each variant of [`Order`]; the orders are valid for blocks of any
    /// size. Pseudo-random orders use `seed`.
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

    /// Returns all 3 + 2 · `warps` orders that are not pseudo-random, for blocks or clusters of
    /// `warps` warps.
    ///
    /// For any two warps A and B that no barrier synchronises, one order runs A before B, and
    /// another order runs B before A. For any two lanes A and B of a warp, one order runs A before
    /// B, and another order runs B before A, until the lanes reach a warp operation.
    pub fn systematic(warps: u32) -> impl Iterator<Item = Self> + Clone {
        [Self::Sequential, Self::Reverse, Self::RoundRobin]
            .into_iter()
            .chain((0..warps).map(Self::WarpFirst))
            .chain((0..warps).map(Self::WarpLast))
    }

    /// Returns the pseudo-random generator for `purpose` (block order, thread order or preemption);
    /// `None` for an order that is not pseudo-random.
    fn random(self, purpose: u64) -> Option<Random> {
        match self {
            Self::Shuffled(seed) | Self::Interleaved(seed) => Some(Random(seed ^ purpose)),
            _ => None,
        }
    }
}

/// Constants that select the pseudo-random sequence for block order, for thread order, and for
/// preemption.
mod purpose {
    pub(super) const BLOCKS: u64 = 0;
    pub(super) const THREADS: u64 = !0;
    pub(super) const PREEMPTION: u64 = 0x5555_5555_5555_5555;
}

/// Pseudo-random generator SplitMix64.
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

/// Preemption mode, which determines whether a runnable thread yields to other threads before its
/// next access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Preemption {
    Never,
    Always,
    /// Before each access, a thread is preempted with a probability of one half.
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

/// The clusters of a grid in execution order, and the blocks of each cluster.
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
    /// Linear indices of the clusters, in execution order.
    List(Vec<u32>),
}

/// Maximum number of clusters that can run in pseudo-random order. A permutation of more clusters
/// would need too much memory, so the clusters of a larger grid run in ascending order.
const MAX_SHUFFLED: u32 = 1 << 24;

/// Converts a linear index in a grid with fewer than 2³² elements to grid coordinates.
fn position(index: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [
        index % x,
        index / x % y,
        (u64::from(index) / (u64::from(x) * u64::from(y))) as u32,
    ]
}

impl Blocks {
    /// Creates the execution order of the blocks of a grid. The grid must have fewer than 2³²
    /// blocks, and the grid size must be a multiple of the cluster size along each dimension.
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

    pub(crate) fn count(&self) -> u32 {
        self.clusters().iter().product()
    }

    pub(crate) fn grid(&self) -> [u32; 3] {
        self.grid
    }

    pub(crate) fn cluster(&self) -> [u32; 3] {
        self.cluster
    }

    pub(crate) fn clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis])
    }

    /// Returns the coordinates of block `rank` in the cluster that runs at position `number` of the
    /// execution order.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// The thread waits for other threads, or has exited.
    Blocked,
    /// The thread can run, but may be in a spin loop, because the thread yielded after many atomic
    /// accesses.
    Spins,
    /// The thread can run.
    Ready,
}

/// Scheduler, which selects the next thread to run.
pub(crate) struct Scheduler {
    order: Order,
    random: Option<Random>,
    last: usize,
    candidates: Vec<usize>,
}

impl Scheduler {
    pub(crate) fn new(order: Order) -> Self {
        Self {
            order,
            random: order.random(purpose::THREADS),
            last: 0,
            candidates: Vec::new(),
        }
    }

    pub(crate) fn start_block(&mut self, threads: usize) {
        self.candidates.clear();
        // The first selected thread is the successor of `last`.
        self.last = match self.order {
            Order::Reverse => 0,
            _ => threads - 1,
        };
    }

    /// Selects the next thread to run among `count` threads; `None` if no thread can run.
    pub(crate) fn next(
        &mut self,
        count: usize,
        readiness: impl Fn(usize) -> Readiness,
    ) -> Option<usize> {
        let is_runnable = |&index: &usize| readiness(index) != Readiness::Blocked;
        let mut ascending = (self.last + 1..count).chain(0..=self.last);
        let mut descending = (0..self.last).rev().chain((self.last..count).rev());
        let next = match self.order {
            Order::Sequential | Order::RoundRobin => ascending.find(is_runnable),
            Order::Reverse => descending.find(is_runnable),
            Order::WarpFirst(warp) | Order::WarpLast(warp) => {
                let start = (warp as usize).saturating_mul(WARP).min(count);
                let end = (start + WARP).min(count);
                let after = self.last + 1;
                let own = (start.max(after)..end).chain(start..end.min(after));
                let others = ascending.filter(|index| !(start..end).contains(index));
                // A spinning thread counts as waiting, so that the awaited thread can run.
                let is_ready = |&index: &usize| readiness(index) == Readiness::Ready;
                let find = |wanted: &dyn Fn(&usize) -> bool| match self.order {
                    Order::WarpFirst(_) => own.clone().chain(others.clone()).find(wanted),
                    _ => others.clone().chain(own.clone()).find(wanted),
                };
                find(&is_ready).or_else(|| find(&is_runnable))
            }
            Order::Shuffled(_) | Order::Interleaved(_) => {
                let random = self.random.as_mut()?;
                // To avoid a scan of all threads per selection, the list of runnable threads is
                // rebuilt only when it is empty. The scheduler therefore checks again whether a
                // selected thread can run.
                loop {
                    if self.candidates.is_empty() {
                        self.candidates.extend((0..count).filter(is_runnable));
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
