//! Conversions from and to 8-bit floats, for which LLVM has no type.

use super::arithmetic::{convert, parts};
use melior::ir::{Type, ValueLike};
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::{Builder, Val, f32_of};
use tx_scalar::Float;

/// Returns the 8-bit float format of a type, or of its elements.
fn narrow(ty: Type<'_>) -> Option<Float> {
    Float::of(parts(ty).1).filter(|float| float.bits() == 8)
}

/// A builder of ops on scalars, or on vectors of `lanes` elements.
struct Lanes<'b, 'c> {
    b: &'b Builder<'c>,
    lanes: Option<u64>,
}

impl<'c> Lanes<'_, 'c> {
    fn shaped(&self, ty: Type<'c>) -> Type<'c> {
        self.lanes.map_or(ty, |n| Type::vector(&[n], ty))
    }

    fn cast(&self, op: &str, value: Val<'c>, element: Type<'c>) -> Val<'c> {
        convert(self.b, op, value, self.shaped(element))
    }

    fn int(&self, like: Val<'c>, n: i64) -> Val<'c> {
        self.b.int(n, like.r#type())
    }

    fn with(&self, op: &str, value: Val<'c>, n: i64) -> Val<'c> {
        self.b.binary(op, value, self.int(value, n))
    }
}

/// Emits the expansion of `arith.extf` or `arith.truncf`, if one of the types is an 8-bit float.
pub(super) fn expand<'c>(
    b: &Builder<'c>,
    op: &str,
    value: Val<'c>,
    to: Type<'c>,
) -> Option<Val<'c>> {
    let lanes = Lanes {
        b,
        lanes: parts(to).0,
    };
    let element = parts(to).1;
    match (op, narrow(value.r#type()), narrow(to)) {
        ("arith.extf", Some(from), None) => Some(widen(&lanes, from, value, element)),
        ("arith.truncf", None, Some(to)) => round(&lanes, value, to, element),
        _ => None,
    }
}

/// Emits the exact value of an 8-bit float. The bits of f8E5M2 are the upper half of an f16. The
/// exponent and fraction of f8E4M3FN are shifted to their places in an f16, and the result is
/// scaled by 2^8, the difference of the biases. The only non-finite value of f8E4M3FN is NaN, with
/// all bits of the magnitude set.
fn widen<'c>(m: &Lanes<'_, 'c>, from: Float, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    let half = m.b.float_type("f16");
    let single = f32_of(value.r#type());
    let bits = m.cast("arith.bitcast", value, m.b.int_type(8));
    let bits = m.cast("arith.extui", bits, m.b.int_type(16));
    let in_single = if from == Float::F8E5M2 {
        let bits = m.with("arith.shli", bits, 8);
        let value = m.cast("arith.bitcast", bits, half);
        m.cast("arith.extf", value, single)
    } else {
        let magnitude = m.with("arith.andi", bits, 0x7f);
        let sign = m.with("arith.andi", bits, 0x80);
        let low = m.with("arith.shli", magnitude, 7);
        let high = m.with("arith.shli", sign, 8);
        let placed = m.cast("arith.bitcast", m.b.binary("arith.ori", low, high), half);
        let small = m.cast("arith.extf", placed, single);
        let number = |n: f64| m.b.float(n, m.shaped(single));
        let scaled = m.b.binary("arith.mulf", small, number(256.0));
        let is_nan =
            m.b.compare_ints(Predicate::Eq as i64, magnitude, m.int(magnitude, 0x7f));
        m.b.select(Cond::Val(is_nan), number(f64::NAN), scaled)
    };
    match Float::of(to) {
        Some(Float::F32) => in_single,
        Some(Float::F64) => m.cast("arith.extf", in_single, to),
        // f16 and bf16 contain all values of the 8-bit types.
        _ => m.cast("arith.truncf", in_single, to),
    }
}

/// Rounds a number to an 8-bit float, to nearest, ties to even. As in `arith.truncf`, a number out
/// of range becomes an infinity of f8E5M2 and a NaN of f8E4M3FN.
///
/// If the result is a normal number, the bits are rounded as an integer, with a carry into the
/// exponent. For a subnormal result, the addition of a power of two rounds the number. The last bit
/// of the sum is the smallest subnormal number of the 8-bit type.
fn round<'c>(m: &Lanes<'_, 'c>, value: Val<'c>, to: Float, element: Type<'c>) -> Option<Val<'c>> {
    let (value, from) = match Float::of(parts(value.r#type()).1)? {
        wide @ (Float::F32 | Float::F64) => (value, wide),
        _ => (
            m.cast("arith.extf", value, f32_of(value.r#type())),
            Float::F32,
        ),
    };
    let width = from.bits();
    let float = parts(value.r#type()).1;
    let whole = m.b.int_type(width);
    let (wide, narrow) = (from.digits() - 1, to.digits() - 1);
    let (bias, own) = (1 - from.least_exponent(), 1 - to.least_exponent());
    let drop = i64::from(wide - narrow);

    let bits = m.cast("arith.bitcast", value, whole);
    let sign = m.with("arith.shrui", bits, i64::from(width) - 8);
    let sign = m.with("arith.andi", sign, 0x80);
    let magnitude = m.with("arith.andi", bits, !(1 << (width - 1)) & mask(width));

    let last = m.with("arith.andi", m.with("arith.shrui", magnitude, drop), 1);
    let up = m.b.binary("arith.addi", magnitude, last);
    let up = m.with("arith.addi", up, (1 << (drop - 1)) - 1);
    let normal = m.with("arith.shrui", up, drop);
    let normal = m.with("arith.subi", normal, i64::from(bias - own) << narrow);

    let shift = i64::from(to.least_exponent() - narrow + wide + bias) << wide;
    let shifted = m.cast("arith.bitcast", m.int(magnitude, shift), float);
    let small = m.cast("arith.bitcast", magnitude, float);
    let small = m.cast(
        "arith.bitcast",
        m.b.binary("arith.addf", small, shifted),
        whole,
    );
    let small = m.with("arith.subi", small, shift);

    let least = i64::from(to.least_exponent() + bias) << wide;
    let is_small =
        m.b.compare_ints(Predicate::Ult as i64, magnitude, m.int(magnitude, least));
    let rounded = m.b.select(Cond::Val(is_small), small, normal);
    // NaN has a larger magnitude than any number, so saturation turns it into the NaN of f8E4M3FN.
    let (most, nan) = match to {
        Float::F8E5M2 => (0x7c, Some(0x7e)),
        _ => (0x7f, None),
    };
    let rounded = m.b.binary("arith.minui", rounded, m.int(rounded, most));
    let rounded = match nan {
        Some(nan) => {
            let infinity = m.int(magnitude, i64::from(2 * bias + 1) << wide);
            let is_nan = m.b.compare_ints(Predicate::Ult as i64, infinity, magnitude);
            m.b.select(Cond::Val(is_nan), m.int(rounded, nan), rounded)
        }
        None => rounded,
    };
    let rounded = m.b.binary("arith.ori", rounded, sign);
    let byte = m.cast("arith.trunci", rounded, m.b.int_type(8));
    Some(m.cast("arith.bitcast", byte, element))
}

fn mask(width: u32) -> i64 {
    (u64::MAX >> (64 - width)).cast_signed()
}
