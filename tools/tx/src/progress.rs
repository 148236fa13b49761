//! Progress display on standard error.
//!
//! On a terminal, the display is a progress bar, which is removed at the end. Code that writes
//! other output to the terminal must use [`progress_bar::hide_during`], which hides the progress
//! bar during the write. Without a terminal, long work prints one line every 10 seconds.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::progress_bar;
use crate::stderr::{self, Format};

/// Command-line options that control notes, warnings and progress output.
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
    /// Progress lines. `between` is the minimum time between two progress lines, and `before` is
    /// the minimum time before the first progress line.
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
const SPARSE_LINES: Form = Form::Lines {
    between: Duration::from_secs(10),
    before: Duration::from_secs(10),
};

static FORM: OnceLock<Form> = OnceLock::new();

/// Interval at which the progress display queries the progress of work that does not report its
/// steps.
#[cfg(feature = "fuzz")]
const DISPLAY_INTERVAL: Duration = Duration::from_millis(200);

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
        When::Auto if !is_terminal => SPARSE_LINES,
        When::Always if is_logging || !is_terminal => LINES,
        When::Auto | When::Always => Form::Bar,
    };
    let _ = FORM.set(form);
    stderr::set_quiet(options.quiet);
}

/// Returns whether a progress line is due, given the times since the start and since the last line.
fn is_due(form: Form, begun: Duration, printed: Option<Duration>) -> bool {
    match form {
        Form::Lines { between, before } => {
            printed.map_or(begun >= before, |printed| printed >= between)
        }
        Form::Nothing | Form::Bar => false,
    }
}

/// Work with a progress display. The progress display ends when the `Task` is dropped.
pub(crate) struct Task {
    what: &'static str,
    /// Progress bar. If progress is printed as lines, the bar is invisible and only counts the
    /// steps.
    bar: ProgressBar,
    form: Form,
    begun: Instant,
    printed: Mutex<Option<Instant>>,
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
        progress_bar::show(&bar);
        bar.tick();
    }
    Task {
        what,
        bar,
        form,
        begun: Instant::now(),
        printed: Mutex::new(None),
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
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_due(
            self.form,
            self.begun.elapsed(),
            printed.map(|s| s.elapsed()),
        ) {
            return;
        }
        *printed = Some(Instant::now());
        let (at, of) = (self.bar.position(), self.bar.length().unwrap_or_default());
        stderr::print_text(&format!(
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

    /// Runs `work`. While `work` runs, the progress display shows the number of steps and the
    /// message that `look` returns.
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
                while ended.recv_timeout(DISPLAY_INTERVAL)
                    == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
                {
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
            progress_bar::forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `--progress always` prints progress lines from the start, and `--progress auto`
    /// prints progress lines after 10 seconds.
    #[test]
    fn lines_are_due() {
        let seconds = Duration::from_secs;
        assert!(is_due(LINES, seconds(0), None));
        assert!(!is_due(LINES, seconds(9), Some(seconds(0))));
        assert!(is_due(LINES, seconds(9), Some(seconds(1))));
        assert!(!is_due(SPARSE_LINES, seconds(9), None));
        assert!(is_due(SPARSE_LINES, seconds(10), None));
        assert!(!is_due(SPARSE_LINES, seconds(19), Some(seconds(9))));
        assert!(is_due(SPARSE_LINES, seconds(20), Some(seconds(10))));
        assert!(!is_due(Form::Nothing, seconds(20), None));
        assert!(!is_due(Form::Bar, seconds(20), None));
    }
}
