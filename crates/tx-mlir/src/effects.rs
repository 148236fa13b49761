//! Memory effects of ops, as the ops themselves declare them.

use crate::ffi;
use crate::ir::{Op, Val, blocks, name};
use mlir_sys::MlirValue;
use std::ffi::{c_int, c_void};

/// What an op does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectKind {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Makes it.
    Allocate,
    /// Ends it.
    Free,
}

/// One effect: on the memory behind `value`, or on memory that the op does not name.
#[derive(Clone, Copy)]
pub struct Effect<'c> {
    /// What happens.
    pub kind: EffectKind,
    /// The memref or pointer it happens to.
    pub value: Option<Val<'c>>,
}

/// The effects that `op` itself declares through MLIR's `MemoryEffectOpInterface`; `None` when it
/// declares nothing and so may do anything.
pub fn memory_effects<'c>(op: Op<'c>) -> Option<Vec<Effect<'c>>> {
    unsafe extern "C" fn push(data: *mut c_void, kind: c_int, value: MlirValue) {
        // SAFETY: `data` is the vector below.
        let effects = unsafe { &mut *data.cast::<Vec<(c_int, MlirValue)>>() };
        effects.push((kind, value));
    }
    let mut raw: Vec<(c_int, MlirValue)> = Vec::new();
    // SAFETY: `push` gets the vector it expects.
    let known =
        unsafe { ffi::txMemoryEffects(op.to_raw(), push, std::ptr::from_mut(&mut raw).cast()) };
    known.then(|| {
        raw.into_iter()
            .map(|(kind, value)| Effect {
                kind: match kind {
                    0 => EffectKind::Read,
                    1 => EffectKind::Write,
                    2 => EffectKind::Allocate,
                    _ => EffectKind::Free,
                },
                // SAFETY: the value belongs to `op`.
                value: (!value.ptr.is_null()).then(|| unsafe { Val::from_raw(value) }),
            })
            .collect()
    })
}

/// Whether `op` touches no memory, though it may be undefined for some operands, as a division by
/// zero is.
pub fn only_computes(op: Op<'_>) -> bool {
    is_pure(op) || memory_effects(op).is_some_and(|effects| effects.is_empty())
}

/// Whether `op`, apart from what is in its regions, computes, and does no more to memory than to
/// read what `readable` holds for.
pub fn only_reads<'c>(op: Op<'c>, readable: impl Fn(Val<'c>) -> bool) -> bool {
    let reads = |effects: Vec<Effect<'c>>| {
        let mut effects = effects.into_iter();
        effects.all(|e| e.kind == EffectKind::Read && e.value.is_some_and(&readable))
    };
    is_control(op) || only_computes(op) || memory_effects(op).is_some_and(reads)
}

/// Whether `op` decides which ops of its regions are executed, and how often, or ends such a region, and
/// does nothing else itself.
pub fn is_control(op: Op<'_>) -> bool {
    name(op).starts_with("scf.")
        && (!blocks(op).is_empty() || matches!(name(op), "scf.yield" | "scf.condition"))
}

/// Whether removing `op` changes nothing but its results.
pub fn is_pure(op: Op<'_>) -> bool {
    // SAFETY: `op` is alive.
    unsafe { ffi::txIsPure(op.to_raw()) }
}
