//! The trait [`Variant`] of an algorithm for a reduction inside a kernel.

use super::reduction::Reduction;
use std::collections::BTreeMap;
use tx_mlir::Builder;

/// Parameters of a variant, recorded on the op as `params`.
pub type Params = BTreeMap<&'static str, i64>;

/// A named predicate of a variant.
#[derive(Clone, Copy)]
pub struct Predicate {
    /// Name of the predicate in messages.
    pub name: &'static str,
    /// Function that checks a reduction; returns the reason if the variant cannot expand the
    /// reduction.
    pub check: fn(&Reduction<'_>) -> Result<(), String>,
}

/// An algorithm for a reduction inside a kernel.
pub trait Variant: Sync {
    /// Returns the name of the variant, as in `variant = "NAME"`.
    fn name(&self) -> &'static str;

    /// Returns the description of the variant for the reference documentation, in Markdown.
    fn doc(&self) -> &'static str {
        ""
    }

    /// Returns the priority. The compiler chooses the applicable variant with the highest priority.
    fn priority(&self) -> i32;

    /// Returns the predicates, all of which must accept the reduction. The compiler checks every
    /// predicate, so that the error for an inapplicable variant lists every reason.
    fn predicates(&self) -> &'static [Predicate];

    /// Returns the estimated number of cycles that one thread needs for the reduction. Among
    /// variants of equal priority, the variant with the lowest cost is chosen. The compiler calls
    /// `cost`, `params`, `check_params` and `expand` only if all predicates accept the reduction.
    fn cost(&self, reduction: &Reduction<'_>) -> u64;

    /// Returns the parameters for [`Self::expand`]; the attribute `params` records the parameters
    /// on the op.
    fn params(&self, reduction: &Reduction<'_>) -> Params;

    /// Checks the parameters of an op. The input program may set parameters of an op by the
    /// attribute `params`.
    ///
    /// # Errors
    /// Returns the reason why the parameters are invalid.
    fn check_params(
        &self,
        _reduction: &Reduction<'_>,
        _params: &dyn Fn(&str) -> i64,
    ) -> Result<(), String> {
        Ok(())
    }

    /// Emits the reduction as loops, loads, `tile.all_reduce` and stores.
    fn expand<'c>(&self, reduction: &Reduction<'c>, params: &dyn Fn(&str) -> i64, b: &Builder<'c>);
}
