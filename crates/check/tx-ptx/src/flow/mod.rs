//! Control flow of a function.

mod constants;
mod error;
mod flatten;
mod loops;
mod scope;
mod site;

use crate::instruction::Operand;
use crate::module::Function;
use crate::operation::{MalformedInstruction, Operation};
use constants::Definitions;
use flatten::Flat;
use scope::{ScopeTable, register};

pub use error::FlowError;
pub use site::{Block, Site};

/// The body of a function, with the instructions in program order, the basic blocks and the
/// register definitions.
#[derive(Clone, Debug)]
pub struct Flow<'a> {
    sites: Vec<Site<'a>>,
    blocks: Vec<Block>,
    scopes: Vec<ScopeTable<'a>>,
    definitions: Definitions<'a>,
}

impl<'a> Flow<'a> {
    /// Collects the instructions, basic blocks and register definitions of a function. If the
    /// function has no body (a declaration), the list of instructions is empty.
    pub fn of(function: &'a Function) -> Result<Flow<'a>, FlowError> {
        let flat = Flat::of(function.body.as_deref().unwrap_or_default())?;
        let blocks = loops::blocks(&flat)?;
        let mut sites = flat.sites;
        for (index, block) in blocks.iter().enumerate() {
            for site in &mut sites[block.sites.clone()] {
                site.block = index;
            }
        }
        Ok(Flow {
            definitions: Definitions::of(&sites, &flat.scopes),
            sites,
            blocks,
            scopes: flat.scopes,
        })
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

    /// Decodes an instruction. In the returned [`Operation`], a register with a constant value is
    /// replaced by the value.
    pub fn operation(&self, site: &Site<'a>) -> Result<Operation, MalformedInstruction> {
        Operation::read(
            site.instruction,
            |operand| self.constant(site, operand),
            |name| register(&self.scopes, site.scope, name).is_some(),
        )
    }

    /// Returns the value of an integer operand that is constant: the operand is an immediate, or a
    /// register whose only definition is a `mov` of a constant.
    ///
    /// A guard predicate of the `mov` does not affect the returned value, because the register has
    /// no defined value in a thread that does not execute the `mov`.
    pub fn constant(&self, site: &Site<'a>, operand: &Operand) -> Option<i128> {
        self.definitions
            .constant(&self.sites, &self.scopes, site, operand)
    }
}
