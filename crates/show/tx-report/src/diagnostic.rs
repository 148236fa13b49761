//! Diagnostics of the program.

/// Diagnostic with a source location.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity: `remark`, `error` ...
    pub severity: String,
    /// Message.
    pub message: String,
    /// Code of the violated rule, such as `TX0001`.
    pub code: Option<String>,
    /// Source line.
    pub line: Option<usize>,
    /// Source column.
    pub column: Option<usize>,
    /// Attached notes.
    pub notes: Vec<String>,
}
