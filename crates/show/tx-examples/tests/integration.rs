//! The tests of `tx-examples` in one program: each program holds all of LLVM, and takes seconds to link.

mod examples;
