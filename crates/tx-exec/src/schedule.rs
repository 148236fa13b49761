//! Runs the threads of each block as coroutines, one at a time, until all have exited.

use crate::{
    fault::Fault,
    hooks,
    machine::{Machine, State},
    report::Report,
};
use corosensei::{
    Coroutine,
    stack::{DefaultStack, Stack},
};
use std::ffi::c_void;

/// Stack that a thread needs beside the private memory of the kernel: frames of generated code, of the hooks it calls
/// and of the C library's mathematical functions, in bytes.
pub(crate) const STACK_RESERVE: u64 = 128 * 1024;
/// What must be left of it when generated code allocates or calls, in bytes.
pub(crate) const STACK_MARGIN: u64 = 64 * 1024;

/// Which of the threads and blocks that can run goes next.
///
/// Results of a program without races do not depend on it. A different order can show a race or a missing
/// synchronisation as a different result, and the first fault found may be another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Blocks and threads in ascending order; each thread runs until it has to wait.
    #[default]
    Sequential,
    /// An order that looks random and depends on the seed alone.
    Shuffled(u64),
}

/// A small generator of random numbers (SplitMix64).
#[derive(Clone, Copy, Debug)]
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }
}

/// The blocks of a grid in the order in which they run.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    grid: [u32; 3],
    /// Linear indices of the blocks in their order; absent when that is ascending.
    order: Option<Vec<u32>>,
}

/// Grids of more blocks than this run in ascending order even when shuffled: the order would cost too much memory.
const MAX_SHUFFLED: u32 = 1 << 24;

impl Blocks {
    /// For a grid that has fewer than 2³² blocks.
    pub(crate) fn new(grid: [u32; 3], order: Order) -> Self {
        let blocks = Self { grid, order: None };
        let count = blocks.count();
        let order = match order {
            Order::Shuffled(seed) if count <= MAX_SHUFFLED => {
                let mut random = Random(seed);
                let mut order: Vec<_> = (0..count).collect();
                for index in (1..order.len()).rev() {
                    order.swap(index, random.below(index + 1));
                }
                Some(order)
            }
            _ => None,
        };
        Self { order, ..blocks }
    }

    pub(crate) fn count(&self) -> u32 {
        self.grid.iter().product()
    }

    pub(crate) fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// Coordinates of the block that runs as number `number`.
    pub(crate) fn coordinates(&self, number: u32) -> [u32; 3] {
        let block = self
            .order
            .as_ref()
            .map_or(number, |order| order[number as usize]);
        let [x, y, _] = self.grid;
        [
            block % x,
            block / x % y,
            (u64::from(block) / (u64::from(x) * u64::from(y))) as u32,
        ]
    }
}

/// A kernel's code: it takes a pointer to an array of pointers to the parameters.
pub(crate) type Entry = unsafe extern "C" fn(*mut *mut c_void);

/// The coroutines of a block. Those that have not ended when it is dropped are abandoned, not unwound.
struct Threads(Vec<Coroutine<(), (), (), DefaultStack>>);

impl Threads {
    fn into_stacks(mut self) -> Vec<DefaultStack> {
        self.abandon();
        std::mem::take(&mut self.0)
            .into_iter()
            .map(Coroutine::into_stack)
            .collect()
    }

    fn abandon(&mut self) {
        for thread in &mut self.0 {
            if !thread.done() {
                // SAFETY: a suspended thread's stack holds frames of generated code and of hooks that are suspended,
                // and neither has anything to drop: see `hooks::suspend`. A thread that has not started holds the
                // closure below, which owns nothing.
                unsafe { thread.force_reset() };
            }
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Runs a kernel for all blocks.
///
/// # Safety
///
/// `entry` must be the code of a kernel whose memory accesses are all announced to the hooks, and `parameters` point
/// to values of the types it takes, which outlive the call.
pub(crate) unsafe fn run(
    mut machine: Machine<'_>,
    entry: Entry,
    parameters: &mut [*mut c_void],
    order: Order,
    frame_bytes: u64,
) -> Result<Report, Fault> {
    let mut stacks = Vec::with_capacity(machine.threads.len());
    let stack_bytes = usize::try_from(STACK_RESERVE + frame_bytes).map_err(|_| {
        Fault::Internal("the kernel needs more stack than there are addresses".into())
    })?;
    for _ in 0..machine.threads.len() {
        let stack = DefaultStack::new(stack_bytes)
            .map_err(|error| Fault::Internal(format!("no stack for a thread: {error}")))?;
        stacks.push(stack);
    }
    let mut random = match order {
        Order::Sequential => None,
        Order::Shuffled(seed) => Some(Random(!seed)),
    };
    let parameters = parameters.as_mut_ptr();
    let machine: *mut Machine<'_> = &mut machine;
    let _scope = hooks::Scope::enter(machine.cast());
    let erased: *mut Machine<'static> = machine.cast();
    // SAFETY (here and below): the machine lives until the end of this function. Hooks use it only while a coroutine
    // runs, which is while `resume` is called, and no reference made here lives across that call.
    let blocks = unsafe { (*machine).blocks.count() };
    for number in 0..blocks {
        // SAFETY: as above.
        let state = unsafe { &mut *machine };
        state.start_block(number);
        for (thread, stack) in state.threads.iter_mut().zip(&stacks) {
            thread.stack_limit = stack.limit().get() as u64;
        }
        let coroutines = std::mem::take(&mut stacks).into_iter().enumerate();
        let mut threads = Threads(
            coroutines
                .map(|(index, stack)| {
                    Coroutine::with_stack(stack, move |yielder, ()| {
                        // SAFETY: as above; the yielder lives until the coroutine ends.
                        unsafe { (&mut *erased).threads[index].yielder = yielder };
                        // SAFETY: the caller's promise.
                        unsafe { entry(parameters) };
                    })
                })
                .collect(),
        );
        let mut runnable = Runnable::new(threads.0.len());
        loop {
            // SAFETY: as above.
            let state = unsafe { &mut *machine };
            let Some(index) = runnable.next(state, random.as_mut()) else {
                break;
            };
            state.current = index;
            let ended = threads.0[index].resume(()).as_return().is_some();
            // SAFETY: as above.
            let state = unsafe { &mut *machine };
            if let Some(fault) = state.fault.take() {
                return Err(fault);
            }
            if ended {
                state.exit()?;
            }
        }
        // SAFETY: as above.
        let state = unsafe { &mut *machine };
        if !state
            .threads
            .iter()
            .all(|thread| matches!(thread.state, State::Exited))
        {
            return Err(state.diagnose());
        }
        stacks = threads.into_stacks();
    }
    // SAFETY: as above.
    Ok(unsafe { (*machine).report })
}

/// Chooses the thread that runs next.
struct Runnable {
    last: usize,
    candidates: Vec<usize>,
}

impl Runnable {
    fn new(threads: usize) -> Self {
        Self {
            last: threads - 1,
            candidates: Vec::with_capacity(threads),
        }
    }

    fn next(&mut self, machine: &Machine<'_>, random: Option<&mut Random>) -> Option<usize> {
        let threads = &machine.threads;
        let is_runnable = |index: usize| matches!(threads[index].state, State::Runnable);
        let Some(random) = random else {
            let after = (self.last + 1..threads.len()).chain(0..=self.last);
            self.last = after.into_iter().find(|&index| is_runnable(index))?;
            return Some(self.last);
        };
        // A list of candidates that were runnable when it was made: what has changed since is looked at when they
        // are taken, and the list is made again when it is empty. So a choice does not cost a look at every thread.
        loop {
            if self.candidates.is_empty() {
                self.candidates
                    .extend((0..threads.len()).filter(|&index| is_runnable(index)));
                if self.candidates.is_empty() {
                    return None;
                }
            }
            let chosen = random.below(self.candidates.len());
            let index = self.candidates.swap_remove(chosen);
            if is_runnable(index) {
                return Some(index);
            }
        }
    }
}
