//! Rows of elements: ordinary rows, and rows with edge cases of reductions.

use crate::element::{Element, power};

/// SplitMix64 (Steele, Lea and Flood).
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator seeded by a test name, independent of the order of tests.
    pub(crate) fn new(name: &str) -> Self {
        Self(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn sign(&mut self) -> f64 {
        if self.chance(2) { -1.0 } else { 1.0 }
    }

    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (self.next() >> 11) as f64 * power(-53) * (high - low)
    }
}

/// Kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Ordinary,
    /// Integers whose sum is exact in any order.
    SmallWhole,
    /// Powers of two, whose product is exact in any order.
    Powers,
    /// Elements equal to the identity of a maximum.
    AllLowest,
    AllHighest,
    /// Only -0.0: a sum or maximum that starts from +0.0 loses the sign.
    AllNegativeZero,
    ZerosAndBelow,
    ZerosAndAbove,
    OneNan,
    /// Several NaNs, including the first element.
    SomeNan,
    AllNan,
    Infinities,
    /// Few distinct values, so that the extreme value occurs often.
    Ties,
    /// Subnormal numbers, which hardware with flush-to-zero loses.
    Subnormal,
    /// Large numbers, which overflow an accumulator that is too narrow.
    Huge,
}

use Sort::{
    AllHighest, AllLowest, AllNan, AllNegativeZero, Huge, Infinities, OneNan, Ordinary, Powers,
    SmallWhole, SomeNan, Subnormal, Ties, ZerosAndAbove, ZerosAndBelow,
};

/// All kinds of rows. A tile with few rows contains only kinds that are adjacent in this list, so
/// adjacent kinds differ as much as possible.
pub(crate) const SORTS: [Sort; 15] = [
    Ordinary,
    AllLowest,
    SomeNan,
    SmallWhole,
    AllNegativeZero,
    Ties,
    Subnormal,
    OneNan,
    ZerosAndBelow,
    Huge,
    AllNan,
    Powers,
    AllHighest,
    Infinities,
    ZerosAndAbove,
];

/// Returns a row of `length` elements for accumulator type `acc`.
pub(crate) fn row(
    sort: Sort,
    element: Element,
    acc: Element,
    length: usize,
    random: &mut Random,
) -> Vec<u64> {
    if element.is_float() {
        floats(sort, element, acc, length, random)
    } else if element == Element::I1 && matches!(sort, OneNan | SomeNan) {
        // One element of the row differs from all other elements.
        let (at, one) = (random.below(length), u64::from(sort == OneNan));
        (0..length)
            .map(|i| if i == at { one } else { 1 - one })
            .collect()
    } else {
        (0..length)
            .map(|_| element.wrap(integer(sort, element, random)))
            .collect()
    }
}

fn integer(sort: Sort, element: Element, random: &mut Random) -> u64 {
    let most = i64::MAX >> (64 - element.bits());
    let value = match sort {
        Ordinary | Subnormal | Huge => return random.next(),
        SmallWhole => random.below(7) as i64 - 3,
        // Odd numbers, whose product is never zero.
        Powers | SomeNan => return random.next() | 1,
        AllLowest => !most,
        AllHighest => most,
        AllNegativeZero => 0,
        ZerosAndBelow => -(random.below(3) as i64),
        ZerosAndAbove => random.below(3) as i64,
        // The signed and unsigned extremes are adjacent here.
        OneNan | Infinities => [most, !most, 0, -1][random.below(4)],
        AllNan => -1,
        Ties => [most - 1, 1, !most + 1][random.below(3)],
    };
    value as u64
}

fn floats(
    sort: Sort,
    element: Element,
    acc: Element,
    length: usize,
    random: &mut Random,
) -> Vec<u64> {
    // The magnitudes are near 1, so that a product of a thousand elements stays in range in any
    // order. For 16-bit accumulators, the magnitudes are even closer to 1.
    let (least, most) = if acc.bits() == 16 {
        (0.95, 1.06)
    } else {
        (0.85, 1.18)
    };
    let ordinary =
        |random: &mut Random| element.nearest(random.sign() * random.uniform(least, most));
    // f8E4M3FN has no infinity.
    let infinity = |sign: f64| {
        let bits = element.nearest(sign * f64::INFINITY);
        if element.is_nan(bits) {
            element.nearest(sign * element.largest())
        } else {
            bits
        }
    };
    let mut each = |f: &mut dyn FnMut(&mut Random) -> u64| -> Vec<u64> {
        (0..length).map(|_| f(random)).collect()
    };
    match sort {
        Ordinary => each(&mut |random| ordinary(random)),
        SmallWhole => {
            // The sum of the magnitudes is exact in the accumulator. The row contains no zeros,
            // because a product with an overflow and a zero is NaN only in some orders.
            let mut left = power(acc.precision().min(40) - 1) - 2.0;
            let mut after = length as f64;
            each(&mut |random| {
                after -= 1.0;
                let most = (left - after).clamp(1.0, 8.0);
                let magnitude = (1 + random.below(8)) as f64;
                left -= magnitude.min(most);
                element.nearest(random.sign() * magnitude.min(most))
            })
        }
        Powers => {
            let (mut ups, mut downs) = (9, 9);
            each(&mut |random| {
                let value = match random.below(4) {
                    0 if ups > 0 => {
                        ups -= 1;
                        2.0
                    }
                    1 if downs > 0 => {
                        downs -= 1;
                        0.5
                    }
                    _ => 1.0,
                };
                element.nearest(random.sign() * value)
            })
        }
        AllLowest => each(&mut |_| infinity(-1.0)),
        AllHighest => each(&mut |_| infinity(1.0)),
        AllNegativeZero => each(&mut |_| element.nearest(-0.0)),
        ZerosAndBelow | ZerosAndAbove => {
            let side = if sort == ZerosAndBelow { -1.0 } else { 1.0 };
            // The row contains few twos, because their product may overflow.
            let mut twos = 9;
            each(&mut |random| match random.below(4) {
                0 | 1 => element.nearest(random.sign() * 0.0),
                2 if twos > 0 => {
                    twos -= 1;
                    element.nearest(side * 2.0)
                }
                _ => element.nearest(side),
            })
        }
        AllNan => each(&mut |random| nan(element, random)),
        OneNan => {
            let at = random.below(length);
            (0..length)
                .map(|i| {
                    if i == at {
                        nan(element, random)
                    } else {
                        ordinary(random)
                    }
                })
                .collect()
        }
        SomeNan => {
            let first = random.chance(2);
            (0..length)
                .map(|i| {
                    if i == 0 && first || random.chance(8) {
                        nan(element, random)
                    } else {
                        ordinary(random)
                    }
                })
                .collect()
        }
        Infinities => {
            // In most rows, all infinities have the same sign, because a sum of infinities of both
            // signs is NaN.
            let (sign, at) = (random.sign(), random.below(length));
            let both = random.chance(3);
            // Rows of f8E4M3FN contain the largest finite number instead of infinity, and the sum
            // of several such numbers would overflow.
            let others = if element == Element::F8E4M3FN {
                length
            } else {
                16
            };
            (0..length)
                .map(|i| {
                    if i == at {
                        infinity(sign)
                    } else if random.chance(others) {
                        infinity(if both { random.sign() } else { sign })
                    } else {
                        ordinary(random)
                    }
                })
                .collect()
        }
        Ties => each(&mut |random| element.nearest([-2.0, 1.0, 2.0][random.below(3)])),
        Subnormal => each(&mut |random| {
            let steps = 1 + random.below(1 << element.precision().min(4)) as u64 / 2;
            element.nearest(random.sign() * element.number(steps))
        }),
        Huge => {
            let range = |element: Element| element.format().map_or(0, |format| format.bias());
            let value = if range(acc) > range(element) {
                element.largest()
            } else {
                // The value is a power of two, so no combination order rounds. The power is so
                // small that the sum with the old value does not overflow.
                power(range(element) - 1 - (length + 1).ilog2() as i32)
            };
            each(&mut |random| element.nearest(random.sign() * value))
        }
    }
}

/// Returns a NaN of random sign and, if supported, random payload.
fn nan(element: Element, random: &mut Random) -> u64 {
    let quiet = element.nearest(f64::NAN);
    let payload = element.format().map_or(0, |format| {
        if format.infinities {
            random.next() & ((1 << (format.mantissa - 1)) - 1)
        } else {
            0
        }
    });
    let sign = (random.next() & 1) << (element.bits() - 1);
    quiet | payload | sign
}

/// Returns an old value of a destination. For floats, `number` selects the value from a list.
pub(crate) fn old(element: Element, number: usize, random: &mut Random) -> u64 {
    if !element.is_float() {
        return element.wrap(random.next());
    }
    const VALUES: [f64; 9] = [
        1.0,
        f64::NAN,
        -2.0,
        -0.0,
        f64::INFINITY,
        3.0,
        0.0,
        f64::NEG_INFINITY,
        -1.0,
    ];
    element.nearest(VALUES[number % VALUES.len()])
}
