use crate::linalg::attributes::{HandedOn, check_attributes, handed_on};
use crate::linalg::generic::{Generic, ITERATORS, iterators};
use crate::linalg::read::Loops;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Builder, Failed, Op, Val, affine, attribute, codes, erase, error, is, name, operands,
    remove_attribute, replace_uses, results, walk,
};

pass! {
    /// Move the attributes of linalg ops into their bodies.
    ///
    /// ## What it does
    /// Replaces `acc`, `determinism`, `nan` and `schedule` on linalg ops by a `tile.annotate` at
    /// the start of the body. The passes of MLIR that generalize, fuse or reshape an op drop
    /// unknown attributes of the op, but copy its body. `linalg-hoist-attributes` moves the
    /// attributes back.
    ///
    /// The position of attributes in the text depends on the op: `linalg.reduce … dimensions = [1]
    /// {acc = f64}`, `linalg.generic {indexing_maps …} ins(…) outs(…) attrs = {acc = f64} {…}`, and
    /// `linalg.matvec {acc = f64} ins(…) outs(…)`.
    ///
    /// A named op whose body is not printed (`linalg.matvec`) becomes a `linalg.generic`.
    ///
    /// ## Before
    /// ```mlir
    /// %R = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1] {acc = f64}
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// %R = linalg.reduce ins(%A : tensor<4x8xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
    ///   (%in: f32, %init: f32) {
    ///     tile.annotate {acc = f64}
    ///     %0 = arith.addf %init, %in : f32
    ///     linalg.yield %0 : f32
    ///   }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an attribute if its name is misspelt or its value is invalid. The pass
    /// rejects `acc`, `determinism` and `nan` on an op without reduced loops. On an op without a
    /// body (`linalg.softmax`), the pass rejects `acc`, `determinism`, `nan` and `schedule`.
    pub struct SinkAttributes as "linalg-sink-attributes" creates [linalg, tile] {
    } counts {
        /// ops whose attributes were moved
        moved,
    }
}

pub(crate) const ANNOTATE: &str = "tile.annotate";

/// Name of the attribute that records the output indexing maps of an op with a `schedule`. The
/// indexing maps are necessary because fusion may reorder the loops of an op without changing the
/// list of iterator types.
pub(crate) const OUTPUT_MAPS: &str = "output_maps";

type Handed<'c> = Vec<(&'static HandedOn, Attribute<'c>)>;

impl Pass for SinkAttributes {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut plans: Vec<(Loops<'c>, Handed<'c>)> = Vec::new();
        let mut failed = None;
        for op in walk(module) {
            if !name(op).starts_with("linalg.") {
                continue;
            }
            match check(op) {
                Ok(plan) => plans.extend(plan),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for (loops, handed) in plans {
            sink(&loops, &handed);
            counts.add("moved", 1);
        }
        Ok(())
    }
}

/// Returns the loops of a linalg op, and the attributes that the pass moves; `None` if the op has
/// no such attributes.
fn check<'c>(op: Op<'c>) -> Result<Option<(Loops<'c>, Handed<'c>)>, Failed> {
    let handed = handed_on(op);
    let loops = Loops::of(op).filter(|loops| loops.body.is_some());
    match (handed.first(), loops) {
        (Some((one, _)), None) => Err(error(
            op.location(),
            format!(
                "attribute `{}` of `{}` cannot be kept: the op has no body",
                one.name,
                name(op)
            ),
        )
        .code(codes::TX0035)
        .note("write the op as `linalg.generic` or `linalg.reduce` ops, and put the attribute on one of them")
        .emit()),
        (Some(_), Some(loops)) => check_attributes(op).map(|()| Some((loops, handed))),
        (None, _) => check_attributes(op).map(|()| None),
    }
}

fn sink<'c>(loops: &Loops<'c>, handed: &Handed<'c>) {
    let iterators = iterator_types(loops);
    for (one, _) in handed {
        remove_attribute(loops.op, one.name);
    }
    let op = generic(loops, iterators);
    let Some(body) = tx_mlir::first_block(op, 0) else {
        return;
    };
    let b = Builder::at_start(tx_mlir::context(op), body, op.location());
    let mut annotate = b.create(ANNOTATE);
    for (one, value) in handed {
        annotate = annotate.attr(one.name, *value);
        if one.name == "schedule" {
            annotate = annotate
                .attr(ITERATORS, iterators)
                .attr(OUTPUT_MAPS, output_maps(loops));
        }
    }
    annotate.build();
}

pub(crate) fn output_maps<'c>(loops: &Loops<'c>) -> Attribute<'c> {
    let context = tx_mlir::context(loops.op);
    let outputs = loops.outputs.iter();
    let maps: Vec<Attribute<'c>> = outputs
        .map(|output| output.map.to_attribute(context))
        .collect();
    ArrayAttribute::new(context, &maps).into()
}

fn iterator_types<'c>(loops: &Loops<'c>) -> Attribute<'c> {
    if let Some(written) = attribute(loops.op, ITERATORS) {
        return written;
    }
    let b = Builder::before(loops.op);
    iterators(&b, loops.dims, |d| loops.reduced.contains(&d))
}

/// Ops whose printed form contains the body.
const WITH_BODY: [&str; 3] = ["linalg.generic", "linalg.map", "linalg.reduce"];

/// Converts a named op to a `linalg.generic`, because the printed form of a named op omits its
/// body.
fn generic<'c>(loops: &Loops<'c>, iterators: Attribute<'c>) -> Op<'c> {
    let op = loops.op;
    let (Some(body), Some(maps)) = (loops.body, affine::indexing_maps(op)) else {
        return op;
    };
    if WITH_BODY.iter().any(|with_body| is(op, with_body)) {
        return op;
    }
    let b = Builder::before(op);
    let types: Vec<_> = results(op)
        .iter()
        .map(|result: &Val<'c>| result.r#type())
        .collect();
    let made = Generic {
        operands: &operands(op),
        maps: &maps,
        inputs: loops.inputs.len(),
        iterators,
        results: &types,
        body: b.copy_of(body),
    };
    let made = made.build(&b);
    for (old, new) in results(op).into_iter().zip(results(made)) {
        replace_uses(old, new);
    }
    erase(op);
    made
}
