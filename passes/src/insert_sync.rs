use crate::analysis::access::effects;
use crate::analysis::barrier::{Barrier, BarrierScope};
use crate::analysis::kernel::{Kernel, WARP_SIZE, WARPGROUP, is_kernel, members};
use crate::analysis::required_barriers::required_barriers;
use crate::analysis::threads::Threads;
use crate::emit::OWNED;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Index, Op, attribute, blocks, codes, context, erase, error, name, operands,
    set_attribute, walk,
};

pass! {
    /// Insert barriers between conflicting accesses of different threads, and remove redundant
    /// barriers.
    ///
    /// ## What it does
    /// The pass visits the ops of each kernel in program order. For each op, the pass determines
    /// which preceding accesses to shared and global memory no barrier separates from the op. The
    /// pass inserts a barrier between two accesses if different threads may access the same
    /// element, and at least one of the two accesses is a write. The barrier is in the innermost
    /// MLIR block that contains both conflicting accesses. For each loop, the pass compares the
    /// accesses of each iteration with the accesses of the next iteration. The barrier for a
    /// conflict between iterations is in the body of the loop.
    ///
    /// The accesses of an op are its MLIR memory effects. The pass computes the accessed elements
    /// from the indices of each access. If the pass proves that no two threads access the same
    /// element, it inserts no barrier. If the trip count of a loop is known, the pass computes the
    /// accessed elements separately for each iteration. For example, in a loop over `d` with the
    /// body `S[t] += S[t + d]` for `t < d`, no thread writes an element that another thread
    /// accesses in the same iteration. In a grid-stride loop, the loop indices of two threads have
    /// different residues modulo the stride, so the two threads access different elements.
    ///
    /// The pass inserts the narrowest barrier that orders the accesses:
    ///
    /// * For a conflict between lanes of one warp, the barrier is `nvvm.bar.warp.sync`.
    /// * For a conflict between warps of one warpgroup, the barrier is a named barrier of this
    ///   warpgroup.
    /// * For any other conflict in a block, the barrier is `gpu.barrier` if all threads of the
    ///   block reach the barrier. If only some warps of the block reach the barrier, the barrier is
    ///   a named barrier of these warps.
    /// * For an access to the shared memory of another block (`!llvm.ptr<7>`), the barrier is a
    ///   cluster barrier: `nvvm.cluster.arrive` and `nvvm.cluster.wait`. A cluster barrier
    ///   separates each access to the shared memory of another block from the end of the kernel,
    ///   because the shared memory of a block is released when the block exits.
    ///
    /// The pass assigns the lowest free ids from 1 to 15 to named barriers (`nvvm.barrier`, in PTX
    /// `bar.sync ID, COUNT`). Id 0 is reserved for the block-wide barrier. The pass does not assign
    /// barrier ids that the input program already uses. Two warpgroups, or two different sets of
    /// warps, never share a barrier id.
    ///
    /// After a wait at an mbarrier object (`nvvm.mbarrier.try_wait`), the asynchronous stores that
    /// signal this object are complete, so later accesses need no barrier against these stores.
    ///
    /// The pass does not insert a barrier if an existing barrier already orders the conflicting
    /// accesses. The pass removes a redundant `gpu.barrier`, unless the kernel has atomics, fences,
    /// mbarrier objects or ops with unknown effects. The pass neither relies on nor removes a
    /// `gpu.barrier` that some threads of the block never reach, because it is unknown which
    /// threads this barrier orders.
    ///
    /// The pass assumes that distinct memref arguments of a kernel do not overlap.
    ///
    /// The pass sets the attribute `synchronized` of each kernel, and does not change a kernel that
    /// has this attribute. A second run would insert unnecessary barriers, because the first run
    /// removes the attribute `tile.owned`, which proves that some barriers are unnecessary.
    ///
    /// ## Before
    /// ```mlir
    /// memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    /// %y = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// memref.store %x, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    /// gpu.barrier
    /// %y = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    /// ```
    ///
    /// ## Fails when
    /// The pass fails if a barrier is necessary inside a branch that only some lanes of a warp
    /// take, or inside a branch that an unknown set of warps takes. The pass fails if a cluster
    /// barrier is necessary inside a branch, unless all threads of the cluster provably take the
    /// branch. The pass fails if threads in different arms of a branch access the same element, and
    /// at least one access is a write. The pass fails if a kernel needs more ids for named barriers
    /// than are free.
    pub struct InsertSync as "tile-insert-sync" creates [arith, gpu, nvvm] {
    } counts {
        /// barriers of the cluster
        cluster_barriers,
        /// barriers of the whole block
        cta_barriers,
        /// barriers of some warps of the block
        named_barriers,
        /// barriers of single warps
        warp_barriers,
        /// barriers of the program that nothing needs
        removed,
    }
}

/// Name of the unit attribute of kernels in which this pass has inserted all barriers.
pub(crate) const SYNCHRONIZED: &str = "synchronized";

impl Pass for InsertSync {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut plans = Vec::new();
        for func in walk(module) {
            let is_done = attribute(func, SYNCHRONIZED).is_some();
            if is_done || !is_kernel(func) || blocks(func).is_empty() || !has_shared_accesses(func)
            {
                continue;
            }
            let threads = Threads::new(Kernel::of(func, func)?);
            let (barriers, redundant) = required_barriers(&threads, func)?;
            let plan = number(&threads, barriers)?;
            plans.push((threads.kernel(), plan, redundant));
        }
        for (kernel, barriers, redundant) in plans {
            for barrier in barriers {
                insert(kernel, &barrier, counts);
            }
            for barrier in redundant {
                erase(barrier);
                counts.add("removed", 1);
            }
            for op in walk(kernel.op) {
                tx_mlir::remove_attribute(op, OWNED);
            }
            set_attribute(kernel.op, SYNCHRONIZED, Attribute::unit(context(kernel.op)));
        }
        Ok(())
    }
}

/// Returns whether a function accesses memory that threads share. Only functions with accesses to
/// shared or global memory need a known block size.
fn has_shared_accesses(func: Op<'_>) -> bool {
    walk(func).into_iter().any(|op| {
        let Some(effects) = effects(op) else {
            // The nested ops of an op with regions report their own effects.
            return blocks(op).is_empty();
        };
        effects.iter().any(|e| {
            e.value
                .and_then(tx_mlir::MemRef::of)
                .is_some_and(|m| m.space != tx_mlir::memref::Space::Private)
        })
    })
}

/// Assigns a separate barrier id to each warpgroup and to each set of warps. The function assigns
/// neither id 0, which is reserved for the block-wide barrier, nor an id that the program already
/// uses.
fn number<'c>(
    threads: &Threads<'c>,
    mut barriers: Vec<Barrier<'c>>,
) -> Result<Vec<Barrier<'c>>, Failed> {
    let all = usize::try_from((threads.kernel().threads + WARP_SIZE - 1) / WARP_SIZE).unwrap_or(0);
    let groups = threads.kernel().threads / WARPGROUP;
    let mut free: BTreeSet<i64> = (1..i64::from(tx_target::NAMED_BARRIERS)).collect();
    for op in walk(threads.kernel().op)
        .into_iter()
        .filter(|op| name(*op) == "nvvm.barrier")
    {
        let Some(number) = operands(op).first().copied() else {
            continue;
        };
        match threads.fact(number).ranges {
            Some(ranges) => free.retain(|n| !ranges.iter().any(|r| (r.0..=r.1).contains(n))),
            None => free.clear(),
        }
    }
    let mut numbers: BTreeMap<Vec<i64>, i64> = BTreeMap::new();
    for barrier in &mut barriers {
        // For barriers per warpgroup, `number` is the barrier number of the first warpgroup.
        let (set, needed) = match barrier.reach {
            BarrierScope::Block if barrier.warps.len() < all => (barrier.warps.clone(), 1),
            BarrierScope::Warpgroup => (Vec::new(), groups),
            _ => continue,
        };
        let number = match numbers.get(&set) {
            Some(known) => *known,
            None => {
                let found = free
                    .iter()
                    .copied()
                    .find(|n| (0..needed).all(|g| free.contains(&(n + g))));
                let first = found.ok_or_else(|| {
                    let most = tx_target::NAMED_BARRIERS - 1;
                    error(
                        barrier.before.location(),
                        format!("this kernel needs more than {most} named barriers"),
                    )
                    .code(codes::TX0118)
                    .note("use fewer different sets of warps that synchronize separately")
                    .emit()
                })?;
                free.retain(|n| !(first..first + needed).contains(n));
                numbers.insert(set, first);
                first
            }
        };
        barrier.number = number;
    }
    Ok(barriers)
}

fn insert<'c>(kernel: Kernel<'c>, barrier: &Barrier<'c>, counts: &mut Counts<'_>) {
    let b = Builder::before(barrier.before);
    if barrier.reach == BarrierScope::Cluster {
        for half in ["nvvm.cluster.arrive", "nvvm.cluster.wait"] {
            b.create(half).unit("aligned").build();
        }
        counts.add("cluster_barriers", 1);
    } else if barrier.reach == BarrierScope::Warp {
        let mask = members(&b, &kernel);
        b.create("nvvm.bar.warp.sync").operands(&[mask]).build();
        counts.add("warp_barriers", 1);
    } else if barrier.number == 0 {
        b.create("gpu.barrier").build();
        counts.add("cta_barriers", 1);
    } else {
        let i32 = b.int_type(32);
        let (number, count) = if barrier.reach == BarrierScope::Warpgroup {
            let group = b.div(kernel.thread(&b), Index::Const(WARPGROUP));
            let number = b.add(group, Index::Const(barrier.number));
            (b.index_cast(b.value(number), i32), WARPGROUP)
        } else {
            // The hardware counts all 32 lanes of each warp at a barrier, even if the last warp is
            // partial.
            let warps = i64::try_from(barrier.warps.len()).unwrap_or(0);
            (b.int(barrier.number, i32), warps * WARP_SIZE)
        };
        b.create("nvvm.barrier")
            .segments(&[1, 1, 0])
            .operands(&[number, b.int(count, i32)])
            .build();
        counts.add("named_barriers", 1);
    }
}
