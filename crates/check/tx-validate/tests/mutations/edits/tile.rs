//! Edits of `tile` reductions.

use super::Change;
use super::ir::{each, none, one, set};
use tx_dialect_tile::{Kind, Nan, Scope};
use tx_mlir::melior::ir::attribute::FloatAttribute;
use tx_mlir::melior::ir::{Attribute, TypeLike, ValueLike};
use tx_mlir::{
    Op, attribute, elements, erase, integer_attribute, integer_value, integers, is, memref::MemRef,
    operand_groups, operands, remove_attribute, results, set_operand,
};

fn is_reduce(op: Op<'_>) -> bool {
    is(op, "tile.reduce")
}

fn is_either(op: Op<'_>) -> bool {
    is_reduce(op) || is(op, "tile.all_reduce")
}

fn kind(op: Op<'_>) -> Option<Kind> {
    attribute(op, "kind").and_then(Kind::of)
}

fn of_floats(op: Op<'_>) -> bool {
    operands(op).first().is_some_and(|value| {
        MemRef::of(*value).map_or_else(
            || {
                let text = value.r#type().to_string();
                value.r#type().is_float() || text.contains("xf") || text.contains("xbf")
            },
            |memref| memref.element.is_float(),
        )
    })
}

pub(super) fn lose_accumulate(op: Op<'_>) -> Vec<Change<'_>> {
    match is_reduce(op) && attribute(op, "accumulate").is_some() {
        true => one(move || remove_attribute(op, "accumulate")),
        false => none(),
    }
}

pub(super) fn gain_accumulate(op: Op<'_>) -> Vec<Change<'_>> {
    match is_reduce(op) && attribute(op, "accumulate").is_none() && results(op).is_empty() {
        true => one(move || set(op, "accumulate", "unit")),
        false => none(),
    }
}

pub(super) fn other_kind(op: Op<'_>) -> Vec<Change<'_>> {
    let other = match kind(op).map_or("", Kind::name) {
        "sum" => "prod",
        "prod" => "sum",
        "max" => "min",
        "min" => "max",
        "umax" => "umin",
        "umin" => "umax",
        "and" => "or",
        "or" => "xor",
        "xor" => "or",
        "argmax" => "argmin",
        "argmin" => "argmax",
        _ => return none(),
    };
    match is_either(op) {
        true => one(move || set(op, "kind", &format!("#tile.kind<{other}>"))),
        false => none(),
    }
}

pub(super) fn other_signedness(op: Op<'_>) -> Vec<Change<'_>> {
    let other = match kind(op).map_or("", Kind::name) {
        "max" => "umax",
        "min" => "umin",
        "umax" => "max",
        "umin" => "min",
        _ => return none(),
    };
    match is_either(op) && !of_floats(op) {
        true => one(move || set(op, "kind", &format!("#tile.kind<{other}>"))),
        false => none(),
    }
}

pub(super) fn other_nan(op: Op<'_>) -> Vec<Change<'_>> {
    let minds = matches!(
        kind(op),
        Some(Kind::Max | Kind::Min | Kind::ArgMax | Kind::ArgMin)
    );
    if !is_either(op) || !minds || !of_floats(op) {
        return none();
    }
    let other = match attribute(op, "nan").and_then(Nan::of) {
        Some(Nan::Ignore) => "propagate",
        _ => "ignore",
    };
    one(move || set(op, "nan", &format!("#tile.nan<{other}>")))
}

pub(super) fn narrow_accumulator(op: Op<'_>) -> Vec<Change<'_>> {
    let adds = matches!(kind(op), Some(Kind::Sum | Kind::Prod));
    let narrow = attribute(op, "acc").is_some_and(|acc| acc.to_string() != "f32");
    match is_reduce(op) && adds && of_floats(op) && !narrow {
        true => one(move || set(op, "acc", "f16")),
        false => none(),
    }
}

pub(super) fn other_identity(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(identities) = attribute(op, "identities")
        .and_then(elements)
        .filter(|_| is_reduce(op))
    else {
        return none();
    };
    each(0..identities.len(), |i| {
        let identities = identities.clone();
        Box::new(move || {
            let texts: Vec<String> = identities
                .iter()
                .enumerate()
                .map(|(j, identity)| match i == j {
                    true => one_more(*identity),
                    false => identity.to_string(),
                })
                .collect();
            set(op, "identities", &format!("[{}]", texts.join(", ")));
        })
    })
}

/// Returns `number + 1`, or 1 if `number` is a float that is not finite or whose magnitude is at
/// least 1000.
fn one_more(number: Attribute<'_>) -> String {
    let text = number.to_string();
    let ty = text.split_once(" : ").map_or("i64", |(_, ty)| ty);
    if let Some(n) = integer_value(number) {
        return format!("{} : {ty}", n.wrapping_add(1));
    }
    let n = FloatAttribute::try_from(number).map_or(0.0, |n| n.value());
    match n.is_finite() && n.abs() < 1e3 {
        true => format!("{:?} : {ty}", n + 1.0),
        false => format!("1.0 : {ty}"),
    }
}

pub(super) fn other_axis(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(axes) = attribute(op, "axes")
        .and_then(integers)
        .filter(|_| is_reduce(op))
    else {
        return none();
    };
    let Some(memref) = operands(op).first().copied().and_then(MemRef::of) else {
        return none();
    };
    let rank = match attribute(op, "maps").and_then(elements).as_deref() {
        Some([first, ..]) => first.to_string().matches('d').count().min(8) as i64,
        _ => memref.rank() as i64,
    };
    let others = (0..rank).filter(|d| !axes.iter().any(|a| a.rem_euclid(rank.max(1)) == *d));
    others
        .filter_map(|other| {
            let mut axes = axes.clone();
            *axes.first_mut()? = other;
            axes.sort_unstable();
            let list: Vec<String> = axes.iter().map(i64::to_string).collect();
            let text = format!("array<i64: {}>", list.join(", "));
            Some(Box::new(move || set(op, "axes", &text)) as Change<'_>)
        })
        .take(1)
        .collect()
}

pub(super) fn other_map(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(maps) = attribute(op, "maps").and_then(elements) else {
        return none();
    };
    let mut changes = none();
    for i in 0..maps.len() {
        let text = maps[i].to_string();
        let Some((head, tail)) = text.rsplit_once("-> (") else {
            continue;
        };
        let Some((tail, rest)) = tail.split_once(')') else {
            continue;
        };
        let parts: Vec<&str> = tail.split(", ").collect();
        let mut variants = Vec::new();
        if let [first, second, more @ ..] = &parts[..]
            && first != second
        {
            let swapped: Vec<&str> = [*second, *first]
                .into_iter()
                .chain(more.iter().copied())
                .collect();
            variants.push(swapped.join(", "));
        }
        if let [_, more @ ..] = &parts[..]
            && parts[0] != "0"
            && !parts[0].is_empty()
        {
            let cut: Vec<&str> = ["0"].into_iter().chain(more.iter().copied()).collect();
            variants.push(cut.join(", "));
        }
        for variant in variants {
            let mut texts: Vec<String> = maps.iter().map(ToString::to_string).collect();
            texts[i] = format!("{head}-> ({variant}){rest}");
            changes.push(Box::new(move || {
                set(op, "maps", &format!("[{}]", texts.join(", ")));
            }));
        }
    }
    changes
}

pub(super) fn narrow_scope(op: Op<'_>) -> Vec<Change<'_>> {
    let narrower = match attribute(op, "scope").and_then(Scope::of) {
        Some(Scope::Cta | Scope::Warpgroup) => "warp",
        Some(Scope::Warp) => "thread",
        _ => return none(),
    };
    one(move || set(op, "scope", &format!("#tile.scope<{narrower}>")))
}

pub(super) fn drop_op(op: Op<'_>) -> Vec<Change<'_>> {
    let writes = is(op, "tile.copy") || is(op, "tile.store") || is_reduce(op);
    match writes && results(op).is_empty() {
        true => one(move || erase(op)),
        false => none(),
    }
}

pub(super) fn swap_copy(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "tile.copy") {
        true => one(move || {
            let (from, to) = (operands(op)[0], operands(op)[1]);
            set_operand(op, 0, to);
            set_operand(op, 1, from);
        }),
        false => none(),
    }
}

pub(super) fn swap_destinations(op: Op<'_>) -> Vec<Change<'_>> {
    let Some(groups) = operand_groups(op).filter(|_| is_reduce(op)) else {
        return none();
    };
    match (&groups[0], &groups[1]) {
        (sources, destinations)
            if destinations.len() > 1 && destinations[0].r#type() == destinations[1].r#type() =>
        {
            let at = sources.len();
            let (first, second) = (destinations[0], destinations[1]);
            one(move || {
                set_operand(op, at, second);
                set_operand(op, at + 1, first);
            })
        }
        _ => none(),
    }
}

pub(super) fn other_width(op: Op<'_>) -> Vec<Change<'_>> {
    match integer_attribute(op, "width").filter(|n| *n > 1 && is(op, "tile.all_reduce")) {
        Some(n) => one(move || set(op, "width", &format!("{} : i64", n / 2))),
        None => none(),
    }
}

pub(super) fn other_stride(op: Op<'_>) -> Vec<Change<'_>> {
    let width = integer_attribute(op, "width").unwrap_or(1);
    match integer_attribute(op, "stride").filter(|_| is(op, "tile.all_reduce")) {
        // Halve the width to keep the group within a warp.
        Some(n) => one(move || {
            if n * width * 2 > 32 {
                set(op, "width", &format!("{} : i64", (width / 2).max(1)));
            }
            set(op, "stride", &format!("{} : i64", n * 2));
        }),
        None => none(),
    }
}

/// Replaces the result of a `tile.all_reduce` by the operand of the same thread.
pub(super) fn lose_exchange(op: Op<'_>) -> Vec<Change<'_>> {
    match is(op, "tile.all_reduce") {
        true => one(move || {
            for (total, own) in results(op).into_iter().zip(operands(op)) {
                tx_mlir::replace_uses(total, own);
            }
        }),
        false => none(),
    }
}
