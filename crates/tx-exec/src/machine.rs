//! The state of a launch: the threads of the block that runs, its shared memory, and the checks of every access.

use crate::{
    WARP,
    barrier::Barrier,
    bits::{PagedBits, contains},
    fault::{Access, AccessKind, Divergence, Fault, Location, Place, Race, Site, Space},
    happens_before::{Clocks, Conflict, Fence, Touch},
    memory::Memory,
    order::{Blocks, Preemption},
    program::{Checks, Launch},
    report::Report,
    shared::SharedMemory,
    warp::Input,
};
use corosensei::Yielder;
use std::sync::Arc;

/// An instrumented operation of a program.
#[derive(Clone, Debug)]
pub(crate) struct SiteInfo {
    pub(crate) location: Location,
    pub(crate) operation: Arc<str>,
}

/// What a thread waits in.
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
}

impl Wait {
    pub(crate) fn site(self) -> u32 {
        match self {
            Self::Warp { site, .. } | Self::Barrier { site, .. } => site,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    Runnable,
    Waiting(Wait),
    Exited,
}

/// What an operation that may have to wait gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The result.
    Ready(u64),
    /// The thread must suspend, and finds the result when it is resumed.
    Wait,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) state: State,
    /// Result of the operation the thread waited in.
    pub(crate) result: u64,
    /// Set by the thread itself when it starts; valid while its coroutine is.
    pub(crate) yielder: *const Yielder<(), ()>,
    /// Lowest address its stack may use, in bytes.
    pub(crate) stack_limit: u64,
    /// The private memory it has allocated.
    private: Vec<Private>,
    /// Atomic accesses since it last yielded to the others.
    atomics: u32,
    /// Whether it yielded for having made many: it may wait for what another thread does.
    pub(crate) spins: bool,
}

/// Private memory of a thread.
#[derive(Debug)]
struct Private {
    start: u64,
    length: u64,
    /// The bytes that were written; absent when values are not checked.
    written: Option<PagedBits>,
}

/// Atomic accesses after which a thread lets others run: one of them may be what it waits for.
const ATOMICS_PER_TURN: u32 = 1024;
/// Atomic accesses of a block, without anything else happening, after which it is taken to hang.
const MAX_IDLE_ATOMICS: u64 = 1 << 24;

/// One access as the generated code announces it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: AccessKind,
    /// Whether the old value matters. An atomic access may do without.
    pub(crate) reads: bool,
    /// Whether it leaves a value.
    pub(crate) writes: bool,
    pub(crate) space: Space,
    pub(crate) alignment: u64,
    pub(crate) site: u32,
}

pub(crate) struct Machine<'m> {
    sites: &'m [SiteInfo],
    memory: &'m mut Memory,
    pub(crate) shared: SharedMemory<'m>,
    /// What orders accesses; absent when they are not checked for races and values.
    pub(crate) clocks: Option<Clocks>,
    pub(crate) preemption: Preemption,
    pub(crate) threads: Vec<Thread>,
    /// The thread that runs, as its linear index.
    pub(crate) current: usize,
    pub(crate) barriers: [Barrier; 16],
    /// A thread that waits at a barrier of the whole block, with its site. All that do are at the same one.
    pub(crate) whole_block_wait: Option<(usize, u32)>,
    /// The first thread of the block that has exited.
    pub(crate) exited: Option<usize>,
    pub(crate) report: Report,
    pub(crate) fault: Option<Fault>,
    pub(crate) block_size: [u32; 3],
    pub(crate) blocks: Blocks,
    /// Coordinates of the block that runs.
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory, and of all shared memory, that the kernel was given.
    pub(crate) dynamic_shared: u32,
    pub(crate) all_shared: u32,
    idle_atomics: u64,
    /// Iterations of loops with which the launch is taken to hang.
    pub(crate) most_iterations: u64,
}

impl<'m> Machine<'m> {
    pub(crate) fn new(
        sites: &'m [SiteInfo],
        memory: &'m mut Memory,
        launch: &Launch,
        shared: SharedMemory<'m>,
        all_shared: u32,
    ) -> Self {
        let threads = launch.block.iter().product::<u32>() as usize;
        Self {
            sites,
            memory,
            shared,
            clocks: match launch.checks {
                Checks::All => Some(Clocks::default()),
                Checks::Off => None,
            },
            preemption: Preemption::new(launch.order),
            threads: std::iter::repeat_with(Thread::new).take(threads).collect(),
            current: 0,
            barriers: Default::default(),
            whole_block_wait: None,
            exited: None,
            report: Report::default(),
            fault: None,
            block_size: launch.block,
            blocks: Blocks::new(launch.grid, launch.order),
            block: [0; 3],
            dynamic_shared: launch.dynamic_shared_bytes,
            all_shared,
            idle_atomics: 0,
            most_iterations: launch.iterations.unwrap_or(u64::MAX),
        }
    }

    /// Makes everything ready for the block that runs as number `number`.
    pub(crate) fn start_block(&mut self, number: u32) {
        self.block = self.blocks.coordinates(number);
        if let Some(clocks) = &mut self.clocks {
            clocks.start_block(number, self.threads.len());
        }
        self.shared.reset();
        for thread in &mut self.threads {
            thread.state = State::Runnable;
            thread.private.clear();
        }
        self.barriers = Default::default();
        self.whole_block_wait = None;
        self.exited = None;
        self.report.blocks += 1;
        self.report.threads += self.threads.len() as u64;
        self.idle_atomics = 0;
    }

    /// Coordinates of a thread in its block.
    pub(crate) fn coordinates(&self, thread: usize) -> [u32; 3] {
        let [x, y, _] = self.block_size;
        let thread = thread as u32;
        [thread % x, thread / x % y, thread / (x * y)]
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
        self.site_of_block(thread, site, self.block)
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

    /// Threads of the block whose warp is `warp`.
    pub(crate) fn warp_threads(&self, warp: usize) -> std::ops::Range<usize> {
        warp * WARP..((warp + 1) * WARP).min(self.threads.len())
    }

    /// Something happened other than an atomic access.
    pub(crate) fn progress(&mut self) {
        self.idle_atomics = 0;
    }

    /// The thread that runs has allocated private memory.
    ///
    /// # Safety
    /// The memory must be there, and hold nothing that anybody counts on.
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
                // What it holds must not depend on what ran before.
                // SAFETY: the caller's promise.
                unsafe { std::ptr::write_bytes(address as *mut u8, 0xff, length) };
                None
            }
        };
        let private = &mut self.threads[self.current].private;
        // The stack is reused: an allocation ends those that it overlaps.
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

    /// Checks an access of the thread that runs.
    ///
    /// [`Outcome::Wait`] asks it to let other threads run first, and has no result.
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
        if may_be(Space::Shared)
            && let Some(offset) = self.shared.find(address, bytes)
        {
            if misaligned {
                return Err(Fault::Misaligned(self.refused(request)));
            }
            if let Some(clocks) = &mut self.clocks {
                if request.reads && !self.shared.is_written(offset, bytes) {
                    return Err(Fault::Uninitialized(self.refused(request)));
                }
                if kind != AccessKind::Read {
                    self.shared.set_written(offset, bytes);
                }
                let touch = touch(clocks, offset)?;
                if let Err(conflict) = self.shared.access(clocks, touch) {
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

    /// The thread that runs fences for all threads of the device.
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

    /// The private allocation of the thread that runs which holds these bytes.
    fn private(&mut self, address: u64, bytes: u64) -> Option<&mut Private> {
        let mut all = self.threads[self.current].private.iter_mut();
        all.find(|Private { start, length, .. }| {
            contains(*length, address.wrapping_sub(*start), bytes)
        })
    }

    /// Where an address lies, or what it is near.
    fn place(&self, address: u64, space: Space) -> Option<Place> {
        let private = |near: u64| {
            self.threads[self.current]
                .private
                .iter()
                .find(|Private { start, length, .. }| {
                    address >= start.saturating_sub(near) && address < start + length + near
                })
                .map(|Private { start, length, .. }| Place {
                    buffer: Arc::from("private memory"),
                    offset: address.wrapping_sub(*start) as i64,
                    length: *length,
                })
        };
        match space {
            Space::Shared => self.shared.place(address),
            Space::Global => self.memory.nearest(address),
            Space::Private => private(1 << 20),
            Space::Generic => {
                if self.shared.is_near(address) {
                    return self.shared.place(address);
                }
                // The stacks are far from everything else, so what is near is meant.
                self.memory.nearest(address).or_else(|| private(1 << 12))
            }
        }
    }

    fn refused(&self, request: Request) -> Box<Access> {
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
            Space::Shared => self.shared.place_of(&conflict),
            _ => self
                .memory
                .find(request.address, request.bytes)
                .map(|region| region.place(region.base + conflict.offset)),
        };
        let Some(place) = place else {
            return Fault::Internal("a race in memory that does not exist".into());
        };
        let block = self.blocks.coordinates(conflict.block);
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

impl Thread {
    fn new() -> Self {
        Self {
            state: State::Runnable,
            result: 0,
            yielder: std::ptr::null(),
            stack_limit: 0,
            private: Vec::new(),
            atomics: 0,
            spins: false,
        }
    }
}
