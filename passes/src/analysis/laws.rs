//! Checks of the algebraic properties of `custom` combiners in the program.

use crate::linalg::laws::{Law, LikelyMistake, check, instead, likely_mistake};
use melior::ir::operation::OperationLike;
use tx_mlir::build::argument;
use tx_mlir::{Failed, Op, attribute, codes, elements, enclosing, error, first_block, warning};

/// Rejects a `custom` combiner that is provably not associative or not commutative, or that has no
/// valid identity. Emits a warning if a combiner violates an algebraic property for some sample
/// values but satisfies the property for other sample values.
pub(crate) fn check_laws(op: Op<'_>) -> Result<(), Failed> {
    let identities = attribute(op, "identities")
        .and_then(elements)
        .unwrap_or_default();
    let Some(block) = first_block(op, 0).filter(|_| !identities.is_empty()) else {
        return Ok(());
    };
    let element = first_block(op, 1);
    let changed = check(block, element, &identities).map_err(|broken| {
        let message = format!("{}: {}", broken.law.broken(), broken.text);
        let report = error(op.location(), message).code(codes::TX0207);
        let (why, meant) = match broken.law {
            Law::Identity => (
                "threads without an element contribute the identity, any number of times",
                None,
            ),
            _ => (
                "elements are combined in any order",
                instead(block, argument(block, 0)),
            ),
        };
        let meant = meant.into_iter();
        meant
            .fold(report, |report, meant| report.note(meant))
            .note(why)
            .emit()
    })?;
    if !is_written(op) {
        return Ok(());
    }
    if let Some(changed) = changed {
        warning(
            op.location(),
            format!(
                "the identity is not neutral for every value: {}",
                changed.text
            ),
        )
        .note(
            "threads without an element contribute the identity: results are correct only if such \
             values do not occur",
        )
        .emit();
    }
    if let Some(mistake) = likely_mistake(block, element, &identities) {
        warn_of(op, &mistake);
    }
    Ok(())
}

/// Returns whether `op` is from the input program, not created by `tile-schedule`. `tile-schedule`
/// checks an op of the input program before the pass replaces the op. A kernel with the attribute
/// `schedule` contains only ops that `tile-schedule` created.
pub(crate) fn is_written(op: Op<'_>) -> bool {
    enclosing(op, "gpu.func").is_none_or(|kernel| attribute(kernel, "schedule").is_none())
}

/// Emits a warning for a combiner that violates an algebraic property for most tested tuples of
/// sample values.
fn warn_of(op: Op<'_>, mistake: &LikelyMistake) {
    let LikelyMistake {
        broken,
        part,
        is_ordered,
    } = mistake;
    let (why, change) = match broken.law {
        Law::Identity => (
            "threads without an element contribute the identity: results are wrong if such tuples \
             occur",
            format!(
                "value {part} (counted from 0) changes: correct its identity, or the operand of \
                 `tile.yield` for this value"
            ),
        ),
        _ if *is_ordered => (
            "elements are combined in any order: the result depends on the order if such tuples \
             occur",
            "the combiner is associative but not commutative, as in a composition of functions, \
             and reductions preserve no order"
                .to_owned(),
        ),
        _ => (
            "elements are combined in any order: the result depends on the order if such tuples \
             occur",
            format!(
                "value {part} (counted from 0) differs: check whether its operand of `tile.yield` \
                 uses a left argument of the combiner instead of a right argument, or the reverse"
            ),
        ),
    };
    let law = broken.law.broken();
    warning(
        op.location(),
        format!("{law} for most tuples: {}", broken.text),
    )
    .note(change)
    .note(why)
    .emit();
}
