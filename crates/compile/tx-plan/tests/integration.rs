//! All tests of `tx-plan` form one test program, so Cargo links only one program.

mod check;
mod condition;
mod expr;
mod plan;
