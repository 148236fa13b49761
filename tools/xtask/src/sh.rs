//! Execution of commands, and colours of terminal output.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Prints and runs a command. The command inherits standard input and output of the task. Returns
/// an error if the command fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    eprintln!(
        "{}",
        Style::stderr().dim(&format!("$ {}", display(command)))
    );
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", display(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", display(command));
    }
    Ok(())
}

pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a command silently, and returns the output of the command. If the command fails, the error
/// contains the output of the command.
pub(crate) fn capture(command: &mut Command) -> Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", display(command)))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let said = if stderr.trim().is_empty() {
            &stdout
        } else {
            &stderr
        };
        bail!(
            "`{}` failed ({}):\n{}",
            display(command),
            output.status,
            said.trim_end()
        );
    }
    Ok(Output { stdout, stderr })
}

pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Returns whether a command can be started; the exit status is ignored.
pub(crate) fn starts(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

pub(crate) fn display(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            if word.is_empty() || word.contains([' ', '"', '$', '*', '(', '{', ';']) {
                format!("'{word}'")
            } else {
                word.into_owned()
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Colours of terminal output. If the terminal does not support colours, the methods of [`Style`]
/// return text without colours.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    on: bool,
}

impl Style {
    pub(crate) fn stdout() -> Self {
        Self::new(std::io::stdout().is_terminal())
    }

    pub(crate) fn stderr() -> Self {
        Self::new(std::io::stderr().is_terminal())
    }

    fn new(terminal: bool) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("CARGO_TERM_COLOR").is_some_and(|value| value == "never");
        Self {
            on: terminal && !refused,
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn cyan(self, text: &str) -> String {
        self.paint("1;36", text)
    }
}
