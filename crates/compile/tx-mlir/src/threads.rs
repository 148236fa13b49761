//! Parallel map that uses only idle processors.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Number of threads of this process that execute [`map`]: callers and helper threads.
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// Stack size of a helper thread, in bytes. LLVM recurses over its input, so a helper thread needs
/// a stack as large as the stack of a typical main thread.
const STACK_BYTES: usize = 8 << 20;

/// Token that represents one thread in the count [`WORKING`].
struct WorkerToken;

impl WorkerToken {
    fn of_caller() -> Self {
        WORKING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    /// Returns the token of a helper thread; `None` if all processors are busy.
    fn of_helper(processors: usize) -> Option<Self> {
        let more = |working| (working < processors).then_some(working + 1);
        let taken = WORKING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        // The token is created only after the count is incremented, because the drop of a token
        // decrements the count.
        taken.ok().map(|_| Self)
    }
}

impl Drop for WorkerToken {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Queue<J> {
    /// Queued jobs; the key is the pair of job size and job index.
    jobs: BTreeMap<(usize, usize), J>,
    /// Whether the caller of [`map`] can still add jobs to the queue.
    is_open: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the result of `work` for each job, in the order of `jobs`. `jobs` yields each job with
/// its size. The largest queued job starts first.
///
/// The calling thread creates the jobs in order, while helper threads execute the created jobs.
/// After the creation of the last job, the calling thread executes jobs like a helper thread. A
/// call starts a helper thread only if the total number of callers and helper threads of all
/// concurrent calls is less than the number of processors.
pub(crate) fn map<J: Send, R: Send>(
    jobs: impl ExactSizeIterator<Item = (usize, J)>,
    work: impl Fn(J) -> R + Sync,
) -> Vec<R> {
    let _own = WorkerToken::of_caller();
    let processors = match jobs.len() {
        0 | 1 => 1,
        _ => thread::available_parallelism().map_or(1, NonZero::get),
    };
    let helpers: Vec<WorkerToken> = (1..jobs.len())
        .map_while(|_| WorkerToken::of_helper(processors))
        .collect();
    if helpers.is_empty() {
        return jobs.map(|(_, job)| work(job)).collect();
    }
    let queue = Mutex::new(Queue {
        jobs: BTreeMap::new(),
        is_open: true,
    });
    let changed = Condvar::new();
    let next = || {
        let waits = |queue: &mut Queue<J>| queue.jobs.is_empty() && queue.is_open;
        let mut queue = changed
            .wait_while(locked(&queue), waits)
            .unwrap_or_else(PoisonError::into_inner);
        queue.jobs.pop_last()
    };
    let made = Mutex::new(Vec::new());
    let work_on = || {
        while let Some(((_, number), job)) = next() {
            let result = work(job);
            locked(&made).push((number, result));
        }
    };
    thread::scope(|scope| {
        let work_on = &work_on;
        for place in helpers {
            let help = move || {
                let _place = place;
                work_on();
            };
            // If the creation of a helper thread fails, the other threads execute its jobs.
            let _ = thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, help);
        }
        // The guard closes the queue even if the creation of a job panics. Without the guard, the
        // helper threads would wait forever after a panic.
        let closing = CloseOnDrop(&queue, &changed);
        for (number, (size, job)) in jobs.enumerate() {
            locked(&queue).jobs.insert((size, number), job);
            changed.notify_one();
        }
        drop(closing);
        work_on();
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_unstable_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, result)| result).collect()
}

/// Guard that, on drop, closes a queue and wakes all threads that wait for the queue.
struct CloseOnDrop<'q, J>(&'q Mutex<Queue<J>>, &'q Condvar);

impl<J> Drop for CloseOnDrop<'_, J> {
    fn drop(&mut self) {
        locked(self.0).is_open = false;
        self.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let squares = map((0..100u32).map(|n| (n as usize, n)), |n| {
            // The first jobs take the longest time.
            thread::sleep(std::time::Duration::from_micros(u64::from(200 - 2 * n)));
            n * n
        });
        assert!(squares.into_iter().eq((0..100).map(|n| n * n)));
    }

    #[test]
    fn no_more_threads_than_processors_help() {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let callers = 4;
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..callers {
                scope.spawn(|| {
                    map((0..20).map(|n| (n, ())), |()| {
                        most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                        thread::sleep(std::time::Duration::from_millis(1));
                        now.fetch_sub(1, Ordering::Relaxed);
                    });
                });
            }
        });
        assert!(most.into_inner() <= processors + callers);
    }
}
