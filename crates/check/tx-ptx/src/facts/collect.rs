//! Extraction of facts (the counted operations) from PTX.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fact, Facts, KernelFacts, LoopNesting};
use crate::flow::{Flow, FlowError};
use crate::module::{Function, Module};
use crate::operation::{MalformedInstruction, Operation};

/// Reason why the operations of a module cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    /// The control flow of a function is malformed.
    #[error("in `{function}`: {source}")]
    Flow {
        /// The function.
        function: String,
        /// The cause.
        source: FlowError,
    },
    /// An instruction has modifiers or operands that are invalid for its opcode.
    #[error("in `{function}`: {source}")]
    Malformed {
        /// The function.
        function: String,
        /// The malformed instruction, and the reason why it is malformed.
        source: MalformedInstruction,
    },
    /// A function calls itself, directly or indirectly, so the operations of the function cannot be
    /// counted.
    #[error("`{function}` calls itself, so its operations cannot be counted")]
    Recursive {
        /// The function.
        function: String,
    },
}

/// Operations of one function, without the operations of its callees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionFacts {
    /// Operations in the body of the function.
    pub facts: KernelFacts,
    /// Names of the callees that have a body; the list has one entry per call.
    pub calls: Vec<(String, LoopNesting)>,
}

impl Facts {
    /// Counts the operations of each kernel of a module. The operations of a function of the module
    /// count once per call of the function. `Facts::of` does not count unreachable instructions.
    pub fn of(module: &Module) -> Result<Facts, FactsError> {
        let defined: BTreeMap<&str, &Function> = module
            .functions()
            .filter(|function| function.body.is_some())
            .map(|function| (function.name.as_str(), function))
            .collect();
        let own: BTreeMap<String, FunctionFacts> = defined
            .iter()
            .map(|(&name, function)| Ok((name.to_owned(), own_facts(function, &defined)?)))
            .collect::<Result<_, FactsError>>()?;
        let entries = module.entries().map(|entry| entry.name.as_str());
        Facts::with_calls(&own, entries)
    }

    /// Counts the operations of each kernel. The operations of a callee count once per call.
    /// `with_calls` ignores callees that `functions` does not contain.
    ///
    /// # Errors
    /// Returns [`FactsError::Recursive`] if a function calls itself, directly or indirectly.
    pub fn with_calls<'k>(
        functions: &BTreeMap<String, FunctionFacts>,
        kernels: impl IntoIterator<Item = &'k str>,
    ) -> Result<Facts, FactsError> {
        let mut whole = BTreeMap::new();
        for name in functions.keys() {
            resolve(name, functions, &mut whole)?;
        }
        let mut facts = Facts::default();
        for kernel in kernels {
            if let Some(whole) = whole.get(kernel) {
                facts.kernels.insert(kernel.to_owned(), whole.clone());
            }
        }
        Ok(facts)
    }
}

fn own_facts(
    function: &Function,
    defined: &BTreeMap<&str, &Function>,
) -> Result<FunctionFacts, FactsError> {
    let flow = Flow::of(function).map_err(|source| FactsError::Flow {
        function: function.name.clone(),
        source,
    })?;
    let mut own = FunctionFacts::default();
    for site in flow.sites().iter().filter(|site| flow.is_reachable(site)) {
        let place = if flow.in_loop(site) {
            LoopNesting::InLoop
        } else {
            LoopNesting::OutsideLoops
        };
        let operation = flow
            .operation(site)
            .map_err(|source| FactsError::Malformed {
                function: function.name.clone(),
                source,
            })?;
        if let Operation::Call {
            callee: Some(callee),
        } = &operation
            && defined.contains_key(callee.as_str())
        {
            own.calls.push((callee.clone(), place));
        } else if let Some(fact) = Fact::of(&operation) {
            own.facts.add(fact, place);
        }
    }
    Ok(own)
}

/// Adds the counted operations of `root` and of all its callees to `whole`. An explicit stack
/// replaces recursion, so call chains can have any depth.
fn resolve<'a>(
    root: &'a str,
    own: &'a BTreeMap<String, FunctionFacts>,
    whole: &mut BTreeMap<&'a str, KernelFacts>,
) -> Result<(), FactsError> {
    // Each stack entry contains a function and the number of processed calls in this function.
    let mut stack = vec![(root, 0)];
    let mut open: BTreeSet<&str> = BTreeSet::new();
    while let Some(&mut (name, ref mut done)) = stack.last_mut() {
        let Some(function) = own.get(name).filter(|_| !whole.contains_key(name)) else {
            stack.pop();
            continue;
        };
        open.insert(name);
        if let Some((callee, _)) = function.calls.get(*done) {
            *done += 1;
            if open.contains(callee.as_str()) {
                return Err(FactsError::Recursive {
                    function: callee.clone(),
                });
            }
            stack.push((callee, 0));
            continue;
        }
        let mut facts = function.facts.clone();
        for (callee, place) in &function.calls {
            if let Some(callee) = whole.get(callee.as_str()) {
                facts.include(callee, *place);
            }
        }
        whole.insert(name, facts);
        open.remove(name);
        stack.pop();
    }
    Ok(())
}
