//! Operations of threads on the named barriers of their block.

use super::{
    Machine,
    thread::{Outcome, ThreadState, WaitReason},
};
use crate::{
    barrier::{Arrival, ExcessWarps},
    fault::Fault,
    warp::WARP,
};

impl Machine<'_> {
    /// Executes an arrival of the current thread at a barrier of its block.
    pub(crate) fn arrive(&mut self, arrival: Arrival) -> Result<Outcome, Fault> {
        let thread = self.current;
        let Arrival {
            site, id, count, ..
        } = arrival;
        self.check_barrier(arrival)?;
        let whole_block = count.is_none();
        let (rank, _) = self.place_of(thread);
        let cta = &mut self.ctas[rank];
        let barrier = &mut cta.barriers[id as usize];
        barrier.arrive(thread, arrival, self.clocks.as_mut());
        if arrival.waits {
            if whole_block {
                cta.whole_block_wait = Some((thread, site));
            }
            self.threads[thread].state = ThreadState::Waiting(WaitReason::Barrier {
                site,
                id,
                whole_block,
            });
        }
        // The last thread to arrive waits too, so that the scheduler chooses the next thread.
        let outcome = match arrival.waits {
            true => Outcome::Wait,
            false => Outcome::Ready(0),
        };
        let threads = self.threads_of(rank);
        let barrier = &mut self.ctas[rank].barriers[id as usize];
        match barrier.is_complete(threads) {
            Ok(true) => {}
            Ok(false) => return Ok(outcome),
            Err(ExcessWarps { present, count }) => {
                let other = barrier.arrived().first().copied();
                let reason = format!(
                    "threads of {present} warps arrive at barrier {id}, which expects {count} \
                     threads"
                );
                return Err(Fault::InvalidBarrier(
                    self.divergence(thread, site, reason, other),
                ));
            }
        }
        let (waiting, result) =
            barrier.complete(arrival.reduction, self.threads.len(), self.clocks.as_mut());
        self.progress();
        if whole_block {
            self.report.barriers += 1;
            self.ctas[rank].whole_block_wait = None;
        } else {
            self.report.named_barriers += 1;
        }
        for member in waiting {
            self.threads[member].state = ThreadState::Runnable;
            self.threads[member].result = result;
        }
        Ok(outcome)
    }

    /// Checks that an arrival at a barrier is valid and consistent with the earlier arrivals at
    /// this barrier.
    fn check_barrier(&self, arrival: Arrival) -> Result<(), Fault> {
        let thread = self.current;
        let Arrival {
            site, id, count, ..
        } = arrival;
        let invalid = |reason, other| {
            Err(Fault::InvalidBarrier(
                self.divergence(thread, site, reason, other),
            ))
        };
        let Some(barrier) = self.cta(thread).barriers.get(id as usize) else {
            return invalid(
                format!("expected a barrier number from 0 to 15, found {id}"),
                None,
            );
        };
        let threads = self.block_threads;
        let warps = threads.div_ceil(WARP);
        if let Some(count) = count {
            // The hardware counts whole warps, so a partial last warp counts as a full warp.
            let whole = count as usize == threads;
            if count == 0
                || !whole
                    && (!(count as usize).is_multiple_of(WARP) || count as usize > warps * WARP)
            {
                let reason = format!(
                    "thread count {count} is not a positive multiple of the warp size within a \
                     block of {threads} threads"
                );
                return invalid(reason, None);
            }
        } else {
            self.check_whole_block(thread, arrival)?;
        }
        if let Some(&other) = barrier.arrived().first()
            && barrier.count() != count
        {
            let say = |count: Option<u32>| count.map_or("all".into(), |count| format!("{count}"));
            let reason = format!(
                "barrier {id} has a thread count of {} here, but of {} in another thread",
                say(count),
                say(barrier.count())
            );
            return invalid(reason, Some(other));
        }
        // The instruction is `.aligned`: all threads of a warp execute it together.
        if let Some(&other) = barrier
            .arrived()
            .iter()
            .find(|&&(other, other_site)| other / WARP == thread / WARP && other_site != site)
        {
            let reason = format!(
                "{} of the same warp is at another barrier op",
                self.thread(other.0)
            );
            return Err(Fault::DivergentBarrier(self.divergence(
                thread,
                site,
                reason,
                Some(other),
            )));
        }
        Ok(())
    }

    /// Checks that no thread of the block has exited, and that all threads that wait at the barrier
    /// execute the same barrier operation.
    fn check_whole_block(&self, thread: usize, arrival: Arrival) -> Result<(), Fault> {
        let site = arrival.site;
        let cta = self.cta(thread);
        let (reason, other) = if let Some((other, other_site)) = cta.whole_block_wait
            && other_site != site
        {
            let reason = format!("it waits for {} at another barrier", self.thread(other));
            (reason, Some((other, other_site)))
        } else if let Some(exited) = cta.exited {
            let reason = format!("it waits for {}, which has exited", self.thread(exited));
            (reason, None)
        } else {
            return Ok(());
        };
        let divergence = self.divergence(thread, site, reason, other);
        Err(Fault::DivergentBarrier(divergence))
    }
}
