//! Name of the program in messages. A compiler other than `tx` that uses this crate provides the
//! commands of `tx` under the name of its own executable.
//!
//! Messages in the source code contain the name `tx`. When a message is printed, the actual name of
//! the executable replaces `tx`.

use std::borrow::Cow;
use std::env;
use std::path::Path;
use std::sync::OnceLock;

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// Name of the program in the message texts of the source code.
const OURS: &str = "tx";

static NAME: OnceLock<String> = OnceLock::new();

pub(crate) fn get() -> &'static str {
    NAME.get().map_or(OURS, String::as_str)
}

/// Sets the name of the program to the file name of this process.
pub(crate) fn choose() {
    NAME.get_or_init(|| {
        let path = env::args_os().next().unwrap_or_default();
        let name = Path::new(&path).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        match name.strip_suffix(env::consts::EXE_SUFFIX) {
            Some("") | None => OURS.to_owned(),
            Some(name) => name.to_owned(),
        }
    });
}

/// Replaces `tx` by the actual name of the program, at the start of a message and in commands
/// between backticks.
pub(crate) fn spoken(text: &str) -> Cow<'_, str> {
    if get() == OURS {
        return text.into();
    }
    let quoted = text.replace("`tx ", &format!("`{} ", get()));
    match quoted.strip_prefix("tx: ") {
        Some(rest) => format!("{}: {rest}", get()).into(),
        None => quoted.into(),
    }
}

pub(crate) fn of(command: Command) -> Command {
    if get() == OURS {
        return command;
    }
    helped(command).name(get()).bin_name(get())
}

fn helped(command: Command) -> Command {
    let renamed = |text: Option<&StyledStr>| text.map(|text| renamed(&text.to_string(), get()));
    let argument = |arg: Arg| {
        let (help, long) = (renamed(arg.get_help()), renamed(arg.get_long_help()));
        let arg = match help {
            Some(help) => arg.help(help),
            None => arg,
        };
        match long {
            Some(long) => arg.long_help(long),
            None => arg,
        }
    };
    let about = renamed(command.get_about());
    let long_about = renamed(command.get_long_about());
    let after_help = renamed(command.get_after_help());
    let mut command = command.mut_args(argument).mut_subcommands(helped);
    if let Some(text) = about {
        command = command.about(text);
    }
    if let Some(text) = long_about {
        command = command.long_about(text);
    }
    if let Some(text) = after_help {
        command = command.after_help(text);
    }
    command
}

/// Replaces the word `tx` in a text by another name. Words such as `tx-opt` and `tx_runtime` are
/// unchanged.
fn renamed(text: &str, name: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(OURS) {
        let (before, after) = (&rest[..at], &rest[at + OURS.len()..]);
        let last = before.chars().next_back().or(done.chars().next_back());
        let next = after.chars().next();
        let is_word = !last.is_some_and(|c| c.is_alphanumeric() || c == '-')
            && !next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        done.push_str(before);
        done.push_str(if is_word { name } else { OURS });
        rest = after;
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn words_are_renamed() {
        for (text, expected) in [
            (
                "tx run a.mlir | tx batch -",
                "my-tx run a.mlir | my-tx batch -",
            ),
            (
                "> ~/.zfunc/_tx, fish/tx.fish",
                "> ~/.zfunc/_my-tx, fish/my-tx.fish",
            ),
            ("to `tx` and `tx-opt`", "to `my-tx` and `tx-opt`"),
            (
                "tx_runtime=debug of mytx, txtx",
                "tx_runtime=debug of mytx, txtx",
            ),
        ] {
            assert_eq!(renamed(text, "my-tx"), expected);
        }
    }
}
