//! Analysis of the sign of a value from the ops that compute the value.
//!
//! In most programs, the argument of an exponential is a number minus a maximum. A number minus the
//! maximum of a set that contains the number is never positive.

use melior::ir::{Type, ValueLike};
use tx_mlir::{
    Val, attribute, defining_op, dense_bits, float_bits, float_width, integer_attribute, is, name,
    operands,
};

use super::arithmetic::parts;
use tx_scalar::Float;

/// Maximum length of the chain of ops that the sign analysis visits.
const DEPTH: usize = 8;

const OEQ: i64 = 1;
const UNE: i64 = 13;

/// Returns whether a value is provably 0, negative or NaN.
pub(super) fn is_nonpositive(value: Val<'_>) -> bool {
    nonpositive(value, DEPTH)
}

fn nonpositive(value: Val<'_>, depth: usize) -> bool {
    let (Some(op), Some(depth)) = (defining_op(value), depth.checked_sub(1)) else {
        return false;
    };
    let operands = operands(op);
    let known = |operand: &Val<'_>| nonpositive(*operand, depth);
    match (name(op), &operands[..]) {
        ("arith.negf", [x]) => defining_op(*x).is_some_and(|x| is(x, "math.absf")),
        ("arith.subf", [x, y]) => never_below(*y, *x, depth),
        ("arith.minimumf", both) => both.iter().any(known),
        // If one operand is NaN, `arith.minnumf` returns the other operand.
        ("arith.minnumf", both) => {
            both.iter().any(|x| constant_is(*x, is_number_up_to_zero)) || both.iter().all(known)
        }
        ("arith.maximumf" | "arith.maxnumf" | "arith.addf", both) => both.iter().all(known),
        ("arith.select", [_, both @ ..]) => both.iter().all(known),
        ("arith.extf" | "arith.truncf", [x]) => known(x),
        ("arith.constant", []) => constant_is(value, is_number_up_to_zero),
        _ => false,
    }
}

/// Returns whether `low - high` is provably never positive.
fn never_below(high: Val<'_>, low: Val<'_>, depth: usize) -> bool {
    if high == low {
        return true;
    }
    let (Some(op), Some(depth)) = (defining_op(high), depth.checked_sub(1)) else {
        return false;
    };
    let of = operands(op);
    // `arith.minimumf` is at most each of its operands, or NaN.
    let smaller = defining_op(low).filter(|op| is(*op, "arith.minimumf"));
    let lower: Vec<_> = std::iter::once(low)
        .chain(smaller.into_iter().flat_map(operands))
        .collect();
    let is_above = |x: &Val<'_>| lower.iter().any(|low| never_below(*x, *low, depth));
    match name(op) {
        "arith.maximumf" => return of.iter().any(is_above),
        // `arith.maxnumf` ignores a NaN operand, so an operand that may be NaN is no lower bound of
        // the result. Only a NaN in `low` itself is harmless: if `low` is NaN, the difference is
        // NaN too.
        "arith.maxnumf" => return of.iter().any(|x| lower.contains(x)),
        _ => {}
    }
    // A select may replace -inf by another value. If `high` was -inf before the select, `low` is
    // also -inf, and the difference remains -inf.
    match &of[..] {
        [condition, yes, no] if is(op, "arith.select") => {
            let Some(compare) = defining_op(*condition).filter(|op| is(*op, "arith.cmpf")) else {
                return false;
            };
            let compared = operands(compare);
            let [x, bound] = &compared[..] else {
                return false;
            };
            let kept = match integer_attribute(compare, "predicate") {
                Some(OEQ) => no,
                Some(UNE) => yes,
                _ => return false,
            };
            kept == x && constant_is(*bound, is_minus_infinity) && never_below(*x, low, depth)
        }
        _ => false,
    }
}

/// Returns true if a value is a constant and all its elements satisfy the predicate `so`, which
/// takes the bits and the type of an element.
fn constant_is(value: Val<'_>, so: fn(u64, Type<'_>) -> bool) -> bool {
    let Some(constant) = defining_op(value).filter(|op| is(*op, "arith.constant")) else {
        return false;
    };
    let (_, element) = parts(value.r#type());
    attribute(constant, "value")
        .and_then(|attribute| {
            float_bits(attribute).map_or_else(|| dense_bits(attribute), |bits| Some(vec![bits]))
        })
        .is_some_and(|all| all.into_iter().all(|bits| so(bits, element)))
}

/// Returns the bits of a float without the sign bit, and whether the sign bit is set.
fn magnitude(bits: u64, ty: Type<'_>) -> (u64, bool) {
    let sign = 1 << (float_width(ty) - 1);
    (bits & (sign - 1), bits & sign != 0)
}

fn infinity(ty: Type<'_>) -> Option<u64> {
    match Float::of(ty)? {
        Float::F16 => Some(0x7c00),
        Float::BF16 => Some(0x7f80),
        Float::F32 => Some(0x7f80_0000),
        Float::F64 => Some(0x7ff0_0000_0000_0000),
        Float::F8E4M3FN | Float::F8E5M2 => None,
    }
}

fn is_minus_infinity(bits: u64, ty: Type<'_>) -> bool {
    let (magnitude, is_minus) = magnitude(bits, ty);
    is_minus && infinity(ty) == Some(magnitude)
}

fn is_number_up_to_zero(bits: u64, ty: Type<'_>) -> bool {
    let (magnitude, is_minus) = magnitude(bits, ty);
    infinity(ty).is_some_and(|infinity| magnitude <= infinity) && (is_minus || magnitude == 0)
}
