//! Launch plans and compiled artifacts of tx as plain data.
//!
//! A [`Plan`] describes how a host launches a compiled program: the argument types, the
//! [checks](Check) of sizes, the temporaries to allocate, and the kernels to launch in order. Grids
//! and blocks are [expressions](Expr) over argument dimensions. An [`Artifact`] contains a plan,
//! its PTX, and the device IR for the CPU executor.
//!
//! This crate uses neither MLIR nor CUDA, so a program that only launches compiled kernels can
//! depend on this crate alone.
//!
//! ```
//! use tx_plan::{Expr, Symbol};
//!
//! let grid: Expr = "ceildiv(arg0.dim0, 32)".parse()?;
//! let blocks = grid.evaluate(|symbol| match symbol {
//!     Symbol::Dim { argument: 0, dim: 0 } => Some(100),
//!     _ => None,
//! })?;
//! assert_eq!(blocks, 4);
//! # Ok::<(), tx_plan::ExprError>(())
//! ```

mod artifact;
mod check;
mod condition;
mod element;
mod explanation;
mod expr;
mod hex;
mod json;
mod launch;
mod parse;
mod plan;
mod types;
mod validate;

pub use artifact::{Artifact, KernelModule, Stage, Warning};
pub use check::{Check, CheckError, LineColumn, Relation};
pub use condition::{ChoiceError, Condition, exactly_one};
pub use element::{ElementType, UnknownElementType};
pub use explanation::{
    ApartChoice, BY_RULES, Candidate, CaseEstimate, Choice, Cost, Estimates, ExchangeChoice,
    Explanation, FIRST_CASE, GroupChoice, GroupedArray, GroupedOp, NO_LANES, Reason, ScheduleCase,
    ScheduleChoice, ScheduleStep, SourcePlace, Traffic, UpTo, Variant, VariantChoice, steps_text,
};
pub use expr::{Expr, ExprError, Symbol};
pub use launch::Extent3;
pub use plan::{
    Argument, Base, EntryKind, Operand, Plan, PlanError, Step, Temporary, VERSION, View,
    alternatives,
};
pub use types::{ArgumentType, Extent, Layout, MemorySpace, MemrefType, TypeError};
