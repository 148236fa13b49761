//! Changes of IR: copies, moves and removal of ops, and replacement of values and symbols.

use super::{Blk, Op, Val, argument_of};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};
use mlir_sys::{MlirStringRef, mlirOperationDestroy, mlirValueReplaceAllUsesOfWith};

/// Returns a detached copy of `op` with its regions. The copy has the same operands as `op`.
pub fn copy<'c>(op: Op<'c>) -> melior::ir::Operation<'c> {
    // SAFETY: `op` is alive, and the caller owns the copy.
    unsafe { melior::ir::Operation::from_raw(mlir_sys::mlirOperationClone(op.to_raw())) }
}

/// Replaces every use of `old` by `new`.
pub fn replace_uses<'c>(old: Val<'c>, new: Val<'c>) {
    // SAFETY: both values are alive.
    unsafe { mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) }
}

/// Replaces one operand of `op`.
pub fn set_operand<'c>(op: Op<'c>, index: usize, value: Val<'c>) {
    // SAFETY: op and value are alive, and the op has an operand with this index.
    unsafe { mlir_sys::mlirOperationSetOperand(op.to_raw(), index.cast_signed(), value.to_raw()) }
}

/// Replaces all operands of `op`, but not its `operandSegmentSizes`.
pub fn set_operands<'c>(op: Op<'c>, values: &[Val<'c>]) {
    let raw: Vec<_> = values.iter().map(|v| v.to_raw()).collect();
    // SAFETY: op and values are alive, and the passed length is the length of the list.
    unsafe {
        mlir_sys::mlirOperationSetOperands(op.to_raw(), raw.len().cast_signed(), raw.as_ptr());
    }
}

/// Sets the type of `value`. The caller must also change the definition and the uses of `value` to
/// the new type.
pub fn set_type<'c>(value: Val<'c>, ty: Type<'c>) {
    // SAFETY: value and type are alive.
    unsafe { mlir_sys::mlirValueSetType(value.to_raw(), ty.to_raw()) }
}

/// Erases an unused block argument. The indices of the arguments after the erased argument decrease
/// by one.
pub fn erase_argument(argument: Val<'_>) {
    if let Some((block, index)) = argument_of(argument)
        && let Ok(index) = u32::try_from(index)
    {
        // SAFETY: the block is alive and has that argument.
        unsafe { mlir_sys::mlirBlockEraseArgument(block.to_raw(), index) };
    }
}

/// Erases `op`. The results of `op` must have no uses.
pub fn erase(op: Op<'_>) {
    // SAFETY: `op` is alive; destroying it also removes it from its block.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(op.to_raw());
        mlirOperationDestroy(op.to_raw());
    }
}

/// Replaces a call-site location of `op` by the innermost callee location. MLIR's inliner creates
/// call-site locations.
pub fn drop_call_sites(op: Op<'_>) {
    let mut location = op.location();
    while location.is_call_site() {
        location = location.call_site_callee();
    }
    // SAFETY: op and location are alive.
    unsafe { mlir_sys::mlirOperationSetLocation(op.to_raw(), location.to_raw()) }
}

/// Moves `op` to the end of a block without a terminator.
pub fn move_to_end<'c>(op: Op<'c>, block: Blk<'c>) {
    // SAFETY: op and block are alive, and the block takes ownership of the op.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(op.to_raw());
        mlir_sys::mlirBlockAppendOwnedOperation(block.to_raw(), op.to_raw());
    }
}

/// Moves `op` before `other`, which may be in another block.
pub fn move_before<'c>(op: Op<'c>, other: Op<'c>) {
    // SAFETY: both ops are alive and in blocks.
    unsafe { mlir_sys::mlirOperationMoveBefore(op.to_raw(), other.to_raw()) }
}

/// Replaces every reference to the symbol `old` inside `from` by a reference to the symbol `new`.
/// Returns false if MLIR cannot analyse a reference to a symbol.
pub fn rename_symbol_uses(old: &str, new: &str, from: Op<'_>) -> bool {
    let text = |s: &str| MlirStringRef {
        data: s.as_ptr().cast(),
        length: s.len(),
    };
    // SAFETY: the op is alive, and both texts outlive the call.
    let done = unsafe {
        mlir_sys::mlirSymbolTableReplaceAllSymbolUses(text(old), text(new), from.to_raw())
    };
    done.value != 0
}
