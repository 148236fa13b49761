//! `tx compile`, and the way into the compiler for the other commands.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tx_plan::Artifact;

use crate::cli::{Compile, Kept, Program};
use crate::diagnostic::Said;
use crate::failure::{Failure, say};
use crate::progress::note;

/// Runs `tx compile`.
pub(crate) fn run(options: &Compile) -> Result<(), Failure> {
    let stdout = Some(Path::new("-"));
    let (output, plan) = (options.output.as_deref(), options.plan.as_deref());
    if output == stdout && plan == stdout {
        return Err(Failure::Usage(
            "found `-` for both the PTX and the launch plan, expected a file for one of them"
                .to_owned(),
        ));
    }
    let text = read(&options.program.file)?;
    let start = Instant::now();
    let off = Kept {
        cache: Some(PathBuf::from(OFF)),
    };
    // What is timed has to be done.
    let kept = if options.time { &off } else { &options.kept };
    let artifact = compile(&options.program, kept, text, &options.chip)?;
    let total = start.elapsed();
    if artifact.ptx.is_empty() {
        note(&format!(
            "tx: {}: nothing to compile: `{}` launches no kernel",
            options.program.file.display(),
            artifact.plan.entry
        ));
    }
    if let Some(path) = plan.filter(|_| plan != stdout) {
        write(path, &artifact.plan.to_json())?;
    }
    if options.time {
        say(&times(&artifact, total));
    }
    if let Some(path) = output.filter(|_| output != stdout) {
        write(path, &artifact.ptx)?;
    }
    // Files come first: nobody may be reading standard output any more.
    if plan == stdout {
        crate::print(artifact.plan.to_json().as_bytes())
    } else if output.is_none() || output == stdout {
        crate::print(artifact.ptx.as_bytes())
    } else {
        Ok(())
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::file(path, &error))
}

/// Reads a program, `-` from standard input.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        if file == Path::new("-") {
            let mut text = Vec::new();
            std::io::stdin().lock().read_to_end(&mut text)?;
            Ok(text)
        } else {
            fs::read(file)
        }
    };
    read().map_err(|error| Failure::file(file, &error))
}

/// In place of the folder of the cache: none.
const OFF: &str = "off";

/// How many bytes of compiled programs are kept at most.
const MOST_KEPT: u64 = 512 << 20;

/// Where compiled programs are kept, if anywhere: where the user says, or else in a folder of our own where programs keep what
/// can be made again.
pub(crate) fn cache(kept: &Kept) -> Option<tx::Cache> {
    // A variable that is empty says nothing.
    let given = kept
        .cache
        .as_ref()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = match given {
        Some(folder) if folder == Path::new(OFF) => return None,
        Some(folder) => folder.clone(),
        None => env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .or_else(|| Some(env::home_dir()?.join(".cache")))?
            .join("tx"),
    };
    Some(tx::Cache::new(folder, MOST_KEPT))
}

/// Compiles a program for a chip.
pub(crate) fn compile(
    program: &Program,
    kept: &Kept,
    text: Vec<u8>,
    chip: &str,
) -> Result<Artifact, Failure> {
    let compile = |text| {
        let mut compiler = crate::compiler(tx::Target::parse(chip)?)?;
        if let Some(cache) = cache(kept) {
            compiler = compiler.with_cache(cache);
        }
        compiler.compile_source(&tx::Source {
            name: program.file.display().to_string(),
            text,
            entry: program.entry.clone(),
            keep_stages: false,
        })
    };
    let lines = text.clone();
    compile(text).map_err(|error| Failure::Diagnosed(describe(&error, &program.file, &lines)))
}

/// The diagnostics of an error, each with the line it points to.
pub(crate) fn describe(error: &tx::Error, file: &Path, text: &[u8]) -> Vec<Said> {
    Said::diagnostics(&error.diagnostics, file, text)
}

/// A line for each stage and one for everything, in milliseconds.
fn times(artifact: &Artifact, total: Duration) -> String {
    let mut rows: Vec<(&str, f64)> = artifact
        .stages
        .iter()
        .map(|stage| (stage.name.as_str(), stage.millis))
        .collect();
    rows.push(("total", total.as_secs_f64() * 1e3));
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    rows.iter()
        .map(|(name, millis)| format!("{name:<width$} {millis:>10.3} ms\n"))
        .collect()
}
