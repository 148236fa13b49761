//! What can go wrong, and whose fault it is.

use std::fmt;
use tx_mlir::{Code, Diagnostic};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The target is not known. The caller's to change.
    Target,
    /// A pass cannot go where it was put (see [`crate::Compiler::with_pass_after`]). The caller's to change.
    Pipeline,
    /// A schedule does not parse, is no list of steps, or there are more of them than reductions (see
    /// [`crate::Compiler::compile_scheduled`]). The caller's to change.
    Schedule,
    /// There is a pass, a pipeline or a variant of the name under which another was to be
    /// registered. The caller's to change.
    Taken,
    /// The source is no valid MLIR, or breaks a rule of a dialect. The program's fault.
    Parse,
    /// There is no such entry, or none was named and there are several. The caller's to change.
    Entry,
    /// A pass refused the program; the diagnostics say why. The program's fault, unless they speak
    /// of an internal error.
    Pass {
        /// The pass.
        name: String,
    },
    /// The program needs something that is not implemented; the diagnostics name it.
    Unsupported,
    /// No PTX came out although every pass succeeded: a bug of this crate.
    Codegen,
}

/// Why a program was not compiled.
#[derive(Debug, Clone, thiserror::Error)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Everything that MLIR reported, in order, with locations where there are any. Never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// An error of one message without a place.
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

    /// Sets the code of the rule that the message reports.
    pub(crate) fn with_code(mut self, code: Code) -> Self {
        for diagnostic in &mut self.diagnostics {
            diagnostic.code = Some(code);
        }
        self
    }

    /// An error that was reported; `fallback` speaks where nothing was.
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
