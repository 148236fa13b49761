//! The laws that a combiner must obey, because elements are combined in any order: it is
//! commutative and associative, and its identity is neutral. They are tried on sample values.

use super::program::Program;
use super::scalar::{Scalar, Sort, candidates, rounding, samples, show, tolerance};
use melior::ir::Attribute;
use std::fmt;
use tx_mlir::Blk;

/// A partial result: a value for each part.
pub(crate) type Partial = Vec<Scalar>;

/// What a combiner must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Law {
    Commutative,
    Associative,
    /// The identity is neutral.
    Identity,
}

/// Values that show that a law does not hold.
#[derive(Debug, Clone)]
pub(crate) struct CounterExample {
    pub(crate) law: Law,
    /// `combiner(1, 2) = -1, but combiner(2, 1) = 1`.
    pub(crate) text: String,
}

impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.law {
            Law::Commutative => "the combiner is not commutative",
            Law::Associative => "the combiner is not associative",
            Law::Identity => "the identity is not neutral",
        })
    }
}

/// Checks the combiner region of a `custom` reduction, which takes N left and N right values. What
/// nothing here can compute gets no verdict.
///
/// Of combiners of several values only some of all tuples occur, such as a mean with its count, and
/// which these are is not known: they are not tried with samples. Nor is it known which elements
/// occur, so of an identity only that is tried which must hold whatever these are: it is neutral to
/// itself, and to some value at least. 0 is neutral for a largest magnitude as long as these are not negative.
///
/// # Errors
/// Gives values for which a law does not hold.
pub(crate) fn check<'c>(
    block: Blk<'c>,
    identities: &[Attribute<'c>],
) -> Result<(), CounterExample> {
    let Some(mut laws) = Program::of_block(block).and_then(Laws::new) else {
        return Ok(());
    };
    if laws.sorts.len() == 1 {
        laws.check()?;
    }
    let parts = identities.iter().zip(&laws.sorts);
    let identity = parts
        .map(|(a, sort)| Scalar::of(*a, *sort))
        .collect::<Option<Partial>>();
    match identity {
        Some(identity) if identity.len() == laws.sorts.len() => {
            let samples = std::mem::take(&mut laws.samples);
            laws.check_identity(&identity)?;
            laws.samples = samples;
            match laws.sorts.len() {
                1 => laws.check_some_kept(&identity),
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// A combiner and the values that it is tried with.
pub(crate) struct Laws {
    program: Program,
    /// Sort of each part of a partial result.
    sorts: Vec<Sort>,
    samples: Vec<Partial>,
}

/// Partial results that are tried with each other; three at a time take the cube of it.
const MOST_SAMPLES: usize = 28;

/// Identities that are tried.
const MOST_CANDIDATES: usize = 5000;

impl Laws {
    /// The laws of a program that takes N left and N right values and gives N; `None` for others.
    pub(crate) fn new(program: Program) -> Option<Self> {
        let sorts = program.output_sorts();
        let n = sorts.len();
        let inputs = program.input_sorts();
        if n == 0 || inputs.len() != 2 * n || inputs[..n] != sorts || inputs[n..] != sorts {
            return None;
        }
        let samples = partials(&sorts, None);
        Some(Self {
            program,
            sorts,
            samples,
        })
    }

    fn combine(&self, left: &[Scalar], right: &[Scalar]) -> Option<Partial> {
        self.program.run(&[left, right].concat())
    }

    /// The same, where all that is computed is finite: elsewhere laws say nothing.
    fn combine_finite(&self, left: &[Scalar], right: &[Scalar]) -> Option<Partial> {
        self.combine(left, right)
            .filter(|p| p.iter().all(|v| v.is_finite()))
    }

    /// Whether two orders gave the same, up to rounding in between.
    fn same(&self, left: &[Scalar], right: &[Scalar]) -> bool {
        left.iter()
            .zip(right)
            .zip(&self.sorts)
            .all(|((l, r), sort)| l.is_close(*r, tolerance(*sort), 1e-3))
    }

    /// Whether `result` is `value` as it was, but for rounding.
    fn is_kept(&self, value: &[Scalar], result: &[Scalar]) -> bool {
        value
            .iter()
            .zip(result)
            .zip(&self.sorts)
            .all(|((v, r), sort)| v.is_close(*r, rounding(*sort), 0.0))
    }

    /// Tries commutativity and associativity.
    ///
    /// Where one of several parts is divided by, it may be a count or a weight, and the laws need to
    /// hold for positive ones only.
    ///
    /// # Errors
    /// Gives values for which a law does not hold.
    pub(crate) fn check(&mut self) -> Result<(), CounterExample> {
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

    fn check_samples(&self) -> Result<(), CounterExample> {
        let samples = &self.samples;
        let table: Vec<Vec<Option<Partial>>> = samples
            .iter()
            .map(|a| samples.iter().map(|b| self.combine_finite(a, b)).collect())
            .collect();
        for (i, a) in samples.iter().enumerate() {
            for (j, b) in samples.iter().enumerate().skip(i + 1) {
                if let (Some(ab), Some(ba)) = (&table[i][j], &table[j][i])
                    && !self.same(ab, ba)
                {
                    return Err(CounterExample {
                        law: Law::Commutative,
                        text: format!(
                            "combiner({}, {}) = {}, but combiner({1}, {0}) = {}",
                            self.show(a),
                            self.show(b),
                            self.show(ab),
                            self.show(ba)
                        ),
                    });
                }
            }
        }
        for (a, row) in samples.iter().zip(&table) {
            for ((b, ab), next) in samples.iter().zip(row).zip(&table) {
                let Some(ab) = ab else { continue };
                for (c, bc) in samples.iter().zip(next) {
                    if let Some(bc) = bc {
                        self.check_three([a, b, c], ab, bc)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn check_three(
        &self,
        three: [&[Scalar]; 3],
        ab: &[Scalar],
        bc: &[Scalar],
    ) -> Result<(), CounterExample> {
        let left = self.combine_finite(ab, three[2]);
        let right = self.combine_finite(three[0], bc);
        match (left, right) {
            (Some(left), Some(right)) if !self.same(&left, &right) => {
                let [a, b, c] = three.map(|p| self.show(p));
                Err(CounterExample {
                    law: Law::Associative,
                    text: format!(
                        "combiner(combiner({a}, {b}), {c}) = {}, but combiner({a}, combiner({b}, {c})) = {}",
                        self.show(&left),
                        self.show(&right)
                    ),
                })
            }
            _ => Ok(()),
        }
    }

    /// Tries whether `identity` is neutral to any sample: one that changes all of them, as 0 does in a product, is wrong
    /// whatever the elements are.
    ///
    /// # Errors
    /// Gives the first of the samples if all are changed.
    fn check_some_kept(&self, identity: &[Scalar]) -> Result<(), CounterExample> {
        let mut first = None;
        for x in self.samples.iter().filter(|x| x.as_slice() != identity) {
            let Some(result) = self.combine(identity, x) else {
                return Ok(());
            };
            if self.is_kept(x, &result) {
                return Ok(());
            }
            first = first.or(Some((x, result)));
        }
        let Some((x, result)) = first else {
            return Ok(());
        };
        Err(CounterExample {
            law: Law::Identity,
            text: format!(
                "combiner({}, {}) = {}, expected {1}, and so with every other value that was tried",
                self.show(identity),
                self.show(x),
                self.show(&result)
            ),
        })
    }

    /// Tries whether `identity` is neutral on either side of every sample and of itself: threads
    /// without an element combine it.
    ///
    /// # Errors
    /// Gives a value for which it is not.
    pub(crate) fn check_identity(&self, identity: &[Scalar]) -> Result<(), CounterExample> {
        let edges = self.edges(identity);
        let itself = std::iter::once((identity, false));
        let samples = self.samples.iter().map(|x| (x.as_slice(), false));
        let edges = edges.iter().map(|x| (x.as_slice(), true));
        for (x, is_edge) in itself.chain(samples).chain(edges) {
            for (l, r) in [(identity, x), (x, identity)] {
                let result = self.combine(l, r);
                // Where numbers overflow on the way, a law says nothing.
                let overflows = |y: &Partial| {
                    y.iter()
                        .zip(x)
                        .any(|(y, x)| !y.is_finite() && x.is_finite() || y.is_nan())
                };
                if is_edge && result.as_ref().is_none_or(overflows) {
                    continue;
                }
                if result.as_ref().is_some_and(|y| self.is_kept(x, y)) {
                    continue;
                }
                let result = result.map_or_else(|| "undefined".to_owned(), |y| self.show(&y));
                return Err(CounterExample {
                    law: Law::Identity,
                    text: format!(
                        "combiner({}, {}) = {result}, expected {}",
                        self.show(l),
                        self.show(r),
                        self.show(x)
                    ),
                });
            }
        }
        Ok(())
    }

    /// Samples with one part at a time as small, as large and as odd as it may be: with few values
    /// for each of several parts, -1 would pass for the least. So would an index beside a value that
    /// is the identity's, which only a tie shows.
    fn edges(&self, identity: &[Scalar]) -> Vec<Partial> {
        let Some(base) = self.samples.first().filter(|_| self.sorts.len() > 1) else {
            return Vec::new();
        };
        let mut bases = vec![base.clone()];
        // Beside a count of nothing other parts mean nothing.
        if !self.program.divides() {
            bases.push(identity.to_vec());
        }
        let mut edges = Vec::new();
        for base in bases {
            for (i, sort) in self.sorts.iter().enumerate() {
                let positive = self.samples.iter().all(|s| s[i].is_positive());
                let values = samples(*sort).into_iter().chain(candidates(*sort));
                for value in values.filter(|v| !positive || v.is_positive()) {
                    let mut edge = base.clone();
                    edge[i] = value;
                    edges.push(edge);
                }
            }
        }
        edges
    }

    /// A neutral partial result, when one of those that commonly are is.
    pub(crate) fn find_identity(&self) -> Option<Partial> {
        let parts: Vec<Vec<Scalar>> = self.sorts.iter().map(|s| candidates(*s)).collect();
        let count = parts
            .iter()
            .try_fold(1usize, |n, p| n.checked_mul(p.len()))?;
        if count > MOST_CANDIDATES {
            return None;
        }
        (0..count)
            .map(|i| digits(&parts, i))
            .find(|identity| self.check_identity(identity).is_ok())
    }

    fn show(&self, partial: &[Scalar]) -> String {
        let parts: Vec<String> = partial
            .iter()
            .zip(&self.sorts)
            .map(|(v, s)| show(*v, *s))
            .collect();
        match &parts[..] {
            [one] => one.clone(),
            _ => format!("({})", parts.join(", ")),
        }
    }
}

/// The combination of `parts` with number `i`, where the first part changes fastest.
fn digits(parts: &[Vec<Scalar>], i: usize) -> Partial {
    let mut rest = i;
    parts
        .iter()
        .map(|values| {
            let value = values[rest % values.len()];
            rest /= values.len();
            value
        })
        .collect()
}

/// Partial results of small values: every value of a single part; of several parts all
/// combinations of few, or a fixed choice of them that mixes. Part `count` is positive.
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
    let Some(count) = parts.iter().try_fold(1usize, |n, p| n.checked_mul(p.len())) else {
        return Vec::new();
    };
    let wanted = count.min(MOST_SAMPLES);
    let mut found: Vec<Partial> = Vec::new();
    // The stride has no factor in common with the number of combinations, so that none comes twice.
    let stride = [1, 7, 11, 13, 17, 19]
        .into_iter()
        .rfind(|s| *s == 1 || count > MOST_SAMPLES && !count.is_multiple_of(*s))
        .unwrap_or(1);
    for i in 0..wanted {
        found.push(digits(&parts, i.wrapping_mul(stride) % count));
    }
    found
}
