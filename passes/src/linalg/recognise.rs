//! Recognition of a reduction's body: a named kind, or a custom combiner and its elements.

use super::body::dependents;
use super::choice::{NanRule, PairChoice, float_choice, integer_choice, only_chooses, pair_choice};
use super::combiner::{Combiner, Element, Neutral, Part};
use super::combining_ops::COMBINING_OPS;
use super::laws::{CounterExample, Laws, instead};
use super::partition::{Pairing, Partition};
use super::program::Program;
use super::read::Loops;
use super::scalar::{Sort, sort_of};
use super::steps::Steps;
use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use tx_dialect_tile::{Kind, Nan, default_accumulator};
use tx_mlir::{
    Failed, Val, argument_of, attribute, codes, defining_op, error, is, key, operands, ops, results,
};

pub(crate) struct Recognised<'c> {
    pub(crate) kind: Kind,
    pub(crate) nan: Option<Nan>,
    /// Number of the output that corresponds to each destination.
    pub(crate) order: Vec<usize>,
    /// Value that the reduction combines for each destination. For `argmax` and `argmin`, the list
    /// of combined values may omit the index; the `tile.reduce` then computes the index.
    pub(crate) elements: Vec<Element<'c>>,
    pub(crate) combiner: Option<Combiner<'c>>,
    pub(crate) neutral: Neutral,
    /// Old values of outputs, each with the number of its output. If the whole body becomes the
    /// `element` region, neutral constants replace the old output values. Each old output value has
    /// the type in which the body combines the value.
    pub(crate) olds: Vec<(Val<'c>, usize)>,
}

impl<'c> Recognised<'c> {
    /// Makes the whole body the `element` region: initial values replace the old output values, and
    /// the yielded values are the elements.
    pub(crate) fn start(&mut self, loops: &Loops<'c>) {
        let yielded = loops.yielded();
        self.elements = self
            .order
            .iter()
            .map(|i| Element::Value(yielded[*i]))
            .collect();
        let olds = self.order.iter().map(|i| loops.old_value(*i));
        self.olds = olds.flatten().zip(0..).collect();
    }

    /// Replaces NaN elements by the identity, for an `argmax` or `argmin` that ignores NaN. If each
    /// element of a row is NaN or equals the identity, the result is the identity and index 0, as
    /// in a loop that starts from the identity and index 0.
    pub(crate) fn exclude_nan(&mut self) {
        let kind = self.kind;
        let (true, Some(Nan::Ignore), [Element::Value(value), indices @ ..]) =
            (kind.is_arg(), self.nan, &mut self.elements[..])
        else {
            return;
        };
        for index in indices {
            if let Element::Value(place) = *index {
                *index = Element::IndexOf(place, *value, kind);
            }
        }
        self.elements[0] = Element::Number(*value, kind);
        self.nan = None;
    }
}

struct Single<'c> {
    op: &'static str,
    kind: Kind,
    nan: Option<Nan>,
    element: Element<'c>,
    /// Old output values, in the type in which the body combines the values. If the whole body
    /// becomes the `element` region, the neutral value of the combiner replaces the old output
    /// values.
    olds: Vec<Val<'c>>,
}

/// Recognises the body of a reduction.
///
/// # Errors
/// Returns an error with the reason if the body does not combine elements.
pub(crate) fn recognise<'c>(loops: &Loops<'c>) -> Result<Recognised<'c>, Failed> {
    let Some(partition) = Partition::of(loops, |_| true) else {
        return Err(error(loops.op.location(), "has no body").emit());
    };
    let singles: Option<Vec<Single<'c>>> = (0..partition.olds.len())
        .map(|i| partition.single(i).or_else(|| partition.several(i)))
        .collect();
    if let Some(singles) = singles {
        return Ok(partition.of_singles(&singles));
    }
    let crossings = partition.crossings();
    for pairing in crossings
        .iter()
        .flat_map(|crossing| partition.pairings(crossing))
    {
        let found = match partition.olds[..] {
            [_] => partition.choice(&pairing),
            [_, _] => partition.choice_of_pairs(&pairing)?,
            _ => None,
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    partition.custom(&crossings)
}

/// Returns whether ops of a single named reduction kind combine the values of output `i`. If
/// `changes(k)` is false, the function treats the old value of output `k` as an element, not as the
/// accumulator.
pub(crate) fn is_named(loops: &Loops<'_>, i: usize, changes: impl Fn(usize) -> bool) -> bool {
    let partition = Partition::of(loops, changes);
    partition.is_some_and(|partition| {
        partition
            .single(i)
            .or_else(|| partition.several(i))
            .is_some()
    })
}

/// Returns whether the body is a combiner of two partial results that is associative and
/// commutative, and whose identity is known.
pub(crate) fn is_lawful(loops: &Loops<'_>) -> bool {
    let Some(partition) = Partition::of(loops, |_| true) else {
        return false;
    };
    partition.crossings().iter().any(|crossing| {
        let pairings = partition.pairings(crossing).into_iter();
        let mut laws = pairings.filter_map(|pairing| Laws::new(pairing.program?));
        laws.any(|mut laws| laws.check().is_ok() && laws.find_identity().is_some())
    })
}

/// A selection of the largest or smallest value and its index. The selection differs from `argmax`
/// and `argmin` in its results for rows with NaN, or in its treatment of old output values.
pub(crate) struct SpecialPair<'c> {
    pub(crate) kind: Kind,
    /// Result of the selection for rows with NaN: `Last`, `ValueOnly`, `AfterLast` or
    /// `Like(Nan::Ignore)`.
    pub(crate) nan: NanRule,
    /// Number of the output that receives the largest or smallest value; the other output receives
    /// the index.
    pub(crate) value: usize,
    /// The compared element and its index, as SSA values of the linalg body.
    pub(crate) element: Val<'c>,
    pub(crate) index: Val<'c>,
    /// True if `index` is the index of the only reduced loop.
    pub(crate) is_counted: bool,
}

/// Recognises a body that selects the largest or smallest value and its index, and that differs
/// from `argmax` and `argmin` (see [`SpecialPair`]).
pub(crate) fn special_pair<'c>(loops: &Loops<'c>) -> Option<SpecialPair<'c>> {
    Partition::of(loops, |_| true)?.special()
}

impl<'c> Partition<'_, 'c> {
    /// Recognises output `i` if a single op combines the old value of the output with an element.
    fn single(&self, i: usize) -> Option<Single<'c>> {
        let (result, is_old) = self.widened(i);
        let op = defining_op(result)?;
        let (op, kind, nan, element) = match operands(op)[..] {
            [a, b, c] if is(op, "math.fma") && is_old(c) => {
                ("arith.addf", Kind::Sum, None, Element::Product(a, b))
            }
            [a, b] if is_old(a) || is_old(b) => {
                let (name, kind, nan) = COMBINING_OPS.into_iter().find(|(n, ..)| is(op, n))?;
                let element = if is_old(a) { b } else { a };
                (name, kind, nan, Element::Value(element))
            }
            _ => return None,
        };
        let independent = element.values().into_iter().all(|v| self.independent(v));
        independent.then(|| Single {
            op,
            kind,
            nan,
            element: self.unwidened(element),
            olds: Vec::new(),
        })
    }

    /// Returns the new value of output `i`, and a predicate that recognises the old value of the
    /// output. If the body combines values in a wider type, both the returned value and the old
    /// output value have the wider type.
    fn widened(&self, i: usize) -> (Val<'c>, impl Fn(Val<'c>) -> bool + use<'c>) {
        let old = self.olds[i];
        let (result, wide) = match defining_op(self.yielded[i]) {
            Some(op) if is(op, "arith.truncf") => (operands(op)[0], true),
            _ => (self.yielded[i], false),
        };
        let is_old = move |v: Val<'c>| match defining_op(v) {
            Some(op) if wide && is(op, "arith.extf") => operands(op)[0] == old,
            _ => !wide && v == old,
        };
        (result, is_old)
    }

    /// Recognises output `i` if several ops of one reduction kind combine its old value with
    /// elements. The ops may be conditional, as in `if p { old + x } else { old }`.
    fn several(&self, i: usize) -> Option<Single<'c>> {
        let (result, is_old) = self.widened(i);
        let depends = |v: Val<'c>| !self.independent(v);
        let (op, kind, nan) = Steps::new(&is_old, &depends).to(result)?;
        sort_of(result.r#type())?;
        let widened = ops(self.body).into_iter().flat_map(results);
        let olds = widened.chain([self.olds[i]]).filter(|v| is_old(*v));
        Some(Single {
            op,
            kind,
            nan,
            element: Element::Value(result),
            olds: olds.collect(),
        })
    }

    /// Removes a conversion of an element to the type of partial results, because the `tile.reduce`
    /// performs this conversion.
    fn unwidened(&self, element: Element<'c>) -> Element<'c> {
        if let Element::Value(value) = element
            && let Some(op) = defining_op(value).filter(|op| is(*op, "arith.extf"))
        {
            let narrow = operands(op)[0];
            let default = default_accumulator(narrow.r#type());
            let is_argument = argument_of(narrow).is_some_and(|(block, _)| block == self.body);
            if is_argument && default == value.r#type() {
                return Element::Value(narrow);
            }
        }
        element
    }

    fn of_singles(&self, singles: &[Single<'c>]) -> Recognised<'c> {
        let elements: Vec<Element<'c>> = singles.iter().map(|s| s.element).collect();
        let named = singles.len() == 1;
        let combiner = Combiner {
            block: self.body,
            types: elements
                .iter()
                .map(|e| default_accumulator(e.ty()))
                .collect(),
            parts: singles.iter().map(|s| Part::Op(s.op)).collect(),
        };
        Recognised {
            kind: if named { singles[0].kind } else { Kind::Custom },
            nan: singles[0].nan.filter(|_| named),
            order: (0..singles.len()).collect(),
            elements,
            combiner: (!named).then_some(combiner),
            neutral: Neutral::Kinds(singles.iter().map(|s| s.kind).collect()),
            olds: (0..)
                .zip(singles)
                .flat_map(|(i, s)| s.olds.iter().map(move |old| (*old, i)))
                .collect(),
        }
    }

    /// Recognises `max` and `min` that are written as a comparison and a selection.
    fn choice(&self, pairing: &Pairing<'c>) -> Option<Recognised<'c>> {
        let program = pairing.program.as_ref().filter(|p| only_chooses(p))?;
        let sort = *program.input_sorts().first()?;
        let (kind, nan) = match sort {
            Sort::Int(1) => return None,
            Sort::Int(_) => (integer_choice(program, sort)?, None),
            _ => {
                let (kind, nan) = float_choice(program, sort)?;
                (kind, Some(nan))
            }
        };
        Some(Recognised {
            kind,
            nan: nan.filter(|n| *n == Nan::Ignore),
            order: vec![0],
            elements: vec![self.unwidened(Element::Value(pairing.values[0]))],
            combiner: None,
            neutral: Neutral::Kinds(vec![kind]),
            olds: Vec::new(),
        })
    }

    /// Recognises `argmax` and `argmin`: one comparison selects value and index.
    fn choice_of_pairs(&self, pairing: &Pairing<'c>) -> Result<Option<Recognised<'c>>, Failed> {
        let Some(program) = pairing.program.as_ref().filter(|p| only_chooses(p)) else {
            return Ok(None);
        };
        let said = attribute(self.loops.op, "nan").and_then(Nan::of);
        for (value, index) in [(0, 1), (1, 0)] {
            let Some(found) = self.pair_of(program, value) else {
                continue;
            };
            // If the result depends on the order of elements, the attribute `nan` selects the NaN
            // policy.
            let nan = match (found.nan, said) {
                (NanRule::Like(nan), _) | (_, Some(nan)) => nan,
                // A selection whose result for NaN depends on the order of elements becomes several
                // reductions, unless the op has a schedule.
                (NanRule::Last | NanRule::AfterLast, None) => Nan::Propagate,
                (NanRule::ValueOnly, None) => continue,
                (NanRule::Other, None) => return Err(self.depends_on_order()),
            };
            if found.ties_keep_later {
                return Err(error(
                    self.loops.op.location(),
                    format!(
                        "the body keeps the later of two equal values, but `{}` must keep the \
                         earlier one",
                        found.kind
                    ),
                )
                .code(codes::TX0403)
                .note(
                    "compare the element with the accumulator strictly: `ogt` or `sgt` for the \
                     largest value, `olt` or `slt` for the smallest",
                )
                .emit());
            }
            let given = pairing.values[index];
            let mut elements = vec![self.unwidened(Element::Value(pairing.values[value]))];
            if self.counted(given) != Some(&self.loops.reduced[..]) {
                elements.push(Element::Value(given));
            }
            return Ok(Some(Recognised {
                kind: found.kind,
                nan: (nan == Nan::Ignore).then_some(Nan::Ignore),
                order: vec![value, index],
                elements,
                combiner: None,
                neutral: Neutral::Kinds(vec![found.kind]),
                olds: Vec::new(),
            }));
        }
        Ok(None)
    }

    /// Analyses a combiner that selects one of two (value, index) pairs by a comparison of output
    /// `value`. The other output, whose value is not compared, must be an index.
    fn pair_of(&self, program: &Program, value: usize) -> Option<PairChoice> {
        let index = 1 - value;
        let is_index = matches!(program.input_sorts()[index], Sort::Int(32 | 64))
            && !self.olds[index].r#type().is_index();
        pair_choice(program, value).filter(|_| is_index)
    }

    /// Recognises a combiner of (value, index) pairs that differs from `argmax` and `argmin` in its
    /// results for rows with NaN.
    fn special(&self) -> Option<SpecialPair<'c>> {
        let [_, _] = self.olds[..] else { return None };
        let crossings = self.crossings();
        let pairings: Vec<Pairing<'c>> = crossings.iter().flat_map(|c| self.pairings(c)).collect();
        let mut found = pairings.iter().flat_map(|pairing| {
            let program = pairing.program.as_ref().filter(|p| only_chooses(p));
            program.into_iter().flat_map(move |program| {
                [0, 1].into_iter().filter_map(move |value| {
                    let choice = self.pair_of(program, value)?;
                    Some((pairing, value, choice))
                })
            })
        });
        let (pairing, value, choice) = found.next()?;
        let of_index = dependents(self.body, &self.olds[1 - value..2 - value]);
        let is_special = matches!(
            choice.nan,
            NanRule::Last | NanRule::ValueOnly | NanRule::AfterLast | NanRule::Like(Nan::Ignore)
        ) && !choice.ties_keep_later
            && !of_index.contains(&key(self.yielded[value]));
        let index = pairing.values[1 - value];
        is_special.then(|| SpecialPair {
            kind: choice.kind,
            nan: choice.nan,
            value,
            element: pairing.values[value],
            index,
            is_counted: self.counted(index).is_some(),
        })
    }

    /// Recognises a custom combiner, if it is associative and commutative.
    fn custom(&self, crossings: &[Vec<Val<'c>>]) -> Result<Recognised<'c>, Failed> {
        let op = self.loops.op;
        // The counterexample in the error refers to the body as written.
        let mut broken: Option<CounterExample> = None;
        let mut unknown = false;
        for (i, crossing) in crossings.iter().enumerate() {
            let mut first = None;
            for pairing in self.pairings(crossing) {
                let Some(mut laws) = pairing.program.and_then(Laws::new) else {
                    unknown |= i == 0;
                    continue;
                };
                match laws.check() {
                    Ok(()) => {
                        return Ok(self.custom_combiner(&pairing.values, pairing.parts, laws));
                    }
                    Err(example) => first = first.or(Some(example)),
                }
            }
            broken = first
                .filter(|_| crossing.len() == self.olds.len())
                .or(broken);
        }
        let n = self.olds.len();
        if unknown {
            return Err(error(
                op.location(),
                "cannot determine whether elements may be combined in any order: the combiner \
                 contains ops that the analysis does not support",
            )
            .code(codes::TX0404)
            .note("write it as a `tile.reduce custom` with its identity")
            .emit());
        }
        if let Some(i) = self.output_without_accumulator() {
            return Err(self.unused_accumulator(i));
        }
        match broken {
            Some(example) => {
                let report = error(op.location(), example.law.broken())
                    .code(codes::TX0207)
                    .note(example.text);
                let meant = instead(self.body, self.olds[0]).into_iter();
                let report = meant.fold(report, |report, meant| report.note(meant));
                let report = self.note_condition(report);
                let report = match self.special() {
                    Some(_) => report.note(
                        "for rows with NaN, the body differs from `argmax` and `argmin`: set `nan \
                         = #tile.nan<propagate>` on this op to select the first NaN, or \
                         `#tile.nan<ignore>` to select no NaN",
                    ),
                    None => report,
                };
                let report = if n > 1 {
                    report
                        .note(
                            "for equal elements, decide by a criterion that does not depend on \
                             their order, such as the lower index",
                        )
                        .note(
                            "if one comparison selects both the value and its index, each with \
                             `arith.select`, the body is recognised as `argmax` or `argmin`",
                        )
                } else {
                    report
                };
                Err(report.note("elements are combined in any order").emit())
            }
            None => Err(self.no_combiner(&crossings[0])),
        }
    }

    fn custom_combiner(
        &self,
        values: &[Val<'c>],
        parts: Vec<Part<'c>>,
        laws: Laws,
    ) -> Recognised<'c> {
        Recognised {
            kind: Kind::Custom,
            nan: None,
            order: (0..self.olds.len()).collect(),
            elements: values.iter().map(|v| Element::Value(*v)).collect(),
            combiner: Some(Combiner {
                block: self.body,
                types: self.olds.iter().map(|v| v.r#type()).collect(),
                parts,
            }),
            neutral: Neutral::Laws(laws),
            olds: Vec::new(),
        }
    }

    /// Returns the number of the first output whose new value does not depend on an old output
    /// value.
    fn output_without_accumulator(&self) -> Option<usize> {
        let end = ops(self.body).pop()?;
        let made = |value: &Val<'c>| self.dependent.contains(&key(*value));
        operands(end).iter().position(|value| !made(value))
    }
}
