//! Random programs, checked by execution, and malformed input.
//!
//! [`generate`] makes a [`Case`] of a seed and a number: the description of a program, over kinds,
//! types, scopes, layouts, sizes, views, block sizes, variants and schedules. [`Case::text`] is the
//! program. [`check`] compiles it and runs it after every pass ([`tx_validate`]). What goes wrong
//! is made smaller while it goes wrong in the same way.

mod check;
mod combine;
mod derive;
mod description;
mod element;
mod generate;
pub mod modules;
mod patience;
mod print;
mod random;
mod report;
mod shrink;
pub mod text;
mod worker;

pub use check::{Class, MakeCompiler, Outcome, check};
pub use combine::{Combine, Determinism, Kind};
pub use derive::Contradiction;
pub use description::*;
pub use element::Element;
pub use generate::{ProgramKind, generate};
pub use print::Text;
pub use report::{Finding, Summary};
pub use worker::serve;
