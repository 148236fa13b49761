//! Rules of `tile.reduce`: shapes and numbers of operands.

use super::axes::{check_axes, check_result_shape};
use super::combiner::check_combiner;
use super::grid;
use super::tile::{Tile, check_memory};
use super::types::{check_index_range, check_old_values, check_reduce_types};
use crate::attributes::{Kind, Scope};
use crate::diagnostic::{complain, no_yield};
use crate::layout::Fragment;
use crate::ops::{Reduce, yielded};
use melior_upstream::ir::ValueLike;
use melior_upstream::ir::operation::OperationLike;
use tx_mlir::{Failed, Val, attribute, codes, results};

pub(super) fn check_reduce(reduce: &Reduce<'_>) -> Result<(), Failed> {
    let op = reduce.op;
    if attribute(op, "params").is_some() && attribute(op, "variant").is_none() {
        return Err(complain(op, "`params` requires the attribute `variant`")
            .code(codes::TX0036)
            .note("set `variant`, or remove `params`: `tile-select-variant` chooses both")
            .emit());
    }
    check_reduce_counts(reduce)?;
    let sources = reduce
        .sources
        .iter()
        .map(|v| Tile::of(op, *v))
        .collect::<Result<Vec<_>, _>>()?;
    let outputs: Vec<Val<'_>> = if reduce.destinations.is_empty() {
        results(op)
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
                "the elements of a fragment are in registers of one CTA, but the scope is `{}`",
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
                    "all sources must have the same shape, found {} and {}",
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
                    "`init` must have the shape and element type of the result, {} of `{}`, found \
                     {} of `{}`",
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
            return Err(complain(op, "`init` must have the layout of the result")
                .code(codes::TX0019)
                .note(format!(
                    "expected `{}`, found `{}`",
                    output.r#type(),
                    init.r#type()
                ))
                .emit());
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
                "`{}` has no index: a reduced dimension has length 0",
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

fn check_reduce_counts(reduce: &Reduce<'_>) -> Result<(), Failed> {
    let op = reduce.op;
    let (n, m, r) = (
        reduce.sources.len(),
        reduce.destinations.len(),
        op.result_count(),
    );
    // Number of combined values.
    let values = match reduce.element() {
        Some(block) => match yielded(block) {
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
        Some(block) => match yielded(block) {
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
                .note("use `custom` to combine several values")
                .emit(),
        );
    }
    if reduce.accumulate && wanted != parts {
        return Err(complain(
            op,
            format!("`accumulate` needs a destination for each of {parts} results, found {wanted}"),
        )
        .code(codes::TX0031)
        .note("combine with the old values in a separate reduction, or remove `accumulate`")
        .emit());
    }
    if m > 0 && (r > 0 || fragments > 0) {
        return Err(complain(
            op,
            "expected memref sources with destinations (`into`), or fragment sources with results, \
             found both",
        )
        .code(codes::TX0018)
        .note("convert between memrefs and fragments with `tile.load` and `tile.store`")
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
                "`{}` needs {wanted} {what}{plural}{roles}, found {found}",
                reduce.kind
            ),
        )
        .code(codes::TX0005);
        return Err(match reduce.epilogue() {
            Some(_) => report
                .note(format!(
                    "the `epilogue` yields {wanted} value{plural}, expected one {what} for each"
                ))
                .emit(),
            None => report.emit(),
        });
    }
    if m > 0 && !reduce.inits.is_empty() {
        return Err(complain(
            op,
            "`init` is only for fragments; a reduction of memory accumulates into its destinations",
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
