//! Errors in the command line, with suggested corrections.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use tx_runtime::Spec;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::name;
use crate::stderr::Format;

/// Prints a usage error, or the output of `--help` or `--version`.
pub(crate) fn wrong(mut error: clap::Error) -> ExitCode {
    let args: Vec<OsString> = env::args_os().collect();
    let mut root = name::of(Cli::command());
    // `build` sets the full name of each subcommand.
    root.build();
    suggest_command(&mut error, &root, &args);
    suggest_value(&mut error);
    suggest_owner(&mut error, &root, &args);
    suggest_option(&mut error, &root, &args);
    // clap cannot parse the command line, so this code looks for the message format in the
    // arguments.
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
        // The clap error contains a help text, because the user requested it or omitted the
        // command.
        _ => match error.print().and_then(|()| std::io::stdout().flush()) {
            Ok(()) => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
            Err(failed) => Failure::stdout(&failed).report(),
        },
    }
}

fn command<'c>(root: &'c Command, args: impl IntoIterator<Item = &'c OsString>) -> &'c Command {
    args.into_iter().fold(root, |parent, arg| {
        parent.find_subcommand(arg).unwrap_or(parent)
    })
}

fn commands(parent: &Command) -> impl Iterator<Item = &Command> {
    parent
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// Returns the known word with the smallest edit distance to `found`. Words with the same first
/// letter as `found` have priority.
fn nearest<'n>(found: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut known: Vec<&str> = known.collect();
    known.sort_by_key(|name| name.chars().next() != found.chars().next());
    tx_mlir::nearest(found, known).map(str::to_owned)
}

/// Suggests the command with the smallest edit distance to the unknown command. The similarity
/// measure of clap would suggest `completions` for `cmpile`.
fn suggest_command(error: &mut clap::Error, root: &Command, args: &[OsString]) {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let parent = command(root, args.iter().take_while(|arg| *arg != found.as_str()));
    let known = commands(parent).map(Command::get_name);
    match nearest(found, known) {
        Some(meant) => error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(vec![meant]),
        ),
        None => error.remove(ContextKind::SuggestedSubcommand),
    };
}

/// Suggests the known value with the smallest edit distance to the unknown value. The similarity
/// measure of clap would suggest `zsh` for `tcsh`.
fn suggest_value(error: &mut clap::Error) {
    let (Some(ContextValue::String(found)), Some(ContextValue::Strings(known))) = (
        error.get(ContextKind::InvalidValue),
        error.get(ContextKind::ValidValue),
    ) else {
        return;
    };
    match nearest(found, known.iter().map(String::as_str)) {
        Some(meant) => error.insert(ContextKind::SuggestedValue, ContextValue::String(meant)),
        None => error.remove(ContextKind::SuggestedValue),
    };
}

/// Suggests `--NAME` for an argument `-NAME`, and `--arg` for an array specification without an
/// option, such as `zeros:f32`.
fn suggest_option(error: &mut clap::Error, root: &Command, args: &[OsString]) {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(found))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return;
    };
    let command = command(root, args);
    let has = |long: &str| {
        let mut all = command.get_arguments();
        all.any(|arg| arg.get_long() == Some(long))
    };
    // For `-arg`, the error of clap contains only the first letter.
    let word = args.iter().filter_map(|arg| arg.to_str()).find_map(|arg| {
        let word = arg.strip_prefix('-')?;
        let word = word.split('=').next().unwrap_or(word);
        (arg.starts_with(found.as_str()) && word.len() > 1 && has(word)).then_some(word)
    });
    let tip = match word {
        Some(word) => format!("options have two dashes: '--{word}'"),
        None if has("arg") && found.parse::<Spec>().is_ok() => {
            format!("to pass an argument of the program, use '--arg {found}'")
        }
        None => return,
    };
    let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
    error.insert(ContextKind::Suggested, tip);
}

/// Adds a hint to a usage error. If an option precedes the command, the hint lists the commands
/// that accept the option. If the argument of an option is missing or invalid, the hint is the
/// usage line, because clap omits the usage line.
fn suggest_owner(error: &mut clap::Error, root: &Command, args: &[OsString]) {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let option = found.split(['=', ' ']).next().unwrap_or_default();
    let is_found = |arg: &&OsString| !arg.to_string_lossy().starts_with(option);
    let parent = command(root, args.iter().take_while(is_found));
    if error.kind() == ErrorKind::UnknownArgument && commands(parent).next().is_some() {
        let names = |has: &dyn Fn(&Command) -> bool| -> Vec<String> {
            commands(parent)
                .filter(|inner| has(inner))
                .map(|inner| format!("`{}`", inner.get_bin_name().unwrap_or(inner.get_name())))
                .collect()
        };
        let has_option = |inner: &Command| {
            inner.get_arguments().any(|arg| {
                let long = arg.get_long().map(|long| format!("--{long}"));
                let short = arg.get_short().map(|short| format!("-{short}"));
                [long, short].contains(&Some(option.to_owned()))
            })
        };
        let owners = names(&has_option);
        let tip = match owners.len() {
            0 => format!("the commands are {}", names(&|_| true).join(", ")),
            _ => format!("'{option}' is an option of {}", owners.join(", ")),
        };
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![StyledStr::from(tip)]),
        );
    } else if error.get(ContextKind::Usage).is_none() {
        let usage = parent.clone().render_usage();
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
}
