//! Congruence classes: integers with a known residue modulo a number.
//!
//! In a grid-stride loop, the index ranges of different threads overlap, but no two threads access
//! the same index. In all iterations of a grid-stride loop, the indices of two threads have
//! different residues modulo the stride. Congruence classes prove that the indices of two threads
//! differ; ranges cannot prove this property.

/// Binary logarithm of the largest modulus of a [`Class`]. If an integer of 64 or more bits wraps
/// around, its value changes by a multiple of 2^64, which is also a multiple of the largest
/// modulus, 2^62.
const LARGEST: u32 = 62;

/// The signed integers that are congruent to `residue` modulo `modulus`. With a modulus of 0, the
/// class contains `residue` only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    modulus: i64,
    residue: i64,
}

impl Class {
    pub(crate) const ANY: Self = Self {
        modulus: 1,
        residue: 0,
    };

    pub(crate) const fn exactly(residue: i64) -> Self {
        Self {
            modulus: 0,
            residue,
        }
    }

    fn new(modulus: i128, residue: i128) -> Self {
        let largest = 1 << LARGEST;
        let modulus = match i64::try_from(residue) {
            Ok(residue) if modulus == 0 => return Self::exactly(residue),
            _ if (1..=largest).contains(&modulus) => modulus,
            _ => gcd(modulus, largest),
        };
        // The modulus and the residue are at most `largest` after the match, so both fit in an
        // `i64`.
        let narrow = |n: i128| i64::try_from(n).unwrap_or(0);
        Self {
            modulus: narrow(modulus),
            residue: narrow(residue.rem_euclid(modulus)),
        }
    }

    fn parts(self) -> (i128, i128) {
        (self.modulus.into(), self.residue.into())
    }

    /// Returns the class of all sums of a member of `self` and a member of `other`, if no sum wraps
    /// around.
    pub(crate) fn plus(self, other: Self) -> Self {
        let ((m, r), (n, s)) = (self.parts(), other.parts());
        Self::new(gcd(m, n), r + s)
    }

    /// Returns the class of all differences of a member of `self` and a member of `other`, if no
    /// difference wraps around.
    pub(crate) fn minus(self, other: Self) -> Self {
        let ((m, r), (n, s)) = (self.parts(), other.parts());
        Self::new(gcd(m, n), r - s)
    }

    /// Returns the class of all products of a member of `self` and a member of `other`, if no
    /// product wraps around.
    pub(crate) fn times(self, other: Self) -> Self {
        let ((m, r), (n, s)) = (self.parts(), other.parts());
        // (r + m a) (s + n b) = r s + r n b + s m a + m n a b.
        Self::new(gcd(gcd(r * n, s * m), m * n), r * s)
    }

    /// Returns the class of all members of `self`, shifted left by a member of `by`, if no shift
    /// overflows.
    pub(crate) fn shifted(self, by: Self) -> Self {
        match u32::try_from(by.residue) {
            Ok(bits) if by.modulus == 0 && bits < LARGEST => self.times(Self::exactly(1 << bits)),
            _ => Self::ANY,
        }
    }

    /// Returns the class of the members of `self` after wraparound to integers of `bits` bits.
    /// Wraparound changes a member by a multiple of 2^`bits`.
    pub(crate) fn wrapped(self, bits: u32) -> Self {
        let (m, r) = self.parts();
        Self::new(gcd(m, 1 << bits.min(LARGEST)), r)
    }

    /// Returns the smallest class that contains all members of `self` and of `other`.
    pub(crate) fn join(self, other: Self) -> Self {
        let ((m, r), (n, s)) = (self.parts(), other.parts());
        Self::new(gcd(gcd(m, n), r - s), r)
    }

    /// Returns the greatest common divisor of the moduli of both classes. If a member of `self` and
    /// a member of `other` have different residues modulo the result, the two members differ.
    pub(crate) fn common(self, other: Self) -> i64 {
        self.divisor(other.modulus)
    }

    /// Returns the greatest common divisor of the modulus of this class and the argument `of`.
    pub(crate) fn divisor(self, of: i64) -> i64 {
        common_divisor(self.modulus, of)
    }

    /// Returns the common residue of all members of the class modulo a divisor of the modulus.
    pub(crate) fn residue(self, divisor: i64) -> i64 {
        self.residue.rem_euclid(divisor.max(1))
    }

    /// Returns whether an interval that begins at a member of `self` may intersect an interval that
    /// begins at a member of `other`. The interval of `self` contains `own` + 1 integers, and the
    /// interval of `other` contains `others` + 1 integers.
    pub(crate) fn meets(self, own: i64, other: Self, others: i64) -> bool {
        let common = i128::from(self.common(other));
        if common <= 1 {
            // If the moduli have no common divisor, only ranges can prove that two members differ.
            return true;
        }
        let [own, others] = [own, others].map(i128::from);
        let away = (other.parts().1 - self.parts().1 + others).rem_euclid(common);
        away <= own + others
    }
}

/// Returns the greatest common divisor of two moduli; 0 is a multiple of every number.
pub(crate) fn common_divisor(one: i64, other: i64) -> i64 {
    match (one, other) {
        // Fast path: most moduli are equal, and the function runs once per thread.
        (one, other) if one == other || one == 0 => other,
        (one, 0) => one,
        (one, other) => i64::try_from(gcd(one.into(), other.into())).unwrap_or(1),
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::Class;

    fn class(modulus: i64, residue: i64) -> Class {
        Class::new(modulus.into(), residue.into())
    }

    fn members(class: Class) -> impl Iterator<Item = i64> {
        (-6..=6).map(move |n| class.residue + n * class.modulus)
    }

    fn holds(class: Class, n: i64) -> bool {
        match class.modulus {
            0 => n == class.residue,
            modulus => (n - class.residue).rem_euclid(modulus) == 0,
        }
    }

    #[test]
    fn arithmetic_holds_all_results() {
        let all = [
            (0, 0),
            (0, -5),
            (0, 7),
            (1, 0),
            (4, 3),
            (6, 1),
            (64, 17),
            (96, 31),
        ];
        for (l, r) in all.iter().flat_map(|l| all.iter().map(move |r| (l, r))) {
            let (l, r) = (class(l.0, l.1), class(r.0, r.1));
            for (a, b) in members(l).flat_map(|a| members(r).map(move |b| (a, b))) {
                assert!(holds(l.plus(r), a + b), "{l:?} + {r:?}");
                assert!(holds(l.minus(r), a - b), "{l:?} - {r:?}");
                assert!(holds(l.times(r), a * b), "{l:?} * {r:?}");
                assert!(holds(l.join(r), a) && holds(l.join(r), b), "{l:?} | {r:?}");
                for (own, others) in [(0, 0), (3, 0), (0, 2), (5, 3)] {
                    let (first, last) = (a.max(b), (a + own).min(b + others));
                    assert!(first > last || l.meets(own, r, others), "{l:?} and {r:?}");
                }
            }
        }
    }

    /// In a grid-stride loop whose stride is the block size, no two threads of a block access the
    /// same index. If the stride is smaller than the block size, or if each thread accesses two
    /// elements, two threads may access the same index.
    #[test]
    fn threads_keep_to_their_class() {
        let meet = |modulus, more| {
            (0..64).any(|t| {
                let (a, b) = (class(modulus, t), class(modulus, t + 1));
                (t < 63 && a.meets(more, b, 0))
                    || class(modulus, 0).meets(more, class(modulus, 63), more)
            })
        };
        assert!(!meet(64, 0) && !meet(128, 0));
        assert!(meet(63, 0) && meet(64, 1));
    }

    /// Wraparound of an integer of n bits changes the integer by a multiple of 2^n. The modulus of
    /// a class after wraparound must therefore be a power of two. If a sum or a product overflows
    /// 64 bits, the modulus of its class must be at most 2^62.
    #[test]
    fn wrapping_keeps_powers_of_two() {
        assert_eq!(class(96, 40).wrapped(32), class(32, 8));
        assert_eq!(class(64, 40).wrapped(64), class(64, 40));
        assert_eq!(Class::exactly(-1).wrapped(8), class(256, 255));
        let most = Class::exactly(i64::MAX);
        for n in [
            most.times(most),
            most.plus(most),
            Class::exactly(i64::MIN).minus(most),
        ] {
            assert!(n.modulus > 0 && n.modulus <= 1 << 62);
        }
        assert_eq!(most.plus(most), class(1 << 62, -2));
        assert_eq!(
            Class::ANY.times(Class::exactly(i64::MIN)),
            class(1 << 62, 0)
        );
    }
}
