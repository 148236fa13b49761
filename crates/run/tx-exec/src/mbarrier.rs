//! Mbarrier objects in shared memory, and asynchronous stores that signal them.

use crate::{
    fault::{AccessKind, Fault, Space},
    happens_before::{Clocks, Knowledge},
    machine::{Machine, Outcome, Request, State, Wait},
};

/// Size of an mbarrier object, in bytes.
const BYTES: u64 = 8;

/// State of an mbarrier object.
///
/// A phase is complete after the expected number of arrivals, when all expected bytes have been
/// stored. The next phase starts at once.
///
/// PTX releases only the value of an asynchronous store. Here the store releases all earlier events
/// of its thread, so a race that only this surplus order hides is not found.
#[derive(Debug)]
pub struct MBarrier {
    /// Arrivals per phase, and arrivals that the current phase still needs.
    count: u32,
    pending: u32,
    /// Expected bytes minus stored bytes of the current phase.
    transactions: i64,
    /// Number of completed phases.
    phase: u32,
    /// Vector clocks that the current phase releases, and those of the previous phase.
    given: Knowledge,
    taken: Knowledge,
}

impl MBarrier {
    /// Returns an object that needs `count` arrivals per phase: `mbarrier.init`.
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

    /// Arrives with `thread`, and expects `bytes` bytes in this phase:
    /// `mbarrier.arrive.expect_tx`. Returns whether the phase is complete, or `None` if the phase
    /// needs no further arrival.
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

    /// Adds `bytes` stored bytes, which `thread` stored asynchronously. Returns whether the phase is
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

    /// Returns whether the phase of this parity is complete: `mbarrier.try_wait.parity`.
    pub fn is_complete(&self, parity: u32) -> bool {
        self.phase.is_multiple_of(2) != parity.is_multiple_of(2)
    }

    /// Acquires with `thread` what the completed phase released.
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

    /// Initializes the mbarrier object at `address` in the block of the current thread.
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
        // PTX leaves a second initialization undefined.
        if self.mbarriers.contains_key(&place) {
            return Err(self.misused(site, "the mbarrier object is initialized already"));
        }
        self.mbarriers
            .insert(place, (MBarrier::new(count), Vec::new()));
        Ok(())
    }

    /// Arrives at the mbarrier object at `address`, and expects `bytes` bytes.
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

    /// Adds the bytes that the current thread stores asynchronously to the mbarrier object at
    /// `address`.
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

    /// Waits for the phase of this parity. When the thread resumes, the caller must call
    /// [`pass_mbarrier`](Machine::pass_mbarrier).
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

    /// Acquires what the completed phase released.
    pub(crate) fn pass_mbarrier(&mut self, address: u64, site: u32) -> Result<(), Fault> {
        let place = self.find_mbarrier(address, Space::Shared, site)?;
        if let (Some((object, _)), Some(clocks)) = (self.mbarriers.get(&place), &mut self.clocks) {
            object.acquire(self.current, clocks);
        }
        Ok(())
    }

    /// Returns the fault if blocked threads wait at an mbarrier object.
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
