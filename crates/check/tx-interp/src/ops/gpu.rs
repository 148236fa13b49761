//! Ops of `gpu`: thread indices, launches, barriers and shuffles.

use crate::build::{Build, scalars_of};
use crate::cluster::{Cta, WARP};
use crate::code::{Function, OpClosure};
use crate::machine::Exec;
use crate::memory::Launch;
use crate::ops::allocation::{private_or_common, shared};
use crate::ops::memref::memref;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Slot, Value, located};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_exec::happens_before::Knowledge;
use tx_mlir::gpu::{DYNAMIC_SHARED, LaunchOperands};
use tx_mlir::memref::Space;
use tx_mlir::{Op, Val, attribute, enumerator_of, name, operands, symbol_path};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op);
    if let Some(number) = thread_number(op) {
        let to = to[0];
        return Ok(Some(Box::new(move |exec| {
            per_thread(exec, to, |cta, lane| number.of(cta, lane))
        })));
    }
    Ok(Some(match name(op) {
        "gpu.barrier" => {
            let site = Site::of(op);
            Box::new(move |exec| arrive_all(exec, &site))
        }
        DYNAMIC_SHARED => super::memref::dynamic_shared(op, to[0]),
        // Printed text is not compared with other runs.
        "gpu.printf" => Box::new(|_| Ok(())),
        "gpu.shuffle" => {
            let (_, width) = scalars_of(op, operands(op)[0])?;
            let mode = enumerator_of(op, "mode").unwrap_or_default();
            let mode = Mode::parse(mode)
                .ok_or_else(|| Trouble::unsupported(op, format!("of mode {mode}")))?;
            let site = Site::of(op);
            Box::new(move |exec| {
                check_whole_warps(exec, &site)?;
                let ask = |exec: &Exec<'_>, lane: u32| {
                    let width = exec.int(slots[2], lane) as u32;
                    let at = lane % WARP;
                    // For `up`, the clamp is the lowest source lane instead of the highest.
                    let clamp = if matches!(mode, Mode::Up) {
                        0
                    } else {
                        WARP - 1
                    };
                    let source = mode.source(at, exec.int(slots[1], lane) as u32, 0, clamp);
                    let inside = at < width && source.1 && source.0 < width;
                    (if inside { source.0 } else { at }, inside)
                };
                shuffle(exec, slots[0], width, &to, None, ask, &site)
            })
        }
        "gpu.launch_func" => launch(op, build)?,
        "gpu.wait" => Box::new(|_| Ok(())),
        _ => return Ok(None),
    }))
}

/// An index or size that a thread can query.
#[derive(Clone, Copy)]
pub(crate) enum Number {
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

impl Number {
    fn of(self, cta: &Cta, lane: u32) -> u32 {
        let [x, y, _] = cta.block;
        let (rank, thread) = cta.place(lane);
        match self {
            Self::Thread(0) => thread % x,
            Self::Thread(1) => thread / x % y,
            Self::Thread(_) => thread / (x * y),
            Self::Block(d) => cta.block_of(rank)[d],
            Self::BlockSize(d) => cta.block[d],
            Self::GridSize(d) => cta.grid[d],
            Self::Lane => thread % WARP,
            Self::Warp => thread / WARP,
            Self::Warps => cta.threads().div_ceil(WARP),
            Self::WarpSize => WARP,
            Self::Place(d) => cta.block_of(rank)[d] - cta.index[d],
            Self::Rank => rank,
            Self::ClusterSize(d) => cta.cluster[d],
            Self::ClusterBlocks => cta.blocks(),
            Self::Cluster(d) => cta.index[d] / cta.cluster[d],
            Self::Clusters(d) => cta.grid[d] / cta.cluster[d],
        }
    }
}

fn thread_number(op: Op<'_>) -> Option<Number> {
    let dimension = || {
        let axis = tx_mlir::enumerator_of(op, "dimension")?;
        ["x", "y", "z"].iter().position(|known| *known == axis)
    };
    Some(match name(op) {
        "gpu.thread_id" => Number::Thread(dimension()?),
        "gpu.block_id" => Number::Block(dimension()?),
        "gpu.block_dim" => Number::BlockSize(dimension()?),
        "gpu.grid_dim" => Number::GridSize(dimension()?),
        "gpu.lane_id" => Number::Lane,
        "gpu.subgroup_id" => Number::Warp,
        "gpu.num_subgroups" => Number::Warps,
        "gpu.subgroup_size" => Number::WarpSize,
        "gpu.cluster_block_id" => Number::Place(dimension()?),
        "gpu.cluster_dim_blocks" => Number::ClusterSize(dimension()?),
        "gpu.cluster_id" => Number::Cluster(dimension()?),
        "gpu.cluster_dim" => Number::Clusters(dimension()?),
        _ => return None,
    })
}

/// Computes and stores one number per thread.
pub(crate) fn per_thread(
    exec: &mut Exec<'_>,
    to: Slot,
    f: impl Fn(&Cta, u32) -> u32,
) -> Result<(), Trouble> {
    let mut out = Lanes::new(1, exec.lanes);
    if let Some(cta) = &exec.cta {
        for lane in 0..exec.lanes as u32 {
            out.set(lane as usize, 0, u64::from(f(cta, lane)), None);
        }
        // A uniform number is stored once, so that its users are computed once.
        if out.bits.iter().all(|n| *n == out.bits[0]) {
            out = Lanes::one(out.bits[0]);
        }
    }
    exec.slots[to] = Value::Numbers(out);
    Ok(())
}

pub(crate) fn as_thread_number<'c>(to: Slot, number: Number) -> OpClosure<'c> {
    Box::new(move |exec| per_thread(exec, to, |cta, lane| number.of(cta, lane)))
}

/// Records that all active lanes arrive at the barrier of their block.
pub(crate) fn arrive_all(exec: &mut Exec<'_>, site: &Site) -> Result<(), Trouble> {
    let active = exec.active.clone();
    for threads in blocks(exec, &active) {
        arrive(exec, 0, None, &threads, site)?;
    }
    Ok(())
}

/// Splits a list of ascending lanes into one list per block.
pub(crate) fn blocks(exec: &Exec<'_>, lanes: &[u32]) -> Vec<Vec<u32>> {
    let rank = |lane: u32| exec.cta.as_ref().map_or(0, |cta| cta.place(lane).0);
    let runs = lanes.chunk_by(|a, b| rank(*a) == rank(*b));
    runs.map(<[u32]>::to_vec).collect()
}

/// Records that some threads of one block arrive at a barrier. `count` is the number of threads
/// that the barrier expects; `None` stands for all threads of the block.
pub(crate) fn arrive(
    exec: &mut Exec<'_>,
    id: u64,
    count: Option<u64>,
    threads: &[u32],
    site: &Site,
) -> Result<(), Trouble> {
    let (Some(cta), Some(&first)) = (&mut exec.cta, threads.first()) else {
        return Err(Trouble::fault(
            FaultKind::Divergence,
            site,
            "a barrier outside a kernel",
        ));
    };
    let everyone = u64::from(cta.threads());
    let needed = count.unwrap_or(everyone);
    let key = (cta.place(first).0, id);
    let arrivals = cta.arrivals.entry(key).or_insert((count, Vec::new()));
    let earlier = arrivals.1.len();
    arrivals.1.extend(threads);
    if (arrivals.1.len() as u64) < needed.min(everyone) {
        return Ok(());
    }
    let (_, members) = cta.arrivals.remove(&key).unwrap_or_default();
    if earlier > 0 || members.len() as u64 > needed.max(everyone) {
        // In lockstep execution, the threads of an earlier arrival have already passed the barrier.
        return Err(Trouble::Unsupported {
            site: site.clone(),
            what: "reached by threads of one barrier in several places".to_owned(),
        });
    }
    let is_alone = cta.blocks() == 1;
    let clocks = &mut exec.world.clocks;
    if members.len() as u64 == everyone && is_alone {
        clocks.join_all();
    } else {
        let members: Vec<usize> = members.iter().map(|m| *m as usize).collect();
        clocks.meet(&members, &mut Knowledge::default());
    }
    Ok(())
}

/// Returns an error if not all threads of the cluster are active.
fn check_whole_cluster(exec: &Exec<'_>, site: &Site) -> Result<(), Trouble> {
    let Some(cta) = &exec.cta else {
        let message = "a barrier outside a kernel";
        return Err(Trouble::fault(FaultKind::Divergence, site, message));
    };
    let (found, expected) = (exec.active.len() as u64, cta.all().len() as u64);
    if found == expected {
        return Ok(());
    }
    let message = format!("{found} threads reach a barrier of the cluster, expected {expected}");
    Err(Trouble::fault(FaultKind::Divergence, site, message))
}

/// Records that all threads of the cluster arrive at the cluster barrier. If `relaxed` is not set,
/// the arrival releases all previous accesses.
pub(crate) fn arrive_in_cluster(
    exec: &mut Exec<'_>,
    relaxed: bool,
    site: &Site,
) -> Result<(), Trouble> {
    check_whole_cluster(exec, site)?;
    let mut known = Knowledge::default();
    if !relaxed {
        for &lane in exec.active.iter() {
            exec.world.clocks.give(lane as usize, &mut known);
        }
    }
    let arrival = exec.cta.as_mut().map(|cta| &mut cta.cluster_arrival);
    match arrival {
        Some(arrival @ None) => *arrival = Some(Rc::new(known)),
        _ => {
            let message = "threads arrive twice at a barrier of the cluster, without waiting";
            return Err(Trouble::fault(FaultKind::Divergence, site, message));
        }
    }
    Ok(())
}

/// Completes the wait of all threads of the cluster at the cluster barrier. `at_once` is set if the
/// wait directly follows an arrival that was not relaxed.
pub(crate) fn wait_in_cluster(
    exec: &mut Exec<'_>,
    at_once: bool,
    site: &Site,
) -> Result<(), Trouble> {
    check_whole_cluster(exec, site)?;
    let arrival = exec.cta.as_mut().and_then(|cta| cta.cluster_arrival.take());
    let Some(arrival) = arrival else {
        let message = "threads wait at a barrier of the cluster at which they have not arrived";
        return Err(Trouble::fault(FaultKind::Divergence, site, message));
    };
    let clocks = &mut exec.world.clocks;
    if at_once {
        clocks.join_all();
        return Ok(());
    }
    for &lane in exec.active.iter() {
        clocks.take(lane as usize, &arrival);
    }
    Ok(())
}

/// The rule that selects the source lane of a shuffle.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Xor,
    Up,
    Down,
    Index,
}

impl Mode {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "xor" | "bfly" => Self::Xor,
            "up" => Self::Up,
            "down" => Self::Down,
            "idx" => Self::Index,
            _ => return None,
        })
    }

    /// Returns the source lane of a `shfl`, and whether the source lane is in the segment of
    /// `lane`. `segment` and `clamp` are the two fields of operand c of `shfl`.
    pub(crate) fn source(self, lane: u32, by: u32, segment: u32, clamp: u32) -> (u32, bool) {
        let by = by % WARP;
        let most = (lane & segment) | (clamp & !segment);
        let least = lane & segment;
        match self {
            Self::Up => match lane.checked_sub(by) {
                Some(source) if source >= most => (source, true),
                _ => (lane, false),
            },
            Self::Down => {
                let source = lane + by;
                if source <= most {
                    (source, true)
                } else {
                    (lane, false)
                }
            }
            Self::Xor => {
                let source = lane ^ by;
                if source <= most {
                    (source, true)
                } else {
                    (lane, false)
                }
            }
            Self::Index => {
                let source = least | (by & !segment);
                if source <= most {
                    (source, true)
                } else {
                    (lane, false)
                }
            }
        }
    }
}

/// Shuffles values within warps. For each lane, the callback `ask` returns the source lane in the
/// warp, and whether the source lane is in range. `mask` is the member mask.
pub(crate) fn shuffle(
    exec: &mut Exec<'_>,
    from: Slot,
    width: usize,
    to: &[Slot],
    mask: Option<Slot>,
    ask: impl Fn(&Exec<'_>, u32) -> (u32, bool),
    site: &Site,
) -> Result<(), Trouble> {
    let mut values = Lanes::new(width, exec.lanes);
    let mut valid = Lanes::new(1, exec.lanes);
    let active = exec.active.clone();
    for &lane in active.iter() {
        let first = lane / WARP * WARP;
        if let Some(mask) = mask {
            check_members(exec, mask, lane, site)?;
        }
        let (source, inside) = ask(exec, lane);
        let source = first + source;
        let named = mask.is_none_or(|mask| exec.int(mask, lane) >> (source % WARP) & 1 == 1);
        if inside && (active.binary_search(&source).is_err() || !named) {
            let message = format!(
                "lane {} reads lane {}, which does not take part",
                lane % WARP,
                source % WARP
            );
            return Err(
                exec.with_thread(Trouble::fault(FaultKind::InactiveLane, site, message), lane)
            );
        }
        let numbers = exec.numbers(from);
        for i in 0..width {
            let source = source as usize;
            values.set(
                lane as usize,
                i,
                numbers.get(source, i),
                numbers.bound(source, i),
            );
        }
        valid.set(lane as usize, 0, u64::from(inside), None);
    }
    exec.slots[to[0]] = Value::Numbers(values);
    if let Some(to) = to.get(1) {
        exec.slots[*to] = Value::Numbers(valid);
    }
    Ok(())
}

/// Returns an error if a lane of a participating warp is inactive.
fn check_whole_warps(exec: &Exec<'_>, site: &Site) -> Result<(), Trouble> {
    for warp in exec.active.chunk_by(|a, b| a / WARP == b / WARP) {
        let lane = warp[0];
        let first = lane / WARP * WARP;
        let absent =
            (first..first + WARP).find(|l| exec.has_lane(*l) && warp.binary_search(l).is_err());
        if let Some(absent) = absent {
            let message = format!(
                "lane {} of the warp does not take part, and lane {} does",
                absent % WARP,
                lane % WARP
            );
            let fault = Trouble::fault(FaultKind::InactiveLane, site, message);
            return Err(exec.with_thread(fault, lane));
        }
    }
    Ok(())
}

/// Returns an error if a member mask excludes its caller or includes an inactive lane of the block.
pub(crate) fn check_members(
    exec: &Exec<'_>,
    mask: Slot,
    lane: u32,
    site: &Site,
) -> Result<(), Trouble> {
    let members = exec.int(mask, lane) as u32;
    let first = lane / WARP * WARP;
    let fault = |message: String| {
        Err(exec.with_thread(Trouble::fault(FaultKind::InactiveLane, site, message), lane))
    };
    if members >> (lane % WARP) & 1 == 0 {
        return fault(format!(
            "the member mask {members:#x} leaves out lane {}",
            lane % WARP
        ));
    }
    let from = exec.active.partition_point(|&thread| thread < first);
    let mut absent = members;
    for thread in exec.active[from..]
        .iter()
        .take_while(|&&thread| thread < first + WARP)
    {
        absent &= !(1 << (thread - first));
    }
    for other in (0..WARP).filter(|other| absent >> other & 1 == 1) {
        if exec.has_lane(first + other) {
            return fault(format!(
                "lane {other} of the member mask {members:#x} does not take part"
            ));
        }
    }
    Ok(())
}

fn launch<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let kernel = attribute(op, "kernel")
        .and_then(symbol_path)
        .and_then(|path| build.program.lookup_symbol(op, &path))
        .ok_or_else(|| Trouble::unsupported(op, "of a kernel that is not there"))?;
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
    /// Dimensions of the grid over which the kernel executes a grid-stride loop. A grid-stride loop
    /// is correct for any grid size.
    strided: [bool; 3],
}

/// Returns whether the only uses of the block index along a dimension are lower bounds of
/// grid-stride loops.
fn is_strided(kernel: Op<'_>, d: usize) -> bool {
    let all = tx_mlir::walk(kernel);
    let is_number = |value, wanted: fn(Number) -> Option<usize>| {
        tx_mlir::defining_op(value)
            .and_then(thread_number)
            .and_then(wanted)
            == Some(d)
    };
    let block = |number| match number {
        Number::Block(d) | Number::Cluster(d) => Some(d),
        _ => None,
    };
    let grid = |number| match number {
        Number::GridSize(d) | Number::Clusters(d) => Some(d),
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

    /// Runs all clusters one after the other. The blocks of one cluster run together.
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
            let message = format!("a {what} of {found:?}");
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
        let cta = Cta {
            grid,
            block,
            index: [0; 3],
            cluster,
            dynamic_shared,
            variables: BTreeMap::new(),
            shares: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            cluster_arrival: None,
            mbarriers: BTreeMap::new(),
        };
        exec.world.memory.launch = Some(Launch {
            cta: cta.clone(),
            clusters,
            before: exec.world.blocks,
        });
        for number in 0..clusters.iter().product::<u64>() {
            self.cluster(exec, cta.nth(number, clusters), &arguments, site)?;
        }
        exec.world.memory.order_everything();
        Ok(())
    }

    fn cluster(
        &self,
        exec: &mut Exec<'_>,
        cta: Cta,
        arguments: &[Value],
        site: &Site,
    ) -> Result<(), Trouble> {
        let (threads, lanes) = (cta.threads(), (cta.blocks() * cta.pitch()) as usize);
        let world = &mut *exec.world;
        world.clocks.start_block(world.blocks, lanes);
        world.blocks = world.blocks.wrapping_add(1);
        let buffers = world.memory.buffers.len();
        let mut inner = Exec {
            world,
            slots: vec![Value::Nothing; self.function.slots],
            lanes,
            active: cta.all().into(),
            cta: Some(cta),
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
        let waiting = inner.cta.as_ref().and_then(|cta| {
            cta.arrivals
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

/// Maps a shared memory address to the address with the equal offset in the block of rank `rank`.
pub(crate) fn mapped(
    exec: &Exec<'_>,
    address: i64,
    rank: i64,
    site: &Site,
) -> Result<i64, Trouble> {
    let (buffer, offset) = located(address);
    let cta = exec.cta.as_ref();
    let share = cta.and_then(|cta| cta.shares.get(&buffer).copied());
    let blocks = cta.map_or(0, |cta| i64::from(cta.blocks()));
    match share.filter(|share| *share > 0) {
        Some(share) if (0..blocks).contains(&rank) => {
            Ok(address - offset + rank * share + offset % share)
        }
        Some(_) => {
            let message = format!("block {rank} of a cluster of {blocks}");
            Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
        }
        None => {
            let message = "an address outside of shared memory is looked for in another block";
            Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
        }
    }
}

fn u32s(sizes: [i64; 3]) -> Result<[u32; 3], std::num::TryFromIntError> {
    let [x, y, z] = sizes.map(u32::try_from);
    Ok([x?, y?, z?])
}
