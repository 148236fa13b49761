//! Conversions between fragments and vectors of the registers of a thread.

use melior::ir::{Type, ValueLike};
use tx_dialect_tile::{Axis, Fragment};
use tx_mlir::{Builder, Val};

/// Emits the conversion of a fragment to a vector of the registers of the current thread; `None` if
/// the value is not a fragment.
pub(crate) fn registers<'c>(b: &Builder<'c>, fragment: Val<'c>) -> Option<Val<'c>> {
    let ty = registers_type(fragment.r#type())?;
    let cast = b
        .create("builtin.unrealized_conversion_cast")
        .operands(&[fragment])
        .result(ty);
    Some(cast.value())
}

/// Emits the conversion of a vector of the registers of the current thread to a fragment of type
/// `ty`.
pub(crate) fn fragment<'c>(b: &Builder<'c>, registers: Val<'c>, ty: Type<'c>) -> Val<'c> {
    b.create("builtin.unrealized_conversion_cast")
        .operands(&[registers])
        .result(ty)
        .value()
}

/// Returns the vector type that contains a thread's registers of a fragment; `None` if `ty` is not
/// a fragment type.
pub(crate) fn registers_type(ty: Type<'_>) -> Option<Type<'_>> {
    let fragment = Fragment::from_type(ty)?;
    let placed = fragment.layout.shard.iter().chain(&fragment.layout.replica);
    let slots: i64 = placed
        .filter(|i| i.axis == Axis::Reg)
        .map(|i| i.extent)
        .product();
    Some(Type::vector(&[slots.unsigned_abs()], fragment.element))
}
