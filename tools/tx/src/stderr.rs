//! Output on standard error: messages as text or JSON, notes and warnings.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use clap::ValueEnum;

use crate::message::Message;
use crate::progress_bar;

/// Message format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text, in colours on a terminal
    #[default]
    Human,
    /// One line of JSON for each message
    Json,
}

static FORMAT: OnceLock<Format> = OnceLock::new();

impl Format {
    /// Sets the message format of the process. The first call determines the format; all later
    /// calls have no effect.
    pub(crate) fn choose(self) {
        FORMAT.get_or_init(|| self);
    }

    pub(crate) fn chosen() -> Self {
        FORMAT.get().copied().unwrap_or_default()
    }
}

static QUIET: OnceLock<bool> = OnceLock::new();

/// Disables notes and warnings if `quiet` is true. Calls after the first call have no effect.
pub(crate) fn set_quiet(quiet: bool) {
    let _ = QUIET.set(quiet);
}

/// Prints messages to standard error in the chosen format. Write errors are ignored.
pub(crate) fn print_messages(messages: &[Message]) {
    for message in messages {
        match Format::chosen() {
            Format::Human => write(&message.styled()),
            Format::Json => write(&message.json().to_string()),
        }
    }
}

/// Writes a text to standard error. The colours depend on the terminal, `NO_COLOR` and
/// `CLICOLOR_FORCE`.
fn write(text: &str) {
    progress_bar::hide_during(|| {
        let _ = writeln!(
            anstream::AutoStream::auto(std::io::stderr().lock()),
            "{}",
            text.trim_end()
        );
    });
}

/// Prints a text without a prefix to standard error.
pub(crate) fn print_text(text: &str) {
    print_messages(&[Message::plain(text)]);
}

/// Prints a text, unless `--quiet` is set.
pub(crate) fn note(message: &str) {
    if QUIET.get() != Some(&true) {
        print_text(message);
    }
}

/// Prints warnings, unless `--quiet` is set.
pub(crate) fn warn(warnings: &[Message]) {
    if QUIET.get() != Some(&true) {
        print_messages(warnings);
    }
}

/// Prints a text, unless `--quiet` is set or an earlier call has printed the same text.
pub(crate) fn note_once(message: &str) {
    if is_news(message) {
        note(message);
    }
}

/// Prints a warning, unless `--quiet` is set or an earlier call has printed the same warning.
pub(crate) fn warn_once(message: &str) {
    if is_news(message) && QUIET.get() != Some(&true) {
        print_messages(&[Message::warning(message)]);
    }
}

/// Returns whether the process has not printed the message yet.
fn is_news(message: &str) -> bool {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.insert(message.to_owned())
}
