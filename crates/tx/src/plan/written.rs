//! What a kernel may write.

use melior::ir::block::BlockLike;
use std::collections::BTreeSet;
use tx_mlir::gpu::is_kernel;
use tx_mlir::memref::root;
use tx_mlir::{
    EffectKind, Op, Val, argument_of, defining_op, first_block, memory_effects, name, walk,
};

/// Ops that make memory which is no argument.
const OWN_MEMORY: [&str; 4] = [
    "memref.alloc",
    "memref.alloca",
    "memref.get_global",
    "gpu.dynamic_shared_memory",
];

/// Ops that order accesses, exchange registers or print, and of which MLIR does not know that they write no argument.
const NO_MEMORY: [&str; 14] = [
    "gpu.barrier",
    "gpu.printf",
    "nvvm.bar.warp.sync",
    "nvvm.barrier",
    "nvvm.barrier.arrive",
    "nvvm.barrier0",
    "nvvm.cluster.arrive",
    "nvvm.cluster.wait",
    "nvvm.elect.sync",
    "nvvm.match.sync",
    "nvvm.redux.sync",
    "nvvm.shfl.sync",
    "nvvm.vote.sync",
    "tile.all_reduce",
];

/// The parameters whose memory `kernel` may write; `None` when it may be any.
pub(super) fn parameters(kernel: Op<'_>) -> Option<BTreeSet<usize>> {
    let mut written = BTreeSet::new();
    for op in walk(kernel).into_iter().skip(1) {
        if NO_MEMORY.contains(&name(op)) {
            continue;
        }
        for effect in memory_effects(op)? {
            if effect.kind != EffectKind::Write {
                continue;
            }
            // Memory without a name may be any: only barriers are known to mean none of their own.
            let memory = root(effect.value?);
            match (defining_op(memory), parameter(memory)) {
                (_, Some(index)) => {
                    written.insert(index);
                }
                (Some(op), None) if OWN_MEMORY.contains(&name(op)) => {}
                // Selected, carried by a loop or loaded: it may be any argument.
                _ => return None,
            }
        }
    }
    Some(written)
}

/// The number of the kernel argument or attribution that `value` is. Arguments of other blocks may be any memory.
fn parameter(value: Val<'_>) -> Option<usize> {
    let (block, index) = argument_of(value)?;
    let kernel = block.parent_operation().filter(|op| is_kernel(*op))?;
    (first_block(kernel, 0)? == block).then_some(index)
}
