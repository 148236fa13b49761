//! Execution of `tx`: runs and compilations of programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::runs::{Argument, Content, Run, file_of};
use crate::{array, npy, ptxas};

/// Returns the cache directory of these tests.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs/cache")
}

/// Returns a `tx` command with this cache, so that each program is compiled once per chip.
fn tx() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
    command.env("TX_CACHE", cache());
    command
}

/// Returns the directory for the files of a test.
pub(crate) fn scratch(test: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("programs")
        .join(test.replace("::", "/"))
}

/// Chip for which programs are run.
pub(crate) const RUN_CHIP: &str = "sm_80";

/// Compiles a function for each chip, and assembles the PTX.
pub(crate) fn assemble(
    program: &Path,
    entry: &str,
    chips: &[&str],
    folder: &Path,
) -> Result<(), String> {
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

/// Runs a program with `tx run`, and compares the results.
pub(crate) fn execute(run: &Run, program: &Path) -> Result<(), String> {
    let arguments = run
        .arguments()
        .map_err(|error| format!("line {}: {error}", run.comparison.line))?;
    let folder = scratch(&run.name);
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let mut command = tx();
    command.arg("run").arg(program).args([
        "--device",
        "cpu",
        "--chip",
        RUN_CHIP,
        "--entry",
        &run.comparison.entry,
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

/// Returns the differences of an argument after the run.
pub(crate) fn compare(argument: &Argument, found: &npy::Array) -> Vec<String> {
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
