//! Functions that several variants use to emit ops.

use super::reduction::Reduction;
use crate::combiner::Combiner;
use crate::emit::{OWNED, extents, finish, index_as, load, load_vector, nest, product, scalars};
use melior::ir::{Attribute, Type};
use tx_mlir::{Builder, Index, MemRef, Val, i64_attribute};

/// Returns the indices of a source element in the order of the source dimensions. `kept` and
/// `reduced` contain the indices along the parallel and the reduced dimensions.
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

/// Returns the row-major index of an element among all elements that one result combines. The
/// values `indices` and `sizes` are in the order of [`Reduction::reduced`].
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

/// Converts the value `total` to the element types of the destinations, and stores the result. The
/// values `kept` are the indices along the parallel dimensions, in the order of
/// [`Reduction::kept`].
pub fn store_result<'c>(
    b: &Builder<'c>,
    r: &Reduction<'c>,
    combiner: &Combiner<'c>,
    total: &[Val<'c>],
    length: Index<'c>,
    kept: &[Index<'c>],
) {
    let rank = r.kept.len() + r.reduced.len();
    // In a destination of full rank, the reduced dimensions have size 1.
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
    // Only one thread accesses an element of a destination. If the active threads change between
    // the iterations of a loop, this guarantee is limited to a single iteration.
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

/// Loads `vector` consecutive elements from each source. Returns one list for each of the `vector`
/// positions; each list contains one element from each source.
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

/// Emits a sequential reduction by one thread. The loops over the parallel dimensions contain the
/// loops over the reduced dimensions.
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
