//! Element-wise ops that fill the inputs of a reduction, computed with each element.

use super::fuse::{Taken, element_wise, reads_output};
use super::memory::{Touch, Uses, any_touches, between, may_alias};
use super::plan::{Input, Plan, Stage};
use super::read::{Loops, Operand, is_memory};
use tx_mlir::{Affine, Op, Val, is};

/// Decides where the elements come from, and which producers are computed with them.
pub(crate) fn fuse_producers<'c>(plan: &mut Plan<'c>, uses: &Uses<'c>, taken: &Taken) {
    let mut found = gather(plan, Some((uses, taken)));
    // Without the temporary nothing may be left that says how long a loop is.
    if !found.says_lengths(plan) {
        found = gather(plan, None);
    }
    plan.sources = found.sources;
    plan.stages = found.stages;
    plan.inputs = found.inputs;
    plan.gone.extend(found.gone);
}

/// Sources of a reduction, and what is computed of them.
#[derive(Default)]
struct Found<'c> {
    sources: Vec<Operand<'c>>,
    stages: Vec<Stage<'c>>,
    inputs: Vec<Input<'c>>,
    gone: Vec<Op<'c>>,
}

impl<'c> Found<'c> {
    /// Whether sources and destinations say how long every loop is.
    fn says_lengths(&self, plan: &Plan<'c>) -> bool {
        let all = || self.sources.iter().chain(&plan.destinations);
        let said = |d| all().any(|o| o.map.results.contains(&Affine::Dim(d)));
        !self.sources.is_empty() && (0..plan.loops.dims).all(said)
    }
}

fn gather<'c>(plan: &Plan<'c>, neighbours: Option<(&Uses<'c>, &Taken)>) -> Found<'c> {
    let mut gather = Gather {
        reduction: &plan.loops,
        neighbours,
        found: Found::default(),
    };
    for input in &plan.loops.inputs {
        let input = gather.input(plan.loops.op, input);
        gather.found.inputs.push(input);
    }
    gather.found
}

struct Gather<'a, 'c> {
    reduction: &'a Loops<'c>,
    /// None where nothing is to be fused.
    neighbours: Option<(&'a Uses<'c>, &'a Taken)>,
    found: Found<'c>,
}

impl<'c> Gather<'_, 'c> {
    /// Where what `reader` reads through `operand`, whose map is over the loops of the reduction,
    /// comes from.
    fn input(&mut self, reader: Op<'c>, operand: &Operand<'c>) -> Input<'c> {
        if !is_memory(operand.value) {
            return Input::Scalar(operand.value);
        }
        if let Some(stage) = self.temporary(reader, operand) {
            return Input::Stage(stage);
        }
        let same = |o: &Operand<'c>| o.value == operand.value && o.map == operand.map;
        let known = self.found.sources.iter().position(same);
        Input::Source(known.unwrap_or_else(|| {
            self.found.sources.push(operand.clone());
            self.found.sources.len() - 1
        }))
    }

    /// The stage that computes what `operand` reads, when that is a temporary for `reader` alone.
    fn temporary(&mut self, reader: Op<'c>, operand: &Operand<'c>) -> Option<usize> {
        let (uses, _) = self.neighbours?;
        let users: Vec<Op<'c>> = uses
            .of_value(operand.value)
            .iter()
            .copied()
            .filter(|op| !is(*op, "memref.dealloc"))
            .collect();
        let around = uses.temporary(operand.value, &users)?;
        let (last, writers) = users.split_last()?;
        if *last != reader {
            return None;
        }
        let stage = self.written(writers, operand)?;
        for gone in writers.iter().copied().chain(around) {
            if !self.found.gone.contains(&gone) {
                self.found.gone.push(gone);
            }
        }
        Some(stage)
    }

    /// The stage that computes what the last of `writers` leaves in `operand`: the first of them
    /// writes it, and the others work in place.
    fn written(&mut self, writers: &[Op<'c>], operand: &Operand<'c>) -> Option<usize> {
        let (op, earlier) = writers.split_last()?;
        let loops = element_wise(*op, self.neighbours?.1)?;
        let output = &loops.outputs[0];
        let own = |o: &&Operand<'c>| o.value == operand.value;
        let in_place = reads_output(&loops) || loops.inputs.iter().any(|o| own(&o));
        let reads: Vec<Val<'c>> = loops
            .inputs
            .iter()
            .filter(|o| is_memory(o.value) && !own(o))
            .map(|o| o.value)
            .collect();
        let meanwhile = between(*op, self.reduction.op)?;
        let clash = |v: &Val<'c>| {
            let mut written = self.reduction.outputs.iter().chain([output]);
            written.any(|o| may_alias(*v, o.value))
        };
        let elsewhere = loops.inputs.iter().filter(own).any(|o| o.map != output.map);
        if !own(&output)
            || elsewhere
            || in_place == earlier.is_empty()
            || reads.iter().any(clash)
            || any_touches(&meanwhile, Touch::Change, &reads)
        {
            return None;
        }
        let places = output.map.as_projected_permutation()?;
        let mut dims = vec![Affine::Const(0); loops.dims];
        for (place, index) in places.into_iter().zip(&operand.map.results) {
            dims[place] = index.clone();
        }
        let known = |s: &Stage<'c>| s.loops.op == *op && s.dims == dims;
        if let Some(known) = self.found.stages.iter().position(known) {
            return Some(known);
        }
        // First what may not be possible.
        let before = match in_place {
            true => Some(Input::Stage(self.written(earlier, operand)?)),
            false => None,
        };
        let mut inputs = Vec::new();
        for input in &loops.inputs {
            let map = input.map.replace(self.reduction.dims, &dims);
            let value = input.value;
            inputs.push(match before.filter(|_| own(&input)) {
                Some(before) => before,
                None => self.input(*op, &Operand { value, map }),
            });
        }
        if reads_output(&loops) {
            inputs.extend(before);
        }
        self.found.stages.push(Stage {
            loops,
            dims,
            inputs,
        });
        Some(self.found.stages.len() - 1)
    }
}
