use crate::linalg::read::Loops;
use melior::ir::operation::OperationLike;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Failed, Op, Val, codes, defining_op, error, has_uses, is, name, operands, walk};

pass! {
    /// Check that linalg ops on tensors do not accumulate into uninitialized outputs.
    ///
    /// ## What it does
    /// Finds ops that read the old elements of an output that is a `tensor.empty` or a view of a
    /// `tensor.empty`. A `tensor.empty` has a shape but no values. After bufferization, the op
    /// would read uninitialized memory, and no later pass could detect the error.
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
    /// The pass rejects an op that reads the old elements of an uninitialized output.
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

/// Ops on tensors whose result contains only elements of their first operand.
const VIEWS: [&str; 4] = [
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "tensor.extract_slice",
];

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
            "`{}` accumulates into output {output}, which is uninitialized",
            name(op)
        ),
    )
    .code(codes::TX0803)
    .note_at(empty.location(), "`tensor.empty` has no values")
    .note(
        "initialize the tensor first, and pass the result to `outs`: `%start = linalg.fill ins(%c \
         : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>`, where `%c` is 0 for a sum, 1 for a \
         product, and minus infinity for a maximum",
    )
    .emit()
}
