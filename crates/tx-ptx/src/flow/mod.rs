//! Where control goes in a function.

mod constants;
mod flatten;
mod loops;

use std::collections::BTreeMap;

use crate::instruction::{Instruction, Operand};
use crate::module::Function;
use crate::operation::{MalformedInstruction, Operation};
use crate::position::Position;
use constants::Definition;
use flatten::{Flat, ScopeTable};

/// A body taken apart: its instructions in order, its basic blocks, and what is known of each.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    sites: Vec<Site<'a>>,
    blocks: Vec<Block>,
    scopes: Vec<ScopeTable<'a>>,
    definitions: BTreeMap<Register<'a>, Definition>,
}

/// A register: the scope that declares it and its name. Inline assembly declares the same names over
/// and over.
type Register<'a> = (usize, &'a str);

/// An instruction at its place.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Whether it is inline assembly.
    pub inline_asm: bool,
    /// The basic block it is in, an index of [`Flow::blocks`].
    pub block: usize,
    scope: usize,
}

/// A basic block: it is entered at its beginning and left at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions, indices of [`Flow::sites`].
    pub sites: std::ops::Range<usize>,
    /// The blocks that may follow, in ascending order.
    pub successors: Vec<usize>,
    /// Whether a way leads from it back to it.
    pub in_loop: bool,
    /// Whether a way leads from the beginning of the function to it.
    pub reachable: bool,
}

/// A body whose control flow cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// A label that is nowhere.
    #[error("line {}, column {}: there is no label `{label}`", at.line, at.column)]
    UndefinedLabel {
        /// The label.
        label: String,
        /// Where it is used.
        at: Position,
    },
    /// A label that is there twice.
    #[error("line {}, column {}: the label `{label}` is defined twice", at.line, at.column)]
    DuplicateLabel {
        /// The label.
        label: String,
        /// Where it is defined again.
        at: Position,
    },
    /// A branch that does not say where to.
    #[error("line {}, column {}: `{opcode}` names no label", at.line, at.column)]
    NoTarget {
        /// The instruction.
        opcode: String,
        /// Where it stands.
        at: Position,
    },
}

impl<'a> Flow<'a> {
    /// Takes the body of a function apart; a function that is only declared has no instructions.
    pub fn of(function: &'a Function) -> Result<Flow<'a>, FlowError> {
        let flat = Flat::of(function.body.as_deref().unwrap_or_default())?;
        let blocks = loops::blocks(&flat)?;
        let mut sites = flat.sites;
        for (index, block) in blocks.iter().enumerate() {
            for site in &mut sites[block.sites.clone()] {
                site.block = index;
            }
        }
        let mut flow = Flow {
            sites,
            blocks,
            scopes: flat.scopes,
            definitions: BTreeMap::new(),
        };
        flow.definitions = flow.find_definitions();
        Ok(flow)
    }

    /// All instructions, in order.
    pub fn sites(&self) -> &[Site<'a>] {
        &self.sites
    }

    /// The basic blocks, in the order of the text.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Whether an instruction stands in a loop: control can come back to it.
    pub fn in_loop(&self, site: &Site<'_>) -> bool {
        self.blocks[site.block].in_loop
    }

    /// Whether control can come to an instruction.
    pub fn is_reachable(&self, site: &Site<'_>) -> bool {
        self.blocks[site.block].reachable
    }

    /// What an instruction does, with constants in registers followed.
    pub fn operation(&self, site: &Site<'a>) -> Result<Operation, MalformedInstruction> {
        Operation::read(
            site.instruction,
            |operand| self.constant(site, operand),
            |name| self.register(site.scope, name).is_some(),
        )
    }

    /// The value of an integer operand, if it is the same whenever `site` executes and simple to tell:
    /// an immediate, or a register with a single definition, a `mov` of such a value.
    ///
    /// A guard on that `mov` makes no difference: where it does not execute, the register holds
    /// nothing that may be read.
    pub fn constant(&self, site: &Site<'a>, operand: &Operand) -> Option<i128> {
        self.follow(site, operand)
    }
}
