//! Limit on the work of one stage, in executed ops and memory accesses. The limit determines how
//! many generated inputs run on the module after the stage.

use std::collections::BTreeMap;

/// Remaining work limit of one stage, in executed ops and memory accesses of all threads.
///
/// The interpreter counts the executed ops and memory accesses of each input. The number of
/// accesses cannot be derived from the sizes of the input, because every thread of a block may read
/// the same element. The work of one input serves as the estimate for further inputs with the same
/// sizes. The work of an input does not depend on the machine, so every machine selects the same
/// inputs.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    /// Number of ops and memory accesses that the last input executed, for each list of argument
    /// shapes.
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

    /// Returns whether the estimated work of an input with the given sizes is at most the remaining
    /// work. The first input of a stage always runs.
    pub(crate) fn affords(&self, sizes: &Sizes) -> bool {
        match self.taken.get(sizes) {
            Some(taken) => *taken <= self.left,
            None => self.left > 0,
        }
    }

    /// Subtracts the `work` of an input from the remaining work.
    pub(crate) fn take(&mut self, sizes: &Sizes, work: u64) {
        self.left = self.left.saturating_sub(work);
        self.taken.insert(sizes.clone(), work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first input of a stage always runs. Each further input of the stage runs only if its
    /// estimated work is at most the remaining work.
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
