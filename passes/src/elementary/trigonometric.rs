//! Sine, cosine and tangent.
//!
//! The argument of a sine or cosine is q · π/2 + r with an integer q and |r| ≤ π/4. The Payne–Hanek
//! reduction computes r and the last two bits of q from the integer product of the significand and
//! the relevant bits of 2/π. The error of the Payne–Hanek reduction does not depend on the
//! argument. The expansion selects the bits of 2/π that the exponent of the argument requires. The
//! selection consists of `arith.select` ops and needs no table in memory.

use super::arithmetic::{Constant, Float, Polynomial, Precise, Wide};

/// Coefficients of (sin r − r) / r³ as a polynomial in r², for |r| ≤ π/4; the error of the
/// polynomial changes sin r by less than 2^-32 · |r| (f32) and 2^-57 · |r| (f64).
const SIN: Polynomial = Polynomial {
    single: &[0xbe2a_aaab, 0x3c08_88b3, 0xb950_2541, 0x363c_3578],
    double: &[
        0xbfc5_5555_5555_5555,
        0x3f81_1111_1111_1110,
        0xbf2a_01a0_1a01_9938,
        0x3ec7_1de3_a546_095a,
        0xbe5a_e645_412c_5549,
        0x3de6_1217_f0b7_666b,
        0xbd6a_b17d_3ff2_df5e,
    ],
};

/// Coefficients of (cos r − 1 + r²/2) / r⁴ as a polynomial in r², for |r| ≤ π/4; the error of the
/// polynomial changes cos r by less than 2^-33 (f32) and 2^-59 (f64).
const COS: Polynomial = Polynomial {
    single: &[0x3d2a_aaa5, 0xbab6_0617, 0x37cc_f568],
    double: &[
        0x3fa5_5555_5555_5555,
        0xbf56_c16c_16c1_6967,
        0x3efa_01a0_19f4_eb00,
        0xbe92_7e4f_a17d_a030,
        0x3e21_eeb6_8e93_4339,
        0xbda9_07da_3627_4fc5,
    ],
};

const QUARTER_PI: Constant = Constant(0x3f49_0fdb, 0x3fe9_21fb_5444_2d18);

/// π/2 · 2^-63.
const HALF_PI_SCALED: Precise = Precise(
    Constant(0x2049_0fdb, 0x3c09_21fb_5444_2d18),
    Constant(0x93bb_bd2e, 0x38a1_a626_3314_5c07),
);

/// 2^-63.
const LAST: f64 = 1.0 / 9_223_372_036_854_775_808.0;

/// 64 zero bits, followed by the first bits of the fraction of 2/π.
const TWO_OVER_PI: [u64; 20] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// Emits `count - 1` 64-bit words: the bits of [`TWO_OVER_PI`] from bit number `bit` on. A chain of
/// `arith.select` ops moves word number n = `bit / 64` to position 0: for each bit of n, one
/// `arith.select` per word moves the words by w positions if the bit is set, where w is the weight
/// of the bit. `first_digit` is the weight of the highest bit of the word number `bit / 64`.
fn words_from<'a, 'c>(bit: Wide<'a, 'c>, first_digit: usize, count: usize) -> Vec<Wide<'a, 'c>> {
    let m = bit.arithmetic();
    let mut words: Vec<_> = TWO_OVER_PI.iter().map(|bits| m.wide(*bits)).collect();
    let mut digit = first_digit;
    while digit > 0 {
        let is_set = bit.has(64 * digit as u64);
        let moved = |at: usize| match words.get(at + digit) {
            Some(later) => is_set.select_wide(*later, words[at]),
            // If the digit is set, no later op uses this word.
            None => words[at],
        };
        words = (0..count + digit - 1).map(moved).collect();
        digit /= 2;
    }
    let rest = bit.and(63);
    let complement = m.wide(63) - rest;
    words
        .windows(2)
        .map(|pair| pair[0].shift_left_by(rest) | pair[1].shift_right(1).shift_right_by(complement))
        .collect()
}

/// Result of the argument reduction of a non-negative x = q · π/2 + r: q, r and the rounding error
/// of r.
struct Reduced<'a, 'c> {
    quadrant: Wide<'a, 'c>,
    r: Float<'a, 'c>,
    rest: Float<'a, 'c>,
}

impl<'a, 'c> Reduced<'a, 'c> {
    fn new(a: Float<'a, 'c>) -> Self {
        let m = a.arithmetic();
        let (fraction, bias) = m.pick((23, 127), (52, 1023));
        let bits = a.bits().widened();
        let implicit = 1 << fraction;
        let significand = bits.and(implicit - 1) | m.wide(implicit);
        // Number of the first bit of 2/π whose product with the significand has a weight of at most
        // 2.
        let first = bits.shift_right(fraction) + m.wide(62_u64.wrapping_sub(bias + fraction));
        let first = first.at_least(m.wide(0));

        // a · 2/π modulo 4: two integer bits, then the fraction.
        let is_double = m.pick(false, true);
        let [high, low] = if is_double {
            Self::product_of_double(significand, first)
        } else {
            Self::product_of_single(significand, first)
        };
        let quadrant = high.shift_right(62) + high.shift_right(61).and(1);
        // Half of the signed fraction, scaled by 2^64, as two floats.
        let high = high.shift_left(2) | low.shift_right(62);
        let half = high.shift_right_signed(1);
        let rough = half.to_float();
        let rest = (half - rough.to_wide()).to_float();
        let rest = if is_double {
            let lower = high.and(1).shift_left(62) | low.shift_left(2).shift_right(2);
            lower.to_float().fma(m.number(LAST), rest)
        } else {
            rest
        };
        // If `rough` is small, its magnitude may be smaller than the magnitude of `rest`.
        let sum = rough + rest;
        let rest = (rough - sum) + rest;
        let (factor, factor_rest) = m.precise(HALF_PI_SCALED);
        let r = sum * factor;
        let rest = sum.fma(factor, -r) + sum.fma(factor_rest, rest * factor);

        let is_reduced = a.below(m.constant(QUARTER_PI));
        Self {
            quadrant: is_reduced.select_wide(m.wide(0), quadrant),
            r: is_reduced.select(a, r),
            rest: is_reduced.select(m.number(0.0), rest),
        }
    }

    /// Returns two words: first the upper 64 bits of the product of a 24-bit significand and 96
    /// bits of 2/π, then a zero word.
    fn product_of_single(significand: Wide<'a, 'c>, first: Wide<'a, 'c>) -> [Wide<'a, 'c>; 2] {
        let words = words_from(first, 2, 3);
        let lower = significand * words[1].shift_right(32);
        let zero = significand.arithmetic().wide(0);
        [significand * words[0] + lower.shift_right(32), zero]
    }

    /// Computes the upper 128 bits of the product of a 53-bit significand and 192 bits of 2/π.
    fn product_of_double(significand: Wide<'a, 'c>, first: Wide<'a, 'c>) -> [Wide<'a, 'c>; 2] {
        let m = significand.arithmetic();
        let words = words_from(first, 16, 4);
        let product = significand * words[1];
        let low = product + significand.times_high(words[2]);
        let carry = low.is_below(product).select_wide(m.wide(1), m.wide(0));
        let high = significand * words[0] + significand.times_high(words[1]) + carry;
        [high, low]
    }

    fn sine(&self) -> [Float<'a, 'c>; 2] {
        let Self { r, rest, .. } = *self;
        let m = r.arithmetic();
        let square = r * r;
        let derivative = square.fma(m.number(-0.5), m.number(1.0));
        [
            r,
            (r * square).fma(square.polynomial(&SIN), rest * derivative),
        ]
    }

    fn cosine(&self) -> [Float<'a, 'c>; 2] {
        let Self { r, rest, .. } = *self;
        let one = r.arithmetic().number(1.0);
        let square = r * r;
        let half = square * 0.5;
        let rough = one - half;
        let lost = (one - rough) - half;
        let tail = (square * square).fma(square.polynomial(&COS), (-r).fma(rest, lost));
        [rough, tail]
    }

    /// Selects the sine or the cosine of r by the parity of q.
    fn select(&self, odd: [Float<'a, 'c>; 2], even: [Float<'a, 'c>; 2]) -> [Float<'a, 'c>; 2] {
        let is_odd = self.quadrant.has(1);
        [0, 1].map(|part| is_odd.select(odd[part], even[part]))
    }
}

fn of_finite<'a, 'c>(a: Float<'a, 'c>, result: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = a.arithmetic();
    a.below(m.constant(Constant::INFINITY))
        .select(result, m.constant(Constant::NAN))
}

fn sine<'a, 'c>(x: Float<'a, 'c>, reduced: &Reduced<'a, 'c>) -> Float<'a, 'c> {
    let [value, tail] = reduced.select(reduced.cosine(), reduced.sine());
    let value = value + tail;
    let value = reduced.quadrant.has(2).select(-value, value);
    of_finite(x.abs(), value.times_sign_of(x))
}

fn cosine<'a, 'c>(x: Float<'a, 'c>, reduced: &Reduced<'a, 'c>) -> Float<'a, 'c> {
    let [value, tail] = reduced.select(reduced.sine(), reduced.cosine());
    let value = value + tail;
    let is_negative = (reduced.quadrant + x.arithmetic().wide(1)).has(2);
    of_finite(x.abs(), is_negative.select(-value, value))
}

pub(super) fn sin<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    sine(x, &Reduced::new(x.abs()))
}

pub(super) fn cos<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    cosine(x, &Reduced::new(x.abs()))
}

/// Computes sin x and cos x; both results have the same bits as the results of the functions `sin`
/// and `cos`.
pub(super) fn sincos<'a, 'c>(x: Float<'a, 'c>) -> [Float<'a, 'c>; 2] {
    let reduced = Reduced::new(x.abs());
    [sine(x, &reduced), cosine(x, &reduced)]
}

/// Computes tan x as a quotient of two sums, and corrects the rounding errors of the sums and of
/// the quotient.
pub(super) fn tan<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let a = x.abs();
    let one = a.arithmetic().number(1.0);
    let reduced = Reduced::new(a);
    let (sine, cosine) = (reduced.sine(), reduced.cosine());
    let rounded = |[value, tail]: [Float<'a, 'c>; 2]| {
        let sum = value + tail;
        (sum, (value - sum) + tail)
    };
    let (dividend, dividend_rest) = rounded(reduced.select(cosine, sine));
    let (divisor, divisor_rest) = rounded(reduced.select(sine, cosine));
    let inverse = one / divisor;
    let quotient = dividend * inverse;
    let lost = (-quotient).fma(divisor, dividend);
    let lost = lost + (-quotient).fma(divisor_rest, dividend_rest);
    let value = inverse.fma(lost, quotient);
    let value = reduced.quadrant.has(1).select(-value, value);
    of_finite(a, value.times_sign_of(x))
}
