//! Exit of threads, and diagnosis of deadlocks.

use super::{
    Machine,
    thread::{ThreadState, WaitReason},
};
use crate::{
    fault::Fault,
    warp::{WARP, lanes},
};

impl Machine<'_> {
    /// Ends the current thread. Reports a fault if another thread waits for the current thread at a
    /// barrier of the whole block, at the cluster barrier, or in a warp operation.
    pub(crate) fn exit(&mut self) -> Result<(), Fault> {
        let thread = self.current;
        self.threads[thread].state = ThreadState::Exited;
        self.progress();
        let cta = self.cta_mut(thread);
        cta.running -= 1;
        cta.exited.get_or_insert(thread);
        if let Some((other, site)) = cta.whole_block_wait {
            let reason = format!("it waits for {}, which has exited", self.thread(thread));
            let divergence = self.divergence(other, site, reason, None);
            return Err(Fault::DivergentBarrier(divergence));
        }
        self.exit_cluster()?;
        let lane = thread % WARP;
        for other in self.warp_of(thread) {
            if let ThreadState::Waiting(WaitReason::Warp { site, mask, .. }) =
                self.threads[other].state
                && mask >> lane & 1 != 0
            {
                let reason = format!("mask {mask:#010x} names lane {lane}, which has exited");
                return Err(Fault::WarpMask(self.divergence(other, site, reason, None)));
            }
        }
        Ok(())
    }

    /// Returns the fault for a deadlock: some threads have not exited, but no thread can run.
    pub(crate) fn diagnose(&self) -> Fault {
        let waiting = |thread: usize| match self.threads[thread].state {
            ThreadState::Waiting(wait) => Some(wait),
            _ => None,
        };
        for thread in 0..self.threads.len() {
            let Some(WaitReason::Warp { site, mask, .. }) = waiting(thread) else {
                continue;
            };
            let first = thread / WARP * WARP;
            let absent = lanes(mask).find_map(|lane| match waiting(first + lane)? {
                WaitReason::Warp {
                    site: other,
                    mask: other_mask,
                    ..
                } if (other, other_mask) == (site, mask) => None,
                wait => Some((lane, wait.site())),
            });
            if let Some((lane, other)) = absent {
                let reason = format!("it waits for lane {lane}");
                return Fault::DivergentWarp(self.divergence(
                    thread,
                    site,
                    reason,
                    Some((first + lane, other)),
                ));
            }
        }
        for thread in 0..self.threads.len() {
            let Some(WaitReason::Barrier {
                site,
                id,
                whole_block,
            }) = waiting(thread)
            else {
                continue;
            };
            let barrier = &self.cta(thread).barriers[id as usize];
            let elsewhere = self.block_of(thread).find_map(|other| {
                let wait = waiting(other)?;
                (wait.site() != site).then(|| (other, wait.site()))
            });
            let reason = match barrier.count() {
                _ if whole_block => "the thread waits for a thread that waits at another op".into(),
                Some(count) => format!(
                    "barrier {id} needs {count} threads, but only {} arrive",
                    barrier.arrived().len()
                ),
                None => format!(
                    "only {} threads arrive at barrier {id}",
                    barrier.arrived().len()
                ),
            };
            let divergence = self.divergence(thread, site, reason, elsewhere);
            return match whole_block {
                true => Fault::DivergentBarrier(divergence),
                false => Fault::Deadlock(divergence),
            };
        }
        self.diagnose_cluster()
            .or_else(|| self.diagnose_mbarrier())
            .unwrap_or_else(|| Fault::Internal("no thread can run, and none waits".into()))
    }
}
