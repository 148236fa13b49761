//! Pool of MLIR contexts. Loading the dialects of a new context takes longer than most passes.

use crate::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tx_mlir::Session;

/// Maximum number of source bytes per context, because a context never frees types, attributes and
/// locations.
const MOST_BYTES: usize = 1 << 20;
/// Minimum number of source bytes that each program adds to the total that [`MOST_BYTES`] limits.
const LEAST_BYTES: usize = 1 << 12;

/// Idle contexts, at most as many as there were concurrent compilations.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Vec<Waiting>>);

struct Waiting {
    session: Session,
    bytes: usize,
}

impl Sessions {
    /// Calls `work` with a context for a program of `bytes` bytes. The context is reused after
    /// success, and dropped after an error, because its state is then unknown.
    pub(crate) fn with<R>(
        &self,
        bytes: usize,
        work: impl FnOnce(&Session) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let waiting = self.lock().pop();
        let mut own = waiting.unwrap_or_else(|| Waiting {
            session: Session::new(tx_dialect_tile::register),
            bytes: 0,
        });
        let done = work(&own.session)?;
        own.bytes = own.bytes.saturating_add(bytes.max(LEAST_BYTES));
        // Remaining remarks must not appear among the errors of the next program.
        own.session.take_diagnostics();
        if own.bytes < MOST_BYTES {
            self.lock().push(own);
        }
        Ok(done)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sessions").field(&self.lock().len()).finish()
    }
}
