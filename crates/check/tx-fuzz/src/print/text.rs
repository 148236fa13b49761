//! Text of a program.

use crate::element::Element;

/// Program text, with its argument types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// MLIR text.
    pub mlir: String,
    /// Element types and shapes of the arguments.
    pub arguments: Vec<(Element, Vec<usize>)>,
    /// Set if an argument type has dynamic sizes.
    pub open: bool,
    /// Set if the program has a Welford reduction, whose identity is not neutral to infinities and
    /// NaN.
    pub finite: bool,
}
