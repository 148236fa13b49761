//! All tests of `tx-fuzz` in one binary, because each binary links all of LLVM.

mod findings;
mod library;
