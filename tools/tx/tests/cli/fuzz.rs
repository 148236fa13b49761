//! Tests of `tx fuzz`.

use super::{Case, status, stderr, stdout};

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

#[test]
fn fuzzing_forces_a_variant() {
    let case = Case::new();
    let run = |variant: &str, cases: &str| {
        case.tx(&["fuzz", "modules", "--variant", variant, "--cases", cases])
    };
    let output = run("local", "30");
    let text = stdout(&output);
    assert_eq!(status(&output), 0, "{text}");
    let number = |line: &str, before: &str| -> Option<u64> {
        let rest = line.strip_prefix(before)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        rest[..digits].parse().ok()
    };
    let find = |of: &dyn Fn(&str) -> Option<u64>| text.lines().find_map(of).expect(&text);
    let chosen = find(&|line| number(line, "chosen ").filter(|_| line.ends_with("x local")));
    let passed = find(&|line| number(line, "skipped "));
    let counted = find(&|line| number(line, "").filter(|_| line.contains(" cases: ")));
    let refused = find(&|line| number(line.split(" %), ").nth(1)?, ""));
    assert!(counted > refused && chosen >= counted - refused, "{text}");
    assert_eq!(passed + counted, 30, "{text}");
    let output = run("lcal", "1");
    let said = stderr(&output);
    assert_eq!(status(&output), 2, "{said}");
    assert!(
        said.starts_with("tx: error: no variant named `lcal`; known variants: "),
        "{said}"
    );
    assert!(said.ends_with("; did you mean `local`?\n"), "{said}");
    let output = run("local", "0");
    assert_eq!(status(&output), 1, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("`local` supports"),
        "{}",
        stderr(&output)
    );
}

/// Without a corpus, random programs are damaged.
#[test]
fn text_is_fuzzed_anywhere() {
    let case = Case::new();
    let output = case.tx(&["fuzz", "text", "--cases", "8", "--seconds", "60"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("8 cases: "), "{}", stdout(&output));
}
