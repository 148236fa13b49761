//! Hooks: executor functions that generated code calls.
//!
//! A hook accesses the state of the launch through a thread-local pointer, which [`Scope`] sets
//! during a launch. Hooks never unwind into generated code. On a fault or a panic, a hook records
//! the failure and suspends the thread forever.

use crate::{
    barrier::Arrival,
    fault::{Fault, OutOfRange},
    hook_interface::{ARRIVE_ONLY, REDUCTIONS, access_request, fence_of_code},
    libm,
    machine::{Machine, Outcome},
    print,
    stacks::STACK_MARGIN,
    warp::{LaneInput, WarpOp},
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::null_mut,
};

thread_local! {
    static MACHINE: Cell<*mut ()> = const { Cell::new(null_mut()) };
}

/// Guard that sets the launch state for the hooks on this OS thread, and restores the previous
/// launch state when it is dropped.
pub(crate) struct Scope(*mut ());

impl Scope {
    pub(crate) fn enter(machine: *mut ()) -> Self {
        Self(MACHINE.replace(machine))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        MACHINE.set(self.0);
    }
}

pub(crate) fn symbols() -> [(&'static str, *mut ()); 30] {
    [
        ("__tx_register", register as *mut ()),
        ("__tx_shared", shared as *mut ()),
        ("__tx_access", access as *mut ()),
        ("__tx_masked_access", masked_access as *mut ()),
        ("__tx_warp", warp as *mut ()),
        ("__tx_barrier", barrier as *mut ()),
        ("__tx_cluster_arrive", cluster_arrive as *mut ()),
        ("__tx_cluster_wait", cluster_wait as *mut ()),
        ("__tx_mapa", mapa as *mut ()),
        ("__tx_mbarrier_init", mbarrier_init as *mut ()),
        ("__tx_mbarrier_arrive", mbarrier_arrive as *mut ()),
        ("__tx_mbarrier_signal", mbarrier_signal as *mut ()),
        ("__tx_mbarrier_wait", mbarrier_wait as *mut ()),
        ("__tx_fence", fence as *mut ()),
        ("__tx_private", private as *mut ()),
        ("__tx_stack", stack as *mut ()),
        ("__tx_division", division as *mut ()),
        ("__tx_range", range as *mut ()),
        ("__tx_trap", trap as *mut ()),
        ("__tx_print", print as *mut ()),
        ("__tx_assert", assert as *mut ()),
        ("__tx_repeat", repeat as *mut ()),
        ("__tx_exit", exit as *mut ()),
        ("__tx_fma", libm::fma_to_odd as *mut ()),
        ("__tx_to_f8", libm::to_f8_pair as *mut ()),
        ("__tx_from_f8", libm::from_f8_pair as *mut ()),
        ("__tx_exp2", libm::exp2 as *mut ()),
        ("__tx_log2", libm::log2 as *mut ()),
        ("__tx_rsqrt", libm::rsqrt as *mut ()),
        ("__tx_sqrt", libm::sqrt as *mut ()),
    ]
}

fn machine() -> *mut Machine<'static> {
    let machine: *mut Machine<'static> = MACHINE.get().cast();
    assert!(!machine.is_null(), "generated code runs outside a launch");
    machine
}

/// Suspends the current thread until the scheduler resumes the thread.
///
/// The scheduler may discard a suspended stack without unwinding. While a hook is suspended, the
/// stack frames of the hook must therefore contain no value with a destructor.
fn suspend() {
    // SAFETY: the machine and the yielder are alive while a coroutine runs; the reference to the
    // machine ends before the switch.
    let yielder = unsafe { (&*machine()).threads[(*machine()).current].yielder };
    // SAFETY: the yielder is alive while its coroutine runs.
    unsafe { (*yielder).suspend(()) };
}

/// Runs the fallible function `run` of a hook. On a fault, `checked` records the fault and suspends
/// the thread forever.
fn checked<R: Copy>(run: impl FnOnce(&mut Machine<'_>) -> Result<R, Fault>) -> R {
    let fault = {
        // SAFETY: the machine is alive, and this reference is exclusive: the scheduler holds no
        // reference while a coroutine runs, and hooks do not call each other inside `run`.
        let outcome = catch_unwind(AssertUnwindSafe(|| run(unsafe { &mut *machine() })));
        match outcome {
            Ok(Ok(result)) => return result,
            Ok(Err(fault)) => fault,
            Err(panic) => {
                let message = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("a panic");
                Fault::Internal(message.into())
            }
        }
    };
    // SAFETY: the machine is alive, and no other reference exists.
    unsafe { (*machine()).fault = Some(fault) };
    loop {
        suspend();
    }
}

/// Runs a hook function that can wait for other threads, and returns the result of the function
/// after the wait.
fn waiting(run: impl FnOnce(&mut Machine<'_>) -> Result<Outcome, Fault>) -> u64 {
    match checked(run) {
        Outcome::Ready(result) => result,
        Outcome::Wait => {
            suspend();
            checked(|machine| Ok(machine.threads[machine.current].result))
        }
    }
}

/// Suspends the thread if the execution order requires a preemption. A hook calls `preempt` before
/// it records its own event, so that the executor records the events of all threads in execution
/// order.
fn preempt() {
    // SAFETY: the machine is alive, and the reference ends before the switch.
    if unsafe { (*machine()).preemption.is_due() } {
        suspend();
    }
}

extern "C" fn register(number: i32) -> i32 {
    checked(|machine| {
        let thread = machine.current;
        let (rank, local) = machine.place_of(thread);
        let local = local as u32;
        let lane = local % 32;
        let coordinates = machine.coordinates(thread);
        let block = machine.ctas[rank].block;
        let cluster = machine.blocks.cluster();
        let axis = |values: [u32; 3], first: i32| values[(number - first) as usize];
        Ok(match number {
            0..3 => axis(coordinates, 0),
            3..6 => axis(machine.block_size, 3),
            6..9 => axis(block, 6),
            9..12 => axis(machine.blocks.grid(), 9),
            12 => lane,
            13 => local / 32,
            14 => machine.block_threads.div_ceil(32) as u32,
            15 => 32,
            16 => 1 << lane,
            17 => !0 >> (31 - lane),
            18 => (1 << lane) - 1,
            19 => !0 << lane,
            20 => !0 << lane << 1,
            22 => 1,
            24 => machine.dynamic_shared,
            25 => machine.all_shared,
            26..29 => axis(block, 26) / axis(cluster, 26),
            29..32 => axis(machine.blocks.clusters(), 29),
            32..35 => axis(block, 32) % axis(cluster, 32),
            35..38 => axis(cluster, 35),
            38 => rank as u32,
            39 => machine.ctas.len() as u32,
            _ => 0,
        } as i32)
    })
}

extern "C" fn shared(variable: i32) -> u64 {
    checked(|machine| {
        let (rank, _) = machine.place_of(machine.current);
        Ok(machine.ctas[rank].shared.address(variable as u32))
    })
}

extern "C" fn mapa(address: u64, rank: i32, site: i32) -> u64 {
    checked(|machine| machine.map(address, rank, site as u32))
}

extern "C" fn access(address: u64, bytes: u64, flags: i32, site: i32) {
    preempt();
    waiting(|machine| machine.access(access_request(address, bytes, flags, site)));
}

/// Checks accesses to the vector elements selected by `mask`. Each vector element has `bytes`
/// bytes; the first element is at `address`.
extern "C" fn masked_access(address: u64, bytes: u64, mask: u64, flags: i32, site: i32) {
    preempt();
    waiting(|machine| {
        for element in (0..64).filter(|element| mask >> element & 1 != 0) {
            let address = address.wrapping_add(element * bytes);
            machine.access(access_request(address, bytes, flags, site))?;
        }
        Ok(Outcome::Ready(0))
    });
}

extern "C" fn warp(op: i32, mask: i32, value: i64, offset: i32, clamp: i32, site: i32) -> i64 {
    preempt();
    waiting(|machine| {
        let op = WarpOp::from_code(op)
            .ok_or_else(|| Fault::Internal(format!("unknown warp operation {op}")))?;
        let input = LaneInput {
            value: value as u64,
            offset: offset as u32,
            clamp: clamp as u32,
        };
        machine.warp_op(op, mask as u32, input, site as u32)
    }) as i64
}

/// Executes a barrier of `count` threads; if `count` is negative, all threads of the block
/// participate.
extern "C" fn barrier(id: i32, count: i32, reduction: i32, predicate: i32, site: i32) -> i32 {
    preempt();
    waiting(|machine| {
        machine.arrive(Arrival {
            site: site as u32,
            id: id as u32,
            count: u32::try_from(count).ok(),
            reduction: REDUCTIONS[(reduction & 3) as usize].1,
            predicate: predicate != 0,
            waits: reduction & ARRIVE_ONLY == 0,
        })
    }) as i32
}

extern "C" fn cluster_arrive(relaxed: i32, site: i32) {
    preempt();
    checked(|machine| machine.cluster_arrive(site as u32, relaxed != 0));
}

extern "C" fn cluster_wait(site: i32) {
    preempt();
    waiting(|machine| machine.cluster_wait(site as u32));
    checked(|machine| {
        machine.cluster_pass();
        Ok(())
    });
}

extern "C" fn mbarrier_init(address: u64, count: i32, site: i32) {
    preempt();
    checked(|machine| machine.init_mbarrier(address, count as u32, site as u32));
}

extern "C" fn mbarrier_arrive(address: u64, bytes: i32, site: i32) {
    preempt();
    checked(|machine| machine.arrive_mbarrier(address, bytes as u32, site as u32));
}

/// Signals an asynchronous store to its mbarrier object. The hook does not preempt the storing
/// thread, because no other thread may run between the signal to the mbarrier object and the store.
extern "C" fn mbarrier_signal(address: u64, bytes: u64, site: i32) {
    checked(|machine| machine.signal_mbarrier(address, bytes, site as u32));
}

extern "C" fn mbarrier_wait(address: u64, parity: i32, site: i32) -> i32 {
    preempt();
    waiting(|machine| machine.wait_mbarrier(address, parity as u32, site as u32));
    checked(|machine| machine.pass_mbarrier(address, site as u32));
    1
}

/// Executes a fence of device scope. Generated code omits fences whose scope is narrower than the
/// device.
extern "C" fn fence(code: i32) {
    preempt();
    checked(|machine| {
        machine.fence(fence_of_code(code));
        Ok(())
    });
}

extern "C" fn private(address: u64, bytes: u64) {
    // SAFETY: generated code calls this hook directly after the allocation.
    checked(|machine| unsafe { machine.add_private(address, bytes) });
}

extern "C" fn stack(bytes: u64, site: i32) {
    let here = 0u8;
    let top = &raw const here as u64;
    checked(|machine| {
        let limit = machine.threads[machine.current].stack_limit;
        if top.saturating_sub(limit) < bytes.saturating_add(STACK_MARGIN) {
            let site = machine.site(machine.current, site as u32);
            return Err(Fault::StackOverflow(Box::new(site)));
        }
        Ok(())
    });
}

/// Checks an integer division. The absolute value of `bits` is the bit width of dividend and
/// divisor; `bits` is negative for an unsigned division.
///
/// Returns the divisor. Generated code divides by the divisor that the hook returns, so that LLVM
/// cannot move the division before the hook call.
extern "C" fn division(dividend: i64, divisor: i64, bits: i32, site: i32) -> i64 {
    let overflows = bits > 0 && divisor == -1 && dividend == i64::MIN >> (64 - bits);
    if divisor == 0 || overflows {
        checked(|machine| {
            let site = machine.site(machine.current, site as u32);
            Err::<(), _>(Fault::Division(Box::new(site)))
        });
    }
    divisor
}

/// Checks that a value is in the declared range from `lower` (inclusive) to `upper` (exclusive),
/// modulo 2³².
extern "C" fn range(value: i32, lower: i32, upper: i32, site: i32) {
    let from_lower = |number: i32| number.wrapping_sub(lower).cast_unsigned();
    // Equal bounds denote the full range.
    if lower != upper && from_lower(value) >= from_lower(upper) {
        checked(|machine| {
            let site = machine.site(machine.current, site as u32);
            Err::<(), _>(Fault::OutOfRange(Box::new(OutOfRange {
                site,
                value,
                lower,
                upper,
            })))
        });
    }
}

extern "C" fn trap(site: i32) {
    checked(|machine| {
        let site = machine.site(machine.current, site as u32);
        Err::<(), _>(Fault::Trap(Box::new(site)))
    });
}

/// Prints formatted text, and returns the number of printf arguments used.
extern "C" fn print(format: u64, arguments: u64, site: i32) -> i32 {
    checked(|machine| {
        let (text, taken) = print::format(machine, [format, arguments], site as u32)?;
        machine.print(&text);
        Ok(taken)
    })
}

extern "C" fn assert(message: u64, site: i32) {
    checked(|machine| {
        let message = print::text(machine, message, site as u32)?;
        Err::<(), _>(Fault::Assertion {
            site: Box::new(machine.site(machine.current, site as u32)),
            message: String::from_utf8_lossy(&message).into_owned(),
        })
    });
}

/// Number of loop iterations between two checks of the step limit. The executor would be too slow
/// if every loop iteration compared the number of steps with the limit.
const STEP_CHECK_INTERVAL: u64 = 1 << 10;

extern "C" fn repeat(site: i32) {
    // SAFETY: the machine is alive, and no other reference exists while generated code runs.
    let machine = unsafe { &mut *machine() };
    machine.report.iterations += 1;
    let (report, most) = (&machine.report, machine.most_steps);
    if report.iterations >= most
        || report.iterations.is_multiple_of(STEP_CHECK_INTERVAL) && report.work() >= most
    {
        checked(|machine| {
            Err::<(), _>(Fault::Endless {
                site: Box::new(machine.site(machine.current, site as u32)),
                steps: machine.most_steps,
            })
        });
    }
}

/// Ends the current thread early, as the PTX instruction `exit` does.
extern "C" fn exit() {
    checked(|machine| machine.exit());
    loop {
        suspend();
    }
}
