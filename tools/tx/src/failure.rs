//! What can go wrong, how it is said, and which exit status it gives.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use tx_runtime::ErrorKind;

use crate::diagnostic::{Lines, Said, say_all};

/// Why a command did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong usage: status 2.
    Usage(String),
    /// The program, its arguments or its files were refused: status 1.
    Refused(String),
    /// The program was refused, and says why with locations of its own: status 1.
    Diagnosed(Vec<Said>),
    /// The program ran and failed: status 3.
    Failed(String),
    /// The program did something wrong when it ran: status 3.
    Fault(Box<Said>),
    /// Nobody reads standard output any more: nothing is left to do, and nothing to say.
    Closed,
}

impl Failure {
    /// What went wrong with a file.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::of_file(path, &error.to_string())
    }

    /// Why a file cannot be read as `what`, such as `a program`.
    pub(crate) fn unreadable(path: &Path, what: &str, error: &io::Error) -> Self {
        let missing = tx_mlir::missing(path, what);
        Self::of_file(path, &missing.unwrap_or_else(|| error.to_string()))
    }

    /// What is wrong with a file.
    pub(crate) fn of_file(path: &Path, reason: &str) -> Self {
        Self::Diagnosed(vec![Said::of_file(path, reason)])
    }

    /// What went wrong with standard output.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(format!("cannot write standard output: {error}")),
        }
    }

    /// The same with the lines of the program that it points to.
    pub(crate) fn quoting(self, file: &Path, text: &[u8]) -> Self {
        let lines = Lines::of(file, text);
        match self {
            Self::Fault(said) => Self::Fault(Box::new(said.quoting(&lines))),
            Self::Diagnosed(all) => {
                Self::Diagnosed(all.into_iter().map(|said| said.quoting(&lines)).collect())
            }
            other => other,
        }
    }

    /// Says what went wrong on standard error.
    pub(crate) fn report(self) -> ExitCode {
        say_all(&self.said());
        ExitCode::from(self.status())
    }

    /// What there is to say.
    fn said(&self) -> Vec<Said> {
        match self {
            Self::Usage(message) | Self::Refused(message) => vec![Said::by_tx(message)],
            Self::Failed(message) => vec![Said::failed(message)],
            Self::Diagnosed(said) => said.clone(),
            Self::Fault(said) => vec![(**said).clone()],
            Self::Closed => Vec::new(),
        }
    }

    /// What went wrong, if there is something to say.
    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Closed => None,
            _ => Some(self.said().iter().map(Said::text).collect()),
        }
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Refused(_) | Self::Diagnosed(_) => 1,
            Self::Usage(_) => 2,
            Self::Failed(_) | Self::Fault(_) => 3,
        }
    }
}

impl From<tx_runtime::Error> for Failure {
    fn from(error: tx_runtime::Error) -> Self {
        match (error.kind(), &error) {
            (ErrorKind::Usage, _) => Self::Usage(error.to_string()),
            (ErrorKind::Refused, _) => Self::Refused(error.to_string()),
            (ErrorKind::Failed, tx_runtime::Error::Fault(fault)) => {
                Self::Fault(Box::new(Said::fault(fault)))
            }
            (ErrorKind::Failed, _) => Self::Failed(format!("tx: {error}")),
        }
    }
}

/// Says on standard error how it goes.
pub(crate) fn say(message: &str) {
    say_all(&[Said::progress(message)]);
}
