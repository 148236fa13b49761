//! The tests of `tx-interp` in one program: each program holds all of LLVM, and takes seconds to link.

mod combiners;
mod laws;
mod steps;
