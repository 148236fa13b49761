//! The fuzzer checks random programs by execution, and checks that malformed input causes a
//! diagnostic.
//!
//! [`generate`] creates a test case ([`Case`]) from a seed and an index. A test case describes a
//! program by its element types, scopes, layouts, sizes, views, block sizes, variants and
//! schedules. [`Case::text`] prints the program as MLIR. [`check`] compiles the program and runs it
//! after every pass ([`tx_validate`]). The fuzzer reduces a failing test case to a smaller test
//! case with the same kind of failure.

mod check;
mod combine;
mod cpu_time;
mod derive;
mod description;
mod element;
mod generate;
pub mod modules;
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
