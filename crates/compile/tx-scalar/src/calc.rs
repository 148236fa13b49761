//! Evaluation of `arith` and `math` ops, selected by op name.
//!
//! Each float op is computed in f64, and its result is rounded once to the result type. Additions,
//! subtractions, multiplications, divisions and square roots are correctly rounded for types with
//! at most 25 significant bits. Fused multiply-adds are rounded to odd before the last rounding.

use crate::bound::Bound;
use crate::number::{Float, Scalar, signed, truncated};

/// Function from the bits of the operands to the bits of the result. An error is a text that states
/// why the result is undefined.
pub type Calc = Box<dyn Fn(&[u64; 3]) -> Result<u64, &'static str>>;

/// Function that computes the bound of the result. Its arguments are the operands, the bounds of
/// the operands, and the result.
pub type BoundOf = Box<dyn Fn(&[f64; 3], &[Bound; 3], f64) -> Bound>;

/// Scalar operation with up to three operands.
pub struct Operation {
    /// Function that computes the result.
    pub calc: Calc,
    /// Function that computes the [`Bound`] of the result. Without this function, the bound of the
    /// result is 0 if all operands are exact, and infinite otherwise.
    pub bound: Option<BoundOf>,
}

impl Operation {
    fn of(calc: Calc) -> Self {
        Self { calc, bound: None }
    }

    /// Adds the error of the approximate PTX instruction that `fastmath<afn>` permits for the op
    /// `name`. Returns the operation unchanged if PTX has no approximate instruction for the op, or
    /// if the result type `float` is f64.
    #[must_use]
    pub fn approximate(self, name: &str, float: Float) -> Self {
        let (Some(error), true) = (approximation(name), float.bits() <= 32) else {
            return self;
        };
        Self::bounded(self.calc, move |x, b, r| {
            let exact = |bound: Bound| bound.is_exact();
            let bound = match &self.bound {
                Some(bound) => bound(x, b, r),
                None if b.iter().copied().all(exact) => Bound::exact(r),
                None => Bound::anything(),
            };
            let error = error(x, r);
            if error == 0.0 || r.is_nan() {
                return bound;
            }
            if !error.is_finite() || !r.is_finite() || r.abs() > float.largest() * 0.99 {
                return Bound::anything();
            }
            // For a type narrower than f32, the result of the instruction is rounded again.
            let once_more = Bound::rounded_once(r, float);
            let bound = if exact(bound) { once_more } else { bound };
            bound.with_error(bound.error + error + 2.0 * once_more.error)
        })
    }

    fn bounded(calc: Calc, bound: impl Fn(&[f64; 3], &[Bound; 3], f64) -> Bound + 'static) -> Self {
        Self {
            calc,
            bound: Some(Box::new(bound)),
        }
    }
}

/// Returns the operation of the op `name` for operand types `from` and result type `to`; `None` if
/// the op is not supported. `predicate` is the encoded predicate of a comparison.
pub fn operation(
    name: &str,
    predicate: Option<i64>,
    from: &[Scalar],
    to: Scalar,
) -> Option<Operation> {
    match (from.first().copied()?, to) {
        (Scalar::Float(float), Scalar::Float(result))
            if name == "arith.extf" || name == "arith.truncf" =>
        {
            Some(Operation::bounded(
                Box::new(move |x| Ok(result.to_bits(float.value(x[0])))),
                move |_, b, _| match result.digits() < float.digits() {
                    // A rounded exact value is equal in every order of combination.
                    true if b[0].is_exact() => Bound {
                        grain: b[0].grain,
                        ..b[0]
                    },
                    true => b[0].rounded(result),
                    false => b[0],
                },
            ))
        }
        (Scalar::Float(float), Scalar::Float(_)) if name == "math.fpowi" => {
            let Some(Scalar::Int(bits)) = from.get(1).copied() else {
                return None;
            };
            Some(Operation::bounded(
                Box::new(move |x| {
                    // For an odd integer exponent, `powf` keeps the sign of the base, like repeated
                    // multiplication.
                    let power = signed(x[1], bits) as f64;
                    Ok(float.to_bits(float.value(x[0]).powf(power)))
                }),
                move |_, b, r| match b[0].is_exact() && b[1].is_exact() {
                    true => b[0].mapped(r, 0.0, 16.0 * ULPS, float),
                    false => Bound::anything(),
                },
            ))
        }
        (Scalar::Float(float), Scalar::Float(_)) => float_operation(name, float),
        (Scalar::Float(float), Scalar::Int(bits)) => from_float(name, predicate, float, bits),
        (Scalar::Int(bits), Scalar::Float(float)) => to_float(name, bits, float),
        (Scalar::Int(bits), Scalar::Int(result)) => int_operation(name, predicate, bits, result),
    }
}

fn to_float(name: &str, bits: u32, float: Float) -> Option<Operation> {
    let exact = |bits: &[Bound; 3], result: f64| match bits[0].is_exact() {
        true => Bound::exact(result),
        false => Bound::anything(),
    };
    Some(match name {
        "arith.sitofp" => Operation::bounded(
            Box::new(move |x| Ok(int_to_float(i128::from(signed(x[0], bits)), float))),
            move |_, b, r| exact(b, r),
        ),
        "arith.uitofp" => Operation::bounded(
            Box::new(move |x| Ok(int_to_float(i128::from(x[0]), float))),
            move |_, b, r| exact(b, r),
        ),
        "arith.bitcast" => Operation::bounded(Box::new(|x| Ok(x[0])), move |_, b, r| exact(b, r)),
        _ => return None,
    })
}

/// Converts an integer to the nearest float. A 64-bit integer has more significant bits than f64,
/// so the conversion to f32 does not use an intermediate f64.
fn int_to_float(value: i128, float: Float) -> u64 {
    match float {
        Float::F32 => u64::from((value as f32).to_bits()),
        Float::F64 => (value as f64).to_bits(),
        // The first rounding is to odd, so that the second rounding is correct.
        _ => {
            let near = value as f64;
            let rest = value - near as i128;
            float.to_bits(to_odd(near, rest as f64))
        }
    }
}

fn from_float(name: &str, predicate: Option<i64>, float: Float, bits: u32) -> Option<Operation> {
    let test = |f: fn(f64) -> bool| -> Operation {
        Operation::of(Box::new(move |x| Ok(u64::from(f(float.value(x[0]))))))
    };
    Some(match name {
        "arith.cmpf" => {
            let predicate = predicate?;
            Operation::bounded(
                Box::new(move |x| {
                    let holds = compare_floats(predicate, float.value(x[0]), float.value(x[1]));
                    Ok(u64::from(holds))
                }),
                |x, b, _| {
                    let near = b[0].error + b[1].error;
                    let sure = near == 0.0 || (x[0] - x[1]).abs() > 2.0 * near;
                    match sure {
                        true => Bound::exact(0.0),
                        false => Bound::anything(),
                    }
                },
            )
        }
        "arith.fptosi" => Operation::of(Box::new(move |x| {
            let value = float.value(x[0]).trunc();
            let limit = 2_f64.powi(bits as i32 - 1);
            if value >= -limit && value < limit {
                Ok(truncated(value as i64, bits))
            } else {
                Err("the number does not fit the integer")
            }
        })),
        "arith.fptoui" => Operation::of(Box::new(move |x| {
            let value = float.value(x[0]).trunc();
            if value >= 0.0 && value < 2_f64.powi(bits as i32) {
                Ok(value as u64)
            } else {
                Err("the number does not fit the integer")
            }
        })),
        "arith.bitcast" => Operation::of(Box::new(|x| Ok(x[0]))),
        "math.isnan" => test(f64::is_nan),
        "math.isinf" => test(f64::is_infinite),
        "math.isfinite" => test(f64::is_finite),
        "math.isnormal" => {
            // A normal double can be subnormal in a narrower type such as f16.
            let least = 2_f64.powi(float.least_exponent());
            Operation::of(Box::new(move |x| {
                let value = float.value(x[0]);
                Ok(u64::from(value.is_normal() && value.abs() >= least))
            }))
        }
        _ => return None,
    })
}

fn float_operation(name: &str, float: Float) -> Option<Operation> {
    if let Some((f, slope)) = function(name) {
        return Some(Operation::bounded(
            Box::new(move |x| Ok(float.to_bits(f(float.value(x[0]))))),
            of_numbers(move |x, b, r| match b[0].is_exact() && x[0].is_infinite() {
                // A limit at infinity is not rounded.
                true => Bound::exact(r),
                false => b[0]
                    .mapped(r, slope(x[0], r), ULPS, float)
                    .reaching(f, x[0], b[0].error, r),
            }),
        ));
    }
    let two = |f: fn(f64, f64) -> f64| -> Calc {
        Box::new(move |x| Ok(float.to_bits(f(float.value(x[0]), float.value(x[1])))))
    };
    let one =
        |f: fn(f64) -> f64| -> Calc { Box::new(move |x| Ok(float.to_bits(f(float.value(x[0]))))) };
    Some(match name {
        "arith.addf" => Operation::bounded(
            two(|a, b| a + b),
            of_numbers(move |_, b, _| b[0].sum(b[1], float)),
        ),
        "arith.subf" => Operation::bounded(
            two(|a, b| a - b),
            of_numbers(move |_, b, _| b[0].sum(b[1], float)),
        ),
        "arith.mulf" => Operation::bounded(
            two(|a, b| a * b),
            of_numbers(move |x, b, _| b[0].product(b[1], x[0], x[1], float)),
        ),
        "arith.divf" => Operation::bounded(
            two(|a, b| a / b),
            of_numbers(move |x, b, r| {
                if b[0].is_exact() && b[1].is_exact() {
                    return Bound::exact(r);
                }
                // The quotient is unbounded if the divisor can be 0 in some order of combination.
                let nearest = x[1].abs() - 2.0 * b[1].error;
                if nearest <= 0.0 {
                    return Bound::anything();
                }
                let carried = (b[0].error + r.abs() * b[1].error) / nearest;
                b[0].mapped(r, 0.0, 0.0, float)
                    .with_error(carried)
                    .rounded(float)
            }),
        ),
        "arith.remf" => Operation::of(two(|a, b| a % b)),
        "arith.maximumf" => Operation::bounded(two(maximum), |_, b, _| b[0].wider(b[1])),
        "arith.minimumf" => {
            Operation::bounded(two(|a, b| -maximum(-a, -b)), |_, b, _| b[0].wider(b[1]))
        }
        "arith.maxnumf" => Operation::bounded(two(maximum_number), |_, b, _| b[0].wider(b[1])),
        "arith.minnumf" => Operation::bounded(two(|a, b| -maximum_number(-a, -b)), |_, b, _| {
            b[0].wider(b[1])
        }),
        "arith.negf" => {
            Operation::bounded(sign_bit(float, |bits, sign| bits ^ sign), |_, b, _| b[0])
        }
        "math.absf" => {
            Operation::bounded(sign_bit(float, |bits, sign| bits & !sign), |_, b, _| b[0])
        }
        "math.copysign" => {
            let sign = 1_u64 << (float.bits() - 1);
            Operation::bounded(
                Box::new(move |x| Ok(x[0] & !sign | x[1] & sign)),
                |x, b, _| match b[1].is_exact() || x[1].abs() > 2.0 * b[1].error {
                    true => b[0],
                    false => b[0].either(b[0], 2.0 * x[0].abs()),
                },
            )
        }
        "math.sqrt" => Operation::bounded(
            one(f64::sqrt),
            of_numbers(move |x, b, r| {
                if x[0].abs() <= 2.0 * b[0].error && !b[0].is_exact() {
                    // The square root can be NaN in some order of combination, because its operand
                    // can be negative.
                    return Bound::anything();
                }
                if x[0] < 0.0 {
                    return Bound::exact(r);
                }
                b[0].mapped(r, 0.5 / r, 0.0, float)
            }),
        ),
        "math.fma" => Operation::bounded(
            Box::new(move |x| {
                let [a, b, c] = x.map(|bits| float.value(bits));
                Ok(fused(float, a, b, c))
            }),
            of_numbers(move |x, b, _| b[0].product(b[1], x[0], x[1], Float::F64).sum(b[2], float)),
        ),
        "math.clampf" => Operation::bounded(
            Box::new(move |x| {
                let [x, low, high] = x.map(|bits| float.value(bits));
                // The result is the maximum of `low` and of `min(x, high)`; NaN if an operand is
                // NaN.
                let smaller = -maximum(-x, -high);
                Ok(float.to_bits(maximum(smaller, low)))
            }),
            |_, b, _| b[0].wider(b[1]).wider(b[2]),
        ),
        "math.powf" => Operation::bounded(two(f64::powf), move |x, b, r| {
            let slope = (x[1] * r / x[0]).abs().max((r * x[0].abs().ln()).abs());
            b[0].wider(b[1])
                .mapped(r, 2.0 * slope, 2.0 * ULPS, float)
                .reaching(|base| base.powf(x[1]), x[0], b[0].error, r)
        }),
        "math.atan2" => Operation::bounded(
            two(f64::atan2),
            of_numbers(move |x, b, r| {
                // The angle is unbounded if the point can be the origin, or can be on the other
                // side of the branch cut.
                let [height, width] = [0, 1].map(|i| x[i].abs() - 2.0 * b[i].error);
                let may_cross = height <= 0.0 && !b[0].is_exact() && x[1] <= 2.0 * b[1].error;
                if b[0].is_exact() && b[1].is_exact() {
                    return b[0].mapped(r, 0.0, ULPS, float);
                }
                let distance = height.max(0.0).hypot(width.max(0.0));
                if may_cross || distance <= 0.0 || !distance.is_finite() {
                    return Bound::anything();
                }
                let carried = (b[0].error + b[1].error) / distance;
                b[0].mapped(r, 0.0, ULPS, float)
                    .with_error(carried)
                    .rounded(float)
            }),
        ),
        "math.floor" => Operation::bounded(one(f64::floor), step),
        "math.ceil" => Operation::bounded(one(f64::ceil), step),
        "math.trunc" => Operation::bounded(one(f64::trunc), step),
        "math.round" => Operation::bounded(one(f64::round), step),
        "math.roundeven" => Operation::bounded(one(f64::round_ties_even), step),
        "arith.bitcast" => Operation::bounded(Box::new(|x| Ok(x[0])), |_, b, _| b[0]),
        _ => return None,
    })
}

/// Wraps the function `bound` of an op that returns NaN for a NaN operand. If an operand is NaN in
/// every order of combination, the wrapped function returns the bound of a result that is also
/// always NaN.
fn of_numbers(
    bound: impl Fn(&[f64; 3], &[Bound; 3], f64) -> Bound,
) -> impl Fn(&[f64; 3], &[Bound; 3], f64) -> Bound {
    move |x, b, r| {
        let is_nan = |i: usize| x[i].is_nan() && b[i].error.is_finite();
        match r.is_nan() && (0..3).any(is_nan) {
            true => Bound::exact(r),
            false => bound(x, b, r),
        }
    }
}

/// Returns the bound of an op that rounds to an integer, such as `math.floor`.
fn step(_: &[f64; 3], bounds: &[Bound; 3], result: f64) -> Bound {
    match bounds[0].is_exact() {
        true => Bound::exact(result),
        false => Bound {
            error: bounds[0].error + 1.0,
            ..Bound::exact(result)
        },
    }
}

/// Maximum error of a `math` function that is not correctly rounded, in units in the last place.
const ULPS: f64 = 4.0;

type Curve = (fn(f64) -> f64, fn(f64, f64) -> f64);

/// Returns the function of one number that the op `name` computes, and an upper bound of its
/// derivative. The upper bound depends on `x` and on the function value at `x`.
fn function(name: &str) -> Option<Curve> {
    Some(match name {
        "math.exp" => (f64::exp, |_, r| r),
        "math.exp2" => (f64::exp2, |_, r| r),
        "math.expm1" => (f64::exp_m1, |_, r| r + 1.0),
        "math.log" => (f64::ln, |x, _| 1.0 / x),
        "math.log2" => (f64::log2, |x, _| 1.5 / x),
        "math.log10" => (f64::log10, |x, _| 1.0 / x),
        "math.log1p" => (f64::ln_1p, |x, _| 1.0 / (1.0 + x)),
        "math.rsqrt" => (|x| x.sqrt().recip(), |x, r| r / x),
        "math.cbrt" => (f64::cbrt, |x, r| r / x),
        "math.tanh" => (f64::tanh, |_, r| 1.0 - r * r),
        "math.sin" => (f64::sin, |_, _| 1.0),
        "math.cos" => (f64::cos, |_, _| 1.0),
        "math.tan" => (f64::tan, |_, r| 1.0 + r * r),
        "math.asin" => (f64::asin, |x, _| (1.0 - x * x).sqrt().recip()),
        "math.acos" => (f64::acos, |x, _| (1.0 - x * x).sqrt().recip()),
        "math.atan" => (f64::atan, |_, _| 1.0),
        "math.sinh" => (f64::sinh, |x, _| x.cosh()),
        "math.cosh" => (f64::cosh, |x, _| x.sinh()),
        "math.asinh" => (f64::asinh, |_, _| 1.0),
        "math.acosh" => (f64::acosh, |x, _| (x * x - 1.0).sqrt().recip()),
        "math.atanh" => (f64::atanh, |x, _| (1.0 - x * x).recip()),
        "math.erf" => (erf, |_, _| 1.13),
        "math.erfc" => (erfc, |_, _| 1.13),
        _ => return None,
    })
}

/// Distance from 1.0 to the next f32, and the smallest normal f32.
const UNIT: f64 = f32::EPSILON as f64;
const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;

/// Returns a function that computes the absolute error of an approximate instruction. Its arguments
/// are the operands and the exact result.
///
/// The computed error is 0 if the instruction is exact, and infinite if the PTX ISA specifies no
/// maximum error for the instruction. The PTX ISA specifies 2 units in the last place for `ex2` and
/// `div`, 2^-22 for `lg2`, and 1 unit for `rcp`.
fn approximation(name: &str) -> Option<fn(&[f64; 3], f64) -> f64> {
    const LOGARITHM: fn(&[f64; 3], f64) -> f64 = |x, r| match x[0] {
        x if x == 0.0 || x.is_infinite() => 0.0,
        x if x.abs() < LEAST_NORMAL => f64::INFINITY,
        _ => 4.0 * UNIT * r.abs().max(1.0),
    };
    const EXPONENTIAL: fn(&[f64; 3], f64) -> f64 = |x, r| match x[0].is_infinite() {
        true => 0.0,
        false => (2.0 + 1.2 * x[0].abs()) * UNIT * r + LEAST_NORMAL,
    };
    Some(match name {
        "math.exp" | "math.exp2" => EXPONENTIAL,
        "math.log" | "math.log2" | "math.log10" => LOGARITHM,
        "arith.divf" => |x, r| {
            let divisor = x[1].abs();
            if divisor == 0.0 || divisor.is_infinite() || x[0].is_infinite() {
                return 0.0;
            }
            // The reciprocal of the divisor overflows.
            if divisor < LEAST_NORMAL / 2.0 {
                return f64::INFINITY;
            }
            // A subnormal reciprocal has fewer significant bits.
            let subnormal = UNIT * LEAST_NORMAL * (x[0].abs() + 1.0);
            if x[0] == 0.0 {
                0.0
            } else {
                3.0 * UNIT * r.abs() + subnormal
            }
        },
        _ => return None,
    })
}

/// Returns the error function of `x`, with an error of about 1e-15. The computation uses a series
/// near 0, and a continued fraction elsewhere.
fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let z = x.abs();
    if z > 6.0 {
        return 1_f64.copysign(x);
    }
    if z < 2.5 {
        let (mut term, mut sum) = (z, z);
        for n in 1..100 {
            term *= -z * z / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        return (sum * 2.0 / std::f64::consts::PI.sqrt()).copysign(x);
    }
    let mut fraction = 0.0;
    for n in (1..200).rev() {
        fraction = f64::from(n) / 2.0 / (z + fraction);
    }
    let tail = (-z * z).exp() / (z + fraction) / std::f64::consts::PI.sqrt();
    (1.0 - tail).copysign(x)
}

/// Returns `1 − erf(x)`, with a relative error of about 1e-15.
fn erfc(x: f64) -> f64 {
    if x.is_nan() || x < 2.5 {
        return 1.0 - erf(x);
    }
    if x > 27.5 {
        return 0.0;
    }
    let mut fraction = 0.0;
    for n in (1..200).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    // The code compensates the rounding error of x², because `exp` amplifies it.
    let square = x * x;
    let power = (-square).exp() * (1.0 - x.mul_add(x, -square));
    power / (x + fraction) / std::f64::consts::PI.sqrt()
}

fn sign_bit(float: Float, f: fn(u64, u64) -> u64) -> Calc {
    let sign = 1_u64 << (float.bits() - 1);
    Box::new(move |x| Ok(f(x[0], sign)))
}

/// Returns the larger number, or NaN if an operand is NaN. -0 is less than +0.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else {
        a.max(b)
    }
}

/// Returns the larger number. Returns the other operand if one of the two operands is NaN.
pub fn maximum_number(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => maximum(a, b),
    }
}

/// Returns `a * b + c`, rounded once.
fn fused(float: Float, a: f64, b: f64, c: f64) -> u64 {
    match float {
        Float::F64 => float.to_bits(a.mul_add(b, c)),
        Float::F32 => u64::from((a as f32).mul_add(b as f32, c as f32).to_bits()),
        // In f64, the product of two values of f16 or of a narrower type is exact.
        _ => {
            let product = a * b;
            let sum = product + c;
            let part = sum - product;
            let rest = (product - (sum - part)) + (c - part);
            float.to_bits(to_odd(sum, if rest.is_nan() { 0.0 } else { rest }))
        }
    }
}

/// Rounds the sum `value + rest` to odd. `value` must be the double nearest to the sum.
fn to_odd(value: f64, rest: f64) -> f64 {
    if rest == 0.0 || !value.is_finite() || value.to_bits() & 1 == 1 {
        return value;
    }
    // `value` has an even last digit, so its neighbour in the direction of `rest` has an odd last
    // digit.
    let away = (rest > 0.0) == (value > 0.0);
    f64::from_bits(if away {
        value.to_bits() + 1
    } else {
        value.to_bits() - 1
    })
}

fn int_operation(name: &str, predicate: Option<i64>, bits: u32, result: u32) -> Option<Operation> {
    let two = |f: fn(i64, i64) -> Option<i64>| -> Calc {
        Box::new(move |x| {
            f(signed(x[0], bits), signed(x[1], bits))
                .map(|n| truncated(n, bits))
                .ok_or("the result is not defined")
        })
    };
    // The smallest signed integer divided by -1 overflows.
    let quotient = |f: fn(i64, i64) -> Option<i64>| -> Calc {
        Box::new(move |x| {
            f(signed(x[0], bits), signed(x[1], bits))
                .filter(|n| signed(truncated(*n, bits), bits) == *n)
                .map(|n| truncated(n, bits))
                .ok_or("the result is not defined")
        })
    };
    let unsigned = |f: fn(u64, u64) -> Option<u64>| -> Calc {
        Box::new(move |x| {
            f(x[0], x[1])
                .map(|n| truncated(n.cast_signed(), bits))
                .ok_or("the result is not defined")
        })
    };
    let shift = |f: fn(u64, u32, u32) -> u64| -> Calc {
        Box::new(move |x| match u32::try_from(x[1]) {
            Ok(by) if by < bits => Ok(truncated(f(x[0], by, bits).cast_signed(), bits)),
            _ => Err("the shift is as wide as the number or wider"),
        })
    };
    let calc: Calc = match name {
        "arith.addi" => two(|a, b| Some(a.wrapping_add(b))),
        "arith.subi" => two(|a, b| Some(a.wrapping_sub(b))),
        "arith.muli" => two(|a, b| Some(a.wrapping_mul(b))),
        "arith.andi" => two(|a, b| Some(a & b)),
        "arith.ori" => two(|a, b| Some(a | b)),
        "arith.xori" => two(|a, b| Some(a ^ b)),
        "arith.maxsi" => two(|a, b| Some(a.max(b))),
        "arith.minsi" => two(|a, b| Some(a.min(b))),
        "arith.divsi" => quotient(i64::checked_div),
        "arith.remsi" => two(i64::checked_rem),
        "arith.floordivsi" => quotient(|a, b| {
            let below = i64::from(a.checked_rem(b)? != 0 && (a < 0) != (b < 0));
            Some(a.checked_div(b)? - below)
        }),
        "arith.ceildivsi" => quotient(|a, b| {
            let above = i64::from(a.checked_rem(b)? != 0 && (a < 0) == (b < 0));
            Some(a.checked_div(b)? + above)
        }),
        "arith.maxui" => unsigned(|a, b| Some(a.max(b))),
        "arith.minui" => unsigned(|a, b| Some(a.min(b))),
        "arith.divui" => unsigned(u64::checked_div),
        "arith.remui" => unsigned(u64::checked_rem),
        "arith.ceildivui" => unsigned(|a, b| (b != 0).then(|| a.div_ceil(b))),
        "arith.shli" => shift(|n, by, _| n << by),
        "arith.shrui" => shift(|n, by, _| n >> by),
        "arith.shrsi" => shift(|n, by, bits| (signed(n, bits) >> by).cast_unsigned()),
        "arith.cmpi" => {
            let predicate = predicate?;
            Box::new(move |x| Ok(u64::from(compare_ints(predicate, x[0], x[1], bits))))
        }
        "arith.extsi" | "arith.index_cast" => {
            Box::new(move |x| Ok(truncated(signed(x[0], bits), result)))
        }
        "arith.extui" | "arith.index_castui" | "arith.trunci" | "arith.bitcast" => {
            Box::new(move |x| Ok(truncated(x[0].cast_signed(), result)))
        }
        "math.ipowi" => two(power_of_integer),
        "math.absi" => Box::new(move |x| Ok(truncated(signed(x[0], bits).wrapping_abs(), bits))),
        "math.ctpop" => Box::new(|x| Ok(u64::from(x[0].count_ones()))),
        "math.ctlz" => Box::new(move |x| Ok(u64::from(x[0].leading_zeros() - (64 - bits)))),
        "math.cttz" => Box::new(move |x| Ok(u64::from(x[0].trailing_zeros().min(bits)))),
        _ => return None,
    };
    Some(Operation::of(calc))
}

/// Returns the wrapping power of `math.ipowi`; `None` for 0 with a negative exponent, which is
/// undefined.
fn power_of_integer(base: i64, exponent: i64) -> Option<i64> {
    if exponent < 0 {
        return match base {
            0 => None,
            1 => Some(1),
            -1 => Some(if exponent & 1 == 1 { -1 } else { 1 }),
            _ => Some(0),
        };
    }
    let (mut product, mut square, mut rest) = (1_i64, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            product = product.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    Some(product)
}

/// Evaluates `arith.cmpf` for the integer encoding of its predicate.
pub fn compare_floats(predicate: i64, a: f64, b: f64) -> bool {
    let relation = match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Equal) => 0,
        Some(std::cmp::Ordering::Greater) => 1,
        Some(std::cmp::Ordering::Less) => 2,
        None => 3,
    };
    // For each predicate, a bit mask of the relations for which it is true: 1 equal, 2 greater, 4
    // less, 8 unordered.
    const HOLDS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15];
    usize::try_from(predicate)
        .ok()
        .and_then(|p| HOLDS.get(p))
        .is_some_and(|holds| holds >> relation & 1 == 1)
}

fn compare_ints(predicate: i64, a: u64, b: u64, bits: u32) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match predicate {
        0 => a == b,
        1 => a != b,
        2 => x < y,
        3 => x <= y,
        4 => x > y,
        5 => x >= y,
        6 => a < b,
        7 => a <= b,
        8 => a > b,
        _ => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_multiply_adds_are_rounded_once() {
        // 1 + 2^-11 is halfway between two f16 values, so the remaining term decides the direction
        // of rounding.
        let half = |x: f64| Float::F16.to_bits(x);
        let tie = 2_f64.powi(-11);
        assert_eq!(fused(Float::F16, tie, 1.0, 1.0), half(1.0));
        assert_eq!(
            fused(Float::BF16, 2_f64.powi(-8), 1.0 + 2_f64.powi(-7), 1.0),
            Float::BF16.to_bits(1.0 + 2_f64.powi(-7))
        );
        let far = 2_f64.powi(-80);
        assert_eq!(
            fused(Float::BF16, far, 1.0, 1.0 + 2_f64.powi(-8)),
            Float::BF16.to_bits(1.0 + 2_f64.powi(-7))
        );
    }

    /// Compares the error function with Abramowitz and Stegun, table 7.1.
    #[test]
    fn erf_has_the_values_of_the_table() {
        for (x, y) in [
            (0.5, 0.520_499_877_8),
            (1.0, 0.842_700_792_9),
            (2.0, 0.995_322_265_0),
            (3.0, 0.999_977_909_5),
        ] {
            assert!((erf(x) - y).abs() < 1e-10, "{x}: {}", erf(x));
            assert!((erf(-x) + y).abs() < 1e-10);
        }
    }

    #[test]
    fn quotients_that_do_not_fit_are_not_defined() {
        for bits in [8, 32, 64] {
            let least = truncated(i64::MIN >> (64 - bits), bits);
            let minus_one = truncated(-1, bits);
            let int = Scalar::Int(bits);
            for name in ["arith.divsi", "arith.floordivsi", "arith.ceildivsi"] {
                let divide = operation(name, None, &[int; 2], int).unwrap().calc;
                assert!(divide(&[least, minus_one, 0]).is_err(), "{name} i{bits}");
                assert_eq!(divide(&[least, 1, 0]), Ok(least), "{name} i{bits}");
                assert!(divide(&[1, 0, 0]).is_err(), "{name} i{bits}");
            }
        }
    }

    #[test]
    fn integers_wrap() {
        let int = Scalar::Int(8);
        let add = operation("arith.addi", None, &[int; 2], int).unwrap().calc;
        assert_eq!(add(&[127, 1, 0]), Ok(128));
        let bool = Scalar::Int(1);
        for (predicate, holds) in [(2, 0), (6, 1)] {
            let less = operation("arith.cmpi", Some(predicate), &[int; 2], bool).unwrap();
            assert_eq!(
                (less.calc)(&[1, 255, 0]),
                Ok(holds),
                "1 and 255 by {predicate}"
            );
        }
    }

    #[test]
    fn powers_and_classes_are_those_of_the_type() {
        let (half, bool) = (Scalar::Float(Float::F16), Scalar::Int(1));
        let normal = operation("math.isnormal", None, &[half], bool)
            .unwrap()
            .calc;
        assert_eq!(normal(&[0x0400, 0, 0]), Ok(1));
        assert_eq!(normal(&[0x03ff, 0, 0]), Ok(0));
        let power = operation("math.fpowi", None, &[half, Scalar::Int(32)], half).unwrap();
        let bits = |x: f64| Float::F16.to_bits(x);
        let three = truncated(-3, 32);
        assert_eq!((power.calc)(&[bits(-2.0), three, 0]), Ok(bits(-0.125)));
    }

    /// Checks the bound of a result in two situations: an operand is NaN, and an operand has an
    /// infinite bound. If an operand is NaN in every order of combination, only NaN is allowed as
    /// the result. If the bound of an operand is infinite, the bound of the result is infinite.
    #[test]
    fn nan_is_no_number_within_a_bound() {
        let float = Float::F32;
        let of =
            |name: &str| operation(name, None, &[Scalar::Float(float); 3], Scalar::Float(float));
        let near = |value: f64| Bound::exact(value).with_error(1e-6);
        for name in [
            "arith.addf",
            "arith.mulf",
            "arith.divf",
            "math.fma",
            "math.exp",
            "math.sqrt",
        ] {
            let bound = of(name).unwrap().bound.unwrap();
            for x in [[f64::NAN, 2.0, 3.0], [f64::NAN; 3]] {
                let found = bound(&x, &x.map(near), f64::NAN);
                assert!(!found.allows(f64::NAN, 0.0), "{name} of {x:?}: {found:?}");
                assert!(found.allows(f64::NAN, f64::NAN), "{name} of {x:?}");
            }
            let x = [f64::NAN; 3];
            let anything = bound(&x, &[Bound::anything(); 3], f64::NAN);
            assert!(anything.allows(f64::NAN, 0.0), "{name}: {anything:?}");
        }
    }

    #[test]
    fn roots_of_numbers_near_zero_are_open() {
        let float = [Scalar::Float(Float::F32)];
        let root = operation("math.sqrt", None, &float, float[0]);
        let bound = root.unwrap().bound.unwrap();
        let near = |x: f64| [Bound::exact(x).with_error(1e-3); 3];
        for (x, open) in [
            (1e-3, true),
            (-1e-3, true),
            (0.0, true),
            (0.5, false),
            (-0.5, false),
        ] {
            let root = f64::sqrt(x);
            let found = bound(&[x; 3], &near(x), root);
            assert_eq!(found.allows(root, 7.0), open, "{x}: {found:?}");
            assert_eq!(
                found.allows(root, f64::NAN),
                open || x < 0.0,
                "{x}: {found:?}"
            );
        }
    }

    #[test]
    fn predicates_are_those_of_arith() {
        let holds = |p| {
            [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (f64::NAN, 1.0)]
                .map(|(a, b)| compare_floats(p, a, b))
        };
        assert_eq!(holds(2), [false, true, false, false], "ogt");
        assert_eq!(holds(11), [false, false, true, true], "ult");
        assert_eq!(holds(13), [false, true, true, true], "une");
        assert_eq!(holds(14), [false, false, false, true], "uno");
    }
}
