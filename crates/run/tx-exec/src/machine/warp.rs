//! Warp operations: shuffles, votes, reductions and warp barriers.

use super::{
    Machine,
    thread::{Outcome, ThreadState, WaitReason},
};
use crate::{
    fault::Fault,
    warp::{LaneInput, WARP, WarpArrivals, WarpOp, evaluate, lanes},
};

impl Machine<'_> {
    /// Executes a warp operation of the current thread. The operation completes when all lanes of
    /// `mask` have arrived.
    pub(crate) fn warp_op(
        &mut self,
        op: WarpOp,
        mask: u32,
        input: LaneInput,
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
        let known = self.warp_arrivals[thread / WARP].at(site, mask);
        let mut arrived = 1 << mine | known.unwrap_or(0);
        let mut is_alone = true;
        for lane in lanes(if known.is_some() { 0 } else { mask }) {
            let other = warp.start + lane;
            if other >= warp.end {
                return wrong(format!(
                    "mask {mask:#010x} names lane {lane}, but the warp has {} threads",
                    warp.len()
                ));
            }
            match self.threads[other].state {
                _ if other == thread => {}
                ThreadState::Exited => {
                    return wrong(format!(
                        "mask {mask:#010x} names lane {lane}, which has exited"
                    ));
                }
                ThreadState::Waiting(WaitReason::Warp {
                    site: other_site,
                    mask: other_mask,
                    ..
                }) if (other_site, other_mask) == (site, mask) => arrived |= 1 << lane,
                ThreadState::Waiting(WaitReason::Warp {
                    site: other_site,
                    mask: other_mask,
                    ..
                }) if other_mask >> mine & 1 != 0 => {
                    let reason = if other_site == site {
                        format!(
                            "mask {mask:#010x} is not the mask {other_mask:#010x} of lane {lane}"
                        )
                    } else {
                        format!(
                            "the thread waits for lane {lane}, and lane {lane} waits for the thread"
                        )
                    };
                    return Err(Fault::DivergentWarp(self.divergence(
                        thread,
                        site,
                        reason,
                        Some((other, other_site)),
                    )));
                }
                ThreadState::Waiting(WaitReason::Warp { .. }) => is_alone = false,
                _ => {}
            }
        }
        self.threads[thread].state = ThreadState::Waiting(WaitReason::Warp { site, mask, input });
        self.warp_arrivals[thread / WARP] = match is_alone {
            true => WarpArrivals::new(site, mask, arrived),
            false => WarpArrivals::default(),
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
        let mut inputs = [LaneInput::default(); WARP];
        for lane in lanes(mask) {
            if let ThreadState::Waiting(WaitReason::Warp { input, .. }) =
                self.threads[first + lane].state
            {
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
            self.threads[first + lane].state = ThreadState::Runnable;
        }
        self.warp_arrivals[first / WARP] = WarpArrivals::default();
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
}
