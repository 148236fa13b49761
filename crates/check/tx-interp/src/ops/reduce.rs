//! Reference semantics of reductions. A reduction combines its elements from left to right, in
//! row-major order.

use crate::build::Build;
use crate::code::Code;
use crate::machine::Exec;
use crate::ops::scalar::{bits_of, bound_of, float_of};
use crate::trouble::Trouble;
use crate::value::{Lanes, Slot, Value};
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::{Kind, Nan};
use tx_mlir::{
    Blk, Op, attribute, defining_op, elements, first_block, is, is_defined_in, key, operands, ops,
    walk,
};
use tx_scalar::Bound;
use tx_scalar::calc::{Operation, operation};
use tx_scalar::number::{Float, Scalar, signed, truncated};

/// Combines two partial results, for many lanes at once.
pub(crate) struct Combine<'c> {
    pub(crate) parts: Vec<Scalar>,
    kind: Kind,
    nan: Nan,
    semantics: Semantics<'c>,
    /// Whether the combiner region uses non-constant SSA values from outside of the reduction op.
    captures: bool,
}

/// Perturbation of an operand: increases or decreases one component of the left or right operand by
/// the error bound of this component.
#[derive(Clone, Copy, PartialEq)]
struct Perturbation {
    side: usize,
    part: usize,
    sign: f64,
}

enum Semantics<'c> {
    Named(Operation),
    /// Argmin or argmax: selects the better value, or the lower index if values are equal.
    Arg,
    /// A custom combiner region, and the identity of each component.
    Region(Code<'c>, Vec<u64>),
}

/// Maximum number of zero components of a partial result for which the interpreter tries all
/// combinations of signs. If a partial result has more zero components, the sign of each zero
/// component counts as undecided.
const MOST_ZEROS: usize = 3;

/// Partial results: one list of numbers per component.
pub(crate) type Parts = Vec<Lanes>;

impl<'c> Combine<'c> {
    pub(crate) fn new(
        op: Op<'c>,
        kind: Kind,
        nan: Nan,
        parts: Vec<Scalar>,
        build: &mut Build<'_, 'c>,
    ) -> Result<Self, Trouble> {
        let semantics = match kind {
            Kind::Custom => {
                let identities = attribute(op, "identities")
                    .and_then(elements)
                    .unwrap_or_default()
                    .into_iter()
                    .zip(&parts)
                    .map(|(value, scalar)| bits_of(value, *scalar, 1).map(|bits| bits[0]))
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| Trouble::unsupported(op, "with identities of other types"))?;
                Semantics::Region(build.body(op, 0)?, identities)
            }
            kind if kind.is_arg() => Semantics::Arg,
            kind => {
                let name = arith(kind, nan, parts[0]);
                let operation = operation(name, None, &[parts[0]; 2], parts[0])
                    .ok_or_else(|| Trouble::unsupported(op, format!("of kind {kind}")))?;
                Semantics::Named(operation)
            }
        };
        Ok(Self {
            parts,
            kind,
            nan,
            semantics,
            captures: first_block(op, 0)
                .is_some_and(|block| constants_outside(op, std::iter::once(block)).is_err()),
        })
    }

    /// Returns the identity of the combiner: the bits of each component.
    pub(crate) fn identity(&self) -> Vec<u64> {
        match &self.semantics {
            Semantics::Region(_, identities) => identities.clone(),
            Semantics::Arg => vec![identity(self.kind, self.parts[0]), 0],
            Semantics::Named(_) => vec![identity(self.kind, self.parts[0])],
        }
    }

    pub(crate) fn combine(
        &self,
        exec: &mut Exec<'_>,
        left: &Parts,
        right: &Parts,
    ) -> Result<Parts, Trouble> {
        let mut out = left.iter().map(|lanes| lanes.spread(exec.lanes)).collect();
        self.combine_into(exec, &mut out, right, 0)?;
        Ok(out)
    }

    /// Combines the partial results `before` with the elements `new`, one element per lane at a
    /// time.
    pub(crate) fn fold(
        &self,
        exec: &mut Exec<'_>,
        before: Option<Parts>,
        new: &Parts,
    ) -> Result<Parts, Trouble> {
        let (lanes, all) = (exec.lanes, new.first().map_or(0, |part| part.bits.len()));
        let (mut out, mut from) = match before {
            Some(parts) => (parts, 0),
            None => (new.iter().map(|part| part.part(0, lanes)).collect(), lanes),
        };
        while from < all {
            self.combine_into(exec, &mut out, new, from)?;
            from += lanes;
        }
        Ok(out)
    }

    /// Combines lane `i` of `left` with lane `from + i` of `right`, for all lanes.
    fn combine_into(
        &self,
        exec: &mut Exec<'_>,
        left: &mut Parts,
        right: &Parts,
        from: usize,
    ) -> Result<(), Trouble> {
        let lanes = exec.lanes;
        let bounded = exec.world.bounds;
        match &self.semantics {
            Semantics::Named(operation) => {
                let scalar = self.parts[0];
                let (left, right) = (&mut left[0], &right[0]);
                for lane in 0..lanes {
                    let (a, b) = (left.get(lane, 0), right.get(from + lane, 0));
                    // Built-in kinds are defined for all numbers.
                    let bits = (operation.calc)(&[a, b, 0]).unwrap_or(0);
                    let bound = bounded.then(|| {
                        let bounds = [
                            bound_of(left, scalar, lane, 0),
                            bound_of(right, scalar, from + lane, 0),
                            Bound::exact(0.0),
                        ];
                        join(operation, scalar, [a, b], bits, &bounds)
                    });
                    left.set(lane, 0, bits, bound.flatten());
                }
            }
            Semantics::Arg => {
                let scalar = self.parts[0];
                for lane in 0..lanes {
                    let a = [left[0].get(lane, 0), left[1].get(lane, 0)];
                    let b = [0, 1].map(|i| right[i].get(from + lane, 0));
                    let near = bounded.then(|| {
                        let x = bound_of(&left[0], scalar, lane, 0);
                        let y = bound_of(&right[0], scalar, from + lane, 0);
                        let near = x.error + y.error;
                        let distance = (float_of(scalar, a[0]) - float_of(scalar, b[0])).abs();
                        let open = near > 0.0 && (distance.is_nan() || distance <= 2.0 * near);
                        open.then(|| x.wider(y))
                    });
                    let wins = self.wins(a, b);
                    if !wins {
                        for (left, right) in left.iter_mut().zip(right) {
                            let other = from + lane;
                            left.set(lane, 0, right.get(other, 0), right.bound(other, 0));
                        }
                    }
                    if let Some(bound) = near.flatten() {
                        for (part, bound) in left.iter_mut().zip([bound, Bound::anything()]) {
                            part.set(lane, 0, part.get(lane, 0), Some(bound));
                        }
                    }
                }
            }
            Semantics::Region(code, _) => {
                let right: Parts = right.iter().map(|part| part.part(from, lanes)).collect();
                let arguments = left.iter().chain(&right);
                for (slot, value) in code.arguments.iter().zip(arguments) {
                    exec.slots[*slot] = Value::Numbers(value.clone());
                }
                code.run(exec)?;
                let before = std::mem::replace(left, slot_numbers(exec, &code.yields));
                if bounded {
                    self.refine(exec, code, [&before, &right], left);
                    let [mut a, mut b, mut after] = [Vec::new(), Vec::new(), Vec::new()];
                    for lane in 0..lanes {
                        self.bounds_into(&before, lane, &mut a);
                        self.bounds_into(&right, lane, &mut b);
                        self.bounds_into(left, lane, &mut after);
                        Bound::choose(&a, &b, &mut after);
                        self.set_bounds(left, lane, &after);
                    }
                }
            }
        }
        Ok(())
    }

    /// Tightens the error bounds of a combiner result: perturbs the operands, and measures the
    /// changes of the result.
    ///
    /// The interpreter computes the error bound of an op as if its operands were independent. The
    /// computed error bound is too large if the combiner uses a number twice, such as the maximum
    /// in a log-sum-exp. The function therefore perturbs each component of both operands by the
    /// error bound of the component, and adds up the changes of the result. The sum of the changes
    /// is a first-order error bound of the result.
    ///
    /// The function does not tighten infinite error bounds. An infinite error bound means that some
    /// order of combination overflows, or that the result of a comparison is uncertain.
    /// Perturbation of the operands detects neither an overflow in a different combination order
    /// nor an uncertain comparison.
    fn refine(&self, exec: &mut Exec<'_>, code: &Code<'c>, sides: [&Parts; 2], after: &mut Parts) {
        let error = |parts: &Parts, (i, scalar), lane| bound_of(&parts[i], scalar, lane, 0).error;
        let given: Vec<f64> = (0..exec.lanes)
            .map(|lane| {
                let all = sides
                    .iter()
                    .flat_map(|s| self.floats().map(move |f| (s, f)));
                all.map(|(side, float)| error(side, float, lane)).sum()
            })
            .collect();
        let is_wide = |lane: usize, error: f64, own: f64| {
            given[lane] > 0.0 && error.is_finite() && error > 2.0 * (given[lane] + own)
        };
        let any_wide = |lane: &usize| {
            self.floats()
                .any(|f| is_wide(*lane, error(after, f, *lane), 0.0))
        };
        let wide: Vec<usize> = (0..exec.lanes).filter(any_wide).collect();
        if wide.is_empty() {
            return;
        }
        // Captured values have a fixed number of lanes. If the combiner captures no values, all
        // perturbations run together.
        let (lanes, at_once) = match self.captures {
            true => ((0..exec.lanes).collect(), 1),
            false => (wide, usize::MAX),
        };
        let perturbations: Vec<Perturbation> = (0..2)
            .flat_map(|side| self.floats().map(move |(part, _)| (side, part)))
            .flat_map(|(side, part)| [1.0, -1.0].map(|sign| Perturbation { side, part, sign }))
            .collect();
        // Perturbed runs do not count towards the step limit of the program.
        let steps = exec.world.steps;
        let mut tried = |perturbations: &[Option<Perturbation>]| {
            self.tried(exec, code, sides, perturbations, &lanes)
        };
        let own = tried(&[None]);
        // Perturbed runs compute values without error bounds.
        let perturbations: Vec<Option<Perturbation>> =
            perturbations.into_iter().map(Some).collect();
        let runs = perturbations.chunks(perturbations.len().clamp(1, at_once));
        let ways: Option<Vec<Vec<Parts>>> = runs.map(tried).collect();
        exec.world.steps = steps;
        let (Some([own]), Some(ways)) = (own.as_deref(), ways) else {
            return;
        };
        let ways: Vec<Parts> = ways.into_iter().flatten().collect();
        for (i, scalar) in self.floats() {
            for (number, &lane) in lanes.iter().enumerate() {
                let value = |parts: &Parts| float_of(scalar, parts[i].get(number, 0));
                let far = |way: &Parts| match value(way) == value(own) {
                    true => 0.0,
                    false => (value(way) - value(own)).abs(),
                };
                let reach: f64 = ways
                    .chunks(2)
                    .map(|ways| {
                        let [up, down] = [far(&ways[0]), far(&ways[1])];
                        // `f64::max` would ignore NaN.
                        if up.is_nan() || up >= down { up } else { down }
                    })
                    .sum();
                let bound = bound_of(&after[i], scalar, lane, 0);
                let own = bound_of(&own[i], scalar, number, 0);
                // Both compared values and the result are rounded, hence the factor 3.
                let error = 3.0 * own.error + reach;
                if is_wide(lane, bound.error, own.error) && error < bound.error {
                    let bits = after[i].get(lane, 0);
                    after[i].set(lane, 0, bits, Some(own.with_error(error)));
                }
            }
        }
    }

    /// Runs the combiner on the given lanes of the left and the right operand, once per
    /// perturbation. An execution with a perturbed operand computes no error bounds.
    fn tried(
        &self,
        exec: &mut Exec<'_>,
        code: &Code<'c>,
        sides: [&Parts; 2],
        perturbations: &[Option<Perturbation>],
        lanes: &[usize],
    ) -> Option<Vec<Parts>> {
        let arguments = (0..2).flat_map(|side| (0..self.parts.len()).map(move |part| (side, part)));
        for (slot, (side, part)) in code.arguments.iter().zip(arguments) {
            let moved = self.moved(sides[side], side, part, perturbations, lanes);
            exec.slots[*slot] = Value::Numbers(moved);
        }
        let bounded = perturbations.contains(&None);
        let before = std::mem::replace(&mut exec.world.bounds, bounded);
        let run = |exec: &mut Exec<'_>| {
            code.run(exec).ok()?;
            Some(slot_numbers(exec, &code.yields))
        };
        let made = match self.captures {
            true => run(exec),
            false => exec.with_lanes(perturbations.len() * lanes.len(), run),
        };
        exec.world.bounds = before;
        let made = made?;
        let cut = |i: usize| {
            let part = |part: &Lanes| part.part(i * lanes.len(), lanes.len());
            made.iter().map(part).collect()
        };
        Some((0..perturbations.len()).map(cut).collect())
    }

    /// Returns one component of an operand as exact numbers, once per perturbation. A perturbation
    /// adds or subtracts the error bound of a number, but at least one unit in the last place.
    fn moved(
        &self,
        parts: &Parts,
        side: usize,
        part: usize,
        perturbations: &[Option<Perturbation>],
        lanes: &[usize],
    ) -> Lanes {
        let (given, scalar) = (&parts[part], self.parts[part]);
        let mut out = Lanes::new(1, perturbations.len() * lanes.len());
        for (number, &lane) in lanes.iter().enumerate() {
            let bits = given.get(lane, 0);
            let bound = match scalar {
                Scalar::Float(_) => Some(bound_of(given, scalar, lane, 0)),
                Scalar::Int(_) => given.bound(lane, 0),
            };
            for (i, tried) in perturbations.iter().enumerate() {
                let is_own = tried.is_none();
                let moved = tried.filter(|tried| (tried.side, tried.part) == (side, part));
                let (bits, bound) = match (scalar, bound) {
                    (Scalar::Float(float), Some(bound)) => {
                        let sign = moved.map(|moved| moved.sign);
                        let bits = match sign.filter(|_| bound.error > 0.0) {
                            Some(sign) => {
                                let value = float.value(bits);
                                let unit = value.abs() * 2_f64.powi(1 - float.digits());
                                float.to_bits(value + sign * bound.error.max(unit))
                            }
                            None => bits,
                        };
                        (bits, is_own.then(|| bound.with_error(0.0)))
                    }
                    (_, bound) => (bits, bound.filter(|_| is_own)),
                };
                out.set(i * lanes.len() + number, 0, bits, bound);
            }
        }
        out
    }

    /// Returns the error bounds of the float components.
    fn bounds(&self, parts: &Parts, lane: usize) -> Vec<Bound> {
        let mut bounds = Vec::new();
        self.bounds_into(parts, lane, &mut bounds);
        bounds
    }

    /// Stores the error bounds of the float components in `bounds`, so that a caller can reuse the
    /// allocated memory.
    fn bounds_into(&self, parts: &Parts, lane: usize, bounds: &mut Vec<Bound>) {
        bounds.clear();
        bounds.extend(
            self.floats()
                .map(|(i, scalar)| bound_of(&parts[i], scalar, lane, 0)),
        );
    }

    fn set_bounds(&self, parts: &mut Parts, lane: usize, bounds: &[Bound]) {
        for ((i, _), bound) in self.floats().zip(bounds) {
            let bits = parts[i].get(lane, 0);
            parts[i].set(lane, 0, bits, Some(*bound));
        }
    }

    fn floats(&self) -> impl Iterator<Item = (usize, Scalar)> {
        let parts = self.parts.iter().copied().enumerate();
        parts.filter(|(_, scalar)| matches!(scalar, Scalar::Float(_)))
    }

    /// Widens the error bounds of results that depend on the combination order, or on the number of
    /// identities that are combined with the elements. A program specifies neither the combination
    /// order nor the number of combined identities.
    ///
    /// The function widens the error bounds of NaNs, infinities and zeros that the identity
    /// changes, such as NaN in `maxnumf` or -0.0 in a sum. The function also widens the error
    /// bounds of zeros whose sign depends on the combination order. A result that does not depend
    /// on the combination order stays exact, unless a partial result overflows or underflows in
    /// some combination order ([`Bound::of_every_order`]).
    pub(crate) fn settle(&self, exec: &mut Exec<'_>, result: &mut Parts) {
        let Semantics::Region(_, identities) = &self.semantics else {
            return;
        };
        if !exec.world.bounds {
            return;
        }
        let identity: Parts = identities.iter().map(|bits| Lanes::one(*bits)).collect();
        let combined = [
            self.combine(exec, &identity, result),
            self.combine(exec, result, &identity),
        ];
        let mut known: BTreeMap<Vec<u64>, Vec<bool>> = BTreeMap::new();
        for lane in 0..exec.lanes {
            let old: Vec<u64> = result.iter().map(|part| part.get(lane, 0)).collect();
            // In a complex product, an infinity in one component times 0 makes the other component
            // NaN.
            let is_infinite = self
                .parts
                .iter()
                .zip(&old)
                .any(|(scalar, bits)| is_infinite(*scalar, *bits));
            let zeros: Vec<bool> = (0..old.len()).map(|i| self.is_zero(i, old[i])).collect();
            let signs = match zeros.contains(&true) {
                true => known
                    .entry(old.clone())
                    .or_insert_with(|| self.open_signs(exec, &old, &zeros, identities)),
                false => &zeros,
            };
            for (i, (part, scalar)) in result.iter_mut().zip(&self.parts).enumerate() {
                let turned = combined
                    .iter()
                    .flatten()
                    .any(|new| is_turned(*scalar, old[i], new[i].get(lane, 0), is_infinite));
                let bound = bound_of(part, *scalar, lane, 0);
                if turned {
                    part.set(lane, 0, old[i], Some(Bound::anything()));
                } else if signs[i] && bound.is_exact() {
                    let bound = bound.with_error(f64::from_bits(1));
                    part.set(lane, 0, old[i], Some(bound));
                }
            }
            let mut bounds = self.bounds(result, lane);
            for again in combined.iter().flatten() {
                for (bound, again) in bounds.iter_mut().zip(self.bounds(again, lane)) {
                    bound.spoil(&again);
                }
            }
            Bound::of_every_order(&mut bounds);
            self.set_bounds(result, lane, &bounds);
        }
    }

    fn is_zero(&self, part: usize, bits: u64) -> bool {
        let float = self.parts[part].float();
        float.is_some_and(|float| float.value(bits) == 0.0)
    }

    /// Returns, for each component of a partial result, whether the component is a zero whose sign
    /// depends on the combination order, as in a complex product. The function varies the signs of
    /// the zeros, combines the resulting partial results and the identity in several orders, and
    /// compares the signs of the results.
    fn open_signs(
        &self,
        exec: &mut Exec<'_>,
        number: &[u64],
        zeros: &[bool],
        identities: &[u64],
    ) -> Vec<bool> {
        let places: Vec<usize> = (0..zeros.len()).filter(|i| zeros[*i]).collect();
        if places.len() > MOST_ZEROS {
            return zeros.to_vec();
        }
        let signed = |negative: usize| -> Vec<u64> {
            let mut number = number.to_vec();
            for (i, place) in places.iter().enumerate() {
                let zero = if negative >> i & 1 == 1 { -0.0 } else { 0.0 };
                if let Some(float) = self.parts[*place].float() {
                    number[*place] = float.to_bits(zero);
                }
            }
            number
        };
        let mut numbers: Vec<Vec<u64>> = (0..1 << places.len()).map(signed).collect();
        numbers.push(identities.to_vec());
        // Combine all triples of these numbers.
        let count = numbers.len();
        let lanes = count.pow(3);
        let choice = |of: &dyn Fn(usize) -> usize| -> Parts {
            let part = |i: usize| {
                let mut part = Lanes::new(1, lanes);
                for (lane, bits) in part.bits.iter_mut().enumerate() {
                    *bits = numbers[of(lane)][i];
                }
                part
            };
            (0..number.len()).map(part).collect()
        };
        let a = choice(&|lane| lane % count);
        let b = choice(&|lane| lane / count % count);
        let c = choice(&|lane| lane / count / count);
        let pairs = exec.with_lanes(lanes, |exec| {
            let (ab, ba) = (self.combine(exec, &a, &b)?, self.combine(exec, &b, &a)?);
            let bc = self.combine(exec, &b, &c)?;
            let (left, right) = (self.combine(exec, &ab, &c)?, self.combine(exec, &a, &bc)?);
            Ok::<_, Trouble>([(ab, ba), (left, right)])
        });
        // If a combination is undefined, the sign of every zero counts as undecided.
        let Ok(pairs) = pairs else {
            return zeros.to_vec();
        };
        let differ = |i: usize, (left, right): &(Parts, Parts)| {
            left[i]
                .bits
                .iter()
                .zip(&right[i].bits)
                .any(|(x, y)| x != y && self.is_zero(i, *x) && self.is_zero(i, *y))
        };
        (0..number.len())
            .map(|i| pairs.iter().any(|pair| differ(i, pair)))
            .collect()
    }

    /// Returns whether an argmin or argmax selects the left pair of value and index.
    fn wins(&self, a: [u64; 2], b: [u64; 2]) -> bool {
        let lower = || {
            let (i, j) = match self.parts[1] {
                Scalar::Int(bits) => (signed(a[1], bits), signed(b[1], bits)),
                Scalar::Float(_) => (0, 0),
            };
            i <= j
        };
        let smallest = self.kind == Kind::ArgMin;
        match self.parts[0] {
            Scalar::Float(float) => {
                let (x, y) = (float.value(a[0]), float.value(b[0]));
                match (x.is_nan(), y.is_nan()) {
                    (true, true) => lower(),
                    (true, false) => self.nan == Nan::Propagate,
                    (false, true) => self.nan == Nan::Ignore,
                    _ if x == y => lower(),
                    _ => (x > y) != smallest,
                }
            }
            Scalar::Int(bits) => {
                let (x, y) = (signed(a[0], bits), signed(b[0], bits));
                if x == y { lower() } else { (x > y) != smallest }
            }
        }
    }
}

fn is_infinite(scalar: Scalar, bits: u64) -> bool {
    matches!(scalar, Scalar::Float(float) if float.value(bits).is_infinite())
}

/// Returns true if the change from `old` to `new` turns a NaN into a number, or changes the sign of
/// a zero. The function also returns true if a number becomes NaN in a partial result that contains
/// an infinity.
fn is_turned(scalar: Scalar, old: u64, new: u64, beside_infinity: bool) -> bool {
    let Scalar::Float(float) = scalar else {
        return false;
    };
    let (x, y) = (float.value(old), float.value(new));
    let became_nan = beside_infinity && y.is_nan() && !x.is_nan();
    became_nan || x.is_nan() && !y.is_nan() || x == 0.0 && y == 0.0 && old != new
}

/// Returns the error bound of `result`, the result of `operation` on two numbers.
fn join(
    operation: &Operation,
    scalar: Scalar,
    [a, b]: [u64; 2],
    result: u64,
    bounds: &[Bound; 3],
) -> Option<Bound> {
    match (&operation.bound, scalar) {
        (Some(rule), Scalar::Float(float)) => {
            let values = [float.value(a), float.value(b), 0.0];
            Some(rule(&values, bounds, float.value(result)))
        }
        _ if bounds.iter().all(|b| b.is_exact()) => None,
        _ => Some(Bound::anything()),
    }
}

/// Returns the `arith` op that implements a built-in kind such as `sum`.
fn arith(kind: Kind, nan: Nan, scalar: Scalar) -> &'static str {
    let float = matches!(scalar, Scalar::Float(_));
    match (kind, float, nan) {
        (Kind::Sum, true, _) => "arith.addf",
        (Kind::Sum, false, _) => "arith.addi",
        (Kind::Prod, true, _) => "arith.mulf",
        (Kind::Prod, false, _) => "arith.muli",
        (Kind::Max, true, Nan::Propagate) => "arith.maximumf",
        (Kind::Max, true, Nan::Ignore) => "arith.maxnumf",
        (Kind::Max, false, _) => "arith.maxsi",
        (Kind::Min, true, Nan::Propagate) => "arith.minimumf",
        (Kind::Min, true, Nan::Ignore) => "arith.minnumf",
        (Kind::Min, false, _) => "arith.minsi",
        (Kind::UMax, ..) => "arith.maxui",
        (Kind::UMin, ..) => "arith.minui",
        (Kind::And, ..) => "arith.andi",
        (Kind::Or, ..) => "arith.ori",
        (Kind::Xor, ..) => "arith.xori",
        (Kind::ArgMax | Kind::ArgMin | Kind::Custom, ..) => "",
    }
}

fn identity(kind: Kind, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Float(float) => float.to_bits(match kind {
            Kind::Prod => 1.0,
            Kind::Max | Kind::ArgMax => lowest(float),
            Kind::Min | Kind::ArgMin => -lowest(float),
            _ => 0.0,
        }),
        Scalar::Int(bits) => match kind {
            Kind::Prod => truncated(1, bits),
            Kind::Max | Kind::ArgMax => truncated(i64::MIN >> (64 - bits), bits),
            Kind::Min | Kind::ArgMin => truncated(i64::MAX >> (64 - bits), bits),
            Kind::UMin | Kind::And => truncated(-1, bits),
            _ => 0,
        },
    }
}

fn lowest(float: Float) -> f64 {
    match float {
        // F8E4M3FN has no infinity.
        Float::F8E4M3FN => -float.largest(),
        _ => f64::NEG_INFINITY,
    }
}

/// Returns the numbers of the given slots: one list per slot, with one entry per lane.
pub(crate) fn slot_numbers(exec: &Exec<'_>, slots: &[Slot]) -> Parts {
    slots
        .iter()
        .map(|slot| {
            let numbers = exec.numbers(*slot);
            if numbers.width == 1 {
                return match numbers.uniform {
                    true => numbers.spread(exec.lanes),
                    false => numbers.part(0, exec.lanes),
                };
            }
            let mut out = Lanes::new(1, exec.lanes);
            for lane in 0..exec.lanes {
                out.set(lane, 0, numbers.get(lane, 0), numbers.bound(lane, 0));
            }
            out
        })
        .collect()
}

/// Returns the constants outside `op` that the blocks of `op` use.
pub(crate) fn constants_outside<'c>(
    op: Op<'c>,
    blocks: impl Iterator<Item = Blk<'c>>,
) -> Result<Vec<Op<'c>>, Trouble> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for inner in blocks.flat_map(ops).flat_map(walk) {
        for value in operands(inner) {
            if is_defined_in(value, op) || !seen.insert(key(value)) {
                continue;
            }
            match defining_op(value).filter(|d| is(*d, "arith.constant")) {
                Some(constant) => found.push(constant),
                None => {
                    return Err(Trouble::unsupported(
                        op,
                        "whose combiner uses a value from outside",
                    ));
                }
            }
        }
    }
    Ok(found)
}
