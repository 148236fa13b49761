//! The laws that a combiner must obey, tried by running it.
//!
//! Elements are combined in any order, so a combiner is commutative and associative. Threads
//! without an element combine the identity, so that is neutral. Both are decided for integers of up
//! to 8 bits, by trying everything. Elsewhere they are tried: with extremes, zeros, ones, powers of
//! two and their neighbours, each with each, and with numbers that are drawn the same on every run.
//!
//! What is found of values that may not occur is no error, but told: which tuples of values a
//! combiner meets, and whether numbers are positive, only the program's author knows. Floats that
//! are rounded may differ as much as two orders may, which is what [`Bound`](crate::Bound) says.

use crate::combiner::{Combined, Combiner};
use crate::number::{Float, Scalar, truncated};
use crate::trouble::{Site, Trouble};
use std::collections::BTreeSet;
use tx_dialect_tile::Kind;
use tx_mlir::melior::ir::Module;
use tx_mlir::{Op, attribute, string_attribute, symbol_path, walk};

/// What is found of a combiner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No law is seen to fail. What does not hold for values that may not occur is told in words.
    Hold(Vec<String>),
    /// Values for which a law fails.
    Broken(String),
    /// Why nothing can be said.
    Unknown(String),
}

/// What is found of one of the combiners of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laws {
    /// The kind, and the types of partial results.
    pub combiner: String,
    /// Where it stands.
    pub site: Site,
    /// What is found.
    pub finding: Finding,
}

/// Tries the laws of every combiner of a function or kernel, and of what it calls and launches; of
/// kinds with a name, those of each on each type once.
pub fn laws(module: &Module<'_>, entry: &str) -> Vec<Laws> {
    // SAFETY: the op lives as long as the module.
    let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for op in reached(top, entry).into_iter().flat_map(walk) {
        let Some(combiner) = Combiner::of(op) else {
            continue;
        };
        let (title, finding) = match combiner {
            Ok(combiner) => {
                let title = combiner.title();
                if combiner.kind() != Kind::Custom && !seen.insert(title.clone()) {
                    continue;
                }
                (title, combiner.laws())
            }
            Err(trouble) => (
                tx_mlir::name(op).to_owned(),
                Finding::Unknown(trouble.to_string()),
            ),
        };
        found.push(Laws {
            combiner: title,
            site: Site::of(op),
            finding,
        });
    }
    found
}

/// The functions and kernels that a run of one comes to, in the order of the module.
fn reached<'c>(top: Op<'c>, entry: &str) -> Vec<Op<'c>> {
    let functions: Vec<(String, Op<'c>)> = walk(top)
        .into_iter()
        .filter(|op| matches!(tx_mlir::name(*op), "func.func" | "gpu.func"))
        .filter_map(|op| Some((string_attribute(op, "sym_name")?, op)))
        .collect();
    let mut names = BTreeSet::from([entry.to_owned()]);
    loop {
        let known = names.len();
        let callers = functions.iter().filter(|(name, _)| names.contains(name));
        let called: Vec<String> = callers
            .flat_map(|(_, function)| walk(*function))
            .filter_map(|op| attribute(op, "kernel").or_else(|| attribute(op, "callee")))
            .filter_map(|callee| symbol_path(callee)?.pop())
            .collect();
        names.extend(called);
        if names.len() == known {
            break;
        }
    }
    let all = functions
        .into_iter()
        .filter(|(name, _)| names.contains(name));
    all.map(|(_, op)| op).collect()
}

impl Combiner<'_> {
    /// Tries the laws.
    pub fn laws(&self) -> Finding {
        match Trial::new(self).run() {
            Ok(finding) => finding,
            Err(trouble) => Finding::Unknown(trouble.to_string()),
        }
    }
}

/// Triples, and pairs, that are drawn.
const DRAWN: usize = 4096;
/// Values of which all triples are tried.
const CUBED: usize = 24;
/// Elements of which partial results are made.
const ELEMENTS: usize = 24;

/// How results of two orders are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    /// The same bits; every NaN is like every other.
    Bits,
    /// As near as two orders may be, where all is finite.
    Order,
}

struct Trial<'t, 'c> {
    combiner: &'t Combiner<'c>,
    scalars: &'t [Scalar],
    random: Random,
}

impl<'t, 'c> Trial<'t, 'c> {
    fn new(combiner: &'t Combiner<'c>) -> Self {
        Self {
            combiner,
            scalars: combiner.parts(),
            random: Random(0x5eed),
        }
    }

    fn run(mut self) -> Result<Finding, Trouble> {
        if let [Scalar::Int(bits @ 1..=8)] = self.scalars {
            return self.exhaust(*bits);
        }
        match (self.combiner.kind(), self.scalars.len()) {
            (Kind::Custom, 1) => self.custom(),
            (Kind::Custom, _) => self.tuples(),
            _ => self.named(),
        }
    }

    /// Everything that there is.
    fn exhaust(&self, bits: u32) -> Result<Finding, Trouble> {
        let n = 1_usize << bits;
        let given = |f: fn(usize, usize) -> usize| {
            Combined::given(vec![(0..n * n).map(|i| f(i, n) as u64).collect()])
        };
        let (left, right) = (given(|i, n| i / n), given(|i, n| i % n));
        let table = self.combiner.combine(&left, &right)?;
        if let Some(text) = self.compare_pairs(&left, &right, Same::Bits)? {
            return Ok(Finding::Broken(text));
        }
        let results = &table.parts[0];
        for a in 0..n {
            for b in 0..n {
                let ab = a * n + b;
                if !table.defined[ab] {
                    continue;
                }
                let row = results[ab] as usize * n;
                for c in 0..n {
                    let bc = b * n + c;
                    let (l, r) = (row + c, a * n + results[bc] as usize);
                    if results[l] == results[r] || !table.defined[bc] {
                        continue;
                    }
                    if table.defined[l] && table.defined[r] {
                        let one = |value: usize| self.show(&[value as u64]);
                        return Ok(Finding::Broken(associative(
                            [one(a), one(b), one(c)],
                            [self.show(&[results[l]]), self.show(&[results[r]])],
                        )));
                    }
                }
            }
        }
        let all = Combined::given(vec![(0..n as u64).collect()]);
        self.with_identity(&all, Vec::new())
    }

    /// One part, of a region: whatever number there is may occur.
    fn custom(&mut self) -> Result<Finding, Trouble> {
        let scalar = self.scalars[0];
        let values = Combined::given(vec![values(scalar)]);
        if let Some(text) = self.try_all(&values, Same::Order)? {
            return Ok(Finding::Broken(text));
        }
        let remarks = self.nan()?.into_iter().collect();
        // Of several values the finite ones say more.
        Ok(match self.with_identity(&values, remarks)? {
            Finding::Hold(mut remarks) => {
                remarks.extend(self.infinities(&values)?);
                Finding::Hold(remarks)
            }
            broken => broken,
        })
    }

    /// What a region does with NaN and infinities, which `select` rarely treats alike.
    fn nan(&self) -> Result<Option<String>, Trouble> {
        let Some(float) = self.scalars[0].float() else {
            return Ok(None);
        };
        let values = [1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|x| float.to_bits(x));
        let pairs =
            |f: fn(usize) -> usize| Combined::given(vec![(0..16).map(|i| values[f(i)]).collect()]);
        let found = self.compare_pairs(&pairs(|i| i / 4), &pairs(|i| i % 4), Same::Bits)?;
        Ok(found.map(in_order))
    }

    /// An infinity of which the identity makes a finite number, as the largest one does in a minimum.
    fn infinities(&self, values: &Combined) -> Result<Option<String>, Trouble> {
        let Some(float) = self.scalars[0].float() else {
            return Ok(None);
        };
        for infinity in [f64::INFINITY, f64::NEG_INFINITY] {
            let x = [float.to_bits(infinity)];
            let identity = self.combiner.identity();
            let [l, r] = [&identity[..], &x].map(|part| Combined::given(vec![part.to_vec()]));
            let result = self.combiner.combine(&l, &r)?.get(0);
            if float.value(result[0]).is_finite() {
                let [l, x, found] = [&identity[..], &x, &result].map(|p| self.show(p));
                let text = not_neutral(&l, &x, &found, &x);
                return Ok(Some(may_occur(text, &self.advice(values)?)));
            }
        }
        Ok(None)
    }

    /// Several parts, of a region. Where an element is made of one number, every positive number is
    /// taken to occur; what else does is not known.
    fn tuples(&mut self) -> Result<Finding, Trouble> {
        let combiner = self.combiner;
        let Some(element) = combiner.element() else {
            let tuples = self.mixed();
            let mut remarks = Vec::from_iter(self.try_all(&tuples, Same::Order)?.map(in_order));
            if self.identity(&tuples)?.is_none() {
                let beside = self.beside_identity();
                if let Some(text) = self.identity(&beside)? {
                    remarks.push(may_occur(text, &self.advice(&beside)?));
                }
            }
            return self.with_identity(&tuples, remarks);
        };
        let sources = element.sources.iter().enumerate().map(|(i, scalar)| {
            let mut positive = positive(*scalar);
            positive.rotate_left(i % ELEMENTS);
            positive
        });
        let elements = combiner.elements(element, &Combined::given(sources.collect()))?;
        let broken = self.try_elements(&elements)?;
        let mut remarks = match broken {
            Some(text) if element.sources.len() == 1 => return Ok(Finding::Broken(text)),
            Some(text) => vec![in_order(text)],
            None => Vec::new(),
        };
        let are_floats = element.sources.iter().all(|s| s.float().is_some());
        if are_floats && self.identity(&elements)?.is_none() {
            let infinite = element.sources.iter().map(|scalar| special(*scalar));
            let infinite = combiner.elements(element, &Combined::given(infinite.collect()))?;
            let numbers = (0..infinite.len()).filter(|i| self.is_number(&infinite, *i));
            let numbers = infinite.select(numbers.collect::<Vec<_>>().into_iter());
            if let Some(text) = self.identity(&numbers)? {
                remarks.push(may_occur(text, &self.advice(&numbers)?));
            }
        }
        self.with_identity(&elements, remarks)
    }

    /// A kind with a name, which is defined for all numbers.
    fn named(&mut self) -> Result<Finding, Trouble> {
        let combiner = self.combiner;
        let mut list = values(self.scalars[0]);
        list.extend(special(self.scalars[0]));
        let rounded =
            matches!(combiner.kind(), Kind::Sum | Kind::Prod) && self.scalars[0].float().is_some();
        let values = match self.scalars.get(1) {
            None => Combined::given(vec![list]),
            // Each value twice, with an index that no other has.
            Some(index) => {
                let both: Vec<u64> = list.iter().chain(&list).copied().collect();
                let indices = 0..both.len() as i64;
                let width = match index {
                    Scalar::Int(bits) => *bits,
                    Scalar::Float(float) => float.bits(),
                };
                // Later values come first half of the time.
                let number = |i: i64| truncated(i * 37 % both.len() as i64, width);
                Combined::given(vec![both.clone(), indices.map(number).collect()])
            }
        };
        let all = 0..values.len();
        let pairs = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
        let (left, right) = (
            values.select(pairs.clone().map(|p| p.0)),
            values.select(pairs.map(|p| p.1)),
        );
        if let Some(text) = self.compare_pairs(&left, &right, Same::Bits)? {
            return Ok(Finding::Broken(text));
        }
        let same = if rounded { Same::Order } else { Same::Bits };
        if let Some(text) = self.try_triples(&values, same)? {
            return Ok(Finding::Broken(text));
        }
        if self.scalars.len() > 1 {
            // The index of nothing is that of the first element as well: partial results start from
            // something else.
            return Ok(Finding::Hold(Vec::new()));
        }
        match self.identity(&values)? {
            Some(text) => Ok(Finding::Broken(text)),
            None => Ok(Finding::Hold(Vec::new())),
        }
    }

    /// Tuples of which all parts but one are the identity's: an index beside the least value, which
    /// only a tie shows.
    fn beside_identity(&self) -> Combined {
        let identity = self.combiner.identity();
        let mut parts = vec![Vec::new(); identity.len()];
        for (varied, scalar) in self.scalars.iter().enumerate() {
            for value in values(*scalar) {
                for (part, list) in parts.iter_mut().enumerate() {
                    list.push(if part == varied {
                        value
                    } else {
                        identity[part]
                    });
                }
            }
        }
        Combined::given(parts)
    }

    /// Whether numbers come of a tuple and the identity, in both orders.
    fn is_number(&self, tuples: &Combined, i: usize) -> bool {
        let tuple = tuples.select(std::iter::once(i));
        let identity = self.combiner.identity();
        let identity = Combined::given(identity.into_iter().map(|bits| vec![bits]).collect());
        [(&identity, &tuple), (&tuple, &identity)]
            .into_iter()
            .all(|(l, r)| {
                let result = self.combiner.combine(l, r).map(|result| result.get(0));
                result.is_ok_and(|result| {
                    let parts = self.scalars.iter().zip(result);
                    parts
                        .into_iter()
                        .all(|(scalar, bits)| !value(*scalar, bits).is_nan())
                })
            })
    }

    /// Tuples of all sorts.
    fn mixed(&mut self) -> Combined {
        let lists: Vec<Vec<u64>> = self.scalars.iter().map(|scalar| values(*scalar)).collect();
        let random = &mut self.random;
        let parts = lists
            .iter()
            .map(|list| (0..2 * CUBED).map(|_| random.pick(list)).collect());
        Combined::given(parts.collect())
    }

    /// All pairs and all triples of the first values, and others that are drawn.
    fn try_all(&mut self, values: &Combined, same: Same) -> Result<Option<String>, Trouble> {
        let n = values.len();
        let left = values.select((0..n * n).map(|i| i / n));
        let right = values.select((0..n * n).map(|i| i % n));
        if let Some(text) = self.compare_pairs(&left, &right, same)? {
            return Ok(Some(text));
        }
        self.try_triples(values, same)
    }

    fn try_triples(&mut self, values: &Combined, same: Same) -> Result<Option<String>, Trouble> {
        let n = values.len().min(CUBED);
        let cube =
            |f: fn(usize, usize) -> usize| values.select((0..n * n * n).map(move |i| f(i, n)));
        let found = self.compare_triples(
            &cube(|i, n| i / n / n),
            &cube(|i, n| i / n % n),
            &cube(|i, n| i % n),
            same,
        )?;
        if found.is_some() {
            return Ok(found);
        }
        // Among numbers that are drawn each index is one of many, and comes once.
        let drawn: Vec<Combined> = (0..3_u64).map(|which| self.drawn(which)).collect();
        let [a, b, c] = &drawn[..] else {
            return Ok(None);
        };
        match self.compare_pairs(a, b, same)? {
            Some(text) => Ok(Some(text)),
            None => self.compare_triples(a, b, c, same),
        }
    }

    fn drawn(&mut self, which: u64) -> Combined {
        let is_arg = self.combiner.kind().is_arg();
        let parts = self.scalars.iter().enumerate().map(|(part, scalar)| {
            (0..DRAWN as u64)
                .map(|i| match (scalar, is_arg && part == 1) {
                    (Scalar::Int(bits), true) => {
                        truncated((3 * i + (which + i) % 3).cast_signed(), *bits)
                    }
                    _ => self.random.number(*scalar),
                })
                .collect()
        });
        Combined::given(parts.collect())
    }

    /// Elements with each other, and with partial results of others.
    fn try_elements(&mut self, elements: &Combined) -> Result<Option<String>, Trouble> {
        let n = elements.len();
        let four: Vec<[usize; 4]> = (0..DRAWN)
            .map(|_| {
                let mut numbers: Vec<usize> = (0..n).collect();
                [0, 1, 2, 3].map(|_| numbers.swap_remove(self.random.below(numbers.len())))
            })
            .collect();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| elements.select(four.iter().map(move |f| f[k])));
        let [ab, bc, cd] = [(&a, &b), (&b, &c), (&c, &d)].map(|(l, r)| self.combiner.combine(l, r));
        let (ab, bc, cd) = (ab?, bc?, cd?);
        for (l, r) in [(&a, &b), (&ab, &c), (&ab, &cd)] {
            if let Some(text) = self.compare_pairs(l, r, Same::Order)? {
                return Ok(Some(text));
            }
        }
        for (x, y, z) in [(&a, &b, &c), (&ab, &c, &d), (&a, &bc, &d), (&a, &b, &cd)] {
            if let Some(text) = self.compare_triples(x, y, z, Same::Order)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Values for which the order of two matters.
    fn compare_pairs(
        &self,
        a: &Combined,
        b: &Combined,
        same: Same,
    ) -> Result<Option<String>, Trouble> {
        let (ab, ba) = (self.combiner.combine(a, b)?, self.combiner.combine(b, a)?);
        let found = (0..a.len()).find(|&i| !self.is_same(&ab, &ba, i, same));
        Ok(found.map(|i| {
            let [a, b, ab, ba] = [a, b, &ab, &ba].map(|p| self.show(&p.get(i)));
            format!("not commutative: combiner({a}, {b}) = {ab}, but combiner({b}, {a}) = {ba}")
        }))
    }

    /// Values for which it matters which two of three are combined first.
    fn compare_triples(
        &self,
        a: &Combined,
        b: &Combined,
        c: &Combined,
        same: Same,
    ) -> Result<Option<String>, Trouble> {
        let (ab, bc) = (self.combiner.combine(a, b)?, self.combiner.combine(b, c)?);
        let (left, right) = (
            self.combiner.combine(&ab, c)?,
            self.combiner.combine(a, &bc)?,
        );
        let found = (0..a.len()).find(|&i| {
            let between = same == Same::Bits || self.is_finite(&ab, i) && self.is_finite(&bc, i);
            between && !self.is_same(&left, &right, i, same)
        });
        Ok(found.map(|i| {
            let [a, b, c, left, right] = [a, b, c, &left, &right].map(|p| self.show(&p.get(i)));
            associative([a, b, c], [left, right])
        }))
    }

    fn is_finite(&self, partials: &Combined, i: usize) -> bool {
        let mut parts = self.scalars.iter().zip(&partials.parts);
        parts.all(|(scalar, bits)| value(*scalar, bits[i]).is_finite())
    }

    /// Whether two orders give the same, or nothing can be said.
    fn is_same(&self, left: &Combined, right: &Combined, i: usize, same: Same) -> bool {
        if !left.defined[i] || !right.defined[i] {
            return true;
        }
        if same == Same::Order && !(self.is_finite(left, i) && self.is_finite(right, i)) {
            return true;
        }
        self.scalars.iter().enumerate().all(|(part, scalar)| {
            let (l, r) = (left.parts[part][i], right.parts[part][i]);
            let (x, y) = (value(*scalar, l), value(*scalar, r));
            if l == r || x.is_nan() && y.is_nan() {
                return true;
            }
            if same == Same::Bits {
                return false;
            }
            let errors = [left, right].map(|p| p.bound(part, i, *scalar).error);
            let error = errors[0] + errors[1];
            match scalar {
                Scalar::Int(_) => error > 0.0,
                // Bounds are of first order.
                Scalar::Float(_) => x == y || !error.is_finite() || (x - y).abs() <= 2.0 * error,
            }
        })
    }

    /// The verdict when what is left is the identity: it must be neutral to itself, and is expected
    /// to be to others.
    fn with_identity(
        &self,
        values: &Combined,
        mut remarks: Vec<String>,
    ) -> Result<Finding, Trouble> {
        let itself = Combined::given(
            self.combiner
                .identity()
                .into_iter()
                .map(|bits| vec![bits])
                .collect(),
        );
        let broken =
            |text: String, advice: String| Ok(Finding::Broken(format!("{text}; {advice}")));
        if let Some(text) = self.identity(&itself)? {
            return broken(text, self.advice(values)?);
        }
        match self.identity(values)? {
            Some(text) if self.combiner.kind() != Kind::Custom => return Ok(Finding::Broken(text)),
            // Whatever the elements are.
            Some(text) if self.changes_all(values)? => {
                let all = "and so with every other value that was tried";
                return broken(format!("{text}, {all}"), self.advice(values)?);
            }
            Some(text) => remarks.push(may_occur(text, &self.advice(values)?)),
            None => {}
        }
        Ok(Finding::Hold(remarks))
    }

    /// What to do about an identity that is not neutral.
    fn advice(&self, values: &Combined) -> Result<String, Trouble> {
        if let Some(neutral) = self.neutral(values)? {
            return Ok(format!("the identity must be {}", self.show(&[neutral])));
        }
        Ok(match (self.scalars, self.combiner.element()) {
            ([_], None) => {
                "no other that is usual is neutral either: write the one that is, or mend the \
                 combiner where it changes single values (it \
                 takes away a sign, say), or such values must not occur"
            }
            (_, Some(_)) => {
                "mend the identity or the combiner, or have `element` make no such values"
            }
            _ => "mend the identity, or the combiner where it changes single values",
        }
        .to_owned())
    }

    /// An identity of one part that is neutral to all of these values, and to infinities. Of those
    /// that reductions have: another may change what was not tried.
    fn neutral(&self, values: &Combined) -> Result<Option<u64>, Trouble> {
        let [scalar] = *self.scalars else {
            return Ok(None);
        };
        let infinities = || special(scalar).into_iter().skip(1);
        let mut all: Vec<u64> = infinities().collect();
        let candidates: Vec<u64> = match scalar {
            Scalar::Int(bits @ 1..=8) => {
                let every = 0..1_u64 << bits;
                all.extend(every.clone());
                every.collect()
            }
            Scalar::Int(bits) => {
                let (least, most) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
                [0, 1, -1, least, most].map(|n| truncated(n, bits)).to_vec()
            }
            Scalar::Float(float) => {
                let numbers = [0.0, -0.0, 1.0].map(|x| float.to_bits(x));
                numbers.into_iter().chain(infinities()).collect()
            }
        };
        let defined = (0..values.len()).filter(|i| values.defined[*i]);
        all.extend(defined.map(|i| values.parts[0][i]));
        let all = Combined::given(vec![all]);
        for candidate in candidates {
            let same = Combined::given(vec![vec![candidate; all.len()]]);
            let sides = [
                self.combiner.combine(&same, &all)?,
                self.combiner.combine(&all, &same)?,
            ];
            let kept =
                |result: &Combined| (0..all.len()).all(|i| self.is_kept(scalar, &all, result, i));
            if sides.iter().all(kept) {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// Whether a value came out of a combination as it was, up to rounding.
    fn is_kept(&self, scalar: Scalar, all: &Combined, result: &Combined, i: usize) -> bool {
        let (old, new) = (all.parts[0][i], result.parts[0][i]);
        let (x, y) = (value(scalar, old), value(scalar, new));
        let error = result.bound(0, i, scalar).error;
        result.defined[i]
            && match scalar {
                Scalar::Int(_) => old == new,
                // An error that is as large as the value says nothing.
                Scalar::Float(_) => x == y || (x - y).abs() <= (2.0 * error).min(x.abs() / 2.0),
            }
    }

    /// A value that the identity changes. Of floats that are no NaN, up to rounding and the sign of 0.
    fn identity(&self, values: &Combined) -> Result<Option<String>, Trouble> {
        let n = values.len();
        let identity = self.combiner.identity();
        let identities = Combined::given(identity.iter().map(|bits| vec![*bits; n]).collect());
        for (left, right) in [(&identities, values), (values, &identities)] {
            let result = self.combiner.combine(left, right)?;
            if let Some(i) = (0..n).find(|i| self.is_changed(values, &result, *i)) {
                let [l, r, x] = [left, right, values].map(|p| self.show(&p.get(i)));
                let found = match result.defined[i] {
                    true => self.show(&result.get(i)),
                    false => "undefined".to_owned(),
                };
                return Ok(Some(not_neutral(&l, &r, &found, &x)));
            }
        }
        Ok(None)
    }

    /// Whether the identity changes all values but itself.
    fn changes_all(&self, values: &Combined) -> Result<bool, Trouble> {
        let (n, identity) = (values.len(), self.combiner.identity());
        let identities = Combined::given(identity.iter().map(|bits| vec![*bits; n]).collect());
        let result = self.combiner.combine(&identities, values)?;
        let mut others = (0..n).filter(|i| values.defined[*i] && values.get(*i) != identity);
        Ok(others.all(|i| self.is_changed(values, &result, i)))
    }

    /// Whether a value came out of a combination with the identity as another one. Of floats that
    /// are no NaN, up to rounding and the sign of 0.
    fn is_changed(&self, values: &Combined, result: &Combined, i: usize) -> bool {
        values.defined[i]
            && self.scalars.iter().enumerate().any(|(part, scalar)| {
                let (old, new) = (values.parts[part][i], result.parts[part][i]);
                let (x, y) = (value(*scalar, old), value(*scalar, new));
                let error = result.bound(part, i, *scalar).error;
                let near = (x - y).abs() <= 2.0 * error || error.is_infinite();
                !x.is_nan()
                    && match scalar {
                        Scalar::Int(_) => old != new || !result.defined[i],
                        Scalar::Float(_) => !(x == y || near) || !result.defined[i],
                    }
            })
    }

    fn show(&self, partial: &[u64]) -> String {
        let parts: Vec<String> = self
            .scalars
            .iter()
            .zip(partial)
            .map(|(s, bits)| s.show(*bits))
            .collect();
        match &parts[..] {
            [one] => one.clone(),
            _ => format!("({})", parts.join(", ")),
        }
    }
}

fn associative([a, b, c]: [String; 3], [left, right]: [String; 2]) -> String {
    format!(
        "not associative: combiner(combiner({a}, {b}), {c}) = {left}, but combiner({a}, \
         combiner({b}, {c})) = {right}"
    )
}

fn not_neutral(left: &str, right: &str, found: &str, expected: &str) -> String {
    format!("the identity is not neutral: combiner({left}, {right}) = {found}, expected {expected}")
}

fn may_occur(text: String, advice: &str) -> String {
    format!("where such values occur, {text}; {advice}")
}

fn in_order(text: String) -> String {
    may_occur(text, "the combiner must give the same in any order")
}

/// The value of a float; 0 for integers, which are compared by their bits.
fn value(scalar: Scalar, bits: u64) -> f64 {
    scalar.float().map_or(0.0, |float| float.value(bits))
}

/// Numbers that are telling: small ones first, then extremes and powers of two with their neighbours.
fn values(scalar: Scalar) -> Vec<u64> {
    match scalar {
        Scalar::Int(bits) => {
            let (least, most) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
            let small = [
                0,
                1,
                -1,
                2,
                3,
                -2,
                5,
                -7,
                12,
                least,
                most,
                least + 1,
                most - 1,
            ];
            let powers = (2..bits)
                .step_by(3)
                .flat_map(|p| [1_i64 << p, (1_i64 << p) - 1, -(1_i64 << p)]);
            let mut all: Vec<u64> = small
                .into_iter()
                .chain(powers)
                .map(|n| truncated(n, bits))
                .collect();
            let mut seen = BTreeSet::new();
            all.retain(|n| seen.insert(*n));
            all
        }
        Scalar::Float(float) => {
            let ulp = 2_f64.powi(1 - float.digits());
            let normal = 2_f64.powi(float.least_exponent());
            let list = [
                0.0,
                1.0,
                -1.0,
                2.0,
                3.0,
                0.5,
                -2.5,
                12.0,
                -0.0,
                1.0 / 3.0,
                -7.0,
                1.0 + ulp,
                1.0 - ulp / 2.0,
                -1.0 - ulp,
                100.0,
                -0.1,
                ulp,
                normal,
                -normal,
                normal * ulp,
                float.largest(),
                -float.largest(),
                float.largest() / 2.0,
                -4.0 * ulp.recip(),
                2.0 * ulp.recip(),
                normal * (1.0 - ulp),
            ];
            list.map(|x| float.to_bits(x)).to_vec()
        }
    }
}

/// Numbers that are not finite.
fn special(scalar: Scalar) -> Vec<u64> {
    let list = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    scalar
        .float()
        .map_or(Vec::new(), |float| list.map(|x| float.to_bits(x)).to_vec())
}

/// Positive numbers, of which some are equal.
fn positive(scalar: Scalar) -> Vec<u64> {
    let list = [3.0, 1.0, 2.0, 5.0, 1.0, 0.5, 12.0, 7.0, 3.0, 0.25, 2.0, 6.0];
    (0..ELEMENTS)
        .map(|i| {
            let x: f64 = list[i % list.len()];
            match scalar {
                Scalar::Int(bits) => truncated(x.ceil() as i64, bits),
                Scalar::Float(float) => float.to_bits(x),
            }
        })
        .collect()
}

/// Numbers that are the same on every run: splitmix64.
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

    fn pick(&mut self, list: &[u64]) -> u64 {
        list[self.below(list.len())]
    }

    /// Small whole numbers, numbers near them, and any at all, a third of each.
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

    /// A number whose exponent is any in the middle half of those that there are, so that products
    /// are finite.
    fn spread(&mut self, float: Float, bits: u64) -> u64 {
        let exponent =
            self.below((-float.least_exponent()) as usize) as i32 + float.least_exponent() / 2;
        float.to_bits(fraction(bits) * 2_f64.powi(exponent))
    }
}

/// A number between -2 and 2.
fn fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2_f64.powi(-51) - 2.0
}
