//! Fusion of element-wise ops into a reduction.

use super::consumers::next_consumer;
use super::converted_ops::ConvertedOps;
use super::plan::Plan;
use super::producers::producers;
use crate::analysis::dataflow::Dataflow;

/// Fuses element-wise ops into a reduction: first the producers of its sources, then as many
/// consumers of its results as possible.
pub(crate) fn fuse<'c>(plan: &mut Plan<'c>, flow: &Dataflow<'c>, converted: &ConvertedOps) {
    let found = producers(plan, flow, converted);
    plan.take_producers(found);
    while let Some(step) = next_consumer(plan, flow, converted) {
        plan.take_consumer(step);
    }
}
