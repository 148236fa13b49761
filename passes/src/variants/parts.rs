//! Parts that expansions are made of.

use super::Reduction;
use crate::combiner::Combiner;
use melior::ir::{Attribute, Type, ValueLike};
use tx_dialect_tile::{Kind, Reduce, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, MemRef, Val, byte_width, i64_attribute};

/// Sizes of some dimensions of a memref, static or read at run time.
pub fn extents<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    memref: &MemRef<'c>,
    dimensions: &[usize],
) -> Vec<Index<'c>> {
    dimensions
        .iter()
        .map(|d| match memref.shape[*d] {
            Some(n) => Index::Const(n.cast_signed()),
            None => {
                let d = b.int(i64::try_from(*d).unwrap_or(0), b.index_type());
                Index::Val(
                    b.create("memref.dim")
                        .operands(&[value, d])
                        .result(b.index_type())
                        .value(),
                )
            }
        })
        .collect()
}

/// The product of sizes.
pub fn product<'c>(b: &Builder<'c>, sizes: &[Index<'c>]) -> Index<'c> {
    sizes.iter().fold(Index::Const(1), |n, s| b.mul(n, *s))
}

/// A linear index below the product of `sizes` as one index a dimension, without dividing by what
/// is known to be 1.
pub fn delinearize<'c>(b: &Builder<'c>, linear: Index<'c>, sizes: &[Index<'c>]) -> Vec<Index<'c>> {
    let outermost = sizes.iter().position(|s| s.known() != Some(1));
    let mut rest = linear;
    let mut indices = vec![Index::Const(0); sizes.len()];
    for (i, size) in sizes.iter().enumerate().rev() {
        if Some(i) == outermost {
            indices[i] = rest;
        } else if size.known() != Some(1) {
            indices[i] = b.rem(rest, *size);
            rest = b.div(rest, *size);
        }
    }
    indices
}

/// The index of a source element: kept and reduced indices put where their dimensions are.
pub fn source_index<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    kept: &[Index<'c>],
    reduced: &[Index<'c>],
) -> Vec<Val<'c>> {
    let mut index = vec![Index::Const(0); r.kept.len() + r.reduced.len()];
    for (d, i) in r.kept.iter().zip(kept).chain(r.reduced.iter().zip(reduced)) {
        index[*d] = *i;
    }
    index.into_iter().map(|i| b.value(i)).collect()
}

/// The number of an element among those that one result combines: row-major over the reduced
/// dimensions, whichever order they are gone through. `indices` and `sizes` are in the order of
/// [`Reduction::reduced`].
pub fn element_number<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    indices: &[Index<'c>],
    sizes: &[Index<'c>],
) -> Index<'c> {
    let mut order: Vec<usize> = (0..r.reduced.len()).collect();
    order.sort_by_key(|i| r.reduced[*i]);
    order.into_iter().fold(Index::Const(0), |n, i| {
        b.add(b.mul(n, sizes[i]), indices[i])
    })
}

/// Whether a vector of `ty` is not laid out as elements in memory: in a vector, `i1` is a bit; in memory of their own,
/// elements are bytes.
pub(crate) fn is_packed(ty: Type<'_>) -> bool {
    tx_mlir::integer_width(ty) == Some(1)
}

/// `index` as a value of an integer type.
pub fn index_as<'c>(b: &Builder<'c>, index: Index<'c>, ty: Type<'c>) -> Val<'c> {
    match index {
        Index::Const(n) => b.int(n, ty),
        Index::Val(v) => b.index_cast(v, ty),
    }
}

/// The results of a reduction whose partial results are all combined into `total`, as elements of
/// `types`: with the old values if there are any, and the identity when nothing was combined.
pub(crate) fn finish<'c>(
    b: &Builder<'c>,
    combiner: &Combiner<'c>,
    total: &[Val<'c>],
    length: Index<'c>,
    old: Option<Vec<Val<'c>>>,
    types: &[Type<'c>],
) -> Vec<Val<'c>> {
    let is_empty = || b.equal(length, Index::Const(0));
    let total = match old {
        // What partial results start from leaves old values as they are, but for an index that
        // is counted on to be one of an element.
        Some(old) => {
            let both = combiner.accumulate(b, &old, total);
            if combiner.kind().is_arg() && length.known().is_none() {
                let empty = is_empty();
                let old = combiner.widen_all(b, &old, &both);
                let pairs = old.iter().zip(&both);
                pairs
                    .map(|(old, both)| b.select(empty, *old, *both))
                    .collect()
            } else {
                both
            }
        }
        None if combiner.start_is_not_identity() => match b.equal(length, Index::Const(0)) {
            Cond::Const(false) => total.to_vec(),
            empty => combiner
                .identity(b)
                .into_iter()
                .zip(total)
                .map(|(i, t)| b.select(empty, i, *t))
                .collect(),
        },
        None => total.to_vec(),
    };
    combiner.narrow(b, &total, types)
}

/// Finishes one result and stores it.
///
/// `kept` are the indices of the kept dimensions in the order of [`Reduction::kept`].
pub fn store_result<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    combiner: &Combiner<'c>,
    total: &[Val<'c>],
    length: Index<'c>,
    kept: &[Index<'c>],
) {
    let rank = r.kept.len() + r.reduced.len();
    // With all dimensions kept, the reduced ones have size 1.
    let place = |memref: &MemRef<'c>| -> Vec<Val<'c>> {
        (0..rank)
            .filter_map(|d| match r.kept.iter().position(|k| *k == d) {
                Some(i) => Some(kept[i]),
                None => (memref.rank() == rank).then_some(Index::Const(0)),
            })
            .map(|i| b.value(i))
            .collect()
    };
    let places: Vec<Vec<Val<'c>>> = r
        .view
        .destinations
        .iter()
        .zip(&r.destinations)
        .map(|(value, memref)| [vec![*value], place(memref)].concat())
        .collect();
    let types: Vec<Type<'c>> = r.destinations.iter().map(|m| m.element).collect();
    // Each element of a destination is one thread's, whichever way it is computed; where threads
    // take turns, until the next turn.
    let owner = if r.steady { r.serial } else { -1 - r.serial };
    let owned: Attribute<'c> = i64_attribute(b.context(), owner);
    let old = r.view.accumulate.then(|| {
        places
            .iter()
            .zip(&types)
            .map(|(place, ty)| {
                b.create("memref.load")
                    .attr(OWNED, owned)
                    .operands(place)
                    .result(*ty)
                    .value()
            })
            .collect()
    });
    let results = finish(b, combiner, total, length, old, &types);
    for (value, place) in results.into_iter().zip(places) {
        b.create("memref.store")
            .attr(OWNED, owned)
            .operands(&[vec![value], place].concat())
            .build();
    }
}

/// Attribute of accesses that an expansion makes such that each element is accessed by one thread
/// only, the same whenever the code runs on the same memref. Accesses with one number belong
/// together; a negative number holds until a loop around goes on to its next round.
/// `tile-insert-sync` reads and removes it.
pub(crate) use tx_dialect_tile::OWNED;

/// `memref.load`.
pub(crate) fn load<'c>(
    b: &Builder<'c>,
    memref: Val<'c>,
    element: Type<'c>,
    index: &[Val<'c>],
) -> Val<'c> {
    let mut all = vec![memref];
    all.extend(index);
    b.create("memref.load")
        .operands(&all)
        .result(element)
        .value()
}

/// `vector` neighbours of a row from each source, as one list of parts for each of them.
pub fn load_elements<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    index: &[Val<'c>],
    vector: u64,
) -> Vec<Vec<Val<'c>>> {
    let mut rows: Vec<Vec<Val<'c>>> = vec![Vec::new(); usize::try_from(vector).unwrap_or(1)];
    for (source, memref) in r.view.sources.iter().zip(&r.sources) {
        if vector == 1 {
            rows[0].push(load(b, *source, memref.element, index));
            continue;
        }
        let loaded = load_vector(b, *source, memref, index, vector);
        for (row, value) in rows.iter_mut().zip(scalars(b, loaded)) {
            row.push(value);
        }
    }
    rows
}

/// `vector.load` of neighbours that are aligned to their width.
pub(crate) fn load_vector<'c>(
    b: &Builder<'c>,
    source: Val<'c>,
    memref: &MemRef<'c>,
    index: &[Val<'c>],
    vector: u64,
) -> Val<'c> {
    let bytes = byte_width(memref.element).unwrap_or(1) * vector;
    b.create("vector.load")
        .attr("alignment", i64_attribute(b.context(), bytes.cast_signed()))
        .operands(&[vec![source], index.to_vec()].concat())
        .result(Type::vector(&[vector], memref.element))
        .value()
}

/// The elements of a vector.
pub(crate) fn scalars<'c>(b: &Builder<'c>, value: Val<'c>) -> Vec<Val<'c>> {
    let Some((lanes, element)) = tx_mlir::vector_parts(value.r#type()) else {
        return vec![value];
    };
    (0..lanes)
        .map(|i| {
            b.create("vector.extract")
                .attr_text("static_position", &format!("array<i64: {i}>"))
                .operands(&[value])
                .result(element)
                .value()
        })
        .collect()
}

/// A vector of scalars of one type.
pub(crate) fn vector_of<'c>(b: &Builder<'c>, scalars: &[Val<'c>]) -> Val<'c> {
    let lanes = u64::try_from(scalars.len()).unwrap_or(1);
    b.create("vector.from_elements")
        .operands(scalars)
        .result(Type::vector(&[lanes], scalars[0].r#type()))
        .value()
}

/// Threads that `tile.all_reduce` combines.
#[derive(Clone, Copy)]
pub struct Group {
    /// Whose threads combine.
    pub scope: Scope,
    /// How many threads; the whole scope when absent.
    pub width: Option<i64>,
    /// From one thread of the group to the next.
    pub stride: i64,
    /// How lanes exchange values, when that is not left open: `shuffle` or `redux`.
    pub variant: Option<&'static str>,
}

/// The total of a group, in every thread of it: a `tile.all_reduce` of partial results.
pub fn all_reduce<'c>(
    b: &Builder<'c>,
    view: &Reduce<'c>,
    combiner: &Combiner<'c>,
    partial: &[Val<'c>],
    group: Group,
) -> Vec<Val<'c>> {
    let kind = combiner.kind();
    let mut op = b
        .create("tile.all_reduce")
        .attr_text("kind", &format!("#tile.kind<{kind}>"))
        .attr_text("scope", &format!("#tile.scope<{}>", group.scope));
    let region = match (kind, tx_mlir::first_block(view.op, 0)) {
        (Kind::Custom, Some(block)) => {
            if let Some(identities) = tx_mlir::attribute(view.op, "identities") {
                op = op.attr("identities", identities);
            }
            b.copy_of(block)
        }
        _ => {
            op = op
                .attr_type("acc", combiner.types()[0])
                .attr_text("nan", &format!("#tile.nan<{}>", view.nan));
            melior::ir::Region::new()
        }
    };
    if let Some(width) = group.width {
        op = op
            .attr("width", i64_attribute(b.context(), width))
            .attr("stride", i64_attribute(b.context(), group.stride));
    }
    if let Some(variant) = group.variant {
        op = op.attr_text("variant", &format!("\"{variant}\""));
    }
    let types: Vec<Type<'c>> = partial.iter().map(|v| v.r#type()).collect();
    tx_mlir::results(op.operands(partial).region(region).results(&types).build())
}

/// One thread reduces everything, in order: loops over kept dimensions around loops over reduced
/// ones.
pub fn expand_sequential<'c>(b: &Builder<'c>, r: &Reduction<'c>) {
    let (Some(source), Ok(combiner)) = (r.source(), r.combiner()) else {
        return;
    };
    let value = r.view.sources[0];
    let kept = extents(b, value, source, &r.kept);
    let reduced = extents(b, value, source, &r.reduced);
    let length = product(b, &reduced);
    nest(b, &kept, &mut Vec::new(), &[], &mut |b, kept_index, _| {
        let start = if r.reduced.is_sorted() {
            combiner.start_at(b, Index::Const(0))
        } else {
            combiner.start(b)
        };
        let done = nest(
            b,
            &reduced,
            &mut Vec::new(),
            &start,
            &mut |b, index, carried| {
                let at = source_index(b, r, kept_index, index);
                let elements = load_elements(b, r, &at, 1);
                let partial = combiner.partial(b, &elements[0], |b, ty| {
                    index_as(b, element_number(b, r, index, &reduced), ty)
                });
                if r.reduced.is_sorted() {
                    combiner.combine_later(b, carried, &partial)
                } else {
                    combiner.combine(b, carried, &partial)
                }
            },
        );
        store_result(b, r, &combiner, &done, length, kept_index);
        Vec::new()
    });
}

/// What a loop nest has inside: given the indices and the values that are carried, it gives these values after it.
pub type Body<'b, 'c> = dyn FnMut(&Builder<'c>, &[Index<'c>], &[Val<'c>]) -> Vec<Val<'c>> + 'b;

/// Nested loops from 0 to each size, the first outermost.
pub fn nest<'c>(
    b: &Builder<'c>,
    sizes: &[Index<'c>],
    index: &mut Vec<Index<'c>>,
    carried: &[Val<'c>],
    body: &mut Body<'_, 'c>,
) -> Vec<Val<'c>> {
    match sizes.get(index.len()) {
        None => body(b, index, carried),
        Some(size) => b.for_loop(
            Index::Const(0),
            *size,
            Index::Const(1),
            carried,
            |b, i, carried| {
                index.push(i);
                let left = nest(b, sizes, index, carried, body);
                index.pop();
                left
            },
        ),
    }
}

/// The same of a scalar or a vector.
pub(crate) fn zeros<'c>(b: &Builder<'c>, ty: Type<'c>) -> Val<'c> {
    match tx_mlir::vector_parts(ty) {
        Some((_, element)) => b
            .create("vector.broadcast")
            .operands(&[zero(b, element)])
            .result(ty)
            .value(),
        None => zero(b, ty),
    }
}

/// What registers have where a thread holds nothing.
pub(crate) fn zero<'c>(b: &Builder<'c>, ty: Type<'c>) -> Val<'c> {
    use melior::ir::r#type::TypeLike as _;
    if !ty.is_float() {
        return b.int(0, ty);
    }
    // There are no constants of 8-bit floats below this level.
    if byte_width(ty) == Some(1) {
        let bits = b.int(0, b.int_type(8));
        return b
            .create("arith.bitcast")
            .operands(&[bits])
            .result(ty)
            .value();
    }
    b.float(0.0, ty)
}
