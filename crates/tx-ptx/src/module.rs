//! A module as it is written: functions, variables, and what debuggers read.

use crate::instruction::Statement;
use crate::position::Position;

/// A PTX module.
///
/// [`Display`](std::fmt::Display) writes it as text, which [`parse`](Module::parse) reads to an equal
/// module. Comments are not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The version of the PTX language: 8 and 7 in `.version 8.7`.
    pub version: (u32, u32),
    /// The chip, and options after it: `sm_90a`, `debug`.
    pub target: Vec<String>,
    /// Bits of an address, 32 or 64, where it is said.
    pub address_size: Option<u64>,
    /// What the module defines and declares, in order.
    pub items: Vec<Item>,
}

impl Module {
    /// Functions and entries, defined or only declared.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    /// What can be launched, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|function| function.entry)
    }
}

/// One thing at the level of the module.
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
        /// The function that it names.
        target: String,
    },
    /// `.pragma "…";`
    Pragma(Vec<String>),
    /// `.file 1 "a.mlir"`
    File(File),
    /// `.section .debug_info { … }`
    Section(Section),
}

/// Who else can see a name.
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
    /// `.visible`, `.extern` …, in order.
    pub linkage: Vec<Linkage>,
    /// Whether it is an `.entry`, a kernel.
    pub entry: bool,
    /// Its name.
    pub name: String,
    /// What a `.func` returns.
    pub returns: Vec<Declaration>,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// What stands between parameters and body: `.reqntid 256, 1, 1` …
    pub directives: Vec<FunctionDirective>,
    /// What it does; `None` where it is only declared.
    pub body: Option<Vec<Statement>>,
    /// Where its name stands.
    pub at: Position,
}

impl Function {
    /// The numbers after a directive: `[256, 1, 1]` for `reqntid`, without the dot.
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

/// What a function says of its launch or of its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionDirective {
    /// A name without its dot and numbers: `.maxntid 128, 1, 1`, `.minnctapersm 2`, `.noreturn`.
    Numbers {
        /// The name, without its dot.
        name: String,
        /// The numbers, none for `.noreturn` and its like.
        values: Vec<u64>,
    },
    /// `.pragma "…";`
    Pragma(Vec<String>),
    /// `.attribute(…)`
    Attributes(Vec<Attribute>),
}

/// One of the list in `.attribute(.managed, .unified(1, 2))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name, without its dot.
    pub name: String,
    /// The numbers in parentheses.
    pub values: Vec<u64>,
}

/// Registers, variables or a parameter: one type, one or several names.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `.visible`, `.extern` …, in order.
    pub linkage: Vec<Linkage>,
    /// `reg`, `global`, `shared`, `local`, `const`, `param` …, without the dot.
    pub space: String,
    /// `.attribute(.managed)`
    pub attributes: Vec<Attribute>,
    /// Bytes of `.align`.
    pub align: Option<u64>,
    /// 2 or 4 in `.v2`, `.v4`.
    pub vector: Option<u64>,
    /// `b32`, `pred`, `texref` …, without the dot.
    pub ty: String,
    /// Of a parameter that holds a pointer, what it points to.
    pub pointer: Option<Pointer>,
    /// The names it declares.
    pub names: Vec<Declarator>,
}

/// `.ptr .global .align 16`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The memory it points to, without the dot; generic if it is not said.
    pub space: Option<String>,
    /// The alignment of the address in bytes.
    pub align: Option<u64>,
}

/// A name with what it alone has.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// The name; `_` in prototypes.
    pub name: String,
    /// 5 in `%r<5>`, which declares `%r0` to `%r4`.
    pub count: Option<u64>,
    /// Sizes of an array; `None` for `[]`.
    pub sizes: Vec<Option<u64>>,
    /// What it holds at first.
    pub initializer: Option<Initializer>,
}

/// What a variable holds at first.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// An integer.
    Integer(i128),
    /// The bits of an f32.
    Single(u32),
    /// The bits of an f64.
    Double(u64),
    /// An address: `a`, `a+4`.
    Symbol {
        /// What it is the address of.
        name: String,
        /// Bytes after that.
        offset: i64,
    },
    /// A generic address: `generic(a)+4`.
    Generic {
        /// What it is the address of.
        name: String,
        /// Bytes after that.
        offset: i64,
    },
    /// Some bits of another: `0xFF00(a)`.
    Masked {
        /// Which bits.
        mask: u64,
        /// Of what.
        value: Box<Initializer>,
    },
    /// `{…, …}`
    List(Vec<Initializer>),
    /// `filter_mode = nearest`, of a sampler.
    Field {
        /// The left side.
        name: String,
        /// The right side.
        value: Box<Initializer>,
    },
}

/// `.file 1 "a.mlir", 1700000000, 42`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The number by which `.loc` names it.
    pub index: u64,
    /// The path, with escapes as they were written.
    pub name: String,
    /// When it was changed, and its size.
    pub stamp: Option<(u64, u64)>,
}

/// A section of DWARF data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name, without its dot.
    pub name: String,
    /// What it holds.
    pub lines: Vec<SectionLine>,
}

/// One line of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionLine {
    /// `$L__info_string0:`
    Label(String),
    /// `.b32 $L__tmp1-$L__tmp0`
    Data {
        /// The type without its dot.
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
        /// A name, or a section with its dot.
        name: String,
        /// What is taken away from it.
        minus: Option<String>,
        /// What is added.
        offset: i64,
    },
}
