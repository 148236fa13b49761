//! Computation of reference results.

use crate::case::Case;
use crate::references::{Key, Reference, References};
use crate::stages;
use crate::verdict::Verdict;
use melior::ir::Module;
use std::sync::Arc;

/// Program that computes the reference results.
pub(crate) struct ReferenceProgram<'r, 'c> {
    generic: &'r Module<'c>,
    text: &'r str,
    entry: &'r str,
    options: tx_interp::Options,
    kept: Option<&'r References>,
}

impl<'r, 'c> ReferenceProgram<'r, 'c> {
    pub(crate) fn new(
        generic: &'r Module<'c>,
        text: &'r str,
        entry: &'r str,
        options: tx_interp::Options,
        kept: Option<&'r References>,
    ) -> Self {
        Self {
            generic,
            text,
            entry,
            options,
            kept,
        }
    }

    /// Returns the results of the input program for one input. If the cache contains the results,
    /// the function does not run the input program.
    pub(crate) fn run(&self, case: &Case) -> Result<Arc<Reference>, Verdict> {
        let key = self.kept.map(|kept| {
            (
                kept,
                Key::new(self.text, self.entry, &self.options, &case.input),
            )
        });
        if let Some(reference) = key.and_then(|(kept, key)| kept.get(key)) {
            return Ok(reference);
        }
        let arguments = &case.placed.arguments;
        let outcome = tx_interp::run(self.generic, self.entry, arguments, &self.options)
            .map_err(|trouble| stages::verdict_of(&trouble, &case.input.name))?;
        let work = outcome.work;
        let (results, bounds) = case.placed.results(outcome).map_err(Verdict::Unsupported)?;
        let reference = Arc::new(Reference {
            results,
            bounds,
            work,
        });
        if let Some((kept, key)) = key {
            kept.keep(key, &reference);
        }
        Ok(reference)
    }
}
