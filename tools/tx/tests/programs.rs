//! Runs every program of `lit-tests/tutorial`, `lit-tests/programs` and `lit-tests/cases` at
//! several sizes, and compares the results with a reference in f64.
//!
//! `COMPARE` lines of a program define its results as NumPy formulas; see `lit-tests/README.md`.
//! `programs/directive.rs` parses these lines. `programs/expression.rs` parses the formulas, and
//! `programs/evaluate.rs`, `programs/functions.rs` and `programs/array.rs` evaluate them. Each
//! number of a result has an error bound, which assumes that the computation rounds after each
//! step.
//!
//! Arguments and outputs initially contain random numbers from a fixed seed. The tests therefore
//! detect a kernel that reads the old contents of an output. Memory outside of the results must be
//! unchanged.
//!
//! `ptxas` assembles the PTX of each program for the chip of the run and for one of two newer
//! chips.
//!
//! A test name is `FOLDER/FILE::ENTRY::SIZES`, or `…::ptx`. With option `--every-chip`, `ptxas`
//! assembles each program for all chips. With option `--dump DIR`, the tests do not run; for a
//! machine without Rust, the directory then contains the programs, inputs, expected outputs and
//! tolerances.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

#[path = "programs/array.rs"]
mod array;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/combine.rs"]
mod combine;
#[path = "programs/directive.rs"]
mod directive;
#[path = "programs/dump.rs"]
mod dump;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/element.rs"]
mod element;
#[path = "programs/evaluate.rs"]
mod evaluate;
#[path = "programs/execute.rs"]
mod execute;
#[path = "programs/expression.rs"]
mod expression;
#[path = "programs/functions.rs"]
mod functions;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/inputs.rs"]
mod inputs;
#[expect(dead_code, reason = "xtask uses more of it")]
#[path = "../../xtask/src/npy.rs"]
mod npy;
#[path = "support/ptxas.rs"]
mod ptxas;
#[path = "programs/runs.rs"]
mod runs;
#[path = "programs/self_tests.rs"]
mod self_tests;
#[path = "programs/value.rs"]
mod value;

use dump::dump;
use execute::{RUN_CHIP, assemble, cache, execute, scratch};
use runs::programs;

/// Newer chips for which PTX is assembled.
const NEWER_CHIPS: [&str; 2] = ["sm_90", "sm_100a"];

fn main() -> ExitCode {
    match harness() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("programs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn harness() -> Result<ExitCode, String> {
    let mut rest = Vec::new();
    let mut dump_to = None;
    let mut every_chip = false;
    let mut arguments = std::env::args();
    while let Some(argument) = arguments.next() {
        if argument == "--dump" {
            dump_to = Some(arguments.next().ok_or("--dump needs a path")?);
        } else if argument == "--every-chip" {
            every_chip = true;
        } else {
            rest.push(argument);
        }
    }
    let programs = programs()?;
    if let Some(folder) = dump_to {
        let count = dump(&programs, Path::new(&folder))?;
        println!("programs: wrote {count} cases to {folder}");
        return Ok(ExitCode::SUCCESS);
    }
    // The tests first delete the cache, because another version of `tx` may have written the cache
    // entries.
    if cache().exists() {
        fs::remove_dir_all(cache()).map_err(|error| format!("cannot empty the cache: {error}"))?;
    }
    let mut trials = self_tests::trials();
    let mut newer = NEWER_CHIPS.iter().cycle();
    for program in programs {
        match &program.runs {
            Err(error) => {
                let error = error.clone();
                trials.push(Trial::test(program.name, move || Err(error.into())));
            }
            Ok(runs) => {
                let failed = |message: String| Failed::from(message.trim_end());
                let entries: BTreeSet<&String> =
                    runs.iter().map(|run| &run.comparison.entry).collect();
                // Without host functions, all kernels are compiled together for any entry.
                let distinct = if program.has_hosts { entries.len() } else { 1 };
                for entry in entries.into_iter().take(distinct) {
                    let (entry, path) = (entry.clone(), program.path.clone());
                    let name = format!("{}::{entry}::ptx", program.name);
                    let others = if every_chip { NEWER_CHIPS.len() } else { 1 };
                    let chips: Vec<&str> = newer.by_ref().take(others).copied().collect();
                    trials.push(Trial::test(name.clone(), move || {
                        let chips = [&[RUN_CHIP], &chips[..]].concat();
                        assemble(&path, &entry, &chips, &scratch(&name)).map_err(failed)
                    }));
                }
                trials.extend(runs.iter().map(|run| {
                    let (run, path) = (run.clone(), program.path.clone());
                    Trial::test(run.name.clone(), move || {
                        execute(&run, &path).map_err(failed)
                    })
                }));
            }
        }
    }
    Ok(libtest_mimic::run(&Arguments::from_iter(rest), trials).exit_code())
}
