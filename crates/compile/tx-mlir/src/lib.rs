//! MLIR for `tx`: a C++ bridge to MLIR's pass registry and drivers, a [framework](mod@pass) for
//! passes, and functions that inspect and change IR through melior.
//!
//! Most of the `unsafe` code that calls MLIR is in this crate. The crate does not depend on the
//! dialects and passes of `tx`.
//!
//! # Unchecked preconditions
//! As in melior, handles to ops, blocks and values ([`Op`], [`Blk`], [`Val`]) do not borrow from
//! the IR. [`erase`] destroys an op and its regions; the caller must not use handles to destroyed
//! objects.

pub mod affine;
mod async_store;
mod attributes;
pub mod build;
mod bytecode;
pub mod codes;
mod constants;
pub mod diagnostic;
mod driver;
mod effects;
mod ffi;
pub mod gpu;
mod ir;
pub mod llvm;
mod location;
pub mod memref;
mod missing;
mod names;
mod nesting;
pub mod pass;
pub mod registration;
mod session;
mod sizes;
mod source;
mod suggest;
mod threads;
mod toolkit;

pub use melior;

pub use affine::{Affine, AffineMap};
pub use async_store::AsyncStore;
pub use attributes::{
    NvvmTarget, array_length, constant_range, enumerator, enumerator_of, has_flag,
};
pub use build::{Builder, Index};
pub use constants::{
    constant_of, dense_bits, dense_bytes, dense_of, global_of, initial_value, is_constant_global,
};
pub use diagnostic::{
    Code, Diagnostic, ErrorSeverity, Failed, Report, Severity, error, explain_errors, explanation,
    remark, warning,
};
pub use effects::{
    Effect, EffectKind, is_control, is_pure, memory_effects, only_computes, only_reads,
};
pub use ir::*;
pub use location::{SourceLocation, source_location};
pub use memref::MemRef;
pub use missing::missing;
pub use names::Names;
pub use session::{Session, check_pipeline};
pub use source::written_name;
pub use suggest::nearest;
pub use toolkit::ignore_cuda_toolkit;

/// Returns the message of a caught panic.
pub fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
