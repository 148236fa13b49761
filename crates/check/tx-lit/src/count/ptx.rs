//! Counting of PTX instructions.

use std::collections::BTreeMap;

use tx_ptx::{Direction, Flow, Module, Operation};

use super::{Act, Found, Function, Space};

/// Returns the functions that have a body, with their reachable instructions. The instructions of a
/// called function with a body count once per call.
pub(super) fn functions(text: &str) -> Result<Vec<Function>, String> {
    let module = Module::parse(text).map_err(|error| format!("the output is no PTX: {error}"))?;
    let bodies: BTreeMap<&str, &tx_ptx::Function> = module
        .functions()
        .filter(|function| function.body.is_some())
        .map(|function| (function.name.as_str(), function))
        .collect();
    bodies
        .keys()
        .map(|name| {
            let mut ops = Vec::new();
            collect(name, &bodies, &mut Vec::new(), &mut ops)?;
            Ok(Function {
                name: (*name).to_owned(),
                ops,
            })
        })
        .collect()
}

fn collect<'m>(
    name: &'m str,
    bodies: &BTreeMap<&'m str, &'m tx_ptx::Function>,
    open: &mut Vec<&'m str>,
    ops: &mut Vec<Found>,
) -> Result<(), String> {
    let Some(function) = bodies.get(name) else {
        return Ok(());
    };
    if open.contains(&name) {
        return Err(format!(
            "`{name}` calls itself, so that it is not known how often it does anything"
        ));
    }
    open.push(name);
    let flow = Flow::of(function).map_err(|error| format!("in `{name}`: {error}"))?;
    for site in flow.sites().iter().filter(|site| flow.is_reachable(site)) {
        let operation = flow
            .operation(site)
            .map_err(|error| format!("in `{name}`: {error}"))?;
        let mut act = act(&operation);
        if let Operation::Call { callee } = &operation {
            let known = callee
                .as_deref()
                .and_then(|callee| bodies.get_key_value(callee));
            match known {
                Some((callee, _)) => {
                    collect(callee, bodies, open, ops)?;
                    act = Act::Other;
                }
                None => act = Act::Hides,
            }
        }
        ops.push(Found {
            line: usize::try_from(site.instruction.at.line).unwrap_or_default(),
            name: site.instruction.opcode.as_str().to_owned(),
            text: site.instruction.to_string(),
            act,
        });
    }
    open.pop();
    Ok(())
}

fn act(operation: &Operation) -> Act {
    match operation {
        Operation::Barrier(_) => Act::Barrier,
        Operation::WarpBarrier { .. } => Act::WarpBarrier,
        // Each pair of an arrive and a wait instruction counts once, at the wait instruction.
        Operation::ClusterBarrier { wait: true, .. } => Act::ClusterBarrier,
        Operation::Shuffle { .. } => Act::Shuffle,
        Operation::Redux { .. } => Act::Redux,
        Operation::Vote { .. } => Act::Vote,
        Operation::Fence { .. } | Operation::ProxyFence { .. } => Act::Fence,
        Operation::Atomic(atomic) => Act::Atomic(space(atomic.space)),
        // Loads of kernel parameters are not counted.
        Operation::Access(access) if access.space == tx_ptx::Space::Param => Act::Other,
        Operation::Access(access) => {
            let (space, vector) = (space(access.space), access.is_vector());
            match access.direction {
                Direction::Load => Act::Load { space, vector },
                Direction::Store => Act::Store { space, vector },
            }
        }
        _ => Act::Other,
    }
}

fn space(space: tx_ptx::Space) -> Space {
    match space {
        tx_ptx::Space::Global => Space::Global,
        tx_ptx::Space::Shared => Space::Shared,
        tx_ptx::Space::SharedCluster => Space::Cluster,
        tx_ptx::Space::Local => Space::Private,
        tx_ptx::Space::Const | tx_ptx::Space::Param => Space::Constant,
        tx_ptx::Space::Generic => Space::Generic,
    }
}
