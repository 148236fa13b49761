//! Record of the ops that conversion plans already fuse or erase.

use super::body::{only_computes, slice};
use super::read::Loops;
use crate::analysis::dataflow::op_key;
use std::collections::BTreeSet;
use tx_dialect_tile::GROUP;
use tx_mlir::{Op, attribute, is, ops, walk};

#[derive(Default)]
pub(crate) struct ConvertedOps {
    all: BTreeSet<usize>,
    /// Ops that fill memory with the identity of a reduction; the conversion of the reduction makes
    /// these ops redundant.
    folded: BTreeSet<usize>,
}

impl ConvertedOps {
    pub(crate) fn insert<'c>(&mut self, ops: impl IntoIterator<Item = Op<'c>>) {
        self.all.extend(ops.into_iter().map(op_key));
    }

    pub(crate) fn insert_folded<'c>(&mut self, fills: impl IntoIterator<Item = Op<'c>>) {
        self.folded.extend(fills.into_iter().map(op_key));
    }

    pub(crate) fn contains(&self, op: Op<'_>) -> bool {
        self.all.contains(&op_key(op))
    }

    pub(crate) fn is_folded(&self, op: Op<'_>) -> bool {
        self.folded.contains(&op_key(op))
    }

    /// Returns the loops of an element-wise op, if the op can be fused. An op that can be fused has
    /// one output, a body with neither side effects nor assertions, and neither the attribute
    /// `schedule` nor `tile.group`. The function returns `None` if the plan of a reduction already
    /// fuses or erases the op.
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
        (fits && pure && !self.contains(op)).then_some(loops)
    }
}
