//! What ops of `arith` and `math` compute: one number of each operand at a time, on their bits.
//!
//! This is said once, and here. Whatever runs IR asks it: the interpreter (`tx-interp`, to check
//! what the compiler makes) and the compiler itself, where it tries what a program brings along
//! (the laws of a combiner, what a body chooses). Nothing that *emits* code may: what checks a
//! lowering shares nothing with it.
//!
//! ```
//! use tx_scalar::{Float, Scalar, operation};
//!
//! let half = Scalar::Float(Float::F16);
//! let add = operation("arith.addf", None, &[half, half], half).ok_or("not known")?;
//! let sum = (add.calc)(&[Float::F16.to_bits(2048.0), Float::F16.to_bits(1.0), 0])?;
//! assert_eq!(Float::F16.value(sum), 2048.0);
//! # Ok::<(), &str>(())
//! ```
#![forbid(unsafe_code)]

pub mod bound;
pub mod calc;
pub mod laws;
pub mod number;

pub use bound::Bound;
pub use calc::{Operation, operation};
pub use number::{Float, Scalar, extremes, signed, truncated};
