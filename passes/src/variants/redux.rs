//! `redux`: one `redux.sync` combines the values of the lanes of a warp; a tree of shuffles is not
//! necessary.
//!
//! The lanes that share a result need not be consecutive: the kernel computes the member mask of
//! these lanes.

use super::fragment_plan::FragmentPlan;
use super::registers;
use super::shape::Shape;
use super::shared::{self, Shared};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::exchange::{redux, redux_cost};
use tx_mlir::Builder;
use tx_mlir::memref::Space;

pub(crate) struct Redux;

impl Variant for Redux {
    fn name(&self) -> &'static str {
        "redux"
    }

    fn doc(&self) -> &'static str {
        "\
One `redux.sync` combines the partial results of a warp, instead of a tree of shuffles.

For memory, all other steps are those of the variant `shared`. For fragments, all other steps are those
of the variant `local`. A group may consist of any lanes of a warp. The groups of a warp execute
`redux.sync` one after another, so shuffles are cheaper for narrow groups. For integers, `redux.sync`
requires sm_80 or later; for `max` and `min` of f32, `redux.sync` requires sm_100a."
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
                    0 | 1 => Err("no two lanes of a warp compute the same result".to_owned()),
                    _ => Ok(()),
                },
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        match FragmentPlan::of(r) {
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

/// Returns the number of lanes of a warp that share a result.
fn lanes(r: &Reduction<'_>) -> u64 {
    if r.sources.is_empty() {
        return FragmentPlan::of(r).map_or(0, |plan| plan.lanes());
    }
    Shape::choose(r, redux_cost).lanes()
}
