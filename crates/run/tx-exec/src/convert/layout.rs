//! Sizes and alignments of types. A type has the same size and alignment on NVPTX and on the host.

use melior::ir::{ShapedTypeLike, Type, TypeLike, r#type::IntegerType};
use mlir_sys as raw;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Number of bytes that a load or store of the type accesses.
    pub(super) stored: u64,
    /// Natural alignment of the type in bytes, a power of two.
    pub(super) align: u64,
}

impl Layout {
    /// Returns the size of an array element of the type in bytes, including padding.
    pub(super) fn allocated(self) -> u64 {
        self.stored.next_multiple_of(self.align)
    }

    fn scalar(bits: u64) -> Self {
        let stored = bits.div_ceil(8);
        Self {
            stored,
            align: stored.next_power_of_two().clamp(1, 16),
        }
    }
}

pub(super) fn address_space(r#type: Type<'_>) -> Option<u32> {
    // SAFETY: the type is valid, and the second call runs for pointers only.
    unsafe {
        raw::mlirTypeIsALLVMPointerType(r#type.to_raw())
            .then(|| raw::mlirLLVMPointerTypeGetAddressSpace(r#type.to_raw()))
    }
}

pub(super) fn scalar_bits(r#type: Type<'_>) -> Option<u64> {
    if let Ok(integer) = IntegerType::try_from(r#type) {
        Some(integer.width().into())
    } else if r#type.is_f16() || r#type.is_bf16() {
        Some(16)
    } else if r#type.is_f32() {
        Some(32)
    } else if r#type.is_f64() {
        Some(64)
    } else {
        address_space(r#type).map(|_| 64)
    }
}

/// Returns the number and the type of the elements of a fixed-size vector.
pub(super) fn vector(r#type: Type<'_>) -> Option<(u64, Type<'_>)> {
    if !r#type.is_vector() || r#type.is_scalable_vector() {
        return None;
    }
    let shape = ShapedVector(r#type);
    let rank = shape.rank();
    let mut count = 1;
    for dimension in 0..rank {
        // SAFETY: the type is a vector that has this dimension.
        let size = unsafe { raw::mlirShapedTypeGetDimSize(r#type.to_raw(), dimension as isize) };
        count *= u64::try_from(size).ok()?;
    }
    Some((count, shape.element()))
}

/// A vector type. melior has no wrapper for vector types.
#[derive(Clone, Copy, Debug)]
struct ShapedVector<'c>(Type<'c>);

impl<'c> TypeLike<'c> for ShapedVector<'c> {
    fn to_raw(&self) -> raw::MlirType {
        self.0.to_raw()
    }
}

impl<'c> ShapedTypeLike<'c> for ShapedVector<'c> {}

pub(super) fn layout(r#type: Type<'_>) -> Option<Layout> {
    if let Some(bits) = scalar_bits(r#type) {
        return Some(Layout::scalar(bits));
    }
    if let Some((count, element)) = vector(r#type) {
        let stored = (count * scalar_bits(element)?).div_ceil(8);
        return Some(Layout {
            stored,
            align: stored.next_power_of_two(),
        });
    }
    if let Some((count, element)) = array(r#type) {
        let element = layout(element)?;
        return Some(Layout {
            stored: count.checked_mul(element.allocated())?,
            align: element.align,
        });
    }
    let (fields, packed) = structure(r#type)?;
    let mut whole = Layout {
        stored: 0,
        align: 1,
    };
    for field in fields {
        let field = layout(field)?;
        let align = if packed { 1 } else { field.align };
        whole.stored = whole.stored.next_multiple_of(align) + field.allocated();
        whole.align = whole.align.max(align);
    }
    whole.stored = whole.allocated();
    Some(whole)
}

/// Returns an upper bound of the stack size of a spilled value of the given type, in bytes. LLVM
/// may widen the elements of a spilled vector, and may use one stack slot for each element of a
/// struct or an array.
pub(super) fn spilled(r#type: Type<'_>) -> u64 {
    const SCALAR: u64 = 8;
    if let Some((count, _)) = vector(r#type) {
        count.saturating_mul(SCALAR)
    } else if let Some((count, element)) = array(r#type) {
        count.saturating_mul(spilled(element))
    } else if let Some((fields, _)) = structure(r#type) {
        fields.into_iter().map(spilled).sum()
    } else {
        SCALAR
    }
}

/// Returns the field types of a non-opaque struct, and whether the struct is packed.
fn structure<'c>(r#type: Type<'c>) -> Option<(Vec<Type<'c>>, bool)> {
    // SAFETY: the type is valid, and the later calls run for structs with a body only.
    unsafe {
        let raw_type = r#type.to_raw();
        if !raw::mlirTypeIsALLVMStructType(raw_type) || raw::mlirLLVMStructTypeIsOpaque(raw_type) {
            return None;
        }
        let fields = (0..raw::mlirLLVMStructTypeGetNumElementTypes(raw_type))
            .map(|field| Type::from_raw(raw::mlirLLVMStructTypeGetElementType(raw_type, field)))
            .collect();
        Some((fields, raw::mlirLLVMStructTypeIsPacked(raw_type)))
    }
}

fn array(r#type: Type<'_>) -> Option<(u64, Type<'_>)> {
    let count = tx_mlir::array_length(r#type)?;
    // SAFETY: a type with a length is an array.
    let element = unsafe { Type::from_raw(raw::mlirLLVMArrayTypeGetElementType(r#type.to_raw())) };
    Some((count, element))
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::{Context, dialect::DialectRegistry, utility::register_all_dialects};

    #[test]
    fn types_have_their_natural_layout() {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        context.load_all_available_dialects();
        for (text, stored, align) in [
            ("i1", 1, 1),
            ("i24", 3, 4),
            ("bf16", 2, 2),
            ("f64", 8, 8),
            ("!llvm.ptr<3>", 8, 8),
            ("vector<4xf32>", 16, 16),
            ("vector<3xf32>", 12, 16),
            ("vector<16xi1>", 2, 2),
            ("!llvm.array<3 x array<5 x i16>>", 30, 2),
            ("!llvm.struct<(i8, f64, i16)>", 24, 8),
            ("!llvm.struct<packed (i8, f64)>", 9, 1),
            ("!llvm.array<0 x i8>", 0, 1),
        ] {
            let r#type = Type::parse(&context, text).unwrap();
            assert_eq!(layout(r#type), Some(Layout { stored, align }), "{text}");
        }
        assert_eq!(
            layout(Type::parse(&context, "vector<[4]xf32>").unwrap()),
            None
        );
    }
}
