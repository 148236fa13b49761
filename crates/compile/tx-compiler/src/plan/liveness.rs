//! Ops of a host function that the launch plan of the function depends on.

use super::condition::{Conjunct, conjuncts};
use std::collections::BTreeSet;
use tx_mlir::{Blk, Op, blocks, defining_op, is, is_pure, key, operands, ops, results, walk};

/// Returns the ops of a block that the translation to a launch plan needs. The returned list omits
/// pure ops whose results are unused. To evaluate a condition, a launcher needs the operands of the
/// comparison op, but not the result of the comparison op. The function adds to `values` the
/// operands that the translation of the returned ops reads.
pub(super) fn needed<'c>(block: Blk<'c>, values: &mut BTreeSet<usize>) -> Vec<Op<'c>> {
    let mut needed: Vec<Op<'c>> = ops(block)
        .into_iter()
        .rev()
        .filter(|op| {
            let is_needed = !is_pure(*op)
                || results(*op)
                    .iter()
                    .any(|result| values.contains(&key(*result)));
            if is_needed {
                add_used(*op, values);
            }
            is_needed
        })
        .collect();
    needed.reverse();
    needed
}

/// Adds to `values` the operands of `op` that the translation to a launch plan reads.
fn add_used(op: Op<'_>, values: &mut BTreeSet<usize>) {
    if !is(op, "cf.assert") && !is(op, "scf.if") {
        values.extend(walk(op).into_iter().flat_map(operands).map(key));
        return;
    }
    let compared = conjuncts(op).into_iter().flat_map(Conjunct::comparisons);
    for value in compared.flat_map(operands) {
        values.insert(key(value));
        // The translation of a comparison also reads the operands of an `arith.remsi`.
        let remainder = defining_op(value).filter(|op| is(*op, "arith.remsi"));
        values.extend(remainder.into_iter().flat_map(operands).map(key));
    }
    for block in blocks(op) {
        needed(block, values);
    }
}
