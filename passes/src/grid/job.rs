//! Jobs: grid-level ops (ops over global memory) as data, with the elements that each point of the
//! iteration space reads and writes.

use super::extent::Extent;
use super::steps::{Case, Step};
use crate::analysis::constants::check_written;
use crate::analysis::dataflow::{Access, Accesses};
use crate::combiner::Combiner;
use crate::elementary::{self, Narrow};
use crate::linalg::generic::ITERATORS;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use tx_dialect_tile::{Determinism, Reduce, Scope};
use tx_mlir::memref::{Overlap, Space, overlap, root};
use tx_mlir::{
    Affine, Blk, Builder, Code, Failed, Index, Op, Val, attribute, codes, elements, enumerator,
    error, is, is_memref, name, region_blocks, string_value,
};
use tx_scalar::{Float, Scalar};
use tx_target::Chip;

/// Combiner and regions of a reduction.
#[derive(Clone)]
pub(crate) struct Combination<'c> {
    pub(crate) combiner: Combiner<'c>,
    /// Region that computes an element from the source values; `None` if the element is the source
    /// value itself.
    pub(crate) element: Option<Blk<'c>>,
    /// Region that computes the stored value from a reduction result.
    pub(crate) epilogue: Option<Blk<'c>>,
    /// Whether a reduction result is combined with the previous value of the destination.
    pub(crate) accumulate: bool,
    /// Whether the results are partial results that another phase combines with previous values of
    /// the destination. If set, the result of an empty row is the initial value of the accumulator.
    /// If a previous value is combined with the initial value, the previous value remains bitwise
    /// unchanged.
    pub(crate) is_partial_of_old: bool,
}

#[derive(Clone)]
pub(crate) enum Work<'c> {
    Combine(Combination<'c>),
    /// The body of a `linalg` op, which computes new elements from elements of sources and
    /// destinations.
    Body(Blk<'c>),
    Copy,
    /// Stores the initial values for the atomics of another op.
    Start(Combiner<'c>, Box<Job<'c>>),
}

/// A grid-level op: an op over global memory.
#[derive(Clone)]
pub(crate) struct Job<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) extents: Vec<Extent>,
    pub(crate) axes: Vec<usize>,
    pub(crate) sources: Vec<Access<'c>>,
    pub(crate) destinations: Vec<Access<'c>>,
    pub(crate) extras: Vec<Access<'c>>,
    pub(crate) work: Work<'c>,
    /// Names of the `rfactor` loops, set only for the first phase of a reduction. The first
    /// dimensions of each destination correspond to the `rfactor` loops.
    pub(crate) partials: Vec<String>,
    /// Expansion that replaces 8-bit float conversions that the chip does not support.
    pub(crate) narrow: Narrow,
}

pub(crate) fn is_job(op: Op<'_>) -> bool {
    is(op, "memref.copy")
        || name(op).starts_with("linalg.")
            && name(op) != "linalg.yield"
            && name(op) != "linalg.index"
        || is(op, "tile.reduce") && tx_dialect_tile::scope(op) == Some(Scope::Grid)
        || is(op, "tile.copy") && tx_dialect_tile::scope(op) == Some(Scope::Grid)
}

pub(super) fn reads_argument(block: Blk<'_>, number: usize) -> bool {
    number < block.argument_count() && tx_mlir::has_uses(tx_mlir::build::argument(block, number))
}

impl<'c> Job<'c> {
    /// Returns the approximate number of ops for each element.
    pub(crate) fn weight(&self) -> i64 {
        self.weight_of(tx_mlir::ops)
    }

    /// Returns the approximate number of ops for each element along `loops`. Ops that depend on
    /// none of these loops run once for all elements.
    pub(crate) fn weight_along(&self, loops: &[usize]) -> i64 {
        self.weight_of(|block| self.ops_along(block, loops))
    }

    /// Returns the approximate number of ops of the combiner, plus the ops for each element that
    /// `counted` selects from the region.
    fn weight_of(&self, counted: impl Fn(Blk<'c>) -> Vec<Op<'c>>) -> i64 {
        let all = match &self.work {
            // The epilogue runs once for each result.
            Work::Combine(work) => {
                let combiner = work.combiner.region().map(|(block, _)| tx_mlir::ops(block));
                let element = work.element.map(counted);
                combiner.into_iter().chain(element).flatten().collect()
            }
            Work::Body(block) => counted(*block),
            Work::Copy | Work::Start(..) => Vec::new(),
        };
        let weight = |op: &Op<'c>| elementary::weight(*op, self.narrow);
        all.iter().map(weight).sum::<i64>().max(1)
    }

    /// Returns the ops of a region that depend on `loops`.
    fn ops_along(&self, block: Blk<'c>, loops: &[usize]) -> Vec<Op<'c>> {
        let operands = self.sources.iter().chain(&self.destinations);
        let varies = |access: &Access<'_>| {
            let mut indices = access.map.results.iter();
            indices.any(|index| loops.iter().any(|d| index.uses(*d)))
        };
        let mut varying: Vec<Val<'c>> = (0..block.argument_count())
            .map(|number| tx_mlir::build::argument(block, number))
            .zip(operands.map(varies).chain(std::iter::repeat(true)))
            .filter_map(|(value, varies)| varies.then_some(value))
            .collect();
        let mut found = Vec::new();
        for op in tx_mlir::ops(block) {
            let is_input = tx_mlir::operands(op).is_empty() && !is(op, "arith.constant");
            if is_input || tx_mlir::operands(op).iter().any(|v| varying.contains(v)) {
                varying.extend(tx_mlir::results(op));
                found.push(op);
            }
        }
        found
    }

    /// Sets the chip for which conversions of 8-bit floats are expanded.
    pub(crate) fn on(mut self, chip: &Chip) -> Self {
        self.narrow = Narrow::on(chip);
        self
    }

    /// Returns whether the op uses elements of `source`. Some sources are not loaded and only
    /// define loop lengths, such as the window of a pooling op.
    pub(crate) fn reads(&self, source: usize) -> bool {
        let block = match &self.work {
            Work::Combine(work) => work.element,
            Work::Body(block) => Some(*block),
            Work::Copy | Work::Start(..) => None,
        };
        block.is_none_or(|block| reads_argument(block, source))
    }

    /// Makes the [`Job`] of a grid-level op; [`is_job`] must return true for the op.
    pub(crate) fn of(op: Op<'c>) -> Result<Self, Failed> {
        let job = if let Some(view) = Reduce::of(op) {
            Self::reduce(view)?
        } else if is(op, "memref.copy") || is(op, "tile.copy") {
            Self::copy(op)?
        } else {
            Self::linalg(op)?
        };
        job.check_memory()?;
        Ok(job)
    }

    fn reduce(view: Reduce<'c>) -> Result<Self, Failed> {
        let op = view.op;
        if attribute(op, "variant").is_some() {
            return Err(error(
                op.location(),
                "`variant` is how the threads of one CTA reduce; at \
                                             scope `grid` the `schedule` says it",
            )
            .code(codes::TX0317)
            .note("remove `variant`, or reduce at scope `cta` in a kernel")
            .emit());
        }
        let internal = || error(op.location(), "the op was not verified").emit();
        let combiner = Combiner::of_reduce(&view).map_err(|e| {
            error(op.location(), format!("`tile.reduce`: {e}"))
                .code(codes::TX0006)
                .emit()
        })?;
        let (rank, maps) = view.rank().zip(view.maps()).ok_or_else(internal)?;
        let axes = view.reduced_axes(rank).ok_or_else(internal)?;
        let values = [&view.sources[..], &view.destinations, &view.extras].concat();
        let mut accesses: Vec<Access<'c>> = values
            .into_iter()
            .zip(maps)
            .map(|(value, map)| Access::new(value, map))
            .collect();
        let extras = accesses.split_off(view.sources.len() + view.destinations.len());
        let destinations = accesses.split_off(view.sources.len());
        Self::new(
            op,
            rank,
            axes,
            [accesses, destinations, extras],
            Work::Combine(Combination {
                combiner,
                element: view.element(),
                epilogue: view.epilogue(),
                accumulate: view.accumulate,
                is_partial_of_old: false,
            }),
        )
    }

    fn copy(op: Op<'c>) -> Result<Self, Failed> {
        let Some(all) = Accesses::of(op) else {
            return Err(error(op.location(), "the op was not verified").emit());
        };
        let accesses = [all.inputs, all.outputs, Vec::new()];
        Self::new(op, all.dims, Vec::new(), accesses, Work::Copy)
    }

    fn linalg(op: Op<'c>) -> Result<Self, Failed> {
        let unsupported = |what: String| {
            error(op.location(), format!("`{}` {what}", name(op)))
                .code(codes::TX0320)
                .note("run `convert-linalg-to-tile` first: it makes `tile.reduce` of reductions")
                .emit()
        };
        let blocks = region_blocks(op, 0);
        let (Some(all), [body]) = (Accesses::of(op), blocks.as_slice()) else {
            return Err(unsupported(
                "is not an op that `tx` makes a kernel of".to_owned(),
            ));
        };
        if op.result_count() > 0 {
            return Err(error(
                op.location(),
                format!("`{}` works on tensors, expected memrefs", name(op)),
            )
            .code(codes::TX0322)
            .note(crate::linalg::read::TENSORS_FIRST)
            .emit());
        }
        let mut accesses = all.inputs.iter().chain(&all.outputs);
        if let Some(access) = accesses.find(|access| access.map.symbols > 0) {
            return Err(unsupported(format!(
                "is indexed by symbols: {}",
                access.map
            )));
        }
        let rank = all.dims;
        let iterators = attribute(op, ITERATORS)
            .and_then(elements)
            .unwrap_or_default();
        let kept = |d: &usize| {
            let mut outputs = all.outputs.iter();
            outputs.all(|output| output.map.results.contains(&Affine::Dim(*d)))
        };
        let reduces = iterators
            .iter()
            .any(|i| enumerator(*i) == Some("reduction"));
        // In named `linalg` ops, only the index maps of the outputs determine which loops are
        // reductions.
        let missing = (0..rank).find(|d| !kept(d));
        if let (false, false, Some(d)) = (reduces, iterators.is_empty(), missing) {
            let message =
                format!("d{d} is a `parallel` loop, but no index of an output is d{d} alone");
            return Err(error(op.location(), message)
                .code(codes::TX0028)
                .note("expected outputs that are indexed by each loop once: each result has one place")
                .emit());
        }
        if reduces || missing.is_some() {
            return Err(unsupported("is a reduction".to_owned()));
        }
        for Access { map, .. } in &all.outputs {
            let places = map.results.iter();
            let dims: Vec<&Affine> = places.filter(|r| !matches!(r, Affine::Const(_))).collect();
            let once = |r: &&Affine| dims.iter().filter(|d| d == &r).count() == 1;
            if !dims.iter().all(|r| matches!(r, Affine::Dim(_)) && once(r)) {
                return Err(error(
                    op.location(),
                    format!("`{}` writes at {map}, where results could meet", name(op)),
                )
                .code(codes::TX0320)
                .note("expected each dimension once, or a constant")
                .emit());
            }
        }
        check_body(*body, &all.outputs)?;
        let accesses = [all.inputs, all.outputs, Vec::new()];
        Self::new(op, rank, Vec::new(), accesses, Work::Body(*body))
    }

    pub(super) fn new(
        op: Op<'c>,
        rank: usize,
        axes: Vec<usize>,
        [sources, destinations, extras]: [Vec<Access<'c>>; 3],
        work: Work<'c>,
    ) -> Result<Self, Failed> {
        let mut job = Self {
            op,
            extents: Vec::new(),
            axes,
            sources,
            destinations,
            extras,
            work,
            partials: Vec::new(),
            narrow: Narrow::default(),
        };
        for dim in 0..rank {
            let sizes: Vec<Option<u64>> = job
                .sizes(dim)
                .map(|(a, i)| a.memref.as_ref().and_then(|m| m.shape[i]))
                .collect();
            if sizes.is_empty() {
                return Err(
                    error(op.location(), format!("no operand says how long d{dim} is"))
                        .code(codes::TX0029)
                        .note("an operand must be indexed by it alone")
                        .emit(),
                );
            }
            let known: Vec<u64> = sizes.into_iter().flatten().collect();
            if let Some(other) = known.iter().find(|n| **n != known[0]) {
                return Err(error(
                    op.location(),
                    format!(
                        "d{dim} has {} iterations by one operand, but {other} by another",
                        known[0]
                    ),
                )
                .code(codes::TX0029)
                .emit());
            }
            job.extents.push(match known.first() {
                Some(n) => Extent::Static(n.cast_signed()),
                None => Extent::Dim(dim),
            });
        }
        let points = job
            .extents
            .iter()
            .filter_map(Extent::known)
            .filter(|n| *n > 0)
            .try_fold(1i64, i64::checked_mul);
        if points.is_none() {
            return Err(error(
                op.location(),
                "the iteration space has more points than 64 bits can count",
            )
            .code(codes::TX0319)
            .emit());
        }
        job.check_places()?;
        Ok(job)
    }

    /// Returns the operand dimensions whose size is the length of dimension `dim`, each with its
    /// operand.
    pub(super) fn sizes(&self, dim: usize) -> impl Iterator<Item = (&Access<'c>, usize)> {
        let apart = |a: &Access<'c>| {
            a.memref
                .as_ref()
                .map_or(0, |m| m.rank().saturating_sub(a.map.results.len()))
        };
        self.sources
            .iter()
            .chain(&self.destinations)
            .chain(&self.extras)
            .flat_map(move |a| {
                let places = a.map.results.iter().enumerate();
                places
                    .filter(move |(_, r)| **r == Affine::Dim(dim))
                    .map(move |(i, _)| (a, i + apart(a)))
            })
    }

    /// Emits the length of dimension `dim`: a constant, or the size of an operand.
    pub(crate) fn length(&self, b: &Builder<'c>, dim: usize) -> Index<'c> {
        if let Some(n) = self.extents[dim].known() {
            return Index::Const(n);
        }
        let Some((access, place)) = self.sizes(dim).next() else {
            return Index::Const(0);
        };
        Index::Val(b.dim(access.value, place))
    }

    /// Checks that all operands are in global memory, and that no store of a result overwrites an
    /// element that a thread has yet to read.
    fn check_memory(&self) -> Result<(), Failed> {
        let op = self.op;
        for access in self
            .sources
            .iter()
            .chain(&self.destinations)
            .chain(&self.extras)
        {
            let ty = access.value.r#type();
            match &access.memref {
                Some(memref) if memref.space == Space::Global => {}
                Some(memref) => {
                    return Err(error(
                        op.location(),
                        format!(
                            "a host function works on global memory, found `{ty}` in {}",
                            memref.space.name()
                        ),
                    )
                    .code(codes::TX0321)
                    .emit());
                }
                None if !is_memref(ty) => {}
                None => {
                    return Err(error(op.location(), format!("`{ty}` cannot be indexed"))
                        .code(codes::TX0321)
                        .note("expected a ranked memref with a strided layout")
                        .emit());
                }
            }
        }
        for (i, destination) in self.destinations.iter().enumerate() {
            let Some(memref) = &destination.memref else {
                return Err(error(op.location(), format!("output {i} is no memref"))
                    .code(codes::TX0321)
                    .emit());
            };
            check_written(op, i, destination.value)?;
            let repeats = (0..memref.rank())
                .find(|d| memref.strides[*d] == Some(0) && memref.shape[*d].is_none_or(|n| n > 1));
            if let Some(d) = repeats {
                return Err(error(
                    op.location(),
                    format!("results meet in one place: dimension {d} of output {i} has stride 0"),
                )
                .code(codes::TX0110)
                .note("write to memory in which every result has a place of its own")
                .emit());
            }
            let place = |a: &Access<'c>| (a.value == destination.value) && a.map == destination.map;
            let reads = self.sources.iter().chain(&self.extras);
            let meets = reads
                .filter(|a| a.memref.is_some())
                // A source and a destination may be the same array if each point reads the same
                // element that it writes.
                .filter(|a| !(self.axes.is_empty() && place(a)))
                .find_map(|a| overlaps(a.value, destination.value, false));
            if let Some(overlaps) = meets {
                return Err(
                    error(op.location(), format!("output {i} {overlaps} what is read"))
                        .code(codes::TX0110)
                        .note(
                            "results are written while other elements are still read; write to a \
                           temporary of `memref.alloc`, and `memref.copy` that",
                        )
                        .emit(),
                );
            }
            let mut others = self.destinations[i + 1..].iter();
            let meets = others.find_map(|o| overlaps(o.value, destination.value, true));
            if let Some(overlap) = meets {
                return Err(error(op.location(), format!("two outputs {overlap}"))
                    .code(codes::TX0110)
                    .note("each result needs memory of its own")
                    .emit());
            }
        }
        Ok(())
    }

    /// Returns `Ok` if atomics may combine the results of a reduction, otherwise the reason why
    /// not.
    pub(crate) fn atomics(&self) -> Result<(), String> {
        let Work::Combine(work) = &self.work else {
            return Err("nothing is combined".to_owned());
        };
        let combiner = &work.combiner;
        let any =
            attribute(self.op, "determinism").and_then(Determinism::of) == Some(Determinism::Any);
        let kind = combiner.kind();
        if combiner.op().and_then(atomic_kind).is_none() {
            return Err(format!("`{kind}` has no atomic"));
        }
        if work.epilogue.is_some() || !self.partials.is_empty() {
            return Err("the epilogue needs a result that is complete".to_owned());
        }
        let (stored, combined) = (
            self.destinations[0].memref.as_ref().map(|m| m.element),
            combiner.types()[0],
        );
        if stored != Some(combined) {
            return Err(format!(
                "partial results are `{combined}`, but the destination has `{}`",
                stored.map_or_else(String::new, |t| t.to_string())
            ));
        }
        let has_atomic = match Scalar::of(combined) {
            Some(Scalar::Int(bits)) => matches!(bits, 32 | 64) && !combined.is_index(),
            Some(Scalar::Float(float)) => matches!(float, Float::F32 | Float::F64),
            None => false,
        };
        if !has_atomic {
            return Err(format!("there is no atomic on `{combined}`"));
        }
        if !any {
            return Err("`determinism = #tile.determinism<any>` permits them".to_owned());
        }
        Ok(())
    }

    /// Returns the job (grid-level op) that writes initial values for atomics. Returns `None` if
    /// the results are combined with previous values of the destination.
    pub(crate) fn start(&self) -> Option<Self> {
        let Work::Combine(work) = &self.work else {
            return None;
        };
        if work.accumulate {
            return None;
        }
        let kept: Vec<usize> = (0..self.extents.len())
            .filter(|d| !self.axes.contains(d))
            .collect();
        let moved: Vec<Affine> = (0..self.extents.len())
            .map(|d| match kept.iter().position(|k| *k == d) {
                Some(i) => Affine::Dim(i),
                None => Affine::Const(0),
            })
            .collect();
        let destination = |d: &Access<'c>| d.replace(kept.len(), &moved);
        let extent = |(i, d): (usize, &usize)| match self.extents[*d].known() {
            Some(n) => Extent::Static(n),
            None => Extent::Dim(i),
        };
        Some(Self {
            op: self.op,
            extents: kept.iter().enumerate().map(extent).collect(),
            axes: Vec::new(),
            sources: Vec::new(),
            destinations: self.destinations.iter().map(destination).collect(),
            extras: Vec::new(),
            work: Work::Start(work.combiner.clone(), Box::new(self.clone())),
            partials: Vec::new(),
            narrow: Narrow::default(),
        })
    }

    /// Returns whether the kernel computes element indices: an `argmax` or `argmin` without an
    /// index operand.
    pub(crate) fn numbers_elements(&self) -> bool {
        let Work::Combine(work) = &self.work else {
            return false;
        };
        let given = work.element.map_or(self.sources.len(), yielded);
        work.combiner.kind().is_arg() && given == 1
    }

    /// Returns whether the element indices, and the index after the last element, fit in 32 bits.
    pub(crate) fn fits_in_32_bits(&self) -> bool {
        let length = self
            .axes
            .iter()
            .try_fold(1i64, |n, d| n.checked_mul(self.extents[*d].known()?));
        self.numbers_elements() && length.is_some_and(|n| n < i64::from(i32::MAX))
    }

    pub(crate) fn operands(&self) -> impl Iterator<Item = Val<'c>> {
        self.accesses().map(|access| access.value)
    }

    pub(crate) fn written_schedule(&self) -> Result<Option<Vec<Case>>, Failed> {
        self.written_cases('d', self.extents.len())
    }

    /// Returns the cases of the attribute `schedule`, if present. Each case limits the length of
    /// one of `count` loops; the name of a loop consists of the letter `loops` and a number. The
    /// cases of a group need not cover all lengths.
    pub(crate) fn written_cases(
        &self,
        loops: char,
        count: usize,
    ) -> Result<Option<Vec<Case>>, Failed> {
        let Some(written) = attribute(self.op, "schedule") else {
            return Ok(None);
        };
        let list = elements(written)
            .ok_or_else(|| self.refuse(codes::TX0303, "`schedule` must be a list of steps"))?;
        if !list.iter().any(|a| Case::of(*a, loops).is_some()) {
            return Ok(Some(vec![Case::always(self.steps_of(list)?)]));
        }
        let mut cases = Vec::new();
        // For each dimension, the maximum length that earlier cases of the schedule cover.
        let mut before: Vec<Option<i64>> = vec![None; count];
        for (i, attribute) in list.iter().enumerate() {
            let (most, steps) = Case::of(*attribute, loops).ok_or_else(|| {
                self.refuse(
                    codes::TX0304,
                    format!("`{attribute}` stands among cases of a schedule, and is none"),
                )
            })?;
            let is_last = i + 1 == list.len();
            match most {
                None if is_last => {}
                None => {
                    return Err(self.refuse(
                        codes::TX0304,
                        "`#tile.otherwise` is not the last case of the schedule",
                    ));
                }
                Some(_) if is_last && loops == 'd' => {
                    return Err(self.refuse(
                        codes::TX0304,
                        "the cases of the schedule end without `#tile.otherwise`",
                    ));
                }
                Some((dim, most)) if most < 1 => {
                    return Err(self.refuse(
                        codes::TX0304,
                        format!(
                            "the case of `{loops}{dim}` up to {most} is for no length: \
                             expected 1 or more"
                        ),
                    ));
                }
                Some((dim, most)) => {
                    let Some(before) = before.get_mut(dim) else {
                        return Err(self.refuse(
                            codes::TX0301,
                            format!(
                                "a case of the schedule names an unknown dimension `{loops}{dim}`"
                            ),
                        ));
                    };
                    if let Some(less) = before.replace(most).filter(|less| most <= *less) {
                        return Err(self.refuse(
                            codes::TX0304,
                            format!(
                                "the case of `{loops}{dim}` up to {most} comes after that up to {less}: \
                             expected a greater number"
                            ),
                        ));
                    }
                }
            }
            let steps = elements(steps).ok_or_else(|| {
                self.refuse(codes::TX0304, "a case of the schedule has no list of steps")
            })?;
            cases.push(Case {
                most,
                steps: self.steps_of(steps)?,
            });
        }
        Ok(Some(cases))
    }

    fn refuse(&self, code: Code, message: impl Into<String>) -> Failed {
        error(self.op.location(), message.into()).code(code).emit()
    }

    fn steps_of(&self, list: Vec<Attribute<'c>>) -> Result<Vec<Step>, Failed> {
        let step = |a| {
            Step::of(a).ok_or_else(|| {
                let found = string_value(a).unwrap_or_else(|| a.to_string());
                error(
                    self.op.location(),
                    format!("`{found}` is no step of a schedule"),
                )
                .code(codes::TX0303)
                .note(
                    "known: #tile.split, #tile.align, #tile.fuse, #tile.reorder, \
                         #tile.bind, #tile.rfactor, #tile.unroll, #tile.vectorize, #tile.stream, \
                         #tile.resident, #tile.hold, #tile.last_block",
                )
                .emit()
            })
        };
        list.into_iter().map(step).collect()
    }

    pub(crate) fn stored_types(&self) -> Vec<Type<'c>> {
        self.destinations
            .iter()
            .filter_map(|d| Some(d.memref.as_ref()?.element))
            .collect()
    }
}

/// Checks that a body only reads memory that the op does not write, because points are computed in
/// any order. The body may contain `cf.assert`.
fn check_body<'c>(body: Blk<'c>, destinations: &[Access<'c>]) -> Result<(), Failed> {
    let is_free = |v: Val<'c>| destinations.iter().all(|d| root(d.value) != root(v));
    for op in tx_mlir::ops(body).into_iter().flat_map(tx_mlir::walk) {
        let is_allowed = is(op, "linalg.yield") || is(op, "cf.assert");
        if !is_allowed && !tx_mlir::only_reads(op, is_free) {
            return Err(error(
                op.location(),
                format!("`{}` in the body of an element-wise op reads or writes what others write", name(op)),
            )
            .code(codes::TX0320)
            .note("points are computed in any order: read an operand, or memory that the op does not write")
            .emit());
        }
    }
    Ok(())
}

/// Returns the encoded `memref.atomic_rmw` kind that is equivalent to an `arith` op.
pub(crate) fn atomic_kind(op: &str) -> Option<i64> {
    let kinds = [
        ("arith.addf", 0),
        ("arith.addi", 1),
        ("arith.maxsi", 6),
        ("arith.maxui", 7),
        ("arith.minsi", 10),
        ("arith.minui", 11),
        ("arith.ori", 14),
        ("arith.andi", 2),
        ("arith.xori", 15),
    ];
    kinds
        .iter()
        .find(|(name, _)| *name == op)
        .map(|(_, kind)| *kind)
}

/// Returns the verb for a diagnostic about two memrefs that overlap or may overlap.
fn overlaps<'c>(one: Val<'c>, two: Val<'c>, plural: bool) -> Option<&'static str> {
    match overlap(one, two) {
        Overlap::Never => None,
        Overlap::Maybe => Some("may overlap"),
        Overlap::Always if plural => Some("overlap"),
        Overlap::Always => Some("overlaps"),
    }
}

fn yielded(block: Blk<'_>) -> usize {
    tx_mlir::ops(block)
        .last()
        .map_or(0, |op| tx_mlir::operands(*op).len())
}
