//! Edits of arithmetic.

use super::Change;
use super::ir::{
    add, after, each, give, in_llvm, instead, is_used, known, none, on_device, one, predicate,
    rename, result_type, set,
};
use tx_mlir::melior::ir::attribute::FloatAttribute;
use tx_mlir::melior::ir::{BlockLike, TypeLike, ValueLike};
use tx_mlir::{
    Op, Val, attribute, defining_op, integer_attribute, integer_value, is, name, operands, results,
    set_attribute, set_operand, users,
};

/// Returns the op that replaces an arithmetic op of the dialect `arith` or `llvm`.
fn other_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "arith.addf" => "arith.subf",
        "arith.subf" => "arith.addf",
        "arith.mulf" => "arith.addf",
        "arith.divf" => "arith.mulf",
        "arith.maximumf" => "arith.minimumf",
        "arith.minimumf" => "arith.maximumf",
        "arith.maxnumf" => "arith.minnumf",
        "arith.minnumf" => "arith.maxnumf",
        "arith.addi" => "arith.subi",
        "arith.subi" => "arith.addi",
        "arith.muli" => "arith.addi",
        "arith.divui" => "arith.remui",
        "arith.remui" => "arith.divui",
        "arith.ceildivui" => "arith.divui",
        "arith.maxsi" => "arith.minsi",
        "arith.minsi" => "arith.maxsi",
        "arith.maxui" => "arith.minui",
        "arith.minui" => "arith.maxui",
        "arith.andi" => "arith.ori",
        "arith.ori" => "arith.andi",
        "arith.xori" => "arith.ori",
        "arith.shli" => "arith.shrui",
        "arith.shrui" => "arith.shrsi",
        "arith.shrsi" => "arith.shrui",
        "llvm.fadd" => "llvm.fsub",
        "llvm.fsub" => "llvm.fadd",
        "llvm.fmul" => "llvm.fadd",
        "llvm.add" => "llvm.sub",
        "llvm.sub" => "llvm.add",
        "llvm.mul" => "llvm.add",
        "llvm.udiv" => "llvm.urem",
        "llvm.urem" => "llvm.udiv",
        "llvm.and" => "llvm.or",
        "llvm.or" => "llvm.and",
        "llvm.xor" => "llvm.or",
        "llvm.intr.maximum" => "llvm.intr.minimum",
        "llvm.intr.minimum" => "llvm.intr.maximum",
        "llvm.intr.smax" => "llvm.intr.smin",
        "llvm.intr.smin" => "llvm.intr.smax",
        _ => return None,
    })
}

/// Returns whether the op computes the counter of an LLVM loop. An edit of the op that computes the
/// counter could make the loop endless.
fn counts(op: Op<'_>) -> bool {
    in_llvm(op)
        && operands(op)
            .first()
            .is_some_and(|value| value.is_block_argument() && !value.r#type().is_float())
}

/// Returns whether the op limits the number of blocks of a launch. Without the limit, the executor
/// would run up to 2^31 blocks, most of them without a row.
fn limits_blocks(op: Op<'_>) -> bool {
    is(op, "arith.minui")
        && results(op)
            .into_iter()
            .flat_map(users)
            .any(|user| is(user, "gpu.launch_func"))
}

pub(super) fn other_arithmetic(op: Op<'_>) -> Vec<Change<'_>> {
    match other_of(name(op)) {
        Some(other) if is_used(op) && !counts(op) && !limits_blocks(op) => {
            one(move || rename(op, other))
        }
        _ => none(),
    }
}

pub(super) fn swap_operands(op: Op<'_>) -> Vec<Change<'_>> {
    let ordered = matches!(
        name(op),
        "arith.subf"
            | "arith.divf"
            | "arith.subi"
            | "arith.divui"
            | "arith.remui"
            | "arith.ceildivui"
            | "arith.shli"
            | "arith.shrui"
            | "arith.shrsi"
            | "llvm.sub"
            | "llvm.fsub"
            | "llvm.fdiv"
            | "llvm.udiv"
            | "llvm.urem"
    );
    // Other edits test divisions by zero.
    let [left, right] = operands(op)[..] else {
        return none();
    };
    match ordered && is_used(op) && left != right {
        true => one(move || {
            set_operand(op, 0, right);
            set_operand(op, 1, left);
        }),
        false => none(),
    }
}

pub(super) fn swap_select(op: Op<'_>) -> Vec<Change<'_>> {
    if !(is(op, "arith.select") || is(op, "llvm.select")) || !is_used(op) {
        return none();
    }
    let (yes, no) = (operands(op)[1], operands(op)[2]);
    match yes != no {
        true => one(move || {
            set_operand(op, 1, no);
            set_operand(op, 2, yes);
        }),
        false => none(),
    }
}

/// Returns the predicate of a comparison op, and whether the op compares floats.
fn comparison(op: Op<'_>) -> Option<(i64, bool)> {
    let floats = match name(op) {
        "arith.cmpi" | "llvm.icmp" => false,
        "arith.cmpf" | "llvm.fcmp" => true,
        _ => return None,
    };
    // Skip loop conditions in the LLVM dialect: the loop might not end.
    if !is_used(op) || counts(op) {
        return None;
    }
    Some((integer_attribute(op, "predicate")?, floats))
}

fn compare_by<'c>(op: Op<'c>, other: Option<i64>) -> Vec<Change<'c>> {
    match other {
        Some(other) => one(move || set_attribute(op, "predicate", predicate(op, other))),
        None => none(),
    }
}

pub(super) fn other_boundary(op: Op<'_>) -> Vec<Change<'_>> {
    let other = comparison(op).and_then(|found| {
        Some(match found {
            // Predicates slt, sle, sgt, sge, ult, ule, ugt, uge.
            (n @ (2 | 4 | 6 | 8), false) => n + 1,
            (n @ (3 | 5 | 7 | 9), false) => n - 1,
            // Predicates ogt, oge, olt, ole, and their unordered variants.
            (n @ (2 | 4 | 9 | 11), true) => n + 1,
            (n @ (3 | 5 | 10 | 12), true) => n - 1,
            _ => return None,
        })
    });
    compare_by(op, other)
}

pub(super) fn negate_comparison(op: Op<'_>) -> Vec<Change<'_>> {
    let other = comparison(op).and_then(|found| {
        Some(match found {
            (0, false) => 1,
            (1, false) => 0,
            // Pairs slt and sge, sle and sgt, ult and uge, ule and ugt.
            (n @ (2 | 6), false) => n + 3,
            (n @ (3 | 7), false) => n + 1,
            (n @ (4 | 8), false) => n - 1,
            (n @ (5 | 9), false) => n - 3,
            // The negation of an ordered comparison is unordered: for example, `ule` is the
            // negation of `ogt`.
            (7, true) => 14,
            (14, true) => 7,
            (n @ 1..=13, true) => 14 - n,
            _ => return None,
        })
    });
    compare_by(op, other)
}

pub(super) fn other_signedness(op: Op<'_>) -> Vec<Change<'_>> {
    // Indices are not negative, so signed and unsigned comparisons have equal results.
    let index = operands(op).first().is_none_or(|v| v.r#type().is_index()) || in_llvm(op);
    let other = comparison(op)
        .filter(|_| !index)
        .and_then(|found| match found {
            (n @ 2..=5, false) => Some(n + 4),
            (n @ 6..=9, false) => Some(n - 4),
            _ => None,
        });
    compare_by(op, other)
}

pub(super) fn other_nan(op: Op<'_>) -> Vec<Change<'_>> {
    let other = comparison(op).and_then(|found| match found {
        // Predicates oeq, ogt, oge, olt, ole, one, and ueq, ugt, uge, ult, ule, une.
        (n @ 1..=6, true) => Some(n + 7),
        (n @ 8..=13, true) => Some(n - 7),
        _ => None,
    });
    compare_by(op, other)
}

pub(super) fn other_extreme(op: Op<'_>) -> Vec<Change<'_>> {
    let other = match name(op) {
        "arith.maximumf" => "arith.maxnumf",
        "arith.minimumf" => "arith.minnumf",
        "arith.maxnumf" => "arith.maximumf",
        "arith.minnumf" => "arith.minimumf",
        "llvm.intr.maximum" => "llvm.intr.maxnum",
        "llvm.intr.minimum" => "llvm.intr.minnum",
        "llvm.intr.maxnum" => "llvm.intr.maximum",
        "llvm.intr.minnum" => "llvm.intr.minimum",
        _ => return none(),
    };
    match is_used(op) {
        true => one(move || rename(op, other)),
        false => none(),
    }
}

fn is_constant(op: Op<'_>) -> bool {
    (is(op, "arith.constant") || is(op, "llvm.mlir.constant")) && is_used(op) && on_device(op)
}

fn float_of(op: Op<'_>) -> Option<f64> {
    let value = attribute(op, "value").filter(|_| is_constant(op))?;
    Some(FloatAttribute::try_from(value).ok()?.value())
}

/// Replaces a constant by another number.
fn become_float<'c>(op: Op<'c>, n: f64) -> Vec<Change<'c>> {
    one(move || {
        let Some(ty) = result_type(op) else { return };
        let value = FloatAttribute::new(tx_mlir::context(op), ty, n).into();
        set_attribute(op, "value", value);
    })
}

/// Returns whether a constant is an operand of the computation, and not a lane, an offset or a
/// mask.
fn is_data(op: Op<'_>) -> bool {
    let users = ["gpu.shuffle", "nvvm.", "llvm.getelementptr"];
    result_type(op).is_some_and(|ty| !ty.is_index())
        && results(op).into_iter().all(|value| {
            tx_mlir::walk(top(op)).into_iter().all(|user| {
                let uses = operands(user).contains(&value);
                !uses || !users.iter().any(|prefix| name(user).starts_with(prefix))
            })
        })
}

/// Returns the function that contains an op.
fn top(op: Op<'_>) -> Op<'_> {
    tx_mlir::ancestors(op)
        .find(|o| matches!(name(*o), "gpu.func" | "llvm.func" | "func.func"))
        .unwrap_or(op)
}

pub(super) fn other_constant(op: Op<'_>) -> Vec<Change<'_>> {
    if let Some(n) = float_of(op) {
        let other = if n.is_finite() && n.abs() < 1e3 {
            n + 1.0
        } else {
            1.0
        };
        return become_float(op, other);
    }
    if !is_constant(op) || in_llvm(op) || !is_data(op) {
        return none();
    }
    let n = attribute(op, "value").and_then(integer_value);
    let ty = result_type(op).map(|ty| ty.to_string());
    match (n, ty) {
        (Some(n), Some(ty)) if ty == "i1" => {
            let other = if n & 1 == 1 { "false" } else { "true" };
            one(move || set(op, "value", other))
        }
        (Some(n), Some(ty)) => {
            let bits: u32 = ty.trim_start_matches('i').parse().unwrap_or(64);
            let most = i64::MAX >> (64 - bits.clamp(1, 64));
            let other = if n == most { n - 1 } else { n + 1 };
            one(move || set(op, "value", &format!("{other} : {ty}")))
        }
        _ => none(),
    }
}

pub(super) fn other_zero(op: Op<'_>) -> Vec<Change<'_>> {
    match float_of(op) {
        Some(n) if n == 0.0 && n.is_sign_negative() => become_float(op, 0.0),
        _ => none(),
    }
}

pub(super) fn finite_for_infinite(op: Op<'_>) -> Vec<Change<'_>> {
    if let Some(n) = float_of(op) {
        let Some(ty) = result_type(op) else {
            return none();
        };
        let most = match ty.to_string().as_str() {
            "f16" => 65504.0,
            // An f32 may be converted to bf16 later, where the largest f32 is infinite.
            "bf16" | "f32" => f64::from(f32::from_bits(0x7f7f_0000)),
            "f64" => f64::MAX,
            _ => return none(),
        };
        return match n.is_infinite() {
            true => become_float(op, most.copysign(n)),
            false => none(),
        };
    }
    let n = attribute(op, "value").and_then(integer_value);
    let ty = result_type(op).map(|ty| ty.to_string());
    match (n, ty) {
        (Some(n), Some(ty)) if is_constant(op) && ty.starts_with('i') && !ty.contains("index") => {
            let bits: u32 = ty.trim_start_matches('i').parse().unwrap_or(0);
            if bits < 8 {
                return none();
            }
            let most = i64::MAX >> (64 - bits.clamp(1, 64));
            let other = if n == most {
                n - 1
            } else if n == !most {
                n + 1
            } else {
                return none();
            };
            one(move || set(op, "value", &format!("{other} : {ty}")))
        }
        _ => none(),
    }
}

pub(super) fn round_to_half(op: Op<'_>) -> Vec<Change<'_>> {
    let rounds = matches!(
        name(op),
        "arith.addf" | "arith.mulf" | "math.fma" | "arith.subf"
    );
    let single = result_type(op).is_some_and(|ty| ty.to_string() == "f32");
    if !rounds || !single || !is_used(op) {
        return none();
    }
    one(move || {
        let b = after(op);
        let value = results(op)[0];
        let half = b
            .create("arith.truncf")
            .operands(&[value])
            .result(b.float_type("f16"))
            .build();
        let make = |_| {
            b.create("arith.extf")
                .operands(&[results(half)[0]])
                .result(value.r#type())
                .value()
        };
        instead(value, make, half);
    })
}

pub(super) fn other_extension(op: Op<'_>) -> Vec<Change<'_>> {
    let other = match name(op) {
        "arith.extsi" => "arith.extui",
        "arith.extui" => "arith.extsi",
        "arith.sitofp" => "arith.uitofp",
        "arith.uitofp" => "arith.sitofp",
        "arith.fptosi" => "arith.fptoui",
        "arith.index_cast" => "arith.index_castui",
        "arith.index_castui" => "arith.index_cast",
        "llvm.sext" => "llvm.zext",
        "llvm.zext" => "llvm.sext",
        "llvm.sitofp" => "llvm.uitofp",
        "llvm.uitofp" => "llvm.sitofp",
        _ => return none(),
    };
    // Thread ids are not negative.
    let thread = matches!(name(op), "llvm.sext" | "llvm.zext")
        && operands(op)[0].r#type().to_string() == "i32"
        && result_type(op).is_some_and(|ty| ty.to_string() == "i64");
    match is_used(op) && !thread {
        true => one(move || rename(op, other)),
        false => none(),
    }
}

/// Returns the maximum value of an index, if constants and the block size determine it.
fn most(value: Val<'_>) -> Option<i64> {
    let Some(op) = defining_op(value) else {
        // The value is the counter of a loop with a known trip count.
        let (block, number) = tx_mlir::argument_of(value)?;
        let owner = block.parent_operation()?;
        return match is(owner, "scf.for") && number == 0 {
            true => Some(most(operands(owner)[1])? - 1),
            false => None,
        };
    };
    let of = |i: usize| operands(op).get(i).copied().and_then(most);
    match name(op) {
        "arith.constant" => known(value),
        "gpu.thread_id" => super::threads::block_along(op).map(|n| n - 1),
        "arith.addi" => of(0)?.checked_add(of(1)?),
        "arith.muli" => of(0)?.checked_mul(of(1)?),
        "arith.divui" => Some(of(0)? / known(operands(op)[1]).filter(|n| *n > 0)?),
        "arith.remui" => Some(known(operands(op)[1])? - 1),
        "arith.andi" => of(0).into_iter().chain(of(1)).min(),
        _ => None,
    }
}

pub(super) fn truncate_index(op: Op<'_>) -> Vec<Change<'_>> {
    let index = matches!(name(op), "arith.addi" | "arith.muli")
        && result_type(op).is_some_and(|ty| ty.is_index());
    let small = results(op)
        .first()
        .and_then(|v| most(*v))
        .is_some_and(|n| n < 256);
    if !index || small || !is_used(op) || !on_device(op) {
        return none();
    }
    one(move || {
        let b = after(op);
        let value = results(op)[0];
        let low = b.int(255, value.r#type());
        let cut = b
            .create("arith.andi")
            .operands(&[value, low])
            .result(value.r#type())
            .build();
        instead(value, |_| results(cut)[0], cut);
    })
}

pub(super) fn no_nan(op: Op<'_>) -> Vec<Change<'_>> {
    let attribute_name = match name(op) {
        "arith.maximumf" | "arith.minimumf" | "arith.maxnumf" | "arith.minnumf" => "fastmath",
        "llvm.intr.maximum" | "llvm.intr.minimum" | "llvm.intr.maxnum" | "llvm.intr.minnum" => {
            "fastmathFlags"
        }
        _ => return none(),
    };
    match is_used(op) && on_device(op) {
        true => one(move || {
            let dialect = if in_llvm(op) { "llvm" } else { "arith" };
            set(op, attribute_name, &format!("#{dialect}.fastmath<nnan>"));
        }),
        false => none(),
    }
}

/// Returns whether an LLVM op is the last op of a division that rounds up.
fn rounds_up(op: Op<'_>) -> bool {
    let quotient = operands(op).first().copied().and_then(defining_op);
    is(op, "llvm.add") && quotient.is_some_and(|quotient| is(quotient, "llvm.udiv"))
}

/// Changes the constant operands of an op on indices.
fn other_operand<'c>(op: Op<'c>, names: &[&str]) -> Vec<Change<'c>> {
    let index = result_type(op).is_some_and(|ty| ty.is_index() || in_llvm(op));
    if !names.contains(&name(op)) || !index || !is_used(op) || counts(op) || !on_device(op) {
        return none();
    }
    // Skip divisions that round up, because a guard makes a result that is too large harmless.
    let constants = operands(op)
        .into_iter()
        .enumerate()
        .filter_map(|(i, v)| Some((i, known(v)?)))
        .filter(|(_, n)| *n != -1 && !rounds_up(op));
    each(constants, |(i, n)| Box::new(move || give(op, i, n + 1)))
}

pub(super) fn other_offset(op: Op<'_>) -> Vec<Change<'_>> {
    let mut changes = other_operand(op, &["arith.addi", "arith.subi", "llvm.add", "llvm.sub"]);
    // Add one to a sum of two non-constant indices.
    let sum = is(op, "arith.addi") && result_type(op).is_some_and(|ty| ty.is_index());
    if changes.is_empty() && sum && is_used(op) && on_device(op) {
        changes = one(move || add(op, 1, 1));
    }
    changes
}

pub(super) fn other_factor(op: Op<'_>) -> Vec<Change<'_>> {
    other_operand(op, &["arith.muli", "llvm.mul"])
}

pub(super) fn other_divisor(op: Op<'_>) -> Vec<Change<'_>> {
    // If an odd number is added to an address, the alignment of the address is random.
    let address = operands(op).first().copied().and_then(defining_op);
    let of_address = address.is_some_and(|by| {
        is(by, "memref.extract_aligned_pointer_as_index") || is(by, "llvm.ptrtoint")
    });
    if of_address && (is(op, "arith.remui") || is(op, "llvm.urem")) {
        let divisor = operands(op).get(1).copied().and_then(known);
        return each(divisor, |n| Box::new(move || give(op, 1, n / 2)));
    }
    other_operand(
        op,
        &[
            "arith.divui",
            "arith.remui",
            "arith.ceildivui",
            "llvm.udiv",
            "llvm.urem",
        ],
    )
}
