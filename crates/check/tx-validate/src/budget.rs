//! Limit on the work of one stage, in executed ops and memory accesses. The work limit of a stage
//! bounds the number of generated inputs on which the validation executes the output of the stage.

use std::collections::BTreeMap;

/// Remaining work limit of one stage, in executed ops and memory accesses of all threads.
///
/// For each input, the interpreter counts the executed ops and memory accesses. The number of
/// accesses cannot be derived from the sizes of the input, because every thread of a block may read
/// the same element. The estimated work for an input is the work of the last run on an input with
/// the same sizes. The work for an input is the same on every machine, so every machine selects the
/// same inputs.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    /// For each list of argument shapes, the number of ops and memory accesses that the last run
    /// with these shapes executed.
    taken: BTreeMap<Sizes, u64>,
}

/// Shapes of all arguments.
pub(crate) type Sizes = Vec<Vec<usize>>;

impl Budget {
    pub(crate) fn new(most: u64) -> Self {
        Self {
            left: most,
            taken: BTreeMap::new(),
        }
    }

    /// Returns whether the estimated work of an input with the given sizes is within the remaining
    /// work limit. For sizes without an estimate, the function returns whether the remaining work
    /// limit exceeds 0.
    pub(crate) fn affords(&self, sizes: &Sizes) -> bool {
        match self.taken.get(sizes) {
            Some(taken) => *taken <= self.left,
            None => self.left > 0,
        }
    }

    /// Subtracts `work`, the number of ops and memory accesses of a run on an input, from the
    /// remaining work limit.
    pub(crate) fn take(&mut self, sizes: &Sizes, work: u64) {
        self.left = self.left.saturating_sub(work);
        self.taken.insert(sizes.clone(), work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The validation always uses the first input of a stage. The validation uses each further
    /// input of the stage only if the estimated work for the input is within the remaining work
    /// limit.
    #[test]
    fn what_is_left_is_for_inputs_that_fit() {
        let [large, small, new] = [1000, 10, 20].map(|size| vec![vec![size], Vec::new()]);
        let mut budget = Budget::new(100);
        budget.take(&small, 1);
        assert!(budget.affords(&large));
        budget.take(&large, 90);
        assert!(!budget.affords(&large));
        assert!(budget.affords(&small) && budget.affords(&new));
        budget.take(&new, 90);
        assert!(!budget.affords(&small) && !budget.affords(&new));
        assert!(Budget::new(1).affords(&large));
    }
}
