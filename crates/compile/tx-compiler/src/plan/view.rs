//! Translation of views of memrefs of a host function.

use super::limits::{check_no_address, check_size};
use super::values::{Value, Values};
use melior::ir::operation::OperationLike;
use tx_mlir::memref::{mixed, reassociation};
use tx_mlir::{
    AffineMap, Failed, Index, MemRef, Op, attribute, codes, error, integers, name, operand_groups,
    operands, results,
};
use tx_plan::{Base, Expr, Symbol, View};

pub(super) fn exprs(view: &View) -> impl Iterator<Item = &Expr> {
    view.sizes.iter().chain(&view.strides).chain([&view.offset])
}

/// Replaces each size, stride or offset of a view by a constant if the type of the view contains
/// the constant.
fn refine(view: &mut View, ty: &MemRef<'_>) {
    let known = |expr: &mut Expr, known: Option<i64>| {
        if let (None, Some(known)) = (expr.as_const(), known) {
            *expr = Expr::Const(known);
        }
    };
    for (size, n) in view.sizes.iter_mut().zip(&ty.shape) {
        known(size, n.and_then(|n| i64::try_from(n).ok()));
    }
    for ((stride, size), n) in view.strides.iter_mut().zip(&view.sizes).zip(&ty.strides) {
        match n {
            // The stride of a dimension of size 1 affects no address. The function copies this
            // stride from the type, because the checks of views compare strides with the type.
            Some(n) if *size == Expr::Const(1) => *stride = Expr::Const(*n),
            n => known(stride, *n),
        }
    }
    known(&mut view.offset, ty.offset);
}

/// Returns a view in which each group of dimensions of the original view is collapsed into one
/// dimension.
fn collapse(view: &View, groups: &[Vec<usize>]) -> View {
    let (sizes, strides) = groups
        .iter()
        .map(|group| {
            let size = group
                .iter()
                .map(|dim| view.sizes[*dim].clone())
                .fold(Expr::Const(1), Expr::times);
            (size, stride_of_group(view, group))
        })
        .unzip();
    View {
        base: view.base,
        offset: view.offset.clone(),
        sizes,
        strides,
    }
}

/// Returns the stride of a collapsed group of dimensions: the stride of the last dimension of size
/// greater than 1 in the group. The stride of a dimension with one element does not affect any
/// address.
fn stride_of_group(view: &View, group: &[usize]) -> Expr {
    let mut dims = group
        .iter()
        .filter(|dim| view.sizes[**dim] != Expr::Const(1));
    let Some(first) = dims.next() else {
        return Expr::Const(1);
    };
    let mut stride = view.strides[*first].clone();
    for dim in dims {
        let (size, inner) = (&view.sizes[*dim], &view.strides[*dim]);
        let is_row_major = stride == size.clone().times(inner.clone());
        stride = if is_row_major || size.as_const().is_some() {
            inner.clone()
        } else {
            // The expression `several` is 1 for a size above 1, and 0 for a size of 0 or 1.
            let one = || Expr::Const(1);
            let several = size.clone().minus(one()).max(Expr::Const(0)).min(one());
            let outer = stride.times(one().minus(several.clone()));
            outer.plus(inner.clone().times(several))
        };
    }
    stride
}

/// Returns a view in which each dimension of the original view is expanded into a group of
/// dimensions; `sizes` contains the sizes of the new dimensions.
fn expand(view: &View, groups: &[Vec<usize>], sizes: Vec<Expr>) -> View {
    let mut strides = vec![Expr::Const(1); sizes.len()];
    for (group, stride) in groups.iter().zip(&view.strides) {
        let mut stride = stride.clone();
        for dim in group.iter().rev() {
            strides[*dim] = stride.clone();
            stride = sizes[*dim].clone().times(stride);
        }
    }
    View {
        base: view.base,
        offset: view.offset.clone(),
        sizes,
        strides,
    }
}

pub(super) fn is_view(op: Op<'_>) -> bool {
    matches!(
        name(op),
        "memref.subview"
            | "memref.cast"
            | "memref.reinterpret_cast"
            | "memref.collapse_shape"
            | "memref.expand_shape"
            | "memref.transpose"
            | "memref.memory_space_cast"
    )
}

/// Returns the view that `op` creates.
pub(super) fn view<'c>(values: &Values<'c>, op: Op<'c>) -> Result<View, Failed> {
    let (Some(source), Some(result)) =
        (operands(op).first().copied(), results(op).first().copied())
    else {
        return Err(malformed(op));
    };
    let source = values.memref(op, source)?.clone();
    let Some(ty) = MemRef::of(result) else {
        return Err(error(
            op.location(),
            format!("a view of type `{}` has no strides", value_type(op)),
        )
        .code(codes::TX0611)
        .note("use memrefs with a `strided` layout, or without a layout")
        .emit());
    };
    let mut view = match name(op) {
        "memref.subview" => subview(values, op, &source, &ty)?,
        "memref.reinterpret_cast" => {
            let [offsets, sizes, strides] = offsets_sizes_strides(values, op)?;
            View {
                base: source.base,
                offset: offsets.into_iter().next().unwrap_or(Expr::Const(0)),
                sizes,
                strides,
            }
        }
        "memref.collapse_shape" => {
            let groups = reassociation(op).ok_or_else(|| malformed(op))?;
            if groups
                .iter()
                .flatten()
                .any(|dim| *dim >= source.sizes.len())
            {
                return Err(malformed(op));
            }
            collapse(&source, &groups)
        }
        "memref.expand_shape" => {
            let groups = reassociation(op).ok_or_else(|| malformed(op))?;
            let dynamic = operands(op).split_off(1);
            let sizes = mixed(op, "static_output_shape", &dynamic).ok_or_else(|| malformed(op))?;
            let sizes = indices(values, op, sizes)?;
            if groups.iter().flatten().any(|dim| *dim >= sizes.len()) {
                return Err(malformed(op));
            }
            expand(&source, &groups, sizes)
        }
        "memref.transpose" => {
            let order = attribute(op, "permutation")
                .and_then(AffineMap::of)
                .and_then(|map| map.as_projected_permutation())
                .filter(|order| order.iter().all(|dim| *dim < source.sizes.len()))
                .ok_or_else(|| malformed(op))?;
            let permuted = |all: &[Expr]| order.iter().map(|dim| all[*dim].clone()).collect();
            View {
                base: source.base,
                offset: source.offset.clone(),
                sizes: permuted(&source.sizes),
                strides: permuted(&source.strides),
            }
        }
        // A cast changes only the type of a memref, not the view.
        _ => source,
    };
    if view.sizes.len() != ty.rank() || view.strides.len() != ty.rank() {
        return Err(malformed(op));
    }
    refine(&mut view, &ty);
    check_size(op, exprs(&view))?;
    check_no_address(op, exprs(&view))?;
    Ok(view)
}

fn subview<'c>(
    values: &Values<'c>,
    op: Op<'c>,
    source: &View,
    ty: &MemRef<'c>,
) -> Result<View, Failed> {
    let [offsets, sizes, steps] = offsets_sizes_strides(values, op)?;
    let static_sizes = attribute(op, "static_sizes")
        .and_then(integers)
        .unwrap_or_default();
    let rank = source.sizes.len();
    if [&offsets, &sizes, &steps]
        .iter()
        .any(|list| list.len() != rank)
    {
        return Err(malformed(op));
    }
    let offset = offsets
        .into_iter()
        .zip(&source.strides)
        .map(|(offset, stride)| offset.times(stride.clone()))
        .fold(source.offset.clone(), Expr::plus);
    let strides: Vec<Expr> = steps
        .into_iter()
        .zip(&source.strides)
        .map(|(step, stride)| step.times(stride.clone()))
        .collect();
    let kept = remaining_dimensions(&static_sizes, &strides, ty).ok_or_else(|| malformed(op))?;
    Ok(View {
        base: source.base,
        offset,
        sizes: kept.iter().map(|dim| sizes[*dim].clone()).collect(),
        strides: kept.iter().map(|dim| strides[*dim].clone()).collect(),
    })
}

fn offsets_sizes_strides<'c>(values: &Values<'c>, op: Op<'c>) -> Result<[Vec<Expr>; 3], Failed> {
    let groups = operand_groups(op).unwrap_or_default();
    let list = |attribute: &str, group: usize| {
        let dynamic = groups.get(group).ok_or_else(|| malformed(op))?;
        let list = mixed(op, attribute, dynamic).ok_or_else(|| malformed(op))?;
        indices(values, op, list)
    };
    Ok([
        list("static_offsets", 1)?,
        list("static_sizes", 2)?,
        list("static_strides", 3)?,
    ])
}

fn indices<'c>(values: &Values<'c>, op: Op<'c>, list: Vec<Index<'c>>) -> Result<Vec<Expr>, Failed> {
    list.into_iter()
        .map(|index| match index {
            Index::Const(n) => Ok(Expr::Const(n)),
            Index::Val(value) => values.index(op, value),
        })
        .collect()
}

/// Returns the base address of the memref argument of which the operand of `op` is a view.
pub(super) fn address<'c>(values: &Values<'c>, op: Op<'c>) -> Result<Value, Failed> {
    let source = *operands(op).first().ok_or_else(|| malformed(op))?;
    let Base::Argument(argument) = values.memref(op, source)?.base else {
        return Err(error(
            op.location(),
            "the address of a temporary is not known to a launch plan",
        )
        .code(codes::TX0602)
        .note("a temporary is aligned to 256 bytes")
        .emit());
    };
    Ok(Value::index(Expr::Symbol(Symbol::Address { argument })))
}

/// Returns the symbolic values of the results of a `memref.extract_strided_metadata`.
pub(super) fn metadata<'c>(values: &Values<'c>, op: Op<'c>) -> Result<Vec<Value>, Failed> {
    let source = *operands(op).first().ok_or_else(|| malformed(op))?;
    let view = values.memref(op, source)?.clone();
    let whole = View {
        base: view.base,
        offset: Expr::Const(0),
        sizes: Vec::new(),
        strides: Vec::new(),
    };
    let numbers = [&view.offset]
        .into_iter()
        .chain(&view.sizes)
        .chain(&view.strides);
    Ok([Value::Memref(whole)]
        .into_iter()
        .chain(numbers.map(|number| Value::index(number.clone())))
        .collect())
}

/// Returns the dimensions of a subview that remain in its rank-reduced type `ty`; only dimensions
/// of static size 1 are dropped. If several lists of dimensions match the rank-reduced type, the
/// function returns one of the lists. The views for all matching lists of dimensions differ only in
/// the strides of dimensions of size 1.
fn remaining_dimensions(sizes: &[i64], strides: &[Expr], ty: &MemRef<'_>) -> Option<Vec<usize>> {
    let (dims, places) = (sizes.len(), ty.rank());
    if strides.len() != dims {
        return None;
    }
    let fits = |dim: usize, place: usize| {
        let same_size = match ty.shape[place] {
            Some(size) => u64::try_from(sizes[dim]) == Ok(size),
            // The marker of a dynamic size is negative.
            None => sizes[dim] < 0,
        };
        same_size
            && match (strides[dim].as_const(), ty.strides[place]) {
                (Some(found), Some(expected)) => found == expected || sizes[dim] == 1,
                _ => true,
            }
    };
    // `works[dim][place]` is true if the subview's dimensions from `dim` on match the type's
    // dimensions from `place` on.
    let mut works = vec![vec![false; places + 1]; dims + 1];
    works[dims][places] = true;
    for dim in (0..dims).rev() {
        for place in (0..=places).rev() {
            works[dim][place] = (place < places && fits(dim, place) && works[dim + 1][place + 1])
                || (sizes[dim] == 1 && works[dim + 1][place]);
        }
    }
    if !works[0][0] {
        return None;
    }
    let mut kept = Vec::new();
    for dim in 0..dims {
        let place = kept.len();
        if place < places && fits(dim, place) && works[dim + 1][place + 1] {
            kept.push(dim);
        }
    }
    Some(kept)
}

fn value_type(op: Op<'_>) -> String {
    use melior::ir::ValueLike;
    results(op)
        .first()
        .map(|result| result.r#type().to_string())
        .unwrap_or_default()
}

/// Returns the error for an op whose operands and attributes do not define a view, although MLIR's
/// verifier accepts the op.
fn malformed(op: Op<'_>) -> Failed {
    error(
        op.location(),
        format!(
            "the operands and attributes of `{}` do not define a view",
            name(op)
        ),
    )
    .code(codes::TX0611)
    .emit()
}
