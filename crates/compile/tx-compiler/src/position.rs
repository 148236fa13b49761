//! Source positions of ops, as lines and columns.

use melior::ir::operation::OperationLike;
use tx_mlir::{Op, SourceLocation, source_location};
use tx_plan::LineColumn;

/// Returns the line and column of an op; `None` for an op without a line.
pub(crate) fn line_column(op: Op<'_>) -> Option<LineColumn> {
    line_column_at(&source_location(op.location())?)
}

/// Returns the line and column of a location; `None` for a location without a line.
pub(crate) fn line_column_at(location: &SourceLocation) -> Option<LineColumn> {
    let SourceLocation { line, column, .. } = *location;
    (line > 0).then_some(LineColumn { line, column })
}
