//! `tx-opt` with the variant and the pass of this example compiler.

use std::process::ExitCode;

use tx::melior::dialect::DialectRegistry;
use tx::mlir::registration::opt_main;

fn main() -> ExitCode {
    if let Err(error) = another_compiler::register() {
        eprintln!("my-opt: {error}");
        return ExitCode::FAILURE;
    }
    tx::register();
    let registry = DialectRegistry::new();
    tx::register_dialects(&registry);
    match opt_main(std::env::args(), &registry) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
