//! Processes that may die or never end.

use crate::patience::Patience;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What one process may take of the processors: long, for a slow build.
const LIMIT: Duration = Duration::from_secs(60);
/// Longest pause between two looks at it.
const MOST_PAUSE: Duration = Duration::from_millis(20);
/// What it may take to say where it was.
const LAST_WORDS: Duration = Duration::from_secs(10);
/// Kibibytes of memory it may map: a number that is taken for a size must not take the machine with it.
const MEMORY: &str = "8388608";
/// What is kept of what it said: before its stack, LLVM writes a line for each op that it was parsing.
const MOST: usize = 1 << 20;

/// How a process ended.
pub(super) struct Ended {
    /// The exit status; nothing when it took too long.
    pub(super) code: Option<i32>,
    /// The signal that killed it.
    pub(super) signal: Option<i32>,
    /// What it wrote to standard error.
    pub(super) said: String,
}

impl Ended {
    /// Whether it did not end by itself: shells say 128 and more of children that were killed, and
    /// Rust 101 of panics.
    pub(super) fn died(&self) -> bool {
        self.signal.is_some() || self.code.is_some_and(|code| code > 100)
    }
}

/// Runs a program with its arguments to its end.
pub(super) fn run(line: &[OsString], log: &Path) -> io::Result<Ended> {
    run_with(&format!("ulimit -v {MEMORY}; ulimit -c 0"), line, log)
}

/// The same with half of the usual stack.
pub(super) fn run_on_half_the_stack(line: &[OsString], log: &Path) -> io::Result<Ended> {
    let limits = format!("ulimit -v {MEMORY}; ulimit -c 0; ulimit -s 4096");
    run_with(&limits, line, log)
}

fn run_with(limits: &str, line: &[OsString], log: &Path) -> io::Result<Ended> {
    // A damaged command may write files of any name: beside the log.
    let folder = log.parent().unwrap_or(Path::new("/"));
    let mut child = Command::new("/bin/sh")
        .current_dir(folder)
        .args(["-c", &format!("{limits}; exec \"$@\""), "sh"])
        .args(line)
        // What is tried is to be compiled.
        .env("TX_CACHE", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(log)?)
        .spawn()?;
    let patience = Patience::new(child.id(), LIMIT);
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        // Most end sooner than the first look at what they took would say anything.
        if pause == MOST_PAUSE && patience.is_over() {
            end(&mut child)?;
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(MOST_PAUSE);
    };
    let bytes = fs::read(log)?;
    let said = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]).into_owned();
    Ok(Ended {
        code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status)),
        said,
    })
}

/// Ends a process that takes too long, in a way that makes LLVM's programs write their stack.
fn end(child: &mut Child) -> io::Result<()> {
    Command::new("kill")
        .args(["-ABRT", &child.id().to_string()])
        .status()?;
    let stop = Instant::now() + LAST_WORDS;
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

/// Where a process died: what LLVM says of it, or the first function on the stack that is no part
/// of saying so.
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

    /// The function that died, or what was said of it.
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
