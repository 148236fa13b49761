//! Options of a validation.

use crate::references::References;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tx_runtime::{Arg, StepLimit};

/// Options of a validation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of the generated inputs.
    pub seed: u64,
    /// Arguments to use instead of generated inputs.
    pub args: Option<Vec<Arg>>,
    /// Grid of a kernel, in blocks along x, y and z.
    pub grid: Option<[u32; 3]>,
    /// Path of `ptxas` or of its directory; `None` searches `PATH`.
    pub ptxas: Option<PathBuf>,
    /// Range of the indices of the inputs to use; `None` selects all inputs. If the range starts at
    /// 0, the validation extends the range until it contains at least one input for each set of
    /// kernels that the program launches for some input. Inputs with low indices are small and
    /// expose most errors.
    pub inputs: Option<Range<usize>>,
    /// Work limit per stage, in ops and memory accesses of all threads; `None` selects a default
    /// limit, which allows a few seconds per stage. The validation first uses one input for each
    /// set of launched kernels, and then the remaining inputs.
    pub work: Option<u64>,
    /// Kernel to test; `None` tests all kernels. If a kernel is given, the validation skips inputs
    /// for which the program does not launch the kernel.
    pub kernel: Option<String>,
    /// Index of the first stage to check; stage `parse` has index 0. The validation skips the
    /// stages whose index is less than `known`. Exceptions are the stages that compute reference
    /// results, and the stage with the index `known - 1`, whose results are compared with the
    /// results of the next stage.
    pub known: usize,
    /// Index of the last stage to check; the stage `launch` is always checked. `None` selects all
    /// stages.
    pub until: Option<usize>,
    /// Maximum number of steps (executed ops) in one run or launch, summed over all threads; a run
    /// with more steps counts as endless. `None` selects a default limit that is far above the
    /// number of steps of a run on any generated input.
    pub steps: Option<u64>,
    /// Set if the input program already contains all barriers that the program needs. If
    /// `synchronized` is set, a data race is an error in every stage.
    pub synchronized: bool,
    /// Cache of reference results that several validations can share.
    pub references: Option<Arc<References>>,
    /// Progress callback.
    pub watch: Option<Watch>,
}

impl Options {
    pub(crate) fn step_limit(&self) -> StepLimit {
        self.steps.map_or(MOST_STEPS, StepLimit::new)
    }
}

/// Progress callback. The parameters of the callback are the name of the current stage, the index
/// of the current input (from 1), and the number of inputs.
#[derive(Clone)]
pub struct Watch(pub(crate) Arc<WatchFn>);

type WatchFn = dyn Fn(&str, usize, usize) + Send + Sync;

impl Watch {
    /// Creates a progress callback that the validation calls before each run on an input.
    pub fn new(watch: impl Fn(&str, usize, usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(watch))
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// Default limit on the number of steps of a run, summed over all threads.
const MOST_STEPS: StepLimit = StepLimit::new(1 << 28).with_each_thread(1 << 10);
