//! Verifier rules for the attributes and regions of `tile.reduce` that are valid only at scope `grid`.

use super::axes::check_axes;
use super::combiner::{check_combiner, check_pure};
use super::tile::{Tile, shape_text};
use super::types::{check_index_range, check_old_values, check_reduce_types, float_bits};
use crate::attributes::{Kind, Scope};
use crate::diagnostic::{complain, complain_at_end, type_text};
use crate::ops::{Reduce, element_type, normalize_axis, yielded};
use melior_upstream::ir::block::BlockLike;
use melior_upstream::ir::{Type, ValueLike};
use tx_mlir::memref::{Overlap, overlap};
use tx_mlir::{Affine, AffineMap, Blk, Failed, Val, attribute, codes, region_blocks};

/// Rejects a reduction at a scope other than `grid` if the reduction has attributes, regions or
/// operands that are valid only at scope `grid`.
pub(super) fn check_scope(reduce: &Reduce<'_>) -> Result<(), Failed> {
    let op = reduce.op;
    if reduce.scope == Scope::Grid {
        return Ok(());
    }
    let found = ["maps", "schedule"]
        .into_iter()
        .find(|a| attribute(op, a).is_some());
    let found = found
        .or_else(|| reduce.element().map(|_| "element"))
        .or_else(|| reduce.epilogue().map(|_| "epilogue"))
        .or_else(|| (!reduce.extras.is_empty()).then_some("with"));
    match found {
        Some(what) => Err(complain(
            op,
            format!(
                "`{what}` requires `scope(grid)`, but the scope is `{}`",
                reduce.scope
            ),
        )
        .code(codes::TX0025)
        .emit()),
        None => Ok(()),
    }
}

pub(super) fn check_mapped<'c>(
    reduce: &Reduce<'c>,
    sources: &[Tile<'c>],
    targets: &[Tile<'c>],
) -> Result<(), Failed> {
    let op = reduce.op;
    let Some(maps) = reduce.written_maps() else {
        return Err(complain(op, "`maps` must be affine maps")
            .code(codes::TX0027)
            .emit());
    };
    let extras = reduce
        .extras
        .iter()
        .map(|v| Tile::of(op, *v))
        .collect::<Result<Vec<_>, _>>()?;
    let operands: Vec<(String, &[Option<u64>])> = (0..)
        .zip(sources)
        .map(|(i, t)| (format!("source {i}"), &t.shape[..]))
        .chain(
            (0..)
                .zip(targets)
                .map(|(i, t)| (format!("destination {i}"), &t.shape[..])),
        )
        .chain(
            (0..)
                .zip(&extras)
                .map(|(i, t)| (format!("`with` operand {i}"), &t.shape[..])),
        )
        .collect();
    if maps.len() != operands.len() {
        return Err(complain(
            op,
            format!(
                "needs a map for each of {} sources, destinations and `with` operands, found {}",
                operands.len(),
                maps.len()
            ),
        )
        .code(codes::TX0027)
        .emit());
    }
    let rank = maps[0].dims;
    for ((what, shape), map) in operands.iter().zip(&maps) {
        check_map(reduce, what, shape, map, rank)?;
    }
    let axes = check_axes(op, &reduce.axes, rank)?;
    for (i, map) in maps[sources.len()..sources.len() + targets.len()]
        .iter()
        .enumerate()
    {
        check_destination(reduce, i, map, &axes)?;
    }
    for (i, map) in maps[sources.len() + targets.len()..].iter().enumerate() {
        if let Some(axis) = axes
            .iter()
            .find(|a| map.results.iter().any(|r| r.uses(**a)))
        {
            return Err(complain(
                op,
                format!("`with` operand {i} is indexed by d{axis}, which is reduced"),
            )
            .code(codes::TX0028)
            .note("make it a source, and use it in `element`")
            .emit());
        }
    }
    let extents = check_extents(reduce, rank, &operands, &maps)?;
    let empty = axes.iter().any(|a| extents[*a] == Some(0));
    if reduce.kind.is_arg() && empty {
        return Err(complain(
            op,
            format!(
                "`{}` has no index: a reduced dimension has length 0",
                reduce.kind
            ),
        )
        .code(codes::TX0009)
        .emit());
    }
    let parts = reduce.elements().unwrap_or_default();
    if reduce.element().is_none() && sources.is_empty() {
        return Err(complain(op, "needs a source").code(codes::TX0005).emit());
    }
    check_reduce_types(reduce, &parts, targets)?;
    check_index_range(reduce, &axes, &extents)?;
    check_combiner(op, reduce.kind, &parts)?;
    check_regions(reduce, &parts)?;
    check_old_values(reduce, targets)
}

fn check_map(
    reduce: &Reduce<'_>,
    what: &str,
    shape: &[Option<u64>],
    map: &AffineMap,
    rank: usize,
) -> Result<(), Failed> {
    let complaint = if map.symbols > 0 {
        format!("the map of {what} has symbols, expected only dimensions of the iteration space")
    } else if map.dims != rank {
        format!(
            "the map of {what} has {} dimensions, expected {rank} as in the first map",
            map.dims
        )
    } else if map.results.len() != shape.len() {
        format!(
            "the map of {what} has {} results, expected one for each of the {} dimensions of {}",
            map.results.len(),
            shape.len(),
            shape_text(shape)
        )
    } else {
        return Ok(());
    };
    Err(complain(reduce.op, complaint)
        .code(codes::TX0027)
        .note(format!("the map is {map}"))
        .emit())
}

/// Checks that each parallel dimension of the op is the index of exactly one dimension of a
/// destination. If a parallel dimension were not an index of the destination, several results would
/// be stored to one element of the destination.
fn check_destination(
    reduce: &Reduce<'_>,
    i: usize,
    map: &AffineMap,
    axes: &[usize],
) -> Result<(), Failed> {
    let mut seen = Vec::new();
    for result in &map.results {
        match result {
            Affine::Dim(d) if !axes.contains(d) && !seen.contains(d) => seen.push(*d),
            Affine::Const(0) => {}
            _ => {
                return Err(complain(
                    reduce.op,
                    format!(
                        "destination {i} is indexed by `{result}`, expected a parallel dimension \
                         that no other index uses, or 0"
                    ),
                )
                .code(codes::TX0028)
                .note(format!("the map is {map}"))
                .emit());
            }
        }
    }
    let missing = (0..map.dims).find(|d| !axes.contains(d) && !seen.contains(d));
    match missing {
        Some(d) => Err(complain(
            reduce.op,
            format!(
                "destination {i} is not indexed by the parallel dimension d{d}: several results \
                 would be written to one element"
            ),
        )
        .code(codes::TX0028)
        .note(format!("the map is {map}"))
        .emit()),
        None => Ok(()),
    }
}

/// Returns the extent of each dimension of the iteration space, or `None` for a dynamic extent.
/// Emits an error if two operands have different extents in the same dimension of the iteration
/// space.
fn check_extents(
    reduce: &Reduce<'_>,
    rank: usize,
    operands: &[(String, &[Option<u64>])],
    maps: &[AffineMap],
) -> Result<Vec<Option<u64>>, Failed> {
    let mut extents = vec![None; rank];
    for (dim, extent) in extents.iter_mut().enumerate() {
        let mut known: Option<(&str, u64)> = None;
        let mut found = false;
        for ((what, shape), map) in operands.iter().zip(maps) {
            for (size, result) in shape.iter().zip(&map.results) {
                if *result != Affine::Dim(dim) {
                    continue;
                }
                found = true;
                match (known, size) {
                    (Some((other, n)), Some(m)) if n != *m => {
                        return Err(complain(
                            reduce.op,
                            format!(
                                "d{dim} has {n} iterations according to {other}, but {m} according \
                                 to {what}"
                            ),
                        )
                        .code(codes::TX0029)
                        .emit());
                    }
                    (None, Some(m)) => known = Some((what, *m)),
                    _ => {}
                }
            }
        }
        if !found {
            return Err(complain(
                reduce.op,
                format!(
                    "the length of d{dim} is unknown: no operand has an index that consists of \
                     this dimension alone"
                ),
            )
            .code(codes::TX0029)
            .emit());
        }
        *extent = known.map(|(_, n)| n);
    }
    Ok(extents)
}

/// Checks the arguments, the yielded types and the ops of the regions `element` and `epilogue`.
pub(super) fn check_regions<'c>(reduce: &Reduce<'c>, parts: &[Type<'c>]) -> Result<(), Failed> {
    let op = reduce.op;
    let index = Type::index(tx_mlir::context(op));
    let rank = reduce.rank().unwrap_or(0);
    let element_of = |v: &Val<'c>| element_type(v.r#type());
    if let Some(block) = reduce.element() {
        let mut wanted: Vec<Type<'c>> = reduce.sources.iter().filter_map(element_of).collect();
        wanted.extend(std::iter::repeat_n(index, rank));
        check_region(
            reduce,
            1,
            block,
            "element",
            "one element of each source and the index of each dimension",
            &wanted,
        )?;
    }
    let Some(block) = reduce.epilogue() else {
        return match reduce.extras.is_empty() {
            true => Ok(()),
            false => Err(complain(op, "`with` operands require an `epilogue` region")
                .code(codes::TX0030)
                .emit()),
        };
    };
    let mut wanted = reduce.accumulators().unwrap_or_else(|| parts.to_vec());
    wanted.extend(reduce.extras.iter().filter_map(element_of));
    let reduced: Vec<usize> = reduce
        .axes
        .iter()
        .filter_map(|a| normalize_axis(*a, rank))
        .collect();
    wanted.extend(std::iter::repeat_n(index, rank - reduced.len().min(rank)));
    check_region(
        reduce,
        2,
        block,
        "epilogue",
        "each result, one element of each `with` operand, and the index of each parallel dimension",
        &wanted,
    )?;
    let yields = yielded(block).unwrap_or_default();
    for (i, (value, target)) in yields.iter().zip(&reduce.destinations).enumerate() {
        if element_of(target) != Some(*value) {
            return Err(complain_at_end(
                op,
                block,
                format!(
                    "the epilogue yields `{value}` for destination {i}, whose elements are `{}`",
                    type_text(element_of(target))
                ),
            )
            .code(codes::TX0030)
            .emit());
        }
    }
    let sort = |ty: &Type<'c>| (float_bits(*ty).is_some(), reduce.kind == Kind::Custom);
    let accumulators = reduce.accumulators().unwrap_or_default();
    if reduce.accumulate
        && yields
            .iter()
            .zip(&accumulators)
            .any(|(y, a)| sort(y) != sort(a))
    {
        return Err(complain(
            op,
            "`accumulate` requires an `epilogue` that yields floats for float partial results, and \
             integers for integer ones",
        )
        .code(codes::TX0031)
        .emit());
    }
    Ok(())
}

fn check_region<'c>(
    reduce: &Reduce<'c>,
    region: usize,
    block: Blk<'c>,
    name: &str,
    what: &str,
    wanted: &[Type<'c>],
) -> Result<(), Failed> {
    let op = reduce.op;
    if region_blocks(op, region).len() != 1 {
        return Err(complain(op, format!("`{name}` must have one block"))
            .code(codes::TX0030)
            .emit());
    }
    let found: Vec<Type<'c>> = (0..block.argument_count())
        .map(|i| tx_mlir::build::argument(block, i).r#type())
        .collect();
    if found != wanted {
        let list = |types: &[Type<'c>]| {
            let texts: Vec<String> = types.iter().map(|t| format!("`{t}`")).collect();
            format!("({})", texts.join(", "))
        };
        return Err(
            complain(op, format!("the arguments of `{name}` must be {what}"))
                .code(codes::TX0030)
                .note(format!("expected {}, found {}", list(wanted), list(&found)))
                .emit(),
        );
    }
    // `element` must not read the destinations, because the destinations change during the
    // reduction.
    let is_free = |v: Val<'c>| {
        let overlaps = |d: &Val<'c>| overlap(*d, v) != Overlap::Never;
        !reduce.destinations.iter().any(overlaps)
    };
    check_pure(op, block, &format!("`{name}`"), |inner| match name {
        "element" => tx_mlir::only_reads(inner, is_free),
        _ => tx_mlir::only_computes(inner),
    })
}
