//! Table of the directives of a suite.

use crate::count::Count;
use crate::directive::Directive;
use crate::semantic::{Assemble, RaceFree, Validate};
use std::collections::BTreeMap;

/// Directives of a suite that are not built into the parser.
pub(crate) struct Registry {
    pub(crate) directives: BTreeMap<String, Box<dyn Directive>>,
    /// Directives that tools other than the harness read, by name. The list of a directive contains
    /// the folders whose tests may contain the directive; an empty list permits every folder.
    pub(crate) read_elsewhere: BTreeMap<String, Vec<String>>,
}

impl Registry {
    /// Creates a registry of the built-in directives.
    pub(crate) fn builtin() -> Self {
        let known: [(&str, Box<dyn Directive>); 4] = [
            ("COUNT", Box::new(Count)),
            ("PTXAS", Box::new(Assemble)),
            ("RACE-FREE", Box::new(RaceFree)),
            ("VALIDATE", Box::new(Validate)),
        ];
        Self {
            directives: known.map(|(name, does)| (name.to_owned(), does)).into(),
            read_elsewhere: BTreeMap::new(),
        }
    }
}
