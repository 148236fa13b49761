//! Instruction `redux.sync`, which combines the values of lanes.

use crate::combiner::Combiner;
use melior::ir::ValueLike;
use melior::ir::r#type::TypeLike;
use tx_dialect_tile::{Kind, Nan};
use tx_mlir::{Builder, Val, byte_width};
use tx_target::{Chip, ReduxType};

/// Returns the keyword of `nvvm.redux.sync` for a reduction kind.
fn spelling(kind: Kind, float: bool) -> Option<&'static str> {
    Some(match (kind, float) {
        (Kind::Sum, false) => "add",
        (Kind::Max, false) => "max",
        (Kind::Min, false) => "min",
        (Kind::UMax, false) => "umax",
        (Kind::UMin, false) => "umin",
        (Kind::And, false) => "and",
        (Kind::Or, false) => "or",
        (Kind::Xor, false) => "xor",
        (Kind::Max, true) => "fmax",
        (Kind::Min, true) => "fmin",
        _ => return None,
    })
}

pub(crate) fn check(chip: &Chip, combiner: &Combiner<'_>) -> Result<(), String> {
    let ty = combiner.types()[0];
    let refused = || format!("`redux.sync` has no `{}` of `{ty}`", combiner.kind());
    let float = ty.is_float();
    let bytes = byte_width(ty).unwrap_or(8);
    let operand = match (float, bytes) {
        (false, ..=4) => ReduxType::I32,
        (true, 4) => ReduxType::F32,
        _ => return Err(refused()),
    };
    if combiner.types().len() != 1 || spelling(combiner.kind(), float).is_none() {
        return Err(refused());
    }
    if chip.has_redux(operand) {
        return Ok(());
    }
    Err(format!(
        "{chip} has no `redux.sync` of {operand}, expected {}",
        operand.chips()
    ))
}

/// Emits an `nvvm.redux.sync` of `value` over the lanes in `mask`.
pub(super) fn write<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    value: Val<'c>,
    mask: Val<'c>,
) -> Val<'c> {
    let ty = value.r#type();
    let float = ty.is_float();
    let wide = if float { ty } else { b.int_type(32) };
    // Narrow integers are extended to 32 bits, and the result is truncated.
    let value = if wide == ty {
        value
    } else {
        let op = if matches!(combiner.kind(), Kind::Max | Kind::Min) {
            "arith.extsi"
        } else {
            "arith.extui"
        };
        b.create(op).operands(&[value]).result(wide).value()
    };
    let kind = spelling(combiner.kind(), float).unwrap_or("add");
    let mut op = b
        .create("nvvm.redux.sync")
        .attr_text("kind", &format!("#nvvm<redux_kind {kind}>"));
    if float && combiner.nan() == Nan::Propagate {
        op = op.boolean("nan", true);
    }
    let total = op.operands(&[value, mask]).result(wide).value();
    if wide == ty {
        total
    } else {
        b.create("arith.trunci")
            .operands(&[total])
            .result(ty)
            .value()
    }
}
