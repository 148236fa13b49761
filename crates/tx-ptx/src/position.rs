use std::fmt;

/// A place in PTX text, both counted from 1 and columns in characters.
///
/// All positions are equal to each other: where something stands is no part of what it is, so that a
/// module equals the one read back from its own text.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
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

/// Text that is no PTX module, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: found {found}, expected {expected}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters. The end of the text is one past the last character.
    pub column: u32,
    /// What stands there, in words: "`;`", "the end of the text".
    pub found: String,
    /// What could have stood there, in words.
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
