//! `tx run`.

use tx_plan::{Artifact, Plan};
use tx_runtime::{Device, Outputs, RunOptions, write_npy};

use crate::cli::Run;
use crate::compile;
use crate::failure::Failure;
use crate::progress::note;

/// Runs `tx run`.
pub(crate) fn run(options: &Run) -> Result<(), Failure> {
    run_on(options, &Device::open(&options.launch.device)?)
}

/// The same on a device that is open.
pub(crate) fn run_on(options: &Run, device: &Device) -> Result<(), Failure> {
    let text = compile::read(&options.program.file)?;
    // The device decides what to compile for.
    let chip = match &options.launch.chip {
        Some(chip) => chip.clone(),
        None => chip_for(device),
    };
    tracing::info!(device = device.name(), chip, "compiling");
    let artifact = compile::compile(&options.program, &options.kept, text, &chip)?;
    check_outs(options, &artifact.plan)?;
    if let Some(path) = &options.ptx {
        compile::write(path, &artifact.ptx)?;
    }
    let outputs = launch(options, device, &artifact)?;
    tracing::info!(elapsed = ?outputs.elapsed(), "ran");
    for out in &options.outs {
        // `check_outs` has seen that the argument is there.
        if let Some(array) = outputs.argument(out.index) {
            write_npy(&out.path, array)?;
        }
    }
    if options.outs.is_empty() {
        print(&outputs)?;
    }
    Ok(())
}

fn launch(options: &Run, device: &Device, artifact: &Artifact) -> Result<Outputs, Failure> {
    let args = options
        .launch
        .args
        .iter()
        .map(tx_runtime::Spec::load)
        .collect::<Result<Vec<_>, _>>()?;
    let program = device.load(artifact)?;
    if options.launch.device == "auto" {
        note(&format!(
            "tx: running on {}: {}",
            device.name(),
            device.reason()
        ));
    }
    Ok(program.run_with(
        args,
        &RunOptions {
            grid: options.launch.grid.map(|grid| grid.0),
            graph: options.graph,
            ..RunOptions::default()
        },
    )?)
}

/// The newest chip known here whose code runs on the device. Code for one chip runs on later ones, so a device newer than
/// this program gets the newest it knows.
pub(crate) fn chip_for(device: &Device) -> String {
    let Some(chip) = device.chip() else {
        return tx_target::DEFAULT_CHIP.to_owned();
    };
    let capability = chip
        .strip_prefix("sm_")
        .and_then(|number| number.parse::<u32>().ok());
    tx_target::CHIPS
        .iter()
        .rfind(|known| !known.specific && capability.is_some_and(|capability| known.capability <= capability))
        // Older than every chip known: the compiler says what it knows.
        .map_or(chip, |known| known.name.to_owned())
}

/// Every file asked for must get an array. Said before the run, which may be long.
fn check_outs(options: &Run, plan: &Plan) -> Result<(), Failure> {
    for out in &options.outs {
        let found = match plan.arguments.get(out.index).map(|argument| &argument.ty) {
            Some(tx_plan::ArgumentType::Memref(_)) => continue,
            Some(ty @ tx_plan::ArgumentType::Scalar(_)) => {
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
    crate::print(text.as_bytes())
}
