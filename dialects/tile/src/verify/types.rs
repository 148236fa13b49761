//! Element types of reductions, and accumulator types.

use super::tile::Tile;
use crate::attributes::Kind;
use crate::diagnostic::complain;
use crate::ops::{Reduce, integer_width};
use melior_upstream::ir::Type;
use melior_upstream::ir::r#type::TypeLike;
use tx_mlir::{Failed, Op, attribute, codes, float_width, type_value};

pub(super) fn float_bits(ty: Type<'_>) -> Option<u32> {
    let is = [
        mlir_sys::mlirTypeIsAFloat8E4M3FN,
        mlir_sys::mlirTypeIsAFloat8E5M2,
        mlir_sys::mlirTypeIsAF16,
        mlir_sys::mlirTypeIsABF16,
        mlir_sys::mlirTypeIsAF32,
        mlir_sys::mlirTypeIsAF64,
    ];
    // SAFETY: the functions only query a valid type.
    let known = is.iter().any(|is| unsafe { is(ty.to_raw()) });
    known.then(|| float_width(ty))
}

pub(super) fn check_element(
    op: Op<'_>,
    kind: Kind,
    ty: Type<'_>,
    role: &str,
) -> Result<(), Failed> {
    let integer = integer_width(ty);
    let known = match integer {
        Some(1) => matches!(kind, Kind::And | Kind::Or | Kind::Xor | Kind::Custom),
        Some(bits) => matches!(bits, 8 | 16 | 32 | 64),
        None => float_bits(ty).is_some(),
    };
    if !known {
        let note = if integer == Some(1) {
            format!(
                "i1 can be combined by `and`, `or`, `xor` and `custom`; {}",
                instead_of_i1(kind)
            )
        } else {
            "known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as \
             sources f8E4M3FN and f8E5M2"
                .to_owned()
        };
        return Err(
            complain(op, format!("`{kind}` of `{ty}` {role} is not defined"))
                .code(codes::TX0006)
                .note(note)
                .emit(),
        );
    }
    if kind.is_integer_only() && integer.is_none() {
        return Err(
            complain(op, format!("`{kind}` combines integers, found `{ty}`"))
                .code(codes::TX0006)
                .emit(),
        );
    }
    Ok(())
}

/// Checks the types of the combined values, of `acc`, of indices, and of the destinations.
pub(super) fn check_reduce_types<'c>(
    reduce: &Reduce<'c>,
    parts: &[Type<'c>],
    targets: &[Tile<'c>],
) -> Result<(), Failed> {
    let op = reduce.op;
    let values = if reduce.kind.is_arg() { 1 } else { parts.len() };
    for part in &parts[..values] {
        check_element(op, reduce.kind, *part, "elements")?;
    }
    if let Some(acc) = attribute(op, "acc").and_then(type_value) {
        check_accumulator(op, acc, parts[0])?;
    }
    if reduce.kind.is_arg() && parts.len() == 2 {
        let index = parts[1];
        if !matches!(integer_width(index), Some(32 | 64)) {
            return Err(
                complain(op, format!("an index is `i32` or `i64`, found `{index}`"))
                    .code(codes::TX0007)
                    .emit(),
            );
        }
    }
    if reduce.epilogue().is_some() {
        return Ok(());
    }
    for (part, target) in parts[..values].iter().zip(targets) {
        let (from, to) = (*part, target.element);
        let wider = float_bits(from)
            .zip(float_bits(to))
            .is_some_and(|(f, t)| f < t);
        let narrow = float_bits(to).is_some_and(|bits| bits < 16);
        if narrow {
            return Err(complain(
                op,
                format!(
                    "`{to}` is supported as the element type of a source, but not of a destination"
                ),
            )
            .code(codes::TX0010)
            .note("reduce into f16, bf16 or f32")
            .emit());
        }
        if from != to && !wider {
            return Err(of_other_type(op, from, to));
        }
    }
    if reduce.kind.is_arg() {
        let index = targets[1].element;
        if !matches!(integer_width(index), Some(32 | 64)) {
            return Err(
                complain(op, format!("an index is `i32` or `i64`, found `{index}`"))
                    .code(codes::TX0007)
                    .emit(),
            );
        }
    }
    Ok(())
}

/// Emits an error: a destination with element type `to` cannot store values of type `from`.
fn of_other_type(op: Op<'_>, from: Type<'_>, to: Type<'_>) -> Failed {
    let widest = match float_bits(from) {
        Some(bits) if bits < 64 => " or a wider float",
        _ => "",
    };
    let report = complain(
        op,
        format!("the destination's elements must be `{from}`{widest}, found `{to}`"),
    )
    .code(codes::TX0010);
    if let (Some(f), Some(t)) = (float_bits(from), float_bits(to))
        && t < f
    {
        let note = format!(
            "reduce into `{from}` and round the result with `arith.truncf`: at scope `grid`, in an \
             `epilogue` region"
        );
        return report.note(note).emit();
    }
    let convert = match (integer_width(from), integer_width(to), float_bits(to)) {
        (Some(f), Some(t), _) if f < t => "arith.extsi` or `arith.extui",
        (Some(_), None, Some(_)) => "arith.sitofp` or `arith.uitofp",
        _ => return report.emit(),
    };
    report
        .note(format!(
            "convert the elements first: at scope `grid`, in an `element` region, with `{convert}`"
        ))
        .emit()
}

pub(super) fn check_accumulator(op: Op<'_>, acc: Type<'_>, from: Type<'_>) -> Result<(), Failed> {
    let fits = match (integer_width(from), integer_width(acc)) {
        (Some(f), Some(a)) => matches!(a, 1 | 8 | 16 | 32 | 64) && a >= f,
        (None, None) => float_bits(from)
            .zip(float_bits(acc))
            .is_some_and(|(f, a)| (acc == from || f < a) && a >= 16),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(complain(
        op,
        format!(
            "`acc` must be `{from}` or a wider type of the same class (integer or float), found \
             `{acc}`"
        ),
    )
    .code(codes::TX0011)
    .emit())
}

/// Returns a note for a reduction of `i1` values with the unsupported kind `kind`. The note names
/// the bitwise kind that replaces the unsupported kind. As a signed number, the `i1` value true is
/// -1.
fn instead_of_i1(kind: Kind) -> &'static str {
    match kind {
        Kind::UMax => "write `or` for `umax`",
        Kind::UMin => "write `and` for `umin`",
        Kind::Max => {
            "write `or` to test whether any element is true; the signed `max`, where true is -1, \
             equals `and`"
        }
        Kind::Min => {
            "write `and` to test whether all elements are true; the signed `min`, where true is \
             -1, equals `or`"
        }
        Kind::Prod => "write `and` for `prod`",
        Kind::Sum => {
            "write `xor` for a `sum` modulo 2; to count true elements, extend the elements with \
             `arith.extui` first (at scope `grid`, in the `element` region)"
        }
        _ => {
            "extend the elements with `arith.extui` first (at scope `grid`, in the `element` \
             region)"
        }
    }
}

/// Checks that the index type of `argmax` and `argmin` can represent the last index. The function
/// computes the last index from the static lengths only; a dynamic length counts as 1.
pub(super) fn check_index_range(
    reduce: &Reduce<'_>,
    axes: &[usize],
    shape: &[Option<u64>],
) -> Result<(), Failed> {
    let length = axes
        .iter()
        .filter_map(|d| shape[*d])
        .fold(1, u64::saturating_mul);
    match reduce.most_positions() {
        Some(most) if length > most => Err(complain(
            reduce.op,
            format!("an `i32` index cannot distinguish {length} elements"),
        )
        .code(codes::TX0008)
        .note("use an `i64` index")
        .emit()),
        _ => Ok(()),
    }
}

/// Checks that the type of partial results can represent the previous values of the destinations. A
/// previous value would lose bits if it were converted to a narrower type of partial results.
pub(super) fn check_old_values(reduce: &Reduce<'_>, targets: &[Tile<'_>]) -> Result<(), Failed> {
    let by_region = reduce.kind == Kind::Custom || reduce.epilogue().is_some();
    if !by_region || !reduce.accumulate {
        return Ok(());
    }
    let types = reduce.accumulators().unwrap_or_default();
    for (i, (target, ty)) in targets.iter().zip(types).enumerate() {
        if float_bits(target.element) > float_bits(ty) {
            return Err(complain(
                reduce.op,
                format!(
                    "the combiner takes `{ty}`, which is narrower than the elements of destination \
                     {i}, `{}`",
                    target.element
                ),
            )
            .code(codes::TX0031)
            .note("set `acc` to the wider type, or reduce into a destination of the narrower type")
            .emit());
        }
    }
    Ok(())
}
