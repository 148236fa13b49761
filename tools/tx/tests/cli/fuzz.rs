//! `tx fuzz`.

use crate::{Case, status, stderr, stdout};

/// How often each variant is chosen for the programs of a run, also those that never are.
#[test]
fn fuzzing_counts_variants() {
    let case = Case::new();
    let run = |jobs: &str| stdout(&case.tx(&["fuzz", "modules", "--cases", "12", "--jobs", jobs]));
    let text = run("1");
    let counts: Vec<u64> = text
        .lines()
        .filter_map(|line| {
            line.strip_prefix("chosen ")?
                .split('x')
                .next()?
                .parse()
                .ok()
        })
        .collect();
    assert!(counts.len() >= 8 && counts[0] > 0, "{text}");
    assert!(counts.is_sorted_by(|a, b| a >= b), "{text}");
    assert_eq!(run("2"), text);
}

/// Without programs of anybody's, random ones are damaged.
#[test]
fn text_is_fuzzed_anywhere() {
    let case = Case::new();
    let output = case.tx(&["fuzz", "text", "--cases", "8", "--seconds", "60"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("8 cases: "), "{}", stdout(&output));
}
