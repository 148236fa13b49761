//! Custom combiners.
//!
//! For the inputs of the tests, each combiner is exact and independent of the combination order, so
//! the tests compare results bit by bit.

use crate::element::Element::{self, F32, I32, I64};
use crate::inputs::{Random, SORTS, Sort, row};

/// Combines a left and a right partial result of these types.
pub(crate) type Fold = fn(&[u64], &[u64], &[Element]) -> Vec<u64>;

/// Combiner as MLIR text, and as a Rust function.
#[derive(Clone, Copy)]
pub(crate) struct Custom {
    pub(crate) name: &'static str,
    /// Element types of sources and destinations.
    pub(crate) elements: &'static [Element],
    /// Combiner region; `ACC` stands for the accumulator type of the first source.
    pub(crate) text: &'static str,
    /// Combiner as a Rust function on the bits of the elements.
    pub(crate) fold: Fold,
    pub(crate) identity: fn(&[Element]) -> Vec<u64>,
    /// Kinds of rows that the first source may contain.
    pub(crate) sorts: &'static [Sort],
    /// Minimum row length for which the result is unique. For a single element, the result may
    /// depend on whether the compiler combines the element with the identity.
    pub(crate) shortest: usize,
}

/// Rows of all sources. Sources after the first contain integers.
pub(crate) fn rows(
    custom: &Custom,
    number: usize,
    length: usize,
    random: &mut Random,
) -> Vec<Vec<u64>> {
    custom
        .elements
        .iter()
        .enumerate()
        .map(|(source, element)| {
            let sort = if source == 0 {
                custom.sorts[number % custom.sorts.len()]
            } else {
                Sort::Ordinary
            };
            row(sort, *element, element.accumulator(), length, random)
        })
        .collect()
}

fn f32s(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

const EXACT_PRODUCTS: &[Sort] = &[
    Sort::Powers,
    Sort::AllLowest,
    Sort::AllNegativeZero,
    Sort::AllNan,
    Sort::ZerosAndBelow,
];

const WITHOUT_NAN: &[Sort] = &[
    Sort::Ties,
    Sort::AllLowest,
    Sort::SmallWhole,
    Sort::ZerosAndBelow,
    Sort::AllHighest,
    Sort::Ordinary,
];

/// Product of f32.
pub(crate) const PRODUCT: Custom = Custom {
    name: "product",
    elements: &[F32],
    text: "identity [1.0 : f32] combiner {\n\
           ^bb0(%l: f32, %r: f32):\n\
           \x20 %p = arith.mulf %l, %r : f32\n\
           \x20 tile.yield %p : f32\n\
           }",
    fold: |l, r, _| vec![u64::from((f32s(l[0]) * f32s(r[0])).to_bits())],
    identity: |_| vec![u64::from(1.0f32.to_bits())],
    sorts: EXACT_PRODUCTS,
    shortest: 0,
};

const fn largest_magnitude(name: &'static str, elements: &'static [Element]) -> Custom {
    Custom {
        name,
        elements,
        text: "identity [0.0 : ACC] combiner {\n\
               ^bb0(%l: ACC, %r: ACC):\n\
               \x20 %a = math.absf %l : ACC\n\
               \x20 %b = math.absf %r : ACC\n\
               \x20 %m = arith.maximumf %a, %b : ACC\n\
               \x20 tile.yield %m : ACC\n\
               }",
        fold: |l, r, acc| {
            let (a, b) = (acc[0].number(l[0]).abs(), acc[0].number(r[0]).abs());
            let most = if a.is_nan() || b.is_nan() {
                f64::NAN
            } else {
                a.max(b)
            };
            vec![acc[0].nearest(most)]
        },
        identity: |acc| vec![acc[0].nearest(0.0)],
        sorts: &SORTS,
        shortest: 2,
    }
}

/// Maximum, and the sum of the weights of all elements that are equal to the maximum. The two
/// sources have different element types.
pub(crate) const LARGEST_AND_WEIGHT: Custom = Custom {
    name: "largest_and_weight",
    elements: &[F32, I32],
    text: "identity [0xFF800000 : f32, 0 : i32] combiner {\n\
           ^bb0(%lm: f32, %lw: i32, %rm: f32, %rw: i32):\n\
           \x20 %none = arith.constant 0 : i32\n\
           \x20 %m = arith.maximumf %lm, %rm : f32\n\
           \x20 %is_l = arith.cmpf oeq, %lm, %m : f32\n\
           \x20 %is_r = arith.cmpf oeq, %rm, %m : f32\n\
           \x20 %wl = arith.select %is_l, %lw, %none : i32\n\
           \x20 %wr = arith.select %is_r, %rw, %none : i32\n\
           \x20 %w = arith.addi %wl, %wr : i32\n\
           \x20 tile.yield %m, %w : f32, i32\n\
           }",
    fold: |l, r, _| {
        let (a, b) = (f32s(l[0]), f32s(r[0]));
        let most = if a.total_cmp(&b).is_gt() { a } else { b };
        let weight = |value: f32, weight: u64| if value == most { weight } else { 0 };
        let total = weight(a, l[1]).wrapping_add(weight(b, r[1]));
        vec![u64::from(most.to_bits()), I32.wrap(total)]
    },
    identity: |_| vec![u64::from(f32::NEG_INFINITY.to_bits()), 0],
    sorts: WITHOUT_NAN,
    shortest: 0,
};

/// Complex product of integers, which is exact in any order.
pub(crate) const COMPLEX_PRODUCT: Custom = Custom {
    name: "complex_product",
    elements: &[I32, I32],
    text: "identity [1 : i32, 0 : i32] combiner {\n\
           ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):\n\
           \x20 %ac = arith.muli %a, %c : i32\n\
           \x20 %bd = arith.muli %b, %d : i32\n\
           \x20 %ad = arith.muli %a, %d : i32\n\
           \x20 %bc = arith.muli %b, %c : i32\n\
           \x20 %re = arith.subi %ac, %bd : i32\n\
           \x20 %im = arith.addi %ad, %bc : i32\n\
           \x20 tile.yield %re, %im : i32, i32\n\
           }",
    fold: |l, r, _| {
        let re = l[0]
            .wrapping_mul(r[0])
            .wrapping_sub(l[1].wrapping_mul(r[1]));
        let im = l[0]
            .wrapping_mul(r[1])
            .wrapping_add(l[1].wrapping_mul(r[0]));
        vec![I32.wrap(re), I32.wrap(im)]
    },
    identity: |_| vec![1, 0],
    sorts: &SORTS,
    shortest: 0,
};

/// Count and sum, with different widths.
pub(crate) const COUNT_AND_SUM: Custom = Custom {
    name: "count_and_sum",
    elements: &[I32, I64],
    text: "identity [0 : i32, 0 : i64] combiner {\n\
           ^bb0(%ln: i32, %ls: i64, %rn: i32, %rs: i64):\n\
           \x20 %n = arith.addi %ln, %rn : i32\n\
           \x20 %s = arith.addi %ls, %rs : i64\n\
           \x20 tile.yield %n, %s : i32, i64\n\
           }",
    fold: |l, r, _| vec![I32.wrap(l[0].wrapping_add(r[0])), l[1].wrapping_add(r[1])],
    identity: |_| vec![0, 0],
    sorts: &SORTS,
    shortest: 0,
};

pub(crate) const ALL: [Custom; 8] = [
    PRODUCT,
    largest_magnitude("largest_magnitude_f32", &[F32]),
    largest_magnitude("largest_magnitude_f16", &[Element::F16]),
    largest_magnitude("largest_magnitude_bf16", &[Element::BF16]),
    largest_magnitude("largest_magnitude_f64", &[Element::F64]),
    LARGEST_AND_WEIGHT,
    COMPLEX_PRODUCT,
    COUNT_AND_SUM,
];
