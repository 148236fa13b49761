//! `tx batch`.

use std::collections::BTreeMap;

use clap::{Parser, Subcommand};
use tx_runtime::Device;

use crate::cli::{Batch, Run};
use crate::compile;
use crate::failure::Failure;
use crate::run;

/// A line of a batch: what `tx run` takes.
#[derive(Debug, Parser)]
#[command(name = "tx", no_binary_name = true, disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: LineCommand,
}

#[derive(Debug, Subcommand)]
enum LineCommand {
    Run(Run),
}

/// Runs `tx batch`.
pub(crate) fn run(options: &Batch) -> Result<(), Failure> {
    let text = compile::read(&options.file)?;
    let text = String::from_utf8_lossy(&text);
    // Devices stay open: to open a GPU takes longer than most runs.
    let mut devices = BTreeMap::new();
    let mut worst = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let done = one(line, &mut devices);
        let status = done.as_ref().map_or_else(Failure::status, |()| 0);
        let message = done.err().and_then(|failure| failure.message());
        let mut said = serde_json::json!({ "status": status });
        if let Some(message) = message {
            said["message"] = message.into();
        }
        crate::print(format!("{said}\n").as_bytes())?;
        worst = worst.max(status);
    }
    match worst {
        0 => Ok(()),
        3 => Err(Failure::Failed("tx: some runs failed".to_owned())),
        _ => Err(Failure::Refused("some runs were refused".to_owned())),
    }
}

fn one(line: &str, devices: &mut BTreeMap<String, Device>) -> Result<(), Failure> {
    let words: Vec<String> = serde_json::from_str(line)
        .map_err(|error| Failure::Usage(format!("expected a JSON list of strings: {error}")))?;
    let words = ["run".to_owned()].into_iter().chain(words);
    let LineCommand::Run(options) = Line::try_parse_from(words)
        .map_err(|error| Failure::Usage(error.to_string().trim_end().to_owned()))?
        .command;
    if !devices.contains_key(&options.device) {
        devices.insert(options.device.clone(), Device::open(&options.device)?);
    }
    run::run_on(&options, &devices[&options.device])
}
