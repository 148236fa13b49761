//! Who reads and writes which memory around an op of a host function.

use super::fuse::Taken;
use super::read::{Loops, is_memory};
use super::scalar::{Scalar, sort_of};
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tx_dialect_tile::CLEARED;
use tx_mlir::memref::root;
use tx_mlir::{
    EffectKind, Failed, MemRef, Op, Val, argument_of, attribute, codes, defining_op, error, is,
    key, memory_effects, name, operands, ops, parent, walk,
};

/// The uses of every value of a function.
pub(crate) struct Uses<'c> {
    users: BTreeMap<usize, Vec<Op<'c>>>,
}

impl<'c> Uses<'c> {
    /// Of the values used in `function`.
    pub(crate) fn of(function: Op<'c>) -> Self {
        let mut users: BTreeMap<usize, Vec<Op<'c>>> = BTreeMap::new();
        for op in walk(function) {
            for value in operands(op) {
                let list = users.entry(key(value)).or_default();
                if list.last() != Some(&op) {
                    list.push(op);
                }
            }
        }
        Self { users }
    }

    /// The ops that use `value`, in program order, each once.
    pub(crate) fn of_value(&self, value: Val<'c>) -> &[Op<'c>] {
        self.users.get(&key(value)).map_or(&[], Vec::as_slice)
    }

    /// What makes and ends `value`, when it is a temporary that only `users` use besides.
    pub(crate) fn temporary(&self, value: Val<'c>, users: &[Op<'c>]) -> Option<Vec<Op<'c>>> {
        let alloc = defining_op(value)?;
        if !is(alloc, "memref.alloc") && !is(alloc, "memref.alloca") {
            return None;
        }
        let mut around = Vec::new();
        for user in self.of_value(value) {
            if is(*user, "memref.dealloc") {
                around.push(*user);
            } else if !users.contains(user) {
                return None;
            }
        }
        around.push(alloc);
        Some(around)
    }
}

/// Whether `base`, which is no view, is memory of its own: an argument of the function, or an
/// allocation.
fn is_apart(base: Val<'_>) -> bool {
    if let Some(op) = defining_op(base) {
        return is(op, "memref.alloc") || is(op, "memref.alloca");
    }
    argument_of(base).is_some_and(|(block, _)| {
        block
            .parent_operation()
            .is_some_and(|op| is(op, "func.func") && tx_mlir::first_block(op, 0) == Some(block))
    })
}

/// Whether two memrefs may be the same memory. Arguments of a function are different memories, as
/// allocations are.
pub(crate) fn may_alias<'c>(a: Val<'c>, b: Val<'c>) -> bool {
    let (a, b) = (root(a), root(b));
    a == b || !is_apart(a) || !is_apart(b)
}

/// What an op does to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Reads, writes or frees it.
    Any,
    /// Writes or frees it.
    Change,
}

/// Whether `op` may do that to `memory`.
pub(crate) fn touches<'c>(op: Op<'c>, touch: Touch, memory: Val<'c>) -> bool {
    // An assertion ends the program or does nothing.
    let inner = walk(op).into_iter().filter(|op| !is(*op, "cf.assert"));
    inner.into_iter().any(|inner| {
        let Some(effects) = memory_effects(inner) else {
            return true;
        };
        effects.into_iter().any(|effect| {
            let counts = match effect.kind {
                EffectKind::Read => touch == Touch::Any,
                EffectKind::Write | EffectKind::Free => true,
                EffectKind::Allocate => false,
            };
            let hits = effect
                .value
                .is_none_or(|v| MemRef::of(v).is_none() || may_alias(v, memory));
            counts && hits
        })
    })
}

/// Whether one of `ops` may do that to one of `memories`.
pub(crate) fn any_touches<'c>(ops: &[Op<'c>], touch: Touch, memories: &[Val<'c>]) -> bool {
    ops.iter()
        .any(|op| memories.iter().any(|m| touches(*op, touch, *m)))
}

/// The ops between two of one block; `None` when `last` does not come after `first` there.
pub(crate) fn between<'c>(first: Op<'c>, last: Op<'c>) -> Option<Vec<Op<'c>>> {
    let mut found = Vec::new();
    let mut op = first.next_in_block();
    while let Some(o) = op {
        if o == last {
            return Some(found);
        }
        found.push(o);
        op = o.next_in_block();
    }
    None
}

/// An op that fills a whole memref with a value.
#[derive(Clone, Copy)]
pub(crate) struct Fill<'c> {
    pub(crate) op: Op<'c>,
    /// The value, where it is a constant.
    pub(crate) value: Option<Scalar>,
}

/// The fill of `memory` that `reader` sees, when nothing reads or writes it in between. Fills that
/// were folded do nothing any more.
pub(crate) fn fill_before<'c>(reader: Op<'c>, memory: Val<'c>, taken: &Taken) -> Option<Fill<'c>> {
    let before = ops(reader.block()?)
        .into_iter()
        .take_while(|o| *o != reader);
    for op in before.collect::<Vec<_>>().into_iter().rev() {
        if taken.is_folded(op) {
            continue;
        }
        if let Some(value) = filled(op, memory, taken) {
            return (!taken.has(op)).then_some(Fill { op, value });
        }
        if touches(op, Touch::Any, memory) {
            return None;
        }
    }
    None
}

/// What `op` fills `memory` with, where it fills it with one value, and that value where it is a
/// constant.
fn filled<'c>(op: Op<'c>, memory: Val<'c>, taken: &Taken) -> Option<Option<Scalar>> {
    let loops = Loops::of(op)?;
    let [output] = &loops.outputs[..] else {
        return None;
    };
    if output.value != memory || !loops.is_element_wise() {
        return None;
    }
    let value = match (loops.body, &loops.yielded()[..]) {
        (None, _) => loops.inputs.first()?.value,
        // An operand, by its name in the body, or a value from outside.
        (Some(body), [value]) => match argument_of(*value) {
            Some((block, i)) if block == body => loops.inputs.get(i)?.value,
            _ => *value,
        },
        _ => return None,
    };
    if is_memory(value) {
        return fill_before(op, value, taken).map(|fill| fill.value);
    }
    let constant = defining_op(value).filter(|d| is(*d, "arith.constant"));
    let made_here = defining_op(value).is_some_and(|d| parent(d) == Some(op));
    match constant {
        Some(constant) => Some(
            sort_of(value.r#type())
                .and_then(|sort| Scalar::of(attribute(constant, "value")?, sort)),
        ),
        None => (!made_here).then_some(None),
    }
}

/// Refuses an op that combines with what one of `memories` holds, which is allocated in the
/// function, and which nothing has written.
pub(crate) fn check_written<'c>(op: Op<'c>, memories: &[Val<'c>]) -> Result<(), Failed> {
    for (i, memory) in memories.iter().enumerate() {
        let base = root(*memory);
        let Some(alloc) =
            defining_op(base).filter(|a| is_apart(base) && attribute(*a, CLEARED).is_none())
        else {
            continue;
        };
        let Some(meanwhile) = between(alloc, op) else {
            continue;
        };
        if !any_touches(&meanwhile, Touch::Change, &[base]) {
            return Err(error(
                op.location(),
                format!("`{}` combines with what output {i} holds, and nothing wrote that before", name(op)),
            )
            .code(codes::TX0803)
            .note_at(alloc.location(), "it is allocated here")
            .note(match is(op, "tile.reduce") {
                true => "leave `accumulate` out, or write what results start from before, by `linalg.fill`",
                false => "write what results start from before, by `linalg.fill`: 0 for a sum",
            })
            .emit());
        }
    }
    Ok(())
}
