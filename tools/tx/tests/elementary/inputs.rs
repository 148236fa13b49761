//! Arguments of elementary functions. The arguments include numbers of every binade, every special
//! number, and many numbers near the special places of a function.

use crate::element::Element;
use crate::functions::Function;

/// Number of arguments that a kernel reads as vectors. [`SCALARS`] is the number of arguments that
/// a kernel reads as scalars.
pub(crate) const VECTORS: usize = 112 * 1024;
pub(crate) const SCALARS: usize = 8 * 1024;

/// SplitMix64 (Steele, Lea and Flood).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn uniform(&mut self, [low, high]: [f64; 2]) -> f64 {
        low + (self.next() >> 11) as f64 / (1u64 << 53) as f64 * (high - low)
    }
}

/// Returns the bits of special numbers, with both signs.
fn special(element: Element) -> Vec<u64> {
    let sign = 1 << (element.bits() - 1);
    let infinity = element.nearest(f64::INFINITY);
    let one = element.nearest(1.0);
    let smallest_normal = 1 << (element.precision() - 1);
    let mut found = vec![
        0,
        1,
        2,
        infinity,
        infinity - 1,
        infinity | 1 << (element.precision() - 2),
        infinity + 1,
    ];
    found.extend([smallest_normal - 1, smallest_normal, smallest_normal + 1]);
    found.extend([one - 2, one - 1, one, one + 1, one + 2]);
    let whole = (1u64 << element.precision()) as f64;
    let numbers = [0.5, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, 10.0, 100.0, 1000.0];
    found.extend(numbers.map(|n| element.nearest(n)));
    found.extend([whole, whole - 1.0, whole / 2.0 - 0.5, 2.0 * whole].map(|n| element.nearest(n)));
    let negative: Vec<u64> = found.iter().map(|bits| bits | sign).collect();
    found.extend(negative);
    found
}

/// Returns the arguments of a unary function; all numbers of a 16-bit type.
pub(crate) fn of_one(function: &Function, element: Element) -> Vec<u64> {
    let random = &mut Random(0);
    let special = special(element);
    let mut found = special.clone();
    if element.bits() == 16 {
        found.extend(0..=0xffff);
    } else {
        found.extend(binades(element, random));
        found.extend(near(function, element, random));
        while found.len() < VECTORS {
            found.push(inside(function, element, random));
        }
    }
    found.truncate(VECTORS);
    // The arguments fill the vectors, and every special number also occurs as a scalar.
    let mut fill = |found: &mut Vec<u64>, length| {
        while found.len() < length {
            found.push(inside(function, element, random));
        }
    };
    fill(&mut found, VECTORS);
    found.extend(special);
    fill(&mut found, VECTORS + SCALARS);
    found
}

/// Returns argument pairs: all pairs of special numbers, random bits, and pairs with x^y in range.
pub(crate) fn of_two(function: &Function, element: Element) -> [Vec<u64>; 2] {
    let random = &mut Random(0);
    let special = special(element);
    let mut pairs: Vec<(u64, u64)> = special
        .iter()
        .flat_map(|x| special.iter().map(move |y| (*x, *y)))
        .collect();
    // log2 of the smallest and the largest number.
    let limits = [
        element.tiniest().log2() - 1.0,
        element.largest().log2() + 1.0,
    ];
    while pairs.len() < VECTORS + SCALARS {
        let (x, y) = (element.wrap(random.next()), element.wrap(random.next()));
        let magnitude = element.number(x).abs();
        let power = random.uniform(limits);
        pairs.push(match pairs.len() % 4 {
            0 => (x, y),
            1 => (
                element.nearest(magnitude),
                element.nearest(power / magnitude.log2()),
            ),
            2 => {
                let x = inside(function, element, random);
                (x, element.nearest(power / element.number(x).log2()))
            }
            _ => (x, element.nearest((random.next() % 81) as f64 / 2.0 - 20.0)),
        });
    }
    // Move some pairs of each kind to the end, where they are read as scalars.
    pairs.rotate_left(special.len() * special.len() / 2);
    pairs.into_iter().unzip::<_, _, Vec<_>, Vec<_>>().into()
}

/// Returns numbers of each binade with both signs. The numbers include the first, the last and
/// random numbers of the binade.
fn binades(element: Element, random: &mut Random) -> Vec<u64> {
    let mantissa = element.precision() - 1;
    let exponents = 1u64 << (element.bits() as i32 - mantissa);
    let each = (32 * 1024 / exponents).max(4);
    (0..exponents)
        .flat_map(|exponent| {
            let mut bits = vec![0, (1 << mantissa) - 1];
            bits.resize_with(each as usize, || random.next() & ((1 << mantissa) - 1));
            bits.into_iter()
                .map(move |bits| exponent << mantissa | bits)
        })
        .collect()
}

/// Returns numbers at the special places of a function, and numbers at every distance from these
/// places.
fn near(function: &Function, element: Element, random: &mut Random) -> Vec<u64> {
    let mut found = Vec::new();
    for place in function.places {
        let bits = element.nearest(*place);
        for step in 0..64 {
            found.extend(
                [bits.wrapping_add(step), bits.wrapping_sub(step)].map(|b| element.wrap(b)),
            );
        }
        for distance in 1..60 {
            for _ in 0..8 {
                let scale = f64::powi(0.5, distance);
                let offset = random.uniform([-scale, scale]);
                found.push(element.nearest(place + offset));
            }
        }
    }
    found
}

/// Returns a number in the function's interval.
fn inside(function: &Function, element: Element, random: &mut Random) -> u64 {
    let wide = usize::from(element == Element::F64);
    element.nearest(random.uniform(function.interval[wide]))
}
