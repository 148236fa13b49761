//! Values of constant operands.

use tx_mlir::{Val, attribute, defining_op, float_value, integer_value, is, splat_value};

/// Returns the integer value of a scalar constant, or of each element of a splat constant.
pub(super) fn constant_integer(value: Val<'_>) -> Option<i64> {
    let op = defining_op(value).filter(|op| is(*op, "arith.constant"))?;
    let integer = attribute(op, "value")?;
    integer_value(splat_value(integer).unwrap_or(integer))
}

/// Returns the float value of a scalar constant, or of each element of a splat constant.
pub(super) fn constant_float(value: Val<'_>) -> Option<f64> {
    let op = defining_op(value).filter(|op| is(*op, "arith.constant"))?;
    let number = attribute(op, "value")?;
    let number = splat_value(number).unwrap_or(number);
    float_value(number)
}
