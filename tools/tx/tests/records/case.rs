//! What is run for a record: programs with inputs, and what must come out.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output as Finished, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::element::Element;
use crate::npy::Array;
use crate::ptx::Ptx;
use crate::view::View;

/// One program and what must become of it.
pub(crate) struct Case {
    pub(crate) program: String,
    pub(crate) fate: Fate,
    /// Chips for which it is compiled to be run.
    pub(crate) chips: Vec<&'static str>,
    /// What must hold for the PTX, which is assembled as well.
    pub(crate) ptx: Vec<PtxCheck>,
    /// What must hold for the launch plan.
    plan: Vec<Box<CheckPlan>>,
}

pub(crate) enum Fate {
    /// It runs, and arguments are compared.
    Runs {
        arguments: Vec<Argument>,
        outputs: Vec<Output>,
    },
    /// It is refused when it is compiled for this chip: the error stands at a line that contains
    /// `at`, and the diagnostics contain every text.
    Refused {
        chip: &'static str,
        at: &'static str,
        texts: Vec<String>,
    },
}

/// An argument before the run.
pub(crate) enum Argument {
    Array(Element, Array),
    Index(usize),
}

/// An argument that is compared after the run.
pub(crate) struct Output {
    pub(crate) argument: usize,
    pub(crate) element: Element,
    /// Its contents, rounded to its type.
    pub(crate) expected: Array,
    /// Where it is compared with a tolerance; elsewhere every bit is as before.
    pub(crate) region: Vec<[usize; 2]>,
    pub(crate) atol: f64,
    pub(crate) rtol: f64,
}

type Check = dyn Fn(&Ptx<'_>) -> Result<(), String> + Send + Sync;
type CheckPlan = dyn Fn(&Plan) -> Result<(), String> + Send + Sync;

/// The parts of a launch plan that records say something about.
#[derive(Deserialize)]
pub(crate) struct Plan {
    temporaries: Vec<Temporary>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Temporary {
    shape: Vec<Value>,
}

#[derive(Deserialize)]
struct Step {
    grid: Vec<Value>,
    block: Vec<usize>,
}

impl Plan {
    /// There are as many kernels as blocks here, with so many threads along x, y and z.
    pub(crate) fn expect_blocks(&self, blocks: &[[usize; 3]]) -> Result<(), String> {
        let found: Vec<&[usize]> = self.steps.iter().map(|step| &step.block[..]).collect();
        if found == blocks {
            return Ok(());
        }
        Err(format!("blocks {found:?}, expected {blocks:?}"))
    }

    /// There is one kernel more, whose schedule is not ours: it combines partial results.
    pub(crate) fn expect_blocks_and_another(&self, blocks: &[[usize; 3]]) -> Result<(), String> {
        let mut others = self.steps.iter().map(|step| &step.block[..]);
        match others.next_back().is_some() && others.eq(blocks.iter().map(|block| &block[..])) {
            true => Ok(()),
            false => {
                let found: Vec<&[usize]> = self.steps.iter().map(|step| &step.block[..]).collect();
                Err(format!("blocks {found:?}, expected {blocks:?} and another"))
            }
        }
    }

    /// A kernel has so many blocks, along x only. Of a number that is known at run time only this
    /// is a part.
    pub(crate) fn expect_grid(&self, step: usize, blocks: impl ToString) -> Result<(), String> {
        let blocks = blocks.to_string();
        let grid = self.steps.get(step).map_or(&[][..], |step| &step.grid);
        let right = match grid {
            [Value::Number(x), rest @ ..] => x.to_string() == blocks && rest == [1, 1],
            [Value::String(x), rest @ ..] => x.contains(&blocks) && rest == [1, 1],
            _ => false,
        };
        match right {
            true => Ok(()),
            false => Err(format!(
                "kernel {step} has the grid {grid:?}, expected {blocks}"
            )),
        }
    }

    /// There are temporaries of these shapes.
    pub(crate) fn expect_temporaries(&self, shapes: &[&[&str]]) -> Result<(), String> {
        let text = |size: &Value| match size {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let found: Vec<Vec<String>> = self
            .temporaries
            .iter()
            .map(|t| t.shape.iter().map(text).collect())
            .collect();
        match found == shapes {
            true => Ok(()),
            false => Err(format!("temporaries {found:?}, expected {shapes:?}")),
        }
    }
}

pub(crate) struct PtxCheck {
    chip: &'static str,
    check: Box<Check>,
}

impl Argument {
    pub(crate) fn new(element: Element, shape: &[usize], values: &[f64]) -> Self {
        Self::Array(element, element.array(shape, values))
    }

    /// As `tx run` is told, and the file that it needs.
    fn spec(&self, number: usize) -> (String, Option<&Array>) {
        match self {
            Self::Index(value) => (value.to_string(), None),
            Self::Array(element, array) => {
                let reading = match element {
                    Element::BF16 => ":bf16",
                    _ => "",
                };
                (format!("arg{number}.npy{reading}"), Some(array))
            }
        }
    }
}

impl Output {
    /// One that is exact and compared everywhere.
    pub(crate) fn exact(
        argument: usize,
        element: Element,
        shape: &[usize],
        values: &[f64],
    ) -> Self {
        Self {
            argument,
            element,
            expected: element.array(shape, values),
            region: shape.iter().map(|extent| [0, *extent]).collect(),
            atol: 0.0,
            rtol: 0.0,
        }
    }

    pub(crate) fn within(self, atol: f64, rtol: f64) -> Self {
        Self { atol, rtol, ..self }
    }

    fn file(&self) -> String {
        format!("expected{}.npy", self.argument)
    }

    pub(crate) fn compare(&self, before: &Array, result: &Array) -> Result<(), String> {
        let expected = &self.expected;
        let number = self.argument;
        if (&result.descr, &result.shape) != (&expected.descr, &expected.shape) {
            return Err(format!(
                "argument {number} is {} {:?}, expected {} {:?}",
                result.descr, result.shape, expected.descr, expected.shape
            ));
        }
        let mut inside = vec![false; expected.shape.iter().product()];
        for place in View::whole(&expected.shape).region(&self.region)?.places() {
            inside[place] = true;
        }
        let (got, wanted) = (self.element.values(result), self.element.values(expected));
        if got.len() != wanted.len() {
            return Err(format!("{} elements, expected {}", got.len(), wanted.len()));
        }
        for place in 0..wanted.len() {
            let bytes = place * self.element.size()..(place + 1) * self.element.size();
            if inside[place] {
                // Equality is for infinities, whose difference is NaN; NaN itself is wrong.
                let difference = (got[place] - wanted[place]).abs();
                let close = got[place] == wanted[place]
                    || difference <= self.atol + self.rtol * wanted[place].abs();
                if !close {
                    return Err(format!(
                        "element {place} of argument {number} is {}, expected {} (tolerance {})",
                        got[place], wanted[place], self.atol
                    ));
                }
            } else if result.bytes[bytes.clone()] != before.bytes[bytes] {
                return Err(format!(
                    "element {place} of argument {number} is outside the region and was written: \
                     {}, before {}",
                    got[place], wanted[place]
                ));
            }
        }
        Ok(())
    }
}

impl Case {
    pub(crate) fn runs(program: String, arguments: Vec<Argument>, outputs: Vec<Output>) -> Self {
        Self {
            program,
            fate: Fate::Runs { arguments, outputs },
            chips: vec!["sm_90"],
            ptx: Vec::new(),
            plan: Vec::new(),
        }
    }

    pub(crate) fn refused(program: String, at: &'static str, texts: &[&str]) -> Self {
        Self::refused_on("sm_90", program, at, texts)
    }

    pub(crate) fn refused_on(
        chip: &'static str,
        program: String,
        at: &'static str,
        texts: &[&str],
    ) -> Self {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Self {
            program,
            fate: Fate::Refused { chip, at, texts },
            chips: Vec::new(),
            ptx: Vec::new(),
            plan: Vec::new(),
        }
    }

    /// Adds something that the PTX for `chip` must meet.
    pub(crate) fn with_ptx(
        mut self,
        chip: &'static str,
        check: impl Fn(&Ptx<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.ptx.push(PtxCheck {
            chip,
            check: Box::new(check),
        });
        self
    }

    /// Adds something that the launch plan must meet.
    pub(crate) fn with_plan(
        mut self,
        check: impl Fn(&Plan) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.plan.push(Box::new(check));
        self
    }

    /// Runs it in a folder of its own, which stays when something is wrong.
    pub(crate) fn run(&self, name: &str) -> Result<(), String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("records")
            .join(name);
        self.write(&folder)?;
        self.check(&folder).map_err(|trouble| {
            format!(
                "{trouble}\nprogram and arguments are in {}:\n{}",
                folder.display(),
                self.program
            )
        })?;
        let _ = fs::remove_dir_all(&folder);
        Ok(())
    }

    fn check(&self, folder: &Path) -> Result<(), String> {
        let program = folder.join("program.mlir");
        match &self.fate {
            Fate::Refused { chip, at, texts } => self.check_refusal(&program, chip, at, texts)?,
            Fate::Runs { arguments, outputs } => {
                for chip in &self.chips {
                    check_run(folder, &program, chip, arguments, outputs)
                        .map_err(|trouble| format!("compiled for {chip}: {trouble}"))?;
                }
            }
        }
        let planned = (!self.plan.is_empty()).then_some("sm_90");
        let chips: BTreeSet<&str> = self.ptx.iter().map(|c| c.chip).chain(planned).collect();
        for chip in chips {
            self.check_compiled(folder, &program, chip, planned == Some(chip))?;
        }
        Ok(())
    }

    /// Compiles it for a chip, and checks what comes out.
    fn check_compiled(
        &self,
        folder: &Path,
        program: &Path,
        chip: &str,
        planned: bool,
    ) -> Result<(), String> {
        let file = folder.join(format!("{chip}.ptx"));
        let plan_file = folder.join(format!("{chip}.json"));
        let compiled = tx(&[
            "compile".as_ref(),
            program.as_os_str(),
            "--chip".as_ref(),
            chip.as_ref(),
            "-o".as_ref(),
            file.as_os_str(),
            "--plan".as_ref(),
            plan_file.as_os_str(),
        ])?;
        succeeded(&format!("tx compile --chip {chip}"), &compiled)?;
        if planned {
            let text = fs::read_to_string(&plan_file).map_err(|error| error.to_string())?;
            let plan: Plan =
                serde_json::from_str(&text).map_err(|error| format!("{error}\n{text}"))?;
            for check in &self.plan {
                check(&plan).map_err(|trouble| format!("launch plan: {trouble}\n{text}"))?;
            }
        }
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let explain = |trouble| format!("PTX for {chip}: {trouble}\n{text}");
        crate::ptxas::assemble(&file, chip).map_err(explain)?;
        for check in self.ptx.iter().filter(|check| check.chip == chip) {
            Ptx::parse(&text)
                .and_then(|ptx| (check.check)(&ptx))
                .map_err(explain)?;
        }
        Ok(())
    }

    fn check_refusal(
        &self,
        program: &Path,
        chip: &str,
        at: &str,
        texts: &[String],
    ) -> Result<(), String> {
        let output = tx(&[
            "compile".as_ref(),
            program.as_os_str(),
            "--chip".as_ref(),
            chip.as_ref(),
        ])?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(1) {
            return Err(format!(
                "tx compile: {}, expected status 1 and a diagnostic\n{said}",
                output.status
            ));
        }
        for text in texts {
            if !said.contains(text) {
                return Err(format!("the diagnostics lack `{text}`:\n{said}"));
            }
        }
        // FILE:LINE:COLUMN: error: ...
        let place = format!("{}:", program.display());
        let line = said
            .lines()
            .filter_map(|line| line.strip_prefix(&place))
            .find_map(|rest| {
                let mut parts = rest.splitn(3, ':');
                let line = parts.next()?.parse::<usize>().ok()?;
                parts.next()?.parse::<usize>().ok()?;
                parts.next()?.starts_with(" error: ").then_some(line)
            })
            .ok_or_else(|| format!("no error at a line of the program:\n{said}"))?;
        match self.program.lines().nth(line.saturating_sub(1)) {
            Some(found) if found.contains(at) => Ok(()),
            found => Err(format!(
                "the error stands at line {line}, `{}`, expected one with `{at}`:\n{said}",
                found.unwrap_or("beyond the end").trim()
            )),
        }
    }

    fn write(&self, folder: &Path) -> Result<(), String> {
        let trouble = |error| format!("cannot write to {}: {error}", folder.display());
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(trouble)?;
        fs::write(folder.join("program.mlir"), &self.program).map_err(trouble)?;
        if let Fate::Runs { arguments, outputs } = &self.fate {
            for (number, argument) in arguments.iter().enumerate() {
                if let (_, Some(array)) = argument.spec(number) {
                    array.write(&folder.join(format!("arg{number}.npy")))?;
                }
            }
            for output in outputs {
                output.expected.write(&folder.join(output.file()))?;
            }
        }
        Ok(())
    }

    /// Writes a program that runs, for a machine without Rust, and says how it is run. `None` when
    /// there is nothing to run.
    pub(crate) fn dump(&self, name: &str, folder: &Path) -> Result<Option<Value>, String> {
        let Fate::Runs { arguments, outputs } = &self.fate else {
            return Ok(None);
        };
        self.write(&folder.join(name))?;
        let specs: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(number, argument)| argument.spec(number).0)
            .collect();
        let outputs: Vec<Value> = outputs
            .iter()
            .map(|output| {
                json!({
                    "argument": output.argument,
                    "expected": output.file(),
                    "type": output.element.mlir(),
                    "region": output.region,
                    "atol": output.atol,
                    "rtol": output.rtol,
                })
            })
            .collect();
        Ok(Some(json!({
            "id": name,
            "folder": name,
            "args": specs,
            "outputs": outputs,
        })))
    }
}

/// Runs the program by the executor of `tx`, and compares.
fn check_run(
    folder: &Path,
    program: &Path,
    chip: &str,
    arguments: &[Argument],
    outputs: &[Output],
) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
    command
        .arg("run")
        .arg(program)
        .args(["--device", "cpu", "--chip", chip]);
    for (number, argument) in arguments.iter().enumerate() {
        let (spec, file) = argument.spec(number);
        command.arg("--arg");
        match file {
            Some(_) => command.arg(folder.join(spec)),
            None => command.arg(spec),
        };
    }
    let result = |output: &Output| folder.join(format!("result{}.npy", output.argument));
    for output in outputs {
        let _ = fs::remove_file(result(output));
        command
            .arg("--out")
            .arg(format!("{}={}", output.argument, result(output).display()));
    }
    succeeded("tx run", &finish(&mut command)?)?;
    for output in outputs {
        let Some(Argument::Array(_, before)) = arguments.get(output.argument) else {
            return Err(format!("argument {} is no array", output.argument));
        };
        output.compare(before, &Array::read(&result(output))?)?;
    }
    Ok(())
}

fn tx(arguments: &[&std::ffi::OsStr]) -> Result<Finished, String> {
    finish(Command::new(env!("CARGO_BIN_EXE_tx")).args(arguments))
}

fn finish(command: &mut Command) -> Result<Finished, String> {
    let program = command.get_program().to_owned();
    command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))
}

fn succeeded(what: &str, finished: &Finished) -> Result<(), String> {
    if finished.status.success() {
        return Ok(());
    }
    Err(format!(
        "{what}: {}\n{}",
        finished.status,
        String::from_utf8_lossy(&finished.stderr).trim_end()
    ))
}
