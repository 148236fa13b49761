//! The tests of `tx-validate` in one program: each program holds all of LLVM, and takes seconds to link.

mod laws;
mod ptx;
mod verdicts;
