//! Edits of loops and branches.

use super::Change;
use super::ir::{before, each, known, none, on_device, one};
use tx_mlir::build::argument;
use tx_mlir::{Op, Val, first_block, is, operands, ops, set_operand};

fn bounds<'c>(op: Op<'c>) -> Option<[Val<'c>; 3]> {
    if !is(op, "scf.for") || !on_device(op) {
        return None;
    }
    // Skip grid-stride loops: every block executes one iteration, and guards limit all other
    // iterations.
    let strided = tx_mlir::defining_op(operands(op)[2]);
    if strided.is_some_and(|step| is(step, "gpu.grid_dim")) {
        return None;
    }
    operands(op).get(..3)?.try_into().ok()
}

/// Returns whether a guard in the loop body makes an additional iteration have no effect.
fn is_guarded(op: Op<'_>) -> bool {
    let body = first_block(op, 0).map(ops).unwrap_or_default();
    body.into_iter().any(|inner| is(inner, "scf.if"))
}

/// Increases or decreases a loop bound by one loop step.
fn moved<'c>(op: Op<'c>, bound: usize, how: &'static str) -> Vec<Change<'c>> {
    match bounds(op) {
        Some(bounds) => one(move || {
            let b = before(op);
            set_operand(op, bound, b.binary(how, bounds[bound], bounds[2]));
        }),
        None => none(),
    }
}

pub(super) fn late_loop(op: Op<'_>) -> Vec<Change<'_>> {
    moved(op, 0, "arith.addi")
}

pub(super) fn short_loop(op: Op<'_>) -> Vec<Change<'_>> {
    moved(op, 1, "arith.subi")
}

pub(super) fn long_loop(op: Op<'_>) -> Vec<Change<'_>> {
    match is_guarded(op) {
        true => none(),
        false => moved(op, 1, "arith.addi"),
    }
}

pub(super) fn other_step(op: Op<'_>) -> Vec<Change<'_>> {
    // The loop over the remainder of a row has a single iteration, so the loop step has no effect.
    match bounds(op).filter(|_| !is_guarded(op)) {
        Some([_, _, step]) => one(move || {
            let b = before(op);
            set_operand(op, 2, b.binary("arith.addi", step, step));
        }),
        None => none(),
    }
}

/// Returns whether an op is an `scf.if` of a kernel with a non-constant condition.
fn is_guard(op: Op<'_>) -> bool {
    is(op, "scf.if") && on_device(op) && known(operands(op)[0]).is_none()
}

pub(super) fn lose_guard(op: Op<'_>) -> Vec<Change<'_>> {
    match is_guard(op) {
        true => one(move || {
            let b = before(op);
            set_operand(op, 0, b.int(1, b.int_type(1)));
        }),
        false => none(),
    }
}

pub(super) fn negate_guard(op: Op<'_>) -> Vec<Change<'_>> {
    match is_guard(op) {
        true => one(move || {
            let negated = before(op).not(operands(op)[0]);
            set_operand(op, 0, negated);
        }),
        false => none(),
    }
}

pub(super) fn lose_update(op: Op<'_>) -> Vec<Change<'_>> {
    if bounds(op).is_none() {
        return none();
    }
    let Some(block) = first_block(op, 0) else {
        return none();
    };
    let Some(last) = ops(block).last().copied() else {
        return none();
    };
    let carried = operands(last).into_iter().enumerate();
    let changed: Vec<usize> = carried
        .filter(|(i, value)| *value != argument(block, i + 1))
        .map(|(i, _)| i)
        .collect();
    each(changed, |i| {
        Box::new(move || set_operand(last, i, argument(block, i + 1)))
    })
}
