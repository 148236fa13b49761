//! Checks of memory accesses: bounds, alignment, initialisation of the read bytes, and data races.

use super::{
    Cta, Machine,
    thread::{Outcome, PrivateMemory, RemoteAccess},
};
use crate::{
    bits::{PagedBits, contains},
    fault::{Access, AccessKind, BufferOffset, Fault, Lifetime, OutOfRange, Race, Space},
    happens_before::{AccessEvent, Clocks, Conflict},
    hook_interface::AccessRequest,
};
use std::sync::Arc;

/// Number of consecutive atomic accesses after which a thread yields, because the thread may spin
/// until another thread makes progress.
const ATOMICS_PER_TURN: u32 = 1024;
/// Number of atomic accesses, without progress ([`Machine::progress`]) in between, after which a
/// launch is reported as hanging.
const MAX_IDLE_ATOMICS: u64 = 1 << 24;

impl Machine<'_> {
    /// Registers private memory of the current thread.
    ///
    /// # Safety
    /// The `bytes` bytes at `address` must be allocated memory, and must not contain a live value.
    pub(crate) unsafe fn add_private(&mut self, address: u64, bytes: u64) -> Result<(), Fault> {
        let length = bytes as usize;
        let written = match self.clocks {
            Some(_) => {
                let bits = PagedBits::new(length);
                Some(bits.ok_or_else(|| {
                    Fault::Internal(format!("no memory to watch {length} bytes of a thread"))
                })?)
            }
            None => {
                // The contents of private memory must not depend on earlier launches. SAFETY:
                // guaranteed by the caller.
                unsafe { std::ptr::write_bytes(address as *mut u8, 0xff, length) };
                None
            }
        };
        let private = &mut self.threads[self.current].private;
        // The stack is reused, so a new allocation ends the allocations that it overlaps.
        private.retain(|PrivateMemory { start, length, .. }| {
            start + length <= address || address.saturating_add(bytes) <= *start
        });
        private.push(PrivateMemory {
            start: address,
            length: bytes,
            written,
        });
        Ok(())
    }

    /// Maps a shared memory address of the current block to the address with the same offset in the
    /// block with rank `rank`.
    pub(crate) fn map(&self, address: u64, rank: i32, site: u32) -> Result<u64, Fault> {
        let own = &self.ctas[self.current_cta].shared;
        let to = usize::try_from(rank).ok();
        let Some(to) = to.and_then(|rank| self.ctas.get(rank)) else {
            return Err(Fault::OutOfRange(Box::new(OutOfRange {
                site: self.site(self.current, site),
                value: rank,
                lower: 0,
                upper: self.ctas.len() as i32,
            })));
        };
        Ok(to.shared.map(address, own))
    }

    /// Finds the shared memory that contains an address range and is accessible through pointers of
    /// space `space`. Returns the rank of the block that owns the memory, and the offset of the
    /// range in the memory.
    #[inline]
    pub(crate) fn find_shared(
        &self,
        space: Space,
        address: u64,
        bytes: u64,
    ) -> Option<(usize, u64)> {
        if matches!(space, Space::Global | Space::Private) {
            return None;
        }
        let own = self.current_cta;
        if let Some(offset) = self.ctas[own].shared.find(address, bytes) {
            return Some((own, offset));
        }
        match space == Space::Shared || self.ctas.len() == 1 {
            true => None,
            false => self.find_in_cluster(address, bytes),
        }
    }

    fn find_in_cluster(&self, address: u64, bytes: u64) -> Option<(usize, u64)> {
        let mut ctas = self.ctas.iter().enumerate();
        ctas.find_map(|(rank, cta)| Some((rank, cta.shared.find(address, bytes)?)))
    }

    /// Checks that the block `remote.owner` has started and still runs. Also records the access.
    /// After the end of the cluster, a second check tests whether the block `remote.owner` may have
    /// ended before the access.
    fn check_other_block(&mut self, remote: RemoteAccess) -> Result<(), Fault> {
        let owner = remote.owner;
        let Some(clocks) = &self.clocks else {
            return Ok(());
        };
        if !clocks.knows_beginning(self.current, self.threads_of(owner)) {
            return Err(self.other_block(self.current, remote, Lifetime::NotBegun));
        }
        if self.ctas[owner].running == 0 {
            return Err(self.other_block(self.current, remote, Lifetime::Ended));
        }
        // The last access is sufficient: an event that is ordered after the last access is also
        // ordered after the earlier accesses.
        let accesses = &mut self.members[self.current].remote;
        match accesses.iter_mut().find(|access| access.owner == owner) {
            Some(access) => *access = remote,
            None => accesses.push(remote),
        }
        Ok(())
    }

    /// Checks an access of the current thread.
    ///
    /// [`Outcome::Wait`] means that the thread must yield to other threads before it performs the
    /// access.
    pub(crate) fn access(&mut self, request: AccessRequest) -> Result<Outcome, Fault> {
        let AccessRequest {
            address,
            bytes,
            kind,
            space,
            site,
            ..
        } = request;
        if bytes == 0 {
            return Ok(Outcome::Ready(0));
        }
        let thread = self.current;
        let may_be = |other| space == other || space == Space::Generic;
        let misaligned = address & (request.alignment - 1) != 0;
        let event_at = |clocks: &mut Clocks, offset| {
            let segment = clocks
                .segment(thread)
                .ok_or_else(|| Fault::Internal("the launch is too long to be checked".into()))?;
            Ok(AccessEvent {
                offset,
                bytes,
                kind,
                site,
                thread,
                segment,
            })
        };
        let counter;
        if let Some((owner, offset)) = self.find_shared(space, address, bytes) {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            if let Some(clocks) = &mut self.clocks {
                let event = event_at(clocks, offset)?;
                if owner != self.current_cta {
                    self.check_other_block(RemoteAccess {
                        owner,
                        segment: event.segment,
                        site,
                        kind,
                    })?;
                }
                let shared = &mut self.ctas[owner].shared;
                if request.reads && !shared.is_written(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    shared.set_written(offset, bytes);
                }
                if let Some(clocks) = &self.clocks
                    && let Err(conflict) = shared.access(clocks, event)
                {
                    return Err(self.race(request, Space::Shared, conflict));
                }
            }
            counter = &mut self.report.shared;
        } else if may_be(Space::Global)
            && let Some(region) = self.memory.find(address, bytes)
        {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            if region.read_only && kind != AccessKind::Read {
                return Err(Fault::ReadOnly(self.refused(request)));
            }
            let offset = address - region.base;
            if let Some(clocks) = &mut self.clocks {
                if kind == AccessKind::Atomic {
                    clocks.atomic(thread, address, request.reads, request.writes);
                }
                if request.reads && !region.is_written(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    region.set_written(offset, bytes);
                }
                let event = event_at(clocks, offset)?;
                if let Err(conflict) = region.shadow.access(clocks, event) {
                    return Err(self.race(request, Space::Global, conflict));
                }
            } else if kind != AccessKind::Read {
                region.set_all_written();
            }
            counter = &mut self.report.global;
        } else if may_be(Space::Private)
            && let Some(private) = self.private(address, bytes)
        {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            let offset = address - private.start;
            if let Some(written) = &mut private.written {
                if request.reads && !written.all_set(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    written.set_all(offset, bytes);
                }
            }
            counter = &mut self.report.private;
        } else {
            return Err(Fault::OutOfBounds(self.refused(request)));
        }
        match kind {
            AccessKind::Read => {
                counter.reads += 1;
                self.progress();
            }
            AccessKind::Write => {
                counter.writes += 1;
                self.progress();
            }
            AccessKind::Atomic => {
                counter.atomics += 1;
                return self.atomic(site);
            }
        }
        Ok(Outcome::Ready(0))
    }

    fn atomic(&mut self, site: u32) -> Result<Outcome, Fault> {
        self.idle_atomics += 1;
        if self.idle_atomics > MAX_IDLE_ATOMICS {
            let site = self.site(self.current, site);
            return Err(Fault::NoProgress(Box::new(site)));
        }
        let thread = &mut self.threads[self.current];
        thread.atomics += 1;
        if thread.atomics < ATOMICS_PER_TURN {
            return Ok(Outcome::Ready(0));
        }
        thread.atomics = 0;
        thread.spins = true;
        Ok(Outcome::Wait)
    }

    fn private(&mut self, address: u64, bytes: u64) -> Option<&mut PrivateMemory> {
        let mut all = self.threads[self.current].private.iter_mut();
        all.find(|PrivateMemory { start, length, .. }| {
            contains(*length, address.wrapping_sub(*start), bytes)
        })
    }

    /// Returns a buffer that contains or is near `address`, and the offset of `address` in the
    /// buffer; `None` if no buffer is near.
    fn place(&self, address: u64, space: Space) -> Option<BufferOffset> {
        let private = |near: u64| {
            self.threads[self.current]
                .private
                .iter()
                .find(|PrivateMemory { start, length, .. }| {
                    address >= start.saturating_sub(near) && address < start + length + near
                })
                .map(|PrivateMemory { start, length, .. }| BufferOffset {
                    buffer: Arc::from("private memory"),
                    offset: address.wrapping_sub(*start) as i64,
                    length: *length,
                    is_dynamic: false,
                })
        };
        let own = &self.cta(self.current).shared;
        let near = |cta: &&Cta<'_>| cta.shared.is_near(address);
        match space {
            Space::Shared => own.place(address),
            Space::SharedCluster => match self.ctas.iter().find(near) {
                Some(cta) => self.place_in(cta, cta.shared.place(address)),
                None => own.place(address),
            },
            Space::Global => self.memory.nearest(address),
            Space::Private => private(1 << 20),
            Space::Generic => {
                if let Some(cta) = self.ctas.iter().find(near) {
                    return self.place_in(cta, cta.shared.place(address));
                }
                // Stacks are far from all other memory, so an address near global memory does not
                // belong to a stack.
                self.memory.nearest(address).or_else(|| private(1 << 12))
            }
        }
    }

    /// For a position in the shared memory of another block, adds the coordinates of that block to
    /// the buffer label.
    fn place_in(&self, cta: &Cta<'_>, place: Option<BufferOffset>) -> Option<BufferOffset> {
        let [x, y, z] = cta.block;
        let place = place?;
        Some(match std::ptr::eq(cta, self.cta(self.current)) {
            true => place,
            false => BufferOffset {
                buffer: format!("{} of block ({x}, {y}, {z})", place.buffer).into(),
                ..place
            },
        })
    }

    pub(crate) fn refused(&self, request: AccessRequest) -> Box<Access> {
        Box::new(Access {
            site: self.site(self.current, request.site),
            kind: request.kind,
            space: request.space,
            address: request.address,
            bytes: request.bytes,
            alignment: request.alignment,
            place: self.place(request.address, request.space),
        })
    }

    fn race(&mut self, request: AccessRequest, space: Space, conflict: Conflict) -> Fault {
        let place = match space {
            Space::Shared => {
                let owner = self.find_shared(request.space, request.address, request.bytes);
                owner.and_then(|(owner, _)| {
                    let cta = &self.ctas[owner];
                    self.place_in(cta, cta.shared.place_of(&conflict))
                })
            }
            _ => self
                .memory
                .find(request.address, request.bytes)
                .map(|region| region.place(region.base + conflict.offset)),
        };
        let Some(place) = place else {
            return Fault::Internal("a race in memory that does not exist".into());
        };
        let (rank, _) = self.place_of(conflict.thread);
        let block = self.blocks.coordinates(conflict.block, rank as u32);
        Fault::Race(Box::new(Race {
            first: self.site_of_block(conflict.thread, conflict.site, block),
            first_kind: conflict.kind,
            second: self.site(self.current, request.site),
            second_kind: request.kind,
            space,
            place,
        }))
    }
}
