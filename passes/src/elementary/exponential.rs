//! Exponential functions.
//!
//! The argument of an exponential is n · ln 2 + r with an integer n and |r| ≤ ½ ln 2; the result is
//! 2^n · e^r. The code represents ln 2 by two constants, so the error of n · ln 2 is below the last
//! bit of r.

use super::arithmetic::{Float, Polynomial, Precise, Whole};
use super::sign;

/// Coefficients of (e^r − 1 − r) / r², for |r| ≤ ½ ln 2. Without rounding errors, 1 + r + r² ·
/// polynomial differs from e^r by less than 2^-28 e^r (f32) and 2^-61 e^r (f64). The rounding error
/// of the sum 1 + r + r² · polynomial is larger than the error of the polynomial, so a more
/// accurate polynomial would not improve the result.
const EXP: Polynomial = Polynomial {
    single: &[
        0x3eff_fffe,
        0x3e2a_aa46,
        0x3d2a_ac2c,
        0x3c09_1ef0,
        0x3ab5_639c,
    ],
    double: EXP_DOUBLE,
};

/// Coefficients of (e^r − 1 − r) / r² for |r| ≤ ½ ln 2, for functions whose error must be small
/// relative to r, such as e^r − 1. Without rounding errors, r + r² · polynomial differs from e^r −
/// 1 by less than 2^-31 |r| (f32) and 2^-61 |r| (f64).
const EXPM1: Polynomial = Polynomial {
    single: &[
        0x3f00_0000,
        0x3e2a_aaab,
        0x3d2a_aa7b,
        0x3c08_87ff,
        0x3ab6_9e4a,
        0x3951_27d5,
    ],
    double: EXP_DOUBLE,
};

const EXP_DOUBLE: &[u64] = &[
    0x3fe0_0000_0000_0000,
    0x3fc5_5555_5555_5559,
    0x3fa5_5555_5555_5556,
    0x3f81_1111_1110_f63c,
    0x3f56_c16c_16c1_601e,
    0x3f2a_01a0_1b01_296d,
    0x3efa_01a0_1a80_30b0,
    0x3ec7_1ddf_7e18_2605,
    0x3e92_7e4d_8585_b3b9,
    0x3e5a_f5f8_51b2_eed5,
    0x3e21_f786_7e58_779f,
];

/// Coefficients of (2^r − 1) / r, for |r| ≤ ½. Without rounding errors, 1 + r · polynomial differs
/// from 2^r by less than 2^-32 (f32) and 2^-59 (f64).
const EXP2: Polynomial = Polynomial {
    single: &[
        0x3f31_7218,
        0x3e75_fdf0,
        0x3d63_5839,
        0x3c1d_9530,
        0x3aae_cfa4,
        0x3922_04f7,
        0x3774_ab44,
    ],
    double: &[
        0x3fe6_2e42_fefa_39ef,
        0x3fce_bfbd_ff82_c58f,
        0x3fac_6b08_d704_a1db,
        0x3f83_b2ab_6fba_4d72,
        0x3f55_d87f_e787_28a5,
        0x3f24_3091_2f8a_d92d,
        0x3eef_fcbf_d529_e411,
        0x3eb6_2c02_1556_a09d,
        0x3e7b_5231_dac5_2225,
        0x3e3e_4d22_22e3_3f6f,
        0x3dfe_c90f_094f_5068,
        0x3dbc_0d0c_e490_c638,
    ],
};

/// Coefficients of (tanh a − a) / a³ as a polynomial in a², for a ≤ 9/16. Without rounding errors,
/// a + a³ · polynomial differs from tanh a by less than 2^-29 a (f32) and 2^-59 a (f64).
const TANH: Polynomial = Polynomial {
    single: &[
        0xbeaa_aaa4,
        0x3e08_8633,
        0xbd5c_83e9,
        0x3cac_135f,
        0xbbca_6c83,
    ],
    double: &[
        0xbfd5_5555_5555_554c,
        0x3fc1_1111_1111_036d,
        0xbfab_a1ba_1b93_ed1b,
        0x3f96_64f4_84b1_99bf,
        0xbf82_26e2_d362_8bce,
        0x3f6d_6d24_efb9_7ff9,
        0xbf57_d8be_ceca_b623,
        0x3f43_4633_e2a8_d40b,
        0xbf2e_822b_07bb_6ee8,
        0x3f15_9b25_e2c0_6e88,
        0xbef3_dba9_495c_9a44,
    ],
};

/// Coefficients of (sinh a − a) / a³ as a polynomial in a², for a ≤ 1. Without rounding errors, a +
/// a³ · polynomial differs from sinh a by less than 2^-31 a (f32) and 2^-56 a (f64).
const SINH: Polynomial = Polynomial {
    single: &[0x3e2a_aaab, 0x3c08_8876, 0x3950_0d68, 0x363b_5643],
    double: &[
        0x3fc5_5555_5555_5555,
        0x3f81_1111_1111_1111,
        0x3f2a_01a0_1a01_a001,
        0x3ec7_1de3_a556_f96c,
        0x3e5a_e645_6792_a77f,
        0x3de6_1246_7ccb_2260,
        0x3d6a_e777_c36f_d5b6,
        0x3ce9_9f08_06c2_628d,
    ],
};

/// Returns a number above which e^x is infinite.
fn highest<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    m.number(m.pick(89.0, 710.0))
}

/// Reduced argument x − n · ln 2 of an exponential, with −n as a float, and n as the integer that
/// `nearest_integer` returns. The field `rough` is x − n · c, where the constant c is ln 2 rounded
/// to the type of x. The field `r` is `rough` − n · d, where the constant d is ln 2 − c, also
/// rounded to the type of x.
struct Reduced<'a, 'c> {
    minus_n: Float<'a, 'c>,
    power: Whole<'a, 'c>,
    rough: Float<'a, 'c>,
    r: Float<'a, 'c>,
}

impl<'a, 'c> Reduced<'a, 'c> {
    fn new(x: Float<'a, 'c>) -> Self {
        let m = x.arithmetic();
        let (n, power) = x.nearest_integer(m.constant(Precise::LOG2_E.0));
        let minus_n = -n;
        let (ln2, rest) = m.precise(Precise::LN_2);
        // This subtraction is exact: the difference has no bit below the last bit of ln 2.
        let rough = minus_n.fma(ln2, x);
        Self {
            minus_n,
            power,
            rough,
            r: minus_n.fma(rest, rough),
        }
    }

    /// Computes the rounding error of the reduced argument r.
    fn rest(&self) -> Float<'a, 'c> {
        let m = self.r.arithmetic();
        self.minus_n
            .fma(m.constant(Precise::LN_2.1), self.rough - self.r)
    }
}

pub(super) fn exp<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let is_small = sign::is_nonpositive(x.into_value());
    // e^-104 is less than half of the smallest f32, and e^-746 less than half of the smallest f64.
    let x = x.at_least(m.number(m.pick(-104.0, -746.0)));
    let x = if is_small { x } else { x.at_most(highest(x)) };
    let Reduced { r, power, .. } = Reduced::new(x);
    let one = m.number(1.0);
    let e = r.fma(r.fma(r.polynomial(&EXP), one), one);
    if is_small {
        e.scaled_down(power)
    } else {
        e.scaled(power)
    }
}

pub(super) fn exp2<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let x = x.clamp(
        m.number(m.pick(-151.0, -1076.0)),
        m.number(m.pick(128.0, 1024.0)),
    );
    let one = m.number(1.0);
    let (n, power) = x.nearest_integer(one);
    let r = x - n;
    r.fma(r.polynomial(&EXP2), one).scaled(power)
}

/// Computes 2^(x + rest), for a small `rest`.
pub(super) fn exp2_of_sum<'a, 'c>(x: Float<'a, 'c>, rest: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    let (n, power) = x.nearest_integer(one);
    let r = x - n;
    let q = r.polynomial(&EXP2);
    let correction = rest * m.constant(Precise::LN_2.0) * r.fma(q, one);
    (r.fma(q, correction) + one).scaled(power)
}

/// Computes e^x − 1 as 2^n · ((1 − 2^-n) + (e^r − 1)). The sum of (1 − 2^-n) and (e^r − 1) may
/// cancel leading bits, so the function sums the rounding errors separately.
pub(super) fn expm1<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    // Below the lower bound, the result rounds to −1.
    let clamped = x.clamp(m.number(m.pick(-18.0, -38.0)), highest(x));
    let reduced = Reduced::new(clamped);
    let (r, power, r_rest) = (reduced.r, reduced.power, reduced.rest());
    let back = (m.integer(0) - power.without_shift()).power_of_two_or_zero();
    let whole = one - back;
    let whole_rest = (one - whole) - back;
    let sum = whole + r;
    let sum_rest = r - (sum - whole);
    let tail = (r * r).fma(r.polynomial(&EXPM1), r_rest) + (sum_rest + whole_rest);
    (sum + tail).scaled(power).with_sign_of(x)
}

/// Computes tanh x: by a polynomial near 0, else as 1 − 2 / (e^2|x| + 1).
pub(super) fn tanh<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let a = x.abs();
    let square = a * a;
    let near = (square * square.polynomial(&TANH)).fma(a, a);
    let one = m.number(1.0);
    let far = one - m.number(2.0) / (exp(a + a) + one);
    a.below(m.number(0.5625)).select(near, far).with_sign_of(x)
}

/// Computes `factor` · e^(x + rest), for a small `rest`. x must be at most 0, and e^x must not
/// round to 0.
pub(super) fn times_exp<'a, 'c>(
    factor: Float<'a, 'c>,
    x: Float<'a, 'c>,
    rest: Float<'a, 'c>,
) -> Float<'a, 'c> {
    let reduced = Reduced::new(x);
    let r = reduced.r;
    let r_rest = reduced.rest() + rest;
    let tail = (r * r).fma(r.polynomial(&EXPM1), r_rest);
    // The remainder contributes `r_rest` · e^r.
    let growth = r + r_rest.fma(r + tail, tail);
    factor.fma(growth, factor).scaled(reduced.power)
}

/// Computes ½e^a and ½e^-a, for a ≥ 0. ½e^a may be finite although e^a is infinite.
fn halves<'a, 'c>(a: Float<'a, 'c>) -> [Float<'a, 'c>; 2] {
    let m = a.arithmetic();
    let Reduced { r, power, .. } = Reduced::new(a.at_most(m.number(m.pick(90.0, 712.0))));
    let one = m.number(1.0);
    let e = r.fma(r.fma(r.polynomial(&EXP), one), one);
    let half = e.scaled(power - m.integer(1));
    [half, m.number(0.25) / half]
}

/// Computes sinh x: by a polynomial near 0, else as ½e^x − ½e^-x.
pub(super) fn sinh<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let a = x.abs();
    let square = a * a;
    let near = (square * square.polynomial(&SINH)).fma(a, a);
    let [growing, falling] = halves(a);
    let is_near = a.below(a.arithmetic().number(1.0));
    is_near.select(near, growing - falling).with_sign_of(x)
}

pub(super) fn cosh<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let [growing, falling] = halves(x.abs());
    growing + falling
}
