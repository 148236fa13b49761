use crate::linalg::attributes::{handed_on, of_no_reduction, reduces};
use crate::linalg::generic::ITERATORS;
use crate::linalg::read::Loops;
use crate::sink_attributes::{ANNOTATE, OUTPUT_MAPS, output_maps};
use melior::ir::operation::OperationLike;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, Op, attribute, codes, erase, error, first_block, is, name, ops, set_attribute, walk,
};

pass! {
    /// Move the attributes of `tile.annotate` back to the linalg ops.
    ///
    /// ## What it does
    /// Reverts `linalg-sink-attributes`: the attributes of a `tile.annotate` become attributes of
    /// the enclosing linalg op.
    ///
    /// ## Before
    /// ```mlir
    /// linalg.reduce ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1]
    ///   (%in: f32, %init: f32) {
    ///     tile.annotate {acc = f64}
    ///     %0 = arith.addf %in, %init : f32
    ///     linalg.yield %0 : f32
    ///   }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// linalg.reduce ins(%A : memref<4x8xf32>) outs(%B : memref<4xf32>) dimensions = [1] {acc = f64}
    ///   (%in: f32, %init: f32) {
    ///     %0 = arith.addf %in, %init : f32
    ///     linalg.yield %0 : f32
    ///   }
    /// ```
    ///
    /// ## Fails when
    /// The pass fails if an earlier pass fused two ops with attributes, or changed the loops of an
    /// op with a `schedule`. The pass fails if an op without reduced loops has the attribute `acc`,
    /// `determinism` or `nan`.
    pub struct HoistAttributes as "linalg-hoist-attributes" creates [linalg] {
    } counts {
        /// ops whose attributes were moved
        moved,
    }
}

impl Pass for HoistAttributes {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut plans: Vec<(Op<'c>, Op<'c>)> = Vec::new();
        let mut failed = None;
        for op in walk(module) {
            match check(op) {
                Ok(annotation) => plans.extend(annotation.map(|annotation| (op, annotation))),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for (op, annotation) in plans {
            for (one, value) in handed_on(annotation) {
                set_attribute(op, one.name, value);
            }
            erase(annotation);
            counts.add("moved", 1);
        }
        Ok(())
    }
}

/// Returns whether `annotation` records the iterator types and the output indexing maps of `op`.
/// The schedule of `annotation` applies to `op` only if the function returns true.
fn has_loops_of(op: Op<'_>, annotation: Op<'_>) -> bool {
    let maps = Loops::of(op).map(|loops| output_maps(&loops));
    attribute(annotation, ITERATORS) == attribute(op, ITERATORS)
        && attribute(annotation, OUTPUT_MAPS) == maps
}

/// Checks and returns the `tile.annotate` in the body of a linalg op; `None` if the body contains
/// no `tile.annotate`.
fn check<'c>(op: Op<'c>) -> Result<Option<Op<'c>>, Failed> {
    let body = first_block(op, 0).filter(|_| name(op).starts_with("linalg."));
    let all: Vec<Op<'c>> = body.map(ops).unwrap_or_default();
    let mut annotations = all.into_iter().filter(|op| is(*op, ANNOTATE));
    let Some(annotation) = annotations.next() else {
        return Ok(None);
    };
    if let Some(other) = annotations.next() {
        return Err(error(
            op.location(),
            "two ops with attributes were fused into this op, expected at most one",
        )
        .code(codes::TX0035)
        .note_at(annotation.location(), "one op")
        .note_at(other.location(), "the other op")
        .note(
            "write the program on memrefs, where ops with a schedule are not fused, or remove the \
             attributes of one op",
        )
        .emit());
    }
    for (one, _) in handed_on(annotation) {
        if !one.is_for_all && !reduces(op) {
            return Err(of_no_reduction(op, one.name));
        }
        if one.name == "schedule" && !has_loops_of(op, annotation) {
            return Err(error(
                op.location(),
                "the `schedule` of this op cannot be kept: fusion or reshaping changed its loops",
            )
            .code(codes::TX0035)
            .note_at(
                annotation.location(),
                "the schedule is for the loops of this op, which was fused or reshaped",
            )
            .note("write the op on memrefs, or drop the schedule")
            .emit());
        }
    }
    Ok(Some(annotation))
}
