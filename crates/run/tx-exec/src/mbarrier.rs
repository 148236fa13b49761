//! Mbarrier objects in shared memory, and asynchronous stores that signal them.

use crate::{
    fault::{AccessKind, Fault, Space},
    happens_before::{Clocks, Knowledge},
    machine::{Machine, Outcome, Request, State, Wait},
};

const BYTES: u64 = 8;

/// State of an mbarrier object.
///
/// A phase is complete after the expected number of arrivals, when all expected bytes have been
/// stored. The next phase starts as soon as a phase is complete.
///
/// In PTX, an asynchronous store releases only the stored value. In the executor, the store also
/// releases all earlier events of its thread. If only this additional release orders two accesses,
/// the executor therefore misses their race.
#[derive(Debug)]
pub struct MBarrier {
    /// Number of arrivals that each phase expects.
    count: u32,
    /// Number of arrivals that the current phase still expects.
    pending: u32,
    /// Number of expected bytes minus number of stored bytes in the current phase.
    transactions: i64,
    phase: u32,
    /// Vector clocks released in the current phase.
    given: Knowledge,
    /// Vector clocks released in the previous phase.
    taken: Knowledge,
}

impl MBarrier {
    /// Creates an object that expects `count` arrivals per phase, as `mbarrier.init` does.
    pub fn new(count: u32) -> Self {
        Self {
            count,
            pending: count,
            transactions: 0,
            phase: 0,
            given: Knowledge::default(),
            taken: Knowledge::default(),
        }
    }

    /// Executes `mbarrier.arrive.expect_tx` for `thread`: one arrival, and `bytes` additional bytes
    /// that the phase expects. Returns whether the phase is complete; `None` if the phase expects
    /// no further arrival.
    pub fn arrive(
        &mut self,
        thread: usize,
        bytes: u32,
        clocks: Option<&mut Clocks>,
    ) -> Option<bool> {
        self.pending = self.pending.checked_sub(1)?;
        self.transactions += i64::from(bytes);
        if let Some(clocks) = clocks {
            clocks.give(thread, &mut self.given);
        }
        Some(self.complete())
    }

    /// Records that `thread` has stored `bytes` bytes asynchronously. Returns whether the phase is
    /// complete.
    pub fn store(&mut self, thread: usize, bytes: u64, clocks: Option<&mut Clocks>) -> bool {
        self.transactions -= bytes.cast_signed();
        if let Some(clocks) = clocks {
            clocks.give(thread, &mut self.given);
        }
        self.complete()
    }

    fn complete(&mut self) -> bool {
        let is_complete = self.pending == 0 && self.transactions == 0;
        if is_complete {
            self.phase += 1;
            self.pending = self.count;
            self.taken = std::mem::take(&mut self.given);
        }
        is_complete
    }

    /// Returns whether the phase with this parity is complete, as `mbarrier.try_wait.parity` does.
    pub fn is_complete(&self, parity: u32) -> bool {
        self.phase.is_multiple_of(2) != parity.is_multiple_of(2)
    }

    /// Orders `thread` after the events that the completed phase released.
    pub fn acquire(&self, thread: usize, clocks: &mut Clocks) {
        clocks.take(thread, &self.taken);
    }
}

impl Machine<'_> {
    /// Returns the rank of the block and the offset of the mbarrier object at `address`.
    fn find_mbarrier(&self, address: u64, space: Space, site: u32) -> Result<(usize, u64), Fault> {
        let request = Request {
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
        // In PTX, a second initialization is undefined behaviour.
        if self.mbarriers.contains_key(&place) {
            return Err(self.misused(site, "the mbarrier object is initialized already"));
        }
        self.mbarriers
            .insert(place, (MBarrier::new(count), Vec::new()));
        Ok(())
    }

    /// Executes an arrival of the current thread at the mbarrier object at `address`. The current
    /// phase then expects `bytes` additional bytes.
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
            None => Err(self.misused(site, "the phase of the mbarrier object needs no arrival")),
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
                self.threads[thread].state = State::Runnable;
            }
        }
    }

    /// Waits until the phase with parity `parity` is complete. When the thread resumes, the caller
    /// must call [`pass_mbarrier`](Machine::pass_mbarrier).
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
                self.threads[thread].state = State::Waiting(Wait::MBarrier { site });
                Ok(Outcome::Wait)
            }
            None => Err(self.misused(site, UNINITIALIZED)),
        }
    }

    /// Orders the current thread after the events that the completed phase released.
    pub(crate) fn pass_mbarrier(&mut self, address: u64, site: u32) -> Result<(), Fault> {
        let place = self.find_mbarrier(address, Space::Shared, site)?;
        if let (Some((object, _)), Some(clocks)) = (self.mbarriers.get(&place), &mut self.clocks) {
            object.acquire(self.current, clocks);
        }
        Ok(())
    }

    /// Returns the deadlock fault if blocked threads wait at an mbarrier object.
    pub(crate) fn diagnose_mbarrier(&self) -> Option<Fault> {
        let waits = |thread: usize| match self.threads[thread].state {
            State::Waiting(Wait::MBarrier { site }) => Some((thread, site)),
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

const UNINITIALIZED: &str = "the mbarrier object is not initialized";
