//! `redux`: lanes of a warp combine by one `redux.sync` instead of a tree of shuffles.
//!
//! Everything else is as in `shared` for memory and as in `local` for fragments. A group may be
//! any lanes of a warp: its member mask is computed from where they are. Groups of one warp take
//! turns, so that narrow groups are cheaper by shuffles.

use super::registers::{self, Plan};
use super::shared::{self, Shape, Shared};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::exchange::{redux, redux_cost};
use tx_mlir::Builder;
use tx_mlir::memref::Space;

/// See the module.
pub(crate) struct Redux;

impl Variant for Redux {
    fn name(&self) -> &'static str {
        "redux"
    }

    fn doc(&self) -> &'static str {
        "\
Lanes of a warp combine by one `redux.sync` instead of a tree of shuffles.

Everything else is as in `shared` for memory and as in `local` for fragments. A group may be any
lanes of a warp. Groups of one warp take turns, so that narrow ones are cheaper by shuffles. Which
kinds and types there are depends on the chip: integers from sm_80 on, maxima and minima of f32 on
sm_100."
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            Predicate {
                name: "storage",
                check: |r| {
                    match r.sources.iter().find(|m| m.space == Space::Private) {
                    Some(_) => Err(
                        "source is in private memory, expected shared or global memory, or registers"
                            .to_owned(),
                    ),
                    None => Ok(()),
                }
                },
            },
            checks::LAYOUT,
            checks::SEVERAL_THREADS,
            checks::KIND,
            Predicate {
                name: "instruction",
                check: |r| redux::check(&r.chip, &r.combiner()?),
            },
            Predicate {
                name: "group",
                check: |r| match lanes(r) {
                    0 | 1 => Err("no lanes of a warp share a result".to_owned()),
                    _ => Ok(()),
                },
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        match Plan::of(r) {
            Ok(plan) if r.sources.is_empty() => plan.cost(redux_cost(plan.lanes()), true),
            _ => Shape::choose(r, redux_cost).cost(r, redux_cost),
        }
    }

    fn params(&self, r: &Reduction<'_>) -> Params {
        if r.sources.is_empty() {
            return Params::new();
        }
        Shape::choose(r, redux_cost).params()
    }

    fn check_params(&self, r: &Reduction<'_>, params: &dyn Fn(&str) -> i64) -> Result<(), String> {
        if r.sources.is_empty() {
            return Ok(());
        }
        Shared.check_params(r, params)
    }

    fn expand<'c>(&self, r: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        if r.sources.is_empty() {
            return registers::expand(b, r, true);
        }
        shared::expand(r, params, b, Some("redux"));
    }
}

/// Lanes of a warp that share a result.
fn lanes(r: &Reduction<'_>) -> u64 {
    if r.sources.is_empty() {
        return Plan::of(r).map_or(0, |plan| plan.lanes());
    }
    Shape::choose(r, redux_cost).lanes()
}
