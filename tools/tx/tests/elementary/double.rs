//! Numbers of twice the bits of an f64, as sums of two, and functions of them.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of two numbers, the second at most half a last bit of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double(pub(crate) f64, pub(crate) f64);

/// A number times a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled(pub(crate) Double, pub(crate) i32);

const LN_2: Double = constant(0x3fe6_2e42_fefa_39ef, 0x3c7a_bc9e_3b39_803f);
const LN_10: Double = constant(0x4002_6bb1_bbb5_5516, 0xbcaf_48ad_494e_a3e9);
/// 2 / √π.
const OF_ERF: Double = constant(0x3ff2_0dd7_5042_9b6d, 0x3c71_ae3a_914f_ed80);

const fn constant(high: u64, low: u64) -> Double {
    Double(f64::from_bits(high), f64::from_bits(low))
}

/// A sum without an error.
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let b_part = high - a;
    Double(high, (a - (high - b_part)) + (b - b_part))
}

/// A product without an error.
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
    /// e^x − 1 for |x| below 1: Taylor's series for x / 64, and (1 + t)² − 1 = t · (2 + t) six times.
    fn expm1(self) -> Self {
        let x = self * (1.0 / 64.0);
        let mut t = Self(0.0, 0.0);
        for n in (1..=13).rev() {
            t = x / f64::from(n) * (t + 1.0);
        }
        (0..6).fold(t, |t, _| t * (t + 2.0))
    }

    /// ln(1 + x) for 1 + x between √½ and √2: a step of Newton's method.
    fn ln_1p(self) -> Self {
        let guess = self.0.ln_1p();
        let power = Self::from(guess).expm1();
        (self - power) / (power + 1.0) + guess
    }
}

/// Multiplies by a power of two, rounding only results that are subnormal.
pub(crate) fn scale(value: f64, by: i32) -> f64 {
    let step = by.clamp(-1000, 1000);
    let scaled = value * f64::powi(2.0, step);
    if step == by {
        scaled
    } else {
        scale(scaled, by - step)
    }
}

/// The exponent of a number that is not 0: it is 2^exponent times something from 1 to 2.
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

/// ln(x + rest) for x above 0.
fn ln_of(x: f64, rest: f64) -> Double {
    let mut n = exponent(x);
    if scale(x, -n) > std::f64::consts::SQRT_2 {
        n += 1;
    }
    let significand = Double(scale(x, -n), scale(rest, -n));
    LN_2 * f64::from(n) + (significand + -1.0).ln_1p()
}

/// Numbers this small are so close to their functions that only the factor matters.
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

/// x^y of numbers that are not 0; y is whole where x is negative.
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
