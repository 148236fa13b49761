//! All tests of `tx-validate` in one binary, because each binary links all of LLVM.

mod laws;
mod ptx;
mod verdicts;
