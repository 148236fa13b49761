//! What was said of a program.

/// Something that was said of a place in the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remark {
    /// `remark`, `error` ...
    pub severity: String,
    /// What was said.
    pub message: String,
    /// The code of the rule that was broken, such as `TX0001`.
    pub code: Option<String>,
    /// Line of the program.
    pub line: Option<usize>,
    /// Column.
    pub column: Option<usize>,
    /// What else was said of it.
    pub notes: Vec<String>,
}
