//! A `linalg` op as data: its loops, its operands with indexing maps, and its body.

use super::generic::ITERATORS;
use crate::analysis::dataflow::{Access, Accesses};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use tx_mlir::build::argument;
use tx_mlir::memref::{Overlap, overlap};
use tx_mlir::{
    Affine, Blk, Failed, MemRef, Op, Val, attribute, codes, elements, enclosing, enumerator, error,
    first_block, has_uses, is, is_memref, name, operands, ops, parent,
};

/// Loops, operands and body of a `linalg` op or a `memref.copy`.
#[derive(Clone)]
pub(crate) struct Loops<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) dims: usize,
    pub(crate) inputs: Vec<Access<'c>>,
    pub(crate) outputs: Vec<Access<'c>>,
    /// Body of the op; `None` for an op that copies its only input.
    pub(crate) body: Option<Blk<'c>>,
    /// Reduced loops of the op: the loops that index no output.
    pub(crate) reduced: Vec<usize>,
}

impl<'c> Loops<'c> {
    /// Reads the loops, operands and body of an op; `None` if the op has no indexing maps.
    pub(crate) fn of(op: Op<'c>) -> Option<Self> {
        let body = match is(op, "memref.copy") {
            true => None,
            false => Some(first_block(op, 0).filter(|_| name(op).starts_with("linalg."))?),
        };
        let Accesses {
            dims,
            inputs,
            outputs,
        } = Accesses::of(op)?;
        let used = |d: usize| {
            outputs
                .iter()
                .any(|o| o.map.results.iter().any(|r| r.uses(d)))
        };
        let reduced = (0..dims).filter(|d| !used(*d)).collect();
        Some(Self {
            op,
            dims,
            inputs,
            outputs,
            body,
            reduced,
        })
    }

    /// Returns the parallel loops, which index outputs.
    pub(crate) fn kept(&self) -> Vec<usize> {
        (0..self.dims)
            .filter(|d| !self.reduced.contains(d))
            .collect()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Access<'c>> {
        self.inputs.iter().chain(&self.outputs)
    }

    pub(crate) fn old_value(&self, output: usize) -> Option<Val<'c>> {
        Some(argument(self.body?, self.inputs.len() + output))
    }

    pub(crate) fn reads_output(&self) -> bool {
        self.old_value(0).is_some_and(has_uses)
    }

    pub(crate) fn yielded(&self) -> Vec<Val<'c>> {
        self.body
            .and_then(|b| ops(b).last().copied())
            .map(operands)
            .unwrap_or_default()
    }

    /// Returns whether the op is element-wise on memrefs: each iteration computes one element of
    /// each output.
    pub(crate) fn is_element_wise(&self) -> bool {
        let places = |o: &Access<'c>| {
            o.map
                .as_projected_permutation()
                .is_some_and(|p| p.len() == self.dims)
        };
        self.outputs.iter().all(places)
            && self.all().all(|o| o.map.symbols == 0)
            && self.outputs.iter().all(|o| o.is_memory())
            && self
                .inputs
                .iter()
                .all(|o| o.is_memory() || o.map.results.is_empty())
    }
}

pub(crate) fn element_of<'c>(value: Val<'c>) -> Type<'c> {
    MemRef::of(value).map_or_else(|| value.r#type(), |m| m.element)
}

/// Reads an op as a reduction; `None` if the op has no reduced loop.
///
/// # Errors
/// Returns an error with the reason if the reduction cannot be converted.
pub(crate) fn reduction<'c>(op: Op<'c>) -> Result<Option<Loops<'c>>, Failed> {
    if !name(op).starts_with("linalg.") {
        return Ok(None);
    }
    let Some(loops) = Loops::of(op).filter(|l| !l.outputs.is_empty()) else {
        return Ok(None);
    };
    check_iterators(&loops)?;
    if loops.reduced.is_empty() {
        return Ok(None);
    }
    check_operands(&loops)?;
    check_maps(&loops)?;
    check_place(op)?;
    check_overlap(&loops)?;
    Ok(Some(loops))
}

/// Checks the iterator types of a `linalg.generic`: a `parallel` loop must index all outputs, and a
/// `reduction` loop must index no output.
fn check_iterators(loops: &Loops<'_>) -> Result<(), Failed> {
    let op = loops.op;
    let Some(written) = attribute(op, ITERATORS).and_then(elements) else {
        return Ok(());
    };
    let reduces = |d: usize| {
        written
            .get(d)
            .is_some_and(|t| enumerator(*t) == Some("reduction"))
    };
    for d in 0..loops.dims {
        let missing = loops
            .outputs
            .iter()
            .position(|o| !o.map.results.iter().any(|r| r.uses(d)));
        let message = match (reduces(d), loops.reduced.contains(&d), missing) {
            (true, false, _) => {
                format!("d{d} is a `reduction` loop, but an output is indexed by this loop")
            }
            (false, _, Some(output)) => format!(
                "d{d} is a `parallel` loop, but output {output} is not indexed by this loop: \
                 several results would be written to one element"
            ),
            _ => continue,
        };
        return Err(error(op.location(), message)
            .code(codes::TX0028)
            .note("index each output by every `parallel` loop and by no `reduction` loop")
            .emit());
    }
    Ok(())
}

/// Note of the error for a tensor operand in a pass that accepts only memrefs. The note names the
/// pipeline that lowers tensors; the commands of `tx` run this pipeline automatically.
pub(crate) const TENSORS_FIRST: &str = "run the pipeline `tensors-to-memrefs` first";

fn check_operands(loops: &Loops<'_>) -> Result<(), Failed> {
    let op = loops.op;
    for (i, operand) in loops.all().enumerate() {
        let ty = operand.value.r#type();
        let message = if tx_mlir::is_tensor(ty) {
            return Err(error(
                op.location(),
                format!("operand {i} is a tensor, expected a memref: `{ty}`"),
            )
            .code(codes::TX0322)
            .note(TENSORS_FIRST)
            .emit());
        } else if operand.is_memory() {
            continue;
        } else if is_memref(ty) {
            format!("operand {i} is `{ty}`, expected a ranked memref with a strided layout")
        } else if i >= loops.inputs.len() || !operand.map.results.is_empty() {
            format!("operand {i} is `{ty}`, expected a memref")
        } else {
            continue;
        };
        return Err(error(op.location(), message).code(codes::TX0322).emit());
    }
    Ok(())
}

fn check_maps(loops: &Loops<'_>) -> Result<(), Failed> {
    let op = loops.op;
    for (i, operand) in loops.all().enumerate() {
        if operand.map.symbols > 0 {
            return Err(error(
                op.location(),
                format!(
                    "the map of operand {i} has symbols, expected only loop dimensions: ({})",
                    operand.map
                ),
            )
            .code(codes::TX0027)
            .note("replace the symbol in the map by a constant")
            .emit());
        }
    }
    for (i, output) in loops.outputs.iter().enumerate() {
        let mut seen = Vec::new();
        let placed = output.map.results.iter().all(|r| match r {
            Affine::Dim(d) => {
                !seen.contains(d) && {
                    seen.push(*d);
                    true
                }
            }
            // The output keeps reduced dimensions with size 1.
            Affine::Const(0) => true,
            _ => false,
        });
        let kept = loops.kept();
        if !placed || !kept.iter().all(|d| seen.contains(d)) {
            return Err(error(
                op.location(),
                format!(
                    "output {i} is indexed by ({}), expected each parallel loop exactly once",
                    output.map
                ),
            )
            .code(codes::TX0028)
            .note(
                "reduce into a temporary that is indexed by each parallel loop once, and copy it \
                 with a separate op",
            )
            .emit());
        }
    }
    Ok(())
}

/// Note of the error for a grid-level op in a loop or a branch of a host function.
pub(crate) const NO_HOST_LOOPS: &str = "grid-level ops are not allowed in loops and branches of a \
                                        host function: reduce the whole array at once, with the \
                                        loop as an additional parallel dimension";

pub(crate) const ONE_BLOCK: &str = "a host function must have one block, without branches";

fn check_place(op: Op<'_>) -> Result<(), Failed> {
    if parent(op).is_some_and(|p| is(p, "func.func")) {
        return Ok(());
    }
    let report = error(
        op.location(),
        "a linalg reduction must be directly in the body of a `func.func`",
    )
    .code(codes::TX0318);
    let report = match parent(op) {
        Some(p) => report.note_at(
            p.location(),
            format!("the parent of this reduction is `{}`", name(p)),
        ),
        None => report,
    };
    Err(report
        .note(match enclosing(op, "func.func") {
            Some(_) => NO_HOST_LOOPS,
            None => "in a kernel, write `tile.reduce` at scope `cta` or below",
        })
        .emit())
}

fn check_overlap(loops: &Loops<'_>) -> Result<(), Failed> {
    for (i, output) in loops.outputs.iter().enumerate() {
        let inputs = loops.inputs.iter().filter(|o| o.is_memory());
        let mut others = inputs.chain(&loops.outputs[..i]);
        let shares = others.find_map(|o| match overlap(o.value, output.value) {
            Overlap::Never => None,
            Overlap::Maybe => Some("may share"),
            Overlap::Always => Some("shares"),
        });
        if let Some(shares) = shares {
            return Err(error(
                loops.op.location(),
                format!("output {i} {shares} memory with another operand"),
            )
            .code(codes::TX0110)
            .note(
                "elements are read while results are written: reduce into a temporary from \
                 `memref.alloc`, and copy it with `memref.copy`",
            )
            .emit());
        }
    }
    Ok(())
}
