//! The `tx` program: compile and run reductions.

/// Allocator for Rust, MLIR and LLVM. Most allocations are by MLIR. With glibc's allocator,
/// allocations take 10 % of the compile time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tx_cli::main()
}
