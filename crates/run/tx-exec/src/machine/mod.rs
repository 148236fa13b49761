//! State of a launch: the threads of the running cluster, the shared memory of all blocks in the
//! cluster, and the checks of every access. Each submodule implements one kind of operation that
//! threads execute.
//!
//! A block without a cluster is treated as a cluster of one block. Thread indices are unique in the
//! cluster and increase with the rank of the block. In a cluster of several blocks, the index of
//! the first thread of each block is a multiple of the warp size. Thread indices between the last
//! thread of a block and the first thread of the next block are unused.

mod access;
mod barrier;
mod cluster;
mod exit;
mod mbarrier;
mod thread;
mod warp;

pub(crate) use thread::{Outcome, ThreadState};

use crate::{
    barrier::Barrier,
    cluster_barrier::ClusterBarrier,
    fault::{Coordinates, Divergence, Fault, Lifetime, OtherBlock, Site},
    happens_before::{Clocks, Fence},
    launch::{Checks, Launch},
    location::{Location, SiteInfo},
    mbarrier::MBarrier,
    memory::Memory,
    order::{Blocks, Preemption, Readiness},
    report::Report,
    shared::SharedMemory,
    warp::{WARP, WarpArrivals},
};
use std::collections::BTreeMap;
use std::sync::Arc;
use thread::{ClusterMember, RemoteAccess, Thread};

#[derive(Debug)]
pub(crate) struct Cta<'m> {
    pub(crate) shared: SharedMemory<'m>,
    pub(crate) barriers: [Barrier; 16],
    /// One thread that waits at a barrier of the whole block, and the index of its barrier
    /// operation; `None` if no thread waits at a barrier of the whole block. All threads that wait
    /// at a barrier of the whole block wait in the same barrier operation.
    pub(crate) whole_block_wait: Option<(usize, u32)>,
    /// Thread that exited first among the threads of the block; `None` if all threads of the block
    /// still run.
    pub(crate) exited: Option<usize>,
    pub(crate) running: usize,
    pub(crate) block: [u32; 3],
}

pub(crate) struct Machine<'m> {
    sites: &'m [SiteInfo],
    memory: &'m mut Memory,
    pub(crate) ctas: Vec<Cta<'m>>,
    pub(crate) cluster_barrier: ClusterBarrier,
    /// Map of the initialized mbarrier objects. The rank of a block, and an offset in the shared
    /// memory of the block, identify an mbarrier object. For each mbarrier object, the map also
    /// lists the threads that wait at the object.
    pub(crate) mbarriers: BTreeMap<(usize, u64), (MBarrier, Vec<usize>)>,
    /// Vector clocks; `None` if races and uninitialised reads are not checked.
    pub(crate) clocks: Option<Clocks>,
    pub(crate) preemption: Preemption,
    pub(crate) threads: Vec<Thread>,
    pub(crate) members: Vec<ClusterMember>,
    /// For each warp, a cache of the lanes that have arrived at the most recently reached warp
    /// operation.
    pub(crate) warp_arrivals: Vec<WarpArrivals>,
    pub(crate) block_threads: usize,
    /// Difference between the thread indices of the first threads of consecutive blocks.
    stride: usize,
    /// Index of the current thread, and rank of the block that contains the thread. Set by
    /// [`Machine::select`].
    pub(crate) current: usize,
    pub(crate) current_cta: usize,
    pub(crate) report: Report,
    pub(crate) fault: Option<Fault>,
    pub(crate) block_size: [u32; 3],
    pub(crate) blocks: Blocks,
    /// Dynamic shared memory and total shared memory per block, in bytes.
    pub(crate) dynamic_shared: u32,
    pub(crate) all_shared: u32,
    idle_atomics: u64,
    /// Number of steps after which the launch is reported as an endless loop.
    pub(crate) most_steps: u64,
}

impl<'m> Machine<'m> {
    pub(crate) fn new(
        sites: &'m [SiteInfo],
        memory: &'m mut Memory,
        launch: &Launch,
        shared: Vec<SharedMemory<'m>>,
        all_shared: u32,
    ) -> Self {
        let block_threads = launch.block.iter().product::<u32>() as usize;
        // The vector clocks derive the warp from the thread index, so two blocks must not share a
        // warp.
        let stride = match shared.len() {
            1 => block_threads,
            _ => block_threads.next_multiple_of(WARP),
        };
        let threads: Vec<_> = (0..shared.len() * stride)
            .map(|index| Thread::new(index / stride, index % stride))
            .collect();
        Self {
            sites,
            memory,
            ctas: shared.into_iter().map(Cta::new).collect(),
            cluster_barrier: ClusterBarrier::default(),
            mbarriers: BTreeMap::new(),
            clocks: match launch.checks {
                Checks::All => Some(Clocks::default()),
                Checks::Off => None,
            },
            preemption: Preemption::new(launch.order),
            members: threads.iter().map(|_| ClusterMember::default()).collect(),
            warp_arrivals: vec![WarpArrivals::default(); threads.len().div_ceil(WARP)],
            threads,
            block_threads,
            stride,
            current: 0,
            current_cta: 0,
            report: Report::default(),
            fault: None,
            block_size: launch.block,
            blocks: Blocks::new(launch.grid, launch.cluster, launch.order),
            dynamic_shared: launch.dynamic_shared_bytes,
            all_shared,
            idle_atomics: 0,
            most_steps: launch.steps.map_or(u64::MAX, |limit| {
                let of_launch = limit.of_launch(launch.grid, launch.block);
                limit.base.saturating_add(of_launch)
            }),
        }
    }

    /// Resets the state before the start of the cluster at position `number` of the execution
    /// order.
    pub(crate) fn start_cluster(&mut self, number: u32) {
        if let Some(clocks) = &mut self.clocks {
            clocks.start_block(number, self.threads.len());
            if self.ctas.len() > 1 {
                clocks.mark_beginnings();
            }
        }
        for (rank, cta) in (0..).zip(&mut self.ctas) {
            cta.shared.reset();
            cta.barriers = Default::default();
            cta.whole_block_wait = None;
            cta.exited = None;
            cta.running = self.block_threads;
            cta.block = self.blocks.coordinates(number, rank);
        }
        self.cluster_barrier = ClusterBarrier::default();
        self.mbarriers.clear();
        for thread in &mut self.threads {
            thread.state = match (thread.local as usize) < self.block_threads {
                true => ThreadState::Runnable,
                false => ThreadState::Exited,
            };
            thread.private.clear();
        }
        self.warp_arrivals.fill(WarpArrivals::default());
        for member in &mut self.members {
            member.arrivals = 0;
            member.arrival = None;
            member.remote.clear();
        }
        self.report.clusters += 1;
        self.report.blocks += self.ctas.len() as u64;
        self.report.threads += self.live_threads() as u64;
        self.idle_atomics = 0;
    }

    /// Checks that every access of a thread to the shared memory of another block happens before
    /// the exit of at least one thread of that block. The shared memory of a block remains valid
    /// until all threads of the block have exited. All threads of the cluster must have exited
    /// before the call.
    pub(crate) fn end_cluster(&self) -> Result<(), Fault> {
        let Some(clocks) = &self.clocks else {
            return Ok(());
        };
        for (index, member) in self.members.iter().enumerate() {
            for &remote in &member.remote {
                let segment = clocks.get(remote.segment);
                let mut owners = self.threads_of(remote.owner);
                if !owners.any(|owner| clocks.is_before(owner, segment)) {
                    return Err(self.other_block(index, remote, Lifetime::Ended));
                }
            }
        }
        Ok(())
    }

    fn other_block(&self, thread: usize, remote: RemoteAccess, lifetime: Lifetime) -> Fault {
        Fault::OtherBlock(Box::new(OtherBlock {
            site: self.site(thread, remote.site),
            kind: remote.kind,
            owner: self.ctas[remote.owner].block,
            lifetime,
        }))
    }

    pub(crate) fn select(&mut self, thread: usize) {
        self.current = thread;
        self.current_cta = self.threads[thread].cta as usize;
    }

    pub(crate) fn readiness(&self, thread: usize) -> Readiness {
        match self.threads[thread] {
            Thread {
                state: ThreadState::Runnable,
                spins,
                ..
            } => match spins {
                true => Readiness::Spins,
                false => Readiness::Ready,
            },
            _ => Readiness::Blocked,
        }
    }

    pub(crate) fn live_threads(&self) -> usize {
        self.ctas.len() * self.block_threads
    }

    /// Returns the rank of a thread's block, and the linear index of the thread in that block.
    pub(crate) fn place_of(&self, thread: usize) -> (usize, usize) {
        let Thread { cta, local, .. } = self.threads[thread];
        (cta as usize, local as usize)
    }

    pub(crate) fn cta(&self, thread: usize) -> &Cta<'m> {
        &self.ctas[self.threads[thread].cta as usize]
    }

    pub(crate) fn cta_mut(&mut self, thread: usize) -> &mut Cta<'m> {
        &mut self.ctas[self.threads[thread].cta as usize]
    }

    pub(crate) fn threads_of(&self, rank: usize) -> std::ops::Range<usize> {
        rank * self.stride..rank * self.stride + self.block_threads
    }

    pub(crate) fn block_of(&self, thread: usize) -> std::ops::Range<usize> {
        self.threads_of(self.threads[thread].cta as usize)
    }

    /// Returns the number of threads of the cluster whose indices are smaller than `thread`; unused
    /// thread indices are not counted.
    pub(crate) fn number_of(&self, thread: usize) -> usize {
        let (rank, local) = self.place_of(thread);
        rank * self.block_threads + local
    }

    pub(crate) fn coordinates(&self, thread: usize) -> [u32; 3] {
        let [x, y, _] = self.block_size;
        let thread = self.threads[thread].local;
        [thread % x, thread / x % y, thread / (x * y)]
    }

    pub(crate) fn thread(&self, thread: usize) -> String {
        format!("thread {}", Coordinates(self.coordinates(thread)))
    }

    fn site_of_block(&self, thread: usize, site: u32, block: [u32; 3]) -> Site {
        let info = self.sites.get(site as usize);
        Site {
            location: info.map_or_else(Location::unknown, |info| info.location.clone()),
            operation: info.map_or_else(|| Arc::from("?"), |info| info.operation.clone()),
            thread: self.coordinates(thread),
            block,
        }
    }

    pub(crate) fn site(&self, thread: usize, site: u32) -> Site {
        self.site_of_block(thread, site, self.cta(thread).block)
    }

    pub(crate) fn divergence(
        &self,
        thread: usize,
        site: u32,
        reason: String,
        other: Option<(usize, u32)>,
    ) -> Box<Divergence> {
        Box::new(Divergence {
            site: self.site(thread, site),
            reason,
            other: other.map(|(thread, site)| self.site(thread, site)),
        })
    }

    pub(crate) fn warp_of(&self, thread: usize) -> std::ops::Range<usize> {
        let first = thread / WARP * WARP;
        first..(first + WARP).min(self.block_of(thread).end)
    }

    /// Records that the current thread made progress. Atomic accesses and loop iterations are not
    /// progress.
    pub(crate) fn progress(&mut self) {
        self.idle_atomics = 0;
    }

    pub(crate) fn print(&mut self, text: &[u8]) {
        self.memory.print(text);
        self.progress();
    }

    pub(crate) fn fence(&mut self, fence: Fence) {
        if let Some(clocks) = &mut self.clocks {
            clocks.fence(self.current, fence);
        }
    }
}

impl<'m> Cta<'m> {
    fn new(shared: SharedMemory<'m>) -> Self {
        Self {
            shared,
            barriers: Default::default(),
            whole_block_wait: None,
            exited: None,
            running: 0,
            block: [0; 3],
        }
    }
}
