//! Batches of loads: a thread loads the elements of several unrolled iterations before it combines
//! the first element, so that many loads are in flight.

use super::body::{Body, EmitPoint};
use super::elements::{NONTEMPORAL, element_index};
use super::nest::LoopKind;
use super::vectors::WIDEST;
use crate::analysis::dataflow::Access;
use crate::emit::{OWNED, scalars, zeros};
use melior::ir::Type;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Val, byte_width, i64_attribute};

/// Number of bytes of a register.
const WORD: u64 = 4;

/// Maximum number of elements that a thread loads before the thread uses the first of these
/// elements.
const ELEMENTS_IN_FLIGHT: usize = 64;

impl<'c> Body<'_, 'c> {
    /// Emits unrolled loops in batches: the code of a batch loads all elements of the batch before
    /// the code combines the first element.
    pub(super) fn combine_at_once(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &EmitPoint<'c>,
        mut partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let loops = &self.inner[at..];
        let mut points = loops.iter().fold(vec![place.clone()], |points, node| {
            let each = |place: &EmitPoint<'c>| self.unrolled(b, *node, place);
            points.iter().flat_map(each).collect()
        });
        let vector = loops.last().copied().filter(|n| {
            self.nest.nodes[*n].kind == LoopKind::Vectorized && !self.is_cut(*n, place)
        });
        let width = vector.map_or(1, |n| self.count(n).max(1));
        let tile = self.number_tile(loops, &mut points);
        let before = partial.clone();
        if tile.is_some() {
            partial = self.begin_tile(b, &before);
        }
        let batch = (ELEMENTS_IN_FLIGHT / width).max(1) * width;
        for points in points.chunks(batch) {
            let groups: Vec<(Cond<'c>, Vec<EmitPoint<'c>>)> = points
                .chunks(width)
                .map(|group| {
                    let condition = self.guard_of(b, &group[0]);
                    let loaded = self.load_where(b, condition, group, vector);
                    let places = group.iter().zip(loaded).map(|(place, loaded)| EmitPoint {
                        loaded,
                        ..place.clone()
                    });
                    (condition, places.collect())
                })
                .collect();
            for (condition, places) in groups {
                for place in places {
                    partial = self.combine_where(b, condition, &place, partial);
                }
            }
        }
        match tile {
            Some(tile) => self.end_tile(b, &tile, &before, &partial),
            None => partial,
        }
    }

    /// Returns whether the result of a bounds check may differ between iterations of loop `node`.
    fn is_cut(&self, node: usize, place: &EmitPoint<'c>) -> bool {
        self.open_guards(place)
            .any(|guard| self.nest.loops_of(guard).contains(&node))
    }

    /// Emits loads of the source elements at several points. If `condition` is false, the emitted
    /// code returns zeros instead of loaded values. The elements at consecutive iterations of loop
    /// `vector` are loaded as one vector.
    pub(super) fn load_where(
        &self,
        b: &Builder<'c>,
        condition: Cond<'c>,
        points: &[EmitPoint<'c>],
        vector: Option<usize>,
    ) -> Vec<Vec<Option<Val<'c>>>> {
        let sources: Vec<(usize, &Access<'c>, Type<'c>)> = self
            .grid_op
            .sources
            .iter()
            .enumerate()
            .filter(|(i, _)| self.grid_op.reads(*i))
            .filter_map(|(i, source)| Some((i, source, source.memref.as_ref()?.element)))
            .collect();
        // Without branches, the loads of a thread stay in one basic block.
        if let ([place], Cond::Val(_)) = (points, condition)
            && let Some(point) = self.clamped(b, place)
        {
            let mut loaded = vec![None; self.grid_op.sources.len()];
            for (i, source, _) in sources {
                loaded[i] = Some(self.load(b, source, &point));
            }
            return vec![loaded];
        }
        let count = u64::try_from(points.len()).unwrap_or(1);
        let is_vector = |i: usize| {
            let is_staged = points[0].staged(i).is_some();
            vector.is_some()
                && points[0].aligned
                && self.alignment.sources[i].is_some()
                && !is_staged
        };
        // Narrow vectors are split into elements after the branch. If narrow vectors were split
        // inside the branch, LLVM would convert each element next to its load, and each load would
        // wait for the previous load.
        let is_whole = |i: usize, ty: Type<'c>| {
            is_vector(i) && byte_width(ty).is_some_and(|bytes| bytes < WORD)
        };
        let types: Vec<Type<'c>> = sources
            .iter()
            .flat_map(|(i, _, ty)| match is_whole(*i, *ty) {
                true => vec![Type::vector(&[count], *ty)],
                false => vec![*ty; points.len()],
            })
            .collect();
        let all = b.if_else(
            condition,
            &types,
            |b| {
                let each = |(i, source, ty): &(usize, &Access<'c>, Type<'c>)| match is_vector(*i) {
                    true => {
                        let vector = self.load_vector(b, source, &points[0], count, *ty);
                        match is_whole(*i, *ty) {
                            true => vec![vector],
                            false => scalars(b, vector),
                        }
                    }
                    // The unaligned path uses scalar loads. LLVM would merge vector loads of the
                    // aligned and the unaligned path into one vector load with the lower alignment.
                    false => self.load_neighbours(b, (*i, source), points, vector),
                };
                sources.iter().flat_map(each).collect()
            },
            |b| types.iter().map(|ty| zeros(b, *ty)).collect(),
        );
        let mut all = all.into_iter().flat_map(|value| scalars(b, value));
        let mut loaded = vec![vec![None; self.grid_op.sources.len()]; points.len()];
        for (i, ..) in sources {
            for point in &mut loaded {
                point[i] = all.next();
            }
        }
        loaded
    }

    pub(super) fn load_vector(
        &self,
        b: &Builder<'c>,
        source: &Access<'c>,
        place: &EmitPoint<'c>,
        count: u64,
        element: Type<'c>,
    ) -> Val<'c> {
        let mut operands = vec![source.value];
        operands.extend(element_index(b, source, &self.point(place)));
        let bytes = byte_width(element).unwrap_or(1) * count;
        let bytes = i64::try_from(bytes).map_or(WIDEST, |n| n.min(WIDEST));
        let mut vector = b
            .create("vector.load")
            .operands(&operands)
            .attr("alignment", i64_attribute(b.context(), bytes));
        if self.is_streamed(source) {
            vector = vector.attr(NONTEMPORAL, b.attribute("true"));
        }
        // If the kernel also writes this array, no other thread accesses the element.
        if self.is_written(source) {
            vector = vector.attr(OWNED, i64_attribute(b.context(), self.owner));
        }
        vector.result(Type::vector(&[count], element)).value()
    }
}
