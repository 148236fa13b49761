//! Execution of `linalg.generic` on memrefs. Each lane computes the result at one index tuple of
//! the parallel dimensions. A lane iterates over the reduction dimensions in row-major order.
//!
//! `linalg` ops other than `linalg.generic` are converted to `linalg.generic` before the
//! interpreter runs.

use crate::build::{Build, scalars};
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::ops::memref::memref;
use crate::ops::reduce::slot_numbers;
use crate::points::Points;
use crate::points::iteration_sizes;
use crate::trouble::Trouble;
use crate::value::{Lanes, Slot, Value, count};
use std::rc::Rc;
use tx_exec::happens_before::AccessKind;
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::{
    AffineMap, MemRef, Op, attribute, elements, integer_attribute, name, operands, results,
};
use tx_scalar::number::Scalar;

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    match name(op) {
        "linalg.generic" => generic(op, build).map(Some),
        "linalg.index" => {
            let dim = integer_attribute(op, "dim").and_then(|d| usize::try_from(d).ok());
            let (Some(dim), to) = (dim, build.results(op)[0]) else {
                return Ok(None);
            };
            let Some(&from) = build.loops.last().and_then(|loops| loops.get(dim)) else {
                return Ok(None);
            };
            Ok(Some(Box::new(move |exec| {
                exec.slots[to] = exec.slots[from].clone();
                Ok(())
            })))
        }
        _ => Ok(None),
    }
}

/// Maximum number of lanes that execute the body of a `linalg.generic` at once.
const CHUNK: usize = 4096;

enum Operand {
    Memory {
        slot: Slot,
        scalar: Scalar,
        /// Whether the body of the `linalg.generic` uses the elements of the operand. The body of a
        /// `linalg.generic` often does not use the previous elements of an output.
        read: bool,
    },
    Number {
        slot: Slot,
    },
}

fn generic<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    if !results(op).is_empty() {
        return Err(Trouble::unsupported(op, "on tensors"));
    }
    let maps: Vec<AffineMap> = tx_mlir::affine::indexing_maps(op)
        .ok_or_else(|| Trouble::unsupported(op, "without maps"))?;
    let rank = maps.first().map_or(0, |map| map.dims);
    let reduced: Vec<bool> = attribute(op, "iterator_types")
        .and_then(elements)
        .unwrap_or_default()
        .into_iter()
        .map(|kind| tx_mlir::enumerator(kind) == Some("reduction"))
        .collect();
    let mut all = Vec::new();
    let block = tx_mlir::first_block(op, 0);
    for (number, value) in operands(op).into_iter().enumerate() {
        all.push(if MemRef::of(value).is_some() {
            let (_, scalar) = memref(op, value)?;
            Operand::Memory {
                slot: build.slot(value),
                scalar,
                read: block.is_some_and(|b| tx_mlir::has_uses(tx_mlir::build::argument(b, number))),
            }
        } else if scalars(value.r#type()).is_some() {
            Operand::Number {
                slot: build.slot(value),
            }
        } else {
            return Err(Trouble::unsupported(
                op,
                format!("on values of type {}", value.r#type()),
            ));
        });
    }
    let loops: Vec<Slot> = (0..rank).map(|_| build.fresh()).collect();
    build.loops.push(loops.clone());
    let body = build.body(op, 0);
    build.loops.pop();
    let body = body?;
    let outs = body.yields.len();
    let site = build.program.site(op);
    Ok(Box::new(move |exec| {
        let mut sizes = Vec::new();
        let mut shaped = Vec::new();
        for (operand, map) in all.iter().zip(&maps) {
            if let Operand::Memory { slot, .. } = operand {
                sizes.push(exec.view(*slot, 0).sizes.clone());
                shaped.push(map.clone());
            }
        }
        let space = iteration_sizes(rank, &shaped, &sizes, &site.1)?;
        let pick = |wanted: bool| -> Vec<usize> {
            (0..rank)
                .filter(|d| reduced.get(*d).copied().unwrap_or(false) == wanted)
                .collect()
        };
        let (kept, folded) = (pick(false), pick(true));
        let kept_sizes: Vec<i64> = kept.iter().map(|d| space[*d]).collect();
        let folded_sizes: Vec<i64> = folded.iter().map(|d| space[*d]).collect();
        let steps = count(&folded_sizes);
        let count = usize::try_from(count(&kept_sizes)).unwrap_or(0);
        let mut start = 0;
        while start < count {
            let lanes = CHUNK.min(count - start);
            let together: Rc<[u32]> = (0..lanes as u32).collect();
            let mut points = Points::new(rank, lanes);
            points.set(&kept, &kept_sizes, |lane| (start + lane) as i64);
            for step in 0..steps {
                points.set_all(&folded, &folded_sizes, step);
                for (operand, (map, argument)) in all.iter().zip(maps.iter().zip(&body.arguments)) {
                    exec.slots[*argument] =
                        Value::Numbers(gather(exec, operand, map, &points, &site)?);
                }
                for (d, slot) in loops.iter().enumerate() {
                    exec.slots[*slot] = Value::Numbers(points.coordinate(d));
                }
                let before = std::mem::replace(&mut exec.unordered, !folded.is_empty());
                let yielded = exec.with_all(&together, |exec| {
                    body.run(exec)?;
                    Ok(slot_numbers(exec, &body.yields))
                });
                exec.unordered = before;
                let yielded: Vec<Lanes> = yielded?;
                let first = all.len() - outs;
                for (i, values) in yielded.iter().enumerate() {
                    let Operand::Memory { slot, scalar, .. } = all[first + i] else {
                        continue;
                    };
                    let view = exec.view(slot, 0);
                    for lane in 0..lanes {
                        let value = (values.get(lane, 0), values.bound(lane, 0));
                        let place = points.place(&maps[first + i], &view, lane);
                        exec.write(&view, place, scalar, value, AccessKind::Write, 0, &site)?;
                    }
                }
            }
            start += lanes;
        }
        Ok(())
    }))
}

fn gather(
    exec: &mut Exec<'_>,
    operand: &Operand,
    map: &AffineMap,
    points: &Points,
    site: &(u32, crate::site::Site),
) -> Result<Lanes, Trouble> {
    match operand {
        Operand::Number { slot } => Ok(exec.numbers(*slot).clone()),
        Operand::Memory { read: false, .. } => Ok(Lanes::new(1, points.lanes)),
        Operand::Memory { slot, scalar, .. } => {
            let view = exec.view(*slot, 0);
            let mut out = Lanes::new(1, points.lanes);
            for lane in 0..points.lanes {
                let place = points.place(map, &view, lane);
                let (bits, bound) = exec.read(&view, place, *scalar, 0, site)?;
                out.set(lane, 0, bits, bound);
            }
            Ok(out)
        }
    }
}
