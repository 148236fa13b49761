//! The tests of `tx-opt` in one program: each program holds all of LLVM, and takes seconds to link.

mod documented;
mod files;
