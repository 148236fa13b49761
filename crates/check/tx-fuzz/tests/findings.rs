//! Regression tests: shrunk cases of earlier findings.

use std::fs;
use std::path::Path;
use tx_fuzz::{Case, Class};

/// Compiles every case in `tests/findings`, and runs it after each pass.
#[test]
fn what_was_found_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no descriptions in {}", folder.display());
    let mut wrong = Vec::new();
    for file in files {
        let case: Case = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let outcome = tx_fuzz::check(&case, &tx::Compiler::new);
        if outcome.class != Class::Accepted {
            wrong.push(format!("{}: {outcome}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks a few cases, as a fuzz run does.
#[test]
fn nothing_is_found_in_the_first_cases() {
    let mut accepted = 0;
    let mut wrong = Vec::new();
    for index in 0..12 {
        let outcome = tx_fuzz::check(&tx_fuzz::generate(0, index, None), &tx::Compiler::new);
        accepted += usize::from(outcome.class == Class::Accepted);
        if outcome.class.is_finding() {
            wrong.push(format!("case {index}: {outcome}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Most of the cases must compile, because a rejected program tests little.
    assert!(accepted > 6, "only {accepted} of 12 are accepted");
}
