//! Properties of loops and branches: arguments, yielded values, trip counts and structure.

use crate::analysis::facts::Fact;
use melior::ir::block::BlockLike;
use tx_mlir::{Blk, Op, Val, attribute, blocks, is, name, operands, ops};

/// Returns whether an `scf.for` compares its bounds as unsigned integers.
pub(crate) fn counts_unsigned(op: Op<'_>) -> bool {
    attribute(op, "unsignedCmp").is_some()
}

/// Returns whether the induction variable of an unsigned loop may exceed the largest signed
/// integer. Ranges cannot represent integers above the largest signed integer.
pub(super) fn wraps(op: Op<'_>, bounds: &[Fact]) -> bool {
    let mut all = bounds.iter().filter_map(|fact| fact.ranges.as_ref());
    counts_unsigned(op) && all.any(|ranges| ranges.iter().any(|range| range.0 < 0))
}

/// Returns whether an op is an `scf.for` or an `scf.while`, the loops whose loop-carried values are
/// analysed.
pub(super) fn is_loop(op: Op<'_>) -> bool {
    matches!(name(op), "scf.for" | "scf.while")
}

pub(crate) fn arguments(block: Blk<'_>) -> Vec<Val<'_>> {
    let all = (0..block.argument_count()).filter_map(|n| block.argument(n).ok());
    all.map(Into::into).collect()
}

pub(crate) fn last_operands(block: Blk<'_>) -> Vec<Val<'_>> {
    ops(block)
        .last()
        .map(|op| operands(*op))
        .unwrap_or_default()
}

/// Returns whether the trip count of a loop is equal in all threads; the loop bounds may differ
/// between threads.
pub(super) fn same_trips(bounds: &[Fact]) -> bool {
    let exact: Option<Vec<Vec<i64>>> = bounds.iter().map(Fact::exact).collect();
    let Some(exact) = exact else { return false };
    let trips = |t: usize| {
        // The difference of 64-bit bounds may need more than 64 bits.
        let [from, to, step] = [0, 1, 2].map(|bound| i128::from(exact[bound][t]));
        ((to - from).max(0) + step.max(1) - 1) / step.max(1)
    };
    (0..exact[0].len()).all(|t| trips(t) == trips(0))
}

/// Returns whether an op has structured control flow. For example, the control flow of an
/// `scf.execute_region` with several blocks is unstructured.
pub(super) fn is_structured(op: Op<'_>) -> bool {
    !is(op, "scf.execute_region") || blocks(op).len() == 1
}
