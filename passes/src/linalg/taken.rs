//! Ops that plans have taken, and those that they may take.

use super::body::{only_computes, slice};
use super::read::Loops;
use crate::analysis::dataflow::op_key;
use std::collections::BTreeSet;
use tx_dialect_tile::GROUP;
use tx_mlir::{Op, attribute, is, ops, walk};

/// Ops that plans have taken.
#[derive(Default)]
pub(crate) struct Taken {
    all: BTreeSet<usize>,
    /// Fills that do nothing any more.
    folded: BTreeSet<usize>,
}

impl Taken {
    /// Takes ops that are computed with another.
    pub(crate) fn take<'c>(&mut self, ops: impl IntoIterator<Item = Op<'c>>) {
        self.all.extend(ops.into_iter().map(op_key));
    }

    /// Takes fills that do nothing any more.
    pub(crate) fn fold<'c>(&mut self, fills: impl IntoIterator<Item = Op<'c>>) {
        self.folded.extend(fills.into_iter().map(op_key));
    }

    /// Whether a plan has taken `op`.
    pub(crate) fn has(&self, op: Op<'_>) -> bool {
        self.all.contains(&op_key(op))
    }

    /// Whether `op` is a fill that a plan has folded.
    pub(crate) fn is_folded(&self, op: Op<'_>) -> bool {
        self.folded.contains(&op_key(op))
    }

    /// An element-wise op that no plan has taken, with one output, that computes and does nothing else, asserts
    /// included, and that has no schedule and no kernel of its own.
    pub(crate) fn element_wise<'c>(&self, op: Op<'c>) -> Option<Loops<'c>> {
        let loops = Loops::of(op)?;
        let asserts = |body| {
            ops(body)
                .into_iter()
                .flat_map(walk)
                .any(|op| is(op, "cf.assert"))
        };
        let pure = loops.body.is_none_or(|body| {
            !asserts(body) && only_computes(&slice(body, &loops.yielded(), |_| false))
        });
        let is_apart = attribute(op, "schedule").is_some() || attribute(op, GROUP).is_some();
        let fits = loops.outputs.len() == 1 && loops.is_element_wise() && !is_apart;
        (fits && pure && !self.has(op)).then_some(loops)
    }
}
