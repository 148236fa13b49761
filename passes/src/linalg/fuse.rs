//! Which neighbours of a reduction or of an element-wise op are computed together with it.

use super::body::{only_computes, slice};
use super::consumers::fuse_consumers;
use super::memory::Uses;
use super::plan::Plan;
use super::producers::fuse_producers;
use super::read::Loops;
use std::collections::BTreeSet;
use tx_dialect_tile::GROUP;
use tx_mlir::{Op, attribute, has_uses};

/// Ops that plans have taken.
#[derive(Default)]
pub(crate) struct Taken {
    all: BTreeSet<usize>,
    /// Fills that do nothing any more.
    folded: BTreeSet<usize>,
}

impl Taken {
    /// Takes what a plan makes superfluous.
    pub(crate) fn add(&mut self, plan: &Plan<'_>) {
        self.all.extend(plan.gone.iter().map(|op| op_key(*op)));
        self.folded.extend(plan.folded.iter().map(|op| op_key(*op)));
    }

    /// Takes ops that are computed with another.
    pub(crate) fn take<'c>(&mut self, ops: impl IntoIterator<Item = Op<'c>>) {
        self.all.extend(ops.into_iter().map(op_key));
    }

    /// Whether a plan has taken `op`.
    pub(crate) fn has(&self, op: Op<'_>) -> bool {
        self.all.contains(&op_key(op))
    }

    /// Whether `op` is a fill that a plan has folded.
    pub(crate) fn is_folded(&self, op: Op<'_>) -> bool {
        self.folded.contains(&op_key(op))
    }
}

/// A key of an op.
pub(crate) fn op_key(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}

/// Decides what is computed together with a reduction.
pub(crate) fn fuse<'c>(plan: &mut Plan<'c>, uses: &Uses<'c>, taken: &Taken) {
    fuse_producers(plan, uses, taken);
    fuse_consumers(plan, uses, taken);
}

/// An element-wise op with one output that computes and does nothing else, and that has no schedule
/// and no kernel of its own.
pub(crate) fn element_wise<'c>(op: Op<'c>, taken: &Taken) -> Option<Loops<'c>> {
    let loops = Loops::of(op)?;
    let pure = loops
        .body
        .is_none_or(|body| only_computes(&slice(body, &loops.yielded(), |_| false)));
    let is_apart = attribute(op, "schedule").is_some() || attribute(op, GROUP).is_some();
    let fits = loops.outputs.len() == 1 && loops.is_element_wise() && !is_apart;
    (fits && pure && !taken.has(op)).then_some(loops)
}

/// Whether the body looks at what the output held before.
pub(crate) fn reads_output(loops: &Loops<'_>) -> bool {
    loops.old_value(0).is_some_and(has_uses)
}
