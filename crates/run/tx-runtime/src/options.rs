//! Options of a run.

/// Options of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Grid of a kernel entry, in CTAs along x, y and z; replaces the grid of the plan.
    pub grid: Option<[u32; 3]>,
    /// Whether [`Executable::run_with`] launches through a CUDA graph (see [`Prepared::record`]).
    ///
    /// [`Executable::run_with`]: crate::Executable::run_with
    /// [`Prepared::record`]: crate::Prepared::record
    pub graph: bool,
    /// Execution order of threads and blocks on the executor.
    #[cfg(feature = "simt")]
    pub order: tx_exec::Order,
    /// Checks of the executor.
    #[cfg(feature = "simt")]
    pub checks: tx_exec::Checks,
    /// Maximum number of executed steps of a launch, as counted by [`tx_exec::Report::work`]. A
    /// launch that exceeds the limit is an error; without a limit, a launch may run forever.
    #[cfg(feature = "simt")]
    pub steps: Option<tx_exec::StepLimit>,
    /// Distance of the start of each array from a multiple of 256 bytes in the executor's memory. A
    /// misaligned array represents a subview that starts inside a larger array.
    #[cfg(feature = "simt")]
    pub past: Past,
}

/// Distance of the start of each array from a multiple of 256 bytes, in elements.
#[cfg(feature = "simt")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Distance of the first array from a multiple of 256 bytes, in elements.
    pub first: usize,
    /// Difference between the distances of two consecutive arrays from a multiple of 256 bytes, in
    /// elements.
    pub each: usize,
    /// Index of the array whose distance from a multiple of 256 bytes is increased by `by`
    /// elements. The index 0 denotes the last array, and indices are taken modulo the number of
    /// arrays.
    pub one: usize,
    /// Additional distance of the start of the array that `one` selects, in elements.
    pub by: usize,
}

#[cfg(feature = "simt")]
impl Past {
    /// Returns a [`Past`] that places every array `elements` elements after a multiple of 256
    /// bytes.
    pub const fn all(elements: usize) -> Self {
        Self {
            first: elements,
            each: 0,
            one: 0,
            by: 0,
        }
    }

    pub(crate) const fn of(self, number: usize, arrays: usize) -> usize {
        let is_one = arrays > 0 && number + 1 + self.one % arrays == arrays;
        self.first + number * self.each + if is_one { self.by } else { 0 }
    }
}
