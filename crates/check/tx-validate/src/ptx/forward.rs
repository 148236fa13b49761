//! Detection of loads that may read a value that the executing thread itself stored.
//!
//! Between two synchronizations, LLVM may forward a stored value to a load of the same thread. A
//! load of a value that another thread stored requires a synchronization between the store and the
//! load.

use super::flow::reached;
use super::operation;
use crate::ptx::chip::Chip;
use crate::ptx::pointer::{UnderlyingObject, underlying_object};
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::{Op, is, operands, ops, successors};
use tx_ptx::Fact;

/// Set of load ops, each represented by the identifier that [`id`] returns.
pub(super) type Loads = BTreeSet<usize>;

/// Returns the address of an operation as its unique id.
pub(super) fn id(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

/// Returns the loads that follow a store of the same thread to the same variable or argument,
/// without a synchronization between the store and the load.
pub(super) fn forwarded(function: Op<'_>, chip: Chip) -> Result<Loads, String> {
    let reached = reached(function);
    let numbers: BTreeMap<usize, usize> = reached
        .iter()
        .enumerate()
        .map(|(number, block)| (block.block.to_raw().ptr as usize, number))
        .collect();
    let mut stored = vec![BTreeSet::new(); reached.len()];
    let mut loads = Loads::new();
    loop {
        let mut changed = false;
        for (number, block) in reached.iter().enumerate() {
            let mut now: BTreeSet<UnderlyingObject> = stored[number].clone();
            for op in ops(block.block) {
                if is(op, "llvm.load") {
                    let from = operands(op)
                        .first()
                        .map(|pointer| underlying_object(*pointer));
                    if from.is_some_and(|from| now.contains(&from)) {
                        loads.insert(id(op));
                    }
                } else if is(op, "llvm.store") {
                    now.extend(
                        operands(op)
                            .get(1)
                            .map(|pointer| underlying_object(*pointer)),
                    );
                } else if synchronises(op, chip)? {
                    now.clear();
                }
            }
            for next in successors(block.block) {
                if let Some(next) = numbers.get(&(next.to_raw().ptr as usize)) {
                    let known = stored[*next].len();
                    stored[*next].extend(now.iter().cloned());
                    changed |= stored[*next].len() > known;
                }
            }
        }
        if !changed {
            return Ok(loads);
        }
    }
}

/// Returns whether stores of other threads may become visible at an operation.
fn synchronises(op: Op<'_>, chip: Chip) -> Result<bool, String> {
    Ok(operation::facts(op, chip)?.iter().any(|made| {
        matches!(
            made.fact,
            Fact::Barrier { .. }
                | Fact::WarpBarrier { .. }
                | Fact::ClusterBarrier { .. }
                | Fact::Fence { .. }
                | Fact::ProxyFence { .. }
        )
    }))
}
