//! Names that a PTX scope (`{ … }`) declares.

use crate::declaration::Declarator;
use std::collections::{BTreeMap, BTreeSet};

/// A register, identified by its name and by the index of the scope that declares the register.
/// Several scopes of inline assembly may declare a register with the same name.
pub(super) type Register<'a> = (usize, &'a str);

/// Declarations of one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct ScopeTable<'a> {
    pub(super) parent: Option<usize>,
    /// Registers that are declared by their full names, such as `%x`.
    pub(super) registers: BTreeSet<&'a str>,
    /// Registers that are declared as a numbered list, such as `%r<5>`. Each key is the prefix of
    /// the register names (`%r`), and each value is the number of registers.
    pub(super) numbered: BTreeMap<&'a str, u64>,
    /// For each label, the index of the instruction directly after the label.
    pub(super) labels: BTreeMap<&'a str, usize>,
    /// `.branchtargets` tables, by their labels.
    pub(super) targets: BTreeMap<&'a str, &'a [String]>,
}

impl<'a> ScopeTable<'a> {
    pub(super) fn declare(&mut self, declarator: &'a Declarator) {
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

/// Returns a scope and all enclosing scopes, each with its index, from the innermost to the
/// outermost scope.
pub(super) fn outwards<'s, 'a>(
    scopes: &'s [ScopeTable<'a>],
    scope: usize,
) -> impl Iterator<Item = (usize, &'s ScopeTable<'a>)> {
    std::iter::successors(Some(scope), |&scope| scopes[scope].parent)
        .map(|scope| (scope, &scopes[scope]))
}

/// Resolves a register name in a scope. Returns `None` for variables and for undeclared names
/// such as `%tid.x`.
pub(super) fn register<'n>(
    scopes: &[ScopeTable<'_>],
    scope: usize,
    name: &'n str,
) -> Option<Register<'n>> {
    outwards(scopes, scope)
        .find(|(_, table)| table.declares(name))
        .map(|(scope, _)| (scope, name))
}
