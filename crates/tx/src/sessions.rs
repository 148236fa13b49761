//! Contexts that wait for the next compilation: to load dialects takes longer than most passes do.

use crate::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tx_mlir::Session;

/// Bytes of programs that one context compiles. It never forgets a type, an attribute or a location.
const MOST_BYTES: usize = 1 << 20;
/// Bytes that a program counts as, at least.
const LEAST_BYTES: usize = 1 << 12;

/// Contexts that no compilation uses: as many as there were compilations at once.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<Vec<Waiting>>);

struct Waiting {
    session: Session,
    /// Bytes of programs that it has compiled.
    bytes: usize,
}

impl Sessions {
    /// Does something with a program of so many bytes in a context of its own. The context waits
    /// for the next program if all went well: what a failure leaves is not known.
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
        // Remarks of one program are not to be told with the errors of the next.
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
