//! Tests of the algebraic properties of combiners: associativity, commutativity and identity. This
//! module chooses the test values and interprets the test results.
//!
//! [`tx_scalar::laws`] tests the properties by execution of the combiner in the interpreter. For
//! integers of up to 8 bits, the tests cover all values and therefore prove the properties. For
//! floats and for integers of more than 8 bits, the test values are pseudo-random numbers and
//! selected numbers, such as zeros, extremes and powers of two. The pseudo-random numbers are equal
//! in every run.
//!
//! If a property fails only for values that may never occur, the result is a remark instead of an
//! error, because only the author of the program knows which values occur. Since floats are
//! rounded, the two sides of an algebraic law may differ by at most twice the sum of their error
//! bounds ([`Bound`](crate::Bound)).

use crate::combiner::{Combined, Combiner};
use crate::ops::scalar::float_of;
use crate::site::Site;
use crate::trouble::Trouble;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::iter::once;
use tx_dialect_tile::Kind;
use tx_mlir::melior::ir::Module;
use tx_mlir::{Op, attribute, string_attribute, symbol_path, walk};
use tx_scalar::Bound;
use tx_scalar::laws::{
    CounterExample, Evaluator, Law, Verdict, candidates, pairs, sides, triples, varied,
};
use tx_scalar::number::{Float, Scalar, extremes, truncated};

/// Result of testing the algebraic properties of a combiner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The tests found no error in the combiner. Each remark describes an algebraic property that
    /// fails only for values that may never occur, such as NaN.
    Hold(Vec<String>),
    /// Message with values for which an algebraic property fails.
    Broken(String),
    /// The reason why the combiner cannot be tested.
    Unknown(String),
}

/// Test result for one combiner of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laws {
    /// Reduction kind of the combiner and types of its partial results, as text.
    pub combiner: String,
    /// Location of the reduction op.
    pub site: Site,
    /// Result of the tests.
    pub finding: Finding,
}

/// Tests the algebraic properties of every combiner in a function or kernel, in its callees and in
/// the kernels that it launches. The function tests a built-in kind such as `sum` once per element
/// type.
pub fn laws(module: &Module<'_>, entry: &str) -> Vec<Laws> {
    // SAFETY: the op lives as long as the module.
    let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for op in reached(top, entry).into_iter().flat_map(walk) {
        let Some(combiner) = Combiner::of(op) else {
            continue;
        };
        let (combiner, finding) = match combiner {
            Ok(combiner) => {
                let title = combiner.title();
                if combiner.kind() != Kind::Custom && !seen.insert(title.clone()) {
                    continue;
                }
                (title, combiner.laws())
            }
            Err(trouble) => {
                let why = Finding::Unknown(trouble.to_string());
                (tx_mlir::name(op).to_owned(), why)
            }
        };
        let site = Site::of(op);
        found.push(Laws {
            combiner,
            site,
            finding,
        });
    }
    found
}

/// Returns the functions and kernels reachable from `entry`, in module order.
fn reached<'c>(top: Op<'c>, entry: &str) -> Vec<Op<'c>> {
    let mut functions = walk(top);
    functions.retain(|op| matches!(tx_mlir::name(*op), "func.func" | "gpu.func"));
    let mut names = BTreeSet::from([entry.to_owned()]);
    let is_in = |names: &BTreeSet<String>, op: &Op<'c>| {
        string_attribute(*op, "sym_name").is_some_and(|name| names.contains(&name))
    };
    loop {
        let known = names.len();
        let callers = functions.iter().filter(|op| is_in(&names, op));
        let inside = callers.flat_map(|function| walk(*function));
        let callees =
            inside.filter_map(|op| attribute(op, "kernel").or_else(|| attribute(op, "callee")));
        let called: Vec<_> = callees
            .filter_map(|callee| symbol_path(callee)?.pop())
            .collect();
        names.extend(called);
        if names.len() == known {
            functions.retain(|op| is_in(&names, op));
            return functions;
        }
    }
}

impl Combiner<'_> {
    /// Tests the algebraic properties of the combiner.
    pub fn laws(&self) -> Finding {
        let trouble = OnceCell::new();
        let trial = Trial {
            combiner: self,
            scalars: self.parts(),
            same: Same::Order,
            trouble: &trouble,
        };
        let found = trial.run(&mut Random(0x5eed));
        match trouble.into_inner() {
            Some(trouble) => Finding::Unknown(trouble.to_string()),
            None => found.unwrap_or_else(|broken| Finding::Broken(broken.to_string())),
        }
    }
}

/// Number of pseudo-random operand tuples for the test of one algebraic law: pairs for
/// commutativity, triples for associativity.
const DRAWN: usize = 4096;
/// Maximum number of test values whose triples the associativity test combines.
const CUBED: usize = 24;
/// Number of test elements for the `element` region of a reduction.
const ELEMENTS: usize = 24;

/// Criterion for the equality of the two sides of an algebraic law such as `a + b = b + a`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    /// The two sides of an algebraic law must have the same bits; all NaNs count as equal.
    Bits,
    /// Finite results must be equal within their error bounds.
    Order,
    /// As for `Order`, finite results must be equal within their error bounds. In addition,
    /// combination with the identity may change a value by at most half of its magnitude.
    Kept,
}

type PropertyResult = Result<Finding, CounterExample>;

/// A partial result, as a list with the bits and the error bound of each component.
type Partial = Vec<(u64, Bound)>;

#[derive(Clone, Copy)]
struct Trial<'t, 'c> {
    combiner: &'t Combiner<'c>,
    scalars: &'t [Scalar],
    same: Same,
    /// Reason why the combiner cannot be executed. If the combiner cannot be executed, the test
    /// neither confirms nor refutes an algebraic law.
    trouble: &'t OnceCell<Trouble>,
}

impl Evaluator for Trial<'_, '_> {
    type Partial = Partial;
    const BATCH: usize = 4096;

    fn combine(&self, pairs: &[[&Partial; 2]]) -> Vec<Option<Partial>> {
        let [left, right] = [0, 1].map(|side| {
            let part = |k: usize| pairs.iter().map(move |pair| pair[side][k]);
            let parts = 0..self.scalars.len();
            let bits = parts.clone().map(|k| part(k).map(|p| p.0).collect());
            let bounds = parts.map(|k| Some(part(k).map(|p| p.1).collect()));
            Combined {
                bounds: bounds.collect(),
                ..Combined::given(bits.collect())
            }
        });
        let mut results = self.partials(self.combiner.combine(&left, &right));
        results.resize(pairs.len(), None);
        results
    }

    fn is_decisive(&self, partial: &Partial) -> bool {
        self.same == Same::Bits || self.numbers(partial).all(f64::is_finite)
    }

    fn difference(&self, law: Law, left: &Partial, right: &Partial) -> Option<usize> {
        let mut parts = left.iter().zip(right).zip(self.scalars);
        parts.position(|(((l, of_left), (r, of_right)), scalar)| {
            let (x, y) = (float_of(*scalar, *l), float_of(*scalar, *r));
            let within = |error: f64| x == y || (x - y).abs() <= 2.0 * error;
            let kept = of_left.error;
            // The difference of two first-order bounded values is at most the sum of the bounds.
            let error = of_left.error + of_right.error;
            let is_same = match (law, scalar) {
                (Law::Identity, Scalar::Int(_)) => l == r,
                (Law::Identity, _) if self.same == Same::Kept => within(kept.min(y.abs() / 4.0)),
                (Law::Identity, _) => within(kept) || kept.is_infinite() || y.is_nan(),
                _ if l == r || x.is_nan() && y.is_nan() => true,
                _ if self.same == Same::Bits => false,
                (_, Scalar::Int(_)) => error > 0.0,
                (_, Scalar::Float(_)) => within(error) || !error.is_finite(),
            };
            !is_same
        })
    }

    fn texts(&self, partial: &Partial) -> Vec<String> {
        let parts = self.scalars.iter().zip(partial);
        parts.map(|(scalar, part)| scalar.show(part.0)).collect()
    }
}

impl Trial<'_, '_> {
    fn run(self, random: &mut Random) -> PropertyResult {
        match (self.combiner.kind(), self.scalars) {
            (_, [Scalar::Int(bits @ 1..=8)]) => self.with(Same::Bits).exhaust(*bits),
            (Kind::Custom, [scalar]) => self.custom(*scalar, random),
            (Kind::Custom, _) => self.tuples(random),
            _ => self.named(random),
        }
    }

    fn with(self, same: Same) -> Self {
        Self { same, ..self }
    }

    /// Converts each partial result of `all` to a [`Partial`]; `None` marks an undefined partial
    /// result.
    fn partials(self, all: Result<Combined, Trouble>) -> Vec<Option<Partial>> {
        let all = match all {
            Ok(all) => all,
            Err(trouble) => {
                self.trouble.get_or_init(|| trouble);
                return Vec::new();
            }
        };
        let parts = self.scalars.iter().enumerate();
        let partial = |i: usize| {
            let part = |(k, scalar): (usize, &Scalar)| (all.parts[k][i], all.bound(k, i, *scalar));
            all.defined[i].then(|| parts.clone().map(part).collect())
        };
        (0..all.len()).map(partial).collect()
    }

    /// Returns exact partial results. `parts` contains one list of bits for each component.
    fn given(self, parts: Vec<Vec<u64>>) -> Vec<Partial> {
        let all = self.partials(Ok(Combined::given(parts)));
        all.into_iter().flatten().collect()
    }

    fn identity(self) -> Partial {
        let parts = self.combiner.identity().into_iter().zip(self.scalars);
        parts.map(|(bits, scalar)| exact(*scalar, bits)).collect()
    }

    /// Returns the components of a partial result as floats; the result for an integer component is
    /// 0.
    fn numbers(self, partial: &Partial) -> impl Iterator<Item = f64> {
        let parts = self.scalars.iter().zip(partial);
        parts.map(|(scalar, part)| float_of(*scalar, part.0))
    }

    /// Tests all values of an integer type with `bits` bits, at most 8.
    fn exhaust(self, bits: u32) -> PropertyResult {
        let n = 1_usize << bits;
        let all = self.given(vec![(0..n as u64).collect()]);
        self.holds(Law::Commutative, pairs(&all))?;
        let two = all.iter().flat_map(|l| all.iter().map(move |r| [l, r]));
        let results = self.combine(&two.collect::<Vec<_>>()).into_iter();
        let table: Vec<Option<u8>> = results.map(|result| Some(result?[0].0 as u8)).collect();
        let at = |l: usize, r: usize| table[l << bits | r].map(usize::from);
        let differ = |a, b, c| Some(at(at(a, b)?, c)? != at(a, at(b, c)?)?);
        let three = |i: usize| [i >> (2 * bits), i >> bits & (n - 1), i & (n - 1)];
        let mut three = (0..n.pow(3)).map(three);
        if let Some(three) = three.find(|[a, b, c]| differ(*a, *b, *c) == Some(true)) {
            let three = three.iter().map(|i| &all[*i]);
            self.holds(Law::Associative, once(three.collect()))?;
        }
        self.with_identity(&all, Vec::new())
    }

    /// Tests a custom combiner with one component. The test assumes that every finite value can
    /// occur as an element.
    fn custom(self, scalar: Scalar, random: &mut Random) -> PropertyResult {
        let values = self.given(vec![values(scalar)]);
        self.orders(&values, random)?;
        let remarks = Vec::from_iter(self.nan(scalar));
        let mut found = self.with_identity(&values, remarks)?;
        // The identity must be neutral to finite values. If the identity changes an infinity, the
        // result is only a remark.
        if let Finding::Hold(remarks) = &mut found {
            remarks.extend(self.infinities(scalar, &values));
        }
        Ok(found)
    }

    /// Returns a remark if a custom combiner is not commutative for NaN or infinities. Combiners
    /// with `arith.select` are rarely commutative for NaN.
    fn nan(self, scalar: Scalar) -> Option<String> {
        let one = scalar.float()?.to_bits(1.0);
        let values = self.given(vec![once(one).chain(special(scalar)).collect()]);
        let exact = self.with(Same::Bits);
        exact
            .holds(Law::Commutative, pairs(&values))
            .err()
            .map(in_order)
    }

    /// Returns a remark if combination with the identity turns an infinity into a finite number.
    /// For example, a minimum whose identity is the largest finite number turns +∞ into the largest
    /// finite number.
    fn infinities(self, scalar: Scalar, values: &[Partial]) -> Option<String> {
        let (identity, special) = (self.identity(), self.given(vec![special(scalar)]));
        let infinities = special.iter().skip(1).map(|x| vec![&identity, x, x]);
        let is_finite = |result: &Partial| self.numbers(result).all(f64::is_finite);
        let found = self.find(Law::Identity, infinities, |case| {
            case.results[0].as_ref().is_none_or(is_finite)
        });
        found.map(|case| may_occur(self.counterexample(&case), &self.advice(values)))
    }

    /// Tests a custom combiner with several components. If the reduction has one source, the test
    /// assumes that every positive number can occur as an element.
    fn tuples(self, random: &mut Random) -> PropertyResult {
        let combiner = self.combiner;
        let Some(element) = combiner.element() else {
            let tuples = self.mixed(random);
            let order = self.orders(&tuples, random).err().map(in_order);
            // These partial results differ from the identity in one component, for example in the
            // index of an argmin. The index of an argmin matters only if two values are equal.
            let beside = varied(&self.identity(), |part| {
                let scalar = self.scalars[part];
                values(scalar)
                    .into_iter()
                    .map(move |bits| exact(scalar, bits))
            });
            let beside = self.kept(&tuples).ok().and_then(|()| self.remark(&beside));
            return self.with_identity(&tuples, order.into_iter().chain(beside).collect());
        };
        let made = |sources: Vec<Vec<u64>>| {
            self.partials(combiner.elements(element, &Combined::given(sources)))
        };
        let sources = element.sources.iter();
        let positive = sources
            .clone()
            .enumerate()
            .map(|(i, scalar)| positive(*scalar, i));
        let elements = made(positive.collect());
        let order = self.try_elements(&elements, random);
        if element.sources.len() == 1 {
            order.clone()?;
        }
        let elements: Vec<Partial> = elements.into_iter().flatten().collect();
        let are_floats = sources.clone().all(|s| s.float().is_some());
        let mut infinite = None;
        if are_floats && self.kept(&elements).is_ok() {
            let made = made(sources.map(|scalar| special(*scalar)).collect());
            let numbers = made.into_iter().flatten().filter(|x| self.is_number(x));
            infinite = self.remark(&numbers.collect::<Vec<_>>());
        }
        let order = order.err().map(in_order);
        self.with_identity(&elements, order.into_iter().chain(infinite).collect())
    }

    /// Tests a built-in kind such as `sum`, which is defined for all numbers.
    fn named(self, random: &mut Random) -> PropertyResult {
        let scalar = self.scalars[0];
        let mut parts = vec![values(scalar)];
        parts[0].extend(special(scalar));
        if let Some(index) = self.scalars.get(1) {
            // Each value occurs twice, each time with a unique index. The order of the indices differs
            // from the order of the list.
            let both = parts[0].repeat(2);
            let width = 8 * index.bytes() as u32;
            let number = |i: usize| truncated((i * 37 % both.len()) as i64, width);
            parts = vec![both.clone(), (0..both.len()).map(number).collect()];
        }
        let values = self.given(parts);
        let exact = self.with(Same::Bits);
        exact.holds(Law::Commutative, pairs(&values))?;
        match (self.combiner.kind(), scalar) {
            (Kind::Sum | Kind::Prod, Scalar::Float(_)) => self.associates(&values, random)?,
            _ => exact.associates(&values, random)?,
        }
        // The identity of argmin and argmax has index 0, which is also the index of the first
        // element. Lowered code starts from another initial value, so this function does not test
        // the identity.
        if self.scalars.len() == 1 {
            self.kept(&values)?;
        }
        Ok(Finding::Hold(Vec::new()))
    }

    /// Combines `tuple` with the identity in both operand orders, and returns whether no result
    /// contains a NaN.
    fn is_number(self, tuple: &Partial) -> bool {
        let identity = self.identity();
        let results = self.combine(&[[&identity, tuple], [tuple, &identity]]);
        let mut results = results.iter().flatten();
        results.all(|result| !self.numbers(result).any(f64::is_nan))
    }

    /// Returns random partial results whose components are chosen independently of each other.
    fn mixed(self, random: &mut Random) -> Vec<Partial> {
        let parts = self.scalars.iter().map(|scalar| {
            let list = values(*scalar);
            let picked = (0..2 * CUBED).map(|_| list[random.below(list.len())]);
            picked.collect()
        });
        self.given(parts.collect())
    }

    /// Tests commutativity and associativity. The tests combine all pairs of the given values, and
    /// all triples of the first [`CUBED`] values. In addition, the tests combine [`DRAWN`]
    /// pseudo-random pairs and [`DRAWN`] pseudo-random triples.
    fn orders(self, values: &[Partial], random: &mut Random) -> Verdict {
        self.holds(Law::Commutative, pairs(values))?;
        self.associates(values, random)
    }

    fn associates(self, values: &[Partial], random: &mut Random) -> Verdict {
        let cubed = &values[..values.len().min(CUBED)];
        self.holds(Law::Associative, triples(cubed))?;
        // Each pseudo-random value has a unique index.
        let drawn = [0, 1, 2].map(|which| self.drawn(which, random));
        let [a, b, c] = &drawn;
        self.holds(Law::Commutative, zipped([a, b]))?;
        self.holds(Law::Associative, zipped([a, b, c]))
    }

    fn drawn(self, which: i64, random: &mut Random) -> Vec<Option<Partial>> {
        let is_arg = self.combiner.kind().is_arg();
        let parts = self.scalars.iter().enumerate().map(|(part, scalar)| {
            let number = |i: i64| match (scalar, is_arg && part == 1) {
                (Scalar::Int(bits), true) => truncated(3 * i + (which + i) % 3, *bits),
                _ => random.number(*scalar),
            };
            (0..DRAWN as i64).map(number).collect()
        });
        self.partials(Ok(Combined::given(parts.collect())))
    }

    /// Tests commutativity and associativity on partial results that combine one or two elements
    /// each.
    fn try_elements(self, elements: &[Option<Partial>], random: &mut Random) -> Verdict {
        if elements.is_empty() {
            return Ok(());
        }
        let mut drawn = [const { Vec::new() }; 4];
        for _ in 0..DRAWN {
            let mut others: Vec<_> = elements.iter().collect();
            for list in &mut drawn {
                list.push(others.swap_remove(random.below(others.len())).clone());
            }
        }
        let [a, b, c, d] = &drawn;
        let both = |l: &[Option<Partial>], r: &[Option<Partial>]| {
            let two = l
                .iter()
                .zip(r)
                .map(|(l, r)| Some([l.as_ref()?, r.as_ref()?]));
            // Combines the pairs, including pairs with an infinite or NaN partial result.
            self.combine_known(Law::Identity, two)
        };
        let (ab, bc, cd) = (&both(a, b), &both(b, c), &both(c, d));
        for two in [[a, b], [ab, c], [ab, cd]] {
            self.holds(Law::Commutative, zipped(two))?;
        }
        for three in [[a, b, c], [ab, c, d], [a, bc, d], [a, b, cd]] {
            self.holds(Law::Associative, zipped(three))?;
        }
        Ok(())
    }

    /// Tests whether the identity is neutral to the given values. The test permits that combination
    /// with the identity rounds a float or changes the sign of 0.
    fn kept(self, values: &[Partial]) -> Verdict {
        self.holds(Law::Identity, sides(&self.identity(), values))
    }

    /// Returns a remark if combination with the identity changes at least one of the given values.
    fn remark(self, values: &[Partial]) -> Option<String> {
        let changed = self.kept(values).err()?;
        Some(may_occur(changed, &self.advice(values)))
    }

    /// Tests the identity of a combiner: the combination of the identity with itself must yield the
    /// identity. If the identity of a custom combiner is neutral to some, but not all, tested
    /// values, the function adds a remark.
    fn with_identity(self, values: &[Partial], mut remarks: Vec<String>) -> PropertyResult {
        let identity = self.identity();
        let is_custom = self.combiner.kind() == Kind::Custom;
        let differs = |x: &&Partial| x.iter().zip(&identity).any(|(l, r)| l.0 != r.0);
        let others = values.iter().filter(differs);
        let mut verdict = self.kept(std::slice::from_ref(&identity));
        if verdict.is_ok() && is_custom {
            // Regardless of the elements that occur, the identity must be neutral to at least one
            // other value.
            let left = others.map(|x| vec![&identity, x, x]);
            let some = self.holds_for_some(Law::Identity, left);
            verdict = some.map_err(CounterExample::of_all);
        }
        if let Err(mut broken) = verdict {
            broken.text += &format!("; {}", self.advice(values));
            return Err(broken);
        }
        if !is_custom {
            self.kept(values)?;
        }
        remarks.extend(self.remark(values));
        Ok(Finding::Hold(remarks))
    }

    /// Returns advice for the correction of an identity that is not neutral to the given values.
    fn advice(self, values: &[Partial]) -> String {
        if let Some(neutral) = self.neutral(values) {
            return format!("the identity must be {}", self.show(&neutral));
        }
        match (self.scalars, self.combiner.element()) {
            ([_], None) => {
                "no common identity is neutral either: set the neutral value, or correct the \
                 combiner where it changes single values (for example, drops a sign), or exclude \
                 such values"
            }
            (_, Some(_)) => {
                "correct the identity or the combiner, or let `element` produce no such values"
            }
            _ => "correct the identity, or the combiner where it changes single values",
        }
        .to_owned()
    }

    /// Searches for an identity that changes neither the given values nor the infinities. Returns
    /// `None` if a partial result has several components. For integers of more than 8 bits and for
    /// floats, the function tries only common identities, such as 0 and 1, because an uncommon
    /// identity could change an untested value.
    fn neutral(self, values: &[Partial]) -> Option<Partial> {
        let [scalar] = *self.scalars else {
            return None;
        };
        let every = match scalar {
            Scalar::Int(bits @ 1..=8) => 0..1 << bits,
            Scalar::Int(_) | Scalar::Float(_) => 0..0,
        };
        let likely = match scalar {
            Scalar::Int(1..=8) => every.clone().collect(),
            Scalar::Int(_) => candidates(scalar),
            Scalar::Float(float) => [candidates(scalar), vec![float.to_bits(-0.0)]].concat(),
        };
        let infinities = special(scalar).into_iter().skip(1);
        let values = values.iter().map(|x| x[0].0);
        let all = self.given(vec![infinities.chain(every).chain(values).collect()]);
        let is_kept = |identity: &Partial| {
            let kept = self.with(Same::Kept);
            kept.holds(Law::Identity, sides(identity, &all)).is_ok()
        };
        self.given(vec![likely]).into_iter().find(is_kept)
    }
}

/// Returns one tuple per index `i`, with the partial result at index `i` of each list. The function
/// omits each tuple that contains an undefined partial result.
fn zipped<const N: usize>(
    lists: [&Vec<Option<Partial>>; N],
) -> impl Iterator<Item = Vec<&Partial>> {
    let one = move |i: usize| lists.iter().map(|list| list[i].as_ref()).collect();
    (0..lists[0].len()).filter_map(one)
}

fn may_occur(broken: CounterExample, advice: &str) -> String {
    format!("where such values occur, {broken}; {advice}")
}

fn in_order(broken: CounterExample) -> String {
    may_occur(
        broken,
        "the combiner must give the same result in any order",
    )
}

/// Returns a component with the given bits and the error bound of an exact number.
fn exact(scalar: Scalar, bits: u64) -> (u64, Bound) {
    (bits, Bound::exact(float_of(scalar, bits)))
}

/// Returns the test values of a type, beginning with small numbers.
fn values(scalar: Scalar) -> Vec<u64> {
    match scalar {
        Scalar::Int(bits) => {
            let (least, most) = extremes(bits);
            let small = [0, 1, -1, 2, 3, -2, 5, -7, 12].into_iter();
            let large = [least, most, least + 1, most - 1];
            let powers = (2..bits).step_by(3).map(|p| 1_i64 << p);
            let near = powers.flat_map(|power| [power, power - 1, -power]);
            let all = small.chain(large).chain(near);
            let mut seen = BTreeSet::new();
            let mut all: Vec<u64> = all.map(|n| truncated(n, bits)).collect();
            all.retain(|n| seen.insert(*n));
            all
        }
        Scalar::Float(float) => {
            let ulp = 2_f64.powi(1 - float.digits());
            let (normal, large) = (2_f64.powi(float.least_exponent()), float.largest());
            let third = 1.0 / 3.0;
            let small = [0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -2.5, 12.0, -0.0, third, -7.0];
            let near = [1.0 + ulp, 1.0 - ulp / 2.0, -1.0 - ulp, 100.0, -0.1, ulp];
            let edges = [normal, -normal, normal * ulp, large, -large, large / 2.0];
            let whole = [-4.0 * ulp.recip(), 2.0 * ulp.recip(), normal * (1.0 - ulp)];
            let all = small.into_iter().chain(near).chain(edges).chain(whole);
            all.map(|x| float.to_bits(x)).collect()
        }
    }
}

fn special(scalar: Scalar) -> Vec<u64> {
    let list = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter();
    let bits = |float: Float| list.map(|x| float.to_bits(x)).collect();
    scalar.float().map_or(Vec::new(), bits)
}

/// Returns `ELEMENTS` positive numbers with some duplicates: a fixed list, rotated by `first`
/// positions and repeated.
fn positive(scalar: Scalar, first: usize) -> Vec<u64> {
    let list = [3.0, 1.0, 2.0, 5.0, 1.0, 0.5, 12.0, 7.0, 3.0, 0.25, 2.0, 6.0];
    let bits = |x: f64| match scalar {
        Scalar::Int(bits) => truncated(x.ceil() as i64, bits),
        Scalar::Float(float) => float.to_bits(x),
    };
    let list = list.into_iter().cycle().skip(first % list.len());
    list.take(ELEMENTS).map(bits).collect()
}

/// Pseudo-random numbers (SplitMix64), equal in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Returns a pseudo-random number. A returned integer is small or has random bits. A returned
    /// float is a small integer, a number between -2 and 2, or a number with a random exponent.
    fn number(&mut self, scalar: Scalar) -> u64 {
        let whole = self.below(33) as i64 - 16;
        let bits = self.next();
        match (scalar, self.below(3)) {
            (Scalar::Int(width), 0 | 1) => truncated(whole, width),
            (Scalar::Int(width), _) => truncated(bits.cast_signed(), width),
            (Scalar::Float(float), 0) => float.to_bits(whole as f64),
            (Scalar::Float(float), 1) => float.to_bits(fraction(bits)),
            (Scalar::Float(float), _) => self.spread(float, bits),
        }
    }

    /// Returns a number with an exponent from the middle half of the exponent range, so that
    /// products are finite.
    fn spread(&mut self, float: Float, bits: u64) -> u64 {
        let least = float.least_exponent();
        let exponent = self.below(least.unsigned_abs() as usize) as i32 + least / 2;
        float.to_bits(fraction(bits) * 2_f64.powi(exponent))
    }
}

/// Returns a number between -2 and 2.
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2_f64.powi(-51) - 2.0
}
