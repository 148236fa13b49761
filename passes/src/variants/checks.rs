//! Predicates that several variants apply to reductions.

use super::fragment_plan::FragmentPlan;
use super::reduction::Reduction;
use super::variant::Predicate;
use tx_dialect_tile::Scope;
use tx_mlir::memref::Space;

/// Requires that a combiner exists for the kind and the types of the reduction.
pub const KIND: Predicate = Predicate {
    name: "kind",
    check: |r| r.combiner().map(|_| ()),
};

/// Requires a scope not wider than a CTA.
pub const SCOPE: Predicate = Predicate {
    name: "scope",
    check: |r| {
        if r.view.scope > Scope::Cta {
            return Err(format!(
                "scope `{}` is not lowered, expected `cta` or narrower",
                r.view.scope
            ));
        }
        Ok(())
    },
};

/// Requires a scope of several threads, not wider than a CTA.
pub const SEVERAL_THREADS: Predicate = Predicate {
    name: "scope",
    check: |r| match r.view.scope {
        Scope::Warp | Scope::Warpgroup | Scope::Cta => Ok(()),
        other => Err(format!(
            "scope `{other}`, expected `warp`, `warpgroup` or `cta`"
        )),
    },
};

/// Requires sources in shared or global memory.
pub const SHARED_SOURCE: Predicate = Predicate {
    name: "storage",
    check: |r| {
        sources_in(
            r,
            &[Space::Shared, Space::Global],
            "shared or global memory",
        )
    },
};

/// Requires fragments whose layout permits a reduction by the threads of the scope.
pub const LAYOUT: Predicate = Predicate {
    name: "layout",
    check: |r| match r.sources.is_empty() {
        true => FragmentPlan::of(r).map(|_| ()),
        false => Ok(()),
    },
};

/// Checks that all sources are in memory, in one of the memory spaces `spaces`. `expected` is the
/// text that describes the memory spaces `spaces` in messages.
///
/// # Errors
/// Returns a message with the memory space of the first source for which the check fails.
pub fn sources_in(r: &Reduction<'_>, spaces: &[Space], expected: &str) -> Result<(), String> {
    if r.sources.is_empty() {
        return Err(format!("source is in registers, expected {expected}"));
    }
    match r.sources.iter().find(|m| !spaces.contains(&m.space)) {
        Some(other) => Err(format!(
            "source is in {}, expected {expected}",
            other.space.name()
        )),
        None => Ok(()),
    }
}
