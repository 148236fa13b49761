//! Short aliases for the types of melior, and functions that passes use to inspect and change IR.
//!
//! This module defines handles to IR objects (such as `Op`), and functions that navigate between
//! ops, regions, blocks and values. Module [`mod@attribute`] accesses attributes, module [`types`]
//! reads types, module [`edit`] changes IR, and module [`mod@print`] returns the text of ops.

mod attribute;
mod edit;
mod print;
mod types;

pub use attribute::{
    attribute, attributes, dictionary, dictionary_entry, dictionary_of, discardable_attributes,
    elements, float_bits, float_value, i32_array, i32_attribute, i64_array, i64_attribute,
    integer_attribute, integer_value, integers, is_of_dialect, operand_groups, parse_attribute,
    remove_attribute, set_attribute, splat_value, string_attribute, string_value, symbol_name,
    symbol_path, symbol_uses, type_value,
};
pub use edit::{
    copy, drop_call_sites, erase, erase_argument, move_before, move_to_end, rename_symbol_uses,
    replace_uses, set_operand, set_operands, set_type,
};
pub use print::{Printer, text};
pub use types::{
    byte_width, context_of, f32_of, float_width, has_encoding, integer_width, is_memref,
    is_signless, is_strided, is_tensor, memref_element, pointer_space, vector_parts,
};

use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockRef, Location, Module, RegionLike, Value, ValueLike};
use melior::{Context, ContextRef};
use mlir_sys::{MlirContext, mlirIdentifierStr, mlirOperationGetFirstRegion, mlirOperationGetName};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// MLIR operation.
pub type Op<'c> = OperationRef<'c, 'c>;

/// SSA value.
pub type Val<'c> = Value<'c, 'c>;

/// MLIR block.
pub type Blk<'c> = BlockRef<'c, 'c>;

/// Returns the op of a module.
pub fn top<'m>(module: &'m Module<'_>) -> Op<'m> {
    // SAFETY: the op lives as long as the module, which is borrowed for `'m`.
    unsafe { Op::from_raw(module.as_operation().to_raw()) }
}

/// Returns the MLIR context of `op`.
pub fn context<'c>(op: Op<'c>) -> &'c Context {
    // SAFETY: `op` is alive, and the context of `op` is alive for `'c`.
    unsafe { interned(mlir_sys::mlirOperationGetContext(op.to_raw())) }
}

/// Returns a reference to an MLIR context; the reference is valid until the context is destroyed.
///
/// melior's `ContextRef::to_ref` returns a reference to the `ContextRef` itself, so the
/// `ContextRef` must stay alive. The function therefore leaks one `ContextRef` per context, and
/// returns a reference to the leaked `ContextRef`.
///
/// # Safety
/// The context must be alive for the lifetime `'c`.
unsafe fn interned<'c>(raw: MlirContext) -> &'c Context {
    static HANDLES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    let handle = *handles.entry(raw.ptr as usize).or_insert_with(|| {
        // SAFETY: a handle does not own the context.
        Box::into_raw(Box::new(unsafe { ContextRef::from_raw(raw) })) as usize
    });
    // SAFETY: the handle was leaked above and is never freed.
    unsafe { (*(handle as *const ContextRef<'c>)).to_ref() }
}

/// Returns the full name of `op`, `dialect.mnemonic`.
pub fn name(op: Op<'_>) -> &str {
    std::str::from_utf8(name_bytes(op)).unwrap_or_default()
}

/// Returns whether the name of `op` is `expected`. Passes compare the name of every op, so the
/// function compares bytes and saves the time of a UTF-8 check.
pub fn is(op: Op<'_>, expected: &str) -> bool {
    name_bytes(op) == expected.as_bytes()
}

/// Returns whether `op` is unregistered: no dialect of the context defines an op with its name.
pub fn is_unregistered(op: Op<'_>) -> bool {
    // SAFETY: `op` is alive; its name is interned and lives as long as the context.
    unsafe {
        let name = mlirIdentifierStr(mlirOperationGetName(op.to_raw()));
        !mlir_sys::mlirContextIsRegisteredOperation(context(op).to_raw(), name)
    }
}

fn name_bytes(op: Op<'_>) -> &[u8] {
    // SAFETY: `op` is alive; its name is interned and lives as long as the context.
    let name = unsafe { mlirIdentifierStr(mlirOperationGetName(op.to_raw())) };
    // SAFETY: as above. No op name is empty, so `data` is never null.
    unsafe { std::slice::from_raw_parts(name.data.cast::<u8>(), name.length) }
}

/// Returns the blocks of all regions of `op`, in order.
pub fn blocks<'c>(op: Op<'c>) -> Vec<Blk<'c>> {
    let mut blocks = Vec::new();
    // SAFETY: `op` is alive; a null region ends the list.
    let mut region = unsafe { mlirOperationGetFirstRegion(op.to_raw()) };
    while !region.ptr.is_null() {
        // SAFETY: the region belongs to `op`.
        let mut block = unsafe { melior::ir::RegionRef::<'c, 'c>::from_raw(region) }.first_block();
        while let Some(b) = block {
            blocks.push(b);
            block = b.next_in_region();
        }
        // SAFETY: as above.
        region = unsafe { mlir_sys::mlirRegionGetNextInOperation(region) };
    }
    blocks
}

/// Returns the blocks of the region of `op` with index `region`, in order; an empty list if the
/// region does not exist.
pub fn region_blocks<'c>(op: Op<'c>, region: usize) -> Vec<Blk<'c>> {
    if region >= op.region_count() {
        return Vec::new();
    }
    let Ok(region) = isize::try_from(region) else {
        return Vec::new();
    };
    // SAFETY: the op has that region.
    let region = unsafe {
        let raw = mlir_sys::mlirOperationGetRegion(op.to_raw(), region);
        melior::ir::RegionRef::<'c, 'c>::from_raw(raw)
    };
    std::iter::successors(region.first_block(), |b| b.next_in_region()).collect()
}

/// Returns the first block of region `region` of `op`.
pub fn first_block<'c>(op: Op<'c>, region: usize) -> Option<Blk<'c>> {
    region_blocks(op, region).into_iter().next()
}

/// Returns a copy of the op list of `block`, in order. The caller may insert and erase ops of
/// `block` while it iterates over the copied list.
pub fn ops<'c>(block: Blk<'c>) -> Vec<Op<'c>> {
    let mut ops = Vec::new();
    let mut op = block.first_operation();
    while let Some(o) = op {
        ops.push(o);
        op = o.next_in_block();
    }
    ops
}

/// Returns the op before `op` in its block.
pub fn previous<'c>(op: Op<'c>) -> Option<Op<'c>> {
    // MLIR's C API has no accessor for the previous op.
    let all = ops(op.block()?);
    let at = all.iter().position(|other| *other == op)?;
    all.get(at.checked_sub(1)?).copied()
}

/// Returns the successor blocks of the terminator of `block`, duplicates included.
pub fn successors<'c>(block: Blk<'c>) -> Vec<Blk<'c>> {
    let Some(last) = block.terminator() else {
        return Vec::new();
    };
    // SAFETY: the terminator is alive, and each index is below its number of successors.
    unsafe {
        (0..mlir_sys::mlirOperationGetNumSuccessors(last.to_raw()))
            .map(|i| Blk::from_raw(mlir_sys::mlirOperationGetSuccessor(last.to_raw(), i)))
            .collect()
    }
}

/// Returns `root` and every op nested in it, in program order.
pub fn walk<'c>(root: Op<'c>) -> Vec<Op<'c>> {
    fn visit<'c>(op: Op<'c>, all: &mut Vec<Op<'c>>) {
        all.push(op);
        for block in blocks(op) {
            let mut inner = block.first_operation();
            while let Some(op) = inner {
                visit(op, all);
                inner = op.next_in_block();
            }
        }
    }
    let mut all = Vec::new();
    visit(root, &mut all);
    all
}

/// Returns the parent op of `op`.
pub fn parent<'c>(op: Op<'c>) -> Option<Op<'c>> {
    op.parent_operation()
}

/// Returns the ancestors of `op`, innermost first.
pub fn ancestors<'c>(op: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::successors(parent(op), |o| parent(*o))
}

/// Returns the nearest ancestor of `op` with the name `wanted`.
pub fn enclosing<'c>(op: Op<'c>, wanted: &str) -> Option<Op<'c>> {
    ancestors(op).find(|o| is(*o, wanted))
}

/// Returns the operands of `op`.
pub fn operands<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    op.operands().collect()
}

/// Returns the results of `op`.
pub fn results<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    op.results().map(Val::from).collect()
}

/// Returns the op that defines `value`; `None` for a block argument.
pub fn defining_op<'c>(value: Val<'c>) -> Option<Op<'c>> {
    // SAFETY: every op result has an owning op.
    value
        .is_operation_result()
        .then(|| unsafe { Op::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())) })
}

/// Returns the block and the index of a block argument.
pub fn argument_of<'c>(value: Val<'c>) -> Option<(Blk<'c>, usize)> {
    // SAFETY: every block argument has an owning block and an index.
    value.is_block_argument().then(|| unsafe {
        (
            Blk::from_raw(mlir_sys::mlirBlockArgumentGetOwner(value.to_raw())),
            usize::try_from(mlir_sys::mlirBlockArgumentGetArgNumber(value.to_raw())).unwrap_or(0),
        )
    })
}

/// Returns whether `value` is defined in a region of `op`.
pub fn is_defined_in<'c>(value: Val<'c>, op: Op<'c>) -> bool {
    let holder = match defining_op(value) {
        Some(def) => parent(def),
        None => argument_of(value).and_then(|(block, _)| block.parent_operation()),
    };
    holder.is_some_and(|h| h == op || ancestors(h).any(|o| o == op))
}

/// Returns the address of a value as a map key. The map key is valid as long as the SSA value
/// exists.
pub fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// Returns the ops that use `value`, one entry per use.
pub fn users(value: Val<'_>) -> Vec<Op<'_>> {
    // SAFETY: the value is alive, and so are its uses and their owners.
    unsafe {
        let mut found = Vec::new();
        let mut next = mlir_sys::mlirValueGetFirstUse(value.to_raw());
        while !mlir_sys::mlirOpOperandIsNull(next) {
            found.push(Op::from_raw(mlir_sys::mlirOpOperandGetOwner(next)));
            next = mlir_sys::mlirOpOperandGetNextUse(next);
        }
        found
    }
}

/// Returns whether `value` has any use.
pub fn has_uses(value: Val<'_>) -> bool {
    // SAFETY: the value is alive.
    unsafe { !mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// Returns the location of a value.
pub fn value_location<'c>(value: Val<'c>) -> Location<'c> {
    // SAFETY: the value is alive; locations live as long as their context.
    unsafe { Location::from_raw(mlir_sys::mlirValueGetLocation(value.to_raw())) }
}
