//! Emits the stores of a kernel: results of reductions and of element-wise ops.

use super::body::{Body, EmitPoint};
use super::elements::element_index;
use super::grid_op::{Combination, Work, atomic_kind, reads_argument};
use super::nest::LoopKind;
use super::steps::Processor;
use crate::combiner::Combiner;
use crate::emit::{OWNED, finish, product};
use melior::ir::ValueLike;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val, i64_attribute, is};

impl<'c> Body<'_, 'c> {
    /// Emits the combination of the accumulators of each result. A vectorized loop has one
    /// accumulator for each vector element. Returns the combined values, one for each result of the
    /// thread.
    pub(super) fn fold_lanes(
        &self,
        b: &Builder<'c>,
        combiner: &Combiner<'c>,
        partial: Vec<Val<'c>>,
    ) -> Vec<Vec<Val<'c>>> {
        let (_, vector) = self.lane_loops();
        let width = self.width(vector);
        let lanes: Vec<Vec<Val<'c>>> = partial
            .chunks(combiner.types().len())
            .map(<[Val<'c>]>::to_vec)
            .collect();
        lanes
            .chunks(width)
            .map(|some| combiner.combine_all(b, some.to_vec()))
            .collect()
    }

    pub(super) fn store_totals(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        work: &Combination<'c>,
        totals: Vec<Vec<Val<'c>>>,
    ) {
        let combiner = &work.combiner;
        let (kept, _) = self.lane_loops();
        for (lane, total) in totals.into_iter().enumerate() {
            let total = combiner.narrow(b, &total, combiner.types());
            let mut place = place.clone();
            let mut rest = lane;
            for node in kept.iter().rev() {
                let index = i64::try_from(rest % self.count(*node)).unwrap_or(0);
                place = self.enter(b, &place, *node, Index::Const(index));
                rest /= self.count(*node);
            }
            let inside = match kept.is_empty() {
                true => Cond::Const(true),
                false => self.guard(b, &place, false),
            };
            b.if_then(inside, |b| self.store(b, &place, Some((work, &total))));
        }
    }

    /// Emits the store of a reduction result, or of the result of an element-wise op at one point.
    pub(super) fn store(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        total: Option<(&Combination<'c>, &[Val<'c>])>,
    ) {
        // At this position, the combining loops have ended, and no index of a destination depends
        // on the dimensions of these loops.
        let point: Vec<Index<'c>> = (0..self.grid_op.extents.len())
            .map(|d| match self.grid_op.axes.contains(&d) {
                true => Index::Const(0),
                false => place.index[&d],
            })
            .collect();
        let apart: Vec<Val<'c>> = self
            .grid_op
            .partials
            .iter()
            .filter_map(|name| self.nest.find(name).ok())
            .map(|node| b.value(place.index[&node]))
            .collect();
        let places: Vec<Vec<Val<'c>>> = self
            .grid_op
            .destinations
            .iter()
            .map(|d| [vec![d.value], apart.clone(), element_index(b, d, &point)].concat())
            .collect();
        let values = match total {
            Some((work, total)) if self.by_atomics() => {
                // The check of the schedule reports an error for all other kinds of reductions.
                let Some(kind) = work.combiner.op().and_then(atomic_kind) else {
                    return;
                };
                b.create("memref.atomic_rmw")
                    .attr("kind", i64_attribute(b.context(), kind))
                    .operands(&[vec![total[0]], places[0].clone()].concat())
                    .result(total[0].r#type())
                    .build();
                return;
            }
            Some((work, total)) => self.finish(b, work, total, &places, &point, None),
            None => self.compute(b, place, &point, &places),
        };
        for (value, place) in values.into_iter().zip(places) {
            // Each element of a destination is written once, by one thread.
            b.create("memref.store")
                .attr(OWNED, i64_attribute(b.context(), self.owner))
                .operands(&[vec![value], place].concat())
                .build();
        }
    }

    fn by_atomics(&self) -> bool {
        let nodes = &self.nest.nodes;
        self.nest.order.iter().any(|n| {
            nodes[*n].combines() && matches!(nodes[*n].kind, LoopKind::Bound(Processor::Block(_)))
        })
    }

    /// Emits the stored value of a reduction result: combines the previous value of the
    /// destination, and applies the epilogue. `extras` lists the operands of the epilogue; `None`
    /// if these operands are not loaded yet.
    pub(super) fn finish(
        &self,
        b: &Builder<'c>,
        work: &Combination<'c>,
        total: &[Val<'c>],
        places: &[Vec<Val<'c>>],
        point: &[Index<'c>],
        extras: Option<&[Val<'c>]>,
    ) -> Vec<Val<'c>> {
        if work.is_partial_of_old {
            return total.to_vec();
        }
        let combiner = &work.combiner;
        let lengths: Vec<Index<'c>> = self.grid_op.axes.iter().map(|d| self.extents[*d]).collect();
        let stored = self.grid_op.stored_types();
        let old = work.accumulate.then(|| {
            let loads = places.iter().zip(&stored);
            loads
                .map(|(place, ty)| {
                    b.create("memref.load")
                        .attr(OWNED, i64_attribute(b.context(), self.owner))
                        .operands(place)
                        .result(*ty)
                        .value()
                })
                .collect()
        });
        let length = product(b, &lengths);
        let Some(block) = work.epilogue else {
            return finish(b, combiner, total, length, old, &stored);
        };
        let types = combiner.types().to_vec();
        let mut arguments = finish(b, combiner, total, length, old, &types);
        match extras {
            Some(extras) => arguments.extend(extras),
            None => arguments.extend(self.grid_op.extras.iter().map(|e| self.load(b, e, point))),
        }
        let kept = (0..point.len()).filter(|d| !self.grid_op.axes.contains(d));
        arguments.extend(kept.map(|d| b.value(point[d])));
        b.inline(block, &arguments)
    }

    pub(super) fn compute(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        point: &[Index<'c>],
        places: &[Vec<Val<'c>>],
    ) -> Vec<Val<'c>> {
        let mut arguments = self.load_sources(b, place, point);
        let block = match &self.grid_op.work {
            Work::Body(block) => block,
            Work::Start(combiner, grid_op) => {
                let lengths: Vec<Index<'c>> =
                    grid_op.axes.iter().map(|d| grid_op.length(b, *d)).collect();
                let (start, stored) = (combiner.start(b), self.grid_op.stored_types());
                return finish(b, combiner, &start, product(b, &lengths), None, &stored);
            }
            Work::Copy | Work::Combine(..) => {
                let sources = arguments.into_iter().map(|(_, source)| source);
                return sources.take(1).collect();
            }
        };
        for (i, (destination, at)) in self.grid_op.destinations.iter().zip(places).enumerate() {
            let number = self.grid_op.sources.len() + i;
            if let Some(memref) = &destination.memref
                && reads_argument(*block, number)
            {
                if let Some(Some(old)) = place.old.get(i) {
                    arguments.push((number, *old));
                    continue;
                }
                let old = b
                    .create("memref.load")
                    .attr(OWNED, i64_attribute(b.context(), self.owner));
                arguments.push((number, old.operands(at).result(memref.element).value()));
            }
        }
        b.inline_with(*block, &arguments, &|op| {
            let dim = tx_mlir::integer_attribute(op, "dim").filter(|_| is(op, "linalg.index"))?;
            Some(vec![b.value(point[usize::try_from(dim).ok()?])])
        })
    }
}
