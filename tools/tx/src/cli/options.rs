//! Options that several commands share.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use tx_runtime::Spec;

use super::values::{Grid, KnownWords, chips, devices, number};

/// Program file, and name of the function or kernel in it.
#[derive(Debug, Args)]
pub(crate) struct Program {
    /// MLIR text or bytecode; `-` reads standard input
    #[arg(value_name = "FILE.mlir", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    /// Name of the function or kernel; optional if the file has only one
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
}

/// Options of the compilation cache.
#[derive(Debug, Args)]
pub(crate) struct CacheOptions {
    /// Directory of the compilation cache, which is created if missing, or `off` to disable the
    /// cache [env: TX_CACHE] [default: see `tx doctor`]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath,
          value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) cache: Option<PathBuf>,
}

/// Options for assertions.
#[derive(Debug, Args, Clone, Copy, Default)]
pub(crate) struct AssertOptions {
    /// Keep `cf.assert` in the bodies of linalg ops, so that a launch fails if an assertion fails.
    /// By default, these assertions are removed
    #[arg(long = "asserts")]
    pub(crate) kept: bool,
}

/// Device, arguments and other options of a launch.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    /// Device: auto (a CUDA device if present, otherwise cpu), cpu, cuda or cuda:N
    #[arg(
        long, value_name = "DEVICE", default_value = "auto", value_parser = KnownWords(devices),
        hide_possible_values = true
    )]
    pub(crate) device: String,

    /// Argument of the program; repeat the option for each argument, in order
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<Spec>,

    /// Grid size of a kernel in CTAs [default: the `known_grid_size` of the kernel, or one CTA]
    #[arg(long, value_name = "X,Y,Z", allow_negative_numbers = true)]
    pub(crate) grid: Option<Grid>,

    /// Maximum number of steps of a launch on the CPU, summed over all threads [default: 268435456,
    /// plus 64 per element of the arguments and 1024 per thread]
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) steps: Option<u64>,

    /// Target chip [default: the chip of the device, or sm_80 for cpu]
    #[arg(long, value_name = "CHIP", value_parser = KnownWords(chips), hide_possible_values = true)]
    pub(crate) chip: Option<String>,
}
