//! Errors of commands, with their messages and exit statuses.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use tx_runtime::ErrorKind;

use crate::message::Message;
use crate::source_lines::SourceLines;
use crate::stderr::print_messages;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is invalid; the exit status is 2.
    Usage(String),
    /// The command rejects a program, an argument or a file; the exit status is 1.
    Refused(String),
    /// The command rejects a program, and the diagnostics have source locations; the exit status is
    /// 1.
    Diagnosed(Vec<Message>),
    /// A run or a check fails; the exit status is 3.
    Failed(String),
    /// The program causes a fault at run time; the exit status is 3.
    Fault(Box<Message>),
    /// Standard output is closed; the exit status is 0, and no message is printed.
    Closed,
}

impl Failure {
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::of_file(path, &error.to_string())
    }

    /// Creates the failure for an unreadable file. The argument `what` names the expected content
    /// of the file, such as `a program`.
    pub(crate) fn unreadable(path: &Path, what: &str, error: &io::Error) -> Self {
        let missing = tx_mlir::missing(path, what);
        Self::of_file(path, &missing.unwrap_or_else(|| error.to_string()))
    }

    pub(crate) fn of_file(path: &Path, reason: &str) -> Self {
        Self::Diagnosed(vec![Message::of_file(path, reason)])
    }

    pub(crate) fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(format!("cannot write standard output: {error}")),
        }
    }

    pub(crate) fn quoting(self, file: &Path, text: &[u8]) -> Self {
        let lines = SourceLines::of(file, text);
        match self {
            Self::Fault(message) => Self::Fault(Box::new(message.quoting(&lines))),
            Self::Diagnosed(all) => Self::Diagnosed(
                all.into_iter()
                    .map(|message| message.quoting(&lines))
                    .collect(),
            ),
            other => other,
        }
    }

    /// Prints the messages of the failure to standard error, and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        print_messages(&self.messages());
        ExitCode::from(self.status())
    }

    fn messages(&self) -> Vec<Message> {
        match self {
            Self::Usage(message) | Self::Refused(message) => vec![Message::by_tx(message)],
            Self::Failed(message) => vec![Message::failed(message)],
            Self::Diagnosed(messages) => messages.clone(),
            Self::Fault(message) => vec![(**message).clone()],
            Self::Closed => Vec::new(),
        }
    }

    pub(crate) fn message(&self) -> Option<String> {
        match self {
            Self::Closed => None,
            _ => Some(self.messages().iter().map(Message::text).collect()),
        }
    }

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
                Self::Fault(Box::new(Message::fault(fault)))
            }
            (ErrorKind::Failed, _) => Self::Failed(format!("tx: {error}")),
        }
    }
}
