//! Arguments after a run.

use std::time::Duration;

use crate::array::Array;

/// Arguments after a run.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Contents of each argument after the run; `None` for a scalar, and for a caller's device
    /// array.
    pub(crate) arrays: Vec<Option<(Array, bool)>>,
    pub(crate) elapsed: Duration,
    #[cfg(feature = "simt")]
    pub(crate) work: u64,
    #[cfg(feature = "simt")]
    pub(crate) printed: String,
}

impl Outputs {
    /// Returns argument `index` (from 0) after the run; `None` for a scalar, for a caller's device
    /// array, and for an index out of range.
    pub fn argument(&self, index: usize) -> Option<&Array> {
        self.arrays.get(index)?.as_ref().map(|(array, _)| array)
    }

    /// Returns the array arguments that the program may have written, each with its argument index.
    pub fn written(&self) -> impl Iterator<Item = (usize, &Array)> {
        self.arrays.iter().enumerate().filter_map(|(index, array)| {
            array
                .as_ref()
                .filter(|(_, written)| *written)
                .map(|(array, _)| (index, array))
        })
    }

    /// Returns all arguments after the run, in order; `None` for a scalar, and for a caller's
    /// device array.
    pub fn into_arrays(self) -> Vec<Option<Array>> {
        self.arrays
            .into_iter()
            .map(|array| array.map(|(array, _)| array))
            .collect()
    }

    /// Returns the run time, from the start of the first kernel to the end of the last kernel,
    /// without copies and allocations.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns the output of `gpu.printf` on the executor. On a GPU, the driver writes the text of
    /// `gpu.printf` to standard output.
    #[cfg(feature = "simt")]
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Returns the number of steps that the executor ran (see [`tx_exec::Report::work`]); 0 on a
    /// GPU.
    #[cfg(feature = "simt")]
    pub fn work(&self) -> u64 {
        self.work
    }
}
