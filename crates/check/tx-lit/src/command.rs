//! Execution of the commands of RUN lines, without a shell.

use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::report::{describe, indent, show};

/// Result of the execution of a program.
#[derive(Clone, Debug)]
pub struct Output {
    /// Bytes written to standard output.
    pub stdout: Vec<u8>,
    /// Bytes written to standard error.
    pub stderr: Vec<u8>,
    /// Exit status; `None` if a signal ended the program.
    pub status: Option<i32>,
    pub(crate) command: String,
}

impl Output {
    /// Returns whether the exit status is 0.
    pub fn is_success(&self) -> bool {
        self.status == Some(0)
    }

    /// Returns the text of a failure message: the command, its exit status, and its standard error.
    /// If standard error is empty, the text contains standard output instead of standard error.
    pub fn explain(&self) -> String {
        format!(
            "{}\n{}\n{}",
            self.command,
            describe(self.status),
            self.said()
        )
    }

    pub(crate) fn said(&self) -> String {
        let bytes = match self.stderr.is_empty() {
            true => &self.stdout,
            false => &self.stderr,
        };
        indent(&String::from_utf8_lossy(bytes))
    }
}

#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) environment: &'a [(String, String)],
    pub(crate) time_limit: Duration,
}

impl Surroundings<'_> {
    /// Runs commands that are connected by pipes. The first command reads `input` from standard
    /// input. If `input` is `None`, the standard input of the first command is empty.
    pub(crate) fn execute(
        &self,
        commands: &[Vec<String>],
        both_streams: bool,
        input: Option<&[u8]>,
    ) -> Result<Output, String> {
        let mut input = input.map(<[u8]>::to_vec);
        let mut stderr = Vec::new();
        for (place, command) in commands.iter().enumerate() {
            let last = place + 1 == commands.len();
            let output = self.execute_one(command, both_streams && last, input.as_deref())?;
            stderr.extend(&output.stderr);
            // The result is the status of the first failing program, as with `pipefail` in a shell.
            if last || output.status != Some(0) {
                return Ok(Output {
                    stderr,
                    command: show(commands),
                    ..output
                });
            }
            input = Some(output.stdout);
        }
        Err("nothing to run".to_owned())
    }

    fn execute_one(
        &self,
        words: &[String],
        both_streams: bool,
        input: Option<&[u8]>,
    ) -> Result<Output, String> {
        let trouble = |error: io::Error| format!("cannot run `{}`: {error}", words[0]);
        let (mut stdout, stdout_end) = io::pipe().map_err(trouble)?;
        let (mut stderr, stderr_end) = io::pipe().map_err(trouble)?;
        let errors_to = if both_streams {
            // A pipe ends when all copies of its write end are closed.
            drop(stderr_end);
            stdout_end.try_clone().map_err(trouble)?
        } else {
            stderr_end
        };
        // The command owns copies of the write ends, so the inner scope drops the command before
        // this function reads the pipes.
        let mut child = {
            let mut command = Command::new(&words[0]);
            command
                .args(&words[1..])
                .current_dir(self.folder)
                // Tests must not depend on the environment of the caller, so programs print no
                // colours and no backtraces.
                .env("NO_COLOR", "1")
                .env("RUST_BACKTRACE", "0")
                .envs(self.environment.iter().map(|(name, value)| (name, value)))
                .stdin(if input.is_some() {
                    Stdio::piped()
                } else {
                    Stdio::null()
                })
                .stdout(stdout_end)
                .stderr(errors_to);
            command.spawn().map_err(trouble)?
        };
        let stdin = child.stdin.take();
        let read = |pipe: &mut dyn Read| {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).map(|_| bytes)
        };
        thread::scope(|scope| {
            let out = scope.spawn(move || read(&mut stdout));
            let err = scope.spawn(move || read(&mut stderr));
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // A program may end before it reads all input. The write then fails, and the exit
                // status shows the cause.
                scope.spawn(move || stdin.write_all(input));
            }
            let start = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().map_err(trouble)? {
                    break status;
                }
                if start.elapsed() > self.time_limit {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!(
                        "{}\nno end after {} s",
                        show(&[words.to_vec()]),
                        self.time_limit.as_secs_f64()
                    ));
                }
                thread::sleep(Duration::from_millis(2));
            };
            let gather = |reader: thread::ScopedJoinHandle<'_, io::Result<Vec<u8>>>| {
                reader
                    .join()
                    .map_err(|_| "a reader of the output panicked".to_owned())?
                    .map_err(trouble)
            };
            Ok(Output {
                stdout: gather(out)?,
                stderr: gather(err)?,
                status: status.code(),
                command: String::new(),
            })
        })
    }
}
