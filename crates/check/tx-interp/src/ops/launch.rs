//! Launches of kernels: checks of the launch sizes, and the execution of each cluster.

use crate::build::Build;
use crate::cluster::Cluster;
use crate::code::{Function, OpClosure};
use crate::machine::Exec;
use crate::memory::Launch;
use crate::ops::allocation::{private_or_common, shared};
use crate::ops::memref::memref;
use crate::ops::thread_index::{ThreadIndex, thread_index_of};
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Slot, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_mlir::gpu::LaunchOperands;
use tx_mlir::memref::Space;
use tx_mlir::{Op, Val, attribute, operands, symbol_path};

pub(crate) fn launch<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let kernel = attribute(op, "kernel")
        .and_then(symbol_path)
        .and_then(|path| build.program.lookup_symbol(op, &path))
        .ok_or_else(|| Trouble::unsupported(op, "the kernel is not in the module"))?;
    let function = build.program.function(kernel)?;
    let launch =
        LaunchOperands::of(op).ok_or_else(|| Trouble::unsupported(op, "without a grid"))?;
    let mut slots = |values: [Val<'c>; 3]| values.map(|value| build.slot(value));
    let (grid, block) = (slots(launch.grid), slots(launch.block));
    let cluster = launch.cluster.map(slots);
    let dynamic_shared = launch.dynamic_shared.map(|value| build.slot(value));
    let arguments: Vec<Slot> = launch.arguments.iter().map(|v| build.slot(*v)).collect();
    let kernel = InterpretedKernel::new(kernel, function)?;
    let site = Site::of(op);
    Ok(Box::new(move |exec| {
        let get = |slots: [Slot; 3]| slots.map(|slot| exec.int(slot, 0));
        let sizes = Sizes {
            grid: get(grid),
            block: get(block),
            cluster: cluster.map(get),
            dynamic_shared: dynamic_shared.map_or(0, |slot| exec.int(slot, 0)),
        };
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|slot| exec.slots[*slot].clone())
            .collect();
        kernel.launch(exec, sizes, arguments, &site)
    }))
}

/// Sizes of a launch along x, y and z: the grid size in blocks, the block size in threads, and the
/// cluster size in blocks.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) grid: [i64; 3],
    pub(crate) block: [i64; 3],
    /// Cluster size of the launch; `None` selects the cluster size of the kernel.
    pub(crate) cluster: Option<[i64; 3]>,
    /// Dynamic shared memory per block, in bytes.
    pub(crate) dynamic_shared: i64,
}

pub(crate) struct InterpretedKernel<'c> {
    function: Rc<Function<'c>>,
    /// Attributions of the kernel: slot, memory space, sizes and element type.
    memory: Vec<(Slot, Space, Vec<i64>, tx_scalar::number::Scalar)>,
    pub(crate) block_size: Option<[u32; 3]>,
    pub(crate) cluster_size: Option<[u32; 3]>,
    /// For each dimension of the grid, whether the kernel executes a grid-stride loop along the
    /// dimension. A grid-stride loop computes the same result for any grid size.
    strided: [bool; 3],
}

/// Returns whether the only uses of the block index along a dimension are lower bounds of
/// grid-stride loops.
fn is_strided(kernel: Op<'_>, d: usize) -> bool {
    let all = tx_mlir::walk(kernel);
    let is_number = |value, wanted: fn(ThreadIndex) -> Option<usize>| {
        tx_mlir::defining_op(value)
            .and_then(thread_index_of)
            .and_then(wanted)
            == Some(d)
    };
    let block = |number| match number {
        ThreadIndex::Block(d) | ThreadIndex::Cluster(d) => Some(d),
        _ => None,
    };
    let grid = |number| match number {
        ThreadIndex::GridSize(d) | ThreadIndex::Clusters(d) => Some(d),
        _ => None,
    };
    let mut uses = 0;
    let all_stride = all.into_iter().all(|op| {
        operands(op).into_iter().enumerate().all(|(i, value)| {
            if !is_number(value, block) {
                return true;
            }
            uses += 1;
            tx_mlir::is(op, "scf.for") && i == 0 && is_number(operands(op)[2], grid)
        })
    });
    all_stride && uses > 0
}

const MOST_THREADS: i64 = 1024;

/// Maximum number of blocks per cluster.
const MOST_CLUSTER: i64 = 16;

impl<'c> InterpretedKernel<'c> {
    pub(crate) fn new(op: Op<'c>, function: Rc<Function<'c>>) -> Result<Self, Trouble> {
        let mut memory = Vec::new();
        for (slot, value) in &function.attributions {
            let (ty, scalar) = memref(op, *value)?;
            let sizes: Option<Vec<i64>> = ty.shape.iter().map(|n| n.map(|n| n as i64)).collect();
            let sizes =
                sizes.ok_or_else(|| Trouble::unsupported(op, "with memory of unknown size"))?;
            memory.push((*slot, ty.space, sizes, scalar));
        }
        Ok(Self {
            strided: [0, 1, 2].map(|d| is_strided(op, d)),
            block_size: function.block_size,
            cluster_size: function.cluster_size,
            function,
            memory,
        })
    }

    /// Executes all clusters of a launch, one after the other. The interpreter executes the blocks
    /// of one cluster together.
    pub(crate) fn launch(
        &self,
        exec: &mut Exec<'_>,
        sizes: Sizes,
        arguments: Vec<Value>,
        site: &Site,
    ) -> Result<(), Trouble> {
        let Sizes {
            grid,
            block,
            cluster,
            dynamic_shared,
        } = sizes;
        if grid.iter().all(|n| *n >= 0) && grid.contains(&0) {
            return Ok(());
        }
        let wrong = |what: &str, found: [i64; 3]| {
            let message = format!("invalid {what} size {found:?}");
            Err(Trouble::fault(FaultKind::Undefined, site, message))
        };
        let Ok(mut grid) = u32s(grid) else {
            return wrong("grid", grid);
        };
        let product = |sizes: [i64; 3]| sizes.iter().try_fold(1_i64, |n, d| n.checked_mul(*d));
        let checked = |sizes: [i64; 3], most: i64| {
            let fits = product(sizes).is_some_and(|n| (1..=most).contains(&n));
            u32s(sizes).ok().filter(|_| fits)
        };
        let known = self.cluster_size.map(|size| size.map(i64::from));
        let asked = cluster.or(known).unwrap_or([1; 3]);
        let Some(cluster) = checked(asked, MOST_CLUSTER) else {
            return wrong("cluster", asked);
        };
        if let Some(expected) = self.cluster_size.filter(|size| *size != cluster) {
            let message = format!("a cluster of {cluster:?}, expected {expected:?}");
            return Err(Trouble::fault(FaultKind::Undefined, site, message));
        }
        if let Some(d) = (0..3).find(|d| grid[*d] % cluster[*d] != 0) {
            let message = format!(
                "a grid of {grid:?}, expected a multiple of {} blocks along dimension {d}",
                cluster[d]
            );
            return Err(Trouble::fault(FaultKind::Undefined, site, message));
        }
        if exec.world.races {
            // With half of the blocks, each block executes at least two iterations of the
            // grid-stride loop. The race check then covers consecutive iterations.
            for (d, strided) in self.strided.into_iter().enumerate() {
                if strided {
                    grid[d] = (grid[d] / cluster[d]).div_ceil(2) * cluster[d];
                }
            }
        }
        let Some(block) = checked(block, MOST_THREADS) else {
            return wrong("block", block);
        };
        if let Some(expected) = self.block_size.filter(|size| *size != block) {
            let message = format!("a block of {block:?}, expected {expected:?}");
            return Err(Trouble::fault(FaultKind::Undefined, site, message));
        }
        let clusters: [u64; 3] = std::array::from_fn(|d| u64::from(grid[d] / cluster[d]));
        exec.world.allow(grid, block);
        exec.world.memory.order_everything();
        exec.world.clocks = Default::default();
        let cluster = Cluster {
            grid,
            block,
            index: [0; 3],
            size: cluster,
            dynamic_shared,
            variables: BTreeMap::new(),
            shares: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            cluster_arrival: None,
            mbarriers: BTreeMap::new(),
        };
        exec.world.memory.launch = Some(Launch {
            cluster: cluster.clone(),
            clusters,
            before: exec.world.blocks,
        });
        for number in 0..clusters.iter().product::<u64>() {
            self.run_cluster(exec, cluster.nth(number, clusters), &arguments, site)?;
        }
        exec.world.memory.order_everything();
        Ok(())
    }

    fn run_cluster(
        &self,
        exec: &mut Exec<'_>,
        cluster: Cluster,
        arguments: &[Value],
        site: &Site,
    ) -> Result<(), Trouble> {
        let (threads, lanes) = (
            cluster.threads(),
            (cluster.blocks() * cluster.pitch()) as usize,
        );
        let world = &mut *exec.world;
        world.clocks.start_block(world.blocks, lanes);
        world.blocks = world.blocks.wrapping_add(1);
        let buffers = world.memory.buffers.len();
        let mut inner = Exec {
            world,
            slots: vec![Value::Nothing; self.function.slots],
            lanes,
            active: cluster.all().into(),
            cluster: Some(cluster),
            threads: true,
            unordered: false,
        };
        for (slot, value) in self.function.code.arguments.iter().zip(arguments) {
            inner.slots[*slot] = value.clone();
        }
        for (slot, space, sizes, scalar) in &self.memory {
            let label = format!("the {} of a kernel", space.name());
            let views = match space {
                Space::Shared => shared(&mut inner, label, sizes, *scalar, site)?,
                _ => private_or_common(
                    &mut inner,
                    label,
                    *space,
                    true,
                    sizes.clone(),
                    *scalar,
                    site,
                )?,
            };
            inner.slots[*slot] = Value::Views(views);
        }
        self.function.code.run(&mut inner)?;
        let waiting = inner.cluster.as_ref().and_then(|cluster| {
            cluster
                .arrivals
                .iter()
                .next()
                .map(|((_, id), (count, threads))| (*id, *count, threads.len()))
        });
        inner.world.memory.release(buffers);
        match waiting {
            None => Ok(()),
            Some((id, count, found)) => {
                let expected = count.unwrap_or(threads.into());
                let message =
                    format!("barrier {id} was reached by {found} threads, expected {expected}");
                Err(Trouble::fault(FaultKind::Divergence, site, message))
            }
        }
    }
}

fn u32s(sizes: [i64; 3]) -> Result<[u32; 3], std::num::TryFromIntError> {
    let [x, y, z] = sizes.map(u32::try_from);
    Ok([x?, y?, z?])
}
