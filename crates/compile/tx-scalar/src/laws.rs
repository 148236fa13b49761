//! Tests of the algebraic properties (laws) of a combiner: commutativity, associativity, and
//! neutrality of the identity.
//!
//! A parallel reduction combines the elements in any order. A thread without an element combines
//! the identity instead of an element. This module enumerates operands, evaluates the two sides of
//! an algebraic law, and formats a counterexample. An [`Evaluator`] runs the combiner and compares
//! results. The caller chooses the operand tuples of the tests. [`Evaluator::holds`] tests that a
//! law is true for all operand tuples; [`Evaluator::holds_for_some`] tests that a law is true for
//! at least one operand tuple.

use crate::number::{Scalar, extremes, truncated};
use std::fmt;

/// An algebraic property that a combiner must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// `combiner(a, b)` equals `combiner(b, a)`. A test of commutativity has the operands `a` and
    /// `b`.
    Commutative,
    /// `combiner(combiner(a, b), c)` equals `combiner(a, combiner(b, c))`. A test of associativity
    /// has the operands `a`, `b` and `c`.
    Associative,
    /// The identity is neutral. A test of the identity law has three operands: the left operand of
    /// the combiner, the right operand of the combiner, and the expected result.
    Identity,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Commutative => "not commutative",
            Self::Associative => "not associative",
            Self::Identity => "the identity is not neutral",
        })
    }
}

impl Law {
    /// Returns the message for a violated algebraic law.
    pub fn broken(self) -> String {
        match self {
            Self::Identity => self.to_string(),
            Self::Commutative | Self::Associative => format!("the combiner is {self}"),
        }
    }
}

/// Operands that violate an algebraic law.
#[derive(Clone, Debug)]
pub struct CounterExample {
    /// Violated law.
    pub law: Law,
    /// Text such as `combiner(1, 2) = -1, but combiner(2, 1) = 1`.
    pub text: String,
}

impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.text)
    }
}

impl CounterExample {
    /// Appends to the counterexample the statement that all other tested values violate the law.
    #[must_use]
    pub fn of_all(mut self) -> Self {
        self.text += ", and so with every other value that was tried";
        self
    }
}

/// Result of the test of an algebraic law; `Err` contains a counterexample if the combiner violates
/// the law.
pub type Verdict = Result<(), CounterExample>;

/// Returns all pairs of two values from a list. The first value of each pair precedes the second
/// value in the list.
pub fn pairs<P>(values: &[P]) -> impl Iterator<Item = Vec<&P>> + Clone {
    let later = |i: usize| values[i + 1..].iter();
    let all = values.iter().enumerate();
    all.flat_map(move |(i, a)| later(i).map(move |b| vec![a, b]))
}

/// Returns all triples of values from a list; a triple may contain a value several times.
pub fn triples<P>(values: &[P]) -> impl Iterator<Item = Vec<&P>> {
    let third = |a, b| values.iter().map(move |c| vec![a, b, c]);
    let second = move |a| values.iter().flat_map(move |b| third(a, b));
    values.iter().flat_map(second)
}

/// Returns, for each value, two operand tuples that test [`Law::Identity`]. The identity is the
/// left operand in the first tuple, and the right operand in the second tuple.
pub fn sides<'p, P>(
    identity: &'p P,
    values: impl IntoIterator<Item = &'p P>,
) -> impl Iterator<Item = Vec<&'p P>> {
    let both = move |x| [vec![identity, x, x], vec![x, identity, x]];
    values.into_iter().flat_map(both)
}

/// Returns copies of the partial result `base`. Each copy differs from `base` in one component. For
/// each component, `values` returns the values that replace the component.
pub fn varied<V: Clone, I: IntoIterator<Item = V>>(
    base: &[V],
    values: impl Fn(usize) -> I,
) -> Vec<Vec<V>> {
    let mut all = Vec::new();
    for part in 0..base.len() {
        for value in values(part) {
            let mut one = base.to_vec();
            one[part] = value;
            all.push(one);
        }
    }
    all
}

/// One test of an algebraic law: the operands, and the results of the two sides of the law.
#[derive(Clone, Debug)]
pub struct Case<'p, P> {
    /// Tested law.
    pub law: Law,
    /// Operands of the law.
    pub operands: Vec<&'p P>,
    /// Results of the two sides of the law. `None` denotes an undefined result, or a result that
    /// cannot decide the law, such as an overflowed result.
    pub results: [Option<P>; 2],
}

impl<P> Case<'_, P> {
    /// Returns the results of the two sides of the law; `None` if a result is undefined or cannot
    /// decide the law.
    pub fn decided(&self) -> Option<[&P; 2]> {
        Some([self.results[0].as_ref()?, self.results[1].as_ref()?])
    }
}

/// Operands of one test of an algebraic law.
pub type Operands<'p, E> = Vec<&'p <E as Evaluator>::Partial>;

/// Interface that runs a combiner and compares the results of the combiner.
pub trait Evaluator: Sized {
    /// Partial result, with one value per component. For example, `argmax` has two components:
    /// value and index.
    type Partial: Clone + 'static;
    /// Number of tests per batch. [`Self::find`] evaluates complete batches, so up to `BATCH - 1`
    /// of the evaluated tests follow the returned test.
    const BATCH: usize;

    /// Combines each pair of a left and a right partial result. Returns `None` for an undefined
    /// result.
    fn combine(&self, pairs: &[[&Self::Partial; 2]]) -> Vec<Option<Self::Partial>>;

    /// Returns whether a partial result can confirm or refute a law. For example, an overflowed
    /// result can neither confirm nor refute a law.
    fn is_decisive(&self, partial: &Self::Partial) -> bool;

    /// Returns the index of the first component in which the values of the two sides of a law
    /// differ.
    fn difference(&self, law: Law, left: &Self::Partial, right: &Self::Partial) -> Option<usize>;

    /// Formats each component of a partial result.
    fn texts(&self, partial: &Self::Partial) -> Vec<String>;

    /// Formats a partial result: `3` for one component, `(3, 1)` for several components.
    fn show(&self, partial: &Self::Partial) -> String {
        match &self.texts(partial)[..] {
            [one] => one.clone(),
            parts => format!("({})", parts.join(", ")),
        }
    }

    /// Combines each pair of partial results. The returned list contains `None` for a pair that is
    /// `None`, and for an undefined result. Except in a test of [`Law::Identity`], the returned
    /// list also contains `None` for a result that cannot decide the law, such as an overflowed
    /// result.
    fn combine_known<'r>(
        &self,
        law: Law,
        pairs: impl Iterator<Item = Option<[&'r Self::Partial; 2]>>,
    ) -> Vec<Option<Self::Partial>> {
        let pairs: Vec<_> = pairs.collect();
        let known: Vec<_> = pairs.iter().copied().flatten().collect();
        let mut results = self.combine(&known).into_iter();
        let decides = |result: &_| law == Law::Identity || self.is_decisive(result);
        let mut next = || results.next().flatten().filter(decides);
        pairs.iter().map(|pair| pair.and_then(|_| next())).collect()
    }

    /// Evaluates both sides of an algebraic law for each tuple of operands.
    fn evaluate<'p>(
        &self,
        law: Law,
        operands: Vec<Operands<'p, Self>>,
    ) -> Vec<Case<'p, Self::Partial>> {
        let two = |l: usize, r: usize| {
            let pairs = operands.iter().map(|of| Some([of[l], of[r]]));
            self.combine_known(law, pairs)
        };
        let sides = match law {
            Law::Commutative => [two(0, 1), two(1, 0)],
            Law::Associative => {
                let (ab, bc) = (two(0, 1), two(1, 2));
                let left = operands.iter().zip(&ab);
                let left = left.map(|(of, ab)| Some([ab.as_ref()?, of[2]]));
                let right = operands.iter().zip(&bc);
                let right = right.map(|(of, bc)| Some([of[0], bc.as_ref()?]));
                [
                    self.combine_known(law, left),
                    self.combine_known(law, right),
                ]
            }
            Law::Identity => {
                let expected = operands.iter().map(|of| Some(of[2].clone()));
                [two(0, 1), expected.collect()]
            }
        };
        let [left, right] = sides.map(Vec::into_iter);
        let all = operands.into_iter().zip(left.zip(right));
        let case = |(operands, (left, right))| Case {
            law,
            operands,
            results: [left, right],
        };
        all.map(case).collect()
    }

    /// Tests an algebraic law, and returns the first test for which the closure `wanted` returns
    /// true.
    fn find<'p>(
        &self,
        law: Law,
        mut operands: impl Iterator<Item = Operands<'p, Self>>,
        mut wanted: impl FnMut(&Case<'p, Self::Partial>) -> bool,
    ) -> Option<Case<'p, Self::Partial>> {
        loop {
            let batch: Vec<_> = operands.by_ref().take(Self::BATCH).collect();
            if batch.is_empty() {
                return None;
            }
            let found = self.evaluate(law, batch).into_iter().find(&mut wanted);
            if found.is_some() {
                return found;
            }
        }
    }

    /// Returns whether the test violates the algebraic law; `None` if the results cannot decide the
    /// law. An undefined result violates [`Law::Identity`].
    fn is_broken(&self, case: &Case<'_, Self::Partial>) -> Option<bool> {
        match case.decided() {
            Some([l, r]) => Some(self.difference(case.law, l, r).is_some()),
            None => (case.law == Law::Identity).then_some(true),
        }
    }

    /// Tests an algebraic law on all operand tuples. On failure, returns the counterexample of the
    /// first violation.
    fn holds<'p>(&self, law: Law, operands: impl Iterator<Item = Operands<'p, Self>>) -> Verdict {
        let broken = self.find(law, operands, |case| self.is_broken(case) == Some(true));
        broken.map_or(Ok(()), |case| Err(self.counterexample(&case)))
    }

    /// Succeeds if at least one test satisfies the law, or if no test violates the law. Otherwise,
    /// returns the counterexample of the first violation.
    fn holds_for_some<'p>(
        &self,
        law: Law,
        operands: impl Iterator<Item = Operands<'p, Self>>,
    ) -> Verdict {
        let mut first = Ok(());
        let held = self.find(law, operands, |case| {
            let broken = self.is_broken(case);
            if broken == Some(true) && first.is_ok() {
                first = Err(self.counterexample(case));
            }
            broken == Some(false)
        });
        held.map_or(first, |_| Ok(()))
    }

    /// Formats the counterexample for a test that violates a law.
    fn counterexample(&self, case: &Case<'_, Self::Partial>) -> CounterExample {
        let law = case.law;
        let of: Vec<String> = case.operands.iter().map(|x| self.show(x)).collect();
        let undefined = || "undefined".to_owned();
        let results = case.results.each_ref();
        let [l, r] = results.map(|x| x.as_ref().map_or_else(undefined, |x| self.show(x)));
        let [a, b] = [&of[0], &of[1]];
        let text = match law {
            Law::Commutative => format!("combiner({a}, {b}) = {l}, but combiner({b}, {a}) = {r}"),
            Law::Associative => format!(
                "combiner(combiner({a}, {b}), {c}) = {l}, but combiner({a}, combiner({b}, {c})) = {r}",
                c = of[2],
            ),
            Law::Identity => format!("combiner({a}, {b}) = {l}, expected {r}"),
        };
        CounterExample { law, text }
    }
}

/// Returns the bit patterns of values that can be the identity of a combiner, such as zero, one,
/// the smallest and the largest value, and infinities.
pub fn candidates(scalar: Scalar) -> Vec<u64> {
    match scalar {
        Scalar::Int(1) => vec![0, 1],
        Scalar::Int(bits) => {
            let (least, most) = extremes(bits);
            let all = [0, 1, -1, least, most];
            all.map(|n| truncated(n, bits)).to_vec()
        }
        Scalar::Float(float) => {
            let (large, infinite) = (float.largest(), f64::INFINITY);
            let all = [0.0, 1.0, -1.0, -infinite, infinite, -large, large];
            all.map(|x| float.to_bits(x)).to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A combiner on `i32`. Results above 100 represent overflowed results, which cannot decide a
    /// law.
    struct Numbers(fn(i32, i32) -> Option<i32>);

    impl Evaluator for Numbers {
        type Partial = i32;
        const BATCH: usize = 2;

        fn combine(&self, pairs: &[[&i32; 2]]) -> Vec<Option<i32>> {
            pairs.iter().map(|[l, r]| self.0(**l, **r)).collect()
        }

        fn is_decisive(&self, partial: &i32) -> bool {
            *partial <= 100
        }

        fn difference(&self, _: Law, left: &i32, right: &i32) -> Option<usize> {
            (left != right).then_some(0)
        }

        fn texts(&self, partial: &i32) -> Vec<String> {
            vec![partial.to_string()]
        }
    }

    fn text(verdict: Verdict) -> String {
        verdict.map_or_else(|broken| broken.to_string(), |()| "holds".to_owned())
    }

    /// Checks that the counterexample is the first violation of the law. An undefined result
    /// violates only [`Law::Identity`], and an overflowed result violates no law.
    #[test]
    fn counterexamples_are_the_first() {
        let minus = Numbers(|l, r| Some(l - r));
        let average = Numbers(|l, r| Some((l + r) / 2));
        let quotient = Numbers(|l, r| l.checked_div(r));
        let large = Numbers(|l, r| Some(200 + l - r));
        let values = [0, 1, 7];
        let shown = [
            minus.holds(Law::Commutative, pairs(&values)),
            average.holds(Law::Associative, triples(&values)),
            minus.holds(Law::Identity, sides(&0, &values)),
            quotient.holds(Law::Identity, sides(&0, &values)),
            quotient.holds(Law::Commutative, pairs(&values[..2])),
            large.holds(Law::Commutative, pairs(&values)),
            large.holds_for_some(Law::Commutative, pairs(&values)),
            minus.holds_for_some(Law::Commutative, pairs(&values)),
            minus.holds_for_some(Law::Associative, triples(&values)),
        ];
        let expected = [
            "not commutative: combiner(0, 1) = -1, but combiner(1, 0) = 1",
            "not associative: combiner(combiner(0, 0), 7) = 3, but combiner(0, combiner(0, 7)) = 1",
            "the identity is not neutral: combiner(0, 1) = -1, expected 1",
            "the identity is not neutral: combiner(0, 0) = undefined, expected 0",
            "holds",
            "holds",
            "holds",
            "not commutative: combiner(0, 1) = -1, but combiner(1, 0) = 1",
            "holds",
        ];
        assert_eq!(shown.map(text), expected);
    }
}
