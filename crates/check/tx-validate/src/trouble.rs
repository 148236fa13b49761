//! Reasons why a program cannot be validated.

use tx::Error;
use tx_mlir::Code;

/// Reason why a program cannot be validated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// Compile error.
    #[error(transparent)]
    Compile(#[from] Error),
    /// Options or arguments that do not fit the program.
    #[error("{0}")]
    Input(String),
    /// The program does not accept the given arguments.
    #[error(transparent)]
    Arguments(Box<tx_runtime::Error>),
    /// The program fails with all generated inputs, or no combination of sizes satisfies the checks
    /// of the program. For example, the program may require sizes or integer values that no
    /// generated input contains.
    #[error("{what}; the program may require arguments of other sizes, or with other integers")]
    Unfit {
        /// Description of the failure that the first input causes.
        what: String,
        /// Diagnostic code of the violated rule, such as `TX0806`.
        code: Option<Code>,
    },
}

impl Trouble {
    /// Returns the diagnostic code of the violated rule.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Unfit { code, .. } => *code,
            _ => None,
        }
    }
}
