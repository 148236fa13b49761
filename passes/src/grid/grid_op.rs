//! Grid-level ops (ops over global memory) as data, with the elements that each point of the
//! iteration space reads and writes.

use super::extent::Extent;
use crate::analysis::dataflow::Access;
use crate::combiner::Combiner;
use crate::elementary::{self, Narrow};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike};
use tx_dialect_tile::{Determinism, Scope};
use tx_mlir::{
    Affine, Blk, Builder, Failed, Index, MemRef, Op, Val, attribute, codes, error, is, name,
    operands, walk,
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
    /// Whether the results are partial results of the first phase, which the second phase combines
    /// with previous values of the destination. If the field `is_partial_of_old` is set, the result
    /// of an empty row is the initial value of the accumulator. If the second phase combines a
    /// previous value of the destination with the initial value of the accumulator, the previous
    /// value remains bitwise unchanged.
    pub(crate) is_partial_of_old: bool,
}

#[derive(Clone)]
pub(crate) enum Work<'c> {
    Combine(Combination<'c>),
    /// The body of a `linalg` op, which computes new elements from elements of sources and
    /// destinations.
    Body(Blk<'c>),
    Copy,
    /// Stores the initial values that the atomics of a reduction combine with partial results.
    Start(Combiner<'c>, Box<GridOp<'c>>),
}

/// A grid-level op: an op over global memory.
#[derive(Clone)]
pub(crate) struct GridOp<'c> {
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
    /// Method by which conversions of 8-bit floats are expanded; the chip determines the method.
    pub(crate) narrow: Narrow,
}

pub(crate) fn is_grid_op(op: Op<'_>) -> bool {
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

impl<'c> GridOp<'c> {
    /// Returns the approximate number of ops for each element.
    pub(crate) fn weight(&self) -> i64 {
        self.weight_of(tx_mlir::ops)
    }

    /// Returns the approximate number of ops for each element along `loops`. Ops that do not depend
    /// on `loops` execute once for all elements and are not counted.
    pub(crate) fn weight_along(&self, loops: &[usize]) -> i64 {
        self.weight_of(|block| self.ops_along(block, loops))
    }

    /// Returns the approximate number of ops of the combiner, plus the number of ops that `counted`
    /// selects from the region that computes an element.
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

    /// Returns whether the op uses elements of `source`. Some sources, such as the window of a
    /// pooling op, only define loop lengths and are not loaded.
    pub(crate) fn reads(&self, source: usize) -> bool {
        let block = match &self.work {
            Work::Combine(work) => work.element,
            Work::Body(block) => Some(*block),
            Work::Copy | Work::Start(..) => None,
        };
        block.is_none_or(|block| reads_argument(block, source))
    }

    pub(super) fn new(
        op: Op<'c>,
        rank: usize,
        axes: Vec<usize>,
        [sources, destinations, extras]: [Vec<Access<'c>>; 3],
        work: Work<'c>,
    ) -> Result<Self, Failed> {
        let mut grid_op = Self {
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
            let sizes: Vec<Option<u64>> = grid_op
                .sizes(dim)
                .map(|(a, i)| a.memref.as_ref().and_then(|m| m.shape[i]))
                .collect();
            if sizes.is_empty() {
                return Err(
                    error(op.location(), format!("the length of d{dim} is unknown"))
                        .code(codes::TX0029)
                        .note("an operand must have an index that consists of this dimension alone")
                        .emit(),
                );
            }
            let known: Vec<u64> = sizes.into_iter().flatten().collect();
            if let Some(other) = known.iter().find(|n| **n != known[0]) {
                return Err(error(
                    op.location(),
                    format!(
                        "d{dim} has {} iterations according to one operand, but {other} according \
                         to another",
                        known[0]
                    ),
                )
                .code(codes::TX0029)
                .emit());
            }
            grid_op.extents.push(match known.first() {
                Some(n) => Extent::Static(n.cast_signed()),
                None => Extent::Dim(dim),
            });
        }
        let points = grid_op
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
        grid_op.check_places()?;
        Ok(grid_op)
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

    /// Returns `Ok` if atomics may combine the results of a reduction, else an error with the
    /// reason.
    pub(crate) fn atomics(&self) -> Result<(), String> {
        let Work::Combine(work) = &self.work else {
            return Err("the op is not a reduction".to_owned());
        };
        let combiner = &work.combiner;
        let any =
            attribute(self.op, "determinism").and_then(Determinism::of) == Some(Determinism::Any);
        let kind = combiner.kind();
        if combiner.op().and_then(atomic_kind).is_none() {
            return Err(format!("there is no atomic op for `{kind}`"));
        }
        if work.epilogue.is_some() || !self.partials.is_empty() {
            return Err("the `epilogue` requires complete results".to_owned());
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
            return Err(format!("there is no atomic op on `{combined}`"));
        }
        if !any {
            return Err("they require `determinism = #tile.determinism<any>`".to_owned());
        }
        Ok(())
    }

    /// Returns the grid-level op that writes initial values for atomics. Returns `None` if the
    /// results are combined with previous values of the destination.
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

    pub(crate) fn stored_types(&self) -> Vec<Type<'c>> {
        self.destinations
            .iter()
            .filter_map(|d| Some(d.memref.as_ref()?.element))
            .collect()
    }
}

/// Returns the integer encoding of the `memref.atomic_rmw` kind that is equivalent to an `arith`
/// op.
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

pub(crate) fn is_reduction(grid_op: &GridOp<'_>) -> bool {
    matches!(grid_op.work, Work::Combine(..))
}

pub(crate) fn share_operand<'c>(one: &GridOp<'c>, other: &GridOp<'c>) -> bool {
    let others = arrays(other);
    arrays(one).iter().any(|array| others.contains(array))
}

fn arrays<'c>(grid_op: &GridOp<'c>) -> Vec<Val<'c>> {
    let reads = grid_op.sources.iter().chain(&grid_op.extras);
    let all = reads.chain(&grid_op.destinations);
    let arrays = all.filter(|access| access.memref.is_some());
    arrays.map(|access| access.value).collect()
}

/// Returns the memrefs that the body of an op accesses directly, not as operands of the op.
pub(super) fn captured(op: Op<'_>) -> Vec<Val<'_>> {
    let values = walk(op).into_iter().skip(1).flat_map(operands);
    values
        .filter(|value| MemRef::of(*value).is_some())
        .collect()
}

fn yielded(block: Blk<'_>) -> usize {
    tx_mlir::ops(block)
        .last()
        .map_or(0, |op| tx_mlir::operands(*op).len())
}
