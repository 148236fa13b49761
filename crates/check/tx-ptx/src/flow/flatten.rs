//! Flattening of nested statements to a list of instructions, and resolution of names in scopes.

use super::error::FlowError;
use super::scope::{ScopeTable, outwards};
use super::site::Site;
use crate::instruction::Statement;
use crate::position::Position;

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

    /// Appends the instructions of one scope to the list of instructions of the function. The
    /// recursion depth of `Flat::scope` is limited, because the parser limits the nesting depth of
    /// scopes.
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

    /// Returns, for each label, the index of the instruction directly after the label.
    pub(super) fn labelled(&self) -> impl Iterator<Item = usize> {
        self.scopes
            .iter()
            .flat_map(|scope| scope.labels.values().copied())
    }

    /// Returns the index of the instruction directly after the label `name` that is visible in
    /// `scope`.
    pub(super) fn find_label(&self, scope: usize, name: &str) -> Option<usize> {
        outwards(&self.scopes, scope).find_map(|(_, table)| table.labels.get(name).copied())
    }

    /// Returns the labels of a `.branchtargets` table, and the scope that declares the table.
    pub(super) fn find_targets(&self, scope: usize, name: &str) -> Option<(usize, &'a [String])> {
        outwards(&self.scopes, scope)
            .find_map(|(scope, table)| table.targets.get(name).map(|labels| (scope, *labels)))
    }
}
