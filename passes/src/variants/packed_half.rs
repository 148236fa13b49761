//! `packed_half`: a thread combines f16 or bf16 elements in pairs, without conversion to f32.

use super::parts::store_result;
use super::shape::Shape;
use super::shared::{Expansion, Shared};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::exchange::shuffle_cost;
use tx_dialect_tile::Kind;
use tx_mlir::Builder;
use tx_scalar::Float;

pub(crate) struct PackedHalf;

impl Variant for PackedHalf {
    fn name(&self) -> &'static str {
        "packed_half"
    }

    fn doc(&self) -> &'static str {
        "\
A thread combines f16 or bf16 elements in pairs, in their own type.

All other steps are those of the variant `shared`. The variant accepts reductions for which the element
type does not change the result: `acc` is the element type, or the kind is `max` or `min`, which never
rounds. LLVM selects instructions such as `add.rn.f16x2` and `max.NaN.bf16x2`."
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            checks::SHARED_SOURCE,
            checks::SEVERAL_THREADS,
            Predicate {
                name: "kind",
                check: |r| match r.view.kind {
                    Kind::Sum | Kind::Prod | Kind::Max | Kind::Min => Ok(()),
                    other => Err(format!("`{other}`, expected `sum`, `prod`, `max` or `min`")),
                },
            },
            Predicate {
                name: "type",
                check: |r| {
                    let Some(element) = r.source().map(|s| s.element) else {
                        return Ok(());
                    };
                    if matches!(Float::of(element), Some(Float::F16 | Float::BF16)) {
                        return Ok(());
                    }
                    Err(format!(
                        "elements are `{element}`, expected `f16` or `bf16`"
                    ))
                },
            },
            Predicate {
                name: "acc",
                check: |r| {
                    let (Some(element), Some(acc)) = (
                        r.source().map(|s| s.element),
                        r.view.accumulators().and_then(|a| a.first().copied()),
                    ) else {
                        return Ok(());
                    };
                    let exact = matches!(r.view.kind, Kind::Max | Kind::Min);
                    if exact || acc == element {
                        return Ok(());
                    }
                    Err(format!("partial results are `{acc}`, expected `{element}`"))
                },
            },
            Predicate {
                name: "vector",
                check: |r| {
                    let shape = Shape::choose(r, shuffle_cost);
                    if shape.vector_width() >= 2 && shape.is_exact(r) {
                        return Ok(());
                    }
                    Err(
                        "alignment, strides and length allow no vectors of two or more elements \
                         per thread"
                            .to_owned(),
                    )
                },
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        // Compared with `shared`, the thread executes half as many combinations, and no
        // conversions.
        Shape::choose(r, shuffle_cost).cost(r, shuffle_cost) * 3 / 4
    }

    fn params(&self, r: &Reduction<'_>) -> Params {
        Shape::choose(r, shuffle_cost).params()
    }

    fn check_params(&self, r: &Reduction<'_>, params: &dyn Fn(&str) -> i64) -> Result<(), String> {
        Shared.check_params(r, params)?;
        let shape = Shape::of(params);
        if shape.vector_width() < 2 || !shape.is_exact(r) {
            return Err(
                "`vector` must be 2 or more, and `group` times `vector` must divide the length"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn expand<'c>(&self, r: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        let (Some(source), Ok(combiner)) = (r.source(), r.combiner()) else {
            return;
        };
        Expansion {
            b,
            r,
            packed: Some(combiner.in_type(source.element)),
            combiner,
            shape: Shape::of(params),
            exchange: None,
            store_total: &|b, combiner, total, length, kept| {
                store_result(b, r, combiner, total, length, kept);
            },
        }
        .run();
    }
}
