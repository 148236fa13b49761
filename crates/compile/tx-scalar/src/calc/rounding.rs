//! Operations with one rounding: fused multiply-adds, and conversions of integers to floats.

use crate::number::Float;

/// Converts an integer to the nearest float. A 64-bit integer has more significant bits than f64,
/// so a conversion to f32 through f64 would round twice.
pub(super) fn int_to_float(value: i128, float: Float) -> u64 {
    match float {
        Float::F32 => u64::from((value as f32).to_bits()),
        Float::F64 => (value as f64).to_bits(),
        // The first of two roundings must round to odd; otherwise, the second rounding could return
        // a wrong result.
        _ => {
            let near = value as f64;
            let rest = value - near as i128;
            float.to_bits(to_odd(near, rest as f64))
        }
    }
}

/// Returns `a * b + c`, rounded once.
pub(super) fn fused(float: Float, a: f64, b: f64, c: f64) -> u64 {
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
}
