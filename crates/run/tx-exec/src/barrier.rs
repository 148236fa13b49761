//! State of the named barriers of a block. Module `cluster_barrier` contains the cluster barrier.

use crate::{
    happens_before::{Clocks, ReleasedClocks},
    warp::WARP,
};
use std::ops::Range;

/// One of the sixteen named barriers of a block.
#[derive(Debug, Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived since the barrier last completed: the index of each arrived
    /// thread, and the index of the barrier operation that the thread executed.
    arrived: Vec<(usize, u32)>,
    /// Threads in `arrived` that wait until the barrier completes. A thread that executed
    /// `bar.arrive` does not wait.
    waiting: Vec<usize>,
    /// Number of participating threads; `None` if all threads of the block participate.
    count: Option<u32>,
    /// Vector clocks that threads released when they arrived at the barrier without waiting
    /// (`bar.arrive`).
    released: ReleasedClocks,
    /// Number of threads that arrived with a true predicate operand.
    true_predicates: u32,
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

/// Error of a named barrier: more warps arrived than the barrier expects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExcessWarps {
    /// Number of warps with at least one thread that has arrived at the barrier.
    pub(crate) present: usize,
    /// Number of threads that the barrier expects.
    pub(crate) count: u32,
}

impl Barrier {
    /// Returns the threads that have arrived since the barrier last completed: the index of each
    /// arrived thread, and the index of the barrier operation that the thread executed.
    pub(crate) fn arrived(&self) -> &[(usize, u32)] {
        &self.arrived
    }

    /// Returns the number of participating threads; `None` if all threads of the block participate.
    pub(crate) fn count(&self) -> Option<u32> {
        self.count
    }

    pub(crate) fn arrive(&mut self, thread: usize, arrival: Arrival, clocks: Option<&mut Clocks>) {
        self.count = arrival.count;
        self.arrived.push((thread, arrival.site));
        self.true_predicates += u32::from(arrival.predicate);
        if arrival.waits {
            self.waiting.push(thread);
        } else if let Some(clocks) = clocks {
            clocks.release(thread, &mut self.released);
        }
    }

    /// Returns whether all participating threads have arrived at the barrier. `threads` contains
    /// the indices of the threads of the block.
    pub(crate) fn is_complete(&self, threads: Range<usize>) -> Result<bool, ExcessWarps> {
        let Some(count) = self.count else {
            return Ok(self.arrived.len() == threads.len());
        };
        let mut arrived = vec![0; threads.len().div_ceil(WARP)];
        for &(thread, _) in &self.arrived {
            arrived[(thread - threads.start) / WARP] += 1;
        }
        let needed = (count as usize).div_ceil(WARP);
        let present = arrived.iter().filter(|&&threads| threads != 0).count();
        let full = (0..arrived.len())
            .filter(|&warp| arrived[warp] >= WARP.min(threads.len() - warp * WARP))
            .count();
        match present > needed {
            true => Err(ExcessWarps { present, count }),
            false => Ok(full == needed),
        }
    }

    /// Resets a completed barrier. Records in `clocks` that all arrivals at the completed barrier
    /// happen before the next event of each thread that waited at the barrier. Returns the threads
    /// that waited at the barrier, and the result of the barrier operation for these threads.
    /// `cluster_threads` is the number of threads of the cluster.
    pub(crate) fn complete(
        &mut self,
        reduction: Reduction,
        cluster_threads: usize,
        clocks: Option<&mut Clocks>,
    ) -> (Vec<usize>, u64) {
        let mut barrier = std::mem::take(self);
        if let Some(clocks) = clocks {
            if barrier.waiting.len() == cluster_threads {
                clocks.join_all();
            } else {
                clocks.synchronize(&barrier.waiting, &mut barrier.released);
            }
        }
        let result = match reduction {
            Reduction::None => 0,
            Reduction::Popc => u64::from(barrier.true_predicates),
            Reduction::And => u64::from(barrier.true_predicates as usize == barrier.arrived.len()),
            Reduction::Or => u64::from(barrier.true_predicates != 0),
        };
        (barrier.waiting, result)
    }
}
