//! Which neighbours of a reduction are computed together with it.

use super::consumers::next_consumer;
use super::plan::Plan;
use super::producers::producers;
use super::taken::Taken;
use crate::analysis::dataflow::Dataflow;

/// Decides what is computed together with a reduction: what fills its sources alone, and then as many ops as there
/// are that use its results alone.
pub(crate) fn fuse<'c>(plan: &mut Plan<'c>, flow: &Dataflow<'c>, taken: &Taken) {
    let found = producers(plan, flow, taken);
    plan.take_producers(found);
    while let Some(step) = next_consumer(plan, flow, taken) {
        plan.take_consumer(step);
    }
}
