//! Rules of `tile.reduce`: axes, shapes and numbers of operands.

use super::*;

pub(super) fn check_reduce(reduce: &Reduce<'_>) -> Result<(), Failed> {
    let op = reduce.op;
    if tx_mlir::attribute(op, "params").is_some() && tx_mlir::attribute(op, "variant").is_none() {
        return Err(
            complain(op, "`params` are a variant's, and no `variant` is named")
                .code(codes::TX0036)
                .note("leave both to `tile-select-variant`, or name the variant")
                .emit(),
        );
    }
    check_reduce_counts(reduce)?;
    let sources = reduce
        .sources
        .iter()
        .map(|v| Tile::of(op, *v))
        .collect::<Result<Vec<_>, _>>()?;
    let outputs: Vec<Val<'_>> = if reduce.destinations.is_empty() {
        tx_mlir::results(op)
    } else {
        reduce.destinations.clone()
    };
    let targets = outputs
        .iter()
        .map(|v| Tile::of(op, *v))
        .collect::<Result<Vec<_>, _>>()?;
    let inits = reduce
        .inits
        .iter()
        .map(|v| Tile::of(op, *v))
        .collect::<Result<Vec<_>, _>>()?;

    let memory: Vec<&Tile<'_>> = sources.iter().chain(&targets).collect();
    check_memory(op, reduce.scope, &memory)?;
    if reduce.destinations.is_empty() && reduce.scope > Scope::Cta {
        return Err(complain(
            op,
            format!(
                "fragments live in the registers of one CTA, but the scope is `{}`",
                reduce.scope
            ),
        )
        .code(codes::TX0020)
        .emit());
    }

    grid::check_scope(reduce)?;
    if reduce.written_maps().is_some() || attribute(op, "maps").is_some() {
        return grid::check_mapped(reduce, &sources, &targets);
    }
    let rank = sources[0].shape.len();
    for source in &sources[1..] {
        if source.shape != sources[0].shape {
            return Err(complain(
                op,
                format!(
                    "all sources must have one shape, found {} and {}",
                    sources[0].shape_text(),
                    source.shape_text()
                ),
            )
            .code(codes::TX0004)
            .emit());
        }
    }
    let axes = check_axes(op, &reduce.axes, rank)?;
    for (target, output) in targets.iter().zip(&outputs) {
        check_result_shape(
            op,
            &sources[0].shape,
            &axes,
            &target.shape,
            "destination",
            output.r#type(),
        )?;
    }
    for extra in &reduce.extras {
        let tile = Tile::of(op, *extra)?;
        check_result_shape(
            op,
            &sources[0].shape,
            &axes,
            &tile.shape,
            "`with` operand",
            extra.r#type(),
        )?;
    }
    for (init, output) in inits.iter().zip(&outputs) {
        let target = Tile::of(op, *output)?;
        if init.shape != target.shape || init.element != target.element {
            return Err(complain(
                op,
                format!(
                    "`init` must be a {} of `{}` as the result is, found {} of `{}`",
                    target.shape_text(),
                    target.element,
                    init.shape_text(),
                    init.element
                ),
            )
            .code(codes::TX0019)
            .emit());
        }
    }
    for (init, output) in reduce.inits.iter().zip(&outputs) {
        if init.r#type() != output.r#type() {
            return Err(
                complain(op, "`init` must have the layout that the result has")
                    .code(codes::TX0019)
                    .note(format!(
                        "expected `{}`, found `{}`",
                        output.r#type(),
                        init.r#type()
                    ))
                    .emit(),
            );
        }
    }
    let parts = reduce.elements().unwrap_or_default();
    check_reduce_types(reduce, &parts, &targets)?;
    grid::check_regions(reduce, &parts)?;

    let empty = axes.iter().any(|a| sources[0].shape[*a] == Some(0));
    if reduce.kind.is_arg() && empty {
        return Err(complain(
            op,
            format!(
                "`{}` of nothing has no index: a reduced dimension has length 0",
                reduce.kind
            ),
        )
        .code(codes::TX0009)
        .emit());
    }
    check_index_range(reduce, &axes, &sources[0].shape)?;
    check_combiner(op, reduce.kind, &parts)?;
    check_old_values(reduce, &targets)
}

/// Checks that the index type of `argmax` and `argmin` can represent the last index; dynamic
/// lengths are ignored.
pub(super) fn check_index_range(
    reduce: &Reduce<'_>,
    axes: &[usize],
    shape: &[Option<u64>],
) -> Result<(), Failed> {
    let length = axes
        .iter()
        .filter_map(|d| shape[*d])
        .fold(1, u64::saturating_mul);
    match reduce.most_positions() {
        Some(most) if length > most => Err(complain(
            reduce.op,
            format!("an `i32` index cannot tell {length} elements apart"),
        )
        .code(codes::TX0008)
        .note("use an `i64` index")
        .emit()),
        _ => Ok(()),
    }
}

/// Checks that the type of partial results can represent the previous values of the destinations. A
/// combiner region combines values in the types of its arguments, so the conversion of a previous
/// value of a wider type would lose bits.
pub(super) fn check_old_values(reduce: &Reduce<'_>, targets: &[Tile<'_>]) -> Result<(), Failed> {
    let by_region = reduce.kind == Kind::Custom || reduce.epilogue().is_some();
    if !by_region || !reduce.accumulate {
        return Ok(());
    }
    let types = reduce.accumulators().unwrap_or_default();
    for (i, (target, ty)) in targets.iter().zip(types).enumerate() {
        if float_bits(target.element) > float_bits(ty) {
            return Err(complain(
                reduce.op,
                format!(
                    "the combiner takes `{ty}`, in which old values of destination {i}, `{}`, have no room",
                    target.element
                ),
            )
            .code(codes::TX0031)
            .note("let the combiner take the wider type (`acc`), or reduce into the narrower one")
            .emit());
        }
    }
    Ok(())
}

fn check_reduce_counts(reduce: &Reduce<'_>) -> Result<(), Failed> {
    let op = reduce.op;
    let (n, m, r) = (
        reduce.sources.len(),
        reduce.destinations.len(),
        op.result_count(),
    );
    // Number of combined values.
    let values = match reduce.element() {
        Some(block) => match crate::ops::yielded(block) {
            Some(types) => types.len(),
            None => return Err(no_yield(op, block, codes::TX0030, "`element`")),
        },
        None => n,
    };
    let parts = match reduce.kind {
        Kind::Custom => values,
        kind if kind.is_arg() => 2,
        _ => 1,
    };
    let wanted = match reduce.epilogue() {
        Some(block) => match crate::ops::yielded(block) {
            Some(types) => types.len(),
            None => return Err(no_yield(op, block, codes::TX0030, "`epilogue`")),
        },
        None => parts,
    };
    let is_fragment = |v: &Val<'_>| Fragment::from_type(v.r#type()).is_some();
    let fragments = reduce.sources.iter().filter(|v| is_fragment(v)).count();
    if n == 0 {
        return Err(complain(op, "needs a source").code(codes::TX0005).emit());
    }
    let pairs = reduce.kind.is_arg() && reduce.scope == Scope::Grid && values == 2;
    if reduce.kind != Kind::Custom && values != 1 && !pairs {
        let what = match reduce.element() {
            Some(_) => "combines one value",
            None => "takes one source",
        };
        return Err(
            complain(op, format!("`{}` {what}, found {values}", reduce.kind))
                .code(codes::TX0005)
                .note("`custom` takes several")
                .emit(),
        );
    }
    if reduce.accumulate && wanted != parts {
        return Err(complain(
            op,
            format!("`accumulate` needs a destination for each of {parts} results, found {wanted}"),
        )
        .code(codes::TX0031)
        .note("combine with the old values in a reduction of its own, or drop `accumulate`")
        .emit());
    }
    if m > 0 && (r > 0 || fragments > 0) {
        return Err(complain(
            op,
            "memory reduces `into` memory, and fragments give results; found a mixture",
        )
        .code(codes::TX0018)
        .note("use `tile.load` or `tile.store` between the two")
        .emit());
    }
    if m == 0 && fragments != n {
        return Err(
            complain(op, "a reduction of memory needs destinations (`into`)")
                .code(codes::TX0018)
                .emit(),
        );
    }
    let (found, what) = if m > 0 {
        (m, "destination")
    } else {
        (r, "result")
    };
    if found != wanted {
        let plural = if wanted == 1 { "" } else { "s" };
        let roles = if reduce.kind.is_arg() && reduce.epilogue().is_none() {
            " (a value and an index)"
        } else {
            ""
        };
        let report = complain(
            op,
            format!(
                "`{}` has {wanted} {what}{plural}{roles}, found {found}",
                reduce.kind
            ),
        )
        .code(codes::TX0005);
        return Err(match reduce.epilogue() {
            Some(_) => report
                .note(format!(
                    "its `epilogue` yields {wanted} value{plural}, and there is a {what} for each"
                ))
                .emit(),
            None => report.emit(),
        });
    }
    if m > 0 && !reduce.inits.is_empty() {
        return Err(complain(
            op,
            "`init` belongs to fragments; memory accumulates into its destination",
        )
        .code(codes::TX0019)
        .emit());
    }
    if m == 0 && reduce.accumulate && reduce.inits.is_empty() {
        return Err(complain(
            op,
            "`accumulate` on fragments needs the old value: `init(...)`",
        )
        .code(codes::TX0019)
        .emit());
    }
    if !reduce.inits.is_empty() && reduce.inits.len() != wanted {
        return Err(complain(
            op,
            format!(
                "needs one `init` for each of {wanted} results, found {}",
                reduce.inits.len()
            ),
        )
        .code(codes::TX0019)
        .emit());
    }
    Ok(())
}

pub(super) fn check_axes(op: Op<'_>, written: &[i64], rank: usize) -> Result<Vec<usize>, Failed> {
    let mut axes = Vec::new();
    for &axis in written {
        let Some(dimension) = normalize_axis(axis, rank) else {
            let report = complain(op, format!("axis {axis} is out of range for rank {rank}"))
                .code(codes::TX0001);
            return Err(report.note(axes_of(rank)).emit());
        };
        if axes.contains(&dimension) {
            return Err(
                complain(op, format!("axis {axis} names dimension {dimension} again"))
                    .code(codes::TX0002)
                    .note("each dimension may be reduced once")
                    .emit(),
            );
        }
        axes.push(dimension);
    }
    Ok(axes)
}

/// Returns a note that lists the valid axes of a source of this rank.
fn axes_of(rank: usize) -> String {
    match rank {
        0 => "a tile of rank 0 has no axes: `axes []`".to_owned(),
        1 => "a tile of rank 1 has the axis 0, which is also -1".to_owned(),
        _ => format!("axes are 0 to {}, or from the end -{rank} to -1", rank - 1),
    }
}

/// Checks that `target` is the shape of the source without the reduced dimensions, or with extent 1
/// for each reduced dimension.
fn check_result_shape(
    op: Op<'_>,
    source: &[Option<u64>],
    axes: &[usize],
    target: &[Option<u64>],
    what: &str,
    ty: Type<'_>,
) -> Result<(), Failed> {
    let kept = || {
        source
            .iter()
            .enumerate()
            .filter(|(i, _)| !axes.contains(i))
            .map(|(_, d)| *d)
    };
    let squeezed: Vec<_> = kept().collect();
    let ones: Vec<_> = source
        .iter()
        .enumerate()
        .map(|(i, d)| if axes.contains(&i) { Some(1) } else { *d })
        .collect();
    // A dynamic size is compatible with any other size. The caller guarantees that the sizes are
    // equal at run time.
    let agrees = |wanted: &[Option<u64>]| {
        wanted.len() == target.len()
            && wanted
                .iter()
                .zip(target)
                .all(|(w, t)| w.is_none() || t.is_none() || w == t)
    };
    if agrees(&squeezed) || agrees(&ones) {
        return Ok(());
    }
    Err(complain(
        op,
        format!(
            "reducing {} over axes {axes:?} gives {} or {}, but the {what} `{ty}` has {}",
            shape_text(source),
            shape_text(&squeezed),
            shape_text(&ones),
            shape_text(target)
        ),
    )
    .code(codes::TX0003)
    .emit())
}
