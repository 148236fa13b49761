//! Contiguity of operands: the main operand of an op, the contiguous dimension of the main operand,
//! and the access pattern of an operand along a dimension.

use super::extent::Extent;
use super::grid_op::{GridOp, Work};
use crate::analysis::dataflow::Access;
use crate::emit::is_packed;
use tx_dialect_tile::Determinism;
use tx_mlir::{Affine, attribute, byte_width};

/// Access pattern of an operand along a dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessPattern {
    /// All iterations along the dimension access the same element, or a few elements that stay in
    /// the cache.
    Invariant,
    /// `Contiguous(n)`: consecutive iterations access contiguous elements of `n` bytes.
    Contiguous(i64),
    /// Consecutive iterations access elements with a stride.
    Strided,
}

/// Returns the main operand. The main operand of a reduction is the source with the most
/// dimensions, and the main operand of an element-wise op is the destination.
pub(crate) fn main_operand<'a, 'c>(grid_op: &'a GridOp<'c>) -> Option<&'a Access<'c>> {
    let widest = grid_op
        .sources
        .iter()
        .rev()
        .max_by_key(|a| a.map.results.len());
    match &grid_op.work {
        Work::Combine(..) => widest.or(grid_op.destinations.first()),
        _ => grid_op.destinations.first(),
    }
}

/// Returns whether an op is batch-invariant: the number of results must not affect the order in
/// which elements are combined.
pub(crate) fn is_batch_invariant(grid_op: &GridOp<'_>) -> bool {
    let determinism = attribute(grid_op.op, "determinism").and_then(Determinism::of);
    determinism == Some(Determinism::BatchInvariant)
}

/// Returns the dimension along which the elements of the main operand are assumed to be contiguous.
pub(crate) fn innermost(grid_op: &GridOp<'_>) -> Option<usize> {
    match is_batch_invariant(grid_op) {
        true => last(grid_op),
        false => nearest(grid_op),
    }
}

/// Returns the last dimension of the iteration space that occurs in the last index of the main
/// operand. The result does not depend on strides and sizes.
fn last(grid_op: &GridOp<'_>) -> Option<usize> {
    let index = main_operand(grid_op)?.map.results.last()?;
    (0..grid_op.extents.len()).rev().find(|d| index.uses(*d))
}

/// Returns the dimension along which the elements of the main operand are contiguous.
fn nearest(grid_op: &GridOp<'_>) -> Option<usize> {
    let access = main_operand(grid_op)?;
    (0..grid_op.extents.len())
        .filter(|d| grid_op.extents[*d] != Extent::Static(1))
        .filter_map(|d| Some((distance(access, d)?, d)))
        .filter(|(distance, _)| *distance > 0)
        .min()
        .map(|(_, d)| d)
}

/// Returns the distance, in elements, between the elements that consecutive iterations along `dim`
/// access. A dynamic stride counts as greater than any static stride, and an outer dynamic stride
/// as greater than an inner dynamic stride.
fn distance(access: &Access<'_>, dim: usize) -> Option<i64> {
    let memref = access.memref.as_ref()?;
    let rank = memref.rank();
    let mut sum = 0i64;
    for (i, result) in access.map.results.iter().enumerate() {
        if !result.uses(dim) {
            continue;
        }
        let stride =
            memref.strides[i].unwrap_or_else(|| (1 << 40) + i64::try_from(rank - i).unwrap_or(0));
        sum = sum.saturating_add(result.step(dim).unwrap_or(1).saturating_mul(stride));
    }
    Some(sum.saturating_abs())
}

pub(crate) fn access_pattern(access: &Access<'_>, dim: usize) -> AccessPattern {
    let Some(memref) = &access.memref else {
        return AccessPattern::Invariant;
    };
    let results = &access.map.results;
    if !results.iter().any(|index| index.uses(dim)) {
        return AccessPattern::Invariant;
    }
    let Some((last, others)) = results.split_last() else {
        return AccessPattern::Invariant;
    };
    let is_alone = others.iter().all(|index| !index.uses(dim));
    let divided = matches!(last, Affine::Mod(..) | Affine::FloorDiv(..));
    let is_next = memref.strides.last() == Some(&Some(1));
    match byte_width(memref.element).and_then(|bytes| i64::try_from(bytes).ok()) {
        _ if is_packed(memref.element) || !is_alone => AccessPattern::Strided,
        // If an index contains quotients and remainders, several iterations access the same
        // elements of a row, and these elements stay in the cache.
        _ if divided && is_next => AccessPattern::Invariant,
        Some(bytes) if is_next && last.step(dim) == Some(1) => AccessPattern::Contiguous(bytes),
        _ => AccessPattern::Strided,
    }
}
