//! Pool of MLIR contexts. Loading the dialects of a new context takes longer than most passes.

use crate::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tx_mlir::Session;

/// Total number of source bytes after which the pool drops a context, because a context never frees
/// types, attributes and locations.
const MAX_BYTES: usize = 1 << 20;
/// Minimum number of source bytes that a program counts toward the limit [`MAX_BYTES`].
const MIN_BYTES: usize = 1 << 12;

/// Pool of idle MLIR contexts. The number of idle contexts in the pool is at most the largest
/// number of concurrent compilations so far.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Vec<IdleSession>>);

struct IdleSession {
    session: Session,
    bytes: usize,
}

impl Sessions {
    /// Calls `work` with an MLIR context, for a program of `bytes` bytes. If `work` succeeds, later
    /// calls of the function reuse the context. If `work` fails, the function drops the context,
    /// because the state of the context is unknown.
    pub(crate) fn with<R>(
        &self,
        bytes: usize,
        work: impl FnOnce(&Session) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let waiting = self.lock().pop();
        let mut own = waiting.unwrap_or_else(|| IdleSession {
            session: Session::new(tx_dialect_tile::register),
            bytes: 0,
        });
        let done = work(&own.session)?;
        own.bytes = own.bytes.saturating_add(bytes.max(MIN_BYTES));
        // The recorded remarks must not appear among the errors of the next program.
        own.session.take_diagnostics();
        if own.bytes < MAX_BYTES {
            self.lock().push(own);
        }
        Ok(done)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<IdleSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sessions").field(&self.lock().len()).finish()
    }
}
