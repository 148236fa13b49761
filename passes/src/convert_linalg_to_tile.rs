use crate::analysis::dataflow::{Dataflow, op_key};
use crate::decompose_softmax::decompose_all;
use crate::linalg::attributes::check_attributes;
use crate::linalg::body::{free_values, is_constant};
use crate::linalg::chains::Chain;
use crate::linalg::fuse::fuse;
use crate::linalg::plan::Plan;
use crate::linalg::read::reduction;
use crate::linalg::separate::separate_all;
use crate::linalg::taken::Taken;
use crate::linalg::write::write;
use std::collections::BTreeMap;
use tx_dialect_tile::check_nested_attributes;
use tx_mlir::{Failed, Op, Val, defining_op, enclosing, erase, has_uses, is, key, name, walk};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Make whole-job `tile.reduce` ops of linalg reductions, and one op of element-wise ones.
    ///
    /// ## What it does
    /// Converts `linalg.reduce`, `linalg.generic` with reduction loops, and named ops that reduce
    /// (`linalg.matvec`, `linalg.conv_2d`, `linalg.pooling_nhwc_max` ...), on memrefs, in the body of
    /// a `func.func`. Element-wise ops stay, unless they are computed with a reduction or with
    /// another element-wise op.
    ///
    /// * The body is cut in two. What does not depend on old values is the `element`; the rest
    ///   combines. The `element` may read other memory than operands, by `memref.load`. A combiner
    ///   of one op is a named kind. A comparison that chooses is `max` or `min`, and `argmax` or
    ///   `argmin` where it chooses an index beside the value. Others are `custom`, with a copy of
    ///   the combiner.
    /// * Several steps of one op, `(old + x) - y`, and steps under a condition on elements, are
    ///   one: the element is what the body makes of what is neutral in the place of the old value.
    ///   Sums of floats are added in another order by that, as by any reduction.
    /// * A combiner must be commutative and associative, because elements are combined in any order.
    ///   That is tried on sample values.
    /// * linalg accumulates into its outputs, and so does the `tile.reduce`. A fill with what is
    ///   neutral, which nothing else sees, is erased, and old values take no part. For `custom` that
    ///   is the identity; without such a fill, one is searched for.
    /// * Element-wise ops that fill a temporary for the reduction alone are computed in `element`;
    ///   those that read its result, from a temporary of its own or in place, in `epilogue`. One
    ///   that also reads what the reduction would then write, as another reduction may have left it
    ///   there, stays.
    /// * An element-wise op that fills a temporary for another one alone, which reads each element
    ///   once, is computed with that one: a chain of them is one `linalg.generic`.
    /// * `acc`, `determinism`, `nan` and `schedule` on the linalg op go to the `tile.reduce`. An
    ///   element-wise op with a `schedule` stays a kernel of its own.
    ///
    /// An op of several outputs is separated first:
    ///
    /// * Outputs that do not depend on each other are ops of their own, one for each combiner. Outputs
    ///   that have one combiner, or are combined by one named op each, are one op, which reads its elements once.
    /// * Outputs that hold elements, as one that is updated in place, are one element-wise op after the
    ///   reductions, which read the old elements.
    /// * An output that is yielded as it was is an operand of the elements.
    /// * Where all reduced loops have one iteration, the op is element-wise, unless it is a named reduction.
    ///
    /// Of equal values `argmax` and `argmin` take the one with the lowest index, also where the program
    /// keeps the first that comes and indices come in another order. In rows with NaN, value and index
    /// are what the loop nest leaves:
    ///
    /// | the program | ops |
    /// |---|---|
    /// | NaN never wins a comparison, as by `ogt` | `argmax` with `nan = #tile.nan<ignore>`; of rows that are all NaN, value and index of the first |
    /// | the first NaN wins and is kept | `argmax` |
    /// | each NaN wins | `argmax`, with indices of NaN negated |
    /// | NaN wins as the value alone, as by `maximumf` with an index by `ogt` | the value, with the place of the first NaN; then `argmax` of the elements before it |
    /// | any element replaces a NaN, as by `ugt` | the last NaN; then `argmax` of the elements after it |
    ///
    /// `nan` on the op chooses one `argmax` instead, and a `schedule` does where NaN wins. A fill of indices
    /// is erased, with that of values, where it is 0: the index of rows of nothing. Any other takes part,
    /// as an old value.
    /// Laws of `custom` combiners are not tried with NaN: one that depends on where NaN stands, as
    /// `select` by a comparison does, depends on the order of elements there.
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
    /// An operand is a tensor; a map has symbols, or an output is not indexed by each loop that is
    /// not reduced once; an output may share memory with an input, or is a temporary that nothing
    /// wrote before; the combiner obeys no law, has no identity that is known, or is none: an
    /// update of an old value from an element is not enough; an attribute has a wrong value, or is
    /// for reductions and the op reduces nothing; equal values would keep the later index; elements after
    /// a NaN replace its index alone; or the op does not stand in the body of a function.
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
        let mut taken = Taken::default();
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
                let mut plan = Plan::of(loops, flow, &taken)?;
                fuse(&mut plan, flow, &taken);
                Ok(Some(plan))
            });
            match planned {
                Ok(Some(plan)) => {
                    taken.take(plan.gone.iter().copied());
                    taken.fold(plan.folded.iter().copied());
                    plans.push(plan);
                }
                Ok(None) => {}
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        // The last op of a chain comes first: it takes those before it.
        let mut chains = Vec::new();
        for op in walk(module).into_iter().rev() {
            let Some(last) = taken.element_wise(op) else {
                continue;
            };
            if let Some(chain) = Chain::ending(last, flow_around(&mut flows, op), &taken) {
                taken.take(chain.gone());
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

/// The data flow of the function that `op` stands in.
fn flow_around<'a, 'c>(
    flows: &'a mut BTreeMap<usize, Dataflow<'c>>,
    op: Op<'c>,
) -> &'a Dataflow<'c> {
    let function = enclosing(op, "func.func").unwrap_or(op);
    flows
        .entry(op_key(function))
        .or_insert_with(|| Dataflow::of(function))
}

/// Erases ops, and constants that nothing else uses.
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
