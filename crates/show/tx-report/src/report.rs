//! Contents of a page.

use crate::diagnostic::Diagnostic;
use crate::exchange::ReportedKernel;
use crate::fragment::Fragment;
use tx_plan::Explanation;

/// Contents of a page.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Path of the program, as given by the user.
    pub file: String,
    /// Program text; `None` if the text is not valid UTF-8.
    pub source: Option<String>,
    /// Compiled function or kernel.
    pub entry: Option<String>,
    /// Target chip.
    pub chip: String,
    /// Compiler version.
    pub version: String,
    /// Program name in the command lines that the page shows.
    pub program: String,
    /// Errors, if the program was rejected.
    pub problems: Vec<Diagnostic>,
    /// Module text after each compilation stage, in the order of the stages.
    pub stages: Vec<Stage>,
    /// Result of validation by execution.
    pub check: Check,
    /// Warnings about constructs that are legal but probably mistakes.
    pub warnings: Vec<Diagnostic>,
    /// Selected schedules and variants, each with its reasons.
    pub choices: Vec<Explanation>,
    /// Kernels after barrier insertion.
    pub kernels: Vec<ReportedKernel>,
    /// Fragment types of the program.
    pub fragments: Vec<Fragment>,
    /// PTX of the program, with or without `.loc` directives; `None` if the compilation emitted no
    /// PTX.
    pub ptx: Option<String>,
    /// True if `ptx` and the PTX of a compilation without source locations differ only in debug
    /// information.
    pub ptx_is_plain: bool,
}

/// Stage of a compilation.
#[derive(Debug, Clone, Default)]
pub struct Stage {
    /// Name of the pass that the stage runs, or `parse` for the first stage.
    pub name: String,
    /// Module after the stage.
    pub ir: String,
    /// Duration of the stage in milliseconds; `None` if the report omits times.
    pub millis: Option<f64>,
    /// Verdict of the validation of the stage; `None` if the stage was not validated.
    pub verdict: Option<Verdict>,
}

/// Category of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictKind {
    /// The stage computes the same results as the previous stage.
    Good,
    /// The results differ from the results of the previous stage, but the differences are within
    /// the allowed error bound.
    Fair,
    /// Not comparable.
    Unknown,
    /// Nothing to check.
    Nothing,
    /// Error.
    Bad,
}

/// Verdict on a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Category.
    pub kind: VerdictKind,
    /// One or two words that summarize the verdict.
    pub word: String,
    /// Full text of the verdict; empty if `word` is the whole text.
    pub detail: String,
}

/// Result of validation by execution.
#[derive(Debug, Clone, Default)]
pub enum Check {
    /// Validation was not requested.
    #[default]
    NotAsked,
    /// Validation could not start, for the given reason.
    Impossible(String),
    /// Validation ran.
    Done {
        /// True if no stage failed validation.
        is_good: bool,
        /// True if an algebraic property of a combiner fails only for values that possibly do not
        /// occur in the program.
        is_conditional: bool,
        /// Note about possible causes of a failed validation.
        note: Option<String>,
        /// Message that states the grid size that validation assumes for a kernel, and the option
        /// that changes this size.
        grid: Option<String>,
        /// Names of the inputs.
        inputs: Vec<String>,
        /// Number of skipped inputs.
        left_out: usize,
        /// Verdict on each stage.
        verdicts: Vec<(String, Verdict)>,
    },
}
