//! Validates every program of `lit-tests`, like `tx validate`.
//!
//! Each test is one file. If a file contains lines with `// -----`, the parts between these lines
//! are separate programs. All functions and kernels must be valid, except for those in
//! `validate/exceptions.txt`. Each line of `exceptions.txt` contains a file, a part, a function or
//! kernel, and the expected verdict. Files that test diagnostics are skipped. The chip is the first
//! in a `RUN` line of the file, or the default.
//!
//! In the two largest directories, the tests run about a third of the files and ignore the other
//! files. With `--include-ignored`, the tests run all files. `--bless` rewrites the exceptions.
//! `--every-input` uses all inputs of `tx validate`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};
use tx_mlir::codes;
use tx_validate::{Options, Trouble, Validation, Verdict};

/// Verdicts of entries that are not valid.
type Found = BTreeMap<String, String>;
/// Map from an entry to its expected verdict, and to a flag that is set if the verdict requires all
/// inputs.
type Exceptions = BTreeMap<String, (String, bool)>;

fn main() -> ExitCode {
    let bless = std::env::args().any(|argument| argument == "--bless");
    let every_input = std::env::args().any(|argument| argument == "--every-input");
    let own = ["--bless", "--every-input"];
    let rest = std::env::args().filter(|argument| !own.contains(&argument.as_str()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests");
    let exceptions_path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate/exceptions.txt");
    let listed = read_exceptions(&exceptions_path);
    let holds = |(_, (_, needs_every)): &(_, (_, bool))| every_input || !needs_every;
    let exceptions = listed.clone().into_iter().filter(holds);
    let exceptions: Found = exceptions.map(|(key, (word, _))| (key, word)).collect();
    let exceptions = Arc::new(exceptions);
    let found: Arc<Mutex<Found>> = Arc::default();
    let checked: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let mut files = Vec::new();
    collect(&root, &mut files);
    // Test `programs` compares these files with formulas; validation of their arrays would take
    // minutes.
    files.retain(|file| !file.starts_with(root.join("cases")) && !is_validated_by_lit(file));
    files.sort();
    let trials = files
        .into_iter()
        .map(|file| {
            let name = file
                .strip_prefix(&root)
                .unwrap_or(&file)
                .display()
                .to_string();
            let (exceptions, found, checked) = (exceptions.clone(), found.clone(), checked.clone());
            let is_left_out = !every_input && !is_in_sample(&name);
            Trial::test(name.clone(), move || {
                let text = fs::read_to_string(&file).map_err(|e| e.to_string())?;
                let limits = (!every_input).then(|| limits_of(&name));
                let outcomes = check(&name, &text, limits);
                if let Ok(mut checked) = checked.lock() {
                    checked.insert(name);
                }
                let mut wrong = Vec::new();
                for (entry, outcome) in outcomes {
                    let expected = exceptions.get(&entry).map_or("valid", String::as_str);
                    if outcome.word != expected && !bless {
                        wrong.push(format!(
                            "{entry}: {}, expected {expected}\n{}",
                            outcome.word, outcome.detail
                        ));
                    }
                    if outcome.word != "valid"
                        && let Ok(mut found) = found.lock()
                    {
                        found.insert(entry, outcome.word);
                    }
                }
                match wrong.is_empty() {
                    true => Ok(()),
                    false => Err(Failed::from(wrong.join("\n"))),
                }
            })
            .with_ignored_flag(is_left_out)
        })
        .collect();
    let conclusion = libtest_mimic::run(&Arguments::from_iter(rest), trials);
    let all = found.lock().map(|found| found.clone()).unwrap_or_default();
    let checked = checked
        .lock()
        .map(|names| names.clone())
        .unwrap_or_default();
    let is_checked = |key: &str| checked.contains(key.split('#').next().unwrap_or(key));
    if bless {
        // If this run does not use all inputs, the exceptions that require all inputs are kept.
        let is_left = |key: &str, needs_every| !is_checked(key) || needs_every && !every_input;
        let left = listed
            .iter()
            .filter(|(key, (_, every))| is_left(key, *every));
        let left = left.map(|(key, one)| (key.clone(), one.clone()));
        let with_some = |key: &String| listed.get(key).is_some_and(|(_, every)| !every);
        let new = all.into_iter().map(|(key, word)| {
            let needs_every = every_input && !with_some(&key);
            (key, (word, needs_every))
        });
        let all: Exceptions = new.chain(left).collect();
        let lines = all
            .iter()
            .map(|(key, (word, needs_every))| match needs_every {
                true => format!("{key} {word}{EVERY}\n"),
                false => format!("{key} {word}\n"),
            });
        let text = format!("{HEADER}{}", lines.collect::<String>());
        if let Err(error) = fs::write(&exceptions_path, text) {
            eprintln!("validate: {}: {error}", exceptions_path.display());
            return ExitCode::FAILURE;
        }
    } else if let Some(stale) = exceptions
        .keys()
        .find(|key| is_checked(key) && !all.contains_key(*key))
    {
        eprintln!("validate: {stale} is listed as an exception, and is none");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

const HEADER: &str = "\
# Programs of `lit-tests` that are not valid, and what comes of them:
#   unwritten    it reads memory that nobody wrote: a fragment of a program, for one pass
#   faulty       it does something else that it must not: a test of what is said of that
#   race         threads write one place with nothing between, in the program itself
#   WRONG        what it computes follows from where its arrays are
#   refused      it does not compile for the default chip, or not as a whole
#   inputs       no sizes fit it without somebody who knows it
#   unsupported  it has an op that the executor does not run
# Those with `every` are valid with the inputs that are tried without `--every-input`.
# Written by `cargo test -p tx-cli --test validate -- --bless`, those with `--every-input --bless`.
";

/// Suffix of an exception that occurs only with all inputs.
const EVERY: &str = " every";

fn read_exceptions(path: &Path) -> Exceptions {
    fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let some = line.strip_suffix(EVERY);
            let (entry, word) = some.unwrap_or(line).rsplit_once(' ')?;
            Some((entry.to_owned(), (word.to_owned(), some.is_some())))
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "mlir") {
            files.push(path);
        }
    }
}

/// Returns whether a lit test already validates all entries of the file.
fn is_validated_by_lit(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().any(|line| {
        let flags = line.strip_prefix("// RUN: tx validate %s");
        let is_part = |flags: &str| flags.contains("--entry") || flags.contains("--arg");
        line == "// VALIDATE" || flags.is_some_and(|flags| !is_part(flags))
    })
}

/// Returns whether the file is part of the sample: about a third of the files of the two largest
/// directories, and all other files.
fn is_in_sample(name: &str) -> bool {
    let has_many = ["convert-linalg-to-tile/", "tile-schedule/"];
    let sum: usize = name.bytes().map(usize::from).sum();
    !has_many.iter().any(|folder| name.starts_with(folder)) || sum % 3 == 2
}

/// Returns the maximum number of inputs of a file, and the work limit per stage in ops (`tx
/// validate`: 2^26). Validation tests have the highest limits, and tests of a single pass have the
/// lowest limits.
fn limits_of(name: &str) -> (usize, u64) {
    // Some errors occur only in large arrays.
    if name.starts_with("tools/validate-") {
        return (16, 1 << 26);
    }
    match name.split('/').next() {
        Some("programs") => (8, 1 << 19),
        Some("tools" | "tutorial" | "lower-reduction") => (8, 1 << 18),
        _ => (4, 1 << 17),
    }
}

/// Returns the chip of a file. An unknown chip belongs to a test of its diagnostic.
fn target_of(text: &str) -> tx::Target {
    let runs = text.lines().filter(|line| line.starts_with("// RUN"));
    let named = runs
        .filter_map(|line| line.split_once("chip"))
        .filter_map(|(_, rest)| {
            rest.trim_start_matches(['=', ' '])
                .split(&[' ', '}'][..])
                .next()
        })
        .find_map(|chip| tx::Target::parse(chip).ok());
    named.unwrap_or_else(|| {
        tx::Target::parse(tx_target::DEFAULT_CHIP).expect("the default chip is a known one")
    })
}

/// Verdict on an entry.
struct Outcome {
    word: String,
    detail: String,
}

/// Validates each entry of a file.
fn check(name: &str, text: &str, limits: Option<(usize, u64)>) -> Vec<(String, Outcome)> {
    let refuses = |text: &str| {
        text.contains("expected-error")
            || text
                .lines()
                .any(|line| line.contains("RUN:") && line.split_whitespace().any(|w| w == "not"))
    };
    let target = target_of(text);
    let mut outcomes = Vec::new();
    let whole_refuses = text
        .lines()
        .any(|line| line.contains("RUN:") && line.split_whitespace().any(|word| word == "not"));
    for (part, text) in text.split("// -----").enumerate() {
        if whole_refuses || refuses(text) {
            continue;
        }
        let mut source = tx::Source {
            name: name.to_owned(),
            text: text.as_bytes().to_vec(),
            entry: None,
            keep_stages: false,
        };
        let compiler = tx::Compiler::new(target).expect("a compiler");
        let entries = match compiler.entries(&source) {
            Ok(entries) => entries,
            Err(error) => {
                outcomes.push((
                    format!("{name}#{part}"),
                    Outcome {
                        word: "refused".to_owned(),
                        detail: error.to_string(),
                    },
                ));
                continue;
            }
        };
        let mut seen = Vec::new();
        for entry in entries {
            if seen.contains(&entry) {
                continue;
            }
            seen.push(entry.clone());
            source.entry = Some(entry.clone());
            let options = Options {
                inputs: limits.map(|(inputs, _)| 0..inputs),
                work: limits.map(|(_, work)| work),
                ..Options::default()
            };
            let result = tx_validate::validate(&compiler, &source, &options);
            outcomes.push((format!("{name}#{part} @{entry}"), outcome(result)));
        }
    }
    outcomes
}

fn outcome(result: Result<Validation, Trouble>) -> Outcome {
    let (word, detail) = match result {
        Ok(validation) if validation.is_good() => ("valid", String::new()),
        Ok(validation) => {
            let stages: Vec<String> = validation
                .stages
                .iter()
                .map(|stage| format!("  {}: {}", stage.name, stage.verdict))
                .collect();
            let guilty = validation.guilty();
            let itself = guilty.is_some_and(|stage| stage.name == "parse");
            let word = match guilty.map(|stage| &stage.verdict) {
                Some(Verdict::Race(_)) => "race",
                Some(verdict) if itself && verdict.code() == Some(codes::TX0803) => "unwritten",
                Some(Verdict::Fault { .. }) if itself => "faulty",
                Some(verdict) => verdict.word(),
                None => "unsupported",
            };
            (word, stages.join("\n"))
        }
        Err(Trouble::Compile(error)) => ("refused", error.to_string()),
        Err(error) => {
            let word = match error.code() {
                Some(codes::TX0803) => "unwritten",
                _ => "inputs",
            };
            (word, error.to_string())
        }
    };
    Outcome {
        word: word.to_owned(),
        detail,
    }
}
