//! Location of LLVM and MLIR.
//!
//! The build scripts of the MLIR bindings search for LLVM independently, and print unspecific
//! messages if they do not find it. The build script of this crate has no dependencies, so cargo
//! can run it first; it ends the build with instructions. With few parallel jobs, cargo may run the
//! build scripts of the bindings first. Build scripts of dependent crates read the folder of LLVM
//! from `DEP_TX_LLVM_PREFIX`.

/// Folder of LLVM at build time, which contains `bin`, `include` and `lib`.
pub const PREFIX: &str = env!("TX_LLVM_PREFIX");
