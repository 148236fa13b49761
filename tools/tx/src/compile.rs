//! Command `tx compile`, and compilation for other commands.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tx_plan::{Artifact, EntryKind};

use crate::cli::{AssertOptions, CacheOptions, Compile, Grid, Program};
use crate::failure::Failure;
use crate::message::Message;
use crate::stderr::{note, note_once, print_text, warn, warn_once};

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
    check_outputs(&options.program.file, [output, plan].into_iter().flatten())?;
    // If the user requests compile times, the compilation does not read the cache.
    let is_timed = options.time || options.times.is_some();
    let kept = cache(&options.kept)?.filter(|_| !is_timed);
    let mut times = Times::default();
    let times_run = options.times.unwrap_or(1);
    let artifact = reporting(&options.program, &text, kept.as_ref(), || {
        // The first compilation of a process is slower than the following compilations, because it
        // creates MLIR contexts and pass pipelines.
        let mut start = Instant::now();
        // `tx compile` does not need the device IR, because only the CPU executor reads it.
        let compiler = compiler(kept.clone(), &options.chip, options.asserts)?.without_device_ir();
        let mut once = || {
            let artifact = compiler.compile_source(&source(&options.program, text.clone()))?;
            times.add(&artifact, start.elapsed());
            start = Instant::now();
            Ok(artifact)
        };
        for _ in 1..times_run {
            once()?;
        }
        once()
    })?;
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
    if is_timed {
        print_text(&times.table());
    }
    if let Some(path) = output.filter(|_| output != stdout) {
        write(path, &artifact.ptx)?;
    }
    // Files are written before standard output, because standard output may be closed.
    if plan == stdout {
        crate::stdout::print(artifact.plan.to_json().as_bytes())
    } else if output.is_none() || output == stdout {
        crate::stdout::print(artifact.ptx.as_bytes())
    } else {
        Ok(())
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::file(path, &error))
}

/// Returns an error if the directory of an output file is missing, or if an output file would
/// overwrite the program file or another output file.
pub(crate) fn check_outputs<'p>(
    program: &Path,
    outputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    let mut before: Vec<&Path> = Vec::new();
    for path in outputs {
        let refuse = |what: &str| {
            let path = path.display();
            Err(Failure::Refused(format!(
                "{path}: {what} would be overwritten: name another file"
            )))
        };
        if is_same_file(path, program) {
            return refuse("the output file is the input program, which");
        }
        if before.iter().any(|other| is_same_file(path, other)) {
            return refuse("two outputs have this path, so one output");
        }
        check_folder(path)?;
        before.push(path);
    }
    Ok(())
}

/// Returns whether two paths denote the same file; the file may be missing. For `-`, devices and
/// pipes, the function returns false.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        if path == Path::new("-") {
            return None;
        }
        let stands = path.canonicalize().or_else(|_| {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
            Ok::<_, io::Error>(folder.join(path.file_name().unwrap_or_default()))
        });
        stands.ok().filter(|path| !path.exists() || path.is_file())
    };
    place(one).is_some_and(|one| place(other) == Some(one))
}

pub(crate) fn check_folder(path: &Path) -> Result<(), Failure> {
    let folder = path.parent();
    let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let (file, name) = (path.display(), folder.display());
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Failure::Refused(format!(
            "{file}: `{name}` is a file, expected a folder: name another"
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::Refused(format!(
            "{file}: the folder `{name}` does not exist: create it with `mkdir -p {name}`"
        ))),
        Err(error) => Err(Failure::file(folder, &error)),
    }
}

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
    read().map_err(|error| match file == Path::new("-") {
        true => Failure::file(file, &error),
        false => Failure::unreadable(file, "a program", &error),
    })
}

/// Argument of the option `--cache` that disables the compilation cache.
const OFF: &str = "off";

/// Arguments that `--cache` rejects as directory names. A user who writes an argument such as `on`
/// probably intends to enable or disable the cache, not to name a directory.
const UNCLEAR: [&str; 12] = [
    "0", "1", "no", "yes", "none", "null", "false", "true", "on", "never", "disable", "disabled",
];

/// Maximum size of the compilation cache, in bytes.
const MAX_CACHE_BYTES: u64 = 512 << 20;

/// Returns the compilation cache. The cache is in the directory that the user specified, or in the
/// folder `tx` of the user's cache directory.
pub(crate) fn cache(kept: &CacheOptions) -> Result<Option<tx::Cache>, Failure> {
    let (from, given) = match &kept.cache {
        Some(folder) => ("--cache", Some(folder.clone())),
        None => ("TX_CACHE", env::var_os("TX_CACHE").map(PathBuf::from)),
    };
    let is = |words: &[&str]| {
        let word = given.as_deref().and_then(Path::to_str).map(str::trim);
        word.is_some_and(|given| words.iter().any(|word| word.eq_ignore_ascii_case(given)))
    };
    if is(&[OFF]) {
        return Ok(None);
    }
    let expected = "expected `off` or a folder to keep compiled programs in";
    let shown = given.as_deref().unwrap_or(Path::new("")).display();
    if is(&UNCLEAR) {
        return Err(Failure::Usage(format!(
            "{from}: found `{shown}`, {expected}; write `./{shown}` for a folder of this name"
        )));
    }
    let is_empty = is(&[""]);
    if is_empty && kept.cache.is_some() {
        return Err(Failure::Usage(format!(
            "{from}: found `{shown}`, {expected}"
        )));
    }
    if is_empty {
        // In a shell, an empty value is a common way to disable an environment variable for one
        // command.
        note_once(&format!(
            "tx: {from} is empty, {expected}: the user's cache folder is used"
        ));
    }
    let own = || {
        let caches = env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .or_else(|| Some(env::home_dir()?.join(".cache")))?;
        Some(caches.join("tx"))
    };
    let folder = given.filter(|_| !is_empty).or_else(own);
    Ok(folder.map(|folder| tx::Cache::new(folder, MAX_CACHE_BYTES)))
}

/// Compiles a program for a chip. Prints a warning for a kernel without a known grid size, unless
/// `grid` is given.
pub(crate) fn compile(
    program: &Program,
    kept: &CacheOptions,
    grid: Option<Grid>,
    text: &[u8],
    chip: &str,
    asserts: AssertOptions,
) -> Result<Artifact, Failure> {
    let cache = cache(kept)?;
    reporting(program, text, cache.as_ref(), || {
        let compiler = compiler(cache.clone(), chip, asserts)?;
        let source = source(program, text.to_vec());
        let mut artifact = compiler.compile_source(&source)?;
        if grid.is_none() && artifact.plan.entry_kind == EntryKind::Kernel {
            artifact.warnings.extend(compiler.unknown_grid(&source)?);
        }
        Ok(artifact)
    })
}

/// Prints a warning if a kernel reads block ids, but no grid size is known. Without a known grid
/// size, a kernel runs with one block.
pub(crate) fn warn_of_grid(compiler: &tx::Compiler, source: &tx::Source, grid: Option<Grid>) {
    if grid.is_none()
        && let Ok(Some(warning)) = compiler.unknown_grid(source)
    {
        let file = Path::new(&source.name);
        warn(&Message::warnings(&[warning], file, &source.text));
    }
}

fn compiler(
    cache: Option<tx::Cache>,
    chip: &str,
    asserts: AssertOptions,
) -> Result<tx::Compiler, tx::Error> {
    let compiler = crate::compiler::create(tx::Target::parse(chip)?)?;
    let compiler = match asserts.kept {
        true => compiler.with_asserts(),
        false => compiler,
    };
    Ok(match cache {
        Some(cache) => compiler.with_cache(cache),
        None => compiler,
    })
}

fn source(program: &Program, text: Vec<u8>) -> tx::Source {
    tx::Source {
        name: program.file.display().to_string(),
        text,
        entry: program.entry.clone(),
        keep_stages: false,
    }
}

/// Runs a compilation. Prints the warnings of the compiler, and a warning if the cache is unusable.
/// The error messages quote source lines of the program.
fn reporting(
    program: &Program,
    text: &[u8],
    cache: Option<&tx::Cache>,
    compile: impl FnOnce() -> Result<Artifact, tx::Error>,
) -> Result<Artifact, Failure> {
    let artifact =
        compile().map_err(|error| Failure::Diagnosed(describe(&error, &program.file, text)))?;
    warn(&Message::warnings(&artifact.warnings, &program.file, text));
    if let Some(cache) = cache
        && let Some(trouble) = cache.trouble()
    {
        warn_once(&format!(
            "{}: compiled programs cannot be cached in this folder: {trouble}; set `--cache` or \
             TX_CACHE to another folder, or to `off`",
            cache.folder().display()
        ));
    }
    Ok(artifact)
}

pub(crate) fn describe(error: &tx::Error, file: &Path, text: &[u8]) -> Vec<Message> {
    Message::diagnostics(&error.diagnostics, file, text)
}

/// Durations of the compilation stages, in milliseconds. Each entry contains the name of a stage
/// and one duration per compilation; the last entry contains the total durations.
#[derive(Default)]
struct Times(Vec<(String, Vec<f64>)>);

impl Times {
    /// Adds the durations of the stages of one compilation. All compilations of one program run the
    /// same stages.
    fn add(&mut self, artifact: &Artifact, total: Duration) {
        let stages = artifact.stages.iter().map(|s| (s.name.as_str(), s.millis));
        let rows = stages.chain([("total", total.as_secs_f64() * 1e3)]);
        for (i, (name, millis)) in rows.enumerate() {
            match self.0.get_mut(i) {
                Some((_, all)) => all.push(millis),
                None => self.0.push((name.to_owned(), vec![millis])),
            }
        }
    }

    fn table(mut self) -> String {
        let width = self.0.iter().map(|(name, _)| name.chars().count()).max();
        let width = width.unwrap_or(0);
        let mut text = String::new();
        for (name, all) in &mut self.0 {
            all.sort_by(f64::total_cmp);
            let median = all[all.len() / 2];
            text += &format!("{name:<width$} {median:>10.3} ms\n");
        }
        text
    }
}
