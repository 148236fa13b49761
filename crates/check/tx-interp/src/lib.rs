//! Reference interpreter for IR of any level: `linalg` and `tile.reduce` on whole arrays, kernels
//! with `tile` ops, and lowered kernels with loops, shuffles and barriers.
//!
//! The interpreter shares no code with the lowering. The implementation of each op follows the
//! documentation of the op. A comparison of the results before and after a pass therefore validates
//! the pass.
//!
//! All active lanes of a block execute an op before any lane executes the next op (lockstep).
//! Lockstep execution preserves the program order of tile ops, so that a program has defined
//! results before the compiler inserts barriers. After the compiler has inserted barriers, the
//! option [`Options::races`] checks that the barriers order all conflicting accesses. The race
//! check uses [`tx_exec::happens_before`].
//!
//! The interpreter can compute an error [`Bound`] for each float: a limit on the difference that
//! another combination order can cause.
//!
//! ```no_run
//! use tx_interp::{Argument, Options, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let session = tx_mlir::Session::new(tx_dialect_tile::register);
//! let module = session.parse("sums.mlir", &std::fs::read("sums.mlir")?).ok_or("no MLIR")?;
//! let matrix = Argument::array(vec![7, 20], vec![20, 1], 0, vec![0; 7 * 20 * 4]);
//! let sums = Argument::array(vec![7], vec![1], 0, vec![0xa5; 7 * 4]);
//! let outcome = run(&module, "sums", &[matrix, sums], &Options::default())?;
//! println!("{:?}", outcome.arrays[1].bytes);
//! # Ok(())
//! # }
//! ```

mod build;
mod cluster;
mod code;
mod combiner;
mod laws;
mod layout;
mod machine;
mod memory;
mod ops;
mod options;
mod points;
mod run;
mod site;
mod trouble;
mod value;

pub use combiner::{Combined, Combiner};
pub use laws::{Finding, Laws, laws};
pub use layout::{Holder, holders};
pub use options::Options;
pub use run::{Argument, Array, Outcome, run};
pub use site::Site;
pub use trouble::{FaultKind, Trouble};
pub use tx_exec::StepLimit;
pub use tx_scalar::{Bound, Float, Scalar, signed, truncated};
