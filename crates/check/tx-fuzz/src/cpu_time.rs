//! CPU time limit of a process.

use std::fs;
use std::time::{Duration, Instant};

pub(crate) const PAUSE: Duration = Duration::from_millis(200);
/// Ratio of the wall-clock limit to the CPU time limit. The wall-clock limit ends a process that
/// waits forever and therefore uses no CPU time.
const WALL_CLOCK_RATIO: u32 = 10;
/// Clock ticks per second in `/proc/PID/stat`.
const TICKS: u64 = 100;

/// CPU time limit of a process. The limit applies to CPU time instead of wall-clock time, because
/// CPU time does not depend on the load of the machine.
pub(crate) struct CpuTimeLimit {
    process: u32,
    limit: Duration,
    taken_before: Duration,
    begin: Instant,
}

impl CpuTimeLimit {
    pub(crate) fn new(process: u32, limit: Duration) -> Self {
        Self {
            process,
            limit,
            taken_before: processor_time(process).unwrap_or_default(),
            begin: Instant::now(),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        let taken = processor_time(self.process).map(|now| now.saturating_sub(self.taken_before));
        let by_the_clock = self.begin.elapsed();
        match taken {
            Some(taken) => taken > self.limit || by_the_clock > self.limit * WALL_CLOCK_RATIO,
            None => by_the_clock > self.limit,
        }
    }
}

/// Returns the CPU time of all threads of a process; `None` if the system does not report the CPU
/// time.
fn processor_time(process: u32) -> Option<Duration> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program name in parentheses may contain any character.
    let (_, fields) = line.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1000 / TICKS))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    fn shell(script: &str) -> std::process::Child {
        Command::new("/bin/sh")
            .args(["-c", script])
            .spawn()
            .expect("a shell")
    }

    /// A busy process reaches its CPU time limit; a sleeping process does not reach the limit.
    #[test]
    fn work_counts_and_sleep_does_not() {
        let limit = Duration::from_millis(300);
        let mut busy = shell("while :; do :; done");
        let mut idle = shell("exec sleep 60");
        let of_busy = CpuTimeLimit::new(busy.id(), limit);
        let of_idle = CpuTimeLimit::new(idle.id(), limit);
        while !of_busy.is_over() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!of_idle.is_over());
        for child in [&mut busy, &mut idle] {
            child.kill().expect("it runs until it is killed");
            child.wait().expect("it was killed");
        }
    }
}
