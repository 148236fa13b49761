//! Global memory: the buffers that kernels read and write, and what is recorded about every byte of them.

use crate::{bits::PagedBits, fault::Place, happens_before::Shadow};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
    sync::Arc,
};

/// Smallest alignment of a buffer and smallest width of the guard zones around it, in bytes. CUDA's allocator
/// promises the same alignment.
pub(crate) const MIN_ALIGN: usize = 256;

/// How far from a buffer an address may be and still be reported relative to it, in bytes.
const NEAR: u64 = 1 << 20;

/// Why a buffer could not be allocated, read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The alignment is not a power of two.
    #[error("an alignment of {0} bytes is not a power of two")]
    Alignment(usize),
    /// The system has not that much memory.
    #[error("cannot allocate {0} bytes")]
    OutOfMemory(usize),
    /// A read or write outside a buffer.
    #[error("{bytes} bytes at offset {offset} are outside {buffer} of {length} bytes")]
    OutOfBounds {
        /// Label of the buffer.
        buffer: String,
        /// Where the read or write starts, in bytes.
        offset: usize,
        /// How many bytes it has.
        bytes: usize,
        /// Length of the buffer, in bytes.
        length: usize,
    },
    /// A [`BufferId`] of another [`Memory`].
    #[error("the buffer is not one of this memory")]
    UnknownBuffer,
}

/// A zeroed, aligned allocation that host code may write through raw pointers.
#[derive(Debug)]
pub(crate) struct Bytes {
    start: NonNull<u8>,
    layout: Layout,
    /// From the start of the allocation to the first aligned byte.
    skip: usize,
}

// SAFETY: `Bytes` owns its allocation, as `Box<[u8]>` does; nothing in it is bound to a thread.
unsafe impl Send for Bytes {}
// SAFETY: shared references only read the address and the length.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// `length` bytes, aligned to `align`, a power of two.
    pub(crate) fn new(length: usize, align: usize) -> Result<Self, MemoryError> {
        // Asked for more than this, allocators write the zeros themselves, and so touch every page
        // of what may be large and hardly used.
        const ALIGN: usize = 16;
        let layout = length
            .max(1)
            .checked_add(align)
            .and_then(|bytes| Layout::from_size_align(bytes, ALIGN).ok())
            .ok_or(MemoryError::OutOfMemory(length))?;
        // SAFETY: the layout is not of size zero.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).ok_or(MemoryError::OutOfMemory(length))?;
        let skip = (start.as_ptr() as usize).wrapping_neg() & (align - 1);
        Ok(Self {
            start,
            layout,
            skip,
        })
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        // SAFETY: less than the alignment, which the allocation is larger by.
        unsafe { self.start.as_ptr().add(self.skip) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and freed only here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Names a buffer of a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(u32);

/// A range of addresses that kernels may access.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) base: u64,
    pub(crate) length: u64,
    pub(crate) label: Arc<str>,
    pub(crate) read_only: bool,
    pub(crate) shadow: Shadow,
    /// The bytes that were written, where that is not all of them from the start.
    written: Option<PagedBits>,
    id: Option<BufferId>,
    /// Keeps the bytes and the guard zones alive; absent for a global of a program, which its code owns.
    _bytes: Option<Bytes>,
}

impl Region {
    /// Whether `bytes` bytes from `offset` on, which are inside, have a value.
    pub(crate) fn is_written(&self, offset: u64, bytes: u64) -> bool {
        self.written
            .as_ref()
            .is_none_or(|written| written.all_set(offset, bytes))
    }

    pub(crate) fn set_written(&mut self, offset: u64, bytes: u64) {
        if let Some(written) = &mut self.written {
            written.set_all(offset, bytes);
        }
    }

    /// From now on every byte has a value.
    pub(crate) fn set_all_written(&mut self) {
        self.written = None;
    }

    pub(crate) fn place(&self, address: u64) -> Place {
        Place {
            buffer: self.label.clone(),
            offset: address.wrapping_sub(self.base) as i64,
            length: self.length,
            is_dynamic: false,
        }
    }
}

/// Global memory as a kernel sees it: separate buffers, each with its bounds and a label.
///
/// Buffers start out as zeros, or [without a value](Memory::alloc_uninitialized). Around each lie
/// guard zones of at least 256 bytes that belong to no buffer, so that an access that runs over its
/// end is a fault and never lands in a neighbour.
#[derive(Debug, Default)]
pub struct Memory {
    /// Sorted by base address.
    regions: Vec<Region>,
    buffers: u32,
    /// Index of the region hit last: most accesses hit the same one again.
    last: usize,
    /// What threads printed.
    printed: Vec<u8>,
}

/// Bytes that threads may print until somebody takes them: as many as CUDA's buffer has unless it
/// is told otherwise.
const MOST_PRINTED: usize = 1 << 20;

impl Memory {
    /// A memory without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// What threads printed (`vprintf`, which `gpu.printf` becomes) since this was last asked, in
    /// the order in which they did, also in a launch that failed. Of more than a mebibyte the first
    /// is kept.
    pub fn take_printed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.printed)
    }

    pub(crate) fn print(&mut self, text: &[u8]) {
        let room = MOST_PRINTED.saturating_sub(self.printed.len());
        self.printed.extend(&text[..text.len().min(room)]);
    }

    /// Allocates `bytes` zero bytes, aligned to `align` bytes (a power of two; 256 when less).
    ///
    /// `label` names the buffer in faults, `argument 0` for example. Zero bytes are a buffer with
    /// an address of its own that no access may touch.
    ///
    /// # Errors
    ///
    /// When the alignment is not a power of two or the system is out of memory.
    pub fn alloc(
        &mut self,
        label: impl Into<Arc<str>>,
        bytes: usize,
        align: usize,
    ) -> Result<BufferId, MemoryError> {
        self.allocate(label.into(), bytes, align, 0, true)
    }

    /// Allocates `bytes` zero bytes that begin `past` bytes behind an address aligned to `align`
    /// bytes: a view of a larger array need not begin where that does.
    ///
    /// Otherwise as [`Memory::alloc`].
    ///
    /// # Errors
    ///
    /// As [`Memory::alloc`].
    pub fn alloc_past(
        &mut self,
        label: impl Into<Arc<str>>,
        bytes: usize,
        align: usize,
        past: usize,
    ) -> Result<BufferId, MemoryError> {
        self.allocate(label.into(), bytes, align, past, true)
    }

    /// Allocates `bytes` bytes without a value: to read one that nothing has written is a fault.
    ///
    /// Otherwise as [`Memory::alloc`].
    ///
    /// # Errors
    ///
    /// As [`Memory::alloc`].
    pub fn alloc_uninitialized(
        &mut self,
        label: impl Into<Arc<str>>,
        bytes: usize,
        align: usize,
    ) -> Result<BufferId, MemoryError> {
        self.allocate(label.into(), bytes, align, 0, false)
    }

    fn allocate(
        &mut self,
        label: Arc<str>,
        bytes: usize,
        align: usize,
        past: usize,
        initialized: bool,
    ) -> Result<BufferId, MemoryError> {
        if !align.is_power_of_two() {
            return Err(MemoryError::Alignment(align));
        }
        let align = align.max(MIN_ALIGN);
        let too_large = MemoryError::OutOfMemory(bytes);
        let guarded = bytes
            .checked_add(2 * align)
            .and_then(|bytes| bytes.checked_add(past))
            .ok_or_else(|| too_large.clone())?;
        let allocation = Bytes::new(guarded, align).map_err(|_| too_large.clone())?;
        let shadow = Shadow::new(bytes, true).ok_or_else(|| too_large.clone())?;
        let written = if initialized {
            None
        } else {
            Some(PagedBits::new(bytes).ok_or(too_large)?)
        };
        let id = BufferId(self.buffers);
        self.buffers += 1;
        self.insert(Region {
            base: allocation.as_ptr() as u64 + (align + past) as u64,
            length: bytes as u64,
            label,
            read_only: false,
            shadow,
            written,
            id: Some(id),
            _bytes: Some(allocation),
        });
        Ok(id)
    }

    /// The address of a buffer's first byte, to be given to a kernel as a parameter.
    ///
    /// # Errors
    ///
    /// When the buffer is not one of this memory.
    pub fn address(&self, buffer: BufferId) -> Result<u64, MemoryError> {
        self.region(buffer).map(|region| region.base)
    }

    /// The length of a buffer in bytes.
    ///
    /// # Errors
    ///
    /// When the buffer is not one of this memory.
    pub fn len(&self, buffer: BufferId) -> Result<usize, MemoryError> {
        self.region(buffer).map(|region| region.length as usize)
    }

    /// Whether there is no buffer.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// Copies bytes out of a buffer, from byte `offset` on.
    ///
    /// # Errors
    ///
    /// When the range is outside the buffer, or the buffer is not one of this memory.
    pub fn read(
        &self,
        buffer: BufferId,
        offset: usize,
        into: &mut [u8],
    ) -> Result<(), MemoryError> {
        let start = self.range(buffer, offset, into.len())?;
        // SAFETY: `range` checked that the bytes are inside a live allocation of ours, and no
        // kernel runs while `self` is borrowed here, since a launch borrows it exclusively.
        unsafe { std::ptr::copy_nonoverlapping(start, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Copies bytes into a buffer, from byte `offset` on.
    ///
    /// # Errors
    ///
    /// When the range is outside the buffer, or the buffer is not one of this memory.
    pub fn write(
        &mut self,
        buffer: BufferId,
        offset: usize,
        from: &[u8],
    ) -> Result<(), MemoryError> {
        let start = self.range(buffer, offset, from.len())?;
        // SAFETY: as in `read`, and `self` is borrowed exclusively.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), start, from.len()) };
        if let Some(region) = self
            .regions
            .iter_mut()
            .find(|region| region.id == Some(buffer))
        {
            region.set_written(offset as u64, from.len() as u64);
        }
        Ok(())
    }

    fn region(&self, buffer: BufferId) -> Result<&Region, MemoryError> {
        self.regions
            .iter()
            .find(|region| region.id == Some(buffer))
            .ok_or(MemoryError::UnknownBuffer)
    }

    fn range(&self, buffer: BufferId, offset: usize, bytes: usize) -> Result<*mut u8, MemoryError> {
        let region = self.region(buffer)?;
        let end = offset.checked_add(bytes);
        if end.is_none_or(|end| end as u64 > region.length) {
            return Err(MemoryError::OutOfBounds {
                buffer: region.label.to_string(),
                offset,
                bytes,
                length: region.length as usize,
            });
        }
        Ok((region.base as usize + offset) as *mut u8)
    }

    fn insert(&mut self, region: Region) {
        let at = self
            .regions
            .partition_point(|other| other.base < region.base);
        self.regions.insert(at, region);
        self.last = 0;
    }

    /// Makes a global of a program accessible for the time of a launch.
    pub(crate) fn attach(
        &mut self,
        base: u64,
        length: u64,
        label: Arc<str>,
        read_only: bool,
    ) -> Result<(), MemoryError> {
        let shadow =
            Shadow::new(length as usize, true).ok_or(MemoryError::OutOfMemory(length as usize))?;
        self.insert(Region {
            base,
            length,
            label,
            read_only,
            shadow,
            written: None,
            id: None,
            _bytes: None,
        });
        Ok(())
    }

    /// Ends a launch: forgets the attached globals and everything recorded about accesses.
    pub(crate) fn detach(&mut self) {
        self.regions.retain_mut(|region| {
            region.shadow.clear();
            region.id.is_some()
        });
        self.last = 0;
    }

    /// The region that holds all of `bytes` bytes at `address`.
    pub(crate) fn find(&mut self, address: u64, bytes: u64) -> Option<&mut Region> {
        let holds = |region: &Region| {
            address
                .checked_sub(region.base)
                .is_some_and(|offset| offset <= region.length && bytes <= region.length - offset)
        };
        if !self.regions.get(self.last).is_some_and(holds) {
            let after = self
                .regions
                .partition_point(|region| region.base <= address);
            let index = after.checked_sub(1)?;
            if !holds(&self.regions[index]) {
                return None;
            }
            self.last = index;
        }
        self.regions.get_mut(self.last)
    }

    /// Where an address is relative to the nearest region, if one is near.
    pub(crate) fn nearest(&self, address: u64) -> Option<Place> {
        let distance = |region: &Region| {
            if address < region.base {
                region.base - address
            } else {
                address.saturating_sub(region.base + region.length)
            }
        };
        self.regions
            .iter()
            .min_by_key(|region| distance(region))
            .filter(|region| distance(region) <= NEAR)
            .map(|region| region.place(address))
    }
}
