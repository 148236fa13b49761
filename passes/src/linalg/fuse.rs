//! Fusion of element-wise ops into a reduction.

use super::consumers::next_consumer;
use super::converted_ops::ConvertedOps;
use super::plan::Plan;
use super::producers::producers;
use crate::analysis::dataflow::Dataflow;

/// Fuses first the producers of the sources, and then as many consumers of the results as possible,
/// into a reduction.
pub(crate) fn fuse<'c>(plan: &mut Plan<'c>, flow: &Dataflow<'c>, converted: &ConvertedOps) {
    let found = producers(plan, flow, converted);
    plan.take_producers(found);
    while let Some(step) = next_consumer(plan, flow, converted) {
        plan.take_consumer(step);
    }
}
