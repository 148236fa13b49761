//! Where LLVM and MLIR are installed.
//!
//! The bindings to MLIR look for themselves, each in its way, and say little where they find
//! nothing. The build script of this crate depends on nothing, so that it can run before theirs,
//! and ends the build with what to do; with few jobs at a time cargo may start theirs first. Build
//! scripts of crates that depend on this one read the folder from `DEP_TX_LLVM_PREFIX`.

/// The folder in which LLVM was when this was built: `bin`, `include` and `lib` are in it.
pub const PREFIX: &str = env!("TX_LLVM_PREFIX");
