//! Printers that convert the description of a program to MLIR text.

mod host;
mod kernel;
mod memref;
mod region;
mod rows;
mod syntax;
mod text;

pub use text::Text;

use crate::derive::Contradiction;
use crate::description::{Case, Program};

impl Case {
    /// Prints the program.
    ///
    /// # Errors
    /// Returns an error if two fields of the program description are inconsistent. The shrinker can
    /// produce program descriptions with inconsistent fields.
    pub fn text(&self) -> Result<Text, Contradiction> {
        match &self.program {
            Program::Kernel(kernel) => kernel::print(kernel),
            Program::Host(host) => host::print(host),
            Program::Rows(rows) => rows::print(rows),
        }
    }
}
