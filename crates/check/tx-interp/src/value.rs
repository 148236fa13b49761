//! Contents of SSA values during execution, per lane.

use std::rc::Rc;
use tx_scalar::Bound;

/// Numbers of an SSA value. Each lane has `width` numbers of its own, or all lanes share `width`
/// numbers.
///
/// `width` is 1 for a scalar, the number of elements for a vector, and the number of register slots
/// for a fragment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    pub(crate) width: usize,
    /// Set if all lanes share the same numbers, which are then stored once.
    pub(crate) uniform: bool,
    /// Bits of each number; the bits above the width of the type are zero.
    pub(crate) bits: Vec<u64>,
    /// Error bound of each number; `None` if all numbers are exact.
    pub(crate) bounds: Option<Vec<Bound>>,
}

impl Lanes {
    pub(crate) fn one(bits: u64) -> Self {
        Self::same(vec![bits])
    }

    pub(crate) fn same(bits: Vec<u64>) -> Self {
        Self {
            width: bits.len(),
            uniform: true,
            bits,
            bounds: None,
        }
    }

    /// Creates zeros for `lanes` lanes.
    pub(crate) fn new(width: usize, lanes: usize) -> Self {
        Self {
            width,
            uniform: false,
            bits: vec![0; width * lanes],
            bounds: None,
        }
    }

    fn start(&self, lane: usize) -> usize {
        if self.uniform { 0 } else { lane * self.width }
    }

    pub(crate) fn get(&self, lane: usize, i: usize) -> u64 {
        self.bits[self.start(lane) + i]
    }

    pub(crate) fn bound(&self, lane: usize, i: usize) -> Option<Bound> {
        Some(self.bounds.as_ref()?[self.start(lane) + i])
    }

    pub(crate) fn set(&mut self, lane: usize, i: usize, bits: u64, bound: Option<Bound>) {
        let at = self.start(lane) + i;
        self.bits[at] = bits;
        self.set_bound(at, bound);
    }

    fn set_bound(&mut self, at: usize, bound: Option<Bound>) {
        match (&mut self.bounds, bound) {
            (Some(bounds), bound) => bounds[at] = bound.unwrap_or(NO_BOUND),
            (None, Some(bound)) => {
                let mut bounds = vec![NO_BOUND; self.bits.len()];
                bounds[at] = bound;
                self.bounds = Some(bounds);
            }
            (None, None) => {}
        }
    }

    /// Returns a copy of `lanes` consecutive lanes of a value with one number per lane.
    pub(crate) fn part(&self, first: usize, lanes: usize) -> Self {
        if self.uniform {
            return self.clone();
        }
        Self {
            width: 1,
            uniform: false,
            bits: self.bits[first..][..lanes].to_vec(),
            bounds: self
                .bounds
                .as_ref()
                .map(|bounds| bounds[first..][..lanes].to_vec()),
        }
    }

    /// Returns a copy with separate numbers for each lane.
    pub(crate) fn spread(&self, lanes: usize) -> Self {
        if !self.uniform {
            return self.clone();
        }
        let repeat = |_: usize| 0..self.width;
        Self {
            width: self.width,
            uniform: false,
            bits: (0..lanes).flat_map(repeat).map(|i| self.bits[i]).collect(),
            bounds: self
                .bounds
                .as_ref()
                .map(|bounds| (0..lanes).flat_map(repeat).map(|i| bounds[i]).collect()),
        }
    }

    /// Copies the numbers of the active lanes from `other`.
    fn merge(&mut self, other: &Self, active: &[u32], lanes: usize) {
        *self = self.spread(lanes);
        for &lane in active {
            let lane = lane as usize;
            for i in 0..self.width.min(other.width) {
                self.set(lane, i, other.get(lane, i), other.bound(lane, i));
            }
        }
    }
}

/// Placeholder for the error bound of an exact number. The interpreter computes the error bound of
/// an exact number only when an op needs the bound.
pub(crate) const NO_BOUND: Bound = Bound {
    additions: 0.0,
    error: -1.0,
    magnitude: 0.0,
    grain: 0,
    peak: 0.0,
    trough: 0.0,
    high: 0.0,
    low: 0.0,
    slip: 0.0,
};

/// Returns the number of elements of an array with the sizes `sizes`. The multiplication saturates:
/// if one size of an array is 0, the product of the other sizes can overflow.
pub(crate) fn count<'a>(sizes: impl IntoIterator<Item = &'a i64>) -> i64 {
    sizes.into_iter().fold(1, |n, size| n.saturating_mul(*size))
}

/// Number of low address bits that hold the byte offset in a buffer.
const BUFFER: u32 = 40;

/// Splits an address into buffer index and byte offset.
pub(crate) fn located(address: i64) -> (usize, i64) {
    let buffer = usize::try_from((address >> BUFFER) - 1).unwrap_or(usize::MAX);
    (buffer, address & ((1 << BUFFER) - 1))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) buffer: usize,
    /// Range of accessible bytes. A view of private memory can access only the bytes of one thread.
    pub(crate) own: (i64, i64),
    /// Position of the element at offset 0, in bytes from the start of the buffer.
    pub(crate) base: i64,
    /// Offset in elements.
    pub(crate) offset: i64,
    pub(crate) sizes: Vec<i64>,
    /// Strides in elements.
    pub(crate) strides: Vec<i64>,
}

impl View {
    /// Returns the address of the element at offset 0 of the view. Each buffer begins at an address
    /// that is a multiple of 2^40.
    pub(crate) fn address(&self) -> i64 {
        ((self.buffer as i64 + 1) << BUFFER) + self.base
    }

    pub(crate) fn row_major(buffer: usize, own: (i64, i64), sizes: Vec<i64>) -> Self {
        let mut strides = vec![1; sizes.len()];
        for d in (1..sizes.len()).rev() {
            strides[d - 1] = i64::saturating_mul(strides[d], sizes[d].max(1));
        }
        Self {
            buffer,
            own,
            base: own.0,
            offset: 0,
            sizes,
            strides,
        }
    }

    /// Returns the position of the element at `index`, in elements from `base`.
    pub(crate) fn place(&self, index: impl IntoIterator<Item = i64>) -> i64 {
        self.strides
            .iter()
            .zip(index)
            .fold(self.offset, |at, (stride, i)| {
                at.wrapping_add(stride.wrapping_mul(i))
            })
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// Slot that holds no value, or a value that the program never reads.
    #[default]
    Nothing,
    Numbers(Lanes),
    /// Memref value: one view that all lanes share, or one view per lane.
    Views(Vec<Rc<View>>),
}

impl Value {
    /// Copies the values of the active lanes from `other`.
    pub(crate) fn merge(&mut self, other: &Self, active: &[u32], lanes: usize) {
        if active.len() == lanes {
            self.clone_from(other);
            return;
        }
        match (&mut *self, other) {
            (Self::Numbers(to), Self::Numbers(from)) => to.merge(from, active, lanes),
            (Self::Views(to), Self::Views(from)) => {
                if to.len() == 1 {
                    *to = vec![to[0].clone(); lanes];
                }
                for &lane in active {
                    let lane = lane as usize;
                    to[lane] = from[if from.len() == 1 { 0 } else { lane }].clone();
                }
            }
            (Self::Nothing, Self::Numbers(from)) => {
                let mut fresh = Lanes::new(from.width, lanes);
                fresh.merge(from, active, lanes);
                *self = Self::Numbers(fresh);
            }
            (Self::Nothing, Self::Views(from)) => {
                let mut fresh = vec![from[0].clone(); lanes];
                for &lane in active {
                    let lane = lane as usize;
                    fresh[lane] = from[if from.len() == 1 { 0 } else { lane }].clone();
                }
                *self = Self::Views(fresh);
            }
            _ => {}
        }
    }
}

/// Index of an SSA value in the frame of its function.
pub(crate) type Slot = usize;
