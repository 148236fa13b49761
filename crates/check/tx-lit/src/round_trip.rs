//! Round-trip check: a tool reads its own output, and must print an equal text.

use std::collections::BTreeSet;

use crate::command::Output;
use crate::file::{Exit, Run};
use crate::programs::Programs;
use crate::report::{describe, difference, indent};

/// Returns the last tool of a RUN line if the output is a module and the suite enables the
/// round-trip check for the tool.
pub(crate) fn prints_module<'r>(
    tools: &BTreeSet<String>,
    run: &'r Run,
    text: &str,
) -> Option<&'r str> {
    let last = run.pipeline.commands.last()?;
    // A module with elided resources is not equal to the original module after parsing.
    let lossy = last.iter().any(|word| word.starts_with("--mlir-elide"));
    let starts = ["module", "#", "!", "\"builtin.module\""];
    let is_module = tools.contains(&last[0])
        && run.exit == Exit::Success
        && !run.pipeline.both_streams
        && !run.verifies_diagnostics()
        && !lossy
        && text
            .lines()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| starts.iter().any(|start| line.starts_with(start)));
    is_module.then(|| last[0].as_str())
}

/// Runs the tool without passes on its own output, and returns an error if the tool changes this
/// output.
pub(crate) fn read_back(
    programs: &Programs,
    tool: &str,
    commands: &[Vec<String>],
    output: &Output,
) -> Result<(), String> {
    const KEPT: &[&str] = &[
        "--split-input-file",
        "--allow-unregistered-dialect",
        "--mlir-print-op-generic",
        "--mlir-print-debuginfo",
        "--mlir-print-local-scope",
    ];
    let mut again = vec![programs.tool_path(tool)?, "-".to_owned()];
    again.extend(
        commands
            .iter()
            .flatten()
            .filter(|word| KEPT.iter().any(|flag| word.starts_with(flag)))
            .cloned(),
    );
    let second = programs.surroundings().execute(
        std::slice::from_ref(&again),
        false,
        Some(&output.stdout),
    )?;
    if second.status != Some(0) {
        return Err(format!(
            "{tool} cannot read its own output ({}):\n{}",
            describe(second.status),
            indent(&String::from_utf8_lossy(&second.stderr))
        ));
    }
    if second.stdout != output.stdout {
        return Err(format!(
            "{tool} prints different output when it reads its own output (- first, + second):\n{}",
            difference(
                &String::from_utf8_lossy(&output.stdout),
                &String::from_utf8_lossy(&second.stdout)
            )
        ));
    }
    Ok(())
}
