//! How far another order of combination may take a result: running error analysis.
//!
//! Floats are computed as the program says, in the types it says, from left to right. Beside each
//! goes a [`Bound`]: how far the value may lie from what the same program computes when sums and
//! products are taken in any other order. It is a bound of first order, with rounding errors `u =
//! 2^-digits` relative to the *magnitude* of a sum, which is the sum of its terms without signs; so
//! it holds for every tree over the same terms (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, §4.2). Where every term is a multiple of some power of two, and the magnitude is
//! small enough for all partial sums to be representable, nothing is rounded in any order, and the
//! bound is 0: results must then be equal.

use crate::number::{Float, exponent_of, power_of_two};

/// How far a value may lie from that of another order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The largest difference; infinite where anything goes.
    pub error: f64,
    /// The value with all terms taken without signs.
    pub magnitude: f64,
    /// All terms are multiples of 2 to this power.
    pub grain: i32,
    /// The largest that a partial result may be in some order.
    pub peak: f64,
    /// The smallest, of those that are not 0.
    pub trough: f64,
    /// Additions that it is made of.
    pub additions: f64,
    /// The magnitude of those elements that make it the largest where they alone are combined
    /// ([`Bound::choose`]), infinite where that overflows.
    pub high: f64,
    /// The same of those that make it the smallest but 0; NaN where digits are lost to underflow.
    pub low: f64,
    /// How far underflow of all products that it is made of, one after the other, takes a number of
    /// magnitude 1.
    pub slip: f64,
}

/// Of values about whose terms nothing is known.
const NO_GRAIN: i32 = -100_000;
/// Of zero, which is a multiple of everything.
const ANY_GRAIN: i32 = 100_000;

impl Bound {
    /// Of a value that is what it is in every order.
    pub fn exact(value: f64) -> Self {
        let grain = if value == 0.0 {
            ANY_GRAIN
        } else if value.is_finite() {
            let fraction = value.to_bits() & ((1 << 52) - 1) | 1 << 52;
            exponent_of(value) - 52 + fraction.trailing_zeros() as i32
        } else {
            ANY_GRAIN
        };
        // What is not finite stays so in every order, and hides no overflow.
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

    /// Of a value of which nothing is known.
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

    /// Whether the value may differ at all.
    pub fn is_exact(self) -> bool {
        self.error == 0.0
    }

    /// The rounding error of a value with these terms, in a type.
    fn rounding(self, float: Float) -> f64 {
        let fits = self.grain > NO_GRAIN / 2
            && self.magnitude < power_of_two((self.grain.min(2000) + float.digits()).min(1023))
            && self.grain > float.least_exponent() - float.digits()
            && self.magnitude <= float.largest();
        if fits || self.magnitude == 0.0 {
            return 0.0;
        }
        if self.magnitude.is_nan() || self.magnitude > float.largest() / 4.0 {
            // Some order overflows.
            return f64::INFINITY;
        }
        let unit = power_of_two(-float.digits());
        let least = power_of_two(float.least_exponent() - float.digits());
        self.magnitude * unit + least
    }

    /// The same with another error.
    #[must_use]
    pub fn with_error(self, error: f64) -> Self {
        Self { error, ..self }
    }

    /// The bound with the error of rounding to a type added.
    #[must_use]
    pub fn rounded(self, float: Float) -> Self {
        Self {
            error: self.error + self.rounding(float),
            ..self
        }
    }

    /// The bound of a sum with the error of rounding it to a type after each addition.
    #[must_use]
    pub fn rounded_each(self, float: Float) -> Self {
        let own = self.rounding(float);
        Self {
            // Where the largest terms come first, every addition rounds as the last one does here.
            error: (self.error + own).max(own * self.additions / 2.0),
            ..self
        }
    }

    /// Of a sum or a difference.
    pub fn sum(self, other: Self, float: Float) -> Self {
        let sum = Self {
            error: self.error + other.error,
            magnitude: self.magnitude + other.magnitude,
            grain: self.grain.min(other.grain),
            // No partial sum is larger; what the terms were made of is behind them.
            peak: self.magnitude + other.magnitude,
            trough: 1.0,
            additions: self.additions + other.additions + 1.0,
            high: self.grown(other, self.high + other.high, float),
            low: self.low + other.low,
            slip: self.slip.max(other.slip),
        };
        // The nearest number is no further away than the larger term is, in whichever order: so
        // zeros, and what is lost beside the others, take no part in how often a sum is rounded.
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

    /// Of the product of `x` and `y`.
    pub fn product(self, other: Self, x: f64, y: f64, float: Float) -> Self {
        // Not even 0 times anything is 0: it may be infinite.
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
            // Of a combination of several parts, each is made of several products.
            slip: self.slip.max(other.slip)
                + power_of_two(float.least_exponent() - float.digits() + 2),
        };
        // Some order overflows, and a 0 may come to that; or underflows.
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

    /// What `high` is where it grows to this: infinite where a number of the type may not be as large.
    fn grown(self, other: Self, to: f64, float: Float) -> f64 {
        let grows = to > self.high.max(other.high);
        match to.is_nan() || grows && to > float.largest() / 4.0 {
            true => f64::INFINITY,
            false => to,
        }
    }

    /// What `low` is of a product: NaN where that has fewer digits than the type.
    fn shrunk(self, other: Self, float: Float) -> f64 {
        let low = self.low * other.low;
        let shrinks = self.low > 0.0 && other.low > 0.0 && low < self.low.min(other.low);
        match shrinks && low < power_of_two(float.least_exponent() + 2) {
            true => f64::NAN,
            false => low,
        }
    }

    /// Lets the largest and the smallest partial results go on with what makes them larger and
    /// smaller, where a combiner has made `after` of `left` and `right`, which have a bound for
    /// each part. An element makes all parts of one larger, or is left out of all: so the largest
    /// is what some elements have when they are combined before all others, whatever zeros come
    /// then.
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

    /// What a part of a result is spoiled by in what is combined of that once more: there what
    /// overflows, or underflows, in one part reaches all that depend on it.
    pub fn spoil(&mut self, again: &Self) {
        if again.high == f64::INFINITY {
            self.high = f64::INFINITY;
        }
        if again.low.is_nan() {
            self.low = f64::NAN;
        }
    }

    /// Bounds of the parts of a result that was combined in some order, for every other order, in
    /// which partial results are others: where the largest of these overflows, nothing is known,
    /// and where the smallest underflows, they slip.
    pub fn of_every_order(parts: &mut [Self]) {
        // What is lost of some elements is multiplied by all others.
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

    /// Of one of two values that lie `distance` apart, where another order may take the other.
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

    /// Of a value that is one of two.
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

    /// Of `f(x)` where `x` has this bound, `result` is `f(x)` and `slope` is the derivative there.
    /// Functions that are not rounded correctly may be `ulps` units in the last place off.
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

    /// The same of `f(x)` where `x` has an error, as far as `f` goes within it: first order says
    /// little near where it ends.
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

    /// Of a value that was rounded once, made of others in another order: nothing tells that those
    /// need no rounding.
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

    /// Whether `found` is as near to `expected` as this says. NaN is near to NaN alone, and an
    /// infinity to itself.
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

    /// Small whole numbers have the same sum in every order; others have one within the bound.
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
        // Four ones are lost beside 448 where they come last, one by one.
        let large_last = [1.0, 1.0, 1.0, 1.0, 448.0]
            .iter()
            .fold(Bound::exact(0.0), |bound, term| {
                bound.sum(Bound::exact(*term), Float::BF16)
            });
        assert!(large_last.allows(452.0, 448.0), "{large_last:?}");
    }

    /// Nothing can be said of a product of which some order overflows or underflows, even where
    /// another gives 0.
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

    /// Of a difference of products, zeros that come first hide nothing either.
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
        // Powers of i, and of what is i with another sign, are exact, however many there are.
        let turns: Vec<_> = (0..2000).map(|n| [0.0, [1.0, -1.0][n % 2]]).collect();
        assert_eq!(product(&turns), [0.0; 2]);
        // 2^-200 is lost before 2^120 comes, and 2^-80 is not where that comes first.
        let tiny = [2_f64.powi(-100), 0.0];
        let errors = product(&[[2_f64.powi(120), 0.0], tiny, tiny]);
        assert!(
            errors[0] >= 2_f64.powi(-80) && errors[0] < 1e-6,
            "{errors:?}"
        );
        // An extreme is as large as numbers are, and grows no further.
        let [huge, least] = [3e38, 1e-40].map(|x| [Bound::exact(x)]);
        let mut most = [huge[0].wider(least[0])];
        Bound::choose(&huge, &least, &mut most);
        Bound::of_every_order(&mut most);
        assert_eq!(most[0].error, 0.0);
        // Beside a sum that overflows, too.
        let sum = huge[0].sum(huge[0], Float::F32);
        let mut parts = [sum, huge[0].wider(huge[0])];
        Bound::choose(&huge.repeat(2), &huge.repeat(2), &mut parts);
        Bound::of_every_order(&mut parts);
        assert_eq!(parts.map(|part| part.error), [f64::INFINITY, 0.0]);
    }

    /// A row that holds an infinity or NaN has one result.
    #[test]
    fn infinities_are_what_they_are() {
        let bound = Bound::exact(f64::INFINITY).sum(Bound::exact(3.5), Float::F32);
        assert!(bound.allows(f64::INFINITY, f64::INFINITY));
        assert!(!bound.allows(f64::INFINITY, 3.5));
        assert!(!bound.allows(f64::INFINITY, f64::NAN));
    }
}
