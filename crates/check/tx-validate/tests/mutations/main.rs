//! Mutation tests of the checkers: edits the IR between passes, and records which checker detects
//! the edit.
//!
//! * `edits.rs` defines the edits.
//! * `programs.rs` finds the programs: lit tests, and those in `programs/`.
//! * `run.rs` makes an edit and runs every checker.
//! * `harmless.rs` lists edits without an observable effect.
//! * `report.rs` writes `docs/mutations.md`.
//!
//! The harness runs one test per edit. The test makes the edit in a sample of the programs. `--run
//! [PART PARTS FILE…]` makes every edit in all programs, or in one part of the programs, and prints
//! a line of JSON for each edit. `--run` skips an edit if one of the files records that the edit is
//! detected or harmless. `--again PROGRAMS FILE…` makes every edit in the named programs. `--page
//! FILE…` writes the page `docs/mutations.md` from the lines of JSON. `--look PROGRAMS EDITS COUNT`
//! prints the outcome of the named edits. PROGRAMS and EDITS are lists of texts, separated by
//! commas. The command selects each program or edit whose name contains one of the texts.

mod edits;
mod harmless;
mod programs;
mod report;
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};

use edits::{EDITS, Edit};
use harmless::{HARMLESS, Harmless};
use run::{EditSite, Outcome, Survey};

/// Maximum number of places of an edit in a program.
const PLACES: usize = 1;

/// Duration above which the test prints the name of a slow survey.
const SLOW: Duration = Duration::from_secs(10);

/// Maximum number of edits whose names the test prints before it makes the edits.
const FEW: usize = 20;

/// Programs of the sample, from the fastest to the slowest. Every edit applies to at least one
/// program of the sample.
const SAMPLE: [&str; 25] = [
    "mutations/together@votes",
    "mutations/together@agreement",
    "mutations/atomics@count",
    "mutations/numbers@pairs",
    "mutations/together@turned",
    "mutations/together@halves",
    "mutations/together@peaks",
    "mutations/atomics@sums",
    "mutations/together@few",
    "mutations/together@in_turns",
    "mutations/together@turn_by_turn",
    "mutations/fused@two_lengths",
    "mutations/numbers@least_bytes",
    "mutations/numbers@range",
    "mutations/numbers@product",
    "mutations/numbers@places",
    "mutations/jobs@two_steps",
    "mutations/jobs@centred",
    "mutations/jobs@spread",
    "mutations/together@tiles",
    "mutations/blocks@sum",
    "mutations/blocks@columns",
    "mutations/clusters@sum",
    "mutations/clusters@columns",
    "mutations/clusters@bytes",
];

/// Number of sample programs in which the test makes an edit.
const SAMPLED: usize = 1;

/// Edit with its outcome, as in a line that `--run` prints.
#[derive(serde::Serialize, serde::Deserialize)]
struct Done {
    edit: String,
    program: String,
    place: EditSite,
    outcome: Outcome,
}

impl Done {
    /// Returns the key of the edit: its name, program and place.
    fn key(&self) -> (&str, &str, &str, usize, &str) {
        let EditSite {
            pass, change, op, ..
        } = &self.place;
        (&self.edit, &self.program, pass, *change, op)
    }
}

/// Returns the reason why an undetected edit is harmless, if known.
fn harmless_of(done: &Done) -> Option<&'static Harmless> {
    HARMLESS
        .iter()
        .find(|harmless| harmless.holds_for(&done.edit, &done.program, &done.place))
}

/// Returns the error message about an undetected edit.
fn complaint(done: &Done) -> Option<String> {
    let Outcome::Survived(what) = &done.outcome else {
        return None;
    };
    harmless_of(done).is_none().then(|| {
        format!(
            "nobody noticed `{}` in {} after {}, at {} {} of {:?}{}{what}",
            done.edit,
            done.program,
            done.place.pass,
            done.place.kernel.as_deref().unwrap_or_default(),
            done.place.op,
            done.place.of,
            if what.is_empty() { "" } else { ": " },
        )
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let done = match arguments.get(1).map(String::as_str) {
        Some("--run") => match &arguments[2..] {
            [] => run(programs::all(), &[]),
            [part, parts, before @ ..] => match (part.parse(), parts.parse()) {
                (Ok(part), Ok(parts)) => run(one_part(part, parts), before),
                _ => Err(format!("{part} of {parts}: expected two numbers")),
            },
            _ => Err("--run takes the number of a part, how many there are, and files".to_owned()),
        },
        Some("--again") => match &arguments[2..] {
            [names, before @ ..] => run(named(names), before),
            [] => Err("--again takes parts of the names of programs, and files".to_owned()),
        },
        Some("--page") => page(&arguments[2..]),
        Some("--look") => look(&arguments[2..]),
        _ => test(),
    };
    done.unwrap_or_else(|error| {
        eprintln!("mutations: {error}");
        ExitCode::FAILURE
    })
}

/// Runs the tests.
fn test() -> Result<ExitCode, String> {
    let programs = programs::all()?;
    let programs: Vec<_> = SAMPLE
        .iter()
        .map(|name| {
            let found = programs.iter().find(|program| program.name == *name);
            found.ok_or_else(|| format!("no program is called {name}"))
        })
        .collect::<Result<_, _>>()?;
    let arguments = Arguments::from_args();
    let references = Arc::default();
    // Listing the tests requires no run.
    let surveys: Vec<Survey> = match arguments.list {
        true => Vec::new(),
        false => parallel(&programs, |program| {
            run::survey(program, EDITS, &references)
        })
        .into_iter()
        .zip(&programs)
        .map(|(survey, program)| survey.map_err(|error| format!("{}: {error}", program.name)))
        .collect::<Result<_, _>>()?,
    };
    let surveys: &'static [Survey] = surveys.leak();
    let mut trials: Vec<Trial> = EDITS
        .iter()
        .enumerate()
        .map(|(number, edit)| Trial::test(edit.name, move || sample(number, edit, surveys)))
        .collect();
    trials.push(Trial::test("page", page_is_fresh));
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// Makes an edit in some programs.
fn sample(number: usize, edit: &'static Edit, surveys: &'static [Survey]) -> Result<(), Failed> {
    let mut programs = 0;
    let mut caught = 0;
    let mut complaints = Vec::new();
    for survey in surveys {
        let places = run::some(survey, number, 1);
        if programs == SAMPLED || places.is_empty() {
            continue;
        }
        for place in places {
            let done = make(survey, edit, place);
            if matches!(done.outcome, Outcome::Nothing) {
                continue;
            }
            programs += 1;
            caught += usize::from(matches!(done.outcome, Outcome::Caught(..)));
            complaints.extend(complaint(&done));
        }
    }
    if programs < SAMPLED {
        complaints.push(format!(
            "it can be made in {programs} programs of the sample, expected {SAMPLED}"
        ));
    }
    if caught == 0 {
        complaints.push("nobody noticed it anywhere in the sample".to_owned());
    }
    match complaints.is_empty() {
        true => Ok(()),
        false => Err(complaints.join("\n").into()),
    }
}

/// Checks that the table of `docs/mutations.md` lists exactly the edits of `edits.rs`.
fn page_is_fresh() -> Result<(), Failed> {
    let path = report::path();
    let page = std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let found = report::kinds(&page);
    let expected: Vec<&str> = EDITS.iter().map(|edit| edit.name).collect();
    match found == expected {
        true => Ok(()),
        false => Err(format!(
            "{} speaks of {found:?}, expected {expected:?}: run `{}`",
            path.display(),
            report::COMMANDS
        )
        .into()),
    }
}

/// Surveys all programs that compile.
fn surveys(programs: Vec<programs::Program>) -> Vec<Survey> {
    let references = Arc::default();
    let found = parallel(&programs, |program| {
        let began = Instant::now();
        let survey = run::survey(program, EDITS, &references);
        if began.elapsed() > SLOW {
            eprintln!("{}: surveyed in {:.0?}", program.name, began.elapsed());
        }
        survey
    });
    let mut surveys = Vec::new();
    for (program, survey) in programs.iter().zip(found) {
        match survey {
            Ok(survey) => surveys.push(survey),
            Err(error) => eprintln!("not taken: {}: {error}", program.name),
        }
    }
    surveys
}

/// Makes an edit. If the edit is known to be harmless, the test uses fewer inputs.
fn make(survey: &Survey, edit: &'static Edit, place: &EditSite) -> Done {
    let program = &survey.program.name;
    let known = HARMLESS
        .iter()
        .any(|harmless| harmless.holds_for(edit.name, program, place));
    Done {
        edit: edit.name.to_owned(),
        program: program.clone(),
        place: place.clone(),
        outcome: run::mutate(survey, edit, place, known),
    }
}

/// Makes edits at some places.
fn edited(
    surveys: &[Survey],
    wanted: impl Fn(&str, &str, &EditSite) -> bool,
    places: usize,
    each: impl Fn(&Done) + Sync,
) {
    let mut jobs = Vec::new();
    for survey in surveys {
        for (number, edit) in EDITS.iter().enumerate() {
            let mut some = run::some(survey, number, places);
            some.retain(|place| wanted(edit.name, &survey.program.name, place));
            jobs.extend(some.into_iter().map(|place| (survey, edit, place)));
        }
    }
    eprintln!("{} edits in {} programs", jobs.len(), surveys.len());
    // Print the names of the last edits of a run, because these edits may take long.
    for (survey, edit, place) in jobs.iter().filter(|_| jobs.len() <= FEW) {
        eprintln!(
            "`{}` in {} after {}, at {}",
            edit.name, survey.program.name, place.pass, place.op
        );
    }
    let count = AtomicUsize::new(0);
    parallel(&jobs, |(survey, edit, place)| {
        each(&make(survey, edit, place));
        let count = count.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_multiple_of(500) {
            eprintln!("{count} of {}", jobs.len());
        }
    });
}

/// Returns part `part` of the list of programs, which is split into `parts` parts.
fn one_part(part: usize, parts: usize) -> Result<Vec<programs::Program>, String> {
    if part >= parts {
        return Err(format!("part {part} of {parts}: parts are counted from 0"));
    }
    let mut programs = programs::all()?;
    // Adjacent programs are similar, so distribute them over the parts.
    let mut number = 0;
    programs.retain(|_| {
        number += 1;
        number % parts == part
    });
    Ok(programs)
}

/// Returns whether a name contains one of several parts, separated by commas.
fn is_among(name: &str, parts: &str) -> bool {
    parts.split(',').any(|part| name.contains(part))
}

/// Returns the programs whose names contain one of several parts.
fn named(parts: &str) -> Result<Vec<programs::Program>, String> {
    let mut programs = programs::all()?;
    programs.retain(|program| is_among(&program.name, parts));
    Ok(programs)
}

/// Makes every edit in some programs, and prints a line of JSON for each. If a file of an earlier
/// run contains a line for an edit, the function copies the line and does not make the edit again.
fn run(
    programs: Result<Vec<programs::Program>, String>,
    before: &[String],
) -> Result<ExitCode, String> {
    // From an earlier run, repeat only the undetected edits.
    let mut before = read(before)?;
    before.retain(|done| complaint(done).is_none());
    let known: BTreeMap<_, _> = before.iter().map(|done| (done.key(), done)).collect();
    let programs = programs?;
    let surveys = surveys(programs);
    let print = |done: &Done| match serde_json::to_string(done) {
        Ok(line) => println!("{line}"),
        Err(error) => eprintln!("cannot write {}: {error}", done.edit),
    };
    let wanted = |edit: &str, program: &str, place: &EditSite| {
        let key = (edit, program, &*place.pass, place.change, &*place.op);
        let before = known.get(&key);
        before.inspect(|done| print(done)).is_none()
    };
    edited(&surveys, wanted, PLACES, |done| {
        if let Some(complaint) = complaint(done) {
            eprintln!("{complaint}");
        }
        print(done);
    });
    Ok(ExitCode::SUCCESS)
}

/// Reads the lines of `--run`.
fn read(files: &[String]) -> Result<Vec<Done>, String> {
    let mut done = Vec::new();
    for file in files {
        let trouble = |error: &dyn std::fmt::Display| format!("cannot read {file}: {error}");
        let text = std::fs::read_to_string(file).map_err(|error| trouble(&error))?;
        for line in text.lines() {
            done.push(serde_json::from_str(line).map_err(|error| trouble(&error))?);
        }
    }
    Ok(done)
}

/// Writes the page from the output of `--run`.
fn page(files: &[String]) -> Result<ExitCode, String> {
    let mut done = read(files)?;
    // If several lines describe one edit, the last line is valid.
    done.reverse();
    let mut seen = BTreeSet::new();
    done.retain(|done| {
        let (edit, program, pass, change, _) = done.key();
        seen.insert((edit.to_owned(), program.to_owned(), pass.to_owned(), change))
    });
    let order = |done: &Done| {
        let edit = EDITS.iter().position(|edit| edit.name == done.edit);
        (done.program.clone(), edit, done.place.change)
    };
    done.sort_by_key(order);
    let path = report::path();
    std::fs::write(&path, report::page(&done, programs::all()?.len()))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let mut wrong = 0;
    for complaint in done.iter().filter_map(complaint) {
        eprintln!("{complaint}");
        wrong += 1;
    }
    for edit in EDITS {
        let programs: BTreeSet<&str> = done
            .iter()
            .filter(|done| done.edit == edit.name)
            .filter(|done| !matches!(done.outcome, Outcome::Nothing))
            .map(|done| &*done.program)
            .collect();
        if programs.len() < 2 {
            eprintln!(
                "`{}` can be made in {} programs, expected 2",
                edit.name,
                programs.len()
            );
            wrong += 1;
        }
    }
    for harmless in HARMLESS {
        let needed = done.iter().any(|done| {
            matches!(done.outcome, Outcome::Survived(_))
                && harmless_of(done).is_some_and(|found| std::ptr::eq(found, harmless))
        });
        if !needed {
            eprintln!(
                "`{}` in {} at {}: listed as harmless, and somebody noticed it, or it was not made",
                harmless.edit, harmless.programs, harmless.place
            );
            wrong += 1;
        }
    }
    Ok(match wrong {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Prints the outcome of some edits.
fn look(arguments: &[String]) -> Result<ExitCode, String> {
    let [programs, edits, count] = arguments else {
        return Err("--look needs parts of names of programs and edits, and a number".to_owned());
    };
    let count = count.parse().map_err(|_| format!("{count} is no number"))?;
    let surveys = surveys(named(programs)?);
    edited(
        &surveys,
        |edit, _, _| is_among(edit, edits),
        count,
        |done| {
            let outcome = match &done.outcome {
                Outcome::Caught(who, what) => {
                    let who: Vec<&str> = who.iter().map(|checker| checker.name()).collect();
                    format!(
                        "{} | {}",
                        who.join(", "),
                        what.lines().next().unwrap_or_default()
                    )
                }
                Outcome::SameCode => "the same code".to_owned(),
                Outcome::Nothing => "no change".to_owned(),
                Outcome::Survived(what) => match harmless_of(done) {
                    Some(harmless) => format!("harmless: {}", harmless.why),
                    None => format!("NOT NOTICED {what}"),
                },
            };
            println!(
                "{} | {} | {}#{} | {} | {outcome}",
                done.edit, done.program, done.place.pass, done.place.change, done.place.op,
            );
        },
    );
    Ok(ExitCode::SUCCESS)
}

/// Processes the items on all processors, and returns the results in the order of the items.
fn parallel<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(thing) = things.get(i) else { break };
                    let result = work(thing);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.insert(i, result);
                }
            });
        }
    });
    done.into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .into_values()
        .collect()
}
