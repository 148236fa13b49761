//! Likely mistakes in one component of a combiner of several values. Some tuples hide a mistake: if
//! both numbers of each tuple are equal, the wrong `l1 + r0` and the correct `l1 + r1` have equal
//! results.
//!
//! The tuples at run time are unknown at compile time. The check therefore tests several sets of
//! tuples: unsorted tuples, sorted tuples, and tuples with constant components, such as a count of
//! 1 or a rounding error of 0. If a property fails for all sets of tuples, the combiner probably
//! contains a mistake. The tested numbers are integers, and all values of a component are distinct,
//! so neither rounding nor ties affect the verdict.

use super::{CounterExample, Laws, Partial, combinations, digits, elements_of};
use crate::linalg::program::Program;
use crate::linalg::scalar::{Scalar, Sort};
use melior::ir::Attribute;
use tx_mlir::Blk;
use tx_scalar::laws::{Case, Evaluator, Law, pairs, triples};
use tx_scalar::{signed, truncated};

/// An algebraic property that a combiner violates, and the first component in which both sides of
/// the property's equation differ.
#[derive(Debug, Clone)]
pub(crate) struct LikelyMistake {
    pub(crate) broken: CounterExample,
    pub(crate) part: usize,
    /// True if the combiner is associative but not commutative, like the composition of functions.
    pub(crate) is_ordered: bool,
}

/// Component values of the tested tuples, in unsorted order; the values are small integers, so
/// their sums and products are exact.
const NUMBERS: [i64; 8] = [3, 11, 6, 1, 19, 8, 14, 27];

const TUPLES: usize = 6;

const MOST_CHOICES: usize = 1024;

/// Tests a `custom` combiner of several values, and returns a likely mistake, if any.
pub(crate) fn likely_mistake<'c>(
    block: Blk<'c>,
    element: Option<Blk<'c>>,
    identities: &[Attribute<'c>],
) -> Option<LikelyMistake> {
    let laws = Laws::new(Program::of_block(block)?).filter(|laws| laws.sorts.len() > 1)?;
    let identity = laws.identity(identities)?;
    let judge = |tuples: &[Partial], fixed: &[Option<Scalar>]| {
        let laws = &laws;
        let tuples = Tuples {
            laws,
            tuples,
            fixed,
        };
        tuples.judge(&identity)
    };
    let obeyed =
        |tuples: &[Partial], fixed: &[Option<Scalar>]| matches!(judge(tuples, fixed), Ok(true));
    let any = vec![None; laws.sorts.len()];
    let tuples: Vec<Partial> = match element {
        Some(element) => elements_of(element, &laws.sorts, |sources| {
            (0..TUPLES).map(|k| (tuple(sources, k), k)).collect()
        }),
        None => (0..TUPLES).map(|k| tuple(&laws.sorts, k)).collect(),
    };
    let mistake = judge(&tuples, &any).err()?;
    if element.is_some() {
        return Some(mistake);
    }
    let same_sort = laws.sorts.windows(2).all(|two| two[0] == two[1]);
    let sorted = || [false, true].map(|descending| sort_each(&tuples, descending));
    if same_sort && sorted().iter().any(|tuples| obeyed(tuples, &any)) {
        return None;
    }
    let is_fixed =
        choices(&laws.sorts, &identity).any(|fixed| obeyed(&with(&tuples, &fixed), &fixed));
    // A combiner that is associative but not commutative depends on the order of its operands, as a
    // composition of functions does. The check reports such a combiner even if tuples with a
    // constant component satisfy commutativity.
    let is_ordered = is_fixed && mistake.broken.law == Law::Commutative && {
        let triples = laws.evaluate(Law::Associative, distinct_triples(&tuples));
        let holds = decided(&triples).all(|(_, [l, r])| differing(&laws, l, r).is_none());
        holds && 2 * decided(&triples).count() > triples.len()
    };
    (!is_fixed || is_ordered).then_some(LikelyMistake {
        is_ordered,
        ..mistake
    })
}

fn tuple(sorts: &[Sort], k: usize) -> Partial {
    let number = |part: usize| NUMBERS[((2 * part + 1) * k + part) % NUMBERS.len()];
    let parts = sorts.iter().enumerate();
    let part = |(part, sort): (usize, &Sort)| of_sort(number(part), *sort);
    parts.map(part).collect()
}

fn of_sort(number: i64, sort: Sort) -> Scalar {
    match sort {
        Sort::Int(bits) => Scalar::Int(signed(truncated(number, bits), bits)),
        #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
        Sort::Float(_) => Scalar::Float(number as f64),
    }
}

/// Sorts the components of each tuple. In practice, the components may be sorted, for example if a
/// tuple consists of a lower and an upper bound.
fn sort_each(tuples: &[Partial], descending: bool) -> Vec<Partial> {
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    let number = |v: &Scalar| v.float().or(v.int().map(|n| n as f64)).unwrap_or_default();
    let mut tuples = tuples.to_vec();
    for tuple in &mut tuples {
        tuple.sort_by(|l, r| number(l).total_cmp(&number(r)));
        if descending {
            tuple.reverse();
        }
    }
    tuples
}

fn with(tuples: &[Partial], fixed: &[Option<Scalar>]) -> Vec<Partial> {
    let part = |(value, fixed): (&Scalar, &Option<Scalar>)| fixed.unwrap_or(*value);
    let one = |tuple: &Partial| tuple.iter().zip(fixed).map(part).collect();
    tuples.iter().map(one).collect()
}

/// Returns lists with one entry for each component of a tuple: the constant value of the component,
/// or `None` if the component varies between tuples. The constant is 0, 1, or the value of the
/// component in the identity. In each list, at least one component varies.
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
    (1..combinations(&parts).min(MOST_CHOICES))
        .map(move |i| digits(&parts, i))
        .filter(|fixed| fixed.iter().any(Option::is_none))
}

struct Tuples<'t> {
    laws: &'t Laws,
    tuples: &'t [Partial],
    /// Values of the components that are constant in all tuples; `None` for all other components.
    fixed: &'t [Option<Scalar>],
}

impl Tuples<'_> {
    /// Tests commutativity, associativity and the neutrality of the identity for the tuples. The
    /// function returns false if fewer than half of the test cases of a property have finite
    /// results, or if constant components may hide a mistake.
    fn judge(&self, identity: &Partial) -> Result<bool, LikelyMistake> {
        let laws = self.laws;
        let two = pairs(self.tuples).filter(|of| of[0] != of[1]);
        let two = laws.evaluate(Law::Commutative, two.collect());
        let three = laws.evaluate(Law::Associative, distinct_triples(self.tuples));
        // A combiner that selects by the wrong component violates the property in about half of the
        // test cases.
        self.check(&two, |broken, of| 5 * broken > 2 * of)?;
        self.check(&three, |broken, of| 5 * broken > 2 * of)?;
        // If an identity changes some tuples, the identity may still be valid for the tuples that
        // occur, as with a lower bound of all elements.
        let left = self.tuples.iter().map(|x| vec![identity, x, x]);
        let left = laws.evaluate(Law::Identity, left.collect());
        let any_fixed = self.fixed.iter().any(Option::is_some);
        self.check(&left, |broken, of| {
            broken == of || any_fixed && 2 * broken > of
        })?;
        let few = |cases: &[Case<'_, _>]| 2 * decided(cases).count() < cases.len().max(1);
        Ok(!few(&two) && !few(&three) && !self.is_dull(decided(&two).chain(decided(&three))))
    }

    /// Returns the first violation as an error if the predicate `enough` accepts two numbers: the
    /// number of violations, and the number of test cases with finite results. Returns `Ok` if
    /// fewer than half of the test cases have finite results.
    fn check(
        &self,
        cases: &[Case<'_, Partial>],
        enough: impl Fn(usize, usize) -> bool,
    ) -> Result<(), LikelyMistake> {
        let part = |[l, r]: [&Partial; 2]| differing(self.laws, l, r);
        let mut broken = decided(cases).filter_map(|(case, sides)| Some((case, part(sides)?)));
        let Some((case, part)) = broken.next() else {
            return Ok(());
        };
        let (count, of) = (broken.count() + 1, decided(cases).count());
        if 2 * of < cases.len() || !enough(count, of) {
            return Ok(());
        }
        Err(LikelyMistake {
            broken: self.laws.counterexample(case),
            part,
            is_ordered: false,
        })
    }

    /// Returns whether the tuples may hide a mistake in the combiner: several components, or one
    /// integer component, are constant in all tuples and all results. A single constant float, such
    /// as the rounding error of a compensated sum, does not hide a mistake. A constant integer may
    /// hide a mistake, because the integer may be an index, which should differ between elements.
    fn is_dull<'t>(&self, cases: impl Iterator<Item = Decided<'t>>) -> bool {
        let mut stay: Vec<bool> = self.fixed.iter().map(Option::is_some).collect();
        for result in cases.flat_map(|(_, sides)| sides) {
            for ((stays, fixed), value) in stay.iter_mut().zip(self.fixed).zip(result) {
                *stays &= *fixed == Some(*value);
            }
        }
        let staying = stay.iter().zip(&self.laws.sorts);
        let staying = staying.filter(|(stays, _)| **stays);
        let is_integer = |(_, sort): (&bool, &Sort)| sort.float().is_none();
        staying.clone().count() > 1 || staying.clone().any(is_integer)
    }
}

/// Returns triples of tuples. The tuples of a triple come from three different positions in
/// `tuples`; the first two tuples of a triple also differ in value.
fn distinct_triples(tuples: &[Partial]) -> Vec<Vec<&Partial>> {
    let same = |a: &Partial, b: &Partial| std::ptr::eq(a, b);
    let three = triples(tuples).filter(|of| of[0] != of[1]);
    let three = three.filter(|of| !same(of[0], of[2]) && !same(of[1], of[2]));
    three.collect()
}

/// Returns the first component in which two results differ by more than the accumulated rounding
/// error.
fn differing(laws: &Laws, left: &Partial, right: &Partial) -> Option<usize> {
    laws.difference(Law::Commutative, left, right)
}

type Decided<'t> = (&'t Case<'t, Partial>, [&'t Partial; 2]);

/// Returns the test cases that have finite results. Each test case is paired with the results of
/// both sides of the property's equation.
fn decided<'t>(cases: &'t [Case<'t, Partial>]) -> impl Iterator<Item = Decided<'t>> {
    let known = |case: &'t Case<'t, Partial>| Some((case, case.decided()?));
    cases.iter().filter_map(known)
}
