//! Memref types taken apart.

use crate::build::Index;
use crate::ir::{Op, Val, defining_op, elements, integer_value, integers, name, operands};
use melior::ir::r#type::{MemRefType, TypeLike};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};

/// A memref type as plain data; `None` stands for what is known at run time only.
#[derive(Clone)]
pub struct MemRef<'c> {
    /// The type itself.
    pub ty: Type<'c>,
    /// Element type.
    pub element: Type<'c>,
    /// Sizes, outermost first.
    pub shape: Vec<Option<u64>>,
    /// Strides in elements.
    pub strides: Vec<Option<i64>>,
    /// Offset in elements.
    pub offset: Option<i64>,
    /// Where the memory lives.
    pub space: Space,
}

/// Memory spaces that kernels see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Seen by every thread.
    Global,
    /// Seen by one CTA.
    Shared,
    /// Seen by one thread.
    Private,
    /// Anything else.
    Other,
}

impl Space {
    /// How users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global memory",
            Self::Shared => "shared memory",
            Self::Private => "private memory",
            Self::Other => "an unknown memory space",
        }
    }
}

impl<'c> MemRef<'c> {
    /// Takes the type of `value` apart; `None` when it is no ranked memref with a strided layout.
    pub fn of(value: Val<'c>) -> Option<Self> {
        Self::from_type(value.r#type())
    }

    /// Takes `ty` apart; `None` when it is no ranked memref with a strided layout.
    pub fn from_type(ty: Type<'c>) -> Option<Self> {
        let memref = MemRefType::try_from(ty).ok()?;
        let rank = memref.rank();
        let mut strides = vec![0; rank];
        let mut offset = 0;
        // SAFETY: `strides` has room for `rank` strides.
        let strided = unsafe {
            mlir_sys::mlirMemRefTypeGetStridesAndOffset(
                ty.to_raw(),
                strides.as_mut_ptr(),
                &raw mut offset,
            )
        };
        if strided.value == 0 {
            return None;
        }
        // SAFETY: plain query.
        let dynamic = unsafe { mlir_sys::mlirShapedTypeGetDynamicStrideOrOffset() };
        let known = |n: i64| (n != dynamic).then_some(n);
        Some(Self {
            ty,
            element: memref.element(),
            shape: (0..rank)
                // SAFETY: `i` is below the rank.
                .map(|i| unsafe {
                    let i = isize::try_from(i).unwrap_or(isize::MAX);
                    (!mlir_sys::mlirShapedTypeIsDynamicDim(ty.to_raw(), i))
                        .then(|| mlir_sys::mlirShapedTypeGetDimSize(ty.to_raw(), i).unsigned_abs())
                })
                .collect(),
            strides: strides.into_iter().map(known).collect(),
            offset: known(offset),
            space: match memref.memory_space().map(|a| a.to_string()) {
                None => Space::Global,
                Some(text) => match text.split(" : ").next().unwrap_or("") {
                    "1" | "0" | "#gpu.address_space<global>" => Space::Global,
                    "3" | "#gpu.address_space<workgroup>" => Space::Shared,
                    "5" | "#gpu.address_space<private>" => Space::Private,
                    _ => Space::Other,
                },
            },
        })
    }

    /// The attribute that says where the memory lives; none is global memory.
    pub fn memory_space(&self) -> Option<Attribute<'c>> {
        MemRefType::try_from(self.ty).ok()?.memory_space()
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements, when every size is static.
    pub fn elements(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1u64, |n, d| n.checked_mul((*d)?))
    }
}

/// A list of offsets, sizes or strides of a view, of which `attribute` holds the static ones and `dynamic` the others, in
/// order.
pub fn mixed<'c>(op: Op<'c>, attribute: &str, dynamic: &[Val<'c>]) -> Option<Vec<Index<'c>>> {
    // SAFETY: plain query.
    let marker = unsafe { mlir_sys::mlirShapedTypeGetDynamicStrideOrOffset() };
    let mut dynamic = dynamic.iter();
    integers(crate::ir::attribute(op, attribute)?)?
        .into_iter()
        .map(|n| {
            if n == marker {
                dynamic.next().copied().map(Index::Val)
            } else {
                Some(Index::Const(n))
            }
        })
        .collect()
}

/// The groups of dimensions that `memref.collapse_shape` joins, or that `memref.expand_shape` makes.
pub fn reassociation(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    elements(crate::ir::attribute(op, "reassociation")?)?
        .into_iter()
        .map(|group| {
            elements(group)?
                .into_iter()
                .map(|dim| usize::try_from(integer_value(dim)?).ok())
                .collect()
        })
        .collect()
}

/// Ops whose result is a view of their first operand.
const VIEWS: [&str; 8] = [
    "memref.subview",
    "memref.cast",
    "memref.reinterpret_cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.transpose",
    "memref.memory_space_cast",
    "memref.view",
];

/// Whether `op` makes a view of its first operand.
pub fn is_view(op: Op<'_>) -> bool {
    VIEWS.contains(&name(op))
}

/// The memref that `value` is, directly or through others, a view of.
pub fn root(value: Val<'_>) -> Val<'_> {
    let mut value = value;
    while let Some(op) = defining_op(value).filter(|op| is_view(*op)) {
        match operands(op).first() {
            Some(source) => value = *source,
            None => break,
        }
    }
    value
}
