//! Instructions and basic blocks of a function.

use crate::instruction::Instruction;

/// An instruction and its position in the control flow.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Whether the instruction is inline assembly.
    pub inline_asm: bool,
    /// Index in [`Flow::blocks`](super::Flow::blocks) of the basic block of the instruction.
    pub block: usize,
    pub(super) scope: usize,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Index range of the instructions of the block in [`Flow::sites`](super::Flow::sites).
    pub sites: std::ops::Range<usize>,
    /// Indices of the successor blocks, in ascending order.
    pub successors: Vec<usize>,
    /// Whether the block is part of a cycle of the control-flow graph.
    pub in_loop: bool,
    /// Whether the block is reachable from the entry of the function.
    pub reachable: bool,
}
