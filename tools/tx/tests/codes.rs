//! The table of codes against the compiler: each example is refused for its reason and for no other, the mended one is accepted,
//! and every message that a test of the repository expects has a code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tx::{Diagnostic, Severity};
use tx_codes::{Code, Command, codes, find};
use tx_mlir::Session;

/// Messages of MLIR, which have no code: the beginning of each, without the op's name.
const OF_MLIR: &[&str] = &[
    "'nvvm.kernel' attribute attached to unexpected op",
    "Minimum NVVM target SM version is sm_20",
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
        Command::Opt(flags) => passes(flags, program),
        Command::Options { accepted, .. } if mended => passes(accepted, program),
        Command::Options { refused, .. } => passes(refused, program),
    }
}

/// What `tx-opt` says with flags that each name a pass: `--tile-schedule=until=choice`.
fn passes(flags: &[&str], program: &str) -> (bool, Vec<Diagnostic>) {
    tx::register();
    tx_validate::register();
    let session = Session::new(|registry| tx_dialect_tile::register(registry));
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
            .filter(|message| !of_mlir(message))
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
                let found: Vec<String> = codes()
                    .filter(|code| {
                        let line = message.lines().next().unwrap_or_default();
                        let line = line
                            .strip_prefix('\'')
                            .and_then(|rest| rest.split_once("' op "))
                            .map_or(line, |(_, message)| message);
                        code.messages.iter().any(|p| tx_codes::matches(p, line))
                    })
                    .map(Code::name)
                    .collect();
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
