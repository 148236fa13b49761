//! Placement of the elements of an argument in its buffer.

use tx_plan::MemrefType;

use crate::array::Array;

/// Placement of the elements of a memref in its buffer. All numbers count elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Position of the first element in the buffer.
    pub offset: i64,
    /// Stride of each dimension.
    pub strides: Vec<i64>,
    /// Size of the buffer.
    pub extent: usize,
    /// Whether the elements are contiguous and row-major from the start of the buffer.
    pub(crate) contiguous: bool,
    /// Whether all elements are known to have distinct positions.
    pub(crate) injective: bool,
}

/// Returns the lowest and the highest position of the elements of an array with the given offset,
/// sizes and strides. Returns `Some(None)` if a size is 0, and `None` if the computation of a
/// position overflows.
pub(crate) fn reach(offset: i64, sizes: &[i64], strides: &[i64]) -> Option<Option<(i128, i128)>> {
    if sizes.contains(&0) {
        return Some(None);
    }
    let (mut first, mut last) = (i128::from(offset), i128::from(offset));
    for (size, stride) in sizes.iter().zip(strides) {
        let span = (i128::from(*size) - 1).checked_mul(i128::from(*stride))?;
        let end = if span < 0 { &mut first } else { &mut last };
        *end = end.checked_add(span)?;
    }
    Some(Some((first, last)))
}

impl Placement {
    /// Returns a contiguous row-major placement. [`byte_count`] must have accepted the shape.
    pub(crate) fn contiguous(shape: &[usize]) -> Self {
        let strides = row_major(shape);
        let extent = if shape.contains(&0) {
            0
        } else {
            shape.iter().product()
        };
        Self {
            offset: 0,
            strides,
            extent,
            contiguous: true,
            injective: true,
        }
    }

    /// Chooses values for the dynamic strides and the dynamic offset of a memref type. If the
    /// static strides permit a contiguous row-major placement, the function chooses this placement.
    /// If the static strides permit no row-major placement, each chosen stride exceeds the span of
    /// every dimension with a static stride, and the span of every inner dimension with a dynamic
    /// stride. The span of a dimension is its absolute stride times (size − 1).
    ///
    /// # Errors
    /// On failure, the error is the reason why no array of shape `shape` can have the requested
    /// strides.
    pub fn new(memref: &MemrefType, shape: &[usize]) -> Result<Self, String> {
        let expected = memref.strides();
        let mut strides = row_major(shape);
        let identity = matches!(memref.layout, tx_plan::Layout::Identity);
        // The identity layout is row-major by definition. In an empty array, or along a dimension
        // of size 1, strides are unused and may differ from the type.
        if !identity
            && !strides
                .iter()
                .zip(&expected)
                .all(|(stride, extent)| extent.accepts(*stride))
        {
            let mut beyond = 1_i64;
            for (size, stride) in shape.iter().zip(&expected) {
                if let Some(stride) = stride.known() {
                    let span = stride
                        .checked_abs()
                        .and_then(|stride| stride.checked_mul((*size).max(1) as i64));
                    beyond = beyond.max(span.ok_or("the strides reach beyond the address space")?);
                }
            }
            for (axis, stride) in expected.iter().enumerate().rev() {
                strides[axis] = match stride.known() {
                    Some(stride) => stride,
                    None => {
                        let stride = beyond;
                        beyond = beyond
                            .checked_mul(shape[axis].max(1) as i64)
                            .ok_or("the strides reach beyond the address space")?;
                        stride
                    }
                };
            }
        }
        let sizes: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
        let reach_from_0 =
            reach(0, &sizes, &strides).ok_or("the strides reach beyond the address space")?;
        let lowest = reach_from_0.map_or(0, |(first, _)| first);
        let offset = match memref.offset().known() {
            Some(offset) => offset,
            // With a negative stride, elements lie before the first element, so the offset must be
            // positive.
            None => {
                i64::try_from(-lowest).map_err(|_| "the strides reach beyond the address space")?
            }
        };
        Self::of(offset, &strides, shape)
    }

    /// Creates a placement with a given offset and given strides.
    ///
    /// # Errors
    /// On failure, the error is the reason why no array of shape `shape` can have the requested
    /// strides.
    pub(crate) fn of(offset: i64, strides: &[i64], shape: &[usize]) -> Result<Self, String> {
        let sizes: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
        let reach_from_0 =
            reach(0, &sizes, strides).ok_or("the strides reach beyond the address space")?;
        let lowest = reach_from_0.map_or(0, |(first, _)| first);
        if i128::from(offset) + lowest < 0 {
            return Err(format!(
                "offset {offset} is too small for strides that reach element {lowest}"
            ));
        }
        let extent = match reach_from_0 {
            None => 0,
            Some((_, last)) => usize::try_from(i128::from(offset) + last + 1)
                .map_err(|_| "the strides reach beyond the address space")?,
        };
        let injective = reach_from_0.is_none() || injective(&sizes, strides);
        let contiguous = offset == 0 && (shape.contains(&0) || strides == row_major(shape));
        Ok(Self {
            offset,
            strides: strides.to_vec(),
            extent,
            contiguous,
            injective,
        })
    }

    /// Checks that elements that share a position of the buffer have equal values. For example, all
    /// elements along a dimension of stride 0 share one position.
    pub(crate) fn check_shared(
        &self,
        memref: &MemrefType,
        array: &Array,
        contents: &[u8],
    ) -> Result<(), String> {
        let size = memref.element.size();
        let mut different = None;
        self.for_each(array.shape(), size, |dense, placed| {
            if different.is_none() && contents[placed.clone()] != array.bytes()[dense.clone()] {
                different = Some((dense.start / size, placed.start / size));
            }
        });
        match different {
            None => Ok(()),
            Some((element, place)) => {
                let mut rest = element;
                let mut index: Vec<usize> = array
                    .shape()
                    .iter()
                    .rev()
                    .map(|size| {
                        let this = rest % size;
                        rest /= size;
                        this
                    })
                    .collect();
                index.reverse();
                Err(format!(
                    "strides {:?} map several elements to element {place} of the memref, and the \
                     value at {index:?} differs from another of these values",
                    self.strides
                ))
            }
        }
    }

    /// Calls `visit` for each element; `size` is the element size in bytes. The arguments of
    /// `visit` are the byte ranges of the element in the dense array and in the buffer.
    pub fn for_each(
        &self,
        shape: &[usize],
        size: usize,
        mut visit: impl FnMut(&std::ops::Range<usize>, &std::ops::Range<usize>),
    ) {
        if shape.contains(&0) {
            return;
        }
        let elements: usize = shape.iter().product();
        let mut index = vec![0_usize; shape.len()];
        let mut at = self.offset;
        for i in 0..elements {
            let placed = at as usize * size;
            visit(&(i * size..(i + 1) * size), &(placed..placed + size));
            for (axis, position) in index.iter_mut().enumerate().rev() {
                *position += 1;
                at += self.strides[axis];
                if *position < shape[axis] {
                    break;
                }
                at -= self.strides[axis] * *position as i64;
                *position = 0;
            }
        }
    }
}

pub(crate) fn row_major(shape: &[usize]) -> Vec<i64> {
    let mut stride = 1_i64;
    let mut strides: Vec<i64> = shape
        .iter()
        .rev()
        .map(|size| {
            let this = stride;
            // The product overflows only if the size of an outer dimension is 0, and then no stride
            // is used.
            stride = stride.saturating_mul(*size as i64);
            this
        })
        .collect();
    strides.reverse();
    strides
}

/// Returns true only if all elements have distinct positions. The function tests a sufficient
/// condition: each absolute stride exceeds the total span of the dimensions with smaller absolute
/// strides. The span of a dimension is its absolute stride times (size − 1).
fn injective(sizes: &[i64], strides: &[i64]) -> bool {
    let mut axes: Vec<(u64, i64)> = sizes
        .iter()
        .zip(strides)
        .filter(|(size, _)| **size > 1)
        .map(|(size, stride)| (stride.unsigned_abs(), *size))
        .collect();
    axes.sort_unstable();
    let mut span = 0_u128;
    axes.into_iter().all(|(stride, size)| {
        let beyond = u128::from(stride) > span;
        span += u128::from(stride) * (size as u128 - 1);
        beyond
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(ty: &str, shape: &[usize]) -> Result<Placement, String> {
        Placement::new(&ty.parse().expect("a memref"), shape)
    }

    /// Checks the offset and the strides that [`Placement::new`] chooses. The placement must be
    /// contiguous and row-major if the memref type permits such a placement.
    #[test]
    fn chooses_strides() {
        for (ty, shape, offset, strides, extent, contiguous) in [
            (
                "memref<4x8xf32, strided<[0, 1], offset: 2>>",
                &[4, 8][..],
                2,
                &[0, 1][..],
                10,
                false,
            ),
            ("memref<4x8xf32>", &[4, 8], 0, &[8, 1], 32, true),
            (
                "memref<?x?xf32, strided<[?, 1], offset: ?>>",
                &[4, 8],
                0,
                &[8, 1],
                32,
                true,
            ),
            (
                "memref<4x8xf32, strided<[16, 1], offset: 3>>",
                &[4, 8],
                3,
                &[16, 1],
                3 + 48 + 8,
                false,
            ),
            (
                "memref<?x?xf32, strided<[1, ?]>>",
                &[4, 8],
                0,
                &[1, 4],
                32,
                false,
            ),
            (
                "memref<?x?xf32, strided<[?, 2]>>",
                &[4, 8],
                0,
                &[16, 2],
                63,
                false,
            ),
            (
                "memref<4xf32, strided<[-1], offset: ?>>",
                &[4],
                3,
                &[-1],
                4,
                false,
            ),
            ("memref<f32, strided<[], offset: 2>>", &[], 2, &[], 3, false),
            ("memref<?x?xf32>", &[0, 8], 0, &[8, 1], 0, true),
            (
                "memref<?x1xf32, strided<[1, 1]>>",
                &[4, 1],
                0,
                &[1, 1],
                4,
                true,
            ),
        ] {
            let placement = place(ty, shape).expect(ty);
            let strides = strides.to_vec();
            assert_eq!(
                placement,
                Placement {
                    offset,
                    strides,
                    extent,
                    contiguous,
                    injective: !ty.contains("[0"),
                },
                "{ty}"
            );
        }
    }

    #[test]
    fn refuses_impossible_layouts() {
        assert_eq!(
            place("memref<4xf32, strided<[-1]>>", &[4]).unwrap_err(),
            "offset 0 is too small for strides that reach element -3"
        );
        assert!(
            place(
                "memref<?x?xf32, strided<[9223372036854775807, ?]>>",
                &[4, 8]
            )
            .is_err()
        );
    }
}
