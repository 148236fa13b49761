//! The facts of PTX.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fact, Facts, KernelFacts, Place};
use crate::flow::{Flow, FlowError};
use crate::module::{Function, Module};
use crate::operation::{MalformedInstruction, Operation};

/// A module whose facts cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    /// Control flow cannot be told.
    #[error("in `{function}`: {source}")]
    Flow {
        /// The function.
        function: String,
        /// Why.
        source: FlowError,
    },
    /// An instruction is not put together as PTX says.
    #[error("in `{function}`: {source}")]
    Malformed {
        /// The function.
        function: String,
        /// Which, and why.
        source: MalformedInstruction,
    },
    /// A function calls itself, directly or not: how often it does anything is not known.
    #[error("`{function}` calls itself, so that it is unknown how often it does anything")]
    Recursive {
        /// The function.
        function: String,
    },
}

/// What a function does itself, before what it calls is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionFacts {
    /// What stands in it.
    pub facts: KernelFacts,
    /// The functions with a body that it calls, once for each call.
    pub calls: Vec<(String, Place)>,
}

impl Facts {
    /// What the entries of a module do, with the functions of the module that they call, once for each
    /// call. Instructions that are never reached do not count.
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

    /// What kernels do with the functions that they call, once for each call. Calls of what is not among the
    /// functions are left out.
    ///
    /// # Errors
    /// [`FactsError::Recursive`]
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
            Place::InLoop
        } else {
            Place::OutsideLoops
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

/// Puts the facts of `root`, with what it calls, into `whole`. A stack of its own, since chains of calls
/// may be as long as they like.
fn resolve<'a>(
    root: &'a str,
    own: &'a BTreeMap<String, FunctionFacts>,
    whole: &mut BTreeMap<&'a str, KernelFacts>,
) -> Result<(), FactsError> {
    // A function, and how many of its calls are done.
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
