//! The `tx` program: compile and run reductions.

mod batch;
mod bench;
mod cli;
mod compile;
mod doctor;
mod explain;
mod failure;
mod fuzz;
mod report;
mod run;
mod tune;
mod validate;

use std::any::Any;
use std::io::{IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_complete::Shell;
use tracing_subscriber::EnvFilter;

use cli::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    // SAFETY: there is no other thread yet.
    unsafe { tx::ignore_cuda_toolkit() };
    let cli = Cli::parse();
    // A panic is a bug, but the user is owed a message and not a backtrace.
    panic::set_hook(Box::new(|info| {
        let at = info
            .location()
            .map(|at| format!(" at {}:{}", at.file(), at.line()))
            .unwrap_or_default();
        failure::say(&format!(
            "tx: internal error{at}: {}",
            panic_message(info.payload())
        ));
        failure::say(
            "tx: this is a bug of tx; please report it with the program and the command line",
        );
    }));
    match panic::catch_unwind(AssertUnwindSafe(|| execute(cli))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(),
        Err(_) => ExitCode::FAILURE,
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

fn execute(cli: Cli) -> Result<(), Failure> {
    if let Some(filter) = &cli.log {
        let filter = EnvFilter::builder()
            .parse(filter)
            .map_err(|error| Failure::Usage(format!("`{filter}` is not a log filter: {error}")))?;
        let stderr = std::io::stderr;
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(stderr().is_terminal())
            .with_writer(stderr)
            .init();
    }
    match cli.command {
        Command::Run(options) => run::run(&options),
        Command::Batch(options) => batch::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Compile(options) => compile::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Tune(options) => tune::run(&options),
        Command::Validate(options) => validate::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::Completions(options) => completions(&options),
    }
}

fn completions(options: &cli::Completions) -> Result<(), Failure> {
    let shell = match options.shell {
        cli::Shell::Bash => Shell::Bash,
        cli::Shell::Zsh => Shell::Zsh,
        cli::Shell::Fish => Shell::Fish,
    };
    // Into memory first: clap_complete panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tx", &mut script);
    print(&script)
}

/// Writes to standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::stdout(&error))
}
