//! Source locations of operations.

use std::{fmt, sync::Arc};

/// A source location of an operation.
///
/// For an MLIR name, call-site or fused location, the source location is the first file location
/// that the MLIR location contains. An operation without a file location has [`Location::unknown`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// File name. If the IR has no locations, the file name is `-`, and line numbers refer to the
    /// text of the device IR.
    pub file: Arc<str>,
    /// Line, counted from 1; 0 if unknown.
    pub line: u32,
    /// Column, counted from 1; 0 if unknown.
    pub column: u32,
}

impl Location {
    /// Returns the location of an operation without a file location.
    pub fn unknown() -> Self {
        Self {
            file: Arc::from("<unknown>"),
            line: 0,
            column: 0,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            formatter.write_str(&self.file)
        } else {
            write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
        }
    }
}

/// An operation of the device IR. Generated code identifies each operation of the device IR by an
/// index.
#[derive(Clone, Debug)]
pub(crate) struct SiteInfo {
    pub(crate) location: Location,
    pub(crate) operation: Arc<str>,
}
