//! Data flow of a function: the memory that each op reads and writes, in program order.
//!
//! `convert-linalg-to-tile`, `tile-form-kernels` and `tile-schedule` use this analysis. The
//! analysis runs once, and its result is valid only while the function does not change. Each pass
//! therefore makes all its decisions before the pass changes the function.

use super::constants::is_constant;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tx_dialect_tile::CLEARED;
use tx_mlir::memref::root;
use tx_mlir::{
    AffineMap, EffectKind, Failed, MemRef, Op, Val, affine, argument_of, attribute, codes,
    defining_op, error, first_block, integers, is, key, memory_effects, name, operands, parent,
    walk,
};

/// An operand, and the map from loop indices to the accessed element.
#[derive(Clone)]
pub(crate) struct Access<'c> {
    /// The memref that the op accesses, or a scalar operand.
    pub(crate) value: Val<'c>,
    pub(crate) memref: Option<MemRef<'c>>,
    /// Map from loop indices to element indices.
    pub(crate) map: AffineMap,
}

impl<'c> Access<'c> {
    pub(crate) fn new(value: Val<'c>, map: AffineMap) -> Self {
        Self {
            value,
            memref: MemRef::of(value),
            map,
        }
    }

    pub(crate) fn is_memory(&self) -> bool {
        self.memref.is_some()
    }

    /// Returns whether two accesses address the same element in every iteration.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.value == other.value && self.map == other.map
    }

    /// Replaces the old loops of the indexing map by `dims` new loops. The expressions in `loops`
    /// compute the index of each old loop from the indices of the new loops.
    pub(crate) fn replace(&self, dims: usize, loops: &[tx_mlir::Affine]) -> Self {
        Self {
            map: self.map.replace(dims, loops),
            ..self.clone()
        }
    }
}

/// Operands and indexing maps of a `linalg` op or a copy op.
pub(crate) struct Accesses<'c> {
    /// Number of loops.
    pub(crate) dims: usize,
    pub(crate) inputs: Vec<Access<'c>>,
    pub(crate) outputs: Vec<Access<'c>>,
}

impl<'c> Accesses<'c> {
    /// Returns the operands of `op` with their indexing maps; `None` if `op` has no indexing maps.
    pub(crate) fn of(op: Op<'c>) -> Option<Self> {
        let values = operands(op);
        let (maps, outputs) = if is(op, "memref.copy") || is(op, "tile.copy") {
            let rank = MemRef::of(*values.first()?)?.rank();
            (vec![AffineMap::identity(rank); 2], 1)
        } else if name(op).starts_with("linalg.") {
            let segments = attribute(op, "operandSegmentSizes").and_then(integers);
            let outputs = match segments {
                Some(segments) => usize::try_from(*segments.get(1)?).ok()?,
                None if is(op, "linalg.reduce") => values.len() / 2,
                None => 1,
            };
            (affine::indexing_maps(op)?, outputs)
        } else {
            return None;
        };
        let inputs = values.len().checked_sub(outputs)?;
        let dims = maps.first()?.dims;
        if maps.len() != values.len() {
            return None;
        }
        let all = values.into_iter().zip(maps);
        let mut inputs_and_outputs = all.map(|(value, map)| Access::new(value, map));
        Some(Self {
            dims,
            inputs: inputs_and_outputs.by_ref().take(inputs).collect(),
            outputs: inputs_and_outputs.collect(),
        })
    }
}

#[derive(Clone, Copy)]
struct Memory<'c> {
    root: Val<'c>,
    /// Set if the memory is an argument of the function, an allocation or a constant array. Two
    /// distinct memories with `is_apart` set never alias.
    is_apart: bool,
}

impl<'c> Memory<'c> {
    fn of(value: Val<'c>) -> Self {
        let root = root(value);
        let is_apart = match defining_op(root) {
            Some(op) => is_allocation(op) || is_constant(root),
            None => argument_of(root).is_some_and(|(block, _)| {
                block
                    .parent_operation()
                    .is_some_and(|op| is(op, "func.func") && first_block(op, 0) == Some(block))
            }),
        };
        Self { root, is_apart }
    }

    fn may_be(self, other: Self) -> bool {
        self.root == other.root || !self.is_apart || !other.is_apart
    }
}

fn is_allocation(op: Op<'_>) -> bool {
    is(op, "memref.alloc") || is(op, "memref.alloca")
}

/// Returns whether two memrefs may alias. Two different arguments of a function never alias, and
/// two different allocations never alias.
pub(crate) fn may_alias<'c>(a: Val<'c>, b: Val<'c>) -> bool {
    Memory::of(a).may_be(Memory::of(b))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// Any effect: a read, a write or a deallocation of memory.
    Any,
    /// A write or a deallocation of memory.
    Change,
}

/// An op of a block, and the memory effects of this op and of its nested ops.
pub(crate) struct BlockOp<'c> {
    pub(crate) op: Op<'c>,
    /// Memory effects of the op. Each entry is a pair: a flag that is set if the effect changes
    /// memory, and the affected memory (`None` if unknown).
    effects: Vec<(bool, Option<Memory<'c>>)>,
}

impl<'c> BlockOp<'c> {
    fn of(op: Op<'c>) -> Self {
        let mut effects = Vec::new();
        // A `cf.assert` either stops the program or has no effect.
        for inner in walk(op).into_iter().filter(|op| !is(*op, "cf.assert")) {
            let Some(own) = memory_effects(inner) else {
                effects.push((true, None));
                continue;
            };
            for effect in own {
                let changes = match effect.kind {
                    EffectKind::Read => false,
                    EffectKind::Write | EffectKind::Free => true,
                    EffectKind::Allocate => continue,
                };
                let memory = effect.value.filter(|value| MemRef::of(*value).is_some());
                effects.push((changes, memory.map(Memory::of)));
            }
        }
        Self { op, effects }
    }

    /// Returns whether the op may have the memory effect `kind` on `memory`.
    pub(crate) fn accesses(&self, kind: AccessKind, memory: Val<'c>) -> bool {
        let memory = Memory::of(memory);
        self.effects.iter().any(|(changes, own)| {
            (*changes || kind == AccessKind::Any) && own.is_none_or(|own| own.may_be(memory))
        })
    }
}

/// Returns whether one of the ops `steps` may have the effect `kind` on one of `memories`.
pub(crate) fn any_accesses<'c>(
    steps: &[BlockOp<'c>],
    kind: AccessKind,
    memories: &[Val<'c>],
) -> bool {
    let accesses = |step: &BlockOp<'c>| memories.iter().any(|m| step.accesses(kind, *m));
    steps.iter().any(accesses)
}

pub(crate) struct Dataflow<'c> {
    users: BTreeMap<usize, Vec<Op<'c>>>,
    /// The ops of each block, in order of execution.
    blocks: Vec<Vec<BlockOp<'c>>>,
    /// The block number of each op, and its position in the block.
    places: BTreeMap<usize, (usize, usize)>,
}

impl<'c> Dataflow<'c> {
    pub(crate) fn of(function: Op<'c>) -> Self {
        let mut flow = Self {
            users: BTreeMap::new(),
            blocks: Vec::new(),
            places: BTreeMap::new(),
        };
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for op in walk(function) {
            for value in operands(op) {
                let list = flow.users.entry(key(value)).or_default();
                if list.last() != Some(&op) {
                    list.push(op);
                }
            }
            // Bodies of `linalg` ops execute once per point, not in program order.
            let around = parent(op).filter(|around| op != function && !is_loops(*around));
            let Some(block) = around.and_then(|_| op.block()) else {
                continue;
            };
            let number = *numbers
                .entry(block.to_raw().ptr as usize)
                .or_insert_with(|| {
                    flow.blocks.push(Vec::new());
                    flow.blocks.len() - 1
                });
            let steps = &mut flow.blocks[number];
            flow.places.insert(op_key(op), (number, steps.len()));
            steps.push(BlockOp::of(op));
        }
        flow
    }

    /// Returns the ops that use `value`, in program order and without duplicates.
    pub(crate) fn users(&self, value: Val<'c>) -> &[Op<'c>] {
        self.users.get(&key(value)).map_or(&[], Vec::as_slice)
    }

    /// Returns the allocation and the deallocations of `value`; `None` unless `value` is a
    /// temporary that only `users` and deallocations use.
    pub(crate) fn temporary(&self, value: Val<'c>, users: &[Op<'c>]) -> Option<Vec<Op<'c>>> {
        let alloc = defining_op(value).filter(|op| is_allocation(*op))?;
        let mut around = Vec::new();
        for user in self.users(value) {
            if is(*user, "memref.dealloc") {
                around.push(*user);
            } else if !users.contains(user) {
                return None;
            }
        }
        around.push(alloc);
        Some(around)
    }

    pub(crate) fn before(&self, op: Op<'c>) -> &[BlockOp<'c>] {
        let place = self.places.get(&op_key(op));
        place.map_or(&[], |(block, place)| &self.blocks[*block][..*place])
    }

    pub(crate) fn after(&self, op: Op<'c>) -> &[BlockOp<'c>] {
        let place = self.places.get(&op_key(op));
        place.map_or(&[], |(block, place)| &self.blocks[*block][place + 1..])
    }

    /// Returns the ops between two ops of one block; `None` if `last` does not follow `first` in
    /// one block.
    pub(crate) fn between(&self, first: Op<'c>, last: Op<'c>) -> Option<&[BlockOp<'c>]> {
        let (block, first) = self.places.get(&op_key(first))?;
        let (other, last) = self.places.get(&op_key(last))?;
        (block == other && first < last).then(|| &self.blocks[*block][first + 1..*last])
    }

    /// Rejects an op that accumulates into one of `memories` if the function allocates this memory
    /// and no op before the rejected op initializes it.
    pub(crate) fn check_written(&self, op: Op<'c>, memories: &[Val<'c>]) -> Result<(), Failed> {
        for (i, memory) in memories.iter().enumerate() {
            let base = root(*memory);
            let alloc = defining_op(base).filter(|op| is_allocation(*op));
            let Some(alloc) = alloc.filter(|op| attribute(*op, CLEARED).is_none()) else {
                continue;
            };
            let Some(meanwhile) = self.between(alloc, op) else {
                continue;
            };
            if any_accesses(meanwhile, AccessKind::Change, &[base]) {
                continue;
            }
            let write = "initialize the output with `linalg.fill` first";
            let what = format!(
                "`{}` accumulates into output {i}, which is uninitialized",
                name(op)
            );
            return Err(error(op.location(), what)
                .code(codes::TX0803)
                .note_at(alloc.location(), "it is allocated here")
                .note(match is(op, "tile.reduce") {
                    true => format!("remove `accumulate`, or {write}"),
                    false => format!("{write}: 0 for a sum"),
                })
                .emit());
        }
        Ok(())
    }
}

/// Returns whether `op` is a `linalg` op or a `tile.reduce`, whose regions execute for each index
/// tuple of an iteration space.
fn is_loops(op: Op<'_>) -> bool {
    name(op).starts_with("linalg.") || is(op, "tile.reduce")
}

pub(crate) fn op_key(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}
