//! `local`: one thread reduces its own elements in order.
//!
//! Source in registers or private memory. The expansion is a plain sequential loop around loads
//! and combines, which LLVM unrolls and keeps in registers.

use super::{Params, Predicate, Reduction, Variant, checks, expand_sequential};
use tx_mlir::Builder;
use tx_mlir::memref::Space;

/// See the module.
pub(crate) struct Local;

impl Variant for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn priority(&self) -> i32 {
        10
    }

    fn predicates(&self) -> &'static [Predicate] {
        &[
            Predicate {
                name: "storage",
                check: |r| checks::source_in(r, &[Space::Private], "registers or private memory"),
            },
            Predicate {
                name: "destination",
                check: checks::destination,
            },
            Predicate {
                name: "scope",
                check: checks::scope,
            },
            Predicate {
                name: "kind",
                check: checks::kind,
            },
            Predicate {
                name: "type",
                check: checks::element,
            },
        ]
    }

    fn cost(&self, r: &Reduction<'_>) -> u64 {
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
        expand_sequential(b, r);
    }
}
