//! The tests of `tx-cli` in one program: each program holds all of LLVM, and takes seconds to link.

mod browser;
mod cli;
mod codes;
