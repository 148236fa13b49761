//! Scalar values of combiner programs, and samples for tests of combiners. [`tx_scalar`] defines
//! the ops on scalars.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type};
use tx_scalar::{extremes, signed, truncated};

pub(crate) use tx_scalar::{Float, Scalar as Sort};

/// Returns the scalar type of an MLIR type; `None` for unsupported types, such as 8-bit floats,
/// which have no arithmetic.
pub(crate) fn sort_of(ty: Type<'_>) -> Option<Sort> {
    if IntegerType::try_from(ty).is_ok_and(|int| !int.is_signless()) {
        return None;
    }
    Sort::of(ty).filter(|sort| sort.float().is_none_or(|float| float.bits() > 8))
}

/// Maximum relative difference between two results of a combiner that combines the same values in
/// different orders.
pub(crate) fn tolerance(sort: Sort) -> f64 {
    match sort {
        Sort::Float(Float::F16 | Float::BF16) => 5e-2,
        _ => 1e-3,
    }
}

/// Maximum relative difference between a value and its combination with a neutral value: one
/// rounding error of the type.
pub(crate) fn rounding(sort: Sort) -> f64 {
    match sort {
        Sort::Float(Float::F16 | Float::BF16) => 1e-2,
        Sort::Float(Float::F32) => 1e-6,
        _ => 1e-12,
    }
}

/// Returns samples for tests of combiners. Small values come first, because tests of several
/// components use only the first samples.
pub(crate) fn samples(sort: Sort) -> Vec<Scalar> {
    match sort {
        Sort::Int(1) => vec![Scalar::Int(-1), Scalar::Int(0)],
        Sort::Int(bits) => {
            let (least, most) = extremes(bits);
            [1, 2, 3, 0, -1, 5, -7, least, most]
                .map(|n| Scalar::Int(signed(truncated(n, bits), bits)))
                .to_vec()
        }
        Sort::Float(_) => [1.0, 2.0, 3.0, 0.0, -1.0, 0.5, -2.5, 12.0]
            .map(Scalar::Float)
            .to_vec(),
    }
}

pub(crate) fn candidates(sort: Sort) -> Vec<Scalar> {
    let all = tx_scalar::laws::candidates(sort).into_iter();
    all.map(|bits| Scalar::of_bits(bits, sort)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Int(i64),
    Float(f64),
}

impl Scalar {
    pub(crate) fn of(attribute: Attribute<'_>, sort: Sort) -> Option<Self> {
        match sort {
            Sort::Int(bits) => IntegerAttribute::try_from(attribute)
                .ok()
                .map(|a| Self::Int(signed(truncated(a.value(), bits), bits))),
            Sort::Float(_) => FloatAttribute::try_from(attribute)
                .ok()
                .map(|a| Self::Float(a.value())),
        }
    }

    pub(crate) fn of_bits(bits: u64, sort: Sort) -> Self {
        match sort {
            Sort::Int(width) => Self::Int(signed(bits, width)),
            Sort::Float(float) => Self::Float(float.value(bits)),
        }
    }

    pub(crate) fn bits(self, sort: Sort) -> u64 {
        match (self, sort) {
            (Self::Int(n), Sort::Int(width)) => truncated(n, width),
            (Self::Float(x), Sort::Float(float)) => float.to_bits(x),
            // An integer value never has a float type, and a float value never has an integer type.
            (Self::Int(_) | Self::Float(_), _) => 0,
        }
    }

    pub(crate) fn to_attribute<'c>(self, context: &'c Context, ty: Type<'c>) -> Attribute<'c> {
        match self {
            Self::Int(n) => IntegerAttribute::new(ty, n).into(),
            Self::Float(x) => FloatAttribute::new(context, ty, x).into(),
        }
    }

    pub(crate) fn float(self) -> Option<f64> {
        match self {
            Self::Float(x) => Some(x),
            Self::Int(_) => None,
        }
    }

    pub(crate) fn int(self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(n),
            Self::Float(_) => None,
        }
    }

    pub(crate) fn is_positive(self) -> bool {
        match self {
            Self::Int(n) => n > 0,
            Self::Float(x) => x > 0.0,
        }
    }

    pub(crate) fn is_finite(self) -> bool {
        self.float().is_none_or(f64::is_finite)
    }

    pub(crate) fn is_nan(self) -> bool {
        self.float().is_some_and(f64::is_nan)
    }

    /// Returns whether two numbers differ by at most `relative` times the largest of `unit` and the
    /// magnitudes of both numbers. The result is false if a number is NaN, and true for two equal
    /// infinities.
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

pub(crate) fn show(value: Scalar, sort: Sort) -> String {
    match value {
        Scalar::Int(n) if sort == Sort::Int(1) => (n != 0).to_string(),
        Scalar::Int(n) => n.to_string(),
        Scalar::Float(x) if x.abs() >= 1e10 && x.is_finite() => format!("{x:e}"),
        Scalar::Float(x) => x.to_string(),
    }
}
