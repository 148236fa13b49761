//! Inverse trigonometric functions.

use super::arithmetic::{Constant, Float, Polynomial, Precise, Truth};

/// Coefficients of (atan t − t) / t³ as a polynomial in t², for |t| ≤ √2 − 1. Without rounding
/// errors, t + t³ · polynomial differs from atan t by less than 2^-30 |t| (f32) and 2^-56 |t|
/// (f64).
const ATAN: Polynomial = Polynomial {
    single: &[
        0xbeaa_aaa4,
        0x3e4c_c894,
        0xbe11_d72e,
        0x3dd8_ca94,
        0xbd78_3232,
    ],
    double: &[
        0xbfd5_5555_5555_5555,
        0x3fc9_9999_9999_934b,
        0xbfc2_4924_9243_61c3,
        0x3fbc_71c7_1853_b0f3,
        0xbfb7_45d0_b284_4c78,
        0x3fb3_b126_2fd5_1001,
        0xbfb1_0fa7_732f_734b,
        0x3fad_fe64_0e58_ee09,
        0xbfaa_0996_f655_2e9c,
        0x3fa4_1623_e30d_7e5a,
        0xbf93_a307_3657_8460,
    ],
};

/// Coefficients of (asin s − s) / s³ as a polynomial in s², for s ≤ ½. Without rounding errors, s +
/// s³ · polynomial differs from asin s by less than 2^-31 s (f32) and 2^-57 s (f64).
const ASIN: Polynomial = Polynomial {
    single: &[
        0x3e2a_aaa6,
        0x3d99_9c4d,
        0x3d36_55d0,
        0x3d02_5306,
        0x3c6c_156e,
        0x3d19_cdca,
    ],
    double: &[
        0x3fc5_5555_5555_5556,
        0x3fb3_3333_3333_2eca,
        0x3fa6_db6d_b6e3_1f13,
        0x3f9f_1c71_c1db_0623,
        0x3f96_e8bb_1c82_09a2,
        0x3f91_c4d3_5cf9_5421,
        0x3f8c_9cf0_7674_736a,
        0x3f87_8265_1caa_6547,
        0x3f85_2420_b04b_37be,
        0x3f76_5a9c_4dfc_f8b2,
        0x3f91_d189_4083_14ee,
        0xbf8e_6aaa_8a0a_04cc,
        0x3f9d_72b2_bc81_55f8,
    ],
};

const QUARTER_PI: Precise = Precise(
    Constant(0x3f49_0fdb, 0x3fe9_21fb_5444_2d18),
    Constant(0xb2bb_bd2e, 0x3c81_a626_3314_5c07),
);

const HALF_PI: Precise = Precise(
    Constant(0x3fc9_0fdb, 0x3ff9_21fb_5444_2d18),
    Constant(0xb33b_bd2e, 0x3c91_a626_3314_5c07),
);

/// √2 − 1. If the ratio of the smaller to the larger coordinate of a point exceeds √2 − 1, the arc
/// tangent is computed after a rotation of the point by π/4.
const BETWEEN: Constant = Constant(0x3ed4_13cd, 0x3fda_8279_99fc_ef34);

/// Computes `count` · `constant` + `value` + `tail`. Unless `count` is 0, the magnitude of `count`
/// · `constant` must be at least the magnitude of `value`.
fn sum<'a, 'c>(
    count: Float<'a, 'c>,
    constant: Precise,
    value: Float<'a, 'c>,
    tail: Float<'a, 'c>,
) -> Float<'a, 'c> {
    let (high, low) = count.arithmetic().precise(constant);
    let product = count * high;
    let product_rest = count.fma(high, -product) + count * low;
    let sum = product + value;
    let lost = value - (sum - product);
    sum + (lost + (product_rest + tail))
}

/// Computes the angle between the positive x axis and the vector (`larger`, `smaller`), whose
/// components are not negative. If `is_steep` is set, the function first mirrors the angle at the
/// diagonal. If `is_left` is set, the function mirrors the resulting angle at the y axis.
///
/// Before the mirroring, the angle is atan(`smaller` / `larger`). If `smaller` / `larger` exceeds
/// √2 − 1, the function computes the angle as π/4 + atan((`smaller` − `larger`) / (`smaller` +
/// `larger`)).
fn angle<'a, 'c>(
    larger: Float<'a, 'c>,
    smaller: Float<'a, 'c>,
    is_steep: Truth<'a, 'c>,
    is_left: Option<Truth<'a, 'c>>,
) -> Float<'a, 'c> {
    let m = larger.arithmetic();
    let (zero, one) = (m.number(0.0), m.number(1.0));
    let is_turned = smaller.above(larger * m.constant(BETWEEN));
    let difference = larger - smaller;
    let difference_rest = (larger - difference) - smaller;
    let total = larger + smaller;
    let total_rest = smaller - (total - larger);
    let dividend = is_turned.select(-difference, smaller);
    let divisor = is_turned.select(total, larger);

    let inverse = one / divisor;
    let t = dividend * inverse;
    let lost = (-t).fma(total_rest, -difference_rest);
    let lost = (-t).fma(divisor, dividend) + is_turned.select(lost, zero);
    let t_rest = lost * inverse;
    let square = t * t;
    let t_rest = (-square).fma(t_rest, t_rest);
    let tail = (t * square).fma(square.polynomial(&ATAN), t_rest);

    let turns = is_turned.select(one, zero);
    let mut turns = is_steep.select(m.number(2.0) - turns, turns);
    let mut sign = is_steep.select(-one, one);
    if let Some(is_left) = is_left {
        turns = is_left.select(m.number(4.0) - turns, turns);
        sign = is_left.select(-sign, sign);
    }
    sum(turns, QUARTER_PI, sign * t, sign * tail)
}

pub(super) fn atan<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    // If the argument is above 2^60, the result rounds to π/2.
    let a = x.abs().at_most(m.number(1_152_921_504_606_846_976.0));
    let is_steep = a.above(one);
    let (larger, smaller) = (is_steep.select(a, one), is_steep.select(one, a));
    angle(larger, smaller, is_steep, None).times_sign_of(x)
}

pub(super) fn atan2<'a, 'c>(y: Float<'a, 'c>, x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, one) = (m.number(0.0), m.number(1.0));
    let infinity = m.constant(Constant::INFINITY);
    let (width, height) = (x.abs(), y.abs());
    let is_steep = height.above(width);
    let larger = is_steep.select(height, width);
    let smaller = is_steep.select(width, height);

    // Scales both coordinates, so that sums, reciprocals and residuals are normal numbers. In f32,
    // coordinates below 2^60 are multiplied by 2^64, and coordinates above 2^120 by 2^-4. In f64,
    // coordinates below 2^400 are multiplied by 2^600, and coordinates above 2^1000 by 2^-4.
    let is_small = larger.below(m.constant(Constant(0x5d80_0000, 0x58f0_0000_0000_0000)));
    let is_large = larger.above(m.constant(Constant(0x7b80_0000, 0x7e70_0000_0000_0000)));
    let up = m.constant(Constant(0x5f80_0000, 0x6570_0000_0000_0000));
    let factor = is_large.select(m.number(0.0625), is_small.select(up, one));
    // If a coordinate is infinite or both coordinates are zero, 0 and 1 replace the coordinates.
    let is_infinite = larger.equals(infinity);
    let of_infinite = smaller.equals(infinity).select(one, zero);
    let smaller = is_infinite.select(of_infinite, smaller * factor);
    let is_special = is_infinite | larger.equals(zero);
    let larger = is_special.select(one, larger * factor);

    let is_left = one.with_sign_of(x).below(zero);
    let result = angle(larger, smaller, is_steep, Some(is_left)).times_sign_of(y);
    let is_nan = x.differs(x) | y.differs(y);
    is_nan.select(m.constant(Constant::NAN), result)
}

/// Reduced argument s ≤ ½ of an arc sine, and the approximation `tail` of asin s − s.
struct Arc<'a, 'c> {
    is_far: Truth<'a, 'c>,
    s: Float<'a, 'c>,
    tail: Float<'a, 'c>,
}

impl<'a, 'c> Arc<'a, 'c> {
    /// Uses the identity acos a = 2 asin √((1 − a) / 2) for a > ½.
    fn new(a: Float<'a, 'c>) -> Self {
        let m = a.arithmetic();
        let half = m.number(0.5);
        let is_far = a.above(half);
        let rest = (m.number(1.0) - a) * half;
        let square = is_far.select(rest, a * a);
        let s = is_far.select(rest.sqrt(), a);
        let tail = s * square * square.polynomial(&ASIN);
        Self { is_far, s, tail }
    }
}

pub(super) fn asin<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let (zero, one) = (m.number(0.0), m.number(1.0));
    let Arc { is_far, s, tail } = Arc::new(x.abs());
    let factor = is_far.select(m.number(-2.0), one);
    let count = is_far.select(one, zero);
    sum(count, HALF_PI, factor * s, factor * tail).times_sign_of(x)
}

pub(super) fn acos<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    let Arc { is_far, s, tail } = Arc::new(x.abs());
    let sign = one.with_sign_of(x);
    let factor = is_far.select(sign + sign, -sign);
    let count = is_far.select(one - sign, one);
    sum(count, HALF_PI, factor * s, factor * tail)
}
