//! Tiles of sources in shared memory, for element-wise ops.
//!
//! A transposed source is contiguous along another dimension than the destination. Each block loads
//! its tile of the source along the contiguous dimension of the source. The threads then read
//! shared memory in the order in which they store results.

use super::body::{Body, EmitPoint};
use super::job::{Job, Work};
use super::nest::{Fate, Illegal, Nest, Run};
use super::steps::Processor;
use super::vectors::{WIDEST, begins_aligned};
use crate::analysis::dataflow::Access;
use crate::emit::{
    OWNED, delinearize, is_packed, load as load_element, scalars, shared, shared_global,
};
use melior::ir::Type;
use tx_dialect_tile::Residency;
use tx_mlir::build::Cond;
use tx_mlir::{Affine, Builder, Index, Op, Val, byte_width, codes, i64_attribute};
use tx_target::STATIC_SHARED_BYTES;

/// Padding of each tile row in bytes, so that the elements of a column are in different banks.
const PADDING: i64 = 4;
/// Maximum number of loads that a thread has in flight before it stores the first element.
const IN_FLIGHT: i64 = 16;

/// Tile of a source that one block reads.
pub(crate) struct Footprint {
    source: usize,
    /// Tile length along each dimension. The first index of a tile is a multiple of the tile
    /// length.
    shape: Vec<i64>,
}

/// Returns the tiles of sources that a schedule stages in shared memory.
pub(crate) fn footprints(job: &Job<'_>, nest: &Nest) -> Result<Vec<Footprint>, Illegal> {
    let illegal = |reason: String| Illegal::new(codes::TX0327, reason);
    let mut footprints = Vec::new();
    for (name, residency) in &nest.holds {
        let number = (0..job.sources.len()).find(|i| *name == format!("in{i}"));
        let Some(source) = number else {
            let reason =
                format!("the op has no source `{name}`, which the schedule holds in {residency}");
            let names: Vec<String> = (0..job.sources.len()).map(|i| format!("`in{i}`")).collect();
            return Err(illegal(reason).note(format!("sources: {}", names.join(", "))));
        };
        if *residency != Residency::Shared {
            return Err(illegal(format!(
                "`{name}` is held in {residency}, but the op is in no group, so no other op uses it"
            ))
            .note(
                "give the ops that use the value one `tile.group`, or hold it in shared memory",
            ));
        }
        footprints.push(Footprint {
            source,
            shape: shape(job, nest, source).map_err(|(why, instead)| {
                let reason = format!("`{name}` cannot be held in shared memory: {why}");
                illegal(reason).note(instead)
            })?,
        });
    }
    let bytes = |each: &Footprint| each.bytes(&job.sources[each.source]);
    let bytes: i64 = footprints.iter().map(bytes).fold(0, i64::saturating_add);
    let most = STATIC_SHARED_BYTES.cast_signed();
    match bytes > most {
        true => Err(illegal(format!(
            "the tiles of a block take {bytes} bytes of shared memory, expected at most {most}"
        ))
        .note(
            "split loops, and bind the outer ones to blocks: a block has less of each source then",
        )),
        false => Ok(footprints),
    }
}

/// Returns the shape of the tile of a source that one block reads. If the source has no tile,
/// returns the reason and a suggested change.
fn shape(job: &Job<'_>, nest: &Nest, source: usize) -> Result<Vec<i64>, (String, &'static str)> {
    let access = &job.sources[source];
    let without = |why: &str| Err((why.to_owned(), "leave the `#tile.hold` out"));
    if matches!(job.work, Work::Combine(..) | Work::Start(..)) {
        return without("the op is a reduction");
    }
    let Some(memref) = &access.memref else {
        return without("it is a scalar");
    };
    if is_packed(memref.element) || byte_width(memref.element).is_none() {
        return without(&format!("its elements are `{}`", memref.element));
    }
    let is_written = |destination: &Access<'_>| destination.value == access.value;
    if job.destinations.iter().any(is_written) {
        return without("the op writes it");
    }
    let results = &access.map.results;
    if results.is_empty() {
        return without("it has one element");
    }
    let size = |result: &Affine| match result {
        Affine::Const(0) => Ok(1),
        Affine::Dim(dim) if results.iter().filter(|other| *other == result).count() == 1 => {
            nest.in_block(*dim).ok_or_else(|| {
                let why =
                    format!("what a block has of `d{dim}` is not one part of constant length");
                (
                    why,
                    "split the loop, and bind the outer part to blocks, alone or fused with other \
                     outer parts; what is fused of inner parts stays in the block as a whole",
                )
            })
        }
        _ => Err((
            format!("it is indexed by {}", access.map),
            "expected a loop of its own, or 0, as the index of each dimension",
        )),
    };
    results.iter().map(size).collect()
}

impl Footprint {
    fn bytes(&self, access: &Access<'_>) -> i64 {
        let width = access.memref.as_ref().and_then(|m| byte_width(m.element));
        let width = width.unwrap_or(1).cast_signed();
        self.padded(width)
            .into_iter()
            .fold(width, i64::saturating_mul)
    }

    /// Returns the padded tile shape in shared memory, for elements of `width` bytes.
    fn padded(&self, width: i64) -> Vec<i64> {
        let mut shape = self.shape.clone();
        if let [.., _, last] = &mut shape[..] {
            *last += (PADDING / width).max(1);
        }
        shape
    }
}

impl Nest {
    /// Returns the number of consecutive iterations of a loop that one block executes, beginning at
    /// a multiple of this number. Returns `None` if the iterations are not consecutive, or if their
    /// number is dynamic.
    fn in_block(&self, node: usize) -> Option<i64> {
        let node = &self.nodes[node];
        match node.fate {
            Fate::Loop => match node.run {
                Run::On(Processor::Block(_) | Processor::Cluster(_)) => Some(1),
                _ => node.extent.known(),
            },
            Fate::Fused { into, .. } => match self.in_block(into)? {
                1 => Some(1),
                all if self.nodes[into].extent.known() == Some(all) => node.extent.known(),
                _ => None,
            },
            Fate::Split {
                outer,
                inner,
                factor,
                aligned: false,
            } => match (self.in_block(outer)?, self.in_block(inner)?) {
                (outer, inner) if inner == factor => outer.checked_mul(factor),
                (1, inner) if inner > 0 && factor % inner == 0 => Some(inner),
                _ => None,
            },
            Fate::Split { .. } => None,
        }
    }

    /// Returns whether loop `node`, which no step has split or fused, is bound to blocks.
    fn is_on_blocks(&self, node: usize) -> bool {
        matches!(
            self.nodes[node].run,
            Run::On(Processor::Block(_) | Processor::Cluster(_))
        )
    }
}

pub(super) struct Stage<'c> {
    source: usize,
    shape: Vec<i64>,
    array: Val<'c>,
    /// Number of source elements that one load of the tile reads.
    lanes: i64,
    /// Whether vector loads of the tile begin at aligned addresses.
    aligned: Cond<'c>,
}

impl<'c> Stage<'c> {
    /// Declares the tiles next to the kernel function; `b` inserts at the start of the kernel.
    pub(super) fn all(b: &Builder<'c>, kernel: Op<'c>, job: &Job<'c>, nest: &Nest) -> Vec<Self> {
        // If the iteration space is empty, the kernel loads no elements.
        if job.extents.iter().any(|extent| extent.known() == Some(0)) {
            return Vec::new();
        }
        // The schedule check has already rejected illegal tiles.
        let footprints = footprints(job, nest).unwrap_or_default();
        let each = |part: Footprint| {
            let access = &job.sources[part.source];
            let element = access.memref.as_ref()?.element;
            let width = byte_width(element)?.cast_signed();
            let name = format!("in{}", part.source);
            let mut lanes = (WIDEST / width).max(1);
            while part.shape.last().is_some_and(|n| n % lanes != 0) {
                lanes /= 2;
            }
            let aligned = match lanes {
                1 => Cond::Const(false),
                _ => begins_aligned(b, access, lanes),
            };
            Some(Self {
                source: part.source,
                array: {
                    let padded = part.padded(width);
                    let name = shared_global(b, kernel, &name, &padded, element);
                    shared(b, &name, &padded, element)
                },
                shape: part.shape,
                lanes,
                aligned,
            })
        };
        footprints.into_iter().filter_map(each).collect()
    }
}

/// Loops whose iterations may be distributed over the threads of a block in another order.
#[derive(Clone, Copy)]
pub(super) struct Exchangeable<'c> {
    thread: usize,
    vector: usize,
    /// Condition that all points of the block are inside the iteration space.
    pub(super) is_whole: Cond<'c>,
}

/// Tile of a source in shared memory, and the index of its first element in the source.
#[derive(Clone)]
pub(super) struct Staged<'c> {
    array: Val<'c>,
    origin: Vec<Index<'c>>,
}

impl<'c> Staged<'c> {
    /// Emits the load of the element of `access` at `point` from the tile.
    pub(super) fn load(
        &self,
        b: &Builder<'c>,
        access: &Access<'c>,
        point: &[Index<'c>],
    ) -> Val<'c> {
        let Some(memref) = &access.memref else {
            return access.value;
        };
        let indices = access.map.results.iter().zip(&self.origin);
        let indices: Vec<Val<'c>> = indices
            .map(|(result, origin)| b.value(b.sub(b.affine(result, point), *origin)))
            .collect();
        load_element(b, self.array, memref.element, &indices)
    }
}

impl<'c> Body<'_, 'c> {
    /// Emits the code that fills the tiles of a block. Returns the loop-nest position with the
    /// filled tiles.
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
        place.staged = vec![None; self.job.sources.len()];
        for stage in &self.stages {
            let results = &self.job.sources[stage.source].map.results;
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
    /// thread has many loads in flight: aligned vectors, or else scalars.
    fn fill(
        &self,
        b: &Builder<'c>,
        stage: &Stage<'c>,
        place: &EmitPoint<'c>,
        origin: &[Index<'c>],
    ) {
        let results = &self.job.sources[stage.source].map.results;
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
        let source = &self.job.sources[stage.source];
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
        let source = &self.job.sources[stage.source];
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

    /// Returns the thread loop and the vectorized loop, if their points may be distributed over the
    /// threads of a block in another order.
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

    /// Emits the computation of the points of a block one by one, for destinations without vector
    /// stores. Neighbouring threads compute neighbouring points. The distribution of points over
    /// threads does not change a result.
    pub(super) fn points_apart(
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
        self.each_apart(b, others, place, &|b, place| {
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
    fn each_apart(
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
            self.each_apart(b, others, &self.enter(b, place, *node, i), then);
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
            slow: true,
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

    /// Marks a store to a tile with the attribute `OWNED`: in every element-wise copy, the same
    /// thread stores the element.
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
