//! Command `tx tune`.

use std::path::Path;

use tx_runtime::{Arg, Array, Device, Executable, RunOptions};

use crate::bench::{repeats, time};
use crate::cli::Tune;
use crate::compile;
use crate::failure::Failure;
use crate::progress;
use crate::stderr::note;

/// Number of time measurements per schedule on a GPU.
const TIMES: u32 = 7;
/// Minimum fraction by which a schedule must reduce the run time to replace the fastest schedule so
/// far. Smaller differences of run times are measurement noise.
const MARGIN: f64 = 0.01;
/// Maximum difference between the results of two schedules, relative to the largest result. The
/// tolerance covers the rounding errors of the narrowest type if a schedule changes the order of
/// additions.
const TOLERANCE: f64 = 0.02;

/// Squared logarithms of the ratio between estimated and measured run time, one for each schedule
/// of a reduction.
#[derive(Default)]
struct Errors(Vec<f64>);

pub(crate) fn run(options: &Tune) -> Result<(), Failure> {
    let file = &options.program.file;
    let text = compile::read(file)?;
    compile::check_outputs(file, [options.output.as_path()])?;
    let device = Device::open(&options.launch.device)?;
    let chip = options.launch.chip_for(&device);
    options.launch.tell(&device);
    let times = repeats(options.times, TIMES, &device);
    let source = tx::Source {
        name: file.display().to_string(),
        text: text.clone(),
        entry: options.program.entry.clone(),
        keep_stages: false,
    };
    let refused = |error: tx::Error| Failure::Diagnosed(compile::describe(&error, file, &text));
    let compiler = tx::Target::parse(&chip)
        .and_then(crate::compiler::create)
        .map_err(refused)?;
    let tunables = compiler.candidates(&source).map_err(refused)?;
    compile::warn_of_grid(&compiler, &source, options.launch.grid);
    let args = options.launch.arguments(&device)?;
    let compiled = |schedules: &[Option<String>]| compiler.compile_scheduled(&source, schedules);
    let attempt =
        |(artifact, tuned): (tx::Artifact, String)| -> Result<(f64, Vec<Option<Array>>, String), Failure> {
            let program = device.load(&artifact)?;
            let how = options.launch.run_options(&args);
            let refused = |error| {
                options
                    .launch
                    .refused(error, file, &artifact.plan)
                    .quoting(file, &text)
            };
            let results = results(&program, &args, &how).map_err(refused)?;
            let timed = time(&device, &program, &args, &how, times, &|| {}).map_err(refused)?;
            let seconds = timed.median();
            Ok((seconds * 1e6, results, tuned))
        };

    let mut schedules: Vec<Option<String>> = vec![None; tunables.len()];
    let (mut before, expected, mut best_text) = attempt(compiled(&schedules).map_err(refused)?)?;
    let entry = compiler.plan(&source).map_err(refused)?.entry;
    let mut best = before;
    note(&format!(
        "@{entry} on {}: {before:.1} µs before tuning",
        device.name()
    ));
    let ours: Vec<(usize, &tx::Tunable)> = tunables
        .iter()
        .enumerate()
        .filter(|(_, tunable)| tunable.function == entry)
        .collect();
    let attempts = ours.iter().map(|(_, tunable)| tunable.candidates.len());
    let task = progress::start("tune", attempts.sum::<usize>() as u64);
    for (number, tunable) in ours {
        let mut errors = Errors::default();
        let mut winner: Option<&String> = None;
        note(&headline(file, tunable));
        for (rank, candidate) in tunable.candidates.iter().enumerate() {
            let mut trial = schedules.clone();
            trial[number] = Some(candidate.schedule.clone());
            task.doing(&candidate.schedule);
            let trial = match compiled(&trial) {
                Ok(trial) => trial,
                // A pass that runs after the choice of a legal schedule may fail, for example
                // because the kernel needs too many named barriers.
                Err(error) => {
                    task.step();
                    let reason = error.diagnostics.first().map_or("", |d| d.message.as_str());
                    note(&format!("  not compiled: {}: {reason}", candidate.schedule));
                    continue;
                }
            };
            let (measured, found, tuned) = attempt(trial)?;
            task.step();
            if let Some(argument) = first_difference(&expected, &found) {
                return Err(Failure::Failed(format!(
                    "{}: @{entry}: argument {argument} differs from the result before tuning, with \
                     the schedule {}",
                    file.display(),
                    candidate.schedule
                )));
            }
            errors
                .0
                .push((candidate.microseconds / measured).ln().powi(2));
            // Candidate 0 is the current schedule, which is measured again after the warm-up of the
            // device.
            if rank == 0 {
                best = best.min(measured);
                if schedules.iter().all(Option::is_none) {
                    before = best;
                }
            }
            let is_better = rank > 0 && measured < best * (1.0 - MARGIN);
            note(&format!(
                "  {measured:>10.1} µs, estimated {:>10.1} µs: {}{}",
                candidate.microseconds,
                candidate.schedule,
                if is_better { ", the best so far" } else { "" }
            ));
            if is_better {
                (best, best_text, winner) = (measured, tuned, Some(&candidate.schedule));
            }
        }
        // The error of the estimates is printed only for a program with a single op on a GPU.
        if let (1, Some(_)) = (tunables.len(), device.chip()) {
            note(&format!(
                "  root mean square error of the estimates: {:.0} %",
                errors.percent()
            ));
        }
        if let Some(winner) = winner {
            schedules[number] = Some(winner.clone());
        }
    }
    drop(task);
    note(&format!(
        "{best:.1} µs with the best schedules, {:.2} of the time before tuning",
        if before > 0.0 { best / before } else { 1.0 }
    ));
    note(match schedules.iter().all(Option::is_none) {
        true => {
            "no candidate is faster: the output is the program as `tile` ops on memrefs, without a \
             schedule"
        }
        false => {
            "the written schedules were measured with these sizes: a schedule without cases \
             applies to all lengths, but without a schedule, the compiler chooses one for each \
             range of lengths"
        }
    });
    match options.output.to_str() {
        Some("-") => crate::stdout::print(best_text.as_bytes()),
        _ => std::fs::write(&options.output, best_text)
            .map_err(|error| Failure::file(&options.output, &error)),
    }
}

fn headline(file: &Path, tunable: &tx::Tunable) -> String {
    let place = tunable.place.as_ref();
    let place = place.map_or_else(String::new, |at| {
        format!(" at {}:{}:{}", file.display(), at.line, at.column)
    });
    let tried = match tunable.candidates.len() {
        1 => "one schedule".to_owned(),
        n => format!("{n} schedules"),
    };
    format!(
        "{}{place}: {tried}, the most promising first; estimates are for {}",
        tunable.op, tunable.estimated_for
    )
}

impl Errors {
    fn percent(&self) -> f64 {
        let mean = self.0.iter().sum::<f64>() / self.0.len().max(1) as f64;
        100.0 * (mean.sqrt().exp() - 1.0)
    }
}

fn results(
    program: &Executable,
    args: &[Arg],
    how: &RunOptions,
) -> Result<Vec<Option<Array>>, tx_runtime::Error> {
    let outputs = program.run_with(args.to_vec(), how)?;
    let written: Vec<usize> = outputs.written().map(|(index, _)| index).collect();
    let mut arrays = outputs.into_arrays();
    for (index, array) in arrays.iter_mut().enumerate() {
        if !written.contains(&index) {
            *array = None;
        }
    }
    Ok(arrays)
}

fn first_difference(expected: &[Option<Array>], found: &[Option<Array>]) -> Option<usize> {
    expected
        .iter()
        .zip(found)
        .position(|(expected, found)| match (expected, found) {
            (Some(expected), Some(found)) => {
                let number =
                    |array: &Array, i| array.get(i).map_or(f64::NAN, |number| number.to_f64());
                let pairs = (0..expected.len()).map(|i| (number(expected, i), number(found, i)));
                let largest = pairs
                    .clone()
                    .map(|(one, _)| one.abs())
                    .filter(|n| n.is_finite())
                    .fold(0.0, f64::max);
                let most = if expected.element().is_float() {
                    TOLERANCE * largest
                } else {
                    0.0
                };
                pairs.into_iter().any(|(one, other)| {
                    let is_same =
                        one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan();
                    let is_near = (one - other).abs() <= most;
                    !is_same && !is_near
                })
            }
            _ => false,
        })
}
