//! Command `tx run`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tx_plan::{ArgumentType, Artifact, ElementType, Plan};
use tx_runtime::{Arg, Device, Outputs, RunOptions, Spec, StepLimit, write_npy, write_npy_to};

use crate::cli::{AssertOptions, CacheOptions, Launch, Program, Run};
use crate::compile;
use crate::failure::Failure;
use crate::memory;
use crate::message::Message;
use crate::stderr::note_once;

/// Default limit on the number of interpreter steps of a launch on the CPU. The interpreter
/// executes 2^28 steps in several seconds.
const MAX_STEPS: u64 = 1 << 28;
/// Number of interpreter steps by which each element of the arguments raises the default step
/// limit.
const STEPS_FOR_ELEMENT: u64 = 64;
const STEPS_FOR_THREAD: u64 = 1 << 10;

pub(crate) const ONE_FOR_EACH: &str = "pass one `--arg` for each argument, in order";

pub(crate) fn run(options: &Run) -> Result<(), Failure> {
    run_on(options, &Device::open(&options.launch.device)?)
}

pub(crate) fn run_on(options: &Run, device: &Device) -> Result<(), Failure> {
    let text = compile::read(&options.program.file)?;
    let artifact = options.launch.compiled(
        &options.program,
        &options.kept,
        &text,
        device,
        options.asserts,
    )?;
    check_outs(options, &artifact.plan)?;
    let files = options.outs.iter().map(|out| &out.path);
    compile::check_outputs(
        &options.program.file,
        files.chain(&options.ptx).map(PathBuf::as_path),
    )?;
    if let Some(path) = &options.ptx {
        compile::write(path, &artifact.ptx)?;
    }
    let outputs = launch(options, device, &artifact)
        .map_err(|failure| failure.quoting(&options.program.file, &text))?;
    tracing::info!(elapsed = ?outputs.elapsed(), "ran");
    for out in &options.outs {
        // `check_outs` has verified the index.
        let Some(array) = outputs.argument(out.index) else {
            continue;
        };
        if out.path == Path::new("-") {
            let mut bytes = Vec::new();
            write_npy_to(&mut bytes, array).map_err(|error| Failure::stdout(&error))?;
            crate::stdout::print(&bytes)?;
        } else {
            write_npy(&out.path, array)?;
        }
    }
    if options.outs.is_empty() {
        print(&outputs)?;
    }
    Ok(())
}

impl Launch {
    /// Returns the target chip: the chip that the user specified, or the newest chip whose code
    /// runs on the device.
    pub(crate) fn chip_for(&self, device: &Device) -> String {
        self.chip.clone().unwrap_or_else(|| newest_for(device))
    }

    pub(crate) fn compiled(
        &self,
        program: &Program,
        kept: &CacheOptions,
        text: &[u8],
        device: &Device,
        asserts: AssertOptions,
    ) -> Result<Artifact, Failure> {
        let chip = self.chip_for(device);
        tracing::info!(device = device.name(), chip, "compiling");
        compile::compile(program, kept, self.grid, text, &chip, asserts)
    }

    pub(crate) fn arguments(&self, device: &Device) -> Result<Vec<Arg>, Failure> {
        // On a GPU, the arguments are copied to device memory, so they need no second copy in host
        // memory.
        memory::check(&self.args, device.chip().is_none())?;
        load(&self.args)
    }

    /// Returns the run options. The step limit depends on the number of elements in the arguments.
    pub(crate) fn run_options(&self, args: &[Arg]) -> RunOptions {
        let elements = |arg: &Arg| match arg {
            Arg::Array(array) => array.len() as u64,
            Arg::Scalar(_) => 0,
        };
        let elements: u64 = args.iter().map(elements).sum();
        let steps = MAX_STEPS.saturating_add(STEPS_FOR_ELEMENT.saturating_mul(elements));
        let steps = StepLimit::new(steps).with_each_thread(STEPS_FOR_THREAD);
        RunOptions {
            grid: self.grid.map(|grid| grid.0),
            steps: Some(self.steps.map_or(steps, StepLimit::new)),
            ..RunOptions::default()
        }
    }

    pub(crate) fn tell(&self, device: &Device) {
        if self.device == "auto" {
            note_once(&format!(
                "tx: running on {}: {}",
                device.name(),
                device.reason()
            ));
        }
    }

    /// Returns the failure for a runtime error of `plan`, which was compiled from `program`. If the
    /// type of an argument is wrong, a note contains the name of the argument's file.
    pub(crate) fn refused(&self, error: tx_runtime::Error, program: &Path, plan: &Plan) -> Failure {
        let message = Message::by_tx(&error.to_string());
        let (index, hint) = match &error {
            tx_runtime::Error::Argument { index, hint, .. } => (index, hint),
            tx_runtime::Error::ArgumentCount { .. } => {
                return Failure::Diagnosed(vec![message.with_note(ONE_FOR_EACH)]);
            }
            error if let Some(message) = at_its_place(error, program) => {
                return Failure::Diagnosed(vec![message]);
            }
            _ => return error.into(),
        };
        let Some(Spec::File { path, element }) = self.args.get(*index) else {
            return error.into();
        };
        let mut note = format!("argument {index} is {}", path.display());
        // The note suggests no conversion if the error contains a hint, or if the argument already
        // reinterprets the file as another type.
        let argument = plan
            .arguments
            .get(*index)
            .filter(|_| hint.is_none() && element.is_none());
        if let Some(ArgumentType::Memref(memref)) = argument.map(|argument| &argument.ty)
            && let Some(name) = numpy_name(memref.element)
        {
            note.push_str(&format!("; NumPy converts it with `.astype(\"{name}\")`"));
        }
        Failure::Diagnosed(vec![message.with_note(&note)])
    }
}

/// Returns the message for arguments that violate a check of the program; `None` if the source
/// location of the check is unknown.
pub(crate) fn at_its_place(error: &tx_runtime::Error, program: &Path) -> Option<Message> {
    match error {
        tx_runtime::Error::Check(check) => {
            Some(Message::of_arguments(check, program, check.place()?))
        }
        _ => None,
    }
}

fn load(specs: &[Spec]) -> Result<Vec<Arg>, Failure> {
    specs.iter().map(one).collect()
}

fn one(spec: &Spec) -> Result<Arg, Failure> {
    spec.load().map_err(|error| match &error {
        tx_runtime::Error::File {
            path,
            error: tx_runtime::NpyError::Io(reason),
        } => Failure::unreadable(path, "an array to pass to the program", reason),
        _ => error.into(),
    })
}

/// Loads the arguments that the user specified for a validation; `None` without arguments. Each
/// validation run uses a copy of the arguments.
pub(crate) fn given(specs: &[Spec]) -> Result<Option<Vec<Arg>>, Failure> {
    if specs.is_empty() {
        return Ok(None);
    }
    memory::check(specs, true)?;
    load(specs).map(Some)
}

fn numpy_name(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::F16 => "float16",
        ElementType::F32 => "float32",
        ElementType::F64 => "float64",
        ElementType::I1 => "bool",
        ElementType::I8 => "int8",
        ElementType::I16 => "int16",
        ElementType::I32 => "int32",
        ElementType::I64 | ElementType::Index => "int64",
        ElementType::BF16 | ElementType::F8E4M3FN | ElementType::F8E5M2 => return None,
    })
}

fn launch(options: &Run, device: &Device, artifact: &Artifact) -> Result<Outputs, Failure> {
    let args = options.launch.arguments(device)?;
    let program = device.load(artifact)?;
    options.launch.tell(device);
    if options.past > 0 && device.chip().is_some() {
        return Err(Failure::Usage(format!(
            "--past {}: {} chooses the addresses of arrays; on the CPU (`--device cpu`), this \
             option sets them",
            options.past,
            device.name()
        )));
    }
    let run_options = RunOptions {
        graph: options.graph,
        past: tx_runtime::Past::all(usize::from(options.past)),
        ..options.launch.run_options(&args)
    };
    let run = program.run_with(args, &run_options);
    let printed = match &run {
        Ok(outputs) => outputs.printed(),
        Err(tx_runtime::Error::Fault(fault)) => &fault.printed,
        Err(_) => "",
    };
    // Like a GPU driver, `tx run` prints the output of the program even if the run failed.
    crate::stdout::print(printed.as_bytes())?;
    run.map_err(|error| {
        options
            .launch
            .refused(error, &options.program.file, &artifact.plan)
    })
}

/// Returns the newest supported chip whose code runs on the device. Code that is compiled for one
/// chip also runs on newer chips.
fn newest_for(device: &Device) -> String {
    let Some(chip) = device.chip() else {
        return tx_target::DEFAULT_CHIP.to_owned();
    };
    let capability = chip
        .strip_prefix("sm_")
        .and_then(|number| number.parse::<u32>().ok());
    tx_target::CHIPS
        .iter()
        .rfind(|known| !known.specific && capability.is_some_and(|capability| known.capability <= capability))
        // If the device is older than all supported chips, the compiler reports an error with the
        // supported chips.
        .map_or(chip, |known| known.name.to_owned())
}

/// Checks before the run that each `--out` option names an array argument, and that all output
/// files are different.
fn check_outs(options: &Run, plan: &Plan) -> Result<(), Failure> {
    let mut files = BTreeSet::new();
    for out in &options.outs {
        if !files.insert(&out.path) {
            let path = out.path.display();
            let message = format!(
                "--out {}={path}: another argument is written to {path}",
                out.index
            );
            return Err(Failure::Usage(message));
        }
        let found = match plan.arguments.get(out.index).map(|argument| &argument.ty) {
            Some(ArgumentType::Memref(_)) => continue,
            Some(ty @ ArgumentType::Scalar(_)) => {
                format!("argument {} is a scalar of type {ty}", out.index)
            }
            None => format!(
                "there is no argument {}: `{}` takes {}",
                out.index,
                plan.entry,
                plan.arguments.len()
            ),
        };
        return Err(Failure::Refused(format!(
            "--out {}={}: {found}, expected the index of a memref argument",
            out.index,
            out.path.display()
        )));
    }
    Ok(())
}

fn print(outputs: &Outputs) -> Result<(), Failure> {
    let mut text = String::new();
    for (index, array) in outputs.written() {
        text.push_str(&format!(
            "argument {index}: {}\n{array}\n",
            array.describe()
        ));
    }
    crate::stdout::print(text.as_bytes())
}
