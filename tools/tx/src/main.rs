//! The `tx` program, which compiles and runs reductions.

/// Global allocator, which MLIR and LLVM also use; MLIR makes most of the allocations. With the
/// allocator of glibc, 10 % of the compile time is spent in the allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tx_cli::main()
}
