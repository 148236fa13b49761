//! The tests of `tx-runtime` in one program: each program holds all of LLVM, and takes seconds to link.

mod cpu;
mod cuda;
mod functions;
mod npy;
mod print;
mod spec;
mod types;
