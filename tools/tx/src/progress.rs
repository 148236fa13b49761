//! Progress display on standard error.
//!
//! On a terminal, the display is a progress bar, which is removed at the end. All other output must
//! use [`around`], which hides the bar during the write. Without a terminal, long work prints one
//! line every 10 seconds.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::diagnostic::{Format, Said, say_all};

/// Options for messages other than errors.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Print only errors to standard error
    #[arg(long, short, global = true, display_order = 101)]
    pub(crate) quiet: bool,

    /// When to show progress: auto (a bar on a terminal, otherwise a line every 10 seconds), never,
    /// or always (a line every second)
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        global = true,
        display_order = 102
    )]
    pub(crate) progress: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Never,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Nothing,
    Bar,
    /// Progress lines. `between` is the minimum time between two lines, and `before` is the minimum
    /// time before the first line.
    Lines {
        between: Duration,
        before: Duration,
    },
}

/// Progress lines for `--progress always`.
const LINES: Form = Form::Lines {
    between: Duration::from_secs(1),
    before: Duration::ZERO,
};
/// Progress lines for `--progress auto` without a terminal.
const FEW_LINES: Form = Form::Lines {
    between: Duration::from_secs(10),
    before: Duration::from_secs(10),
};

static QUIET: OnceLock<bool> = OnceLock::new();
static FORM: OnceLock<Form> = OnceLock::new();
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Interval at which the progress display reads the progress of work that does not report its
/// steps.
#[cfg(feature = "fuzz")]
const LOOK: Duration = Duration::from_millis(200);

/// Sets the form of the progress display. Log messages disable the progress bar.
pub(crate) fn configure(options: &Options, is_logging: bool) {
    let is_terminal = io::stderr().is_terminal()
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    // In JSON format, no progress is displayed by default, because another program reads the
    // output.
    let is_json = Format::chosen() == Format::Json;
    let form = match options.progress {
        _ if options.quiet => Form::Nothing,
        When::Never => Form::Nothing,
        When::Auto if is_json => Form::Nothing,
        When::Always if is_json => LINES,
        When::Auto if is_logging => Form::Nothing,
        When::Auto if !is_terminal => FEW_LINES,
        When::Always if is_logging || !is_terminal => LINES,
        When::Auto | When::Always => Form::Bar,
    };
    let _ = FORM.set(form);
    let _ = QUIET.set(options.quiet);
}

pub(crate) fn note(message: &str) {
    if QUIET.get() != Some(&true) {
        crate::failure::say(message);
    }
}

pub(crate) fn warn(warnings: &[Said]) {
    if QUIET.get() != Some(&true) {
        say_all(warnings);
    }
}

pub(crate) fn note_once(message: &str) {
    if is_news(message) {
        note(message);
    }
}

pub(crate) fn warn_once(message: &str) {
    if is_news(message) && QUIET.get() != Some(&true) {
        say_all(&[Said::warning(message)]);
    }
}

fn is_news(message: &str) -> bool {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    said.insert(message.to_owned())
}

/// Calls `write`, which writes to the terminal, while the progress bar is hidden.
pub(crate) fn around<T>(write: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Returns whether a progress line is due, given the times since the start and since the last line.
fn is_due(form: Form, begun: Duration, said: Option<Duration>) -> bool {
    match form {
        Form::Lines { between, before } => said.map_or(begun >= before, |said| said >= between),
        Form::Nothing | Form::Bar => false,
    }
}

/// Work with a progress display. The display ends when the value is dropped.
pub(crate) struct Task {
    what: &'static str,
    /// Progress bar. If progress is printed as lines, the bar is invisible and only counts the
    /// steps.
    bar: ProgressBar,
    form: Form,
    begun: Instant,
    said: Mutex<Option<Instant>>,
}

pub(crate) fn start(what: &'static str, steps: u64) -> Task {
    let form = FORM.get().copied().unwrap_or(Form::Nothing);
    let target = match form {
        Form::Bar => ProgressDrawTarget::stderr(),
        Form::Nothing | Form::Lines { .. } => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(steps), target).with_prefix(what);
    if form == Form::Bar {
        let style =
            ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {elapsed} {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        bar.tick();
    }
    Task {
        what,
        bar,
        form,
        begun: Instant::now(),
        said: Mutex::new(None),
    }
}

impl Task {
    pub(crate) fn doing(&self, message: &str) {
        self.bar.set_message(message.to_owned());
        self.line();
    }

    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    fn line(&self) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_due(self.form, self.begun.elapsed(), said.map(|s| s.elapsed())) {
            return;
        }
        *said = Some(Instant::now());
        let (at, of) = (self.bar.position(), self.bar.length().unwrap_or_default());
        crate::failure::say(&format!(
            "tx: {}: {at} of {of}: {}",
            self.what,
            self.bar.message()
        ));
    }
}

/// Progress display of work that does not report its steps.
#[cfg(feature = "fuzz")]
impl Task {
    fn reach(&self, steps: u64, message: String) {
        self.bar.set_position(steps);
        self.bar.set_message(message);
        self.line();
    }

    /// Runs `work`. During the run, shows the number of steps and the message that `look` returns.
    pub(crate) fn while_running<T>(
        self,
        look: impl Fn() -> (u64, String) + Send,
        work: impl FnOnce() -> T,
    ) -> T {
        if self.form == Form::Nothing {
            return work();
        }
        std::thread::scope(|scope| {
            // The drop of `end` stops the display thread, even if `work` panics.
            let (end, ended) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || {
                while ended.recv_timeout(LOOK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    let (steps, message) = look();
                    self.reach(steps, message);
                }
            });
            let done = work();
            drop(end);
            done
        })
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if self.form == Form::Bar {
            self.bar.finish_and_clear();
            *BAR.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that lines of `--progress always` start at once, and automatic lines after 10
    /// seconds.
    #[test]
    fn lines_are_due() {
        let seconds = Duration::from_secs;
        assert!(is_due(LINES, seconds(0), None));
        assert!(!is_due(LINES, seconds(9), Some(seconds(0))));
        assert!(is_due(LINES, seconds(9), Some(seconds(1))));
        assert!(!is_due(FEW_LINES, seconds(9), None));
        assert!(is_due(FEW_LINES, seconds(10), None));
        assert!(!is_due(FEW_LINES, seconds(19), Some(seconds(9))));
        assert!(is_due(FEW_LINES, seconds(20), Some(seconds(10))));
        assert!(!is_due(Form::Nothing, seconds(20), None));
        assert!(!is_due(Form::Bar, seconds(20), None));
    }
}
