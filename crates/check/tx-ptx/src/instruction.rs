//! Statements of a function body: instructions, labels, scopes.

use crate::debug::{File, Location};
use crate::declaration::Declaration;
use crate::position::Position;

/// One statement of a function body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `$L__BB0_1:`
    Label {
        /// Name of the label.
        name: String,
        /// Position of the label.
        at: Position,
    },
    /// An instruction.
    Instruction(Instruction),
    /// Declaration of registers or variables.
    Declaration(Declaration),
    /// A nested scope `{ … }` with its own names.
    Scope(Vec<Statement>),
    /// A table of branch targets, `.branchtargets $L__BB0_1, $L__BB0_2;`, whose name is the
    /// preceding label.
    BranchTargets(Vec<String>),
    /// A table of call targets, `.calltargets f, g;`, whose name is the preceding label.
    CallTargets(Vec<String>),
    /// A prototype `.callprototype (.param .b32 _) _ (.param .b32 _);`, whose name is the preceding
    /// label.
    CallPrototype {
        /// Return values of the prototype.
        returns: Vec<Declaration>,
        /// Parameters of the prototype.
        parameters: Vec<Declaration>,
        /// Whether the prototype is `.noreturn`.
        noreturn: bool,
    },
    /// `.pragma "nounroll";`
    Pragma(Vec<String>),
    /// `.loc 1 5 3`
    Location(Location),
    /// `.file 1 "a.mlir"`
    File(File),
    /// The comment `// begin inline asm`, before inline assembly.
    InlineAsmBegin,
    /// The comment `// end inline asm`.
    InlineAsmEnd,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Guard predicate: `@%p1` or `@!%p1`.
    pub guard: Option<Guard>,
    /// Opcode with modifiers.
    pub opcode: Opcode,
    /// Operands in order.
    pub operands: Vec<Operand>,
    /// Position of the first token of the instruction.
    pub at: Position,
}

/// The predicate under which a thread executes an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whether the predicate is negated.
    pub negated: bool,
    /// The predicate register.
    pub register: String,
}

/// Opcode with all modifiers, such as `ld.global.v4.b32`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode {
    text: String,
}

impl Opcode {
    pub(crate) fn new(text: String) -> Opcode {
        Opcode { text }
    }

    /// Returns the opcode with all modifiers, such as `ld.global.v4.b32`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the part of the opcode before the first dot, such as `ld`.
    pub fn name(&self) -> &str {
        self.text.split('.').next().unwrap_or(&self.text)
    }

    /// Returns the modifiers of the opcode without dots, such as `global`, `v4` and `b32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.text.split('.').skip(1)
    }

    /// Returns whether the opcode contains `modifier`.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|each| each == modifier)
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A name that begins with `%`: `%r1`, `%tid.x`.
    Register(String),
    /// A name without `%`: a variable, a function, a label, a register or `_`.
    Symbol(String),
    /// A variable plus an offset in bytes: `a+4`.
    Offset {
        /// The variable.
        symbol: String,
        /// Offset in bytes.
        offset: i64,
    },
    /// An integer literal in any notation of PTX.
    Integer(i128),
    /// Bits of an f32 literal.
    Single(u32),
    /// Bits of an f64 literal.
    Double(u64),
    /// An address in brackets.
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
    /// Base of the address: a register, a symbol or an integer.
    pub base: Box<Operand>,
    /// Offset in bytes.
    pub offset: i64,
    /// Operands after the base inside the brackets of the address, such as tensor coordinates.
    pub rest: Vec<Operand>,
}
