use crate::linalg::body::free_values;
use melior::ir::{TypeLike, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::build::argument;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Blk, Builder, Failed, Op, Val, first_block, is, key, name, operands, ops, replace_uses,
    results, set_operand, walk,
};

pass! {
    /// Copy scalars that depend on tensor elements into linalg bodies.
    ///
    /// ## What it does
    /// If a scalar depends on a `tensor.extract`, the pass copies the computation of the scalar
    /// into the body of each linalg op that uses the scalar. The copy contains the `tensor.extract`
    /// and all arithmetic from the `tensor.extract` to the scalar. The copy is necessary because
    /// tensors are in device memory, which the host cannot read while it prepares launches. The
    /// scalar may be used in the body or be an input of the op.
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
    /// The pass does not fail.
    pub struct SinkScalars as "linalg-sink-scalars" creates [arith, tensor] {
    } counts {
        /// ops into which scalars were copied
        changed,
    }
}

impl Pass for SinkScalars {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let chain = of_elements(module);
        for op in walk(module) {
            if name(op) == "linalg.generic"
                && let Some(body) = first_block(op, 0)
                && sink(op, body, &chain)
            {
                counts.add("changed", 1);
            }
        }
        Ok(())
    }
}

/// Returns the ops that compute scalars from tensor elements, in program order. The result contains
/// each `tensor.extract`, and the arithmetic that depends on a `tensor.extract`.
fn of_elements<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let mut known = BTreeSet::new();
    let mut chain = walk(module);
    chain.retain(|op| {
        let of_known = || {
            operands(*op)
                .iter()
                .any(|value| known.contains(&key(*value)))
        };
        let is_part = is(*op, "tensor.extract") || computes(*op) && of_known();
        if is_part {
            known.extend(results(*op).into_iter().map(key));
        }
        is_part
    });
    chain
}

/// Copies ops of `chain` into `body`: all ops whose results the body uses, directly or through
/// other ops of `chain`. Returns whether at least one op of `chain` was copied.
fn sink<'c>(op: Op<'c>, body: Blk<'c>, chain: &[Op<'c>]) -> bool {
    let outside = chain.iter().filter(|part| !is_within(**part, op));
    let outside: Vec<Op<'c>> = outside.copied().collect();
    let mut wanted: BTreeSet<usize> = free_values(op).into_iter().map(key).collect();
    let mut needed = Vec::new();
    for part in outside.into_iter().rev() {
        if results(part)
            .into_iter()
            .any(|result| wanted.contains(&key(result)))
        {
            wanted.extend(operands(part).into_iter().map(key));
            needed.push(part);
        }
    }
    let (Some(first), false) = (ops(body).first().copied(), needed.is_empty()) else {
        return false;
    };
    let b = Builder::before(first);
    let mut copies: BTreeMap<usize, Val<'c>> = BTreeMap::new();
    for part in needed.into_iter().rev() {
        let of = |value: Val<'c>| copies.get(&key(value)).copied().unwrap_or(value);
        let inputs: Vec<Val<'c>> = operands(part).into_iter().map(of).collect();
        let made = b.copy_with(part, &inputs);
        copies.extend(results(part).into_iter().map(key).zip(made));
    }
    for (i, input) in operands(op).into_iter().enumerate() {
        if let Some(copy) = copies.get(&key(input)) {
            replace_uses(argument(body, i), *copy);
        }
    }
    for inner in walk(op).into_iter().skip(1) {
        for (i, value) in operands(inner).into_iter().enumerate() {
            if let Some(copy) = copies.get(&key(value)) {
                set_operand(inner, i, *copy);
            }
        }
    }
    true
}

fn is_within(op: Op<'_>, around: Op<'_>) -> bool {
    tx_mlir::ancestors(op).any(|ancestor| ancestor == around)
}

/// Returns whether an op is scalar arithmetic without side effects.
fn computes(op: Op<'_>) -> bool {
    let is_scalar = |value: &Val<'_>| !value.r#type().is_shaped();
    let simple = name(op).starts_with("arith.") || name(op).starts_with("math.");
    simple && operands(op).iter().chain(&results(op)).all(is_scalar)
}
