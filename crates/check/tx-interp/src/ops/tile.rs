//! Reference semantics of the ops on tiles.
//!
//! Each thread group executes an op once. The first thread of a thread group reads the sources
//! element by element in row-major order, and writes the results. The threads that hold an element
//! of a fragment read and write this element.

use crate::build::Build;
use crate::code::OpClosure;
use crate::ops::group::groups;
use crate::ops::memref::{copy, memref};
use crate::ops::tile_all_reduce::all_reduce;
use crate::ops::tile_operand::{Tile, check_sizes, held};
use crate::ops::tile_reduce::reduce;
use crate::trouble::Trouble;
use crate::value::{Lanes, Value};
use tx_dialect_tile::{AllReduce, Reduce};
use tx_exec::happens_before::AccessKind;
use tx_mlir::{Op, name, operands, results};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    if let Some(view) = Reduce::of(op) {
        return reduce(&view, build).map(Some);
    }
    if let Some(view) = AllReduce::of(op) {
        return all_reduce(&view, build).map(Some);
    }
    let slots = build.operands(op);
    let to = build.results(op);
    let site = build.program.site(op);
    let scope = tx_dialect_tile::scope(op);
    Ok(Some(match (name(op), scope) {
        ("tile.copy", Some(scope)) => {
            let (_, scalar) = memref(op, operands(op)[0])?;
            Box::new(move |exec| {
                for group in groups(exec, scope, &site.1)? {
                    let lane = group.first;
                    let (from, into) = (exec.view(slots[0], lane), exec.view(slots[1], lane));
                    copy(exec, &from, &into, scalar, lane, &site)?;
                }
                Ok(())
            })
        }
        ("tile.load", Some(scope)) => {
            let tile = Tile::of(op, results(op)[0])?;
            let (_, scalar) = memref(op, operands(op)[0])?;
            Box::new(move |exec| {
                let mut out = Lanes::new(tile.width, exec.lanes);
                for group in groups(exec, scope, &site.1)? {
                    let view = exec.view(slots[0], group.first);
                    check_sizes(&view, &tile, &site.1)?;
                    for (point, holders) in tile.elements() {
                        let place = view.place(point);
                        let (bits, bound) = exec.read(&view, place, scalar, group.first, &site)?;
                        for holder in holders {
                            if let Some(thread) = group.thread(holder, exec.lanes) {
                                out.set(thread, holder.slot, bits, bound);
                            }
                        }
                    }
                }
                exec.slots[to[0]] = Value::Numbers(out);
                Ok(())
            })
        }
        ("tile.store", Some(scope)) => {
            let tile = Tile::of(op, operands(op)[0])?;
            let (_, scalar) = memref(op, operands(op)[1])?;
            Box::new(move |exec| {
                for group in groups(exec, scope, &site.1)? {
                    let view = exec.view(slots[1], group.first);
                    check_sizes(&view, &tile, &site.1)?;
                    for (point, holders) in tile.elements() {
                        let value = held(exec, slots[0], &group, holders, &site.1)?;
                        exec.write(
                            &view,
                            view.place(point),
                            scalar,
                            value,
                            AccessKind::Write,
                            group.first,
                            &site,
                        )?;
                    }
                }
                Ok(())
            })
        }
        ("tile.splat", _) => {
            let tile = Tile::of(op, results(op)[0])?;
            Box::new(move |exec| {
                exec.compute(&slots, to[0], tile.width, |exec, lane, _| {
                    let value = exec.numbers(slots[0]);
                    Ok((value.get(lane as usize, 0), value.bound(lane as usize, 0)))
                })
            })
        }
        _ => return Ok(None),
    }))
}
