//! Fuzz target 1 executes each random module after every pass, and compares the results.

use crate::check::{Class, Outcome};
use crate::combine::Combine;
use crate::description::{Case, KernelOp, Program};
use crate::generate::{ProgramKind, generate};
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

/// CPU time limit of one test case.
const LIMIT: Duration = Duration::from_secs(120);
/// Maximum number of findings that the fuzzer shrinks for each kind of failure.
const OF_A_KIND: usize = 2;
/// Time limit for shrinking one finding.
const SHRINK: Duration = Duration::from_secs(90);

/// Options of a fuzz run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Name of the fuzzing command in the printed command line that reproduces a finding.
    pub program: String,
    /// Command line of a worker process, which calls [`crate::serve`].
    pub worker: Vec<OsString>,
    /// Duration of the run.
    pub time: Duration,
    /// Maximum number of cases.
    pub cases: Option<u64>,
    /// Seed of all cases.
    pub seed: u64,
    /// Index of the first test case.
    pub first: u64,
    /// Number of concurrent processes.
    pub jobs: usize,
    /// Kind of every random program; `None` permits programs of all kinds.
    pub programs: Option<ProgramKind>,
    /// Variant that one reduction of each program must use; `None` forces no variant. The fuzzer
    /// skips a test case if the forced variant applies to no reduction of the program.
    pub variant: Option<String>,
    /// Directory for findings.
    pub out: PathBuf,
    /// Number of completed test cases, which the progress display shows.
    pub done: Arc<AtomicU64>,
}

/// Checks random test cases until the fuzz run reaches its time limit.
///
/// # Errors
/// Returns an error if a process cannot be started or a file cannot be written.
pub fn run(config: &Config) -> io::Result<Summary> {
    let _folder = Folder::open(&config.out)?;
    let end = Instant::now() + config.time;
    let next = AtomicU64::new(config.first);
    let last = config
        .cases
        .map_or(u64::MAX, |cases| config.first.saturating_add(cases));
    let summary = Mutex::new(Summary::with_variants(
        tx::variant_names(),
        config.variant.clone(),
    ));
    let count = |count: &dyn Fn(&mut Summary)| {
        count(&mut summary.lock().unwrap_or_else(PoisonError::into_inner));
        config.done.fetch_add(1, Ordering::Relaxed);
    };
    let findings = Findings::default();
    let thread = |job: usize| -> io::Result<()> {
        let log = config.out.join(format!("worker-{job}.log"));
        let mut worker = Worker::new(config.worker.clone(), log.clone(), LIMIT);
        while Instant::now() < end {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= last {
                break;
            }
            let begin = Instant::now();
            let Some((case, outcome)) = checked(config, index, &mut worker)? else {
                count(&Summary::pass_over);
                continue;
            };
            let time = begin.elapsed();
            count(&|summary| {
                summary.count(index, &outcome);
                summary.time(index, time);
            });
            if outcome.class.is_finding() && findings.take(&outcome.kind(), OF_A_KIND) {
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

/// Checks a test case. Returns `None` if the forced variant applies to no reduction of the program.
fn checked(
    config: &Config,
    index: u64,
    worker: &mut Worker,
) -> io::Result<Option<(Case, Outcome)>> {
    let case = generate(config.seed, index, config.programs);
    let Some(variant) = &config.variant else {
        let outcome = worker.check(&case)?;
        return Ok(Some((case, outcome)));
    };
    for case in forced(&case, index, variant) {
        let outcome = worker.check(&case)?;
        if !is_not_taken(&outcome) {
            return Ok(Some((case, outcome)));
        }
    }
    Ok(None)
}

/// Returns one copy of the test case for each `tile.reduce` of the kernel. Each copy forces the
/// variant `variant` for a different `tile.reduce`. The first copy forces the variant for the
/// `tile.reduce` whose position is `index` modulo the number of `tile.reduce` ops. The function
/// returns no copies of a host function, because grid-level ops have no variant.
fn forced(case: &Case, index: u64, variant: &str) -> impl Iterator<Item = Case> {
    let with = |turn: u64| {
        let mut case = case.clone();
        for (number, combine) in (0..).zip(reductions(&mut case)) {
            combine.variant = (number == turn).then(|| variant.to_owned());
        }
        case
    };
    let count = reductions(&mut case.clone()).count() as u64;
    (0..count).map(move |turn| with((turn + index % count) % count))
}

/// Returns the [`Combine`] of each `tile.reduce` of a kernel, and nothing for a host function.
fn reductions(case: &mut Case) -> impl Iterator<Item = &mut Combine> {
    let work = match &mut case.program {
        Program::Kernel(kernel) => kernel.work.as_mut_slice(),
        Program::Host(_) | Program::Rows(_) => &mut [],
    };
    work.iter_mut().filter_map(|work| match &mut work.op {
        KernelOp::Reduce(reduce) => Some(&mut reduce.combine),
        KernelOp::Fragment(fragment) => Some(&mut fragment.combine),
        KernelOp::Lanes(_) | KernelOp::Copy(_) | KernelOp::Barrier => None,
    })
}

/// Names of the validation stages that precede the expansion of a variant.
const UNTIL_CHOSEN: [&str; 5] = [
    "description",
    "parse",
    "tile-attach-target",
    "tile-analyze-scope",
    "tile-select-variant",
];

/// Returns whether the compiler rejected the program before a pass expanded the forced variant.
fn is_not_taken(outcome: &Outcome) -> bool {
    outcome.class == Class::Refused && UNTIL_CHOSEN.contains(&&*outcome.stage)
}

/// Writes two files for a finding: the MLIR program with comments, and the test case as JSON.
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
    let mut options = String::new();
    if let Some(kind) = config.programs {
        options.push_str(&format!(" --programs {kind}"));
    }
    if let Some(name) = &config.variant {
        options.push_str(&format!(" --variant {name}"));
    }
    let mut file = format!(
        "// Found by `{program} fuzz modules --seed {} --first {index} --cases 1{options}`, then \
         made smaller.\n\
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
