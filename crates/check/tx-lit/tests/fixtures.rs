//! Tests of the harness. Each test runs a suite of fixture files, with scripts as tools, and checks
//! that the suite passes or fails with the expected messages.
//!
//! Each test starts this program again. The new process runs the suite of another project: see
//! [`suite`].

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::Duration;

use tx_lit::libtest_mimic::{Arguments, Failed, Trial};
use tx_lit::{Context, Directive, Tool};

/// Environment variable that contains the root folder of the suite. If the environment variable is
/// set, the program runs the suite.
const ROOT: &str = "TX_LIT_FIXTURES_ROOT";
const FOLDER: &str = "TX_LIT_FIXTURES_FOLDER";
/// If this environment variable is set, the suite has only the tools `opt` and `ptxas`, and default
/// settings.
const BARE: &str = "TX_LIT_FIXTURES_BARE";
/// Environment variable that contains the name of the driver; the default is `tx`.
const DRIVER: &str = "TX_LIT_FIXTURES_DRIVER";

fn main() -> ExitCode {
    match env::var_os(ROOT) {
        Some(root) => suite(Path::new(&root)),
        None => tx_lit::libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Runs the suite that a project would define.
fn suite(root: &Path) -> ExitCode {
    let folder = env::var(FOLDER).unwrap_or_default();
    let tool = |name: &str| fixtures().join("tools").join(name);
    let suite = tx_lit::suite!(folder).root(root).file_check(file_check());
    if env::var_os(BARE).is_some() {
        return suite
            .tool("opt", tool("opt"))
            .tool(
                "ptxas",
                Tool::found_by(|| Err("no ptxas: here is how to get it".to_owned())),
            )
            .run();
    }
    let suite = match env::var(DRIVER) {
        Ok(name) => suite.tool(&name, tool("tx")).driver(name),
        Err(_) => suite.tool("tx", tool("tx")),
    };
    suite
        .tool("opt", tool("opt"))
        .tool("ptxas", tool("ptxas"))
        .round_trip("opt")
        .directive("LINES", Lines)
        .read_elsewhere("COMPARE", ["good"])
        .bless_hint("make bless TEST={test}")
        .time_limit(Duration::from_secs(2))
        .run()
}

fn file_check() -> PathBuf {
    // The lit tests of the repository search the same folder.
    env::var_os("MLIR_SYS_220_PREFIX")
        .map_or_else(|| PathBuf::from("/usr/lib/llvm-22"), PathBuf::from)
        .join("bin/FileCheck")
}

/// Directive of a project: expected number of lines of code in the test file.
struct Lines;

impl Directive for Lines {
    fn check(&self, value: &str) -> Result<(), String> {
        match value.parse::<usize>() {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("found `{value}`, expected a number of lines")),
        }
    }

    fn run(&self, context: &Context<'_>) -> Result<(), String> {
        let file = context.path().display().to_string();
        let printed = context.run("opt", [file])?;
        let found = String::from_utf8_lossy(&printed.stdout).lines().count();
        match found.to_string() == context.value() {
            true => Ok(()),
            false => Err(format!(
                "found {found} lines of code\n{}",
                printed.explain()
            )),
        }
    }
}

/// Copy of the fixture files, for suites that change the files.
struct Copy {
    root: tempfile::TempDir,
}

impl Copy {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["good", "good/deeper", "bad"] {
            let to = root.path().join(folder);
            fs::create_dir_all(&to).unwrap();
            for entry in fs::read_dir(fixtures().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
                }
            }
        }
        Self { root }
    }

    fn command(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(arguments)
            .env(ROOT, self.root.path())
            .env(FOLDER, folder)
            .env(
                "INSTA_WORKSPACE_ROOT",
                env!("CARGO_MANIFEST_DIR").replace("/crates/check/tx-lit", ""),
            )
            .env("INSTA_UPDATE", "no")
            .env_remove("INSTA_FORCE_PASS");
        command
    }

    fn run(&self, folder: &str, arguments: &[&str]) -> Output {
        self.command(folder, arguments).output().unwrap()
    }

    /// Returns the output without machine-dependent text.
    fn text(&self, output: &Output) -> String {
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        text.replace(&self.root.path().display().to_string(), "$ROOT")
            .replace(&fixtures().display().to_string(), "$FIXTURES")
            .replace(&file_check().display().to_string(), "FileCheck")
    }

    /// Returns the failure message of one test.
    fn failure(&self, command: &mut Command, test: &str) -> String {
        let output = command.output().unwrap();
        let text = self.text(&output);
        assert_eq!(output.status.code(), Some(101), "{text}");
        let (_, rest) = text
            .split_once(&format!("---- {test} ----\n"))
            .unwrap_or_else(|| panic!("{test} did not fail:\n{text}"));
        let (failure, _) = rest.split_once("\n\nfailures:\n").unwrap();
        let failure = failure.trim_end();
        // The names of temporary files differ between runs.
        let mut words: Vec<String> = Vec::new();
        for word in failure.split(' ') {
            words.push(match word.split_once("/tx-lit-") {
                Some((_, rest)) => {
                    let (_, file) = rest.split_once('/').unwrap();
                    format!("$TMP/{file}")
                }
                None => word.to_owned(),
            });
        }
        words.join(" ")
    }
}

fn trials() -> Vec<Trial> {
    type Case = (&'static str, fn());
    const CASES: &[Case] = &[
        ("good tests pass", good_tests_pass),
        ("snapshots are accepted when asked", snapshots_are_accepted),
        ("a wrong program is not accepted", wrong_is_not_accepted),
        ("another driver is asked", another_driver_is_asked),
        ("tests are listed and filtered", tests_are_listed),
        ("tools that are missing are named", tools_are_missing),
        ("a folder without tests is an error", no_tests),
    ];
    let mut trials: Vec<Trial> = CASES
        .iter()
        .map(|&(name, case)| {
            Trial::test(name, move || {
                case();
                Ok(())
            })
        })
        .collect();
    // Each fixture in `bad` must fail with the message in its snapshot in `told`.
    for entry in fs::read_dir(fixtures().join("bad")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "mlir")
        {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            trials.push(Trial::test(format!("bad/{name}"), move || told(&name)));
        }
    }
    trials
}

fn told(name: &str) -> Result<(), Failed> {
    let copy = Copy::new();
    let test = format!("{name}.mlir");
    let told = copy.failure(&mut copy.command("bad", &["--exact", &test]), &test);
    let mut settings = tx_lit::insta::Settings::clone_current();
    settings.set_snapshot_path(fixtures().join("told"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| tx_lit::insta::assert_snapshot!(name, told));
    // A snapshot that differs stays unchanged unless the user accepts the output.
    let files = fs::read_dir(copy.root.path().join("bad")).unwrap();
    let originals = fs::read_dir(fixtures().join("bad")).unwrap();
    assert_eq!(files.count(), originals.count());
    Ok(())
}

fn good_tests_pass() {
    let copy = Copy::new();
    let output = copy.run("good", &[]);
    let text = copy.text(&output);
    assert!(output.status.success(), "{text}");
    let files = 6;
    assert!(
        text.contains(&format!("{files} passed; 0 failed")),
        "{text}"
    );
}

fn snapshots_are_accepted() {
    let copy = Copy::new();
    let arguments = ["--exact", "no-snapshot.mlir"];
    let left = |name: &str| copy.root.path().join("bad").join(name).exists();
    // With `INSTA_UPDATE=new`, insta writes the output next to the missing snapshot.
    let mut command = copy.command("bad", &arguments);
    let output = command.env("INSTA_UPDATE", "new").output().unwrap();
    assert!(!output.status.success(), "{}", copy.text(&output));
    assert!(left("no-snapshot.NEW.snap.new") && left("no-snapshot.TOO.snap.new"));
    let mut command = copy.command("bad", &arguments);
    let output = command.env("INSTA_UPDATE", "always").output().unwrap();
    assert!(output.status.success(), "{}", copy.text(&output));
    let snapshot = fs::read_to_string(copy.root.path().join("bad/no-snapshot.NEW.snap")).unwrap();
    // The recorded source file is the file of the project, not a file of the harness.
    assert!(
        snapshot.starts_with("---\nsource: crates/check/tx-lit/tests/fixtures.rs\n---\nmodule {\n"),
        "{snapshot}"
    );
    assert!(!left("no-snapshot.NEW.snap.new") && !left("no-snapshot.TOO.snap.new"));
    assert!(copy.run("bad", &arguments).status.success());
}

/// No setting of insta writes a snapshot for a program that fails `VALIDATE` or a CHECK line.
fn wrong_is_not_accepted() {
    let copy = Copy::new();
    let files = || {
        let mut files: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(copy.root.path().join("bad"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = files();
    for test in ["wrong-and-new.mlir", "check-and-snapshot.mlir"] {
        for update in ["always", "new", "unseen", "force"] {
            let mut command = copy.command("bad", &["--exact", test]);
            let failure = copy.failure(command.env("INSTA_UPDATE", update), test);
            assert!(!failure.contains("make bless"), "{failure}");
            assert_eq!(files(), before, "{test} with {update}");
        }
    }
}

/// Another driver can run the directives, so a suite does not need `tx`.
fn another_driver_is_asked() {
    let copy = Copy::new();
    let ask = |folder: &str, test: &str| {
        let mut command = copy.command(folder, &["--exact", test]);
        command.env(DRIVER, "my-tx");
        command
    };
    let good = ask("good", "semantic.mlir").output().unwrap();
    assert!(good.status.success(), "{}", copy.text(&good));
    let test = "validate-nothing.mlir";
    let failure = copy.failure(&mut ask("bad", test), test);
    assert!(
        failure.contains("nothing was checked: `my-tx validate` printed no verdicts"),
        "{failure}"
    );
}

fn tests_are_listed() {
    let copy = Copy::new();
    let list = |arguments: &[&str]| {
        let output = copy.run("good", &[arguments, &["--list"]].concat());
        let mut names: Vec<String> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| Some(line.strip_suffix(": test")?.to_owned()))
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        list(&[]),
        [
            "checked.mlir",
            "counted.mlir",
            "deeper/several.mlir",
            "invalid.mlir",
            "own.mlir",
            "semantic.mlir"
        ]
    );
    assert_eq!(list(&["deeper"]), ["deeper/several.mlir"]);
    assert_eq!(list(&["--exact", "own.mlir"]), ["own.mlir"]);
    assert_eq!(list(&["--exact", "own"]), [""; 0]);
}

fn tools_are_missing() {
    let copy = Copy::new();
    let bare = |folder: &str, test: &str| {
        let mut command = copy.command(folder, &["--exact", test]);
        copy.failure(command.env(BARE, "1"), test)
    };
    assert_eq!(
        bare("good", "semantic.mlir"),
        "good/semantic.mlir:1: VALIDATE\nthis needs the tool `tx`, which the suite does not have: \
         add it with \
         `Suite::tool`"
    );
    // Without a hint of the project, the message recommends a cargo command.
    let snapshot = bare("bad", "snapshot.mlir");
    assert!(
        snapshot.ends_with(
            "If the new output is right: INSTA_UPDATE=always cargo test -- --exact snapshot.mlir"
        ),
        "{snapshot}"
    );
    fs::write(
        copy.root.path().join("good/assembles.mlir"),
        "// RUN: ptxas %s\n// A tool that has to be found first.\n// CHECK: x\n",
    )
    .unwrap();
    assert_eq!(
        bare("good", "assembles.mlir"),
        "good/assembles.mlir:1: RUN\nno ptxas: here is how to get it"
    );
}

fn no_tests() {
    let copy = Copy::new();
    fs::create_dir(copy.root.path().join("empty")).unwrap();
    for (folder, reason) in [
        ("empty", "lit: $ROOT/empty has no file that ends in `.mlir`"),
        ("missing", "lit: cannot read $ROOT/missing: "),
    ] {
        let output = copy.run(folder, &[]);
        let text = copy.text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(reason), "{text}");
    }
}
