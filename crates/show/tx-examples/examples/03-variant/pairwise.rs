//! Variant `pairwise`: one thread reduces a short row as a binary tree of adjacent elements.
//!
//! The thread loads all elements before it combines the first two elements, so the thread waits for
//! memory only once. Combining n elements takes log2(n) dependent steps instead of n, and the
//! rounding error of a sum grows with log2(n).

use tx::mlir::{Builder, Index};
use tx::parts::{
    checks, delinearize, element_number, extents, index_as, load_elements, nest, source_index,
    store_result,
};
use tx::tile::Scope;
use tx::{Params, Predicate, Reduction, Variant};

/// Maximum row length in elements; each element occupies a register.
const MOST: u64 = 64;

/// Approximate latency of a load and approximate latency of a combining op, in cycles.
const LOAD: u64 = 30;
const COMBINE: u64 = 4;

pub(crate) struct Pairwise;

impl Variant for Pairwise {
    fn name(&self) -> &'static str {
        "pairwise"
    }

    fn priority(&self) -> i32 {
        // The competing variants have the same priority, so the applicable variant with the lowest
        // cost is chosen.
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            Predicate {
                name: "storage",
                check: |r| match r.sources.is_empty() {
                    true => Err("source is in registers, expected memory".to_owned()),
                    false => Ok(()),
                },
            },
            Predicate {
                name: "scope",
                check: |r| match r.view.scope {
                    Scope::Thread => Ok(()),
                    other => Err(format!("scope `{other}`, expected `thread`")),
                },
            },
            Predicate {
                name: "length",
                check: |r| match r.length() {
                    Some(2..=MOST) => Ok(()),
                    Some(n) => Err(format!("length {n}, expected 2 to {MOST}")),
                    None => Err(format!("length known at run time, expected 2 to {MOST}")),
                },
            },
            // This predicate accepts every kind and type that the shared combiner code supports.
            checks::KIND,
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        let length = r.length().unwrap_or(MOST);
        let depth = u64::from(length.next_power_of_two().ilog2());
        let row = LOAD + length + COMBINE * depth;
        r.results().unwrap_or(1024).saturating_mul(row)
    }

    fn params(&self, _: &Reduction<'_>) -> Params {
        Params::new()
    }

    fn expand<'c>(&self, r: &Reduction<'c>, _: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        let (Some(source), Ok(combiner), Some(length)) = (r.source(), r.combiner(), r.length())
        else {
            // This branch is unreachable, because the predicates reject reductions without a source
            // or a static length.
            return;
        };
        let value = r.view.sources[0];
        let rows = extents(b, value, source, &r.kept);
        let row = extents(b, value, source, &r.reduced);
        // Emits one loop per parallel dimension; the reduced dimensions are unrolled.
        nest(b, &rows, &mut Vec::new(), &[], &mut |b, kept, _| {
            let elements = (0..length.cast_signed()).map(|n| {
                let index = delinearize(b, Index::Const(n), &row);
                let at = source_index(b, r, kept, &index);
                let element = load_elements(b, r, &at, 1).swap_remove(0);
                // `argmax` and `argmin` also need the index of the element.
                combiner.partial(b, &element, |b, ty| {
                    index_as(b, element_number(b, r, &index, &row), ty)
                })
            });
            let total = combiner.combine_all(b, elements.collect());
            // Converts the result, combines it with the old value if the op accumulates, and stores
            // it.
            let length = Index::Const(length.cast_signed());
            store_result(b, r, &combiner, &total, length, kept);
            Vec::new()
        });
    }
}
