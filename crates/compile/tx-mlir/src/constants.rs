//! Constant arrays: `memref.global` ops, and elements of `dense` and `dense_resource` attributes.

use crate::ffi;
use crate::ir::{
    Op, Val, ancestors, attribute, byte_width, defining_op, first_block, float_width,
    integer_width, is, ops, string_attribute, symbol_path,
};
use crate::memref::root;
use melior::Context;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};

/// Returns the `memref.global` that a `memref.get_global` refers to; `None` for any other op, and
/// for an undefined symbol.
pub fn global_of<'c>(get_global: Op<'c>) -> Option<Op<'c>> {
    if !is(get_global, "memref.get_global") {
        return None;
    }
    let name = symbol_path(attribute(get_global, "name")?)?.pop()?;
    let mut around = ancestors(get_global);
    let table = around.find(|op| is(*op, "gpu.module") || is(*op, "builtin.module"))?;
    let mut symbols = ops(first_block(table, 0)?).into_iter();
    symbols.find(|op| {
        is(*op, "memref.global") && string_attribute(*op, "sym_name").as_ref() == Some(&name)
    })
}

/// Returns the initial value of a `memref.global`; `None` for an external or uninitialized global.
pub fn initial_value<'c>(global: Op<'c>) -> Option<Attribute<'c>> {
    attribute(global, "initial_value")
        .filter(|value| *value != Attribute::unit(crate::context(global)))
}

/// Returns whether `global` is a `memref.global` marked `constant`.
pub fn is_constant_global(global: Op<'_>) -> bool {
    is(global, "memref.global") && attribute(global, "constant").is_some()
}

/// Returns the constant `memref.global` to which `memref` refers, directly or through views.
/// Returns `None` if `memref` refers to memory that is not a constant `memref.global`.
pub fn constant_of<'c>(memref: Val<'c>) -> Option<Op<'c>> {
    global_of(defining_op(root(memref))?).filter(|global| is_constant_global(*global))
}

/// Returns the bit pattern of each element of a `dense` or `dense_resource` attribute,
/// zero-extended to 64 bits. Returns `None` for an attribute of any other kind, for elements over
/// 64 bits, and for an elided resource (`__elided__`).
pub fn dense_bits(attribute: Attribute<'_>) -> Option<Vec<u64>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors are called on an elements attribute, whose type is shaped.
    let (element, count) = unsafe {
        if !mlir_sys::mlirAttributeIsADenseElements(raw)
            && !mlir_sys::mlirAttributeIsADenseResourceElements(raw)
        {
            return None;
        }
        let ty = mlir_sys::mlirShapedTypeGetElementType(mlir_sys::mlirAttributeGetType(raw));
        let count = usize::try_from(mlir_sys::mlirElementsAttrGetNumElements(raw)).ok()?;
        (Type::from_raw(ty), count)
    };
    let each = stored_bytes(element)?;
    let is_bool = integer_width(element) == Some(1);
    // SAFETY: the code reads the bytes while the context of the attribute is alive.
    let blob = unsafe { ffi::txResourceBytes(raw).as_bytes() };
    // SAFETY: the attribute is a dense elements attribute, for which the accessor is defined.
    if unsafe { mlir_sys::mlirAttributeIsADenseElements(raw) } {
        // SAFETY: a splat attribute stores one element, and any other dense attribute stores all
        // elements.
        return unsafe {
            let is_splat = mlir_sys::mlirDenseElementsAttrIsSplat(raw);
            let place = |i: usize| if is_splat { 0 } else { i };
            if is_bool {
                let bit =
                    |i| mlir_sys::mlirDenseElementsAttrGetBoolValue(raw, place(i).cast_signed());
                return Some((0..count).map(|i| u64::from(bit(i))).collect());
            }
            let data = mlir_sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
            let bytes = |i: usize| std::slice::from_raw_parts(data.add(place(i) * each), each);
            Some((0..count).map(|i| word(bytes(i))).collect())
        };
    }
    if is_bool && blob.len() == count.div_ceil(8) && blob.len() < count {
        return Some(
            (0..count)
                .map(|i| u64::from(blob[i / 8] >> (i % 8) & 1))
                .collect(),
        );
    }
    match blob.len() {
        bytes if bytes == count * each => Some(blob.chunks_exact(each).map(word).collect()),
        bytes if bytes == each => Some(vec![word(blob); count]),
        _ => None,
    }
}

/// Returns the elements of a `dense` or `dense_resource` attribute in their memory layout:
/// little-endian, with [`byte_width`] bytes per element. Returns `None` if [`dense_bits`] returns
/// `None` for the attribute.
pub fn dense_bytes(attribute: Attribute<'_>) -> Option<Vec<u8>> {
    let bits = dense_bits(attribute)?;
    // SAFETY: an attribute with elements has a shaped type.
    let element = unsafe {
        let ty = mlir_sys::mlirAttributeGetType(attribute.to_raw());
        Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(ty))
    };
    let each = usize::try_from(byte_width(element)?).ok()?;
    let mut bytes = Vec::with_capacity(bits.len() * each);
    for word in bits {
        bytes.extend_from_slice(&word.to_le_bytes()[..each]);
    }
    Some(bytes)
}

/// Returns a `dense` attribute of type `tensor<Nxi8>` with the bytes `bytes`.
pub fn dense_of<'c>(context: &'c Context, bytes: &[u8]) -> Attribute<'c> {
    let element = IntegerType::new(context, 8).into();
    let ty = RankedTensorType::new(&[bytes.len() as u64], element, None);
    // SAFETY: the element type has one byte, and the bytes are copied.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDenseElementsAttrRawBufferGet(
            ty.to_raw(),
            bytes.len(),
            bytes.as_ptr().cast(),
        ))
    }
}

/// Returns the number of bytes of an element in MLIR's attribute storage, at most 8.
fn stored_bytes(element: Type<'_>) -> Option<usize> {
    let bits = match integer_width(element) {
        Some(bits) => bits,
        None if element.is_index() => 64,
        None if element.is_float() => float_width(element),
        None => return None,
    };
    (bits <= 64).then(|| bits.div_ceil(8) as usize)
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}
