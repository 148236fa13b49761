//! Rules of `tile.all_reduce`.

use super::combiner::check_combiner;
use super::types::{check_accumulator, check_element, float_bits};
use crate::attributes::{Kind, Scope};
use crate::diagnostic::complain;
use crate::ops::{AllReduce, integer_width};
use melior_upstream::ir::{Type, ValueLike};
use tx_mlir::{Failed, attribute, codes, type_value};

pub(super) fn check_all_reduce(op: &AllReduce<'_>) -> Result<(), Failed> {
    let at = op.op;
    let types: Vec<Type<'_>> = op.values.iter().map(|v| v.r#type()).collect();
    let found: Vec<Type<'_>> = op.results.iter().map(|v| v.r#type()).collect();
    let wanted = match op.kind {
        Kind::Custom => types.len(),
        kind if kind.is_arg() => 2,
        _ => 1,
    };
    if types.len() != wanted || types.is_empty() {
        return Err(complain(
            at,
            format!(
                "`{}` takes {} value{}, found {}",
                op.kind,
                wanted.max(1),
                if wanted > 1 {
                    "s (a value and an index)"
                } else {
                    ""
                },
                types.len()
            ),
        )
        .code(codes::TX0005)
        .emit());
    }
    if types != found {
        return Err(
            complain(at, "result types must equal the types of the values")
                .code(codes::TX0023)
                .emit(),
        );
    }
    let values = if op.kind.is_arg() {
        &types[..1]
    } else {
        &types[..]
    };
    for ty in values {
        check_element(at, op.kind, *ty, "values")?;
        if float_bits(*ty).is_some_and(|bits| bits < 16) {
            return Err(complain(
                at,
                format!(
                    "`{ty}` is supported as the source type of a reduction, but not as a result \
                     type"
                ),
            )
            .code(codes::TX0010)
            .note("widen the value to f16, bf16 or f32 first")
            .emit());
        }
    }
    if op.kind.is_arg() && !matches!(integer_width(types[1]), Some(32 | 64)) {
        return Err(complain(
            at,
            format!("an index is `i32` or `i64`, found `{}`", types[1]),
        )
        .code(codes::TX0007)
        .emit());
    }
    if let Some(acc) = attribute(at, "acc").and_then(type_value) {
        check_accumulator(at, acc, types[0])?;
    }
    if op.scope > Scope::Cluster {
        return Err(complain(
            at,
            format!("expected scope `cluster` or narrower, found `{}`", op.scope),
        )
        .code(codes::TX0024)
        .emit());
    }
    let most = match op.scope {
        Scope::Thread => 1,
        Scope::Warp => 32,
        Scope::Warpgroup => 128,
        Scope::Cluster => 16 * 1024,
        _ => 1024,
    };
    let width = op.width.unwrap_or(1);
    if !(1..=most).contains(&width) {
        return Err(complain(
            at,
            format!("`width` must be between 1 and {most}, found {width}"),
        )
        .code(codes::TX0022)
        .emit());
    }
    if !(1..=most / width).contains(&op.stride) {
        return Err(complain(
            at,
            format!(
                "`stride` must be at least 1, and `width` times `stride` at most {most}, \
                     found stride {}",
                op.stride
            ),
        )
        .code(codes::TX0022)
        .emit());
    }
    if op.stride != 1 && op.width.is_none() {
        return Err(complain(at, "`stride` needs `width`")
            .code(codes::TX0022)
            .emit());
    }
    check_combiner(at, op.kind, &types)
}
