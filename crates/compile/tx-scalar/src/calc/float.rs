//! Operations from floats to floats.

use super::functions::{ULPS, function};
use super::operation::{Calc, Operation};
use super::rounding::fused;
use crate::bound::Bound;
use crate::number::Float;

/// Returns the operation that evaluates the op `name` on floats of the type `float`.
pub(super) fn float_operation(name: &str, float: Float) -> Option<Operation> {
    if let Some((f, slope)) = function(name) {
        return Some(Operation::bounded(
            Box::new(move |x| Ok(float.to_bits(f(float.value(x[0]))))),
            of_numbers(move |x, b, r| match b[0].is_exact() && x[0].is_infinite() {
                // The function value at infinity is an exact limit, without a rounding error.
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
                // The error of the angle is unbounded if the point can be the origin, or if the
                // point can be on the other side of the branch cut.
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

/// Wraps the function `bound`, which computes the error bound of the result of an op. The op must
/// return NaN if an operand is NaN. If an operand is NaN in every order of combination, the
/// returned function returns [`Bound::exact`] of the result, because the result is NaN in every
/// order of combination.
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

/// Returns the error bound of the result of an op that rounds to an integer, such as `math.floor`.
fn step(_: &[f64; 3], bounds: &[Bound; 3], result: f64) -> Bound {
    match bounds[0].is_exact() {
        true => Bound::exact(result),
        false => Bound {
            error: bounds[0].error + 1.0,
            ..Bound::exact(result)
        },
    }
}

fn sign_bit(float: Float, f: fn(u64, u64) -> u64) -> Calc {
    let sign = 1_u64 << (float.bits() - 1);
    Box::new(move |x| Ok(f(x[0], sign)))
}

/// Returns the larger of `a` and `b`, or NaN if `a` or `b` is NaN. -0 is less than +0.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_negative() { b } else { a }
    } else {
        a.max(b)
    }
}

/// Returns the larger number. If exactly one operand is NaN, returns the other operand.
pub fn maximum_number(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => maximum(a, b),
    }
}
