use crate::analysis::access::{
    Access, Compared, Conflict, Steps, Touch, TouchKey, effects, is_atomic, target, touches,
};
use crate::analysis::iterations;
use crate::analysis::kernel::{Kernel, WARP_SIZE, WARPGROUP, is_kernel, members};
use crate::analysis::threads::{Split, Threads};
use crate::emit::OWNED;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::Scope;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    AsyncStore, Blk, Builder, Failed, Index, Op, ancestors, attribute, blocks, codes, context,
    erase, error, is, name, operands, ops, set_attribute, walk,
};
use tx_target::{Operation, Role};

pass! {
    /// Insert the barriers that program order needs, and no others.
    ///
    /// ## What it does
    /// The pass visits the ops of each kernel in program order, and records the accesses to shared
    /// and global memory that no barrier separates from the current op. If two threads may access
    /// one element, and one of the accesses writes, the pass inserts a barrier before the later
    /// access, in the innermost block that contains both accesses. The pass also compares each
    /// iteration of a loop with the next iteration. The barrier for a conflict between iterations
    /// is in the body of the loop.
    ///
    /// The accesses of an op are its MLIR memory effects. The accessed elements follow from the
    /// indices: threads that access only their own elements need no barrier. If the trip count of a
    /// loop is known, the pass compares the accesses of each iteration separately. For example, in
    /// each iteration of `S[t] += S[t + d]` for `t < d`, no thread writes an element that another
    /// thread accesses. Threads of a grid-stride loop never access the same element, because their
    /// indices have different residues modulo the stride.
    ///
    /// The pass inserts the narrowest barrier that orders the accesses:
    ///
    /// * For a conflict between lanes of one warp, the barrier is `nvvm.bar.warp.sync`.
    /// * For a conflict between warps of one warpgroup, each warpgroup has a named barrier.
    /// * For any other conflict in a block, the barrier is `gpu.barrier` if all threads of the block
    ///   reach it. Otherwise, the barrier is a named barrier of the warps that reach it.
    /// * For an access to the shared memory of another block (`!llvm.ptr<7>`), the barrier is a
    ///   cluster barrier: `nvvm.cluster.arrive` and `nvvm.cluster.wait`. A cluster barrier also
    ///   separates this access from the end of the kernel, because the shared memory of a block is
    ///   released when the block exits.
    ///
    /// Named barriers (`nvvm.barrier`, in PTX `bar.sync ID, COUNT`) get the lowest free ids from 1
    /// to 15; id 0 is the barrier of the block. Ids that the program uses are not free. Each set of
    /// warps has a separate id, and each warpgroup has a separate id.
    ///
    /// A wait at an mbarrier object (`nvvm.mbarrier.try_wait`) orders the asynchronous stores that
    /// signal the object before all accesses after the wait.
    ///
    /// The pass does not insert a barrier if an existing barrier already orders two accesses. It
    /// removes a redundant `gpu.barrier`, unless the kernel has atomics, fences, mbarrier objects
    /// or ops with unknown effects. If some threads of the block never reach a `gpu.barrier`, the
    /// pass neither relies on this barrier nor removes it, because it is unknown which threads the
    /// barrier orders.
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
    /// The pass fails if a barrier is needed under a branch that splits a warp, or under a branch
    /// that an unknown set of warps takes. The pass fails if a cluster barrier is needed under a
    /// branch that may split the cluster. The pass fails if threads in different arms of a branch
    /// access the same element. The pass also fails if a kernel needs more ids for named barriers
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

/// Marks a kernel in which this pass has inserted all barriers.
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
            let mut walker = Walker {
                threads: &threads,
                barriers: Vec::new(),
                accesses: BTreeMap::new(),
                writes: Vec::new(),
                of_cluster: Vec::new(),
                starts: BTreeMap::new(),
                conflicts: BTreeMap::new(),
                for_some: Vec::new(),
                ignored: None,
            };
            walker.for_some = walk(func)
                .into_iter()
                .filter(|op| {
                    walker.barrier_reach(*op) >= Some(Reach::Block) && walker.is_for_some(*op)
                })
                .collect();
            let all = walk(func).into_iter().flat_map(touches);
            for touch in all {
                if touch.of_cluster {
                    walker.of_cluster.push(touch.clone());
                }
                if touch.write {
                    walker.writes.push(touch);
                }
            }
            walker.kernel(func)?;
            let redundant = walker.redundant(func);
            let plan = number(&threads, walker.barriers)?;
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

/// Returns whether a function accesses memory that threads share; other functions need no known
/// block size.
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

/// Unordered accesses: no barrier separates them from the current op.
#[derive(Default, Clone)]
struct Pending<'c>(Vec<Earlier<'c>>);

/// An access before the current op.
#[derive(Clone)]
struct Earlier<'c> {
    access: Access<'c>,
    /// Widest barrier since the access. The barrier orders the access before later accesses of the
    /// same warp, warpgroup, block or cluster.
    separated: Option<Reach>,
    /// Warps whose later accesses are ordered after this access by a named barrier.
    ordered_in: BTreeSet<i64>,
    /// Outermost loop around the access that has started a new iteration since the access. The new
    /// iteration of this loop enters all inner loops again.
    round: Option<Op<'c>>,
}

/// Threads that a barrier must order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Warp,
    /// Warps of one warpgroup; each warpgroup has a separate barrier.
    Warpgroup,
    Block,
    Cluster,
}

impl Reach {
    /// Returns the reach of the barrier if only one warp of the block reaches the barrier.
    fn of_one_warp(self) -> Self {
        match self {
            Self::Cluster => Self::Cluster,
            _ => Self::Warp,
        }
    }
}

struct Barrier<'c> {
    before: Op<'c>,
    reach: Reach,
    /// Warps that reach the barrier, for a named barrier.
    warps: Vec<i64>,
    number: i64,
}

/// Reason for which the walk through a kernel ended early.
enum Stop {
    /// The walk inserted a barrier, so the unordered accesses must be computed again.
    Restart,
    /// One of the barriers that the walk ignored is necessary.
    Needed,
    Failed(Failed),
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

struct Walker<'t, 'c> {
    threads: &'t Threads<'c>,
    barriers: Vec<Barrier<'c>>,
    accesses: BTreeMap<usize, Vec<Access<'c>>>,
    writes: Vec<Touch<'c>>,
    /// All accesses in the kernel to the shared memory of other blocks of the cluster.
    of_cluster: Vec<Touch<'c>>,
    /// Block-wide barriers of the input program that some threads of the block never reach.
    for_some: Vec<Op<'c>>,
    /// Barriers of the input program that the walk ignores, to test whether they are redundant. The
    /// walk tests whether these barriers are redundant.
    ignored: Option<Vec<Op<'c>>>,
    /// Unordered accesses at the start of the body of each loop, from the previous walk through the
    /// body.
    starts: BTreeMap<usize, Pending<'c>>,
    conflicts: BTreeMap<(TouchKey, TouchKey, IndexRelation), Conflict>,
}

/// Relation between the indices of two accesses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum IndexRelation {
    /// The indices are relative to the same root memref, in one iteration of these loops.
    One(Vec<usize>),
    /// The roots of the indices are unknown, so the indices cannot be compared.
    Any,
}

/// Maximum number of compared pairs of threads for the loops of one nest, over all iterations
/// together. If more pairs are necessary, the pass does not compare each iteration separately.
const MOST_STEPS: usize = 1 << 27;

/// Returns whether an `nvvm.barrier` orders all threads of the block: it has neither a barrier
/// number nor a number of threads.
fn is_of_the_block(op: Op<'_>) -> bool {
    let groups = tx_mlir::operand_groups(op).unwrap_or_default();
    groups.iter().take(2).all(Vec::is_empty)
}

fn key(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

impl<'c> Walker<'_, 'c> {
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

    fn all(&mut self, func: Op<'c>) -> Result<Pending<'c>, Stop> {
        self.starts.clear();
        self.regions(func, Pending::default())
    }

    /// Returns the redundant barriers of the input program, in the presence of all inserted
    /// barriers.
    fn redundant(&mut self, func: Op<'c>) -> Vec<Op<'c>> {
        let all = walk(func);
        let is_candidate = |op: &Op<'c>| is(*op, "gpu.barrier") && !self.for_some.contains(op);
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

    /// Visits the ops of a block, and returns the unordered accesses at its end.
    fn block(&mut self, block: Blk<'c>, mut pending: Pending<'c>) -> Result<Pending<'c>, Stop> {
        for op in ops(block) {
            for barrier in self.barriers.iter().filter(|b| b.before == op) {
                pending = match barrier.reach {
                    Reach::Block if barrier.warps.len() < self.all_warps() => {
                        order(pending, &barrier.warps)
                    }
                    reach => self.separate(pending, reach),
                };
            }
            pending = self.op(op, pending)?;
        }
        Ok(pending)
    }

    /// Returns the unordered accesses after a barrier.
    fn separate(&self, mut pending: Pending<'c>, reach: Reach) -> Pending<'c> {
        if reach == Reach::Block {
            // A block-wide barrier does not order the accesses of other blocks.
            let is_of_cluster = |earlier: &Earlier<'c>| {
                self.of_cluster
                    .iter()
                    .any(|touch| touch.may_alias(&earlier.access.touch))
            };
            pending.0.retain(is_of_cluster);
        }
        if reach == Reach::Cluster {
            pending.0.clear();
        }
        for earlier in &mut pending.0 {
            earlier.separated = earlier.separated.max(Some(reach));
        }
        pending
    }

    /// Returns whether some threads of the block never reach an op.
    fn is_for_some(&self, op: Op<'c>) -> bool {
        let groups = self.threads.active(op).threads.groups(WARP_SIZE);
        groups.len() < self.all_warps() || groups.iter().any(|(_, complete)| !complete)
    }

    fn all_warps(&self) -> usize {
        usize::try_from((self.threads.kernel().threads + WARP_SIZE - 1) / WARP_SIZE).unwrap_or(1)
    }

    fn op(&mut self, op: Op<'c>, mut pending: Pending<'c>) -> Result<Pending<'c>, Stop> {
        if let Some(reach) = self.barrier_reach(op) {
            let ignored = self.ignored.as_ref().is_some_and(|all| all.contains(&op));
            let counts = !ignored && !self.for_some.contains(&op);
            return Ok(if counts {
                self.separate(pending, reach)
            } else {
                pending
            });
        }
        if name(op) == "nvvm.mbarrier.try_wait" {
            pending
                .0
                .retain(|earlier| !completes(op, earlier.access.touch.op));
        }
        if Operation::memory_of(name(op)) == tx_target::Memory::Ordered {
            // The pass does not model the ordering of this op.
            return Ok(pending);
        }
        if name(op) == "gpu.return"
            && let Some(earlier) = pending
                .0
                .iter()
                .find(|earlier| earlier.access.touch.of_cluster)
        {
            if self.ignored.is_some() {
                return Err(Stop::Needed);
            }
            self.insert(&earlier.clone(), op, Reach::Cluster)?;
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

    /// Visits the regions of an op, and returns the unordered accesses after the op.
    fn regions(&mut self, op: Op<'c>, pending: Pending<'c>) -> Result<Pending<'c>, Stop> {
        let all = blocks(op);
        match (name(op), all.as_slice()) {
            ("gpu.func" | "scf.execute_region", [body]) => self.block(*body, pending),
            (branch @ ("scf.if" | "scf.index_switch"), arms) => {
                // Without an `else` region, a thread may skip the `scf.if`.
                let passes_by = branch == "scf.if" && arms.len() < 2;
                let mut end = if passes_by {
                    pending.clone()
                } else {
                    Pending::default()
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
    /// first block of an `scf.while` executes at least once, and the loop ends after the first
    /// block.
    fn conditional(
        &mut self,
        op: Op<'c>,
        [before, after]: [Blk<'c>; 2],
        pending: Pending<'c>,
    ) -> Result<Pending<'c>, Stop> {
        let mut start = self.starts.remove(&key(op)).unwrap_or_default();
        start.join(pending);
        loop {
            let end = self.block(before, start.clone())?;
            let mut again = self.block(after, end.clone())?;
            again.went_round(op);
            if !start.join(again) {
                self.starts.insert(key(op), start);
                return Ok(end.left(op));
            }
        }
    }

    /// Visits blocks until the unordered accesses at their starts no longer change.
    ///
    /// The results of a previous visit remain valid, so only new unordered accesses cause a new
    /// visit.
    fn repeated(
        &mut self,
        op: Op<'c>,
        all: &[Blk<'c>],
        pending: Pending<'c>,
    ) -> Result<Pending<'c>, Stop> {
        let known = self.starts.remove(&key(op));
        let mut is_new = known.is_none();
        let mut start = known.unwrap_or_default();
        is_new |= start.join(pending);
        while is_new {
            let mut ends = Pending::default();
            for block in all {
                ends.join(self.block(*block, start.clone())?);
            }
            ends.went_round(op);
            is_new = start.join(ends);
        }
        self.starts.insert(key(op), start.clone());
        Ok(start.left(op))
    }

    /// Returns the threads that an existing barrier orders.
    fn barrier_reach(&self, op: Op<'c>) -> Option<Reach> {
        match name(op) {
            "gpu.barrier" | "nvvm.barrier0" => Some(Reach::Block),
            "nvvm.barrier" if is_of_the_block(op) => Some(Reach::Block),
            // A cluster barrier does not order the accesses between its arrive and its wait.
            "nvvm.cluster.wait" => tx_mlir::previous(op)
                .filter(|before| name(*before) == "nvvm.cluster.arrive")
                .map(|_| Reach::Cluster),
            // The pass ignores a barrier whose mask may lack lanes.
            "nvvm.bar.warp.sync" => {
                let fact = self.threads.fact(operands(op)[0]);
                let all = (1i64 << self.threads.kernel().threads.min(WARP_SIZE)) - 1;
                let whole = fact
                    .exact()
                    .is_some_and(|m| m.iter().all(|m| m & all == all));
                whole.then_some(Reach::Warp)
            }
            _ => None,
        }
    }

    /// Returns the accesses of an op to memory that the kernel writes. Accesses to read-only memory
    /// need no barrier, but are the most frequent accesses and the slowest to analyse.
    fn accesses(&mut self, op: Op<'c>) -> Vec<Access<'c>> {
        let (threads, writes) = (self.threads, &self.writes);
        let is_ordered =
            |touch: &Touch<'c>| touch.write || writes.iter().any(|write| write.may_alias(touch));
        let all = || {
            touches(op)
                .into_iter()
                .filter(is_ordered)
                .map(|touch| touch.access(threads))
        };
        self.accesses
            .entry(key(op))
            .or_insert_with(|| all().collect())
            .clone()
    }

    fn access(
        &mut self,
        access: Access<'c>,
        mut pending: Pending<'c>,
    ) -> Result<Pending<'c>, Stop> {
        // The widest necessary barrier also resolves narrower conflicts.
        for reach in [Reach::Cluster, Reach::Block, Reach::Warpgroup, Reach::Warp] {
            let found = pending.0.iter().find(|earlier| {
                earlier.separated.is_none_or(|separated| separated < reach)
                    && earlier.access.touch.may_alias(&access.touch)
                    && !earlier.is_same_instance(&access)
                    && !earlier.is_ordered_before(&access)
                    && !earlier.has_same_owner(&access)
                    && self.reaches(reach, earlier, &access)
            });
            if let Some(earlier) = found.cloned() {
                if self.ignored.is_some() {
                    return Err(Stop::Needed);
                }
                self.insert(&earlier, access.touch.op, reach)?;
                return Err(Stop::Restart);
            }
        }
        let earlier = Earlier {
            access,
            separated: None,
            ordered_in: BTreeSet::new(),
            round: None,
        };
        pending.join(Pending(vec![earlier]));
        Ok(pending)
    }

    /// Returns whether two accesses conflict in threads that only a barrier of at least this reach
    /// orders.
    fn reaches(&mut self, reach: Reach, earlier: &Earlier<'c>, later: &Access<'c>) -> bool {
        let (own, others) = (&earlier.access.touch, &later.touch);
        if reach == Reach::Cluster {
            return own.of_cluster || others.of_cluster;
        }
        let loops = iterations::common(own.op, others.op, earlier.round);
        let place = match own.counts_from_one_place(others, earlier.round) {
            true => IndexRelation::One(loops.iter().map(|op| key(*op)).collect()),
            false => IndexRelation::Any,
        };
        let pair = (own.key(), others.key(), place);
        if !self.conflicts.contains_key(&pair) {
            let any = match pair.2 {
                IndexRelation::One(_) => earlier.access.conflict(later),
                IndexRelation::Any => earlier.access.anywhere().conflict(&later.anywhere()),
            };
            if matches!(pair.2, IndexRelation::One(_)) && !loops.is_empty() && any.is_there() {
                self.tell_iterations_apart(&loops);
            }
            self.conflicts.entry(pair.clone()).or_insert(any);
        }
        let known = self.conflicts[&pair];
        match reach {
            Reach::Cluster | Reach::Block => known.between_warpgroups,
            Reach::Warpgroup => known.between_warps,
            Reach::Warp => known.within_warp,
        }
    }

    /// Compares all accesses in the bodies of the loops, in each iteration separately, so that each
    /// iteration is analysed only once.
    fn tell_iterations_apart(&mut self, loops: &[Op<'c>]) {
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
        for (i, (own, touch)) in compared.iter().zip(&accesses).enumerate() {
            for (j, other) in accesses.iter().enumerate().skip(i) {
                let (own_touch, others_touch) = (&touch.touch, &other.touch);
                if own_touch.may_alias(others_touch)
                    && own_touch.counts_from_one_place(others_touch, None)
                {
                    let any = own.conflict(&compared[j], &mut Steps::new(usize::MAX));
                    pairs.push((i, j, any, Conflict::default()));
                }
            }
        }
        pairs.retain(|(_, _, any, _)| any.is_there());
        let mut steps = Steps::new(MOST_STEPS);
        for case in iterations::cases(self.threads, loops) {
            let here: Vec<Access<'c>> = accesses
                .iter()
                .map(|access| access.touch.clone().access(&case))
                .collect();
            let here: Vec<Compared<'_, 'c>> = here.iter().map(Compared::new).collect();
            for (i, j, any, found) in pairs.iter_mut().filter(|(_, _, any, found)| any != found) {
                *found = found.or(here[*i].conflict(&here[*j], &mut steps));
                if steps.are_gone() {
                    *found = *any;
                }
            }
            if pairs.iter().all(|(_, _, any, found)| any == found) {
                break;
            }
        }
        let place = || IndexRelation::One(loops.iter().map(|op| key(*op)).collect());
        for (i, j, _, found) in pairs {
            let [one, other] = [i, j].map(|n: usize| accesses[n].touch.key());
            self.conflicts
                .insert((one.clone(), other.clone(), place()), found);
            self.conflicts.insert((other, one, place()), found);
        }
    }

    /// Inserts a barrier between two accesses: before `later` in the innermost block that contains
    /// both, or in the loop that has started a new iteration in between.
    fn insert(&mut self, earlier: &Earlier<'c>, later: Op<'c>, reach: Reach) -> Result<(), Failed> {
        let chain: Vec<Op<'c>> = std::iter::once(later).chain(ancestors(later)).collect();
        let outermost = |holder: &dyn Fn(Op<'c>) -> bool| -> Option<usize> {
            chain
                .iter()
                .rposition(|o| tx_mlir::parent(*o).is_some_and(holder))
        };
        let around: Vec<Op<'c>> = ancestors(earlier.access.touch.op).collect();
        let level = match outermost(&|o| earlier.round == Some(o)) {
            Some(level) => level,
            None => {
                // The barrier is directly inside the innermost op that contains both accesses.
                let common = chain
                    .iter()
                    .position(|o| around.contains(o))
                    .unwrap_or(chain.len());
                let in_arms = chain
                    .get(common)
                    .is_some_and(|o| matches!(name(*o), "scf.if" | "scf.index_switch"))
                    && !same_block(earlier.access.touch.op, chain[common.saturating_sub(1)]);
                if in_arms {
                    return Err(side_by_side(chain[common], earlier.access.touch.op, later));
                }
                common.saturating_sub(1)
            }
        };
        let place = chain[level];
        let reach = self.widened(place, reach);
        let warps = self.warps_at(place, [earlier.access.touch.op, later], reach)?;
        // If only one warp reaches the barrier, a warp-wide barrier suffices.
        let reach = if warps.len() == 1 {
            reach.of_one_warp()
        } else {
            reach
        };
        assert!(
            !self
                .barriers
                .iter()
                .any(|b| b.before == place && b.reach == reach),
            "a barrier must separate what it was inserted for"
        );
        self.barriers.push(Barrier {
            before: place,
            reach,
            warps,
            number: 0,
        });
        Ok(())
    }

    /// Returns the reach of a barrier at `place`. Barriers per warpgroup need at least two
    /// warpgroups, all of them complete; otherwise the barrier is block-wide.
    fn widened(&self, place: Op<'c>, reach: Reach) -> Reach {
        let active = self.threads.active(place);
        let groups = active.threads.groups(WARPGROUP);
        let whole = groups
            .iter()
            .all(|(g, complete)| *complete && (g + 1) * WARPGROUP <= self.threads.kernel().threads);
        let several = groups.len() > 1 && whole && active.splits(Scope::Warpgroup).is_none();
        if reach == Reach::Warpgroup && !several {
            Reach::Block
        } else {
            reach
        }
    }

    /// Returns the warps that reach `place`. All lanes of each warp must reach `place`, and for a
    /// barrier between warps, the set of warps must be known.
    fn warps_at(
        &self,
        place: Op<'c>,
        [earlier, later]: [Op<'c>; 2],
        reach: Reach,
    ) -> Result<Vec<i64>, Failed> {
        let active = self.threads.active(place);
        let scope = match reach {
            Reach::Cluster => Scope::Cluster,
            Reach::Block => Scope::Cta,
            Reach::Warpgroup => Scope::Warpgroup,
            Reach::Warp => Scope::Warp,
        };
        let branch = active.splits(scope);
        let groups = active.threads.groups(WARP_SIZE);
        let enough = reach != Reach::Cluster || groups.len() == self.all_warps();
        if branch.is_none() && enough && groups.iter().all(|(_, complete)| *complete) {
            return Ok(groups.into_iter().map(|(g, _)| g).collect());
        }
        if reach == Reach::Cluster {
            let report = error(
                later.location(),
                "a barrier of the cluster is needed here, but not all of its threads get here",
            )
            .code(codes::TX0116);
            return Err(match branch.or_else(|| ancestors(place).find(|op| name(*op) == "scf.if")) {
                Some(branch) => report.note_at(branch.location(), "this may split the threads of a cluster"),
                None => report,
            }
            .note("reach other blocks' memory outside of branches that not all blocks of a cluster take")
            .emit());
        }
        let Reason {
            what,
            branch: why,
            advice,
        } = Reason::of(active.split.filter(|split| split.together < scope));
        let report = error(later.location(), what).code(codes::TX0116).note_at(
            earlier.location(),
            "threads may meet in one place of memory here, and nothing orders the two",
        );
        Err(match branch {
            Some(branch) => report.note_at(branch.location(), why),
            None => report.note(why),
        }
        .note(advice)
        .emit())
    }
}

struct Reason {
    what: &'static str,
    /// Text that describes the effect of the branch on the threads.
    branch: &'static str,
    advice: &'static str,
}

impl Reason {
    fn of(split: Option<Split<'_>>) -> Self {
        let Some(split) = split else {
            return Self {
                what: "a barrier is needed here, but not all lanes of the warp get here",
                branch: "a branch around it splits the threads of a warp",
                advice: "let one thread do the work, or let the branch take whole warps",
            };
        };
        let unknown = "a barrier is needed here, but whether all threads get here is not known";
        match name(split.op) {
            "gpu.func" => Self {
                what: unknown,
                branch: "this kernel has unstructured control flow",
                advice: "write its branches as `scf.if` and its loops as `scf.for` or `scf.while`",
            },
            "scf.execute_region" => Self {
                what: unknown,
                branch: "this region has unstructured control flow",
                advice: "write its branches as `scf.if` and its loops as `scf.for` or `scf.while`",
            },
            "scf.if" | "scf.index_switch" | "scf.for" | "scf.while" | "scf.parallel"
            | "affine.for"
                if split.together >= Scope::Warp =>
            {
                Self {
                    what: "a barrier is needed here, but which warps of the block get here is not known",
                    branch: "warps may take this differently",
                    advice: "let it depend on what the whole block shares, or on thread ids and \
                             constants alone",
                }
            }
            "scf.if" | "scf.index_switch" => Self {
                what: "a barrier is needed here, but not all lanes of the warp get here",
                branch: "this splits the threads of a warp",
                advice: "let one thread do the work, or let the branch take whole warps",
            },
            "scf.for" | "scf.while" | "scf.parallel" | "affine.for" => Self {
                what: "a barrier is needed here, but not all lanes of the warp get here",
                branch: "this splits the threads of a warp",
                advice: "let one thread do the work, or let all threads go round equally often",
            },
            _ => Self {
                what: unknown,
                branch: "what this op does to threads is not known",
                advice: "write it as `scf.if`, `scf.for` or `scf.while`",
            },
        }
    }
}

impl<'c> Earlier<'c> {
    /// Returns whether both entries record the same access.
    fn same(&self, other: &Self) -> bool {
        self.round == other.round && self.access.touch.is_same(&other.access.touch)
    }

    /// Returns whether a named barrier orders this access before all threads that may perform
    /// `later`.
    fn is_ordered_before(&self, later: &Access<'c>) -> bool {
        !self.ordered_in.is_empty()
            && later
                .by
                .iter()
                .all(|t| self.ordered_in.contains(&(t / WARP_SIZE)))
    }

    /// Returns whether both accesses belong to one execution of one op, so that no barrier can
    /// separate them.
    fn is_same_instance(&self, later: &Access<'c>) -> bool {
        self.access.touch.op == later.touch.op && self.round.is_none()
    }

    /// Returns whether both accesses belong to one access set ([`OWNED`]), in which only one thread
    /// accesses each element. If a loop has started a new iteration in between, the accessed memref
    /// must be the same in both iterations.
    fn has_same_owner(&self, later: &Access<'c>) -> bool {
        let (own, later) = (self.access.touch.owner, later.touch.owner);
        let (Some((own, _)), Some((number, memory))) = (own, later) else {
            return false;
        };
        if own != number || number < 0 && self.round.is_some() {
            return false;
        }
        // A slot in the memory of another block is written by the same thread in all iterations.
        self.access.touch.of_cluster
            || memory.is_some_and(|memory| {
                self.round
                    .is_none_or(|l| !tx_mlir::is_defined_in(memory, l))
            })
    }
}

impl<'c> Pending<'c> {
    /// Records for all accesses inside the loop `op` that the loop has started a new iteration.
    fn went_round(&mut self, op: Op<'c>) {
        for earlier in &mut self.0 {
            let inside = ancestors(earlier.access.touch.op).any(|o| o == op);
            if inside {
                earlier.round.get_or_insert(op);
            }
        }
    }

    /// Returns the unordered accesses after the loop `op`.
    fn left(mut self, op: Op<'c>) -> Self {
        for earlier in &mut self.0 {
            earlier.round = earlier.round.filter(|l| *l != op);
        }
        self
    }

    /// Adds the unordered accesses of another control-flow path, and returns whether the set changed.
    fn join(&mut self, other: Self) -> bool {
        let mut changed = false;
        for (i, earlier) in other.0.into_iter().enumerate() {
            // The lists of accesses of two arms begin with the same accesses at the same positions.
            let is_in_place = self.0.get(i).is_some_and(|p| p.same(&earlier));
            let place = match is_in_place {
                true => Some(i),
                false => self.0.iter().position(|p| p.same(&earlier)),
            };
            match place.map(|place| &mut self.0[place]) {
                // A barrier separates an access from the current op only if a barrier follows the
                // access on every path.
                Some(known) => {
                    changed |= earlier.separated < known.separated;
                    known.separated = known.separated.min(earlier.separated);
                    let before = known.ordered_in.len();
                    known.ordered_in.retain(|w| earlier.ordered_in.contains(w));
                    changed |= known.ordered_in.len() < before;
                }
                None => {
                    changed = true;
                    self.0.push(earlier);
                }
            }
        }
        changed
    }
}

/// Returns whether a wait at an mbarrier object guarantees that an asynchronous store is complete,
/// because the store signals this object.
fn completes<'c>(wait: Op<'c>, store: Op<'c>) -> bool {
    let waited = target(operands(wait)[0]);
    let signaled = AsyncStore::of(store).and_then(|store| target(store.barrier));
    waited.is_some() && waited == signaled
}

/// Returns whether `inner` is in the same block as `outer`, or nested in an op of this block.
fn same_block<'c>(inner: Op<'c>, outer: Op<'c>) -> bool {
    let block = outer.block().map(|b| b.to_raw().ptr);
    std::iter::once(inner)
        .chain(ancestors(inner))
        .any(|o| o.block().map(|b| b.to_raw().ptr) == block)
}

/// Emits the error for two arms that different threads execute at the same time and that access the
/// same memory.
fn side_by_side<'c>(branch: Op<'c>, earlier: Op<'c>, later: Op<'c>) -> Failed {
    error(
        later.location(),
        "this touches memory that the other arm of a branch touches at the same time",
    )
    .code(codes::TX0117)
    .note_at(earlier.location(), "the other access")
    .note_at(
        branch.location(),
        "threads take both arms of this branch side by side",
    )
    .note("put the two into branches one after the other")
    .emit()
}

/// Returns the unordered accesses after a named barrier of some warps.
fn order<'c>(mut pending: Pending<'c>, warps: &[i64]) -> Pending<'c> {
    for earlier in &mut pending.0 {
        let own: BTreeSet<i64> = earlier.access.by.iter().map(|t| t / WARP_SIZE).collect();
        if own.iter().all(|w| warps.contains(w)) {
            earlier.ordered_in.extend(warps);
        }
    }
    pending
}

/// Assigns distinct barrier numbers to distinct warpgroups and sets of warps; numbers that the
/// program uses are excluded, and number 0 is the block-wide barrier.
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
            Reach::Block if barrier.warps.len() < all => (barrier.warps.clone(), 1),
            Reach::Warpgroup => (Vec::new(), groups),
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
                    .note("let fewer different sets of warps work by themselves")
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
    if barrier.reach == Reach::Cluster {
        for half in ["nvvm.cluster.arrive", "nvvm.cluster.wait"] {
            b.create(half).unit("aligned").build();
        }
        counts.add("cluster_barriers", 1);
    } else if barrier.reach == Reach::Warp {
        let mask = members(&b, &kernel);
        b.create("nvvm.bar.warp.sync").operands(&[mask]).build();
        counts.add("warp_barriers", 1);
    } else if barrier.number == 0 {
        b.create("gpu.barrier").build();
        counts.add("cta_barriers", 1);
    } else {
        let i32 = b.int_type(32);
        let (number, count) = if barrier.reach == Reach::Warpgroup {
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
