//! Indices and sizes that a thread queries, such as its index in the block.

use crate::cluster::{Cluster, WARP};
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::trouble::Trouble;
use crate::value::{Lanes, Slot, Value};
use tx_mlir::{Op, name};

/// An index or size that a thread can query.
#[derive(Clone, Copy)]
pub(crate) enum ThreadIndex {
    Thread(usize),
    Block(usize),
    BlockSize(usize),
    GridSize(usize),
    Lane,
    Warp,
    Warps,
    WarpSize,
    Place(usize),
    Rank,
    ClusterSize(usize),
    ClusterBlocks,
    Cluster(usize),
    Clusters(usize),
}

impl ThreadIndex {
    pub(crate) fn of(self, cluster: &Cluster, lane: u32) -> u32 {
        let [x, y, _] = cluster.block;
        let (rank, thread) = cluster.place(lane);
        match self {
            Self::Thread(0) => thread % x,
            Self::Thread(1) => thread / x % y,
            Self::Thread(_) => thread / (x * y),
            Self::Block(d) => cluster.block_of(rank)[d],
            Self::BlockSize(d) => cluster.block[d],
            Self::GridSize(d) => cluster.grid[d],
            Self::Lane => thread % WARP,
            Self::Warp => thread / WARP,
            Self::Warps => cluster.threads().div_ceil(WARP),
            Self::WarpSize => WARP,
            Self::Place(d) => cluster.block_of(rank)[d] - cluster.index[d],
            Self::Rank => rank,
            Self::ClusterSize(d) => cluster.size[d],
            Self::ClusterBlocks => cluster.blocks(),
            Self::Cluster(d) => cluster.index[d] / cluster.size[d],
            Self::Clusters(d) => cluster.grid[d] / cluster.size[d],
        }
    }
}

pub(crate) fn thread_index_of(op: Op<'_>) -> Option<ThreadIndex> {
    let dimension = || {
        let axis = tx_mlir::enumerator_of(op, "dimension")?;
        ["x", "y", "z"].iter().position(|known| *known == axis)
    };
    Some(match name(op) {
        "gpu.thread_id" => ThreadIndex::Thread(dimension()?),
        "gpu.block_id" => ThreadIndex::Block(dimension()?),
        "gpu.block_dim" => ThreadIndex::BlockSize(dimension()?),
        "gpu.grid_dim" => ThreadIndex::GridSize(dimension()?),
        "gpu.lane_id" => ThreadIndex::Lane,
        "gpu.subgroup_id" => ThreadIndex::Warp,
        "gpu.num_subgroups" => ThreadIndex::Warps,
        "gpu.subgroup_size" => ThreadIndex::WarpSize,
        "gpu.cluster_block_id" => ThreadIndex::Place(dimension()?),
        "gpu.cluster_dim_blocks" => ThreadIndex::ClusterSize(dimension()?),
        "gpu.cluster_id" => ThreadIndex::Cluster(dimension()?),
        "gpu.cluster_dim" => ThreadIndex::Clusters(dimension()?),
        _ => return None,
    })
}

/// Computes one number per thread, such as the thread index, and stores the number in slot `to`.
pub(crate) fn per_thread(
    exec: &mut Exec<'_>,
    to: Slot,
    f: impl Fn(&Cluster, u32) -> u32,
) -> Result<(), Trouble> {
    let mut out = Lanes::new(1, exec.lanes);
    if let Some(cluster) = &exec.cluster {
        for lane in 0..exec.lanes as u32 {
            out.set(lane as usize, 0, u64::from(f(cluster, lane)), None);
        }
        // The interpreter stores a uniform number once, so it also computes each op that uses the
        // number once.
        if out.bits.iter().all(|n| *n == out.bits[0]) {
            out = Lanes::one(out.bits[0]);
        }
    }
    exec.slots[to] = Value::Numbers(out);
    Ok(())
}

pub(crate) fn read_thread_index<'c>(to: Slot, number: ThreadIndex) -> OpClosure<'c> {
    Box::new(move |exec| per_thread(exec, to, |cluster, lane| number.of(cluster, lane)))
}
