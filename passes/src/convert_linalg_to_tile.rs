use crate::analysis::dataflow::{Dataflow, op_key};
use crate::decompose_softmax::decompose_all;
use crate::linalg::attributes::check_attributes;
use crate::linalg::body::{free_values, is_constant};
use crate::linalg::chains::Chain;
use crate::linalg::converted_ops::ConvertedOps;
use crate::linalg::fuse::fuse;
use crate::linalg::plan::Plan;
use crate::linalg::read::reduction;
use crate::linalg::separate::separate_all;
use crate::linalg::write::write;
use std::collections::BTreeMap;
use tx_dialect_tile::check_nested_attributes;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op, Val, defining_op, enclosing, erase, has_uses, is, key, name, walk};

pass! {
    /// Convert linalg reductions to `tile.reduce` at scope `grid`, and fuse element-wise ops.
    ///
    /// ## What it does
    /// Converts `linalg.reduce`, `linalg.generic` with reduction loops, and named reductions
    /// (`linalg.matvec`, `linalg.conv_2d`, `linalg.pooling_nhwc_max` ...). Operands must be
    /// memrefs, and ops must be in the body of a `func.func`. The pass fuses element-wise ops with
    /// reductions and with other element-wise ops, but does not convert them to `tile` ops.
    ///
    /// The pass splits the ops of the body of a reduction into the `element` region and the
    /// combiner. A body op that does not depend on the old value of the output belongs to the
    /// `element` region; any other body op belongs to the combiner. The `element` region may load
    /// from memory that is not an operand of the op. A combiner that consists of one op becomes a
    /// named reduction kind, such as `sum`. A combiner that consists of a comparison and a select
    /// becomes `max` or `min`. If a second select of the combiner selects an index, the combiner
    /// becomes `argmax` or `argmin`. A combiner that matches no other reduction kind becomes the
    /// kind `custom`, whose region contains a copy of the ops.
    ///
    /// The body may update the old output value conditionally. The body may update the old output
    /// value several times by ops of one reduction kind, as in `(old + x) - y`. The pass merges all
    /// updates of an output value in one body into a single update. The `element` region computes
    /// the original body, with the identity in place of the old output value. If the pass combines
    /// several updates of a float sum, the order of the additions changes.
    ///
    /// A combiner must be commutative and associative, because elements are combined in any order.
    /// The pass checks commutativity and associativity on sample values.
    ///
    /// The `tile.reduce` combines its results with the old values of its outputs, as the linalg op
    /// does. The pass erases a `linalg.fill` that initializes an output with the identity, if only
    /// the reduction reads the filled values. If the pass erases the `linalg.fill` of an output,
    /// the `tile.reduce` ignores the old values of this output. The identity of a `custom` combiner
    /// is the value with which a `linalg.fill` initializes the output. If no `linalg.fill`
    /// initializes the output, the pass searches for an identity.
    ///
    /// The pass fuses an element-wise op into the region `element` if the result of the
    /// element-wise op is a temporary that only the reduction reads. The pass fuses an element-wise
    /// op into the region `epilogue` if the op reads the result of the reduction from a temporary,
    /// or updates the result in place. The pass does not fuse an element-wise op that also reads
    /// the old output values of the reduction.
    ///
    /// The pass fuses two element-wise ops if the second op is the only reader of the result of the
    /// first op and reads each element once. A chain of element-wise ops becomes one
    /// `linalg.generic`.
    ///
    /// The attributes `acc`, `determinism`, `nan` and `schedule` of the linalg op are copied to the
    /// `tile.reduce`. An element-wise op with a `schedule` becomes a separate kernel.
    ///
    /// The pass splits an op with several outputs before the pass converts the op. If the outputs
    /// are independent, the pass creates one op for each combiner. Several outputs stay in one op
    /// if the outputs share a combiner, or if all combiners are named kinds; the kernel of this op
    /// loads each element once. After the reductions, an element-wise op computes each output whose
    /// indexing map contains every loop of the op, such as an array that the op updates in place.
    /// The reductions therefore read an array before the element-wise op updates the array in
    /// place. If the body yields the old value of an output unchanged, the pass converts the output
    /// to an input. If each reduced loop has a single iteration, the pass converts the op to an
    /// element-wise op. A named `linalg` reduction remains a reduction, even if each reduced loop
    /// has a single iteration.
    ///
    /// For equal values, `argmax` and `argmin` return the lowest index, even if the program keeps
    /// the first visited element and does not visit the indices in ascending order. If a row
    /// contains NaN, the pass chooses ops that return the same value and the same index as the loop
    /// nest of the `linalg` op.
    ///
    /// | condition in the program | ops |
    /// |---|---|
    /// | NaN never wins a comparison, as by `ogt`, and outputs are filled with the identity and 0 | `argmax` of elements that are the identity instead of NaN |
    /// | the same, with an index below 0 | `argmax` with `nan = #tile.nan<ignore>` and `accumulate` |
    /// | the same with other old values | the first of these with temporaries; then a comparison with the old values |
    /// | the first NaN wins and is kept | `argmax` |
    /// | each NaN wins | `argmax`, with indices of NaN negated |
    /// | NaN wins as the value, but its index does not, as with `maximumf` and an index by `ogt` | the value, with the index of the first NaN; then `argmax` of the elements before that NaN |
    /// | any element replaces a NaN, as with `ugt` | the last NaN; then `argmax` of the elements after that NaN |
    ///
    /// An op with the attribute `nan` always becomes a single `argmax` or `argmin`. An op with the
    /// attribute `schedule` becomes a single `argmax` or `argmin` if a NaN element wins the
    /// comparison, or if the op combines old output values. If the index output is filled with 0
    /// (the index of an empty row), the pass erases this fill together with the fill of the value
    /// output. If the index output is filled with a number other than 0, the pass combines this
    /// number as an old output value. The pass does not test `custom` combiners with NaN. If the
    /// result of a combiner depends on the position of a NaN, as with a comparison and `select`,
    /// the result also depends on the order of the combinations.
    ///
    /// ## Before
    /// ```mlir
    /// %D = memref.alloc() : memref<4xf32>
    /// linalg.fill ins(%zero : f32) outs(%D : memref<4xf32>)
    /// linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    ///                 iterator_types = ["parallel", "reduction"]}
    ///     ins(%A : memref<4x8xf32>) outs(%D : memref<4xf32>) {
    /// ^bb0(%a: f32, %old: f32):
    ///   %square = arith.mulf %a, %a : f32
    ///   %sum = arith.addf %old, %square : f32
    ///   linalg.yield %sum : f32
    /// }
    /// linalg.sqrt ins(%D : memref<4xf32>) outs(%B : memref<4xf32>)
    /// memref.dealloc %D : memref<4xf32>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(grid) element {
    /// ^bb0(%a: f32, %i: index, %j: index):
    ///   %square = arith.mulf %a, %a : f32
    ///   tile.yield %square : f32
    /// } epilogue {
    /// ^bb0(%sum: f32, %i: index):
    ///   %root = math.sqrt %sum : f32
    ///   tile.yield %root : f32
    /// } : memref<4x8xf32> into memref<4xf32>
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a reduction on tensors, and a reduction that is not in the body of a
    /// function. The pass rejects an indexing map with symbols, and an output whose indexing map
    /// does not contain each parallel loop exactly once. The pass rejects an output that may alias
    /// an input, and an output that is an uninitialized temporary. The pass rejects a combiner that
    /// is not associative and commutative, that has no known identity, or that does not combine two
    /// partial results. The pass rejects an attribute with an invalid value, and a reduction
    /// attribute on an op without reduced loops. The pass rejects an `argmax` or `argmin` that
    /// keeps the last index of equal values. The pass also rejects an `argmax` or `argmin` in which
    /// an element after a NaN replaces the index of the NaN but not its value.
    pub struct ConvertLinalgToTile as "convert-linalg-to-tile" creates [arith, linalg, math, memref, tile] {
    } counts {
        /// reductions converted
        converted,
        /// element-wise ops computed with another op
        fused,
    }
}

impl Pass for ConvertLinalgToTile {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        decompose_all(module);
        separate_all(module);
        let mut flows: BTreeMap<usize, Dataflow<'c>> = BTreeMap::new();
        let mut converted = ConvertedOps::default();
        let mut plans = Vec::new();
        let mut failed = None;
        for op in walk(module) {
            let checked =
                check_nested_attributes(op).and_then(|()| match name(op).starts_with("linalg.") {
                    true => check_attributes(op),
                    false => Ok(()),
                });
            let planned = checked.and_then(|()| reduction(op)).and_then(|loops| {
                let Some(loops) = loops else { return Ok(None) };
                let flow = flow_around(&mut flows, op);
                let mut plan = Plan::of(loops, flow, &converted)?;
                fuse(&mut plan, flow, &converted);
                Ok(Some(plan))
            });
            match planned {
                Ok(Some(plan)) => {
                    converted.insert(plan.gone.iter().copied());
                    converted.insert_folded(plan.folded.iter().copied());
                    plans.push(plan);
                }
                Ok(None) => {}
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        // The pass starts the search for a chain at its last op, into which the previous ops are
        // fused.
        let mut chains = Vec::new();
        for op in walk(module).into_iter().rev() {
            let Some(last) = converted.element_wise(op) else {
                continue;
            };
            if let Some(chain) = Chain::ending(last, flow_around(&mut flows, op), &converted) {
                converted.insert(chain.gone());
                chains.push(chain);
            }
        }
        for chain in &chains {
            chain.write();
            let fused = i64::try_from(chain.computed()).unwrap_or(i64::MAX);
            counts.add("fused", fused);
        }
        for plan in &plans {
            write(plan);
            let fused = plan.stages.len() + plan.tails.len();
            counts.add("converted", 1);
            counts.add("fused", i64::try_from(fused).unwrap_or(i64::MAX));
        }
        for plan in &plans {
            remove(plan.gone.iter().copied());
        }
        for chain in &chains {
            remove(chain.gone());
        }
        Ok(())
    }
}

fn flow_around<'a, 'c>(
    flows: &'a mut BTreeMap<usize, Dataflow<'c>>,
    op: Op<'c>,
) -> &'a Dataflow<'c> {
    let function = enclosing(op, "func.func").unwrap_or(op);
    flows
        .entry(op_key(function))
        .or_insert_with(|| Dataflow::of(function))
}

/// Erases the ops `gone`, and the constants that only these ops use.
fn remove<'c>(gone: impl IntoIterator<Item = Op<'c>>) {
    let gone: Vec<Op<'c>> = gone.into_iter().collect();
    let mut constants: BTreeMap<usize, Val<'c>> = BTreeMap::new();
    for value in gone.iter().copied().flat_map(free_values) {
        if is_constant(value) {
            constants.insert(key(value), value);
        }
    }
    let allocates = |op: &Op<'c>| is(*op, "memref.alloc") || is(*op, "memref.alloca");
    let (allocations, users): (Vec<Op<'c>>, Vec<Op<'c>>) = gone.into_iter().partition(allocates);
    users.into_iter().chain(allocations).for_each(erase);
    for value in constants.into_values() {
        if let Some(op) = defining_op(value).filter(|_| !has_uses(value)) {
            erase(op);
        }
    }
}
