//! Tests of standard error, and of closed outputs.

use super::{Case, SUM, status, stderr, stdout};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn all_messages_are_json() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let json = ["--message-format", "json"];
    for (args, part) in [
        (
            &["validate", "sum.mlir", "--progress", "always"][..],
            "validate: 0 of 1",
        ),
        (
            &["compile", "sum.mlir", "--log", "debug"],
            "tile-select-variant",
        ),
        (
            &[
                "compile",
                "sum.mlir",
                "--log",
                "debug",
                "--progress",
                "always",
                "--time",
            ],
            "total",
        ),
        (
            &[
                "run",
                "sum.mlir",
                "--arg",
                "zeros:128xf32",
                "--arg",
                "zeros:f32",
            ],
            "running on",
        ),
    ] {
        let output = case.tx(&[args, &json].concat());
        assert_eq!(status(&output), 0, "{args:?}");
        let said = stderr(&output);
        let has_part = said.lines().any(|line| {
            let value: serde_json::Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{args:?}: {error}: {line}"));
            assert_eq!(value["severity"], "remark", "{line}");
            let message = value["message"].as_str().expect("a message");
            // The prefix `tx: ` is not part of the message.
            assert!(!message.starts_with("tx: "), "{line}");
            message.contains(part)
        });
        assert!(has_part, "{args:?}: {said}");
        assert!(!said.contains("\\u001b"), "{said}");
    }
}

/// Successful commands print nothing on standard error, except for the device of a run; with
/// `--quiet`, `tx run` does not print the device.
#[test]
fn success_is_quiet() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let output = case.tx(&["compile", "sum.mlir", "-o", "sum.ptx"]);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let run = [
        "run",
        "sum.mlir",
        "--arg",
        "zeros:128xf32",
        "--arg",
        "zeros:f32",
    ];
    let output = case.tx(&run);
    assert!(
        stderr(&output).starts_with("tx: running on "),
        "{}",
        stderr(&output)
    );
    let output = case.tx(&[&run[..], &["--quiet"]].concat());
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
}

/// With `--progress always`, `tx` prints progress immediately. By default, `tx` prints progress
/// without a terminal only during long work.
#[test]
fn progress_is_for_those_who_watch() {
    let case = Case::new();
    case.file("a.mlir", SUM);
    case.file("b.mlir", SUM);
    let validate = ["validate", "a.mlir", "b.mlir"];
    let output = case.tx(&validate);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let output = case.tx(&[&validate[..], &["--progress", "always"]].concat());
    assert_eq!(status(&output), 0);
    assert!(
        stderr(&output).starts_with("tx: validate: 0 of 2: a.mlir\n"),
        "{}",
        stderr(&output)
    );
    let output = case.tx(&[&validate[..], &["--progress", "always", "--quiet"]].concat());
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let report = ["report", "a.mlir", "-o", "page.html"];
    let output = case.tx(&report);
    assert_eq!((status(&output), stderr(&output)), (0, String::new()));
    let output = case.tx(&[&report[..], &["--progress", "always"]].concat());
    assert!(
        stderr(&output).starts_with("tx: report: 0 of 4: compile: parse\n"),
        "{}",
        stderr(&output)
    );
    let output = case.tx(&["fuzz", "modules", "--cases", "1", "--progress", "sometimes"]);
    assert_eq!(status(&output), 2);
    // A run without findings creates no directory.
    let output = case.tx(&["fuzz", "modules", "--cases", "1"]);
    assert_eq!(status(&output), 0, "{}", stdout(&output));
    assert!(!case.folder.path().join("fuzz-findings").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn progress_on_a_terminal_vanishes() {
    let case = Case::new();
    case.file("a.mlir", SUM);
    case.file("b.mlir", SUM);
    let on_terminal = |command: &str| {
        // The program `script` provides a terminal, and prints its contents.
        let line = format!("{} {command} > verdicts", env!("CARGO_BIN_EXE_tx"));
        let output = Command::new("script")
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .current_dir(case.folder.path())
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .output()
            .expect("`script`, of util-linux, starts");
        assert!(output.status.success(), "{}", stdout(&output));
        stdout(&output)
    };
    for (command, parts) in [
        (
            "validate a.mlir b.mlir",
            ["validate [", "0/2", " a.mlir: @sum"],
        ),
        (
            "report a.mlir -o page.html",
            ["report [", "/4", " compile: "],
        ),
    ] {
        let seen = on_terminal(command);
        for part in parts {
            assert!(seen.contains(part), "{part:?}: {seen:?}");
        }
        // The line of the bar is cleared at the end.
        let cleared = seen.trim_end().ends_with("\u{1b}[2K");
        assert!(cleared, "{seen:?}");
    }
    assert_eq!(on_terminal("validate a.mlir b.mlir --progress never"), "");
    let verdicts = fs::read_to_string(case.folder.path().join("verdicts")).expect("verdicts");
    assert!(verdicts.contains("b.mlir: @sum"), "{verdicts}");
}

/// A closed standard output is no failure; a full disk is a failure with a message.
#[test]
fn survives_standard_output() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    for args in [
        &["completions", "bash"][..],
        &["doctor"],
        &["compile", "sum.mlir"],
        &["--help"],
    ] {
        let mut child = case
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tx starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(
            (status(&output), stderr(&output).as_str()),
            (0, ""),
            "{args:?}"
        );
    }
    if Path::new("/dev/full").exists() {
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("it opens");
        let output = case
            .command(&["doctor"])
            .stdout(full)
            .output()
            .expect("tx starts");
        assert_eq!(status(&output), 1);
        assert!(
            stderr(&output).starts_with("tx: error: cannot write standard output: "),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn logs_on_request() {
    let case = Case::new();
    case.file("sum.mlir", SUM);
    let run = [
        "run",
        "sum.mlir",
        "--device",
        "cpu",
        "--arg",
        "zeros:128xf32",
        "--arg",
        "zeros:f32",
    ];
    let by_option = case.tx(&[&run[..], &["--log", "debug"]].concat());
    let by_variable = case
        .command(&run)
        .env("TX_LOG", "debug")
        .output()
        .expect("tx starts");
    for output in [by_option, by_variable] {
        assert_eq!(stdout(&output), "argument 1: f32\n0.0\n");
        for part in ["compiling", "tile-insert-sync", "time.busy"] {
            assert!(stderr(&output).contains(part), "{}", stderr(&output));
        }
    }
}
