//! The laws that a combiner must obey, because elements are combined in any order: it is
//! commutative and associative, and its identity is neutral. They are tried on sample values.

mod slips;

pub(crate) use slips::{Slip, slip};

use super::body::dependents;
use super::program::Program;
use super::scalar::{Scalar, Sort, candidates, rounding, samples, show, tolerance};
use melior::ir::{Attribute, TypeLike as _, ValueLike as _};
use std::fmt;
use tx_mlir::build::argument;
use tx_mlir::{Blk, Val, defining_op, key, name, operands, ops};

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

/// What may be meant by a combiner that subtracts from `before`, what was combined before, or
/// divides it; of one that subtracts that from an element, or divides the element by it, why the
/// order matters.
pub(crate) fn instead<'c>(block: Blk<'c>, before: Val<'c>) -> Option<&'static str> {
    let end = ops(block).pop()?;
    let made = defining_op(*operands(end).first()?)?;
    let dependent = dependents(block, &[before]);
    // What it is combined with may be computed.
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
            "to divide by elements, multiply by 1 over each: `arith.divf` of 1.0 and the element, \
             then `arith.mulf`"
        }
        ("arith.subf" | "arith.subi", true) => {
            "the order of elements decides here: the sign of what was combined before changes \
             with every element"
        }
        ("arith.divf", true) => {
            "the order of elements decides here: what was combined before is inverted with every element"
        }
        _ => return None,
    })
}

/// Checks the combiner region of a `custom` reduction, which takes N left and N right values. What
/// nothing here can compute gets no verdict.
///
/// Of combiners of several values only some of all tuples occur, such as a mean with its count, and
/// which these are is not known: a law must hold for some of those that are tried, at least. Nor is
/// it known which elements occur, so of an identity only that must hold which is true whatever
/// these are: it is neutral to itself, and to some value at least. 0 is neutral for a largest
/// magnitude as long as these are not negative. `element` is the region that makes elements, of
/// which more occur than its samples show.
///
/// Returns a value that may occur, and that the identity changes.
///
/// # Errors
/// Gives values for which a law does not hold.
pub(crate) fn check<'c>(
    block: Blk<'c>,
    element: Option<Blk<'c>>,
    identities: &[Attribute<'c>],
) -> Result<Option<CounterExample>, CounterExample> {
    let Some(mut laws) = Program::of_block(block).and_then(Laws::new) else {
        return Ok(None);
    };
    let made = element.map(|element| {
        elements_of(element, &laws.sorts, |sources| {
            let samples = with_infinities(partials(sources, None)).into_iter();
            samples
                .flat_map(|sample| [(sample.clone(), 0), (sample, 1)])
                .collect()
        })
    });
    match &made {
        _ if laws.sorts.len() == 1 => laws.check()?,
        // What an element has in each of its parts follows from its source.
        Some(made) => laws.check_some(made, differ)?,
        None => laws.check_some(&laws.samples, differ_in_all)?,
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
            laws.check_some_kept(&identity)?;
            let occur = match made {
                Some(made) => made,
                // Which tuples occur is not known.
                None if laws.sorts.len() > 1 => Vec::new(),
                None => with_infinities(laws.samples.clone()),
            };
            let occur = occur.iter().map(Vec::as_slice);
            let changed =
                laws.check_kept(&identity, occur.filter(|x| laws.is_number(&identity, x)));
            Ok(changed.err().map(|changed| match laws.find_identity() {
                Some(neutral) => CounterExample {
                    text: format!("{}; neutral is {}", changed.text, laws.show(&neutral)),
                    ..changed
                },
                None => changed,
            }))
        }
        _ => Ok(None),
    }
}

/// What an `element` region makes of samples, each at an index that is the same in all dimensions.
fn elements_of(
    block: Blk<'_>,
    sorts: &[Sort],
    samples: impl FnOnce(&[Sort]) -> Vec<(Partial, usize)>,
) -> Vec<Partial> {
    let Some(program) = Program::of_block(block).filter(|p| p.output_sorts() == sorts) else {
        return Vec::new();
    };
    // Indices come last.
    let inputs = program.input_sorts();
    let is_source = |i: &usize| !argument(block, *i).r#type().is_index();
    let sources = (0..inputs.len()).take_while(is_source).count();
    let at = |(sample, index): (Partial, usize)| {
        let indices = std::iter::repeat_n(Scalar::Int(index as i64), inputs.len() - sources);
        program.run(&sample.into_iter().chain(indices).collect::<Partial>())
    };
    samples(&inputs[..sources])
        .into_iter()
        .filter_map(at)
        .collect()
}

fn differ(one: &[Scalar], other: &[Scalar]) -> bool {
    one != other
}

fn differ_in_all(one: &[Scalar], other: &[Scalar]) -> bool {
    one.iter().zip(other).all(|(one, other)| one != other)
}

/// The first that does not hold, if none does.
fn some_hold(
    tried: impl Iterator<Item = Result<(), CounterExample>>,
) -> Result<(), CounterExample> {
    let mut first = None;
    for one in tried {
        match one {
            Ok(()) => return Ok(()),
            Err(broken) => first = first.or(Some(broken)),
        }
    }
    first.map_or(Ok(()), Err)
}

/// The infinities as well, where there is one float: the largest number is no identity of a minimum.
fn with_infinities(mut samples: Vec<Partial>) -> Vec<Partial> {
    if let Some([Scalar::Float(_)]) = samples.first().map(Vec::as_slice) {
        samples.extend([f64::INFINITY, f64::NEG_INFINITY].map(|x| vec![Scalar::Float(x)]));
    }
    samples
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
        self.differing(left, right).is_none()
    }

    /// The first part in which two orders gave something else.
    fn differing(&self, left: &[Scalar], right: &[Scalar]) -> Option<usize> {
        let mut parts = left.iter().zip(right).zip(&self.sorts);
        parts.position(|((l, r), sort)| !l.is_close(*r, tolerance(*sort), 1e-3))
    }

    /// Whether `result` is `value` as it was, but for rounding.
    fn is_kept(&self, value: &[Scalar], result: &[Scalar]) -> bool {
        value
            .iter()
            .zip(result)
            .zip(&self.sorts)
            .all(|((v, r), sort)| v.is_close(*r, rounding(*sort), 0.0) || v.is_nan() && r.is_nan())
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
                if let (Some(ab), Some(ba)) = (&table[i][j], &table[j][i]) {
                    self.check_two([a, b], ab, ba)?;
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

    /// Tries whether the order matters to all tuples that are `apart`: then it does whichever occur.
    ///
    /// # Errors
    /// Gives the first of them.
    fn check_some(
        &self,
        tuples: &[Partial],
        apart: impl Fn(&[Scalar], &[Scalar]) -> bool,
    ) -> Result<(), CounterExample> {
        let pairs = || {
            let later = |i: usize| tuples[i + 1..].iter();
            let all = tuples.iter().enumerate();
            let all = all.flat_map(move |(i, a)| later(i).map(move |b| (a, b)));
            all.filter(|(a, b)| apart(a, b))
        };
        let commute = |(a, b): (&Partial, &Partial)| {
            let both = [self.combine_finite(a, b)?, self.combine_finite(b, a)?];
            Some(self.check_two([a, b], &both[0], &both[1]))
        };
        some_hold(pairs().filter_map(commute))?;
        let threes = pairs().flat_map(|(a, b)| tuples.iter().map(move |c| [a, b, c]));
        let threes = threes.filter(|[a, b, c]| apart(a, c) && apart(b, c));
        let associate = |[a, b, c]: [&Partial; 3]| {
            let (ab, bc) = (self.combine_finite(a, b)?, self.combine_finite(b, c)?);
            Some(self.check_three([a, b, c], &ab, &bc))
        };
        some_hold(threes.filter_map(associate))
    }

    fn check_two(
        &self,
        [a, b]: [&[Scalar]; 2],
        ab: &[Scalar],
        ba: &[Scalar],
    ) -> Result<(), CounterExample> {
        if self.same(ab, ba) {
            return Ok(());
        }
        Err(CounterExample {
            law: Law::Commutative,
            text: not_commutative([a, b].map(|p| self.show(p)), self.show(ab), self.show(ba)),
        })
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
                let (left, right) = (self.show(&left), self.show(&right));
                Err(CounterExample {
                    law: Law::Associative,
                    text: not_associative(three.map(|p| self.show(p)), left, right),
                })
            }
            _ => Ok(()),
        }
    }

    /// Tries whether `identity` is neutral to any sample: one that changes all of them, as 0 does
    /// in a product, is wrong whatever the elements are.
    ///
    /// # Errors
    /// Gives the first of the samples if all are changed.
    fn check_some_kept(&self, identity: &[Scalar]) -> Result<(), CounterExample> {
        let mut first = None;
        for x in self.samples.iter().filter(|x| differ_in_all(x, identity)) {
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
        let samples = self.samples.iter().map(Vec::as_slice);
        self.check_kept(identity, std::iter::once(identity).chain(samples))?;
        for x in self.edges(identity) {
            for (l, r) in [(identity, x.as_slice()), (&x, identity)] {
                // Where numbers overflow on the way, a law says nothing.
                let overflows = |y: Partial| {
                    y.iter()
                        .zip(&x)
                        .any(|(y, x)| !y.is_finite() && x.is_finite() || y.is_nan())
                };
                if !self.combine(l, r).is_none_or(overflows) {
                    self.check_side(l, r, &x)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a number comes of the identity and `x`. Where `inf - inf` is computed on the way, it
    /// may come of no others either.
    fn is_number(&self, identity: &[Scalar], x: &[Scalar]) -> bool {
        let sides = [self.combine(identity, x), self.combine(x, identity)];
        !sides.iter().flatten().flatten().any(|y| y.is_nan())
    }

    /// Tries whether `identity` is neutral on either side of these values.
    ///
    /// # Errors
    /// Gives the first for which it is not.
    fn check_kept<'v>(
        &self,
        identity: &[Scalar],
        mut values: impl Iterator<Item = &'v [Scalar]>,
    ) -> Result<(), CounterExample> {
        values.try_for_each(|x| {
            self.check_side(identity, x, x)?;
            self.check_side(x, identity, x)
        })
    }

    /// Tries whether `x` is what comes of `left` and `right`.
    fn check_side(
        &self,
        left: &[Scalar],
        right: &[Scalar],
        x: &[Scalar],
    ) -> Result<(), CounterExample> {
        let result = self.combine(left, right);
        if result.as_ref().is_some_and(|y| self.is_kept(x, y)) {
            return Ok(());
        }
        let result = result.map_or_else(|| "undefined".to_owned(), |y| self.show(&y));
        Err(CounterExample {
            law: Law::Identity,
            text: format!(
                "combiner({}, {}) = {result}, expected {}",
                self.show(left),
                self.show(right),
                self.show(x)
            ),
        })
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

    /// Whether what the combiner makes of `start` and any value is combined in the place of that
    /// value, and not changed by `start` any more: 0 and -3 make 3 in a root of squares, to which 0
    /// is neutral.
    pub(crate) fn starts_from(&self, start: &[Scalar]) -> bool {
        let kept = |x: &[Scalar]| self.check_kept(start, std::iter::once(x)).is_ok();
        let replaces = |x: &Partial| {
            let made = self.combine(start, x)?;
            let same = |y: &Partial| {
                let both = self.combine_finite(y, x).zip(self.combine_finite(y, &made));
                both.is_none_or(|(of_x, of_made)| self.same(&of_x, &of_made))
            };
            Some(kept(&made) && self.samples.iter().all(same))
        };
        self.sorts.len() == 1
            && kept(start)
            && self.samples.iter().all(|x| replaces(x) == Some(true))
    }

    /// What a reduction may start from, as [`Self::starts_from`], when one of those that are
    /// commonly neutral is it.
    pub(crate) fn find_start(&self) -> Option<String> {
        let found = self.find(|start| self.starts_from(start));
        found.map(|start| self.show(&start))
    }

    /// A neutral partial result, when one of those that commonly are is.
    pub(crate) fn find_identity(&self) -> Option<Partial> {
        self.find(|identity| self.check_identity(identity).is_ok())
    }

    fn find(&self, fits: impl Fn(&Partial) -> bool) -> Option<Partial> {
        let parts: Vec<Vec<Scalar>> = self.sorts.iter().map(|s| candidates(*s)).collect();
        let count = parts
            .iter()
            .try_fold(1usize, |n, p| n.checked_mul(p.len()))?;
        if count > MOST_CANDIDATES {
            return None;
        }
        (0..count).map(|i| digits(&parts, i)).find(fits)
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

fn not_commutative<T: fmt::Display>([a, b]: [T; 2], ab: T, ba: T) -> String {
    format!("combiner({a}, {b}) = {ab}, but combiner({b}, {a}) = {ba}")
}

fn not_associative<T: fmt::Display>([a, b, c]: [T; 3], left: T, right: T) -> String {
    format!(
        "combiner(combiner({a}, {b}), {c}) = {left}, but combiner({a}, combiner({b}, {c})) = {right}"
    )
}

/// The combination of `parts` with number `i`, where the first part changes fastest.
fn digits<T: Copy>(parts: &[Vec<T>], i: usize) -> Vec<T> {
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
