//! Registration of a variant and a pass for the example compiler and its tools.

#[path = "../../../crates/show/tx-examples/examples/03-variant/pairwise.rs"]
mod pairwise;
#[path = "../../../crates/show/tx-examples/examples/04-pass/set_determinism.rs"]
mod set_determinism;

/// Registers the variant and the pass of the example compiler. The process must call `register`
/// once, before the first compilation.
pub fn register() -> Result<(), tx::Error> {
    tx::register_variant(&pairwise::Pairwise)?;
    tx::register_pass(&set_determinism::SetDeterminism::INFO)
}

/// Inserts the pass of the example compiler into the pipeline `lower-reduction`.
pub fn prepare(compiler: tx::Compiler) -> Result<tx::Compiler, tx::Error> {
    compiler.with_pass_before("tile-analyze-scope", "serving-set-determinism")
}
