//! Scalar semantics of `arith` and `math` ops, computed on the bits of the operands.
//!
//! The reference interpreter (`tx-interp`) evaluates `arith` and `math` ops with this crate.
//! Compiler passes use this crate to test properties of user code, such as the associativity of a
//! combiner. Code generation must not use this crate, because a check of a lowering must not share
//! code with the lowering.
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
