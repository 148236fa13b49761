//! Vector loads of aligned rows, and batches of loads in flight.

use super::body::{Body, EmitPoint};
use super::elements::{NONTEMPORAL, element_index};
use super::job::{Job, Work};
use super::nest::{Fate, Nest, Node, Run};
use super::steps::Processor;
use crate::analysis::dataflow::Access;
use crate::emit::{OWNED, is_packed, scalars, zeros};
use melior::ir::Type;
use std::collections::BTreeMap;
use tx_mlir::build::Cond;
use tx_mlir::{Affine, Builder, Index, MemRef, Val, byte_width, i64_attribute, results};

/// Maximum number of bytes of one memory access.
pub(super) const WIDEST: i64 = 16;
/// Number of bytes of a register.
const WORD: u64 = 4;
/// Maximum number of elements that a thread loads before it uses the first element.
const ELEMENTS_IN_FLIGHT: usize = 64;

/// Position of the aligned vectors in one row.
#[derive(Clone)]
pub(super) struct Vectors<'c> {
    /// Number of elements before the first vector (peeled head).
    pub(super) first: Index<'c>,
    count: Index<'c>,
    /// Number of iterations of each loop whose length depends on the number of vectors.
    pub(super) lengths: BTreeMap<usize, Index<'c>>,
}

/// A head or tail element of a row, outside its aligned vectors.
pub(super) struct Edge<'c> {
    condition: Cond<'c>,
    place: EmitPoint<'c>,
}

/// The operands with vector accesses, and the condition that all vectors are aligned.
pub(super) struct Alignment<'c> {
    pub(super) sources: Vec<bool>,
    /// Set for each destination with vector stores; never set for a reduction, which stores
    /// scalars.
    pub(super) destinations: Vec<bool>,
    /// Condition that all vectors are aligned; false if no access is a vector.
    pub(super) holds: Cond<'c>,
}

impl<'c> Alignment<'c> {
    /// Emits alignment checks at the start of a kernel, before any load.
    pub(super) fn of(b: &Builder<'c>, job: &Job<'c>, nest: &Nest) -> Self {
        let vector = nest.serial().into_iter().find(|n| {
            let Node { run, extent, .. } = &nest.nodes[*n];
            *run == Run::Vectorized && extent.known().is_some_and(|n| n > 1)
        });
        let mut holds = Cond::Const(true);
        let mut are_vectors = |accesses: &[Access<'c>]| -> Vec<bool> {
            let is_vector = |access: &Access<'c>| {
                let all = vector.and_then(|node| aligned_where(b, job, nest, access, node));
                for condition in all.iter().flatten() {
                    holds = b.and(holds, *condition);
                }
                all.is_some()
            };
            accesses.iter().map(is_vector).collect()
        };
        let sources = are_vectors(&job.sources);
        let destinations = match job.work {
            Work::Combine(..) => vec![false; job.destinations.len()],
            _ => are_vectors(&job.destinations),
        };
        if !sources.contains(&true) && !destinations.contains(&true) {
            holds = Cond::Const(false);
        }
        Self {
            sources,
            destinations,
            holds,
        }
    }
}

/// Returns the conditions under which every vector of loop `node` in `source` begins at a multiple
/// of the vector size.
fn aligned_where<'c>(
    b: &Builder<'c>,
    job: &Job<'c>,
    nest: &Nest,
    source: &Access<'c>,
    node: usize,
) -> Option<Vec<Cond<'c>>> {
    let memref = source.memref.as_ref()?;
    let lanes = nest.nodes[node].extent.known()?;
    if !is_vector(job, nest, source, node) || lanes.count_ones() != 1 {
        return None;
    }
    let last = source.map.results.last()?;
    let leader = nest.aligned().and_then(|(dim, _)| leader(job, dim));
    let multiple = |index: Index<'c>| b.equal(b.rem(index, Index::Const(lanes)), Index::Const(0));
    let layout = Layout::of(b, source.value, memref);
    let mut conditions = Vec::new();
    match leader {
        // Vectors begin at the aligned addresses of the leading source, so the rows of `source` and
        // of the leading source need equal element offsets modulo the vector width.
        Some(leader) if nest.is_of_vectors(node) => {
            if leader.map.results != source.map.results {
                return None;
            }
            if leader.value != source.value {
                let model = Layout::of(b, leader.value, leader.memref.as_ref()?);
                for (own, other) in layout.strides.iter().zip(&model.strides) {
                    conditions.push(multiple(b.sub(*own, *other)));
                }
            }
        }
        _ => {
            if !nest.begins_at_multiples(last, node, lanes) {
                return None;
            }
            for (result, stride) in source.map.results.iter().zip(&layout.strides) {
                if *result != Affine::Const(0) && !std::ptr::eq(result, last) {
                    conditions.push(multiple(*stride));
                }
            }
        }
    }
    if conditions.iter().any(|c| matches!(c, Cond::Const(false))) {
        return None;
    }
    let width = i64::try_from(byte_width(memref.element)?).ok()?;
    conditions.push(first_is_aligned(b, source.value, &layout, lanes * width));
    Some(conditions)
}

/// Emits the condition that the first element of a memref is aligned to `bytes`, but at most to
/// [`WIDEST`] bytes.
fn first_is_aligned<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    layout: &Layout<'c>,
    bytes: i64,
) -> Cond<'c> {
    let element = MemRef::of(value).and_then(|memref| byte_width(memref.element));
    let width = Index::Const(element.unwrap_or(1).cast_signed());
    let pointer = b
        .create("memref.extract_aligned_pointer_as_index")
        .operands(&[value])
        .result(b.index_type())
        .value();
    let begin = b.add(Index::Val(pointer), b.mul(layout.offset, width));
    b.equal(
        b.rem(begin, Index::Const(bytes.min(WIDEST))),
        Index::Const(0),
    )
}

/// Emits the condition that vectors of `lanes` elements are aligned at each index that is a
/// multiple of `lanes` in the last dimension. The condition requires that the last dimension is
/// contiguous, and that every row begins at an aligned address.
pub(super) fn begins_aligned<'c>(b: &Builder<'c>, access: &Access<'c>, lanes: i64) -> Cond<'c> {
    let Some(memref) = &access.memref else {
        return Cond::Const(false);
    };
    let (Some(Some(1)), Some(width)) = (memref.strides.last(), byte_width(memref.element)) else {
        return Cond::Const(false);
    };
    let layout = Layout::of(b, access.value, memref);
    let Some((_, others)) = layout.strides.split_last() else {
        return Cond::Const(false);
    };
    let multiple =
        |stride: &Index<'c>| b.equal(b.rem(*stride, Index::Const(lanes)), Index::Const(0));
    let rows = others.iter().fold(Cond::Const(true), |all, stride| {
        b.and(all, multiple(stride))
    });
    match rows {
        Cond::Const(false) => rows,
        _ => b.and(
            rows,
            first_is_aligned(b, access.value, &layout, lanes * width.cast_signed()),
        ),
    }
}

/// Returns whether consecutive iterations of `node` access consecutive elements of `source`. A
/// reduction loads scalars from an array that it also writes.
fn is_vector(job: &Job<'_>, nest: &Nest, source: &Access<'_>, node: usize) -> bool {
    let (Some(memref), Some((last, others))) = (&source.memref, source.map.results.split_last())
    else {
        return false;
    };
    let own = matches!(job.work, Work::Combine(..))
        && job.destinations.iter().any(|d| d.value == source.value);
    let step = |e: &Affine| nest.index_step(e, node);
    let neighbours = memref.strides.last() == Some(&Some(1))
        && step(last) == Some(1)
        && others.iter().all(|e| step(e) == Some(0));
    neighbours && !own && !is_packed(memref.element)
}

/// Returns the source whose aligned addresses determine where the vectors of dimension `dim` begin.
fn leader<'a, 'c>(job: &'a Job<'c>, dim: usize) -> Option<&'a Access<'c>> {
    job.sources.iter().find(|source| {
        let (Some(memref), Some((last, others))) =
            (&source.memref, source.map.results.split_last())
        else {
            return false;
        };
        memref.strides.last() == Some(&Some(1))
            && last.step(dim) == Some(1)
            && others.iter().all(|e| e.step(dim) == Some(0))
    })
}

impl<'c> Body<'_, 'c> {
    /// Emits the position of the aligned vectors of dimension `dim` in the current row.
    pub(super) fn vectors(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        (dim, lanes): (usize, i64),
    ) -> Vectors<'c> {
        let length = self.extents[dim];
        let most = Index::Const(lanes);
        let mut offset = Index::Const(0);
        if let Some(leader) = leader(self.job, dim)
            && let Some(memref) = &leader.memref
        {
            let mut row = place.clone();
            row.index.insert(dim, Index::Const(0));
            let point = self.point(&row);
            let layout = Layout::of(b, leader.value, memref);
            for (result, stride) in leader.map.results.iter().zip(layout.strides) {
                if stride.known().is_none_or(|s| s % lanes != 0) {
                    offset = b.add(offset, b.mul(b.affine(result, &point), stride));
                }
            }
        }
        let beyond = b.rem(offset, most);
        let first = b.rem(b.sub(most, beyond), most);
        let fits = b.less(first, length);
        let first = b.select_index(fits, first, length);
        let count = match b.div(b.sub(length, first), most) {
            Index::Const(n) => Index::Const(n - self.left_over(dim, n)),
            count => count,
        };
        let lengths = (0..self.nest.nodes.len())
            .filter(|n| self.nest.is_of_vectors(*n))
            .map(|n| (n, self.nest.nodes[n].extent.of_vectors(b, count)))
            .collect();
        Vectors {
            first,
            count,
            lengths,
        }
    }

    /// Returns the number of vectors in the last, partial tile of a row, if there are fewer vectors
    /// than threads per row; otherwise 0. With an expensive combiner, all threads of the row share
    /// the elements of the last vectors, like head and tail elements.
    fn left_over(&self, dim: usize, count: i64) -> i64 {
        if !self.shares {
            return 0;
        }
        let Fate::Split { outer, .. } = self.nest.nodes[dim].fate else {
            return 0;
        };
        let Fate::Split { factor: tile, .. } = self.nest.nodes[outer].fate else {
            return 0;
        };
        let threads: i64 = (0..3)
            .filter(|d| {
                let node = self.nest.on(Processor::Thread(*d));
                node.is_some_and(|n| self.nest.is_of_vectors(n))
            })
            .map(|d| self.nest.block()[d])
            .product();
        let left = count % tile;
        let is_apart = self.nest.loops_of(dim).iter().any(|n| {
            let node = &self.nest.nodes[*n];
            node.apart
                || matches!(
                    node.run,
                    Run::On(Processor::Block(_) | Processor::Cluster(_))
                )
        });
        if count > tile && left < threads && !is_apart {
            left
        } else {
            0
        }
    }

    /// Returns the head and tail elements of the current row that this thread combines.
    pub(super) fn edges(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        (dim, lanes): (usize, i64),
        vectors: &Vectors<'c>,
    ) -> Vec<Edge<'c>> {
        let (first, length) = (vectors.first, self.extents[dim]);
        let inside = b.mul(vectors.count, Index::Const(lanes));
        let edges = b.sub(length, inside);
        // If several blocks share a row, the first block combines the head and tail elements.
        let mut mine = Cond::Const(true);
        let (mut number, mut threads) = (Index::Const(0), 1);
        for node in self.nest.loops_of(dim) {
            let loop_ = &self.nest.nodes[node];
            let shares = match loop_.run {
                Run::On(Processor::Thread(_)) => false,
                Run::On(Processor::Block(_) | Processor::Cluster(_)) => true,
                _ => loop_.apart,
            };
            if shares {
                mine = b.and(mine, b.equal(place.index[&node], Index::Const(0)));
            }
        }
        for dimension in 0..3 {
            if let Some(node) = self.nest.on(Processor::Thread(dimension))
                && self.nest.is_of_vectors(node)
            {
                let share = b.mul(place.index[&node], Index::Const(threads));
                number = b.add(number, share);
                threads *= self.nest.block()[dimension];
            }
        }
        let most = match (first, length) {
            _ if edges.known().is_some() => edges.known().unwrap_or(0),
            (Index::Const(0), _) => lanes - 1,
            (_, Index::Const(n)) => n.min(2 * (lanes - 1)),
            _ => 2 * (lanes - 1),
        };
        let mut all = Vec::new();
        let mut from = 0;
        while from < most {
            let edge = b.add(number, Index::Const(from));
            let condition = b.and(mine, b.less(edge, edges));
            let before = b.less(edge, first);
            let index = b.select_index(before, edge, b.add(edge, inside));
            let mut place = place.clone();
            place.index.insert(dim, index);
            place.beside = true;
            let condition = b.and(condition, self.guard(b, &place, true));
            place.loaded = self
                .load_where(b, condition, std::slice::from_ref(&place), None)
                .remove(0);
            all.push(Edge { condition, place });
            from += threads;
        }
        all
    }

    pub(super) fn combine_edges(
        &self,
        b: &Builder<'c>,
        edges: Vec<Edge<'c>>,
        partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        edges.into_iter().fold(partial, |partial, edge| {
            self.combine_where(b, edge.condition, &edge.place, partial)
        })
    }

    /// Emits unrolled loops, in batches that load all elements before combining the first element.
    pub(super) fn combine_at_once(
        &self,
        b: &Builder<'c>,
        at: usize,
        place: &EmitPoint<'c>,
        mut partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let loops = &self.inner[at..];
        let mut points = loops.iter().fold(vec![place.clone()], |points, node| {
            let each = |place: &EmitPoint<'c>| self.written_out(b, *node, place);
            points.iter().flat_map(each).collect()
        });
        let vector = loops
            .last()
            .copied()
            .filter(|n| self.nest.nodes[*n].run == Run::Vectorized && !self.is_cut(*n, place));
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

    /// Emits loads of the source elements of several points, which yield zeros if `condition` is
    /// false. The elements at consecutive iterations of loop `vector` are loaded as one vector.
    pub(super) fn load_where(
        &self,
        b: &Builder<'c>,
        condition: Cond<'c>,
        points: &[EmitPoint<'c>],
        vector: Option<usize>,
    ) -> Vec<Vec<Option<Val<'c>>>> {
        let sources: Vec<(usize, &Access<'c>, Type<'c>)> = self
            .job
            .sources
            .iter()
            .enumerate()
            .filter(|(i, _)| self.job.reads(*i))
            .filter_map(|(i, source)| Some((i, source, source.memref.as_ref()?.element)))
            .collect();
        // Without branches, the loads of a thread stay in one basic block.
        if let ([place], Cond::Val(_)) = (points, condition)
            && let Some(point) = self.clamped(b, place)
        {
            let mut loaded = vec![None; self.job.sources.len()];
            for (i, source, _) in sources {
                loaded[i] = Some(self.load(b, source, &point));
            }
            return vec![loaded];
        }
        let count = u64::try_from(points.len()).unwrap_or(1);
        let is_vector = |i: usize| {
            let is_staged = points[0].staged(i).is_some();
            vector.is_some() && points[0].aligned && self.alignment.sources[i] && !is_staged
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
                    // The unaligned path uses scalar loads, because LLVM would merge the vector
                    // loads of both paths into a vector load with the lower alignment.
                    false => self.load_neighbours(b, (*i, source), points, vector),
                };
                sources.iter().flat_map(each).collect()
            },
            |b| types.iter().map(|ty| zeros(b, *ty)).collect(),
        );
        let mut all = all.into_iter().flat_map(|value| scalars(b, value));
        let mut loaded = vec![vec![None; self.job.sources.len()]; points.len()];
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
        // If the kernel also writes this array, only this thread accesses the element.
        if self.is_written(source) {
            vector = vector.attr(OWNED, i64_attribute(b.context(), self.owner));
        }
        vector.result(Type::vector(&[count], element)).value()
    }
}

/// Strides and offset of a memref: constants, or values read from its descriptor.
struct Layout<'c> {
    strides: Vec<Index<'c>>,
    offset: Index<'c>,
}

impl<'c> Layout<'c> {
    fn of(b: &Builder<'c>, value: Val<'c>, memref: &MemRef<'c>) -> Self {
        let rank = memref.rank();
        let known = |n: &Option<i64>| n.map(Index::Const);
        let strides: Option<Vec<Index<'c>>> = memref.strides.iter().map(known).collect();
        if let (Some(strides), Some(offset)) = (strides, memref.offset) {
            return Self {
                strides,
                offset: Index::Const(offset),
            };
        }
        let space = memref
            .memory_space()
            .map_or_else(String::new, |space| format!(", {space}"));
        let index = b.index_type();
        let parts = results(
            b.create("memref.extract_strided_metadata")
                .operands(&[value])
                .result(b.float_type(&format!("memref<{}{space}>", memref.element)))
                .results(&vec![index; 1 + 2 * rank])
                .build(),
        );
        let part = |n: Option<i64>, i: usize| n.map_or(Index::Val(parts[i]), Index::Const);
        Self {
            strides: (0..rank)
                .map(|d| part(memref.strides[d], 2 + rank + d))
                .collect(),
            offset: part(memref.offset, 1),
        }
    }
}
