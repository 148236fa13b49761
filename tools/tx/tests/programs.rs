//! Runs every program of `lit-tests/tutorial`, `lit-tests/programs` and `lit-tests/cases` at
//! several sizes, and compares the results with a reference in f64.
//!
//! `COMPARE` lines of a program define its results as NumPy formulas; see `lit-tests/README.md`.
//! `programs/directive.rs` parses these lines. `programs/expression.rs`, `programs/value.rs` and
//! `programs/array.rs` evaluate the formulas. Each number of a result has an error bound, which
//! assumes that the computation rounds after each step.
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
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value as Json, json};

#[path = "programs/array.rs"]
mod array;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/combine.rs"]
mod combine;
#[path = "programs/directive.rs"]
mod directive;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/element.rs"]
mod element;
#[path = "programs/expression.rs"]
mod expression;
#[expect(dead_code, reason = "the conformance tests use more of it")]
#[path = "support/inputs.rs"]
mod inputs;
#[expect(dead_code, reason = "xtask uses more of it")]
#[path = "../../xtask/src/npy.rs"]
mod npy;
#[path = "support/ptxas.rs"]
mod ptxas;
#[path = "programs/self_tests.rs"]
mod self_tests;
#[path = "programs/value.rs"]
mod value;

use array::{Approx, Array};
use combine::Expected;
use directive::{Comparison, Fill, Kind, Parameter};
use element::Element;
use inputs::{Random, Sort};
use value::{Scope, Value};

/// Directories of `lit-tests` whose programs are run.
const FOLDERS: [&str; 3] = ["tutorial", "programs", "cases"];

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
    // The tests first delete the cache, because another version of `tx` may have filled it.
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
                    Trial::test(run.name.clone(), move || run.execute(&path).map_err(failed))
                }));
            }
        }
    }
    Ok(libtest_mimic::run(&Arguments::from_iter(rest), trials).exit_code())
}

/// Returns the cache directory of these tests.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs/cache")
}

/// Returns a `tx` command with this cache, so that each program is compiled once per chip.
fn tx() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
    command.env("TX_CACHE", cache());
    command
}

/// Returns the directory for the files of a test.
fn scratch(test: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("programs")
        .join(test.replace("::", "/"))
}

/// Chip for which programs are run.
const RUN_CHIP: &str = "sm_80";

/// Newer chips for which PTX is assembled.
const NEWER_CHIPS: [&str; 2] = ["sm_90", "sm_100a"];

/// Compiles a function for each chip, and assembles the PTX.
fn assemble(program: &Path, entry: &str, chips: &[&str], folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    for chip in chips {
        let ptx = folder.join(format!("{chip}.ptx"));
        let done = tx()
            .arg("compile")
            .arg(program)
            .args(["--entry", entry, "--chip", chip, "-o"])
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
        ptxas::assemble(&ptx, chip)
            .map_err(|error| format!("{chip}: {error}\nof {}", ptx.display()))?;
    }
    let _ = fs::remove_dir_all(folder);
    Ok(())
}

/// File with its runs.
struct Program {
    name: String,
    path: PathBuf,
    /// Set if the file has host functions.
    has_hosts: bool,
    runs: Result<Vec<Run>, String>,
}

fn programs() -> Result<Vec<Program>, String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).unwrap_or(package);
    let mut programs = Vec::new();
    for folder in FOLDERS {
        let home = root.join("lit-tests").join(folder);
        let trouble = |error| format!("cannot read {}: {error}", home.display());
        for entry in fs::read_dir(&home).map_err(trouble)? {
            let path = entry.map_err(trouble)?.path();
            if path.extension().is_none_or(|extension| extension != "mlir") {
                continue;
            }
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{folder}/{stem}");
            let text = fs::read_to_string(&path).map_err(|error| error.to_string());
            let has_hosts = text.as_ref().is_ok_and(|text| text.contains("func.func @"));
            let runs = text
                .and_then(|text| directive::parse(&text))
                .and_then(|comparisons| runs(&name, &comparisons));
            programs.push(Program {
                name,
                path,
                has_hosts,
                runs,
            });
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Comparison with specific sizes.
#[derive(Clone)]
struct Run {
    name: String,
    comparison: Comparison,
    sizes: Vec<usize>,
}

fn runs(program: &str, comparisons: &[Comparison]) -> Result<Vec<Run>, String> {
    let mut names = BTreeSet::new();
    let mut runs = Vec::new();
    for comparison in comparisons {
        for sizes in &comparison.sizes {
            let mut name = format!("{program}::{}", comparison.entry);
            if !sizes.is_empty() {
                let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                name = format!("{name}::{}", sizes.join("x"));
            } else {
                // A directory next to that of `::ptx`.
                name += "::run";
            }
            // Several lines may compare one function with different inputs.
            if !names.insert(name.clone()) {
                name = format!("{name}::line-{}", comparison.line);
                names.insert(name.clone());
            }
            runs.push(Run {
                name,
                comparison: comparison.clone(),
                sizes: sizes.clone(),
            });
        }
    }
    Ok(runs)
}

/// Argument of a run, and its expected contents.
struct Argument {
    name: String,
    content: Content,
}

enum Content {
    Scalar(String),
    Tile {
        element: Element,
        shape: Vec<usize>,
        before: Vec<u64>,
        after: Vec<Expected>,
        /// File name of the elements; equal elements share a file.
        file: String,
    },
}

impl Run {
    /// Returns the arguments, and the results computed from them.
    fn arguments(&self) -> Result<Vec<Argument>, String> {
        let comparison = &self.comparison;
        let mut scope: Scope = comparison
            .symbols
            .iter()
            .zip(&self.sizes)
            .map(|(symbol, size)| (symbol.clone(), value::integer(*size as i64)))
            .collect();
        let mut arguments = Vec::new();
        for (number, Parameter { name, kind }) in comparison.parameters.iter().enumerate() {
            let (content, value) = match kind {
                Kind::Scalar(expression) => {
                    let value = value::evaluate(expression, &scope)?;
                    (Content::Scalar(written(&value)?), value)
                }
                Kind::Tile {
                    shape,
                    element,
                    fill,
                } => tile(number, shape, *element, *fill, &scope)?,
            };
            scope.insert(name.clone(), value);
            let name = name.clone();
            arguments.push(Argument { name, content });
        }
        let mut written = BTreeSet::new();
        for (name, expression) in &comparison.statements {
            let value = value::evaluate(expression, &scope)?;
            let output = arguments.iter_mut().find(|argument| argument.name == *name);
            if let Some(Argument {
                content:
                    Content::Tile {
                        element,
                        shape,
                        after,
                        ..
                    },
                ..
            }) = output
            {
                *after = value::expected(&value, *element, shape)
                    .map_err(|error| format!("`{name}`: {error}"))?;
            } else {
                scope.insert(name.clone(), value);
            }
            if !written.insert(name) {
                return Err(format!("`{name}` is computed twice"));
            }
        }
        Ok(arguments)
    }

    fn execute(&self, program: &Path) -> Result<(), String> {
        let arguments = self
            .arguments()
            .map_err(|error| format!("line {}: {error}", self.comparison.line))?;
        let folder = scratch(&self.name);
        fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        let mut command = tx();
        command.arg("run").arg(program).args([
            "--device",
            "cpu",
            "--chip",
            RUN_CHIP,
            "--entry",
            &self.comparison.entry,
        ]);
        for (number, argument) in arguments.iter().enumerate() {
            match &argument.content {
                Content::Scalar(text) => {
                    command.arg("--arg").arg(text);
                }
                Content::Tile {
                    element,
                    shape,
                    before,
                    ..
                } => {
                    let file = folder.join(format!("arg{number}.npy"));
                    file_of(*element, shape, before).write(&file)?;
                    let spec = format!("{}{}", file.display(), element.suffix());
                    command.arg("--arg").arg(spec);
                    let result = folder.join(format!("result{number}.npy"));
                    let _ = fs::remove_file(&result);
                    command
                        .arg("--out")
                        .arg(format!("{number}={}", result.display()));
                }
            }
        }
        let done = command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot start tx: {error}"))?;
        let again = format!("$ {command:?}");
        if !done.status.success() {
            return Err(format!(
                "{again}\n{}\n{}",
                done.status,
                String::from_utf8_lossy(&done.stderr).trim_end()
            ));
        }
        let mut wrong = Vec::new();
        for (number, argument) in arguments.iter().enumerate() {
            if matches!(argument.content, Content::Tile { .. }) {
                let found = npy::Array::read(&folder.join(format!("result{number}.npy")))?;
                wrong.extend(compare(argument, &found));
            }
        }
        if !wrong.is_empty() {
            return Err(format!("{again}\n{}", wrong.join("\n")));
        }
        let _ = fs::remove_dir_all(&folder);
        Ok(())
    }
}

/// Formats a number as an argument of `tx run`.
fn written(value: &Value) -> Result<String, String> {
    match value {
        Value::Ints(array, _) if array.shape.is_empty() => Ok(array.elements[0].to_string()),
        Value::Floats(array) if array.shape.is_empty() => Ok(array.elements[0].value.to_string()),
        _ => Err("expected a number".to_owned()),
    }
}

/// Creates a tile for `tx run` and for formulas.
fn tile(
    number: usize,
    shape: &[expression::Expression],
    element: Element,
    fill: Fill,
    scope: &Scope,
) -> Result<(Content, Value), String> {
    let shape = shape
        .iter()
        .map(|extent| value::extent(value::size(extent, scope)?))
        .collect::<Result<Vec<usize>, String>>()?;
    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
    let mut file = format!("{number}-{extents}{}", element.mlir());
    match fill {
        Fill::Uniform => {}
        Fill::Range(from, to) => file += &format!("-{from}-{to}"),
        Fill::Special => file += "-special",
        Fill::Ties => file += "-ties",
    }
    let before = elements(&shape, element, fill, &mut Random::new(&file));
    let value = if element.is_float() {
        Value::Floats(Array {
            shape: shape.clone(),
            elements: before
                .iter()
                .map(|bits| Approx::exactly(element.number(*bits)))
                .collect(),
        })
    } else {
        let elements = before.iter().map(|bits| element.signed(*bits)).collect();
        let shape = shape.clone();
        Value::Ints(Array { shape, elements }, Some(element))
    };
    // Elements that no formula changes must keep their bits.
    let after = before
        .iter()
        .map(|bits| Expected {
            bits: *bits,
            tolerance: 0.0,
        })
        .collect();
    let content = Content::Tile {
        element,
        shape,
        before,
        after,
        file: file + ".npy",
    };
    Ok((content, value))
}

fn elements(shape: &[usize], element: Element, fill: Fill, random: &mut Random) -> Vec<u64> {
    let count: usize = shape.iter().product();
    let mut between = |from: f64, to: f64| {
        if element.is_float() {
            let part = (random.next() >> 11) as f64 * element::power(-53);
            element.nearest(from + part * (to - from))
        } else {
            let offset = random.below((to - from) as usize) as i64;
            element.wrap((from as i64 + offset) as u64)
        }
    };
    match fill {
        Fill::Uniform if element.is_float() => (0..count).map(|_| between(-1.0, 1.0)).collect(),
        Fill::Uniform => (0..count).map(|_| element.wrap(random.next())).collect(),
        Fill::Range(from, to) => (0..count).map(|_| between(from, to)).collect(),
        Fill::Special => rows(shape, element, &inputs::SORTS, random),
        Fill::Ties => rows(shape, element, &[Sort::Ties], random),
    }
}

/// Returns rows of several kinds in turn.
fn rows(shape: &[usize], element: Element, sorts: &[Sort], random: &mut Random) -> Vec<u64> {
    let length = shape.last().copied().unwrap_or(1);
    let count = shape.iter().product::<usize>().checked_div(length);
    sorts
        .iter()
        .cycle()
        .take(count.unwrap_or(0))
        .flat_map(|sort| inputs::row(*sort, element, element.accumulator(), length, random))
        .collect()
}

fn file_of(element: Element, shape: &[usize], values: &[u64]) -> npy::Array {
    npy::Array {
        descr: element.descr().to_owned(),
        shape: shape.to_vec(),
        bytes: element.pack(values),
    }
}

/// Returns the differences of an argument after the run.
fn compare(argument: &Argument, found: &npy::Array) -> Vec<String> {
    const SHOWN: usize = 3;
    let Argument { name, content } = argument;
    let Content::Tile {
        element,
        shape,
        after,
        ..
    } = content
    else {
        return Vec::new();
    };
    if (found.descr.as_str(), &found.shape) != (element.descr(), shape) {
        return vec![format!(
            "{name} is {} {:?}, expected {} {shape:?}",
            found.descr,
            found.shape,
            element.descr()
        )];
    }
    let found = element.unpack(&found.bytes);
    if found.len() != after.len() {
        return vec![format!(
            "{name} has {} elements, expected {}",
            found.len(),
            after.len()
        )];
    }
    let wrong: Vec<String> = array::indices(shape)
        .into_iter()
        .zip(after.iter().zip(&found))
        .filter(|(_, (expected, found))| !expected.accepts(*element, **found))
        .map(|(index, (expected, found))| {
            let mut message = format!(
                "{name}{index:?} is {}, expected {}",
                element.show(*found),
                element.show(expected.bits)
            );
            if expected.tolerance != 0.0 {
                message += &format!(" (tolerance {:e})", expected.tolerance);
            }
            message
        })
        .collect();
    let count = wrong.len();
    let mut messages: Vec<String> = wrong.into_iter().take(SHOWN).collect();
    if count > SHOWN {
        messages.push(format!(
            "{count} of {} elements of {name} are wrong",
            found.len()
        ));
    }
    messages
}

// Files for a machine without Rust

/// Directory of inputs, which programs share.
const INPUTS: &str = "inputs";

fn dump(programs: &[Program], folder: &Path) -> Result<usize, String> {
    let mut cases = Vec::new();
    let create = |path: &Path| {
        fs::create_dir_all(path)
            .map_err(|error| format!("cannot create {}: {error}", path.display()))
    };
    create(&folder.join(INPUTS))?;
    for program in programs {
        let runs = program.runs.as_ref();
        for run in runs.map_err(|error| format!("{}: {error}", program.name))? {
            let trouble = |error| format!("{}: {error}", run.name);
            let path = run.name.replace("::", "/");
            let home = folder.join(&path);
            create(&home)?;
            fs::copy(&program.path, home.join("program.mlir"))
                .map_err(|error| trouble(error.to_string()))?;
            let arguments = run.arguments().map_err(trouble)?;
            let up = "../".repeat(path.split('/').count());
            let mut outputs = Vec::new();
            let mut specs = Vec::new();
            for (number, argument) in arguments.iter().enumerate() {
                match &argument.content {
                    Content::Scalar(text) => specs.push(text.clone()),
                    Content::Tile {
                        element,
                        shape,
                        before,
                        file,
                        ..
                    } => {
                        let input = format!("{up}{INPUTS}/{file}");
                        file_of(*element, shape, before).write(&folder.join(INPUTS).join(file))?;
                        specs.push(format!("{input}{}", element.suffix()));
                        outputs.push(dump_output(argument, number, &input, &home)?);
                    }
                }
            }
            cases.push(json!({
                "id": format!("programs::{}", run.name),
                "folder": path,
                "entry": run.comparison.entry,
                "args": specs,
                "outputs": outputs,
            }));
        }
    }
    let manifest = serde_json::to_string_pretty(&json!({ "cases": cases }))
        .map_err(|error| error.to_string())?;
    fs::write(folder.join("manifest.json"), manifest + "\n").map_err(|error| error.to_string())?;
    Ok(cases.len())
}

/// Writes the expected contents of an argument and its tolerances. `input` is the file with its
/// initial contents.
fn dump_output(
    argument: &Argument,
    number: usize,
    input: &str,
    home: &Path,
) -> Result<Json, String> {
    let Content::Tile {
        element,
        shape,
        before,
        after,
        ..
    } = &argument.content
    else {
        return Err(format!("`{}` is no array", argument.name));
    };
    let bits: Vec<u64> = after.iter().map(|expected| expected.bits).collect();
    let mut entry = json!({
        "argument": number,
        "label": argument.name,
        "type": element.mlir(),
        "expected": input,
        // Exact comparison (all NaNs are equal), except for elements with a tolerance above 0.
        "compare": "exact",
    });
    if bits != *before {
        let name = format!("expected{number}.npy");
        file_of(*element, shape, &bits).write(&home.join(&name))?;
        entry["expected"] = json!(name);
    }
    if after.iter().any(|expected| expected.tolerance != 0.0) {
        let tolerances: Vec<u64> = after
            .iter()
            .map(|expected| expected.tolerance.to_bits())
            .collect();
        let name = format!("tolerance{number}.npy");
        file_of(Element::F64, shape, &tolerances).write(&home.join(&name))?;
        entry["tolerance"] = json!(name);
    }
    Ok(entry)
}
