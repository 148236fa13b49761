//! `tx-opt` with the variant and the pass of this compiler.

use std::process::ExitCode;

use tx::melior::dialect::DialectRegistry;
use tx::mlir::registration::opt_main;

fn main() -> ExitCode {
    another_compiler::register().expect("names that are free");
    tx::register();
    let registry = DialectRegistry::new();
    tx::register_dialects(&registry);
    match opt_main(std::env::args(), &registry) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
