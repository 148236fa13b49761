//! Runs the threads of each block as coroutines, one at a time, until all have exited.

use crate::{
    fault::Fault,
    hooks,
    machine::{Machine, State},
    order::{Order, Turns},
    report::Report,
    stacks,
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

/// A kernel's code: it takes a pointer to an array of pointers to the parameters.
pub(crate) type Entry = unsafe extern "C" fn(*mut *mut c_void);

/// The coroutines of a block. Those that have not ended when it is dropped are abandoned, not unwound.
struct Threads(Vec<Coroutine<(), (), (), DefaultStack>>);

impl Threads {
    fn take_stacks(&mut self) -> Vec<DefaultStack> {
        for thread in &mut self.0 {
            if !thread.done() {
                // SAFETY: a suspended thread's stack holds frames of generated code and of hooks that are suspended,
                // and neither has anything to drop: see `hooks::suspend`. A thread that has not started holds the
                // closure below, which owns nothing.
                unsafe { thread.force_reset() };
            }
        }
        let threads = std::mem::take(&mut self.0);
        threads.into_iter().map(Coroutine::into_stack).collect()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        stacks::give_back(self.take_stacks());
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
    let stack_bytes = usize::try_from(STACK_RESERVE + frame_bytes).map_err(|_| {
        Fault::Internal("the kernel needs more stack than there are addresses".into())
    })?;
    let mut stacks = stacks::take(machine.threads.len(), stack_bytes)
        .map_err(|error| Fault::Internal(format!("no stack for a thread: {error}")))?;
    let mut turns = Turns::new(order);
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
            // What a stack has beyond what was asked for is not the kernel's: where it ends must not depend on what ran
            // before.
            thread.stack_limit = stack.base().get().saturating_sub(stack_bytes) as u64;
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
        turns.start_block(threads.0.len());
        loop {
            // SAFETY: as above.
            let state = unsafe { &mut *machine };
            let Some(index) = turns.next(state) else {
                break;
            };
            state.current = index;
            state.threads[index].spins = false;
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
        stacks = threads.take_stacks();
    }
    stacks::give_back(stacks);
    // SAFETY: as above.
    Ok(unsafe { (*machine).report })
}
