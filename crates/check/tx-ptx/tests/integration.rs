//! All tests of `tx-ptx` in one binary, to link once.

mod compare;
mod facts;
mod flow;
mod parse;
mod ptxas;
