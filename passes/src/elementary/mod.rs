//! Expansion of elementary functions to arithmetic whose results have the same bits on every
//! machine. The expansions use integer ops and correctly rounded additions, multiplications,
//! divisions, square roots and fused multiply-adds.

mod approximate;
mod arithmetic;
mod constants;
mod error;
mod exponential;
mod gather;
mod inverse;
mod logarithm;
mod narrow;
mod power;
mod power_of_integers;
mod quotient;
mod remainder;
mod root;
mod sign;
mod trigonometric;

pub(crate) use approximate::permit;
pub(crate) use gather::gather;
pub(crate) use narrow::Narrow;
pub(crate) use quotient::share_reciprocals;

use approximate::is_approximate;
use arithmetic::{Arithmetic, Float, convert, parts};
use constants::{constant_float, constant_integer};
use melior::ir::{Type, ValueLike};
use tx_mlir::{Builder, Op, Val, f32_of, name, operands, results};

/// Rust function that expands a math function of one or two arguments.
#[derive(Clone, Copy)]
enum Function {
    One(for<'a, 'c> fn(Float<'a, 'c>) -> Float<'a, 'c>),
    Two(for<'a, 'c> fn(Float<'a, 'c>, Float<'a, 'c>) -> Float<'a, 'c>),
}

use Function::{One, Two};

/// Name of each float op, with the Rust function that expands the op.
const FUNCTIONS: [(&str, Function); 27] = [
    ("arith.remf", Two(remainder::remainder)),
    ("math.acos", One(inverse::acos)),
    ("math.acosh", One(logarithm::acosh)),
    ("math.asin", One(inverse::asin)),
    ("math.asinh", One(logarithm::asinh)),
    ("math.atan", One(inverse::atan)),
    ("math.atan2", Two(inverse::atan2)),
    ("math.atanh", One(logarithm::atanh)),
    ("math.cbrt", One(root::cbrt)),
    ("math.cos", One(trigonometric::cos)),
    ("math.cosh", One(exponential::cosh)),
    ("math.erf", One(error::erf)),
    ("math.erfc", One(error::erfc)),
    ("math.exp", One(exponential::exp)),
    ("math.exp2", One(exponential::exp2)),
    ("math.expm1", One(exponential::expm1)),
    ("math.log", One(logarithm::log)),
    ("math.log10", One(logarithm::log10)),
    ("math.log1p", One(logarithm::log1p)),
    ("math.log2", One(logarithm::log2)),
    ("math.powf", Two(power::powf)),
    ("math.round", One(round)),
    ("math.rsqrt", One(root::rsqrt)),
    ("math.sin", One(trigonometric::sin)),
    ("math.sinh", One(exponential::sinh)),
    ("math.tan", One(trigonometric::tan)),
    ("math.tanh", One(exponential::tanh)),
];

/// Rounds to the nearest integer, ties away from zero.
fn round<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let a = x.abs();
    let floor = a.floor();
    let is_low = (a - floor).below(m.number(0.5));
    // If `a` is an infinity, `a - floor` is NaN, and `floor + 1.0` is the infinity.
    is_low.select(floor, floor + 1.0).with_sign_of(x)
}

/// Names of float ops that have an expansion but are not in [`FUNCTIONS`].
const OTHERS: [&str; 3] = ["math.clampf", "math.fpowi", "math.sincos"];

/// Returns the names of all float functions that this module expands.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name).chain(OTHERS)
}

/// Approximate number of ops in the expansion of a function.
const WEIGHT: i64 = 20;

/// Returns the approximate number of ops to which an op expands.
pub(crate) fn weight(op: Op<'_>, narrow: Narrow) -> i64 {
    match name(op) {
        "math.clampf" => 2,
        "math.ipowi" => WEIGHT,
        name if !is_approximate(op) && names().any(|function| function == name) => WEIGHT,
        _ => narrow.weight(op).unwrap_or(1),
    }
}

/// Emits the expansion of an op, and returns the results of the expansion; `None` if this module
/// has no expansion for the op. Elementary functions, conversions from or to an 8-bit float, and
/// ops whose flags permit an approximate instruction have expansions.
pub(crate) fn expand<'c>(b: &Builder<'c>, op: Op<'c>, narrow: Narrow) -> Option<Vec<Val<'c>>> {
    match (name(op), &operands(op)[..]) {
        ("math.sincos", [x]) => sincos(b, *x, narrow),
        _ => expand_one(b, op, narrow).map(|value| vec![value]),
    }
}

fn sincos<'c>(b: &Builder<'c>, x: Val<'c>, narrow: Narrow) -> Option<Vec<Val<'c>>> {
    let ty = x.r#type();
    let wide = computed_in(ty)?;
    let m = Arithmetic::new(b, wide)?;
    let both = trigonometric::sincos(m.value(converted(b, narrow, "arith.extf", x, wide)));
    let narrowed =
        |value: Float<'_, 'c>| converted(b, narrow, "arith.truncf", value.into_value(), ty);
    Some(both.into_iter().map(narrowed).collect())
}

fn expand_one<'c>(b: &Builder<'c>, op: Op<'c>, narrow: Narrow) -> Option<Val<'c>> {
    let [result] = results(op)[..] else {
        return None;
    };
    if let [value] = operands(op)[..] {
        let converted = narrow::expand(b, narrow, name(op), value, result.r#type(), Some(result));
        if converted.is_some() {
            return converted;
        }
    }
    if !is_approximate(op) {
        return expand_exactly(b, name(op), &operands(op), narrow);
    }
    if approximate::is_instruction(op) {
        return None;
    }
    let wide = computed_in(result.r#type())?;
    let m = Arithmetic::new(b, wide)?;
    let extended = |value: Val<'c>| converted(b, narrow, "arith.extf", value, wide);
    let arguments: Vec<_> = operands(op).into_iter().map(extended).collect();
    let value = approximate::expand(&m, name(op), &arguments)?.into_value();
    Some(converted(b, narrow, "arith.truncf", value, result.r#type()))
}

fn expand_exactly<'c>(
    b: &Builder<'c>,
    name: &str,
    arguments: &[Val<'c>],
    narrow: Narrow,
) -> Option<Val<'c>> {
    match (name, arguments) {
        ("math.clampf", [x, low, high]) => return clamp(b, [*x, *low, *high], narrow),
        ("math.fpowi", [x, n]) => return whole_power(b, *x, *n, narrow),
        ("math.ipowi", [x, n]) => return power_of_integers::ipowi(b, *x, *n),
        _ => {}
    }
    let (_, function) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    let ty = arguments.first()?.r#type();
    let wide = computed_in(ty)?;
    let m = Arithmetic::new(b, wide)?;
    let of = |value: &Val<'c>| m.value(converted(b, narrow, "arith.extf", *value, wide));
    let simple = |x: &Val<'c>, y: &Val<'c>| match name {
        "math.powf" => simple_power(of(x), constant_float(*y)?),
        _ => None,
    };
    let result = match (function, arguments) {
        (One(function), [x]) => function(of(x)),
        (Two(_), [x, y]) if let Some(power) = simple(x, y) => power,
        (Two(function), [x, y]) => function(of(x), of(y)),
        _ => return None,
    }
    .into_value();
    Some(converted(b, narrow, "arith.truncf", result, ty))
}

/// Emits the number from `low` to `high` that is nearest to the first operand: NaN if any operand
/// is NaN, and `low` if `low` exceeds `high`.
fn clamp<'c>(b: &Builder<'c>, operands: [Val<'c>; 3], narrow: Narrow) -> Option<Val<'c>> {
    let ty = operands[0].r#type();
    let wide = computed_in(ty)?;
    let extended = |value| converted(b, narrow, "arith.extf", value, wide);
    let [x, low, high] = operands.map(extended);
    let smaller = b.binary("arith.minimumf", x, high);
    let clamped = b.binary("arith.maximumf", smaller, low);
    Some(converted(b, narrow, "arith.truncf", clamped, ty))
}

/// Integer exponents for which the pass computes the power without a logarithm. The error of a
/// power that is computed without a logarithm is at most 1.5 ulp, the limit in the documentation of
/// `gpu-expand-math`.
const SMALL: std::ops::RangeInclusive<i64> = -2..=3;

/// Computes x to the power of an exponent in [`SMALL`]. For a negative exponent, 1 / x is computed
/// first, because x² may overflow although 1 / x² does not underflow to 0.
fn small_power<'a, 'c>(x: Float<'a, 'c>, power: i64) -> Float<'a, 'c> {
    let one = x.arithmetic().number(1.0);
    let factor = if power < 0 { one / x } else { x };
    match power.unsigned_abs() {
        0 => one,
        1 => factor,
        2 => factor * factor,
        _ => factor * factor * factor,
    }
}

/// Computes a power without a logarithm; returns `None` unless the exponent is in [`SMALL`], ½ or
/// -½.
fn simple_power<'a, 'c>(x: Float<'a, 'c>, power: f64) -> Option<Float<'a, 'c>> {
    let m = x.arithmetic();
    if power.fract() == 0.0 && SMALL.contains(&(power as i64)) {
        return Some(small_power(x, power as i64));
    }
    if power.abs() != 0.5 {
        return None;
    }
    // The square root of -0.0 is -0.0 and the square root of -inf is NaN, but the power with the
    // exponent ½ is 0.0 for -0.0 and inf for -inf.
    let infinity = m.constant(arithmetic::Constant::INFINITY);
    let root = (x + m.number(0.0)).sqrt();
    let root = x.equals(-infinity).select(infinity, root);
    Some(if power < 0.0 {
        m.number(1.0) / root
    } else {
        root
    })
}

/// Computes x to an integer power. If the exponent is a constant in [`SMALL`], [`small_power`]
/// computes the power. If the exponent is dynamic or outside [`SMALL`], the power is `math.powf` of
/// |x|, with the sign of x if the exponent is odd.
fn whole_power<'c>(b: &Builder<'c>, x: Val<'c>, n: Val<'c>, narrow: Narrow) -> Option<Val<'c>> {
    let ty = x.r#type();
    let wide = computed_in(ty)?;
    let m = Arithmetic::new(b, wide)?;
    let base = converted(b, narrow, "arith.extf", x, wide);
    let result = match constant_integer(n) {
        Some(power) if SMALL.contains(&power) => small_power(m.value(base), power).into_value(),
        _ => {
            let magnitude = b.create("math.absf").operands(&[base]).result(wide).value();
            let exponent = convert(b, "arith.sitofp", n, wide);
            let power = power::powf(m.value(magnitude), m.value(exponent)).into_value();
            let whole = n.r#type();
            let odd = b.binary("arith.andi", n, b.int(1, whole));
            let odd = b.compare_ints(1, odd, b.int(0, whole));
            let signed = b.binary("math.copysign", power, base);
            b.select(tx_mlir::build::Cond::Val(odd), signed, power)
        }
    };
    Some(converted(b, narrow, "arith.truncf", result, ty))
}

fn converted<'c>(
    b: &Builder<'c>,
    narrow: Narrow,
    op: &str,
    value: Val<'c>,
    to: Type<'c>,
) -> Val<'c> {
    if value.r#type() == to {
        return value;
    }
    narrow::expand(b, narrow, op, value, to, None).unwrap_or_else(|| convert(b, op, value, to))
}

/// Returns the type of the computation for operands of type `ty`: f32 for narrower floats, else
/// `ty`.
fn computed_in(ty: Type<'_>) -> Option<Type<'_>> {
    let (lanes, element) = parts(ty);
    let wide = match tx_scalar::Float::of(element)? {
        tx_scalar::Float::F32 | tx_scalar::Float::F64 => return Some(ty),
        _ => f32_of(ty),
    };
    Some(lanes.map_or(wide, |n| Type::vector(&[n], wide)))
}
