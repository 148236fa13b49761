//! Plan for the conversion of one reduction. The plan of a reduction is complete before the
//! conversion changes the first op.

use super::body::{dependents, free_values, memory_read, only_computes};
use super::combiner::{Neutral, exact_identity};
use super::converted_ops::ConvertedOps;
use super::fills::fill_before;
use super::laws::Partial;
use super::read::{Loops, element_of};
use super::recognise::{Recognised, recognise};
use super::scalar::{Sort, sort_of};
use crate::analysis::dataflow::{Access, Dataflow};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use tx_dialect_tile::{Kind, default_accumulator};
use tx_mlir::memref::{Overlap, overlap};
use tx_mlir::{
    Affine, Failed, Op, Val, attribute, codes, context, error, is, key, name, only_reads, ops,
    type_value, walk,
};

/// Origin of a block argument in the body of a reduction or a fused producer.
#[derive(Clone, Copy)]
pub(crate) enum Input<'c> {
    /// Element of a source; the field is the index of the source in the list `sources`.
    Source(usize),
    /// Result of a fused producer; the field is the index of the producer in the list `stages`.
    Stage(usize),
    Scalar(Val<'c>),
}

/// An element-wise producer that is fused into the `element` region.
pub(crate) struct Stage<'c> {
    pub(crate) loops: Loops<'c>,
    /// Index of each loop of the producer, as an expression of the loop indices of the reduction.
    pub(crate) dims: Vec<Affine>,
    /// Origin of each block argument of the producer's body; the last argument may be the old
    /// output value.
    pub(crate) inputs: Vec<Input<'c>>,
}

/// Origin of a block argument in the body of a fused consumer.
#[derive(Clone, Copy)]
pub(crate) enum Given<'c> {
    /// Result that the reduction would store in a destination if the consumer were not fused; the
    /// field is the number of the destination.
    Result(usize),
    /// Element of a `with` operand of the reduction; the field is the number of the operand.
    Extra(usize),
    Scalar(Val<'c>),
}

pub(crate) struct Tail<'c> {
    pub(crate) loops: Loops<'c>,
    /// Number of the reduction loop that corresponds to each loop of the consumer.
    pub(crate) dims: Vec<usize>,
    pub(crate) inputs: Vec<Given<'c>>,
    /// Number of the destination whose old value the consumer reads.
    pub(crate) old: Option<usize>,
    /// Numbers of all destinations that the consumer reads. The output of the consumer replaces the
    /// first destination that the consumer reads; all other destinations that the consumer reads
    /// are removed.
    pub(crate) takes: Vec<usize>,
}

#[derive(Default)]
pub(crate) struct Found<'c> {
    pub(crate) sources: Vec<Access<'c>>,
    pub(crate) stages: Vec<Stage<'c>>,
    pub(crate) inputs: Vec<Input<'c>>,
    pub(crate) gone: Vec<Op<'c>>,
}

/// Changes that the fusion of one consumer requires in the plan of a reduction.
pub(crate) struct Consumer<'c> {
    pub(crate) tail: Tail<'c>,
    pub(crate) destination: Access<'c>,
    pub(crate) extras: Vec<Access<'c>>,
    pub(crate) gone: Vec<Op<'c>>,
}

pub(crate) struct Plan<'c> {
    pub(crate) loops: Loops<'c>,
    pub(crate) what: Recognised<'c>,
    pub(crate) accumulate: bool,
    pub(crate) identities: Option<Partial>,
    /// Constants that replace the old output values if the whole body becomes the `element` region.
    pub(crate) old_values: Vec<(Val<'c>, Attribute<'c>)>,
    pub(crate) sources: Vec<Access<'c>>,
    pub(crate) stages: Vec<Stage<'c>>,
    pub(crate) inputs: Vec<Input<'c>>,
    pub(crate) destinations: Vec<Access<'c>>,
    pub(crate) extras: Vec<Access<'c>>,
    pub(crate) tails: Vec<Tail<'c>>,
    pub(crate) at: Op<'c>,
    /// Ops that the `tile.reduce` replaces.
    pub(crate) gone: Vec<Op<'c>>,
    /// Fills that initialize destinations with a neutral value; the list `gone` also contains these
    /// fills.
    pub(crate) folded: Vec<Op<'c>>,
}

impl<'c> Plan<'c> {
    /// Creates the plan of one reduction. The plan fuses no ops except fills with a neutral value.
    ///
    /// # Errors
    /// Returns an error with the reason if the reduction cannot be converted.
    pub(crate) fn of(
        loops: Loops<'c>,
        flow: &Dataflow<'c>,
        converted: &ConvertedOps,
    ) -> Result<Self, Failed> {
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
            .map(|d| fill_before(op, d.value, flow, converted))
            .collect();
        let is_index = |i: usize| what.kind.is_arg() && i == 1;
        let constants: Option<Partial> = fills
            .iter()
            .flatten()
            .enumerate()
            .map(|(i, f)| {
                // If no element of a row wins over the filled value, the reduction returns the
                // filled index. The result of an empty reduction has index 0, so the fill can be
                // folded only if its index is 0.
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
                    // Accumulation into old values would change the results of rows without
                    // elements.
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
        if folded.is_some() && attribute(op, "nan").is_none() {
            what.exclude_nan();
        }
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

    pub(super) fn take_producers(&mut self, found: Found<'c>) {
        self.sources = found.sources;
        self.stages = found.stages;
        self.inputs = found.inputs;
        self.gone.extend(found.gone);
    }

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

    pub(crate) fn reads(&self) -> Vec<Val<'c>> {
        let extras = self.extras.iter().map(|o| o.value);
        self.read_by_elements().into_iter().chain(extras).collect()
    }

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
            "fill the outputs with {what} by `linalg.fill`, directly before this op"
        ))
        .emit()
}

/// Returns the replacements of old output values: the constant of a preceding fill, or the identity
/// of the combiner. For a combiner of a named kind, the identity is the bitwise identity, such as
/// -0.0 for a float sum.
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

/// Checks that the body has no side effects. Loads in the body must not depend on old output
/// values, and must read memory that the op does not write.
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
            (false, _) => "is not known to be free of side effects",
            (true, true) => {
                "reads memory that the op writes: write to a temporary, and copy the temporary to \
                 the output"
            }
            (true, false) => {
                "reads memory and depends on the accumulator: loads may depend only on elements \
                 and indices"
            }
        };
        return Err(error(
            loops.op.location(),
            "the body of a reduction must have no side effects: it may be executed any number of \
             times",
        )
        .code(codes::TX0015)
        .note_at(inner.location(), format!("`{}` {why}", name(inner)))
        .emit());
    }
    Ok(())
}

/// Rejects `acc` on a `custom` reduction, because the combiner region already defines the types of
/// partial results.
fn check_accumulator<'c>(op: Op<'c>, what: &Recognised<'c>) -> Result<(), Failed> {
    if what.kind == Kind::Custom && attribute(op, "acc").is_some() {
        return Err(error(
            op.location(),
            "`acc` is only for named kinds; here the combiner defines the type of partial results",
        )
        .code(codes::TX0011)
        .emit());
    }
    Ok(())
}
