//! Checks that every index is inside its array: reports an error if static sizes allow an index out
//! of range, and emits host assertions on dynamic sizes.

use super::extent::Extent;
use super::grid_op::{GridOp, Work};
use crate::analysis::dataflow::Access;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::Reduce;
use tx_mlir::build::Predicate;
use tx_mlir::{
    Affine, Builder, Failed, Index, MemRef, Val, argument_of, attribute, codes, error, is, name,
};

impl<'c> GridOp<'c> {
    /// Returns all sources, destinations and epilogue operands, in the order of operands.
    pub(super) fn accesses(&self) -> impl Iterator<Item = &Access<'c>> {
        self.sources
            .iter()
            .chain(&self.destinations)
            .chain(&self.extras)
    }

    /// Returns each index expression that is not a single loop index. Each item consists of the
    /// operand number, the operand, the indexed dimension and the index expression.
    fn indices(&self) -> impl Iterator<Item = (usize, &Access<'c>, usize, &Affine)> {
        self.accesses().enumerate().flat_map(|(number, access)| {
            let rank = access.memref.as_ref().map_or(0, MemRef::rank);
            let apart = rank.saturating_sub(access.map.results.len());
            let results = access.map.results.iter().enumerate();
            results
                .filter(|(_, result)| !matches!(result, Affine::Dim(_)))
                .map(move |(i, result)| (number, access, i + apart, result))
        })
    }

    /// Reports an error if static sizes allow an index that is outside its array.
    pub(super) fn check_places(&self) -> Result<(), Failed> {
        let lengths: Vec<Option<i64>> = self.extents.iter().map(Extent::known).collect();
        if lengths.contains(&Some(0)) {
            return Ok(());
        }
        let b = Builder::before(self.op);
        for (number, access, place, index) in self.indices() {
            let is_static = |d: usize| lengths[d].is_some() || !index.uses(d);
            if !(0..lengths.len()).all(is_static) {
                continue;
            }
            let last: Vec<Index<'c>> = lengths
                .iter()
                .map(|n| Index::Const(n.map_or(0, |n| n - 1)))
                .collect();
            let Some((low, high)) = range(&b, index, &last) else {
                continue;
            };
            let (Some(low), Some(high)) = (low.known(), high.known()) else {
                continue;
            };
            let room = access.memref.as_ref().and_then(|m| m.shape[place]);
            let outside = match room {
                _ if low < 0 => low,
                Some(room) if high >= room.cast_signed() => high,
                _ => continue,
            };
            let size = room.map_or_else(|| "?".to_owned(), |n| n.to_string());
            return Err(error(
                self.op.location(),
                format!(
                    "operand {number} is indexed by `{index}`, which is {outside}, but dimension \
                     {place} of the operand has {size} elements"
                ),
            )
            .code(codes::TX0324)
            .emit());
        }
        Ok(())
    }

    /// Emits asserts on dynamic sizes: every index must be inside its array. All operand sizes that
    /// define the length of one dimension must be equal, and each index expression must stay in
    /// range. A destination dimension that corresponds to a reduced dimension of the op must have
    /// size 1. For `argmax` and `argmin`, the function also asserts that the index type can
    /// represent the index of every element.
    pub(crate) fn assert_sizes(&self, b: &Builder<'c>) {
        let number = |a: &Access<'c>| {
            let place = self.accesses().position(|o| std::ptr::eq(o, a));
            place.unwrap_or(0)
        };
        let called = |a: &Access<'c>, place: usize| called(a.value, number(a), place);
        let size =
            |a: &Access<'c>, place: usize| match a.memref.as_ref().and_then(|m| m.shape[place]) {
                Some(n) => Index::Const(n.cast_signed()),
                None => Index::Val(b.dim(a.value, place)),
            };
        // The input program may have a `linalg` op instead of `tile.reduce`.
        let op = match self.work {
            Work::Combine(..) => "the reduction".to_owned(),
            _ => format!("`{}`", name(self.op)),
        };
        for dim in 0..self.extents.len() {
            let told: Vec<(&Access<'c>, usize)> = self.sizes(dim).collect();
            for (other, place) in told.iter().skip(1) {
                if told[0].0.value == other.value && told[0].1 == *place {
                    continue;
                }
                let message = format!(
                    "{} and {} are one dimension of {op}",
                    called(told[0].0, told[0].1),
                    called(other, *place)
                );
                assert(
                    b,
                    Predicate::Eq,
                    size(told[0].0, told[0].1),
                    size(other, *place),
                    &message,
                );
            }
        }
        let one = Index::Const(1);
        // If the op has explicit `maps`, a constant index may select one of several elements along
        // a dimension.
        let has_kept =
            matches!(self.work, Work::Combine(..)) && attribute(self.op, "maps").is_none();
        let last: Vec<Option<Index<'c>>> = (0..self.extents.len())
            .map(|d| {
                let uses = self.indices().any(|(.., index)| index.uses(d));
                uses.then(|| b.sub(self.length(b, d), one))
            })
            .collect();
        let last: Vec<Index<'c>> = last
            .into_iter()
            .map(|last| last.unwrap_or(Index::Const(0)))
            .collect();
        let is_empty = self.extents.iter().any(|n| n.known() == Some(0));
        for (_, access, place, index) in self.indices() {
            let size = size(access, place);
            let called = called(access, place);
            if has_kept {
                let message = format!("{called} is a reduced dimension of {op}, and must be 1");
                assert(b, Predicate::Eq, size, one, &message);
                continue;
            }
            let Some((low, high)) = range(b, index, &last) else {
                continue;
            };
            let negative =
                format!("`{index}`, the index of {op} in {called}, must not be less than 0");
            // A dynamic loop may have 0 iterations, so `check_places` does not reject a negative
            // static index.
            if low.known().is_some_and(|n| n < 0) && !is_empty {
                write_assert(b, Predicate::Sle, Index::Const(0), low, &negative);
            }
            assert(b, Predicate::Sle, Index::Const(0), low, &negative);
            let message = format!("{called} must have an element for every `{index}` of {op}");
            assert(b, Predicate::Slt, high, size, &message);
        }
        if let Some(most) = Reduce::of(self.op).and_then(|view| view.most_positions()) {
            // Each dimension has a separate assert, so that no product of sizes overflows 64 bits.
            let mut length = one;
            for dim in &self.axes {
                length = b.mul(length, self.length(b, *dim));
                let message = format!(
                    "an `i32` index distinguishes at most {most} elements; {op} needs an `i64` \
                     index"
                );
                let most = Index::Const(most.cast_signed());
                assert(b, Predicate::Sle, length, most, &message);
            }
        }
    }
}

/// Returns the name of an operand dimension in messages: `arg0.dim1` for arguments of the host
/// function, as in a launch plan. If an operand is not an argument, the name contains the operand
/// number.
fn called(value: Val<'_>, number: usize, place: usize) -> String {
    let argument = argument_of(value).filter(|(block, _)| {
        use melior::ir::block::BlockLike as _;
        block
            .parent_operation()
            .is_some_and(|op| is(op, "func.func"))
    });
    match argument {
        Some((_, argument)) => format!("arg{argument}.dim{place}"),
        None => format!("dimension {place} of operand {number}"),
    }
}

/// Emits a `cf.assert` of a comparison, unless both sides are static: `check_places` compares
/// static sizes.
fn assert<'c>(
    b: &Builder<'c>,
    predicate: Predicate,
    left: Index<'c>,
    right: Index<'c>,
    message: &str,
) {
    if left.known().is_none() || right.known().is_none() {
        write_assert(b, predicate, left, right, message);
    }
}

pub(crate) fn write_assert<'c>(
    b: &Builder<'c>,
    predicate: Predicate,
    left: Index<'c>,
    right: Index<'c>,
    message: &str,
) {
    let holds = b.compare(predicate, b.value(left), b.value(right));
    b.create("cf.assert")
        .operands(&[holds])
        .attr("msg", StringAttribute::new(b.context(), message).into())
        .build();
}

/// Returns the minimum and maximum of an index expression. The index of each loop ranges from 0 to
/// the entry of the loop in `last`. Returns `None` if the ranges of the subexpressions do not
/// determine the range of the expression, as in a sum whose operands use the same loop.
fn range<'c>(
    b: &Builder<'c>,
    index: &Affine,
    last: &[Index<'c>],
) -> Option<(Index<'c>, Index<'c>)> {
    let zero = Index::Const(0);
    let positive = |x: &Affine| match x {
        Affine::Const(n) if *n > 0 => Some(*n),
        _ => None,
    };
    let divided = |n: Index<'c>, by: i64, up: bool| match n {
        Index::Const(n) if up => Index::Const(-(-n).div_euclid(by)),
        Index::Const(n) => Index::Const(n.div_euclid(by)),
        Index::Val(n) => {
            let op = if up {
                "arith.ceildivsi"
            } else {
                "arith.floordivsi"
            };
            Index::Val(b.binary(op, n, b.value(Index::Const(by))))
        }
    };
    match index {
        Affine::Const(n) => Some((Index::Const(*n), Index::Const(*n))),
        Affine::Dim(d) => Some((zero, last[*d])),
        Affine::Symbol(_) => None,
        Affine::Add(l, r) => {
            if (0..last.len()).any(|d| l.uses(d) && r.uses(d)) {
                return None;
            }
            let (l, r) = (range(b, l, last)?, range(b, r, last)?);
            Some((b.add(l.0, r.0), b.add(l.1, r.1)))
        }
        Affine::Mul(l, r) => {
            let (x, by) = match (&**l, &**r) {
                (x, Affine::Const(by)) | (Affine::Const(by), x) => (x, Index::Const(*by)),
                _ => return None,
            };
            let (low, high) = range(b, x, last)?;
            let (one, other) = (b.mul(low, by), b.mul(high, by));
            match by.known() < Some(0) {
                true => Some((other, one)),
                false => Some((one, other)),
            }
        }
        Affine::FloorDiv(l, r) | Affine::CeilDiv(l, r) => {
            let (by, up) = (positive(r)?, matches!(index, Affine::CeilDiv(..)));
            let (low, high) = range(b, l, last)?;
            Some((divided(low, by, up), divided(high, by, up)))
        }
        Affine::Mod(l, r) => {
            let most = positive(r)? - 1;
            let (low, high) = range(b, l, last)?;
            if low.known() != Some(0) || !is_contiguous(l) {
                return None;
            }
            let high = match high {
                Index::Const(n) => Index::Const(n.min(most)),
                Index::Val(n) => {
                    Index::Val(b.binary("arith.minsi", n, b.value(Index::Const(most))))
                }
            };
            Some((zero, high))
        }
    }
}

/// Returns whether an expression takes every value between its minimum and its maximum.
fn is_contiguous(index: &Affine) -> bool {
    match index {
        Affine::Dim(_) | Affine::Const(_) => true,
        Affine::Add(l, r) => is_contiguous(l) && is_contiguous(r),
        Affine::FloorDiv(l, _) | Affine::CeilDiv(l, _) => is_contiguous(l),
        Affine::Symbol(_) | Affine::Mul(..) | Affine::Mod(..) => false,
    }
}
