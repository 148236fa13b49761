//! The table of codes against the compiler: each example is refused for its reason and for no other, the mended one is accepted,
//! and every message that a test of the repository expects has a code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tx::{Diagnostic, Severity};
use tx_codes::{Code, Command, candidates, codes, find};
use tx_mlir::Session;

/// Messages of MLIR, which have no code: the beginning of each, without the op's name.
const OF_MLIR: &[&str] = &[
    "'nvvm.kernel' attribute attached to unexpected op",
    "Minimum NVVM target SM version is sm_20",
    "a block ends without a terminator",
    "attribute '",
    "cannot be converted to LLVM IR: ",
    "custom op '",
    "duplicate ",
    "expected ",
    "expects parent op ",
    "failed to ",
    "incorrect number of indices",
    "invalid properties",
    "missing `LLVMTranslationDialectInterface` registration",
    "op was not bufferized",
    "operand #",
    "result #",
    "unknown attribute `",
    "unknown  type `",
    "unknown type `",
    "use of ",
];

/// What went wrong when a program ran with these arguments on the CPU.
fn ran(flags: &[&str], program: &str) -> (bool, Vec<Diagnostic>) {
    let mut args: Vec<tx_runtime::Arg> = Vec::new();
    let mut options = tx_runtime::RunOptions::default();
    for option in flags.chunks(2) {
        match option {
            ["--arg", spec] => {
                let spec: tx_runtime::Spec = spec.parse().expect("a spec");
                args.push(spec.load().expect("an argument"));
            }
            ["--steps", steps] => {
                let steps = steps.parse().expect("a number");
                options.steps = Some(tx_runtime::StepLimit::new(steps));
            }
            _ => panic!("{option:?}: unknown here"),
        }
    }
    let artifact = tx::Target::parse("sm_80")
        .and_then(tx::Compiler::new)
        .and_then(|compiler| compiler.compile(program));
    let artifact = match artifact {
        Ok(artifact) => artifact,
        Err(error) => return (false, error.diagnostics),
    };
    let device = tx_runtime::Device::cpu().expect("the CPU");
    let outcome = device
        .load(&artifact)
        .and_then(|program| program.run_with(args, &options));
    match outcome {
        Ok(_) => (true, Vec::new()),
        Err(error) => {
            let message = match error {
                tx_runtime::Error::Fault(fault) => fault.message,
                other => other.to_string(),
            };
            let diagnostic = Diagnostic {
                severity: Severity::Error,
                location: None,
                message,
                notes: Vec::new(),
            };
            (false, vec![diagnostic])
        }
    }
}

/// What compiling or passes said of a program.
fn said(command: Command, program: &str, mended: bool) -> (bool, Vec<Diagnostic>) {
    match command {
        Command::Compile => {
            let target = tx::Target::parse("sm_80").expect("a known chip");
            let source = tx::Source {
                name: "example.mlir".to_owned(),
                text: program.as_bytes().to_vec(),
                entry: None,
                keep_stages: false,
            };
            let compiled = tx::Compiler::new(target).and_then(|c| c.compile_source(&source));
            match compiled {
                Ok(_) => (true, Vec::new()),
                Err(error) => (false, error.diagnostics),
            }
        }
        Command::Run(flags) => ran(flags, program),
        Command::Opt(flags) => passes(flags, program),
        Command::Options { accepted, .. } if mended => passes(accepted, program),
        Command::Options { refused, .. } => passes(refused, program),
    }
}

/// What `tx-opt` says with flags that each name a pass: `--tile-schedule=until=choice`.
fn passes(flags: &[&str], program: &str) -> (bool, Vec<Diagnostic>) {
    tx::register();
    tx_validate::register();
    let session = Session::new(tx_dialect_tile::register);
    let pipeline: Vec<String> = flags
        .iter()
        .map(|flag| {
            let flag = flag.trim_start_matches('-');
            match flag.split_once('=') {
                Some((name, options)) => format!("{name}{{{options}}}"),
                None => flag.to_owned(),
            }
        })
        .collect();
    let done = match session.parse("example.mlir", program.as_bytes()) {
        Some(mut module) => session.run(&mut module, &pipeline.join(",")),
        None => false,
    };
    (done, session.take_diagnostics())
}

fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &str> {
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.message.as_str())
}

/// Whether a message is one that MLIR brings with it.
fn of_mlir(message: &str) -> bool {
    let message = message
        .strip_prefix('\'')
        .and_then(|rest| rest.split_once("' op "))
        .map_or(message, |(_, message)| message);
    OF_MLIR
        .iter()
        .any(|beginning| message.starts_with(beginning))
}

#[test]
fn examples_are_refused_for_their_reason_and_mended_ones_accepted() {
    let mut wrong = Vec::new();
    for code in codes() {
        let name = code.name();
        let (done, diagnostics) = said(code.command, code.refused, false);
        let found: BTreeSet<String> = errors(&diagnostics)
            .filter(|message| find(message).is_some() || !of_mlir(message))
            .map(|message| find(message).map_or_else(|| format!("no code: {message}"), Code::name))
            .collect();
        if done || found != BTreeSet::from([name.clone()]) {
            let all: Vec<&str> = errors(&diagnostics).collect();
            wrong.push(format!("{name} is refused for {found:?}: {all:?}"));
        }
        let (done, diagnostics) = said(code.command, code.accepted, true);
        if !done {
            let all: Vec<&str> = errors(&diagnostics).collect();
            wrong.push(format!("{name}, mended, is refused: {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_message_that_a_test_expects_has_one_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let mut wrong = BTreeSet::new();
    let mut messages = 0;
    for file in &files {
        let text = fs::read_to_string(file).expect("a lit test is text");
        let Some(command) = text
            .lines()
            .find_map(|line| line.strip_prefix("// RUN: tx-opt %s "))
            .filter(|command| command.contains("--verify-diagnostics"))
        else {
            continue;
        };
        let flags: Vec<&str> = command
            .split_whitespace()
            .filter(|flag| !matches!(*flag, "--verify-diagnostics" | "--split-input-file"))
            .collect();
        for case in text.split("// -----") {
            let (_, diagnostics) = passes(&flags, case);
            for message in errors(&diagnostics) {
                messages += 1;
                let found: Vec<String> = candidates(message).map(Code::name).collect();
                if found.len() != 1 && !(found.is_empty() && of_mlir(message)) {
                    let file = file.strip_prefix(&root).unwrap_or(file).display();
                    wrong.insert(format!("{file}: {found:?} for: {message}"));
                }
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(
        wrong.is_empty(),
        "give these a code in crates/tx-codes/src/table:\n{}",
        wrong.join("\n")
    );
    assert!(messages > 300, "only {messages} messages were looked at");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of lit tests")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "mlir")
        {
            files.push(path);
        }
    }
}

/// Runs the program `tx` on an example.
fn tx(args: &[&str], program: Option<&str>) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if let Some(program) = program {
        fs::write(folder.path().join("example.mlir"), program).expect("a temporary file");
    }
    std::process::Command::new(env!("CARGO_BIN_EXE_tx"))
        .current_dir(folder.path())
        .args(args)
        .env_remove("TX_LOG")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CLICOLOR")
        .env("TX_CACHE", "off")
        .output()
        .expect("tx starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn example(number: u64) -> &'static Code {
    tx_codes::get(number).expect("a code")
}

#[test]
fn code_is_the_last_line_of_an_error_and_leads_to_its_explanation() {
    let refused = tx(&["compile", "example.mlir"], Some(example(1).refused));
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(
        said.contains(": error: 'tile.reduce' op axis 2 is out of range for rank 2\n"),
        "{said}"
    );
    assert!(said.ends_with("  = TX0001: tx explain TX0001\n"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");

    let explained = tx(&["explain", "tx0001"], None);
    assert_eq!(explained.status.code(), Some(0));
    let page = text(&explained.stdout);
    assert!(
        page.starts_with("TX0001: an axis that is not there\n"),
        "{page}"
    );
    assert!(
        page.contains("axes [2]") && page.contains("axes [1]"),
        "{page}"
    );
    assert_eq!(page, text(&tx(&["explain", "TX1"], None).stdout));
}

#[test]
fn errors_with_a_form_of_their_own_keep_it() {
    let refused = tx(&["compile", "example.mlir"], Some(example(201).refused));
    let said = text(&refused.stderr);
    assert!(
        said.contains(": error: no variant can lower this reduction\n"),
        "{said}"
    );
    assert!(said.contains(": note: local (priority 10): "), "{said}");
    assert!(said.ends_with("  = TX0201: tx explain TX0201\n"), "{said}");
}

#[test]
fn unknown_codes_are_answered_with_where_all_are() {
    let unknown = tx(&["explain", "TX1101"], None);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(text(&unknown.stdout), "");
    let said = text(&unknown.stderr);
    assert_eq!(
        said,
        "tx: error: no code TX1101: `tx explain --list` lists all\n"
    );
    let huge = tx(&["explain", "TX99999999999999999999999"], None);
    assert_eq!(huge.status.code(), Some(2), "{}", text(&huge.stderr));
    // What has not the form of a code is a file.
    let file = tx(&["explain", "TXT"], None);
    assert_eq!(file.status.code(), Some(1));
    assert!(
        text(&file.stderr).starts_with("tx: error: TXT: no such file, and no code, "),
        "{}",
        text(&file.stderr)
    );
}

#[test]
fn all_codes_are_listed() {
    let list = tx(&["explain", "--list"], None);
    assert_eq!(list.status.code(), Some(0));
    let list = text(&list.stdout);
    for code in codes() {
        let line = format!("  {}  {}\n", code.name(), code.title);
        assert!(list.contains(&line), "{line}");
    }
    for wrong in [&["explain"][..], &["explain", "--list", "TX0001"]] {
        assert_eq!(tx(wrong, None).status.code(), Some(2), "{wrong:?}");
    }
}

/// Standard error as JSON, a message a line.
fn messages(output: &std::process::Output) -> Vec<serde_json::Value> {
    text(&output.stderr)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

#[test]
fn json_says_the_same_as_text() {
    let code = example(301);
    let json = ["compile", "example.mlir", "--message-format", "json"];
    let refused = tx(&json, Some(code.refused));
    assert_eq!(refused.status.code(), Some(1));
    let said = messages(&refused);
    assert_eq!(said.len(), 1, "{said:?}");
    let one = &said[0];
    assert_eq!(one["severity"], "error");
    assert_eq!(one["code"], "TX0301");
    assert_eq!(one["message"], "the schedule names an unknown loop `d1`");
    assert_eq!(one["file"], "example.mlir");
    assert_eq!(one["line"], 2);
    assert_eq!(one["column"], 3);
    assert_eq!(one["notes"][0]["severity"], "note");
    assert!(
        one["notes"][0]["message"]
            .as_str()
            .is_some_and(|m| m.contains("`d1.i`")),
        "{one}"
    );
    let plain = tx(&json[..2], Some(code.refused));
    assert_eq!(one["rendered"], text(&plain.stderr));
}

#[test]
fn json_is_for_usage_and_files_too() {
    for (args, status, message) in [
        (
            &["--message-format=json", "compile"][..],
            2,
            "required arguments",
        ),
        (
            &["compile", "--no-such-flag", "--message-format", "json"],
            2,
            "--no-such-flag",
        ),
        (
            &["--message-format", "json", "explain", "TX9999"],
            2,
            "no code TX9999",
        ),
        (
            &["--message-format", "json", "compile", "missing.mlir"],
            1,
            "missing.mlir: ",
        ),
        (
            &["--message-format", "json", "--log", "a=b=c", "doctor"],
            2,
            "is not a log filter",
        ),
    ] {
        let output = tx(args, None);
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        let said = messages(&output);
        assert_eq!(said.len(), 1, "{said:?}");
        let one = &said[0];
        assert!(
            one["message"].as_str().is_some_and(|m| m.contains(message)),
            "{one}"
        );
        for none in ["code", "line", "column"] {
            assert_eq!(one[none], serde_json::Value::Null, "{one}");
        }
        let file = args.iter().find(|arg| arg.ends_with(".mlir"));
        assert_eq!(one["file"].as_str(), file.copied(), "{one}");
        assert!(
            one["rendered"]
                .as_str()
                .is_some_and(|t| t.starts_with("tx: error: ")),
            "{one}"
        );
    }
    let unknown = tx(&["compile", "x.mlir", "--message-format", "xml"], None);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        text(&unknown.stderr).contains("human"),
        "{}",
        text(&unknown.stderr)
    );
}

#[test]
fn colours_are_for_those_who_want_them() {
    let run = |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("a.mlir"), example(1).refused).expect("a temporary file");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tx"))
            .current_dir(folder.path())
            .args(["compile", "a.mlir"])
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("TX_CACHE", "off")
            .envs(variables.iter().copied())
            .output()
            .expect("tx starts");
        text(&output.stderr)
    };
    let plain = run(&[]);
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let coloured = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(
        coloured.contains("\u{1b}[1m\u{1b}[31merror:"),
        "{coloured:?}"
    );
    assert_eq!(run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
}
