//! Options of fuzz target 2, which runs `tx` and `tx-opt` on malformed programs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Options of a fuzz run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Name of the fuzzing command in the printed command line that reproduces a finding.
    pub program: String,
    /// Path of `tx`.
    pub tx: PathBuf,
    /// Path of `tx-opt`. If the path of `tx-opt` is `None`, the fuzzer runs only `tx`, and tests
    /// neither bytecode nor single passes.
    pub opt: Option<PathBuf>,
    /// Path of `mlir-opt`, which the fuzzer runs to identify crashes of MLIR itself.
    pub upstream: Option<PathBuf>,
    /// Directory tree with the programs to mutate; if the option is `None`, the fuzzer mutates
    /// random modules.
    pub corpus: Option<PathBuf>,
    /// Duration of the run.
    pub time: Duration,
    /// Maximum number of cases.
    pub cases: Option<u64>,
    /// Seed of all cases.
    pub seed: u64,
    /// Index of the first test case.
    pub first: u64,
    /// Number of concurrent processes.
    pub jobs: usize,
    /// Directory for findings.
    pub out: PathBuf,
    /// Number of completed test cases, which the progress display shows.
    pub done: Arc<AtomicU64>,
}
