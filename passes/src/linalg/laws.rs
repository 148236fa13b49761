//! Tests of algebraic properties of combiners at compile time. [`tx_scalar::laws`] runs the
//! combiner on samples; this module chooses the samples and judges the results.

mod likely_mistakes;

pub(crate) use likely_mistakes::{LikelyMistake, likely_mistake};
pub(crate) use tx_scalar::laws::{CounterExample, Law, Verdict};

use super::body::dependents;
use super::program::Program;
use super::scalar::{Scalar, Sort, candidates, rounding, samples, show, tolerance};
use melior::ir::{Attribute, TypeLike as _, ValueLike as _};
use std::iter::once;
use tx_mlir::build::argument;
use tx_mlir::{Blk, Val, defining_op, key, name, operands, ops};
use tx_scalar::laws::{Evaluator, pairs, sides, triples, varied};

pub(crate) type Partial = Vec<Scalar>;

/// Returns a hint for a combiner that subtracts or divides. If the combiner subtracts an element
/// from the previous value `before`, or divides `before` by an element, the hint is an equivalent
/// sum or product. If the combiner subtracts `before` from an element, the hint explains why the
/// order of the elements changes the result.
pub(crate) fn instead<'c>(block: Blk<'c>, before: Val<'c>) -> Option<&'static str> {
    let end = ops(block).pop()?;
    let made = defining_op(*operands(end).first()?)?;
    let dependent = dependents(block, &[before]);
    // The element may be the result of ops in the body, but must not depend on `before`.
    let is_apart = |element: &Val<'_>| !dependent.contains(&key(*element));
    let swapped = match operands(made)[..] {
        [old, element] if old == before && is_apart(&element) => false,
        [element, old] if old == before && is_apart(&element) => true,
        _ => return None,
    };
    Some(match (name(made), swapped) {
        ("arith.subf", false) => {
            "to subtract elements, add them negated: `arith.negf` of the element, then `arith.addf`"
        }
        ("arith.subi", false) => {
            "to subtract elements, add them negated: `arith.subi` of 0 and the element, then `arith.addi`"
        }
        ("arith.divf", false) => {
            "to divide by elements, multiply by their reciprocals: `arith.divf` of 1.0 and the \
             element, then `arith.mulf`"
        }
        ("arith.subf" | "arith.subi", true) => {
            "the result depends on the order of elements: every element negates the accumulator"
        }
        ("arith.divf", true) => {
            "the result depends on the order of elements: every element inverts the accumulator"
        }
        _ => return None,
    })
}

/// Tests the combiner region of a `custom` reduction with N left and N right values. A combiner
/// with unsupported ops is not tested.
///
/// If a partial result consists of several values, such as a mean and a count, only some tuples of
/// values occur in practice. The check cannot determine which tuples occur at run time, and
/// therefore reports a violated property only if the property fails for all tested tuples. The
/// elements are unknown at compile time. The check therefore rejects an identity only in two cases:
/// combine(identity, identity) is not the identity, or combine(identity, x) differs from x for
/// every tested value x. For example, 0 is accepted as the identity of a maximum of magnitudes. If
/// the region `element` is given, the tested tuples are the results of `element` for sample inputs.
///
/// Returns a counterexample if the identity changes a sample value that may occur at run time.
///
/// # Errors
/// Returns sample values for which the combiner violates an algebraic property.
pub(crate) fn check<'c>(
    block: Blk<'c>,
    element: Option<Blk<'c>>,
    identities: &[Attribute<'c>],
) -> Result<Option<CounterExample>, CounterExample> {
    let Some(mut laws) = Program::of_block(block).and_then(Laws::new) else {
        return Ok(None);
    };
    let twice = |sample: Partial| [(sample.clone(), 0), (sample, 1)];
    let made = element.map(|element| {
        elements_of(element, &laws.sorts, |sources| {
            let samples = with_infinities(partials(sources, None));
            samples.into_iter().flat_map(twice).collect()
        })
    });
    match &made {
        _ if laws.sorts.len() == 1 => laws.check()?,
        // The results of the region `element` are the tuples that occur.
        Some(made) => laws.check_some(made, |one, other| one != other)?,
        None => laws.check_some(&laws.samples, differ_in_all)?,
    }
    let Some(identity) = laws.identity(identities) else {
        return Ok(None);
    };
    laws.holds(Law::Identity, sides(&identity, once(&identity)))?;
    laws.check_some_kept(&identity)?;
    let occur = match made {
        Some(made) => made,
        // The check does not know which tuples occur.
        None if laws.sorts.len() > 1 => Vec::new(),
        None => with_infinities(laws.samples.clone()),
    };
    let occur = occur.iter().filter(|x| laws.is_number(&identity, x));
    let changed = laws.holds(Law::Identity, sides(&identity, occur)).err();
    Ok(changed.map(|mut changed| {
        if let Some(neutral) = laws.find_identity() {
            changed.text += &format!("; the neutral value is {}", laws.show(&neutral));
        }
        changed
    }))
}

/// Returns the results of an `element` region for sample inputs. In each sample, all index
/// arguments of the region are equal.
fn elements_of(
    block: Blk<'_>,
    sorts: &[Sort],
    samples: impl FnOnce(&[Sort]) -> Vec<(Partial, usize)>,
) -> Vec<Partial> {
    let Some(program) = Program::of_block(block).filter(|p| p.output_sorts() == sorts) else {
        return Vec::new();
    };
    // The source arguments of an `element` region precede its index arguments.
    let inputs = program.input_sorts();
    let is_source = |i: &usize| !argument(block, *i).r#type().is_index();
    let sources = (0..inputs.len()).take_while(is_source).count();
    let made = samples(&inputs[..sources])
        .into_iter()
        .map(|(mut sample, index)| {
            sample.resize(inputs.len(), Scalar::Int(index as i64));
            program.run(&sample)
        });
    made.flatten().collect()
}

fn differ_in_all(one: &Partial, other: &Partial) -> bool {
    one.iter().zip(other).all(|(one, other)| one != other)
}

/// Appends both infinities to the samples if each sample is a single float. Without infinities, the
/// test would accept the largest finite number as the identity of a minimum.
fn with_infinities(mut samples: Vec<Partial>) -> Vec<Partial> {
    if let Some([Scalar::Float(_)]) = samples.first().map(Vec::as_slice) {
        samples.extend([f64::INFINITY, f64::NEG_INFINITY].map(|x| vec![Scalar::Float(x)]));
    }
    samples
}

pub(crate) struct Laws {
    program: Program,
    sorts: Vec<Sort>,
    samples: Vec<Partial>,
}

/// Maximum number of partial results that serve as samples. The maximum limits the run time of the
/// associativity test, which tests all triples of samples.
const MOST_SAMPLES: usize = 28;

const MOST_CANDIDATES: usize = 5000;

impl Laws {
    /// Creates the tests of a combiner: a program with N left inputs, N right inputs and N outputs.
    /// Returns `None` unless the left inputs, the right inputs and the outputs have the same list
    /// of types.
    pub(crate) fn new(program: Program) -> Option<Self> {
        let sorts = program.output_sorts();
        let n = sorts.len();
        let inputs = program.input_sorts();
        if n == 0 || inputs.len() != 2 * n || inputs[..n] != sorts || inputs[n..] != sorts {
            return None;
        }
        Some(Self {
            samples: partials(&sorts, None),
            program,
            sorts,
        })
    }

    /// Returns the values of an `identities` attribute, if the attribute has one value per
    /// component.
    fn identity(&self, identities: &[Attribute<'_>]) -> Option<Partial> {
        let parts = identities.iter().zip(&self.sorts);
        let identity: Option<Partial> = parts.map(|(a, sort)| Scalar::of(*a, *sort)).collect();
        identity.filter(|identity| identity.len() == self.sorts.len())
    }

    fn run(&self, left: &[Scalar], right: &[Scalar]) -> Option<Partial> {
        self.program.run(&[left, right].concat())
    }

    /// Tests commutativity and associativity.
    ///
    /// A combiner may divide by a component of a partial result, such as a count or a weight. If a
    /// combiner divides by a component, commutativity and associativity need to hold only for
    /// positive values of this component.
    pub(crate) fn check(&mut self) -> Verdict {
        let broken = match self.check_samples() {
            Err(broken) if self.sorts.len() > 1 && self.program.divides() => broken,
            verdict => return verdict,
        };
        let all = self.samples.clone();
        for count in 0..self.sorts.len() {
            self.samples = partials(&self.sorts, Some(count));
            if self.check_samples().is_ok() {
                return Ok(());
            }
        }
        self.samples = all;
        Err(broken)
    }

    fn check_samples(&self) -> Verdict {
        self.holds(Law::Commutative, pairs(&self.samples))?;
        self.holds(Law::Associative, triples(&self.samples))
    }

    /// Tests whether commutativity or associativity fails for all tested tuples. The test combines
    /// two tuples only if the predicate `apart` returns true for these two tuples.
    fn check_some(&self, tuples: &[Partial], apart: fn(&Partial, &Partial) -> bool) -> Verdict {
        let two = pairs(tuples).filter(|of| apart(of[0], of[1]));
        self.holds_for_some(Law::Commutative, two.clone())?;
        let three = two.flat_map(|of| {
            let others = tuples.iter().map(move |c| vec![of[0], of[1], c]);
            others.filter(|of| apart(of[0], of[2]) && apart(of[1], of[2]))
        });
        self.holds_for_some(Law::Associative, three)
    }

    /// Tests whether `identity` is neutral to at least one sample. For example, the test rejects 0
    /// as the identity of a product, because a product with 0 changes every sample that is not 0.
    fn check_some_kept(&self, identity: &Partial) -> Verdict {
        let others = self.samples.iter().filter(|x| differ_in_all(x, identity));
        if others.clone().any(|x| self.run(identity, x).is_none()) {
            return Ok(());
        }
        let left = others.map(|x| vec![identity, x, x]);
        self.holds_for_some(Law::Identity, left)
            .map_err(CounterExample::of_all)
    }

    /// Tests whether combine(`identity`, x) and combine(x, `identity`) equal x for every sample x,
    /// and for x = `identity`. Threads without an element combine the identity with other partial
    /// results.
    pub(crate) fn check_identity(&self, identity: &Partial) -> Verdict {
        let all = once(identity).chain(&self.samples);
        self.holds(Law::Identity, sides(identity, all))?;
        // If a result overflows, the test ignores the result.
        let overflows = |(y, x): (&Scalar, &Scalar)| !y.is_finite() && x.is_finite() || y.is_nan();
        let edges = self.edges(identity);
        let known = sides(identity, &edges).filter(|of| {
            let result = self.run(of[0], of[1]);
            result.is_some_and(|y| !y.iter().zip(of[2]).any(overflows))
        });
        self.holds(Law::Identity, known)
    }

    /// Returns whether the combination of `identity` and `x` is not NaN. A NaN from `inf - inf`
    /// does not prove that the identity is wrong, because a combination of `x` with any value may
    /// be NaN.
    fn is_number(&self, identity: &[Scalar], x: &[Scalar]) -> bool {
        let sides = [self.run(identity, x), self.run(x, identity)];
        !sides.iter().flatten().flatten().any(|y| y.is_nan())
    }

    /// Returns partial results with extreme values: each partial result is the first sample or
    /// `identity`, with one component replaced by an extreme or unusual value. Without extreme
    /// values, the test would accept -1 as the identity of a maximum. Partial results that equal
    /// the identity in all components but one test how the combiner treats equal values.
    fn edges(&self, identity: &[Scalar]) -> Vec<Partial> {
        let Some(base) = self.samples.first().filter(|_| self.sorts.len() > 1) else {
            return Vec::new();
        };
        let mut bases = vec![base.clone()];
        // If the combiner divides by a count and an identity has the count 0, the other components
        // of this identity are arbitrary.
        if !self.program.divides() {
            bases.push(identity.to_vec());
        }
        let values = |part: usize| {
            let sort = self.sorts[part];
            let positive = self.samples.iter().all(|s| s[part].is_positive());
            let values = samples(sort).into_iter().chain(candidates(sort));
            values.filter(move |v| !positive || v.is_positive())
        };
        bases.iter().flat_map(|base| varied(base, values)).collect()
    }

    /// Returns whether `start` may be the initial value of a reduction. Let x be any value, and let
    /// y be combine(`start`, x). Two conditions must hold: combine(z, x) equals combine(z, y) for
    /// each partial result z, and combine(`start`, y) equals y. For example, `start` may be 0 for
    /// the combiner `sqrt(l * l + r * r)`: combine(0, -3) is 3, and combine(0, 3) is also 3.
    pub(crate) fn starts_from(&self, start: &Partial) -> bool {
        let kept = |x: &Partial| {
            let both = sides(start, once(x));
            self.holds(Law::Identity, both).is_ok()
        };
        let replaces = |x: &Partial| {
            let made = self.run(start, x)?;
            let same = |y: &Partial| {
                let finite = |x: &Partial| self.run(y, x).filter(|result| self.is_decisive(result));
                let both = finite(x).zip(finite(&made));
                both.is_none_or(|(l, r)| self.difference(Law::Commutative, &l, &r).is_none())
            };
            Some(kept(&made) && self.samples.iter().all(same))
        };
        self.sorts.len() == 1
            && kept(start)
            && self.samples.iter().all(|x| replaces(x) == Some(true))
    }

    /// Returns a possible initial value of a reduction (see [`Self::starts_from`]) as text.
    pub(crate) fn find_start(&self) -> Option<String> {
        let found = self.first_candidate(|start| self.starts_from(start));
        found.map(|start| self.show(&start))
    }

    pub(crate) fn find_identity(&self) -> Option<Partial> {
        self.first_candidate(|identity| self.check_identity(identity).is_ok())
    }

    fn first_candidate(&self, fits: impl Fn(&Partial) -> bool) -> Option<Partial> {
        let parts: Vec<Vec<Scalar>> = self.sorts.iter().map(|s| candidates(*s)).collect();
        let mut all = (0..combinations(&parts)).map(|i| digits(&parts, i));
        if all.len() > MOST_CANDIDATES {
            return None;
        }
        all.find(fits)
    }
}

impl Evaluator for Laws {
    type Partial = Partial;
    const BATCH: usize = 16;

    fn combine(&self, pairs: &[[&Partial; 2]]) -> Vec<Option<Partial>> {
        pairs.iter().map(|[l, r]| self.run(l, r)).collect()
    }

    fn is_decisive(&self, partial: &Partial) -> bool {
        partial.iter().all(|v| v.is_finite())
    }

    /// Returns the first component in which two results differ. Tests of commutativity and
    /// associativity tolerate accumulated rounding errors; tests of an identity tolerate a single
    /// rounding error.
    fn difference(&self, law: Law, left: &Partial, right: &Partial) -> Option<usize> {
        let mut parts = left.iter().zip(right).zip(&self.sorts);
        parts.position(|((l, r), sort)| match law {
            Law::Identity => !(l.is_close(*r, rounding(*sort), 0.0) || l.is_nan() && r.is_nan()),
            Law::Commutative | Law::Associative => !l.is_close(*r, tolerance(*sort), 1e-3),
        })
    }

    fn texts(&self, partial: &Partial) -> Vec<String> {
        let parts = partial.iter().zip(&self.sorts);
        parts.map(|(value, sort)| show(*value, *sort)).collect()
    }
}

fn combinations<T>(parts: &[Vec<T>]) -> usize {
    parts
        .iter()
        .fold(1, |count: usize, part| count.saturating_mul(part.len()))
}

/// Returns tuple number `i` of the Cartesian product of the lists in `parts`; the first component
/// varies fastest.
fn digits<T: Copy>(parts: &[Vec<T>], i: usize) -> Vec<T> {
    let mut rest = i;
    let digit = |values: &Vec<T>| {
        let value = values[rest % values.len()];
        rest /= values.len();
        value
    };
    parts.iter().map(digit).collect()
}

/// Returns at most [`MOST_SAMPLES`] partial results as samples; each component is a sample value of
/// its type. If `count` is given, component number `count` is positive in all samples.
fn partials(sorts: &[Sort], count: Option<usize>) -> Vec<Partial> {
    let mut parts: Vec<Vec<Scalar>> = sorts.iter().map(|s| samples(*s)).collect();
    if sorts.len() > 1 {
        for part in &mut parts {
            part.truncate(5);
        }
    }
    if let Some(part) = count.and_then(|i| parts.get_mut(i)) {
        part.retain(|v| v.is_positive());
    }
    let count = combinations(&parts);
    // The stride between two chosen combinations is coprime to the number of combinations, so no
    // combination repeats.
    let stride = [1, 7, 11, 13, 17, 19]
        .into_iter()
        .rfind(|s| *s == 1 || count > MOST_SAMPLES && !count.is_multiple_of(*s))
        .unwrap_or(1);
    let each = (0..count.min(MOST_SAMPLES)).map(|i| i.wrapping_mul(stride) % count);
    each.map(|i| digits(&parts, i)).collect()
}
