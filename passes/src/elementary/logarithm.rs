//! Logarithms.
//!
//! The argument of a logarithm is 2^k · (1 + f) with 1 + f between √½ and √2. With s = f / (2 + f),
//! ln(1 + f) is 2 artanh s = 2s + s · R(s²), where R(s²) is small. The term 2s is f − f²/2 + s ·
//! f²/2. The code represents f − f²/2 by a sum of two floats. The rounding error of s · f²/2 is
//! small relative to ln(1 + f).

use super::arithmetic::{Constant, Float, Polynomial, Precise, Whole};

/// Coefficients of (2 artanh s − 2s) / s³ as a polynomial in s², for |s| ≤ 0.1716. Without rounding
/// errors, 2s + s³ · polynomial differs from 2 artanh s by less than 2^-34 |s| (f32) and 2^-58 |s|
/// (f64).
const ARTANH: Polynomial = Polynomial {
    single: &[0x3f2a_aaaa, 0x3ecc_ce13, 0x3e91_e9ee, 0x3e78_9ccc],
    double: &[
        0x3fe5_5555_5555_5593,
        0x3fd9_9999_9997_fa54,
        0x3fd2_4924_9422_1cf0,
        0x3fcc_71c5_1e0c_7e54,
        0x3fc7_4664_77db_4421,
        0x3fc3_9a0d_60ff_13ee,
        0x3fc2_f0ea_e89b_e856,
    ],
};

/// Constants of a base. `of_two` is the logarithm of 2 to the base of this `Base`, represented as a
/// sum of two numbers. The first summand of `of_two` has so few bits that its product with any
/// exponent is exact. `factor` converts a natural logarithm to a logarithm to the base of this
/// `Base`; `factor` is `None` for base e.
struct Base {
    of_two: Precise,
    factor: Option<Precise>,
}

const NATURAL: Base = Base {
    of_two: Precise(
        Constant(0x3f31_7200, 0x3fe6_2e42_fefa_3800),
        Constant(0x35bf_be8e, 0x3d2e_f357_93c7_6730),
    ),
    factor: None,
};

const TWO: Base = Base {
    of_two: Precise(Constant(0x3f80_0000, 0x3ff0_0000_0000_0000), Constant(0, 0)),
    factor: Some(Precise::LOG2_E),
};

const TEN: Base = Base {
    of_two: Precise(
        Constant(0x3e9a_2000, 0x3fd3_4413_509f_7800),
        Constant(0x369a_84fc, 0x3d1f_ef31_1f12_b358),
    ),
    factor: Some(Precise(
        Constant(0x3ede_5bd9, 0x3fdb_cb7b_1526_e50e),
        Constant(0xb22d_91af, 0x3c69_5355_baaa_fad3),
    )),
};

/// Computes the logarithm of 2^`k` · (1 + f). The parameter `f` is the rounded value of f. The
/// parameter `rest` is ln(1 + f) − ln(1 + `f`), or `None` if `f` is exact.
fn logarithm<'a, 'c>(
    base: &Base,
    k: Whole<'a, 'c>,
    f: Float<'a, 'c>,
    rest: Option<Float<'a, 'c>>,
) -> Float<'a, 'c> {
    let m = f.arithmetic();
    let s = f / (f + 2.0);
    let square = s * s;
    let half = f * 0.5;
    // f − f²/2, its rounding error, and s · (f²/2 + R).
    let high = (-half).fma(f, f);
    let lost = (-half).fma(f, f - high);
    let mut low = s.fma(half.fma(f, square * square.polynomial(&ARTANH)), lost);
    if let Some(rest) = rest {
        low = low + rest;
    }
    let (high, low) = match base.factor {
        Some(factor) => {
            let (factor, factor_rest) = m.precise(factor);
            let product = high * factor;
            let lost = high.fma(factor, -product);
            (product, low.fma(factor, high.fma(factor_rest, lost)))
        }
        None => (high, low),
    };
    let k = k.to_float();
    let (of_two, of_two_rest) = m.precise(base.of_two);
    let whole = k * of_two;
    let sum = whole + high;
    let lost = high - (sum - whole);
    sum + (lost + k.fma(of_two_rest, low))
}

/// Selects `result` for positive finite x, and the logarithm that IEEE 754 specifies for every
/// other x.
fn with_limits<'a, 'c>(x: Float<'a, 'c>, result: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, infinity) = (m.number(0.0), m.constant(Constant::INFINITY));
    let special = x.equals(zero).select(-infinity, x);
    let special = x.below(zero).select(m.constant(Constant::NAN), special);
    (x.above(zero) & x.below(infinity)).select(result, special)
}

fn log_of_base<'a, 'c>(base: &Base, x: Float<'a, 'c>) -> Float<'a, 'c> {
    let (significand, k) = x.split_any();
    with_limits(
        x,
        logarithm(base, k, significand - x.arithmetic().number(1.0), None),
    )
}

pub(super) fn log<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    log_of_base(&NATURAL, x)
}

pub(super) fn log2<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    log_of_base(&TWO, x)
}

pub(super) fn log10<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    log_of_base(&TEN, x)
}

/// Computes ln(1 + x). `log1p` computes the logarithm of the rounded sum 1 + x, and adds the
/// rounding error of the sum, divided by the sum.
pub(super) fn log1p<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, one) = (m.number(0.0), m.number(1.0));
    let sum = x + one;
    let above = sum - one;
    let lost = (one - (sum - above)) + (x - above);
    let (significand, k) = sum.split();
    // If k is 0, f is exactly x.
    let is_near = k.to_float().equals(zero);
    let f = is_near.select(x, significand - one);
    // 1.0625 − f approximates 1 / (1 + f) with an error of 0.0625. This approximation suffices,
    // because the rounding error is at most half of the last bit of the sum.
    let inverse = m.number(1.0625) - f;
    let lost = lost * (m.integer(0) - k).power_of_two_or_zero() * inverse;
    let result = logarithm(&NATURAL, k, f, Some(is_near.select(zero, lost)));
    let special = with_limits(sum, result);
    special.with_sign_of(x)
}

/// Computes ln(1 + `argument`) for `x` ≤ 2^60, and ln(2 · `x`) for larger `x`, for which the square
/// of `x` in `argument` may overflow.
fn log1p_or_log_of_double<'a, 'c>(x: Float<'a, 'c>, argument: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let is_large = x.above(m.number(1_152_921_504_606_846_976.0));
    let result = log1p(is_large.select(x, argument));
    result + is_large.select(m.constant(Precise::LN_2.0), m.number(0.0))
}

/// Computes asinh x as ln(1 + (|x| + x² / (1 + √(x² + 1)))).
pub(super) fn asinh<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let one = x.arithmetic().number(1.0);
    let a = x.abs();
    let root = a.fma(a, one).sqrt();
    let argument = a.fma(a / (one + root), a);
    log1p_or_log_of_double(a, argument).with_sign_of(x)
}

/// Computes acosh x as ln(1 + (t + √(t² + 2t))) with t = x − 1.
pub(super) fn acosh<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    let t = x - one;
    let argument = t + t.fma(t, t + t).sqrt();
    let result = log1p_or_log_of_double(x, argument);
    x.below(one).select(m.constant(Constant::NAN), result)
}

/// Computes atanh x as ½ ln(1 + 2|x| / (1 − |x|)).
pub(super) fn atanh<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let a = x.abs();
    let argument = (a + a) / (x.arithmetic().number(1.0) - a);
    (log1p(argument) * 0.5).with_sign_of(x)
}
