//! Conversion of MLIR types to argument types of a launch plan.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType, MemRefType};
use melior::ir::{ShapedTypeLike, Type, TypeLike, ValueLike};
use tx_mlir::build::argument;
use tx_mlir::memref::Space;
use tx_mlir::{Failed, MemRef, Op, attribute, blocks, codes, error, is_strided, type_value};
use tx_plan::{
    ArgumentType, ElementType, Extent, Layout, MemorySpace, MemrefType, UnknownElementType,
};

pub(super) fn element_type(ty: Type<'_>) -> Option<ElementType> {
    if let Ok(int) = IntegerType::try_from(ty) {
        return match int.width() {
            _ if !int.is_signless() => None,
            1 => Some(ElementType::I1),
            8 => Some(ElementType::I8),
            16 => Some(ElementType::I16),
            32 => Some(ElementType::I32),
            64 => Some(ElementType::I64),
            _ => None,
        };
    }
    let known = [
        (ty.is_index(), ElementType::Index),
        (ty.is_f32(), ElementType::F32),
        (ty.is_f64(), ElementType::F64),
        (ty.is_f16(), ElementType::F16),
        (ty.is_bf16(), ElementType::BF16),
        (ty.is_float8e4m3fn(), ElementType::F8E4M3FN),
        (ty.is_float8e5m2(), ElementType::F8E5M2),
    ];
    known
        .into_iter()
        .find_map(|(is, element)| is.then_some(element))
}

/// Returns the argument type of a launch plan for an MLIR type.
///
/// # Errors
/// If a host cannot pass a value of the MLIR type, the error contains the reason.
fn argument_type(ty: Type<'_>) -> Result<ArgumentType, String> {
    let element = |ty| {
        let unknown = |ty: Type<'_>| UnknownElementType {
            found: ty.to_string(),
        };
        element_type(ty).ok_or_else(|| unknown(ty).to_string())
    };
    if ty.is_unranked_mem_ref() {
        let reason = "it is unranked; expected its sizes, or `?` where they are known at run time";
        return Err(reason.to_owned());
    }
    let Ok(memref) = MemRefType::try_from(ty) else {
        let scalar = element(ty).map(ArgumentType::Scalar);
        return scalar.map_err(|error| format!("{error}, or `memref<…>`"));
    };
    let element = element(memref.element())?;
    let Some(parts) = MemRef::from_type(ty).filter(|m| m.is_contiguous() || is_strided(ty)) else {
        return Err(
            "affine map layouts are not supported; expected `strided<[…], offset: …>`".to_owned(),
        );
    };
    let extent = |known: Option<i64>| known.map_or(Extent::Dynamic, Extent::Static);
    let mut found = MemrefType::new(
        element,
        parts
            .shape
            .iter()
            .map(|size| extent(size.map(u64::cast_signed))),
    );
    if !parts.is_contiguous() {
        found.layout = Layout::Strided {
            strides: parts.strides.iter().copied().map(extent).collect(),
            offset: extent(parts.offset),
        };
    }
    found.space = match parts.space {
        Space::Global => MemorySpace::Global,
        Space::Shared => MemorySpace::Workgroup,
        Space::Private => MemorySpace::Private,
        Space::Other => {
            let space = memref.memory_space().map(|space| space.to_string());
            return Err(format!(
                "unknown memory space `{}`; expected none, `1`, `3`, `5` or \
                 `#gpu.address_space<global|workgroup|private>`",
                space.unwrap_or_default()
            ));
        }
    };
    Ok(ArgumentType::Memref(found))
}

/// Returns the bit width of a scalar type; `index` has 64 bits.
pub(super) fn width(ty: ElementType) -> u32 {
    match ty {
        ElementType::I1 => 1,
        _ => 8 * ty.size() as u32,
    }
}

/// Returns the argument types of an entry. Reports an error if a host cannot pass an argument of
/// the entry because of the type of the argument.
pub(super) fn argument_types(entry: Op<'_>, name: &str) -> Result<Vec<ArgumentType>, Failed> {
    let Some(body) = blocks(entry).first().copied() else {
        return Ok(Vec::new());
    };
    // In a kernel, workgroup and private attributions follow the arguments.
    let inputs = attribute(entry, "function_type")
        .and_then(type_value)
        .and_then(|t| FunctionType::try_from(t).ok())
        .map_or(0, |t| t.input_count())
        .min(body.argument_count());
    (0..inputs)
        .map(|i| {
            let ty = argument(body, i).r#type();
            let refuse = |reason: String| {
                let message =
                    format!("argument {i} of `{name}` cannot be passed from the host: {reason}");
                error(entry.location(), message).code(codes::TX0611).emit()
            };
            match argument_type(ty) {
                Ok(ArgumentType::Memref(memref)) if memref.space != MemorySpace::Global => {
                    Err(refuse(format!("`{ty}` is not in global memory")))
                }
                Ok(ArgumentType::Memref(memref)) if !memref.is_addressable() => {
                    Err(refuse(format!("`{ty}` spans 2^63 bytes and more")))
                }
                Ok(found) => Ok(found),
                Err(reason) => Err(refuse(format!("`{ty}` is not an argument type: {reason}"))),
            }
        })
        .collect()
}
