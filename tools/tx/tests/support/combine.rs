//! Reductions from which the tests compute reference results. The module defines the reduction
//! kinds, the order of floats with NaN and signed zeros, wrapping integer arithmetic, and the
//! comparison of results.

use crate::element::Element;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sum,
    Prod,
    Max,
    Min,
    UMax,
    UMin,
    And,
    Or,
    Xor,
    ArgMax,
    ArgMin,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::UMax => "umax",
            Self::UMin => "umin",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::ArgMax => "argmax",
            Self::ArgMin => "argmin",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nan {
    Propagate,
    Ignore,
}

/// Expected element. If the tolerance is 0, the bits of the result must be equal; if the expected
/// element is NaN, any NaN is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) bits: u64,
    pub(crate) tolerance: f64,
}

impl Expected {
    pub(crate) fn exactly(bits: u64) -> Self {
        Self {
            bits,
            tolerance: 0.0,
        }
    }

    pub(crate) fn accepts(self, element: Element, found: u64) -> bool {
        found == self.bits
            || element.is_nan(found) && element.is_nan(self.bits)
            || self.tolerance > 0.0
                && (element.number(found) - element.number(self.bits)).abs() <= self.tolerance
    }
}

/// Returns the maximum; +0.0 is greater than -0.0.
pub(crate) fn extreme(numbers: &[f64], nan: Nan) -> f64 {
    let without: Vec<f64> = numbers.iter().copied().filter(|n| !n.is_nan()).collect();
    let some = without.len() < numbers.len();
    if some && (nan == Nan::Propagate || without.is_empty()) {
        return f64::NAN;
    }
    without
        .into_iter()
        // In the total order, -0 is below +0.
        .max_by(f64::total_cmp)
        .unwrap_or(f64::NEG_INFINITY)
}

/// Returns whether `argmax` treats `a` as larger than `b`. Zeros of both signs are equal, and all
/// NaNs are equal.
pub(crate) fn beats(a: f64, b: f64, nan: Nan) -> bool {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => false,
        (true, false) => nan == Nan::Propagate,
        (false, true) => nan == Nan::Ignore,
        (false, false) => a > b,
    }
}

/// Reduces integers given as bits. Sums and products are not wrapped to the type.
///
/// # Panics
/// For `argmax` and `argmin`, whose results are pairs.
pub(crate) fn integers(kind: Kind, element: Element, row: impl Iterator<Item = u64>) -> u64 {
    let most = i64::MAX >> (64 - element.bits());
    let signed = |bits: u64| element.signed(bits);
    match kind {
        Kind::Sum => row.fold(0, u64::wrapping_add),
        Kind::Prod => row.fold(1, u64::wrapping_mul),
        Kind::Max => row.map(signed).fold(!most, i64::max) as u64,
        Kind::Min => row.map(signed).fold(most, i64::min) as u64,
        Kind::UMax => row.fold(0, u64::max),
        Kind::UMin => row.fold(element.wrap(u64::MAX), u64::min),
        Kind::And => row.fold(u64::MAX, |a, b| a & b),
        Kind::Or => row.fold(0, |a, b| a | b),
        Kind::Xor => row.fold(0, |a, b| a ^ b),
        Kind::ArgMax | Kind::ArgMin => unreachable!("has a function of its own"),
    }
}
