//! State of the cluster barrier, which threads execute as two operations: arrive and wait.

use crate::happens_before::{Clocks, ReleasedClocks};

/// State of the barrier of the running cluster. In each round of the barrier, each thread arrives
/// once and waits once.
///
/// A thread must execute the wait operation of one round before it arrives in the next round. At
/// most two rounds of the barrier overlap: some threads may have arrived in the current round while
/// other threads must still execute the wait operation of the previous round.
#[derive(Debug, Default)]
pub(crate) struct ClusterBarrier {
    completed: u32,
    arrived: usize,
    /// First thread that arrived in the current round, and the index of the arrive operation that
    /// the thread executed.
    first: Option<(usize, u32)>,
    /// Vector clocks that threads released when they arrived in the current round of the barrier.
    released: Released,
    /// Vector clocks that threads released when they arrived in the previous round of the barrier.
    released_before: Released,
    waiting: Vec<usize>,
    /// Number of threads that have reached the wait operation of the previous round.
    at_wait: usize,
    /// Number of threads that have resumed after the wait operation of the previous round.
    passed: usize,
    /// Whether all threads have acquired the vector clocks of the previous round.
    joined: bool,
    /// The exited thread with the fewest arrivals at the cluster barrier, and the number of its
    /// arrivals.
    exited: Option<(usize, u32)>,
}

#[derive(Debug, Default)]
struct Released {
    knowledge: ReleasedClocks,
    /// Whether any thread arrived at the cluster barrier with `.relaxed` semantics. A relaxed
    /// arrival does not order the earlier memory accesses of the thread before the wait operations
    /// of other threads.
    relaxed: bool,
}

/// Arrival of a thread at the cluster barrier, before the thread executes the wait operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterArrival {
    pub(crate) site: u32,
    /// Number of barrier rounds that were complete before the arrival.
    round: u32,
    /// Two counters, read directly after the arrival: the number of barriers that the whole block
    /// has passed since the block started, and the entry of the thread in its own vector clock. The
    /// field `after` is `None` if the executor runs without vector clocks, or if
    /// [`Clocks::untouched`](crate::happens_before::Clocks) returned `None`.
    after: Option<(u32, u32)>,
}

impl ClusterBarrier {
    /// Records an arrival of `thread` at the cluster barrier. The returned arrival is the input of
    /// the wait operation of `thread`. `has_other_blocks` is true in a cluster of several blocks.
    ///
    /// # Errors
    ///
    /// Fails if a thread exited before it arrived in the current round of the barrier; the error is
    /// the index of the exited thread.
    pub(crate) fn arrive(
        &mut self,
        thread: usize,
        site: u32,
        relaxed: bool,
        has_other_blocks: bool,
        clocks: Option<&mut Clocks>,
    ) -> Result<ClusterArrival, usize> {
        if let Some((exited, arrivals)) = self.exited
            && arrivals <= self.completed
        {
            return Err(exited);
        }
        let round = self.completed;
        self.arrived += 1;
        self.first.get_or_insert((thread, site));
        self.released.relaxed |= relaxed;
        let mut after = None;
        if let Some(clocks) = clocks {
            let knowledge = &mut self.released.knowledge;
            match relaxed {
                true if has_other_blocks => clocks.release_beginning(thread, knowledge),
                true => {}
                false => clocks.release(thread, knowledge),
            }
            after = clocks.untouched(thread);
        }
        Ok(ClusterArrival { site, round, after })
    }

    /// Returns the number of threads that have arrived in the current round of the cluster barrier.
    pub(crate) fn arrived(&self) -> usize {
        self.arrived
    }

    /// Starts the next round, and returns the threads that waited for the end of the current round.
    pub(crate) fn complete(&mut self) -> impl Iterator<Item = usize> {
        self.completed += 1;
        self.arrived = 0;
        self.first = None;
        self.released_before = std::mem::take(&mut self.released);
        self.at_wait = self.waiting.len();
        self.passed = 0;
        self.joined = false;
        self.waiting.drain(..)
    }

    /// Records the wait operation of a thread, and returns whether the thread waits for the
    /// completion of the round.
    pub(crate) fn wait(&mut self, thread: usize, arrival: ClusterArrival) -> bool {
        let waits = arrival.round == self.completed;
        if waits {
            self.waiting.push(thread);
        } else {
            self.at_wait += 1;
        }
        waits
    }

    /// Records that a thread has resumed after the wait operation of a round. Records in `clocks`
    /// that all arrivals of the round, except for relaxed arrivals, happen before the next event of
    /// the resumed thread. `live` is the number of threads of the cluster. `arrivals` lists each
    /// thread that has not passed the barrier, with the last arrival of that thread at the barrier.
    pub(crate) fn pass(
        &mut self,
        thread: usize,
        live: usize,
        mut arrivals: impl Iterator<Item = (usize, ClusterArrival)>,
        clocks: Option<&mut Clocks>,
    ) {
        if let Some(clocks) = clocks {
            // If no thread accessed memory between arrival and wait, a single `join_all` orders all
            // threads of the cluster.
            if self.passed == 0 && self.at_wait == live && !self.released_before.relaxed {
                self.joined = arrivals.all(|(index, ClusterArrival { after, .. })| {
                    after.is_some() && after == clocks.untouched(index)
                });
                if self.joined {
                    clocks.join_all();
                }
            }
            if !self.joined {
                clocks.acquire(thread, &self.released_before.knowledge);
            }
        }
        self.passed += 1;
    }

    /// Records that a thread exited after `arrivals` arrivals at the cluster barrier. If the
    /// current round still waits for `thread`, returns the first thread that arrived in the round,
    /// and the index of the arrive operation of this first thread.
    pub(crate) fn exit(&mut self, thread: usize, arrivals: u32) -> Option<(usize, u32)> {
        if self.exited.is_none_or(|(_, least)| arrivals < least) {
            self.exited = Some((thread, arrivals));
        }
        self.first.filter(|_| arrivals == self.completed)
    }
}
