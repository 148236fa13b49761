use crate::linalg::generic::{Generic, ITERATORS};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_mlir::build::argument;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    AffineMap, Builder, Failed, Op, Val, affine, attribute, discardable_attributes, elements,
    enumerator, erase, first_block, has_uses, integers, is, is_tensor, operands, replace_uses,
    results, set_attribute, walk,
};

pass! {
    /// Add an input for each output that an element-wise op on tensors reads.
    ///
    /// ## What it does
    /// An element-wise `linalg.generic` on tensors may read the old elements of an `outs` operand.
    /// For each `outs` operand that the op reads, the pass adds an input with the same indexing
    /// map. If an op updates its output in place, the replacement op reads the old elements from an
    /// input, not from the output. With the additional inputs, `linalg-fuse-elementwise-ops` can
    /// fuse the op with its neighbours.
    ///
    /// ## Why
    /// If MLIR 22 fuses a producer into an op that reads its own output, the fused op has the
    /// output twice. The loops of the fused op could then update the same old elements several
    /// times, or a reduction could combine them with new elements.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @half(%A: tensor<8xf32>) -> tensor<8xf32> {
    ///   %h = arith.constant 0.5 : f32
    ///   %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ///       outs(%A : tensor<8xf32>) {
    ///   ^bb0(%a: f32):
    ///     %p = arith.mulf %a, %h : f32
    ///     linalg.yield %p : f32
    ///   } -> tensor<8xf32>
    ///   return %R : tensor<8xf32>
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @half(%A: tensor<8xf32>) -> tensor<8xf32> {
    ///   ...
    ///   %R = linalg.generic ... ins(%A : tensor<8xf32>) outs(%A : tensor<8xf32>) {
    ///   ^bb0(%a: f32, %b: f32):
    ///     %p = arith.mulf %a, %h : f32
    ///     linalg.yield %p : f32
    ///   ...
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail.
    pub struct DetachInits as "linalg-detach-inits" creates [linalg] {
    } counts {
        /// operands that became inputs
        detached,
    }
}

impl Pass for DetachInits {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module) {
            counts.add("detached", i64::try_from(detach(op)).unwrap_or(i64::MAX));
        }
        Ok(())
    }
}

/// Adds an input to `op` for each output whose old elements `op` reads. Returns the number of added
/// inputs.
fn detach(op: Op<'_>) -> usize {
    let Some((inputs, maps)) = element_wise(op) else {
        return 0;
    };
    let (Some(body), all) = (first_block(op, 0), operands(op)) else {
        return 0;
    };
    let is_read = |i: &usize| {
        let places = maps[*i].as_projected_permutation();
        has_uses(argument(body, *i)) && places.is_some_and(|p| p.len() == maps[*i].dims)
    };
    let read: Vec<usize> = (inputs..all.len()).filter(is_read).collect();
    if read.is_empty() {
        return 0;
    }
    let order: Vec<usize> = (0..inputs)
        .chain(read.iter().copied())
        .chain(inputs..all.len())
        .collect();
    let values: Vec<Val<'_>> = order.iter().map(|i| all[*i]).collect();
    let maps: Vec<AffineMap> = order.iter().map(|i| maps[*i].clone()).collect();
    let types: Vec<_> = order.iter().map(|i| argument(body, *i).r#type()).collect();
    let b = Builder::before(op);
    let region = b.region_of(&types, "linalg.yield", |b, given| {
        let of = |i: usize| match read.iter().position(|r| *r == i) {
            Some(place) => given[inputs + place],
            None if i < inputs => given[i],
            None => given[read.len() + i],
        };
        let given: Vec<Val<'_>> = (0..all.len()).map(of).collect();
        b.inline(body, &given)
    });
    let results_of: Vec<_> = results(op).iter().map(|r| r.r#type()).collect();
    let made = Generic {
        operands: &values,
        maps: &maps,
        inputs: inputs + read.len(),
        iterators: attribute(op, ITERATORS).expect("a generic has iterator types"),
        results: &results_of,
        body: region,
    }
    .build(&b);
    for (name, value) in discardable_attributes(op) {
        set_attribute(made, &name, value);
    }
    for (old, new) in results(op).into_iter().zip(results(made)) {
        replace_uses(old, new);
    }
    erase(op);
    read.len()
}

/// Returns the number of inputs and the indexing maps of an op on tensors without reduction loops.
fn element_wise(op: Op<'_>) -> Option<(usize, Vec<AffineMap>)> {
    let on_tensors = is(op, "linalg.generic")
        && op.result_count() > 0
        && results(op).iter().all(|r| is_tensor(r.r#type()));
    let iterators = attribute(op, ITERATORS)
        .filter(|_| on_tensors)
        .and_then(elements)?;
    if !iterators.iter().all(|i| enumerator(*i) == Some("parallel")) {
        return None;
    }
    let segments = attribute(op, "operandSegmentSizes").and_then(integers)?;
    let inputs = usize::try_from(*segments.first()?).ok()?;
    Some((inputs, affine::indexing_maps(op)?))
}
