//! Operations of threads on the cluster barrier.

use super::{
    Machine,
    thread::{Outcome, ThreadState, WaitReason},
};
use crate::fault::{Coordinates, Fault};

impl Machine<'_> {
    /// Executes an arrival of the current thread at the cluster barrier.
    pub(crate) fn cluster_arrive(&mut self, site: u32, relaxed: bool) -> Result<(), Fault> {
        let thread = self.current;
        if let Some(before) = self.members[thread].arrival {
            let reason = "the thread arrives again at the cluster barrier without a wait in \
                          between";
            let other = Some((thread, before.site));
            return Err(Fault::InvalidBarrier(self.divergence(
                thread,
                site,
                reason.into(),
                other,
            )));
        }
        let has_other_blocks = self.ctas.len() > 1;
        let clocks = self.clocks.as_mut();
        let arrival = self
            .cluster_barrier
            .arrive(thread, site, relaxed, has_other_blocks, clocks);
        let arrival = arrival.map_err(|exited| self.never_arrives(thread, site, exited))?;
        let member = &mut self.members[thread];
        member.arrivals += 1;
        member.arrival = Some(arrival);
        if self.cluster_barrier.arrived() == self.live_threads() {
            self.progress();
            self.report.cluster_barriers += 1;
            for thread in self.cluster_barrier.complete() {
                self.threads[thread].state = ThreadState::Runnable;
            }
        }
        Ok(())
    }

    /// Waits until all threads of the cluster have arrived at the cluster barrier. When the thread
    /// resumes, the caller must call [`cluster_pass`](Machine::cluster_pass).
    pub(crate) fn cluster_wait(&mut self, site: u32) -> Result<Outcome, Fault> {
        let thread = self.current;
        let Some(arrival) = self.members[thread].arrival else {
            let reason = "the thread waits at the cluster barrier without a preceding arrival";
            return Err(Fault::InvalidBarrier(self.divergence(
                thread,
                site,
                reason.into(),
                None,
            )));
        };
        // The thread suspends even if the round is complete, so that the scheduler chooses the next
        // thread.
        if self.cluster_barrier.wait(thread, arrival) {
            self.threads[thread].state = ThreadState::Waiting(WaitReason::Cluster { site });
        }
        Ok(Outcome::Wait)
    }

    pub(crate) fn cluster_pass(&mut self) {
        let thread = self.current;
        let live = self.live_threads();
        let arrivals = (0..).zip(&self.members);
        let arrivals = arrivals.filter_map(|(index, member)| Some((index, member.arrival?)));
        let clocks = self.clocks.as_mut();
        self.cluster_barrier.pass(thread, live, arrivals, clocks);
        self.members[thread].arrival = None;
    }

    /// Ends the current thread. Reports a fault if another thread has arrived at the cluster
    /// barrier, and the barrier still needs the arrival of the current thread.
    pub(crate) fn exit_cluster(&mut self) -> Result<(), Fault> {
        let thread = self.current;
        let arrivals = self.members[thread].arrivals;
        match self.cluster_barrier.exit(thread, arrivals) {
            Some((other, site)) => Err(self.never_arrives(other, site, thread)),
            None => Ok(()),
        }
    }

    fn never_arrives(&self, thread: usize, site: u32, exited: usize) -> Fault {
        let reason = format!(
            "the thread waits for {} of block {}, which has exited",
            self.thread(exited),
            Coordinates(self.cta(exited).block)
        );
        Fault::DivergentBarrier(self.divergence(thread, site, reason, None))
    }

    /// Returns a deadlock fault if a blocked thread waits at the cluster barrier.
    pub(crate) fn diagnose_cluster(&self) -> Option<Fault> {
        let waits = |thread: usize| match self.threads[thread].state {
            ThreadState::Waiting(WaitReason::Cluster { site }) => Some((thread, site)),
            _ => None,
        };
        let (thread, site) = (0..self.threads.len()).find_map(waits)?;
        let reason = "the thread waits for a thread that has not arrived at the cluster barrier";
        let divergence = self.divergence(thread, site, reason.into(), None);
        Some(Fault::Deadlock(divergence))
    }
}
