//! Stacks for the threads of blocks, kept from one launch for the next.

use corosensei::stack::{DefaultStack, Stack};
use std::{
    io,
    sync::{Mutex, PoisonError},
};

/// Size of the stacks that are kept, in bytes: enough for nearly all kernels.
const KEPT_BYTES: usize = 256 * 1024;
/// Most stacks that are kept: those of two blocks of the greatest size. A process may have some
/// 65,000 mappings, and each stack is two, with its guard page.
const MOST_KEPT: usize = 2048;

/// Validation launches thousands of kernels, each in some milliseconds: to map, to touch and to
/// unmap stacks for every one took two thirds of the time.
static KEPT: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// `count` stacks of at least `bytes` bytes each. What they hold is undefined.
pub(crate) fn take(count: usize, bytes: usize) -> io::Result<Vec<DefaultStack>> {
    if bytes > KEPT_BYTES {
        return (0..count).map(|_| DefaultStack::new(bytes)).collect();
    }
    let mut stacks = {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = kept.len().saturating_sub(count);
        kept.split_off(rest)
    };
    while stacks.len() < count {
        stacks.push(DefaultStack::new(KEPT_BYTES)?);
    }
    Ok(stacks)
}

/// Keeps stacks that nothing runs on for the next launch, as long as they are of the usual size and
/// not too many.
pub(crate) fn give_back(stacks: impl IntoIterator<Item = DefaultStack>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_KEPT.saturating_sub(kept.len());
    kept.extend(stacks.into_iter().filter(is_usual).take(room));
}

fn is_usual(stack: &DefaultStack) -> bool {
    // Larger ones may have many pages that were touched.
    let guard_and_rounding = 64 * 1024;
    stack.base().get() - stack.limit().get() <= KEPT_BYTES + guard_and_rounding
}
