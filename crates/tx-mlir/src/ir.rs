//! Short names for melior's types, and the queries and edits that passes are made of.

use melior::ir::attribute::{
    AttributeLike, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{
    OperationLike, OperationMutLike, OperationPrintingFlags, OperationRef, OperationRefMut,
};
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, BlockRef, Location, RegionLike, Type, Value, ValueLike};
use melior::{Context, ContextRef};
use mlir_sys::{
    MlirContext, MlirStringRef, mlirIdentifierStr, mlirOperationDestroy,
    mlirOperationGetFirstRegion, mlirOperationGetName, mlirValueReplaceAllUsesOfWith,
};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// An op.
pub type Op<'c> = OperationRef<'c, 'c>;
/// A value.
pub type Val<'c> = Value<'c, 'c>;
/// A block.
pub type Blk<'c> = BlockRef<'c, 'c>;

/// The context of `op`.
pub fn context<'c>(op: Op<'c>) -> &'c Context {
    // SAFETY: `op` is alive, and so is its context for `'c`.
    unsafe { interned(mlir_sys::mlirOperationGetContext(op.to_raw())) }
}

/// A reference to a context that lives as long as the context.
///
/// melior's `ContextRef::to_ref` refers to the `ContextRef` itself, which is a temporary where one
/// asks an op for its context. So one handle is kept for each context that was ever asked for.
///
/// # Safety
/// The context lives for `'c`.
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

/// The full name of `op`, `dialect.mnemonic`.
pub fn name(op: Op<'_>) -> &str {
    std::str::from_utf8(name_bytes(op)).unwrap_or_default()
}

/// Whether `op` is called `expected`. Passes ask this of every op, so that bytes are compared and
/// not read as text.
pub fn is(op: Op<'_>, expected: &str) -> bool {
    name_bytes(op) == expected.as_bytes()
}

/// Whether no dialect of the context defines an op with the name of `op`.
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
    // SAFETY: as above. No name is empty, so that `data` is never null.
    unsafe { std::slice::from_raw_parts(name.data.cast::<u8>(), name.length) }
}

/// The blocks of all regions of `op`, in order.
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

/// The blocks of region number `region` of `op`, in order; none when there is no such region.
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

/// The first block of region number `region` of `op`, where there is one.
pub fn first_block<'c>(op: Op<'c>, region: usize) -> Option<Blk<'c>> {
    region_blocks(op, region).into_iter().next()
}

/// The ops of `block`, in order. The list is taken at once, so that the block may be edited.
pub fn ops<'c>(block: Blk<'c>) -> Vec<Op<'c>> {
    let mut ops = Vec::new();
    let mut op = block.first_operation();
    while let Some(o) = op {
        ops.push(o);
        op = o.next_in_block();
    }
    ops
}

/// The op before `op` in its block.
pub fn previous<'c>(op: Op<'c>) -> Option<Op<'c>> {
    // MLIR's C interface knows the next one only.
    let all = ops(op.block()?);
    let at = all.iter().position(|other| *other == op)?;
    all.get(at.checked_sub(1)?).copied()
}

/// The blocks that control may go to from the end of `block`, as often as its terminator names them.
pub fn successors<'c>(block: Blk<'c>) -> Vec<Blk<'c>> {
    let Some(last) = block.terminator() else {
        return Vec::new();
    };
    // SAFETY: the terminator is alive, and has as many successors as it says.
    unsafe {
        (0..mlir_sys::mlirOperationGetNumSuccessors(last.to_raw()))
            .map(|i| Blk::from_raw(mlir_sys::mlirOperationGetSuccessor(last.to_raw(), i)))
            .collect()
    }
}

/// `root` and every op below it in program order.
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

/// The op around `op`.
pub fn parent<'c>(op: Op<'c>) -> Option<Op<'c>> {
    op.parent_operation()
}

/// The ops around `op`, innermost first.
pub fn ancestors<'c>(op: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::successors(parent(op), |o| parent(*o))
}

/// The nearest op around `op` that is called `wanted`.
pub fn enclosing<'c>(op: Op<'c>, wanted: &str) -> Option<Op<'c>> {
    ancestors(op).find(|o| is(*o, wanted))
}

/// The operands of `op`.
pub fn operands<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    op.operands().collect()
}

/// The results of `op`.
pub fn results<'c>(op: Op<'c>) -> Vec<Val<'c>> {
    op.results().map(Val::from).collect()
}

/// The op that computes `value`, or none when it is a block argument.
pub fn defining_op<'c>(value: Val<'c>) -> Option<Op<'c>> {
    // SAFETY: an op result has an owner.
    value
        .is_operation_result()
        .then(|| unsafe { Op::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())) })
}

/// The block and position of a block argument.
pub fn argument_of<'c>(value: Val<'c>) -> Option<(Blk<'c>, usize)> {
    // SAFETY: a block argument has an owner and a number.
    value.is_block_argument().then(|| unsafe {
        (
            Blk::from_raw(mlir_sys::mlirBlockArgumentGetOwner(value.to_raw())),
            usize::try_from(mlir_sys::mlirBlockArgumentGetArgNumber(value.to_raw())).unwrap_or(0),
        )
    })
}

/// Whether `value` is made in a region of `op`.
pub fn is_defined_in<'c>(value: Val<'c>, op: Op<'c>) -> bool {
    let holder = match defining_op(value) {
        Some(def) => parent(def),
        None => argument_of(value).and_then(|(block, _)| block.parent_operation()),
    };
    holder.is_some_and(|h| h == op || ancestors(h).any(|o| o == op))
}

/// A key under which a value can be kept in an ordered map while the IR stands.
pub fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// Replaces every use of `old`.
pub fn replace_uses<'c>(old: Val<'c>, new: Val<'c>) {
    // SAFETY: both values are alive.
    unsafe { mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) }
}

/// A copy of `op` with its regions, in no block. Operands are those of `op`.
pub fn copy<'c>(op: Op<'c>) -> melior::ir::Operation<'c> {
    // SAFETY: `op` is alive, and the copy is owned by nobody else.
    unsafe { melior::ir::Operation::from_raw(mlir_sys::mlirOperationClone(op.to_raw())) }
}

/// Replaces one operand of `op`.
pub fn set_operand<'c>(op: Op<'c>, index: usize, value: Val<'c>) {
    // SAFETY: both are alive, and the index is one of an operand.
    unsafe { mlir_sys::mlirOperationSetOperand(op.to_raw(), index.cast_signed(), value.to_raw()) }
}

/// Replaces all operands of `op`, which has no groups of them.
pub fn set_operands<'c>(op: Op<'c>, values: &[Val<'c>]) {
    let raw: Vec<_> = values.iter().map(|v| v.to_raw()).collect();
    // SAFETY: all are alive, and the list has the length given.
    unsafe {
        mlir_sys::mlirOperationSetOperands(op.to_raw(), raw.len().cast_signed(), raw.as_ptr());
    }
}

/// Gives `value` another type. What uses and defines it must agree with that.
pub fn set_type<'c>(value: Val<'c>, ty: Type<'c>) {
    // SAFETY: both are alive.
    unsafe { mlir_sys::mlirValueSetType(value.to_raw(), ty.to_raw()) }
}

/// The ops that `value` is an operand of, once for each use.
pub fn users(value: Val<'_>) -> Vec<Op<'_>> {
    // SAFETY: the value is alive, and with it its uses and their owners.
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

/// The number of a float attribute.
pub fn float_value(attribute: Attribute<'_>) -> Option<f64> {
    // SAFETY: the attribute is alive, and asked for a float only where it is one.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAFloat(raw).then(|| mlir_sys::mlirFloatAttrGetValueDouble(raw))
    }
}

/// The number that all elements of a dense attribute are.
pub fn splat_value(dense: Attribute<'_>) -> Option<Attribute<'_>> {
    // SAFETY: the attribute is alive, and asked for a splat value only where it has one.
    unsafe {
        let raw = dense.to_raw();
        let is_splat = mlir_sys::mlirAttributeIsADenseElements(raw)
            && mlir_sys::mlirDenseElementsAttrIsSplat(raw);
        is_splat.then(|| Attribute::from_raw(mlir_sys::mlirDenseElementsAttrGetSplatValue(raw)))
    }
}

/// Whether `value` has any use.
pub fn has_uses(value: Val<'_>) -> bool {
    // SAFETY: the value is alive.
    unsafe { !mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// The text of `op`. MLIR writes it in pieces of a few bytes, which are put together before they
/// are read as text.
pub fn text(op: Op<'_>, flags: &OperationPrintingFlags) -> String {
    collect(|append, text| {
        // SAFETY: `op` and the flags are alive.
        unsafe {
            mlir_sys::mlirOperationPrintWithFlags(op.to_raw(), flags.to_raw(), append, text);
        }
    })
}

/// Prints ops of a module that is not changed meanwhile. The values are numbered once; printing an op alone numbers
/// those of the whole module each time.
#[derive(Debug)]
pub struct Printer<'m> {
    state: mlir_sys::MlirAsmState,
    module: std::marker::PhantomData<Op<'m>>,
}

impl<'m> Printer<'m> {
    /// A printer of ops in `module`.
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

    /// The text of `op`, which stands in the module.
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
        // SAFETY: it was created with `mlirAsmStateCreateForOperation` and is destroyed once.
        unsafe { mlir_sys::mlirAsmStateDestroy(self.state) }
    }
}

/// The text that `print` hands over in pieces.
fn collect(print: impl FnOnce(mlir_sys::MlirStringCallback, *mut c_void)) -> String {
    unsafe extern "C" fn append(piece: MlirStringRef, text: *mut c_void) {
        if piece.length > 0 {
            // SAFETY: MLIR calls this with a piece of text, and with the vector that it was given.
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

/// Removes an argument of a block, which must have no use; those after it move up.
pub fn erase_argument(argument: Val<'_>) {
    if let Some((block, index)) = argument_of(argument)
        && let Ok(index) = u32::try_from(index)
    {
        // SAFETY: the block is alive and has that argument.
        unsafe { mlir_sys::mlirBlockEraseArgument(block.to_raw(), index) };
    }
}

/// Removes and destroys `op`, whose results must have no use.
pub fn erase(op: Op<'_>) {
    // SAFETY: `op` is alive; destroying it also removes it from its block.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(op.to_raw());
        mlirOperationDestroy(op.to_raw());
    }
}

/// Gives `op` the location of the text that it comes from, without the calls through which it was inlined.
pub fn drop_call_sites(op: Op<'_>) {
    let mut location = op.location();
    while location.is_call_site() {
        location = location.call_site_callee();
    }
    // SAFETY: both are alive.
    unsafe { mlir_sys::mlirOperationSetLocation(op.to_raw(), location.to_raw()) }
}

/// Whether `ty` is a tensor whose elements are laid out otherwise than densely in row-major order.
pub fn has_encoding(ty: Type<'_>) -> bool {
    // SAFETY: only ranked tensors are asked for their encoding.
    unsafe {
        mlir_sys::mlirTypeIsARankedTensor(ty.to_raw())
            && !mlir_sys::mlirRankedTensorTypeGetEncoding(ty.to_raw())
                .ptr
                .is_null()
    }
}

/// Moves `op` to the end of a block without a terminator.
pub fn move_to_end<'c>(op: Op<'c>, block: Blk<'c>) {
    // SAFETY: both are alive, and the block owns the op from here on.
    unsafe {
        mlir_sys::mlirOperationRemoveFromParent(op.to_raw());
        mlir_sys::mlirBlockAppendOwnedOperation(block.to_raw(), op.to_raw());
    }
}

/// Moves `op` to the place before `other`, in any block.
pub fn move_before<'c>(op: Op<'c>, other: Op<'c>) {
    // SAFETY: both are alive, and stand in blocks.
    unsafe { mlir_sys::mlirOperationMoveBefore(op.to_raw(), other.to_raw()) }
}

/// Makes every reference to symbol `old` within `from` one to `new`; false where a reference is not
/// understood.
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

/// Sets an attribute, inherent or discardable.
pub fn set_attribute<'c>(op: Op<'c>, name: &str, attribute: Attribute<'c>) {
    // SAFETY: `op` is alive.
    unsafe { OperationRefMut::from_raw(op.to_raw()) }.set_attribute(name, attribute);
}

/// Removes an attribute if it is there.
pub fn remove_attribute(op: Op<'_>, name: &str) {
    // SAFETY: `op` is alive. That the attribute may be absent is not an error here.
    let _ = unsafe { OperationRefMut::from_raw(op.to_raw()) }.remove_attribute(name);
}

/// An attribute by name, inherent or discardable.
pub fn attribute<'c>(op: Op<'c>, name: &str) -> Option<Attribute<'c>> {
    op.attribute(name).ok()
}

/// The attributes of an op, inherent and discardable.
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

/// The last names of the symbols that the attributes of an op refer to.
pub fn symbol_uses(op: Op<'_>) -> Vec<String> {
    // SAFETY: the op is alive, and what is asked for by its number is there.
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

/// The attributes that an op has beside those that its definition declares, in their order.
pub fn discardable_attributes<'c>(op: Op<'c>) -> Vec<(String, Attribute<'c>)> {
    // SAFETY: the op is alive, and what is asked for by its number is there.
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

/// The text of a string attribute.
pub fn string_attribute(op: Op<'_>, name: &str) -> Option<String> {
    attribute(op, name).and_then(string_value)
}

/// The text of a string attribute. Bytes that are no UTF-8 are replaced.
pub fn string_value(attribute: Attribute<'_>) -> Option<String> {
    let raw = attribute.to_raw();
    // SAFETY: only strings are asked for their text; an empty one may have no address.
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

/// The value of an integer attribute.
pub fn integer_attribute(op: Op<'_>, name: &str) -> Option<i64> {
    attribute(op, name).and_then(integer_value)
}

/// The value of an integer attribute of at most 64 bits, as a signed number.
pub fn integer_value(attribute: Attribute<'_>) -> Option<i64> {
    IntegerAttribute::try_from(attribute)
        .ok()
        .map(|a| a.value())
}

/// The entries of a dictionary attribute, in the dictionary's (alphabetical) order.
pub fn dictionary<'c>(attribute: Attribute<'c>) -> Vec<(String, Attribute<'c>)> {
    let raw = attribute.to_raw();
    // SAFETY: only dictionaries are asked for their elements.
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

/// An entry of a dictionary attribute of `op`.
pub fn dictionary_entry<'c>(op: Op<'c>, name: &str, entry: &str) -> Option<Attribute<'c>> {
    dictionary(attribute(op, name)?)
        .into_iter()
        .find(|(n, _)| n == entry)
        .map(|(_, a)| a)
}

/// Where a value is made.
pub fn value_location<'c>(value: Val<'c>) -> Location<'c> {
    // SAFETY: a plain getter; locations live as long as their context.
    unsafe { Location::from_raw(mlir_sys::mlirValueGetLocation(value.to_raw())) }
}

/// The name of an argument of a function or a region, as `%A`, where the text of the program is known.
pub fn written_name(value: Val<'_>) -> Option<String> {
    argument_of(value)?;
    crate::source::value_name(value_location(value))
}

/// The integers of a `DenseI32ArrayAttr` or `DenseI64ArrayAttr`.
pub fn integers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let raw = attribute.to_raw();
    // SAFETY: only arrays of the right element type are asked for their elements.
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

/// The operands of `op`, a list for each of the groups that it declares; `None` when it has no groups.
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

/// The names of a symbol reference, outermost first: `a` and `b` of `@a::@b`.
pub fn symbol_path(attribute: Attribute<'_>) -> Option<Vec<String>> {
    let raw = attribute.to_raw();
    // SAFETY: only symbol references are asked for their names, which live as long as the context.
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

/// The bits of a float attribute, in the low bytes.
pub fn float_bits(attribute: Attribute<'_>) -> Option<u64> {
    let raw = attribute.to_raw();
    // SAFETY: only floats are asked for their type and made an array of one, whose bytes are read
    // while it lives, as many as an element has.
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

/// The elements of an array attribute.
pub fn elements<'c>(attribute: Attribute<'c>) -> Option<Vec<Attribute<'c>>> {
    let raw = attribute.to_raw();
    // SAFETY: only arrays are asked for their elements.
    unsafe {
        mlir_sys::mlirAttributeIsAArray(raw).then(|| {
            (0..mlir_sys::mlirArrayAttrGetNumElements(raw))
                .map(|i| Attribute::from_raw(mlir_sys::mlirArrayAttrGetElement(raw, i)))
                .collect()
        })
    }
}

/// The type inside a `TypeAttr`.
pub fn type_value<'c>(attribute: Attribute<'c>) -> Option<Type<'c>> {
    // SAFETY: only type attributes are asked for their type.
    unsafe {
        mlir_sys::mlirAttributeIsAType(attribute.to_raw())
            .then(|| Type::from_raw(mlir_sys::mlirTypeAttrGetValue(attribute.to_raw())))
    }
}

/// Parses an attribute whose text the caller knows to be right.
///
/// # Panics
/// If it is not: a bug of the caller, reported as such by the pass framework.
pub fn parse_attribute<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    Attribute::parse(context, text).unwrap_or_else(|| panic!("`{text}` is not an attribute"))
}

/// A dictionary.
pub fn dictionary_of<'c>(context: &'c Context, entries: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
    let named: Vec<mlir_sys::MlirNamedAttribute> = entries
        .iter()
        .map(|(name, value)| mlir_sys::MlirNamedAttribute {
            name: melior::ir::Identifier::new(context, name).to_raw(),
            attribute: value.to_raw(),
        })
        .collect();
    // SAFETY: the context, and with it all names and values, is alive.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDictionaryAttrGet(
            context.to_raw(),
            named.len().cast_signed(),
            named.as_ptr(),
        ))
    }
}

/// An `i64` attribute.
pub fn i64_attribute<'c>(context: &'c Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into()
}

/// An `i32` attribute.
pub fn i32_attribute<'c>(context: &'c Context, value: i64) -> Attribute<'c> {
    IntegerAttribute::new(IntegerType::new(context, 32).into(), value).into()
}

/// An `array<i64: …>`.
pub fn i64_array<'c>(context: &'c Context, values: &[i64]) -> Attribute<'c> {
    DenseI64ArrayAttribute::new(context, values).into()
}

/// An `array<i32: …>` of numbers that fit.
pub fn i32_array<'c>(context: &'c Context, values: &[i64]) -> Attribute<'c> {
    let values: Vec<i32> = values
        .iter()
        .map(|n| i32::try_from(*n).unwrap_or(i32::MAX))
        .collect();
    DenseI32ArrayAttribute::new(context, &values).into()
}

/// Bits of an integer type, of any signedness. `IntegerType::try_from` prints a type that is none,
/// which takes long.
pub fn integer_width(ty: Type<'_>) -> Option<u32> {
    // SAFETY: asked of integer types only.
    ty.is_integer()
        .then(|| unsafe { mlir_sys::mlirIntegerTypeGetWidth(ty.to_raw()) })
}

/// Whether `ty` is an integer type that says nothing of a sign.
pub fn is_signless(ty: Type<'_>) -> bool {
    // SAFETY: asked of integer types only.
    ty.is_integer() && unsafe { mlir_sys::mlirIntegerTypeIsSignless(ty.to_raw()) }
}

/// Size in bytes of one element of `ty` in memory, as the LLVM lowering lays it out; `None` for
/// types that have no fixed size.
pub fn byte_width(ty: Type<'_>) -> Option<u64> {
    let bits = if ty.is_index() {
        64
    } else if let Some(width) = integer_width(ty) {
        width
    } else if ty.is_float() {
        // SAFETY: asked of float types only.
        unsafe { mlir_sys::mlirFloatTypeGetWidth(ty.to_raw()) }
    } else {
        return None;
    };
    Some(u64::from(bits).div_ceil(8).next_power_of_two())
}

/// Bits of a float type.
///
/// # Panics
/// If `ty` is none.
pub fn float_width(ty: Type<'_>) -> u32 {
    assert!(ty.is_float(), "`{ty}` is no float type");
    // SAFETY: asked of float types only.
    unsafe { mlir_sys::mlirFloatTypeGetWidth(ty.to_raw()) }
}

/// Lanes and element type of a one-dimensional vector type.
pub fn vector_parts(ty: Type<'_>) -> Option<(u64, Type<'_>)> {
    let raw = ty.to_raw();
    // SAFETY: only vectors are asked for their parts.
    unsafe {
        (mlir_sys::mlirTypeIsAVector(raw) && mlir_sys::mlirShapedTypeGetRank(raw) == 1).then(|| {
            (
                mlir_sys::mlirShapedTypeGetDimSize(raw, 0).unsigned_abs(),
                Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)),
            )
        })
    }
}

/// The element type of a memref, whatever its layout.
pub fn memref_element(ty: Type<'_>) -> Option<Type<'_>> {
    let raw = ty.to_raw();
    // SAFETY: only memrefs are asked for their elements.
    unsafe {
        mlir_sys::mlirTypeIsAMemRef(raw)
            .then(|| Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)))
    }
}

/// Whether `ty` is a memref type with a rank.
pub fn is_memref(ty: Type<'_>) -> bool {
    // SAFETY: a plain query.
    unsafe { mlir_sys::mlirTypeIsAMemRef(ty.to_raw()) }
}

/// Whether a memref type has a `strided` layout.
pub fn is_strided(ty: Type<'_>) -> bool {
    // SAFETY: only memrefs are asked for their layout.
    unsafe {
        is_memref(ty)
            && mlir_sys::mlirAttributeIsAStridedLayout(mlir_sys::mlirMemRefTypeGetLayout(
                ty.to_raw(),
            ))
    }
}

/// Whether an attribute is of this dialect, or holds one that is.
pub fn is_of_dialect(attribute: Attribute<'_>, dialect: &str) -> bool {
    // SAFETY: the attribute is alive, and its dialect as long as the context.
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

/// Whether `ty` is a tensor type, ranked or not.
pub fn is_tensor(ty: Type<'_>) -> bool {
    // SAFETY: a plain query.
    unsafe { mlir_sys::mlirTypeIsATensor(ty.to_raw()) }
}

/// The address space of a pointer of the LLVM dialect; `None` for any other type.
pub fn pointer_space(ty: Type<'_>) -> Option<u32> {
    // SAFETY: only pointers are asked for their address space.
    unsafe {
        mlir_sys::mlirTypeIsALLVMPointerType(ty.to_raw())
            .then(|| mlir_sys::mlirLLVMPointerTypeGetAddressSpace(ty.to_raw()))
    }
}

/// The context of a type.
pub fn context_of<'c>(ty: Type<'c>) -> &'c Context {
    // SAFETY: a context outlives its types.
    unsafe { interned(mlir_sys::mlirTypeGetContext(ty.to_raw())) }
}

/// The type `f32` in the context of `ty`.
pub fn f32_of(ty: Type<'_>) -> Type<'_> {
    Type::float32(context_of(ty))
}
