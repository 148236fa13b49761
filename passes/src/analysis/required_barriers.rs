//! Barriers that the memory accesses of a kernel need.

use super::barrier::{Barrier, BarrierScope};
use super::unordered::{UnorderedAccess, UnorderedAccesses, order};
use crate::analysis::access::{
    Access, OpAccess, OpAccessKey, effects, is_atomic, op_accesses, target,
};
use crate::analysis::conflict::{Compared, ComparisonBudget, Conflict};
use crate::analysis::iterations;
use crate::analysis::kernel::WARP_SIZE;
use crate::analysis::threads::Threads;
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::Scope;
use tx_mlir::{AsyncStore, Blk, Failed, Op, blocks, is, name, operands, ops, walk};
use tx_target::{Operation, Role};

/// Returns the barriers that a kernel needs, and the redundant barriers of the input program.
pub(crate) fn required_barriers<'c>(
    threads: &Threads<'c>,
    func: Op<'c>,
) -> Result<(Vec<Barrier<'c>>, Vec<Op<'c>>), Failed> {
    let mut analysis = BarrierAnalysis {
        threads,
        barriers: Vec::new(),
        accesses: BTreeMap::new(),
        writes: Vec::new(),
        of_cluster: Vec::new(),
        starts: BTreeMap::new(),
        conflicts: BTreeMap::new(),
        partial_barriers: Vec::new(),
        ignored: None,
    };
    analysis.partial_barriers = walk(func)
        .into_iter()
        .filter(|op| {
            analysis.barrier_reach(*op) >= Some(BarrierScope::Block)
                && analysis.is_reached_by_some(*op)
        })
        .collect();
    let all = walk(func).into_iter().flat_map(op_accesses);
    for op_access in all {
        if op_access.of_cluster {
            analysis.of_cluster.push(op_access.clone());
        }
        if op_access.write {
            analysis.writes.push(op_access);
        }
    }
    analysis.kernel(func)?;
    let redundant = analysis.redundant(func);
    Ok((analysis.barriers, redundant))
}

/// Reason why the walk through a kernel ended early.
enum Stop {
    /// The walk inserted a barrier, so the unordered accesses must be computed again.
    Restart,
    /// The walk found that an ignored barrier is necessary.
    Needed,
    Failed(Failed),
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

/// State of a walk through a kernel. The walk finds pairs of conflicting accesses without a barrier
/// between the two accesses.
pub(super) struct BarrierAnalysis<'t, 'c> {
    pub(super) threads: &'t Threads<'c>,
    pub(super) barriers: Vec<Barrier<'c>>,
    accesses: BTreeMap<usize, Vec<Access<'c>>>,
    writes: Vec<OpAccess<'c>>,
    /// All accesses of the kernel to the shared memory of other blocks of the cluster.
    of_cluster: Vec<OpAccess<'c>>,
    /// Block-wide barriers of the input program that some threads of the block never reach.
    partial_barriers: Vec<Op<'c>>,
    /// Barriers of the input program that the walk ignores, to test whether they are redundant.
    ignored: Option<Vec<Op<'c>>>,
    /// Unordered accesses at the start of each loop body, as computed by the previous visit of the
    /// body.
    starts: BTreeMap<usize, UnorderedAccesses<'c>>,
    conflicts: BTreeMap<(OpAccessKey, OpAccessKey, IndexRelation), Conflict>,
}

/// Relation between the indices of two accesses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum IndexRelation {
    /// The indices refer to the same root memref. `One` lists loops by their keys: both accesses
    /// execute in the same iteration of each listed loop.
    One(Vec<usize>),
    /// The root memrefs of the indices are unknown, so the indices cannot be compared.
    Any,
}

/// Maximum number of thread pairs that the pass compares for one loop nest, in all iterations
/// together. If a loop nest has more thread pairs than `MAX_COMPARED_PAIRS`, the pass does not
/// compare the iterations of the loop nest separately.
const MAX_COMPARED_PAIRS: usize = 1 << 27;

/// Returns whether an `nvvm.barrier` orders all threads of the block. An `nvvm.barrier` orders all
/// threads if it has neither an operand for the barrier number nor an operand for the number of
/// threads.
fn is_of_the_block(op: Op<'_>) -> bool {
    let groups = tx_mlir::operand_groups(op).unwrap_or_default();
    groups.iter().take(2).all(Vec::is_empty)
}

fn key(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

impl<'c> BarrierAnalysis<'_, 'c> {
    /// Inserts all barriers that a kernel needs, one after the other.
    fn kernel(&mut self, func: Op<'c>) -> Result<(), Failed> {
        loop {
            match self.all(func) {
                Ok(_) => return Ok(()),
                Err(Stop::Restart | Stop::Needed) => {}
                Err(Stop::Failed(failed)) => return Err(failed),
            }
        }
    }

    fn all(&mut self, func: Op<'c>) -> Result<UnorderedAccesses<'c>, Stop> {
        self.starts.clear();
        self.regions(func, UnorderedAccesses::default())
    }

    /// Returns the barriers of the input program that are redundant, given all inserted barriers.
    fn redundant(&mut self, func: Op<'c>) -> Vec<Op<'c>> {
        let all = walk(func);
        let is_candidate =
            |op: &Op<'c>| is(*op, "gpu.barrier") && !self.partial_barriers.contains(op);
        let candidates: Vec<_> = all.iter().copied().filter(is_candidate).collect();
        let mut redundant = Vec::new();
        if candidates.is_empty() {
            return redundant;
        }
        // Atomics, fences, mbarrier objects and ops with unknown effects may depend on a barrier in
        // ways that the memory accesses of the block do not show.
        let plain = all.iter().all(|op| {
            let known = !blocks(*op).is_empty() || effects(*op).is_some();
            let orders = is_atomic(*op)
                || Operation::role_of(name(*op)) == Role::Fence
                || name(*op).starts_with("nvvm.mbarrier.");
            (known || self.barrier_reach(*op).is_some() || name(*op) == "gpu.return") && !orders
        });
        if !plain {
            return redundant;
        }
        for barrier in candidates {
            let mut ignored = redundant.clone();
            ignored.push(barrier);
            self.ignored = Some(ignored);
            if self.all(func).is_ok() {
                redundant.push(barrier);
            }
        }
        self.ignored = None;
        redundant
    }

    /// Visits the ops of a block, and returns the unordered accesses at the end of the block.
    fn block(
        &mut self,
        block: Blk<'c>,
        mut pending: UnorderedAccesses<'c>,
    ) -> Result<UnorderedAccesses<'c>, Stop> {
        for op in ops(block) {
            for barrier in self.barriers.iter().filter(|b| b.before == op) {
                pending = match barrier.reach {
                    BarrierScope::Block if barrier.warps.len() < self.all_warps() => {
                        order(pending, &barrier.warps)
                    }
                    reach => self.separate(pending, reach),
                };
            }
            pending = self.op(op, pending)?;
        }
        Ok(pending)
    }

    /// Returns the accesses that are still unordered after a barrier of the scope `reach`.
    fn separate(
        &self,
        mut pending: UnorderedAccesses<'c>,
        reach: BarrierScope,
    ) -> UnorderedAccesses<'c> {
        if reach == BarrierScope::Block {
            // A block-wide barrier does not order the accesses of other blocks.
            let is_of_cluster = |earlier: &UnorderedAccess<'c>| {
                self.of_cluster
                    .iter()
                    .any(|op_access| op_access.may_alias(&earlier.access.of_op))
            };
            pending.0.retain(is_of_cluster);
        }
        if reach == BarrierScope::Cluster {
            pending.0.clear();
        }
        for earlier in &mut pending.0 {
            earlier.separated = earlier.separated.max(Some(reach));
        }
        pending
    }

    /// Returns whether some threads of the block never reach an op.
    fn is_reached_by_some(&self, op: Op<'c>) -> bool {
        let groups = self.threads.active(op).threads.groups(WARP_SIZE);
        groups.len() < self.all_warps() || groups.iter().any(|(_, complete)| !complete)
    }

    pub(super) fn all_warps(&self) -> usize {
        usize::try_from((self.threads.kernel().threads + WARP_SIZE - 1) / WARP_SIZE).unwrap_or(1)
    }

    fn op(
        &mut self,
        op: Op<'c>,
        mut pending: UnorderedAccesses<'c>,
    ) -> Result<UnorderedAccesses<'c>, Stop> {
        if let Some(reach) = self.barrier_reach(op) {
            let ignored = self.ignored.as_ref().is_some_and(|all| all.contains(&op));
            let counts = !ignored && !self.partial_barriers.contains(&op);
            return Ok(if counts {
                self.separate(pending, reach)
            } else {
                pending
            });
        }
        if name(op) == "nvvm.mbarrier.try_wait" {
            pending
                .0
                .retain(|earlier| !completes(op, earlier.access.of_op.op));
        }
        if Operation::memory_of(name(op)) == tx_target::Memory::Ordered {
            // The pass does not model the ordering of this op.
            return Ok(pending);
        }
        if name(op) == "gpu.return"
            && let Some(earlier) = pending
                .0
                .iter()
                .find(|earlier| earlier.access.of_op.of_cluster)
        {
            if self.ignored.is_some() {
                return Err(Stop::Needed);
            }
            self.insert(&earlier.clone(), op, BarrierScope::Cluster)?;
            return Err(Stop::Restart);
        }
        for access in self.accesses(op) {
            pending = self.access(access, pending)?;
        }
        if blocks(op).is_empty() {
            Ok(pending)
        } else {
            self.regions(op, pending)
        }
    }

    /// Visits the regions of an op, and returns the unordered accesses at the end of the op.
    fn regions(
        &mut self,
        op: Op<'c>,
        pending: UnorderedAccesses<'c>,
    ) -> Result<UnorderedAccesses<'c>, Stop> {
        let all = blocks(op);
        match (name(op), all.as_slice()) {
            ("gpu.func" | "scf.execute_region", [body]) => self.block(*body, pending),
            (branch @ ("scf.if" | "scf.index_switch"), arms) => {
                // If an `scf.if` has no `else` region, threads with a false condition execute no
                // region.
                let passes_by = branch == "scf.if" && arms.len() < 2;
                let mut end = if passes_by {
                    pending.clone()
                } else {
                    UnorderedAccesses::default()
                };
                let side_by_side = self.threads.fact(operands(op)[0]).same < Scope::Cta;
                let mut start = pending;
                for arm in arms {
                    let done = self.block(*arm, start.clone())?;
                    if side_by_side {
                        // Threads of the block may execute different arms at the same time.
                        start.join(done.clone());
                    }
                    end.join(done);
                }
                Ok(end)
            }
            ("scf.while", [before, after]) => self.conditional(op, [*before, *after], pending),
            // The body of a loop may never execute. Blocks may execute in any order and any number
            // of times, so the unordered accesses at the end of a block are unordered at the start
            // of all blocks.
            _ => self.repeated(op, &all, pending),
        }
    }

    /// Visits the two blocks of an `scf.while` until the unordered accesses no longer change. The
    /// first block of an `scf.while` executes at least once, and the loop can end only after the
    /// first block.
    fn conditional(
        &mut self,
        op: Op<'c>,
        [before, after]: [Blk<'c>; 2],
        pending: UnorderedAccesses<'c>,
    ) -> Result<UnorderedAccesses<'c>, Stop> {
        let mut start = self.starts.remove(&key(op)).unwrap_or_default();
        start.join(pending);
        loop {
            let end = self.block(before, start.clone())?;
            let mut again = self.block(after, end.clone())?;
            again.start_iteration(op);
            if !start.join(again) {
                self.starts.insert(key(op), start);
                return Ok(end.left(op));
            }
        }
    }

    /// Visits the blocks of an op repeatedly, until the unordered accesses at the start of each
    /// block no longer change.
    ///
    /// If the start of a block has no new unordered accesses, the function does not visit the block
    /// again, because the results of the previous visit are still valid.
    fn repeated(
        &mut self,
        op: Op<'c>,
        all: &[Blk<'c>],
        pending: UnorderedAccesses<'c>,
    ) -> Result<UnorderedAccesses<'c>, Stop> {
        let known = self.starts.remove(&key(op));
        let mut is_new = known.is_none();
        let mut start = known.unwrap_or_default();
        is_new |= start.join(pending);
        while is_new {
            let mut ends = UnorderedAccesses::default();
            for block in all {
                ends.join(self.block(*block, start.clone())?);
            }
            ends.start_iteration(op);
            is_new = start.join(ends);
        }
        self.starts.insert(key(op), start.clone());
        Ok(start.left(op))
    }

    /// Returns the threads that an existing barrier orders.
    fn barrier_reach(&self, op: Op<'c>) -> Option<BarrierScope> {
        match name(op) {
            "gpu.barrier" | "nvvm.barrier0" => Some(BarrierScope::Block),
            "nvvm.barrier" if is_of_the_block(op) => Some(BarrierScope::Block),
            // A cluster barrier does not order the accesses between its arrive and its wait.
            "nvvm.cluster.wait" => tx_mlir::previous(op)
                .filter(|before| name(*before) == "nvvm.cluster.arrive")
                .map(|_| BarrierScope::Cluster),
            // The pass ignores a barrier whose mask may lack lanes.
            "nvvm.bar.warp.sync" => {
                let fact = self.threads.fact(operands(op)[0]);
                let all = (1i64 << self.threads.kernel().threads.min(WARP_SIZE)) - 1;
                let whole = fact
                    .exact()
                    .is_some_and(|m| m.iter().all(|m| m & all == all));
                whole.then_some(BarrierScope::Warp)
            }
            _ => None,
        }
    }

    /// Returns the accesses of an op to memory that the kernel writes. The function omits accesses
    /// to read-only memory: they need no barrier, and are the most frequent accesses and the
    /// slowest to analyse.
    fn accesses(&mut self, op: Op<'c>) -> Vec<Access<'c>> {
        let (threads, writes) = (self.threads, &self.writes);
        let is_ordered = |op_access: &OpAccess<'c>| {
            op_access.write || writes.iter().any(|write| write.may_alias(op_access))
        };
        let all = || {
            op_accesses(op)
                .into_iter()
                .filter(is_ordered)
                .map(|op_access| op_access.access(threads))
        };
        self.accesses
            .entry(key(op))
            .or_insert_with(|| all().collect())
            .clone()
    }

    fn access(
        &mut self,
        access: Access<'c>,
        mut pending: UnorderedAccesses<'c>,
    ) -> Result<UnorderedAccesses<'c>, Stop> {
        // The widest necessary barrier also resolves narrower conflicts.
        for reach in [
            BarrierScope::Cluster,
            BarrierScope::Block,
            BarrierScope::Warpgroup,
            BarrierScope::Warp,
        ] {
            let found = pending.0.iter().find(|earlier| {
                earlier.separated.is_none_or(|separated| separated < reach)
                    && earlier.access.of_op.may_alias(&access.of_op)
                    && !earlier.is_same_instance(&access)
                    && !earlier.is_ordered_before(&access)
                    && !earlier.has_same_owner(&access)
                    && self.reaches(reach, earlier, &access)
            });
            if let Some(earlier) = found.cloned() {
                if self.ignored.is_some() {
                    return Err(Stop::Needed);
                }
                self.insert(&earlier, access.of_op.op, reach)?;
                return Err(Stop::Restart);
            }
        }
        let earlier = UnorderedAccess {
            access,
            separated: None,
            ordered_in: BTreeSet::new(),
            crossed_loop: None,
        };
        pending.join(UnorderedAccesses(vec![earlier]));
        Ok(pending)
    }

    /// Returns whether two accesses need a barrier of the scope `reach`: the accesses conflict in a
    /// pair of threads that no barrier with a narrower scope orders.
    fn reaches(
        &mut self,
        reach: BarrierScope,
        earlier: &UnorderedAccess<'c>,
        later: &Access<'c>,
    ) -> bool {
        let (own, others) = (&earlier.access.of_op, &later.of_op);
        if reach == BarrierScope::Cluster {
            return own.of_cluster || others.of_cluster;
        }
        let loops = iterations::common(own.op, others.op, earlier.crossed_loop);
        let place = match own.has_same_root(others, earlier.crossed_loop) {
            true => IndexRelation::One(loops.iter().map(|op| key(*op)).collect()),
            false => IndexRelation::Any,
        };
        let pair = (own.key(), others.key(), place);
        if !self.conflicts.contains_key(&pair) {
            let any = match pair.2 {
                IndexRelation::One(_) => earlier.access.conflict(later),
                IndexRelation::Any => earlier.access.anywhere().conflict(&later.anywhere()),
            };
            if matches!(pair.2, IndexRelation::One(_)) && !loops.is_empty() && any.is_possible() {
                self.compare_iterations(&loops);
            }
            self.conflicts.entry(pair.clone()).or_insert(any);
        }
        let known = self.conflicts[&pair];
        match reach {
            BarrierScope::Cluster | BarrierScope::Block => known.between_warpgroups,
            BarrierScope::Warpgroup => known.between_warps,
            BarrierScope::Warp => known.within_warp,
        }
    }

    /// Compares all pairs of accesses inside the nested `loops`, separately for each iteration of
    /// the loop nest. The function compares all pairs in one call, so it analyses each iteration
    /// only once.
    fn compare_iterations(&mut self, loops: &[Op<'c>]) {
        let Some(innermost) = loops.last() else {
            return;
        };
        let is_in_body = |op: &Op<'c>| iterations::common(*op, *op, None).starts_with(loops);
        let within: Vec<Op<'c>> = walk(*innermost).into_iter().filter(is_in_body).collect();
        let accesses: Vec<Access<'c>> = within
            .into_iter()
            .flat_map(|op| self.accesses(op))
            .collect();
        let mut pairs = Vec::new();
        let compared: Vec<Compared<'_, 'c>> = accesses.iter().map(Compared::new).collect();
        for (i, (own, op_access)) in compared.iter().zip(&accesses).enumerate() {
            for (j, other) in accesses.iter().enumerate().skip(i) {
                let (own_access, others_access) = (&op_access.of_op, &other.of_op);
                if own_access.may_alias(others_access)
                    && own_access.has_same_root(others_access, None)
                {
                    let any = own.conflict(&compared[j], &mut ComparisonBudget::new(usize::MAX));
                    pairs.push((i, j, any, Conflict::default()));
                }
            }
        }
        pairs.retain(|(_, _, any, _)| any.is_possible());
        let mut budget = ComparisonBudget::new(MAX_COMPARED_PAIRS);
        for case in iterations::cases(self.threads, loops) {
            let here: Vec<Access<'c>> = accesses
                .iter()
                .map(|access| access.of_op.clone().access(&case))
                .collect();
            let here: Vec<Compared<'_, 'c>> = here.iter().map(Compared::new).collect();
            for (i, j, any, found) in pairs.iter_mut().filter(|(_, _, any, found)| any != found) {
                *found = found.or(here[*i].conflict(&here[*j], &mut budget));
                if budget.is_exhausted() {
                    *found = *any;
                }
            }
            if pairs.iter().all(|(_, _, any, found)| any == found) {
                break;
            }
        }
        let place = || IndexRelation::One(loops.iter().map(|op| key(*op)).collect());
        for (i, j, _, found) in pairs {
            let [one, other] = [i, j].map(|n: usize| accesses[n].of_op.key());
            self.conflicts
                .insert((one.clone(), other.clone(), place()), found);
            self.conflicts.insert((other, one, place()), found);
        }
    }
}

/// Returns whether an asynchronous store is complete after a wait at an mbarrier object: the store
/// must signal the mbarrier object of the wait.
fn completes<'c>(wait: Op<'c>, store: Op<'c>) -> bool {
    let waited = target(operands(wait)[0]);
    let signaled = AsyncStore::of(store).and_then(|store| target(store.barrier));
    waited.is_some() && waited == signaled
}
