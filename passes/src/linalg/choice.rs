//! Recognition of `max`, `min`, `argmax` and `argmin` in combiners that only select one of their
//! operands.

use super::program::Program;
use super::scalar::{Scalar, Sort, samples};
use std::collections::BTreeSet;
use tx_dialect_tile::{Kind, Nan};

/// Ops that compare their operands or select one operand. The result of a combiner that consists of
/// comparisons and selections depends only on the relative order of the input values. A few sample
/// inputs suffice to determine the reduction kind of a combiner that consists of comparisons and
/// selections.
const CHOOSING: [&str; 14] = [
    "arith.cmpf",
    "arith.cmpi",
    "arith.select",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.maximumf",
    "arith.maxnumf",
    "arith.maxsi",
    "arith.minimumf",
    "arith.minnumf",
    "arith.minsi",
    "scf.if",
    "scf.yield",
];

/// Returns whether a combiner consists only of comparisons and selections.
pub(crate) fn only_chooses(program: &Program) -> bool {
    !program.has_constants() && program.ops.iter().all(|n| CHOOSING.contains(&n.as_str()))
}

fn chosen(program: &Program, l: Scalar, r: Scalar) -> Option<Scalar> {
    program.run(&[l, r])?.first().copied()
}

type Best = fn(i64, i64) -> i64;

/// Returns the reduction kind of a combiner that selects one of two integers.
pub(crate) fn integer_choice(program: &Program, sort: Sort) -> Option<Kind> {
    let samples = samples(sort);
    let is = |best: Best| {
        samples.iter().all(|l| {
            samples.iter().all(|r| match (l, r) {
                (Scalar::Int(a), Scalar::Int(b)) => {
                    chosen(program, *l, *r) == Some(Scalar::Int(best(*a, *b)))
                }
                _ => false,
            })
        })
    };
    // Sign extension preserves both the signed and the unsigned order.
    let kinds: [(Kind, Best); 4] = [
        (Kind::Max, std::cmp::max),
        (Kind::Min, std::cmp::min),
        (Kind::UMax, |a, b| {
            a.cast_unsigned().max(b.cast_unsigned()).cast_signed()
        }),
        (Kind::UMin, |a, b| {
            a.cast_unsigned().min(b.cast_unsigned()).cast_signed()
        }),
    ];
    kinds
        .into_iter()
        .find(|(_, best)| is(*best))
        .map(|(kind, _)| kind)
}

/// Returns the reduction kind and NaN policy of a combiner that selects one of two floats.
pub(crate) fn float_choice(program: &Program, sort: Sort) -> Option<(Kind, Nan)> {
    let samples = samples(sort);
    let is = |best: fn(f64, f64) -> f64| {
        samples.iter().all(|l| {
            samples.iter().all(|r| match (l, r) {
                (Scalar::Float(a), Scalar::Float(b)) => {
                    chosen(program, *l, *r) == Some(Scalar::Float(best(*a, *b)))
                }
                _ => false,
            })
        })
    };
    let kind = if is(f64::max) {
        Kind::Max
    } else if is(f64::min) {
        Kind::Min
    } else {
        return None;
    };
    let (one, nan) = (Scalar::Float(1.0), Scalar::Float(f64::NAN));
    let is_nan = |l, r| Some(chosen(program, l, r)?.float()?.is_nan());
    match (is_nan(one, nan)?, is_nan(nan, one)?) {
        // The old value is never NaN: the initial value is the identity, and NaN never wins.
        (false, _) => Some((kind, Nan::Ignore)),
        (true, true) => Some((kind, Nan::Propagate)),
        // In this combiner, a NaN replaces the old value, and a later element replaces the NaN, so
        // the order of elements matters.
        (true, false) => None,
    }
}

/// Result of a reduction of (value, index) pairs for a row with NaN, if the reduction combines the
/// elements in ascending index order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NanRule {
    /// With [`Nan::Propagate`], the result for a row with NaN is the first NaN and its index. With
    /// [`Nan::Ignore`], the result is the largest or smallest element that is not NaN, and its
    /// index.
    Like(Nan),
    Last,
    /// For a row with NaN, the result is the value NaN, with the index of the largest or smallest
    /// element before the first NaN.
    ValueOnly,
    /// For a row with NaN, the result is the largest or smallest element after the last NaN, with
    /// its index. If no element follows the last NaN, the result is the last NaN.
    AfterLast,
    Other,
}

/// Properties of a combiner that selects one of two (value, index) pairs: the reduction kind, the
/// rule for NaN, and the rule for equal values.
pub(crate) struct PairChoice {
    pub(crate) kind: Kind,
    pub(crate) nan: NanRule,
    /// True if the combiner selects the right-hand pair when the values of both pairs are equal.
    pub(crate) ties_keep_later: bool,
}

/// Returns whether a combiner of two (value, index) pairs selects the right-hand pair. Returns
/// `None` if the result of the combiner contains components of both pairs.
fn takes_right(
    program: &Program,
    value: usize,
    l: (Scalar, i64),
    r: (Scalar, i64),
) -> Option<bool> {
    let pair = |(v, i): (Scalar, i64)| {
        let mut pair = [v, Scalar::Int(i)];
        if value == 1 {
            pair.reverse();
        }
        pair
    };
    let (left, right) = (pair(l), pair(r));
    let result = program.run(&[left, right].concat())?;
    let same = |wanted: &[Scalar; 2]| {
        result.iter().zip(wanted).all(|(a, b)| match (a, b) {
            (Scalar::Float(a), Scalar::Float(b)) => a == b || a.is_nan() && b.is_nan(),
            (a, b) => a == b,
        })
    };
    match (same(&left), same(&right)) {
        (false, true) => Some(true),
        (true, false) => Some(false),
        _ => None,
    }
}

/// Analyses a combiner that selects one of two (value, index) pairs by a comparison of component
/// `value`. Returns the reduction kind, the rule for NaN, and the rule for equal values.
pub(crate) fn pair_choice(program: &Program, value: usize) -> Option<PairChoice> {
    let sort = program.input_sorts()[value];
    let samples = samples(sort);
    // Each set collects, for one order of the two pairs, whether the combiner selected the right
    // pair.
    let mut greater = BTreeSet::new();
    let mut less = BTreeSet::new();
    let mut later = BTreeSet::new();
    let mut earlier = BTreeSet::new();
    for l in &samples {
        for r in &samples {
            let ordering = match (l, r) {
                (Scalar::Int(a), Scalar::Int(b)) => a.cmp(b),
                (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(b)?,
                _ => return None,
            };
            for (i, j) in [(3, 8), (8, 3)] {
                let taken = takes_right(program, value, (*l, i), (*r, j))?;
                match ordering {
                    std::cmp::Ordering::Less => greater.insert(taken),
                    std::cmp::Ordering::Greater => less.insert(taken),
                    std::cmp::Ordering::Equal if i < j => later.insert(taken),
                    std::cmp::Ordering::Equal => earlier.insert(taken),
                };
            }
        }
    }
    let one = |set: &BTreeSet<bool>| match set.iter().collect::<Vec<_>>()[..] {
        [only] => Some(*only),
        _ => None,
    };
    let kind = match (one(&greater)?, one(&less)?) {
        (true, false) => Kind::ArgMax,
        (false, true) => Kind::ArgMin,
        _ => return None,
    };
    // A combiner may select the highest index among equal values, but `argmax` and `argmin` do not.
    let ties_keep_later = match (one(&later)?, one(&earlier)?) {
        (false, _) => false,
        (true, true) => true,
        (true, false) => return None,
    };
    let nan = match sort {
        Sort::Int(_) => NanRule::Like(Nan::Propagate),
        _ => nan_rule(program, value)?,
    };
    Some(PairChoice {
        kind,
        nan,
        ties_keep_later,
    })
}

/// Returns the rule by which a combiner of pairs selects an element from a row with NaN.
fn nan_rule(program: &Program, value: usize) -> Option<NanRule> {
    const FIRST: i64 = 3;
    const SECOND: i64 = 8;
    let (number, nan) = (Scalar::Float(1.0), Scalar::Float(f64::NAN));
    // Returns whether the selected element is NaN, and the index of the element.
    let kept = |l: Scalar, r: Scalar| {
        let mut inputs = [l, Scalar::Int(FIRST), r, Scalar::Int(SECOND)];
        if value == 1 {
            inputs.swap(0, 1);
            inputs.swap(2, 3);
        }
        let result = program.run(&inputs)?;
        Some((result[value].is_nan(), result[1 - value].int()?))
    };
    let (meets, stays, both) = (kept(number, nan)?, kept(nan, number)?, kept(nan, nan)?);
    // Elements that are not NaN do not replace the first NaN.
    let holds = stays == (true, FIRST);
    Some(match (meets, both) {
        ((true, SECOND), (true, FIRST)) if holds => NanRule::Like(Nan::Propagate),
        ((true, SECOND), (true, SECOND)) if holds => NanRule::Last,
        ((true, FIRST), (true, FIRST)) if holds => NanRule::ValueOnly,
        ((true, SECOND), (true, SECOND)) if stays == (false, SECOND) => NanRule::AfterLast,
        // The initial value is not NaN.
        ((false, FIRST), _) => NanRule::Like(Nan::Ignore),
        _ => NanRule::Other,
    })
}
