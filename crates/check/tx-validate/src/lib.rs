//! Translation validation of every pass by execution.
//!
//! The validation executes the input program and the output of each pass on the same inputs. The
//! inputs contain array sizes for which loops have remainders, special values such as NaN, and
//! output arrays with stale contents. [`tx_interp`] interprets modules above the LLVM dialect; from
//! `tile-insert-sync` on, the interpreter also detects data races. The executor (`tx-exec`) runs
//! lowered kernels under several thread schedules. The validation reports the first pass that
//! changes the results of the program. The validation does not execute the PTX. Instead of an
//! execution of the PTX, [`check_ptx`] compares the PTX with the last device IR.
//!
//! Sums and products of floats may differ from the results of the input program by at most an error
//! bound that covers every combination order (see [`tx_interp::Bound`]). Results that depend on no
//! sum or product of floats must have the same bits before and after each pass.

mod budget;
mod case;
mod compare;
mod inputs;
mod laws;
mod misalignment;
mod options;
mod pass;
mod plain;
mod ptx;
mod reference_program;
mod references;
mod run;
mod stages;
mod trouble;
mod validate;
mod validation;
mod verdict;

pub use inputs::Input;
pub use options::{Options, Watch};
pub use pass::{PASSES, register};
pub use ptx::check_ptx;
pub use references::References;
pub use run::Edit;
pub use trouble::Trouble;
pub use validate::{validate, validate_edited};
pub use validation::{Stage, Validation};
pub use verdict::{Difference, Verdict};
