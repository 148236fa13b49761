//! Rules of `tile.copy`, `tile.load` and `tile.store`.

use super::tile::{Tile, check_memory};
use crate::attributes::Scope;
use crate::diagnostic::complain;
use crate::ops::{Copy, scope};
use tx_mlir::{Failed, Op, Val, codes};

pub(super) fn check_copy(copy: &Copy<'_>) -> Result<(), Failed> {
    let op = copy.op;
    let (from, to) = (Tile::of(op, copy.source)?, Tile::of(op, copy.destination)?);
    check_memory(op, copy.scope, &[&from, &to])?;
    same_tile(op, &from, &to)
}

pub(super) fn check_transfer<'c>(
    op: Op<'c>,
    memory: Val<'c>,
    fragment: Val<'c>,
) -> Result<(), Failed> {
    let (memory, fragment) = (Tile::of(op, memory)?, Tile::of(op, fragment)?);
    let scope = scope(op).unwrap_or(Scope::Thread);
    check_memory(op, scope, &[&memory])?;
    if scope > Scope::Cta {
        return Err(complain(
            op,
            format!(
                "the elements of a fragment are in registers of one CTA, but the scope is `{scope}`"
            ),
        )
        .code(codes::TX0020)
        .emit());
    }
    same_tile(op, &memory, &fragment)
}

fn same_tile(op: Op<'_>, from: &Tile<'_>, to: &Tile<'_>) -> Result<(), Failed> {
    let agrees = from.shape.len() == to.shape.len()
        && from
            .shape
            .iter()
            .zip(&to.shape)
            .all(|(f, t)| f.is_none() || t.is_none() || f == t);
    if !agrees || from.element != to.element {
        return Err(complain(
            op,
            format!(
                "both tiles must have the same shape and element type, found {} of `{}` and {} of \
                 `{}`",
                from.shape_text(),
                from.element,
                to.shape_text(),
                to.element
            ),
        )
        .code(codes::TX0021)
        .emit());
    }
    Ok(())
}
