//! Source positions of MLIR locations.

use melior::ir::Location;
use std::fmt;

/// Position in a source file. Lines and columns count from 1; line 0 denotes the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// File name as given to the parser.
    pub file: String,
    /// Line number, from 1; 0 for the whole file.
    pub line: usize,
    /// Column number, from 1; 0 for the whole file.
    pub column: usize,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Line 0 denotes the whole file.
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

/// Returns the file position of an MLIR location. The position of a name location is the position
/// of its child location. The position of a call-site location is the position of its callee. The
/// position of a fused location is the position of its first component with a position.
pub fn source_location(location: Location<'_>) -> Option<SourceLocation> {
    if location.is_file_line_col_range() {
        Some(SourceLocation {
            file: location
                .file_line_col_range_filename()
                .as_string_ref()
                .as_str()
                .ok()?
                .to_owned(),
            line: location.file_line_col_range_start_line(),
            column: location.file_line_col_range_start_column(),
        })
    } else if location.is_name() {
        source_location(location.name_child_location())
    } else if location.is_call_site() {
        source_location(location.call_site_callee())
    } else if location.is_fused() {
        (0..location.fused_num_locations())
            .find_map(|i| source_location(location.fused_location(i)))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::SourceLocation;

    #[test]
    fn files_as_a_whole_have_no_line() {
        let at = |line, column| SourceLocation {
            file: "a.mlir".to_owned(),
            line,
            column,
        };
        assert_eq!(at(0, 0).to_string(), "a.mlir");
        assert_eq!(at(3, 7).to_string(), "a.mlir:3:7");
    }
}
