//! Functions that look up attributes of ops by name, read attribute values, and create attributes.

use super::types::float_width;
use super::{Op, Val, operands};
use melior::Context;
use melior::ir::attribute::{
    AttributeLike, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, Type};
use mlir_sys::mlirIdentifierStr;

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

/// Returns the text of the string attribute `name` of an op.
pub fn string_attribute(op: Op<'_>, name: &str) -> Option<String> {
    attribute(op, name).and_then(string_value)
}

/// Returns the name of the symbol that `op` defines; empty if the op defines no symbol.
pub fn symbol_name(op: Op<'_>) -> String {
    string_attribute(op, "sym_name").unwrap_or_default()
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

/// Returns the value of a float attribute.
pub fn float_value(attribute: Attribute<'_>) -> Option<f64> {
    // SAFETY: the attribute is alive, and read as a float only after the check.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAFloat(raw).then(|| mlir_sys::mlirFloatAttrGetValueDouble(raw))
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

/// Returns the entry named `entry` of the dictionary attribute `name` of `op`.
pub fn dictionary_entry<'c>(op: Op<'c>, name: &str, entry: &str) -> Option<Attribute<'c>> {
    dictionary(attribute(op, name)?)
        .into_iter()
        .find(|(n, _)| n == entry)
        .map(|(_, a)| a)
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

/// Returns the leaf name of each symbol reference in the attributes of an op: `b` for `@a::@b`.
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

/// Returns whether the dialect `dialect` defines `attribute`, or an attribute nested in
/// `attribute`.
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

/// Parses the text of an attribute.
///
/// # Panics
/// Panics if the text is not a valid attribute.
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
