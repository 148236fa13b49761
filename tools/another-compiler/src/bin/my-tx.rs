//! `tx` with the variant and the pass of this example compiler.

fn main() -> std::process::ExitCode {
    tx_cli::main_with(another_compiler::register, another_compiler::prepare)
}
