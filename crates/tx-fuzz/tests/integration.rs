//! The tests of `tx-fuzz` in one program: each program holds all of LLVM, and takes seconds to link.

mod findings;
mod library;
