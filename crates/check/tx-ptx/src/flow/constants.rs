//! Detection of registers that hold the same constant throughout a function.

use std::collections::BTreeMap;

use super::scope::{Register, ScopeTable, register};
use super::site::Site;
use crate::instruction::{Instruction, Operand};

/// Maximum number of register copies (`mov`) that the analysis follows from a use to a constant. In
/// PTX that LLVM emits, a chain of register copies contains one or two copies.
const FOLLOWED: usize = 16;

/// Definition of a register: the index of the only instruction that writes the register, or
/// `Several` if several instructions write the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Definition {
    /// Index of the only instruction that writes the register.
    One(usize),
    Several,
}

/// Opcodes without a result operand. For an opcode that is not in `WITHOUT_RESULT`, the analysis
/// assumes that the instruction writes its first operand. If an opcode without a result is missing
/// from `WITHOUT_RESULT`, the analysis possibly misses constants, but never returns a wrong
/// constant.
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

/// Definition of each register that some instruction writes.
#[derive(Clone, Debug)]
pub(super) struct Definitions<'a>(BTreeMap<Register<'a>, Definition>);

impl<'a> Definitions<'a> {
    pub(super) fn of(sites: &[Site<'a>], scopes: &[ScopeTable<'a>]) -> Self {
        let mut definitions = BTreeMap::new();
        for (index, site) in sites.iter().enumerate() {
            let instruction: &'a Instruction = site.instruction;
            if !writes_first_operand(instruction) {
                continue;
            }
            let mut written = Vec::new();
            names(instruction.operands.first(), &mut written);
            for name in written {
                if let Some(register) = register(scopes, site.scope, name) {
                    definitions
                        .entry(register)
                        .and_modify(|definition| *definition = Definition::Several)
                        .or_insert(Definition::One(index));
                }
            }
        }
        Self(definitions)
    }

    /// Returns the value of an operand that is constant: an immediate, or a register whose only
    /// definition is a `mov` of a constant.
    pub(super) fn constant(
        &self,
        sites: &[Site<'a>],
        scopes: &[ScopeTable<'a>],
        site: &Site<'a>,
        operand: &Operand,
    ) -> Option<i128> {
        let mut site = site;
        let mut operand = operand;
        for _ in 0..FOLLOWED {
            let name = match operand {
                Operand::Integer(value) => return Some(*value),
                Operand::Register(name) | Operand::Symbol(name) => name,
                _ => return None,
            };
            let register = register(scopes, site.scope, name)?;
            let &Definition::One(definition) = self.0.get(&register)? else {
                return None;
            };
            site = &sites[definition];
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

/// Appends to `found` the names of the registers in a destination operand.
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
