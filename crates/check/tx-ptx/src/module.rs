//! Syntax tree of a PTX module: functions, variables and debug information.

use crate::instruction::Statement;
use crate::position::Position;

/// A PTX module.
///
/// [`Display`](std::fmt::Display) formats the module as text. [`parse`](Module::parse) converts
/// that text to an equal module. Comments are not preserved.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Version of the PTX ISA: 8 and 7 for `.version 8.7`.
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

    /// Returns all `.entry` functions (kernels), in order.
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

/// Linkage of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Linkage {
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
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
    /// A directive with numbers: `.maxntid 128, 1, 1`, `.minnctapersm 2`, `.noreturn`.
    Numbers {
        /// Name of the directive, without the dot.
        name: String,
        /// Numbers of the directive; empty for directives such as `.noreturn`.
        values: Vec<u64>,
    },
    /// `.pragma "…";`
    Pragma(Vec<String>),
    /// `.attribute(…)`
    Attributes(Vec<Attribute>),
}

/// One attribute of a list such as `.attribute(.managed, .unified(1, 2))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name of the attribute, without the dot.
    pub name: String,
    /// Numbers of the attribute, in parentheses.
    pub values: Vec<u64>,
}

/// Declaration of one or several names of one type: registers, variables or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Linkage directives in order: `.visible`, `.extern` …
    pub linkage: Vec<Linkage>,
    /// State space without the dot: `reg`, `global`, `shared`, `local`, `const`, `param` …
    pub space: String,
    /// `.attribute(.managed)`
    pub attributes: Vec<Attribute>,
    /// Alignment of `.align`, in bytes.
    pub align: Option<u64>,
    /// Vector length: 2 for `.v2`, 4 for `.v4`.
    pub vector: Option<u64>,
    /// Type without the dot: `b32`, `pred`, `texref` …
    pub ty: String,
    /// Properties of the pointee of a pointer parameter (`.ptr`).
    pub pointer: Option<Pointer>,
    /// The declared names.
    pub names: Vec<Declarator>,
}

/// Pointee of a pointer parameter: `.ptr .global .align 16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// State space of the pointee, without the dot; `None` for generic.
    pub space: Option<String>,
    /// The alignment of the address in bytes.
    pub align: Option<u64>,
}

/// A declared name with its array sizes and initial value.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Name of the register, variable or parameter; `_` in prototypes.
    pub name: String,
    /// Number of declared registers: 5 for `%r<5>`, which declares `%r0` to `%r4`.
    pub count: Option<u64>,
    /// Array sizes; `None` for an unspecified size `[]`.
    pub sizes: Vec<Option<u64>>,
    /// Initial value of a variable.
    pub initializer: Option<Initializer>,
}

/// Initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// Integer literal.
    Integer(i128),
    /// Bits of an f32 literal.
    Single(u32),
    /// Bits of an f64 literal.
    Double(u64),
    /// An address: `a`, `a+4`.
    Symbol {
        /// Name of the variable or function.
        name: String,
        /// Offset in bytes.
        offset: i64,
    },
    /// A generic address: `generic(a)+4`.
    Generic {
        /// Name of the variable or function.
        name: String,
        /// Offset in bytes.
        offset: i64,
    },
    /// Bits of another initial value, selected by a mask: `0xFF00(a)`.
    Masked {
        /// The selected bits.
        mask: u64,
        /// The masked value.
        value: Box<Initializer>,
    },
    /// `{…, …}`
    List(Vec<Initializer>),
    /// A field of a sampler: `filter_mode = nearest`.
    Field {
        /// The left side.
        name: String,
        /// The right side.
        value: Box<Initializer>,
    },
}

/// A `.file` directive: `.file 1 "a.mlir", 1700000000, 42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Index of the file in `.loc` directives.
    pub index: u64,
    /// Path, with escapes unchanged.
    pub name: String,
    /// Modification time and size of the file.
    pub stamp: Option<(u64, u64)>,
}

/// A section of DWARF data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name of the section, without the dot.
    pub name: String,
    /// Lines of the section.
    pub lines: Vec<SectionLine>,
}

/// One line of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionLine {
    /// `$L__info_string0:`
    Label(String),
    /// `.b32 $L__tmp1-$L__tmp0`
    Data {
        /// Type of the values, without the dot.
        ty: String,
        /// The values.
        values: Vec<DataValue>,
    },
}

/// A value in a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataValue {
    /// A number.
    Integer(i128),
    /// `a`, `a+4`, `.debug_abbrev`, `a-b`.
    Symbol {
        /// A label, or a section name with its dot.
        name: String,
        /// The subtracted label.
        minus: Option<String>,
        /// The added offset.
        offset: i64,
    },
}
