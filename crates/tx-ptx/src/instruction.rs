//! What stands in a body: instructions, labels, scopes.

use crate::module::{Declaration, File};
use crate::position::Position;

/// One statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `$L__BB0_1:`
    Label {
        /// The name.
        name: String,
        /// Where it stands.
        at: Position,
    },
    /// An instruction.
    Instruction(Instruction),
    /// Registers or variables.
    Declaration(Declaration),
    /// `{ … }`, with names of its own.
    Scope(Vec<Statement>),
    /// `.branchtargets $L__BB0_1, $L__BB0_2;`, named by the label before it.
    BranchTargets(Vec<String>),
    /// `.calltargets f, g;`, named by the label before it.
    CallTargets(Vec<String>),
    /// `.callprototype (.param .b32 _) _ (.param .b32 _);`, named by the label before it.
    CallPrototype {
        /// What such a function returns.
        returns: Vec<Declaration>,
        /// What it takes.
        parameters: Vec<Declaration>,
        /// Whether it is `.noreturn`.
        noreturn: bool,
    },
    /// `.pragma "nounroll";`
    Pragma(Vec<String>),
    /// `.loc 1 5 3`
    Location(Location),
    /// `.file 1 "a.mlir"`
    File(File),
    /// `// begin inline asm`: what follows was written by hand.
    InlineAsmBegin,
    /// `// end inline asm`
    InlineAsmEnd,
}

/// Which line of the source what follows comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of the `.file`.
    pub file: u64,
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
    /// The function that was inlined, and where it was called.
    pub inlined: Option<Inlined>,
}

/// `function_name $L__info_string0+4, inlined_at 1 5 3`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// A label in `.debug_str`.
    pub function_name: String,
    /// Bytes after it.
    pub offset: i64,
    /// File, line and column of the call.
    pub at: (u64, u64, u64),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@%p1` or `@!%p1`.
    pub guard: Option<Guard>,
    /// What it does.
    pub opcode: Opcode,
    /// On what.
    pub operands: Vec<Operand>,
    /// Where it begins.
    pub at: Position,
}

/// The predicate under which a thread executes an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whether the predicate has to be false.
    pub negated: bool,
    /// The predicate.
    pub register: String,
}

/// `ld.global.v4.b32`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode {
    text: String,
}

impl Opcode {
    pub(crate) fn new(text: String) -> Opcode {
        Opcode { text }
    }

    /// All of it: `ld.global.v4.b32`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands before the first dot: `ld`.
    pub fn name(&self) -> &str {
        self.text.split('.').next().unwrap_or(&self.text)
    }

    /// What stands after dots: `global`, `v4`, `b32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.text.split('.').skip(1)
    }

    /// Whether it has this modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|each| each == modifier)
    }
}

/// What an instruction takes or makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// What begins with `%`: `%r1`, `%tid.x`.
    Register(String),
    /// Another name: a variable, a function, a label, a register without `%`, `_`.
    Symbol(String),
    /// The address of something after a variable: `a+4`.
    Offset {
        /// The variable.
        symbol: String,
        /// Bytes.
        offset: i64,
    },
    /// An integer, however it was written.
    Integer(i128),
    /// The bits of an f32.
    Single(u32),
    /// The bits of an f64.
    Double(u64),
    /// What stands in brackets.
    Address(Address),
    /// `{%r1, %r2}`
    Vector(Vec<Operand>),
    /// `(param0, param1)`
    List(Vec<Operand>),
    /// `%r1|%p1`
    Pair(Box<Operand>, Box<Operand>),
    /// `!%p1`
    Not(Box<Operand>),
}

/// `[%rd1+16]`, `[tensor, {%r1, %r2}]`
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// A register, a symbol or an integer.
    pub base: Box<Operand>,
    /// Bytes after it.
    pub offset: i64,
    /// What else stands in the brackets: coordinates.
    pub rest: Vec<Operand>,
}
