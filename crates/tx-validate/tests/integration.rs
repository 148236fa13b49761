//! The tests of `tx-validate` in one program: each program holds all of LLVM, and takes seconds to link.

mod laws;
mod ptx;
mod verdicts;

/// Also of what MLIR and LLVM allocate, which is most of it: the C library's takes a tenth of the
/// time that compiling takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
