//! The `tx` program as a library, for compilers with additional variants and passes.
//!
//! A compiler that registers variants or passes defines a `main` function, as in the example
//! program below. All commands of `tx` use the registered variants and passes. Messages contain the
//! name by which the program was started.
//!
//! ```no_run
//! # mod mine { pub fn register() -> Result<(), tx::Error> { Ok(()) } }
//! fn main() -> std::process::ExitCode {
//!     tx_cli::main_with(mine::register, |compiler| {
//!         compiler.with_pass_before("tile-select-variant", "canonicalize")
//!     })
//! }
//! ```

mod batch;
mod bench;
mod cli;
mod compile;
mod compiler;
mod completions;
mod doctor;
mod explain;
mod failure;
#[cfg(feature = "fuzz")]
mod fuzz;
mod log;
mod man;
mod memory;
mod message;
mod name;
mod pages;
mod progress;
mod progress_bar;
#[cfg(feature = "report")]
mod report;
mod run;
mod source_lines;
mod stderr;
mod stdout;
mod trace;
mod tune;
mod usage;
mod validate;

pub use compiler::Prepare;

use std::any::Any;
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use cli::{Cli, Command};
use failure::Failure;
use message::Message;

/// Function that registers variants and passes.
pub type Register = fn() -> Result<(), tx::Error>;

/// Runs the command line of the process. `main` must call this function before `main` starts a
/// thread, because the function sets the panic hook and an environment variable.
#[must_use = "it is the exit status"]
pub fn main() -> ExitCode {
    main_of("tx", || Ok(()), Ok)
}

/// Runs the command line with additional variants and passes. The function calls `register` once,
/// and calls `prepare` for every compiler that a command creates. A registered pass runs only if
/// `prepare` adds the pass to `lower-reduction`. If `register` fails, the function prints the error
/// and returns exit status 1.
#[must_use = "it is the exit status"]
pub fn main_with(register: Register, prepare: Prepare) -> ExitCode {
    main_of(
        "tx, or of a variant or a pass that this program registers",
        register,
        prepare,
    )
}

/// Runs the command line. If the process panics, the printed message attributes the bug to
/// `makers`.
fn main_of(makers: &'static str, register: Register, prepare: Prepare) -> ExitCode {
    compiler::prepare_with(prepare);
    name::choose();
    // SAFETY: the process has only one thread at this point.
    unsafe { tx::ignore_cuda_toolkit() };
    let work: Box<dyn FnOnce() -> Result<(), Failure>> = match worker() {
        Some(serve) => Box::new(serve),
        None => match parse() {
            Ok(cli) => Box::new(|| execute(cli)),
            Err(error) => return usage::wrong(error),
        },
    };
    // A panic prints a message instead of a backtrace.
    panic::set_hook(Box::new(move |info| {
        let at = info
            .location()
            .map(|at| format!(" at {}:{}", at.file(), at.line()))
            .unwrap_or_default();
        stderr::print_text(&format!(
            "tx: internal error{at}: {}",
            panic_message(info.payload())
        ));
        stderr::print_text(&format!(
            "tx: this is a bug of {makers}; please report it with the program and the command line"
        ));
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(|| {
        register().map_err(|error| {
            let messages = Message::diagnostics(&error.diagnostics, Path::new(""), b"");
            Failure::Diagnosed(messages)
        })?;
        work()
    }));
    match (done, trace::finish()) {
        (Ok(Ok(())), Ok(())) => ExitCode::SUCCESS,
        (Ok(Ok(())), Err(failure)) | (Ok(Err(failure)), _) => failure.report(),
        (Err(_), _) => ExitCode::FAILURE,
    }
}

/// Returns the main function of a worker process; `None` if `tx fuzz` did not start the process.
fn worker() -> Option<fn() -> Result<(), Failure>> {
    #[cfg(feature = "fuzz")]
    if fuzz::is_worker() {
        return Some(fuzz::serve);
    }
    None
}

fn parse() -> Result<Cli, clap::Error> {
    let found = name::of(Cli::command()).try_get_matches()?;
    let cli = Cli::from_arg_matches(&found)?;
    cli.message_format.choose();
    Ok(cli)
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

fn execute(cli: Cli) -> Result<(), Failure> {
    // An empty environment variable counts as unset.
    let filter = cli
        .log
        .or_else(|| env::var("TX_LOG").ok().filter(|filter| !filter.is_empty()));
    progress::configure(&cli.progress, filter.is_some());
    log::start(filter.as_deref(), cli.trace.as_deref())?;
    match cli.command {
        Command::Run(options) => run::run(&options),
        Command::Batch(options) => batch::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Compile(options) => compile::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Validate(options) => validate::run(&options),
        #[cfg(feature = "report")]
        Command::Report(options) => report::run(&options),
        #[cfg(feature = "fuzz")]
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    }
}
