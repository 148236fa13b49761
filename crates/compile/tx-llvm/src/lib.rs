//! Location of LLVM and MLIR.
//!
//! The build scripts of the MLIR bindings search for LLVM independently, and their error messages
//! are unspecific. This crate has no dependencies, so cargo usually runs its build script first.
//! If there is no LLVM, the script fails the build with instructions. Build scripts of dependent
//! crates read the installation prefix of LLVM from `DEP_TX_LLVM_PREFIX`.

/// Installation prefix of LLVM at build time, with the folders `bin`, `include` and `lib`.
pub const PREFIX: &str = env!("TX_LLVM_PREFIX");
