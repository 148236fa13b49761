//! Edits of launches and host code.

use super::Change;
use super::ir::{add, each, give, known, move_before, none, on_device, one, set};
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::melior::ir::operation::OperationLike;
use tx_mlir::{
    Op, attribute, erase, integer_value, integers, is, operand_groups, operands, results,
    set_operand, string_attribute, walk,
};

/// Returns the index of the first operand of each operand group of a launch.
fn starts(op: Op<'_>) -> Option<Vec<usize>> {
    if !is(op, "gpu.launch_func") {
        return None;
    }
    let groups = operand_groups(op)?;
    let mut at = 0;
    Some(
        groups
            .iter()
            .map(|group| {
                at += group.len();
                at - group.len()
            })
            .collect(),
    )
}

/// Launches fewer blocks along a dimension. The edit does not launch more blocks, because an
/// additional block has no effect on a grid-stride loop.
pub(super) fn smaller_grid(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(starts) = starts(op) else {
        return none();
    };
    // Use the first dimension with more than one block. If no dimension has more than one block,
    // use the first dimension.
    let at = (starts[1]..starts[1] + 3)
        .find(|i| known(operands(op)[*i]) != Some(1))
        .unwrap_or(starts[1]);
    one(move || add(op, at, -1))
}

pub(super) fn other_block(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(starts) = starts(op) else {
        return none();
    };
    let size = (starts[4]..starts[4] + 3).find_map(|i| {
        let n = known(operands(op)[i])?;
        (n > 1).then_some((i, n))
    });
    match size {
        Some((i, n)) => one(move || give(op, i, n / 2)),
        None => none(),
    }
}

pub(super) fn swap_arguments(op: Op<'_>) -> Vec<Change<'_>> {
    let (Some(starts), Some(groups)) = (starts(op), operand_groups(op)) else {
        return none();
    };
    let at = starts[11];
    let given = &groups[11];
    let pair = (0..given.len()).find_map(|i| {
        let j = (i + 1..given.len())
            .find(|j| given[*j].r#type() == given[i].r#type() && given[*j] != given[i])?;
        Some((i, j))
    });
    match pair {
        Some((i, j)) => {
            let (first, second) = (given[i], given[j]);
            one(move || {
                set_operand(op, at + i, second);
                set_operand(op, at + j, first);
            })
        }
        None => none(),
    }
}

pub(super) fn drop_launch(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "gpu.launch_func") && results(op).is_empty() {
        true => one(move || erase(op)),
        false => none(),
    }
}

pub(super) fn swap_launches(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "gpu.launch_func") {
        return none();
    }
    let Some(block) = op.block() else {
        return none();
    };
    let all = tx_mlir::ops(block);
    // Find another launch with the same temporary.
    let temporaries: Vec<_> = operands(op)
        .into_iter()
        .filter(|v| tx_mlir::defining_op(*v).is_some_and(|o| is(o, "memref.alloc")))
        .collect();
    let later = all.iter().skip_while(|o| **o != op).skip(1).find(|o| {
        let given = operands(**o);
        is(**o, "gpu.launch_func") && temporaries.iter().any(|v| given.contains(v))
    });
    match later.and_then(|later| super::ir::next(*later)) {
        Some(behind) => one(move || move_before(op, behind)),
        None => none(),
    }
}

pub(super) fn small_temporary(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "memref.alloc") || on_device(op) {
        return none();
    }
    // Dynamic sizes are operands.
    let count = operands(op).len();
    if count > 0 {
        return each(0..count, |i| Box::new(move || add(op, i, -1)));
    }
    none()
}

pub(super) fn early_free(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "memref.dealloc") {
        return none();
    }
    let memory = operands(op)[0];
    match tx_mlir::defining_op(memory).and_then(super::ir::next) {
        Some(behind) if behind != op => one(move || move_before(op, behind)),
        _ => none(),
    }
}

pub(super) fn other_known_block(op: Op<'_>) -> Vec<Change<'_>> {
    let sizes = attribute(op, "known_block_size").and_then(integers);
    match sizes.as_deref() {
        Some([x, y, z]) if *x > 1 => {
            let text = format!("array<i32: {}, {y}, {z}>", x / 2);
            one(move || set(op, "known_block_size", &text))
        }
        _ => none(),
    }
}

/// Returns the number of the fused group to which an op belongs.
fn group(op: Op<'_>) -> Option<i64> {
    integer_value(attribute(op, "tile.group")?)
}

/// Returns the ops that follow an op in its fused group.
fn later_phases(op: Op<'_>) -> Vec<Op<'_>> {
    let (Some(own), Some(block)) = (group(op), op.block()) else {
        return Vec::new();
    };
    let mut all = tx_mlir::ops(block);
    let at = all.iter().position(|o| *o == op).unwrap_or(all.len() - 1);
    all.drain(..=at);
    all.retain(|later| group(*later) == Some(own));
    all
}

/// Returns whether `later` reads the memory that `op` writes (its last operand).
fn handed_over<'c>(op: Op<'c>, later: Op<'c>) -> bool {
    let written = operands(op).pop();
    let read = operands(later);
    written.is_some_and(|written| read[..read.len() - 1].contains(&written))
}

pub(super) fn swap_phases(op: Op<'_>) -> Vec<Change<'_>> {
    let later = later_phases(op)
        .into_iter()
        .find(|later| handed_over(op, *later));
    match later.and_then(super::ir::next) {
        Some(behind) => one(move || move_before(op, behind)),
        None => none(),
    }
}

pub(super) fn other_hand_over(op: Op<'_>) -> Vec<Change<'_>> {
    let given = operands(op);
    let Some(written) = given.last().copied() else {
        return none();
    };
    // Replace an operand of a later op by another operand of the same type.
    let readers = later_phases(op)
        .into_iter()
        .filter(|later| handed_over(op, *later));
    each(readers, |later| {
        let given = operands(later);
        let at = given
            .iter()
            .position(|value| *value == written)
            .unwrap_or(0);
        let other = given
            .iter()
            .find(|value| **value != written && value.r#type() == written.r#type());
        let other = other.copied();
        Box::new(move || {
            if let Some(other) = other {
                set_operand(later, at, other);
            }
        })
    })
}

/// Returns whether an op launches a kernel that holds rows in registers, and therefore has a
/// maximum row length.
fn launches_holder(op: Op<'_>) -> bool {
    let path = attribute(op, "kernel").and_then(tx_mlir::symbol_path);
    let (true, Some(kernel)) = (
        is(op, "gpu.launch_func"),
        path.and_then(|mut path| path.pop()),
    ) else {
        return false;
    };
    let root = tx_mlir::ancestors(op).last().unwrap_or(op);
    walk(root).into_iter().any(|function| {
        is(function, "gpu.func")
            && string_attribute(function, "sym_name").as_ref() == Some(&kernel)
            && attribute(function, "schedule")
                .is_some_and(|steps| steps.to_string().contains("#tile.hold"))
    })
}

pub(super) fn negate_choice(op: Op<'_>) -> Vec<Change<'_>> {
    let then = tx_mlir::first_block(op, 0)
        .map(tx_mlir::ops)
        .unwrap_or_default();
    if !is(op, "scf.if") || on_device(op) || !then.into_iter().any(launches_holder) {
        return none();
    }
    tx_mlir::defining_op(operands(op)[0]).map_or_else(none, super::values::negate_comparison)
}
