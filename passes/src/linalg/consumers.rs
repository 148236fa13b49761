//! Fusion of element-wise consumers into the epilogue of a reduction.

use super::converted_ops::ConvertedOps;
use super::plan::{Consumer, Given, Plan, Tail};
use super::read::Loops;
use crate::analysis::dataflow::{Access, AccessKind, Dataflow, may_alias};
use tx_mlir::{Affine, Op, Val};

/// Returns the next op that reads the results of the reduction and can be fused into the reduction.
pub(crate) fn next_consumer<'c>(
    plan: &Plan<'c>,
    flow: &Dataflow<'c>,
    converted: &ConvertedOps,
) -> Option<Consumer<'c>> {
    consumer(plan, next_user(plan, flow)?, flow, converted)
}

/// Returns the first op after the reduction that accesses a destination of the reduction. Returns
/// `None` if an op between the reduction and this access changes memory that the reduction reads,
/// because the reduction cannot move past such an op.
fn next_user<'c>(plan: &Plan<'c>, flow: &Dataflow<'c>) -> Option<Op<'c>> {
    let reads = plan.reads();
    for step in flow.after(plan.at) {
        let uses = |d: &Access<'c>| step.accesses(AccessKind::Any, d.value);
        if plan.destinations.iter().any(uses) {
            return Some(step.op);
        }
        if reads
            .iter()
            .any(|read| step.accesses(AccessKind::Change, *read))
        {
            return None;
        }
    }
    None
}

fn consumer<'c>(
    plan: &Plan<'c>,
    op: Op<'c>,
    flow: &Dataflow<'c>,
    converted: &ConvertedOps,
) -> Option<Consumer<'c>> {
    let loops = converted.element_wise(op)?;
    let output = loops.outputs[0].clone();
    let destination = |v: Val<'c>| plan.destinations.iter().position(|d| d.value == v);
    let in_place = destination(output.value);
    let old = in_place.filter(|_| loops.reads_output());
    if in_place.is_none() && loops.reads_output() {
        return None;
    }
    let dims = loops_of_consumer(plan, &loops)?;
    let exprs: Vec<Affine> = dims.iter().map(|d| Affine::Dim(*d)).collect();
    let over = |o: &Access<'c>| o.replace(plan.loops.dims, &exprs);
    let mut takes: Vec<usize> = Vec::new();
    let mut extras = plan.extras.clone();
    let mut inputs = Vec::new();
    for input in &loops.inputs {
        inputs.push(if !input.is_memory() {
            Given::Scalar(input.value)
        } else if let Some(result) = destination(input.value) {
            takes.push(result);
            Given::Result(result)
        } else {
            let extra = over(input);
            Given::Extra(
                extras
                    .iter()
                    .position(|o| o.is_same(&extra))
                    .unwrap_or_else(|| {
                        extras.push(extra);
                        extras.len() - 1
                    }),
            )
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
    // Memory that the reduction reads must not overlap a destination, even at the same element:
    // threads that do not store the result may read the element later.
    let extra = extras.iter().map(|e| e.value);
    let clear = plan.read_by_elements().into_iter().chain(extra).all(apart)
        && others.iter().all(|o| !may_alias(*o, destination.value));
    // A reduction that accumulates must combine the old value of the same element that the
    // reduction overwrites.
    let keeps_place = in_place.is_some_and(|i| takes == [i]);
    let overwrites = in_place.is_some_and(|i| !takes.contains(&i));
    if takes.is_empty() || !clear || overwrites || plan.accumulate && !keeps_place {
        return None;
    }
    let mut users = plan.gone.clone();
    users.push(op);
    let mut gone = Vec::new();
    for output in &takes {
        if in_place != Some(*output) {
            gone.extend(flow.temporary(plan.destinations[*output].value, &users)?);
        }
    }
    Some(Consumer {
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

/// Returns, for each loop of a consumer, the corresponding loop of the reduction. Two loops
/// correspond if they index the same dimension of a destination. Returns `None` if a loop of the
/// consumer corresponds to no loop, or to several loops, of the reduction.
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
