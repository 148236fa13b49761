//! Unordered accesses: earlier memory accesses that no barrier separates from the current op.

use super::barrier::BarrierScope;
use crate::analysis::access::Access;
use crate::analysis::kernel::WARP_SIZE;
use std::collections::BTreeSet;
use tx_mlir::{Op, ancestors};

/// Earlier memory accesses that no barrier separates from the current op.
#[derive(Default, Clone)]
pub(super) struct UnorderedAccesses<'c>(pub(super) Vec<UnorderedAccess<'c>>);

/// A memory access that precedes the current op, with the barriers between the access and the
/// current op.
#[derive(Clone)]
pub(super) struct UnorderedAccess<'c> {
    pub(super) access: Access<'c>,
    /// Scope of the widest barrier between the access and the current op. The barrier orders the
    /// access before later accesses of the same warp, warpgroup, block or cluster.
    pub(super) separated: Option<BarrierScope>,
    /// Warps whose later accesses a named barrier orders after this access.
    pub(super) ordered_in: BTreeSet<i64>,
    /// Outermost loop that contains the access and that has started a new iteration since the
    /// access. A new iteration of a loop enters all inner loops again.
    pub(super) crossed_loop: Option<Op<'c>>,
}

impl<'c> UnorderedAccess<'c> {
    /// Returns whether two entries of the list of unordered accesses have the same access and the
    /// same `crossed_loop`.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.crossed_loop == other.crossed_loop && self.access.of_op.is_same(&other.access.of_op)
    }

    /// Returns whether a named barrier orders this access before the access `later`, in all threads
    /// that may perform `later`.
    pub(super) fn is_ordered_before(&self, later: &Access<'c>) -> bool {
        !self.ordered_in.is_empty()
            && later
                .by
                .iter()
                .all(|t| self.ordered_in.contains(&(t / WARP_SIZE)))
    }

    /// Returns whether one execution of one op performs both accesses. No barrier can separate two
    /// accesses of one execution of an op.
    pub(super) fn is_same_instance(&self, later: &Access<'c>) -> bool {
        self.access.of_op.op == later.of_op.op && self.crossed_loop.is_none()
    }

    /// Returns whether both accesses belong to one access set ([`OWNED`](tx_dialect_tile::OWNED)).
    /// In an access set, only one thread accesses each element. If a loop has started a new
    /// iteration between the two accesses, the function returns false for a memref that is defined
    /// inside the loop, except for the memory of another block.
    pub(super) fn has_same_owner(&self, later: &Access<'c>) -> bool {
        let (own, later) = (self.access.of_op.owner, later.of_op.owner);
        let (Some((own, _)), Some((number, memory))) = (own, later) else {
            return false;
        };
        if own != number || number < 0 && self.crossed_loop.is_some() {
            return false;
        }
        // A slot in the memory of another block is written by the same thread in all iterations.
        self.access.of_op.of_cluster
            || memory.is_some_and(|memory| {
                self.crossed_loop
                    .is_none_or(|l| !tx_mlir::is_defined_in(memory, l))
            })
    }
}

impl<'c> UnorderedAccesses<'c> {
    /// Records, for each access inside the loop `op`, that a new iteration of the loop has started.
    pub(super) fn start_iteration(&mut self, op: Op<'c>) {
        for earlier in &mut self.0 {
            let inside = ancestors(earlier.access.of_op.op).any(|o| o == op);
            if inside {
                earlier.crossed_loop.get_or_insert(op);
            }
        }
    }

    /// Returns the unordered accesses at the exit of the loop `op`.
    pub(super) fn left(mut self, op: Op<'c>) -> Self {
        for earlier in &mut self.0 {
            earlier.crossed_loop = earlier.crossed_loop.filter(|l| *l != op);
        }
        self
    }

    /// Adds to `self` the unordered accesses `other` of a second control-flow path. Returns whether
    /// the set of unordered accesses changed.
    pub(super) fn join(&mut self, other: Self) -> bool {
        let mut changed = false;
        for (i, earlier) in other.0.into_iter().enumerate() {
            // The lists of accesses of two arms begin with the same accesses at the same positions.
            let is_in_place = self.0.get(i).is_some_and(|p| p.same(&earlier));
            let place = match is_in_place {
                true => Some(i),
                false => self.0.iter().position(|p| p.same(&earlier)),
            };
            match place.map(|place| &mut self.0[place]) {
                // A barrier separates an access from the current op only if a barrier follows the
                // access on every path.
                Some(known) => {
                    changed |= earlier.separated < known.separated;
                    known.separated = known.separated.min(earlier.separated);
                    let before = known.ordered_in.len();
                    known.ordered_in.retain(|w| earlier.ordered_in.contains(w));
                    changed |= known.ordered_in.len() < before;
                }
                None => {
                    changed = true;
                    self.0.push(earlier);
                }
            }
        }
        changed
    }
}

/// Records a named barrier of `warps` in each unordered access whose threads all belong to `warps`.
pub(super) fn order<'c>(
    mut pending: UnorderedAccesses<'c>,
    warps: &[i64],
) -> UnorderedAccesses<'c> {
    for earlier in &mut pending.0 {
        let own: BTreeSet<i64> = earlier.access.by.iter().map(|t| t / WARP_SIZE).collect();
        if own.iter().all(|w| warps.contains(w)) {
            earlier.ordered_in.extend(warps);
        }
    }
    pending
}
