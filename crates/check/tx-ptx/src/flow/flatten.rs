//! Flattening of nested statements to a list of instructions, and resolution of names in scopes.

use std::collections::{BTreeMap, BTreeSet};

use super::{FlowError, Site};
use crate::instruction::Statement;
use crate::module::Declarator;
use crate::position::Position;

/// Declarations of one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct ScopeTable<'a> {
    parent: Option<usize>,
    /// Registers that are declared by their full names.
    registers: BTreeSet<&'a str>,
    /// Registers that are declared as in `%r<5>`. Each entry contains the prefix of the names and
    /// the number of registers.
    numbered: BTreeMap<&'a str, u64>,
    /// Index of the instruction after each label.
    labels: BTreeMap<&'a str, usize>,
    /// `.branchtargets` tables, by their labels.
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

    /// Appends the statements of one scope. The parser limits the nesting depth, so the recursion
    /// depth of this function is bounded.
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

    /// Returns the indices of all instructions that follow a label.
    pub(super) fn labelled(&self) -> impl Iterator<Item = usize> {
        self.scopes
            .iter()
            .flat_map(|scope| scope.labels.values().copied())
    }

    /// Returns the index of the instruction at a label that is visible in `scope`.
    pub(super) fn find_label(&self, scope: usize, name: &str) -> Option<usize> {
        outwards(&self.scopes, scope).find_map(|(_, table)| table.labels.get(name).copied())
    }

    /// Returns the labels of a `.branchtargets` table, and the scope that declares the table.
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
        // `%r10` can be number 10 of `%r<11>` or number 0 of `%r1<1>`.
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

/// Returns the scope and its ancestors; the innermost scope is the first element.
pub(super) fn outwards<'s, 'a>(
    scopes: &'s [ScopeTable<'a>],
    scope: usize,
) -> impl Iterator<Item = (usize, &'s ScopeTable<'a>)> {
    std::iter::successors(Some(scope), |&scope| scopes[scope].parent)
        .map(|scope| (scope, &scopes[scope]))
}
