//! Warnings about attributes without effect.

use crate::analysis::laws::is_written;
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use tx_dialect_tile::{AllReduce, Kind, Nan, Reduce, element_type};
use tx_mlir::{Op, warning};

/// Warns of a `nan` policy without effect on an op of the input program.
pub(crate) fn warn_of_unused(op: Op<'_>) {
    if !is_written(op) {
        return;
    }
    let (kind, nan, values) = match (Reduce::of(op), AllReduce::of(op)) {
        (Some(reduce), _) => (reduce.kind, reduce.nan, reduce.sources),
        (_, Some(exchange)) => (exchange.kind, exchange.nan, exchange.values),
        _ => return,
    };
    let orders = kind.is_arg() || matches!(kind, Kind::Max | Kind::Min);
    let is_float = values.first().is_some_and(|value| {
        let ty = value.r#type();
        element_type(ty).unwrap_or(ty).is_float()
    });
    if nan == Nan::Propagate || orders || !is_float {
        return;
    }
    let (why, instead) = match kind {
        Kind::Custom => (
            "the combiner defines the handling of NaN",
            "in the combiner",
        ),
        _ => (
            "the result is NaN if any operand is NaN",
            "in an `element` region",
        ),
    };
    warning(
        op.location(),
        format!("`nan` has no effect on `{kind}`: {why}"),
    )
    .note("`nan` defines the handling of NaN in `max`, `min`, `argmax` and `argmin`")
    .note(format!(
        "to ignore NaN, replace it by another value {instead}, with `arith.cmpf uno` and \
         `arith.select`"
    ))
    .emit();
}
