//! Command-line definition of `tx report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use tx_runtime::Spec;

use super::options::Program;
use super::values::{Grid, KnownWords, chips};

pub(super) const EXAMPLES: &str = "\
Exit status:
  0  the report is written
  1  the program was rejected, as the report shows, or the report cannot be
     written
  2  invalid command line
  3  the report is written, and shows that a pass changes the results

Examples:
  tx report row_sums.mlir -o row_sums.html
  tx report kernels.mlir --entry warp_sum --chip sm_90 -o warp_sum.html
  tx report kernels.mlir --entry sum --grid 16 -o sum.html
  tx report row_sums.mlir --no-validate --no-times -o row_sums.html";

#[derive(Debug, Args)]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) program: Program,

    /// Output file for the report; `-` is standard output
    #[arg(short, long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// Target chip; `#nvvm.target` on a `gpu.module` takes precedence
    #[arg(
        long, value_name = "CHIP", default_value = tx_target::DEFAULT_CHIP,
        value_parser = KnownWords(chips), hide_possible_values = true
    )]
    pub(crate) chip: String,

    /// Do not run the program after each pass
    #[arg(long, conflicts_with = "args")]
    pub(crate) no_validate: bool,

    /// Run the program on all inputs that `tx validate` generates [default: only the first inputs]
    #[arg(long, conflicts_with_all = ["no_validate", "args"])]
    pub(crate) all_inputs: bool,

    /// Argument of the program; repeat the option for each argument, in order [default: generated
    /// inputs]
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<Spec>,

    /// Grid size of a kernel in CTAs [default: the `known_grid_size` of the kernel, or one CTA]
    #[arg(
        long,
        value_name = "X,Y,Z",
        allow_negative_numbers = true,
        conflicts_with = "no_validate"
    )]
    pub(crate) grid: Option<Grid>,

    /// Omit the times of passes, so that the report is reproducible
    #[arg(long)]
    pub(crate) no_times: bool,
}
