//! The tests of `tx-compiler` in one program: each program holds all of LLVM, and takes seconds to link.

mod attributes;
mod choices;
mod chosen;
mod compiler;
mod host;
mod idempotent;
mod modules;

/// Also of what MLIR and LLVM allocate, which is most of it: the C library's takes a tenth of the
/// time that compiling takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
