//! The progress bar on the terminal. The progress bar is hidden while the process writes other
//! output to the terminal.

use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sets the progress bar that [`hide_during`] hides.
pub(crate) fn show(bar: &ProgressBar) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Removes the progress bar that [`show`] set.
pub(crate) fn forget() {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Calls `write`, which writes to the terminal, while the progress bar is hidden.
pub(crate) fn hide_during<T>(write: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
