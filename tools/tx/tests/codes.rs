//! Checks the examples on the pages of `docs/diagnostics`. For each rejected example, the
//! diagnostics must contain exactly the code of its page. For each accepted example, the command of
//! the page must succeed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tx::{Diagnostic, Severity};
use tx_mlir::{Code, Session, codes};

/// Page of a code, with a rejected and an accepted example.
struct Page {
    code: Code,
    title: String,
    refused: Example,
    accepted: Example,
}

/// Program, and the command that runs on it.
struct Example {
    command: String,
    program: String,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name)
}

/// Reads the page of a code.
fn page(code: Code) -> Page {
    let path = folder("docs/diagnostics").join(format!("{code}.md"));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let title = text.lines().next().and_then(|line| line.split_once(": "));
    let example = |word: &str| {
        let (_, rest) = text.split_once(&format!("\n{word}"))?;
        let (how, rest) = rest.split_once(":\n\n```mlir\n")?;
        let (program, _) = rest.split_once("```\n")?;
        let command = how
            .strip_prefix(" by `")
            .and_then(|how| how.strip_suffix('`'));
        Some((command.map(str::to_owned), program.to_owned()))
    };
    let (command, program) = example("Refused").unwrap_or_else(|| panic!("{code}: an example"));
    let command = command.unwrap_or_else(|| panic!("{code}: a command"));
    let (other, accepted) = example("Accepted").unwrap_or_else(|| panic!("{code}: an example"));
    Page {
        code,
        title: title.map_or("", |(_, title)| title).to_owned(),
        accepted: Example {
            command: other.unwrap_or_else(|| command.clone()),
            program: accepted,
        },
        refused: Example { command, program },
    }
}

/// Runs a program on the CPU; returns whether it succeeded, and its diagnostics.
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
            let diagnostic = Diagnostic {
                severity: Severity::Error,
                code: error.code().and_then(|code| code.parse().ok()),
                location: None,
                message: error.to_string(),
                notes: Vec::new(),
            };
            (false, vec![diagnostic])
        }
    }
}

/// Runs the command of an example; returns whether it succeeded, and its diagnostics.
fn said(example: &Example) -> (bool, Vec<Diagnostic>) {
    let words: Vec<&str> = example.command.split_whitespace().collect();
    match words[..] {
        ["tx", "compile"] => {
            let target = tx::Target::parse("sm_80").expect("a known chip");
            let source = tx::Source {
                name: "example.mlir".to_owned(),
                text: example.program.as_bytes().to_vec(),
                entry: None,
                keep_stages: false,
            };
            let compiled = tx::Compiler::new(target).and_then(|c| c.compile_source(&source));
            match compiled {
                Ok(_) => (true, Vec::new()),
                Err(error) => (false, error.diagnostics),
            }
        }
        ["tx", "run", "--device", "cpu", ref flags @ ..] => ran(flags, &example.program),
        ["tx-opt", ref flags @ ..] => passes(flags, &example.program),
        _ => panic!("{}: unknown here", example.command),
    }
}

/// Runs `tx-opt` with flags that each name a pass, such as `--tile-form-kernels=fusion=none`.
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

fn errors(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    diagnostics.iter().filter(is_error).collect()
}

#[test]
fn examples_are_refused_for_their_reason_and_mended_ones_accepted() {
    let mut wrong = Vec::new();
    for page in codes::ALL.iter().copied().map(page) {
        let code = page.code;
        let (done, diagnostics) = said(&page.refused);
        // Messages of MLIR may follow, but these messages have no code.
        let found: BTreeSet<Code> = diagnostics.iter().filter_map(|d| d.code).collect();
        if done || found != BTreeSet::from([code]) {
            let all = errors(&diagnostics);
            wrong.push(format!("{code} is refused for {found:?}: {all:?}"));
        }
        let (done, diagnostics) = said(&page.accepted);
        if !done {
            let all = errors(&diagnostics);
            wrong.push(format!("{code}, mended, is refused: {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs `tx` on an example.
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

/// Returns the rejected program of a page.
fn example(code: Code) -> String {
    page(code).refused.program
}

#[test]
fn code_is_the_last_line_of_an_error_and_leads_to_its_explanation() {
    let refused = tx(&["compile", "example.mlir"], Some(&example(codes::TX0001)));
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
    assert!(page.starts_with("# TX0001: axis out of range\n"), "{page}");
    assert!(
        page.contains("axes [2]") && page.contains("axes [1]"),
        "{page}"
    );
    assert_eq!(page, text(&tx(&["explain", "TX1"], None).stdout));
}

#[test]
fn errors_with_a_form_of_their_own_keep_it() {
    let refused = tx(&["compile", "example.mlir"], Some(&example(codes::TX0201)));
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
    // A word that is not a code is a file.
    let file = tx(&["explain", "TXT"], None);
    assert_eq!(file.status.code(), Some(1));
    assert!(
        text(&file.stderr).starts_with("tx: error: TXT: no such file, and not a diagnostic code, "),
        "{}",
        text(&file.stderr)
    );
}

#[test]
fn all_codes_are_listed() {
    let list = tx(&["explain", "--list"], None);
    assert_eq!(list.status.code(), Some(0));
    let list = text(&list.stdout);
    for Page { code, title, .. } in codes::ALL.iter().copied().map(page) {
        let line = format!("  {code}  {title}\n");
        assert!(list.contains(&line), "{line}");
    }
    for wrong in [&["explain"][..], &["explain", "--list", "TX0001"]] {
        assert_eq!(tx(wrong, None).status.code(), Some(2), "{wrong:?}");
    }
}

/// Returns the JSON messages on standard error.
fn messages(output: &std::process::Output) -> Vec<serde_json::Value> {
    text(&output.stderr)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

#[test]
fn json_says_the_same_as_text() {
    let program = example(codes::TX0301);
    let json = ["compile", "example.mlir", "--message-format", "json"];
    let refused = tx(&json, Some(&program));
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
    let plain = tx(&json[..2], Some(&program));
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
        fs::write(folder.path().join("a.mlir"), example(codes::TX0001)).expect("a temporary file");
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
