//! Declarations of registers, variables and parameters.

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

/// One attribute of a list such as `.attribute(.managed, .unified(1, 2))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name of the attribute without the leading dot, such as `managed`.
    pub name: String,
    /// Numbers in parentheses after the name of the attribute: 1 and 2 for `.unified(1, 2)`.
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
    /// Alignment that `.align` specifies, in bytes.
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
    /// State space of the pointee, without the dot; `None` for generic addresses.
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
        /// Name of the variable or function to whose address `offset` is added.
        name: String,
        /// Offset in bytes.
        offset: i64,
    },
    /// A generic address: `generic(a)+4`.
    Generic {
        /// Name of the variable or function to whose address `offset` is added.
        name: String,
        /// Offset in bytes.
        offset: i64,
    },
    /// Selected bits of an initial value, such as an address: `0xFF00(a)` selects the bits 8 to 15
    /// of the address of `a`.
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
