//! Powers, computed as 2^(y · log2 |x|). The logarithm is computed with twice as many bits as the
//! type has, because a large exponent multiplies the error of the logarithm.

use super::arithmetic::{Constant, Float, Polynomial, Precise};
use super::exponential::exp2_of_sum;

/// Coefficients of (2 artanh s − 2s − ⅔s³) / s⁵ as a polynomial in s², for |s| ≤ 0.1716; the error
/// of the polynomial changes 2 artanh s by less than 2^-35 · |s| (f32) and 2^-65 · |s| (f64).
const ARTANH: Polynomial = Polynomial {
    single: &[0x3ecc_cd00, 0x3e92_293d, 0x3e6f_d180],
    double: &[
        0x3fd9_9999_9999_9b33,
        0x3fd2_4924_9245_7798,
        0x3fcc_71c7_22de_b9ba,
        0x3fc7_45ce_9b44_712f,
        0x3fc3_b1ef_4c87_4956,
        0x3fc0_f7f1_819e_75b3,
        0x3fc0_e4a7_9aa6_d631,
    ],
};

const TWO_THIRDS: Precise = Precise(
    Constant(0x3f2a_aaab, 0x3fe5_5555_5555_5555),
    Constant(0xb2aa_aaab, 0x3c85_5555_5555_5555),
);

/// A number as an unevaluated sum of two floats. The second summand is smaller than the last bit of
/// the first summand.
#[derive(Clone, Copy)]
struct Sum<'a, 'c>(Float<'a, 'c>, Float<'a, 'c>);

impl<'a, 'c> Sum<'a, 'c> {
    /// Computes the sum of `large` and (`small` + `rest`); `large` must be 0 or have at least the
    /// magnitude of `small`.
    fn of(large: Float<'a, 'c>, small: Float<'a, 'c>, rest: Float<'a, 'c>) -> Self {
        let sum = large + small;
        Self(sum, (small - (sum - large)) + rest)
    }

    fn times(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let lost = self.0.fma(other.0, -product);
        Self(product, self.1.fma(other.0, self.0.fma(other.1, lost)))
    }
}

fn log2<'a, 'c>(x: Float<'a, 'c>) -> Sum<'a, 'c> {
    let m = x.arithmetic();
    let (one, two) = (m.number(1.0), m.number(2.0));
    let (significand, k) = x.split_any();
    let f = significand - one;
    // s = f / (2 + f), and the rounding error of s.
    let divisor = Sum::of(one, significand, m.number(0.0));
    let inverse = one / divisor.0;
    let s = f * inverse;
    let lacking = (-s).fma(divisor.1, (-s).fma(divisor.0, f));
    let s = Sum(s, lacking * inverse);
    let square = s.times(s);
    let (two_thirds, rest) = m.precise(TWO_THIRDS);
    let term = Sum::of(two_thirds, square.0 * square.0.polynomial(&ARTANH), rest).times(square);
    let logarithm = Sum::of(two, term.0, term.1).times(s);
    let (factor, rest) = m.precise(Precise::LOG2_E);
    let logarithm = logarithm.times(Sum(factor, rest));
    Sum::of(k.to_float(), logarithm.0, logarithm.1)
}

/// Computes x^y, with the special values of `pow` in IEEE 754.
pub(super) fn powf<'a, 'c>(x: Float<'a, 'c>, y: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, one) = (m.number(0.0), m.number(1.0));
    let infinity = m.constant(Constant::INFINITY);
    let magnitude = x.abs();
    let logarithm = log2(magnitude);
    // The logarithm of infinity is infinity, and the logarithm of NaN is NaN.
    let high = magnitude.below(infinity).select(logarithm.0, magnitude);
    let high = magnitude.equals(zero).select(-infinity, high);

    let product = high * y;
    let rest = logarithm.1.fma(y, high.fma(y, -product));
    // If the magnitude of the exponent of 2 exceeds `limit`, the power is 0 or infinite, and `rest`
    // may be NaN.
    let limit = m.number(m.pick(160.0, 1100.0));
    let rest = product.abs().below(limit).select(rest, zero);
    let result = exp2_of_sum(product.clamp(-limit, limit), rest);

    let half = y * 0.5;
    let is_whole = y.floor().equals(y);
    let is_odd = is_whole & half.floor().differs(half);
    let result = is_odd.select(result.with_sign_of(x), result);
    let is_negative = x.below(zero) & x.above(-infinity);
    let of_negative = is_whole.select(result, m.constant(Constant::NAN));
    let result = is_negative.select(of_negative, result);
    let is_one = x.equals(one) | y.equals(zero) | (x.equals(-one) & y.abs().equals(infinity));
    is_one.select(one, result)
}
