//! Emits the loops of a kernel: loops bound to threads and blocks, peeled loops, and unrolled
//! loops.

use super::body::{Body, EmitPoint};
use super::extent::Extent;
use super::nest::{LoopKind, LoopRelation, MAX_BLOCKS};
use super::steps::Processor;
use melior::ir::{Type, ValueLike};
use tx_mlir::{Builder, Index, Val};

/// Maximum number of nested peeled loops. Peeling doubles the code of a loop: one copy of the code
/// processes full tiles without bounds checks, and the other copy processes the remainder.
const MAX_PEELED: usize = 2;

/// Maximum number of ops per element in a peeled loop.
const MAX_DOUBLED: i64 = 24;

/// Maximum length, in elements, of a partial tile that is loaded without branches. Without a
/// branch, an out-of-range load reads the element at index 0, which is in the cache. In tiles of
/// more than `MAX_CLAMPED_ELEMENTS` elements, out-of-range loads take longer than branches.
const MAX_CLAMPED_ELEMENTS: i64 = 64;

struct Range<'c> {
    from: Index<'c>,
    to: Index<'c>,
    /// Whether the range from `from` to `to` has at most one iteration.
    once: bool,
    place: EmitPoint<'c>,
}

/// Callback that emits one iteration of a loop, and maps the loop-carried values to new values.
pub(super) type Iteration<'f, 'c> =
    dyn FnMut(&Builder<'c>, &EmitPoint<'c>, Vec<Val<'c>>) -> Vec<Val<'c>> + 'f;

impl<'c> Body<'_, 'c> {
    pub(crate) fn write(&self, b: &Builder<'c>) {
        self.write_in_blocks(b, &|b, place| self.outer(b, 0, place));
    }

    /// Emits the loops that are bound to threads and blocks, and fills the shared-memory tiles of
    /// the sources. The closure `then` emits the code inside the loops that are bound to threads
    /// and blocks.
    pub(super) fn write_in_blocks(
        &self,
        b: &Builder<'c>,
        then: &dyn Fn(&Builder<'c>, &EmitPoint<'c>),
    ) {
        self.blocks(b, 0, &self.threads(b), then);
    }

    /// Returns the loop-nest position inside all loops that are bound to threads or to blocks of a
    /// cluster.
    pub(super) fn threads(&self, b: &Builder<'c>) -> EmitPoint<'c> {
        let mut place = EmitPoint::default();
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

    /// Emits the loops bound to blocks: grid-stride loops if the grid may have fewer blocks than
    /// iterations. The closure `then` emits the code inside all loops that are bound to blocks and
    /// threads.
    fn blocks(
        &self,
        b: &Builder<'c>,
        dimension: usize,
        place: &EmitPoint<'c>,
        then: &dyn Fn(&Builder<'c>, &EmitPoint<'c>),
    ) {
        if dimension == MAX_BLOCKS.len() {
            return then(b, &self.staged(b, place));
        }
        let Some(node) = self.nest.on(Processor::Block(dimension)) else {
            return self.blocks(b, dimension + 1, place, then);
        };
        self.grid_stride_loop(b, dimension, node, |b, block| {
            self.blocks(b, dimension + 1, &self.enter(b, place, node, block), then);
        });
    }

    /// Emits the iterations of loop `node` that one block executes. The loop is bound to blocks
    /// along `dimension`. A block executes one iteration, or a grid-stride loop if the grid may
    /// have fewer blocks than the loop has iterations.
    pub(super) fn grid_stride_loop(
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
        let most = self.nest.most_blocks(dimension);
        if self.nest.has_whole_grid || extent.known().is_some_and(|n| n <= most) {
            return then(b, block);
        }
        let (end, step) = (self.trip_count(b, node), hardware(b, count, dimension));
        b.for_loop(block, end, step, &[], |b, block, _| {
            then(b, block);
            Vec::new()
        });
    }

    /// Returns the number of iterations of a loop bound to blocks. In a last-block reduction, a
    /// loop bound to blocks has at least 1 iteration: even if there are no partial results, one
    /// block must store the results.
    pub(super) fn trip_count(&self, b: &Builder<'c>, node: usize) -> Index<'c> {
        match self.may_be_empty(node) {
            true => at_least_one(b, self.extents[node]),
            false => self.extents[node],
        }
    }

    /// Returns whether loop `node` of a last-block reduction may have 0 iterations. One block must
    /// run even if the loop has 0 iterations.
    pub(super) fn may_be_empty(&self, node: usize) -> bool {
        let node = &self.nest.nodes[node];
        self.precedes_last_block && node.is_rfactor && node.extent.known().is_none_or(|n| n == 0)
    }

    /// Emits the loops `self.outer[at..]`, which enclose the loops that combine elements.
    pub(super) fn outer(&self, b: &Builder<'c>, at: usize, place: &EmitPoint<'c>) {
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

    /// Emits a loop of one thread with loop-carried values. If `apart` is set, the threads of a
    /// block may execute different numbers of iterations.
    pub(super) fn iterate(
        &self,
        b: &Builder<'c>,
        node: usize,
        place: &EmitPoint<'c>,
        apart: bool,
        carried: Vec<Val<'c>>,
        body: &mut Iteration<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let mut carried = carried;
        if self.is_unrolled(node, place) {
            for place in self.unrolled(b, node, place) {
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

    /// Divides the iterations of a loop into full tiles without bounds checks, and a remainder.
    fn ranges(
        &self,
        b: &Builder<'c>,
        node: usize,
        place: &EmitPoint<'c>,
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
                    self.nest.nodes[*g].relation,
                    LoopRelation::Split { outer, inner, .. } if outer == node || inner == node
                )
            });
        let Some(guard) = guard else { return whole() };
        let LoopRelation::Split { outer, factor, .. } = self.nest.nodes[guard].relation else {
            return whole();
        };
        // The number of vectors differs between rows, and the code at this position is outside the
        // loop over rows.
        if place.vectors.is_none() && self.nest.is_of_vectors(guard) {
            return whole();
        }
        let mut full = place.clone();
        full.full.insert(guard);
        let total = self.length(place, guard);
        if outer == node {
            if place.is_fallback || place.peeled >= self.most_peeled() {
                return whole();
            }
            full.peeled += 1;
            let mut rest = place.clone();
            rest.peeled += 1;
            let most = self.nest.nodes[guard].extent.most();
            let is_short = factor <= MAX_CLAMPED_ELEMENTS || self.is_shared_by_blocks(guard);
            if most.is_some_and(|n| n < factor || n == factor && is_short) {
                return vec![Range {
                    once: true,
                    ..range(
                        Index::Const(0),
                        end,
                        EmitPoint {
                            clamps: factor <= MAX_CLAMPED_ELEMENTS,
                            ..place.clone()
                        },
                    )
                }];
            }
            if self.is_guarded_throughout(guard) {
                return whole();
            }
            let complete = b.div(total, Index::Const(factor));
            // The remainder has at most one tile, so emit a branch: LLVM would unroll a loop.
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
        // Every iteration of this loop stores a partial result, even an iteration that combines no
        // elements.
        if self.nest.nodes[node].is_rfactor {
            return whole();
        }
        // If the index of the outer tile is known, the inner loop ends at the length of the
        // dimension, and its iterations need no bounds check.
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

    /// Returns true if the loop over the tiles of a row is emitted once, with bounds checks,
    /// instead of being peeled. The loop is not peeled if the row length is dynamic and each thread
    /// loads several scalars.
    fn is_guarded_throughout(&self, node: usize) -> bool {
        let nodes = &self.nest.nodes;
        let is_unknown = matches!(nodes[node].extent, Extent::Dim(_) | Extent::Between { .. });
        let is_alone = self.grid_op.extents.len() == self.grid_op.axes.len();
        let loops = self.nest.loops_of(node);
        let lanes = self.nest.on(Processor::Thread(0));
        let is_vector = |n: &usize| nodes[*n].kind == LoopKind::Vectorized;
        is_unknown
            && !is_alone
            && lanes.is_some_and(|lanes| nodes[lanes].reduced && loops.contains(&lanes))
            && loops.iter().any(|n| nodes[*n].kind == LoopKind::Unrolled)
            && !self.nest.serial().iter().any(is_vector)
    }

    /// Returns whether the iterations of split loop `node` are distributed over blocks.
    fn is_shared_by_blocks(&self, node: usize) -> bool {
        let loops = self.nest.loops_of(node);
        loops.iter().any(|n| {
            matches!(
                self.nest.nodes[*n].kind,
                LoopKind::Bound(Processor::Block(_) | Processor::Cluster(_))
            )
        })
    }

    /// Returns the maximum number of loops to peel. The function returns 0 if each element needs
    /// many ops, because the cost of a bounds check is small compared with the cost of these ops.
    fn most_peeled(&self) -> usize {
        match self.grid_op.weight() > MAX_DOUBLED {
            true => 0,
            false => MAX_PEELED,
        }
    }

    /// Returns whether all threads that exchange partial results have the same index of loop
    /// `node`.
    fn is_uniform(&self, node: usize) -> bool {
        let differs = |l: &usize| {
            let kind = self.nest.nodes[*l].kind;
            matches!(
                kind,
                LoopKind::Bound(Processor::Thread(_) | Processor::Cluster(_))
            )
        };
        !self.nest.loops_of(node).iter().any(differs)
    }
}

pub(super) fn at_least_one<'c>(b: &Builder<'c>, n: Index<'c>) -> Index<'c> {
    match n {
        Index::Const(n) => Index::Const(n.max(1)),
        Index::Val(n) => Index::Val(b.binary("arith.maxui", n, b.value(Index::Const(1)))),
    }
}

pub(super) fn hardware<'c>(b: &Builder<'c>, op: &str, dimension: usize) -> Index<'c> {
    let name = ["x", "y", "z"][dimension];
    Index::Val(
        b.create(op)
            .attr_text("dimension", &format!("#gpu<dim {name}>"))
            .result(b.index_type())
            .value(),
    )
}
