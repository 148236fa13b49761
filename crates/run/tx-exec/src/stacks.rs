//! Sizes of coroutine stacks, and the pool of stacks that launches reuse.

use corosensei::stack::{DefaultStack, Stack};
use std::{
    io,
    sync::{Mutex, PoisonError},
};

/// Stack size per thread in bytes, in addition to the private memory of the kernel. The stack
/// contains the frames of generated code, hooks and C math functions.
pub(crate) const STACK_RESERVE: u64 = 128 * 1024;
/// Minimum remaining stack for a function call or an allocation in generated code, in bytes.
pub(crate) const STACK_MARGIN: u64 = 64 * 1024;

/// Size of each pooled stack in bytes. A pooled stack suffices for nearly all kernels.
const POOLED_STACK_BYTES: usize = 256 * 1024;
/// Maximum number of pooled stacks. 2048 pooled stacks suffice for two blocks of 1024 threads.
/// Linux limits a process to about 65,000 mappings, and each stack with its guard page needs two
/// mappings.
const MAX_POOLED_STACKS: usize = 2048;

/// The pool. Without a pool, the allocation of stacks took two thirds of the run time of short
/// launches.
static POOL: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// Returns `count` stacks of at least `bytes` bytes each, with undefined contents.
pub(crate) fn take(count: usize, bytes: usize) -> io::Result<Vec<DefaultStack>> {
    if bytes > POOLED_STACK_BYTES {
        return (0..count).map(|_| DefaultStack::new(bytes)).collect();
    }
    let mut stacks = {
        let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = kept.len().saturating_sub(count);
        kept.split_off(rest)
    };
    while stacks.len() < count {
        stacks.push(DefaultStack::new(POOLED_STACK_BYTES)?);
    }
    Ok(stacks)
}

/// Returns unused stacks to the pool. A returned stack is freed if it is larger than the pooled
/// stacks, or if the pool is full.
pub(crate) fn give_back(stacks: impl IntoIterator<Item = DefaultStack>) {
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MAX_POOLED_STACKS.saturating_sub(kept.len());
    kept.extend(stacks.into_iter().filter(is_usual).take(room));
}

fn is_usual(stack: &DefaultStack) -> bool {
    // A larger stack may have many touched pages and is not pooled.
    let guard_and_rounding = 64 * 1024;
    stack.base().get() - stack.limit().get() <= POOLED_STACK_BYTES + guard_and_rounding
}
