//! The barrier of a cluster: every thread of its blocks arrives, and waits later.

use crate::{
    fault::{At, Fault},
    happens_before::Knowledge,
    machine::{Machine, Outcome, State, Wait},
};

/// The barrier of the cluster that runs. A thread arrives again only after it has waited, so at
/// most two rounds are under way: one in which threads arrive, and the one before it, for which
/// others are still to wait.
#[derive(Debug, Default)]
pub(crate) struct ClusterBarrier {
    /// How often it has completed.
    completed: u32,
    /// Threads that have arrived since, and the first of them with its site.
    arrived: usize,
    first: Option<(usize, u32)>,
    /// What they give to those that wait.
    given: Given,
    /// What those gave that arrived before it completed last.
    taken: Given,
    /// Threads that wait for it to complete.
    waiting: Vec<usize>,
    /// Since it completed last, threads that have come to wait, and those of them that have gone on.
    came: usize,
    passed: usize,
    /// Whether all threads have learned what was given when it completed last.
    joined: bool,
    /// Of the threads that have exited, one that arrived least often, and how often it did.
    exited: Option<(usize, u32)>,
}

/// What arrivals give.
#[derive(Debug, Default)]
struct Given {
    knowledge: Knowledge,
    /// Whether one of them was relaxed: it gives nothing.
    relaxed: bool,
}

/// An arrival that its thread has not waited for yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    site: u32,
    /// How often the barrier had completed before.
    round: u32,
    /// What [`Clocks::untouched`](crate::happens_before::Clocks) said after it.
    after: Option<(u32, u32)>,
}

impl Machine<'_> {
    /// The thread that runs arrives at the barrier of the cluster.
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

    /// Everybody has arrived.
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

    /// The thread that runs waits until everybody has arrived. When it goes on it must
    /// [pass](Machine::cluster_pass).
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
            // It waits for its turn: which thread goes on first is for the order to say.
            barrier.came += 1;
        }
        Ok(Outcome::Wait)
    }

    /// The thread that runs goes on behind the barrier of the cluster.
    pub(crate) fn cluster_pass(&mut self) {
        let thread = self.current;
        let live = self.live_threads();
        let barrier = &mut self.cluster_barrier;
        if let Some(clocks) = &mut self.clocks {
            // Only now is it known whether all have done nothing but wait since they arrived. Then
            // all of them meet.
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

    /// The thread that runs has come to its end. Nobody may wait for its arrival any more.
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

    /// Why no thread can run, if that is for the barrier of the cluster alone.
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
