//! Arguments in device memory.

use tx_plan::{ElementType, MemrefType};

use crate::array::describe;
use crate::number::Number;
use crate::placement::{Placement, row_major};

/// Array in the caller's device memory: address, element type, shape and strides. A program
/// accesses the array in place; see [`crate::Executable::prepare_in_place`].
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
    /// Creates a contiguous array at a device address (a `CUdeviceptr`). `shape` lists the
    /// outermost dimension first; an empty shape denotes rank 0. The address must be a multiple of
    /// the element size. An address that is a multiple of 16 bytes gives the best bandwidth.
    pub fn new(address: u64, element: ElementType, shape: &[usize]) -> Self {
        Self {
            address,
            element,
            shape: shape.to_vec(),
            offset: 0,
            strides: row_major(shape),
        }
    }

    /// Sets the offset of the first element relative to the address, and the stride of each
    /// dimension. The offset and the strides are counted in elements. All elements must lie at or
    /// after the address of the array.
    #[must_use]
    pub fn with_strides(self, offset: i64, strides: &[i64]) -> Self {
        Self {
            offset,
            strides: strides.to_vec(),
            ..self
        }
    }

    /// Returns the device address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the element type.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Returns the size of each dimension in elements, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(crate) fn describe(&self) -> String {
        format!(
            "an array {} on the device",
            describe(self.element, &self.shape)
        )
    }

    /// Returns the placement of the elements in the caller's memory, or the reason why the array
    /// does not match the memref type.
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

/// Checks the address of an array: the address must be aligned to the element size, and must not be
/// null unless the array is empty.
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

/// Scalar argument, or memref argument in the caller's device memory.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceArg {
    /// Memref argument.
    Array(DeviceArray),
    /// Scalar argument.
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
