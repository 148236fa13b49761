//! Short aliases for the types of melior, and functions that passes use to inspect and change IR.

use melior::ir::attribute::{
    AttributeLike, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{
    OperationLike, OperationMutLike, OperationPrintingFlags, OperationRef, OperationRefMut,
};
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, BlockRef, Location, Module, RegionLike, Type, Value, ValueLike};
use melior::{Context, ContextRef};
use mlir_sys::{
    MlirContext, MlirStringRef, mlirIdentifierStr, mlirOperationDestroy,
    mlirOperationGetFirstRegion, mlirOperationGetName, mlirValueReplaceAllUsesOfWith,
};
use std::collections::BTreeMap;
use std::ffi::c_void;
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
    // SAFETY: `op` is alive, and so is its context for `'c`.
    unsafe { interned(mlir_sys::mlirOperationGetContext(op.to_raw())) }
}

/// Returns a reference to a context, valid as long as the context is alive.
///
/// melior's `ContextRef::to_ref` borrows from the `ContextRef`, which would be a temporary. The
/// function therefore leaks one `ContextRef` per context, and returns a reference to the leaked
/// `ContextRef`.
///
/// # Safety
/// The context must be alive for `'c`.
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

/// Returns whether the name of `op` is `expected`. The comparison is byte by byte, because passes
/// compare the name of every op.
pub fn is(op: Op<'_>, expected: &str) -> bool {
    name_bytes(op) == expected.as_bytes()
}

/// Returns whether no dialect of the context defines an op with the name of `op`.
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

/// Returns the blocks of region `region` of `op`, in order; empty if the op has no such region.
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

/// Returns a copy of the op list of `block`, in order. The caller may insert and erase ops while it
/// iterates over the copy.
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
    // SAFETY: an op result has an owner.
    value
        .is_operation_result()
        .then(|| unsafe { Op::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())) })
}

/// Returns the block and the index of a block argument.
pub fn argument_of<'c>(value: Val<'c>) -> Option<(Blk<'c>, usize)> {
    // SAFETY: a block argument has an owner and a number.
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

/// Returns the address of a value as a map key. The key is valid as long as the value exists.
pub fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// Replaces every use of `old` by `new`.
pub fn replace_uses<'c>(old: Val<'c>, new: Val<'c>) {
    // SAFETY: both values are alive.
    unsafe { mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) }
}

/// Returns a detached copy of `op` with its regions; the copy has the operands of `op`.
pub fn copy<'c>(op: Op<'c>) -> melior::ir::Operation<'c> {
    // SAFETY: `op` is alive, and the caller owns the copy.
    unsafe { melior::ir::Operation::from_raw(mlir_sys::mlirOperationClone(op.to_raw())) }
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

/// Sets the type of `value`. The caller must update the definition and the uses of `value`
/// accordingly.
pub fn set_type<'c>(value: Val<'c>, ty: Type<'c>) {
    // SAFETY: value and type are alive.
    unsafe { mlir_sys::mlirValueSetType(value.to_raw(), ty.to_raw()) }
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

/// Returns the value of a float attribute.
pub fn float_value(attribute: Attribute<'_>) -> Option<f64> {
    // SAFETY: the attribute is alive, and read as a float only after the check.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAFloat(raw).then(|| mlir_sys::mlirFloatAttrGetValueDouble(raw))
    }
}

/// Returns the splat element of a dense attribute; `None` if the attribute is not a splat.
pub fn splat_value(dense: Attribute<'_>) -> Option<Attribute<'_>> {
    // SAFETY: the attribute is alive, and read as a splat only after the check.
    unsafe {
        let raw = dense.to_raw();
        let is_splat = mlir_sys::mlirAttributeIsADenseElements(raw)
            && mlir_sys::mlirDenseElementsAttrIsSplat(raw);
        is_splat.then(|| Attribute::from_raw(mlir_sys::mlirDenseElementsAttrGetSplatValue(raw)))
    }
}

/// Returns whether `value` has any use.
pub fn has_uses(value: Val<'_>) -> bool {
    // SAFETY: the value is alive.
    unsafe { !mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// Returns the printed text of `op`. MLIR prints the text in pieces. The function joins the pieces
/// before it decodes UTF-8, because a piece can end inside a character.
pub fn text(op: Op<'_>, flags: &OperationPrintingFlags) -> String {
    collect(|append, text| {
        // SAFETY: `op` and the flags are alive.
        unsafe {
            mlir_sys::mlirOperationPrintWithFlags(op.to_raw(), flags.to_raw(), append, text);
        }
    })
}

/// Printer for many ops of one module that does not change. The printer numbers the SSA values of
/// the module only once. Without the printer, MLIR numbers all values of the module again for each
/// printed op.
#[derive(Debug)]
pub struct Printer<'m> {
    state: mlir_sys::MlirAsmState,
    module: std::marker::PhantomData<Op<'m>>,
}

impl<'m> Printer<'m> {
    /// Creates a printer for the ops of `module`.
    pub fn new(module: Op<'m>) -> Self {
        let flags = OperationPrintingFlags::new();
        Self {
            // SAFETY: the op and the flags are alive; the state keeps a copy of the flags.
            state: unsafe {
                mlir_sys::mlirAsmStateCreateForOperation(module.to_raw(), flags.to_raw())
            },
            module: std::marker::PhantomData,
        }
    }

    /// Returns the text of `op`, which must be in the module of the printer.
    pub fn text(&self, op: Op<'_>) -> String {
        collect(|append, text| {
            // SAFETY: the op and the state are alive.
            unsafe {
                mlir_sys::mlirOperationPrintWithState(op.to_raw(), self.state, append, text);
            }
        })
    }
}

impl Drop for Printer<'_> {
    fn drop(&mut self) {
        // SAFETY: `mlirAsmStateCreateForOperation` created the state, which is destroyed once.
        unsafe { mlir_sys::mlirAsmStateDestroy(self.state) }
    }
}

fn collect(print: impl FnOnce(mlir_sys::MlirStringCallback, *mut c_void)) -> String {
    unsafe extern "C" fn append(piece: MlirStringRef, text: *mut c_void) {
        if piece.length > 0 {
            // SAFETY: MLIR calls this function with a piece of text and the `text` pointer from
            // below.
            unsafe {
                let piece = std::slice::from_raw_parts(piece.data.cast::<u8>(), piece.length);
                (*text.cast::<Vec<u8>>()).extend_from_slice(piece);
            }
        }
    }
    let mut text: Vec<u8> = Vec::new();
    print(Some(append), (&raw mut text).cast());
    String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
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

/// Replaces a call-site location of `op`, which inlining creates, by its innermost callee location.
pub fn drop_call_sites(op: Op<'_>) {
    let mut location = op.location();
    while location.is_call_site() {
        location = location.call_site_callee();
    }
    // SAFETY: op and location are alive.
    unsafe { mlir_sys::mlirOperationSetLocation(op.to_raw(), location.to_raw()) }
}

/// Returns whether `ty` is a ranked tensor with an encoding attribute, such as a sparse layout.
pub fn has_encoding(ty: Type<'_>) -> bool {
    // SAFETY: the encoding is read from ranked tensors only.
    unsafe {
        mlir_sys::mlirTypeIsARankedTensor(ty.to_raw())
            && !mlir_sys::mlirRankedTensorTypeGetEncoding(ty.to_raw())
                .ptr
                .is_null()
    }
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

/// Renames every reference to symbol `old` inside `from` to `new`. Returns false if MLIR cannot
/// analyse a reference.
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

/// Sets an inherent or discardable attribute.
pub fn set_attribute<'c>(op: Op<'c>, name: &str, attribute: Attribute<'c>) {
    // SAFETY: `op` is alive.
    unsafe { OperationRefMut::from_raw(op.to_raw()) }.set_attribute(name, attribute);
}

/// Removes an attribute, if present.
pub fn remove_attribute(op: Op<'_>, name: &str) {
    // SAFETY: `op` is alive. The removal of an absent attribute is not an error.
    let _ = unsafe { OperationRefMut::from_raw(op.to_raw()) }.remove_attribute(name);
}

/// Returns the inherent or discardable attribute named `name`.
pub fn attribute<'c>(op: Op<'c>, name: &str) -> Option<Attribute<'c>> {
    op.attribute(name).ok()
}

/// Returns the inherent and discardable attributes of an op.
pub fn attributes<'c>(op: Op<'c>) -> Vec<(String, Attribute<'c>)> {
    (0..op.attribute_count())
        .filter_map(|i| op.attribute_at(i).ok())
        .map(|(name, value)| {
            (
                name.as_string_ref().as_str().unwrap_or_default().to_owned(),
                value,
            )
        })
        .collect()
}

/// Returns the leaf names of the symbol references in the attributes of an op.
pub fn symbol_uses(op: Op<'_>) -> Vec<String> {
    // SAFETY: the op is alive, and each index is below its number of attributes.
    let attributes = unsafe {
        (0..mlir_sys::mlirOperationGetNumAttributes(op.to_raw())).map(|i| {
            let named = mlir_sys::mlirOperationGetAttribute(op.to_raw(), i);
            Attribute::from_raw(named.attribute)
        })
    };
    attributes
        .filter_map(|value| symbol_path(value)?.pop())
        .collect()
}

/// Returns the discardable attributes of an op, in order.
pub fn discardable_attributes<'c>(op: Op<'c>) -> Vec<(String, Attribute<'c>)> {
    // SAFETY: the op is alive, and each index is below its number of discardable attributes.
    unsafe {
        (0..mlir_sys::mlirOperationGetNumDiscardableAttributes(op.to_raw()))
            .map(|i| {
                let named = mlir_sys::mlirOperationGetDiscardableAttribute(op.to_raw(), i);
                let name = mlirIdentifierStr(named.name);
                let name = std::slice::from_raw_parts(name.data.cast(), name.length);
                let name = String::from_utf8_lossy(name).into_owned();
                (name, Attribute::from_raw(named.attribute))
            })
            .collect()
    }
}

/// Returns the text of the string attribute `name` of an op.
pub fn string_attribute(op: Op<'_>, name: &str) -> Option<String> {
    attribute(op, name).and_then(string_value)
}

/// Returns the text of a string attribute, with invalid UTF-8 replaced.
pub fn string_value(attribute: Attribute<'_>) -> Option<String> {
    let raw = attribute.to_raw();
    // SAFETY: the text is read from string attributes only. The data pointer of an empty string may
    // be null.
    unsafe {
        if !mlir_sys::mlirAttributeIsAString(raw) {
            return None;
        }
        let text = mlir_sys::mlirStringAttrGetValue(raw);
        if text.length == 0 {
            return Some(String::new());
        }
        let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.length);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Returns the value of the integer attribute `name` of an op.
pub fn integer_attribute(op: Op<'_>, name: &str) -> Option<i64> {
    attribute(op, name).and_then(integer_value)
}

/// Returns the value of an integer attribute of at most 64 bits, sign-extended.
pub fn integer_value(attribute: Attribute<'_>) -> Option<i64> {
    IntegerAttribute::try_from(attribute)
        .ok()
        .map(|a| a.value())
}

/// Returns the entries of a dictionary attribute, in alphabetical order.
pub fn dictionary<'c>(attribute: Attribute<'c>) -> Vec<(String, Attribute<'c>)> {
    let raw = attribute.to_raw();
    // SAFETY: the elements are read from dictionaries only.
    unsafe {
        if !mlir_sys::mlirAttributeIsADictionary(raw) {
            return Vec::new();
        }
        (0..mlir_sys::mlirDictionaryAttrGetNumElements(raw))
            .map(|i| {
                let entry = mlir_sys::mlirDictionaryAttrGetElement(raw, i);
                let name = mlir_sys::mlirIdentifierStr(entry.name);
                let bytes = std::slice::from_raw_parts(name.data.cast::<u8>(), name.length);
                (
                    String::from_utf8_lossy(bytes).into_owned(),
                    Attribute::from_raw(entry.attribute),
                )
            })
            .collect()
    }
}

/// Returns entry `entry` of the dictionary attribute `name` of `op`.
pub fn dictionary_entry<'c>(op: Op<'c>, name: &str, entry: &str) -> Option<Attribute<'c>> {
    dictionary(attribute(op, name)?)
        .into_iter()
        .find(|(n, _)| n == entry)
        .map(|(_, a)| a)
}

/// Returns the location of a value.
pub fn value_location<'c>(value: Val<'c>) -> Location<'c> {
    // SAFETY: the value is alive; locations live as long as their context.
    unsafe { Location::from_raw(mlir_sys::mlirValueGetLocation(value.to_raw())) }
}

/// Returns the elements of a `DenseI32ArrayAttr` or `DenseI64ArrayAttr`.
pub fn integers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let raw = attribute.to_raw();
    // SAFETY: the elements are read from arrays of the checked element type only.
    unsafe {
        let n = || mlir_sys::mlirDenseArrayGetNumElements(raw);
        if mlir_sys::mlirAttributeIsADenseI64Array(raw) {
            Some(
                (0..n())
                    .map(|i| mlir_sys::mlirDenseI64ArrayGetElement(raw, i))
                    .collect(),
            )
        } else if mlir_sys::mlirAttributeIsADenseI32Array(raw) {
            Some(
                (0..n())
                    .map(|i| mlir_sys::mlirDenseI32ArrayGetElement(raw, i).into())
                    .collect(),
            )
        } else {
            None
        }
    }
}

/// Returns the operands of `op`, grouped by its `operandSegmentSizes`; `None` if the attribute is
/// absent.
pub fn operand_groups<'c>(op: Op<'c>) -> Option<Vec<Vec<Val<'c>>>> {
    let sizes = integers(attribute(op, "operandSegmentSizes")?)?;
    let mut all = operands(op).into_iter();
    Some(
        sizes
            .into_iter()
            .map(|size| {
                all.by_ref()
                    .take(usize::try_from(size).unwrap_or(0))
                    .collect()
            })
            .collect(),
    )
}

/// Returns the names of a symbol reference, outermost first: `a` and `b` for `@a::@b`.
pub fn symbol_path(attribute: Attribute<'_>) -> Option<Vec<String>> {
    let raw = attribute.to_raw();
    // SAFETY: the names are read from symbol references only, and live as long as the context.
    unsafe {
        if !mlir_sys::mlirAttributeIsASymbolRef(raw) {
            return None;
        }
        let text = |name: mlir_sys::MlirStringRef| {
            let bytes = std::slice::from_raw_parts(name.data.cast::<u8>(), name.length);
            String::from_utf8_lossy(bytes).into_owned()
        };
        let mut path = vec![text(mlir_sys::mlirSymbolRefAttrGetRootReference(raw))];
        for i in 0..mlir_sys::mlirSymbolRefAttrGetNumNestedReferences(raw) {
            let nested = mlir_sys::mlirSymbolRefAttrGetNestedReference(raw, i);
            path.push(text(mlir_sys::mlirSymbolRefAttrGetLeafReference(nested)));
        }
        Some(path)
    }
}

/// Returns the bits of a float attribute of at most 64 bits, zero-extended.
pub fn float_bits(attribute: Attribute<'_>) -> Option<u64> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is a float. Its splat stores `bytes` bytes, which are read while the
    // splat is alive.
    unsafe {
        if !mlir_sys::mlirAttributeIsAFloat(raw) {
            return None;
        }
        let ty = Type::from_raw(mlir_sys::mlirAttributeGetType(raw));
        let bytes = usize::try_from(float_width(ty).div_ceil(8)).ok()?;
        if bytes > 8 {
            return None;
        }
        let one = melior::ir::r#type::RankedTensorType::new(&[1], ty, None);
        let array = mlir_sys::mlirDenseElementsAttrSplatGet(one.to_raw(), raw);
        let data = mlir_sys::mlirDenseElementsAttrGetRawData(array);
        let mut word = [0; 8];
        std::ptr::copy_nonoverlapping(data.cast::<u8>(), word.as_mut_ptr(), bytes);
        Some(u64::from_le_bytes(word))
    }
}

/// Returns the elements of an array attribute.
pub fn elements<'c>(attribute: Attribute<'c>) -> Option<Vec<Attribute<'c>>> {
    let raw = attribute.to_raw();
    // SAFETY: the elements are read from arrays only.
    unsafe {
        mlir_sys::mlirAttributeIsAArray(raw).then(|| {
            (0..mlir_sys::mlirArrayAttrGetNumElements(raw))
                .map(|i| Attribute::from_raw(mlir_sys::mlirArrayAttrGetElement(raw, i)))
                .collect()
        })
    }
}

/// Returns the type in a type attribute.
pub fn type_value<'c>(attribute: Attribute<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is read from type attributes only.
    unsafe {
        mlir_sys::mlirAttributeIsAType(attribute.to_raw())
            .then(|| Type::from_raw(mlir_sys::mlirTypeAttrGetValue(attribute.to_raw())))
    }
}

/// Parses the text of an attribute, which must be valid.
///
/// # Panics
/// Panics if the text is invalid, which is an error of the caller.
pub fn parse_attribute<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    Attribute::parse(context, text).unwrap_or_else(|| panic!("`{text}` is not an attribute"))
}

/// Returns a dictionary attribute.
pub fn dictionary_of<'c>(context: &'c Context, entries: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
    let named: Vec<mlir_sys::MlirNamedAttribute> = entries
        .iter()
        .map(|(name, value)| mlir_sys::MlirNamedAttribute {
            name: melior::ir::Identifier::new(context, name).to_raw(),
            attribute: value.to_raw(),
        })
        .collect();
    // SAFETY: the context is alive, and so are all names and values.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDictionaryAttrGet(
            context.to_raw(),
            named.len().cast_signed(),
            named.as_ptr(),
        ))
    }
}

/// Returns an `i64` attribute.
pub fn i64_attribute<'c>(context: &'c Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
}

/// Returns an `i32` attribute.
pub fn i32_attribute<'c>(context: &'c Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 32).into(), value).into()
}

/// Returns an `array<i64: …>` attribute.
pub fn i64_array<'c>(context: &'c Context, values: &[i64]) -> Attribute<'c> {
    DenseI64ArrayAttribute::new(context, values).into()
}

/// Returns an `array<i32: …>` attribute. Every value must fit in an `i32`.
pub fn i32_array<'c>(context: &'c Context, values: &[i64]) -> Attribute<'c> {
    let values: Vec<i32> = values
        .iter()
        .map(|n| i32::try_from(*n).unwrap_or(i32::MAX))
        .collect();
    DenseI32ArrayAttribute::new(context, &values).into()
}

/// Returns the bit width of an integer type of any signedness. The function avoids melior's
/// `IntegerType::try_from`, which is slow for other types because its error prints the type.
pub fn integer_width(ty: Type<'_>) -> Option<u32> {
    // SAFETY: the width is read from integer types only.
    ty.is_integer()
        .then(|| unsafe { mlir_sys::mlirIntegerTypeGetWidth(ty.to_raw()) })
}

/// Returns whether `ty` is a signless integer type.
pub fn is_signless(ty: Type<'_>) -> bool {
    // SAFETY: the signedness is read from integer types only.
    ty.is_integer() && unsafe { mlir_sys::mlirIntegerTypeIsSignless(ty.to_raw()) }
}

/// Returns the size in bytes of one element of type `ty` in memory, as in LLVM's data layout;
/// `None` for a type without a fixed size.
pub fn byte_width(ty: Type<'_>) -> Option<u64> {
    let bits = if ty.is_index() {
        64
    } else if let Some(width) = integer_width(ty) {
        width
    } else if ty.is_float() {
        // SAFETY: the width is read from float types only.
        unsafe { mlir_sys::mlirFloatTypeGetWidth(ty.to_raw()) }
    } else {
        return None;
    };
    Some(u64::from(bits).div_ceil(8).next_power_of_two())
}

/// Returns the bit width of a float type.
///
/// # Panics
/// Panics if `ty` is not a float type.
pub fn float_width(ty: Type<'_>) -> u32 {
    assert!(ty.is_float(), "`{ty}` is no float type");
    // SAFETY: the width is read from float types only.
    unsafe { mlir_sys::mlirFloatTypeGetWidth(ty.to_raw()) }
}

/// Returns the number of elements and the element type of a one-dimensional vector type.
pub fn vector_parts(ty: Type<'_>) -> Option<(u64, Type<'_>)> {
    let raw = ty.to_raw();
    // SAFETY: the shape is read from vector types only.
    unsafe {
        (mlir_sys::mlirTypeIsAVector(raw) && mlir_sys::mlirShapedTypeGetRank(raw) == 1).then(|| {
            (
                mlir_sys::mlirShapedTypeGetDimSize(raw, 0).unsigned_abs(),
                Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)),
            )
        })
    }
}

/// Returns the element type of a ranked memref of any layout.
pub fn memref_element(ty: Type<'_>) -> Option<Type<'_>> {
    let raw = ty.to_raw();
    // SAFETY: the element type is read from memref types only.
    unsafe {
        mlir_sys::mlirTypeIsAMemRef(raw)
            .then(|| Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)))
    }
}

/// Returns whether `ty` is a ranked memref type.
pub fn is_memref(ty: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsAMemRef(ty.to_raw()) }
}

/// Returns whether the layout of a memref type is a `strided` attribute.
pub fn is_strided(ty: Type<'_>) -> bool {
    // SAFETY: the layout is read from memref types only.
    unsafe {
        is_memref(ty)
            && mlir_sys::mlirAttributeIsAStridedLayout(mlir_sys::mlirMemRefTypeGetLayout(
                ty.to_raw(),
            ))
    }
}

/// Returns whether the dialect `dialect` defines the attribute or an attribute nested in the
/// attribute.
pub fn is_of_dialect(attribute: Attribute<'_>, dialect: &str) -> bool {
    // SAFETY: the attribute is alive, and its dialect lives as long as the context.
    let own = unsafe {
        let of = mlir_sys::mlirAttributeGetDialect(attribute.to_raw());
        let name = mlir_sys::mlirDialectGetNamespace(of);
        std::slice::from_raw_parts(name.data.cast::<u8>(), name.length) == dialect.as_bytes()
    };
    let inner = elements(attribute).unwrap_or_default();
    let entries = dictionary(attribute).into_iter().map(|(_, entry)| entry);
    own || inner
        .into_iter()
        .chain(entries)
        .any(|one| is_of_dialect(one, dialect))
}

/// Returns whether `ty` is a ranked or unranked tensor type.
pub fn is_tensor(ty: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsATensor(ty.to_raw()) }
}

/// Returns the address space of an `!llvm.ptr`; `None` for another type.
pub fn pointer_space(ty: Type<'_>) -> Option<u32> {
    // SAFETY: the address space is read from pointers only.
    unsafe {
        mlir_sys::mlirTypeIsALLVMPointerType(ty.to_raw())
            .then(|| mlir_sys::mlirLLVMPointerTypeGetAddressSpace(ty.to_raw()))
    }
}

/// Returns the MLIR context of a type.
pub fn context_of<'c>(ty: Type<'c>) -> &'c Context {
    // SAFETY: a context outlives its types.
    unsafe { interned(mlir_sys::mlirTypeGetContext(ty.to_raw())) }
}

/// Returns the type `f32` in the context of `ty`.
pub fn f32_of(ty: Type<'_>) -> Type<'_> {
    Type::float32(context_of(ty))
}
