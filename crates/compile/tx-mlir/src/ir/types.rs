//! Properties of types.

use super::interned;
use melior::Context;
use melior::ir::Type;
use melior::ir::r#type::TypeLike;

/// Returns the bit width of an integer type of any signedness. The function does not call melior's
/// `IntegerType::try_from`, because `try_from` spends time on an error message for each type that
/// is not an integer type.
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

/// Returns the size in bytes of one element of type `ty` in memory, according to LLVM's data
/// layout. Returns `None` for a type without a fixed size.
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

/// Returns whether `ty` is a ranked or unranked tensor type.
pub fn is_tensor(ty: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsATensor(ty.to_raw()) }
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

/// Returns the address space of an `!llvm.ptr`; `None` for any other type.
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
