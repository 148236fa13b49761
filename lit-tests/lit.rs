//! The harness of the lit tests: every `.mlir` file below this folder is one test.
//!
//! A file says how it is run and what must come out, in comments; `README.md` beside this file is
//! the manual. Three things are checked on every run: the `CHECK` lines, by LLVM's own FileCheck;
//! the whole output, against the snapshot beside the file; and that output which is MLIR reads
//! back and prints the same.
//!
//! The harness has no shell. What a RUN line can say is what `command_line` below takes apart.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write as _};
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};

/// No test takes longer; one that does hangs.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// How many lines of unchanged text stand around a difference, and of input around a failed CHECK.
const CONTEXT_LINES: usize = 4;

fn main() -> ExitCode {
    // insta would print differences itself, in the middle of other tests' lines. Its verdict is
    // all that is wanted; the difference becomes part of the test's own failure.
    // SAFETY: no other thread exists yet.
    unsafe { std::env::set_var("INSTA_OUTPUT", "none") };
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // A snapshot that differs panics inside insta, and is caught in `compare_snapshot`.
        if info
            .location()
            .is_none_or(|place| !place.file().contains("insta"))
        {
            report(info);
        }
    }));

    let arguments = Arguments::from_args();
    let folder = lit_folder();
    let mut files = Vec::new();
    if let Err(error) = collect(&folder, &mut files) {
        eprintln!("lit: cannot read {}: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    files.sort();
    let mut trials = self_tests();
    trials.extend(files.into_iter().map(|path| {
        let name = path
            .strip_prefix(&folder)
            .unwrap_or(&path)
            .display()
            .to_string();
        Trial::test(name, move || {
            run_file(&path).map_err(|message| Failed::from(message.trim_end()))
        })
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "mlir")
        {
            files.push(path);
        }
    }
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// Where things are
// ---------------------------------------------------------------------------------------------

/// The root of the workspace: this test belongs to `tools/tx-opt`.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .ancestors()
        .nth(2)
        .map_or_else(|| package.to_owned(), Path::to_owned)
}

fn lit_folder() -> PathBuf {
    root().join("lit-tests")
}

fn tx_opt() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tx-opt"))
}

/// `tx`, beside `tx-opt`. It belongs to another package, so nothing has built it for this test if
/// only this test was asked for.
fn tx() -> Result<PathBuf, String> {
    static TX: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    TX.get_or_init(|| {
        let folder = tx_opt().parent().ok_or("tx-opt stands in no folder")?;
        let binary = folder.join("tx");
        if is_fresh(&binary) {
            return Ok(binary);
        }
        eprintln!("lit: building tx, which some of the tests run");
        // Cargo's folder for the profile `dev` is `debug`; for others it has their name.
        let profile = match folder.file_name().and_then(|name| name.to_str()) {
            None | Some("debug") => "dev",
            Some(other) => other,
        };
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "build",
                "--package",
                "tx-cli",
                "--bin",
                "tx",
                "--profile",
                profile,
            ])
            .current_dir(root())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot start cargo to build `tx`: {error}"))?;
        if !output.status.success() || !binary.is_file() {
            return Err(format!(
                "`tx` is not built, and `cargo build --package tx-cli` failed:\n{}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(binary)
    })
    .clone()
}

/// Whether a binary is newer than everything cargo says it was made of, or than everything that it may be made of: cargo says
/// nothing of programs that it builds for tests.
fn is_fresh(binary: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let Some(built) = modified(binary) else {
        return false;
    };
    let older = |path: &Path| modified(path).is_none_or(|time| time <= built);
    match fs::read_to_string(binary.with_extension("d")) {
        Ok(listing) => listing
            .split_once(": ")
            .map_or("", |(_, sources)| sources)
            .split_whitespace()
            .all(|source| older(Path::new(source))),
        Err(_) => [
            "Cargo.lock",
            "Cargo.toml",
            "crates",
            "dialects",
            "passes",
            "tools/tx",
        ]
        .iter()
        .all(|path| all_files(&root().join(path), &older)),
    }
}

/// Whether something holds for a file, or all files below a folder, but for tests.
fn all_files(path: &Path, holds: &impl Fn(&Path) -> bool) -> bool {
    let Ok(entries) = fs::read_dir(path) else {
        return holds(path);
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name() != "tests")
        .all(|entry| all_files(&entry.path(), holds))
}

fn file_check() -> PathBuf {
    // `.cargo/config.toml` sets the variable; the default serves a test binary started by hand.
    let prefix = std::env::var_os("MLIR_SYS_220_PREFIX")
        .map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from);
    prefix.join("bin").join("FileCheck")
}

/// NVIDIA's assembler: `$TX_PTXAS`, else the one `cargo xtask setup` fetched, else one in PATH.
fn ptxas() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("TX_PTXAS") {
        return Ok(PathBuf::from(path));
    }
    // target/debug/tx-opt, or target/TRIPLE/debug/tx-opt.
    let fetched = tx_opt()
        .ancestors()
        .skip(2)
        .take(2)
        .map(|folder| folder.join("tools/ptxas"));
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let in_path: Vec<PathBuf> = std::env::split_paths(&in_path)
        .map(|folder| folder.join("ptxas"))
        .collect();
    fetched
        .chain(in_path)
        .find(|path| path.is_file())
        .ok_or_else(|| {
            "this test assembles PTX and there is no ptxas: `cargo xtask setup` fetches it into \
             target/tools; or put one in PATH, or name it in TX_PTXAS"
                .to_owned()
        })
}

// ---------------------------------------------------------------------------------------------
// Directives
// ---------------------------------------------------------------------------------------------

/// What a test file says about itself.
#[derive(Debug, Default)]
struct Test {
    runs: Vec<Run>,
    /// Chips for which the program is compiled and assembled.
    ptxas: Vec<String>,
    snapshot: bool,
    round_trip: bool,
    /// Prefixes that CHECK lines use.
    prefixes: BTreeSet<String>,
    /// Whether there is an `expected-error`, `-warning`, `-remark` or `-note`.
    expects_diagnostics: bool,
    /// Directives that others read.
    read_elsewhere: BTreeSet<String>,
}

/// One RUN line.
#[derive(Debug)]
struct Run {
    /// The prefixes of the CHECK lines that its output must meet.
    prefixes: Vec<String>,
    pipeline: Pipeline,
    exit: Exit,
}

/// Programs connected by pipes.
#[derive(Debug, PartialEq)]
struct Pipeline {
    commands: Vec<Vec<String>>,
    /// The output of the last one is both of its streams.
    both_streams: bool,
    /// `not` stood in front of the last one.
    negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Exit {
    /// 0
    Success,
    /// Anything from 1 to 127: a panic, an abort or a signal is never what a test wants.
    Failure,
    Status(i32),
}

impl Run {
    fn verifies_diagnostics(&self) -> bool {
        self.pipeline
            .commands
            .iter()
            .flatten()
            .any(|word| word.starts_with("--verify-diagnostics"))
    }
}

const TOOLS: &[&str] = &["tx-opt", "tx", "ptxas"];
const DIRECTIVES: &[&str] = &[
    "RUN",
    "EXIT",
    "PTXAS",
    "SNAPSHOT",
    "ROUNDTRIP",
    "COMPARE",
    "SIZES",
    "SHOW",
];

/// Directives that others read, in these folders only: `tools/tx/tests/programs.rs`, and `cargo
/// xtask codegen`. Elsewhere they would say something to nobody.
const READ_ELSEWHERE: &[(&str, &[&str])] = &[
    ("COMPARE", &["tutorial", "programs"]),
    ("SIZES", &["tutorial", "programs"]),
    ("SHOW", &["tutorial"]),
];

const CHECKS: &[&str] = &["", "-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY"];

/// Reads the directives of a file. Whatever looks like one and is not is an error: a misspelt
/// CHECK would otherwise pass for ever.
fn parse(text: &str) -> Result<Test, String> {
    let mut test = Test {
        snapshot: true,
        round_trip: true,
        ..Test::default()
    };
    let mut checks: Vec<(usize, String)> = Vec::new();
    let mut prose = String::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        test.expects_diagnostics |= ["error", "warning", "remark", "note"]
            .iter()
            .any(|kind| line.contains(&format!("expected-{kind}")));
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            continue;
        };
        let comment = comment.trim();
        let Some((name, argument, rest)) = directive(comment) else {
            if !comment.starts_with("expected-") {
                prose.push_str(comment);
                prose.push(' ');
            }
            continue;
        };
        if argument.is_some() && name != "RUN" {
            return Err(format!(
                "line {number}: `{name}` takes nothing in parentheses"
            ));
        }
        match name {
            "RUN" => test.runs.push(Run {
                prefixes: argument
                    .unwrap_or("CHECK")
                    .split(',')
                    .map(|prefix| prefix.trim().to_owned())
                    .collect(),
                pipeline: command_line(rest).map_err(|error| format!("line {number}: {error}"))?,
                exit: Exit::Success,
            }),
            "EXIT" => {
                let run = test
                    .runs
                    .last_mut()
                    .ok_or(format!("line {number}: EXIT belongs after its RUN line"))?;
                run.exit = Exit::Status(rest.parse().map_err(|_| {
                    format!("line {number}: expected an exit status, found `{rest}`")
                })?);
            }
            "PTXAS" => test
                .ptxas
                .extend(rest.split_whitespace().map(str::to_owned)),
            "SNAPSHOT" | "ROUNDTRIP" => {
                let reason = rest
                    .strip_prefix("none")
                    .map(|reason| reason.trim_start_matches([' ', '-', '—', '–', ':']));
                if reason.is_none_or(str::is_empty) {
                    return Err(format!(
                        "line {number}: write `{name}: none — ` and the reason"
                    ));
                }
                if name == "SNAPSHOT" {
                    test.snapshot = false;
                } else {
                    test.round_trip = false;
                }
            }
            other if READ_ELSEWHERE.iter().any(|(name, _)| *name == other) => {
                test.read_elsewhere.insert(other.to_owned());
            }
            other => checks.push((number, other.to_owned())),
        }
    }

    for run in &mut test.runs {
        if run.pipeline.negated && run.exit == Exit::Success {
            run.exit = Exit::Failure;
        }
    }
    let declared: BTreeSet<&str> = test
        .runs
        .iter()
        .flat_map(|run| &run.prefixes)
        .map(String::as_str)
        .collect();
    for (number, name) in checks {
        let prefix = declared
            .iter()
            .find(|prefix| is_check(&name, prefix))
            .ok_or_else(|| {
                format!(
                    "line {number}: unknown directive `{name}:`; known are {}, and {} with their \
                     suffixes -NEXT, -SAME, -NOT, -DAG, -LABEL, -EMPTY, -COUNT-N",
                    DIRECTIVES.join(", "),
                    declared.iter().copied().collect::<Vec<_>>().join(", ")
                )
            })?;
        test.prefixes.insert((*prefix).to_owned());
    }
    complete(&test, &prose)?;
    Ok(test)
}

/// Splits `NAME: rest` or `NAME(argument): rest`, where the name is in capitals.
fn directive(comment: &str) -> Option<(&str, Option<&str>, &str)> {
    let (head, rest) = comment.split_once(':')?;
    let (name, argument) = match head.split_once('(') {
        Some((name, argument)) => (name, Some(argument.strip_suffix(')')?)),
        None => (head, None),
    };
    let capitals = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
    capitals.then(|| (name, argument, rest.trim()))
}

fn is_check(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|suffix| {
        CHECKS.contains(&suffix)
            || suffix
                .strip_prefix("-COUNT-")
                .is_some_and(|count| count.parse::<u32>().is_ok())
    })
}

/// What every test must have.
fn complete(test: &Test, prose: &str) -> Result<(), String> {
    if test.runs.is_empty() {
        return Err("no RUN line".to_owned());
    }
    let sentence = prose.split_whitespace().count() >= 4 && prose.contains('.');
    if !sentence {
        return Err("no sentence that says what the test is about".to_owned());
    }
    for run in &test.runs {
        let checked = run
            .prefixes
            .iter()
            .any(|prefix| test.prefixes.contains(prefix));
        if run.verifies_diagnostics() {
            if !test.expects_diagnostics {
                return Err("--verify-diagnostics, and no expected-error".to_owned());
            }
        } else if !checked {
            return Err(format!(
                "nothing is checked: no {} line for a RUN line",
                run.prefixes.join(" or ")
            ));
        }
    }
    let mut seen = BTreeSet::new();
    if !test.runs.iter().all(|run| seen.insert(&run.prefixes)) {
        return Err(
            "several RUN lines with the same prefix: name them, `RUN(NAME):` with `NAME:` lines"
                .to_owned(),
        );
    }
    Ok(())
}

/// Whether directives that others read stand where these look.
fn readers(test: &Test, path: &Path) -> Result<(), String> {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    for (name, folders) in READ_ELSEWHERE {
        if test.read_elsewhere.contains(*name) && folders.iter().all(|known| folder != *known) {
            return Err(format!(
                "nobody reads `{name}:` here; it belongs into {}",
                folders.join(" or ")
            ));
        }
    }
    Ok(())
}

/// Takes a RUN line apart: `[not] TOOL ARGUMENT… [| [not] TOOL ARGUMENT…]… [2>&1]`, with single
/// and double quotes.
fn command_line(text: &str) -> Result<Pipeline, String> {
    let mut words = words(text)?;
    let both_streams = words.last().is_some_and(|word| word == "2>&1");
    if both_streams {
        words.pop();
    }
    let mut negated = false;
    let mut commands = Vec::new();
    for command in words.split(|word| word == "|") {
        let mut command = command.to_vec();
        negated = command.first().is_some_and(|word| word == "not");
        if negated {
            command.remove(0);
        }
        match command.first() {
            Some(tool) if TOOLS.contains(&tool.as_str()) => {}
            Some(other) => {
                return Err(format!(
                    "`{other}` cannot be run here; known are {}",
                    TOOLS.join(", ")
                ));
            }
            None => return Err("a command is missing".to_owned()),
        }
        commands.push(command);
    }
    Ok(Pipeline {
        commands,
        both_streams,
        negated,
    })
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

// ---------------------------------------------------------------------------------------------
// Running a test
// ---------------------------------------------------------------------------------------------

fn run_file(path: &Path) -> Result<(), String> {
    let text = fs::read(path).map_err(|error| format!("cannot read the test: {error}"))?;
    let test = parse(&String::from_utf8_lossy(&text))?;
    readers(&test, path)?;
    let scratch = Scratch::new()?;
    for run in &test.runs {
        run_one(path, &test, run, &scratch)?;
    }
    for chip in &test.ptxas {
        assemble(path, chip, &scratch)?;
    }
    Ok(())
}

fn run_one(path: &Path, test: &Test, run: &Run, scratch: &Scratch) -> Result<(), String> {
    let commands = resolve(&run.pipeline, path, scratch)?;
    let output = execute(&commands, run.pipeline.both_streams, None)?;
    let shown = show(&commands);
    let wanted = match run.exit {
        Exit::Success => output.status == Some(0),
        Exit::Failure => output
            .status
            .is_some_and(|status| (1..128).contains(&status)),
        Exit::Status(status) => output.status == Some(status),
    };
    if !wanted {
        return Err(format!(
            "{shown}\n{}, expected {}\n{}",
            describe(output.status),
            match run.exit {
                Exit::Success => "success".to_owned(),
                Exit::Failure => "a failure".to_owned(),
                Exit::Status(status) => format!("exit status {status}"),
            },
            said(&output, run.pipeline.both_streams)
        ));
    }
    let text = normalise(&output.stdout, scratch);
    let prefixes: Vec<&str> = run
        .prefixes
        .iter()
        .filter(|prefix| test.prefixes.contains(*prefix))
        .map(String::as_str)
        .collect();
    if !prefixes.is_empty() {
        check(path, &prefixes, &text).map_err(|error| format!("{shown}\n{error}"))?;
    }
    if test.snapshot && !run.verifies_diagnostics() {
        compare_snapshot(path, run, &text).map_err(|error| format!("{shown}\n{error}"))?;
    }
    if test.round_trip && is_module(run, &text) {
        round_trip(&commands, &output.stdout).map_err(|error| format!("{shown}\n{error}"))?;
    }
    Ok(())
}

/// A folder for `%t`, removed afterwards.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn new() -> Result<Self, String> {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("tx-lit-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        Ok(Self { folder })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Replaces tools and `%s`, `%S`, `%t` by paths.
fn resolve(
    pipeline: &Pipeline,
    path: &Path,
    scratch: &Scratch,
) -> Result<Vec<Vec<String>>, String> {
    let folder = path.parent().unwrap_or(path);
    pipeline
        .commands
        .iter()
        .map(|command| {
            let tool = match command[0].as_str() {
                "tx-opt" => tx_opt().to_owned(),
                "tx" => tx()?,
                _ => ptxas()?,
            };
            let arguments = command[1..].iter().map(|word| {
                word.replace("%s", &path.display().to_string())
                    .replace("%S", &folder.display().to_string())
                    .replace("%t", &scratch.folder.join("t").display().to_string())
            });
            Ok(std::iter::once(tool.display().to_string())
                .chain(arguments)
                .collect())
        })
        .collect()
}

struct Output {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// None after a signal.
    status: Option<i32>,
}

/// Runs a pipeline. `input` goes to the first program; without it, that reads nothing.
fn execute(
    commands: &[Vec<String>],
    both_streams: bool,
    input: Option<&[u8]>,
) -> Result<Output, String> {
    let mut input = input.map(<[u8]>::to_vec);
    let mut stderr = Vec::new();
    for (place, command) in commands.iter().enumerate() {
        let last = place + 1 == commands.len();
        let output = execute_one(command, both_streams && last, input.as_deref())?;
        stderr.extend(&output.stderr);
        // As with the shell's `pipefail`: what a failed program hands on is not looked at.
        if last || output.status != Some(0) {
            return Ok(Output { stderr, ..output });
        }
        input = Some(output.stdout);
    }
    Err("nothing to run".to_owned())
}

fn execute_one(
    words: &[String],
    both_streams: bool,
    input: Option<&[u8]>,
) -> Result<Output, String> {
    let trouble = |error: io::Error| format!("cannot run `{}`: {error}", words[0]);
    let (mut stdout, stdout_end) = io::pipe().map_err(trouble)?;
    let (mut stderr, stderr_end) = io::pipe().map_err(trouble)?;
    let errors_to = if both_streams {
        // A reader meets the end of its pipe when the last copy of the other end is closed.
        drop(stderr_end);
        stdout_end.try_clone().map_err(trouble)?
    } else {
        stderr_end
    };
    // For the same reason the command, which owns our copies, lives in this inner scope only.
    let mut child = {
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(root())
            // A test does not depend on who runs it: no colours, no backtraces, no GPU by chance.
            .env("NO_COLOR", "1")
            .env("RUST_BACKTRACE", "0")
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(stdout_end)
            .stderr(errors_to);
        command.spawn().map_err(trouble)?
    };
    let stdin = child.stdin.take();
    let read = |pipe: &mut dyn Read| {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).map(|_| bytes)
    };
    thread::scope(|scope| {
        let out = scope.spawn(move || read(&mut stdout));
        let err = scope.spawn(move || read(&mut stderr));
        if let (Some(mut stdin), Some(input)) = (stdin, input) {
            // A program that stops early closes the pipe; its exit status tells why.
            scope.spawn(move || stdin.write_all(input));
        }
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(trouble)? {
                break status;
            }
            if start.elapsed() > TIME_LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "$ {}\nno end after {} s",
                    words.join(" "),
                    TIME_LIMIT.as_secs()
                ));
            }
            thread::sleep(Duration::from_millis(2));
        };
        let gather = |reader: thread::ScopedJoinHandle<'_, io::Result<Vec<u8>>>| {
            reader
                .join()
                .map_err(|_| "a reader of the output panicked".to_owned())?
                .map_err(trouble)
        };
        Ok(Output {
            stdout: gather(out)?,
            stderr: gather(err)?,
            status: status.code(),
        })
    })
}

/// Output as it is compared: paths of this machine replaced.
fn normalise(output: &[u8], scratch: &Scratch) -> String {
    String::from_utf8_lossy(output)
        .replace(&scratch.folder.display().to_string(), "$TMP")
        .replace(&root().display().to_string(), "$ROOT")
}

/// FileCheck on the output.
fn check(path: &Path, prefixes: &[&str], text: &str) -> Result<(), String> {
    let command: Vec<String> = [
        file_check().display().to_string(),
        path.display().to_string(),
        format!("--check-prefixes={}", prefixes.join(",")),
        "--dump-input=fail".to_owned(),
        "--dump-input-filter=error".to_owned(),
        format!("--dump-input-context={CONTEXT_LINES}"),
    ]
    .into();
    let output =
        execute(std::slice::from_ref(&command), true, Some(text.as_bytes())).map_err(|error| {
            format!(
                "{error}\nFileCheck comes with LLVM's tools (Debian: llvm-22-tools); `cargo xtask \
                 setup` installs it"
            )
        })?;
    if output.status == Some(0) {
        return Ok(());
    }
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    // The failed CHECK comes first. The legend that stands between it and the input is left out.
    let report: String = report
        .lines()
        .filter(|line| {
            !line.is_empty()
                && ![
                    "Input file:",
                    "Check file:",
                    "-dump-input=help",
                    "Input was:",
                ]
                .iter()
                .any(|noise| line.starts_with(noise))
        })
        .fold(String::new(), |mut text, line| {
            text.push_str(line);
            text.push('\n');
            text
        });
    Err(format!("a CHECK is not met:\n{}", report.trim()))
}

/// insta's comparison with the snapshot beside the test: `x.snap`, or `x.PREFIX.snap`.
fn compare_snapshot(path: &Path, run: &Run, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let mut name = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    if run.prefixes != ["CHECK"] {
        name.push('.');
        name.push_str(&run.prefixes.join("-"));
    }
    let snapshot = folder.join(format!("{name}.snap"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    // Nothing here outlives the panic: settings and text are only read.
    let verdict = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        settings.bind(|| insta::assert_snapshot!(name.clone(), text));
    }));
    if verdict.is_ok() {
        return Ok(());
    }
    let place = snapshot.strip_prefix(root()).unwrap_or(&snapshot).display();
    let filter = path.strip_prefix(lit_folder()).unwrap_or(path).display();
    Err(match fs::read_to_string(&snapshot) {
        Err(_) => format!(
            "there is no snapshot {place}. The output is:\n{}\nIf it is right: cargo xtask bless \
             {filter}",
            indent(text)
        ),
        Ok(old) => format!(
            "the output is not {place} (- snapshot, + output):\n{}\nIf the new output is right: \
             cargo xtask bless {filter}",
            difference(snapshot_contents(&old), text)
        ),
    })
}

/// A snapshot file without the header that insta writes between two `---` lines.
fn snapshot_contents(file: &str) -> &str {
    file.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(file, |(_, contents)| contents)
}

/// A line difference with some unchanged lines around each change.
fn difference(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.trim_end().lines().collect();
    let new: Vec<&str> = new.trim_end().lines().collect();
    // The longest common subsequence, by the textbook's table: outputs have hundreds of lines.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines: Vec<(char, &str)> = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    let changed = |range: std::ops::Range<usize>| {
        lines[range.start..range.end.min(lines.len())]
            .iter()
            .any(|(mark, _)| *mark != ' ')
    };
    let mut text = String::new();
    let mut skipped = false;
    for (at, (mark, line)) in lines.iter().enumerate() {
        if changed(at.saturating_sub(CONTEXT_LINES)..at + CONTEXT_LINES + 1) {
            if skipped {
                text.push_str("  ...\n");
            }
            skipped = false;
            let _ = writeln!(text, "{mark} {line}");
        } else {
            skipped = true;
        }
    }
    text
}

/// Whether the output of a run is a module that `tx-opt` must be able to read back.
fn is_module(run: &Run, text: &str) -> bool {
    let Some(last) = run.pipeline.commands.last() else {
        return false;
    };
    // With an elided resource, or after locations were cut off, the text no longer says it all.
    let lossy = last.iter().any(|word| word.starts_with("--mlir-elide"));
    let starts = ["module", "#", "!", "\"builtin.module\""];
    last[0] == "tx-opt"
        && run.exit == Exit::Success
        && !run.pipeline.both_streams
        && !run.verifies_diagnostics()
        && !lossy
        && text
            .lines()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| starts.iter().any(|start| line.starts_with(start)))
}

/// Feeds the output to `tx-opt` again, with no passes: it must come out the same.
fn round_trip(commands: &[Vec<String>], output: &[u8]) -> Result<(), String> {
    const KEPT: &[&str] = &[
        "--split-input-file",
        "--allow-unregistered-dialect",
        "--mlir-print-op-generic",
        "--mlir-print-debuginfo",
        "--mlir-print-local-scope",
    ];
    let mut again = vec![tx_opt().display().to_string(), "-".to_owned()];
    again.extend(
        commands
            .iter()
            .flatten()
            .filter(|word| KEPT.iter().any(|flag| word.starts_with(flag)))
            .cloned(),
    );
    let second = execute(std::slice::from_ref(&again), false, Some(output))?;
    if second.status != Some(0) {
        return Err(format!(
            "tx-opt cannot read its own output ({}):\n{}",
            describe(second.status),
            indent(&String::from_utf8_lossy(&second.stderr))
        ));
    }
    if second.stdout != output {
        return Err(format!(
            "tx-opt reads its own output and prints another (- first, + second):\n{}",
            difference(
                &String::from_utf8_lossy(output),
                &String::from_utf8_lossy(&second.stdout)
            )
        ));
    }
    Ok(())
}

/// Compiles the program for a chip and has ptxas assemble the result. PTX that only we accept is
/// worth nothing.
fn assemble(path: &Path, chip: &str, scratch: &Scratch) -> Result<(), String> {
    let compile: Vec<String> = [
        tx()?.display().to_string(),
        "compile".to_owned(),
        path.display().to_string(),
        "--chip".to_owned(),
        chip.to_owned(),
    ]
    .into();
    let output = execute(std::slice::from_ref(&compile), false, None)?;
    if output.status != Some(0) {
        return Err(format!(
            "$ {}\n{}\n{}",
            compile.join(" "),
            describe(output.status),
            said(&output, false)
        ));
    }
    let target = String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| Some(line.strip_prefix(".target")?.trim().to_owned()));
    if target.as_deref() != Some(chip) {
        return Err(format!(
            "$ {}\nprinted PTX for {}, expected {chip}",
            compile.join(" "),
            target
                .as_deref()
                .unwrap_or("no chip: it has no `.target` line")
        ));
    }
    let file = scratch.folder.join(format!("{chip}.ptx"));
    fs::write(&file, &output.stdout)
        .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let assemble: Vec<String> = [
        ptxas()?.display().to_string(),
        format!("-arch={chip}"),
        "-o".to_owned(),
        scratch.folder.join("cubin").display().to_string(),
        file.display().to_string(),
    ]
    .into();
    let assembled = execute(std::slice::from_ref(&assemble), true, None)?;
    if assembled.status != Some(0) {
        return Err(format!(
            "$ {} | ptxas -arch={chip}\nptxas refuses the PTX:\n{}\nof\n{}",
            compile.join(" "),
            indent(&String::from_utf8_lossy(&assembled.stdout)),
            numbered(&String::from_utf8_lossy(&output.stdout))
        ));
    }
    Ok(())
}

// ---------------------------------------------------------------------------------------------
// Telling what went wrong
// ---------------------------------------------------------------------------------------------

fn show(commands: &[Vec<String>]) -> String {
    let commands: Vec<String> = commands
        .iter()
        .map(|words| {
            words
                .iter()
                .map(|word| {
                    if word.contains([' ', '{', '(', '*', ';', '|', '>']) {
                        format!("'{word}'")
                    } else {
                        word.clone()
                    }
                })
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    format!("$ {}", commands.join(" | "))
}

fn describe(status: Option<i32>) -> String {
    status.map_or_else(
        || "ended by a signal".to_owned(),
        |status| format!("exit status {status}"),
    )
}

/// What a program said that was expected to do something else.
fn said(output: &Output, both_streams: bool) -> String {
    let bytes = if both_streams || output.stderr.is_empty() {
        &output.stdout
    } else {
        &output.stderr
    };
    indent(&String::from_utf8_lossy(bytes))
}

fn indent(text: &str) -> String {
    text.trim_end()
        .lines()
        .fold(String::new(), |mut all, line| {
            let _ = writeln!(all, "    {line}");
            all
        })
}

fn numbered(text: &str) -> String {
    text.lines()
        .enumerate()
        .fold(String::new(), |mut all, (index, line)| {
            let _ = writeln!(all, "{:4} {line}", index + 1);
            all
        })
}

// ---------------------------------------------------------------------------------------------
// Tests of the harness: a test that cannot fail is worse than none
// ---------------------------------------------------------------------------------------------

fn self_tests() -> Vec<Trial> {
    const GOOD: &str =
        "// RUN: tx-opt %s\n\n// A sum over one warp. It needs no barrier.\n// CHECK: x\n";
    type Case = (&'static str, fn() -> Result<(), String>);
    const CASES: &[Case] = &[
        ("accepts a complete test", || {
            let test = parse(GOOD)?;
            expect(test.runs.len() == 1 && test.snapshot && test.round_trip)
        }),
        ("refuses a misspelt CHECK", || {
            refuses(&GOOD.replace("CHECK", "CHEK"), "unknown directive `CHEK:`")
        }),
        ("refuses a suffix that FileCheck does not know", || {
            refuses(&GOOD.replace("CHECK", "CHECK-NEST"), "unknown directive")
        }),
        ("refuses a prefix that no RUN line names", || {
            refuses(
                &(GOOD.to_owned() + "// SM90: y\n"),
                "unknown directive `SM90:`",
            )
        }),
        ("refuses a test that checks nothing", || {
            refuses(&GOOD.replace("// CHECK: x\n", ""), "nothing is checked")
        }),
        ("refuses a test without a sentence", || {
            refuses(
                &GOOD.replace("// A sum over one warp. It needs no barrier.\n", ""),
                "no sentence",
            )
        }),
        ("refuses a test without a RUN line", || {
            refuses("// Nothing is run here at all.\n", "no RUN line")
        }),
        ("refuses to do without a snapshot for no reason", || {
            refuses(&(GOOD.to_owned() + "// SNAPSHOT: none\n"), "the reason")
        }),
        ("refuses verification without an expectation", || {
            refuses(
                &GOOD.replace("%s", "%s --verify-diagnostics"),
                "no expected-error",
            )
        }),
        ("refuses tools it does not know", || {
            refuses(&GOOD.replace("tx-opt", "rm"), "`rm` cannot be run here")
        }),
        ("reads prefixes, statuses and chips", || {
            let test = parse(
                "// A program that fails, and one that does not.\n\
                 // RUN(A): tx run %s 2>&1\n// EXIT: 3\n// RUN(B,C): not tx-opt '-x y' | tx \"\"\n\
                 // A: x\n// C-COUNT-3: y\n// PTXAS: sm_80 sm_90\n",
            )?;
            expect(test.runs[0].exit == Exit::Status(3) && test.runs[0].pipeline.both_streams)?;
            expect(test.runs[1].pipeline.commands[0] == ["tx-opt", "-x y"])?;
            expect(test.runs[1].pipeline.commands[1] == ["tx", ""])?;
            expect(test.runs[1].prefixes == ["B", "C"])?;
            expect(test.ptxas == ["sm_80", "sm_90"])
        }),
        ("refuses directives that nobody reads", || {
            let test = parse(&(GOOD.to_owned() + "// COMPARE: @f(A: 2xf32) A = A\n"))?;
            readers(&test, Path::new("lit-tests/programs/x.mlir"))?;
            expect(readers(&test, Path::new("lit-tests/tools/x.mlir")).is_err())
        }),
        ("shows differences with some context", || {
            let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
            let text = difference(old, &old.replace('1', "one"));
            expect(text == "- 1\n+ one\n  2\n  3\n  4\n  5\n")
        }),
        ("cuts the header off a snapshot", || {
            expect(snapshot_contents("---\nsource: lit.rs\n---\nmodule {\n}\n") == "module {\n}\n")
        }),
    ];
    CASES
        .iter()
        .map(|(name, case)| Trial::test(format!("harness: {name}"), move || Ok(case()?)))
        .collect()
}

fn expect(condition: bool) -> Result<(), String> {
    condition
        .then_some(())
        .ok_or_else(|| "the harness does not do what it should".to_owned())
}

fn refuses(text: &str, reason: &str) -> Result<(), String> {
    match parse(text) {
        Ok(_) => Err(format!("accepted:\n{text}")),
        Err(error) if error.contains(reason) => Ok(()),
        Err(error) => Err(format!("expected `{reason}`, got `{error}`")),
    }
}
