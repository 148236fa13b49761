//! Command `tx batch`.

use std::collections::BTreeMap;

use clap::{Args, FromArgMatches};
use tx_runtime::Device;

use crate::cli::{Batch, Run};
use crate::compile;
use crate::failure::Failure;
use crate::name;
use crate::run;

pub(crate) fn run(options: &Batch) -> Result<(), Failure> {
    let text = compile::read(&options.file)?;
    let text = String::from_utf8_lossy(&text);
    // The command keeps devices open, because opening a GPU takes longer than most runs.
    let mut devices = BTreeMap::new();
    let mut runs = 0;
    let mut refused = 0;
    let mut failed = 0;
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let done = one(line, &mut devices);
        let mut status = serde_json::json!({ "line": at + 1, "status": 0 });
        if let Err(failure) = done {
            status["status"] = failure.status().into();
            match &failure {
                // Standard output is closed, so the remaining runs cannot print their results.
                Failure::Closed => return Err(failure),
                Failure::Failed(_) | Failure::Fault(_) => failed += 1,
                _ => refused += 1,
            }
            if let Some(message) = failure.message() {
                status["message"] = message.trim_end().into();
            }
        }
        runs += 1;
        crate::stdout::print(format!("{status}\n").as_bytes())?;
    }
    match (refused, failed) {
        (0, 0) => Ok(()),
        (_, 0) => Err(Failure::Refused(format!(
            "{refused} of {runs} runs were refused"
        ))),
        _ => Err(Failure::Failed(format!(
            "tx: {failed} of {runs} runs failed, {refused} were refused"
        ))),
    }
}

fn one(line: &str, devices: &mut BTreeMap<String, Device>) -> Result<(), Failure> {
    let words: Vec<String> = serde_json::from_str(line).map_err(|error| {
        Failure::Usage(format!(
            "expected a JSON list of strings, such as `[\"sums.mlir\", \"--arg\", \
                 \"zeros:f32\"]`: {error}"
        ))
    })?;
    let command = clap::Command::new("run").bin_name(format!("{} run", name::get()));
    let options = Run::augment_args(command.no_binary_name(true))
        .try_get_matches_from(words)
        .and_then(|found| Run::from_arg_matches(&found))
        .map_err(|error| {
            let text = error.to_string();
            Failure::Usage(text.strip_prefix("error: ").unwrap_or(&text).to_owned())
        })?;
    if !devices.contains_key(&options.launch.device) {
        devices.insert(
            options.launch.device.clone(),
            Device::open(&options.launch.device)?,
        );
    }
    run::run_on(&options, &devices[&options.launch.device])
}
