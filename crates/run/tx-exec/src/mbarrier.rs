//! State of mbarrier objects.

use crate::happens_before::{Clocks, ReleasedClocks};

/// State of an mbarrier object.
///
/// A phase of an mbarrier object is complete when the expected number of arrivals is reached and
/// all expected bytes have been stored. The next phase starts as soon as a phase is complete.
///
/// In PTX, an asynchronous store releases only the stored value. In the executor, an asynchronous
/// store also releases all earlier events of the storing thread. Therefore, the executor misses a
/// race between two accesses to one byte if the first thread accesses the byte before an
/// asynchronous store, and the second thread accesses the byte after a wait for this store.
#[derive(Debug)]
pub struct MBarrier {
    /// Number of arrivals that each phase of the mbarrier object expects.
    count: u32,
    /// Number of arrivals that the current phase of the mbarrier object still expects.
    pending: u32,
    /// Number of expected bytes minus number of stored bytes in the current phase of the mbarrier
    /// object.
    transactions: i64,
    phase: u32,
    /// Vector clocks released in the current phase of the mbarrier object.
    released: ReleasedClocks,
    /// Vector clocks released in the previous phase of the mbarrier object.
    released_before: ReleasedClocks,
}

impl MBarrier {
    /// Creates an object that expects `count` arrivals per phase, as `mbarrier.init` does.
    pub fn new(count: u32) -> Self {
        Self {
            count,
            pending: count,
            transactions: 0,
            phase: 0,
            released: ReleasedClocks::default(),
            released_before: ReleasedClocks::default(),
        }
    }

    /// Executes `mbarrier.arrive.expect_tx` for `thread`: one arrival, and `bytes` additional bytes
    /// that the current phase of the mbarrier object expects. Returns whether the arrival completes
    /// the current phase; `None` if the current phase expects no further arrival.
    pub fn arrive(
        &mut self,
        thread: usize,
        bytes: u32,
        clocks: Option<&mut Clocks>,
    ) -> Option<bool> {
        self.pending = self.pending.checked_sub(1)?;
        self.transactions += i64::from(bytes);
        if let Some(clocks) = clocks {
            clocks.release(thread, &mut self.released);
        }
        Some(self.complete())
    }

    /// Records that `thread` has stored `bytes` bytes asynchronously. Returns whether the store
    /// completes the current phase of the mbarrier object.
    pub fn store(&mut self, thread: usize, bytes: u64, clocks: Option<&mut Clocks>) -> bool {
        self.transactions -= bytes.cast_signed();
        if let Some(clocks) = clocks {
            clocks.release(thread, &mut self.released);
        }
        self.complete()
    }

    fn complete(&mut self) -> bool {
        let is_complete = self.pending == 0 && self.transactions == 0;
        if is_complete {
            self.phase += 1;
            self.pending = self.count;
            self.released_before = std::mem::take(&mut self.released);
        }
        is_complete
    }

    /// Returns whether the phase with parity `parity` of the mbarrier object is complete, as
    /// `mbarrier.try_wait.parity` does.
    pub fn is_complete(&self, parity: u32) -> bool {
        self.phase.is_multiple_of(2) != parity.is_multiple_of(2)
    }

    /// Orders `thread` after the events that threads released in the last completed phase of the
    /// mbarrier object.
    pub fn acquire(&self, thread: usize, clocks: &mut Clocks) {
        clocks.acquire(thread, &self.released_before);
    }
}
