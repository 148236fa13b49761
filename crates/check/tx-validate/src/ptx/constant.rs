//! Constant integers of the device IR.

use melior::ir::ValueLike;
use tx_mlir::{Val, attribute, defining_op, integer_value, is, name, operands};

/// Maximum depth of the expressions that constant folding evaluates.
const FOLLOWED: u32 = 16;

/// Returns the value of a 32-bit constant expression.
pub(super) fn constant(value: Val<'_>) -> Option<u32> {
    fold(value, FOLLOWED)
}

fn fold(value: Val<'_>, depth: u32) -> Option<u32> {
    if tx_mlir::integer_width(value.r#type()) != Some(32) || depth == 0 {
        return None;
    }
    if let Some(value) = integer(value) {
        return low_word(value);
    }
    let op = defining_op(value)?;
    let inputs = operands(op);
    let input = |i: usize| fold(*inputs.get(i)?, depth - 1);
    match name(op) {
        "llvm.trunc" => low_word(integer(*inputs.first()?)?),
        "llvm.add" => Some(input(0)?.wrapping_add(input(1)?)),
        "llvm.sub" => Some(input(0)?.wrapping_sub(input(1)?)),
        "llvm.mul" => Some(input(0)?.wrapping_mul(input(1)?)),
        "llvm.and" => Some(input(0)? & input(1)?),
        "llvm.or" => Some(input(0)? | input(1)?),
        "llvm.xor" => Some(input(0)? ^ input(1)?),
        "llvm.shl" => input(0)?.checked_shl(input(1)?),
        "llvm.lshr" => input(0)?.checked_shr(input(1)?),
        _ => None,
    }
}

fn low_word(value: i64) -> Option<u32> {
    u32::try_from(value.cast_unsigned() & u64::from(u32::MAX)).ok()
}

pub(super) fn integer(value: Val<'_>) -> Option<i64> {
    let op = defining_op(value)?;
    is(op, "llvm.mlir.constant")
        .then(|| attribute(op, "value").and_then(integer_value))
        .flatten()
}
