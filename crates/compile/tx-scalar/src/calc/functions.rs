//! Functions of the `math` dialect that are not correctly rounded, and the errors of approximate
//! PTX instructions.

/// Maximum error of a `math` function that is not correctly rounded, in units in the last place.
pub(super) const ULPS: f64 = 4.0;

/// Pair of functions: a function of one number, and an upper bound of its derivative.
pub(super) type Curve = (fn(f64) -> f64, fn(f64, f64) -> f64);

/// Returns the function of one number that the op `name` computes, and an upper bound of its
/// derivative. The function that computes the upper bound has two arguments: the operand `x`, and
/// the function value at `x`.
pub(super) fn function(name: &str) -> Option<Curve> {
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

/// Distance from 1.0 to the next f32.
const EPSILON: f64 = f32::EPSILON as f64;
/// Smallest normal f32.
const MIN_NORMAL: f64 = f32::MIN_POSITIVE as f64;

/// Returns a function that computes the absolute error of an approximate instruction. The arguments
/// of the returned function are the operands and the exact result.
///
/// The absolute error is 0 if the instruction is exact for the operands. The absolute error is
/// infinite if the PTX ISA specifies no maximum error for the operands. The maximum errors in the
/// PTX ISA are 2 units in the last place for `ex2` and `div`, 2^-22 for `lg2`, 1 unit in the last
/// place for `rcp`, and relative errors of 2^-22.9 for `rsqrt` and 2^-23 for `sqrt`.
pub(super) fn approximation(name: &str) -> Option<fn(&[f64; 3], f64) -> f64> {
    const LOGARITHM: fn(&[f64; 3], f64) -> f64 = |x, r| match x[0] {
        x if x == 0.0 || x.is_infinite() => 0.0,
        x if x.abs() < MIN_NORMAL => f64::INFINITY,
        _ => 4.0 * EPSILON * r.abs().max(1.0),
    };
    const EXPONENTIAL: fn(&[f64; 3], f64) -> f64 = |x, r| match x[0].is_infinite() {
        true => 0.0,
        false => (2.0 + 1.2 * x[0].abs()) * EPSILON * r + MIN_NORMAL,
    };
    Some(match name {
        "math.exp" | "math.exp2" => EXPONENTIAL,
        "math.log" | "math.log2" | "math.log10" => LOGARITHM,
        "math.rsqrt" | "math.sqrt" => |x, r| match x[0] == 0.0 || x[0].is_infinite() {
            true => 0.0,
            false => 1.2 * EPSILON * r.abs(),
        },
        "arith.divf" => |x, r| {
            let divisor = x[1].abs();
            if divisor == 0.0 || divisor.is_infinite() || x[0].is_infinite() {
                return 0.0;
            }
            // The reciprocal of the divisor overflows.
            if divisor < MIN_NORMAL / 2.0 {
                return f64::INFINITY;
            }
            // A subnormal reciprocal has fewer significant bits.
            let subnormal = EPSILON * MIN_NORMAL * (x[0].abs() + 1.0);
            if x[0] == 0.0 {
                0.0
            } else {
                3.0 * EPSILON * r.abs() + subnormal
            }
        },
        _ => return None,
    })
}

/// Returns the error function of `x`, with an error of about 1e-15.
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

#[cfg(test)]
mod tests {
    use super::erf;

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
}
