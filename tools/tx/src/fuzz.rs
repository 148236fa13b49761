//! Command `tx fuzz`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tx_fuzz::{Case, ProgramKind, Summary, modules, text};

use crate::cli::fuzz::{Fuzz, FuzzPrograms, FuzzRun, FuzzTarget};
use crate::failure::Failure;
use crate::name;
use crate::progress;

/// Hidden command-line arguments that start a worker process. A worker process reads test cases
/// from standard input and checks the test cases. Help texts and completions do not show the
/// arguments of a worker process, because the clap definition omits them.
const WORKER: [&str; 2] = ["fuzz", "worker"];

pub(crate) fn is_worker() -> bool {
    std::env::args_os().skip(1).eq(WORKER)
}

pub(crate) fn serve() -> Result<(), Failure> {
    tx_fuzz::serve(&crate::compiler::create).map_err(|error| Failure::Refused(error.to_string()))
}

pub(crate) fn run(options: &Fuzz) -> Result<(), Failure> {
    let refused = |error: io::Error| Failure::Refused(error.to_string());
    let tx = std::env::current_exe().map_err(refused)?;
    let done = Arc::new(AtomicU64::new(0));
    let (summary, out) = match &options.target {
        FuzzTarget::Modules {
            run,
            programs,
            variant,
        } => {
            if let Some(unknown) = variant.as_deref().and_then(tx::unknown_variant) {
                return Err(Failure::Usage(unknown));
            }
            let config = modules::Config {
                program: name::get().to_owned(),
                worker: std::iter::once(tx.into_os_string())
                    .chain(WORKER.map(Into::into))
                    .collect(),
                time: Duration::from_secs(run.seconds),
                cases: run.cases,
                seed: run.seed,
                first: run.first,
                jobs: run.jobs as usize,
                programs: programs.map(|kind| match kind {
                    FuzzPrograms::Kernels => ProgramKind::Kernel,
                    FuzzPrograms::Functions => ProgramKind::Host,
                    FuzzPrograms::Rows => ProgramKind::Rows,
                }),
                variant: variant.clone(),
                out: run.out.clone(),
                done: Arc::clone(&done),
            };
            (watched(run, &done, || modules::run(&config)), &run.out)
        }
        FuzzTarget::Text {
            run,
            opt,
            upstream,
            corpus,
        } => {
            let config = text::Config {
                program: name::get().to_owned(),
                tx,
                opt: opt.clone(),
                upstream: upstream.clone(),
                corpus: corpus.clone(),
                time: Duration::from_secs(run.seconds),
                cases: run.cases,
                seed: run.seed,
                first: run.first,
                jobs: run.jobs as usize,
                out: run.out.clone(),
                done: Arc::clone(&done),
            };
            (watched(run, &done, || text::run(&config)), &run.out)
        }
        FuzzTarget::Replay { files } => return replay(files),
        FuzzTarget::Show(run) => return show(run),
    };
    conclude(&summary.map_err(refused)?, out)
}

/// Runs `work`. While `work` runs, the progress display shows the number of completed test cases or
/// the elapsed seconds.
fn watched<T>(run: &FuzzRun, done: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let look = || {
        let done = done.load(Ordering::Relaxed);
        let steps = match run.cases {
            Some(_) => done,
            None => start.elapsed().as_secs(),
        };
        (steps, format!("{done} cases"))
    };
    progress::start("fuzz", run.cases.unwrap_or(run.seconds)).while_running(look, work)
}

fn conclude(summary: &Summary, folder: &Path) -> Result<(), Failure> {
    crate::stdout::print(format!("{summary}\n").as_bytes())?;
    // Run times differ between runs, so the command prints them to standard error instead of
    // standard output.
    if let Some((time, index)) = summary.slowest {
        eprintln!(
            "{}: case {index} took longest: {:.1} s",
            name::get(),
            time.as_secs_f64()
        );
    }
    if let (Some(forced), 0) = (&summary.forced, summary.cases) {
        return Err(Failure::Refused(format!(
            "none of {} programs has a reduction that `{forced}` supports, so the variant is not \
             tested: run more programs with `--cases` or `--seconds`, or other programs with \
             `--first` or `--seed`",
            summary.passed_over
        )));
    }
    match summary.is_clean() {
        true => Ok(()),
        false => Err(Failure::Failed(format!(
            "tx: there are findings: {} contains the first few of each kind, as reduced programs \
             and as descriptions for `tx fuzz replay`; `--first N --cases 1` writes the program of \
             case N",
            folder.display()
        ))),
    }
}

const DESCRIPTION: &str = "the description of a case, as JSON that `tx fuzz` wrote";

fn replay(files: &[PathBuf]) -> Result<(), Failure> {
    let mut bad = false;
    for file in files {
        let json =
            std::fs::read(file).map_err(|error| Failure::unreadable(file, DESCRIPTION, &error))?;
        let case: Case = serde_json::from_slice(&json)
            .map_err(|error| Failure::of_file(file, &error.to_string()))?;
        let outcome = tx_fuzz::check(&case, &crate::compiler::create);
        crate::stdout::print(format!("{}: {outcome}\n", file.display()).as_bytes())?;
        bad |= outcome.class.is_finding();
    }
    match bad {
        true => Err(Failure::Failed("tx: there are findings".to_owned())),
        false => Ok(()),
    }
}

fn show(run: &FuzzRun) -> Result<(), Failure> {
    for index in run.first..run.first + run.cases.unwrap_or(1) {
        let case = tx_fuzz::generate(run.seed, index, None);
        let text = case
            .text()
            .map_err(|error| Failure::Refused(error.to_string()))?;
        let title = format!(
            "// seed {}, case {index}: for {}, inputs {}\n",
            run.seed, case.chip, case.seed
        );
        crate::stdout::print((title + &text.mlir).as_bytes())?;
    }
    Ok(())
}
