//! Child processes that may crash or hang.

use crate::cpu_time::CpuTimeLimit;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// CPU time limit of a process. The CPU time limit is high enough for builds of `tx` and `tx-opt`
/// that run slowly.
const LIMIT: Duration = Duration::from_secs(60);
const MOST_PAUSE: Duration = Duration::from_millis(20);
/// Time limit within which an aborted process must print its stack trace.
const STACK_TRACE_TIME: Duration = Duration::from_secs(10);
/// Limit on the mapped memory of a process, in KiB. Damaged input may cause huge allocations.
const MEMORY: &str = "8388608";
/// Maximum number of bytes of the error output that the fuzzer keeps. Before a stack trace, LLVM
/// prints one line for each enclosing op that the parser has entered.
const MOST: usize = 1 << 20;

/// Result of a process that ran on damaged input.
pub(super) struct ProcessResult {
    /// Exit status; `None` if the process exceeded its CPU time limit.
    pub(super) code: Option<i32>,
    /// Signal that terminated the process.
    pub(super) signal: Option<i32>,
    pub(super) said: String,
}

impl ProcessResult {
    /// Returns whether the process crashed. A shell reports a signal as exit status 128 or higher;
    /// Rust reports a panic as exit status 101.
    pub(super) fn died(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code > 100)
    }
}

pub(super) fn run(line: &[OsString], log: &Path) -> io::Result<ProcessResult> {
    run_with(&format!("ulimit -v {MEMORY}; ulimit -c 0"), line, log)
}

/// Runs a command with half of the usual stack size.
pub(super) fn run_on_half_the_stack(line: &[OsString], log: &Path) -> io::Result<ProcessResult> {
    let limits = format!("ulimit -v {MEMORY}; ulimit -c 0; ulimit -s 4096");
    run_with(&limits, line, log)
}

fn run_with(limits: &str, line: &[OsString], log: &Path) -> io::Result<ProcessResult> {
    // A damaged command may write arbitrary files, so the command runs in the directory of the log.
    let folder = log.parent().unwrap_or(Path::new("/"));
    let mut child = Command::new("/bin/sh")
        .current_dir(folder)
        .args(["-c", &format!("{limits}; exec \"$@\""), "sh"])
        .args(line)
        // Disable the cache, so that every program is compiled.
        .env("TX_CACHE", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(log)?)
        .spawn()?;
    let time_limit = CpuTimeLimit::new(child.id(), LIMIT);
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        // Do not check the CPU time of short processes.
        if pause == MOST_PAUSE && time_limit.is_over() {
            end(&mut child)?;
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(MOST_PAUSE);
    };
    let bytes = fs::read(log)?;
    let said = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]).into_owned();
    Ok(ProcessResult {
        code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status)),
        said,
    })
}

/// Aborts a process that exceeded its time limit. `SIGABRT` makes LLVM programs print a stack
/// trace.
fn end(child: &mut Child) -> io::Result<()> {
    Command::new("kill")
        .args(["-ABRT", &child.id().to_string()])
        .status()?;
    let stop = Instant::now() + STACK_TRACE_TIME;
    while child.try_wait()?.is_none() {
        if Instant::now() > stop {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Returns LLVM's error message from the error output of a crashed process. If LLVM printed no
/// message, the function returns the innermost stack frame outside of signal handlers.
pub(crate) fn place_of_crash(said: &str) -> String {
    let frame = |line: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix('#')?;
        let name = rest.split_whitespace().nth(2)?;
        let known = ["mlir", "llvm::", "tx", "melior", "_ZN", "(anonymous"];
        let handler = ["PrintStackTrace", "RunSignalHandlers", "SignalHandler"];
        let is_own = known.iter().any(|known| name.starts_with(known))
            && !handler.iter().any(|handler| name.contains(handler));
        is_own.then(|| name.split('(').next().unwrap_or(name).to_owned())
    };
    let spoken = [
        "LLVM ERROR",
        "panicked at",
        "Assertion",
        "memory allocation of",
        "overflowed its stack",
    ];
    match said
        .lines()
        .find(|line| spoken.iter().any(|words| line.contains(words)))
    {
        Some(line) => line.to_owned(),
        None => said.lines().find_map(frame).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The description of a crash contains the name of the crashing function, or LLVM's message.
    #[test]
    fn crashes_have_a_place() {
        let stack = " #0 0x00005587936e9006 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) \
                     (/tmp/tx-opt+0xaf)\n \
                     #2 0x00007f0000000000 raise (/lib/libc.so.6+0x1)\n \
                     #3 0x000055ffa13ce006 mlir::FloatType::getWidth() (/tmp/tx-opt+0xb1)\n";
        assert_eq!(place_of_crash(stack), "mlir::FloatType::getWidth");
        let spoken = format!("{stack}LLVM ERROR: out of memory\n");
        assert_eq!(place_of_crash(&spoken), "LLVM ERROR: out of memory");
        assert_eq!(place_of_crash("Segmentation fault"), "");
    }
}
