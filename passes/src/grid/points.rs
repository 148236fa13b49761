//! Emits code in which one thread computes the results of an element-wise op at several points
//! (index tuples of the iteration space) together. The thread loads the elements of several points
//! before the thread computes the first result, so that many loads are in flight.

use super::body::{Body, EmitPoint};
use super::elements::element_index;
use super::grid_op::{Work, reads_argument};
use super::nest::LoopKind;
use super::steps::Processor;
use super::vectors::WIDEST;
use crate::analysis::dataflow::Access;
use crate::emit::{OWNED, scalars, vector_of};
use tx_mlir::build::Cond;
use tx_mlir::{Affine, Builder, Index, Val, byte_width, i64_attribute};

/// Pair of loops whose iterations the kernel may distribute over the threads of a block in an order
/// that differs from the schedule.
#[derive(Clone, Copy)]
pub(super) struct Exchangeable<'c> {
    thread: usize,
    vector: usize,
    /// Condition that all points of the block are inside the iteration space.
    pub(super) is_whole: Cond<'c>,
}

impl<'c> Body<'_, 'c> {
    /// Returns true if the op is element-wise and each thread unrolls all loops of
    /// `self.outer[at..]`.
    pub(super) fn is_at_points(&self, at: usize, place: &EmitPoint<'c>) -> bool {
        let loops = &self.outer[at..];
        !matches!(self.grid_op.work, Work::Combine(..))
            && loops.iter().all(|node| self.is_unrolled(*node, place))
    }

    /// Emits the code of one thread for all iterations (points) of the loops `self.outer[at..]`.
    /// The thread computes the results at all points together if all points are in bounds and all
    /// vectors are aligned. If a point is out of bounds or a vector is unaligned, the thread
    /// computes the results point by point, so that the code stays small.
    pub(super) fn points(&self, b: &Builder<'c>, at: usize, place: &EmitPoint<'c>) {
        let loops = &self.outer[at..];
        let aligned = EmitPoint {
            aligned: true,
            ..place.clone()
        };
        let points = loops.iter().fold(vec![aligned], |points, node| {
            let each = |place: &EmitPoint<'c>| self.unrolled(b, *node, place);
            points.iter().flat_map(each).collect()
        });
        let vector = loops.last().copied().filter(|node| {
            self.nest.nodes[*node].kind == LoopKind::Vectorized && self.count(*node) > 1
        });
        let width = vector.map_or(1, |node| self.count(node));
        let mut together = match vector {
            Some(_) => self.alignment.holds,
            None => Cond::Const(true),
        };
        let exchangeable = self.exchangeable(place, vector);
        match exchangeable {
            // All threads of a block must branch in the same way, so the condition applies to the
            // whole block.
            Some(loops) => together = b.and(together, loops.is_whole),
            None => {
                for group in points.chunks(width) {
                    // Indices ascend in a vector, so the bounds check of the last point implies the
                    // bounds checks of all other points of the vector.
                    together = b.and(together, self.guard(b, &group[width - 1], false));
                }
            }
        }
        b.if_then_else(
            together,
            |b| self.points_together(b, &points, vector, width),
            |b| {
                if let Some(loops) = exchangeable {
                    return self.points_one_by_one(b, at, place, loops);
                }
                let fallback = EmitPoint {
                    is_fallback: true,
                    ..place.clone()
                };
                self.outer(b, at, &fallback);
            },
        );
    }

    fn points_together(
        &self,
        b: &Builder<'c>,
        points: &[EmitPoint<'c>],
        vector: Option<usize>,
        width: usize,
    ) {
        let groups: Vec<Vec<EmitPoint<'c>>> = points
            .chunks(width)
            .map(|group| self.loaded(b, group, vector))
            .collect();
        for group in &groups {
            self.store_group(b, group, vector);
        }
    }

    fn loaded(
        &self,
        b: &Builder<'c>,
        group: &[EmitPoint<'c>],
        vector: Option<usize>,
    ) -> Vec<EmitPoint<'c>> {
        let loaded = self.load_where(b, Cond::Const(true), group, vector);
        let mut group: Vec<EmitPoint<'c>> = group
            .iter()
            .zip(loaded)
            .map(|(place, loaded)| EmitPoint {
                loaded,
                old: vec![None; self.grid_op.destinations.len()],
                ..place.clone()
            })
            .collect();
        let count = u64::try_from(group.len()).unwrap_or(1);
        for (i, destination) in self.grid_op.destinations.iter().enumerate() {
            if let Work::Body(block) = &self.grid_op.work
                && reads_argument(*block, self.grid_op.sources.len() + i)
                && self.is_stored_at_once(i, vector)
                && let Some(memref) = &destination.memref
            {
                let old = self.load_vector(b, destination, &group[0], count, memref.element);
                for (place, old) in group.iter_mut().zip(scalars(b, old)) {
                    place.old[i] = Some(old);
                }
            }
        }
        group
    }

    /// Emits code that computes the results at the points `group` of one vector, and stores these
    /// results. The stores are vector stores if possible.
    fn store_group(&self, b: &Builder<'c>, group: &[EmitPoint<'c>], vector: Option<usize>) {
        let destinations = &self.grid_op.destinations;
        let index = |place: &EmitPoint<'c>, destination: &Access<'c>| {
            [
                vec![destination.value],
                element_index(b, destination, &self.point(place)),
            ]
            .concat()
        };
        let values: Vec<Vec<Val<'c>>> = group
            .iter()
            .map(|place| {
                let places: Vec<Vec<Val<'c>>> =
                    destinations.iter().map(|d| index(place, d)).collect();
                self.compute(b, place, &self.point(place), &places)
            })
            .collect();
        let owned = i64_attribute(b.context(), self.owner);
        for (i, destination) in destinations.iter().enumerate() {
            if !self.is_stored_at_once(i, vector) {
                for (place, values) in group.iter().zip(&values) {
                    b.create("memref.store")
                        .attr(OWNED, owned)
                        .operands(&[vec![values[i]], index(place, destination)].concat())
                        .build();
                }
                continue;
            }
            let elements: Vec<Val<'c>> = values.iter().map(|values| values[i]).collect();
            let element = destination.memref.as_ref().map(|memref| memref.element);
            let width = element.and_then(byte_width).unwrap_or(1);
            let bytes = i64::try_from(width * elements.len() as u64).unwrap_or(WIDEST);
            b.create("vector.store")
                .attr(OWNED, owned)
                .attr("alignment", i64_attribute(b.context(), bytes.min(WIDEST)))
                .operands(&[vec![vector_of(b, &elements)], index(&group[0], destination)].concat())
                .build();
        }
    }

    fn is_stored_at_once(&self, destination: usize, vector: Option<usize>) -> bool {
        vector.is_some() && self.alignment.destinations[destination].is_some()
    }

    /// Emits scalar loads of the elements at points along loop `vector`. A source that does not
    /// vary along loop `vector` is loaded once.
    pub(super) fn load_neighbours(
        &self,
        b: &Builder<'c>,
        (number, source): (usize, &Access<'c>),
        points: &[EmitPoint<'c>],
        vector: Option<usize>,
    ) -> Vec<Val<'c>> {
        let first = self.point(&points[0]);
        if let Some(staged) = points[0].staged(number) {
            let each = |place| staged.load(b, source, &self.point(place));
            return points.iter().map(each).collect();
        }
        let is_held = |node: usize| {
            let mut indices = source.map.results.iter();
            indices.all(|index| self.nest.index_step(index, node) == Some(0))
        };
        if !matches!(self.grid_op.work, Work::Combine(..)) && vector.is_some_and(is_held) {
            return vec![self.load(b, source, &first); points.len()];
        }
        let goes_along =
            |dim: usize| vector.is_some_and(|node| self.nest.step_of(dim, node) == Some(1));
        let load = |(lane, place): (usize, &EmitPoint<'c>)| {
            let point = self.point(place);
            match self.grid_op.work {
                Work::Combine(..) => self.load(b, source, &point),
                _ => self.load_at(b, source, || {
                    index_of_lane(b, source, &first, &point, lane, &goes_along)
                }),
            }
        };
        points.iter().enumerate().map(load).collect()
    }

    /// Returns the thread loop and the vectorized loop, if the kernel may distribute the points of
    /// these two loops over the threads of a block in an order that differs from the schedule.
    pub(super) fn exchangeable(
        &self,
        place: &EmitPoint<'c>,
        vector: Option<usize>,
    ) -> Option<Exchangeable<'c>> {
        let on_threads = (0..3).filter_map(|d| self.nest.on(Processor::Thread(d)));
        let [thread] = on_threads.collect::<Vec<_>>()[..] else {
            return None;
        };
        Some(Exchangeable {
            thread,
            vector: vector?,
            is_whole: place.is_whole?,
        })
    }

    /// Emits code in which each thread computes its points of a block one by one, without vector
    /// stores. Neighbouring threads compute neighbouring points. The distribution of points over
    /// threads does not change a result.
    pub(super) fn points_one_by_one(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &EmitPoint<'c>,
        Exchangeable { thread, vector, .. }: Exchangeable<'c>,
    ) {
        let others = &self.outer[at..self.outer.len() - 1];
        let lanes = self.nest.nodes[vector]
            .extent
            .known()
            .map_or(Index::Const(1), Index::Const);
        let threads = Index::Const(self.nest.block().iter().product());
        let number = place.index[&thread];
        self.nested_loops(b, others, place, &|b, place| {
            b.for_loop(
                Index::Const(0),
                lanes,
                Index::Const(1),
                &[],
                |b, turn, _| {
                    let all = b.add(b.mul(turn, threads), number);
                    let moved = [(thread, b.div(all, lanes)), (vector, b.rem(all, lanes))];
                    self.result(b, &self.moved(b, place, &moved));
                    Vec::new()
                },
            );
        });
    }

    /// Emits nested loops without unrolling.
    fn nested_loops(
        &self,
        b: &Builder<'c>,
        loops: &[usize],
        place: &EmitPoint<'c>,
        then: &dyn Fn(&Builder<'c>, &EmitPoint<'c>),
    ) {
        let Some((node, others)) = loops.split_first() else {
            return then(b, place);
        };
        let count = self.extents[*node];
        b.for_loop(Index::Const(0), count, Index::Const(1), &[], |b, i, _| {
            self.nested_loops(b, others, &self.enter(b, place, *node, i), then);
            Vec::new()
        });
    }

    /// Returns the loop-nest position `place` with the indices of some loops replaced by `indices`.
    fn moved(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        indices: &[(usize, Index<'c>)],
    ) -> EmitPoint<'c> {
        let mut moved = EmitPoint {
            staged: place.staged.clone(),
            is_fallback: true,
            ..EmitPoint::default()
        };
        for node in &self.nest.order {
            let index = indices.iter().find(|(other, _)| other == node);
            let index = index.map(|(_, index)| *index);
            if let Some(index) = index.or_else(|| place.index.get(node).copied()) {
                moved = self.enter(b, &moved, *node, index);
            }
        }
        moved
    }
}

/// Emits the index of the element that `access` reads or writes at `point`. The first element of
/// the vector is at `first`; `lane` is the number of the vector element at `point`. For a
/// `floordiv` or `mod` expression with a divisor greater than `lane`, the quotient or remainder is
/// computed from a division at `first`.
fn index_of_lane<'c>(
    b: &Builder<'c>,
    access: &Access<'c>,
    first: &[Index<'c>],
    point: &[Index<'c>],
    lane: usize,
    goes_along: &dyn Fn(usize) -> bool,
) -> Vec<Val<'c>> {
    let lane = i64::try_from(lane).unwrap_or(0);
    let divided = |expression: &Affine| {
        let (Affine::Mod(of, by) | Affine::FloorDiv(of, by)) = expression else {
            return None;
        };
        let (Affine::Dim(d), Affine::Const(by)) = (&**of, &**by) else {
            return None;
        };
        if lane == 0 || lane >= *by || !goes_along(*d) {
            return None;
        }
        let (of, by) = (first[*d], Index::Const(*by));
        let rest = b.add(b.rem(of, by), Index::Const(lane));
        let is_same = b.less(rest, by);
        Some(match expression {
            Affine::Mod(..) => b.select_index(is_same, rest, b.sub(rest, by)),
            _ => {
                let quotient = b.div(of, by);
                b.select_index(is_same, quotient, b.add(quotient, Index::Const(1)))
            }
        })
    };
    let index = |expression: &Affine| {
        let index = divided(expression).unwrap_or_else(|| b.affine(expression, point));
        b.value(index)
    };
    access.map.results.iter().map(index).collect()
}
