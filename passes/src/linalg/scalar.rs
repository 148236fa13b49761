//! Numbers as kernels compute them: types of scalars, and their values.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, TypeLike};

/// A type of scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A signless integer of this width; `index` has 64 bits.
    Int(u32),
    F16,
    BF16,
    F32,
    F64,
}

impl Sort {
    /// The sort of a type; `None` for types that nothing here computes with.
    pub(crate) fn of(ty: Type<'_>) -> Option<Self> {
        if ty.is_index() {
            return Some(Self::Int(64));
        }
        if let Ok(int) = IntegerType::try_from(ty) {
            return (int.is_signless() && int.width() <= 64).then(|| Self::Int(int.width()));
        }
        match ty.to_string().as_str() {
            "f16" => Some(Self::F16),
            "bf16" => Some(Self::BF16),
            "f32" => Some(Self::F32),
            "f64" => Some(Self::F64),
            _ => None,
        }
    }

    /// A float as this type holds it.
    pub(crate) fn round(self, value: f64) -> f64 {
        match self {
            Self::F16 => round_to(value, 11, -14, 65504.0),
            Self::BF16 => round_to(f64::from(narrow(value)), 8, -126, BF16_MAX),
            Self::F32 => f64::from(narrow(value)),
            Self::Int(_) | Self::F64 => value,
        }
    }

    /// By how much results of two orders may differ, relatively.
    pub(crate) fn tolerance(self) -> f64 {
        match self {
            Self::F16 | Self::BF16 => 5e-2,
            _ => 1e-3,
        }
    }

    /// By how much a neutral value may change another, relatively: as much as rounding does.
    pub(crate) fn rounding(self) -> f64 {
        match self {
            Self::F16 | Self::BF16 => 1e-2,
            Self::F32 => 1e-6,
            Self::F64 | Self::Int(_) => 1e-12,
        }
    }

    /// The largest finite number.
    fn largest(self) -> f64 {
        match self {
            Self::F16 => 65504.0,
            Self::BF16 => BF16_MAX,
            Self::F32 => f64::from(f32::MAX),
            Self::Int(_) | Self::F64 => f64::MAX,
        }
    }

    /// Values that laws are tried with, small and telling ones first.
    pub(crate) fn samples(self) -> Vec<Scalar> {
        match self {
            Self::Int(1) => vec![Scalar::Int(-1), Scalar::Int(0)],
            Self::Int(bits) => {
                let (least, most) = extremes(bits);
                [1, 2, 3, 0, -1, 5, -7, least, most]
                    .map(|n| Scalar::Int(wrap(n, bits)))
                    .to_vec()
            }
            _ => [1.0, 2.0, 3.0, 0.0, -1.0, 0.5, -2.5, 12.0]
                .map(Scalar::Float)
                .to_vec(),
        }
    }

    /// Values that may be neutral.
    pub(crate) fn candidates(self) -> Vec<Scalar> {
        match self {
            Self::Int(1) => vec![Scalar::Int(0), Scalar::Int(-1)],
            Self::Int(bits) => {
                let (least, most) = extremes(bits);
                [0, 1, -1, least, most].map(Scalar::Int).to_vec()
            }
            _ => [
                0.0,
                1.0,
                -1.0,
                f64::NEG_INFINITY,
                f64::INFINITY,
                -self.largest(),
                self.largest(),
            ]
            .map(Scalar::Float)
            .to_vec(),
        }
    }
}

const BF16_MAX: f64 = 3.389_531_389_251_535_5e38;

fn narrow(value: f64) -> f32 {
    value as f32
}

/// The least and the largest signed number of `bits` bits.
pub(crate) fn extremes(bits: u32) -> (i64, i64) {
    let shift = 64 - bits.clamp(1, 64);
    (i64::MIN >> shift, i64::MAX >> shift)
}

/// `value` in the low `bits` bits, as a signed number.
pub(crate) fn wrap(value: i64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    (value << shift) >> shift
}

/// `value` in the low `bits` bits, as an unsigned number.
pub(crate) fn unsigned(value: i64, bits: u32) -> u64 {
    let shift = 64 - bits.clamp(1, 64);
    (value.cast_unsigned() << shift) >> shift
}

/// The nearest float with `digits` binary digits, ties to even.
fn round_to(value: f64, digits: i32, least_exponent: i32, largest: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = exponent_of(value).max(least_exponent);
    let unit = 2f64.powi(exponent - (digits - 1));
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > largest {
        return f64::INFINITY.copysign(value);
    }
    rounded
}

/// `e` where `2^e <= |value| < 2^(e+1)`.
fn exponent_of(value: f64) -> i32 {
    let bits = (value.to_bits() >> 52) & 0x7ff;
    i32::try_from(bits).unwrap_or(0) - 1023
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    /// An integer, sign-extended.
    Int(i64),
    /// A float of any width.
    Float(f64),
}

impl Scalar {
    /// The value of a constant.
    pub(crate) fn of(attribute: Attribute<'_>, sort: Sort) -> Option<Self> {
        match sort {
            Sort::Int(bits) => IntegerAttribute::try_from(attribute)
                .ok()
                .map(|a| Self::Int(wrap(a.value(), bits))),
            _ => FloatAttribute::try_from(attribute)
                .ok()
                .map(|a| Self::Float(a.value())),
        }
    }

    /// As a constant of type `ty`, whose sort is that of the value.
    pub(crate) fn to_attribute<'c>(self, context: &'c Context, ty: Type<'c>) -> Attribute<'c> {
        match self {
            Self::Int(n) => IntegerAttribute::new(ty, n).into(),
            Self::Float(x) => FloatAttribute::new(context, ty, x).into(),
        }
    }

    /// The number, when it is a float.
    pub(crate) fn float(self) -> Option<f64> {
        match self {
            Self::Float(x) => Some(x),
            Self::Int(_) => None,
        }
    }

    /// The number, when it is an integer.
    pub(crate) fn int(self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(n),
            Self::Float(_) => None,
        }
    }

    /// Whether it is more than zero.
    pub(crate) fn is_positive(self) -> bool {
        match self {
            Self::Int(n) => n > 0,
            Self::Float(x) => x > 0.0,
        }
    }

    /// Whether it is a number, and no infinity.
    pub(crate) fn is_finite(self) -> bool {
        self.float().is_none_or(f64::is_finite)
    }

    /// Whether it is NaN.
    pub(crate) fn is_nan(self) -> bool {
        self.float().is_some_and(f64::is_nan)
    }

    /// Whether two numbers differ by at most `relative` of `unit`, or of themselves where they are
    /// larger; NaN is like nothing, and infinities are equal to themselves.
    pub(crate) fn is_close(self, other: Self, relative: f64, unit: f64) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => {
                let near = relative * a.abs().max(b.abs()).max(unit);
                a == b || a.is_finite() && b.is_finite() && (a - b).abs() <= near
            }
            _ => false,
        }
    }
}

/// A value as users read it.
pub(crate) fn show(value: Scalar, sort: Sort) -> String {
    match value {
        Scalar::Int(n) if sort == Sort::Int(1) => (n != 0).to_string(),
        Scalar::Int(n) => n.to_string(),
        Scalar::Float(x) if x.abs() >= 1e10 && x.is_finite() => format!("{x:e}"),
        Scalar::Float(x) => x.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_round_as_their_types_do() {
        assert_eq!(Sort::F16.round(65519.0), 65504.0);
        assert_eq!(Sort::F16.round(65520.0), f64::INFINITY);
        assert_eq!(Sort::F16.round(2049.0), 2048.0);
        assert_eq!(Sort::F16.round(-6e-8), -5.960_464_477_539_063e-8);
        assert_eq!(Sort::BF16.round(257.0), 256.0);
        assert_eq!(Sort::F32.round(0.1), f64::from(0.1f32));
    }
}
