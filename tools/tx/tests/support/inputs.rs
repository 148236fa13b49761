//! Rows of elements: ordinary ones, and each sort that a reduction tends to get wrong.

use crate::element::{Element, power};

/// Steele, Lea and Flood's SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    /// Seeded by a name, so that a test has the same inputs wherever it stands in the list.
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

/// What the elements of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Ordinary,
    /// Whose sum no order rounds.
    SmallWhole,
    /// Whose product no order rounds.
    Powers,
    /// The row whose maximum is the identity.
    AllLowest,
    AllHighest,
    /// Whose sum and maximum have a sign that a start from +0 loses.
    AllNegativeZero,
    ZerosAndBelow,
    ZerosAndAbove,
    OneNan,
    /// The first element too, so that the first NaN is the first element.
    SomeNan,
    AllNan,
    Infinities,
    /// Few different values, so that the extreme one occurs often.
    Ties,
    /// Which hardware that flushes to zero loses.
    Subnormal,
    /// Which overflow where partial results are no wider than they should be.
    Huge,
}

use Sort::{
    AllHighest, AllLowest, AllNan, AllNegativeZero, Huge, Infinities, OneNan, Ordinary, Powers,
    SmallWhole, SomeNan, Subnormal, Ties, ZerosAndAbove, ZerosAndBelow,
};

/// Every sort; neighbours differ much, as a tile of few rows has neighbours only.
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

/// A row of `length` elements that are reduced with partial results of type `acc`.
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
        // One bit that decides, and all others are alike.
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
        // The unsigned and the signed extreme are neighbours here.
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
    // Near 1: a product of a thousand stays in range, whatever the order. 16 bits have less of it.
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
            // Magnitudes that add up to what the accumulator counts to without a gap. No zeros: a
            // product of many may overflow, which a zero would turn into NaN in some orders only.
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
            // Few, for the same reason.
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
            // One sign more often than not: both together are NaN.
            let (sign, at) = (random.sign(), random.below(length));
            let both = random.chance(3);
            // What stands for infinity in f8E4M3FN would overflow together with many of its sort.
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
                // A power of two, so that no order rounds; the old value leaves room for itself.
                power(range(element) - 1 - (length + 1).ilog2() as i32)
            };
            each(&mut |random| element.nearest(random.sign() * value))
        }
    }
}

/// NaN of any sign and, where there are several, any payload.
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

/// Values that a destination may hold before a reduction that accumulates, the first ones being
/// those that are good for every row.
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
