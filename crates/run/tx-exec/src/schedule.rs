//! The scheduler loop runs the threads of each cluster as coroutines, one at a time, until all
//! threads have exited.

use crate::{
    fault::Fault,
    hooks,
    machine::{Machine, ThreadState},
    order::{Order, Scheduler},
    report::Report,
    stacks::{self, STACK_RESERVE},
};
use corosensei::{
    Coroutine,
    stack::{DefaultStack, Stack},
};
use std::ffi::c_void;

/// Entry point of a kernel. The argument of the entry point is an array of pointers to the kernel
/// parameters.
pub(crate) type Entry = unsafe extern "C" fn(*mut *mut c_void);

/// The coroutines of a cluster. Dropping the `Threads` abandons unfinished coroutines without
/// unwinding.
struct Threads(Vec<Coroutine<(), (), (), DefaultStack>>);

impl Threads {
    fn take_stacks(&mut self) -> Vec<DefaultStack> {
        for thread in &mut self.0 {
            if !thread.done() {
                // SAFETY: the stack of a suspended thread holds frames of generated code and
                // suspended hooks, which have no destructors: see `hooks::suspend`. The stack of a
                // thread that has not started holds the closure below, which owns nothing.
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

/// Runs a kernel for all clusters of the grid.
///
/// # Safety
///
/// `entry` must be a kernel that calls a hook before each memory access. `parameters` must point to
/// values of the parameter types; the values must outlive the call.
pub(crate) unsafe fn run(
    mut machine: Machine<'_>,
    entry: Entry,
    parameters: &mut [*mut c_void],
    order: Order,
    frame_bytes: u64,
) -> Result<Report, Fault> {
    let stack_bytes = usize::try_from(STACK_RESERVE + frame_bytes).map_err(|_| {
        Fault::Internal("the stacks of the threads exceed the address space".into())
    })?;
    let mut stacks = stacks::take(machine.live_threads(), stack_bytes).map_err(|error| {
        Fault::Internal(format!("cannot allocate the stack of a thread: {error}"))
    })?;
    let mut scheduler = Scheduler::new(order);
    let parameters = parameters.as_mut_ptr();
    let machine: *mut Machine<'_> = &mut machine;
    let _scope = hooks::Scope::enter(machine.cast());
    let erased: *mut Machine<'static> = machine.cast();
    // SAFETY (here and below): the machine lives until the end of this function. Hooks use it only
    // while a coroutine runs, that is, during `resume`. No reference from this function lives
    // across that call.
    let clusters = unsafe { (*machine).blocks.count() };
    for number in 0..clusters {
        // SAFETY: see above.
        let state = unsafe { &mut *machine };
        state.start_cluster(number);
        let indices: Vec<_> = (0..state.ctas.len())
            .flat_map(|rank| state.threads_of(rank))
            .collect();
        for (&index, stack) in indices.iter().zip(&stacks) {
            // The limit is computed from the requested size, because a pooled stack can be larger
            // than the requested size.
            state.threads[index].stack_limit =
                stack.base().get().saturating_sub(stack_bytes) as u64;
        }
        let total = state.threads.len();
        let coroutines = indices.into_iter().zip(std::mem::take(&mut stacks));
        let mut threads = Threads(
            coroutines
                .map(|(index, stack)| {
                    Coroutine::with_stack(stack, move |yielder, ()| {
                        // SAFETY: see above; the yielder lives until the coroutine ends.
                        unsafe { (&mut *erased).threads[index].yielder = yielder };
                        // SAFETY: guaranteed by the caller.
                        unsafe { entry(parameters) };
                    })
                })
                .collect(),
        );
        scheduler.start_block(total);
        loop {
            // SAFETY: see above.
            let state = unsafe { &mut *machine };
            let Some(index) = scheduler.next(total, |index| state.readiness(index)) else {
                break;
            };
            state.select(index);
            state.threads[index].spins = false;
            let coroutine = state.number_of(index);
            let ended = threads.0[coroutine].resume(()).as_return().is_some();
            // SAFETY: see above.
            let state = unsafe { &mut *machine };
            if let Some(fault) = state.fault.take() {
                return Err(fault);
            }
            if ended {
                state.exit()?;
            }
        }
        // SAFETY: see above.
        let state = unsafe { &mut *machine };
        if !state
            .threads
            .iter()
            .all(|thread| matches!(thread.state, ThreadState::Exited))
        {
            return Err(state.diagnose());
        }
        state.end_cluster()?;
        stacks = threads.take_stacks();
    }
    stacks::give_back(stacks);
    // SAFETY: see above.
    Ok(unsafe { (*machine).report })
}
