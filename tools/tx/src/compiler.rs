//! The compiler of all commands.

use std::sync::OnceLock;

/// Function that returns a modified compiler, for example with additional passes.
pub type Prepare = fn(tx::Compiler) -> Result<tx::Compiler, tx::Error>;

static PREPARE: OnceLock<Prepare> = OnceLock::new();

/// Sets the function that modifies each compiler. The first call determines the function for the
/// whole process; all later calls have no effect.
pub(crate) fn prepare_with(prepare: Prepare) {
    PREPARE.get_or_init(|| prepare);
}

/// Creates a compiler for a target.
pub(crate) fn create(target: tx::Target) -> Result<tx::Compiler, tx::Error> {
    let compiler = tx::Compiler::new(target)?;
    match PREPARE.get() {
        Some(prepare) => prepare(compiler),
        None => Ok(compiler),
    }
}
