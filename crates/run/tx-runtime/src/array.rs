//! Arrays in host memory.

use std::alloc::{Layout, alloc_zeroed};

use tx_plan::ElementType;

use crate::error::Error;
use crate::number::Number;

/// Array in host memory: contiguous, row-major, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    element: ElementType,
    shape: Vec<usize>,
    bytes: Vec<u8>,
    /// Whether integers are printed and saved as unsigned. Programs ignore this flag.
    unsigned: bool,
}

impl Array {
    /// Creates an array of shape `shape` (outermost dimension first; empty for rank 0) from
    /// row-major, little-endian bytes.
    ///
    /// # Errors
    /// Fails if the number of bytes is not the number of elements times the element size.
    pub fn new(element: ElementType, shape: Vec<usize>, bytes: Vec<u8>) -> Result<Self, Error> {
        let expected = byte_count(element, &shape)?;
        if bytes.len() == expected {
            Ok(Self {
                element,
                shape,
                bytes,
                unsigned: false,
            })
        } else {
            Err(Error::Size {
                array: describe(element, &shape),
                found: bytes.len(),
                expected,
            })
        }
    }

    /// Creates an array of zeros.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub fn zeros(element: ElementType, shape: Vec<usize>) -> Result<Self, Error> {
        let bytes = zeroed(byte_count(element, &shape)?, || describe(element, &shape))?;
        Ok(Self {
            element,
            shape,
            bytes,
            unsigned: false,
        })
    }

    /// Creates an array with every element equal to `value`.
    ///
    /// # Errors
    /// Fails if the element type is an integer type that cannot represent the value, or there is
    /// not enough memory.
    pub fn full(element: ElementType, shape: Vec<usize>, value: Number) -> Result<Self, Error> {
        let bits = value
            .to_bits(element)
            .ok_or(Error::Value { value, element })?;
        let mut array = Self::zeros(element, shape)?;
        array.fill_with(|_| bits);
        Ok(array)
    }

    /// Creates an array of pseudorandom numbers. Each pseudorandom number depends only on element
    /// type, position and seed, and is equal on every machine.
    ///
    /// Floats are uniform in [0, 1), with as many random bits as the element type has significand
    /// bits. Integers are uniform in −8 … 7, `index` values are uniform in 0 … 15, and `i1` values
    /// are uniform in 0 … 1.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub fn random(element: ElementType, shape: Vec<usize>, seed: u64) -> Result<Self, Error> {
        let mut array = Self::zeros(element, shape)?;
        match crate::number::FloatFormat::of(element) {
            Some(format) => {
                let scale = 2_f64.powi(-(format.precision() as i32));
                let shift = 64 - format.precision();
                // The format represents the number exactly, so rounding never yields 1.
                array.fill_with(|i| format.encode((split_mix(seed, i) >> shift) as f64 * scale));
            }
            None => {
                let mask = u64::MAX >> (64 - 8 * element.size());
                array.fill_with(|i| match element {
                    ElementType::I1 => split_mix(seed, i) >> 63,
                    ElementType::Index => split_mix(seed, i) >> 60,
                    _ => (split_mix(seed, i) >> 60).wrapping_sub(8) & mask,
                });
            }
        }
        Ok(array)
    }

    /// Creates an array from values in row-major order.
    ///
    /// # Errors
    /// Fails if the number of values is not the product of the sizes in `shape`.
    pub fn from_slice<T: HostElement>(shape: &[usize], values: &[T]) -> Result<Self, Error> {
        let mut bytes = Vec::with_capacity(size_of_val(values));
        for value in values {
            bytes.extend_from_slice(&value.to_bits64().to_le_bytes()[..T::ELEMENT.size()]);
        }
        Self::new(T::ELEMENT, shape.to_vec(), bytes)
    }

    /// Returns the elements in row-major order.
    ///
    /// # Errors
    /// Fails if `T` does not correspond to the element type of the array.
    pub fn to_vec<T: HostElement>(&self) -> Result<Vec<T>, Error> {
        if T::ELEMENT != self.element {
            return Err(Error::Element {
                found: self.element,
                expected: T::ELEMENT,
            });
        }
        Ok((0..self.len())
            .map(|i| T::from_bits64(self.bits(i)))
            .collect())
    }

    /// Returns the element type.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Returns the size of each dimension in elements, outermost first; empty for rank 0.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the elements as row-major, little-endian bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the elements as mutable row-major, little-endian bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Converts the array into the row-major, little-endian bytes of its elements.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element.size()
    }

    /// Returns whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the element at a row-major position.
    pub fn get(&self, position: usize) -> Option<Number> {
        (position < self.len()).then(|| self.number(self.bits(position)))
    }

    /// Returns shape and element type in the syntax of argument specifications, such as `4x8xf32`,
    /// or `4x8xui32` for unsigned integers.
    pub fn describe(&self) -> String {
        describe_as(self.element, self.unsigned, &self.shape)
    }

    /// Marks the array as unsigned or signed, and returns the array. An array is never marked as
    /// unsigned unless its element type is `i8`, `i16`, `i32` or `i64`. The signedness mark affects
    /// only printed text and files, because each op of a program determines the signedness of its
    /// operands.
    #[must_use]
    pub fn with_unsigned(mut self, unsigned: bool) -> Self {
        use ElementType::{I8, I16, I32, I64};
        self.unsigned = unsigned && matches!(self.element, I8 | I16 | I32 | I64);
        self
    }

    /// Returns whether the array holds unsigned integers.
    pub fn is_unsigned(&self) -> bool {
        self.unsigned
    }

    /// Reinterprets the bytes of the array as elements of the type `element`, whose size must equal
    /// the size of the current element type.
    ///
    /// # Errors
    /// Fails if the element sizes differ.
    pub fn reinterpret(mut self, element: ElementType) -> Result<Self, Error> {
        if element.size() != self.element.size() {
            return Err(Error::Element {
                found: self.element,
                expected: element,
            });
        }
        self.element = element;
        self.unsigned = false;
        Ok(self)
    }

    pub(crate) fn number(&self, bits: u64) -> Number {
        match self.unsigned {
            true => Number::Int(bits.into()),
            false => Number::from_bits(bits, self.element),
        }
    }

    /// Returns the bits of the element at a row-major position. The position must be less than the
    /// number of elements.
    pub(crate) fn bits(&self, position: usize) -> u64 {
        let size = self.element.size();
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.bytes[position * size..][..size]);
        u64::from_le_bytes(word)
    }

    fn fill_with(&mut self, bits: impl Fn(u64) -> u64) {
        let size = self.element.size();
        for (i, chunk) in self.bytes.chunks_exact_mut(size).enumerate() {
            chunk.copy_from_slice(&bits(i as u64).to_le_bytes()[..size]);
        }
    }
}

/// Returns the `position`-th output of SplitMix64 (Steele, Lea, Flood 2014) seeded with `seed`.
fn split_mix(seed: u64, position: u64) -> u64 {
    let z = seed.wrapping_add(position.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub(crate) fn describe(element: ElementType, shape: &[usize]) -> String {
    describe_as(element, false, shape)
}

/// Returns shape and element type, such as `4x8xf32` or `4x8xui32`.
pub(crate) fn describe_as(element: ElementType, unsigned: bool, shape: &[usize]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    let sign = if unsigned { "u" } else { "" };
    format!("{sizes}{sign}{element}")
}

pub(crate) fn byte_count(element: ElementType, shape: &[usize]) -> Result<usize, Error> {
    // An array with a dimension of size 0 is empty, even if the product of the other sizes
    // overflows.
    let elements = if shape.contains(&0) {
        Some(0)
    } else {
        shape
            .iter()
            .try_fold(1_usize, |product, size| product.checked_mul(*size))
    };
    elements
        .and_then(|elements| elements.checked_mul(element.size()))
        .filter(|bytes| isize::try_from(*bytes).is_ok())
        .ok_or_else(|| Error::OutOfMemory {
            what: describe(element, shape),
            bytes: None,
        })
}

/// Returns zeroed bytes, or an error if the allocation fails. The operating system commits pages on
/// first use, so a large allocation is cheap.
pub(crate) fn zeroed(bytes: usize, what: impl FnOnce() -> String) -> Result<Vec<u8>, Error> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let error = |what: String| Error::OutOfMemory {
        what,
        bytes: Some(bytes),
    };
    let Ok(layout) = Layout::array::<u8>(bytes) else {
        return Err(error(what()));
    };
    // SAFETY: the layout has a non-zero size.
    let pointer = unsafe { alloc_zeroed(layout) };
    if pointer.is_null() {
        return Err(error(what()));
    }
    // SAFETY: the global allocator returned `bytes` initialized bytes of alignment 1.
    Ok(unsafe { Vec::from_raw_parts(pointer, bytes, bytes) })
}

mod sealed {
    /// Supertrait that prevents other crates from implementing [`HostElement`](super::HostElement).
    pub trait Sealed {}
}

/// Rust type that corresponds to an element type.
pub trait HostElement: Copy + sealed::Sealed {
    /// Corresponding element type.
    const ELEMENT: ElementType;
    /// Returns the bits of the value, zero-extended.
    #[doc(hidden)]
    fn to_bits64(self) -> u64;
    /// Returns the value that the low bits of `bits` encode.
    #[doc(hidden)]
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! host_element {
    ($($ty:ty, $element:ident, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl HostElement for $ty {
            const ELEMENT: ElementType = ElementType::$element;
            fn to_bits64(self) -> u64 {
                ($to)(self)
            }
            fn from_bits64(bits: u64) -> Self {
                ($from)(bits)
            }
        }
    )*};
}

host_element! {
    f32, F32, |x: f32| u64::from(x.to_bits()), |bits| f32::from_bits(bits as u32);
    f64, F64, f64::to_bits, f64::from_bits;
    i8, I8, |x: i8| u64::from(x as u8), |bits| bits as i8;
    i16, I16, |x: i16| u64::from(x as u16), |bits| bits as i16;
    i32, I32, |x: i32| u64::from(x as u32), |bits| bits as i32;
    i64, I64, |x: i64| x as u64, |bits| bits as i64;
    bool, I1, u64::from, |bits| bits & 1 == 1;
    half::f16, F16, |x: half::f16| u64::from(x.to_bits()), |bits| half::f16::from_bits(bits as u16);
    half::bf16, BF16, |x: half::bf16| u64::from(x.to_bits()), |bits| half::bf16::from_bits(bits as u16);
}
