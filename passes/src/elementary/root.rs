//! Cube root and reciprocal square root.

use super::arithmetic::{Constant, Float, Polynomial};

/// Approximation of s^-⅓ for s from √2/4 to 2√2, with a relative error below 2^-7.
const START: Polynomial = Polynomial {
    single: &[
        0x3ffe_3f4d,
        0xc00f_e85d,
        0x4005_170a,
        0xbf89_1b39,
        0x3e8f_7634,
        0xbced_aff0,
    ],
    double: &[
        0x3fff_c7e9_a000_0000,
        0xc001_fd0b_a000_0000,
        0x4000_a2e1_4000_0000,
        0xbff1_2367_2000_0000,
        0x3fd1_eec6_8000_0000,
        0xbf9d_b5fe_0000_0000,
    ],
};

const THIRD: Constant = Constant(0x3eaa_aaab, 0x3fd5_5555_5555_5555);

pub(super) fn rsqrt<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    x.arithmetic().number(1.0) / x.sqrt()
}

/// Computes ∛x. The argument of a cube root is s · 2^(3n) with an integer n. Newton's method
/// computes 1 / ∛s without a division. The last step of the computation is a Newton step for ∛s
/// with an exact residual.
pub(super) fn cbrt<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, one) = (m.number(0.0), m.number(1.0));
    let third = m.constant(THIRD);
    let a = x.abs();
    let (significand, exponent) = a.split_any();
    let exponent = exponent.to_float();
    let (n, power) = exponent.nearest_integer(third);
    let rest = n.fma(m.number(-3.0), exponent);
    let s = rest
        .above(zero)
        .select(significand + significand, significand);
    let s = rest.below(zero).select(significand * 0.5, s);

    let mut inverse = s.polynomial(&START);
    for _ in 0..m.pick(2, 3) {
        let error = (-(s * inverse)).fma(inverse * inverse, one);
        inverse = (inverse * third).fma(error, inverse);
    }
    let slope = inverse * inverse;
    let root = s * slope;
    let square = root * root;
    let lost = root.fma(root, -square) * root;
    let residual = square.fma(root, -s) + lost;
    let root = (-(residual * third)).fma(slope, root);
    let result = (root * power.power_of_two()).with_sign_of(x);
    let is_number = a.above(zero) & a.below(m.constant(Constant::INFINITY));
    is_number.select(result, x)
}
