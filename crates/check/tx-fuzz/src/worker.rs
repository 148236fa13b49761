//! Worker process that checks test cases. A test case may crash the worker or make the worker hang.

use crate::check::{Class, MakeCompiler, Outcome, check};
use crate::cpu_time::{CpuTimeLimit, PAUSE};
use crate::description::Case;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::panic;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Number of test cases after which a worker process restarts. A restart frees leaked memory.
const CASES: usize = 300;

/// Reads test cases from standard input, one JSON object per line, and writes their outcomes to
/// standard output.
///
/// # Errors
/// Returns an error if standard input or output is closed in the middle of a line.
pub fn serve(compiler: &MakeCompiler<'_>) -> io::Result<()> {
    // A panic becomes an outcome; the panic hook prints the location of the panic.
    panic::set_hook(Box::new(|info| {
        let _ = writeln!(io::stderr(), "{info}");
    }));
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let outcome = match serde_json::from_str::<Case>(&line?) {
            Ok(case) => check(&case, compiler),
            Err(error) => Outcome::new(Class::Refused, "description", error.to_string()),
        };
        serde_json::to_writer(&mut output, &outcome)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

pub(crate) struct Worker {
    command: Vec<OsString>,
    /// File that receives the standard error of the worker process.
    log: PathBuf,
    limit: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    served: usize,
}

impl Worker {
    /// Creates a worker. The `Worker` starts the worker process when the `Worker` receives the
    /// first test case.
    pub(crate) fn new(command: Vec<OsString>, log: PathBuf, limit: Duration) -> Self {
        Self {
            command,
            log,
            limit,
            running: None,
        }
    }

    fn start(&self) -> io::Result<Running> {
        let (program, arguments) = self
            .command
            .split_first()
            .ok_or_else(|| io::Error::other("no program that answers cases"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&self.log)?)
            .spawn()?;
        let (input, output) = child
            .stdin
            .take()
            .zip(child.stdout.take())
            .ok_or_else(|| io::Error::other("a process without pipes"))?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running {
            child,
            input,
            answers,
            served: 0,
        })
    }

    /// Returns the outcome of a test case. If the worker process crashes or exceeds its time limit,
    /// the category of the outcome is [`Class::Crash`] or [`Class::Hang`].
    pub(crate) fn check(&mut self, case: &Case) -> io::Result<Outcome> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let mut line = serde_json::to_string(case)?;
        line.push('\n');
        // Ignore write errors: if the process has ended, it sends no answer.
        let _ = running
            .input
            .write_all(line.as_bytes())
            .and_then(|()| running.input.flush());
        let time_limit = CpuTimeLimit::new(running.child.id(), self.limit);
        let answer = loop {
            match running.answers.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) if !time_limit.is_over() => {}
                answer => break answer,
            }
        };
        match answer {
            Ok(answer) => {
                let outcome = serde_json::from_str(&answer)?;
                running.served += 1;
                if running.served < CASES {
                    self.running = Some(running);
                } else {
                    // Kill the process instead of waiting for its end.
                    running.child.kill()?;
                    running.child.wait()?;
                }
                Ok(outcome)
            }
            Err(RecvTimeoutError::Timeout) => {
                running.child.kill()?;
                running.child.wait()?;
                let message = format!("no answer after {} s of work", self.limit.as_secs());
                Ok(Outcome::new(Class::Hang, "", message))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait()?;
                let said = tail(&self.log).unwrap_or_default();
                Ok(Outcome::new(
                    Class::Crash,
                    crate::text::place_of_crash(&said),
                    format!("{status}\n{said}"),
                ))
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // Kill the process instead of waiting for its end.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// Returns the last 8000 bytes of a file.
fn tail(path: &PathBuf) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(8000)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
