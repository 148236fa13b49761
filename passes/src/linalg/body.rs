//! Bodies of `linalg` ops: the values that depend on old output values, and copies of computations
//! into another block.

use melior::ir::block::BlockLike;
use melior::ir::operation::Operation;
use melior::ir::{Type, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_mlir::{
    Blk, Builder, EffectKind, Op, Val, attribute, defining_op, integer_attribute, is, is_control,
    is_defined_in, key, memory_effects, operands, ops, results, set_operand, walk,
};

/// Returns the values defined outside of `op` that `op` and its nested ops use.
pub(crate) fn free_values<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    let mut all = operands(op);
    for inner in walk(op).into_iter().skip(1) {
        all.extend(
            operands(inner)
                .into_iter()
                .filter(|v| !is_defined_in(*v, op)),
        );
    }
    all
}

/// Returns the integer keys of all values that depend on one of `values`, in `block` and in its
/// nested regions.
pub(crate) fn dependents<'c>(block: Blk<'c>, values: &[Val<'c>]) -> BTreeSet<usize> {
    let mut found: BTreeSet<usize> = values.iter().map(|v| key(*v)).collect();
    for op in ops(block) {
        if free_values(op).iter().any(|v| found.contains(&key(*v))) {
            for inner in walk(op) {
                if free_values(inner).iter().any(|v| found.contains(&key(*v))) {
                    found.extend(results(inner).into_iter().map(key));
                }
            }
        }
    }
    found
}

/// Returns the ops of `block` that compute the values `roots`, in block order. If `known` returns
/// true for the integer key of a value, the function does not visit the op that computes the value.
pub(crate) fn slice<'c>(
    block: Blk<'c>,
    roots: &[Val<'c>],
    known: impl Fn(usize) -> bool,
) -> Vec<Op<'c>> {
    let mut wanted: BTreeSet<usize> = roots.iter().map(|v| key(*v)).collect();
    let mut found = Vec::new();
    for op in ops(block).into_iter().rev() {
        let needed = results(op)
            .into_iter()
            .any(|r| wanted.contains(&key(r)) && !known(key(r)));
        if needed {
            wanted.extend(free_values(op).into_iter().map(key));
            found.push(op);
        }
    }
    found.reverse();
    found
}

pub(crate) fn is_constant(value: Val<'_>) -> bool {
    defining_op(value).is_some_and(|op| is(op, "arith.constant"))
}

pub(crate) fn loop_index(value: Val<'_>) -> Option<usize> {
    let op = defining_op(value).filter(|op| is(*op, "linalg.index"))?;
    usize::try_from(integer_attribute(op, "dim")?).ok()
}

/// Returns whether ops have no side effects, so that the ops can be moved.
pub(crate) fn only_computes(slice: &[Op<'_>]) -> bool {
    slice.iter().all(|op| {
        walk(*op)
            .into_iter()
            .all(|o| is(o, "linalg.yield") || is_control(o) || tx_mlir::only_computes(o))
    })
}

pub(crate) fn memory_read<'c>(body: Blk<'c>) -> Vec<Val<'c>> {
    let effects = ops(body)
        .into_iter()
        .flat_map(walk)
        .filter_map(memory_effects);
    effects
        .flatten()
        .filter(|e| e.kind == EffectKind::Read)
        .filter_map(|e| e.value)
        .collect()
}

pub(crate) struct Copier<'b, 'c> {
    pub(crate) b: &'b Builder<'c>,
    pub(crate) into: Blk<'c>,
}

impl<'c> Copier<'_, 'c> {
    /// Copies the ops of the block `from` that compute the values `roots`. `known` lists values of
    /// `from` with their replacements. The callback `index` emits the index of a loop. Constants
    /// are recreated; all other values defined outside of `from` are used unchanged.
    pub(crate) fn copy(
        &self,
        from: Blk<'c>,
        known: &[(Val<'c>, Val<'c>)],
        index: &dyn Fn(usize) -> Val<'c>,
        roots: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let mut copies: BTreeMap<usize, Val<'c>> =
            known.iter().map(|(old, new)| (key(*old), *new)).collect();
        for op in slice(from, roots, |k| copies.contains_key(&k)) {
            if let Some(result) = results(op).first().copied() {
                if is_constant(result) {
                    copies.insert(key(result), self.constant(op, result.r#type()));
                    continue;
                }
                if let Some(dim) = loop_index(result) {
                    copies.insert(key(result), index(dim));
                    continue;
                }
            }
            for value in free_values(op) {
                self.resolve(&mut copies, value);
            }
            let copy = self.into.append_operation(Operation::clone(&op));
            for inner in walk(copy) {
                for (i, operand) in operands(inner).into_iter().enumerate() {
                    if let Some(new) = copies.get(&key(operand)) {
                        set_operand(inner, i, *new);
                    }
                }
            }
            let pairs = results(op).into_iter().zip(results(copy));
            copies.extend(pairs.map(|(old, new)| (key(old), new)));
        }
        roots
            .iter()
            .map(|v| self.resolve(&mut copies, *v))
            .collect()
    }

    fn resolve(&self, copies: &mut BTreeMap<usize, Val<'c>>, value: Val<'c>) -> Val<'c> {
        if let Some(known) = copies.get(&key(value)) {
            return *known;
        }
        let resolved = self.captured(value);
        copies.insert(key(value), resolved);
        resolved
    }

    /// Returns a value from outside the block for use inside the block: a constant is created again
    /// in the block, and any other value is returned unchanged.
    pub(crate) fn captured(&self, value: Val<'c>) -> Val<'c> {
        match defining_op(value) {
            Some(op) if is_constant(value) => self.constant(op, value.r#type()),
            _ => value,
        }
    }

    fn constant(&self, op: Op<'c>, ty: Type<'c>) -> Val<'c> {
        match attribute(op, "value") {
            Some(value) => self.b.constant(value, ty),
            None => results(op)[0],
        }
    }
}
