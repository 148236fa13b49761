//! `pairwise`: one thread reduces a short row, neighbours first.
//!
//! All elements are loaded before any is combined, so that the thread waits for memory once, and n
//! elements are combined in log2(n) steps that depend on each other, not in n. The rounding errors
//! of a sum grow with log2(n) as well.

use tx::mlir::{Builder, Index};
use tx::parts::{
    checks, delinearize, element_number, extents, index_as, load_elements, nest, source_index,
    store_result,
};
use tx::tile::Scope;
use tx::{Params, Predicate, Reduction, Variant};

/// The most elements of a row: each is in a register of its own.
const MOST: u64 = 64;

/// Cycles until an element from memory is there, and until a combined value can be combined again, about.
const LOAD: u64 = 30;
const COMBINE: u64 = 4;

/// See the module.
pub(crate) struct Pairwise;

impl Variant for Pairwise {
    fn name(&self) -> &'static str {
        "pairwise"
    }

    fn priority(&self) -> i32 {
        // That of the variants it competes with: where all accept, the lowest cost is chosen.
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
            // The combiner knows what is combined, for every kind and type; a variant need not.
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
            // The predicates have refused it.
            return;
        };
        let value = r.view.sources[0];
        let rows = extents(b, value, source, &r.kept);
        let row = extents(b, value, source, &r.reduced);
        // A loop for each kept dimension, and in it no loop at all.
        nest(b, &rows, &mut Vec::new(), &[], &mut |b, kept, _| {
            let elements = (0..length.cast_signed()).map(|n| {
                let index = delinearize(b, Index::Const(n), &row);
                let at = source_index(b, r, kept, &index);
                let element = load_elements(b, r, &at, 1).swap_remove(0);
                // `argmax` and `argmin` also want to know which element it is.
                combiner.partial(b, &element, |b, ty| {
                    index_as(b, element_number(b, r, &index, &row), ty)
                })
            });
            let total = combiner.combine_all(b, elements.collect());
            // Converts, combines with old values where the op accumulates, and stores.
            let length = Index::Const(length.cast_signed());
            store_result(b, r, &combiner, &total, length, kept);
            Vec::new()
        });
    }
}
