//! Remainder of a division of floats.
//!
//! Let |x| = r · 2^e and |y| = s · 2^f with integers r and s. While e exceeds f, each step
//! multiplies r by a power of two for which the product fits in 64 bits, and replaces r by the
//! remainder of the product modulo s. No step rounds.

use super::arithmetic::{Constant, Float, Wide};

/// Returns integers r and e such that `magnitude` equals r · 2^e times the smallest subnormal
/// number.
fn integers<'a, 'c>(magnitude: Float<'a, 'c>) -> [Wide<'a, 'c>; 2] {
    let m = magnitude.arithmetic();
    let fraction = m.pick(23, 52);
    let (zero, one) = (m.wide(0), m.wide(1));
    let bits = magnitude.bits().widened();
    let field = bits.shift_right(fraction);
    let is_normal = zero.is_below(field);
    let implicit = is_normal.select_wide(m.wide(1 << fraction), zero);
    let significand = bits.and((1 << fraction) - 1) | implicit;
    [significand, is_normal.select_wide(field - one, zero)]
}

/// Computes x − n · y, where n is x / y rounded toward zero; the result has the sign of x. C calls
/// it `fmod`.
pub(super) fn remainder<'a, 'c>(x: Float<'a, 'c>, y: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, infinity) = (m.number(0.0), m.constant(Constant::INFINITY));
    let (a, b) = (x.abs(), y.abs());
    let [dividend, exponent] = integers(a);
    let [divisor, least] = integers(b);
    // If y is 0, the final selection returns NaN.
    let divisor = divisor.at_least(m.wide(1));
    // Maximum shift of a remainder below 2^24 (f32) or 2^53 (f64).
    let room: u64 = m.pick(40, 11);
    let distance = (exponent - least).at_least(m.wide(0));
    let steps = (distance + m.wide(room - 1)).divided_by(m.wide(room));
    let start = [dividend.modulo(divisor), distance];
    let [r, _] = m.repeat(steps, start, &[divisor], |[r, distance], divisor| {
        let places = distance.at_most(r.arithmetic().wide(room));
        let shifted = r.shift_left_by(places);
        [shifted.modulo(divisor[0]), distance - places]
    });
    let value = r
        .to_float()
        .scaled(least.narrowed() - m.integer(m.pick(149, 1074)));
    let value = a.below(b).select(a, value);
    let is_number = a.below(infinity) & b.above(zero);
    let value = is_number.select(value, m.constant(Constant::NAN));
    value.with_sign_of(x)
}
