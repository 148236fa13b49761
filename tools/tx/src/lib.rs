//! The `tx` program as a library: its commands with the variants and passes of another compiler.
//!
//! `tx validate`, `tx run`, `tx explain` and the others know what is registered in their own process. A compiler that
//! registers more has a `tx` of its own, which is a `main`:
//!
//! ```no_run
//! # mod mine { pub fn register() -> Result<(), tx::Error> { Ok(()) } }
//! fn main() -> std::process::ExitCode {
//!     tx_cli::main_with(mine::register, |compiler| {
//!         compiler.with_pass_before("tile-select-variant", "canonicalize")
//!     })
//! }
//! ```
//!
//! What it says is what `tx` says, and so are options and exit statuses; it calls itself by the name that it is started by.

mod batch;
mod bench;
mod cli;
mod compile;
mod diagnostic;
mod doctor;
mod explain;
mod failure;
mod fuzz;
mod man;
mod name;
mod progress;
mod report;
mod run;
mod trace;
mod tune;
mod validate;

use std::any::Any;
use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use clap_complete::Shell;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use cli::{Cli, Command};
use diagnostic::{Format, Said};
use failure::Failure;

/// Puts passes into a compiler, or sets something else of it.
pub type Prepare = fn(tx::Compiler) -> Result<tx::Compiler, tx::Error>;

/// Makes variants and passes known.
pub type Register = fn() -> Result<(), tx::Error>;

static PREPARE: OnceLock<Prepare> = OnceLock::new();

/// Does what the arguments of the process say. It is the body of `main`: it is called while there is no other thread, and sets
/// the panic hook.
#[must_use = "it is the exit status"]
pub fn main() -> ExitCode {
    main_of("tx", || Ok(()), Ok)
}

/// The same with what `register` registers, once, and with every compiler as `prepare` returns it: with passes put into
/// `lower-reduction`. A pass that is registered and put nowhere is not run; `Ok` puts none. What `register` refuses, such as a
/// name that is taken, is told, and the exit status is 1.
#[must_use = "it is the exit status"]
pub fn main_with(register: Register, prepare: Prepare) -> ExitCode {
    main_of(
        "tx, or of a variant or a pass that this program registers",
        register,
        prepare,
    )
}

/// `makers` are those of whom a panic is a bug.
fn main_of(makers: &'static str, register: Register, prepare: Prepare) -> ExitCode {
    PREPARE.get_or_init(|| prepare);
    name::choose();
    // SAFETY: there is no other thread yet.
    unsafe { tx::ignore_cuda_toolkit() };
    let parsed = name::of(Cli::command())
        .try_get_matches()
        .and_then(|found| Cli::from_arg_matches(&found));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(error),
    };
    cli.message_format.choose();
    // A panic is a bug, but the user is owed a message and not a backtrace.
    panic::set_hook(Box::new(move |info| {
        let at = info
            .location()
            .map(|at| format!(" at {}:{}", at.file(), at.line()))
            .unwrap_or_default();
        failure::say(&format!(
            "tx: internal error{at}: {}",
            panic_message(info.payload())
        ));
        failure::say(&format!(
            "tx: this is a bug of {makers}; please report it with the program and the command line"
        ));
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(|| {
        register().map_err(|error| {
            let said = Said::diagnostics(&error.diagnostics, Path::new(""), b"");
            Failure::Diagnosed(said)
        })?;
        execute(cli)
    }));
    match (done, trace::finish()) {
        (Ok(Ok(())), Ok(())) => ExitCode::SUCCESS,
        (Ok(Ok(())), Err(failure)) | (Ok(Err(failure)), _) => failure.report(),
        (Err(_), _) => ExitCode::FAILURE,
    }
}

/// Says what is wrong with the command line, or what `--help` and `--version` ask for.
fn wrong_usage(mut error: clap::Error) -> ExitCode {
    let args: Vec<OsString> = env::args_os().collect();
    suggest_command(&mut error, &args);
    // There is no command line that could say so otherwise.
    let json = args.iter().any(|arg| arg == "--message-format=json")
        || args
            .windows(2)
            .any(|pair| pair[0] == "--message-format" && pair[1] == "json");
    if json {
        Format::Json.choose();
    }
    let text = error.to_string();
    match text.strip_prefix("error: ") {
        Some(message) if error.use_stderr() => Failure::Usage(message.to_owned()).report(),
        _ if json && error.use_stderr() => Failure::Usage(text).report(),
        // Help, that was asked for or that stands in for a command.
        _ => match error.print().and_then(|()| std::io::stdout().flush()) {
            Ok(()) => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
            Err(failed) => Failure::stdout(&failed).report(),
        },
    }
}

/// Names the command that was meant: clap compares words by the letters that they share, and offers `completions` for `cmpile`.
fn suggest_command(error: &mut clap::Error, args: &[OsString]) {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let root = Cli::command();
    let before = args.iter().take_while(|arg| *arg != found.as_str());
    let parent = before.fold(&root, |parent, arg| {
        parent.find_subcommand(arg).unwrap_or(parent)
    });
    let known = parent
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(clap::Command::get_name);
    match tx_mlir::nearest(found, known).map(str::to_owned) {
        Some(meant) => error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(vec![meant]),
        ),
        None => error.remove(ContextKind::SuggestedSubcommand),
    };
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// The compiler of every command.
pub(crate) fn compiler(target: tx::Target) -> Result<tx::Compiler, tx::Error> {
    let compiler = tx::Compiler::new(target)?;
    match PREPARE.get() {
        Some(prepare) => prepare(compiler),
        None => Ok(compiler),
    }
}

fn execute(cli: Cli) -> Result<(), Failure> {
    // A variable that is empty says nothing.
    let filter = cli
        .log
        .or_else(|| env::var("TX_LOG").ok().filter(|filter| !filter.is_empty()));
    progress::configure(&cli.progress, filter.is_some());
    let log = filter.as_ref().map(|filter| {
        let is_json = Format::chosen() == Format::Json;
        let layer = fmt::layer()
            .with_ansi(!is_json && std::io::stderr().is_terminal())
            // Passes and stages are spans: each is told when it ends, with the time that it took.
            .with_span_events(FmtSpan::CLOSE)
            .with_writer(move || -> Box<dyn Write> {
                match is_json {
                    true => Box::new(Remarks),
                    false => Box::new(std::io::stderr()),
                }
            });
        EnvFilter::builder()
            .parse(filter)
            .map(|filter| layer.with_filter(filter))
            .map_err(|error| Failure::Usage(format!("`{filter}` is not a log filter: {error}")))
    });
    let log = log.transpose()?;
    let trace = cli.trace.as_deref().map(trace::start).transpose()?;
    if log.is_some() || trace.is_some() {
        tracing_subscriber::registry().with(log).with(trace).init();
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
        Command::Man(options) => man::run(&options),
    }
}

/// Says each log message, which is written in one piece, as other messages are said.
struct Remarks;

impl Write for Remarks {
    fn write(&mut self, message: &[u8]) -> std::io::Result<usize> {
        failure::say(&String::from_utf8_lossy(message));
        Ok(message.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
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
    let mut command = name::of(Cli::command());
    clap_complete::generate(shell, &mut command, name::get(), &mut script);
    // For bash, clap_complete writes a hyphen of the name in two ways, and then finds no command.
    let [wrong, right] = ["__subcmd__", "__"].map(|hyphen| name::get().replace('-', hyphen));
    let script = String::from_utf8_lossy(&script).replace(&wrong, &right);
    print(script.as_bytes())
}

/// Writes to standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    progress::around(|| {
        let mut stdout = std::io::stdout().lock();
        stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .map_err(|error| Failure::stdout(&error))
    })
}
