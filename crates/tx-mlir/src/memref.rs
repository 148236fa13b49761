//! Memref types taken apart.

use crate::build::Index;
use crate::ir::{Op, Val, defining_op, elements, integer_value, integers, name, operands};
use melior::ir::r#type::{MemRefType, TypeLike};
use melior::ir::{Attribute, AttributeLike, ShapedTypeLike, Type, ValueLike};

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
            space: memref.memory_space().map_or(Space::Global, space),
        })
    }

    /// The attribute that says where the memory lives; none is global memory.
    pub fn memory_space(&self) -> Option<Attribute<'c>> {
        MemRefType::try_from(self.ty).ok()?.memory_space()
    }

    /// Whether elements are in row-major order without gaps, from the first on: there is no layout.
    pub fn is_contiguous(&self) -> bool {
        let Ok(memref) = MemRefType::try_from(self.ty) else {
            return false;
        };
        let layout = memref.layout().to_raw();
        // SAFETY: the value of an attribute that is an affine map.
        unsafe {
            mlir_sys::mlirAttributeIsAAffineMap(layout)
                && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(layout))
        }
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

/// A list of offsets, sizes or strides of a view, of which `attribute` holds the static ones and
/// `dynamic` the others, in order.
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

/// Whether two memrefs have elements in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// No element of one is an element of the other.
    Never,
    /// It depends on what is not known here.
    Maybe,
    /// One of them is a part of the other.
    Always,
}

/// Whether two memrefs overlap. Different memories do not.
pub fn overlap<'c>(one: Val<'c>, two: Val<'c>) -> Overlap {
    let base = root(one);
    if base != root(two) {
        return Overlap::Never;
    }
    match (Places::of(one), Places::of(two)) {
        (Some(one), Some(two)) if one.apart(&two) => Overlap::Never,
        _ if one == two || one == base || two == base => Overlap::Always,
        _ => Overlap::Maybe,
    }
}

/// Where the elements of a view are, counted from the pointer that views of one memory share.
struct Places {
    offset: i64,
    /// Sizes and strides.
    dims: Vec<(Option<u64>, i64)>,
}

impl Places {
    /// `None` where they are not known, or counted otherwise.
    fn of(value: Val<'_>) -> Option<Self> {
        let memref = MemRef::of(value)?;
        let mut at = value;
        while let Some(op) = defining_op(at).filter(|op| is_view(*op)) {
            // It is shifted by bytes, of which its type says nothing.
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

    fn apart(&self, other: &Self) -> bool {
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

    /// The first and the last place, of a row of this length, or of all memory. `None` where that
    /// is not known, and where it reaches into another row.
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

/// What a memory space names: the number of an address space of PTX, or one of the GPU dialect.
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
    use super::Places;

    fn places(offset: i64, dims: &[(Option<u64>, i64)]) -> Places {
        Places {
            offset,
            dims: dims.to_vec(),
        }
    }

    #[test]
    fn columns_of_one_array_are_apart() {
        let first = places(0, &[(None, 9)]);
        let others = places(1, &[(None, 9), (Some(8), 1)]);
        assert!(first.apart(&others) && others.apart(&first));
        let all = places(0, &[(None, 9), (Some(9), 1)]);
        assert!(!first.apart(&all) && !all.apart(&first));
    }

    #[test]
    fn what_reaches_into_the_next_row_is_not_apart() {
        let first = places(0, &[(Some(4), 9)]);
        assert!(!first.apart(&places(2, &[(Some(4), 9), (Some(8), 1)])));
        assert!(first.apart(&places(2, &[(Some(4), 9), (Some(7), 1)])));
    }

    #[test]
    fn even_and_odd_elements_are_apart() {
        let even = places(0, &[(None, 2)]);
        assert!(even.apart(&places(1, &[(None, 2)])));
        assert!(!even.apart(&places(1, &[(None, 3)])));
        assert!(!even.apart(&places(4, &[(None, 2)])));
    }

    #[test]
    fn ranges_are_apart_whatever_their_strides() {
        let low = places(0, &[(Some(4), 3)]);
        assert!(low.apart(&places(10, &[(Some(4), 5)])));
        assert!(!low.apart(&places(9, &[(Some(4), 5)])));
    }
}
