//! Printers from descriptions to MLIR text.

mod host;
mod kernel;
mod memref;
mod rows;

use crate::derive::Contradiction;
use crate::description::{Case, Program};
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

impl Case {
    /// Prints the program.
    ///
    /// # Errors
    /// Returns an error if choices of the description contradict each other. Shrinking can cause
    /// contradictions.
    pub fn text(&self) -> Result<Text, Contradiction> {
        match &self.program {
            Program::Kernel(kernel) => kernel::print(kernel),
            Program::Host(host) => host::print(host),
            Program::Rows(rows) => rows::print(rows),
        }
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}
