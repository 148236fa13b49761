//! The tests of `tx-compiler` in one program: each program contains all of LLVM, and takes seconds to link.

mod attributes;
mod choices;
mod chosen;
mod compiler;
mod conversions;
mod host;
mod idempotent;
mod modules;
