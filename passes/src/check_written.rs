use crate::linalg::read::Loops;
use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, Val, codes, defining_op, error, has_uses, is, name, operands, walk};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Check that linalg ops on tensors combine with what was written.
    ///
    /// ## What it does
    /// Looks for outputs whose old values an op reads, and which are a `tensor.empty`, or a view of
    /// one: a shape without values. In memory they are what was there before, and nothing tells
    /// them from values any more.
    ///
    /// ## Before and after
    /// ```mlir
    /// func.func @rows(%A: tensor<4x8xf32>) -> tensor<4xf32> {
    ///   %zero = arith.constant 0.000000e+00 : f32
    ///   %empty = tensor.empty() : tensor<4xf32>
    ///   %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    ///   %sums = linalg.reduce { arith.addf } ins(%A : tensor<4x8xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
    ///   return %sums : tensor<4xf32>
    /// }
    /// ```
    ///
    /// ## Fails when
    /// There is such an output.
    pub struct CheckWritten as "tensor-check-written" creates [] {
    } counts {
        /// outputs that are combined with
        outputs,
    }
}

impl Pass for CheckWritten {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut failed = None;
        for loops in walk(module).into_iter().filter_map(Loops::of) {
            for (i, output) in loops.outputs.iter().enumerate() {
                if !loops.old_value(i).is_some_and(has_uses) {
                    continue;
                }
                counts.add("outputs", 1);
                if let Some(empty) = empty(output.value) {
                    failed = Some(refuse(loops.op, i, empty));
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Ops that give the values of another tensor.
const VIEWS: [&str; 4] = [
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "tensor.extract_slice",
];

/// The `tensor.empty` that `value` is, or is a view of.
fn empty(value: Val<'_>) -> Option<Op<'_>> {
    let mut op = defining_op(value)?;
    while VIEWS.iter().any(|view| is(op, view)) {
        op = defining_op(*operands(op).first()?)?;
    }
    is(op, "tensor.empty").then_some(op)
}

fn refuse(op: Op<'_>, output: usize, empty: Op<'_>) -> Failed {
    error(
        op.location(),
        format!(
            "`{}` combines with what output {output} holds, and nothing wrote that before",
            name(op)
        ),
    )
    .code(codes::TX0803)
    .note_at(empty.location(), "it is empty: a shape without values")
    .note(
        "write what results start from before, and give the result of that to `outs`: `%start = \
         linalg.fill ins(%c : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>`, where `%c` is \
         0 for a sum, 1 for a product, and minus infinity for a maximum",
    )
    .emit()
}
