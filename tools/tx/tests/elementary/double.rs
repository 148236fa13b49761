//! Double-double arithmetic, and functions of double-double numbers.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Unevaluated sum of two f64; the second is at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double(pub(crate) f64, pub(crate) f64);

/// Double-double number times a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled(pub(crate) Double, pub(crate) i32);

const LN_2: Double = constant(0x3fe6_2e42_fefa_39ef, 0x3c7a_bc9e_3b39_803f);
const LN_10: Double = constant(0x4002_6bb1_bbb5_5516, 0xbcaf_48ad_494e_a3e9);
/// 2 / √π.
const OF_ERF: Double = constant(0x3ff2_0dd7_5042_9b6d, 0x3c71_ae3a_914f_ed80);

const fn constant(high: u64, low: u64) -> Double {
    Double(f64::from_bits(high), f64::from_bits(low))
}

/// Exact sum (two-sum).
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let b_part = high - a;
    Double(high, (a - (high - b_part)) + (b - b_part))
}

/// Exact product (with FMA).
fn product(a: f64, b: f64) -> Double {
    let high = a * b;
    Double(high, a.mul_add(b, -high))
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self(value, 0.0)
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = sum(self.0, other.0);
        let low = sum(self.1, other.1);
        let all = sum(high.0, high.1 + low.0);
        sum(all.0, all.1 + low.1)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = product(self.0, other.0);
        sum(high.0, high.1 + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self - other * first;
        let second = rest.0 / other.0;
        let rest = rest - other * second;
        sum(first, second) + rest.0 / other.0
    }
}

impl Add<f64> for Double {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        let high = sum(self.0, other);
        sum(high.0, high.1 + self.1)
    }
}

impl Mul<f64> for Double {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        let high = product(self.0, other);
        sum(high.0, self.1.mul_add(other, high.1))
    }
}

impl Div<f64> for Double {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        let first = self.0 / other;
        let rest = (-first).mul_add(other, self.0) + self.1;
        sum(first, rest / other)
    }
}

impl Double {
    /// e^x − 1 for |x| < 1: Taylor series for x / 64, then six times (1 + t)² − 1 = t · (2 + t).
    fn expm1(self) -> Self {
        let x = self * (1.0 / 64.0);
        let mut t = Self(0.0, 0.0);
        for n in (1..=13).rev() {
            t = x / f64::from(n) * (t + 1.0);
        }
        (0..6).fold(t, |t, _| t * (t + 2.0))
    }

    /// ln(1 + x) for 1 + x in [√½, √2], by one step of Newton's method.
    fn ln_1p(self) -> Self {
        if self.0 == 0.0 {
            return self;
        }
        let guess = self.0.ln_1p();
        let power = Self::from(guess).expm1();
        (self - power) / (power + 1.0) + guess
    }
}

/// Multiplies by a power of two; rounds only subnormal results.
pub(crate) fn scale(value: f64, by: i32) -> f64 {
    let step = by.clamp(-1000, 1000);
    let scaled = value * f64::powi(2.0, step);
    if step == by {
        scaled
    } else {
        scale(scaled, by - step)
    }
}

/// Returns the exponent n of a nonzero number, for which the number is 2^n times a value in [1, 2).
pub(crate) fn exponent(value: f64) -> i32 {
    let field = (value.to_bits() >> 52 & 0x7ff) as i32;
    if field == 0 {
        exponent(value * f64::powi(2.0, 100)) - 100
    } else {
        field - 1023
    }
}

fn exp_of(x: Double) -> Scaled {
    if x.0.abs() > 1e4 {
        return Scaled(Double(1.0, 0.0), if x.0 > 0.0 { 9999 } else { -9999 });
    }
    let n = (x.0 / LN_2.0).round();
    Scaled((x - LN_2 * n).expm1() + 1.0, n as i32)
}

/// ln(x + rest) for x > 0.
fn ln_of(x: f64, rest: f64) -> Double {
    let mut n = exponent(x);
    if scale(x, -n) > std::f64::consts::SQRT_2 {
        n += 1;
    }
    let significand = Double(scale(x, -n), scale(rest, -n));
    LN_2 * f64::from(n) + (significand + -1.0).ln_1p()
}

/// Bound below which only the linear factor of a function matters.
const TINY: f64 = 1e-20;

fn tiny(x: f64, factor: Double) -> Scaled {
    Scaled(factor * scale(x, 500), -500)
}

pub(crate) fn exp(x: f64) -> Scaled {
    exp_of(x.into())
}

pub(crate) fn exp2(x: f64) -> Scaled {
    let n = x.clamp(-9999.0, 9999.0).round();
    let fraction = if x.abs() < 9999.0 { x - n } else { 0.0 };
    Scaled((LN_2 * fraction).expm1() + 1.0, n as i32)
}

pub(crate) fn expm1(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    if x.abs() < 0.9 {
        return Scaled(Double::from(x).expm1(), 0);
    }
    let Scaled(value, n) = exp(x);
    if n > 100 {
        return Scaled(value, n);
    }
    Scaled(value * scale(1.0, n.max(-200)) + -1.0, 0)
}

pub(crate) fn log(x: f64) -> Scaled {
    Scaled(ln_of(x, 0.0), 0)
}

pub(crate) fn log2(x: f64) -> Scaled {
    Scaled(ln_of(x, 0.0) / LN_2, 0)
}

pub(crate) fn log10(x: f64) -> Scaled {
    Scaled(ln_of(x, 0.0) / LN_10, 0)
}

pub(crate) fn log1p(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    if x.abs() < 0.29 {
        return Scaled(Double::from(x).ln_1p(), 0);
    }
    let all = sum(x, 1.0);
    Scaled(ln_of(all.0, all.1), 0)
}

pub(crate) fn tanh(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    if x.abs() > 40.0 {
        return Scaled(x.signum().into(), 0);
    }
    let Scaled(power, _) = expm1(2.0 * x);
    Scaled(power / (power + 2.0), 0)
}

pub(crate) fn rsqrt(x: f64) -> Scaled {
    let n = exponent(x).div_euclid(2);
    let x = scale(x, -2 * n);
    let guess = 1.0 / x.sqrt();
    let error = -(product(guess, guess) * x) + 1.0;
    Scaled(error * (0.5 * guess) + guess, -n)
}

/// 2x/√π · e^-x² · Σ (2x²)^n / (1 · 3 · 5 … (2n + 1)).
pub(crate) fn erf(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, OF_ERF);
    }
    if x.abs() > 6.5 {
        return Scaled(x.signum().into(), 0);
    }
    let square = product(x, x);
    let twice = square * 2.0;
    let (mut term, mut series, mut odd) = (Double(1.0, 0.0), Double(1.0, 0.0), 1.0);
    while term.0 > 1e-25 * series.0 {
        odd += 2.0;
        term = term * twice / odd;
        series = series + term;
    }
    let Scaled(power, n) = exp_of(-square);
    Scaled(series * OF_ERF * x * power, n)
}

/// x^y for nonzero x and y; y is an integer if x is negative.
pub(crate) fn pow(x: f64, y: f64) -> Scaled {
    let logarithm = ln_of(x.abs(), 0.0);
    let Scaled(magnitude, n) = if (logarithm.0 * y).abs() > 1e4 {
        exp_of((logarithm.0 * y).into())
    } else {
        exp_of(logarithm * y)
    };
    let is_odd = x < 0.0 && y % 2.0 != 0.0;
    Scaled(if is_odd { -magnitude } else { magnitude }, n)
}

const HALF_PI: Double = constant(0x3ff9_21fb_5444_2d18, 0x3c91_a626_3314_5c07);

/// 64 zeros, followed by the fraction bits of 2/π.
const TWO_OVER_PI: [u64; 22] = [
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
    0xf0cf_bc20_9af4_361d,
    0,
];

/// Argument reduction: q modulo 4 and r with x = q · π/2 + r, |r| ≤ π/4, for x ≥ 0.
fn reduced(x: f64) -> (u64, Double) {
    if x < std::f64::consts::FRAC_PI_4 {
        return (0, x.into());
    }
    let significand = x.to_bits() & ((1 << 52) - 1) | 1 << 52;
    // Position of the first relevant bit of 2/π: its product with the lowest bit of x is 2.
    let first = (exponent(x) - 52 + 62) as usize;
    let word = |at: usize| {
        let pair = [first / 64 + at, first / 64 + at + 1].map(|at| u128::from(TWO_OVER_PI[at]));
        ((pair[0] << 64 | pair[1]) << (first % 64) >> 64) as u64
    };
    // Product modulo 4, with 190 fraction bits.
    let (mut digits, mut carry) = ([0; 4], 0);
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        let product = u128::from(word(at)) * u128::from(significand) + carry;
        *digit = product as u64;
        carry = product >> 64;
    }
    let is_above_half = digits[0] >> 61 & 1 == 1;
    let quadrant = (digits[0] >> 62) + u64::from(is_above_half);
    digits[0] &= u64::MAX >> 2;
    let mut fraction = Double(0.0, 0.0);
    for (at, digit) in digits.into_iter().enumerate() {
        let (high, low) = (digit >> 32, digit & u64::from(u32::MAX));
        let place = -62 - 64 * at as i32;
        // Subtract 1 before any rounding.
        let one = if at == 0 && is_above_half { -1.0 } else { 0.0 };
        fraction = fraction + (scale(high as f64, place + 32) + one) + scale(low as f64, place);
    }
    (quadrant % 4, fraction * HALF_PI)
}

/// Taylor series of sine or cosine, from the first term and its exponent.
fn series(first: Double, square: Double, mut n: f64) -> Double {
    let (mut term, mut sum) = (first, first);
    for _ in 0..16 {
        term = -(term * square) / ((n + 1.0) * (n + 2.0));
        n += 2.0;
        sum = sum + term;
    }
    sum
}

/// Sine and cosine of x ≥ 0.
fn sin_cos(x: f64) -> [Double; 2] {
    let (quadrant, r) = reduced(x);
    let square = r * r;
    let (sine, cosine) = (series(r, square, 1.0), series(1.0.into(), square, 0.0));
    match quadrant {
        0 => [sine, cosine],
        1 => [cosine, -sine],
        2 => [-sine, -cosine],
        _ => [-cosine, sine],
    }
}

pub(crate) fn sin(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    let [sine, _] = sin_cos(x.abs());
    Scaled(if x < 0.0 { -sine } else { sine }, 0)
}

pub(crate) fn cos(x: f64) -> Scaled {
    let [_, cosine] = sin_cos(x.abs());
    Scaled(cosine, 0)
}

pub(crate) fn tan(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    let [sine, cosine] = sin_cos(x.abs());
    let tangent = sine / cosine;
    Scaled(if x < 0.0 { -tangent } else { tangent }, 0)
}

const PI: Double = constant(0x4009_21fb_5444_2d18, 0x3ca1_a626_3314_5c07);

impl Double {
    /// Square root, by one step of Newton's method.
    fn sqrt(self) -> Self {
        let guess = self.0.sqrt();
        if guess == 0.0 {
            return Self(guess, 0.0);
        }
        (self - product(guess, guess)) / (2.0 * guess) + guess
    }

    fn sinh(self) -> Self {
        if self.0.abs() < 0.9 {
            let power = self.expm1();
            (power + power / (power + 1.0)) * 0.5
        } else {
            let power = scaled(exp_of(self));
            (power - Self::from(1.0) / power) * 0.5
        }
    }

    /// Arc tangent of a number up to about 1, by two steps of Newton's method.
    fn atan(self) -> Self {
        let mut angle = Self::from(self.0.atan());
        for _ in 0..2 {
            let square = angle * angle;
            let (sine, cosine) = (series(angle, square, 1.0), series(1.0.into(), square, 0.0));
            angle = angle + (self * cosine - sine) / (cosine + self * sine);
        }
        angle
    }
}

/// Returns the number itself, if it is in the range of f64.
fn scaled(Scaled(value, n): Scaled) -> Double {
    Double(scale(value.0, n), scale(value.1, n))
}

/// Returns `value` with the sign of `x`.
fn with_sign(value: Double, x: f64) -> Double {
    if x.is_sign_negative() { -value } else { value }
}

/// Angle of the point (x, y) with nonzero x and y.
pub(crate) fn atan2(y: f64, x: f64) -> Scaled {
    let (width, height) = (x.abs(), y.abs());
    let is_steep = height > width;
    let (larger, smaller) = if is_steep {
        (height, width)
    } else {
        (width, height)
    };
    let (n, of_smaller) = (exponent(larger), exponent(smaller));
    if n - of_smaller > 100 && !is_steep && x > 0.0 {
        let ratio = Double::from(scale(smaller, -of_smaller)) / scale(larger, -n);
        return Scaled(with_sign(ratio, y), of_smaller - n);
    }
    // A smaller ratio is negligible compared with a multiple of π/2.
    let ratio = if n - of_smaller > 300 {
        0.0.into()
    } else {
        Double::from(scale(smaller, -n)) / scale(larger, -n)
    };
    let mut angle = ratio.atan();
    if is_steep {
        angle = HALF_PI - angle;
    }
    if x < 0.0 {
        angle = PI - angle;
    }
    Scaled(with_sign(angle, y), 0)
}

pub(crate) fn atan(x: f64) -> Scaled {
    atan2(x, 1.0)
}

/// Returns asin a and acos a for a in [0, 1].
fn arcs(a: f64) -> [Double; 2] {
    let other = ((Double::from(1.0) + -a) * (Double::from(1.0) + a)).sqrt();
    let arc = if a < 0.7 {
        (Double::from(a) / other).atan()
    } else {
        HALF_PI - (other / a).atan()
    };
    let other = if a < 0.7 {
        HALF_PI - arc
    } else {
        (other / a).atan()
    };
    [arc, other]
}

pub(crate) fn asin(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    Scaled(with_sign(arcs(x.abs())[0], x), 0)
}

pub(crate) fn acos(x: f64) -> Scaled {
    let [_, arc] = arcs(x.abs());
    Scaled(if x < 0.0 { PI - arc } else { arc }, 0)
}

pub(crate) fn sinh(x: f64) -> Scaled {
    if x.abs() < TINY {
        return tiny(x, 1.0.into());
    }
    let a = x.abs();
    if a > 100.0 {
        let Scaled(power, n) = exp(a);
        return Scaled(with_sign(power, x), n - 1);
    }
    Scaled(with_sign(Double::from(a).sinh(), x), 0)
}

pub(crate) fn cosh(x: f64) -> Scaled {
    let Scaled(power, n) = exp(x.abs());
    if n > 100 {
        return Scaled(power, n - 1);
    }
    let power = scaled(Scaled(power, n));
    Scaled((power + Double::from(1.0) / power) * 0.5, 0)
}

/// 1 − erf x; for large x, e^-x² times a continued fraction.
pub(crate) fn erfc(x: f64) -> Scaled {
    if x < 2.0 {
        return Scaled(-scaled(erf(x.max(-10.0))) + 1.0, 0);
    }
    let mut fraction = Double(0.0, 0.0);
    for n in (1..500).rev() {
        fraction = Double::from(f64::from(n) / 2.0) / (fraction + x);
    }
    let Scaled(power, n) = exp_of(-product(x, x));
    Scaled(power * OF_ERF * 0.5 / (fraction + x), n)
}

pub(crate) fn cbrt(x: f64) -> Scaled {
    let n = exponent(x).div_euclid(3);
    let x = scale(x, -3 * n);
    let guess = x.cbrt();
    let cube = product(guess, guess) * guess;
    let error = (Double::from(x) - cube) / product(guess, guess) / 3.0;
    Scaled(error + guess, n)
}

pub(crate) fn asinh(x: f64) -> Scaled {
    let a = x.abs();
    if a < TINY {
        return tiny(x, 1.0.into());
    }
    let value = if a > 1e30 {
        ln_of(a, 0.0) + LN_2
    } else {
        let square = product(a, a);
        let root = (square + 1.0).sqrt();
        log1p_of(square / (root + 1.0) + a)
    };
    Scaled(with_sign(value, x), 0)
}

pub(crate) fn acosh(x: f64) -> Scaled {
    if x > 1e30 {
        return Scaled(ln_of(x, 0.0) + LN_2, 0);
    }
    let t = sum(x, -1.0);
    Scaled(log1p_of(t + (t * (t + 2.0)).sqrt()), 0)
}

pub(crate) fn atanh(x: f64) -> Scaled {
    let a = x.abs();
    if a < TINY {
        return tiny(x, 1.0.into());
    }
    let value = log1p_of(Double::from(2.0 * a) / sum(1.0, -a)) * 0.5;
    Scaled(with_sign(value, x), 0)
}

/// ln(1 + x) for x ≥ 0.
fn log1p_of(x: Double) -> Double {
    if x.0 < 0.4 {
        return x.ln_1p();
    }
    let all = x + 1.0;
    ln_of(all.0, all.1)
}
