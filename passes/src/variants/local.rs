//! `local`: threads reduce what they hold themselves.
//!
//! Private memory: one thread goes through its elements in order, in a plain loop around loads and
//! combines, which LLVM unrolls and keeps in registers. Fragments: each thread combines its own
//! registers, then lanes exchange partial results by shuffles, and warps through shared memory, as
//! far as the reduced dimensions lie on them.

use super::parts::expand_sequential;
use super::registers::{self, Plan};
use super::{Params, Predicate, Reduction, Variant, checks};
use crate::exchange::shuffle_cost;
use tx_mlir::Builder;
use tx_mlir::memref::Space;

/// See the module.
pub(crate) struct Local;

impl Variant for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn doc(&self) -> &'static str {
        "\
Threads reduce what they hold themselves.

Private memory: one thread goes through its elements in order, in a plain loop of loads and
combines, which LLVM unrolls and keeps in registers. Fragments: each thread combines its own
registers; then lanes exchange partial results by shuffles, and warps through shared memory, as far
as the reduced dimensions lie on them."
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
        if let Ok(plan) = Plan::of(r) {
            return plan.cost(shuffle_cost(plan.lanes()), false);
        }
        // One load and one combine an element.
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
