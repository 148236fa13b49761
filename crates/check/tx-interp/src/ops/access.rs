//! Loads and stores of scalars and vectors.

use crate::build::{Build, scalars_of};
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::ops::scalar::{bound_of, float_of};
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Value, View};
use tx_exec::happens_before::AccessKind;
use tx_mlir::{Op, integer_attribute, name, operands, results};
use tx_scalar::Bound;
use tx_scalar::calc::operation;
use tx_scalar::number::Scalar;

/// Compiles `memref.load`, `memref.store`, `vector.load` and `vector.store`. `llvm.load` and
/// `llvm.store` are supported if the address is derived from a memref.
pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let site = build.program.site(op);
    match name(op) {
        "memref.load" | "vector.load" => {
            let (scalar, width) = scalars_of(op, results(op)[0])?;
            let to = build.results(op)[0];
            let alignment = integer_attribute(op, "alignment");
            Ok(Some(Box::new(move |exec| {
                // A uniform load is executed once, unless the race check needs the access of each
                // lane.
                let watched = exec.world.races && exec.threads;
                let (uniform, lanes) = exec.lanes_for(&slots);
                let uniform = uniform && !watched;
                let lanes = if uniform { lanes } else { exec.active.clone() };
                let mut out = match uniform {
                    true => Lanes::same(vec![0; width]),
                    false => Lanes::new(width, exec.lanes),
                };
                for &lane in lanes.iter() {
                    let (view, index) = indexed(exec, slots[0], &slots[1..], lane);
                    check(exec, &view, &index, width, lane, &site.1)?;
                    let place = view.place(index.iter().copied());
                    let address = view.address() + place * scalar.bytes() as i64;
                    if let Some(alignment) = alignment.filter(|n| address % n != 0) {
                        let message =
                            format!("address {address:#x} is not a multiple of {alignment}");
                        let fault = Trouble::fault(FaultKind::Misaligned, &site.1, message);
                        return Err(exec.with_thread(fault, lane));
                    }
                    for i in 0..width {
                        let (bits, bound) =
                            exec.read(&view, place + i as i64, scalar, lane, &site)?;
                        out.set(if uniform { 0 } else { lane as usize }, i, bits, bound);
                    }
                }
                exec.slots[to] = Value::Numbers(out);
                Ok(())
            })))
        }
        "memref.store" | "vector.store" => {
            let (scalar, width) = scalars_of(op, operands(op)[0])?;
            Ok(Some(Box::new(move |exec| {
                for &lane in exec.active.clone().iter() {
                    let (view, index) = indexed(exec, slots[1], &slots[2..], lane);
                    check(exec, &view, &index, width, lane, &site.1)?;
                    let place = view.place(index.iter().copied());
                    store(exec, slots[0], (&view, place), (scalar, width), lane, &site)?;
                }
                Ok(())
            })))
        }
        "llvm.load" => {
            let (scalar, width) = scalars_of(op, results(op)[0])?;
            let to = build.results(op)[0];
            Ok(Some(Box::new(move |exec| {
                let mut out = Lanes::new(width, exec.lanes);
                for &lane in exec.active.clone().iter() {
                    let view = exec.world.memory.at(exec.int(slots[0], lane), &site.1)?;
                    for i in 0..width {
                        let (bits, bound) = exec.read(&view, i as i64, scalar, lane, &site)?;
                        out.set(lane as usize, i, bits, bound);
                    }
                }
                exec.slots[to] = Value::Numbers(out);
                Ok(())
            })))
        }
        "llvm.store" => {
            let (scalar, width) = scalars_of(op, operands(op)[0])?;
            Ok(Some(Box::new(move |exec| {
                for &lane in exec.active.clone().iter() {
                    let view = exec.world.memory.at(exec.int(slots[1], lane), &site.1)?;
                    store(exec, slots[0], (&view, 0), (scalar, width), lane, &site)?;
                }
                Ok(())
            })))
        }
        _ => Ok(None),
    }
}

pub(crate) fn store(
    exec: &mut Exec<'_>,
    value: usize,
    (view, first): (&View, i64),
    (scalar, width): (Scalar, usize),
    lane: u32,
    site: &(u32, Site),
) -> Result<(), Trouble> {
    for i in 0..width {
        let numbers = exec.numbers(value);
        let value = (
            numbers.get(lane as usize, i),
            numbers.bound(lane as usize, i),
        );
        let place = first + i as i64;
        exec.write(view, place, scalar, value, AccessKind::Write, lane, site)?;
    }
    Ok(())
}

fn indexed(
    exec: &Exec<'_>,
    memref: usize,
    indices: &[usize],
    lane: u32,
) -> (std::rc::Rc<View>, Vec<i64>) {
    let index = indices.iter().map(|slot| exec.int(*slot, lane)).collect();
    (exec.view(memref, lane), index)
}

/// Returns an error for an index outside the sizes of a memref, even if the address is inside the
/// buffer.
fn check(
    exec: &Exec<'_>,
    view: &View,
    index: &[i64],
    width: usize,
    lane: u32,
    site: &Site,
) -> Result<(), Trouble> {
    let last = index.len().wrapping_sub(1);
    let outside = index
        .iter()
        .zip(&view.sizes)
        .enumerate()
        .any(|(d, (i, size))| {
            let more = if d == last { width as i64 - 1 } else { 0 };
            *i < 0 || i + more >= *size
        });
    if !outside {
        return Ok(());
    }
    let message = format!(
        "index {index:?} is out of range for an array of {:?}",
        view.sizes
    );
    Err(exec.with_thread(Trouble::fault(FaultKind::OutOfBounds, site, message), lane))
}

/// List of the `arith` ops that combine the values in `memref.atomic_rmw`. The index of an op in
/// `ATOMICS` is the enum value of the corresponding kind of `memref.atomic_rmw`.
const ATOMICS: [&str; 16] = [
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "", // assign
    "arith.maximumf",
    "arith.maxnumf",
    "arith.maxsi",
    "arith.maxui",
    "arith.minimumf",
    "arith.minnumf",
    "arith.minsi",
    "arith.minui",
    "arith.mulf",
    "arith.muli",
    "arith.ori",
    "arith.xori",
];

pub(crate) fn atomic<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let slots = build.operands(op);
    let site = build.program.site(op);
    let (scalar, _) = scalars_of(op, operands(op)[0])?;
    let to = build.results(op)[0];
    let kind = integer_attribute(op, "kind").unwrap_or(-1);
    let kind_name = usize::try_from(kind)
        .ok()
        .and_then(|k| ATOMICS.get(k).copied());
    let combine = match kind_name {
        Some("") => None,
        Some(name) => Some(
            operation(name, None, &[scalar, scalar], scalar)
                .ok_or_else(|| Trouble::unsupported(op, format!("of kind {kind}")))?,
        ),
        None => return Err(Trouble::unsupported(op, format!("of kind {kind}"))),
    };
    Ok(Box::new(move |exec| {
        let mut out = Lanes::new(1, exec.lanes);
        for &lane in exec.active.clone().iter() {
            let (view, index) = indexed(exec, slots[1], &slots[2..], lane);
            check(exec, &view, &index, 1, lane, &site.1)?;
            let place = view.place(index);
            // The write registers the whole atomic access, so the race check skips the read.
            let watched = std::mem::replace(&mut exec.world.races, false);
            let old = exec.read(&view, place, scalar, lane, &site);
            exec.world.races = watched;
            let (old, old_bound) = old?;
            let value = exec.numbers(slots[0]);
            let bits = value.get(lane as usize, 0);
            let (new, bound) = match &combine {
                None => (bits, value.bound(lane as usize, 0)),
                Some(op) => {
                    let result = (op.calc)(&[old, bits, 0]).unwrap_or(bits);
                    let bound = exec.world.bounds.then(|| {
                        let a = old_bound.unwrap_or_else(|| Bound::exact(float_of(scalar, old)));
                        let b = bound_of(value, scalar, lane as usize, 0);
                        match &op.bound {
                            Some(rule) => {
                                let [x, y, r] = [old, bits, result].map(|v| float_of(scalar, v));
                                rule(&[x, y, 0.0], &[a, b, Bound::exact(0.0)], r)
                            }
                            None if a.is_exact() && b.is_exact() => Bound::exact(0.0),
                            None => Bound::anything(),
                        }
                    });
                    let keep = |b: &Bound| matches!(scalar, Scalar::Float(_)) || !b.is_exact();
                    (result, bound.filter(keep))
                }
            };
            exec.write(
                &view,
                place,
                scalar,
                (new, bound),
                AccessKind::Atomic,
                lane,
                &site,
            )?;
            out.set(lane as usize, 0, old, old_bound);
        }
        exec.slots[to] = Value::Numbers(out);
        Ok(())
    }))
}
