//! What is registered by the compiler and by its tools: a variant and a pass.

#[path = "../../../crates/tx-examples/examples/03-variant/pairwise.rs"]
mod pairwise;
#[path = "../../../crates/tx-examples/examples/04-pass/set_determinism.rs"]
mod set_determinism;

/// Makes the variant and the pass known, once, before anything is compiled.
pub fn register() -> Result<(), tx::Error> {
    tx::register_variant(&pairwise::Pairwise)?;
    tx::register_pass(&set_determinism::SetDeterminism::INFO)
}

/// Puts the pass among those of `lower-reduction`.
pub fn prepare(compiler: tx::Compiler) -> Result<tx::Compiler, tx::Error> {
    compiler.with_pass_before("tile-analyze-scope", "serving-set-determinism")
}
