//! Loads of what the same thread may have stored.
//!
//! Between two synchronisations LLVM may take what a thread stored for what it loads, without
//! asking memory. Where threads exchange data there is a synchronisation in between.

use super::access::{Base, base};
use super::device::Chip;
use super::flow::reached;
use super::operation;
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::{Op, is, operands, ops, successors};
use tx_ptx::Fact;

/// Loads, told apart by [`id`].
pub(super) type Loads = BTreeSet<usize>;

/// What tells an operation apart from others.
pub(super) fn id(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

/// The loads of a function before which the thread may have stored to the same variable or
/// argument, and did not synchronise since.
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
            let mut now: BTreeSet<Base> = stored[number].clone();
            for op in ops(block.block) {
                if is(op, "llvm.load") {
                    let from = operands(op).first().map(|pointer| base(*pointer));
                    if from.is_some_and(|from| now.contains(&from)) {
                        loads.insert(id(op));
                    }
                } else if is(op, "llvm.store") {
                    now.extend(operands(op).get(1).map(|pointer| base(*pointer)));
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

/// Whether other threads may have stored when an operation is done.
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
