//! Global memory: buffers that kernels access, and the recorded state of every byte.

use crate::{bits::PagedBits, fault::BufferOffset, happens_before::Shadow};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
    sync::Arc,
};

/// Minimum alignment of a buffer and minimum width of the guard zones around it, in bytes. The
/// value 256 is the alignment of `cudaMalloc`.
pub(crate) const MIN_ALIGN: usize = 256;

/// Maximum distance in bytes between a faulty address and the buffer that the fault message names.
const NEAR: u64 = 1 << 20;

/// Error of an allocation, a read or a write of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The requested alignment of a buffer is not a power of two.
    #[error("an alignment of {0} bytes is not a power of two")]
    Alignment(usize),
    /// The system cannot allocate the given number of bytes.
    #[error("cannot allocate {0} bytes")]
    OutOfMemory(usize),
    /// A read or write outside a buffer.
    #[error("{bytes} bytes at offset {offset} are outside {buffer} of {length} bytes")]
    OutOfBounds {
        /// Label of the buffer.
        buffer: String,
        /// Offset of the first accessed byte from the start of the buffer, in bytes.
        offset: usize,
        /// Size of the read or write in bytes.
        bytes: usize,
        /// Length of the buffer, in bytes.
        length: usize,
    },
    /// A [`BufferId`] that does not belong to the accessed [`Memory`].
    #[error("the buffer does not belong to this memory")]
    UnknownBuffer,
}

/// A zeroed, aligned allocation that generated code accesses through raw pointers.
#[derive(Debug)]
pub(crate) struct Bytes {
    start: NonNull<u8>,
    layout: Layout,
    skip: usize,
}

// SAFETY: `Bytes` owns its allocation, like `Box<[u8]>`, and is not bound to a thread.
unsafe impl Send for Bytes {}
// SAFETY: shared references only read the address and the length.
unsafe impl Sync for Bytes {}

impl Bytes {
    pub(crate) fn new(length: usize, align: usize) -> Result<Self, MemoryError> {
        // For a larger alignment, the allocator writes the zeros itself, and so touches every page
        // of a large, sparsely used buffer.
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
        // SAFETY: `skip` is less than the alignment, and the allocation is larger than the buffer
        // by the alignment.
        unsafe { self.start.as_ptr().add(self.skip) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and freed only here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Identifier of a buffer of a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(u32);

#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) base: u64,
    pub(crate) length: u64,
    pub(crate) label: Arc<str>,
    pub(crate) read_only: bool,
    pub(crate) shadow: Shadow,
    /// Set of the written bytes of the buffer; `None` if all bytes are initialised.
    written: Option<PagedBits>,
    id: Option<BufferId>,
    /// Allocation that contains the buffer and the guard zones of the buffer; `None` for a global
    /// variable, because the compiled code allocates the variable.
    _bytes: Option<Bytes>,
}

impl Region {
    /// Returns whether all `bytes` bytes at `offset` are initialised. All `bytes` bytes at `offset`
    /// must be inside the buffer.
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

    pub(crate) fn set_all_written(&mut self) {
        self.written = None;
    }

    pub(crate) fn place(&self, address: u64) -> BufferOffset {
        BufferOffset {
            buffer: self.label.clone(),
            offset: address.wrapping_sub(self.base) as i64,
            length: self.length,
            is_dynamic: false,
        }
    }
}

/// Global memory, which consists of separate buffers. Each buffer has a length and a label.
///
/// A new buffer is zeroed or [uninitialised](Memory::alloc_uninitialized). Guard zones of at least
/// 256 bytes surround each buffer, so that an access beyond the end of a buffer is a fault.
#[derive(Debug, Default)]
pub struct Memory {
    /// Regions of the buffers, sorted by base address.
    regions: Vec<Region>,
    buffers: u32,
    /// Index of the last accessed region. Consecutive accesses often access one buffer, so a lookup
    /// first tests the last accessed region.
    last: usize,
    printed: Vec<u8>,
}

/// Maximum number of printed bytes between two calls of [`Memory::take_printed`]. The value 1 MiB
/// is the default size of CUDA's printf buffer.
const MAX_PRINTED_BYTES: usize = 1 << 20;

impl Memory {
    /// Creates a memory without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes and returns the text that threads printed by `vprintf`. `gpu.printf` is lowered to a
    /// call of `vprintf`.
    ///
    /// The printed text is in execution order, and includes the output of failed launches. If
    /// threads print more than 1 MiB between two calls of `take_printed`, the text after the first
    /// 1 MiB is lost.
    pub fn take_printed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.printed)
    }

    pub(crate) fn print(&mut self, text: &[u8]) {
        let room = MAX_PRINTED_BYTES.saturating_sub(self.printed.len());
        self.printed.extend(&text[..text.len().min(room)]);
    }

    /// Allocates `bytes` zero bytes, aligned to `align` bytes (a power of two, at least 256).
    ///
    /// `label` names the buffer in faults, for example `argument 0`. A buffer of zero bytes has a
    /// unique address, and every access to this address is a fault.
    ///
    /// # Errors
    ///
    /// Returns an error if the alignment is not a power of two, or the system is out of memory.
    pub fn alloc(
        &mut self,
        label: impl Into<Arc<str>>,
        bytes: usize,
        align: usize,
    ) -> Result<BufferId, MemoryError> {
        self.allocate(label.into(), bytes, align, 0, true)
    }

    /// Allocates `bytes` zero bytes that start `past` bytes after an address aligned to `align`
    /// bytes. A misaligned buffer represents a subview that starts inside a larger array.
    ///
    /// # Errors
    ///
    /// See [`Memory::alloc`].
    pub fn alloc_past(
        &mut self,
        label: impl Into<Arc<str>>,
        bytes: usize,
        align: usize,
        past: usize,
    ) -> Result<BufferId, MemoryError> {
        self.allocate(label.into(), bytes, align, past, true)
    }

    /// Allocates `bytes` uninitialised bytes. A read of a byte of the buffer before the first write
    /// to this byte is a fault.
    ///
    /// # Errors
    ///
    /// See [`Memory::alloc`].
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

    /// Returns the address of the first byte of a buffer. The address can be passed as a kernel
    /// parameter.
    ///
    /// # Errors
    ///
    /// Returns an error if `buffer` does not belong to the memory `self`.
    pub fn address(&self, buffer: BufferId) -> Result<u64, MemoryError> {
        self.region(buffer).map(|region| region.base)
    }

    /// Returns the length of a buffer in bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if `buffer` does not belong to the memory `self`.
    pub fn len(&self, buffer: BufferId) -> Result<usize, MemoryError> {
        self.region(buffer).map(|region| region.length as usize)
    }

    /// Returns whether the memory has no buffers.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// Copies bytes from a buffer, starting at byte `offset`.
    ///
    /// # Errors
    ///
    /// Returns an error if the byte range is outside the buffer, or if `buffer` does not belong to
    /// the memory `self`.
    pub fn read(
        &self,
        buffer: BufferId,
        offset: usize,
        into: &mut [u8],
    ) -> Result<(), MemoryError> {
        let start = self.range(buffer, offset, into.len())?;
        // SAFETY: `range` checked that the bytes are in a live allocation. No kernel runs during
        // this borrow, because a launch borrows the memory exclusively.
        unsafe { std::ptr::copy_nonoverlapping(start, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Copies bytes to a buffer, starting at byte `offset`.
    ///
    /// # Errors
    ///
    /// Returns an error if the byte range is outside the buffer, or if `buffer` does not belong to
    /// the memory `self`.
    pub fn write(
        &mut self,
        buffer: BufferId,
        offset: usize,
        from: &[u8],
    ) -> Result<(), MemoryError> {
        let start = self.range(buffer, offset, from.len())?;
        // SAFETY: `range` checked the bytes, and `self` is borrowed exclusively.
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

    /// Makes a global variable of a program accessible during a launch.
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

    /// Ends a launch: detaches global variables and clears the recorded accesses.
    pub(crate) fn detach(&mut self) {
        self.regions.retain_mut(|region| {
            region.shadow.clear();
            region.id.is_some()
        });
        self.last = 0;
    }

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

    /// Returns the buffer nearest to `address`, and the offset of `address` in the buffer; `None`
    /// if no buffer is near `address`.
    pub(crate) fn nearest(&self, address: u64) -> Option<BufferOffset> {
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
