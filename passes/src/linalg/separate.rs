//! Separation of ops with several outputs into single reductions and element-wise ops.

use super::attributes::handed_on;
use super::body::{dependents, memory_read};
use super::generic::ITERATORS;
use super::part::{Operand, Part};
use super::read::Loops;
use super::recognise::{is_lawful, is_named};
use super::special_pairs;
use crate::analysis::dataflow::Access;
use std::collections::BTreeSet;
use tx_dialect_tile::GROUP;
use tx_mlir::memref::{Overlap, overlap};
use tx_mlir::{
    Affine, Builder, Op, Val, attribute, elements, enumerator, erase, is, is_tensor, key, name,
    only_reads, ops, parent, walk,
};

/// Splits the `linalg` ops of a module into simpler ops.
///
/// * An op that yields every old value unchanged is erased.
/// * A reduction whose reduced loops have one iteration becomes an element-wise op.
/// * Independent outputs become separate ops: one reduction per combiner, and one element-wise op
///   for all element-wise outputs. Outputs stay in one op if one combiner combines these outputs,
///   or if the combiner of each output has a named reduction kind, such as `sum`.
/// * A selection of the largest or smallest value and its index becomes several reductions if its
///   NaN behaviour differs from the NaN behaviour of `argmax` and `argmin`.
///
/// The function does not split an op if the split would change the results of the op.
pub(crate) fn separate_all(module: Op<'_>) {
    let mut pending: Vec<Op<'_>> = walk(module)
        .into_iter()
        .filter(|op| {
            name(*op).starts_with("linalg.") && parent(*op).is_some_and(|p| is(p, "func.func"))
        })
        .collect();
    pending.reverse();
    while let Some(op) = pending.pop() {
        let made = separate(op).unwrap_or_default();
        pending.extend(made.into_iter().rev());
    }
}

/// Returns the ops that replace `op`; `None` if the function does not split `op`.
fn separate<'c>(op: Op<'c>) -> Option<Vec<Op<'c>>> {
    let loops = Loops::of(op).filter(|l| l.body.is_some() && !l.outputs.is_empty())?;
    let is_array = |o: &Access<'c>| o.is_memory() && o.map.symbols == 0;
    let is_scalar = |o: &Access<'c>| {
        o.map.results.is_empty() && !is_tensor(melior::ir::ValueLike::r#type(&o.value))
    };
    let fits = loops.outputs.iter().all(is_array)
        && loops.inputs.iter().all(|o| is_array(o) || is_scalar(o))
        && attribute(op, "schedule").is_none()
        && attribute(op, GROUP).is_none();
    if !fits || !is_order_free(&loops) {
        return None;
    }
    let made = without_effect(&loops)
        .or_else(|| without_unit_loops(&loops))
        .or_else(|| apart(&loops))
        .or_else(|| special_pairs::separate(&loops))?;
    erase(op);
    Some(made)
}

/// Returns whether separate ops can write the outputs of the op one after another. An output may
/// alias an input only if both operands are the same memref with equal indexing maps, and no two
/// iterations access the same element. An output must not alias another output. The body must not
/// read memory that the op writes.
fn is_order_free(loops: &Loops<'_>) -> bool {
    let Some(body) = loops.body else { return false };
    let same_elements = |input: &Access<'_>, output: &Access<'_>| {
        input.is_same(output) && covers_all_loops(loops, output)
    };
    let apart = |(i, output): (usize, &Access<'_>)| {
        let inputs = loops.inputs.iter().filter(|o| o.is_memory());
        let mut others = inputs
            .filter(|input| !same_elements(input, output))
            .chain(&loops.outputs[..i]);
        others.all(|o| overlap(o.value, output.value) == Overlap::Never)
    };
    let is_free = |v: Val<'_>| {
        let mut outputs = loops.outputs.iter();
        outputs.all(|o| overlap(o.value, v) == Overlap::Never)
    };
    let only_reads = |op: Op<'_>| is(op, "linalg.yield") || only_reads(op, |_| true);
    loops.outputs.iter().enumerate().all(apart)
        && memory_read(body).into_iter().all(is_free)
        && ops(body).into_iter().flat_map(walk).all(only_reads)
}

/// Returns whether each iteration of the loop nest accesses a different element of `operand`.
fn covers_all_loops(loops: &Loops<'_>, operand: &Access<'_>) -> bool {
    let places = operand.map.as_projected_permutation();
    places.is_some_and(|places| places.len() == loops.dims)
}

/// Erases an op that yields every old output value unchanged.
fn without_effect<'c>(loops: &Loops<'c>) -> Option<Vec<Op<'c>>> {
    let yielded = loops.yielded();
    let is_handed_on = |(i, value): (usize, &Val<'c>)| loops.old_value(i) == Some(*value);
    let is_empty = yielded.iter().enumerate().all(is_handed_on);
    (is_empty && handed_on(loops.op).is_empty()).then(Vec::new)
}

/// Converts a reduction whose reduced loops have one iteration to an element-wise op. The function
/// does not convert a reduction with a named reduction kind, such as `sum`, because the reduction
/// becomes one `tile.reduce` for any trip count of its loops.
fn without_unit_loops<'c>(loops: &Loops<'c>) -> Option<Vec<Op<'c>>> {
    let is_unit = |d: &usize| loops.all().any(|o| length(o, *d) == Some(1));
    let n = loops.outputs.len();
    if loops.reduced.is_empty()
        || !loops.reduced.iter().all(is_unit)
        || !handed_on(loops.op).is_empty()
        || (0..n).all(|i| is_named(loops, i, |_| true))
    {
        return None;
    }
    let kept = loops.kept();
    let place = |d: usize| match kept.iter().position(|k| *k == d) {
        Some(place) => Affine::Dim(place),
        None => Affine::Const(0),
    };
    let olds = (0..n).map(|i| loops.old_value(i));
    let olds: Vec<Val<'c>> = olds.collect::<Option<_>>()?;
    let outputs: Vec<Operand<'c>> = loops
        .outputs
        .iter()
        .cloned()
        .zip(olds.iter().map(|v| Some(*v)))
        .collect();
    let yielded = loops.yielded();
    let mut part = Part::of(loops, &yielded, outputs)?;
    part.dims = kept.len();
    part.by = (0..loops.dims).map(place).collect();
    let b = Builder::before(loops.op);
    Some(vec![
        part.overwrite(&b, |body, _, known| body.copy(&yielded, known)),
    ])
}

fn length(operand: &Access<'_>, d: usize) -> Option<u64> {
    let place = operand
        .map
        .results
        .iter()
        .position(|r| *r == Affine::Dim(d))?;
    operand.memref.as_ref()?.shape.get(place).copied().flatten()
}

fn apart<'c>(loops: &Loops<'c>) -> Option<Vec<Op<'c>>> {
    let n = loops.outputs.len();
    let body = loops.body?;
    let olds = (0..n).map(|i| loops.old_value(i));
    let olds: Vec<Val<'c>> = olds.collect::<Option<_>>()?;
    let yielded = loops.yielded();
    if n < 2 || !has_places(loops) {
        return None;
    }
    let used = |i: usize| -> Vec<usize> {
        let map = &loops.outputs[i].map;
        (0..loops.dims)
            .filter(|d| map.results.iter().any(|r| r.uses(*d)))
            .collect()
    };
    let holds_elements = |i: usize| covers_all_loops(loops, &loops.outputs[i]);
    let (element_wise, totals): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| holds_elements(*i));
    let is_handed_on = |i: usize| yielded[i] == olds[i];
    let changing: Vec<usize> = totals.into_iter().filter(|i| !is_handed_on(*i)).collect();
    if used(0).len() == loops.dims && element_wise.len() == n {
        return None;
    }
    let depends =
        |i: usize, on: usize| -> bool { dependents(body, &[olds[on]]).contains(&key(yielded[i])) };
    // An element-wise output must not depend on previously combined values.
    if element_wise
        .iter()
        .any(|i| changing.iter().any(|on| depends(*i, *on)))
    {
        return None;
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &i in &changing {
        let is_linked = |group: &Vec<usize>| {
            let linked = |j: &usize| depends(i, *j) || depends(*j, i);
            let named = |j: &usize| is_named(loops, *j, |k| changing.contains(&k));
            let alike = used(group[0]) == used(i);
            group.iter().any(linked) || alike && named(&i) && group.iter().all(named)
        };
        let (linked, mut others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_linked);
        let mut joined: Vec<usize> = linked.into_iter().flatten().chain([i]).collect();
        joined.sort_unstable();
        others.push(joined);
        groups = others;
    }
    if groups
        .iter()
        .any(|group| group.iter().any(|i| used(*i) != used(group[0])))
    {
        return None;
    }
    groups.sort();
    let written: Vec<usize> = element_wise
        .into_iter()
        .filter(|i| !is_handed_on(*i))
        .collect();
    // Element-wise outputs are written last.
    groups.extend((!written.is_empty()).then_some(written));
    // One op loads each element once; separate ops would load some elements several times.
    let is_whole = groups.iter().map(Vec::len).sum::<usize>() == n && changing.len() == n;
    if groups.first().is_some_and(|group| group.len() == n)
        || is_whole && groups.iter().all(|g| used(g[0]) == used(0)) && is_lawful(loops)
    {
        return None;
    }
    let b = Builder::before(loops.op);
    let part = |group: &Vec<usize>| {
        let outputs = group.iter();
        let outputs = outputs.map(|i| (loops.outputs[*i].clone(), Some(olds[*i])));
        let roots: Vec<Val<'c>> = group.iter().map(|i| yielded[*i]).collect();
        Some(Part::of(loops, &roots, outputs.collect())?.write_roots(&b, &roots))
    };
    groups.iter().map(part).collect()
}

/// Returns whether every parallel loop of the op indexes every output.
fn has_places(loops: &Loops<'_>) -> bool {
    let iterators = attribute(loops.op, ITERATORS)
        .and_then(elements)
        .unwrap_or_default();
    let used: BTreeSet<usize> = (0..loops.dims)
        .filter(|d| {
            let mut outputs = loops.outputs.iter();
            outputs.all(|o| o.map.results.contains(&Affine::Dim(*d)))
        })
        .collect();
    let is_parallel = |d: &usize| {
        iterators
            .get(*d)
            .is_none_or(|i| enumerator(*i) == Some("parallel"))
    };
    (0..loops.dims)
        .filter(is_parallel)
        .all(|d| used.contains(&d) || iterators.is_empty())
}
