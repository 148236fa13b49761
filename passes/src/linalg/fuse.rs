//! Fusion of element-wise ops into a reduction.

use super::consumers::next_consumer;
use super::plan::Plan;
use super::producers::producers;
use super::taken::Taken;
use crate::analysis::dataflow::Dataflow;

/// Fuses the producers of the sources into a reduction, then as many consumers of the results as
/// possible.
pub(crate) fn fuse<'c>(plan: &mut Plan<'c>, flow: &Dataflow<'c>, taken: &Taken) {
    let found = producers(plan, flow, taken);
    plan.take_producers(found);
    while let Some(step) = next_consumer(plan, flow, taken) {
        plan.take_consumer(step);
    }
}
