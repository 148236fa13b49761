//! Tests of `tx-cli` in one binary, because each binary links all of LLVM.

mod browser;
mod cli;
mod codes;
