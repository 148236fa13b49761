//! The tests of `tx-ptx` in one program: each program holds all of LLVM, and takes seconds to link.

mod compare;
mod facts;
mod flow;
mod parse;
mod ptxas;
