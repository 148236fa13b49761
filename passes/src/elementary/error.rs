//! The error function.

use super::arithmetic::{Constant, Float, Polynomial};
use super::exponential::{exp, times_exp};

/// Coefficients of (erf a) / a − 1 as a polynomial in a², for a ≤ 1. The error of the polynomial is
/// below 2^-29 (f32) and 2^-56 (f64).
const NEAR: Polynomial = Polynomial {
    single: &[
        0x3e03_75d4,
        0xbec0_93a0,
        0x3de7_16a8,
        0xbcdb_ff48,
        0x3baa_1708,
        0xba52_8587,
        0x38a6_1a27,
    ],
    double: &[
        0x3fc0_6eba_8214_db69,
        0xbfd8_1274_6b03_7a24,
        0x3fbc_e2f2_1a04_58cd,
        0xbf9b_82ce_3135_84a0,
        0x3f75_65bc_d2d7_02c8,
        0xbf4c_02db_9790_ff34,
        0x3f1f_9a3c_37e1_41e1,
        0xbeef_4ddd_a4f0_cc8d,
        0x3ebb_a766_e706_f0c2,
        0xbe86_40ea_5c14_e73d,
        0x3e51_602b_b5fc_2734,
        0xbe1d_7dec_c61a_35ba,
        0x3de5_7209_a3e5_2017,
    ],
};

/// Coefficients of −ln(1 − erf(1 + t)), for t up to 3 (f32) and 5 (f64). The error of the
/// polynomial, multiplied by 1 − erf(1 + t), is below 2^-26 (f32) and 2^-57 (f64).
const FAR: Polynomial = Polynomial {
    single: &[
        0x3fec_bfe0,
        0x4028_e4c5,
        0x3f57_d9e5,
        0x3d29_1575,
        0xbc1b_6e9d,
        0x3ac5_b1a1,
        0xb8cc_d0de,
    ],
    double: &[
        0x3ffd_97fb_f27a_a2a1,
        0x4005_1c9b_0006_c22a,
        0x3fea_fabc_11a2_a71a,
        0x3fa5_477f_09a4_0520,
        0xbf84_8c9d_3925_b131,
        0x3f60_33f5_ba02_a56c,
        0xbf2f_1b0a_23f4_5685,
        0xbefb_9272_5a0e_37ae,
        0x3efc_846f_7026_d6f6,
        0xbee4_466a_d135_7516,
        0x3ec1_db57_0a61_251b,
        0xbe8b_3079_61a3_c5e9,
        0xbe6f_c069_b9b9_9770,
        0x3e62_2608_00a2_6f2e,
        0xbe42_8573_4f0e_2b1a,
        0x3e16_f8b5_4296_8e92,
        0xbde0_a693_2c42_44d2,
        0x3d95_c2f4_d2e9_78e6,
    ],
};

/// Coefficients of (1 + 2a) · e^a² · erfc a as a polynomial in (a − k) / (a + k). In f32, k is 2
/// and a is at most 10.1; in f64, k is 4 and a is at most 27.3. The error of the polynomial is
/// below 2^-25 (f32) and 2^-53 (f64).
const COMPLEMENT: Polynomial = Polynomial {
    single: &[
        0x3fa3_7407,
        0xbdbd_fb0c,
        0xbe2a_03f6,
        0x3e27_fe30,
        0xbd5e_0b4b,
        0xbc04_1848,
        0x3c0d_b1b5,
        0x3aad_7b1e,
        0xbaa3_5087,
        0xb9d8_64e4,
    ],
    double: &[
        0x3ff3_ba59_16e9_fd7f,
        0xbfc1_df1a_d154_a29b,
        0x3f8f_7f5d_f66f_da1b,
        0x3fb1_6ece_fcfa_5f6b,
        0xbfb9_ddb2_3c3e_9eb3,
        0x3fb7_fee0_04df_81b2,
        0xbfb0_fb06_dfe3_d76b,
        0x3fa3_079e_df9d_dac4,
        0xbf90_9623_8852_9349,
        0x3f74_9c67_1934_a7d6,
        0xbf48_d4a9_c34a_6822,
        0xbf2a_1de8_02bc_1fef,
        0x3f23_be09_93db_7d2e,
        0xbef9_96ac_6b89_d1b4,
        0xbee7_89ff_2a44_fd81,
        0x3ed7_fbba_4a40_2205,
        0x3e94_2c5c_198c_77c3,
        0xbeac_0a82_ad87_a1dc,
        0x3e70_fb74_e14b_ddda,
        0x3e7f_21c9_3282_1bed,
        0xbe40_be03_2552_38ba,
        0xbe4d_f6a3_bbd3_284e,
        0xbe20_6264_56b7_0a63,
    ],
};

/// Computes erf x: by the polynomial `NEAR` for |x| < 1, else as 1 − e^-p, where p is the value of
/// the polynomial `FAR` at |x| − 1.
pub(super) fn erf<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    let a = x.abs();
    let near = (a * a).polynomial(&NEAR).fma(a, a);
    // If |x| is above `last`, the result rounds to 1.
    let last = m.number(m.pick(4.0, 6.0));
    let t = a.clamp(one, last) - one;
    let far = one - exp(-t.polynomial(&FAR));
    a.below(one).select(near, far).with_sign_of(x)
}

/// Computes erfc x = 1 − erf x as the product of e^-x² and a function that decreases as 1 / x; for
/// negative x, computes 2 − erfc |x|.
pub(super) fn erfc<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    let m = x.arithmetic();
    let one = m.number(1.0);
    // If |x| is above this limit, the result rounds to 0.
    let a = x
        .abs()
        .at_most(m.constant(Constant(0x4121_999a, 0x403b_4ccc_cccc_cccd)));
    let k = m.number(m.pick(2.0, 4.0));
    // The rounding error of the quotient t is (a − k) − t · (a + k), where a − (t + 1) · k is
    // exact.
    let inverse = one / (a + k);
    let t = (a - k) * inverse;
    let lost = (-t).fma(a, (-(t + one)).fma(k, a));
    let t = inverse.fma(lost, t);
    let value = t.polynomial(&COMPLEMENT);
    let inverse = one / a.fma(m.number(2.0), one);
    let quotient = value * inverse;
    let lost = (quotient * a).fma(m.number(-2.0), value) - quotient;
    let square = a * a;
    let square_rest = a.fma(a, -square);
    let factor = inverse.fma(lost, quotient);
    let result = times_exp(factor, -square, -square_rest);
    let of_negative = m.number(2.0) - result;
    x.below(m.number(0.0)).select(of_negative, result)
}
