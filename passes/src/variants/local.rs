//! `local`: each thread reduces its own elements, which are in private memory or in fragments.

use super::fragment_plan::FragmentPlan;
use super::parts::expand_sequential;
use super::registers;
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::exchange::shuffle_cost;
use tx_mlir::Builder;
use tx_mlir::memref::Space;

pub(crate) struct Local;

impl Variant for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn doc(&self) -> &'static str {
        "\
Threads reduce their own elements, in private memory or in fragments.

In private memory, one thread combines its elements in order, in a loop that LLVM unrolls. In a
fragment, each thread first combines its own registers. Threads that compute a result together then
exchange partial results, by shuffles within a warp and through shared memory between warps."
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            Predicate {
                name: "storage",
                check: |r| match r.sources.is_empty() {
                    true => Ok(()),
                    false => {
                        checks::sources_in(r, &[Space::Private], "registers or private memory")
                    }
                },
            },
            checks::LAYOUT,
            checks::SCOPE,
            checks::KIND,
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
        if let Ok(plan) = FragmentPlan::of(r) {
            return plan.cost(shuffle_cost(plan.lanes()), false);
        }
        // A thread executes one load and one combination for each element.
        r.length()
            .unwrap_or(1024)
            .saturating_mul(r.results().unwrap_or(1))
            .saturating_mul(4)
    }

    fn params(&self, _: &Reduction<'_>) -> Params {
        Params::new()
    }

    fn expand<'c>(&self, r: &Reduction<'c>, _: &dyn Fn(&str) -> i64, b: &Builder<'c>) {
        if !r.sources.is_empty() {
            return expand_sequential(b, r);
        }
        registers::expand(b, r, false);
    }
}
