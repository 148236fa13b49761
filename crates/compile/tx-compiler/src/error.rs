//! Errors of the compiler, classified by their cause.

use std::fmt;
use tx_mlir::{Code, Diagnostic};

/// Kind of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Unknown target: a mistake of the caller.
    Target,
    /// Invalid pass insertion (see [`crate::Compiler::with_pass_after`]): a mistake of the caller.
    Pipeline,
    /// Invalid schedule, or more schedules than reductions (see
    /// [`crate::Compiler::compile_scheduled`]): a mistake of the caller.
    Schedule,
    /// Registration of a pass or variant under a name that is already registered: a mistake of the
    /// caller.
    Taken,
    /// MLIR text that the parser rejects, or an op that fails verification: a mistake in the
    /// program.
    Parse,
    /// Unknown entry name, or no entry name for a program with several entries: a mistake of the
    /// caller.
    Entry,
    /// A pass rejected the program: a mistake in the program, unless the diagnostics report an
    /// internal error.
    Pass {
        /// Name of the pass.
        name: String,
    },
    /// The program needs a feature that is not implemented; the diagnostics name the feature.
    Unsupported,
    /// Every pass succeeded, but the compiler emitted no PTX: a bug of the crate `tx-compiler`.
    Codegen,
}

/// Error of a compilation.
#[derive(Debug, Clone, thiserror::Error)]
pub struct Error {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Diagnostics of the compilation, in the order in which the compiler emitted the diagnostics.
    /// A diagnostic has a location if its source position is known. Never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// Creates an error with one message and no location.
    pub fn plain(kind: ErrorKind, message: impl Into<String>) -> Self {
        let diagnostic = Diagnostic {
            severity: tx_mlir::Severity::Error,
            code: None,
            location: None,
            message: message.into(),
            notes: Vec::new(),
        };
        Self {
            kind,
            diagnostics: vec![diagnostic],
        }
    }

    pub(crate) fn with_code(mut self, code: Code) -> Self {
        for diagnostic in &mut self.diagnostics {
            diagnostic.code = Some(code);
        }
        self
    }

    /// Creates an error from the recorded diagnostics of a compilation. `fallback` is the message
    /// if no diagnostic was recorded.
    pub(crate) fn reported(kind: ErrorKind, diagnostics: Vec<Diagnostic>, fallback: &str) -> Self {
        if diagnostics.is_empty() {
            Self::plain(kind, fallback)
        } else {
            Self { kind, diagnostics }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}
