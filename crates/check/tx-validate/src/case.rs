//! State of the validation of one input.

use crate::budget::Sizes;
use crate::compare::{self, Bounds, PlacedArguments, Results};
use crate::inputs::Input;
use crate::references::Reference;
use crate::verdict::Verdict;
use std::sync::Arc;

/// State of the validation of one input.
pub(crate) struct Case {
    pub(crate) input: Input,
    pub(crate) sizes: Sizes,
    pub(crate) placed: PlacedArguments,
    pub(crate) reference: Option<Arc<Reference>>,
    pub(crate) before: Option<Results>,
    /// Set if the result of some stage for the input is wrong.
    pub(crate) is_wrong: bool,
    /// Set if the result of the previous stage for the input is wrong.
    pub(crate) stays_wrong: bool,
    /// False if the validation skips the input because of the work limit.
    pub(crate) is_run: bool,
    /// Number of ops and memory accesses that the last run on the input executed.
    pub(crate) work: u64,
}

impl Case {
    pub(crate) fn refer_to(&mut self, reference: Arc<Reference>) {
        self.before = Some(reference.results.clone());
        self.reference = Some(reference);
    }

    /// Compares the results for an input with the results of the previous stage and with the
    /// reference results. The parameter `written` is set for each stage after `tile-schedule`. If
    /// `written` is set, each zero that the program computes from arrays of -0.0 must have the same
    /// sign as in the results of the previous stage.
    pub(crate) fn judge(
        &mut self,
        input: &str,
        results: Results,
        own: Option<&Bounds>,
        written: bool,
    ) -> Verdict {
        let same = self
            .before
            .as_ref()
            .is_some_and(|before| compare::equal(before, &results));
        let verdict = match (&self.reference, same) {
            (_, true) => Verdict::Equal,
            (Some(reference), false) => {
                let Reference {
                    results: expected,
                    bounds,
                    ..
                } = &**reference;
                // In addition, compare the signs of zeros with the previous stage, whose signs may
                // differ from the reference.
                let signs = match (&self.before, written && self.input.zeros) {
                    (Some(before), true) => compare::signs(input, before, bounds, &results),
                    _ => Verdict::Equal,
                };
                compare::judge(input, expected, bounds, &results, own)
                    .worse(signs)
                    .worse(Verdict::EqualWithinOrder)
            }
            (None, false) => Verdict::Unsupported("nothing to compare with".to_owned()),
        };
        self.stays_wrong = verdict.is_bad() || same && self.stays_wrong;
        self.before = Some(results);
        verdict
    }
}
