//! Programs that choose between what they are given, told by what they choose.

use super::program::Program;
use super::scalar::{Scalar, Sort, samples};
use std::collections::BTreeSet;
use tx_dialect_tile::{Kind, Nan};

/// Ops that choose between what they are given and make nothing new: what they compute depends on
/// the order of numbers alone, so that few samples tell all of it.
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

/// Whether a program does nothing but choose.
pub(crate) fn only_chooses(program: &Program) -> bool {
    !program.has_constants() && program.ops.iter().all(|n| CHOOSING.contains(&n.as_str()))
}

/// Runs a choice of one value.
fn chosen(program: &Program, l: Scalar, r: Scalar) -> Option<Scalar> {
    program.run(&[l, r])?.first().copied()
}

/// The better of two integers.
type Best = fn(i64, i64) -> i64;

/// The kind that a choice of one integer is.
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
    // Sign-extended numbers are ordered as narrow ones are, signed or not.
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

/// The kind that a choice of one float is.
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
        // The old value is never NaN here: it starts with the identity.
        (false, _) => Some((kind, Nan::Ignore)),
        (true, true) => Some((kind, Nan::Propagate)),
        // NaN wins and is then forgotten: the order decides.
        (true, false) => None,
    }
}

/// Which elements a choice of (value, index) pairs keeps of a row that has NaN, from the first element to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NanRule {
    /// Value and index of the first NaN, or of no NaN.
    Like(Nan),
    /// Value and index of the last NaN.
    Last,
    /// The value NaN, and the index of the best element before the first NaN.
    ValueOnly,
    /// Value and index of the best element after the last NaN, or of that NaN where it is the last element.
    AfterLast,
    /// Any other.
    Other,
}

/// What a choice of (value, index) pairs is.
pub(crate) struct PairChoice {
    pub(crate) kind: Kind,
    pub(crate) nan: NanRule,
    /// Whether the later of equal values wins.
    pub(crate) ties_keep_later: bool,
}

/// Which of two pairs a program chooses: `Some(true)` for the right one, `None` for a mixture.
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

/// What a choice of pairs is, of which part `value` is compared.
pub(crate) fn pair_choice(program: &Program, value: usize) -> Option<PairChoice> {
    let sort = program.input_sorts()[value];
    let samples = samples(sort);
    // Whether the right pair is taken, where its value and its index are beyond the left one's.
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
    // The highest index of all is a combiner, but no `argmax`.
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

/// What a choice of pairs does with NaN.
fn nan_rule(program: &Program, value: usize) -> Option<NanRule> {
    const FIRST: i64 = 3;
    const SECOND: i64 = 8;
    let (number, nan) = (Scalar::Float(1.0), Scalar::Float(f64::NAN));
    // The selected element: whether it is NaN, and its index.
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
    // The first NaN is not replaced by numbers.
    let holds = stays == (true, FIRST);
    Some(match (meets, both) {
        ((true, SECOND), (true, FIRST)) if holds => NanRule::Like(Nan::Propagate),
        ((true, SECOND), (true, SECOND)) if holds => NanRule::Last,
        ((true, FIRST), (true, FIRST)) if holds => NanRule::ValueOnly,
        ((true, SECOND), (true, SECOND)) if stays == (false, SECOND) => NanRule::AfterLast,
        // What results start from is no NaN.
        ((false, FIRST), _) => NanRule::Like(Nan::Ignore),
        _ => NanRule::Other,
    })
}
