//! The loops of a kernel.

use super::finish::Finish;
use super::job::{Combination, Job, Work};
use super::nest::{Extent, Fate, MAX_BLOCKS, Nest, Node, Run};
use super::staged::{Stage, Staged};
use super::steps::Processor;
use super::vectors::{Alignment, Vectors};
use crate::combiner::Combiner;
use crate::emit::{Group, all_reduce, delinearize};
use melior::ir::{Type, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::{Kind, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Op, Val};

/// Most loops whose full part is peeled off: each doubles the code.
const MAX_PEELED: usize = 2;
/// Ops of an element and a combiner that are worth doubling.
const MAX_DOUBLED: i64 = 24;
/// Elements of a tile up to which one that is not full is loaded without branches. The loads that
/// are made for nothing find their element in the cache; of longer tiles they take longer than
/// branches do.
const CLAMPED: i64 = 64;

/// Where in the loops the code is that is being written.
#[derive(Clone, Default)]
pub(super) struct Place<'c> {
    /// Indices of the loops that were entered, and of what these loops were made from.
    pub(super) index: BTreeMap<usize, Index<'c>>,
    /// Indices with which what was split begins, where the outer part was entered before the inner one.
    pub(super) begins: BTreeMap<usize, Index<'c>>,
    /// Guards that are known to hold.
    pub(super) full: BTreeSet<usize>,
    /// How often a full part was peeled off.
    pub(super) peeled: usize,
    /// The element of each source, where it was loaded before.
    pub(super) loaded: Vec<Option<Val<'c>>>,
    /// The old element of each destination, where it was loaded before.
    pub(super) old: Vec<Option<Val<'c>>>,
    /// The number of the element after the first of its tile.
    pub(super) number: Option<i64>,
    /// Whether vectors begin at multiples of their size.
    pub(super) aligned: bool,
    /// Whether they do elsewhere in the kernel, where this is not run.
    pub(super) slow: bool,
    /// Whether this is an element beside the vectors of a row, which comes out of order.
    pub(super) beside: bool,
    /// What a partial result starts from.
    pub(super) start: Vec<Val<'c>>,
    /// Whether what is beyond an end is loaded from elsewhere, rather than not at all.
    pub(super) clamps: bool,
    /// Where the vectors of this row are, once it is known which row it is.
    pub(super) vectors: Option<Vectors<'c>>,
    /// What the block has of each source in shared memory.
    pub(super) staged: Vec<Option<Staged<'c>>>,
    /// Whether all points of the block are points of the iteration space; not asked where nothing is in
    /// shared memory.
    pub(super) is_whole: Option<Cond<'c>>,
}

impl<'c> Place<'c> {
    /// What the block has of a source in shared memory.
    pub(super) fn staged(&self, source: usize) -> Option<&Staged<'c>> {
        self.staged.get(source)?.as_ref()
    }
}

/// Ops of a combiner that are few: one and its `tile.yield`.
const CHEAP: i64 = 2;

/// Some iterations of a loop.
struct Range<'c> {
    from: Index<'c>,
    to: Index<'c>,
    /// Whether there is at most one.
    once: bool,
    place: Place<'c>,
}

/// What one iteration of a loop does with the values that it is handed.
pub(super) type Iteration<'f, 'c> =
    dyn FnMut(&Builder<'c>, &Place<'c>, Vec<Val<'c>>) -> Vec<Val<'c>> + 'f;

/// Writes the loops of one kernel.
pub(crate) struct Body<'a, 'c> {
    pub(super) job: &'a Job<'c>,
    pub(super) nest: &'a Nest,
    /// Lengths of the nest's loops, and of what they were made of; bounds of those that another row
    /// has longer.
    pub(super) extents: Vec<Index<'c>>,
    pub(super) guards: Vec<usize>,
    /// Loops of a thread up to the first that combines, and from there on.
    pub(super) outer: Vec<usize>,
    pub(super) inner: Vec<usize>,
    /// Groups of threads that combine: width and stride.
    groups: Vec<(i64, i64)>,
    /// What is known of alignment.
    pub(super) alignment: Alignment<'c>,
    /// What partial results are combined with: that of the job, but for indices of less bits where
    /// these are enough.
    pub(super) combiner: Option<Combiner<'c>>,
    /// Whether a thread meets the elements of each partial result in order, and numbers them itself.
    pub(super) ascends: bool,
    /// Whether the elements of a vector have one partial result, where combining several would take long.
    pub(super) shares: bool,
    /// What comes after the results of a block.
    finish: Option<&'a Finish<'a, 'c>>,
    /// The number of accesses of which each element is one thread's: in another phase it may be another one's.
    pub(super) owner: i64,
    /// Sources of which a block has a tile in shared memory.
    pub(super) stages: Vec<Stage<'c>>,
    /// Set in the second phase of a last-block reduction: other blocks may still be writing partial
    /// results of other rows.
    pub(super) is_last_block: bool,
}

impl<'a, 'c> Body<'a, 'c> {
    /// `b` stands at the start of the kernel.
    pub(crate) fn new(job: &'a Job<'c>, nest: &'a Nest, b: &Builder<'c>) -> Self {
        let lengths: Vec<Index<'c>> = (0..job.extents.len()).map(|d| job.length(b, d)).collect();
        let serial = nest.serial();
        let first = serial
            .iter()
            .position(|n| nest.nodes[*n].combines())
            .unwrap_or(serial.len());
        let (outer, inner) = serial.split_at(first);
        let ascends = |shares| match job.axes.as_slice() {
            [axis] => job.numbers_elements() && nest.ascends_along(*axis, shares),
            _ => false,
        };
        let shares = match &job.work {
            Work::Combine(Combination { combiner, .. }) => {
                combiner.weight() > CHEAP && (!job.numbers_elements() || ascends(true))
            }
            _ => false,
        };
        Self {
            job,
            nest,
            extents: nest
                .nodes
                .iter()
                .map(|n| n.extent.value(b, &|_, d| lengths[d]))
                .collect(),
            guards: nest.guards(),
            outer: outer.to_vec(),
            inner: inner.to_vec(),
            groups: groups(nest),
            alignment: Alignment::of(b, job, nest),
            combiner: match &job.work {
                Work::Combine(Combination { combiner, .. }) => Some(match job.fits_in_32_bits() {
                    true => combiner.with_short_index(),
                    false => combiner.clone(),
                }),
                _ => None,
            },
            ascends: ascends(shares),
            shares,
            finish: None,
            owner: 0,
            stages: Vec::new(),
            is_last_block: false,
        }
    }

    /// With tiles in shared memory, which are declared beside the kernel.
    pub(crate) fn with_tiles(self, b: &Builder<'c>, kernel: Op<'c>) -> Self {
        Self {
            stages: Stage::all(b, kernel, self.job, self.nest),
            ..self
        }
    }

    /// With something that each block does after its results.
    pub(crate) fn then(self, finish: Option<&'a Finish<'a, 'c>>) -> Self {
        Self { finish, ..self }
    }

    /// The phase of this number of a kernel.
    pub(crate) fn phase(self, number: i64) -> Self {
        Self {
            owner: number,
            ..self
        }
    }

    /// Writes everything at `b`.
    pub(crate) fn write(&self, b: &Builder<'c>) {
        self.blocks(b, 0, &self.threads(b));
    }

    /// The place of a thread in its block, and of that in its cluster.
    pub(super) fn threads(&self, b: &Builder<'c>) -> Place<'c> {
        let mut place = Place::default();
        for dimension in 0..3 {
            if let Some(node) = self.nest.on(Processor::Thread(dimension)) {
                let index = match self.nest.block()[dimension] {
                    1 => Index::Const(0),
                    _ => hardware(b, "gpu.thread_id", dimension),
                };
                place = self.enter(b, &place, node, index);
            }
            if let Some(node) = self.nest.on(Processor::Cluster(dimension)) {
                let index = match self.nest.cluster()[dimension] {
                    1 => Index::Const(0),
                    _ => hardware(b, "gpu.cluster_block_id", dimension),
                };
                place = self.enter(b, &place, node, index);
            }
        }
        place
    }

    /// Goes through the iterations of what is bound to blocks: more than there are blocks take turns.
    fn blocks(&self, b: &Builder<'c>, dimension: usize, place: &Place<'c>) {
        if dimension == MAX_BLOCKS.len() {
            let place = &self.staged(b, place);
            let Some(finish) = self.finish else {
                return self.outer(b, 0, place);
            };
            let has_part = self
                .nest
                .on_blocks()
                .into_iter()
                .fold(Cond::Const(true), |all, n| match self.may_be_nothing(n) {
                    true => b.and(all, b.less(place.index[&n], self.extents[n])),
                    false => all,
                });
            b.if_then(has_part, |b| self.outer(b, 0, place));
            return finish.write(b, self, place);
        }
        let Some(node) = self.nest.on(Processor::Block(dimension)) else {
            return self.blocks(b, dimension + 1, place);
        };
        self.each_turn(b, dimension, node, |b, block| {
            self.blocks(b, dimension + 1, &self.enter(b, place, node, block));
        });
    }

    /// Writes what a block does for each iteration of loop `node`, which is bound to blocks along a
    /// dimension: one iteration, or several in a grid-stride loop.
    pub(super) fn each_turn(
        &self,
        b: &Builder<'c>,
        dimension: usize,
        node: usize,
        then: impl FnOnce(&Builder<'c>, Index<'c>),
    ) {
        let extent = &self.nest.nodes[node].extent;
        let (number, count) = match self.nest.has_clusters() {
            true => ("gpu.cluster_id", "gpu.cluster_dim"),
            false => ("gpu.block_id", "gpu.grid_dim"),
        };
        let block = match extent.known() {
            Some(0 | 1) => Index::Const(0),
            _ => hardware(b, number, dimension),
        };
        let most = MAX_BLOCKS[dimension] / self.nest.cluster()[dimension];
        if extent.known().is_some_and(|n| n <= most) {
            return then(b, block);
        }
        let (end, step) = (self.turns(b, node), hardware(b, count, dimension));
        b.for_loop(block, end, step, &[], |b, block, _| {
            then(b, block);
            Vec::new()
        });
    }

    /// Iterations of a loop that is bound to blocks: where partial results are combined by the last
    /// block, there must be one, also without partial results.
    pub(super) fn turns(&self, b: &Builder<'c>, node: usize) -> Index<'c> {
        match self.may_be_nothing(node) {
            true => at_least_one(b, self.extents[node]),
            false => self.extents[node],
        }
    }

    /// Whether a block is there although its loop has no iterations.
    fn may_be_nothing(&self, node: usize) -> bool {
        let node = &self.nest.nodes[node];
        self.finish.is_some() && node.apart && node.extent.known().is_none_or(|n| n == 0)
    }

    /// The place within loop `node` at `index`. Every index that is known from there on is computed
    /// there.
    pub(super) fn enter(
        &self,
        b: &Builder<'c>,
        place: &Place<'c>,
        node: usize,
        index: Index<'c>,
    ) -> Place<'c> {
        let mut place = place.clone();
        place.index.insert(node, index);
        self.derive(b, &mut place);
        place
    }

    /// Computes every index that follows from those that are known.
    fn derive(&self, b: &Builder<'c>, place: &mut Place<'c>) {
        // What a loop is made of has a higher number than what it was made from.
        for (n, node) in self.nest.nodes.iter().enumerate().rev() {
            if let Fate::Split {
                outer,
                inner,
                factor,
                aligned,
            } = node.fate
                && !place.index.contains_key(&n)
                && (!aligned || place.vectors.is_some())
                && let Some(outer) = place.index.get(&outer)
            {
                let begin = place.begins.get(&n).copied().unwrap_or_else(|| {
                    let begin = b.mul(*outer, Index::Const(factor));
                    let first = place.vectors.as_ref().filter(|_| aligned);
                    first.map_or(begin, |vectors| b.add(vectors.first, begin))
                });
                if let Some(inner) = place.index.get(&inner) {
                    let index = b.add(begin, *inner);
                    place.index.insert(n, index);
                } else {
                    place.begins.insert(n, begin);
                }
            }
            if let (Some(index), false) = (place.index.get(&n), node.members.is_empty())
                && !node.members.iter().any(|m| place.index.contains_key(m))
            {
                let sizes: Vec<Index<'c>> = node.members.iter().map(|m| self.extents[*m]).collect();
                let parts = delinearize(b, *index, &sizes);
                place.index.extend(node.members.iter().copied().zip(parts));
            }
        }
    }

    /// The loops outside of what is combined.
    pub(super) fn outer(&self, b: &Builder<'c>, at: usize, place: &Place<'c>) {
        let Some(node) = self.outer.get(at) else {
            return self.result(b, place);
        };
        if self.is_at_points(at, place) {
            return self.points(b, at, place);
        }
        self.iterate(
            b,
            *node,
            place,
            self.groups.is_empty(),
            Vec::new(),
            &mut |b, place, _| {
                self.outer(b, at + 1, place);
                Vec::new()
            },
        );
    }

    /// Runs the iterations of a loop of one thread, with values carried from each to the next.
    /// With `apart` threads may run it differently often.
    pub(super) fn iterate(
        &self,
        b: &Builder<'c>,
        node: usize,
        place: &Place<'c>,
        apart: bool,
        carried: Vec<Val<'c>>,
        body: &mut Iteration<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let mut carried = carried;
        if self.is_written_out(node, place) {
            for place in self.written_out(b, node, place) {
                carried = body(b, &place, carried);
            }
            return carried;
        }
        for Range {
            from,
            to,
            once,
            place,
        } in self.ranges(b, node, place, apart)
        {
            carried = if once {
                let types: Vec<Type<'c>> = carried.iter().map(|v| v.r#type()).collect();
                let old = carried.clone();
                b.if_else(
                    b.less(from, to),
                    &types,
                    |b| body(b, &self.enter(b, &place, node, from), carried),
                    |_| old,
                )
            } else {
                b.for_loop(from, to, Index::Const(1), &carried, |b, i, carried| {
                    body(b, &self.enter(b, &place, node, i), carried.to_vec())
                })
            };
        }
        carried
    }

    /// The iterations of a loop in parts: those for which a guard is known to hold, and the rest.
    fn ranges(
        &self,
        b: &Builder<'c>,
        node: usize,
        place: &Place<'c>,
        apart: bool,
    ) -> Vec<Range<'c>> {
        let end = self.length(place, node);
        let range = |from, to, place| Range {
            from,
            to,
            once: false,
            place,
        };
        let whole = || vec![range(Index::Const(0), end, place.clone())];
        let guard = self
            .guards
            .iter()
            .copied()
            .filter(|g| !place.full.contains(g))
            .find(|g| {
                matches!(
                    self.nest.nodes[*g].fate,
                    Fate::Split { outer, inner, .. } if outer == node || inner == node
                )
            });
        let Some(guard) = guard else { return whole() };
        let Fate::Split { outer, factor, .. } = self.nest.nodes[guard].fate else {
            return whole();
        };
        // How many vectors there are is not known before the row is.
        if place.vectors.is_none() && self.nest.is_of_vectors(guard) {
            return whole();
        }
        let mut full = place.clone();
        full.full.insert(guard);
        let total = self.length(place, guard);
        if outer == node {
            if place.slow || place.peeled >= self.most_peeled() {
                return whole();
            }
            full.peeled += 1;
            let mut rest = place.clone();
            rest.peeled += 1;
            let most = self.nest.nodes[guard].extent.most();
            let is_short = factor <= CLAMPED || self.is_shared_by_blocks(guard);
            if most.is_some_and(|n| n < factor || n == factor && is_short) {
                return vec![Range {
                    once: true,
                    ..range(
                        Index::Const(0),
                        end,
                        Place {
                            clamps: factor <= CLAMPED,
                            ..place.clone()
                        },
                    )
                }];
            }
            if self.is_guarded_throughout(guard) {
                return whole();
            }
            let complete = b.div(total, Index::Const(factor));
            // At most one tile is left, and LLVM is not to unroll it.
            let left = Range {
                once: true,
                ..range(complete, end, rest)
            };
            let whole = Range {
                once: most == Some(factor) || complete.known() == Some(1),
                ..range(Index::Const(0), complete, full)
            };
            return vec![whole, left];
        }
        // A partial result is stored even where nothing is combined into it.
        if self.nest.nodes[node].apart {
            return whole();
        }
        // The last iterations are left out of an inner loop, when the outer one is known.
        let known = place
            .index
            .get(&outer)
            .filter(|_| apart || self.is_uniform(outer));
        let Some(begin) = known else { return whole() };
        let begin = b.mul(*begin, Index::Const(factor));
        let inside = b.less(begin, total);
        let left = b.select_index(inside, b.sub(total, begin), Index::Const(0));
        let short = b.less(left, Index::Const(factor));
        let to = b.select_index(short, left, Index::Const(factor));
        vec![range(Index::Const(0), to, full)]
    }

    /// Whether tiles of a row are written once, with guards, rather than twice: where lanes side by
    /// side load elements one by one, several each, and it is not known how many there are.
    fn is_guarded_throughout(&self, node: usize) -> bool {
        let nodes = &self.nest.nodes;
        let is_unknown = matches!(nodes[node].extent, Extent::Dim(_) | Extent::Between { .. });
        let is_alone = self.job.extents.len() == self.job.axes.len();
        let loops = self.nest.loops_of(node);
        let lanes = self.nest.on(Processor::Thread(0));
        let is_vector = |n: &usize| nodes[*n].run == Run::Vectorized;
        is_unknown
            && !is_alone
            && lanes.is_some_and(|lanes| nodes[lanes].reduced && loops.contains(&lanes))
            && loops.iter().any(|n| nodes[*n].run == Run::Unrolled)
            && !self.nest.serial().iter().any(is_vector)
    }

    /// Whether blocks share the iterations of a loop that was split.
    fn is_shared_by_blocks(&self, node: usize) -> bool {
        let loops = self.nest.loops_of(node);
        loops.iter().any(|n| {
            matches!(
                self.nest.nodes[*n].run,
                Run::On(Processor::Block(_) | Processor::Cluster(_))
            )
        })
    }

    /// How many loops are peeled: a guard costs little beside a long computation.
    fn most_peeled(&self) -> usize {
        match self.job.weight() > MAX_DOUBLED {
            true => 0,
            false => MAX_PEELED,
        }
    }

    /// Whether all threads that combine have the same index of `node`.
    fn is_uniform(&self, node: usize) -> bool {
        let differs = |l: &usize| {
            let run = self.nest.nodes[*l].run;
            matches!(run, Run::On(Processor::Thread(_) | Processor::Cluster(_)))
        };
        !self.nest.loops_of(node).iter().any(differs)
    }

    /// Whether all guards hold that are about reduced dimensions (`reduced`), or about others, as
    /// far as the loops that were entered tell.
    pub(super) fn guard(&self, b: &Builder<'c>, place: &Place<'c>, reduced: bool) -> Cond<'c> {
        let nodes = &self.nest.nodes;
        let mut condition = Cond::Const(true);
        for guard in &self.guards {
            if nodes[*guard].reduced == reduced
                && !place.full.contains(guard)
                && let Some(index) = place.index.get(guard)
            {
                condition = b.and(condition, self.is_there(b, place, *guard, *index));
            }
        }
        match self.is_idle(reduced) {
            true => Cond::Const(false),
            false => condition,
        }
    }

    /// Whether `index` is less than the length of `node`. It is where the kernel is for lengths
    /// that are greater than any index the loops have here. A thread that keeps several
    /// results apart compares anyway: without, ptxas orders its loads so that 8388608 rows of 32 f32 take
    /// 287 µs on an H200 instead of 275.
    fn is_there(
        &self,
        b: &Builder<'c>,
        place: &Place<'c>,
        node: usize,
        index: Index<'c>,
    ) -> Cond<'c> {
        let least = self.nest.nodes[node].extent.least();
        match self.greatest_index(place, node) {
            Some(greatest) if greatest < least && self.lanes() == 1 => Cond::Const(true),
            _ => b.less(index, self.length(place, node)),
        }
    }

    /// The greatest index of `node` where the loops are.
    fn greatest_index(&self, place: &Place<'c>, node: usize) -> Option<i64> {
        let Node { fate, extent, .. } = &self.nest.nodes[node];
        match fate {
            Fate::Loop => match place.index.get(&node) {
                Some(Index::Const(index)) => Some(*index),
                _ => extent.most()?.checked_sub(1),
            },
            Fate::Split {
                outer,
                inner,
                factor,
                aligned: false,
            } => self
                .greatest_index(place, *outer)?
                .checked_mul(*factor)?
                .checked_add(self.greatest_index(place, *inner)?),
            Fate::Split { .. } | Fate::Fused { .. } => None,
        }
    }

    /// Whether a loop over reduced dimensions, or over others, has no iterations but a thread.
    fn is_idle(&self, reduced: bool) -> bool {
        self.nest
            .order
            .iter()
            .map(|n| &self.nest.nodes[*n])
            .any(|n| {
                n.reduced == reduced && matches!(n.run, Run::On(_)) && n.extent.known() == Some(0)
            })
    }

    /// One result, or as many as are written out side by side.
    pub(super) fn result(&self, b: &Builder<'c>, place: &Place<'c>) {
        let inside = self.guard(b, place, false);
        let (Work::Combine(work), Some(combiner)) = (&self.job.work, &self.combiner) else {
            b.if_then(inside, |b| self.store(b, place, None));
            return;
        };
        // A value of the start wins where all elements are like it, and then the first does.
        let start = match self.ascends {
            true => combiner.start_at(b, Index::Const(0)),
            false => combiner.start(b),
        };
        let lanes = self.lanes();
        let flat: Vec<Val<'c>> = (0..lanes).flat_map(|_| start.clone()).collect();
        let types: Vec<Type<'c>> = flat.iter().map(|v| v.r#type()).collect();
        if self.groups.is_empty() {
            b.if_then(inside, |b| {
                let partial = self.combine_all(b, place, &flat, &types);
                let totals = self.fold_lanes(b, combiner, partial);
                self.store_totals(b, place, work, totals);
            });
            return;
        }
        let partial = b.if_else(
            inside,
            &types,
            |b| self.combine_all(b, place, &flat, &types),
            |_| flat.clone(),
        );
        let mut totals = self.fold_lanes(b, combiner, partial);
        self.exchange(b, combiner, &mut totals);
        let stores = self.first_thread(b, inside, place);
        b.if_then(stores, |b| self.store_totals(b, place, work, totals));
    }

    /// Combines the partial results of the threads that share a row: each of them has the total.
    pub(super) fn exchange(
        &self,
        b: &Builder<'c>,
        combiner: &Combiner<'c>,
        totals: &mut Vec<Vec<Val<'c>>>,
    ) {
        for (width, stride) in &self.groups {
            let segment = width * stride;
            let block: i64 = self.nest.block().iter().product();
            let scope = match segment {
                // Blocks of less than a warp have no warp in common.
                _ if segment > block => Scope::Cluster,
                _ if segment <= 32 && 32 % segment == 0 => Scope::Warp,
                _ => Scope::Cta,
            };
            let group = Group {
                scope,
                width: Some(*width),
                stride: *stride,
                variant: None,
            };
            for total in &mut *totals {
                *total = all_reduce(b, combiner, total, group);
            }
        }
    }

    /// Whether this is the first of the threads that have a total, where `inside` holds: it stores the total.
    pub(super) fn first_thread(
        &self,
        b: &Builder<'c>,
        inside: Cond<'c>,
        place: &Place<'c>,
    ) -> Cond<'c> {
        let mut stores = inside;
        let processors = (0..3).flat_map(|d| [Processor::Thread(d), Processor::Cluster(d)]);
        for processor in processors {
            if let Some(node) = self.nest.on(processor)
                && self.nest.nodes[node].combines()
            {
                stores = b.and(stores, b.equal(place.index[&node], Index::Const(0)));
            }
        }
        stores
    }

    /// Loops of one thread that give each iteration a partial result of its own: those that do not
    /// combine, then the vectorized one.
    pub(super) fn lane_loops(&self) -> (Vec<usize>, Option<usize>) {
        let nodes = &self.nest.nodes;
        let kept = self
            .inner
            .iter()
            .copied()
            .filter(|n| !nodes[*n].combines())
            .collect();
        let vector = self
            .inner
            .iter()
            .copied()
            .find(|n| nodes[*n].combines() && nodes[*n].run == Run::Vectorized)
            .filter(|_| !self.shares);
        (kept, vector)
    }

    pub(super) fn count(&self, node: usize) -> usize {
        let count = self.nest.nodes[node].extent.known().unwrap_or(1);
        usize::try_from(count).unwrap_or(1)
    }

    /// Partial results of one thread.
    pub(super) fn lanes(&self) -> usize {
        let (kept, vector) = self.lane_loops();
        let results: usize = kept.into_iter().map(|n| self.count(n)).product();
        results * self.width(vector)
    }

    /// Partial results that a vectorized loop makes of one: what is combined of nothing is one, too.
    pub(super) fn width(&self, vector: Option<usize>) -> usize {
        vector.map_or(1, |n| self.count(n).max(1))
    }

    /// The partial result that belongs to where the loops are.
    fn lane(&self, place: &Place<'c>) -> usize {
        let (kept, vector) = self.lane_loops();
        kept.into_iter().chain(vector).fold(0, |lane, node| {
            // What is beside the vectors has none of these loops, and goes to the first lane.
            let index = place.index.get(&node).and_then(|i| i.known()).unwrap_or(0);
            lane * self.count(node) + usize::try_from(index).unwrap_or(0)
        })
    }

    /// Everything that a thread combines into one result, or into those that lie side by side.
    fn combine_all(
        &self,
        b: &Builder<'c>,
        place: &Place<'c>,
        start: &[Val<'c>],
        types: &[Type<'c>],
    ) -> Vec<Val<'c>> {
        let parts = start.len() / self.lanes().max(1);
        let combine = |b: &Builder<'c>, aligned| {
            let place = Place {
                start: start[..parts].to_vec(),
                aligned,
                slow: !aligned && !matches!(self.alignment.holds, Cond::Const(_)),
                ..place.clone()
            };
            self.combine(b, 0, &place, start.to_vec())
        };
        b.if_else(
            self.alignment.holds,
            types,
            |b| combine(b, true),
            |b| combine(b, false),
        )
    }

    /// The loops that combine. `partial` are the parts of all lanes, one lane after the other.
    fn combine(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &Place<'c>,
        partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let left = &self.inner[at..];
        if let Some((dim, lanes)) = self.nest.aligned()
            && place.vectors.is_none()
            && left.iter().all(|n| self.nest.is_of_vectors(*n))
        {
            return self.combine_row(b, at, place, (dim, lanes), partial);
        }
        if left.is_empty() {
            let inside = self.guard_of(b, place);
            return self.combine_where(b, inside, place, partial);
        }
        if left.iter().all(|n| self.is_written_out(*n, place)) {
            return self.combine_at_once(b, at, place, partial);
        }
        self.iterate(
            b,
            left[0],
            place,
            true,
            partial,
            &mut |b, place, partial| self.combine(b, at + 1, place, partial),
        )
    }

    /// Whether the iterations of a loop are written one after the other. Where vectors do not begin
    /// at aligned addresses, although they could, code is short rather than fast: what is combined
    /// with one partial result is so in the same order.
    pub(super) fn is_written_out(&self, node: usize, place: &Place<'c>) -> bool {
        let is_element_wise = !matches!(self.job.work, Work::Combine(..));
        let short = place.slow && (is_element_wise || self.nest.nodes[node].combines());
        match self.nest.nodes[node].run {
            Run::Unrolled => !short,
            Run::Vectorized => !(short && is_element_wise),
            Run::Serial | Run::On(_) => false,
        }
    }

    /// The loops within a row whose vectors begin at aligned addresses, and what is beside these.
    fn combine_row(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &Place<'c>,
        aligned: (usize, i64),
        partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let vectors = self.vectors(b, place, aligned);
        let mut place = place.clone();
        place.vectors = Some(vectors.clone());
        self.derive(b, &mut place);
        let edges = self.edges(b, &place, aligned, &vectors);
        let partial = self.combine(b, at, &place, partial);
        self.combine_edges(b, edges, partial)
    }

    /// Combines the element of one point with the partial result of its lane, where `inside` holds.
    pub(super) fn combine_where(
        &self,
        b: &Builder<'c>,
        inside: Cond<'c>,
        place: &Place<'c>,
        mut partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let (Work::Combine(work), Some(combiner)) = (&self.job.work, &self.combiner) else {
            return partial;
        };
        let parts = combiner.types().len();
        let mine = self.lane(place) * parts..(self.lane(place) + 1) * parts;
        let types: Vec<Type<'c>> = combiner.types().to_vec();
        let old = partial[mine.clone()].to_vec();
        let is_loaded = !place.loaded.is_empty() && place.loaded.iter().all(Option::is_some);
        if is_loaded
            && work.element.is_none()
            && combiner.kind() != Kind::Custom
            && let Cond::Val(_) = inside
            && place.clamps
            && !place.beside
        {
            let element = self.element(b, place, work.element, combiner);
            let new = match self.ascends {
                true => combiner.combine_later(b, &old, &element),
                false => combiner.combine(b, &old, &element),
            };
            let chosen = new
                .iter()
                .zip(&old)
                .map(|(new, old)| b.select(inside, *new, *old));
            partial.splice(mine, chosen);
            return partial;
        }
        // The first element of a thread is a partial result as it is: the start leaves it so.
        let is_first = combiner.kind() == Kind::Custom && place.start == old;
        let new = b.if_else(
            inside,
            &types,
            |b| {
                let element = self.element(b, place, work.element, combiner);
                match self.ascends && !place.beside {
                    _ if is_first => element,
                    true => combiner.combine_later(b, &old, &element),
                    false => combiner.combine(b, &old, &element),
                }
            },
            |_| old.clone(),
        );
        partial.splice(mine, new);
        partial
    }

    /// Whether the point where the loops are is one of the iteration space.
    pub(super) fn guard_of(&self, b: &Builder<'c>, place: &Place<'c>) -> Cond<'c> {
        // Guards of results that lie side by side are known here only.
        let (kept, _) = self.lane_loops();
        let inside = match kept.is_empty() {
            true => Cond::Const(true),
            false => self.guard(b, place, false),
        };
        b.and(inside, self.guard(b, place, true))
    }

    /// A point of the iteration space: the one where the loops are, or where a guard does not hold,
    /// the first of its dimension. `None` where a guard is about several dimensions, elements that
    /// do not count are not to be loaded, or the first row may still be written by another block.
    pub(super) fn clamped(&self, b: &Builder<'c>, place: &Place<'c>) -> Option<Vec<Index<'c>>> {
        if !place.clamps || place.beside {
            return None;
        }
        let mut point = self.point(place);
        for guard in self.open_guards(place) {
            if self.is_last_block && !self.nest.nodes[guard].reduced {
                return None;
            }
            let index = point.get_mut(guard)?;
            let inside = self.is_there(b, place, guard, *index);
            *index = b.select_index(inside, *index, Index::Const(0));
        }
        Some(point)
    }

    /// Guards that are not known to hold.
    pub(super) fn open_guards(&self, place: &Place<'c>) -> impl Iterator<Item = usize> {
        self.guards
            .iter()
            .copied()
            .filter(|g| !place.full.contains(g))
    }

    /// The iterations of a loop that is written out.
    pub(super) fn written_out(
        &self,
        b: &Builder<'c>,
        node: usize,
        place: &Place<'c>,
    ) -> Vec<Place<'c>> {
        (0..self.count(node))
            .map(|i| {
                let index = Index::Const(i64::try_from(i).unwrap_or(0));
                self.enter(b, place, node, index)
            })
            .collect()
    }

    /// The length of a loop, in this row.
    pub(super) fn length(&self, place: &Place<'c>, node: usize) -> Index<'c> {
        let of_row = place.vectors.as_ref().and_then(|v| v.lengths.get(&node));
        of_row.copied().unwrap_or(self.extents[node])
    }

    /// Indices of the dimensions of the iteration space.
    pub(super) fn point(&self, place: &Place<'c>) -> Vec<Index<'c>> {
        (0..self.job.extents.len())
            .map(|d| place.index[&d])
            .collect()
    }
}

/// Groups of threads that combine their partial results, as width and stride of the linear thread
/// id, which goes on from one block of a cluster to the next. Neighbouring dimensions that are both
/// combined are one group.
fn groups(nest: &Nest) -> Vec<(i64, i64)> {
    let mut groups: Vec<(i64, i64)> = Vec::new();
    let mut stride = 1;
    let threads = (0..3).map(Processor::Thread).zip(nest.block());
    let blocks = (0..3).map(Processor::Cluster).zip(nest.cluster());
    for (processor, size) in threads.chain(blocks) {
        let combines = nest
            .on(processor)
            .is_some_and(|node| nest.nodes[node].combines());
        if combines && size > 1 {
            match groups.last_mut() {
                Some((width, start)) if *width * *start == stride => *width *= size,
                _ => groups.push((size, stride)),
            }
        }
        stride *= size;
    }
    groups
}

/// A number, or one for zero.
pub(super) fn at_least_one<'c>(b: &Builder<'c>, n: Index<'c>) -> Index<'c> {
    match n {
        Index::Const(n) => Index::Const(n.max(1)),
        Index::Val(n) => Index::Val(b.binary("arith.maxui", n, b.value(Index::Const(1)))),
    }
}

/// `gpu.thread_id` and its like.
pub(super) fn hardware<'c>(b: &Builder<'c>, op: &str, dimension: usize) -> Index<'c> {
    let name = ["x", "y", "z"][dimension];
    Index::Val(
        b.create(op)
            .attr_text("dimension", &format!("#gpu<dim {name}>"))
            .result(b.index_type())
            .value(),
    )
}
