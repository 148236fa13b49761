//! Block barriers, and warp operations such as shuffles and votes. Module `cluster` implements the
//! cluster barrier.

use crate::{
    WARP,
    fault::Fault,
    happens_before::Knowledge,
    machine::{Machine, Outcome, State, Wait},
    warp::{Input, WarpOp, evaluate, lanes},
};

/// One of the sixteen named barriers of a block.
#[derive(Debug, Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived since the barrier last completed. Each thread is stored with the
    /// index of its barrier operation.
    arrived: Vec<(usize, u32)>,
    /// Threads in `arrived` that wait until the barrier completes. The remaining threads of
    /// `arrived` do not wait.
    waiting: Vec<usize>,
    /// Number of participating threads; `None` if all threads of the block participate.
    count: Option<u32>,
    /// Vector clocks released by threads that arrived at the barrier without waiting
    /// (`bar.arrive`).
    given: Knowledge,
    /// Number of threads that arrived with a true predicate operand.
    holds: u32,
}

/// Cached mask of the lanes of a warp that have arrived at a warp operation.
///
/// The mask belongs to the most recently started warp operation. The mask is valid while no lane in
/// the mask waits in another operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gathering {
    site: u32,
    mask: u32,
    /// Mask of the lanes that have arrived at the warp operation; 0 if the mask must be recomputed.
    arrived: u32,
}

/// Reduction of the predicates of the threads at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    None,
    Popc,
    And,
    Or,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) site: u32,
    pub(crate) id: u32,
    pub(crate) count: Option<u32>,
    pub(crate) reduction: Reduction,
    pub(crate) predicate: bool,
    pub(crate) waits: bool,
}

impl Machine<'_> {
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
        barrier.count = count;
        barrier.arrived.push((thread, site));
        barrier.holds += u32::from(arrival.predicate);
        if arrival.waits {
            barrier.waiting.push(thread);
            if whole_block {
                cta.whole_block_wait = Some((thread, site));
            }
            self.threads[thread].state = State::Waiting(Wait::Barrier {
                site,
                id,
                whole_block,
            });
        } else if let Some(clocks) = &mut self.clocks {
            clocks.give(thread, &mut barrier.given);
        }
        // The last thread to arrive waits too, so that the scheduler chooses the next thread.
        let outcome = match arrival.waits {
            true => Outcome::Wait,
            false => Outcome::Ready(0),
        };
        if !self.is_complete(id)? {
            return Ok(outcome);
        }
        let mut barrier = std::mem::take(&mut self.ctas[rank].barriers[id as usize]);
        self.progress();
        if let Some(clocks) = &mut self.clocks {
            if barrier.waiting.len() == self.threads.len() {
                clocks.join_all();
            } else {
                clocks.meet(&barrier.waiting, &mut barrier.given);
            }
        }
        if whole_block {
            self.report.barriers += 1;
            self.ctas[rank].whole_block_wait = None;
        } else {
            self.report.named_barriers += 1;
        }
        let result = match arrival.reduction {
            Reduction::None => 0,
            Reduction::Popc => u64::from(barrier.holds),
            Reduction::And => u64::from(barrier.holds as usize == barrier.arrived.len()),
            Reduction::Or => u64::from(barrier.holds != 0),
        };
        for &member in &barrier.waiting {
            self.threads[member].state = State::Runnable;
            self.threads[member].result = result;
        }
        Ok(outcome)
    }

    /// Checks that an arrival at a barrier is valid, and that it agrees with the earlier arrivals
    /// at this barrier.
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
            return invalid(format!("a block has barriers 0 to 15, not {id}"), None);
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
                    "{count} threads are not some whole warps of a block of {threads} threads"
                );
                return invalid(reason, None);
            }
        } else {
            self.check_whole_block(thread, arrival)?;
        }
        if let Some(&other) = barrier.arrived.first()
            && barrier.count != count
        {
            let say = |count: Option<u32>| count.map_or("all".into(), |count| format!("{count}"));
            let reason = format!(
                "barrier {id} is given {} threads here, but {} by another thread",
                say(count),
                say(barrier.count)
            );
            return invalid(reason, Some(other));
        }
        // The instruction is `.aligned`: all threads of a warp execute it together.
        if let Some(&other) = barrier
            .arrived
            .iter()
            .find(|&&(other, other_site)| other / WARP == thread / WARP && other_site != site)
        {
            let reason = format!(
                "{} of the same warp is at another one",
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

    /// Checks that no thread of the block has exited, and that all waiting threads wait in the same
    /// barrier operation.
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

    /// Returns whether all participating threads have arrived at barrier `id` of the current block.
    fn is_complete(&self, id: u32) -> Result<bool, Fault> {
        let threads = self.block_of(self.current);
        let barrier = &self.cta(self.current).barriers[id as usize];
        let Some(count) = barrier.count else {
            return Ok(barrier.arrived.len() == threads.len());
        };
        let mut arrived = vec![0; threads.len().div_ceil(WARP)];
        for &(thread, _) in &barrier.arrived {
            arrived[(thread - threads.start) / WARP] += 1;
        }
        let needed = (count as usize).div_ceil(WARP);
        let present = arrived.iter().filter(|&&threads| threads != 0).count();
        let full = (0..arrived.len())
            .filter(|&warp| arrived[warp] >= self.warp_of(threads.start + warp * WARP).len())
            .count();
        if present > needed
            && let Some(&(thread, site)) = barrier.arrived.last()
        {
            let reason =
                format!("threads of {present} warps arrive at barrier {id} of {count} threads");
            let other = barrier.arrived.first().copied();
            return Err(Fault::InvalidBarrier(
                self.divergence(thread, site, reason, other),
            ));
        }
        Ok(full == needed)
    }

    pub(crate) fn warp_op(
        &mut self,
        op: WarpOp,
        mask: u32,
        input: Input,
        site: u32,
    ) -> Result<Outcome, Fault> {
        let thread = self.current;
        let warp = self.warp_of(thread);
        let mine = thread % WARP;
        let wrong = |reason| Err(Fault::WarpMask(self.divergence(thread, site, reason, None)));
        if mask >> mine & 1 == 0 {
            return wrong(format!(
                "mask {mask:#010x} does not include the thread's own lane {mine}"
            ));
        }
        // The cached lanes still wait. An exit of a lane of the mask, or its wait in another
        // operation, would have been reported as a fault.
        let known = self.gatherings[thread / WARP];
        let is_known = (known.site, known.mask) == (site, mask) && known.arrived != 0;
        let mut arrived = 1 << mine | if is_known { known.arrived } else { 0 };
        let mut is_alone = true;
        for lane in lanes(if is_known { 0 } else { mask }) {
            let other = warp.start + lane;
            if other >= warp.end {
                return wrong(format!(
                    "mask {mask:#010x} names lane {lane}, but the warp has {} threads",
                    warp.len()
                ));
            }
            match self.threads[other].state {
                _ if other == thread => {}
                State::Exited => {
                    return wrong(format!(
                        "mask {mask:#010x} names lane {lane}, which has exited"
                    ));
                }
                State::Waiting(Wait::Warp {
                    site: other_site,
                    mask: other_mask,
                    ..
                }) if (other_site, other_mask) == (site, mask) => arrived |= 1 << lane,
                State::Waiting(Wait::Warp {
                    site: other_site,
                    mask: other_mask,
                    ..
                }) if other_mask >> mine & 1 != 0 => {
                    let reason = if other_site == site {
                        format!(
                            "mask {mask:#010x} is not the mask {other_mask:#010x} of lane {lane}"
                        )
                    } else {
                        format!("it waits for lane {lane}, and lane {lane} for it")
                    };
                    return Err(Fault::DivergentWarp(self.divergence(
                        thread,
                        site,
                        reason,
                        Some((other, other_site)),
                    )));
                }
                State::Waiting(Wait::Warp { .. }) => is_alone = false,
                _ => {}
            }
        }
        self.threads[thread].state = State::Waiting(Wait::Warp { site, mask, input });
        self.gatherings[thread / WARP] = Gathering {
            site,
            mask,
            arrived: if is_alone { arrived } else { 0 },
        };
        if arrived == mask {
            self.complete_warp_op(op, mask, warp.start, site)?;
        }
        Ok(Outcome::Wait)
    }

    fn complete_warp_op(
        &mut self,
        op: WarpOp,
        mask: u32,
        first: usize,
        site: u32,
    ) -> Result<(), Fault> {
        let mut inputs = [Input::default(); WARP];
        for lane in lanes(mask) {
            if let State::Waiting(Wait::Warp { input, .. }) = self.threads[first + lane].state {
                inputs[lane] = input;
            }
        }
        let results = evaluate(op, mask, &inputs).map_err(|inactive| {
            let reason = format!(
                "lane {} reads lane {}, which mask {mask:#010x} does not include",
                inactive.lane, inactive.source
            );
            Fault::InactiveLane(self.divergence(first + inactive.lane, site, reason, None))
        })?;
        for lane in lanes(mask) {
            self.threads[first + lane].result = results[lane];
            self.threads[first + lane].state = State::Runnable;
        }
        self.gatherings[first / WARP].arrived = 0;
        self.progress();
        match op {
            WarpOp::Sync => {
                self.report.warp_syncs += 1;
                if let Some(clocks) = &mut self.clocks {
                    if mask.count_ones() as usize == self.threads.len() {
                        clocks.join_all();
                    } else {
                        let members: Vec<_> = lanes(mask).map(|lane| first + lane).collect();
                        clocks.join_lanes(&members);
                    }
                }
            }
            WarpOp::Shuffle(_) => self.report.shuffles += 1,
            WarpOp::Redux(_) => self.report.reductions += 1,
            _ => self.report.votes += 1,
        }
        Ok(())
    }

    /// Ends the current thread. Reports a fault if another thread waits for the current thread.
    pub(crate) fn exit(&mut self) -> Result<(), Fault> {
        let thread = self.current;
        self.threads[thread].state = State::Exited;
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
            if let State::Waiting(Wait::Warp { site, mask, .. }) = self.threads[other].state
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
            State::Waiting(wait) => Some(wait),
            _ => None,
        };
        for thread in 0..self.threads.len() {
            let Some(Wait::Warp { site, mask, .. }) = waiting(thread) else {
                continue;
            };
            let first = thread / WARP * WARP;
            let absent = lanes(mask).find_map(|lane| match waiting(first + lane)? {
                Wait::Warp {
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
            let Some(Wait::Barrier {
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
            let reason = match barrier.count {
                _ if whole_block => "it waits for a thread that waits elsewhere".into(),
                Some(count) => format!(
                    "barrier {id} needs {count} threads, but only {} arrive",
                    barrier.arrived.len()
                ),
                None => format!(
                    "only {} threads arrive at barrier {id}",
                    barrier.arrived.len()
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
