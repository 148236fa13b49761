//! Output on standard output.

use std::io::Write;

use crate::failure::Failure;
use crate::progress_bar;

/// Writes to standard output while the progress bar is hidden.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    progress_bar::hide_during(|| {
        let mut stdout = std::io::stdout().lock();
        stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .map_err(|error| Failure::stdout(&error))
    })
}
