//! Control flow of a function.

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

/// The body of a function, with the instructions in order, the basic blocks and the register
/// definitions.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    sites: Vec<Site<'a>>,
    blocks: Vec<Block>,
    scopes: Vec<ScopeTable<'a>>,
    definitions: BTreeMap<Register<'a>, Definition>,
}

/// A register, identified by its name and by the index of the scope that declares it. Several
/// scopes of inline assembly may declare a register with the same name.
type Register<'a> = (usize, &'a str);

/// An instruction and its position in the control flow.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Whether the instruction is inline assembly.
    pub inline_asm: bool,
    /// Index in [`Flow::blocks`] of the basic block of the instruction.
    pub block: usize,
    scope: usize,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Range of the instructions of the block in [`Flow::sites`].
    pub sites: std::ops::Range<usize>,
    /// Indices of the successor blocks, in ascending order.
    pub successors: Vec<usize>,
    /// Whether the block is part of a cycle of the control-flow graph.
    pub in_loop: bool,
    /// Whether the block is reachable from the entry of the function.
    pub reachable: bool,
}

/// A body with malformed control flow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// A branch to an undefined label.
    #[error("line {}, column {}: there is no label `{label}`", at.line, at.column)]
    UndefinedLabel {
        /// The label.
        label: String,
        /// Position of the branch.
        at: Position,
    },
    /// A label with two definitions.
    #[error("line {}, column {}: the label `{label}` is defined twice", at.line, at.column)]
    DuplicateLabel {
        /// The label.
        label: String,
        /// Position of the second definition.
        at: Position,
    },
    /// A branch without a target label.
    #[error("line {}, column {}: `{opcode}` names no label", at.line, at.column)]
    NoTarget {
        /// Opcode of the branch.
        opcode: String,
        /// Position of the branch.
        at: Position,
    },
}

impl<'a> Flow<'a> {
    /// Analyses the body of a function. A declaration without a body has no instructions.
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

    /// Returns all instructions, in program order.
    pub fn sites(&self) -> &[Site<'a>] {
        &self.sites
    }

    /// Returns the basic blocks, in program order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns whether an instruction is part of a loop.
    pub fn in_loop(&self, site: &Site<'_>) -> bool {
        self.blocks[site.block].in_loop
    }

    /// Returns whether an instruction is reachable.
    pub fn is_reachable(&self, site: &Site<'_>) -> bool {
        self.blocks[site.block].reachable
    }

    /// Decodes an instruction. The result contains constants in place of the registers that hold
    /// these constants.
    pub fn operation(&self, site: &Site<'a>) -> Result<Operation, MalformedInstruction> {
        Operation::read(
            site.instruction,
            |operand| self.constant(site, operand),
            |name| self.register(site.scope, name).is_some(),
        )
    }

    /// Returns the value of an integer operand that is constant: the operand is an immediate, or a
    /// register whose only definition is a `mov` of a constant.
    ///
    /// A guard on the `mov` is ignored: if the `mov` does not execute, the register is undefined.
    pub fn constant(&self, site: &Site<'a>, operand: &Operand) -> Option<i128> {
        self.follow(site, operand)
    }
}
