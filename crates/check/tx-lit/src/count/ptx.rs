//! Counting of PTX instructions.

use std::collections::BTreeMap;

use tx_ptx::{Direction, Flow, Module, Operation};

use super::operation::{FoundOperation, Function, OperationKind, Space};

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
    ops: &mut Vec<FoundOperation>,
) -> Result<(), String> {
    let Some(function) = bodies.get(name) else {
        return Ok(());
    };
    if open.contains(&name) {
        return Err(format!(
            "`{name}` calls itself, so its operations cannot be counted"
        ));
    }
    open.push(name);
    let flow = Flow::of(function).map_err(|error| format!("in `{name}`: {error}"))?;
    for site in flow.sites().iter().filter(|site| flow.is_reachable(site)) {
        let operation = flow
            .operation(site)
            .map_err(|error| format!("in `{name}`: {error}"))?;
        let mut kind = kind(&operation);
        if let Operation::Call { callee } = &operation {
            let known = callee
                .as_deref()
                .and_then(|callee| bodies.get_key_value(callee));
            match known {
                Some((callee, _)) => {
                    collect(callee, bodies, open, ops)?;
                    kind = OperationKind::Other;
                }
                None => kind = OperationKind::Hides,
            }
        }
        ops.push(FoundOperation {
            line: usize::try_from(site.instruction.at.line).unwrap_or_default(),
            name: site.instruction.opcode.as_str().to_owned(),
            text: site.instruction.to_string(),
            kind,
        });
    }
    open.pop();
    Ok(())
}

fn kind(operation: &Operation) -> OperationKind {
    match operation {
        Operation::Barrier(_) => OperationKind::Barrier,
        Operation::WarpBarrier { .. } => OperationKind::WarpBarrier,
        // Each pair of an arrive and a wait instruction counts once, at the wait instruction.
        Operation::ClusterBarrier { wait: true, .. } => OperationKind::ClusterBarrier,
        Operation::Shuffle { .. } => OperationKind::Shuffle,
        Operation::Redux { .. } => OperationKind::Redux,
        Operation::Vote { .. } => OperationKind::Vote,
        Operation::Fence { .. } | Operation::ProxyFence { .. } => OperationKind::Fence,
        Operation::Atomic(atomic) => OperationKind::Atomic(space(atomic.space)),
        // Loads of kernel parameters are not counted.
        Operation::Access(access) if access.space == tx_ptx::Space::Param => OperationKind::Other,
        Operation::Access(access) => {
            let (space, vector) = (space(access.space), access.is_vector());
            match access.direction {
                Direction::Load => OperationKind::Load { space, vector },
                Direction::Store => OperationKind::Store { space, vector },
            }
        }
        _ => OperationKind::Other,
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
