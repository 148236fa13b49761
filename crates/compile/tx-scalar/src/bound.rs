//! Running error analysis. The analysis computes an upper bound of the difference between the
//! results of two orders in which a program can combine its elements.
//!
//! For each float of the program, the analysis computes a value and a [`Bound`]. The analysis
//! computes each value in program order and in the float type of the program. The [`Bound`] limits
//! the difference between the value in program order and the value that any other order of
//! combination yields.
//!
//! The analysis is first-order in the unit roundoff `u = 2^-digits`. Rounding errors are relative
//! to the *magnitude* of a sum, which is the sum of the absolute values of its terms. An error
//! bound relative to the magnitude is valid for every summation tree over the same terms (Higham,
//! *Accuracy and Stability of Numerical Algorithms*, §4.2).
//!
//! No order of combination causes a rounding error if all terms are multiples of one power of two
//! and each partial sum is representable. If no order of combination causes a rounding error, the
//! error bound is 0, and the results of all orders must be equal.

use crate::number::{Float, exponent_of, power_of_two};

/// Bound on the difference between a value computed in program order, and the value that any other
/// order of combination yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Maximum absolute error of the value in any order of combination; infinite if the analysis
    /// finds no maximum. The results of two orders of combination differ by at most `2 * error`.
    pub error: f64,
    /// Result that the computation yields for the absolute values of its terms.
    pub magnitude: f64,
    /// Exponent `e` of a power of two such that all terms are multiples of `2^e`.
    pub grain: i32,
    /// Largest possible magnitude of a partial result in any order of combination.
    pub peak: f64,
    /// Smallest nonzero magnitude of a partial result in any order of combination.
    pub trough: f64,
    /// Number of additions with which the value was computed.
    pub additions: f64,
    /// Largest magnitude over the partial results of all subsets of the elements (see
    /// [`Bound::choose`]); infinite if a partial result overflows.
    pub high: f64,
    /// Smallest nonzero magnitude over the partial results of all subsets of the elements; NaN if a
    /// partial result loses significant digits by underflow.
    pub low: f64,
    /// Maximum absolute error that the underflow of products causes if all factors of later
    /// multiplications are 1 or -1.
    pub slip: f64,
}

/// Value of [`Bound::grain`] for a value whose terms are not known to be multiples of one power of
/// two.
const NO_GRAIN: i32 = -100_000;
/// Value of [`Bound::grain`] for zero, which is a multiple of every power of two.
const ANY_GRAIN: i32 = 100_000;

impl Bound {
    /// Returns the error bound of a value that is equal in every order of combination.
    pub fn exact(value: f64) -> Self {
        let grain = if value == 0.0 {
            ANY_GRAIN
        } else if value.is_finite() {
            let fraction = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
            exponent_of(value) - 52 + fraction.trailing_zeros() as i32
        } else {
            ANY_GRAIN
        };
        // A non-finite value is the same in every order of combination, and no later factor can
        // hide an overflow.
        let magnitude = if value.is_finite() { value.abs() } else { 0.0 };
        Self {
            error: 0.0,
            magnitude,
            grain,
            peak: magnitude,
            trough: if magnitude == 0.0 { 1.0 } else { magnitude },
            additions: 0.0,
            high: magnitude,
            low: magnitude,
            slip: 0.0,
        }
    }

    /// Returns the infinite error bound, which permits any difference between the results of two
    /// orders of combination.
    pub fn anything() -> Self {
        Self {
            error: f64::INFINITY,
            magnitude: f64::INFINITY,
            grain: NO_GRAIN,
            peak: f64::INFINITY,
            trough: 0.0,
            additions: 0.0,
            high: f64::INFINITY,
            low: f64::NAN,
            slip: f64::INFINITY,
        }
    }

    /// Returns whether the value is equal in every order of combination.
    pub fn is_exact(self) -> bool {
        self.error == 0.0
    }

    /// Returns an upper bound of the error of one rounding of the value to the type `float`.
    fn rounding(self, float: Float) -> f64 {
        let fits = self.grain > NO_GRAIN / 2
            && self.magnitude < power_of_two((self.grain.min(2000) + float.digits()).min(1023))
            && self.grain > float.least_exponent() - float.digits()
            && self.magnitude <= float.largest();
        if fits || self.magnitude == 0.0 {
            return 0.0;
        }
        if self.magnitude.is_nan() || self.magnitude > float.largest() / 4.0 {
            // The value overflows in some order of combination.
            return f64::INFINITY;
        }
        let unit = power_of_two(-float.digits());
        let least = power_of_two(float.least_exponent() - float.digits());
        self.magnitude * unit + least
    }

    /// Returns a copy of the bound in which the argument `error` replaces the field `error`.
    #[must_use]
    pub fn with_error(self, error: f64) -> Self {
        Self { error, ..self }
    }

    /// Returns the error bound of the value after one rounding to `float`.
    #[must_use]
    pub fn rounded(self, float: Float) -> Self {
        Self {
            error: self.error + self.rounding(float),
            ..self
        }
    }

    /// Returns the error bound of a sum that is rounded to `float` after each addition.
    #[must_use]
    pub fn rounded_each(self, float: Float) -> Self {
        let own = self.rounding(float);
        Self {
            // If the largest terms are added first, every addition has the same rounding error as
            // the last addition.
            error: (self.error + own).max(own * self.additions / 2.0),
            ..self
        }
    }

    /// Returns the error bound of the sum or difference of two values.
    pub fn sum(self, other: Self, float: Float) -> Self {
        let sum = Self {
            error: self.error + other.error,
            magnitude: self.magnitude + other.magnitude,
            grain: self.grain.min(other.grain),
            // No partial sum exceeds the sum of the magnitudes, so the peaks of the operands are
            // irrelevant.
            peak: self.magnitude + other.magnitude,
            trough: 1.0,
            additions: self.additions + other.additions + 1.0,
            high: self.grown(other, self.high + other.high, float),
            low: self.low + other.low,
            slip: self.slip.max(other.slip),
        };
        // In any order of combination, the difference between the rounded sum and the larger term
        // is at most the smaller term. If the smaller term is zero or below the rounding error, the
        // function therefore does not count the sum as a rounding addition.
        let (small, large) = match self.magnitude < other.magnitude {
            true => (self, other),
            false => (other, self),
        };
        let own = sum.rounding(float);
        if own.is_finite() && small.magnitude < own || small.magnitude == 0.0 {
            return Self {
                error: sum.error + 2.0 * small.magnitude,
                additions: large.additions,
                ..sum
            };
        }
        sum.rounded_each(float)
    }

    /// Returns the error bound of the product of `x` and `y`.
    pub fn product(self, other: Self, x: f64, y: f64, float: Float) -> Self {
        // A product with an unbounded factor is unbounded even if the other factor is 0, because
        // the unbounded factor can be infinite.
        if !self.error.is_finite() || !other.error.is_finite() {
            return Self::anything();
        }
        let of = |factor: f64, error: f64| {
            if error == 0.0 {
                0.0
            } else {
                factor.abs() * error
            }
        };
        let product = Self {
            error: of(x, other.error) + of(y, self.error) + of(self.error, other.error),
            magnitude: self.magnitude * other.magnitude,
            grain: match (self.grain, other.grain) {
                (NO_GRAIN, _) | (_, NO_GRAIN) => NO_GRAIN,
                (ANY_GRAIN, _) | (_, ANY_GRAIN) => ANY_GRAIN,
                (a, b) => a + b,
            },
            peak: self.peak.max(1.0) * other.peak.max(1.0),
            trough: self.trough.min(1.0) * other.trough.min(1.0),
            additions: 0.0,
            high: self.grown(other, self.high * other.high, float),
            low: self.shrunk(other, float),
            // A combiner with several components, such as a complex product, sums several products
            // per component.
            slip: self.slip.max(other.slip)
                + power_of_two(float.least_exponent() - float.digits() + 2),
        };
        // The product overflows or underflows in some order of combination. The error must be
        // infinite now, because a later factor of 0 could hide the overflow.
        let lost = product.peak.is_nan()
            || product.peak > float.largest() / 4.0
            || product.trough < power_of_two(float.least_exponent() + 2);
        if lost {
            return Self {
                error: f64::INFINITY,
                ..product
            };
        }
        product.rounded(float)
    }

    /// Returns the field [`Bound::high`] for the result of an addition or multiplication whose
    /// operands have the bounds `self` and `other`. `to` is the largest magnitude of the result.
    /// The returned value is infinite if a partial result of the magnitude `to` can overflow the
    /// float type.
    fn grown(self, other: Self, to: f64, float: Float) -> f64 {
        let grows = to > self.high.max(other.high);
        match to.is_nan() || grows && to > float.largest() / 4.0 {
            true => f64::INFINITY,
            false => to,
        }
    }

    /// Returns the field [`Bound::low`] for a product, or NaN if the product loses significant
    /// digits by underflow.
    fn shrunk(self, other: Self, float: Float) -> f64 {
        let low = self.low * other.low;
        let shrinks = self.low > 0.0 && other.low > 0.0 && low < self.low.min(other.low);
        match shrinks && low < power_of_two(float.least_exponent() + 2) {
            true => f64::NAN,
            false => low,
        }
    }

    /// Updates the fields `high` and `low` of `after`, the bounds of the value that the combiner
    /// computes from `left` and `right`.
    ///
    /// The slices `left`, `right` and `after` contain one bound per component of the combined
    /// value. An order of combination other than program order can combine any subset of the
    /// elements first. The function therefore sums the fields `high` of each slice, and copies the
    /// fields `high` from the slice with the largest sum into `after`. The function copies the
    /// fields `low` from the slice with the smallest nonzero sum of `low` into `after`.
    pub fn choose(left: &[Self], right: &[Self], after: &mut [Self]) {
        let of =
            |bounds: &[Self], which: fn(&Self) -> f64| -> f64 { bounds.iter().map(which).sum() };
        for before in [left, right] {
            if of(before, |b| b.high) > of(after, |b| b.high) {
                for (after, before) in after.iter_mut().zip(before) {
                    after.high = before.high;
                }
            }
            let least = of(before, |b| b.low);
            let now = of(after, |b| b.low);
            if least > 0.0 && (least < now || now == 0.0) {
                for (after, before) in after.iter_mut().zip(before) {
                    after.low = before.low;
                }
            }
        }
    }

    /// Marks the bound `self` as overflowed if the bound `again` is marked as overflowed (the field
    /// `high` is infinite). Marks the bound `self` as underflowed if the bound `again` is marked as
    /// underflowed (the field `low` is NaN). `self` and `again` are bounds of one component of the
    /// combined value; `again` is the bound after a second application of the combiner.
    pub fn spoil(&mut self, again: &Self) {
        if again.high == f64::INFINITY {
            self.high = f64::INFINITY;
        }
        if again.low.is_nan() {
            self.low = f64::NAN;
        }
    }

    /// Converts error bounds for one order of combination into error bounds for every order of
    /// combination.
    ///
    /// If a partial result of a component overflows, the error of the component becomes infinite.
    /// If a partial result of a component underflows, the error of the component becomes at least
    /// [`Bound::slip`] times `max(1, S)`, where `S` is the sum of [`Bound::high`] over all
    /// components.
    pub fn of_every_order(parts: &mut [Self]) {
        // The other elements can multiply the underflow error of one element by up to the largest
        // partial result.
        let most = parts.iter().map(|part| part.high).sum::<f64>().max(1.0);
        for part in parts {
            if part.high == f64::INFINITY {
                *part = Self::anything();
            } else if part.low.is_nan() {
                part.error = part.error.max(part.slip * most);
            }
            part.high = part.magnitude;
            part.low = part.magnitude;
            part.slip = 0.0;
        }
    }

    /// Returns the error bound of the result of an op, such as a maximum, that selects one of two
    /// values. The difference between the two values is `distance`. The op can select one value in
    /// program order, and the other value in a different order of combination.
    pub fn either(self, other: Self, distance: f64) -> Self {
        let wider = self.wider(other);
        Self {
            error: if distance == 0.0 {
                wider.error
            } else if distance.is_finite() {
                wider.error + distance
            } else {
                f64::INFINITY
            },
            ..wider
        }
    }

    /// Returns the error bound of a result that is equal to one of two values. The error bounds of
    /// the two values are `self` and `other`.
    pub fn wider(self, other: Self) -> Self {
        Self {
            error: self.error.max(other.error),
            magnitude: self.magnitude.max(other.magnitude),
            grain: self.grain.min(other.grain),
            peak: self.peak.max(other.peak),
            trough: self.trough.min(other.trough),
            additions: self.additions.max(other.additions),
            high: self.high.max(other.high),
            low: match self.low.is_nan() || other.low.is_nan() {
                true => f64::NAN,
                false => self.low.min(other.low),
            },
            slip: self.slip.max(other.slip),
        }
    }

    /// Returns the error bound of `f(x)`, where `self` is the error bound of `x`, `result` is
    /// `f(x)` and `slope` is `f'(x)`. `ulps` is the error of `f` in units in the last place.
    pub fn mapped(self, result: f64, slope: f64, ulps: f64, float: Float) -> Self {
        if self.error == 0.0 && ulps == 0.0 {
            return Self::exact(result);
        }
        let carried = if self.error == 0.0 {
            0.0
        } else {
            slope.abs() * self.error
        };
        let unit = power_of_two(1 - float.digits());
        let least = power_of_two(float.least_exponent() - float.digits() + 1);
        let own = if result.is_finite() {
            result.abs() * unit + least
        } else {
            0.0
        };
        let error = carried * 2.0 + own * ulps.max(1.0);
        Self {
            error: if error.is_nan() { f64::INFINITY } else { error },
            grain: NO_GRAIN,
            ..Self::exact(result)
        }
    }

    /// Widens the error bound of `f(x)` until it covers `f(x - 2 * error)` and `f(x + 2 * error)`,
    /// where `error` is the maximum error of `x`. Near the edge of the domain of `f`, the
    /// first-order error bound alone is too small.
    #[must_use]
    pub(crate) fn reaching(self, f: impl Fn(f64) -> f64, x: f64, error: f64, result: f64) -> Self {
        if error == 0.0 || !result.is_finite() {
            return self;
        }
        let ends = [x - 2.0 * error, x + 2.0 * error].map(f);
        if ends.iter().any(|end| !end.is_finite()) {
            return Self::anything();
        }
        let far = ends.map(|end| (end - result).abs());
        self.with_error(self.error.max(far[0]).max(far[1]))
    }

    /// Returns the error bound of a value that was rounded once. For a finite nonzero value, the
    /// error bound is greater than 0, because the rounding errors in two orders of combination can
    /// differ.
    pub fn rounded_once(value: f64, float: Float) -> Self {
        let unit = power_of_two(-float.digits());
        let least = power_of_two(float.least_exponent() - float.digits());
        let exact = Self::exact(value);
        match value.is_finite() && value != 0.0 {
            true => Self {
                error: value.abs() * unit + least,
                grain: NO_GRAIN,
                ..exact
            },
            false => exact,
        }
    }

    /// Returns whether the distance between `found` and `expected` is at most `2 * self.error`. An
    /// error bound that is infinite or NaN allows every pair of numbers. A finite error bound
    /// allows a NaN only if both numbers are NaN, and allows an infinity only if both numbers are
    /// the same infinity.
    pub fn allows(self, expected: f64, found: f64) -> bool {
        if self.error == f64::INFINITY || self.error.is_nan() {
            return true;
        }
        expected == found
            || expected.is_nan() && found.is_nan()
            || (expected - found).abs() <= 2.0 * self.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_whole_numbers_are_exact() {
        let sum = |terms: &[f64]| {
            terms.iter().fold(Bound::exact(0.0), |bound, term| {
                bound.sum(Bound::exact(*term), Float::F32)
            })
        };
        assert_eq!(sum(&[1.0, 2.0, -3.0, 1000.0]).error, 0.0);
        assert_eq!(sum(&[0.5, 0.25]).error, 0.0);
        let bound = sum(&[1.0, 2_f64.powi(-30)]);
        assert!(bound.error > 0.0 && bound.error < 1e-6, "{bound:?}");
        assert!(sum(&[3e38, 3e38]).error.is_infinite());
        // If the four ones are added one by one after 448, rounding discards them.
        let large_last = [1.0, 1.0, 1.0, 1.0, 448.0]
            .iter()
            .fold(Bound::exact(0.0), |bound, term| {
                bound.sum(Bound::exact(*term), Float::BF16)
            });
        assert!(large_last.allows(452.0, 448.0), "{large_last:?}");
    }

    #[test]
    fn products_may_overflow_or_underflow() {
        let product = |factors: &[f64]| {
            factors
                .iter()
                .fold((1.0, Bound::exact(1.0)), |(x, bound), y| {
                    (x * y, bound.product(Bound::exact(*y), x, *y, Float::F32))
                })
        };
        assert!(product(&[1e-30, 1e-30, 1e30]).1.error.is_infinite());
        assert!(product(&[0.0, 1e30, 1e30]).1.error.is_infinite());
        assert_eq!(product(&[2.0, 0.5, -1.0, 0.0]).1.error, 0.0);
        assert_eq!(product(&[2.0, f64::INFINITY]).1.error, 0.0);
        let lost = Bound::anything().product(Bound::exact(0.0), 1.0, 0.0, Float::F32);
        assert!(lost.error.is_infinite());
        assert!(lost.wider(Bound::exact(0.0)).error.is_infinite());
    }

    /// Checks the error bounds of a combiner that multiplies complex numbers. The error bounds must
    /// report that a partial result can overflow, even if the first element is 0.
    #[test]
    fn partial_results_of_other_orders_may_overflow_or_underflow() {
        let exact = |[re, im]: [f64; 2]| [Bound::exact(re), Bound::exact(im)];
        let product = |numbers: &[[f64; 2]]| {
            let (mut value, mut bounds) = (numbers[0], exact(numbers[0]).to_vec());
            for number in &numbers[1..] {
                let ([a, b], [c, d], right) = (value, *number, exact(*number));
                let times =
                    |i: usize, j: usize, x, y| bounds[i].product(right[j], x, y, Float::F32);
                let mut after = [
                    times(0, 0, a, c).sum(times(1, 1, b, d), Float::F32),
                    times(0, 1, a, d).sum(times(1, 0, b, c), Float::F32),
                ];
                Bound::choose(&bounds, &right, &mut after);
                value = [a * c - b * d, a * d + b * c];
                bounds = after.to_vec();
            }
            Bound::of_every_order(&mut bounds);
            [bounds[0].error, bounds[1].error]
        };
        let huge = [1e30, 1e30];
        assert_eq!(product(&[[0.0, 0.0], huge, huge]), [f64::INFINITY; 2]);
        assert_eq!(product(&[[0.0, 0.0], huge]), [0.0; 2]);
        // A product of 2000 factors `i` and `-i` is exact.
        let turns: Vec<_> = (0..2000).map(|n| [0.0, [1.0, -1.0][n % 2]]).collect();
        assert_eq!(product(&turns), [0.0; 2]);
        // The product underflows if both factors 2^-100 precede the factor 2^120. The product does
        // not underflow in the order 2^-100 · 2^120 · 2^-100.
        let tiny = [2_f64.powi(-100), 0.0];
        let errors = product(&[[2_f64.powi(120), 0.0], tiny, tiny]);
        assert!(
            errors[0] >= 2_f64.powi(-80) && errors[0] < 1e-6,
            "{errors:?}"
        );
        // A maximum cannot overflow, because it is at most the largest element.
        let [huge, least] = [3e38, 1e-40].map(|x| [Bound::exact(x)]);
        let mut most = [huge[0].wider(least[0])];
        Bound::choose(&huge, &least, &mut most);
        Bound::of_every_order(&mut most);
        assert_eq!(most[0].error, 0.0);
        // A component that cannot overflow stays exact if another component overflows.
        let sum = huge[0].sum(huge[0], Float::F32);
        let mut parts = [sum, huge[0].wider(huge[0])];
        Bound::choose(&huge.repeat(2), &huge.repeat(2), &mut parts);
        Bound::of_every_order(&mut parts);
        assert_eq!(parts.map(|part| part.error), [f64::INFINITY, 0.0]);
    }

    #[test]
    fn infinities_are_what_they_are() {
        let bound = Bound::exact(f64::INFINITY).sum(Bound::exact(3.5), Float::F32);
        assert!(bound.allows(f64::INFINITY, f64::INFINITY));
        assert!(!bound.allows(f64::INFINITY, 3.5));
        assert!(!bound.allows(f64::INFINITY, f64::NAN));
    }
}
