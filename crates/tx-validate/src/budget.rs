//! How much there may be to do.

use std::collections::BTreeMap;

/// What may still be done after a stage, in ops and accesses of threads.
///
/// Sizes and threads say little about what a program does with an input: one element of a row may
/// be read by each thread of a block. It is counted while it is run, and what inputs of the same
/// sizes took tells whether the next one is run. What is counted is the same on every machine, so
/// that the same inputs are run on each.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    /// What the last input with these sizes took.
    taken: BTreeMap<Sizes, u64>,
}

/// Of all arguments.
pub(crate) type Sizes = Vec<Vec<usize>>;

impl Budget {
    pub(crate) fn new(most: u64) -> Self {
        Self {
            left: most,
            taken: BTreeMap::new(),
        }
    }

    /// Whether an input of these sizes is run: the first is, whatever it takes.
    pub(crate) fn affords(&self, sizes: &Sizes) -> bool {
        match self.taken.get(sizes) {
            Some(taken) => *taken <= self.left,
            None => self.left > 0,
        }
    }

    /// Takes off what an input of these sizes took.
    pub(crate) fn take(&mut self, sizes: &Sizes, work: u64) {
        self.left = self.left.saturating_sub(work);
        self.taken.insert(sizes.clone(), work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first input is run whatever it takes; after it those that take no more than is left, and
    /// new ones while some is.
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
