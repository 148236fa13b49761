//! Groups of threads whose values a `tile.all_reduce` combines, and the positions of these groups
//! in warps.

use crate::analysis::kernel::{Kernel, WARP_SIZE};
use tx_dialect_tile::{AllReduce, Scope};

/// Groups of threads. If `place` denotes the position of a thread in the scope, the threads of one
/// group differ only in the mixed-radix digit `place / stride % width`.
#[derive(Clone, Copy)]
pub(crate) struct Groups {
    pub(super) scope: Scope,
    pub(super) width: i64,
    pub(super) stride: i64,
    /// Number of threads in the scope or in the block, whichever is smaller.
    pub(super) size: i64,
    /// Whether the scope contains all threads of the block.
    whole_block: bool,
}

impl Groups {
    pub(crate) fn of(kernel: &Kernel<'_>, view: &AllReduce<'_>) -> Self {
        let size = kernel.threads_of(view.scope).min(kernel.threads);
        Self::new(kernel, view.scope, view.width.unwrap_or(size), view.stride)
    }

    pub(super) fn new(kernel: &Kernel<'_>, scope: Scope, width: i64, stride: i64) -> Self {
        let size = kernel.threads_of(scope).min(kernel.threads);
        Self {
            scope,
            // A group of consecutive threads has at most as many threads as the scope.
            width: if stride == 1 { width.min(size) } else { width },
            stride,
            size,
            whole_block: size == kernel.threads,
        }
    }

    /// Returns the distance between the first threads of consecutive groups.
    pub(super) fn segment(&self) -> i64 {
        self.width * self.stride
    }

    pub(crate) fn are_single(&self) -> bool {
        self.width == 1 || self.size <= self.stride
    }

    /// Returns whether the groups are uniform: the groups divide each warp into equal parts, or
    /// each group spans several whole warps and contains the same lane numbers of each warp. If the
    /// groups are uniform, a tree of shuffles can combine the lanes of each warp before the
    /// exchange between warps.
    pub(super) fn are_uniform(&self) -> bool {
        let (segment, stride) = (self.segment(), self.stride);
        let one_group = stride == 1 && self.width == self.size;
        let within_warps = WARP_SIZE % segment == 0;
        let of_whole_warps =
            segment % WARP_SIZE == 0 && (stride % WARP_SIZE == 0 || WARP_SIZE % stride == 0);
        // The exchange numbers warps from the start of the block, so each scope must begin at the
        // start of a group.
        let aligned = self.whole_block || self.size % segment == 0;
        one_group || within_warps || of_whole_warps && aligned
    }

    /// Returns the maximum number of lanes of one warp that belong to the same group.
    pub(crate) fn lanes(&self) -> i64 {
        let places = self.size.min(WARP_SIZE);
        self.width.min((places + self.stride - 1) / self.stride)
    }

    pub(crate) fn check_redux(&self) -> Result<(), String> {
        if self.are_single() || self.are_uniform() {
            return Ok(());
        }
        Err(format!(
            "groups have width {} and stride {}, expected groups that are whole warps, or equal \
             parts of one warp",
            self.width, self.stride
        ))
    }

    /// Returns the divisors d that determine the row of shared-memory slots for the partial result
    /// of a thread: the row number is the sum of `position / d` over all divisors d. If
    /// `are_uniform` returns false, the partial results of the groups are stored in rows of
    /// `stride` slots. A new row of slots begins at the first lane of every warp and at the first
    /// thread of every group. If no two threads of a group share a warp, each thread of the group
    /// has a separate row of slots.
    pub(super) fn row_extents(&self) -> Vec<i64> {
        if self.stride >= WARP_SIZE {
            vec![self.stride]
        } else if self.segment() >= self.size {
            vec![WARP_SIZE]
        } else {
            vec![WARP_SIZE, self.segment()]
        }
    }

    fn row_of(&self, place: i64) -> i64 {
        self.row_extents().iter().map(|extent| place / extent).sum()
    }

    pub(super) fn rows(&self) -> i64 {
        self.row_of(self.size - 1) + 1
    }

    /// Returns two numbers: the minimum and the maximum number of partial results that one group
    /// stores in shared memory.
    pub(super) fn partials(&self) -> (i64, i64) {
        let count = |first: i64| {
            let places = (0..self.width).map(|digit| first + digit * self.stride);
            let last = places.take_while(|place| *place < self.size).last();
            last.map_or(0, |last| self.row_of(last) - self.row_of(first) + 1)
        };
        let firsts = (0..self.size).filter(|place| place / self.stride % self.width == 0);
        firsts.map(count).fold((self.size, 0), |(fewest, most), n| {
            (fewest.min(n), most.max(n))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Returns the slots that store the partial results of each group. A group has one slot for
    /// each warp that contains threads of the group.
    fn slots(groups: &Groups) -> BTreeMap<(i64, i64), Vec<i64>> {
        let mut slots: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
        for place in 0..groups.size {
            let column = place % groups.stride;
            let slot = groups.row_of(place) * groups.stride + column;
            let of_group = slots.entry((place / groups.segment(), column)).or_default();
            if of_group.last() != Some(&slot) {
                of_group.push(slot);
            }
        }
        slots
    }

    #[test]
    fn no_two_partial_results_share_a_slot_and_a_group_reads_its_own() {
        for size in [33, 48, 100, 128, 804, 1000, 1024] {
            for (width, stride) in [3, 7, 12, 31, 48, 201, 512, 1000]
                .into_iter()
                .flat_map(|width| [1, 2, 3, 12, 31, 33, 100].map(|stride| (width, stride)))
                .filter(|(width, stride)| width * stride <= 1024 && *stride < size)
            {
                let groups = Groups {
                    scope: Scope::Cta,
                    width,
                    stride,
                    size,
                    whole_block: true,
                };
                let slots = slots(&groups);
                let what = format!("width {width}, stride {stride}, {size} threads");
                let mut all: Vec<i64> = slots.values().flatten().copied().collect();
                all.sort_unstable();
                assert!(all.windows(2).all(|w| w[0] != w[1]), "{what}: {all:?}");
                assert!(all[all.len() - 1] < groups.rows() * stride, "{what}");
                let (fewest, most) = groups.partials();
                let counts = || slots.values().map(|of_group| of_group.len() as i64);
                assert_eq!(counts().min(), Some(fewest), "{what}");
                assert_eq!(counts().max(), Some(most), "{what}");
                assert!(most <= 33, "{what}");
                for of_group in slots.values() {
                    assert!(of_group.windows(2).all(|w| w[1] - w[0] == stride), "{what}");
                }
            }
        }
    }
}
