//! The first target: random modules, each pass of whose compilation is checked by execution.

use crate::check::{Class, Outcome, kind_of};
use crate::description::Case;
use crate::generate::generate;
use crate::report::{Findings, Folder, Summary};
use crate::shrink::shrink;
use crate::worker::Worker;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What one case may take of the processors.
const LIMIT: Duration = Duration::from_secs(120);
/// Findings of one kind that are made smaller; the others are counted.
const OF_A_KIND: usize = 2;
/// What making one finding smaller may take.
const SHRINK: Duration = Duration::from_secs(90);

/// How to fuzz.
#[derive(Clone, Debug)]
pub struct Config {
    /// What the program that does this is called, in command lines that do it again.
    pub program: String,
    /// The program and its arguments that answer cases: see [`crate::serve`].
    pub worker: Vec<OsString>,
    /// How long.
    pub time: Duration,
    /// How many cases, if that comes first.
    pub cases: Option<u64>,
    /// What every case depends on.
    pub seed: u64,
    /// The first case.
    pub first: u64,
    /// Processes at a time.
    pub jobs: usize,
    /// The folder for findings.
    pub out: PathBuf,
    /// Counts cases when they are done, for those who watch.
    pub done: Arc<AtomicU64>,
}

/// Checks one case after the other until the time is up.
///
/// # Errors
/// When processes cannot be started or files not written.
pub fn run(config: &Config) -> io::Result<Summary> {
    let _folder = Folder::open(&config.out)?;
    let end = Instant::now() + config.time;
    let next = AtomicU64::new(config.first);
    let last = config
        .cases
        .map_or(u64::MAX, |cases| config.first.saturating_add(cases));
    let summary = Mutex::new(Summary::with_variants(tx::variant_names()));
    let findings = Findings::default();
    let thread = |job: usize| -> io::Result<()> {
        let log = config.out.join(format!("worker-{job}.log"));
        let mut worker = Worker::new(config.worker.clone(), log.clone(), LIMIT);
        while Instant::now() < end {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= last {
                break;
            }
            let case = generate(config.seed, index);
            let outcome = worker.check(&case)?;
            summary
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .count(index, &outcome);
            config.done.fetch_add(1, Ordering::Relaxed);
            if outcome.class.is_finding() && findings.take(&key(&outcome), OF_A_KIND) {
                let stop = Instant::now() + SHRINK;
                let small = shrink(case.clone(), &outcome, stop, &mut |case| worker.check(case))?;
                save(config, index, &small.0, &small.1)?;
            }
        }
        let _ = fs::remove_file(log);
        Ok(())
    };
    let thread = &thread;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..config.jobs.max(1))
            .map(|job| scope.spawn(move || thread(job)))
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
        })
    })?;
    Ok(summary.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// What findings of one kind have in common.
fn key(outcome: &Outcome) -> String {
    match outcome.class {
        Class::Wrong | Class::Race => format!("{:?} {}", outcome.class, outcome.stage),
        _ => format!(
            "{:?} {} {}",
            outcome.class,
            outcome.stage,
            kind_of(&outcome.message)
        ),
    }
}

/// Writes a finding as a program with a comment, and as a description.
fn save(config: &Config, index: u64, case: &Case, outcome: &Outcome) -> io::Result<()> {
    let name: String = format!(
        "{:?}-{}-{}-{index}",
        outcome.class, outcome.stage, config.seed
    )
    .to_lowercase()
    .chars()
    .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
    .take(80)
    .collect();
    let text = case.text().map_err(io::Error::other)?;
    let program = &config.program;
    let mut file = format!(
        "// Found by `{program} fuzz modules --seed {} --first {index} --cases 1`, then made smaller.\n\
         // {} with `{program} validate --chip {} --seed {}`{}\n",
        config.seed,
        outcome.headline(),
        case.chip,
        case.seed,
        match text.open {
            true => format!(", on arrays of {:?}", text.arguments),
            false => String::new(),
        }
    );
    for line in outcome.message.lines().take(40) {
        file.push_str(&format!("// {line}\n"));
    }
    file.push_str(&text.mlir);
    fs::write(config.out.join(format!("{name}.mlir")), file)?;
    fs::write(
        config.out.join(format!("{name}.json")),
        serde_json::to_string_pretty(case)?,
    )
}
