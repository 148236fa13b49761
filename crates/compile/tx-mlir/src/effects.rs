//! Memory effects that ops declare through MLIR's interfaces.

use crate::ffi;
use crate::ir::{Op, Val, blocks, name};
use mlir_sys::MlirValue;
use std::ffi::{c_int, c_void};

/// Kind of a memory effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectKind {
    /// The op reads memory.
    Read,
    /// The op writes memory.
    Write,
    /// The op allocates memory.
    Allocate,
    /// The op frees memory.
    Free,
}

/// Memory effect of an op.
#[derive(Clone, Copy)]
pub struct Effect<'c> {
    /// Kind of the effect.
    pub kind: EffectKind,
    /// Affected memref or pointer; `None` for memory that is neither an operand nor a result of the
    /// op.
    pub value: Option<Val<'c>>,
}

/// Returns the memory effects that `op` declares through `MemoryEffectOpInterface`. Returns `None`
/// for an op that does not declare its effects. The caller must assume that an op without declared
/// effects can have any effect.
pub fn memory_effects<'c>(op: Op<'c>) -> Option<Vec<Effect<'c>>> {
    unsafe extern "C" fn push(data: *mut c_void, kind: c_int, value: MlirValue) {
        // SAFETY: `data` points to `raw` below.
        let effects = unsafe { &mut *data.cast::<Vec<(c_int, MlirValue)>>() };
        effects.push((kind, value));
    }
    let mut raw: Vec<(c_int, MlirValue)> = Vec::new();
    // SAFETY: `push` receives the pointer to `raw`.
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
                // SAFETY: the value is an operand or a result of `op`.
                value: (!value.ptr.is_null()).then(|| unsafe { Val::from_raw(value) }),
            })
            .collect()
    })
}

/// Returns whether `op` has no memory effects. An op without memory effects may still have
/// undefined behaviour for some operands, such as a division by zero.
pub fn only_computes(op: Op<'_>) -> bool {
    is_pure(op) || memory_effects(op).is_some_and(|effects| effects.is_empty())
}

/// Returns whether the only memory effects of `op` are reads of memory for which `readable` returns
/// true. The function also returns true for every `scf` op with regions, and ignores the effects of
/// the ops in the regions.
pub fn only_reads<'c>(op: Op<'c>, readable: impl Fn(Val<'c>) -> bool) -> bool {
    let reads = |effects: Vec<Effect<'c>>| {
        let mut effects = effects.into_iter();
        effects.all(|e| e.kind == EffectKind::Read && e.value.is_some_and(&readable))
    };
    is_control(op) || only_computes(op) || memory_effects(op).is_some_and(reads)
}

/// Returns whether `op` is an `scf` op with regions, an `scf.yield` or an `scf.condition`.
pub fn is_control(op: Op<'_>) -> bool {
    name(op).starts_with("scf.")
        && (!blocks(op).is_empty() || matches!(name(op), "scf.yield" | "scf.condition"))
}

/// Returns whether `op` is pure in MLIR's sense: speculatable and without memory effects.
pub fn is_pure(op: Op<'_>) -> bool {
    // SAFETY: `op` is alive.
    unsafe { ffi::txIsPure(op.to_raw()) }
}
