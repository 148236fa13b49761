//! What can go wrong, how it is said, and which exit status it gives.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use tx_runtime::ErrorKind;

/// Why a command did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage: status 2.
    Usage(String),
    /// The program, its arguments or its files were refused: status 1.
    Refused(String),
    /// The program was refused, and says why with locations of its own: status 1.
    Diagnosed(String),
    /// The program ran and failed: status 3.
    Failed(String),
    /// Nobody reads standard output any more: nothing is left to do, and nothing to say.
    Closed,
}

impl Failure {
    /// What went wrong with a file.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::Refused(format!("{}: {error}", path.display()))
    }

    /// What went wrong with standard output.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(format!("standard output: {error}")),
        }
    }

    /// Says what went wrong on standard error.
    pub(crate) fn report(self) -> ExitCode {
        if let Some(message) = self.message() {
            say(&message);
        }
        ExitCode::from(self.status())
    }

    /// What went wrong, if there is something to say.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Usage(message) | Self::Refused(message) => Some(format!("tx: {message}")),
            Self::Diagnosed(message) | Self::Failed(message) => Some(message.clone()),
            Self::Closed => None,
        }
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Refused(_) | Self::Diagnosed(_) => 1,
            Self::Usage(_) => 2,
            Self::Failed(_) => 3,
        }
    }
}

impl From<tx_runtime::Error> for Failure {
    fn from(error: tx_runtime::Error) -> Self {
        match (error.kind(), &error) {
            (ErrorKind::Usage, _) => Self::Usage(error.to_string()),
            (ErrorKind::Refused, _) => Self::Refused(error.to_string()),
            // A fault starts with its location, as diagnostics do.
            (ErrorKind::Failed, tx_runtime::Error::Fault(_)) => Self::Failed(error.to_string()),
            (ErrorKind::Failed, _) => Self::Failed(format!("tx: {error}")),
        }
    }
}

/// Writes a line to standard error. When that is closed there is nowhere to say so.
pub(crate) fn say(message: &str) {
    use io::Write;
    crate::progress::around(|| {
        let _ = writeln!(io::stderr().lock(), "{}", message.trim_end());
    });
}
