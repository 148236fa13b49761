//! Ops that fill memory with one value.

use super::converted_ops::ConvertedOps;
use super::read::Loops;
use super::scalar::{Scalar, sort_of};
use crate::analysis::dataflow::{Access, AccessKind, Dataflow};
use melior::ir::ValueLike;
use tx_mlir::{
    Affine, MemRef, Op, Val, argument_of, attribute, defining_op, enclosing, is, parent,
};

/// An op that fills a whole memref with one value.
#[derive(Clone, Copy)]
pub(crate) struct Fill<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) value: Option<Scalar>,
}

/// Returns the fill whose values `reader` reads from `memory`, if no op between the fill and
/// `reader` accesses `memory`. The function ignores a fill that the plan of a reduction already
/// replaces.
pub(crate) fn fill_before<'c>(
    reader: Op<'c>,
    memory: Val<'c>,
    flow: &Dataflow<'c>,
    converted: &ConvertedOps,
) -> Option<Fill<'c>> {
    let before = flow.before(reader).iter().rev();
    for step in before.filter(|step| !converted.is_folded(step.op)) {
        if let Some(value) = filled(step.op, memory, flow, converted) {
            return (!converted.contains(step.op)).then_some(Fill { op: step.op, value });
        }
        if step.accesses(AccessKind::Any, memory) {
            return None;
        }
    }
    None
}

/// Returns, for each output that `writer` overwrites completely, the last constant fill before
/// `writer`. The caller may erase a returned fill and use the constant of the fill instead.
pub(crate) fn overwritten<'c>(
    writer: Op<'c>,
    outputs: &[&Access<'c>],
) -> Vec<Option<(Op<'c>, Scalar)>> {
    let Some(function) = enclosing(writer, "func.func") else {
        return vec![None; outputs.len()];
    };
    let flow = Dataflow::of(function);
    let converted = ConvertedOps::default();
    let overwritten = |output: &&Access<'c>| {
        let fill = fill_before(writer, output.value, &flow, &converted)?;
        let is_whole = |(r, size): (&Affine, &Option<u64>)| match r {
            Affine::Dim(_) => true,
            _ => *size == Some(1),
        };
        let shape = &output.memref.as_ref()?.shape;
        let is_whole = output.map.results.iter().zip(shape).all(is_whole);
        Some((fill.op, fill.value?)).filter(|_| is_whole)
    };
    outputs.iter().map(overwritten).collect()
}

/// Returns the value with which `op` fills `memory`. Returns `None` if `op` is no fill, and
/// `Some(None)` if the fill value is not constant.
fn filled<'c>(
    op: Op<'c>,
    memory: Val<'c>,
    flow: &Dataflow<'c>,
    converted: &ConvertedOps,
) -> Option<Option<Scalar>> {
    let loops = Loops::of(op)?;
    let [output] = &loops.outputs[..] else {
        return None;
    };
    if output.value != memory || !loops.is_element_wise() {
        return None;
    }
    let value = match (loops.body, &loops.yielded()[..]) {
        (None, _) => loops.inputs.first()?.value,
        // The body of the fill yields an operand, as a block argument, or a value from outside of
        // the body.
        (Some(body), [value]) => match argument_of(*value) {
            Some((block, i)) if block == body => loops.inputs.get(i)?.value,
            _ => *value,
        },
        _ => return None,
    };
    if MemRef::of(value).is_some() {
        return fill_before(op, value, flow, converted).map(|fill| fill.value);
    }
    let constant = defining_op(value).filter(|d| is(*d, "arith.constant"));
    let made_here = defining_op(value).is_some_and(|d| parent(d) == Some(op));
    match constant {
        Some(constant) => Some(
            sort_of(value.r#type())
                .and_then(|sort| Scalar::of(attribute(constant, "value")?, sort)),
        ),
        None => (!made_here).then_some(None),
    }
}
