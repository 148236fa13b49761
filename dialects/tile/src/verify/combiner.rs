//! Rules of `combiner`, `element` and `epilogue` regions.

use crate::attributes::Kind;
use crate::diagnostic::{complain, complain_within, no_yield};
use crate::ops::default_accumulator;
use melior_upstream::ir::attribute::AttributeLike;
use melior_upstream::ir::block::BlockLike;
use melior_upstream::ir::operation::OperationLike;
use melior_upstream::ir::{Type, ValueLike};
use tx_mlir::build::argument;
use tx_mlir::{
    Blk, Failed, Op, attribute, codes, elements, is, is_pure, name, only_computes, only_reads,
    operands, ops, region_blocks, type_value, walk,
};

pub(super) fn check_combiner(op: Op<'_>, kind: Kind, parts: &[Type<'_>]) -> Result<(), Failed> {
    let blocks = region_blocks(op, 0);
    let identities = attribute(op, "identities").and_then(elements);
    if kind != Kind::Custom {
        if identities.is_some() || !blocks.is_empty() {
            return Err(complain(
                op,
                format!(
                    "`{kind}` has a predefined combiner; only `custom` accepts `identity` and \
                     `combiner`"
                ),
            )
            .code(codes::TX0012)
            .emit());
        }
        return Ok(());
    }
    let n = parts.len();
    if identities.is_none() && !blocks.is_empty() {
        let each: Vec<String> = parts.iter().map(|ty| format!("VALUE : {ty}")).collect();
        return Err(
            complain(op, "`custom` needs `identity [...]` before `combiner`")
                .code(codes::TX0012)
                .note(format!(
                    "write `identity [{}] combiner {{`, where VALUE is the neutral element of the \
                     combiner, such as 0.0 for a sum of floats",
                    each.join(", ")
                ))
                .emit(),
        );
    }
    let (Some(identities), [block]) = (identities, blocks.as_slice()) else {
        return Err(complain(
            op,
            "`custom` needs `identity [...] combiner {...}` with one block",
        )
        .code(codes::TX0012)
        .emit());
    };
    if identities.len() != n {
        return Err(complain(
            op,
            format!(
                "needs one identity for each of {n} values, found {}",
                identities.len()
            ),
        )
        .code(codes::TX0013)
        .emit());
    }
    if block.argument_count() != 2 * n {
        return Err(complain(
            op,
            format!(
                "the combiner of {n} sources must have {} arguments ({n} left, {n} right), found \
                 {}",
                2 * n,
                block.argument_count()
            ),
        )
        .code(codes::TX0014)
        .emit());
    }
    let acc = attribute(op, "acc").and_then(type_value);
    let argument_type = |i: usize| argument(*block, i).r#type();
    let end = ops(*block).pop().filter(|last| is(*last, "tile.yield"));
    let Some(end) = end else {
        return Err(no_yield(op, *block, codes::TX0014, "the combiner"));
    };
    let yielded: Vec<Type<'_>> = operands(end).iter().map(|v| v.r#type()).collect();
    if yielded.len() != n {
        let plural = if n == 1 { "" } else { "s" };
        return Err(complain_within(
            op,
            end,
            format!(
                "the combiner must yield {n} value{plural}, found {}",
                yielded.len()
            ),
        )
        .code(codes::TX0014)
        .emit());
    }
    for (i, part) in parts.iter().enumerate() {
        let ty = argument_type(i);
        let allowed = acc.map_or_else(|| vec![*part, default_accumulator(*part)], |a| vec![a]);
        let fits = allowed.contains(&ty) && argument_type(n + i) == ty;
        if !fits || yielded[i] != ty {
            let message = format!(
                "arguments {i} and {} and yield {i} of the combiner must all be `{}`, found \
                 `{ty}`, `{}` and `{}`",
                n + i,
                allowed.last().copied().unwrap_or(*part),
                argument_type(n + i),
                yielded[i]
            );
            let report = match fits {
                true => complain_within(op, end, message),
                false => complain(op, message),
            };
            return Err(report.code(codes::TX0014).emit());
        }
        if identities[i].r#type() != ty {
            return Err(complain(
                op,
                format!(
                    "identity {i} must have the type `{ty}` of the combiner's arguments, found \
                     `{}`",
                    identities[i]
                ),
            )
            .code(codes::TX0013)
            .emit());
        }
    }
    // The combiner also combines the values of idle threads, so its ops must be defined for all
    // operand values.
    check_pure(op, *block, "a combiner", |inner| {
        is_pure(inner) || is_control(inner) || is_guarded(inner, *block)
    })
}

fn is_control(op: Op<'_>) -> bool {
    const CONTROL: [&str; 6] = [
        "scf.condition",
        "scf.execute_region",
        "scf.for",
        "scf.if",
        "scf.index_switch",
        "scf.while",
    ];
    CONTROL.contains(&name(op))
}

/// Returns true if the op has no memory effects and is nested in a region of an op such as
/// `scf.if`. The condition of an enclosing `scf.if` can exclude operand values for which the op is
/// undefined, such as a divisor of zero.
fn is_guarded<'c>(op: Op<'c>, block: Blk<'c>) -> bool {
    op.block() != Some(block) && only_computes(op)
}

/// Checks that each op of a region is a `tile.yield`, or is accepted by `allowed`.
pub(super) fn check_pure<'c>(
    op: Op<'c>,
    block: Blk<'c>,
    what: &str,
    allowed: impl Fn(Op<'c>) -> bool,
) -> Result<(), Failed> {
    for inner in ops(block).into_iter().flat_map(walk) {
        if !is(inner, "tile.yield") && !allowed(inner) {
            return Err(complain_within(
                op,
                inner,
                format!("{what} must have no side effects: it may be executed any number of times"),
            )
            .code(codes::TX0015)
            .note(match (divides(inner), only_reads(inner, |_| true)) {
                (true, _) => format!(
                    "`{}` is undefined for a zero divisor, and threads without an element also \
                     execute it",
                    name(inner)
                ),
                (_, true) => format!(
                    "`{}` reads memory; only `element` at scope `grid` may read memory, and only \
                     memory that the reduction does not write",
                    name(inner)
                ),
                _ => format!("`{}` is not known to be free of side effects", name(inner)),
            })
            .emit());
        }
    }
    Ok(())
}

fn divides(op: Op<'_>) -> bool {
    let of_integers = name(op).strip_prefix("arith.");
    of_integers.is_some_and(|name| {
        let is = |part: &str| name.contains(part) && !name.ends_with('f');
        is("div") || is("rem")
    })
}
