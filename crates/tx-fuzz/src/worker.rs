//! Checks in a process of their own, which may die or never end.

use crate::check::{Class, MakeCompiler, Outcome, check};
use crate::description::Case;
use crate::patience::{PAUSE, Patience};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::panic;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Cases after which a process is replaced: what leaks does not add up.
const CASES: usize = 300;

/// Answers cases on standard input, one line of JSON each, with outcomes on standard output.
///
/// # Errors
/// When either is closed in the middle of a line.
pub fn serve(compiler: &MakeCompiler<'_>) -> io::Result<()> {
    // A panic is part of the outcome; the hook says where it was.
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

/// A process that answers cases.
pub(crate) struct Worker {
    command: Vec<OsString>,
    /// What the process writes to standard error.
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
    /// Nothing is started before the first case.
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

    /// Checks a case, whatever becomes of the process.
    pub(crate) fn check(&mut self, case: &Case) -> io::Result<Outcome> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let mut line = serde_json::to_string(case)?;
        line.push('\n');
        // A process that died before it read the case shows when nothing is answered.
        let _ = running
            .input
            .write_all(line.as_bytes())
            .and_then(|()| running.input.flush());
        let patience = Patience::new(running.child.id(), self.limit);
        let answer = loop {
            match running.answers.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout) if !patience.is_over() => {}
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
                    // It answered everything; its end is not waited for, which might never come.
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
            // It would end by itself when its input does; nothing is left to wait for.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

/// The end of a file.
fn tail(path: &PathBuf) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(8000)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
