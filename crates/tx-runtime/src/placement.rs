//! Where the elements of an argument lie in memory.

use tx_plan::MemrefType;

use crate::array::Array;

/// Where the elements of a memref lie in its buffer; everything in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// From the start of the buffer to the first element.
    pub offset: i64,
    /// Between neighbours along each dimension.
    pub strides: Vec<i64>,
    /// The size of the buffer.
    pub extent: usize,
    /// Whether it is row-major without gaps, from the start of the buffer on.
    pub(crate) contiguous: bool,
    /// Whether certainly no two elements share a place.
    pub(crate) injective: bool,
}

/// The lowest and the highest element a view touches; `None` inside when it has no elements,
/// outside when the numbers do not fit.
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
    /// Row-major without gaps. The shape must have been sized by [`byte_count`].
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

    /// Gives every dynamic stride and the dynamic offset a value: row-major without gaps if the
    /// static ones allow, else as close as they can be without two elements in one place.
    ///
    /// # Errors
    /// Says why no array of this shape can be laid out so.
    pub fn new(memref: &MemrefType, shape: &[usize]) -> Result<Self, String> {
        let expected = memref.strides();
        let mut strides = row_major(shape);
        let identity = matches!(memref.layout, tx_plan::Layout::Identity);
        // The identity layout is row-major by definition. Strides along a dimension of one element,
        // or of an empty array, are never used, and those of an empty identity memref do not follow
        // its type.
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
            // Room for what lies before the first element when a stride is negative.
            None => {
                i64::try_from(-lowest).map_err(|_| "the strides reach beyond the address space")?
            }
        };
        Self::of(offset, &strides, shape)
    }

    /// What follows from an offset and strides.
    ///
    /// # Errors
    /// Says why no array of this shape can lie so.
    pub(crate) fn of(offset: i64, strides: &[i64], shape: &[usize]) -> Result<Self, String> {
        let sizes: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
        let reach_from_0 =
            reach(0, &sizes, strides).ok_or("the strides reach beyond the address space")?;
        let lowest = reach_from_0.map_or(0, |(first, _)| first);
        if i128::from(offset) + lowest < 0 {
            return Err(format!(
                "offset {offset} leaves no room for elements down to {lowest}"
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

    /// Checks that elements which share a place, as along a dimension of stride 0, are the same: a
    /// place has one value.
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
                    "strides {:?} put several elements at place {place}, and {index:?} differs \
                     from another of them",
                    self.strides
                ))
            }
        }
    }

    /// Calls `visit` for each element of `size` bytes with its byte range in the dense array and in
    /// the buffer.
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

/// Strides of an array without gaps.
pub(crate) fn row_major(shape: &[usize]) -> Vec<i64> {
    let mut stride = 1_i64;
    let mut strides: Vec<i64> = shape
        .iter()
        .rev()
        .map(|size| {
            let this = stride;
            // Only overflows when a dimension further out is 0, and then no stride is used.
            stride = stride.saturating_mul(*size as i64);
            this
        })
        .collect();
    strides.reverse();
    strides
}

/// Whether no two elements share a place, for strides that nest: each beyond everything the smaller
/// ones span.
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

    /// Dynamic strides and offsets become row-major without gaps when nothing forbids it, and never
    /// overlap otherwise.
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

    /// Layouts that no array can be laid out in are refused with the reason.
    #[test]
    fn refuses_impossible_layouts() {
        assert_eq!(
            place("memref<4xf32, strided<[-1]>>", &[4]).unwrap_err(),
            "offset 0 leaves no room for elements down to -3"
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
