//! Command-line definition of `tx fuzz`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::values::{KnownWords, number};

pub(super) const EXAMPLES: &str = "\
Each finding is reduced and written to a directory, as a program and a
description for `tx fuzz replay`.

Exit status:
  0  no findings
  1  the tests could not run
  2  invalid command line
  3  at least one finding

Examples:
  tx fuzz modules --seconds 300 --jobs 4
  tx fuzz text --opt target/debug/tx-opt --corpus lit-tests";

const MODULES_EXAMPLES: &str = "\
Examples:
  tx fuzz modules --seconds 300 --jobs 4
  tx fuzz modules --seed 7 --first 1234 --cases 1
  tx fuzz modules --variant shared --seconds 60";

const TEXT_EXAMPLES: &str = "\
Examples:
  tx fuzz text --corpus lit-tests
  tx fuzz text --opt target/debug/tx-opt --upstream llvm-22/bin/mlir-opt";

const REPLAY_EXAMPLES: &str = "\
Examples:
  tx fuzz replay fuzz-findings/wrong-tile-expand-reduce-0-17.json";

const SHOW_EXAMPLES: &str = "\
Examples:
  tx fuzz show --seed 7 --first 1234
  tx fuzz show --cases 10";

#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    #[command(subcommand)]
    pub(crate) target: FuzzTarget,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FuzzTarget {
    /// Check every pass on random modules
    #[command(after_help = MODULES_EXAMPLES)]
    Modules {
        #[command(flatten)]
        run: FuzzRun,

        /// Generate only programs of this kind
        #[arg(long, value_name = "KIND")]
        programs: Option<FuzzPrograms>,

        /// Force this variant, which another compiler may define, on a reduction of each program.
        /// Programs without a supported reduction are skipped
        #[arg(
            long, value_name = "NAME", value_parser = KnownWords(tx::variant_names),
            hide_possible_values = true
        )]
        variant: Option<String>,
    },
    /// Test `tx` and `tx-opt` on malformed text and bytecode
    #[command(after_help = TEXT_EXAMPLES)]
    Text {
        #[command(flatten)]
        run: FuzzRun,

        /// Path of `tx-opt` [default: only `tx` is tested]
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        opt: Option<PathBuf>,

        /// Path of MLIR's `mlir-opt`; inputs that also crash `mlir-opt` are counted separately
        #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
        upstream: Option<PathBuf>,

        /// Directory with programs to corrupt [default: random modules]
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        corpus: Option<PathBuf>,
    },
    /// Check the programs that earlier runs reported
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay {
        /// Description of a program, which an earlier run wrote next to the program
        #[arg(value_name = "FILE.json", required = true, value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Print random modules
    #[command(after_help = SHOW_EXAMPLES)]
    Show(FuzzRun),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FuzzPrograms {
    /// Kernels: one `gpu.func` per program
    Kernels,
    /// Host functions with one grid-level reduction
    Functions,
    /// Host functions with several ops on the rows of matrices
    Rows,
}

/// Maximum run time of a fuzz run: ten years in seconds, which is within the range of clocks.
const MAX_SECONDS: u64 = 10 * 365 * 24 * 3600;
/// Maximum number of processes of a fuzz run.
const MAX_JOBS: u32 = 1024;

#[derive(Debug, Args)]
pub(crate) struct FuzzRun {
    /// Maximum run time in seconds
    #[arg(
        long, value_name = "N", default_value_t = 60, value_parser = number(0..=MAX_SECONDS),
        allow_negative_numbers = true
    )]
    pub(crate) seconds: u64,

    /// Maximum number of test cases
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) cases: Option<u64>,

    /// Seed of the test cases; each case also depends on its index
    #[arg(
        long, value_name = "N", default_value_t = 0, value_parser = number(0..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,

    /// Index of the first test case
    #[arg(
        long, value_name = "N", default_value_t = 0, value_parser = number(0..=u64::MAX),
        allow_negative_numbers = true
    )]
    pub(crate) first: u64,

    /// Number of parallel processes
    #[arg(
        long, value_name = "N", default_value_t = 1, value_parser = number(1..=MAX_JOBS),
        allow_negative_numbers = true
    )]
    pub(crate) jobs: u32,

    /// Directory for findings, which is created for the first finding
    #[arg(long, value_name = "DIR", default_value = "fuzz-findings", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
}
