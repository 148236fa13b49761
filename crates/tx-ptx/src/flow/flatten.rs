//! Statements to a list of instructions, and names to the scopes that declare them.

use std::collections::{BTreeMap, BTreeSet};

use super::{FlowError, Site};
use crate::instruction::Statement;
use crate::module::Declarator;
use crate::position::Position;

/// What a scope declares.
#[derive(Clone, Debug, Default)]
pub(super) struct ScopeTable<'a> {
    parent: Option<usize>,
    /// Registers with a name of their own.
    registers: BTreeSet<&'a str>,
    /// `%r<5>`: the name before the number, and how many.
    numbered: BTreeMap<&'a str, u64>,
    /// The instruction that follows a label.
    labels: BTreeMap<&'a str, usize>,
    /// `.branchtargets` by its label.
    targets: BTreeMap<&'a str, &'a [String]>,
}

pub(super) struct Flat<'a> {
    pub(super) sites: Vec<Site<'a>>,
    pub(super) scopes: Vec<ScopeTable<'a>>,
}

impl<'a> Flat<'a> {
    pub(super) fn of(body: &'a [Statement]) -> Result<Flat<'a>, FlowError> {
        let mut flat = Flat {
            sites: Vec::new(),
            scopes: vec![ScopeTable::default()],
        };
        flat.scope(body, 0, false)?;
        Ok(flat)
    }

    /// Adds what stands in one scope. The parser bounds how deep they nest.
    fn scope(
        &mut self,
        statements: &'a [Statement],
        scope: usize,
        mut inline_asm: bool,
    ) -> Result<(), FlowError> {
        let mut label: Option<&'a str> = None;
        for statement in statements {
            let before = label.take();
            match statement {
                Statement::Label { name, at } => {
                    self.label(scope, name, *at)?;
                    label = Some(name);
                }
                Statement::Instruction(instruction) => self.sites.push(Site {
                    instruction,
                    inline_asm,
                    block: 0,
                    scope,
                }),
                Statement::Declaration(declaration) if declaration.space == "reg" => {
                    for name in &declaration.names {
                        self.scopes[scope].declare(name);
                    }
                }
                Statement::Scope(inner) => {
                    self.scopes.push(ScopeTable {
                        parent: Some(scope),
                        ..ScopeTable::default()
                    });
                    let own = self.scopes.len() - 1;
                    self.scope(inner, own, inline_asm)?;
                }
                Statement::BranchTargets(labels) => {
                    if let Some(name) = before {
                        self.scopes[scope].targets.insert(name, labels);
                    }
                }
                Statement::InlineAsmBegin => inline_asm = true,
                Statement::InlineAsmEnd => inline_asm = false,
                Statement::Declaration(_)
                | Statement::CallTargets(_)
                | Statement::CallPrototype { .. }
                | Statement::Pragma(_)
                | Statement::Location(_)
                | Statement::File(_) => {}
            }
        }
        Ok(())
    }

    fn label(&mut self, scope: usize, name: &'a str, at: Position) -> Result<(), FlowError> {
        let next = self.sites.len();
        match self.scopes[scope].labels.insert(name, next) {
            None => Ok(()),
            Some(_) => Err(FlowError::DuplicateLabel {
                label: name.to_owned(),
                at,
            }),
        }
    }

    /// The instructions before which labels stand.
    pub(super) fn labelled(&self) -> impl Iterator<Item = usize> {
        self.scopes
            .iter()
            .flat_map(|scope| scope.labels.values().copied())
    }

    /// The instruction that a label in reach of `scope` names.
    pub(super) fn find_label(&self, scope: usize, name: &str) -> Option<usize> {
        outwards(&self.scopes, scope).find_map(|(_, table)| table.labels.get(name).copied())
    }

    /// The labels of a table, and the scope in which it stands.
    pub(super) fn find_targets(&self, scope: usize, name: &str) -> Option<(usize, &'a [String])> {
        outwards(&self.scopes, scope)
            .find_map(|(scope, table)| table.targets.get(name).map(|labels| (scope, *labels)))
    }
}

impl<'a> ScopeTable<'a> {
    fn declare(&mut self, declarator: &'a Declarator) {
        let name = declarator.name.as_str();
        match declarator.count {
            None => {
                self.registers.insert(name);
            }
            Some(count) => {
                self.numbered.insert(name, count);
            }
        }
    }

    pub(super) fn declares(&self, name: &str) -> bool {
        if self.registers.contains(name) {
            return true;
        }
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        // `%r10` may be number 10 of `%r`, or number 0 of `%r1`.
        (1..=digits).any(|digits| {
            let (prefix, number) = name.split_at(name.len() - digits);
            let plain = number.len() == 1 || !number.starts_with('0');
            plain
                && self
                    .numbered
                    .get(prefix)
                    .is_some_and(|&count| number.parse::<u64>().is_ok_and(|number| number < count))
        })
    }
}

/// A scope and those around it.
pub(super) fn outwards<'s, 'a>(
    scopes: &'s [ScopeTable<'a>],
    scope: usize,
) -> impl Iterator<Item = (usize, &'s ScopeTable<'a>)> {
    std::iter::successors(Some(scope), |&scope| scopes[scope].parent)
        .map(|scope| (scope, &scopes[scope]))
}
