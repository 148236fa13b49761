//! Memory accesses of ops: the accessed memory, and the threads that perform an access.

use crate::analysis::active::ThreadSet;
use crate::analysis::indices::{Indices, everywhere, indices};
use crate::analysis::threads::Threads;
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use std::rc::Rc;
use tx_dialect_tile::{OWNED, Scope};
use tx_mlir::memref::{Space, is_view};
use tx_mlir::{
    AsyncStore, Effect, EffectKind, MemRef, Op, Val, argument_of, attribute, blocks, defining_op,
    integer_attribute, key, memory_effects, name, operands,
};
use tx_target::Operation;

pub(crate) fn is_atomic(op: Op<'_>) -> bool {
    Operation::memory_of(name(op)) == tx_target::Memory::Atomic
}

/// Returns the memory effects of an op without regions; `None` if the effects are unknown.
pub(crate) fn effects<'c>(op: Op<'c>) -> Option<Vec<Effect<'c>>> {
    // A `cf.assert` either stops the program or has no effect.
    if Operation::memory_of(name(op)) == tx_target::Memory::Untouched || name(op) == "cf.assert" {
        return Some(Vec::new());
    }
    if let Some(store) = AsyncStore::of(op) {
        let kind = EffectKind::Write;
        let value = Some(store.slot);
        return Some(vec![Effect { kind, value }]);
    }
    memory_effects(op)
}

pub(crate) use tx_mlir::memref::root;

/// Returns whether one of the views between `value` and its root memref is the result of an op
/// named `op`.
pub(crate) fn is_seen_through(value: Val<'_>, op: &str) -> bool {
    let mut value = value;
    while let Some(def) = defining_op(value).filter(|d| is_view(*d)) {
        match (name(def) == op, operands(def).first()) {
            (false, Some(source)) => value = *source,
            (seen, _) => return seen,
        }
    }
    false
}

/// Memory that an op accesses. Two different values of this enum denote disjoint memory, unless one
/// of the two values is `Any`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Memory {
    /// Kernel argument, attribution or allocation, identified by the key of its SSA value.
    Value(usize),
    /// Global variable of the module, identified by its symbol.
    Symbol(String),
    /// Unknown memory: any memory that is not private to a thread.
    Any,
}

/// An access of an op to memory that several threads share. [`OpAccess`] records neither the
/// threads nor the indices of the access.
#[derive(Clone)]
pub(crate) struct OpAccess<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) write: bool,
    /// Set for an atomic access. Two atomic accesses do not conflict with each other.
    atomic: bool,
    pub(crate) memory: Memory,
    /// Set if the accessed memory may belong to another block of the cluster.
    pub(crate) of_cluster: bool,
    /// Accessed memref, if known.
    through: Option<Val<'c>>,
    /// Number of the access set of the op (the value of the attribute [`OWNED`]), and the first
    /// memref operand of the op. In an access set, only one thread accesses each element.
    pub(crate) owner: Option<(i64, Option<Val<'c>>)>,
}

/// Key of an [`OpAccess`]: the op, whether the op writes, the memory, and the accessed memref.
pub(crate) type OpAccessKey = (usize, bool, Memory, Option<usize>);

/// A memory access of an op, with its threads and indices.
#[derive(Clone)]
pub(crate) struct Access<'c> {
    pub(crate) of_op: OpAccess<'c>,
    /// Threads that may perform the access.
    pub(crate) by: Rc<ThreadSet>,
    /// Indices that each thread of the block may access.
    pub(super) indices: Rc<[Indices]>,
}

/// Returns the accesses of `op` to memory that several threads share, without the accesses of
/// nested ops. If the effects of an op without regions are unknown, the function assumes that the
/// op may write any memory. For an op with regions and unknown effects, the function returns no
/// accesses; its callers visit the nested ops.
pub(crate) fn op_accesses(op: Op<'_>) -> Vec<OpAccess<'_>> {
    let atomic = is_atomic(op);
    let op_access = |through, write| OpAccess {
        atomic,
        ..OpAccess::new(op, through, write)
    };
    let Some(effects) = effects(op) else {
        let unknown = || op_access(None, true);
        return blocks(op).is_empty().then(unknown).into_iter().collect();
    };
    effects
        .into_iter()
        .filter(|e| matches!(e.kind, EffectKind::Read | EffectKind::Write))
        .filter_map(|effect| {
            let write = effect.kind == EffectKind::Write;
            // An effect without a value, such as the effect of a barrier, is not a memory access.
            let value = effect.value?;
            match MemRef::of(value) {
                Some(memref) if memref.space == Space::Private => None,
                Some(_) => Some(op_access(Some(value), write)),
                None if tx_mlir::pointer_space(value.r#type()) == Some(CLUSTER_SPACE) => {
                    Some(OpAccess {
                        memory: pointed_to(value).map_or(Memory::Any, memory),
                        of_cluster: true,
                        ..op_access(None, write)
                    })
                }
                None => Some(op_access(None, write)),
            }
        })
        .collect()
}

pub(crate) fn access<'c>(
    threads: &Threads<'c>,
    op: Op<'c>,
    value: Val<'c>,
    write: bool,
) -> Access<'c> {
    OpAccess::new(op, Some(value), write).access(threads)
}

impl<'c> OpAccess<'c> {
    fn new(op: Op<'c>, through: Option<Val<'c>>, write: bool) -> Self {
        let memref = || operands(op).into_iter().find(|v| MemRef::of(*v).is_some());
        Self {
            op,
            write,
            atomic: false,
            memory: through.map_or(Memory::Any, memory),
            of_cluster: false,
            through,
            owner: integer_attribute(op, OWNED).map(|number| (number, memref())),
        }
    }

    pub(crate) fn key(&self) -> OpAccessKey {
        let op = self.op.to_raw().ptr as usize;
        (op, self.write, self.memory.clone(), self.through.map(key))
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.op.to_raw().ptr == other.op.to_raw().ptr
            && self.write == other.write
            && self.through == other.through
            && self.memory == other.memory
    }

    pub(crate) fn access(self, threads: &Threads<'c>) -> Access<'c> {
        // If a loop carries a memref or a condition selects a memref, the memref may differ between
        // threads.
        let is_one = |value: &Val<'c>| {
            self.memory != Memory::Any || threads.fact(root(*value)).same >= Scope::Cta
        };
        let is_apart = |value: &Val<'c>| !MemRef::of(root(*value)).is_some_and(|m| overlaps(&m));
        let indices = self
            .through
            .filter(|value| is_one(value) && is_apart(value))
            .and_then(|value| indices(threads, self.op, value));
        Access {
            by: Rc::new(threads.active(self.op).threads),
            indices: indices.map_or_else(|| everywhere(threads), Into::into),
            of_op: self,
        }
    }

    /// Returns whether the indices of both accesses refer to the same root memref. A memref that a
    /// loop carries or that a condition selects may alias any other memref. A root memref that is
    /// defined inside the loop `round` may differ between two iterations of `round`.
    pub(crate) fn has_same_root(&self, other: &Self, round: Option<Op<'c>>) -> bool {
        if self.memory != Memory::Any && other.memory != Memory::Any {
            return true;
        }
        let [own, others] = [self, other].map(|op_access| op_access.through.map(root));
        let stays = |root| round.is_none_or(|round| !tx_mlir::is_defined_in(root, round));
        own.is_some_and(|own| Some(own) == others && stays(own))
    }

    /// Returns whether two accesses may conflict. Two accesses may conflict if both may access the
    /// same memory, at least one access is a write, and at least one access is not atomic.
    pub(crate) fn may_alias(&self, other: &Self) -> bool {
        (self.write || other.write)
            && !(self.atomic && other.atomic)
            && (self.memory == other.memory
                || self.memory == Memory::Any
                || other.memory == Memory::Any)
    }
}

/// Returns whether two index tuples of a memref may address the same element. Two different index
/// tuples may address the same element if the stride of a dimension is at most the sum of stride ·
/// (size − 1) over all dimensions with smaller strides.
fn overlaps(memref: &MemRef<'_>) -> bool {
    let dims = memref.strides.iter().zip(&memref.shape);
    let mut dims: Vec<(u64, u64)> = dims
        .filter_map(|(stride, size)| Some(((*stride)?.unsigned_abs(), size.unwrap_or(2))))
        .filter(|(_, size)| *size > 1)
        .collect();
    dims.sort_unstable();
    let mut reach: u64 = 1;
    dims.into_iter().any(|(stride, size)| {
        let overlaps = stride < reach;
        reach = reach.saturating_add(stride.saturating_mul(size - 1));
        overlaps
    })
}

fn memory(value: Val<'_>) -> Memory {
    let base = root(value);
    match defining_op(base) {
        Some(def) if name(def) == "memref.get_global" => Memory::Symbol(
            attribute(def, "name")
                .and_then(tx_mlir::symbol_path)
                .and_then(|mut path| path.pop())
                .unwrap_or_default(),
        ),
        Some(def) if matches!(name(def), "memref.alloc" | "memref.alloca") => {
            Memory::Value(key(base))
        }
        // If a block is not the entry block, a branch or a loop may pass any memref as its
        // argument.
        None if is_kernel_argument(base) => Memory::Value(key(base)),
        // A loaded, selected or computed memref may be any memref.
        _ => Memory::Any,
    }
}

/// Address space of distributed shared memory, the shared memory of all blocks of a cluster.
const CLUSTER_SPACE: u32 = 7;

/// Returns the memref from whose address a pointer is computed.
fn pointed_to(pointer: Val<'_>) -> Option<Val<'_>> {
    let op = defining_op(pointer)?;
    match name(op) {
        "memref.extract_aligned_pointer_as_index" => operands(op).first().copied(),
        "nvvm.mapa" | "llvm.inttoptr" | "arith.index_cast" => pointed_to(*operands(op).first()?),
        "arith.addi" => operands(op).into_iter().find_map(pointed_to),
        _ => None,
    }
}

/// Returns the memory that a pointer points to, if known.
pub(crate) fn target(pointer: Val<'_>) -> Option<Memory> {
    let memory = memory(pointed_to(pointer)?);
    (memory != Memory::Any).then_some(memory)
}

fn is_kernel_argument(value: Val<'_>) -> bool {
    argument_of(value)
        .and_then(|(block, _)| block.parent_operation())
        .is_some_and(|owner| name(owner) == "gpu.func")
}
