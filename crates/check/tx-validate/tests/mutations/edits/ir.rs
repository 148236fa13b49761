//! Building blocks of edits.

use super::Change;
use tx_mlir::melior::ir::attribute::IntegerAttribute;
use tx_mlir::melior::ir::operation::OperationLike;
use tx_mlir::melior::ir::{Attribute, BlockLike, Type, ValueLike};
use tx_mlir::{
    Builder, Op, Val, attribute, context, defining_op, enclosing, erase, integer_value, is, name,
    operands, parse_attribute, replace_uses, results, set_attribute, set_operand,
};

/// Returns a single change.
pub(crate) fn one<'c>(change: impl FnOnce() + 'c) -> Vec<Change<'c>> {
    vec![Box::new(change)]
}

pub(crate) fn none<'c>() -> Vec<Change<'c>> {
    Vec::new()
}

/// Returns one possible change of the IR for each item of a list.
pub(crate) fn each<'c, T>(
    things: impl IntoIterator<Item = T>,
    change: impl Fn(T) -> Change<'c>,
) -> Vec<Change<'c>> {
    things.into_iter().map(change).collect()
}

/// Returns whether the op belongs to a kernel.
pub(crate) fn on_device(op: Op<'_>) -> bool {
    enclosing(op, "gpu.module").is_some()
}

/// Returns whether the op is in an `llvm.func`.
pub(crate) fn in_llvm(op: Op<'_>) -> bool {
    enclosing(op, "llvm.func").is_some()
}

/// Returns whether a result of the op is used.
pub(crate) fn is_used(op: Op<'_>) -> bool {
    results(op).into_iter().any(tx_mlir::has_uses)
}

/// Returns the value of an integer constant.
pub(crate) fn known(value: Val<'_>) -> Option<i64> {
    let op = defining_op(value)?;
    match name(op) {
        "arith.constant" | "llvm.mlir.constant" => integer_value(attribute(op, "value")?),
        _ => None,
    }
}

/// Returns a builder that inserts before an op.
pub(crate) fn before(op: Op<'_>) -> Builder<'_> {
    Builder::before(op)
}

/// Returns a builder that inserts after an op.
pub(crate) fn after(op: Op<'_>) -> Builder<'_> {
    Builder::before(next(op).unwrap_or(op))
}

/// Returns the next op of the block.
pub(crate) fn next(op: Op<'_>) -> Option<Op<'_>> {
    let all = tx_mlir::ops(op.block()?);
    let at = all.iter().position(|o| *o == op)?;
    all.get(at + 1).copied()
}

/// Returns the previous op of the block.
pub(crate) fn previous(op: Op<'_>) -> Option<Op<'_>> {
    let all = tx_mlir::ops(op.block()?);
    let at = all.iter().position(|o| *o == op)?;
    Some(all[at.checked_sub(1)?])
}

/// Creates an integer constant with a constant op of the dialect that the surrounding code uses.
pub(crate) fn integer<'c>(b: &Builder<'c>, at: Op<'c>, n: i64, ty: Type<'c>) -> Val<'c> {
    let made = match in_llvm(at) {
        true => "llvm.mlir.constant",
        false => "arith.constant",
    };
    b.create(made)
        .attr("value", IntegerAttribute::new(ty, n).into())
        .result(ty)
        .value()
}

/// Replaces an operand by an integer constant.
pub(crate) fn give(op: Op<'_>, operand: usize, n: i64) {
    let ty = operands(op)[operand].r#type();
    set_operand(op, operand, integer(&before(op), op, n, ty));
}

/// Adds a constant to an operand.
pub(crate) fn add<'c>(op: Op<'c>, operand: usize, n: i64) {
    let b = before(op);
    let old = operands(op)[operand];
    let more = integer(&b, op, n, old.r#type());
    let sum = if in_llvm(op) {
        "llvm.add"
    } else {
        "arith.addi"
    };
    set_operand(op, operand, b.binary(sum, old, more));
}

/// Replaces an op by another op with the same operands and result types.
pub(crate) fn rename(op: Op<'_>, to: &str) {
    let types: Vec<_> = results(op).iter().map(|r| r.r#type()).collect();
    let made = before(op)
        .create(to)
        .operands(&operands(op))
        .results(&types)
        .build();
    for (old, new) in results(op).into_iter().zip(results(made)) {
        replace_uses(old, new);
    }
    erase(op);
}

/// Sets an attribute from text.
pub(crate) fn set(op: Op<'_>, attribute: &str, text: &str) {
    set_attribute(op, attribute, parse_attribute(context(op), text));
}

/// Computes a new SSA value from an SSA value, and replaces all uses of the original value by the
/// new value.
pub(crate) fn instead<'c>(old: Val<'c>, make: impl FnOnce(Val<'c>) -> Val<'c>, user: Op<'c>) {
    // The op that computes the new value keeps the old value as its operand.
    let new = make(old);
    replace_uses(old, new);
    set_operand(user, 0, old);
}

/// Returns the type of the only result of an op.
pub(crate) fn result_type<'c>(op: Op<'c>) -> Option<Type<'c>> {
    match results(op)[..] {
        [only] => Some(only.r#type()),
        _ => None,
    }
}

/// Moves an op before another op of its block.
pub(crate) fn move_before<'c>(op: Op<'c>, target: Op<'c>) {
    let copy = tx_mlir::copy(op);
    let copied = target
        .block()
        .map(|block| block.insert_operation_before(target, copy));
    if let Some(copied) = copied {
        for (old, new) in results(op).into_iter().zip(results(copied)) {
            replace_uses(old, new);
        }
    }
    erase(op);
}

/// Returns whether an op is a barrier that has no results.
pub(crate) fn is_barrier(op: Op<'_>) -> bool {
    results(op).is_empty()
        && [
            "gpu.barrier",
            "nvvm.barrier0",
            "nvvm.barrier",
            "nvvm.bar.warp.sync",
        ]
        .into_iter()
        .any(|barrier| is(op, barrier))
}

/// Returns an i64 attribute.
pub(crate) fn predicate<'c>(op: Op<'c>, n: i64) -> Attribute<'c> {
    tx_mlir::i64_attribute(context(op), n)
}
