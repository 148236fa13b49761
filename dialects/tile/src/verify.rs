//! Verifier rules that ODS cannot express. Each rule has a diagnostic code.

mod grid;

use crate::attributes::{Kind, Scope};
use crate::layout::{Fragment, Iter};
use crate::ops::{
    AllReduce, Copy, Reduce, default_accumulator, element_type, integer_width, normalize_axis,
    scope,
};
use crate::{Axis, Sink};
use melior_upstream::ir::operation::OperationLike;
use melior_upstream::ir::r#type::TypeLike;
use melior_upstream::ir::{Type, ValueLike};
use mlir_sys::{MlirOperation, MlirType};
use std::ffi::{c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tx_mlir::diagnostic::{ErrorSeverity, Report};
use tx_mlir::memref::Space;
use tx_mlir::{
    Blk, Code, Failed, MemRef, Op, Val, attribute, codes, elements, error, is, name, operands, ops,
    region_blocks,
};

pub(crate) unsafe extern "C" fn verify_op(op: MlirOperation) -> bool {
    // SAFETY: `op` is valid while MLIR verifies it.
    let op = unsafe { Op::from_raw(op) };
    match catch_unwind(AssertUnwindSafe(|| check(op))) {
        Ok(result) => result.is_ok(),
        Err(_) => {
            error(
                op.location(),
                format!("internal error in the verifier of `{}`", name(op)),
            )
            .note("this is a bug in the verifier, not in the program")
            .emit();
            false
        }
    }
}

fn check(op: Op<'_>) -> Result<(), Failed> {
    crate::known::check_attributes(op)?;
    check_elements(op)?;
    if let Some(reduce) = Reduce::of(op) {
        return check_reduce(&reduce);
    }
    if let Some(all_reduce) = AllReduce::of(op) {
        return check_all_reduce(&all_reduce);
    }
    if let Some(copy) = Copy::of(op) {
        return check_copy(&copy);
    }
    match name(op) {
        "tile.load" => {
            let (source, result) = (operands(op)[0], tx_mlir::results(op)[0]);
            check_transfer(op, source, result)
        }
        "tile.store" => {
            let operands = operands(op);
            check_transfer(op, operands[1], operands[0])
        }
        "tile.splat" => {
            let value = operands(op)[0].r#type();
            let fragment = element_type(tx_mlir::results(op)[0].r#type());
            if fragment != Some(value) {
                return Err(complain(
                    op,
                    format!(
                        "the value is `{value}`, but the fragment's elements are `{}`",
                        show(fragment)
                    ),
                )
                .code(codes::TX0021)
                .emit());
            }
            Ok(())
        }
        "tile.annotate" => check_annotate(op),
        _ => Ok(()),
    }
}

/// Checks that the elements of all operands and results are signless integers or floats.
fn check_elements(op: Op<'_>) -> Result<(), Failed> {
    let operands = operands(op).into_iter().map(|value| ("operand", value));
    let results = tx_mlir::results(op)
        .into_iter()
        .map(|value| ("result", value));
    let each = operands.enumerate().chain(results.enumerate());
    for (number, (what, value)) in each {
        let of = value.r#type();
        let element = tx_mlir::memref_element(of)
            .or_else(|| element_type(of))
            .unwrap_or(of);
        if integer_width(element).is_some() || element.is_float() {
            continue;
        }
        let found = match element == of {
            true => format!("`{of}`"),
            false => format!("`{element}` in `{of}`"),
        };
        let message = format!(
            "{what} #{number} must have elements of an integer (`iN`) or floating-point type, found {found}"
        );
        let report = complain(op, message).code(codes::TX0037);
        let instead = match element {
            index if index.is_index() => {
                Some("an `index` is as wide as the machine has it: use `i64` or `i32`")
            }
            integer if integer.is_integer() => {
                Some("use an `iN`: `umax` and `umin` take it as unsigned")
            }
            _ => None,
        };
        return Err(match instead {
            Some(instead) => report.note(instead).emit(),
            None => report.emit(),
        });
    }
    Ok(())
}

fn check_annotate(op: Op<'_>) -> Result<(), Failed> {
    match tx_mlir::parent(op) {
        Some(parent) if name(parent).starts_with("linalg.") => Ok(()),
        parent => {
            let found = parent.map_or("nothing", name);
            let message = format!("stands in the body of a linalg op, found `{found}` around it");
            Err(complain(op, message).code(codes::TX0035).emit())
        }
    }
}

/// Returns an error at `op`, prefixed with the op name as in MLIR's verifiers.
pub(crate) fn complain<'c>(op: Op<'c>, message: impl AsRef<str>) -> Report<'c, ErrorSeverity> {
    error(
        op.location(),
        format!("'{}' op {}", name(op), message.as_ref()),
    )
}

/// Returns an error at `inner`, an op in a region of `op`, with a note at `op`.
fn complain_within<'c>(
    op: Op<'c>,
    inner: Op<'c>,
    message: impl AsRef<str>,
) -> Report<'c, ErrorSeverity> {
    complain(inner, message).note_at(op.location(), format!("in this `{}`", name(op)))
}

/// Returns an error at the last op of `block`, a block of `op`.
fn complain_at_end<'c>(op: Op<'c>, block: Blk<'c>, message: String) -> Report<'c, ErrorSeverity> {
    match ops(block).last() {
        Some(end) => complain_within(op, *end, message),
        None => complain(op, message),
    }
}

fn no_yield(op: Op<'_>, block: Blk<'_>, code: Code, region: &str) -> Failed {
    complain_at_end(op, block, format!("{region} must end with `tile.yield`"))
        .code(code)
        .emit()
}

fn show(ty: Option<Type<'_>>) -> String {
    ty.map_or_else(|| "unknown".to_owned(), |t| t.to_string())
}

/// A tile operand. The memory space of a fragment is `None`.
struct Tile<'c> {
    shape: Vec<Option<u64>>,
    element: Type<'c>,
    space: Option<Space>,
}

impl<'c> Tile<'c> {
    fn of(op: Op<'c>, value: Val<'c>) -> Result<Self, Failed> {
        let ty = value.r#type();
        if let Some(memref) = MemRef::from_type(ty) {
            return Ok(Self {
                shape: memref.shape,
                element: memref.element,
                space: Some(memref.space),
            });
        }
        if let Some(fragment) = Fragment::from_type(ty) {
            return Ok(Self {
                shape: fragment.shape.into_iter().map(Some).collect(),
                element: fragment.element,
                space: None,
            });
        }
        Err(
            complain(op, format!("`{ty}` is no tile: its layout must be strided"))
                .code(codes::TX0017)
                .emit(),
        )
    }

    fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }
}

fn shape_text(shape: &[Option<u64>]) -> String {
    if shape.is_empty() {
        return "[]".to_owned();
    }
    let sizes: Vec<String> = shape
        .iter()
        .map(|d| d.map_or_else(|| "?".to_owned(), |n| n.to_string()))
        .collect();
    format!("[{}]", sizes.join(", "))
}

fn check_memory(op: Op<'_>, scope: Scope, tiles: &[&Tile<'_>]) -> Result<(), Failed> {
    for tile in tiles {
        match tile.space {
            Some(Space::Other) => {
                return Err(complain(op, "a memref is in an unknown memory space")
                    .code(codes::TX0016)
                    .note(
                        "known: none, 1 or `#gpu.address_space<global>`; 3 or \
                           `#gpu.address_space<workgroup>`; 5 or `#gpu.address_space<private>`",
                    )
                    .emit());
            }
            Some(Space::Private) if scope != Scope::Thread => {
                return Err(complain(
                    op,
                    format!("private memory is seen by one thread, but the scope is `{scope}`"),
                )
                .code(codes::TX0016)
                .note("use `scope(thread)`, or put the tile into shared memory or a fragment")
                .emit());
            }
            Some(Space::Shared) if scope == Scope::Cluster => {
                return Err(complain(
                    op,
                    "shared memory is seen by one CTA, but the scope is `cluster`",
                )
                .code(codes::TX0016)
                .emit());
            }
            Some(space @ (Space::Shared | Space::Private)) if scope == Scope::Grid => {
                return Err(complain(
                    op,
                    format!(
                        "`scope(grid)` works on global memory, found {}",
                        space.name()
                    ),
                )
                .code(codes::TX0016)
                .emit());
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_reduce(reduce: &Reduce<'_>) -> Result<(), Failed> {
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
fn check_index_range(
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
/// region combines values in the types of its arguments, so wider previous values would lose bits.
fn check_old_values(reduce: &Reduce<'_>, targets: &[Tile<'_>]) -> Result<(), Failed> {
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

fn check_axes(op: Op<'_>, written: &[i64], rank: usize) -> Result<Vec<usize>, Failed> {
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
    // A dynamic size is compatible with any other. The caller guarantees equal sizes at run time.
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

fn float_bits(ty: Type<'_>) -> Option<u32> {
    let is = [
        mlir_sys::mlirTypeIsAFloat8E4M3FN,
        mlir_sys::mlirTypeIsAFloat8E5M2,
        mlir_sys::mlirTypeIsAF16,
        mlir_sys::mlirTypeIsABF16,
        mlir_sys::mlirTypeIsAF32,
        mlir_sys::mlirTypeIsAF64,
    ];
    // SAFETY: the functions only query a valid type.
    let known = is.iter().any(|is| unsafe { is(ty.to_raw()) });
    known.then(|| tx_mlir::float_width(ty))
}

/// Returns a note that names the bitwise kind to use for `i1` instead of `kind`. A true `i1` is -1 as a
/// signed number.
fn instead_of_i1(kind: Kind) -> &'static str {
    match kind {
        Kind::UMax => "`umax` is `or`",
        Kind::UMin => "`umin` is `and`",
        Kind::Max => {
            "whether any is true is `or`; `max` of signed numbers, where true is -1, is `and`"
        }
        Kind::Min => {
            "whether all are true is `and`; `min` of signed numbers, where true is -1, is `or`"
        }
        Kind::Prod => "`prod` is `and`",
        Kind::Sum => {
            "`sum` modulo two is `xor`; to count what is true, extend it by `arith.extui` before: \
             at scope `grid`, in `element`"
        }
        _ => "extend it by `arith.extui` before: at scope `grid`, in `element`",
    }
}

fn check_element(op: Op<'_>, kind: Kind, ty: Type<'_>, role: &str) -> Result<(), Failed> {
    let integer = integer_width(ty);
    let known = match integer {
        Some(1) => matches!(kind, Kind::And | Kind::Or | Kind::Xor | Kind::Custom),
        Some(bits) => matches!(bits, 8 | 16 | 32 | 64),
        None => float_bits(ty).is_some(),
    };
    if !known {
        let note = if integer == Some(1) {
            format!(
                "i1 can be combined by `and`, `or`, `xor` and `custom`; {}",
                instead_of_i1(kind)
            )
        } else {
            "known: f16, bf16, f32, f64, i8, i16, i32, i64, i1 for `and`, `or` and `xor`, and as \
             sources f8E4M3FN and f8E5M2"
                .to_owned()
        };
        return Err(
            complain(op, format!("`{kind}` of `{ty}` {role} is not defined"))
                .code(codes::TX0006)
                .note(note)
                .emit(),
        );
    }
    if kind.is_integer_only() && integer.is_none() {
        return Err(
            complain(op, format!("`{kind}` combines integers, found `{ty}`"))
                .code(codes::TX0006)
                .emit(),
        );
    }
    Ok(())
}

/// Checks the types of the combined values, of `acc`, of indices, and of the destinations.
fn check_reduce_types<'c>(
    reduce: &Reduce<'c>,
    parts: &[Type<'c>],
    targets: &[Tile<'c>],
) -> Result<(), Failed> {
    let op = reduce.op;
    let values = if reduce.kind.is_arg() { 1 } else { parts.len() };
    for part in &parts[..values] {
        check_element(op, reduce.kind, *part, "elements")?;
    }
    if let Some(acc) = attribute(op, "acc").and_then(tx_mlir::type_value) {
        check_accumulator(op, acc, parts[0])?;
    }
    if reduce.kind.is_arg() && parts.len() == 2 {
        let index = parts[1];
        if !matches!(integer_width(index), Some(32 | 64)) {
            return Err(
                complain(op, format!("an index is `i32` or `i64`, found `{index}`"))
                    .code(codes::TX0007)
                    .emit(),
            );
        }
    }
    if reduce.epilogue().is_some() {
        return Ok(());
    }
    for (part, target) in parts[..values].iter().zip(targets) {
        let (from, to) = (*part, target.element);
        let wider = float_bits(from)
            .zip(float_bits(to))
            .is_some_and(|(f, t)| f < t);
        let narrow = float_bits(to).is_some_and(|bits| bits < 16);
        if narrow {
            return Err(
                complain(op, format!("`{to}` can be a source, but no destination"))
                    .code(codes::TX0010)
                    .note("reduce into f16, bf16 or f32")
                    .emit(),
            );
        }
        if from != to && !wider {
            return Err(of_other_type(op, from, to));
        }
    }
    if reduce.kind.is_arg() {
        let index = targets[1].element;
        if !matches!(integer_width(index), Some(32 | 64)) {
            return Err(
                complain(op, format!("an index is `i32` or `i64`, found `{index}`"))
                    .code(codes::TX0007)
                    .emit(),
            );
        }
    }
    Ok(())
}

/// Emits the error of a destination of type `to` that cannot store values of type `from`.
fn of_other_type(op: Op<'_>, from: Type<'_>, to: Type<'_>) -> Failed {
    let widest = match float_bits(from) {
        Some(bits) if bits < 64 => " or a wider float",
        _ => "",
    };
    let report = complain(
        op,
        format!("the destination's elements must be `{from}`{widest}, found `{to}`"),
    )
    .code(codes::TX0010);
    if let (Some(f), Some(t)) = (float_bits(from), float_bits(to))
        && t < f
    {
        let note = format!(
            "reduce into `{from}` and round that once: at scope `grid` in a region `epilogue`, by \
             `arith.truncf`"
        );
        return report.note(note).emit();
    }
    let convert = match (integer_width(from), integer_width(to), float_bits(to)) {
        (Some(f), Some(t), _) if f < t => "arith.extsi` or `arith.extui",
        (Some(_), None, Some(_)) => "arith.sitofp` or `arith.uitofp",
        _ => return report.emit(),
    };
    report
        .note(format!(
            "what is combined may be made wider first: in a region `element`, by `{convert}`"
        ))
        .emit()
}

fn check_accumulator(op: Op<'_>, acc: Type<'_>, from: Type<'_>) -> Result<(), Failed> {
    let fits = match (integer_width(from), integer_width(acc)) {
        (Some(f), Some(a)) => matches!(a, 1 | 8 | 16 | 32 | 64) && a >= f,
        (None, None) => float_bits(from)
            .zip(float_bits(acc))
            .is_some_and(|(f, a)| (acc == from || f < a) && a >= 16),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(complain(
        op,
        format!("`acc` must be `{from}` or a wider type of its sort, found `{acc}`"),
    )
    .code(codes::TX0011)
    .emit())
}

fn check_combiner(op: Op<'_>, kind: Kind, parts: &[Type<'_>]) -> Result<(), Failed> {
    let blocks = region_blocks(op, 0);
    let identities = attribute(op, "identities").and_then(elements);
    if kind != Kind::Custom {
        if identities.is_some() || !blocks.is_empty() {
            return Err(complain(
                op,
                format!(
                    "`{kind}` brings its own combiner; `identity` and `combiner` belong to `custom`"
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
                    "write `identity [{}] combiner {{`, where VALUE changes nothing that it is \
                     combined with: 0.0 for a sum of floats",
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
    use melior_upstream::ir::block::BlockLike as _;
    if block.argument_count() != 2 * n {
        return Err(complain(
            op,
            format!(
                "the combiner of {n} sources has {} arguments ({n} left, {n} right), found {}",
                2 * n,
                block.argument_count()
            ),
        )
        .code(codes::TX0014)
        .emit());
    }
    let acc = attribute(op, "acc").and_then(tx_mlir::type_value);
    let argument = |i: usize| tx_mlir::build::argument(*block, i).r#type();
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
        let ty = argument(i);
        let allowed = acc.map_or_else(|| vec![*part, default_accumulator(*part)], |a| vec![a]);
        let fits = allowed.contains(&ty) && argument(n + i) == ty;
        if !fits || yielded[i] != ty {
            let message = format!(
                "arguments {i} and {} and yield {i} of the combiner must all be `{}`, found \
                 `{ty}`, `{}` and `{}`",
                n + i,
                allowed.last().copied().unwrap_or(*part),
                argument(n + i),
                yielded[i]
            );
            let report = match fits {
                true => complain_within(op, end, message),
                false => complain(op, message),
            };
            return Err(report.code(codes::TX0014).emit());
        }
        use melior_upstream::ir::attribute::AttributeLike as _;
        if identities[i].r#type() != ty {
            return Err(complain(
                op,
                format!(
                    "identity {i} must be `{ty}` as the combiner's arguments are, found `{}`",
                    identities[i]
                ),
            )
            .code(codes::TX0013)
            .emit());
        }
    }
    // The combiner also runs on the values of idle threads, so it must be defined for all values.
    check_pure(op, *block, "a combiner", |inner| {
        tx_mlir::is_pure(inner) || is_control(inner) || is_guarded(inner, *block)
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

/// Returns whether a side-effect-free op is nested in control flow. A branch condition that guards
/// the op may exclude the operand values for which the op is undefined.
fn is_guarded<'c>(op: Op<'c>, block: Blk<'c>) -> bool {
    op.block() != Some(block) && tx_mlir::only_computes(op)
}

/// Checks that a region contains only ops that `allowed` accepts, and has no side effects.
fn check_pure<'c>(
    op: Op<'c>,
    block: Blk<'c>,
    what: &str,
    allowed: impl Fn(Op<'c>) -> bool,
) -> Result<(), Failed> {
    for inner in ops(block).into_iter().flat_map(tx_mlir::walk) {
        if !is(inner, "tile.yield") && !allowed(inner) {
            return Err(complain_within(
                op,
                inner,
                format!("{what} only computes: it may be run any number of times"),
            )
            .code(codes::TX0015)
            .note(match (divides(inner), tx_mlir::only_reads(inner, |_| true)) {
                (true, _) => format!(
                    "`{}` is undefined where it divides by 0, as for elements that are not there",
                    name(inner)
                ),
                (_, true) => format!(
                    "`{}` reads memory, which `element` may of a reduction at scope `grid`, where \
                     the reduction does not write it",
                    name(inner)
                ),
                _ => format!("`{}` does more than that", name(inner)),
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

fn check_all_reduce(op: &AllReduce<'_>) -> Result<(), Failed> {
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
        return Err(complain(at, "results have the types of the values")
            .code(codes::TX0023)
            .emit());
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
                format!("`{ty}` can be the source of a reduction, but no result"),
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
    if let Some(acc) = attribute(at, "acc").and_then(tx_mlir::type_value) {
        check_accumulator(at, acc, types[0])?;
    }
    if op.scope > Scope::Cluster {
        return Err(complain(
            at,
            format!(
                "groups are threads of one kernel, but the scope is `{}`",
                op.scope
            ),
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

fn check_copy(copy: &Copy<'_>) -> Result<(), Failed> {
    let op = copy.op;
    let (from, to) = (Tile::of(op, copy.source)?, Tile::of(op, copy.destination)?);
    check_memory(op, copy.scope, &[&from, &to])?;
    same_tile(op, &from, &to)
}

fn check_transfer<'c>(op: Op<'c>, memory: Val<'c>, fragment: Val<'c>) -> Result<(), Failed> {
    let (memory, fragment) = (Tile::of(op, memory)?, Tile::of(op, fragment)?);
    let scope = scope(op).unwrap_or(Scope::Thread);
    check_memory(op, scope, &[&memory])?;
    if scope > Scope::Cta {
        return Err(complain(
            op,
            format!("fragments live in the registers of one CTA, but the scope is `{scope}`"),
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
                "both tiles must have one shape and one element type, found {} of `{}` and {} of `{}`",
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

/// Passes the diagnostic `wrong` (code and message) to the C++ callback; `None` is not passed.
pub(crate) unsafe fn send(wrong: Option<(Code, String)>, emit: Sink, sink: *mut c_void) {
    if let Some((code, message)) = wrong {
        let code = code.number().into();
        // SAFETY: `emit` copies the text.
        unsafe { emit(sink, code, message.as_ptr().cast(), message.len()) }
    }
}

/// Passes the explanatory note of a diagnostic code to the C++ callback, if the code has a note.
pub(crate) unsafe extern "C" fn explain(code: c_uint, emit: Sink, sink: *mut c_void) {
    let code = u16::try_from(code).map(Code::new);
    let note = code
        .ok()
        .and_then(|code| Some((code, tx_mlir::explanation(code)?)));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(note, emit, sink) }
}

/// # Safety
/// `numbers` must point to `count` triples (extent, stride, axis).
unsafe fn iters(numbers: *const i64, count: usize) -> Vec<Iter> {
    match count {
        0 => Vec::new(),
        // SAFETY: the caller guarantees `count` triples at `numbers`.
        n => Iter::list(unsafe { std::slice::from_raw_parts(numbers, 3 * n) }),
    }
}

pub(crate) unsafe extern "C" fn verify_layout(
    numbers: *const i64,
    shard: usize,
    replica: usize,
    offset: usize,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: `numbers` contains the three lists consecutively.
    let all = unsafe { iters(numbers, shard + replica + offset) };
    let (places, offsets) = all.split_at((shard + replica).min(all.len()));
    let wrong = wrong_layout(places, offsets).map(|message| (codes::TX0032, message));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(wrong, emit, sink) }
}

/// Returns the message of the first rule that a layout violates, if any.
fn wrong_layout(places: &[Iter], offsets: &[Iter]) -> Option<String> {
    if let Some(bad) = places.iter().find(|i| i.extent < 1) {
        return Some(format!(
            "an extent must be at least 1, found {}",
            bad.extent
        ));
    }
    if let Some(bad) = places.iter().find(|i| i.stride < 0) {
        return Some(format!(
            "a stride must not be negative, found {}",
            bad.stride
        ));
    }
    for axis in Axis::ALL.iter().copied() {
        let on = |list: &[Iter]| -> Vec<Iter> {
            list.iter().filter(|i| i.axis == axis).copied().collect()
        };
        let last = on(places)
            .iter()
            .map(|i| (i.extent - 1).saturating_mul(i.stride))
            .chain(on(offsets).iter().map(|i| i.extent))
            .fold(0i64, i64::saturating_add);
        let first: i64 = on(offsets)
            .iter()
            .map(|i| i.extent)
            .fold(0, i64::saturating_add);
        if first < 0 || axis.extent().is_some_and(|n| last >= n) {
            return Some(format!(
                "coordinates on `{}` run from {first} to {last}, but the axis has {}",
                axis.name(),
                axis.extent()
                    .map_or_else(|| "no negative ones".to_owned(), |n| n.to_string())
            ));
        }
    }
    let registers = places
        .iter()
        .filter(|i| i.axis == Axis::Reg)
        .fold(1i64, |n, i| n.saturating_mul(i.extent));
    if registers > MOST_REGISTERS {
        return Some(format!(
            "{registers} registers of each thread, expected at most {MOST_REGISTERS}"
        ));
    }
    [true, false].into_iter().find_map(|on_threads| {
        let place = meeting(places, on_threads)?;
        let what = if on_threads { "thread" } else { "register" };
        Some(format!(
            "two coordinates meet in {what} {place}: every place holds one element"
        ))
    })
}

/// Maximum number of register slots of a thread in a layout. The limit exceeds the number of
/// registers of a GPU thread, because a layout may leave slots unused.
const MOST_REGISTERS: i64 = 4096;

/// Returns a thread or a register to which two coordinates of a layout map, if any.
fn meeting(places: &[Iter], on_threads: bool) -> Option<i64> {
    let unit = |axis: Axis| match axis {
        Axis::Reg | Axis::Lane | Axis::ThreadInGroup | Axis::Thread => 1,
        Axis::Warp | Axis::WarpInGroup => 32,
        Axis::Warpgroup => 128,
    };
    let mut seen = std::collections::BTreeSet::from([0]);
    for iter in places
        .iter()
        .filter(|i| (i.axis != Axis::Reg) == on_threads)
    {
        let step = iter.stride.saturating_mul(unit(iter.axis));
        let mut next = std::collections::BTreeSet::new();
        for c in 0..iter.extent {
            for place in &seen {
                let place = c.saturating_mul(step).saturating_add(*place);
                if !next.insert(place) {
                    return Some(place);
                }
            }
        }
        seen = next;
    }
    None
}

pub(crate) unsafe extern "C" fn verify_fragment(
    shape: *const i64,
    rank: usize,
    element: MlirType,
    numbers: *const i64,
    shard: usize,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: `shape` has `rank` entries, `numbers` has `shard` triples, and the type is valid.
    let (shape, element, shard) = unsafe {
        let shape = if rank == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(shape, rank)
        };
        (shape, Type::from_raw(element), iters(numbers, shard))
    };
    let product = |sizes: &mut dyn Iterator<Item = i64>| -> i128 {
        sizes.fold(1i128, |n, s| n.saturating_mul(s.into()))
    };
    let (elements, places) = (
        product(&mut shape.iter().copied()),
        product(&mut shard.iter().map(|i| i.extent)),
    );
    let known = float_bits(element).is_some()
        || matches!(integer_width(element), Some(1 | 8 | 16 | 32 | 64));
    let message = if !known {
        Some(format!(
            "elements must be f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i1, i8, i16, i32 or i64, \
             found `{element}`"
        ))
    } else if elements != places {
        Some(format!(
            "the layout places {places} elements, but the shape has {elements}"
        ))
    } else {
        None
    };
    let wrong = message.map(|message| (codes::TX0033, message));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(wrong, emit, sink) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn any_iter() -> impl Strategy<Value = Iter> {
        (1_i64..6, 0_i64..9, prop::sample::select(Axis::ALL)).prop_map(|(extent, stride, axis)| {
            Iter {
                extent,
                stride,
                axis,
            }
        })
    }

    /// Returns the thread number in the block, or the register number, of each combination of
    /// coordinates.
    fn places(iters: &[Iter], on_threads: bool) -> Vec<i64> {
        let unit = |axis: Axis| match axis {
            Axis::Reg | Axis::Lane | Axis::ThreadInGroup | Axis::Thread => 1,
            Axis::Warp | Axis::WarpInGroup => 32,
            Axis::Warpgroup => 128,
        };
        let own = iters
            .iter()
            .filter(|iter| (iter.axis != Axis::Reg) == on_threads);
        own.fold(vec![0], |all, iter| {
            let of = |place: &i64| {
                let each = (0..iter.extent).map(|c| c * iter.stride * unit(iter.axis));
                each.map(|offset| place + offset).collect::<Vec<i64>>()
            };
            all.iter().flat_map(of).collect()
        })
    }

    proptest! {
        #[test]
        fn meetings_are_found(iters in prop::collection::vec(any_iter(), 0..5), on_threads in any::<bool>()) {
            let all = places(&iters, on_threads);
            let distinct: BTreeSet<i64> = all.iter().copied().collect();
            let meet = meeting(&iters, on_threads);
            prop_assert_eq!(meet.is_some(), distinct.len() < all.len(), "{:?}", iters);
            prop_assert!(meet.is_none_or(|place| all.iter().filter(|p| **p == place).count() > 1));
        }

        /// An accepted layout stays within the bounds of its axes and maps at most one element to
        /// each register of a thread.
        #[test]
        fn accepted_layouts_hold_each_element_once(iters in prop::collection::vec(any_iter(), 0..5)) {
            if wrong_layout(&iters, &[]).is_none() {
                for on_threads in [true, false] {
                    let all = places(&iters, on_threads);
                    let distinct: BTreeSet<i64> = all.iter().copied().collect();
                    prop_assert_eq!(distinct.len(), all.len());
                }
                for axis in Axis::ALL.iter().copied() {
                    let of = iters.iter().filter(|iter| iter.axis == axis);
                    let last: i64 = of.map(|iter| (iter.extent - 1) * iter.stride).sum();
                    prop_assert!(axis.extent().is_none_or(|n| last < n));
                }
            }
        }
    }
}
