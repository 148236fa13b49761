//! Element-wise ops that read the results of a reduction, computed with each result.

use super::fuse::{Taken, element_wise, reads_output};
use super::memory::{Touch, Uses, any_touches, may_alias, touches};
use super::plan::{Given, Plan, Tail};
use super::read::{Loops, Operand, is_memory};
use melior::ir::operation::OperationLike;
use tx_mlir::{Affine, Op, Val};

/// Takes as many consumers into the plan as there are.
pub(crate) fn fuse_consumers<'c>(plan: &mut Plan<'c>, uses: &Uses<'c>, taken: &Taken) {
    while let Some(op) = next_user(plan) {
        let Some(step) = consumer(plan, op, uses, taken) else {
            break;
        };
        step.apply(plan);
    }
}

/// The first op after the reduction that has to do with a destination, when the reduction can be
/// done as late as there.
fn next_user<'c>(plan: &Plan<'c>) -> Option<Op<'c>> {
    let reads = plan.reads();
    let mut op = plan.at.next_in_block();
    while let Some(o) = op {
        if plan
            .destinations
            .iter()
            .any(|d| touches(o, Touch::Any, d.value))
        {
            return Some(o);
        }
        if any_touches(&[o], Touch::Change, &reads) {
            return None;
        }
        op = o.next_in_block();
    }
    None
}

/// What changes in a plan with one more consumer.
struct Step<'c> {
    tail: Tail<'c>,
    destination: Operand<'c>,
    extras: Vec<Operand<'c>>,
    gone: Vec<Op<'c>>,
}

impl<'c> Step<'c> {
    fn apply(self, plan: &mut Plan<'c>) {
        plan.at = self.tail.loops.op;
        plan.gone.push(plan.at);
        plan.gone.extend(self.gone);
        plan.extras = self.extras;
        if let Some((first, rest)) = self.tail.takes.split_first() {
            plan.destinations[*first] = self.destination;
            for i in rest.iter().rev() {
                plan.destinations.remove(*i);
            }
        }
        plan.tails.push(self.tail);
    }
}

/// The step that computes `op` with each result; `None` where it cannot be.
fn consumer<'c>(plan: &Plan<'c>, op: Op<'c>, uses: &Uses<'c>, taken: &Taken) -> Option<Step<'c>> {
    let loops = element_wise(op, taken)?;
    let output = loops.outputs[0].clone();
    let destination = |v: Val<'c>| plan.destinations.iter().position(|d| d.value == v);
    let in_place = destination(output.value);
    let old = in_place.filter(|_| reads_output(&loops));
    if in_place.is_none() && reads_output(&loops) {
        return None;
    }
    let dims = loops_of_consumer(plan, &loops)?;
    let exprs: Vec<Affine> = dims.iter().map(|d| Affine::Dim(*d)).collect();
    let over = |o: &Operand<'c>| Operand {
        value: o.value,
        map: o.map.replace(plan.loops.dims, &exprs),
    };
    let mut takes: Vec<usize> = Vec::new();
    let mut extras = plan.extras.clone();
    let mut inputs = Vec::new();
    for input in &loops.inputs {
        inputs.push(if !is_memory(input.value) {
            Given::Scalar(input.value)
        } else if let Some(result) = destination(input.value) {
            takes.push(result);
            Given::Result(result)
        } else {
            let extra = over(input);
            let same = |o: &Operand<'c>| o.value == extra.value && o.map == extra.map;
            Given::Extra(extras.iter().position(same).unwrap_or_else(|| {
                extras.push(extra);
                extras.len() - 1
            }))
        });
    }
    takes.extend(old);
    takes.sort_unstable();
    takes.dedup();
    let destination = over(&output);
    let apart = |v: Val<'c>| {
        !may_alias(v, destination.value) && plan.destinations.iter().all(|d| !may_alias(v, d.value))
    };
    let others = (0..plan.destinations.len()).filter(|i| !takes.contains(i));
    let others: Vec<Val<'c>> = others.map(|i| plan.destinations[i].value).collect();
    // Not even one place may be both: threads that do not store a result may read there later.
    let extra = extras.iter().map(|e| e.value);
    let clear = plan.read_by_elements().into_iter().chain(extra).all(apart)
        && others.iter().all(|o| !may_alias(*o, destination.value));
    // Old values that are combined must be those of the place that gets the result.
    let keeps_place = in_place.is_some_and(|i| takes == [i]);
    let overwrites = in_place.is_some_and(|i| !takes.contains(&i));
    if takes.is_empty() || !clear || overwrites || plan.accumulate && !keeps_place {
        return None;
    }
    let mut users = plan.gone.clone();
    users.push(op);
    let mut gone = Vec::new();
    for taken in &takes {
        if in_place != Some(*taken) {
            gone.extend(uses.temporary(plan.destinations[*taken].value, &users)?);
        }
    }
    Some(Step {
        tail: Tail {
            loops,
            dims,
            inputs,
            old,
            takes,
        },
        destination,
        extras,
        gone,
    })
}

/// The loop of the reduction that each loop of a consumer is: it reads every destination element
/// by element, in the place where the reduction writes it.
fn loops_of_consumer<'c>(plan: &Plan<'c>, loops: &Loops<'c>) -> Option<Vec<usize>> {
    let mut dims = vec![None; loops.dims];
    for operand in loops.all() {
        for read in plan
            .destinations
            .iter()
            .filter(|d| d.value == operand.value)
        {
            let from = operand.map.as_projected_permutation()?;
            let to = read.map.as_projected_permutation()?;
            for (place, dim) in from.into_iter().zip(to) {
                match dims[place] {
                    Some(known) if known != dim => return None,
                    _ => dims[place] = Some(dim),
                }
            }
        }
    }
    let dims: Vec<usize> = dims.into_iter().collect::<Option<_>>()?;
    (dims.len() == plan.loops.kept().len()).then_some(dims)
}
