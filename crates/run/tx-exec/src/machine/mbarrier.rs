//! Operations on mbarrier objects in shared memory, and asynchronous stores that signal mbarrier
//! objects.

use super::{
    Machine,
    thread::{Outcome, ThreadState, WaitReason},
};
use crate::{
    fault::{AccessKind, Fault, Space},
    hook_interface::AccessRequest,
    mbarrier::MBarrier,
};

/// Size of an mbarrier object, in bytes.
const BYTES: u64 = 8;

const UNINITIALIZED: &str = "the mbarrier object is not initialized";

impl Machine<'_> {
    /// Returns the rank of the block whose shared memory contains the mbarrier object at `address`,
    /// and the offset of the object in this memory.
    fn find_mbarrier(&self, address: u64, space: Space, site: u32) -> Result<(usize, u64), Fault> {
        let request = AccessRequest {
            address,
            bytes: BYTES,
            kind: AccessKind::Atomic,
            reads: false,
            writes: true,
            space,
            alignment: BYTES,
            site,
        };
        if !address.is_multiple_of(BYTES) {
            return Err(Fault::Misaligned(self.refused(request)));
        }
        self.find_shared(space, address, BYTES)
            .ok_or_else(|| Fault::OutOfBounds(self.refused(request)))
    }

    fn misused(&self, site: u32, reason: &str) -> Fault {
        Fault::InvalidBarrier(self.divergence(self.current, site, reason.into(), None))
    }

    pub(crate) fn init_mbarrier(
        &mut self,
        address: u64,
        count: u32,
        site: u32,
    ) -> Result<(), Fault> {
        let place = self.find_mbarrier(address, Space::Shared, site)?;
        if count == 0 {
            return Err(self.misused(site, "the mbarrier object needs at least one arrival"));
        }
        // In PTX, a second initialization of an mbarrier object is undefined behaviour.
        if self.mbarriers.contains_key(&place) {
            return Err(self.misused(site, "the mbarrier object is initialized already"));
        }
        self.mbarriers
            .insert(place, (MBarrier::new(count), Vec::new()));
        Ok(())
    }

    /// Executes an arrival of the current thread at the mbarrier object at `address`. The arrival
    /// adds `bytes` to the number of bytes that the current phase of the mbarrier object expects.
    pub(crate) fn arrive_mbarrier(
        &mut self,
        address: u64,
        bytes: u32,
        site: u32,
    ) -> Result<(), Fault> {
        let place = self.find_mbarrier(address, Space::Shared, site)?;
        let (thread, clocks) = (self.current, self.clocks.as_mut());
        let arrived = match self.mbarriers.get_mut(&place) {
            Some((object, _)) => object.arrive(thread, bytes, clocks),
            None => return Err(self.misused(site, UNINITIALIZED)),
        };
        match arrived {
            Some(is_complete) => {
                self.wake(place, is_complete);
                Ok(())
            }
            None => Err(self.misused(
                site,
                "the current phase of the mbarrier object has no pending arrivals",
            )),
        }
    }

    /// Signals to the mbarrier object at `address` that the current thread stores `bytes` bytes
    /// asynchronously.
    pub(crate) fn signal_mbarrier(
        &mut self,
        address: u64,
        bytes: u64,
        site: u32,
    ) -> Result<(), Fault> {
        let place = self.find_mbarrier(address, Space::SharedCluster, site)?;
        let (thread, clocks) = (self.current, self.clocks.as_mut());
        match self.mbarriers.get_mut(&place) {
            Some((object, _)) => {
                let is_complete = object.store(thread, bytes, clocks);
                self.wake(place, is_complete);
                Ok(())
            }
            None => Err(self.misused(site, UNINITIALIZED)),
        }
    }

    fn wake(&mut self, place: (usize, u64), is_complete: bool) {
        if !is_complete {
            return;
        }
        self.progress();
        if let Some((_, waiting)) = self.mbarriers.get_mut(&place) {
            for thread in waiting.drain(..) {
                self.threads[thread].state = ThreadState::Runnable;
            }
        }
    }

    /// Waits until the phase with parity `parity` of the mbarrier object at `address` is complete.
    /// When the thread resumes, the caller must call [`pass_mbarrier`](Machine::pass_mbarrier).
    pub(crate) fn wait_mbarrier(
        &mut self,
        address: u64,
        parity: u32,
        site: u32,
    ) -> Result<Outcome, Fault> {
        let place = self.find_mbarrier(address, Space::Shared, site)?;
        let thread = self.current;
        match self.mbarriers.get_mut(&place) {
            Some((object, _)) if object.is_complete(parity) => Ok(Outcome::Ready(1)),
            Some((_, waiting)) => {
                waiting.push(thread);
                self.threads[thread].state = ThreadState::Waiting(WaitReason::MBarrier { site });
                Ok(Outcome::Wait)
            }
            None => Err(self.misused(site, UNINITIALIZED)),
        }
    }

    /// Orders the current thread after the events that threads released in the last completed phase
    /// of the mbarrier object.
    pub(crate) fn pass_mbarrier(&mut self, address: u64, site: u32) -> Result<(), Fault> {
        let place = self.find_mbarrier(address, Space::Shared, site)?;
        if let (Some((object, _)), Some(clocks)) = (self.mbarriers.get(&place), &mut self.clocks) {
            object.acquire(self.current, clocks);
        }
        Ok(())
    }

    /// Returns a deadlock fault if a blocked thread waits at an mbarrier object.
    pub(crate) fn diagnose_mbarrier(&self) -> Option<Fault> {
        let waits = |thread: usize| match self.threads[thread].state {
            ThreadState::Waiting(WaitReason::MBarrier { site }) => Some((thread, site)),
            _ => None,
        };
        let (thread, site) = (0..self.threads.len()).find_map(waits)?;
        let reason = "the phase of the mbarrier object never completes";
        Some(Fault::Deadlock(self.divergence(
            thread,
            site,
            reason.into(),
            None,
        )))
    }
}
