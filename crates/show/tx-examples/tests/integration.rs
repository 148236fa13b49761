//! One test program for all tests of `tx-examples`, because each program links LLVM statically,
//! which takes seconds.

mod examples;
