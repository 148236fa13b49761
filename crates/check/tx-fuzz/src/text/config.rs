//! Options of the fuzz target.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Options of a fuzz run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Name of the fuzzing command, for command lines that reproduce a finding.
    pub program: String,
    /// Path of `tx`.
    pub tx: PathBuf,
    /// Path of `tx-opt`. Without `tx-opt`, tests of bytecode and of single passes are skipped.
    pub opt: Option<PathBuf>,
    /// Path of `mlir-opt`, which the fuzzer runs to identify crashes of MLIR itself.
    pub upstream: Option<PathBuf>,
    /// Directory tree of the programs that are mutated; `None` selects random modules.
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
    /// Number of completed cases, for progress display.
    pub done: Arc<AtomicU64>,
}
