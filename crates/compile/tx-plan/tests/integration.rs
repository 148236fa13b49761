//! The tests of `tx-plan` in one program: each program holds all of LLVM, and takes seconds to link.

mod check;
mod condition;
mod expr;
mod plan;
