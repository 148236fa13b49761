//! Renders the lowering of a program as one self-contained HTML page.
//!
//! [`Report`] holds plain data, and [`render`] returns the page. The caller provides the
//! diagnostics of the compiler, and the verdict of the validation on each stage. This crate
//! compares IR lines ([`diff`]), colours IR lines ([`highlight`]), derives the steps of kernels
//! ([`exchange`]), and maps PTX instructions to source lines ([`ptx`]).
//!
//! The pages of two equal reports are byte-identical. The page escapes all text that originates
//! from the program.

mod diagnostic;
pub mod diff;
pub mod exchange;
mod fragment;
pub mod highlight;
mod html;
mod pack;
mod page;
pub mod ptx;
mod report;
mod tree;

pub use diagnostic::Diagnostic;
pub use exchange::{Op, Region, ReportedKernel};
pub use fragment::{Fragment, Holder};
pub use page::render;
pub use report::{Check, Report, Stage, Verdict, VerdictKind};
