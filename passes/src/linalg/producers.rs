//! Fusion of element-wise producers into a reduction or another element-wise op.

use super::body::Copier;
use super::converted_ops::ConvertedOps;
use super::plan::{Found, Input, Plan, Stage};
use super::read::Loops;
use crate::analysis::dataflow::{Access, AccessKind, Dataflow, any_accesses, may_alias};
use tx_mlir::build::{Index, argument};
use tx_mlir::{Affine, Op, Val, is};

/// Returns the sources of a reduction after fusion of its producers.
pub(crate) fn producers<'c>(
    plan: &Plan<'c>,
    flow: &Dataflow<'c>,
    converted: &ConvertedOps,
) -> Found<'c> {
    let found = gather(&plan.loops, Some((flow, converted)));
    // Fusion removes the temporary. The remaining operands may then not define the trip count of
    // every loop.
    match found.says_lengths(&plan.loops, &plan.destinations) {
        true => found,
        false => gather(&plan.loops, None),
    }
}

impl<'c> Found<'c> {
    /// Returns whether the shapes of the sources and destinations define the trip count of every
    /// loop.
    fn says_lengths(&self, loops: &Loops<'c>, destinations: &[Access<'c>]) -> bool {
        let all = || self.sources.iter().chain(destinations);
        let said = |d| all().any(|o| o.map.results.contains(&Affine::Dim(d)));
        !self.sources.is_empty() && (0..loops.dims).all(said)
    }
}

/// Returns the sources of the op `loops`. If `neighbours` is given, the function fuses producers
/// whose results are temporaries that only `loops` reads. In the list of sources, the inputs of a
/// fused producer replace the temporary that the producer writes.
pub(crate) fn gather<'c>(
    loops: &Loops<'c>,
    neighbours: Option<(&Dataflow<'c>, &ConvertedOps)>,
) -> Found<'c> {
    let mut gather = Gather {
        reader: loops,
        neighbours,
        found: Found::default(),
    };
    for input in &loops.inputs {
        let input = gather.input(loops.op, input);
        gather.found.inputs.push(input);
    }
    gather.found
}

/// Emits the values that replace the block arguments of an op's body. `sources` contains one
/// element of each source. `dims` is the number of loops of the op.
pub(crate) fn given<'c>(
    (stages, inputs): (&[Stage<'c>], &[Input<'c>]),
    copier: &Copier<'_, 'c>,
    sources: &[Val<'c>],
    dims: usize,
    index: &dyn Fn(usize) -> Val<'c>,
) -> Vec<Val<'c>> {
    let value = |input: &Input<'c>, staged: &[Val<'c>]| match input {
        Input::Source(i) => sources[*i],
        Input::Stage(i) => staged[*i],
        Input::Scalar(v) => copier.captured(*v),
    };
    let mut staged: Vec<Val<'c>> = Vec::new();
    for stage in stages {
        let given: Vec<Val<'c>> = stage.inputs.iter().map(|i| value(i, &staged)).collect();
        let result = match stage.loops.body {
            None => given[0],
            Some(body) => {
                let known: Vec<_> = given
                    .iter()
                    .enumerate()
                    .map(|(i, v)| (argument(body, i), *v))
                    .collect();
                let own = |d: usize| {
                    let place = &stage.dims[d];
                    let point: Vec<Index<'c>> = (0..dims)
                        .map(|d| match place.uses(d) {
                            true => Index::Val(index(d)),
                            false => Index::Const(0),
                        })
                        .collect();
                    copier.b.value(copier.b.affine(place, &point))
                };
                copier.copy(body, &known, &own, &stage.loops.yielded())[0]
            }
        };
        staged.push(result);
    }
    inputs.iter().map(|input| value(input, &staged)).collect()
}

struct Gather<'a, 'c> {
    reader: &'a Loops<'c>,
    /// Data flow of the function, and the ops that conversion plans already fuse or erase; `None`
    /// disables fusion.
    neighbours: Option<(&'a Dataflow<'c>, &'a ConvertedOps)>,
    found: Found<'c>,
}

impl<'c> Gather<'_, 'c> {
    /// Determines whether the input `operand` of `reader` is a scalar, a source array or the result
    /// of a fused producer. The dimensions of the indexing map of `operand` are the loops of the op
    /// into which all producers are fused.
    fn input(&mut self, reader: Op<'c>, operand: &Access<'c>) -> Input<'c> {
        if !operand.is_memory() {
            return Input::Scalar(operand.value);
        }
        if let Some(stage) = self.temporary(reader, operand) {
            return Input::Stage(stage);
        }
        let same = |o: &Access<'c>| o.is_same(operand);
        let known = self.found.sources.iter().position(same);
        Input::Source(known.unwrap_or_else(|| {
            self.found.sources.push(operand.clone());
            self.found.sources.len() - 1
        }))
    }

    /// Returns the number of the fused producer that computes `operand`, if `operand` is a
    /// temporary that only `reader` reads.
    fn temporary(&mut self, reader: Op<'c>, operand: &Access<'c>) -> Option<usize> {
        let (flow, _) = self.neighbours?;
        // If several iterations read an element of the temporary, the temporary remains, so that
        // the element is computed once. A reduction may recompute the element, because the
        // reduction computes each of its elements anyway.
        let places = operand.map.as_projected_permutation();
        let once = places.is_some_and(|places| places.len() == self.reader.dims);
        if self.reader.reduced.is_empty() && !once {
            return None;
        }
        let users: Vec<Op<'c>> = flow
            .users(operand.value)
            .iter()
            .copied()
            .filter(|op| !is(*op, "memref.dealloc"))
            .collect();
        let around = flow.temporary(operand.value, &users)?;
        let (last, writers) = users.split_last()?;
        let outputs = &self.reader.outputs;
        // An update in place stores to the temporary even if no op reads the temporary.
        if *last != reader || outputs.iter().any(|o| o.value == operand.value) {
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

    /// Returns the number of the fused producer that computes the final contents of `operand`. The
    /// first op of `writers` writes the whole array `operand`, and all later ops of `writers`
    /// update the array in place.
    fn written(&mut self, writers: &[Op<'c>], operand: &Access<'c>) -> Option<usize> {
        let (op, earlier) = writers.split_last()?;
        let (flow, converted) = self.neighbours?;
        let loops = converted.element_wise(*op)?;
        let output = &loops.outputs[0];
        let own = |o: &&Access<'c>| o.value == operand.value;
        let in_place = loops.reads_output() || loops.inputs.iter().any(|o| own(&o));
        let reads: Vec<Val<'c>> = loops
            .inputs
            .iter()
            .filter(|o| o.is_memory() && !own(o))
            .map(|o| o.value)
            .collect();
        let meanwhile = flow.between(*op, self.reader.op)?;
        let clash = |v: &Val<'c>| {
            let mut written = self.reader.outputs.iter().chain([output]);
            written.any(|o| may_alias(*v, o.value))
        };
        let elsewhere = loops.inputs.iter().filter(own).any(|o| o.map != output.map);
        if !own(&output)
            || elsewhere
            || in_place == earlier.is_empty()
            || reads.iter().any(clash)
            || any_accesses(meanwhile, AccessKind::Change, &reads)
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
        // The recursive call may fail, so the call precedes all changes.
        let before = match in_place {
            true => Some(Input::Stage(self.written(earlier, operand)?)),
            false => None,
        };
        let mut inputs = Vec::new();
        for input in &loops.inputs {
            inputs.push(match before.filter(|_| own(&input)) {
                Some(before) => before,
                None => self.input(*op, &input.replace(self.reader.dims, &dims)),
            });
        }
        if loops.reads_output() {
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
