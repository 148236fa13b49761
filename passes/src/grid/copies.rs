//! Emits code that copies tiles of sources to shared memory.

use super::body::{Body, EmitPoint};
use super::staged::{Stage, Staged};
use super::steps::Processor;
use crate::emit::{OWNED, delinearize, load as load_element, scalars};
use melior::ir::Type;
use tx_mlir::build::Cond;
use tx_mlir::{Affine, Builder, Index, Op, Val, byte_width, i64_attribute};

/// Maximum number of loads that a thread issues before the thread stores the first loaded element.
const IN_FLIGHT: i64 = 16;

impl<'c> Body<'_, 'c> {
    /// Emits the code that fills the tiles of a block. Returns a copy of the loop-nest position
    /// `place` that contains the filled tiles.
    pub(super) fn staged(&self, b: &Builder<'c>, place: &EmitPoint<'c>) -> EmitPoint<'c> {
        let mut place = place.clone();
        if self.stages.is_empty() {
            return place;
        }
        let origin = self.point(&self.first_of_block(b, &place));
        let dims = (0..origin.len()).map(|d| Some((d, origin[d], self.nest.in_block(d)?)));
        place.is_whole = dims
            .collect::<Option<Vec<_>>>()
            .map(|dims| self.are_inside(b, &dims));
        place.staged = vec![None; self.grid_op.sources.len()];
        for stage in &self.stages {
            let results = &self.grid_op.sources[stage.source].map.results;
            let origin: Vec<Index<'c>> = results.iter().map(|r| b.affine(r, &origin)).collect();
            self.fill(b, stage, &place, &origin);
            place.staged[stage.source] = Some(Staged {
                array: stage.array,
                origin,
            });
        }
        place
    }

    /// Returns the first point of the iteration space that the block computes.
    fn first_of_block(&self, b: &Builder<'c>, place: &EmitPoint<'c>) -> EmitPoint<'c> {
        let mut first = EmitPoint::default();
        for node in self.nest.order.iter().copied() {
            let index = match self.nest.is_on_blocks(node) {
                true => place.index[&node],
                false => Index::Const(0),
            };
            first = self.enter(b, &first, node, index);
        }
        first
    }

    /// Emits the copy of a tile to shared memory. If the whole tile is inside the source, each
    /// thread has many loads in flight. The loads of a tile are vector loads if vectors are
    /// aligned, and scalar loads if vectors are unaligned.
    fn fill(
        &self,
        b: &Builder<'c>,
        stage: &Stage<'c>,
        place: &EmitPoint<'c>,
        origin: &[Index<'c>],
    ) {
        let results = &self.grid_op.sources[stage.source].map.results;
        let dims = results.iter().zip(origin).zip(&stage.shape);
        let dims = dims.filter_map(|((result, origin), size)| match result {
            Affine::Dim(d) => Some((*d, *origin, *size)),
            _ => None,
        });
        let whole = self.are_inside(b, &dims.collect::<Vec<_>>());
        let thread = self.thread_number(b, place);
        b.if_then_else(
            whole,
            |b| {
                b.if_then_else(
                    stage.aligned,
                    |b| self.fill_whole(b, stage, stage.lanes, thread, origin),
                    |b| self.fill_whole(b, stage, 1, thread, origin),
                );
            },
            |b| self.fill_part(b, stage, thread, origin),
        );
    }

    /// Emits the condition that index ranges of some dimensions are in bounds. Each entry of `dims`
    /// consists of a dimension, the first index of the index range, and the length of the range.
    fn are_inside(&self, b: &Builder<'c>, dims: &[(usize, Index<'c>, i64)]) -> Cond<'c> {
        let is_open = |(dim, ..): &&(usize, Index<'c>, i64)| self.guards.contains(dim);
        let each = dims.iter().filter(is_open);
        each.fold(Cond::Const(true), |all, (dim, origin, size)| {
            let last = b.add(*origin, Index::Const(size - 1));
            b.and(all, b.less(last, self.extents[*dim]))
        })
    }

    fn thread_number(&self, b: &Builder<'c>, place: &EmitPoint<'c>) -> Index<'c> {
        let threads = (0..3).rev().filter_map(|dimension| {
            let node = self.nest.on(Processor::Thread(dimension))?;
            Some((place.index[&node], self.nest.block()[dimension]))
        });
        threads.fold(Index::Const(0), |number, (index, size)| {
            b.add(b.mul(number, Index::Const(size)), index)
        })
    }

    /// Emits the copy of a tile that is entirely inside the source, with loads of `lanes`
    /// consecutive elements.
    fn fill_whole(
        &self,
        b: &Builder<'c>,
        stage: &Stage<'c>,
        lanes: i64,
        thread: Index<'c>,
        origin: &[Index<'c>],
    ) {
        let source = &self.grid_op.sources[stage.source];
        let Some(element) = source.memref.as_ref().map(|memref| memref.element) else {
            return;
        };
        let (mut shape, threads) = (
            stage.shape.clone(),
            self.nest.block().iter().product::<i64>(),
        );
        if let Some(last) = shape.last_mut() {
            *last /= lanes;
        }
        let sizes: Vec<Index<'c>> = shape.iter().map(|n| Index::Const(*n)).collect();
        let vectors: i64 = shape.iter().product();
        // Index, within the tile, of the first element that a thread loads in one iteration.
        let first = |b: &Builder<'c>, round: Index<'c>| {
            let number = b.add(thread, b.mul(round, Index::Const(threads)));
            let mut index = delinearize(b, number, &sizes);
            if let Some(last) = index.last_mut() {
                *last = b.mul(*last, Index::Const(lanes));
            }
            index
        };
        let load = |b: &Builder<'c>, index: &[Index<'c>]| {
            let index = index.iter().zip(origin);
            let index = index.map(|(i, origin)| b.value(b.add(*origin, *i)));
            let index: Vec<Val<'c>> = index.collect();
            if lanes == 1 {
                return vec![load_element(b, source.value, element, &index)];
            }
            let width = byte_width(element).unwrap_or(1).cast_signed();
            let vector = b
                .create("vector.load")
                .operands(&[vec![source.value], index].concat())
                .attr("alignment", i64_attribute(b.context(), lanes * width))
                .result(Type::vector(&[lanes.unsigned_abs()], element));
            scalars(b, vector.value())
        };
        let store = |b: &Builder<'c>, index: &[Index<'c>], values: Vec<Val<'c>>| {
            for (lane, value) in (0..).zip(values) {
                let mut index = index.to_vec();
                if let Some(last) = index.last_mut() {
                    *last = b.add(*last, Index::Const(lane));
                }
                let store = self.put(b, stage, &index, value);
                if lanes == 1 {
                    self.own(b, store);
                }
            }
        };
        // A thread issues all loads of a batch before it stores the first element.
        let batch = |b: &Builder<'c>, from: Index<'c>, count: i64| {
            let each = |round: i64| {
                let index = first(b, b.add(from, Index::Const(round)));
                let values = load(b, &index);
                (index, values)
            };
            let loaded: Vec<_> = (0..count).map(each).collect();
            for (index, values) in loaded {
                store(b, &index, values);
            }
        };
        let (rounds, most) = (vectors / threads, IN_FLIGHT);
        let in_loop = match rounds > most {
            true => rounds / most * most,
            false => 0,
        };
        if in_loop > 0 {
            let [start, end, step] = [0, in_loop, most].map(Index::Const);
            b.for_loop(start, end, step, &[], |b, from, _| {
                batch(b, from, most);
                Vec::new()
            });
        }
        batch(b, Index::Const(in_loop), rounds - in_loop);
        if vectors % threads != 0 {
            let there = b.less(thread, Index::Const(vectors % threads));
            b.if_then(there, |b| batch(b, Index::Const(rounds), 1));
        }
    }

    /// Emits the copy of a tile that is partly outside the source, element by element.
    fn fill_part(
        &self,
        b: &Builder<'c>,
        stage: &Stage<'c>,
        thread: Index<'c>,
        origin: &[Index<'c>],
    ) {
        let source = &self.grid_op.sources[stage.source];
        let Some(element) = source.memref.as_ref().map(|memref| memref.element) else {
            return;
        };
        let sizes: Vec<Index<'c>> = stage.shape.iter().map(|n| Index::Const(*n)).collect();
        let count = Index::Const(stage.shape.iter().product());
        let threads = Index::Const(self.nest.block().iter().product());
        b.for_loop(thread, count, threads, &[], |b, number, _| {
            let local = delinearize(b, number, &sizes);
            let index: Vec<Index<'c>> = local
                .iter()
                .zip(origin)
                .map(|(i, origin)| b.add(*origin, *i))
                .collect();
            let each = source.map.results.iter().zip(&index);
            let each = each.filter_map(|(result, index)| match result {
                Affine::Dim(d) => Some((*d, *index, 1)),
                _ => None,
            });
            let inside = self.are_inside(b, &each.collect::<Vec<_>>());
            b.if_then(inside, |b| {
                let index: Vec<Val<'c>> = index.iter().map(|i| b.value(*i)).collect();
                let value = load_element(b, source.value, element, &index);
                self.own(b, self.put(b, stage, &local, value));
            });
            Vec::new()
        });
    }

    /// Sets the attribute `OWNED` on a store to a tile. If a tile is copied element by element, the
    /// same thread always stores a given element of the tile.
    fn own(&self, b: &Builder<'c>, store: Op<'c>) {
        tx_mlir::set_attribute(store, OWNED, i64_attribute(b.context(), self.owner));
    }

    fn put(
        &self,
        b: &Builder<'c>,
        stage: &Stage<'c>,
        index: &[Index<'c>],
        value: Val<'c>,
    ) -> Op<'c> {
        let index = index.iter().map(|i| b.value(*i));
        let operands: Vec<Val<'c>> = [value, stage.array].into_iter().chain(index).collect();
        b.create("memref.store").operands(&operands).build()
    }
}
