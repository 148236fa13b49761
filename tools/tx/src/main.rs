//! The `tx` program: compile and run reductions.

/// Also of what MLIR and LLVM allocate, which is most of it: the C library's takes a tenth of the
/// time that compiling takes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tx_cli::main()
}
