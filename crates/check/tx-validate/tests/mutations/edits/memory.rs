//! Edits of memory accesses.

use super::Change;
use super::ir::{add, before, each, give, is_used, known, none, on_device, one, set};
use tx_mlir::melior::ir::attribute::IntegerAttribute;
use tx_mlir::melior::ir::r#type::IntegerType;
use tx_mlir::melior::ir::{BlockLike, ValueLike};
use tx_mlir::{
    MemRef, Op, attribute, context, enclosing, erase, integer_attribute, integers, is, name,
    operands, replace_uses, results, set_attribute, set_type, string_attribute, symbol_path,
    vector_parts, walk,
};

/// Returns the operand number of the first index of an access.
fn indices(op: Op<'_>) -> Option<usize> {
    Some(match name(op) {
        "memref.load" | "vector.load" => 1,
        "memref.store" | "vector.store" => 2,
        _ => return None,
    })
}

/// Increments the index along the last dimension that has more than one element.
fn neighbour<'c>(op: Op<'c>, memref: usize) -> Vec<Change<'c>> {
    let (Some(from), Some(ty)) = (indices(op), MemRef::of(operands(op)[memref])) else {
        return none();
    };
    let last = ty.shape.iter().rposition(|size| *size != Some(1));
    match last {
        Some(d) => one(move || add(op, from + d, 1)),
        None => none(),
    }
}

pub(super) fn load_neighbour(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "memref.load") || is(op, "vector.load") {
        true if is_used(op) => neighbour(op, 0),
        _ => none(),
    }
}

pub(super) fn store_neighbour(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "memref.store") || is(op, "vector.store") {
        true => neighbour(op, 1),
        false => none(),
    }
}

pub(super) fn other_address(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "llvm.getelementptr") && operands(op).len() == 2 && is_used(op) {
        true => one(move || add(op, 1, 1)),
        false => none(),
    }
}

pub(super) fn drop_store(op: Op<'_>) -> Vec<Change<'_>> {
    let stores = match name(op) {
        "memref.store" | "vector.store" => true,
        // Skip stores of memref descriptors.
        "llvm.store" => !operands(op)[0]
            .r#type()
            .to_string()
            .starts_with("!llvm.array"),
        _ => false,
    };
    match stores && on_device(op) {
        true => one(move || erase(op)),
        false => none(),
    }
}

pub(super) fn other_vector_element(op: Op<'_>) -> Vec<Change<'_>> {
    if !is_used(op) {
        return none();
    }
    if is(op, "llvm.extractelement") {
        let Some(n) = known(operands(op)[1]) else {
            return none();
        };
        return one(move || give(op, 1, n ^ 1));
    }
    if !is(op, "vector.extract") {
        return none();
    }
    let lanes = vector_parts(operands(op)[0].r#type()).map_or(1, |(lanes, _)| lanes as i64);
    match attribute(op, "static_position")
        .and_then(integers)
        .as_deref()
    {
        Some([n]) if *n >= 0 && lanes > 1 => {
            let other = if n ^ 1 < lanes { n ^ 1 } else { n - 1 };
            one(move || set(op, "static_position", &format!("array<i64: {other}>")))
        }
        _ => none(),
    }
}

pub(super) fn other_dimension(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "memref.dim") || !is_used(op) {
        return none();
    }
    let rank = MemRef::of(operands(op)[0]).map_or(0, |ty| ty.rank() as i64);
    match known(operands(op)[1]) {
        Some(n) if rank > 1 => one(move || give(op, 1, (n + 1) % rank)),
        _ => none(),
    }
}

/// Returns the names of other shared variables of the same type in the kernel.
fn others(op: Op<'_>) -> Vec<String> {
    let Some(holder) = enclosing(op, "gpu.func") else {
        return Vec::new();
    };
    let Some(own) = attribute(op, "name").and_then(symbol_path) else {
        return Vec::new();
    };
    let ty = results(op)[0].r#type().to_string();
    walk(holder)
        .into_iter()
        .filter(|o| is(*o, "memref.get_global") && results(*o)[0].r#type().to_string() == ty)
        .filter_map(|o| symbol_path(attribute(o, "name")?)?.pop())
        .filter(|name| Some(name) != own.last())
        .collect()
}

pub(super) fn share_scratch(op: Op<'_>) -> Vec<Change<'_>> {
    if is(op, "memref.get_global") {
        return match others(op).into_iter().next() {
            Some(other) => one(move || set(op, "name", &format!("@{other}"))),
            None => none(),
        };
    }
    if !is(op, "gpu.func") {
        return none();
    }
    // In the first block of a kernel, the block arguments for shared memory follow the kernel
    // arguments.
    let Some(block) = tx_mlir::first_block(op, 0) else {
        return none();
    };
    let shared: Vec<_> = (0..block.argument_count())
        .map(|i| tx_mlir::build::argument(block, i))
        .filter(|v| MemRef::of(*v).is_some_and(|ty| ty.space == tx_mlir::memref::Space::Shared))
        .collect();
    let pair = shared.iter().enumerate().find_map(|(i, first)| {
        let second = shared[i + 1..]
            .iter()
            .find(|v| v.r#type() == first.r#type())?;
        Some((*first, *second))
    });
    match pair {
        Some((first, second)) => one(move || replace_uses(second, first)),
        None => none(),
    }
}

pub(super) fn small_scratch(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "memref.global") {
        return none();
    }
    let Some(ty) = attribute(op, "type").map(|ty| ty.to_string()) else {
        return none();
    };
    let Some(rest) = ty.strip_prefix("memref<") else {
        return none();
    };
    let Some((count, rest)) = rest.split_once('x') else {
        return none();
    };
    let uninitialized = attribute(op, "initial_value").is_some_and(|v| v.to_string() == "unit");
    if !uninitialized || count.parse::<u64>().is_ok_and(|n| n < 2) {
        return none();
    }
    let smaller = format!("memref<1x{rest}");
    one(move || {
        let Some(holder) = enclosing(op, "gpu.module") else {
            return;
        };
        set(op, "type", &smaller);
        let own = string_attribute(op, "sym_name");
        for user in walk(holder) {
            let path = attribute(user, "name").and_then(symbol_path);
            if is(user, "memref.get_global") && path.and_then(|mut p| p.pop()) == own {
                let ty = tx_mlir::melior::ir::Type::parse(context(op), &smaller);
                if let Some(ty) = ty {
                    set_type(results(user)[0], ty);
                }
            }
        }
    })
}

pub(super) fn other_subview(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "memref.subview") || !is_used(op) || !on_device(op) {
        return none();
    }
    // The operands with dynamic offsets follow the source operand.
    let dynamic = attribute(op, "operandSegmentSizes").and_then(integers);
    match dynamic.as_deref() {
        Some([_, offsets, ..]) => each(0..*offsets as usize, |i| {
            Box::new(move || add(op, 1 + i, 1))
        }),
        _ => none(),
    }
}

pub(super) fn tear_atomic(op: Op<'_>) -> Vec<Change<'_>> {
    if !is(op, "memref.atomic_rmw") {
        return none();
    }
    let combine = match integer_attribute(op, "kind") {
        // The numbers denote the kinds `addf` and `addi`.
        Some(0) => "arith.addf",
        Some(1) => "arith.addi",
        _ => return none(),
    };
    one(move || {
        let b = before(op);
        let all = operands(op);
        let (value, place) = (all[0], &all[1..]);
        let old = b
            .create("memref.load")
            .operands(place)
            .result(value.r#type())
            .value();
        let new = b.binary(combine, old, value);
        let mut stored = vec![new];
        stored.extend(place);
        b.create("memref.store").operands(&stored).build();
        replace_uses(results(op)[0], old);
        erase(op);
    })
}

pub(super) fn raise_alignment(op: Op<'_>) -> Vec<Change<'_>> {
    let accesses = matches!(
        name(op),
        "memref.load"
            | "memref.store"
            | "vector.load"
            | "vector.store"
            | "llvm.load"
            | "llvm.store"
    );
    if !accesses || !on_device(op) {
        return none();
    }
    let value = match results(op).first() {
        Some(value) => *value,
        None => operands(op)[0],
    };
    let bytes = match vector_parts(value.r#type()) {
        Some((lanes, element)) => tx_mlir::byte_width(element).map(|bytes| bytes * lanes),
        None => tx_mlir::byte_width(value.r#type()),
    };
    let Some(bytes) = bytes else { return none() };
    let now = integer_attribute(op, "alignment").map_or(bytes, |n| n.unsigned_abs());
    one(move || {
        let i64 = IntegerType::new(context(op), 64).into();
        let more = IntegerAttribute::new(i64, (now * 4).cast_signed()).into();
        set_attribute(op, "alignment", more);
    })
}
