//! Emits the code that combines elements with the accumulators of a thread, exchanges partial
//! results between threads, and stores results.

use super::body::{Body, EmitPoint};
use super::grid_op::Work;
use super::steps::Processor;
use crate::combiner::Combiner;
use crate::emit::{Group, all_reduce};
use melior::ir::{Type, ValueLike};
use tx_dialect_tile::{Kind, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

impl<'c> Body<'_, 'c> {
    /// Emits code that computes and stores one result, or all results of unrolled parallel loops.
    pub(super) fn result(&self, b: &Builder<'c>, place: &EmitPoint<'c>) {
        let inside = self.guard(b, place, false);
        let (Work::Combine(work), Some(combiner)) = (&self.grid_op.work, &self.combiner) else {
            b.if_then(inside, |b| self.store(b, place, None));
            return;
        };
        // If all elements of a row equal the initial value, the reduction returns the initial
        // value. The index of the initial value must therefore be the index of the first element.
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

    /// Emits the combination of the partial results of all threads of a row. Each thread of the row
    /// receives the reduction result.
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
                // The arm for clusters precedes the arm for warps: a segment of up to 32 threads
                // may span several blocks if each block is smaller than a warp.
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

    /// Emits the condition under which a thread stores the reduction result: `inside` is true, and
    /// the thread is the first thread of its row.
    pub(super) fn first_thread(
        &self,
        b: &Builder<'c>,
        inside: Cond<'c>,
        place: &EmitPoint<'c>,
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

    /// Returns the index of the accumulator that the iteration at loop-nest position `place` uses.
    fn lane(&self, place: &EmitPoint<'c>) -> usize {
        let (kept, vector) = self.lane_loops();
        kept.into_iter().chain(vector).fold(0, |lane, node| {
            // Head and tail elements use the first accumulator, because head and tail elements are
            // outside the parallel loops and the vectorized loop.
            let index = place.index.get(&node).and_then(|i| i.known()).unwrap_or(0);
            lane * self.count(node) + usize::try_from(index).unwrap_or(0)
        })
    }

    /// Emits all loops in which one thread combines elements. If the alignment of the vectors is
    /// dynamic, emits each loop twice: once on an aligned path, and once on an unaligned path.
    fn combine_all(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        start: &[Val<'c>],
        types: &[Type<'c>],
    ) -> Vec<Val<'c>> {
        let parts = start.len() / self.lanes().max(1);
        let combine = |b: &Builder<'c>, aligned| {
            let place = EmitPoint {
                start: start[..parts].to_vec(),
                aligned,
                is_fallback: !aligned && !matches!(self.alignment.holds, Cond::Const(_)),
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

    /// Emits the loops `self.inner[at..]`, in which one thread combines elements. `partial` lists
    /// first the values of accumulator 0, followed by the values of accumulator 1, ….
    fn combine(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &EmitPoint<'c>,
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
        if left.iter().all(|n| self.is_unrolled(*n, place)) {
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

    /// Emits the loops over the aligned vectors of a row, and the combination of the head and tail
    /// elements of the row.
    fn combine_row(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &EmitPoint<'c>,
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

    /// Emits code that combines the element at loop-nest position `place` with an accumulator if
    /// `inside` is true.
    pub(super) fn combine_where(
        &self,
        b: &Builder<'c>,
        inside: Cond<'c>,
        place: &EmitPoint<'c>,
        mut partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let (Work::Combine(work), Some(combiner)) = (&self.grid_op.work, &self.combiner) else {
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
            && !place.is_head_or_tail
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
        // The first element of a thread replaces the initial value of the accumulator, because
        // combining an element with the initial value returns the element.
        let is_first = combiner.kind() == Kind::Custom && place.start == old;
        let new = b.if_else(
            inside,
            &types,
            |b| {
                let element = self.element(b, place, work.element, combiner);
                match self.ascends && !place.is_head_or_tail {
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
}
