//! State of a launch: the threads of the running cluster, the shared memory of its blocks, and the
//! checks of every access.
//!
//! A block without a cluster is treated as a cluster of one block. Thread indices are unique in the
//! cluster and increase with the rank of the block. In a cluster of several blocks, each block
//! starts at a multiple of the warp size. Thread indices between the last thread of a block and the
//! first thread of the next block are unused.

use crate::{
    WARP,
    barrier::{Barrier, Gathering},
    bits::{PagedBits, contains},
    cluster::{self, ClusterBarrier},
    fault::{
        Access, AccessKind, At, BufferOffset, Divergence, Fault, Lifetime, OtherBlock, OutOfRange,
        Race, Site, Space,
    },
    happens_before::{Clocks, Conflict, Fence, Touch},
    launch::{Checks, Launch},
    location::{Location, SiteInfo},
    mbarrier::MBarrier,
    memory::Memory,
    order::{Blocks, Preemption, Readiness},
    report::Report,
    shared::SharedMemory,
    warp::Input,
};
use corosensei::Yielder;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    Warp {
        site: u32,
        mask: u32,
        input: Input,
    },
    Barrier {
        site: u32,
        id: u32,
        whole_block: bool,
    },
    Cluster {
        site: u32,
    },
    MBarrier {
        site: u32,
    },
}

impl Wait {
    pub(crate) fn site(self) -> u32 {
        match self {
            Self::Warp { site, .. }
            | Self::Barrier { site, .. }
            | Self::Cluster { site }
            | Self::MBarrier { site } => site,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    Runnable,
    Waiting(Wait),
    Exited,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The operation has finished with this result value.
    Ready(u64),
    /// The thread must suspend. The result of the operation is available after the thread resumes.
    Wait,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) state: State,
    /// Rank of the thread's block in the cluster.
    cta: u32,
    /// Linear index of the thread in its block.
    local: u32,
    pub(crate) result: u64,
    /// Yielder of the coroutine. The thread sets this pointer when it starts; the pointer is valid
    /// while the coroutine is alive.
    pub(crate) yielder: *const Yielder<(), ()>,
    /// Lowest stack address that the thread may use.
    pub(crate) stack_limit: u64,
    private: Vec<Private>,
    /// Number of atomic accesses since the thread last yielded.
    atomics: u32,
    /// Whether the thread yielded after many atomic accesses, and may therefore be in a spin loop.
    pub(crate) spins: bool,
}

/// State of a thread that describes its relation to other blocks of the cluster. A separate struct
/// keeps [`Thread`] small, because every memory access reads a [`Thread`].
#[derive(Debug, Default)]
pub(crate) struct Member {
    pub(crate) arrivals: u32,
    /// Arrival at the cluster barrier for which the thread has not waited yet.
    pub(crate) arrival: Option<cluster::Arrival>,
    /// Last access of the thread to the shared memory of each other block in the cluster.
    remote: Vec<Remote>,
}

#[derive(Clone, Copy, Debug)]
struct Remote {
    owner: usize,
    segment: u32,
    site: u32,
    kind: AccessKind,
}

#[derive(Debug)]
pub(crate) struct Cta<'m> {
    pub(crate) shared: SharedMemory<'m>,
    pub(crate) barriers: [Barrier; 16],
    /// One thread that waits at a block-wide barrier, with the index of its barrier operation;
    /// `None` if no thread waits there. All threads that wait at a barrier of the whole block wait
    /// in the same operation.
    pub(crate) whole_block_wait: Option<(usize, u32)>,
    /// The first thread of the block that exited; `None` if all threads still run.
    pub(crate) exited: Option<usize>,
    pub(crate) running: usize,
    pub(crate) block: [u32; 3],
}

#[derive(Debug)]
struct Private {
    start: u64,
    length: u64,
    /// Set of the written bytes of the private memory; `None` if uninitialised reads are not
    /// checked.
    written: Option<PagedBits>,
}

/// Number of consecutive atomic accesses after which a thread yields, because it may spin until
/// another thread makes progress.
const ATOMICS_PER_TURN: u32 = 1024;
/// Number of atomic accesses without other progress after which a launch is reported as hanging.
const MAX_IDLE_ATOMICS: u64 = 1 << 24;

/// A memory access that generated code passes to a hook for checking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: AccessKind,
    /// Whether the access reads the memory; false for an atomic write.
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) space: Space,
    pub(crate) alignment: u64,
    pub(crate) site: u32,
}

pub(crate) struct Machine<'m> {
    sites: &'m [SiteInfo],
    memory: &'m mut Memory,
    pub(crate) ctas: Vec<Cta<'m>>,
    pub(crate) cluster_barrier: ClusterBarrier,
    /// Initialized mbarrier objects. The key consists of the rank of a block and the offset in the
    /// shared memory of this block. Each entry also lists the threads that wait at the mbarrier
    /// object.
    pub(crate) mbarriers: BTreeMap<(usize, u64), (MBarrier, Vec<usize>)>,
    /// Vector clocks; `None` if races and uninitialised reads are not checked.
    pub(crate) clocks: Option<Clocks>,
    pub(crate) preemption: Preemption,
    pub(crate) threads: Vec<Thread>,
    pub(crate) members: Vec<Member>,
    /// Pending warp operation of each warp; the index is the warp index.
    pub(crate) gatherings: Vec<Gathering>,
    pub(crate) block_threads: usize,
    /// Distance between the first threads of consecutive blocks.
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
        // The vector clocks derive the warp from the thread index.
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
            members: threads.iter().map(|_| Member::default()).collect(),
            gatherings: vec![Gathering::default(); threads.len().div_ceil(WARP)],
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

    /// Resets the state for cluster number `number` in execution order.
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
                true => State::Runnable,
                false => State::Exited,
            };
            thread.private.clear();
        }
        self.gatherings.fill(Gathering::default());
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

    /// Checks the conditions that can be checked only after all threads of the cluster have exited.
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

    fn other_block(&self, thread: usize, remote: Remote, lifetime: Lifetime) -> Fault {
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
                state: State::Runnable,
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

    /// Returns the number of threads of the cluster with smaller indices; unused thread indices are
    /// not counted.
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
        format!("thread {}", At(self.coordinates(thread)))
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

    /// Records that the current thread made progress, which is any event other than an atomic
    /// access.
    pub(crate) fn progress(&mut self) {
        self.idle_atomics = 0;
    }

    /// Registers private memory of the current thread.
    ///
    /// # Safety
    /// The private memory must be valid, and must not contain a live value.
    pub(crate) unsafe fn add_private(&mut self, address: u64, bytes: u64) -> Result<(), Fault> {
        let length = bytes as usize;
        let written = match self.clocks {
            Some(_) => {
                let bits = PagedBits::new(length);
                Some(bits.ok_or_else(|| {
                    Fault::Internal(format!("no memory to watch {length} bytes of a thread"))
                })?)
            }
            None => {
                // The contents must not depend on earlier launches.
                // SAFETY: guaranteed by the caller.
                unsafe { std::ptr::write_bytes(address as *mut u8, 0xff, length) };
                None
            }
        };
        let private = &mut self.threads[self.current].private;
        // The stack is reused, so a new allocation ends the allocations that it overlaps.
        private.retain(|Private { start, length, .. }| {
            start + length <= address || address.saturating_add(bytes) <= *start
        });
        private.push(Private {
            start: address,
            length: bytes,
            written,
        });
        Ok(())
    }

    /// Maps a shared memory address of the current block to the address with the same offset in the
    /// block with rank `rank`.
    pub(crate) fn map(&self, address: u64, rank: i32, site: u32) -> Result<u64, Fault> {
        let own = &self.ctas[self.current_cta].shared;
        let to = usize::try_from(rank).ok();
        let Some(to) = to.and_then(|rank| self.ctas.get(rank)) else {
            return Err(Fault::OutOfRange(Box::new(OutOfRange {
                site: self.site(self.current, site),
                value: rank,
                lower: 0,
                upper: self.ctas.len() as i32,
            })));
        };
        Ok(to.shared.map(address, own))
    }

    /// Finds the shared memory that contains an address range and is accessible through pointers of
    /// space `space`. Returns the rank of the block that owns the memory, and the offset of the
    /// range.
    #[inline]
    pub(crate) fn find_shared(
        &self,
        space: Space,
        address: u64,
        bytes: u64,
    ) -> Option<(usize, u64)> {
        if matches!(space, Space::Global | Space::Private) {
            return None;
        }
        let own = self.current_cta;
        if let Some(offset) = self.ctas[own].shared.find(address, bytes) {
            return Some((own, offset));
        }
        match space == Space::Shared || self.ctas.len() == 1 {
            true => None,
            false => self.find_in_cluster(address, bytes),
        }
    }

    fn find_in_cluster(&self, address: u64, bytes: u64) -> Option<(usize, u64)> {
        let mut ctas = self.ctas.iter().enumerate();
        ctas.find_map(|(rank, cta)| Some((rank, cta.shared.find(address, bytes)?)))
    }

    /// Checks that the block `remote.owner` has started and still runs. Also records the access for
    /// a second check after the end of the cluster, which tests whether the block may have ended
    /// before the access.
    fn check_other_block(&mut self, remote: Remote) -> Result<(), Fault> {
        let owner = remote.owner;
        let Some(clocks) = &self.clocks else {
            return Ok(());
        };
        if !clocks.knows_beginning(self.current, self.threads_of(owner)) {
            return Err(self.other_block(self.current, remote, Lifetime::NotBegun));
        }
        if self.ctas[owner].running == 0 {
            return Err(self.other_block(self.current, remote, Lifetime::Ended));
        }
        // The last access is sufficient: an event that is ordered after it is also ordered after
        // the earlier accesses.
        let accesses = &mut self.members[self.current].remote;
        match accesses.iter_mut().find(|access| access.owner == owner) {
            Some(access) => *access = remote,
            None => accesses.push(remote),
        }
        Ok(())
    }

    /// Checks an access of the current thread.
    ///
    /// [`Outcome::Wait`] means that the thread must yield to other threads before it performs the
    /// access.
    pub(crate) fn access(&mut self, request: Request) -> Result<Outcome, Fault> {
        let Request {
            address,
            bytes,
            kind,
            space,
            site,
            ..
        } = request;
        if bytes == 0 {
            return Ok(Outcome::Ready(0));
        }
        let thread = self.current;
        let may_be = |other| space == other || space == Space::Generic;
        let misaligned = address & (request.alignment - 1) != 0;
        let touch = |clocks: &mut Clocks, offset| {
            let segment = clocks
                .segment(thread)
                .ok_or_else(|| Fault::Internal("the launch is too long to be checked".into()))?;
            Ok(Touch {
                offset,
                bytes,
                kind,
                site,
                thread,
                segment,
            })
        };
        let counter;
        if let Some((owner, offset)) = self.find_shared(space, address, bytes) {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            if let Some(clocks) = &mut self.clocks {
                let touch = touch(clocks, offset)?;
                if owner != self.current_cta {
                    self.check_other_block(Remote {
                        owner,
                        segment: touch.segment,
                        site,
                        kind,
                    })?;
                }
                let shared = &mut self.ctas[owner].shared;
                if request.reads && !shared.is_written(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    shared.set_written(offset, bytes);
                }
                if let Some(clocks) = &self.clocks
                    && let Err(conflict) = shared.access(clocks, touch)
                {
                    return Err(self.race(request, Space::Shared, conflict));
                }
            }
            counter = &mut self.report.shared;
        } else if may_be(Space::Global)
            && let Some(region) = self.memory.find(address, bytes)
        {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            if region.read_only && kind != AccessKind::Read {
                return Err(Fault::ReadOnly(self.refused(request)));
            }
            let offset = address - region.base;
            if let Some(clocks) = &mut self.clocks {
                if kind == AccessKind::Atomic {
                    clocks.atomic(thread, address, request.reads, request.writes);
                }
                if request.reads && !region.is_written(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    region.set_written(offset, bytes);
                }
                let touch = touch(clocks, offset)?;
                if let Err(conflict) = region.shadow.access(clocks, touch) {
                    return Err(self.race(request, Space::Global, conflict));
                }
            } else if kind != AccessKind::Read {
                region.set_all_written();
            }
            counter = &mut self.report.global;
        } else if may_be(Space::Private)
            && let Some(private) = self.private(address, bytes)
        {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            let offset = address - private.start;
            if let Some(written) = &mut private.written {
                if request.reads && !written.all_set(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    written.set_all(offset, bytes);
                }
            }
            counter = &mut self.report.private;
        } else {
            return Err(Fault::OutOfBounds(self.refused(request)));
        }
        match kind {
            AccessKind::Read => {
                counter.reads += 1;
                self.progress();
            }
            AccessKind::Write => {
                counter.writes += 1;
                self.progress();
            }
            AccessKind::Atomic => {
                counter.atomics += 1;
                return self.atomic(site);
            }
        }
        Ok(Outcome::Ready(0))
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

    fn atomic(&mut self, site: u32) -> Result<Outcome, Fault> {
        self.idle_atomics += 1;
        if self.idle_atomics > MAX_IDLE_ATOMICS {
            let site = self.site(self.current, site);
            return Err(Fault::NoProgress(Box::new(site)));
        }
        let thread = &mut self.threads[self.current];
        thread.atomics += 1;
        if thread.atomics < ATOMICS_PER_TURN {
            return Ok(Outcome::Ready(0));
        }
        thread.atomics = 0;
        thread.spins = true;
        Ok(Outcome::Wait)
    }

    fn private(&mut self, address: u64, bytes: u64) -> Option<&mut Private> {
        let mut all = self.threads[self.current].private.iter_mut();
        all.find(|Private { start, length, .. }| {
            contains(*length, address.wrapping_sub(*start), bytes)
        })
    }

    /// Returns the position of an address relative to the buffer that contains the address, or to a
    /// nearby buffer.
    fn place(&self, address: u64, space: Space) -> Option<BufferOffset> {
        let private = |near: u64| {
            self.threads[self.current]
                .private
                .iter()
                .find(|Private { start, length, .. }| {
                    address >= start.saturating_sub(near) && address < start + length + near
                })
                .map(|Private { start, length, .. }| BufferOffset {
                    buffer: Arc::from("private memory"),
                    offset: address.wrapping_sub(*start) as i64,
                    length: *length,
                    is_dynamic: false,
                })
        };
        let own = &self.cta(self.current).shared;
        let near = |cta: &&Cta<'_>| cta.shared.is_near(address);
        match space {
            Space::Shared => own.place(address),
            Space::SharedCluster => match self.ctas.iter().find(near) {
                Some(cta) => self.place_in(cta, cta.shared.place(address)),
                None => own.place(address),
            },
            Space::Global => self.memory.nearest(address),
            Space::Private => private(1 << 20),
            Space::Generic => {
                if let Some(cta) = self.ctas.iter().find(near) {
                    return self.place_in(cta, cta.shared.place(address));
                }
                // Stacks are far from all other memory, so an address near global memory does not
                // belong to a stack.
                self.memory.nearest(address).or_else(|| private(1 << 12))
            }
        }
    }

    /// For a position in the shared memory of another block, adds the coordinates of that block to
    /// the buffer label.
    fn place_in(&self, cta: &Cta<'_>, place: Option<BufferOffset>) -> Option<BufferOffset> {
        let [x, y, z] = cta.block;
        let place = place?;
        Some(match std::ptr::eq(cta, self.cta(self.current)) {
            true => place,
            false => BufferOffset {
                buffer: format!("{} of block ({x}, {y}, {z})", place.buffer).into(),
                ..place
            },
        })
    }

    pub(crate) fn refused(&self, request: Request) -> Box<Access> {
        Box::new(Access {
            site: self.site(self.current, request.site),
            kind: request.kind,
            space: request.space,
            address: request.address,
            bytes: request.bytes,
            alignment: request.alignment,
            place: self.place(request.address, request.space),
        })
    }

    fn race(&mut self, request: Request, space: Space, conflict: Conflict) -> Fault {
        let place = match space {
            Space::Shared => {
                let owner = self.find_shared(request.space, request.address, request.bytes);
                owner.and_then(|(owner, _)| {
                    let cta = &self.ctas[owner];
                    self.place_in(cta, cta.shared.place_of(&conflict))
                })
            }
            _ => self
                .memory
                .find(request.address, request.bytes)
                .map(|region| region.place(region.base + conflict.offset)),
        };
        let Some(place) = place else {
            return Fault::Internal("a race in memory that does not exist".into());
        };
        let (rank, _) = self.place_of(conflict.thread);
        let block = self.blocks.coordinates(conflict.block, rank as u32);
        Fault::Race(Box::new(Race {
            first: self.site_of_block(conflict.thread, conflict.site, block),
            first_kind: conflict.kind,
            second: self.site(self.current, request.site),
            second_kind: request.kind,
            space,
            place,
        }))
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

impl Thread {
    fn new(cta: usize, local: usize) -> Self {
        Self {
            state: State::Exited,
            cta: cta as u32,
            local: local as u32,
            result: 0,
            yielder: std::ptr::null(),
            stack_limit: 0,
            private: Vec::new(),
            atomics: 0,
            spins: false,
        }
    }
}
