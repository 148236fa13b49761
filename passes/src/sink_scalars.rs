use crate::linalg::body::free_values;
use melior::ir::{TypeLike, ValueLike};
use std::collections::BTreeMap;
use tx_mlir::build::argument;
use tx_mlir::{
    Blk, Builder, Failed, Op, Val, defining_op, first_block, is, is_defined_in, key, name,
    operands, ops, replace_uses, results, set_operand, walk,
};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Compute in bodies what the host would compute from elements of tensors.
    ///
    /// ## What it does
    /// Copies a scalar that is computed from a `tensor.extract` into the body of each linalg op that
    /// uses it, with the extract and the arithmetic between. Elements of tensors are in the
    /// memory of the device: the host, which prepares launches, has none of them. The scalar may
    /// be used in the body or be an input of the op.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @scale(%A: tensor<8xf32>, %s: tensor<f32>, %E: tensor<8xf32>) -> tensor<8xf32> {
    ///   %v = tensor.extract %s[] : tensor<f32>
    ///   %R = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    ///                       iterator_types = ["parallel"]} ins(%A : tensor<8xf32>) outs(%E : tensor<8xf32>) {
    ///   ^bb0(%a: f32, %e: f32):
    ///     %p = arith.mulf %a, %v : f32
    ///     linalg.yield %p : f32
    ///   } -> tensor<8xf32>
    ///   return %R : tensor<8xf32>
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @scale(%A: tensor<8xf32>, %s: tensor<f32>, %E: tensor<8xf32>) -> tensor<8xf32> {
    ///   ...
    ///   %R = linalg.generic ...
    ///   ^bb0(%a: f32, %e: f32):
    ///     %w = tensor.extract %s[] : tensor<f32>
    ///     %p = arith.mulf %a, %w : f32
    ///     linalg.yield %p : f32
    /// ```
    ///
    /// ## Fails when
    /// It does not.
    pub struct SinkScalars as "linalg-sink-scalars" creates [arith, tensor] {
    } counts {
        /// ops into which scalars were copied
        changed,
    }
}

impl Pass for SinkScalars {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        for op in walk(module) {
            if name(op) == "linalg.generic"
                && let Some(body) = first_block(op, 0)
                && sink(op, body)
            {
                counts.add("changed", 1);
            }
        }
        Ok(())
    }
}

/// Copies the scalars that a body uses; whether there were any.
fn sink<'c>(op: Op<'c>, body: Blk<'c>) -> bool {
    let mut copies = BTreeMap::new();
    let b = match ops(body).first() {
        Some(first) => Builder::before(*first),
        None => return false,
    };
    for (i, input) in operands(op).into_iter().enumerate() {
        if of_element(input)
            && let Some(copy) = copied(&b, input, &mut copies)
        {
            replace_uses(argument(body, i), copy);
        }
    }
    for inner in walk(op).into_iter().skip(1) {
        for (i, value) in operands(inner).into_iter().enumerate() {
            if !is_defined_in(value, op)
                && of_element(value)
                && let Some(copy) = copied(&b, value, &mut copies)
            {
                set_operand(inner, i, copy);
            }
        }
    }
    !copies.is_empty()
}

/// Whether an op computes one number from others, and does nothing else.
fn computes(op: Op<'_>) -> bool {
    let is_scalar = |value: &Val<'_>| !value.r#type().is_shaped();
    let simple = name(op).starts_with("arith.") || name(op).starts_with("math.");
    simple && operands(op).iter().chain(&results(op)).all(is_scalar)
}

/// Whether a scalar is computed from an element of a tensor.
fn of_element(value: Val<'_>) -> bool {
    defining_op(value).is_some_and(|op| {
        is(op, "tensor.extract") || computes(op) && operands(op).into_iter().any(of_element)
    })
}

/// A copy of the ops that compute a scalar from elements; other values stay where they are.
fn copied<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    copies: &mut BTreeMap<usize, Val<'c>>,
) -> Option<Val<'c>> {
    if !of_element(value) {
        return Some(value);
    }
    if let Some(copy) = copies.get(&key(value)) {
        return Some(*copy);
    }
    let op = defining_op(value)?;
    let inputs = free_values(op)
        .into_iter()
        .map(|input| copied(b, input, copies))
        .collect::<Option<Vec<_>>>()?;
    let copy = b.copy_with(op, &inputs).first().copied()?;
    copies.insert(key(value), copy);
    Some(copy)
}
