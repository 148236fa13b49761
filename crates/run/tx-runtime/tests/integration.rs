//! One program with all tests of `tx-runtime`, because each program contains all of LLVM, and
//! therefore takes seconds to link.

mod cpu;
mod cuda;
mod functions;
mod npy;
mod print;
mod spec;
mod types;
