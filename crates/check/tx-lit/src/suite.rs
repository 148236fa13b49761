//! Test suites: folders of test files.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, fs, io};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::command::Output;
use crate::directive::{Context, Directive, RunningTest};
use crate::file::{Exit, OWN, Run, Test};
use crate::file_check::check_lines;
use crate::programs::Programs;
use crate::registry::Registry;
use crate::report::{describe, show_run};
use crate::round_trip::{prints_module, read_back};
use crate::snapshot::{AssertSnapshot, Snapshots, changed, quiet_insta, snapshot_path};
use crate::tool::Tool;

/// Creates a [`Suite`] of the tests in a folder and its subfolders.
///
/// `suite!` is a macro because insta records the source file of the assertion in each snapshot. The
/// recorded source file must be the file that calls `suite!`.
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

struct Printed {
    commands: Vec<Vec<String>>,
    output: Output,
    /// Program output. In program output, `$ROOT` and `$TMP` replace machine-dependent paths.
    text: String,
}

/// Configuration of a test suite, created by [`suite!`](crate::suite).
#[must_use = "a suite does nothing until it is run"]
pub struct Suite {
    folder: PathBuf,
    extension: String,
    programs: Programs,
    file_check: Tool,
    round_trip: BTreeSet<String>,
    registry: Registry,
    snapshots: Snapshots,
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite")
            .field("folder", &self.folder)
            .field("tools", &self.programs.tools)
            .finish_non_exhaustive()
    }
}

impl Suite {
    /// Creates a suite without tools. `assert_snapshot` compares a text with a snapshot.
    pub fn new(folder: impl Into<PathBuf>, assert_snapshot: AssertSnapshot) -> Self {
        Self {
            folder: folder.into(),
            extension: "mlir".to_owned(),
            programs: Programs {
                root: std::env::current_dir().unwrap_or_default(),
                tools: BTreeMap::new(),
                driver: "tx".to_owned(),
                environment: Vec::new(),
                time_limit: Duration::from_secs(120),
            },
            file_check: Tool::in_path("FileCheck"),
            round_trip: BTreeSet::new(),
            registry: Registry::builtin(),
            snapshots: Snapshots {
                assert_snapshot,
                bless_hint: "INSTA_UPDATE=always cargo test -- --exact {test}".to_owned(),
                max_lines: 300,
            },
        }
    }

    /// Sets the working folder of the programs. In checked output, `$ROOT` replaces the path of the
    /// working folder. The default working folder is the current folder; cargo sets the current
    /// folder to the folder of the package. Paths in failure messages are relative to the working
    /// folder.
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.programs.root = root.into();
        self
    }

    /// Sets the file extension of tests, without a dot. The default is `mlir`.
    pub fn extension(mut self, extension: impl Into<String>) -> Self {
        self.extension = extension.into();
        self
    }

    /// Adds a program that RUN lines can run. `VALIDATE`, `RACE-FREE` and `PTXAS` run the tool
    /// selected by [`Self::driver`]. `PTXAS` also runs the tool named `ptxas`. If the suite already
    /// has a tool with the name `name`, the added tool replaces it.
    pub fn tool(mut self, name: impl Into<String>, tool: impl Into<Tool>) -> Self {
        self.programs.tools.insert(name.into(), tool.into());
        self
    }

    /// Sets the name of the [tool](Self::tool) that `VALIDATE`, `RACE-FREE` and `PTXAS` run. The
    /// driver must support the commands `validate` and `compile` of `tx`. The default driver is
    /// `tx`, which contains only the passes and variants of this project.
    pub fn driver(mut self, tool: impl Into<String>) -> Self {
        self.programs.driver = tool.into();
        self
    }

    /// Sets the path of LLVM's FileCheck. By default, the harness searches `PATH` for FileCheck.
    pub fn file_check(mut self, tool: impl Into<Tool>) -> Self {
        self.file_check = tool.into();
        self
    }

    /// Enables the round-trip check for a tool. If the tool is the last program of a RUN line, the
    /// harness runs the tool without passes on the output of the RUN line. The round-trip check
    /// fails if the tool changes the output of the RUN line.
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

    /// Declares a directive that a tool other than the harness reads. Only test files in `folders`
    /// may contain the directive; an empty list permits every folder.
    pub fn read_elsewhere<'n>(
        mut self,
        name: impl Into<String>,
        folders: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let folders = folders.into_iter().map(str::to_owned).collect();
        self.registry.read_elsewhere.insert(name.into(), folders);
        self
    }

    /// Sets the command that failure messages recommend to accept a snapshot. In the recommended
    /// command, `{test}` stands for the name of the test. The default command is
    /// `INSTA_UPDATE=always cargo test -- --exact {test}`.
    pub fn bless_hint(mut self, hint: impl Into<String>) -> Self {
        self.snapshots.bless_hint = hint.into();
        self
    }

    /// Sets an environment variable for all programs of the suite. The harness sets `NO_COLOR=1`
    /// and `RUST_BACKTRACE=0`, unless the suite sets these variables.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.programs.environment.push((name.into(), value.into()));
        self
    }

    /// Sets the time limit of each program, by default two minutes.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.programs.time_limit = limit;
        self
    }

    /// Sets the maximum number of lines of a snapshot file, by default 300, because longer
    /// snapshots are not reviewed. A test whose snapshot would exceed the maximum number of lines
    /// fails, unless the test contains the directive `SNAPSHOT: none`.
    pub fn max_snapshot_lines(mut self, lines: usize) -> Self {
        self.snapshots.max_lines = lines;
        self
    }

    /// Runs the tests with the command-line arguments of `cargo test`, such as filters, `--exact`,
    /// `--list` and `--test-threads`. Only a `main` function may call `run`, because `run` sets the
    /// panic hook and the environment variable `INSTA_OUTPUT`.
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
        let folder = self.programs.root.join(&self.folder);
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

    /// Runs one test. Unlike [`Suite::run`], `check` does not suppress the messages that insta
    /// prints.
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
        let shown = self.programs.shown(path);
        let text = fs::read(path).map_err(|error| format!("{shown}: cannot be read: {error}"))?;
        let text = String::from_utf8_lossy(&text);
        let tools: Vec<&str> = self.programs.tools.keys().map(String::as_str).collect();
        let test =
            Test::parse(&text, &tools, &self.registry).map_err(|error| located(&shown, &error))?;
        self.readers(&test, path)
            .map_err(|error| located(&shown, &error))?;
        let scratch = tempfile::Builder::new()
            .prefix("tx-lit-")
            .tempdir()
            .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let running = RunningTest {
            programs: &self.programs,
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
        // Directives that run the program come before directives that check its output.
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

    /// Executes the directives of a test until one directive fails. Directives that check the
    /// output of a RUN line run last.
    fn obey(
        &self,
        running: &RunningTest<'_>,
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
                    let shown = self.programs.shown(running.path);
                    format!("{shown}:{}: {}\n{}", each.line, each.name, error.trim_end())
                })?;
            }
        }
        Ok(())
    }

    fn name(&self, path: &Path) -> String {
        let folder = self.programs.root.join(&self.folder);
        path.strip_prefix(folder)
            .unwrap_or(path)
            .display()
            .to_string()
    }

    /// Checks that each directive for tools other than the harness is in a permitted folder.
    fn readers(&self, test: &Test, path: &Path) -> Result<(), String> {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        for (line, name) in &test.read_elsewhere {
            let folders = self.registry.read_elsewhere.get(name);
            if let Some(folders) = folders
                && !folders.is_empty()
                && folders.iter().all(|known| folder != known.as_str())
            {
                return Err(format!(
                    "line {line}: no tool reads `{name}:` in this folder; move it into {}",
                    folders.join(" or ")
                ));
            }
        }
        Ok(())
    }

    fn execute(&self, running: &RunningTest<'_>, run: &Run) -> Result<Printed, String> {
        let commands = self.resolve(running, run)?;
        let output =
            self.programs
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
            .replace(&self.programs.root.display().to_string(), "$ROOT");
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
        check_lines(&self.programs, &self.file_check, path, &prefixes, text).map_err(|error| {
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
            self.snapshots
                .compare(&self.programs, &self.name(path), path, run, &printed.text)?;
        }
        if test.round_trip
            && let Some(tool) = prints_module(&self.round_trip, run, &printed.text)
        {
            read_back(&self.programs, tool, &printed.commands, &printed.output)?;
        }
        Ok(())
    }

    fn resolve(&self, running: &RunningTest<'_>, run: &Run) -> Result<Vec<Vec<String>>, String> {
        run.pipeline
            .commands
            .iter()
            .map(|command| {
                let mut words = vec![self.programs.tool_path(&command[0])?];
                words.extend(command[1..].iter().map(|word| running.replace(word)));
                Ok(words)
            })
            .collect()
    }
}

/// Replaces the prefix `line N:` of each line of an error by `FILE:N:`.
fn located(file: &str, error: &str) -> String {
    match error.strip_prefix("line ") {
        Some(rest) => format!("{file}:{rest}").replace("\nline ", &format!("\n{file}:")),
        None => format!("{file}: {error}"),
    }
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
