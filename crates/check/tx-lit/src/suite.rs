//! Test suites: folders of test files.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::command::{Output, Surroundings};
use crate::directive::{Context, Directive, Registry, Running};
use crate::file::{Exit, OWN, Run, Test};
use crate::report::{CONTEXT_LINES, describe, difference, indent, show_run};
use crate::text::snapshot_contents;
use crate::tool::Tool;

/// Function that compares a text with a named snapshot. [`suite!`](crate::suite) expands the
/// function in the crate of the caller.
pub type AssertSnapshot = fn(&str, &str);

/// Creates a [`Suite`] of the tests in a folder and its subfolders.
///
/// `suite!` is a macro because insta records in each snapshot the source file of the assertion,
/// which must be the file of the caller.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     tx_lit::suite!("tests/lit").tool("my-opt", "target/debug/my-opt").run()
/// }
/// ```
#[macro_export]
macro_rules! suite {
    ($folder:expr) => {
        $crate::Suite::new($folder, |name, text| {
            $crate::insta::assert_snapshot!(name, text)
        })
    };
}

/// Number of header lines in a snapshot file: `---`, `source: …`, `---`.
const SNAPSHOT_HEADER_LINES: usize = 3;

struct Printed {
    commands: Vec<Vec<String>>,
    output: Output,
    /// Program output in which `$ROOT` and `$TMP` replace the paths.
    text: String,
}

/// Configuration of a test suite, created by [`suite!`](crate::suite).
#[must_use = "a suite does nothing until it is run"]
pub struct Suite {
    folder: PathBuf,
    root: PathBuf,
    extension: String,
    tools: BTreeMap<String, Tool>,
    driver: String,
    file_check: Tool,
    round_trip: BTreeSet<String>,
    registry: Registry,
    bless_hint: String,
    environment: Vec<(String, String)>,
    time_limit: Duration,
    max_snapshot_lines: usize,
    assert_snapshot: AssertSnapshot,
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite")
            .field("folder", &self.folder)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

impl Suite {
    /// Creates a suite without tools. `assert_snapshot` compares a text with a snapshot.
    pub fn new(folder: impl Into<PathBuf>, assert_snapshot: AssertSnapshot) -> Self {
        Self {
            folder: folder.into(),
            root: std::env::current_dir().unwrap_or_default(),
            extension: "mlir".to_owned(),
            tools: BTreeMap::new(),
            driver: "tx".to_owned(),
            file_check: Tool::in_path("FileCheck"),
            round_trip: BTreeSet::new(),
            registry: Registry::builtin(),
            bless_hint: "INSTA_UPDATE=always cargo test -- --exact {test}".to_owned(),
            environment: Vec::new(),
            time_limit: Duration::from_secs(120),
            max_snapshot_lines: 300,
            assert_snapshot,
        }
    }

    /// Sets the working folder of the programs. In checked output, `$ROOT` replaces the path of
    /// this folder. The default is the current folder; cargo sets the current folder to the folder
    /// of the package. Paths in failure messages are relative to the working folder.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// Sets the file extension of tests, without a dot. The default is `mlir`.
    pub fn extension(mut self, extension: impl Into<String>) -> Self {
        self.extension = extension.into();
        self
    }

    /// Adds a program that RUN lines can run. `VALIDATE`, `RACE-FREE` and `PTXAS` run the tool
    /// selected by [`Self::driver`]. `PTXAS` also runs the tool named `ptxas`. A tool replaces an
    /// earlier tool with the same name.
    pub fn tool(mut self, name: impl Into<String>, tool: impl Into<Tool>) -> Self {
        self.tools.insert(name.into(), tool.into());
        self
    }

    /// Sets the name of the [tool](Self::tool) that `VALIDATE`, `RACE-FREE` and `PTXAS` run. The
    /// tool must support the commands `validate` and `compile` of `tx`. The default is `tx`, which
    /// contains only the passes and variants of this project.
    pub fn driver(mut self, tool: impl Into<String>) -> Self {
        self.driver = tool.into();
        self
    }

    /// Sets the path of LLVM's FileCheck. By default, the harness searches `PATH`.
    pub fn file_check(mut self, tool: impl Into<Tool>) -> Self {
        self.file_check = tool.into();
        self
    }

    /// Enables the round-trip check for a tool. If the tool is the last program of a RUN line, the
    /// harness runs the tool without passes on the output. The output of this additional run must
    /// be equal to the output of the RUN line.
    pub fn round_trip(mut self, tool: impl Into<String>) -> Self {
        self.round_trip.insert(tool.into());
        self
    }

    /// Adds a directive, or replaces one of the [built-in directives](crate#directives).
    ///
    /// ```no_run
    /// fn main() -> std::process::ExitCode {
    ///     tx_lit::suite!("tests/lit")
    ///         .tool("my-opt", "target/debug/my-opt")
    ///         // `// STABLE: --canonicalize`: a second run changes nothing.
    ///         .directive("STABLE", |at: &tx_lit::Context<'_>| {
    ///             let file = at.path().display().to_string();
    ///             let flags = at.words()?;
    ///             let once = at.run("my-opt", [vec![file], flags.clone()].concat())?;
    ///             let path = at.scratch().join("once.mlir");
    ///             std::fs::write(&path, &once.stdout).map_err(|error| error.to_string())?;
    ///             let twice = at.run("my-opt", [vec![path.display().to_string()], flags].concat())?;
    ///             match twice.stdout == once.stdout {
    ///                 true => Ok(()),
    ///                 false => Err(format!("a second time makes something else\n{}", twice.explain())),
    ///             }
    ///         })
    ///         .run()
    /// }
    /// ```
    ///
    /// # Panics
    /// Panics if the name is `RUN`, `EXIT`, `SNAPSHOT` or `ROUNDTRIP`, because these directives
    /// cannot be replaced.
    pub fn directive(
        mut self,
        name: impl Into<String>,
        directive: impl Directive + 'static,
    ) -> Self {
        let name = name.into();
        assert!(!OWN.contains(&name.as_str()), "`{name}` cannot be replaced");
        self.registry.directives.insert(name, Box::new(directive));
        self
    }

    /// Declares a directive that another tool reads. Only test files in `folders` may contain the
    /// directive; an empty list permits every folder.
    pub fn read_elsewhere<'n>(
        mut self,
        name: impl Into<String>,
        folders: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let folders = folders.into_iter().map(str::to_owned).collect();
        self.registry.read_elsewhere.insert(name.into(), folders);
        self
    }

    /// Sets the command that failure messages recommend to accept a snapshot. `{test}` stands for
    /// the name of the test. The default command is `INSTA_UPDATE=always cargo test -- --exact
    /// {test}`.
    pub fn bless_hint(mut self, hint: impl Into<String>) -> Self {
        self.bless_hint = hint.into();
        self
    }

    /// Sets an environment variable of the programs. The harness also sets `NO_COLOR=1` and
    /// `RUST_BACKTRACE=0`.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sets the time limit of each program, by default two minutes.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Sets the maximum number of lines of a snapshot file, by default 300, because longer
    /// snapshots are not reviewed. A test with longer output fails unless it contains the directive
    /// `SNAPSHOT: none`.
    pub fn max_snapshot_lines(mut self, lines: usize) -> Self {
        self.max_snapshot_lines = lines;
        self
    }

    /// Runs the tests with the command-line arguments of `cargo test`, such as filters, `--exact`,
    /// `--list` and `--test-threads`. The caller must be a `main` function, because this function
    /// sets the panic hook and the environment variable `INSTA_OUTPUT`.
    #[must_use = "it says whether the tests passed"]
    pub fn run(self) -> ExitCode {
        self.run_with(&Arguments::from_args(), Vec::new())
    }

    /// Runs the tests like [`Self::run`], with the given arguments and additional tests.
    #[must_use = "it says whether the tests passed"]
    pub fn run_with(self, arguments: &Arguments, others: Vec<Trial>) -> ExitCode {
        quiet_insta();
        let mut trials = others;
        match self.trials() {
            Ok(own) => trials.extend(own),
            Err(error) => {
                eprintln!("lit: {error}");
                return ExitCode::FAILURE;
            }
        }
        libtest_mimic::run(arguments, trials).exit_code()
    }

    /// Returns one test per test file. The name of a test is its path in the test folder.
    ///
    /// # Errors
    /// Fails if the test folder cannot be read, or contains no test.
    pub fn trials(self) -> Result<Vec<Trial>, String> {
        let folder = self.root.join(&self.folder);
        let mut files = Vec::new();
        collect(&folder, &self.extension, &mut files)
            .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        if files.is_empty() {
            return Err(format!(
                "{} has no file that ends in `.{}`",
                folder.display(),
                self.extension
            ));
        }
        files.sort();
        let suite = Arc::new(self);
        Ok(files
            .into_iter()
            .map(|path| {
                let suite = suite.clone();
                Trial::test(suite.name(&path), move || {
                    suite
                        .check(&path)
                        .map_err(|message| Failed::from(message.trim_end()))
                })
            })
            .collect())
    }

    /// Runs one test. If the caller uses this function instead of [`Suite::run`], insta also prints
    /// its own messages.
    ///
    /// # Errors
    /// Returns the failure message of the test.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # std::fs::write(folder.path().join("x.mlir"), "// RUN: cat %s\n// Nothing is checked here at all.\n").unwrap();
    /// let suite = tx_lit::suite!(folder.path()).tool("cat", "/bin/cat");
    /// let failure = suite.check(&folder.path().join("x.mlir")).unwrap_err();
    /// assert!(failure.ends_with("x.mlir:1: nothing is checked: no CHECK line for a RUN line"));
    /// ```
    pub fn check(&self, path: &Path) -> Result<(), String> {
        let shown = self.shown(path);
        let text = fs::read(path).map_err(|error| format!("{shown}: cannot be read: {error}"))?;
        let text = String::from_utf8_lossy(&text);
        let tools: Vec<&str> = self.tools.keys().map(String::as_str).collect();
        let test =
            Test::parse(&text, &tools, &self.registry).map_err(|error| located(&shown, &error))?;
        self.readers(&test, path)
            .map_err(|error| located(&shown, &error))?;
        let scratch = tempfile::Builder::new()
            .prefix("tx-lit-")
            .tempdir()
            .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let running = Running {
            suite: self,
            path,
            scratch: scratch.path(),
            done: RefCell::default(),
        };
        let mut done = Vec::new();
        let mut failures = Vec::new();
        for run in &test.runs {
            match self.execute(&running, run) {
                Ok(printed) => done.push((run, printed)),
                Err(error) => failures.push(format!("{shown}:{}: RUN\n{error}", run.line)),
            }
        }
        if !failures.is_empty() {
            return Err(failures.join("\n\n"));
        }
        let failing = |check: &dyn Fn(&Run, &Printed) -> Result<(), String>| -> Vec<String> {
            done.iter()
                .filter_map(|(run, printed)| {
                    let error = check(run, printed).err()?;
                    let command = show_run(&run.pipeline, &printed.commands);
                    Some(format!("{shown}:{}: RUN\n{command}\n{error}", run.line))
                })
                .collect()
        };
        // Directives that run the program precede checks of its output.
        failures.extend(self.obey(&running, &test, &done).err());
        failures.extend(failing(&|run, printed| {
            self.meet_checks(path, &test, run, &printed.text)
        }));
        // Snapshots are compared only if all checks pass. The comparison continues after a
        // mismatch, because a new test needs a review of all its snapshots.
        if failures.is_empty() {
            failures = failing(&|run, printed| self.compare(path, &test, run, printed));
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(failures.join("\n\n")),
        }
    }

    /// Runs the directives until one fails. Directives that check the output run last.
    fn obey(
        &self,
        running: &Running<'_>,
        test: &Test,
        done: &[(&Run, Printed)],
    ) -> Result<(), String> {
        let mut all: Vec<_> = test
            .uses
            .iter()
            .filter_map(|each| Some((each, self.registry.directives.get(&each.name)?)))
            .collect();
        all.sort_by_key(|(_, directive)| directive.reads_output());
        for (each, directive) in all {
            let looked_at: Vec<Option<&str>> = match directive.reads_output() {
                true => each
                    .runs
                    .iter()
                    .map(|&run| done.get(run).map(|(_, printed)| &*printed.text))
                    .collect(),
                false => vec![None],
            };
            for output in looked_at {
                let context = Context {
                    running,
                    value: &each.value,
                    line: each.line,
                    output,
                };
                directive.run(&context).map_err(|error| {
                    let shown = self.shown(running.path);
                    format!("{shown}:{}: {}\n{}", each.line, each.name, error.trim_end())
                })?;
            }
        }
        Ok(())
    }

    fn name(&self, path: &Path) -> String {
        let folder = self.root.join(&self.folder);
        path.strip_prefix(folder)
            .unwrap_or(path)
            .display()
            .to_string()
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }

    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            folder: &self.root,
            environment: &self.environment,
            time_limit: self.time_limit,
        }
    }

    pub(crate) fn driver_name(&self) -> &str {
        &self.driver
    }

    pub(crate) fn tool_path(&self, name: &str) -> Result<String, String> {
        let tool = self.tools.get(name).ok_or_else(|| {
            format!("this needs the tool `{name}`, which the suite does not have: add it with `Suite::tool`")
        })?;
        Ok(tool.path()?.display().to_string())
    }

    /// Checks that each directive for another tool is in a permitted folder.
    fn readers(&self, test: &Test, path: &Path) -> Result<(), String> {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        for (line, name) in &test.read_elsewhere {
            let folders = self.registry.read_elsewhere.get(name);
            if let Some(folders) = folders
                && !folders.is_empty()
                && folders.iter().all(|known| folder != known.as_str())
            {
                return Err(format!(
                    "line {line}: nobody reads `{name}:` here; it belongs into {}",
                    folders.join(" or ")
                ));
            }
        }
        Ok(())
    }

    fn execute(&self, running: &Running<'_>, run: &Run) -> Result<Printed, String> {
        let commands = self.resolve(running, run)?;
        let output = self
            .surroundings()
            .execute(&commands, run.pipeline.both_streams, None)?;
        let wanted = match run.exit {
            Exit::Success => output.status == Some(0),
            Exit::Failure => output
                .status
                .is_some_and(|status| (1..128).contains(&status)),
            Exit::Status(status) => output.status == Some(status),
        };
        if !wanted {
            return Err(format!(
                "{}\n{}, expected {}\n{}",
                show_run(&run.pipeline, &commands),
                describe(output.status),
                match run.exit {
                    Exit::Success => "success".to_owned(),
                    Exit::Failure => "a failure".to_owned(),
                    Exit::Status(status) => format!("exit status {status}"),
                },
                output.said()
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout)
            .replace(&running.scratch.display().to_string(), "$TMP")
            .replace(&self.root.display().to_string(), "$ROOT");
        Ok(Printed {
            commands,
            output,
            text,
        })
    }

    fn meet_checks(&self, path: &Path, test: &Test, run: &Run, text: &str) -> Result<(), String> {
        let prefixes: Vec<&str> = run
            .prefixes
            .iter()
            .filter(|prefix| test.prefixes.contains(*prefix))
            .map(String::as_str)
            .collect();
        if prefixes.is_empty() {
            return Ok(());
        }
        self.file_check_on(path, &prefixes, text).map_err(|error| {
            let snapshot = test.has_snapshot(run).then(|| snapshot_path(path, run));
            let changed = snapshot.and_then(|snapshot| changed(&snapshot, text));
            error + &changed.unwrap_or_default()
        })
    }

    /// Compares the output of a RUN line with the snapshot, and runs the round-trip check on the
    /// output.
    fn compare(
        &self,
        path: &Path,
        test: &Test,
        run: &Run,
        printed: &Printed,
    ) -> Result<(), String> {
        if test.has_snapshot(run) {
            self.compare_snapshot(path, run, &printed.text)?;
        }
        if test.round_trip
            && let Some(tool) = self.prints_module(run, &printed.text)
        {
            self.read_back(tool, &printed.commands, &printed.output)?;
        }
        Ok(())
    }

    fn resolve(&self, running: &Running<'_>, run: &Run) -> Result<Vec<Vec<String>>, String> {
        run.pipeline
            .commands
            .iter()
            .map(|command| {
                let mut words = vec![self.tool_path(&command[0])?];
                words.extend(command[1..].iter().map(|word| running.replace(word)));
                Ok(words)
            })
            .collect()
    }

    fn file_check_on(&self, path: &Path, prefixes: &[&str], text: &str) -> Result<(), String> {
        let command: Vec<String> = [
            self.file_check.path()?.display().to_string(),
            path.display().to_string(),
            format!("--check-prefixes={}", prefixes.join(",")),
            "--dump-input=fail".to_owned(),
            "--dump-input-filter=error".to_owned(),
            format!("--dump-input-context={CONTEXT_LINES}"),
        ]
        .into();
        let output = self.surroundings().execute(
            std::slice::from_ref(&command),
            true,
            Some(text.as_bytes()),
        )?;
        if output.is_success() {
            return Ok(());
        }
        // FileCheck prints a legend before the failed CHECK, which is omitted.
        let report: Vec<String> = String::from_utf8_lossy(&output.stdout)
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
            .map(|line| line.replace(&format!("{}/", self.root.display()), ""))
            .collect();
        Err(format!(
            "a CHECK is not met:\n{}\nIf the output is right, the CHECK line is not: change it by \
             hand. Blessing \
             rewrites snapshots only.",
            report.join("\n").trim()
        ))
    }

    fn compare_snapshot(&self, path: &Path, run: &Run, text: &str) -> Result<(), String> {
        let snapshot = snapshot_path(path, run);
        let lines = SNAPSHOT_HEADER_LINES + text.lines().count();
        if lines > self.max_snapshot_lines {
            return Err(too_long(
                &self.shown(&snapshot),
                lines,
                self.max_snapshot_lines,
                run,
            ));
        }
        let name = snapshot
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(path.parent().unwrap_or(path));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        // The closure does not change the settings or the text, so a panic leaves no inconsistent
        // state.
        let verdict = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            settings.bind(|| (self.assert_snapshot)(&name, text));
        }));
        if verdict.is_ok() {
            // A previous run with another output may have created the file `x.snap.new`.
            let _ = fs::remove_file(snapshot.with_extension("snap.new"));
            return Ok(());
        }
        let place = self.shown(&snapshot);
        let hint = self.bless_hint.replace("{test}", &self.name(path));
        Err(match fs::read_to_string(&snapshot) {
            Err(_) => format!(
                "there is no snapshot {place}. The output is:\n{}\nIf it is right: {hint}",
                indent(text)
            ),
            Ok(old) => format!(
                "the output is not {place} (- snapshot, + output):\n{}\nIf the new output is right: {hint}",
                difference(snapshot_contents(&old), text)
            ),
        })
    }

    /// Returns the last tool of a RUN line if the round-trip check applies to it, because its
    /// output is a module.
    fn prints_module<'r>(&self, run: &'r Run, text: &str) -> Option<&'r str> {
        let last = run.pipeline.commands.last()?;
        // A module with elided resources is not equal to the original module after parsing.
        let lossy = last.iter().any(|word| word.starts_with("--mlir-elide"));
        let starts = ["module", "#", "!", "\"builtin.module\""];
        let is_module = self.round_trip.contains(&last[0])
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

    /// Runs the tool on its own output, without passes, and compares the second output with the
    /// first.
    fn read_back(
        &self,
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
        let mut again = vec![self.tool_path(tool)?, "-".to_owned()];
        again.extend(
            commands
                .iter()
                .flatten()
                .filter(|word| KEPT.iter().any(|flag| word.starts_with(flag)))
                .cloned(),
        );
        let second = self.surroundings().execute(
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
                "{tool} reads its own output and prints another (- first, + second):\n{}",
                difference(
                    &String::from_utf8_lossy(&output.stdout),
                    &String::from_utf8_lossy(&second.stdout)
                )
            ));
        }
        Ok(())
    }
}

/// Replaces `line 3: …` at the start of each line of an error by `FILE:3: …`.
fn located(file: &str, error: &str) -> String {
    match error.strip_prefix("line ") {
        Some(rest) => format!("{file}:{rest}").replace("\nline ", &format!("\n{file}:")),
        None => format!("{file}: {error}"),
    }
}

/// Returns the path of the snapshot, in the folder of `x.mlir`: `x.snap` or `x.PREFIX.snap`.
fn snapshot_path(path: &Path, run: &Run) -> PathBuf {
    let mut name = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    if run.prefixes != ["CHECK"] {
        name.push('.');
        name.push_str(&run.prefixes.join("-"));
    }
    path.with_file_name(format!("{name}.snap"))
}

fn too_long(place: &str, lines: usize, limit: usize, run: &Run) -> String {
    let directive = match &run.prefixes[..] {
        [only] if only == "CHECK" => "SNAPSHOT".to_owned(),
        prefixes => format!("SNAPSHOT({})", prefixes.join(",")),
    };
    format!(
        "{place} would have {lines} lines, and a snapshot has at most {limit}: state the result \
         in CHECK lines, in COUNT \
         lines for each kernel, or in VALIDATE, and write `// {directive}: none — ` and what \
         states the result; or split \
         the test"
    )
}

/// Returns the difference between the snapshot and an output for which a CHECK line fails, because
/// the difference may show the cause of the failure.
fn changed(snapshot: &Path, text: &str) -> Option<String> {
    let old = fs::read_to_string(snapshot).ok()?;
    let difference = difference(snapshot_contents(&old), text);
    (!difference.is_empty()).then(|| {
        format!("\nSince the snapshot, this has changed (- snapshot, + output):\n{difference}")
    })
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|each| each == extension) {
            files.push(path);
        }
    }
    Ok(())
}

/// Suppresses the output of insta, which would mix with the output of other tests. The failure
/// message of a test contains the snapshot difference.
fn quiet_insta() {
    let threads = fs::read_dir("/proc/self/task").map(Iterator::count);
    if std::env::var_os("INSTA_OUTPUT").is_none() && matches!(threads, Ok(1)) {
        // SAFETY: the process has one thread, so no other thread reads the environment.
        unsafe { std::env::set_var("INSTA_OUTPUT", "none") };
    }
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // insta panics if a snapshot differs; `compare_snapshot` catches this panic.
        if info
            .location()
            .is_none_or(|place| !place.file().contains("insta"))
        {
            report(info);
        }
    }));
}
