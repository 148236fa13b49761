//! Options of a run.

use tx_exec::StepLimit;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Set to check that barriers order conflicting accesses of different threads.
    pub races: bool,
    /// Set to compute the [`Bound`](crate::Bound) of each float.
    pub bounds: bool,
    /// Number of blocks along x, y and z, if the entry function is a kernel.
    pub grid: [u32; 3],
    /// Threads per block along x, y and z, if the kernel has no fixed block size.
    pub block: [u32; 3],
    /// Limit on the sum of executed ops, executed MLIR blocks and accessed elements of all threads.
    pub steps: StepLimit,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            races: false,
            bounds: false,
            grid: [1; 3],
            block: [1; 3],
            steps: StepLimit::new(1 << 28),
        }
    }
}
