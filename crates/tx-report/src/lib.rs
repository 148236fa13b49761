//! The lowering of a program as one HTML page that needs nothing but itself.
//!
//! Plain data in, text out: [`Report`] holds what is shown, [`render`] makes the page. What was
//! found, by the compiler and by its checks, is for the caller to find; here lines are compared
//! ([`diff`]), coloured ([`highlight`]), steps of kernels read off their ops ([`exchange`]), and
//! instructions of PTX given their lines ([`ptx`]).
//!
//! The page is a function of the report: the same bytes every time. Text of the program is never
//! HTML in it, whatever it holds.

pub mod diff;
pub mod exchange;
mod fragment;
pub mod highlight;
mod html;
mod pack;
mod page;
pub mod ptx;
mod remark;
mod tree;

pub use exchange::{Kernel, Op, Region};
pub use fragment::{Fragment, Holder};
pub use page::render;
pub use remark::Remark;

use tx_plan::Explanation;

/// What a page shows.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The file of the program, as the user named it.
    pub file: String,
    /// The program; `None` where it is no text.
    pub source: Option<String>,
    /// The function or kernel that was compiled.
    pub entry: Option<String>,
    /// The chip that it was compiled for.
    pub chip: String,
    /// Version of the compiler.
    pub version: String,
    /// What the program that makes the page is called, in command lines.
    pub program: String,
    /// Why it was refused, if it was.
    pub problems: Vec<Remark>,
    /// The module after each stage, in order.
    pub stages: Vec<Stage>,
    /// What running the program after each pass found.
    pub check: Check,
    /// What the program says and hardly means.
    pub warnings: Vec<Remark>,
    /// The schedules and variants that were chosen, and why.
    pub choices: Vec<Explanation>,
    /// Kernels, as they are when barriers are in.
    pub kernels: Vec<Kernel>,
    /// Types of fragments in the program.
    pub fragments: Vec<Fragment>,
    /// PTX, with `.loc` directives or without; `None` where there is none.
    pub ptx: Option<String>,
    /// Whether that is, without what debuggers need, the PTX that is compiled without locations.
    pub ptx_is_plain: bool,
}

/// A stage of a compilation.
#[derive(Debug, Clone, Default)]
pub struct Stage {
    /// The pass, or `parse`.
    pub name: String,
    /// The module after it.
    pub ir: String,
    /// Milliseconds; `None` where times are left out.
    pub millis: Option<f64>,
    /// What was found of it, if it was checked.
    pub verdict: Option<Verdict>,
}

/// How good a verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// As it must be.
    Good,
    /// As it may be.
    Fair,
    /// Not known.
    Unknown,
    /// There was nothing to find.
    Nothing,
    /// Wrong.
    Bad,
}

/// What was found of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How good it is.
    pub mood: Mood,
    /// In a word or two.
    pub word: String,
    /// All that is said of it; empty where the word is all.
    pub detail: String,
}

/// What running a program after each pass found.
#[derive(Debug, Clone, Default)]
pub enum Check {
    /// It was not asked for.
    #[default]
    NotAsked,
    /// It could not be done: why.
    Impossible(String),
    /// It was done.
    Done {
        /// Whether every stage is as it must be.
        is_good: bool,
        /// Whether a law of some combiner fails with values that may not be among the inputs.
        is_conditional: bool,
        /// What else may be to blame.
        note: Option<String>,
        /// What a kernel was run with for want of a grid, and how to change that.
        grid: Option<String>,
        /// What the program was run with.
        inputs: Vec<String>,
        /// How many others there are to run it with.
        left_out: usize,
        /// Every stage.
        verdicts: Vec<(String, Verdict)>,
    },
}
