//! Arguments that are on a device already.

use tx_plan::{ElementType, MemrefType};

use crate::array::describe;
use crate::number::Number;
use crate::placement::{Placement, row_major};

/// An array in device memory that belongs to the caller, and that a program reads and writes where
/// it is: an address with a shape. See [`crate::Executable::prepare_in_place`].
///
/// ```
/// use tx_plan::ElementType;
/// use tx_runtime::DeviceArray;
///
/// # let address = 0x7000_0000;
/// // 1000 rows of 300 elements, without gaps.
/// let dense = DeviceArray::new(address, ElementType::F32, &[1000, 300]);
/// // Every other column of the same memory, from the second on.
/// let columns = DeviceArray::new(address, ElementType::F32, &[1000, 150]).with_strides(1, &[300, 2]);
/// assert_eq!(columns.shape(), [1000, 150]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceArray {
    address: u64,
    element: ElementType,
    shape: Vec<usize>,
    offset: i64,
    strides: Vec<i64>,
}

impl DeviceArray {
    /// An array without gaps, outermost dimension first (an empty shape is rank 0), at a device
    /// address (a `CUdeviceptr`), which must be a multiple of the size of an element. At multiples
    /// of 16 bytes memory is read fastest.
    pub fn new(address: u64, element: ElementType, shape: &[usize]) -> Self {
        Self {
            address,
            element,
            shape: shape.to_vec(),
            offset: 0,
            strides: row_major(shape),
        }
    }

    /// The same with gaps, or in another order: `offset` is from the address to the first element,
    /// `strides` are between neighbours along each dimension, all in elements. No element may lie
    /// before the address.
    #[must_use]
    pub fn with_strides(self, offset: i64, strides: &[i64]) -> Self {
        Self {
            offset,
            strides: strides.to_vec(),
            ..self
        }
    }

    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The type of its elements.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// The size of each dimension in elements, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// What messages call it: `an array 4x8xf32 on the device`.
    pub(crate) fn describe(&self) -> String {
        format!(
            "an array {} on the device",
            describe(self.element, &self.shape)
        )
    }

    /// Where its elements lie, if they may lie so where a memref of this type is expected.
    pub(crate) fn placement(&self, memref: &MemrefType) -> Result<Placement, String> {
        check_address(self.address, self.element, self.shape.contains(&0))?;
        if self.strides.len() != self.shape.len() {
            return Err(format!(
                "it has {} strides and {} dimensions",
                self.strides.len(),
                self.shape.len()
            ));
        }
        let placement = Placement::of(self.offset, &self.strides, &self.shape)?;
        let fits = match memref.layout {
            tx_plan::Layout::Identity => placement.contiguous,
            tx_plan::Layout::Strided { .. } => {
                let strides = memref.strides();
                let mut pairs = strides.iter().zip(&self.strides);
                memref.offset().accepts(self.offset)
                    && pairs.all(|(extent, stride)| extent.accepts(*stride))
            }
        };
        match fits {
            true => Ok(placement),
            false => Err(format!(
                "its strides are {:?} and its offset is {}",
                self.strides, self.offset
            )),
        }
    }
}

/// Whether elements can be at an address.
pub(crate) fn check_address(address: u64, element: ElementType, empty: bool) -> Result<(), String> {
    let size = element.size() as u64;
    if address == 0 && !empty {
        return Err("its address is null".to_owned());
    }
    if !address.is_multiple_of(size) {
        return Err(format!(
            "its address {address:#x} is no multiple of the {size} bytes of an element"
        ));
    }
    Ok(())
}

/// One argument of a run on memory of the caller's.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceArg {
    /// For a memref argument.
    Array(DeviceArray),
    /// For a scalar argument.
    Scalar(Number),
}

impl From<DeviceArray> for DeviceArg {
    fn from(array: DeviceArray) -> Self {
        Self::Array(array)
    }
}

impl<N: Into<Number>> From<N> for DeviceArg {
    fn from(number: N) -> Self {
        Self::Scalar(number.into())
    }
}
