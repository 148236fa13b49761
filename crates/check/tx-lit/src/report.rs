//! Failure messages.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use crate::pipeline::Pipeline;

/// Number of context lines that a failure message shows before and after a difference or a failed
/// CHECK.
pub(crate) const CONTEXT_LINES: usize = 4;

/// Maximum number of lines of program output in a failure message.
const SHOWN_LINES: usize = 200;

pub(crate) fn show(commands: &[Vec<String>]) -> String {
    let commands: Vec<String> = commands
        .iter()
        .map(|words| {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            words.join(" ")
        })
        .collect();
    format!("$ {}", commands.join(" | "))
}

/// Returns the shell command for a RUN line. The shell command exits with status 0 if the RUN line
/// succeeds.
pub(crate) fn show_run(pipeline: &Pipeline, commands: &[Vec<String>]) -> String {
    let line = show(commands);
    let line = match line.strip_prefix("$ ") {
        Some(words) if pipeline.negated => format!("$ ! {words}"),
        _ => line,
    };
    match pipeline.both_streams {
        true => line + " 2>&1",
        false => line,
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

pub(crate) fn describe(status: Option<i32>) -> String {
    status.map_or_else(
        || "ended by a signal".to_owned(),
        |status| format!("exit status {status}"),
    )
}

/// Indents a text, and truncates it after [`SHOWN_LINES`] lines.
pub(crate) fn indent(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut all = String::new();
    for line in lines.iter().take(SHOWN_LINES) {
        let _ = writeln!(all, "    {line}");
    }
    if let Some(left) = lines.len().checked_sub(SHOWN_LINES + 1) {
        let _ = writeln!(all, "    … and {} lines more", left + 1);
    }
    all
}

pub(crate) fn numbered(text: &str) -> String {
    text.lines()
        .zip(1..)
        .fold(String::new(), |mut all, (line, number)| {
            let _ = writeln!(all, "{number:4} {line}");
            all
        })
}

/// Returns the line-by-line difference of two texts, with [`CONTEXT_LINES`] unchanged lines around
/// each change. The comparison ignores trailing white space.
pub(crate) fn difference(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.trim_end().lines().collect();
    let new: Vec<&str> = new.trim_end().lines().collect();
    let diff = TextDiff::from_slices(&old, &new);
    let mut text = String::new();
    let mut end = 0;
    for group in diff.grouped_ops(CONTEXT_LINES) {
        if group.first().is_some_and(|op| op.old_range().start > end) {
            text.push_str("  ...\n");
        }
        for op in &group {
            end = op.old_range().end;
            for change in diff.iter_changes(op) {
                let mark = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                let _ = writeln!(text, "{mark} {}", change.value());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_some_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        assert_eq!(
            difference(old, &old.replace('1', "one")),
            "- 1\n+ one\n  2\n  3\n  4\n  5\n"
        );
        assert_eq!(
            difference(old, &old.replace('9', "nine")),
            "  ...\n  5\n  6\n  7\n  8\n- 9\n+ nine\n"
        );
        assert_eq!(difference(old, old), "");
    }

    #[test]
    fn commands_can_be_pasted() {
        let command = ["tx", "--pass-pipeline=a(b)", "", "it's"].map(str::to_owned);
        assert_eq!(
            show(&[command.into()]),
            r"$ tx '--pass-pipeline=a(b)' '' 'it'\''s'"
        );
    }

    #[test]
    fn run_lines_can_be_pasted() {
        let shown = |line: &str| {
            let pipeline = Pipeline::parse(line, &["tx", "sort"]).expect("a RUN line");
            show_run(&pipeline, &pipeline.commands)
        };
        assert_eq!(shown("tx 'a b'"), "$ tx 'a b'");
        assert_eq!(shown("not tx a 2>&1"), "$ ! tx a 2>&1");
        assert_eq!(shown("tx a | not sort 2>&1"), "$ ! tx a | sort 2>&1");
    }

    #[test]
    fn long_output_is_cut() {
        let text = "x\n".repeat(SHOWN_LINES + 2);
        assert!(indent(&text).ends_with("    x\n    … and 2 lines more\n"));
        assert!(indent(&"x\n".repeat(SHOWN_LINES)).ends_with("    x\n"));
    }
}
