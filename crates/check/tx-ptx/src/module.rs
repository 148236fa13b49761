//! Syntax tree of a PTX module and of its functions.

use crate::debug::{File, Section};
use crate::declaration::{Attribute, Declaration, Linkage};
use crate::instruction::Statement;
use crate::position::Position;

/// A PTX module.
///
/// [`Display`](std::fmt::Display) formats the module as text. [`parse`](Module::parse) converts the
/// formatted text to a module that is equal to the original module. Comments are not preserved.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Major and minor version of the PTX ISA, such as 8 and 7 for `.version 8.7`.
    pub version: (u32, u32),
    /// Target chip and options: `sm_90a`, `debug`.
    pub target: Vec<String>,
    /// Width of an address in bits, 32 or 64; `None` if the module has no `.address_size`.
    pub address_size: Option<u64>,
    /// Definitions and declarations, in textual order.
    pub items: Vec<Item>,
}

impl Module {
    /// Returns all `.func` and `.entry` functions, including declarations.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    /// Returns all `.entry` functions (kernels), in textual order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|function| function.entry)
    }
}

/// A top-level item of a module.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `.entry` or `.func`.
    Function(Function),
    /// `.global`, `.const`, `.shared` …
    Variable(Declaration),
    /// `.alias a, b;`
    Alias {
        /// The new name.
        name: String,
        /// The aliased function.
        target: String,
    },
    /// `.pragma "…";`
    Pragma(Vec<String>),
    /// `.file 1 "a.mlir"`
    File(File),
    /// `.section .debug_info { … }`
    Section(Section),
}

/// An `.entry` or a `.func`.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Linkage directives in order: `.visible`, `.extern` …
    pub linkage: Vec<Linkage>,
    /// Whether the function is an `.entry` (a kernel).
    pub entry: bool,
    /// Its name.
    pub name: String,
    /// Return values of a `.func`.
    pub returns: Vec<Declaration>,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// Directives between parameters and body: `.reqntid 256, 1, 1` …
    pub directives: Vec<FunctionDirective>,
    /// Statements of the body; `None` for a declaration.
    pub body: Option<Vec<Statement>>,
    /// Position of the name.
    pub at: Position,
}

impl Function {
    /// Returns the numbers of a directive, such as `[256, 1, 1]` for `reqntid`. `name` has no dot.
    pub fn directive(&self, name: &str) -> Option<&[u64]> {
        self.directives
            .iter()
            .find_map(|directive| match directive {
                FunctionDirective::Numbers { name: own, values } if own == name => {
                    Some(values.as_slice())
                }
                _ => None,
            })
    }
}

/// A directive of a function, such as a launch bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionDirective {
    /// A directive with zero or more numbers: `.maxntid 128, 1, 1`, `.minnctapersm 2`, `.noreturn`.
    Numbers {
        /// Name of the directive, without the dot.
        name: String,
        /// Numbers of the directive; empty for a directive without numbers, such as `.noreturn`.
        values: Vec<u64>,
    },
    /// `.pragma "…";`
    Pragma(Vec<String>),
    /// `.attribute(…)`
    Attributes(Vec<Attribute>),
}
