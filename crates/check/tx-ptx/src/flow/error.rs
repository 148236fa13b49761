//! Errors in the control flow of a PTX function.

use crate::position::Position;

/// Error in the control flow of the body of a PTX function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// A branch to an undefined label.
    #[error("line {}, column {}: there is no label `{label}`", at.line, at.column)]
    UndefinedLabel {
        /// The label.
        label: String,
        /// Position of the branch.
        at: Position,
    },
    /// A label with two definitions.
    #[error("line {}, column {}: the label `{label}` is defined twice", at.line, at.column)]
    DuplicateLabel {
        /// The label.
        label: String,
        /// Position of the second definition of the label.
        at: Position,
    },
    /// A branch without a target label.
    #[error("line {}, column {}: `{opcode}` names no label", at.line, at.column)]
    NoTarget {
        /// Opcode of the branch.
        opcode: String,
        /// Position of the branch.
        at: Position,
    },
}
