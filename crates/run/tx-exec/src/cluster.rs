//! The cluster barrier, which threads execute as two operations: arrive and wait.

use crate::{
    fault::{At, Fault},
    happens_before::Knowledge,
    machine::{Machine, Outcome, State, Wait},
};

/// State of the barrier of the running cluster. In each round of the barrier, each thread arrives
/// once and waits once.
///
/// A thread must wait before it arrives again. At most two rounds of the barrier overlap: some
/// threads have arrived in the current round, while other threads must still wait for the previous
/// round.
#[derive(Debug, Default)]
pub(crate) struct ClusterBarrier {
    completed: u32,
    arrived: usize,
    /// First thread that arrived in the current round, and the index of its arrive operation.
    first: Option<(usize, u32)>,
    /// Vector clocks that arrivals of the current round released.
    given: Given,
    /// Vector clocks that arrivals of the previous round released.
    taken: Given,
    waiting: Vec<usize>,
    /// Number of threads that have reached the wait operation of the previous round.
    came: usize,
    /// Number of threads that have resumed after the wait operation of the previous round.
    passed: usize,
    /// Whether all threads have acquired the vector clocks of the previous round.
    joined: bool,
    /// The exited thread with the fewest arrivals at the barrier, and its number of arrivals.
    exited: Option<(usize, u32)>,
}

#[derive(Debug, Default)]
struct Given {
    knowledge: Knowledge,
    /// Whether any thread arrived with `.relaxed` semantics. A relaxed arrival releases no events.
    relaxed: bool,
}

/// An arrival at the cluster barrier, if the thread has not waited yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    site: u32,
    /// Number of barrier rounds that were complete before the arrival.
    round: u32,
    /// Phase and clock of the thread directly after the arrival, as returned by
    /// [`Clocks::untouched`](crate::happens_before::Clocks).
    after: Option<(u32, u32)>,
}

impl Machine<'_> {
    pub(crate) fn cluster_arrive(&mut self, site: u32, relaxed: bool) -> Result<(), Fault> {
        let thread = self.current;
        if let Some(before) = self.members[thread].arrival {
            let reason = "it has not waited since its last arrival at the barrier of the cluster";
            let other = Some((thread, before.site));
            return Err(Fault::InvalidBarrier(self.divergence(
                thread,
                site,
                reason.into(),
                other,
            )));
        }
        let barrier = &mut self.cluster_barrier;
        if let Some((exited, arrivals)) = barrier.exited
            && arrivals <= barrier.completed
        {
            return Err(self.never_arrives(thread, site, exited));
        }
        let round = barrier.completed;
        barrier.arrived += 1;
        barrier.first.get_or_insert((thread, site));
        barrier.given.relaxed |= relaxed;
        let mut after = None;
        if let Some(clocks) = &mut self.clocks {
            let knowledge = &mut barrier.given.knowledge;
            match relaxed {
                true if self.ctas.len() > 1 => clocks.give_beginning(thread, knowledge),
                true => {}
                false => clocks.give(thread, knowledge),
            }
            after = clocks.untouched(thread);
        }
        let member = &mut self.members[thread];
        member.arrivals += 1;
        member.arrival = Some(Arrival { site, round, after });
        if self.cluster_barrier.arrived == self.live_threads() {
            self.complete_cluster();
        }
        Ok(())
    }

    fn complete_cluster(&mut self) {
        self.progress();
        self.report.cluster_barriers += 1;
        let barrier = &mut self.cluster_barrier;
        barrier.completed += 1;
        barrier.arrived = 0;
        barrier.first = None;
        barrier.taken = std::mem::take(&mut barrier.given);
        barrier.came = barrier.waiting.len();
        barrier.passed = 0;
        barrier.joined = false;
        for thread in barrier.waiting.drain(..) {
            self.threads[thread].state = State::Runnable;
        }
    }

    /// Waits for the completion of the barrier round in which the current thread arrived. When the
    /// thread resumes, the caller must call [`cluster_pass`](Machine::cluster_pass).
    pub(crate) fn cluster_wait(&mut self, site: u32) -> Result<Outcome, Fault> {
        let thread = self.current;
        let Some(arrival) = self.members[thread].arrival else {
            let reason = "it has not arrived at the barrier of the cluster since it waited last";
            return Err(Fault::InvalidBarrier(self.divergence(
                thread,
                site,
                reason.into(),
                None,
            )));
        };
        let barrier = &mut self.cluster_barrier;
        if arrival.round == barrier.completed {
            barrier.waiting.push(thread);
            self.threads[thread].state = State::Waiting(Wait::Cluster { site });
        } else {
            // The thread waits even if the round is complete, so that the scheduler chooses the
            // next thread.
            barrier.came += 1;
        }
        Ok(Outcome::Wait)
    }

    pub(crate) fn cluster_pass(&mut self) {
        let thread = self.current;
        let live = self.live_threads();
        let barrier = &mut self.cluster_barrier;
        if let Some(clocks) = &mut self.clocks {
            // If no thread accessed memory between arrival and wait, a single `join_all` orders all
            // threads of the cluster.
            if barrier.passed == 0 && barrier.came == live && !barrier.taken.relaxed {
                let mut members = self.members.iter().enumerate();
                barrier.joined = members.all(|(index, member)| {
                    let after = member.arrival.map(|arrival| arrival.after);
                    after.is_none_or(|after| after.is_some() && after == clocks.untouched(index))
                });
                if barrier.joined {
                    clocks.join_all();
                }
            }
            if !barrier.joined {
                clocks.take(thread, &barrier.taken.knowledge);
            }
        }
        barrier.passed += 1;
        self.members[thread].arrival = None;
    }

    /// Ends the current thread. Reports a fault if the exiting thread still has to arrive at the
    /// cluster barrier.
    pub(crate) fn exit_cluster(&mut self) -> Result<(), Fault> {
        let thread = self.current;
        let arrivals = self.members[thread].arrivals;
        let barrier = &mut self.cluster_barrier;
        if barrier.exited.is_none_or(|(_, least)| arrivals < least) {
            barrier.exited = Some((thread, arrivals));
        }
        match barrier.first {
            Some((other, site)) if arrivals == barrier.completed => {
                Err(self.never_arrives(other, site, thread))
            }
            _ => Ok(()),
        }
    }

    fn never_arrives(&self, thread: usize, site: u32, exited: usize) -> Fault {
        let reason = format!(
            "it needs {} of block {}, which has exited",
            self.thread(exited),
            At(self.cta(exited).block)
        );
        Fault::DivergentBarrier(self.divergence(thread, site, reason, None))
    }

    /// Returns the deadlock fault if all blocked threads wait at the cluster barrier.
    pub(crate) fn diagnose_cluster(&self) -> Option<Fault> {
        let waits = |thread: usize| match self.threads[thread].state {
            State::Waiting(Wait::Cluster { site }) => Some((thread, site)),
            _ => None,
        };
        let (thread, site) = (0..self.threads.len()).find_map(waits)?;
        let reason = "it waits for a thread that has not arrived at the barrier of the cluster";
        let divergence = self.divergence(thread, site, reason.into(), None);
        Some(Fault::Deadlock(divergence))
    }
}
