//! `packed_key`: `argmax` and `argmin` of 8- and 16-bit elements, with value and index packed into
//! one 32-bit key.
//!
//! After the reduction of the keys, the kernel loads the element whose index the resulting key
//! contains, because the result must have the original bits of the element.

use super::parts::{load_elements, source_index, store_result};
use super::shape::Shape;
use super::shared::{Expansion, Shared};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::emit::{delinearize, extents, index_as};
use crate::exchange::{redux, redux_cost, shuffle_cost};
use tx_mlir::{Builder, Index};

pub(crate) struct PackedKey;

impl Variant for PackedKey {
    fn name(&self) -> &'static str {
        "packed_key"
    }

    fn doc(&self) -> &'static str {
        "\
The value and the index of an `argmax` or `argmin` are packed into one 32-bit key.

All other steps are those of the variant `shared`. The elements must have 8 or 16 bits. Keys are ordered
like their pairs of value and index. One unsigned maximum therefore combines two pairs, and one shuffle
or one `redux.sync` exchanges a pair. The length must be static, and the key must have enough bits for
the index."
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            checks::SHARED_SOURCE,
            checks::SEVERAL_THREADS,
            checks::KIND,
            Predicate {
                name: "key",
                check: |r| {
                    let element = r.source().map(|s| s.element);
                    let (Some(element), Some(length)) = (element, r.length()) else {
                        return Err("the length is dynamic, expected a static one".to_owned());
                    };
                    r.combiner()?.packed(element, length).map(|_| ())
                },
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        // The computation of a key takes about as long as three combinations. Afterwards, each
        // combination processes one key instead of a value and an index.
        let (lanes, _) = exchange(r);
        Shape::choose(r, lanes).cost_of(r, lanes, 3, 1)
    }

    fn params(&self, r: &Reduction<'_>) -> Params {
        Shape::choose(r, exchange(r).0).params()
    }

    fn check_params(&self, r: &Reduction<'_>, params: &dyn Fn(&str) -> i64) -> Result<(), String> {
        Shared.check_params(r, params)
    }

    fn expand<'c>(&self, r: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        let (Some(source), Some(length), Ok(pairs)) = (r.source(), r.length(), r.combiner()) else {
            return;
        };
        let Ok(keys) = pairs.packed(source.element, length) else {
            return;
        };
        let sizes = extents(b, r.view.sources[0], source, &r.reduced);
        Expansion {
            b,
            r,
            combiner: keys,
            shape: Shape::of(params),
            exchange: exchange(r).1,
            packed: None,
            store_total: &|b, keys, total, length, kept| {
                let index = keys.packed_index(b, total[0]);
                let number = Index::Val(b.index_castui(index, b.index_type()));
                // The index is row-major; `reduced` may be in another order.
                let mut order: Vec<usize> = (0..r.reduced.len()).collect();
                order.sort_by_key(|i| r.reduced[*i]);
                let in_order: Vec<Index<'c>> = order.iter().map(|i| sizes[*i]).collect();
                let mut place = vec![Index::Const(0); order.len()];
                for (i, at) in order.iter().zip(delinearize(b, number, &in_order)) {
                    place[*i] = at;
                }
                let place = source_index(b, r, kept, &place);
                let element = &load_elements(b, r, &place, 1)[0];
                let pair = pairs.partial(b, element, |b, ty| index_as(b, number, ty));
                store_result(b, r, &pairs, &pair, length, kept);
            },
        }
        .run();
    }
}

/// Returns the cost function of an exchange of packed keys between lanes, and the name of the
/// exchange.
fn exchange(r: &Reduction<'_>) -> (fn(u64) -> u64, Option<&'static str>) {
    let keys = || {
        let element = r.source().map(|s| s.element)?;
        r.combiner().ok()?.packed(element, r.length()?).ok()
    };
    match keys() {
        Some(keys) if redux::check(&r.chip, &keys).is_ok() => {
            let lanes = Shape::choose(r, redux_cost).lanes();
            if redux_cost(lanes) < shuffle_cost(lanes) {
                return (redux_cost, Some("redux"));
            }
            (shuffle_cost, None)
        }
        _ => (shuffle_cost, None),
    }
}
