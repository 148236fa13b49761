//! How far long work is, on standard error.
//!
//! There is a bar where standard error is a terminal, and nothing where it is not. It is cleared when the work ends. What is
//! printed meanwhile goes through [`around`], so that it does not run into the bar.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::diagnostic::{Format, Said, say_all};

/// What is said on standard error beside errors.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Say nothing on standard error but what is wrong
    #[arg(long, short, global = true, display_order = 101)]
    pub(crate) quiet: bool,

    /// When to show how far long work is: auto (on a terminal), never, or always (without a terminal, as lines)
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
    Lines,
}

static QUIET: OnceLock<bool> = OnceLock::new();
static FORM: OnceLock<Form> = OnceLock::new();
/// The bar that is shown now.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// The least time between two lines.
const BETWEEN_LINES: Duration = Duration::from_secs(1);
/// How often what takes its time by itself is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Takes what the user asked for. Log messages and a bar would run into each other.
pub(crate) fn configure(options: &Options, is_logging: bool) {
    let is_terminal = io::stderr().is_terminal()
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    // Programs read lines.
    let is_json = Format::chosen() == Format::Json;
    let form = match options.progress {
        _ if options.quiet => Form::Nothing,
        When::Never => Form::Nothing,
        When::Auto if is_json => Form::Nothing,
        When::Always if is_json => Form::Lines,
        When::Auto if is_logging || !is_terminal => Form::Nothing,
        When::Always if is_logging || !is_terminal => Form::Lines,
        When::Auto | When::Always => Form::Bar,
    };
    let _ = FORM.set(form);
    let _ = QUIET.set(options.quiet);
}

/// Says something that is neither wrong nor asked for.
pub(crate) fn note(message: &str) {
    if QUIET.get() != Some(&true) {
        crate::failure::say(message);
    }
}

/// Says what is hardly meant.
pub(crate) fn warn(warnings: &[Said]) {
    if QUIET.get() != Some(&true) {
        say_all(warnings);
    }
}

/// The same as [`note`], but not again in this process: of what concerns each of several runs.
pub(crate) fn note_once(message: &str) {
    if is_news(message) {
        note(message);
    }
}

/// Says once what does not go as it should and is in nobody's way.
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

/// Writes something while no bar is in the way.
pub(crate) fn around<T>(write: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Work that takes long, as long as this lives.
pub(crate) struct Task {
    what: &'static str,
    /// Of a bar that is drawn, or of one that counts for the lines.
    bar: ProgressBar,
    form: Form,
    said: Mutex<Option<Instant>>,
}

/// Begins work of so many steps.
pub(crate) fn start(what: &'static str, steps: u64) -> Task {
    let form = FORM.get().copied().unwrap_or(Form::Nothing);
    let target = match form {
        Form::Bar => ProgressDrawTarget::stderr(),
        Form::Nothing | Form::Lines => ProgressDrawTarget::hidden(),
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
        said: Mutex::new(None),
    }
}

impl Task {
    /// Says what is being done.
    pub(crate) fn doing(&self, message: &str) {
        self.bar.set_message(message.to_owned());
        self.line();
    }

    /// A step is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// So many steps are done.
    fn reach(&self, steps: u64, message: String) {
        self.bar.set_position(steps);
        self.bar.set_message(message);
        self.line();
    }

    fn line(&self) {
        if self.form != Form::Lines {
            return;
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_some_and(|said| said.elapsed() < BETWEEN_LINES) {
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

    /// Shows, while `work` runs, the steps and the message that `look` answers.
    pub(crate) fn while_running<T>(
        self,
        look: impl Fn() -> (u64, String) + Send,
        work: impl FnOnce() -> T,
    ) -> T {
        if self.form == Form::Nothing {
            return work();
        }
        std::thread::scope(|scope| {
            // Dropped when the work ends, also by a panic.
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
