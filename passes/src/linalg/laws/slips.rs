//! Slips in one part of a combiner of several values, which some tuples hide: `l1 + r0`, where `l1
//! + r1` is meant, is as good for all tuples of two equal numbers.
//!
//! Which tuples occur is not known, so a law counts as broken where no tuples that may well occur
//! obey it: nothing special, sorted, or with parts that are the same in all elements, as a count of
//! one or an error of nothing. The numbers are integers, no two of a part alike, so that neither
//! rounding nor ties decide.

use super::{CounterExample, Law, Laws, Partial, elements_of};
use crate::linalg::program::Program;
use crate::linalg::scalar::{Scalar, Sort};
use melior::ir::Attribute;
use std::cmp::Ordering;
use tx_mlir::Blk;
use tx_scalar::{signed, truncated};

/// What no tuples obey, and the first part of the result that shows it.
#[derive(Debug, Clone)]
pub(crate) struct Slip {
    pub(crate) broken: CounterExample,
    pub(crate) part: usize,
    /// Whether it is none, and the combiner one of things in an order.
    pub(crate) is_ordered: bool,
}

/// Values of each part: small, so that sums and products are exact, and in no order.
const NUMBERS: [i64; 8] = [3, 11, 6, 1, 19, 8, 14, 27];

/// Tuples that are tried with each other.
const TUPLES: usize = 6;

/// Choices of parts that are the same in all tuples.
const MOST_CHOICES: usize = 1024;

/// A law that a `custom` combiner of several values breaks for hardly any tuple not.
pub(crate) fn slip<'c>(
    block: Blk<'c>,
    element: Option<Blk<'c>>,
    identities: &[Attribute<'c>],
) -> Option<Slip> {
    let laws = Laws::new(Program::of_block(block)?).filter(|laws| laws.sorts.len() > 1)?;
    let sorts = laws.sorts.iter();
    let identity = identities.iter().zip(sorts);
    let identity: Partial = identity
        .map(|(a, sort)| Scalar::of(*a, *sort))
        .collect::<Option<_>>()?;
    let judge = |tuples: &[Partial], fixed: &[Option<Scalar>]| {
        let tuples = Tuples {
            laws: &laws,
            tuples,
            fixed,
        };
        tuples.judge(&identity)
    };
    let any = vec![None; laws.sorts.len()];
    if let Some(element) = element {
        let made = elements_of(element, &laws.sorts, |sources| {
            (0..TUPLES).map(|k| (tuple(sources, k), k)).collect()
        });
        return judge(&made, &any).slip();
    }
    let tuples: Vec<Partial> = (0..TUPLES).map(|k| tuple(&laws.sorts, k)).collect();
    let slip = judge(&tuples, &any).slip()?;
    let same_sort = laws.sorts.windows(2).all(|two| two[0] == two[1]);
    let sorted = [Ordering::Less, Ordering::Greater]
        .into_iter()
        .filter(|_| same_sort);
    let obeyed = |tuples: &[Partial], fixed: &[Option<Scalar>]| {
        matches!(judge(tuples, fixed), Judged::Obeyed)
    };
    let all = Tuples {
        laws: &laws,
        tuples: &tuples,
        fixed: &any,
    };
    let is_sorted = sorted
        .map(|order| sort_each(&tuples, order))
        .any(|tuples| obeyed(&tuples, &any));
    if is_sorted {
        return None;
    }
    let is_fixed =
        choices(&laws.sorts, &identity).any(|fixed| obeyed(&with(&tuples, &fixed), &fixed));
    // That some tuples hide it excuses no combiner that is associative for all of them: what it
    // combines has an order, as compositions of functions have.
    let is_ordered = is_fixed && slip.broken.law == Law::Commutative && all.are_associative();
    (!is_fixed || is_ordered).then_some(Slip { is_ordered, ..slip })
}

/// A tuple of numbers.
fn tuple(sorts: &[Sort], k: usize) -> Partial {
    let number = |part: usize| NUMBERS[((2 * part + 1) * k + part) % NUMBERS.len()];
    let parts = sorts.iter().enumerate();
    parts
        .map(|(part, sort)| of_sort(number(part), *sort))
        .collect()
}

fn of_sort(number: i64, sort: Sort) -> Scalar {
    match sort {
        Sort::Int(bits) => Scalar::Int(signed(truncated(number, bits), bits)),
        #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
        Sort::Float(_) => Scalar::Float(number as f64),
    }
}

/// The tuples with the parts of each in order, as bounds and the largest two are.
fn sort_each(tuples: &[Partial], order: Ordering) -> Vec<Partial> {
    let compare = |one: &Scalar, other: &Scalar| match (one, other) {
        (Scalar::Int(one), Scalar::Int(other)) => one.cmp(other),
        (Scalar::Float(one), Scalar::Float(other)) => one.total_cmp(other),
        // Parts are of one sort.
        (Scalar::Int(_) | Scalar::Float(_), _) => Ordering::Equal,
    };
    let mut tuples = tuples.to_vec();
    for tuple in &mut tuples {
        tuple.sort_by(|one, other| match order {
            Ordering::Greater => compare(other, one),
            _ => compare(one, other),
        });
    }
    tuples
}

/// The tuples with some parts fixed.
fn with(tuples: &[Partial], fixed: &[Option<Scalar>]) -> Vec<Partial> {
    let one = |tuple: &Partial| {
        let parts = tuple.iter().zip(fixed);
        parts
            .map(|(value, fixed)| fixed.unwrap_or(*value))
            .collect()
    };
    tuples.iter().map(one).collect()
}

/// Parts that are 0, 1 or neutral in all tuples, beside others that are not.
fn choices(sorts: &[Sort], identity: &[Scalar]) -> impl Iterator<Item = Vec<Option<Scalar>>> {
    let of_part = |(sort, neutral): (&Sort, &Scalar)| {
        let mut choices = vec![None];
        for value in [of_sort(0, *sort), of_sort(1, *sort), *neutral] {
            if !choices.contains(&Some(value)) {
                choices.push(Some(value));
            }
        }
        choices
    };
    let parts: Vec<_> = sorts.iter().zip(identity).map(of_part).collect();
    let count = parts
        .iter()
        .fold(1, |n: usize, p| n.saturating_mul(p.len()));
    (1..count.min(MOST_CHOICES))
        .map(move |i| super::digits(&parts, i))
        .filter(|fixed| fixed.iter().any(Option::is_none))
}

/// What is found of some tuples.
enum Judged {
    Obeyed,
    Broken(Slip),
    /// Too few results are numbers, or what is fixed hides too much.
    Nothing,
}

impl Judged {
    fn slip(self) -> Option<Slip> {
        match self {
            Self::Broken(slip) => Some(slip),
            Self::Obeyed | Self::Nothing => None,
        }
    }
}

struct Tuples<'t> {
    laws: &'t Laws,
    tuples: &'t [Partial],
    /// Values of parts that are the same in all of them.
    fixed: &'t [Option<Scalar>],
}

/// What is tried with some tuples, and comes out in two orders.
struct Case<'t> {
    law: Law,
    of: Vec<&'t [Scalar]>,
    results: Option<[Partial; 2]>,
}

impl Tuples<'_> {
    fn judge(&self, identity: &Partial) -> Judged {
        let cases = [self.pairs(), self.triples()];
        for cases in &cases {
            // What chooses by the wrong part goes wrong half of the time.
            if let Some(slip) = self.broken(cases, |broken, of| 5 * broken > 2 * of) {
                return Judged::Broken(slip);
            }
        }
        // An identity that some tuples are changed by may be right for those that occur, as a bound
        // that all are above is.
        let enough: fn(usize, usize) -> bool = match self.fixed.iter().any(Option::is_some) {
            true => |broken, of| 2 * broken > of,
            false => |broken, of| broken == of,
        };
        if let Some(slip) = self.broken(&self.beside(identity), enough) {
            return Judged::Broken(slip);
        }
        let few = |cases: &Vec<Case<'_>>| 2 * decided(cases).count() < cases.len().max(1);
        if cases.iter().any(few) || self.is_dull(cases.iter().flatten()) {
            return Judged::Nothing;
        }
        Judged::Obeyed
    }

    fn pairs(&self) -> Vec<Case<'_>> {
        let laws = self.laws;
        let case = |(a, b): (usize, usize)| {
            let (a, b) = (&self.tuples[a][..], &self.tuples[b][..]);
            let both = || Some([laws.combine_finite(a, b)?, laws.combine_finite(b, a)?]);
            Case {
                law: Law::Commutative,
                of: vec![a, b],
                results: both(),
            }
        };
        self.apart().filter(|(a, b)| a < b).map(case).collect()
    }

    fn triples(&self) -> Vec<Case<'_>> {
        let laws = self.laws;
        let case = |three: [usize; 3]| {
            let [a, b, c] = three.map(|i| &self.tuples[i][..]);
            let both = || {
                let (ab, bc) = (laws.combine_finite(a, b)?, laws.combine_finite(b, c)?);
                Some([laws.combine_finite(&ab, c)?, laws.combine_finite(a, &bc)?])
            };
            Case {
                law: Law::Associative,
                of: vec![a, b, c],
                results: both(),
            }
        };
        let others = |(a, b)| (0..self.tuples.len()).filter(move |c| ![a, b].contains(c));
        let threes = self
            .apart()
            .flat_map(|(a, b)| others((a, b)).map(move |c| [a, b, c]));
        threes.map(case).collect()
    }

    /// Whether all triples of which something is known are combined to the same from both sides,
    /// and they are the most.
    fn are_associative(&self) -> bool {
        let triples = self.triples();
        let mut known = 0;
        let holds = decided(&triples).all(|(_, [l, r])| {
            known += 1;
            self.laws.differing(l, r).is_none()
        });
        holds && 2 * known > triples.len()
    }

    /// Each with what should be neutral on its left.
    fn beside<'t>(&'t self, identity: &'t Partial) -> Vec<Case<'t>> {
        let case = |x: &'t Partial| Case {
            law: Law::Identity,
            of: vec![identity, x],
            results: self.laws.combine(identity, x).map(|y| [y, x.clone()]),
        };
        self.tuples.iter().map(case).collect()
    }

    /// Two that differ, by number.
    fn apart(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = 0..self.tuples.len();
        let two = all
            .clone()
            .flat_map(move |a| all.clone().map(move |b| (a, b)));
        two.filter(|(a, b)| self.tuples[*a] != self.tuples[*b])
    }

    /// What is broken first, if `enough` are.
    fn broken(&self, cases: &[Case<'_>], enough: fn(usize, usize) -> bool) -> Option<Slip> {
        let differs = |[l, r]: &[Partial; 2]| self.laws.differing(l, r);
        let mut broken = decided(cases).filter(|(_, results)| differs(results).is_some());
        let (case, results) = broken.next()?;
        let count = broken.count() + 1;
        let decided = decided(cases).count();
        if 2 * decided < cases.len() || !enough(count, decided) {
            return None;
        }
        Some(Slip {
            broken: self.told(case, results),
            part: differs(results)?,
            is_ordered: false,
        })
    }

    /// Whether what is fixed stays what it was: of more than one part, so that little is left of a
    /// tuple, or an index, which is there to tell elements apart. That floats stay, as the error of
    /// a sum may, excuses what uses them.
    fn is_dull<'t>(&self, cases: impl Iterator<Item = &'t Case<'t>>) -> bool {
        let mut stay: Vec<bool> = self.fixed.iter().map(Option::is_some).collect();
        for result in cases.filter_map(|case| case.results.as_ref()).flatten() {
            for ((stays, fixed), value) in stay.iter_mut().zip(self.fixed).zip(result) {
                *stays &= *fixed == Some(*value);
            }
        }
        let staying = stay
            .iter()
            .zip(&self.laws.sorts)
            .filter(|(stays, _)| **stays);
        let is_integer = |(_, sort): (&bool, &Sort)| sort.float().is_none();
        staying.clone().count() > 1 || staying.clone().any(is_integer)
    }

    fn told(&self, case: &Case<'_>, results: &[Partial; 2]) -> CounterExample {
        let [l, r] = [&results[0], &results[1]].map(|result| self.laws.show(result));
        let of: Vec<String> = case.of.iter().map(|x| self.laws.show(x)).collect();
        let text = match case.law {
            Law::Commutative => super::not_commutative([&of[0], &of[1]], &l, &r),
            Law::Associative => super::not_associative([&of[0], &of[1], &of[2]], &l, &r),
            Law::Identity => format!("combiner({}, {}) = {l}, expected {r}", of[0], of[1]),
        };
        CounterExample {
            law: case.law,
            text,
        }
    }
}

/// The cases of which something is known.
fn decided<'t>(cases: &'t [Case<'t>]) -> impl Iterator<Item = (&'t Case<'t>, &'t [Partial; 2])> {
    cases
        .iter()
        .filter_map(|case| Some((case, case.results.as_ref()?)))
}
