//! All tests of `tx-ptx` in one binary, so that the build links only one test binary.

mod compare;
mod facts;
mod flow;
mod parse;
mod ptxas;
