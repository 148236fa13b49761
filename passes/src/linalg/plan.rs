//! What becomes of one reduction: decided as a whole before anything is changed.

use super::body::{dependents, free_values, memory_read, only_computes};
use super::combiner::{Neutral, exact_identity};
use super::fills::fill_before;
use super::laws::Partial;
use super::read::{Loops, element_of};
use super::recognise::{Recognised, recognise};
use super::scalar::{Sort, sort_of};
use super::taken::Taken;
use crate::analysis::dataflow::{Access, Dataflow};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use tx_dialect_tile::{Kind, default_accumulator};
use tx_mlir::memref::{Overlap, overlap};
use tx_mlir::{
    Affine, Failed, Op, Val, attribute, codes, context, error, is, key, name, only_reads, ops,
    type_value, walk,
};

/// Where a value that a body is given comes from.
#[derive(Clone, Copy)]
pub(crate) enum Input<'c> {
    /// An element of this source.
    Source(usize),
    /// What this stage computes.
    Stage(usize),
    /// A value from outside.
    Scalar(Val<'c>),
}

/// An element-wise op that is computed with each element.
pub(crate) struct Stage<'c> {
    pub(crate) loops: Loops<'c>,
    /// Its loops, by those of the reduction.
    pub(crate) dims: Vec<Affine>,
    /// What its body is given, with the old value at the end where it reads that.
    pub(crate) inputs: Vec<Input<'c>>,
}

/// Where a value that a consumer's body is given comes from.
#[derive(Clone, Copy)]
pub(crate) enum Given<'c> {
    /// What would be stored in this destination.
    Result(usize),
    /// An element of this `with` operand.
    Extra(usize),
    /// A value from outside.
    Scalar(Val<'c>),
}

/// An element-wise op that is computed with each result.
pub(crate) struct Tail<'c> {
    pub(crate) loops: Loops<'c>,
    /// Its loops, by those of the reduction.
    pub(crate) dims: Vec<usize>,
    pub(crate) inputs: Vec<Given<'c>>,
    /// The destination whose old value it reads.
    pub(crate) old: Option<usize>,
    /// Destinations that it reads; the first of them gets what it computes, and the others are
    /// gone.
    pub(crate) takes: Vec<usize>,
}

/// Where the elements of an op come from, and what is computed of them.
#[derive(Default)]
pub(crate) struct Found<'c> {
    pub(crate) sources: Vec<Access<'c>>,
    pub(crate) stages: Vec<Stage<'c>>,
    /// What the body of the op is given.
    pub(crate) inputs: Vec<Input<'c>>,
    pub(crate) gone: Vec<Op<'c>>,
}

/// What changes in a plan with one more consumer.
pub(crate) struct Consumer<'c> {
    pub(crate) tail: Tail<'c>,
    pub(crate) destination: Access<'c>,
    pub(crate) extras: Vec<Access<'c>>,
    pub(crate) gone: Vec<Op<'c>>,
}

/// What becomes of a reduction.
pub(crate) struct Plan<'c> {
    pub(crate) loops: Loops<'c>,
    pub(crate) what: Recognised<'c>,
    pub(crate) accumulate: bool,
    /// Identities of `custom`.
    pub(crate) identities: Option<Partial>,
    /// What is put in the places of old values where elements are what the body makes of them.
    pub(crate) old_values: Vec<(Val<'c>, Attribute<'c>)>,
    pub(crate) sources: Vec<Access<'c>>,
    pub(crate) stages: Vec<Stage<'c>>,
    /// What the reduction's body is given.
    pub(crate) inputs: Vec<Input<'c>>,
    pub(crate) destinations: Vec<Access<'c>>,
    pub(crate) extras: Vec<Access<'c>>,
    pub(crate) tails: Vec<Tail<'c>>,
    /// The op in whose place the reduction is done.
    pub(crate) at: Op<'c>,
    /// Ops that are gone then.
    pub(crate) gone: Vec<Op<'c>>,
    /// Those of them that filled destinations with what is neutral.
    pub(crate) folded: Vec<Op<'c>>,
}

impl<'c> Plan<'c> {
    /// The plan for one reduction, without its neighbours, except for fills that fold.
    ///
    /// # Errors
    /// Says why the reduction cannot be converted.
    pub(crate) fn of(loops: Loops<'c>, flow: &Dataflow<'c>, taken: &Taken) -> Result<Self, Failed> {
        check_body(&loops)?;
        let mut what = recognise(&loops)?;
        let op = loops.op;
        check_accumulator(op, &what)?;
        let destinations: Vec<Access<'c>> = what
            .order
            .iter()
            .map(|i| loops.outputs[*i].clone())
            .collect();
        let fills: Option<Vec<_>> = destinations
            .iter()
            .map(|d| fill_before(op, d.value, flow, taken))
            .collect();
        let is_index = |i: usize| what.kind.is_arg() && i == 1;
        let constants: Option<Partial> = fills
            .iter()
            .flatten()
            .enumerate()
            .map(|(i, f)| {
                // Where nothing is better than what was filled in, its index stays: 0 alone is what
                // a reduction of nothing has.
                f.value.filter(|v| !is_index(i) || v.int() == Some(0))
            })
            .collect();
        let sorts: Option<Vec<Sort>> = destinations
            .iter()
            .map(|d| sort_of(element_of(d.value)))
            .collect();
        let filled = constants.filter(|_| fills.is_some()).zip(sorts);
        let neutral = filled
            .clone()
            .filter(|(constants, sorts)| what.neutral.leaves_alone(constants, sorts));
        let mut folded = neutral.map(|(constants, _)| constants);
        let identities = match &what.combiner {
            None => None,
            Some(combiner) => {
                let sorts = combiner.types.iter().map(|t| sort_of(*t));
                let sorts: Option<Vec<Sort>> = sorts.collect();
                let given = folded
                    .clone()
                    .filter(|_| matches!(what.neutral, Neutral::Laws(_)));
                let found = given.or_else(|| what.neutral.find(&sorts?));
                match found {
                    Some(found) => Some(found),
                    // Where old values took part, rows without elements would change them.
                    None => {
                        let constants = filled.map(|(constants, _)| constants);
                        folded = constants.filter(|c| what.neutral.starts(c));
                        let start = folded
                            .clone()
                            .ok_or_else(|| no_identity(op, &what.neutral))?;
                        what.start(&loops);
                        Some(start)
                    }
                }
            }
        };
        let old_values = old_values(&what, folded.as_ref(), identities.as_ref(), op);
        let folded = folded.is_some();
        if !folded {
            let written: Vec<Val<'c>> = loops.outputs.iter().map(|o| o.value).collect();
            flow.check_written(op, &written)?;
        }
        let fills = fills.into_iter().flatten().filter(|_| folded);
        let folded_fills: Vec<Op<'c>> = fills.map(|f| f.op).collect();
        let gone = std::iter::once(op).chain(folded_fills.clone()).collect();
        Ok(Self {
            what,
            accumulate: !folded,
            identities,
            old_values,
            sources: Vec::new(),
            stages: Vec::new(),
            inputs: Vec::new(),
            destinations,
            extras: Vec::new(),
            tails: Vec::new(),
            at: op,
            gone,
            folded: folded_fills,
            loops,
        })
    }

    /// Computes producers with the elements.
    pub(super) fn take_producers(&mut self, found: Found<'c>) {
        self.sources = found.sources;
        self.stages = found.stages;
        self.inputs = found.inputs;
        self.gone.extend(found.gone);
    }

    /// Computes one more consumer with the results.
    pub(super) fn take_consumer(&mut self, step: Consumer<'c>) {
        self.at = step.tail.loops.op;
        self.gone.push(self.at);
        self.gone.extend(step.gone);
        self.extras = step.extras;
        if let Some((first, rest)) = step.tail.takes.split_first() {
            self.destinations[*first] = step.destination;
            for i in rest.iter().rev() {
                self.destinations.remove(*i);
            }
        }
        self.tails.push(step.tail);
    }

    /// Types of the parts of a partial result.
    pub(crate) fn partial_types(&self) -> Vec<Type<'c>> {
        if let Some(combiner) = &self.what.combiner {
            return combiner.types.clone();
        }
        let value = attribute(self.loops.op, "acc")
            .and_then(type_value)
            .unwrap_or_else(|| default_accumulator(self.what.elements[0].ty()));
        let index = self.what.order.get(1);
        std::iter::once(value)
            .chain(index.map(|i| element_of(self.loops.outputs[*i].value)))
            .collect()
    }

    /// Everything that the reduction reads.
    pub(crate) fn reads(&self) -> Vec<Val<'c>> {
        let extras = self.extras.iter().map(|o| o.value);
        self.read_by_elements().into_iter().chain(extras).collect()
    }

    /// What is read for the elements.
    pub(crate) fn read_by_elements(&self) -> Vec<Val<'c>> {
        let mut read = self.loops.body.map(memory_read).unwrap_or_default();
        read.extend(self.sources.iter().map(|o| o.value));
        read
    }
}

fn no_identity(op: Op<'_>, neutral: &Neutral) -> Failed {
    let what = match neutral {
        Neutral::Laws(laws) => laws.find_start(),
        Neutral::Kinds(_) => None,
    };
    let what = what.unwrap_or_else(|| "the identity".to_owned());
    error(op.location(), "no identity of the combiner is known")
        .code(codes::TX0402)
        .note(format!(
            "fill the outputs with {what} by `linalg.fill`, just before"
        ))
        .emit()
}

/// What is put in the places of old values: what outputs are filled with, the identity of the
/// combiner, or what changes no bit in a combiner that has a name.
fn old_values<'c>(
    what: &Recognised<'c>,
    filled: Option<&Partial>,
    identities: Option<&Partial>,
    op: Op<'c>,
) -> Vec<(Val<'c>, Attribute<'c>)> {
    let value = |(old, part): &(Val<'c>, usize)| {
        let ty = old.r#type();
        let neutral = match (filled, &what.neutral) {
            (Some(filled), _) => *filled.get(*part)?,
            (None, Neutral::Kinds(kinds)) => exact_identity(*kinds.get(*part)?, sort_of(ty)?),
            (None, Neutral::Laws(_)) => *identities?.get(*part)?,
        };
        Some((*old, neutral.to_attribute(context(op), ty)))
    };
    what.olds.iter().filter_map(value).collect()
}

/// A body computes, and reads memory that the op does not write, by what does not depend on old values.
fn check_body<'c>(loops: &Loops<'c>) -> Result<(), Failed> {
    let Some(body) = loops.body else {
        return Ok(());
    };
    let olds: Vec<Val<'c>> = (0..loops.outputs.len())
        .filter_map(|i| loops.old_value(i))
        .collect();
    let dependent = dependents(body, &olds);
    let is_free = |v: Val<'c>| {
        let overlaps = |o: &Access<'c>| overlap(o.value, v) != Overlap::Never;
        !loops.outputs.iter().any(overlaps)
    };
    for op in ops(body) {
        let is_element = !free_values(op).iter().any(|v| dependent.contains(&key(*v)));
        let refused = walk(op).into_iter().find(|inner| {
            let allowed = match is_element {
                true => only_reads(*inner, is_free),
                false => only_computes(&[*inner]),
            };
            !is(*inner, "linalg.yield") && !allowed
        });
        let Some(inner) = refused else {
            continue;
        };
        let why = match (only_reads(inner, |_| true), is_element) {
            (false, _) => "does more than that",
            (true, true) => {
                "reads what the op writes: give it a temporary as output, and copy that"
            }
            (true, false) => {
                "depends on an old value: only what is made of elements and indices may read memory"
            }
        };
        return Err(error(
            loops.op.location(),
            "the body of a reduction only computes: it may be run any number of times",
        )
        .code(codes::TX0015)
        .note_at(inner.location(), format!("`{}` {why}", name(inner)))
        .emit());
    }
    Ok(())
}

/// `acc` is a type of partial results, which a combiner region has already.
fn check_accumulator<'c>(op: Op<'c>, what: &Recognised<'c>) -> Result<(), Failed> {
    if what.kind == Kind::Custom && attribute(op, "acc").is_some() {
        return Err(error(
            op.location(),
            "`acc` is for named kinds; here the combiner says the type of partial results",
        )
        .code(codes::TX0011)
        .emit());
    }
    Ok(())
}
