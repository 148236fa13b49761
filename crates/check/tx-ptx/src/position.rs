use std::fmt;

/// A position in PTX text.
///
/// All positions compare equal, so the comparison of two modules ignores positions in the text.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

impl PartialEq for Position {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Position {}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Syntax error in a PTX module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: found {found}, expected {expected}")]
pub struct ParseError {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1. The column of an error at the end of the text is one
    /// past the last character.
    pub column: u32,
    /// Description of the unexpected token: "`;`", "the end of the text".
    pub found: String,
    /// Description of the expected tokens.
    pub expected: String,
}

impl ParseError {
    pub(crate) fn new(
        at: Position,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ParseError {
        ParseError {
            line: at.line,
            column: at.column,
            found: found.into(),
            expected: expected.into(),
        }
    }
}
