//! Descriptions as text.

mod host;
mod kernel;
mod memref;
mod rows;

use crate::derive::Contradiction;
use crate::description::{Case, Program};
use crate::element::Element;

/// A program as text, and what it is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// MLIR.
    pub mlir: String,
    /// Elements and sizes of its arguments.
    pub arguments: Vec<(Element, Vec<usize>)>,
    /// Whether types of arguments do not say all sizes.
    pub open: bool,
    /// Whether identities are neutral to finite numbers alone.
    pub finite: bool,
}

impl Case {
    /// The program as text.
    ///
    /// # Errors
    /// When choices contradict each other, as they may after a description was made smaller.
    pub fn text(&self) -> Result<Text, Contradiction> {
        match &self.program {
            Program::Kernel(kernel) => kernel::print(kernel),
            Program::Host(host) => host::print(host),
            Program::Rows(rows) => rows::print(rows),
        }
    }
}

/// Items, separated by commas.
fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}
