//! Conformance tests of every reduction kind. The programs differ in element types, NaN policies,
//! scopes, storage, variants and lengths. `tx run` executes each program, and the test compares the
//! results with a reference.
//!
//! A program reduces one tile with every kind. Each kind is reduced without `accumulate` into a
//! destination with garbage, and with `accumulate` into a destination with an old value. The rows
//! contain ordinary numbers, infinities, NaN, zeros of both signs, ties, subnormals and other edge
//! cases (`support/inputs.rs`). The reference depends only on the elements
//! (`conformance/reference.rs`, `support/combine.rs`). If a result does not depend on the
//! combination order, the test compares every bit of the result.
//!
//! A test name is `conformance::TYPES::SCOPE::STORAGE::ROWSxLENGTH-by-BLOCK::POLICY::VARIANT`.
//! VARIANT is a forced variant, or `chosen` for the compiler's choice. A test named `verdicts`
//! forces every variant on a reduction, and compares the set of applicable variants with the table
//! in `conformance/variants.rs`.
//!
//! By default, the tests run every fourth program and ignore the other programs. With
//! `--include-ignored`, as in `cargo xtask deep`, the tests run all programs.
//!
//! The programs are distributed to three chips. Each program is compiled and run for its chip, and
//! `ptxas` assembles its PTX.
//!
//! With option `--every-chip`, `ptxas` assembles each program for all chips. With option `--dump
//! DIR`, the tests do not run; for a machine without Rust, the directory then contains the
//! programs, inputs, expected outputs and tolerances.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};

#[path = "conformance/cases.rs"]
mod cases;
#[path = "support/combine.rs"]
mod combine;
#[path = "conformance/custom.rs"]
mod custom;
#[path = "support/element.rs"]
mod element;
#[path = "conformance/generate.rs"]
mod generate;
#[path = "support/inputs.rs"]
mod inputs;
#[expect(dead_code, reason = "xtask uses more of it")]
#[path = "../../xtask/src/npy.rs"]
mod npy;
#[path = "conformance/operands.rs"]
mod operands;
#[path = "conformance/places.rs"]
mod places;
#[path = "conformance/program.rs"]
mod program;
#[path = "support/ptxas.rs"]
mod ptxas;
#[path = "conformance/reference.rs"]
mod reference;
#[path = "conformance/results.rs"]
mod results;
#[path = "conformance/self_tests.rs"]
mod self_tests;
#[path = "conformance/spec.rs"]
mod spec;
#[path = "conformance/variants.rs"]
mod variants;

use npy::Array;
use program::{Argument, Case, Output};
use spec::{Spec, UNKNOWN};
use variants::Answer;

/// Sampling interval of programs. The interval and the number of chips have no common divisor, so
/// the sample contains programs for each chip.
const SAMPLED: usize = 4;

fn main() -> ExitCode {
    match harness() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("conformance: {error}");
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
    let specs = cases::specs();
    let mut names = BTreeSet::new();
    if let Some(twice) = specs.iter().find(|spec| !names.insert(spec.name())) {
        return Err(format!("there are two tests `{}`", twice.name()));
    }
    if let Some(folder) = dump_to {
        let count = dump(&specs, Path::new(&folder))?;
        println!("conformance: wrote {count} cases to {folder}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut trials = self_tests::trials();
    trials.extend(specs.into_iter().enumerate().map(|(number, spec)| {
        Trial::test(spec.name(), move || {
            let turn = number % CHIPS.len();
            let chips = if every_chip {
                &CHIPS[..]
            } else {
                &CHIPS[turn..=turn]
            };
            let done = if spec.verdicts {
                ask(&spec)
            } else {
                run(&spec, chips)
            };
            done.map_err(|message| Failed::from(message.trim_end()))
        })
        .with_ignored_flag(number % SAMPLED != 0)
    }));
    Ok(libtest_mimic::run(&Arguments::from_iter(rest), trials).exit_code())
}

// Running

fn folder_of(spec: &Spec) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("conformance")
        .join(spec.name().replace("::", "/"))
}

/// Chips for which PTX is assembled.
const CHIPS: [&str; 3] = ["sm_80", "sm_90", "sm_100a"];

/// Compiles a program for a chip, and assembles the PTX.
fn assemble(folder: &Path, chip: &str) -> Result<(), String> {
    let ptx = folder.join(format!("{chip}.ptx"));
    let done = Command::new(env!("CARGO_BIN_EXE_tx"))
        .arg("compile")
        .arg(folder.join("program.mlir"))
        .args(["--chip", chip, "-o"])
        .arg(&ptx)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start tx: {error}"))?;
    if !done.status.success() {
        return Err(format!(
            "tx compile --chip {chip}: {}\n{}",
            done.status,
            String::from_utf8_lossy(&done.stderr).trim_end()
        ));
    }
    ptxas::assemble(&ptx, chip).map_err(|error| format!("{chip}: {error}"))
}

/// Runs a program compiled for the first chip, and assembles the PTX for all chips. A program that
/// requires a newer chip is compiled for that chip.
fn run(spec: &Spec, chips: &[&str]) -> Result<(), String> {
    let case = spec.case()?;
    let folder = folder_of(spec);
    let arguments = write(&case, &folder)?;
    let chips = case.chip.as_ref().map_or(chips, std::slice::from_ref);
    let (chip, others) = chips.split_first().ok_or("no chip")?;
    let ptx = folder.join(format!("{chip}.ptx"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
    command
        .arg("run")
        .arg(folder.join("program.mlir"))
        .args(["--device", "cpu", "--chip", chip, "--ptx"])
        .arg(&ptx);
    for argument in &arguments {
        command.arg("--arg").arg(folder.join(argument));
    }
    let result = |output: &Output| folder.join(format!("result{}.npy", output.argument));
    for output in &case.outputs {
        let _ = fs::remove_file(result(output));
        command
            .arg("--out")
            .arg(format!("{}={}", output.argument, result(output).display()));
    }
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start tx: {error}"))?;
    let at = format!("program and arguments are in {}", folder.display());
    if !done.status.success() {
        return Err(format!(
            "tx run: {}\n{}\n{at}\n{}",
            done.status,
            String::from_utf8_lossy(&done.stderr).trim_end(),
            case.program
        ));
    }
    let mut wrong = Vec::new();
    for output in &case.outputs {
        wrong.extend(compare(&case, output, &Array::read(&result(output))?));
    }
    if !wrong.is_empty() {
        return Err(format!("{}\n{at}", wrong.join("\n")));
    }
    ptxas::assemble(&ptx, chip)
        .map_err(|error| format!("{chip}: {error}"))
        .and_then(|()| others.iter().try_for_each(|chip| assemble(&folder, chip)))
        .map_err(|error| format!("{error}\n{at}"))?;
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}

/// Describes the first wrong elements of an output, with the rows from which they were computed.
fn compare(case: &Case, output: &Output, found: &Array) -> Vec<String> {
    const SHOWN: usize = 3;
    let label = &output.label;
    let Argument {
        element,
        shape,
        values: before,
    } = &case.arguments[output.argument];
    if (found.descr.as_str(), &found.shape) != (element.descr(), shape) {
        return vec![format!(
            "{label}: the result is {} {:?}, expected {} {shape:?}",
            found.descr,
            found.shape,
            element.descr()
        )];
    }
    let found = element.unpack(&found.bytes);
    if found.len() != output.expected.len() {
        return vec![format!(
            "{label}: {} elements, expected {}",
            found.len(),
            output.expected.len()
        )];
    }
    let wrong: Vec<usize> = (0..found.len())
        .filter(|i| !output.expected[*i].accepts(*element, found[*i]))
        .collect();
    let mut messages: Vec<String> = wrong
        .iter()
        .take(SHOWN)
        .map(|i| {
            let expected = output.expected[*i];
            let mut message = format!(
                "{label}: element {i} is {}, expected {}",
                element.show(found[*i]),
                element.show(expected.bits)
            );
            if expected.tolerance != 0.0 {
                message += &format!(" (tolerance {:e})", expected.tolerance);
            }
            message += "\n  of ";
            message += &row(case, output, *i);
            if label.contains("accumulate") {
                message += &format!("\n  onto {}", element.show(before[*i]));
            }
            message
        })
        .collect();
    if wrong.len() > SHOWN {
        messages.push(format!(
            "{label}: {} of {} elements are wrong",
            wrong.len(),
            found.len()
        ));
    }
    messages
}

/// Returns the elements of the row of a result, truncated.
fn row(case: &Case, output: &Output, number: usize) -> String {
    const SHOWN: usize = 40;
    let Argument {
        element, values, ..
    } = &case.arguments[output.source];
    let places = &output.rows[number];
    let shown: Vec<String> = places
        .iter()
        .take(SHOWN)
        .map(|at| element.show(values[*at]))
        .collect();
    let more = if places.len() > SHOWN {
        format!(", … {} elements", places.len())
    } else {
        String::new()
    };
    format!("[{}{more}]", shown.join(", "))
}

/// Compares the answers of the variants with the table.
fn ask(spec: &Spec) -> Result<(), String> {
    let case = spec.case()?;
    let folder = folder_of(spec);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let program = folder.join("program.mlir");
    fs::write(&program, &case.program).map_err(|error| error.to_string())?;
    let done = Command::new(env!("CARGO_BIN_EXE_tx"))
        .arg("compile")
        .arg(&program)
        .args(["--chip", variants::CHIP, "-o"])
        .arg(folder.join("program.ptx"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start tx: {error}"))?;
    let said = String::from_utf8_lossy(&done.stderr);
    let trouble = |what: String| format!("{what}\n{said}\nprogram is {}", program.display());

    // The list contains pairs of the line of an op and the error of this op. Each op has at most
    // one error.
    let errors: Vec<(usize, &str)> = said
        .lines()
        .filter_map(|line| {
            let (place, message) = line.split_once(": error: ")?;
            let mut numbers = place.rsplitn(3, ':');
            let _column = numbers.next()?;
            Some((numbers.next()?.parse().ok()?, message))
        })
        .collect();
    let lines: Vec<usize> = case
        .program
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.contains("tile.reduce "))
        .map(|(_, number)| number)
        .collect();
    let questions = spec.questions();
    if lines.len() != questions.len() {
        return Err(trouble(format!(
            "{} ops for {} questions",
            lines.len(),
            questions.len()
        )));
    }
    let mut wrong = Vec::new();
    for (line, (kind, variant)) in lines.into_iter().zip(questions) {
        let error = errors
            .iter()
            .find(|(at, _)| *at == line)
            .map(|(_, message)| *message);
        let kind_name = kind.map_or("custom", reference::Kind::name);
        if variant == UNKNOWN {
            // If this error is missing, the compilation failed before the selection of variants.
            let known = error
                .and_then(|error| error.split_once("known variants: "))
                .ok_or_else(|| trouble(format!("`{UNKNOWN}` was not refused for {kind_name}")))?;
            for name in known.1.split(", ") {
                if !variants::asked().any(|known| known == name) {
                    wrong.push(format!("there is no row for the variant `{name}`"));
                }
            }
            continue;
        }
        let refusal = format!("variant `{variant}` cannot lower");
        match (variants::answer(variant, &spec.traits(kind)), error) {
            (Answer::Accepts | Answer::Either, None) => {}
            (Answer::Refuses | Answer::Either, Some(error)) if error.contains(&refusal) => {}
            (Answer::Refuses, None) => {
                wrong.push(format!("{kind_name}: `{variant}` must refuse, and accepts"))
            }
            (Answer::Accepts, Some(error)) => {
                wrong.push(format!("{kind_name}: `{variant}` must accept: {error}"));
            }
            (_, Some(error)) => wrong.push(format!("{kind_name}: `{variant}`: {error}")),
        }
    }
    wrong.sort();
    wrong.dedup();
    if !wrong.is_empty() {
        return Err(trouble(wrong.join("\n")));
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}

// Files

/// Writes the files of a case. Returns the arguments of `tx run`, relative to the directory.
fn write(case: &Case, folder: &Path) -> Result<Vec<String>, String> {
    let trouble = |error| format!("cannot write to {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(trouble)?;
    fs::write(folder.join("program.mlir"), &case.program).map_err(trouble)?;
    let mut written = Vec::new();
    for (number, argument) in case.arguments.iter().enumerate() {
        let name = format!("arg{number}.npy");
        program::array(argument.element, &argument.shape, &argument.values)
            .write(&folder.join(&name))?;
        written.push(name + argument.element.suffix());
    }
    Ok(written)
}

fn dump(specs: &[Spec], folder: &Path) -> Result<usize, String> {
    let mut cases = Vec::new();
    for spec in specs.iter().filter(|spec| !spec.verdicts) {
        let id = spec.name();
        let case = spec.case().map_err(|error| format!("{id}: {error}"))?;
        let path = id.replace("::", "/");
        let home = folder.join(&path);
        let arguments = write(&case, &home)?;
        let outputs = case
            .outputs
            .iter()
            .map(|output| dump_output(&case, output, &home))
            .collect::<Result<Vec<Value>, String>>()?;
        let mut entry = json!({
            "id": id,
            "folder": path,
            "args": arguments,
            "outputs": outputs,
        });
        if let Some(chip) = case.chip {
            entry["chip"] = json!(chip);
        }
        cases.push(entry);
    }
    let manifest = serde_json::to_string_pretty(&json!({ "cases": cases }))
        .map_err(|error| error.to_string())?;
    fs::write(folder.join("manifest.json"), manifest + "\n").map_err(|error| error.to_string())?;
    Ok(cases.len())
}

/// Writes the expected contents of an output. If the rounding depends on the combination order, the
/// function also writes the tolerances.
fn dump_output(case: &Case, output: &Output, home: &Path) -> Result<Value, String> {
    let Argument { element, shape, .. } = &case.arguments[output.argument];
    let bits: Vec<u64> = output
        .expected
        .iter()
        .map(|expected| expected.bits)
        .collect();
    let expected = format!("expected{}.npy", output.argument);
    program::array(*element, shape, &bits).write(&home.join(&expected))?;
    let mut entry = json!({
        "argument": output.argument,
        "label": output.label,
        "type": element.mlir(),
        "expected": expected,
        // Exact comparison (all NaNs are equal), except for elements with a tolerance above 0.
        "compare": "exact",
    });
    if output
        .expected
        .iter()
        .any(|expected| expected.tolerance != 0.0)
    {
        let tolerances: Vec<u64> = output
            .expected
            .iter()
            .map(|expected| expected.tolerance.to_bits())
            .collect();
        let name = format!("tolerance{}.npy", output.argument);
        program::array(element::Element::F64, shape, &tolerances).write(&home.join(&name))?;
        entry["tolerance"] = json!(name);
    }
    Ok(entry)
}
