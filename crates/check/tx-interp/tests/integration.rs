//! All tests of `tx-interp` in one binary, because each binary links all of LLVM.

mod combiners;
mod laws;
mod steps;
