//! Memref types as Rust values, views of memrefs, and overlap of memrefs.

use crate::build::Index;
use crate::ir::{Op, Val, defining_op, elements, integer_value, integers, name, operands};
use melior::ir::r#type::{MemRefType, TypeLike};
use melior::ir::{Attribute, AttributeLike, ShapedTypeLike, Type, ValueLike};

/// Components of a memref type. `None` denotes a dynamic size, stride or offset.
#[derive(Clone)]
pub struct MemRef<'c> {
    /// MLIR type.
    pub ty: Type<'c>,
    /// Element type.
    pub element: Type<'c>,
    /// Size of each dimension, outermost first.
    pub shape: Vec<Option<u64>>,
    /// Stride of each dimension, in elements.
    pub strides: Vec<Option<i64>>,
    /// Offset of the first element, in elements.
    pub offset: Option<i64>,
    /// Memory space.
    pub space: Space,
}

/// Memory spaces of a GPU kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Global memory, visible to all threads of the grid.
    Global,
    /// Shared memory, visible to the threads of one block.
    Shared,
    /// Private memory, visible to one thread.
    Private,
    /// Any other memory space.
    Other,
}

impl Space {
    /// Returns the text that denotes the memory space in error messages, such as `global memory`.
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
    /// Reads the type of `value`; `None` if the type is not a ranked memref with a strided layout.
    pub fn of(value: Val<'c>) -> Option<Self> {
        Self::from_type(value.r#type())
    }

    /// Reads the type `ty`; `None` if `ty` is not a ranked memref type with a strided layout.
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
        // SAFETY: the call has no preconditions.
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
            space: memref.memory_space().map_or(Space::Global, space),
        })
    }

    /// Returns the memory space attribute of the memref type; `None` denotes global memory.
    pub fn memory_space(&self) -> Option<Attribute<'c>> {
        MemRefType::try_from(self.ty).ok()?.memory_space()
    }

    /// Returns whether the elements of the memref are contiguous in row-major order, with offset 0.
    pub fn is_contiguous(&self) -> bool {
        let Ok(memref) = MemRefType::try_from(self.ty) else {
            return false;
        };
        let layout = memref.layout().to_raw();
        // SAFETY: the affine map is read from affine map attributes only.
        unsafe {
            mlir_sys::mlirAttributeIsAAffineMap(layout)
                && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(layout))
        }
    }

    /// Returns the number of dimensions of the memref.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements of the memref; `None` if a size is dynamic.
    pub fn elements(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1u64, |n, d| n.checked_mul((*d)?))
    }
}

/// Returns the static and dynamic offsets, sizes or strides of a view op as one list. `attribute`
/// is the name of the attribute with the static offsets, sizes or strides. `dynamic` contains the
/// SSA values of the dynamic offsets, sizes or strides, in order.
pub fn mixed<'c>(op: Op<'c>, attribute: &str, dynamic: &[Val<'c>]) -> Option<Vec<Index<'c>>> {
    // SAFETY: the call has no preconditions.
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

/// Returns the reassociation of a `memref.collapse_shape` or `memref.expand_shape`: one list of
/// dimensions per reassociation group.
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

/// Returns whether the result of `op` is a view of its first operand.
pub fn is_view(op: Op<'_>) -> bool {
    VIEWS.contains(&name(op))
}

/// Returns the base memref of `value`: the first memref in the chain of view sources that is not
/// itself a view.
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

/// Overlap of the elements of two memrefs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// The two memrefs have no element in common.
    Never,
    /// The two memrefs may have elements in common.
    Maybe,
    /// One memref contains all elements of the other memref.
    Always,
}

/// Returns the overlap of two memrefs. The function assumes that two memrefs with different base
/// memrefs do not overlap.
pub fn overlap<'c>(one: Val<'c>, two: Val<'c>) -> Overlap {
    let base = root(one);
    if base != root(two) {
        return Overlap::Never;
    }
    match (ElementPositions::of(one), ElementPositions::of(two)) {
        (Some(one), Some(two)) if one.is_disjoint(&two) => Overlap::Never,
        _ if one == two || one == base || two == base => Overlap::Always,
        _ => Overlap::Maybe,
    }
}

/// Positions of the elements of a view. The position of an element is its distance from the start
/// of the view's base memref, in elements.
struct ElementPositions {
    offset: i64,
    dims: Vec<(Option<u64>, i64)>,
}

impl ElementPositions {
    /// Reads the element positions of the view `value`. Returns `None` if a stride or the offset of
    /// the view is dynamic, or if the chain of views from the base memref to `value` contains a
    /// `memref.view`.
    fn of(value: Val<'_>) -> Option<Self> {
        let memref = MemRef::of(value)?;
        let mut at = value;
        while let Some(op) = defining_op(at).filter(|op| is_view(*op)) {
            // The byte shift of a `memref.view` is an operand, so the memref type does not contain
            // the byte shift.
            if name(op) == "memref.view" {
                return None;
            }
            at = *operands(op).first()?;
        }
        let strides = memref.strides.iter().copied().collect::<Option<Vec<_>>>()?;
        Some(Self {
            offset: memref.offset?,
            dims: memref.shape.into_iter().zip(strides).collect(),
        })
    }

    fn is_disjoint(&self, other: &Self) -> bool {
        let strides = || {
            self.dims
                .iter()
                .chain(&other.dims)
                .map(|(_, stride)| *stride)
        };
        let periods = strides().filter(|stride| *stride > 1).map(Some);
        std::iter::once(None).chain(periods).any(|period| {
            let ranges = (self.range(period), other.range(period));
            matches!(ranges, (Some(a), Some(b)) if a.1 < b.0 || b.1 < a.0)
        })
    }

    /// Returns the positions of the first and the last element of the view. If `period` is present,
    /// both positions are relative to the largest multiple of `period` that does not exceed the
    /// first position. With a `period`, the function ignores each dimension whose stride is a
    /// multiple of `period`. Returns `None` if a stride is negative, if a size is dynamic, or if
    /// the last position is `period` or greater.
    fn range(&self, period: Option<i64>) -> Option<(i64, i64)> {
        let first = period.map_or(self.offset, |period| self.offset.rem_euclid(period));
        let mut last = first;
        for (size, stride) in &self.dims {
            if period.is_some_and(|period| stride % period == 0) {
                continue;
            }
            if *stride < 0 {
                return None;
            }
            let steps = i64::try_from((*size)?).ok()?.saturating_sub(1).max(0);
            last = last.checked_add(stride.checked_mul(steps)?)?;
        }
        period
            .is_none_or(|period| last < period)
            .then_some((first, last))
    }
}

/// Converts a memory space attribute (an NVPTX address space number or a `#gpu.address_space`) to a
/// [`Space`].
fn space(attribute: Attribute<'_>) -> Space {
    match (
        crate::integer_value(attribute),
        crate::enumerator(attribute),
    ) {
        (Some(0 | 1), _) | (_, Some("global")) => Space::Global,
        (Some(3), _) | (_, Some("workgroup")) => Space::Shared,
        (Some(5), _) | (_, Some("private")) => Space::Private,
        _ => Space::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::ElementPositions;

    fn places(offset: i64, dims: &[(Option<u64>, i64)]) -> ElementPositions {
        ElementPositions {
            offset,
            dims: dims.to_vec(),
        }
    }

    #[test]
    fn columns_of_one_array_are_apart() {
        let first = places(0, &[(None, 9)]);
        let others = places(1, &[(None, 9), (Some(8), 1)]);
        assert!(first.is_disjoint(&others) && others.is_disjoint(&first));
        let all = places(0, &[(None, 9), (Some(9), 1)]);
        assert!(!first.is_disjoint(&all) && !all.is_disjoint(&first));
    }

    #[test]
    fn what_reaches_into_the_next_row_is_not_apart() {
        let first = places(0, &[(Some(4), 9)]);
        assert!(!first.is_disjoint(&places(2, &[(Some(4), 9), (Some(8), 1)])));
        assert!(first.is_disjoint(&places(2, &[(Some(4), 9), (Some(7), 1)])));
    }

    #[test]
    fn even_and_odd_elements_are_apart() {
        let even = places(0, &[(None, 2)]);
        assert!(even.is_disjoint(&places(1, &[(None, 2)])));
        assert!(!even.is_disjoint(&places(1, &[(None, 3)])));
        assert!(!even.is_disjoint(&places(4, &[(None, 2)])));
    }

    #[test]
    fn ranges_are_apart_whatever_their_strides() {
        let low = places(0, &[(Some(4), 3)]);
        assert!(low.is_disjoint(&places(10, &[(Some(4), 5)])));
        assert!(!low.is_disjoint(&places(9, &[(Some(4), 5)])));
    }
}
