//! Constant arrays: `memref.global` ops with data. A kernel reads a constant array from a global
//! variable of its GPU module.

use melior::ir::operation::OperationLike;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::memref::Space;
use tx_mlir::memref::{mixed, reassociation};
use tx_mlir::{
    AffineMap, Builder, Failed, Index, MemRef, Op, Val, attribute, byte_width, codes, defining_op,
    dense_bits, enclosing, erase, error, global_of, has_uses, initial_value, integer_attribute, is,
    is_constant_global, is_pure, name, operand_groups, operands, replace_uses, results,
    string_attribute, symbol_uses, type_value, walk,
};

/// Maximum total size of the constant arrays of a module, in bytes. PTX lists each byte as a
/// decimal number, so large arrays make the PTX text very long.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Alignment of constant arrays: the size of the widest memory access, in bytes.
pub(crate) const ALIGNMENT: i64 = 16;

/// Returns whether a memref is a constant `memref.global`, or a view of a constant `memref.global`.
/// Kernels address constant arrays directly, not through an argument.
pub(crate) fn is_constant(memref: Val<'_>) -> bool {
    tx_mlir::constant_of(memref).is_some()
}

pub(crate) fn type_of<'c>(global: Op<'c>) -> Option<MemRef<'c>> {
    let ty = attribute(global, "type").and_then(type_value)?;
    MemRef::from_type(ty)
}

pub(crate) fn name_of(global: Op<'_>) -> String {
    format!(
        "@{}",
        string_attribute(global, "sym_name").unwrap_or_default()
    )
}

fn bytes_of(global: Op<'_>) -> Option<u64> {
    let ty = type_of(global)?;
    ty.elements()?.checked_mul(byte_width(ty.element)?)
}

/// Returns whether a `memref.global` is in global memory and has an initial value.
pub(crate) fn is_array(op: Op<'_>) -> bool {
    is(op, "memref.global")
        && initial_value(op).is_some()
        && type_of(op).is_some_and(|ty| ty.space == Space::Global)
}

/// Checks that each `memref.global` that a host function uses is constant and has an initial value,
/// and checks its size and its data.
pub(crate) fn check_host(function: Op<'_>) -> Result<(), Failed> {
    let mut used = BTreeMap::new();
    for op in walk(function) {
        let Some(global) = global_of(op).filter(|_| results(op).into_iter().any(has_uses)) else {
            continue;
        };
        if !is_constant_global(global) || initial_value(global).is_none() {
            let what = match initial_value(global) {
                Some(_) => "is not `constant`",
                None => "has no initial value",
            };
            return Err(error(
                op.location(),
                format!("`memref.get_global` of {}, which {what}", name_of(global)),
            )
            .code(codes::TX0328)
            .note_at(global.location(), "it is declared here")
            .note(
                "kernels can read only a `memref.global constant` with a dense initial value; pass \
                 other memory as an argument",
            )
            .emit());
        }
        used.insert(name_of(global), global);
    }
    check(function, used.into_values())
}

/// Checks the size and the data of the constant arrays of one module. The function reports errors
/// at the op `holder`.
pub(crate) fn check<'c>(
    holder: Op<'c>,
    arrays: impl Iterator<Item = Op<'c>>,
) -> Result<(), Failed> {
    let (mut total, mut sizes) = (0u64, Vec::new());
    for global in arrays {
        let bytes = bytes_of(global);
        let Some(bytes) = bytes.filter(|bytes| *bytes > MAX_BYTES || has_data(global)) else {
            return Err(error(
                global.location(),
                format!("the elements of {} cannot be read", name_of(global)),
            )
            .code(codes::TX0328)
            .note(
                "expected `dense` or `dense_resource` of integers or floats of up to 64 bits, with its \
                 data: `dense_resource<__elided__>` has none",
            )
            .emit());
        };
        total = total.saturating_add(bytes);
        sizes.push((bytes, global));
    }
    if total <= MAX_BYTES {
        return Ok(());
    }
    sizes.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let report = error(
        holder.location(),
        match sizes.len() {
            1 => format!("a constant array takes {total} bytes, expected at most {MAX_BYTES}"),
            n => {
                format!("{n} constant arrays take {total} bytes, expected at most {MAX_BYTES}")
            }
        },
    )
    .code(codes::TX0328);
    let report = sizes
        .iter()
        .take(LISTED)
        .fold(report, |report, (bytes, global)| {
            report.note_at(
                global.location(),
                format!("{} takes {bytes} bytes", name_of(*global)),
            )
        });
    Err(report
        .note("pass the largest arrays as arguments of the function")
        .emit())
}

/// Returns the size of dimension `dim` of `memref`: the static size, or a size derived from the op
/// that defines `memref`. Returns `None` if a dynamic size does not follow from the op that defines
/// `memref`.
fn size<'c>(b: &Builder<'c>, memref: Val<'c>, dim: usize) -> Option<Index<'c>> {
    let ty = MemRef::of(memref)?;
    if let Some(size) = *ty.shape.get(dim)? {
        return Some(Index::Const(size.cast_signed()));
    }
    let op = defining_op(memref)?;
    let source = *operands(op).first()?;
    let listed =
        |attribute: &str, group: usize| mixed(op, attribute, operand_groups(op)?.get(group)?);
    match name(op) {
        "memref.cast" => size(b, source, dim),
        "memref.reinterpret_cast" => listed("static_sizes", 2)?.get(dim).copied(),
        "memref.expand_shape" => mixed(op, "static_output_shape", operands(op).get(1..)?)?
            .get(dim)
            .copied(),
        "memref.collapse_shape" => reassociation(op)?
            .get(dim)?
            .iter()
            .try_fold(Index::Const(1), |product, source_dim| {
                Some(b.mul(product, size(b, source, *source_dim)?))
            }),
        "memref.transpose" => {
            let order = attribute(op, "permutation").and_then(AffineMap::of)?;
            size(b, source, *order.as_projected_permutation()?.get(dim)?)
        }
        "memref.subview" => {
            // The subview may drop dimensions of size 1, but keeps the order of dynamic dimensions.
            let place = ty.shape[..dim].iter().filter(|size| size.is_none()).count();
            let sizes = listed("static_sizes", 2)?.into_iter();
            sizes.filter(|size| size.known().is_none()).nth(place)
        }
        _ => None,
    }
}

/// Erases, in `functions`, the unused pure ops that read or return a constant array. Then erases
/// the private constant arrays without remaining uses in `module`. Before the erasure, the function
/// replaces each `memref.dim` of a constant array, or of a view of a constant array, by the size of
/// the dimension.
pub(crate) fn erase_unused<'c>(module: Op<'c>, functions: &[Op<'c>]) {
    let mut globals: BTreeMap<String, Op<'c>> = BTreeMap::new();
    let all: Vec<Op<'c>> = functions
        .iter()
        .flat_map(|function| walk(*function))
        .collect();
    for op in all.iter().copied().filter(|op| is(*op, "memref.dim")) {
        let [memref, dim] = operands(op)[..] else {
            continue;
        };
        let dim = defining_op(dim).and_then(|op| integer_attribute(op, "value"));
        if is_constant(memref)
            && let Some(dim) = dim.and_then(|dim| usize::try_from(dim).ok())
            && let b = Builder::before(op)
            && let Some(size) = size(&b, memref, dim)
        {
            replace_uses(results(op)[0], b.value(size));
        }
    }
    for op in all.into_iter().rev() {
        let memrefs = results(op).into_iter().chain(operands(op));
        let mut memrefs = memrefs.filter(|value| MemRef::of(*value).is_some());
        let is_unused =
            !results(op).is_empty() && is_pure(op) && !results(op).into_iter().any(has_uses);
        if is_unused && memrefs.any(is_constant) {
            globals.extend(global_of(op).map(|global| (name_of(global), global)));
            erase(op);
        }
    }
    globals.retain(|_, global| {
        string_attribute(*global, "sym_visibility").as_deref() == Some("private")
    });
    if globals.is_empty() {
        return;
    }
    // A `gpu.module` has a symbol table of its own.
    let hosts = walk(module)
        .into_iter()
        .filter(|op| enclosing(*op, "gpu.module").is_none());
    let named: BTreeSet<String> = hosts
        .flat_map(symbol_uses)
        .map(|name| format!("@{name}"))
        .collect();
    let unused = globals
        .into_iter()
        .filter(|(name, _)| !named.contains(name));
    unused.for_each(|(_, global)| erase(global));
}

const LISTED: usize = 4;

fn has_data(global: Op<'_>) -> bool {
    initial_value(global).is_some_and(|value| dense_bits(value).is_some())
}

/// Rejects an op that writes a constant array.
pub(crate) fn check_written<'c>(op: Op<'c>, number: usize, output: Val<'c>) -> Result<(), Failed> {
    let Some(global) = tx_mlir::constant_of(output) else {
        return Ok(());
    };
    Err(error(
        op.location(),
        format!(
            "output {number} is {}, which is `constant`",
            name_of(global)
        ),
    )
    .code(codes::TX0328)
    .note_at(global.location(), "it is declared here")
    .note("write to an argument, or copy the array to a temporary of `memref.alloc`")
    .emit())
}
