//! Shared memory of a running block.

use crate::{
    bits::{all_set, contains, set_all},
    fault::BufferOffset,
    happens_before::{AccessEvent, Clocks, Conflict, Shadow},
    memory::{Bytes, MemoryError},
};
use std::sync::Arc;

/// Size of the gap between two shared-memory variables, in bytes. An access that overruns a
/// variable reaches the gap after the variable, so the executor detects the access.
pub(crate) const GAP: u64 = 64;

#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub(crate) label: Arc<str>,
    pub(crate) offset: u64,
    /// Length of the variable in bytes; `None` for dynamic shared memory.
    pub(crate) length: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct SharedMemory<'m> {
    /// Shared-memory variables of the module, by index; `None` for a variable that the kernel does
    /// not use.
    variables: &'m [Option<SharedVariable>],
    dynamic: u64,
    bytes: Bytes,
    length: u64,
    shadow: Shadow,
    /// Bit mask of the written bytes, with one bit per byte.
    written: Vec<u64>,
}

impl<'m> SharedMemory<'m> {
    pub(crate) fn new(
        variables: &'m [Option<SharedVariable>],
        dynamic: u32,
    ) -> Result<Self, MemoryError> {
        let dynamic = u64::from(dynamic);
        let length = variables
            .iter()
            .flatten()
            .map(|variable| variable.offset + variable.length.unwrap_or(dynamic))
            .max()
            .unwrap_or(0);
        Ok(Self {
            variables,
            dynamic,
            // The gap separates the shared memories of two blocks of the cluster.
            bytes: Bytes::new((length + GAP) as usize, 1024)?,
            length,
            shadow: Shadow::new(length as usize, false)
                .ok_or(MemoryError::OutOfMemory(length as usize))?,
            written: vec![0; (length as usize).div_ceil(64)],
        })
    }

    pub(crate) fn reset(&mut self) {
        // SAFETY: the memory has `length` bytes and is exclusively owned, and no kernel thread
        // runs. The fill bytes encode a NaN if they are read as a float, and an implausible value
        // if they are read as an index.
        unsafe { std::ptr::write_bytes(self.bytes.as_ptr(), 0xff, self.length as usize) };
        self.written.fill(0);
    }

    /// Maps an address in the shared memory `other` to the address with the same offset in the
    /// shared memory `self`.
    pub(crate) fn map(&self, address: u64, other: &Self) -> u64 {
        address.wrapping_sub(other.base()).wrapping_add(self.base())
    }

    fn base(&self) -> u64 {
        self.bytes.as_ptr() as u64
    }

    pub(crate) fn address(&self, variable: u32) -> u64 {
        let variable = self.variables.get(variable as usize);
        let offset = variable
            .and_then(Option::as_ref)
            .map_or(0, |variable| variable.offset);
        self.base() + offset
    }

    /// Returns the offset of an address in shared memory; `None` unless a single variable contains
    /// all `bytes` bytes at the address.
    pub(crate) fn find(&self, address: u64, bytes: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base());
        if offset >= self.length {
            return None;
        }
        self.variables
            .iter()
            .flatten()
            .any(|variable| {
                let length = variable.length.unwrap_or(self.dynamic);
                contains(length, offset.wrapping_sub(variable.offset), bytes)
            })
            .then_some(offset)
    }

    /// Returns whether an address is in shared memory, including the gaps between variables.
    pub(crate) fn is_near(&self, address: u64) -> bool {
        address.wrapping_sub(self.base()) < self.length
    }

    pub(crate) fn place(&self, address: u64) -> Option<BufferOffset> {
        let distance = |variable: &SharedVariable| {
            let start = self.base() + variable.offset;
            let length = variable.length.unwrap_or(self.dynamic);
            match address.checked_sub(start) {
                None => start - address,
                Some(offset) => (offset + 1).saturating_sub(length),
            }
        };
        let nearest = self
            .variables
            .iter()
            .flatten()
            .min_by_key(|variable| distance(variable))?;
        Some(BufferOffset {
            buffer: nearest.label.clone(),
            offset: address.wrapping_sub(self.base() + nearest.offset) as i64,
            length: nearest.length.unwrap_or(self.dynamic),
            is_dynamic: nearest.length.is_none(),
        })
    }

    /// Returns the variable and the offset in the variable at which a race occurred.
    pub(crate) fn place_of(&self, conflict: &Conflict) -> Option<BufferOffset> {
        self.place(self.base() + conflict.offset)
    }

    pub(crate) fn is_written(&self, offset: u64, bytes: u64) -> bool {
        all_set(&self.written, offset, bytes)
    }

    pub(crate) fn set_written(&mut self, offset: u64, bytes: u64) {
        set_all(&mut self.written, offset, bytes);
    }

    pub(crate) fn access(&mut self, clocks: &Clocks, event: AccessEvent) -> Result<(), Conflict> {
        self.shadow.access(clocks, event)
    }
}
