//! Conversions between a fragment and the vector of the fragment elements in the registers of a
//! thread.

use melior::ir::{Type, ValueLike};
use tx_dialect_tile::{Axis, Fragment};
use tx_mlir::{Builder, Val};

/// Emits the conversion of a fragment to the vector of the fragment elements in the registers of
/// the current thread; returns `None` if the type of `fragment` is not a fragment type.
pub(crate) fn registers<'c>(b: &Builder<'c>, fragment: Val<'c>) -> Option<Val<'c>> {
    let ty = registers_type(fragment.r#type())?;
    let cast = b
        .create("builtin.unrealized_conversion_cast")
        .operands(&[fragment])
        .result(ty);
    Some(cast.value())
}

/// Emits the conversion of the vector `registers`, which contains the fragment elements in the
/// registers of the current thread, to a fragment of type `ty`.
pub(crate) fn fragment<'c>(b: &Builder<'c>, registers: Val<'c>, ty: Type<'c>) -> Val<'c> {
    b.create("builtin.unrealized_conversion_cast")
        .operands(&[registers])
        .result(ty)
        .value()
}

/// Returns the type of the vector of fragment elements in the registers of one thread, for the
/// fragment type `ty`; `None` if `ty` is not a fragment type.
pub(crate) fn registers_type(ty: Type<'_>) -> Option<Type<'_>> {
    let fragment = Fragment::from_type(ty)?;
    let placed = fragment.layout.shard.iter().chain(&fragment.layout.replica);
    let slots: i64 = placed
        .filter(|i| i.axis == Axis::Reg)
        .map(|i| i.extent)
        .product();
    Some(Type::vector(&[slots.unsigned_abs()], fragment.element))
}
