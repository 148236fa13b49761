//! The `tx` program: compile and run reductions.

fn main() -> std::process::ExitCode {
    tx_cli::main()
}
