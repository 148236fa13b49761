//! The blocks of a cluster and their threads.

use crate::value::View;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_exec::MBarrier;
use tx_exec::happens_before::ReleasedClocks;

pub(crate) const WARP: u32 = 32;

/// The thread blocks of a cluster, which the interpreter executes together. The interpreter treats
/// a launch without clusters as a launch with clusters of one block.
///
/// The lanes of a cluster are the threads of all its blocks, in the order of the blocks. In a
/// cluster of several blocks, the index of the first lane of each block is a multiple of the warp
/// size. Padding lanes between two blocks belong to no thread and are never active.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) index: [u32; 3],
    /// Number of blocks of the cluster along x, y and z.
    pub(crate) size: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub(crate) dynamic_shared: i64,
    /// Memref views of the shared memory variables, by variable name. A shared memory variable has
    /// either one memref view that all lanes share, or one memref view per lane. The empty string
    /// is the map key of dynamic shared memory.
    pub(crate) variables: BTreeMap<String, Vec<Rc<View>>>,
    /// Number of bytes per block in each buffer of shared memory.
    pub(crate) shares: BTreeMap<usize, i64>,
    /// Threads that wait at incomplete barriers, by block rank and barrier number.
    pub(crate) arrivals: BTreeMap<(u32, u64), (Option<u64>, Vec<u32>)>,
    /// Vector clocks of the threads at their arrival at the cluster barrier; empty for a relaxed
    /// arrival. `None` before the threads arrive at the cluster barrier, and again after they wait.
    pub(crate) cluster_arrival: Option<Rc<ReleasedClocks>>,
    /// Initialized mbarrier objects, by address.
    pub(crate) mbarriers: BTreeMap<i64, Rc<RefCell<MBarrier>>>,
}

impl Cluster {
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    pub(crate) fn blocks(&self) -> u32 {
        self.size.iter().product()
    }

    /// Returns the number of lanes from the first lane of a block to the first lane of the next
    /// block.
    pub(crate) fn pitch(&self) -> u32 {
        match self.blocks() {
            1 => self.threads(),
            _ => self.threads().next_multiple_of(WARP),
        }
    }

    /// Returns two numbers for a lane: the rank of its block in the cluster, and its thread index
    /// in the block.
    pub(crate) fn place(&self, lane: u32) -> (u32, u32) {
        (lane / self.pitch(), lane % self.pitch())
    }

    /// Returns whether a lane is a thread and not a padding lane.
    pub(crate) fn has(&self, lane: u32) -> bool {
        let (rank, thread) = self.place(lane);
        rank < self.blocks() && thread < self.threads()
    }

    /// Returns the grid coordinates of the block with rank `rank` in the cluster.
    pub(crate) fn block_of(&self, rank: u32) -> [u32; 3] {
        let [x, y, _] = self.size;
        let position = [rank % x, rank / x % y, rank / (x * y)];
        std::array::from_fn(|d| self.index[d] + position[d])
    }

    /// Returns the cluster with linear index `number` in a grid of `clusters` clusters.
    pub(crate) fn nth(&self, number: u64, clusters: [u64; 3]) -> Self {
        let [x, y, _] = clusters;
        let first = [number % x, number / x % y, number / (x * y)];
        Self {
            index: std::array::from_fn(|d| first[d] as u32 * self.size[d]),
            ..self.clone()
        }
    }

    /// Formats a lane as thread and block coordinates.
    pub(crate) fn name(&self, lane: u32) -> String {
        let (rank, thread) = self.place(lane);
        let [x, y, _] = self.block;
        let [bx, by, bz] = self.block_of(rank);
        let (tx, ty, tz) = (thread % x, thread / x % y, thread / (x * y));
        format!("thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})")
    }

    /// Returns all lanes except for padding lanes.
    pub(crate) fn all(&self) -> Vec<u32> {
        let (pitch, threads) = (self.pitch(), self.threads());
        let of = |rank: u32| rank * pitch..rank * pitch + threads;
        (0..self.blocks()).flat_map(of).collect()
    }
}
