//! State of the emission of a kernel: the op, the loop nest of the op, and the current position in
//! the loop nest.

use super::grid_op::{Combination, GridOp, Work};
use super::nest::{LoopKind, LoopRelation, Nest};
use super::staged::{Stage, Staged};
use super::steps::Processor;
use super::vectors::{Alignment, Vectors};
use crate::combiner::Combiner;
use crate::emit::delinearize;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Op, Val};

/// Position in the loop nest at which code is emitted.
#[derive(Clone, Default)]
pub(super) struct EmitPoint<'c> {
    /// Index of each enclosing loop, and of each split or fused loop whose index the enclosing
    /// loops determine.
    pub(super) index: BTreeMap<usize, Index<'c>>,
    /// First index of the current tile of each split loop. `begins` contains a split loop only at
    /// positions inside the outer loop and outside the inner loop of the split.
    pub(super) begins: BTreeMap<usize, Index<'c>>,
    /// Split loops that need no bounds check at the current loop-nest position.
    pub(super) full: BTreeSet<usize>,
    pub(super) peeled: usize,
    /// Loaded element of each source; `None` for a source that is not loaded yet.
    pub(super) loaded: Vec<Option<Val<'c>>>,
    /// Previous value of the element in each destination, if this value is already loaded.
    pub(super) old: Vec<Option<Val<'c>>>,
    /// Index of the current element, relative to the first element of the tile.
    pub(super) number: Option<i64>,
    /// Whether vectors begin at addresses that are multiples of the vector size.
    pub(super) aligned: bool,
    /// True while the fallback path of a kernel is emitted. The kernel also has an aligned or
    /// full-tile path, so the fallback path should be small.
    pub(super) is_fallback: bool,
    /// Whether the current element is a head or tail element, outside the aligned vectors of the
    /// row. Head and tail elements are not combined in index order.
    pub(super) is_head_or_tail: bool,
    pub(super) start: Vec<Val<'c>>,
    /// Whether an out-of-range load reads the element at index 0; if false, a branch skips the
    /// load.
    pub(super) clamps: bool,
    /// Position of the aligned vectors of the current row; `None` outside the loops over rows.
    pub(super) vectors: Option<Vectors<'c>>,
    /// Shared-memory tile of each source, if the source has a tile.
    pub(super) staged: Vec<Option<Staged<'c>>>,
    /// Condition that all points of the block are inside the iteration space; `None` if no source
    /// has a tile in shared memory.
    pub(super) is_whole: Option<Cond<'c>>,
}

impl<'c> EmitPoint<'c> {
    pub(super) fn staged(&self, source: usize) -> Option<&Staged<'c>> {
        self.staged.get(source)?.as_ref()
    }
}

/// Maximum number of ops of a cheap combiner: one op and the terminator `tile.yield`.
const MAX_CHEAP_OPS: i64 = 2;

pub(crate) struct Body<'a, 'c> {
    pub(super) grid_op: &'a GridOp<'c>,
    pub(super) nest: &'a Nest,
    /// Trip count of each loop. For a loop whose trip count differs between rows, `extents`
    /// contains an upper bound of the trip counts.
    pub(super) extents: Vec<Index<'c>>,
    pub(super) guards: Vec<usize>,
    /// Loops that one thread executes. `inner` begins with the first loop that combines elements,
    /// and `outer` lists the loops around `inner`.
    pub(super) outer: Vec<usize>,
    pub(super) inner: Vec<usize>,
    /// Width and stride, in linear thread ids, of each group of threads that exchange partial
    /// results.
    pub(super) groups: Vec<(i64, i64)>,
    /// Vector accesses, and the condition that all vector accesses are aligned.
    pub(super) alignment: Alignment<'c>,
    /// Combiner of the op, with a 32-bit index if all element indices fit in 32 bits.
    pub(super) combiner: Option<Combiner<'c>>,
    /// Whether the op is an `argmax` or `argmin` that computes element indices, and whose
    /// accumulators combine elements in ascending index order.
    pub(super) ascends: bool,
    /// Whether all elements of a vector use one accumulator, because the combination of two
    /// accumulators is expensive.
    pub(super) shares: bool,
    /// True in the first phase of a last-block reduction. Even if there are no partial results, one
    /// block must run to store the results.
    pub(super) precedes_last_block: bool,
    /// Value of the attribute `OWNED` on the memory accesses of the current phase. For each
    /// element, a single thread executes all accesses with the same value of `OWNED`.
    pub(super) owner: i64,
    /// Sources that have a tile in shared memory.
    pub(super) stages: Vec<Stage<'c>>,
    /// True in the second phase of a last-block reduction. While a block executes the second phase
    /// for its rows, partial results of other rows may be incomplete.
    pub(super) is_last_block: bool,
}

impl<'a, 'c> Body<'a, 'c> {
    pub(crate) fn new(grid_op: &'a GridOp<'c>, nest: &'a Nest, b: &Builder<'c>) -> Self {
        let lengths: Vec<Index<'c>> = (0..grid_op.extents.len())
            .map(|d| grid_op.length(b, d))
            .collect();
        let serial = nest.serial();
        let first = serial
            .iter()
            .position(|n| nest.nodes[*n].combines())
            .unwrap_or(serial.len());
        let (outer, inner) = serial.split_at(first);
        let ascends = |shares| match grid_op.axes.as_slice() {
            [axis] => grid_op.numbers_elements() && nest.ascends_along(*axis, shares),
            _ => false,
        };
        let shares = match &grid_op.work {
            Work::Combine(Combination { combiner, .. }) => {
                combiner.weight() > MAX_CHEAP_OPS && (!grid_op.numbers_elements() || ascends(true))
            }
            _ => false,
        };
        Self {
            grid_op,
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
            alignment: Alignment::of(b, grid_op, nest),
            combiner: match &grid_op.work {
                Work::Combine(Combination { combiner, .. }) => {
                    Some(match grid_op.fits_in_32_bits() {
                        true => combiner.with_short_index(),
                        false => combiner.clone(),
                    })
                }
                _ => None,
            },
            ascends: ascends(shares),
            shares,
            precedes_last_block: false,
            owner: 0,
            stages: Vec::new(),
            is_last_block: false,
        }
    }

    /// Declares the shared-memory tiles of the sources next to the kernel function.
    pub(crate) fn with_tiles(self, b: &Builder<'c>, kernel: Op<'c>) -> Self {
        Self {
            stages: Stage::all(b, kernel, self.grid_op, self.nest),
            ..self
        }
    }

    pub(crate) fn phase(self, number: i64) -> Self {
        Self {
            owner: number,
            ..self
        }
    }

    /// Returns the loop-nest position in iteration `index` of loop `node`. The function also emits
    /// the indices of split and fused loops that are computed from `index`.
    pub(super) fn enter(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        node: usize,
        index: Index<'c>,
    ) -> EmitPoint<'c> {
        let mut place = place.clone();
        place.index.insert(node, index);
        self.derive(b, &mut place);
        place
    }

    /// Emits the indices of split and fused loops that are computed from the indices in `place`.
    pub(super) fn derive(&self, b: &Builder<'c>, place: &mut EmitPoint<'c>) {
        // Each schedule step creates loops with higher numbers than the loops that the step
        // replaces. The traversal therefore visits the loops in descending order.
        for (n, node) in self.nest.nodes.iter().enumerate().rev() {
            if let LoopRelation::Split {
                outer,
                inner,
                factor,
                aligned,
            } = node.relation
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

    /// Returns the loops of one thread whose iterations each use a separate accumulator: first the
    /// parallel loops, then the vectorized reduced loop.
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
            .find(|n| nodes[*n].combines() && nodes[*n].kind == LoopKind::Vectorized)
            .filter(|_| !self.shares);
        (kept, vector)
    }

    pub(super) fn count(&self, node: usize) -> usize {
        let count = self.nest.nodes[node].extent.known().unwrap_or(1);
        usize::try_from(count).unwrap_or(1)
    }

    /// Returns the number of accumulators of one thread.
    pub(super) fn lanes(&self) -> usize {
        let (kept, vector) = self.lane_loops();
        let results: usize = kept.into_iter().map(|n| self.count(n)).product();
        results * self.width(vector)
    }

    /// Returns the number of accumulators for each result: the length of the vectorized loop, but
    /// at least 1.
    pub(super) fn width(&self, vector: Option<usize>) -> usize {
        vector.map_or(1, |n| self.count(n).max(1))
    }

    /// Returns whether a loop is unrolled. If a kernel has an aligned and an unaligned path, loops
    /// on the unaligned path are not unrolled, so that the code stays small. An accumulator
    /// combines its elements in the same order on the aligned path and on the unaligned path.
    pub(super) fn is_unrolled(&self, node: usize, place: &EmitPoint<'c>) -> bool {
        let is_element_wise = !matches!(self.grid_op.work, Work::Combine(..));
        let short = place.is_fallback && (is_element_wise || self.nest.nodes[node].combines());
        match self.nest.nodes[node].kind {
            LoopKind::Unrolled => !short,
            LoopKind::Vectorized => !(short && is_element_wise),
            LoopKind::Serial | LoopKind::Bound(_) => false,
        }
    }

    /// Returns one loop-nest position for each iteration of an unrolled loop.
    pub(super) fn unrolled(
        &self,
        b: &Builder<'c>,
        node: usize,
        place: &EmitPoint<'c>,
    ) -> Vec<EmitPoint<'c>> {
        (0..self.count(node))
            .map(|i| {
                let index = Index::Const(i64::try_from(i).unwrap_or(0));
                self.enter(b, place, node, index)
            })
            .collect()
    }

    pub(super) fn length(&self, place: &EmitPoint<'c>, node: usize) -> Index<'c> {
        let of_row = place.vectors.as_ref().and_then(|v| v.lengths.get(&node));
        of_row.copied().unwrap_or(self.extents[node])
    }

    pub(super) fn point(&self, place: &EmitPoint<'c>) -> Vec<Index<'c>> {
        (0..self.grid_op.extents.len())
            .map(|d| place.index[&d])
            .collect()
    }
}

/// Returns the width and stride of each group of threads that exchange partial results, in linear
/// thread ids. The thread ids continue from one block of a cluster to the next block. Adjacent
/// dimensions of a block or cluster form one group if reduced loops are bound to these dimensions.
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
