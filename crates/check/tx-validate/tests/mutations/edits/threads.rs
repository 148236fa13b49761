//! Edits of synchronization, and of data exchange between threads.

use super::Change;
use super::ir::{
    before, give, in_llvm, is_barrier, is_used, known, move_before, next, none, one, previous, set,
};
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::{
    Op, attribute, enclosing, erase, integers, is, name, operands, replace_uses, results,
    set_operand, walk,
};

fn is_block_barrier(op: Op<'_>) -> bool {
    is(op, "gpu.barrier")
        || is(op, "nvvm.barrier0")
        || is(op, "nvvm.barrier") && operands(op).is_empty()
}

fn is_named_barrier(op: Op<'_>) -> bool {
    is(op, "nvvm.barrier") && !operands(op).is_empty() && results(op).is_empty()
}

fn is_warp_barrier(op: Op<'_>) -> bool {
    is(op, "nvvm.bar.warp.sync")
}

fn erased_if(op: Op<'_>, holds: bool) -> Vec<Change<'_>> {
    match holds {
        true => one(move || erase(op)),
        false => none(),
    }
}

pub(super) fn drop_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    erased_if(op, is_block_barrier(op))
}

pub(super) fn drop_warp_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    erased_if(op, is_warp_barrier(op))
}

/// Removes a wait at the cluster barrier together with the corresponding arrival.
pub(super) fn drop_cluster_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "nvvm.cluster.wait") {
        return none();
    }
    let arrive = std::iter::successors(previous(op), |o| previous(*o))
        .find(|o| name(*o).starts_with("nvvm.cluster.arrive"));
    match arrive {
        Some(arrive) => one(move || {
            erase(op);
            erase(arrive);
        }),
        None => none(),
    }
}

pub(super) fn relax_cluster_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "nvvm.cluster.arrive") {
        true => one(move || {
            before(op).create("nvvm.cluster.arrive.relaxed").build();
            erase(op);
        }),
        false => none(),
    }
}

pub(super) fn drop_mbarrier_init(op: Op<'_>) -> Vec<Change<'_>> {
    erased_if(op, is(op, "nvvm.mbarrier.init"))
}

/// Removes the loop that waits at an mbarrier object.
pub(super) fn drop_mbarrier_wait(op: Op<'_>) -> Vec<Change<'_>> {
    let waits = || walk(op).iter().any(|op| is(*op, "nvvm.mbarrier.try_wait"));
    erased_if(op, is(op, "scf.while") && waits())
}

pub(super) fn other_expected_bytes(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "nvvm.mbarrier.arrive.expect_tx") {
        true => one(move || give(op, 1, 0)),
        false => none(),
    }
}

pub(super) fn other_rank(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "nvvm.mapa") && is_used(op) {
        true => one(move || give(op, 1, 0)),
        false => none(),
    }
}

pub(super) fn drop_fence(op: Op<'_>) -> Vec<Change<'_>> {
    erased_if(op, is(op, "llvm.fence"))
}

pub(super) fn drop_named_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    erased_if(op, is_named_barrier(op))
}

/// Wraps an op in an `scf.if` whose condition depends on the thread id.
fn for_some<'c>(op: Op<'c>, below: i64) -> Vec<Change<'c>> {
    one(move || {
        let b = before(op);
        let thread = b
            .create("gpu.thread_id")
            .attr_text("dimension", "#gpu<dim x>")
            .result(b.index_type())
            .value();
        let few = b.compare(Predicate::Ult, thread, b.int(below, b.index_type()));
        b.if_then(Cond::Val(few), |b| {
            b.copy_with(op, &operands(op));
        });
        erase(op);
    })
}

pub(super) fn barrier_for_one_thread(op: Op<'_>) -> Vec<Change<'_>> {
    match is_barrier(op) {
        true => for_some(op, 1),
        false => none(),
    }
}

/// Returns the block size along each dimension, if known.
fn block(op: Op<'_>) -> Option<[i64; 3]> {
    let kernel = enclosing(op, "gpu.func").or_else(|| enclosing(op, "llvm.func"))?;
    let sizes = attribute(kernel, "known_block_size")
        .or_else(|| attribute(kernel, "gpu.known_block_size"))
        .and_then(integers)?;
    sizes.try_into().ok()
}

/// Returns the block size along the dimension of a `gpu.thread_id`.
pub(super) fn block_along(op: Op<'_>) -> Option<i64> {
    let text = attribute(op, "dimension")?.to_string();
    let axis = ["x>", "y>", "z>"]
        .iter()
        .position(|end| text.ends_with(end))?;
    Some(block(op)?[axis])
}

/// Returns the number of threads of a block, if known.
fn threads(op: Op<'_>) -> Option<i64> {
    Some(block(op)?.iter().product())
}

pub(super) fn barrier_for_one_warp(op: Op<'_>) -> Vec<Change<'_>> {
    match is_block_barrier(op) && threads(op).is_some_and(|n| n > 32) {
        true => for_some(op, 32),
        false => none(),
    }
}

pub(super) fn narrow_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    if !is_block_barrier(op) || threads(op).is_none_or(|n| n <= 32) {
        return none();
    }
    one(move || {
        let b = before(op);
        let all = b.int(-1, b.int_type(32));
        b.create("nvvm.bar.warp.sync").operands(&[all]).build();
        erase(op);
    })
}

pub(super) fn other_barrier_number(op: Op<'_>) -> Vec<Change<'_>> {
    // If the barrier id depends on the thread, the block has several groups of threads.
    match is_named_barrier(op) && known(operands(op)[0]).is_none() {
        true => one(move || give(op, 0, 1)),
        false => none(),
    }
}

pub(super) fn other_barrier_count(op: Op<'_>) -> Vec<Change<'_>> {
    if !is_named_barrier(op) || operands(op).len() < 2 {
        return none();
    }
    let n = known(operands(op)[1]).unwrap_or(128);
    vec![
        Box::new(move || give(op, 1, n + 32)),
        Box::new(move || give(op, 1, n - 32)),
    ]
}

pub(super) fn other_barrier_mask(op: Op<'_>) -> Vec<Change<'_>> {
    match is_warp_barrier(op) {
        true => one(move || without_lane(op, 0)),
        false => none(),
    }
}

/// Removes lane 1 from a member mask.
fn without_lane(op: Op<'_>, operand: usize) {
    let b = before(op);
    let mask = operands(op)[operand];
    let others = super::ir::integer(&b, op, !2, mask.r#type());
    let and = if in_llvm(op) {
        "llvm.and"
    } else {
        "arith.andi"
    };
    set_operand(op, operand, b.binary(and, mask, others));
}

/// Returns whether moving a barrier across an op has no effect, because the op accesses no memory.
fn is_plain(op: Op<'_>) -> bool {
    let exchanges = matches!(
        name(op),
        "gpu.shuffle" | "nvvm.shfl.sync" | "nvvm.redux.sync" | "nvvm.vote.sync"
    );
    exchanges || is_barrier(op) || tx_mlir::only_computes(op)
}

pub(super) fn early_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    if !is_barrier(op) {
        return none();
    }
    // Find the closest preceding op that accesses memory.
    let target = std::iter::successors(previous(op), |o| previous(*o)).find(|o| !is_plain(*o));
    // The operands of the barrier must dominate its new position.
    let target = target.filter(|_| operands(op).is_empty());
    match target {
        Some(target) => one(move || move_before(op, target)),
        None => none(),
    }
}

pub(super) fn late_barrier(op: Op<'_>) -> Vec<Change<'_>> {
    if !is_barrier(op) {
        return none();
    }
    let target = std::iter::successors(next(op), |o| next(*o)).find(|o| !is_plain(*o));
    match target.and_then(next) {
        Some(behind) => one(move || move_before(op, behind)),
        None => none(),
    }
}

/// Operand indices of a shuffle: mask, value, offset, and width or clamp.
struct Shuffle {
    mask: Option<usize>,
    value: usize,
    offset: usize,
    width: usize,
}

fn shuffle(op: Op<'_>) -> Option<Shuffle> {
    if !results(op).iter().any(|v| tx_mlir::has_uses(*v)) {
        return None;
    }
    Some(match name(op) {
        "gpu.shuffle" => Shuffle {
            mask: None,
            value: 0,
            offset: 1,
            width: 2,
        },
        "nvvm.shfl.sync" => Shuffle {
            mask: Some(0),
            value: 1,
            offset: 2,
            width: 3,
        },
        _ => return None,
    })
}

pub(super) fn drop_shuffle(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(places) = shuffle(op) else {
        return none();
    };
    let value = operands(op)[places.value];
    match results(op)[0].r#type() == value.r#type() {
        true => one(move || replace_uses(results(op)[0], value)),
        false => none(),
    }
}

pub(super) fn other_shuffle_offset(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(places) = shuffle(op) else {
        return none();
    };
    let at = places.offset;
    match known(operands(op)[at]) {
        Some(n) => one(move || give(op, at, if n == 16 { 8 } else { (n * 2).max(1) })),
        None => none(),
    }
}

pub(super) fn other_shuffle_mode(op: Op<'_>) -> Vec<Change<'_>> {
    if shuffle(op).is_none() {
        return none();
    }
    if is(op, "gpu.shuffle") {
        let text = attribute(op, "mode").map_or_else(String::new, |mode| mode.to_string());
        let other = if text.contains("up") { "down" } else { "up" };
        return one(move || set(op, "mode", &format!("#gpu<shuffle_mode {other}>")));
    }
    let text = attribute(op, "kind").map_or_else(String::new, |kind| kind.to_string());
    let other = if text.contains("up") { "down" } else { "up" };
    one(move || set(op, "kind", &format!("#nvvm<shfl_kind {other}>")))
}

pub(super) fn other_shuffle_width(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(places) = shuffle(op) else {
        return none();
    };
    // The new width is too small for the offset.
    let Some(distance) = known(operands(op)[places.offset]).filter(|n| *n > 0) else {
        return none();
    };
    match is(op, "gpu.shuffle") {
        true => one(move || give(op, places.width, distance)),
        false => one(move || give(op, places.width, distance - 1)),
    }
}

pub(super) fn other_shuffle_mask(op: Op<'_>) -> Vec<Change<'_>> {
    match shuffle(op).and_then(|places| places.mask) {
        Some(mask) => one(move || without_lane(op, mask)),
        None => none(),
    }
}

pub(super) fn whole_shuffle_mask(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(mask) = shuffle(op).and_then(|places| places.mask) else {
        return none();
    };
    match known(operands(op)[mask]) {
        Some(-1) => none(),
        _ => one(move || give(op, mask, -1)),
    }
}

pub(super) fn shuffle_for_some(op: Op<'_>) -> Vec<Change<'_>> {
    if shuffle(op).is_none()
        || in_llvm(op)
        || results(op).iter().skip(1).any(|v| tx_mlir::has_uses(*v))
    {
        return none();
    }
    one(move || {
        let b = before(op);
        let thread = b
            .create("gpu.thread_id")
            .attr_text("dimension", "#gpu<dim x>")
            .result(b.index_type())
            .value();
        let bit = b.binary("arith.andi", thread, b.int(1, b.index_type()));
        let even = b.compare(Predicate::Eq, bit, b.int(0, b.index_type()));
        let value = results(op)[0];
        let own = match is(op, "gpu.shuffle") {
            true => operands(op)[0],
            false => operands(op)[1],
        };
        let made = b.if_else(
            Cond::Val(even),
            &[value.r#type()],
            |b| vec![b.copy_with(op, &operands(op))[0]],
            |_| vec![own],
        );
        replace_uses(value, made[0]);
        erase(op);
    })
}

pub(super) fn other_redux_kind(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "nvvm.redux.sync") || !is_used(op) {
        return none();
    }
    let text = attribute(op, "kind").map_or_else(String::new, |kind| kind.to_string());
    let kind = text
        .trim_end_matches('>')
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .to_owned();
    let other = match kind.as_str() {
        "add" => "umax",
        "umax" => "max",
        "max" => "umax",
        "min" => "umin",
        "umin" => "min",
        "and" => "or",
        "or" => "and",
        "xor" => "or",
        "fmax" => "fmin",
        "fmin" => "fmax",
        _ => return none(),
    };
    one(move || set(op, "kind", &format!("#nvvm<redux_kind {other}>")))
}

pub(super) fn other_redux_mask(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "nvvm.redux.sync") && is_used(op) {
        true => one(move || without_lane(op, 1)),
        false => none(),
    }
}

pub(super) fn other_vote(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "nvvm.vote.sync") || !is_used(op) {
        return none();
    }
    let text = attribute(op, "kind").map_or_else(String::new, |kind| kind.to_string());
    let other = if text.contains("any") { "all" } else { "any" };
    match text.contains("ballot") {
        true => none(),
        false => one(move || set(op, "kind", &format!("#nvvm<vote_sync_kind {other}>"))),
    }
}

pub(super) fn other_thread(op: Op<'_>) -> Vec<Change<'_>> {
    if !(is(op, "gpu.thread_id") || is(op, "gpu.block_id")) || !is_used(op) {
        return none();
    }
    let text = attribute(op, "dimension").map_or_else(String::new, |d| d.to_string());
    let other = if text.ends_with(" x>") { "y" } else { "x" };
    one(move || set(op, "dimension", &format!("#gpu<dim {other}>")))
}

pub(super) fn narrow_range(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(axis) = name(op).strip_prefix("nvvm.read.ptx.sreg.tid.") else {
        return none();
    };
    let Some(sizes) = block(op) else {
        return none();
    };
    let size = match axis {
        "x" => sizes[0],
        "y" => sizes[1],
        _ => sizes[2],
    };
    match size > 1 && attribute(op, "range").is_some() {
        true => one(move || {
            let range = format!("#llvm.constant_range<i32, 0, {}>", size - 1);
            set(op, "range", &range);
        }),
        false => none(),
    }
}
