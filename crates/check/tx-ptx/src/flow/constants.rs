//! Detection of registers whose value is always one constant.

use std::collections::BTreeMap;

use super::flatten::outwards;
use super::{Flow, Register, Site};
use crate::instruction::{Instruction, Operand};

/// Maximum length of a chain of register copies to follow. In PTX of LLVM, such a chain has one or
/// two copies.
const FOLLOWED: usize = 16;

/// The instruction that writes a register, or the information that several instructions write the
/// register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// Exactly one instruction writes the register; the value is the index of this instruction.
    One(usize),
    Several,
}

/// Opcodes without a result operand. If an opcode is not in this list, the instruction is assumed
/// to write its first operand. A missing opcode may prevent the detection of a constant, but never
/// causes a wrong constant.
const WITHOUT_RESULT: &[&str] = &[
    "bra",
    "brx",
    "exit",
    "fence",
    "membar",
    "pmevent",
    "prefetch",
    "prefetchu",
    "red",
    "ret",
    "st",
    "stmatrix",
    "trap",
];

fn writes_first_operand(instruction: &Instruction) -> bool {
    let opcode = &instruction.opcode;
    match opcode.name() {
        // `bar.red` is the only barrier with a result.
        "bar" | "barrier" => opcode.has("red"),
        name => !WITHOUT_RESULT.contains(&name),
    }
}

impl<'a> Flow<'a> {
    /// Resolves a register name in a scope. Returns `None` for variables and for undeclared names
    /// such as `%tid.x`.
    pub(super) fn register<'n>(&self, scope: usize, name: &'n str) -> Option<Register<'n>> {
        outwards(&self.scopes, scope)
            .find(|(_, table)| table.declares(name))
            .map(|(scope, _)| (scope, name))
    }

    pub(super) fn find_definitions(&self) -> BTreeMap<Register<'a>, Definition> {
        let mut definitions = BTreeMap::new();
        for (index, site) in self.sites.iter().enumerate() {
            let instruction: &'a Instruction = site.instruction;
            if !writes_first_operand(instruction) {
                continue;
            }
            let mut written = Vec::new();
            names(instruction.operands.first(), &mut written);
            for name in written {
                if let Some(register) = self.register(site.scope, name) {
                    definitions
                        .entry(register)
                        .and_modify(|definition| *definition = Definition::Several)
                        .or_insert(Definition::One(index));
                }
            }
        }
        definitions
    }

    pub(super) fn follow(&self, site: &Site<'a>, operand: &Operand) -> Option<i128> {
        let mut site = site;
        let mut operand = operand;
        for _ in 0..FOLLOWED {
            let name = match operand {
                Operand::Integer(value) => return Some(*value),
                Operand::Register(name) | Operand::Symbol(name) => name,
                _ => return None,
            };
            let register = self.register(site.scope, name)?;
            let &Definition::One(definition) = self.definitions.get(&register)? else {
                return None;
            };
            site = &self.sites[definition];
            let instruction = site.instruction;
            let mut modifiers = instruction.opcode.modifiers();
            let whole = instruction.opcode.name() == "mov"
                && matches!(
                    modifiers.next(),
                    Some("b16" | "b32" | "b64" | "u16" | "u32" | "u64" | "s16" | "s32" | "s64")
                )
                && modifiers.next().is_none();
            operand = match instruction.operands.as_slice() {
                [Operand::Register(_) | Operand::Symbol(_), source] if whole => source,
                _ => return None,
            };
        }
        None
    }
}

/// Appends the names of the registers in a destination operand.
fn names<'a>(operand: Option<&'a Operand>, found: &mut Vec<&'a str>) {
    match operand {
        Some(Operand::Register(name) | Operand::Symbol(name)) => found.push(name),
        Some(Operand::Vector(all) | Operand::List(all)) => {
            for each in all {
                names(Some(each), found);
            }
        }
        Some(Operand::Pair(first, second)) => {
            names(Some(first), found);
            names(Some(second), found);
        }
        _ => {}
    }
}
