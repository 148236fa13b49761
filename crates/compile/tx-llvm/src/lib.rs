//! Location of LLVM and MLIR.
//!
//! The build scripts of the Rust bindings of MLIR also search for LLVM, but the error messages of
//! these scripts do not explain how to install LLVM. Cargo usually runs the build script of
//! `tx-llvm` before the build scripts of the bindings, because `tx-llvm` has no dependencies. If
//! LLVM is not installed, the build script of the crate `tx-llvm` fails with installation
//! instructions. Build scripts of dependent crates read the installation prefix of LLVM from
//! `DEP_TX_LLVM_PREFIX`.

/// Installation prefix of LLVM at build time, with the folders `bin`, `include` and `lib`.
pub const PREFIX: &str = env!("TX_LLVM_PREFIX");
