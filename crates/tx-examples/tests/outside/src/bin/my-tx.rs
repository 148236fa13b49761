//! `tx` with the variant and the pass of this compiler.

fn main() -> std::process::ExitCode {
    another_compiler::register().expect("names that are free");
    tx_cli::main_with(another_compiler::prepare)
}
