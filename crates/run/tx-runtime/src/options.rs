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
    /// launch that exceeds the step limit is an error; without a step limit, a launch may run
    /// forever.
    #[cfg(feature = "simt")]
    pub steps: Option<tx_exec::StepLimit>,
    /// Offsets of the arrays from 256-byte aligned addresses in the executor's memory. A misaligned
    /// array represents a subview that starts inside a larger array.
    #[cfg(feature = "simt")]
    pub past: Past,
}

/// Offset of the start of each array from a 256-byte aligned address, in elements.
#[cfg(feature = "simt")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Offset of the first array from a 256-byte aligned address, in elements.
    pub first: usize,
    /// Number of elements by which the offset increases from each array to the next array.
    pub each: usize,
    /// Selects the array whose offset is increased by `by` bytes: `one` modulo the number of
    /// arrays is 0 for the last array, and 1 for the array before the last array.
    pub one: usize,
    /// Number of bytes that are added to the offset of the array that `one` selects. The number must
    /// be a multiple of the element size.
    pub by: usize,
}

#[cfg(feature = "simt")]
impl Past {
    /// Returns a [`Past`] that places every array `elements` elements after a 256-byte aligned
    /// address.
    pub const fn all(elements: usize) -> Self {
        Self {
            first: elements,
            each: 0,
            one: 0,
            by: 0,
        }
    }

    /// Returns the offset, in bytes, of array `number` of `arrays` arrays. The elements of the array
    /// have `size` bytes.
    pub(crate) const fn bytes(self, number: usize, arrays: usize, size: usize) -> usize {
        let is_one = arrays > 0 && number + 1 + self.one % arrays == arrays;
        (self.first + number * self.each) * size + if is_one { self.by } else { 0 }
    }
}
