//! Tests of `tx-opt` in one program, because linking LLVM into a program takes seconds.

mod documented;
mod files;
