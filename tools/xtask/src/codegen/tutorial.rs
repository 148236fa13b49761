//! Generates `docs/tutorial.md` from the tests of `lit-tests/tutorial`.
//!
//! Each test in `lit-tests/tutorial` is one chapter of the tutorial. The generated page contains
//! the comments of each test as text, and the code of each test as code blocks. A comment above
//! CHECK lines becomes a list item under "What to look at". In place of each `SHOW` line of a test,
//! the page contains the output of a command of the test, or a part of this output.
//! `lit-tests/README.md` documents the syntax.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::workspace::Workspace;

const FOLDER: &str = "lit-tests/tutorial";

/// Maximum number of columns in a program line of the tutorial. Longer lines are wrapped.
const COLUMNS: usize = 100;

/// Maximum number of lines of a program output that the tutorial shows completely. If an output has
/// more lines, the page shows the first [`BEGINNING`] and the last [`END`] lines of the output.
const LONG_OUTPUT: usize = 6;
const BEGINNING: usize = 3;
const END: usize = 1;

/// Lit directives that are no checks, and therefore do not verify the comment above them. All other
/// directives are CHECK lines or equivalent checks (see `tx-lit`).
const NO_CHECKS: &[&str] = &[
    "RUN",
    "EXIT",
    "PTXAS",
    "RACE-FREE",
    "VALIDATE",
    "SNAPSHOT",
    "ROUNDTRIP",
    "COMPARE",
    "SIZES",
];

pub(super) fn page(workspace: &Workspace) -> Result<String> {
    let folder = workspace.root.join(FOLDER);
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    // Relative links must change, because the page is in another directory.
    let introduction = read(&folder.join("introduction.md"))?;
    let mut page = introduction.replace("](.)", &format!("](../{FOLDER})"));
    let mut tests: Vec<PathBuf> = fs::read_dir(&folder)
        .with_context(|| format!("cannot read {FOLDER}"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    tests.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "mlir")
    });
    // The sort order ignores the extension, so that `t01` precedes `t01-more`.
    tests.sort_by_key(|path| path.with_extension(""));
    for test in tests {
        let name = test
            .file_stem()
            .and_then(|stem| stem.to_str())
            .context("a test without a name")?;
        let snapshot = |prefix: &str| {
            let file = match prefix {
                "CHECK" => format!("{name}.snap"),
                other => format!("{name}.{other}.snap"),
            };
            let text = read(&folder.join(file))?;
            Ok(tx_lit::snapshot_contents(&text).to_owned())
        };
        let section = section(&format!("{FOLDER}/{name}.mlir"), &read(&test)?, &snapshot)
            .with_context(|| format!("{FOLDER}/{name}.mlir"))?;
        page.push_str(&section);
    }
    Ok(page)
}

/// Part of a tutorial test.
#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    /// Comment above CHECK lines, which verify the comment.
    Checked(String),
    Code(String),
    Show(String),
}

fn parts(test: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text: Vec<&str> = Vec::new();
    let mut code: Vec<&str> = Vec::new();
    let end_text = |parts: &mut Vec<Part>, text: &mut Vec<&str>, checked: bool| {
        if !text.is_empty() {
            let joined = text.join("\n");
            parts.push(if checked {
                Part::Checked(joined)
            } else {
                Part::Text(joined)
            });
            text.clear();
        }
    };
    for line in test.lines().chain(["//"]) {
        // An indented comment is part of the code.
        let Some(comment) = line.strip_prefix("//") else {
            if !line.is_empty() || !code.is_empty() {
                code.push(line);
            }
            end_text(&mut parts, &mut text, false);
            continue;
        };
        if !code.is_empty() {
            parts.push(Part::Code(code.join("\n").trim_end().to_owned()));
            code.clear();
        }
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        match tx_lit::directive(comment) {
            Some(line) if line.name == "SHOW" => {
                end_text(&mut parts, &mut text, false);
                parts.push(Part::Show(line.value.to_owned()));
            }
            Some(line) => end_text(&mut parts, &mut text, !NO_CHECKS.contains(&line.name)),
            None if comment.is_empty() => end_text(&mut parts, &mut text, false),
            None => text.push(comment),
        }
    }
    parts
}

/// Returns the chapter of the tutorial test in file `path`.
fn section(path: &str, test: &str, snapshot: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let parts = parts(test);
    let Some((Part::Text(heading), rest)) = parts.split_first() else {
        bail!("the first line of text is no heading");
    };
    if !heading.starts_with("# ") && !heading.starts_with("## ") {
        bail!("the first line of text is no heading: `{heading}`");
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut page = format!("\n#{heading}\n\n[`{file}`](../{path})\n");
    let mut shown: Vec<&str> = Vec::new();
    let checked = |at: usize| matches!(rest.get(at), Some(Part::Checked(_)));
    for (at, part) in rest.iter().enumerate() {
        let follows_another = at > 0 && checked(at - 1) && checked(at);
        if !follows_another {
            page.push('\n');
        }
        match part {
            Part::Text(text) => writeln!(page, "{text}")?,
            Part::Checked(text) if follows_another || checked(at + 1) => {
                if !follows_another {
                    page.push_str("**What to look at**\n\n");
                }
                writeln!(page, "* {}", text.replace('\n', "\n  "))?;
            }
            // If there is only one item, the page shows the item as a paragraph instead of a list.
            Part::Checked(text) => writeln!(page, "**What to look at:**\n{text}")?,
            Part::Code(code) => writeln!(page, "```mlir\n{code}\n```")?,
            Part::Show(what) => {
                let (prefix, place) = what.split_once(' ').unwrap_or((what, ""));
                let command = command(test, prefix)?
                    .replace("%s", path)
                    // The commands in the tutorial write their files to `/tmp`, not to the
                    // repository.
                    .replace("%t", &format!("/tmp/{}", file.trim_end_matches(".mlir")));
                let output = snapshot(prefix)?;
                let first = !shown.contains(&prefix);
                shown.push(prefix);
                show(&mut page, &command, &output, place, first)
                    .with_context(|| format!("SHOW: {what}"))?;
            }
        }
    }
    Ok(page)
}

fn command<'t>(test: &'t str, prefix: &str) -> Result<&'t str> {
    tx_lit::directives(test)
        .find(|line| {
            let prefixes = line.argument.unwrap_or("CHECK");
            line.name == "RUN" && prefixes.split(',').any(|each| each.trim() == prefix)
        })
        .map(|line| line.value)
        .ok_or_else(|| anyhow!("no RUN line has the prefix `{prefix}`"))
}

/// Appends the part of a program output that `place` selects. Before the first part of each output,
/// the function appends the command that prints the output.
fn show(page: &mut String, command: &str, output: &str, place: &str, first: bool) -> Result<()> {
    let program = command.starts_with("tx-opt");
    if place.is_empty() && !program {
        let output = shortened(output);
        writeln!(page, "```console\n$ {}\n{output}\n```", in_lines(command))?;
        return Ok(());
    }
    if first {
        writeln!(page, "```console\n{}\n```\n", in_lines(command))?;
    }
    let lines: Vec<&str> = output.trim_end().lines().collect();
    let lines = find(&lines, place)?;
    let margin = lines.first().map_or(0, |line| indentation(line));
    writeln!(page, "```{}", if program { "mlir" } else { "json" })?;
    for line in lines {
        writeln!(page, "{}", broken(line.get(margin..).unwrap_or_default()))?;
    }
    writeln!(page, "```")?;
    Ok(())
}

fn in_lines(command: &str) -> String {
    let mut text = String::new();
    let mut rest = command.to_owned();
    while rest.len() > COLUMNS {
        let Some(at) = rest[..COLUMNS].rfind(" --").filter(|at| *at > 8) else {
            break;
        };
        text.push_str(&format!("{} \\\n", &rest[..at]));
        rest = format!("    {}", &rest[at + 1..]);
    }
    text + &rest
}

fn shortened(output: &str) -> String {
    let lines: Vec<&str> = output.trim_end().lines().collect();
    if lines.len() <= LONG_OUTPUT {
        return lines.join("\n");
    }
    let (beginning, end) = (&lines[..BEGINNING], &lines[lines.len() - END..]);
    [beginning, &["..."], end].concat().join("\n")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the lines of a program output that `place` selects; `place` names an op, a nested op or
/// a range of lines, in the syntax of a `SHOW` line. If `place` is empty, returns all lines of the
/// program output.
fn find<'l>(lines: &'l [&'l str], place: &str) -> Result<&'l [&'l str]> {
    let mut lines = lines;
    for text in place.split(" > ").filter(|text| !text.is_empty()) {
        let line_with = |text: &str, from: usize| {
            lines[from..]
                .iter()
                .position(|line| line.contains(text))
                .map(|at| from + at)
                .ok_or_else(|| anyhow!("nothing printed has `{text}`"))
        };
        lines = if let Some((from, to)) = text.split_once(" .. ") {
            let start = line_with(from, 0)?;
            &lines[start..line_with(to, start)?]
        } else {
            let start = line_with(text, 0)?;
            &lines[start..end_of_op(lines, start)]
        };
    }
    Ok(lines)
}

/// Returns the index of the first line after an op. The last line of an op contains the closing
/// bracket of the op, and has the same indentation as the first line of the op.
fn end_of_op(lines: &[&str], start: usize) -> usize {
    let opens = |line: &str| line.ends_with(['{', '[']);
    let mut end = start + 1;
    if !opens(lines[start]) {
        return end;
    }
    while let Some(line) = lines.get(end) {
        end += 1;
        let closes = indentation(line) == indentation(lines[start])
            && line.trim_start().starts_with(['}', ']']);
        if closes && !opens(line) {
            break;
        }
    }
    end
}

/// Wraps a long line of a program. The function breaks the line before a clause such as
/// `iter_args(`. If the line contains no clause, the function breaks the line after a comma, or at
/// a blank if the line contains no comma. Among several possible positions within [`COLUMNS`]
/// columns, the function chooses the last position.
fn broken(line: &str) -> String {
    const PARTS: &[&str] = &[" args(", " iter_args(", " threads in ", " {", " : "];
    let margin = indentation(line) + 4;
    let mut rest = line.to_owned();
    let mut text = String::new();
    while rest.len() > COLUMNS {
        let fits = margin + 20..COLUMNS;
        let (mut kernel, mut part, mut comma, mut blank) = (None, None, None, None);
        let (mut quoted, mut depth) = (false, 0);
        for (at, c) in rest.char_indices() {
            quoted ^= c == '"';
            match c {
                _ if quoted => {}
                '(' | '[' | '{' | '<' => depth += 1,
                '>' if rest[..at].ends_with('-') => {}
                ')' | ']' | '}' | '>' => depth -= 1,
                ' ' if fits.contains(&at) => {
                    if rest[at..].starts_with(" kernel ") {
                        kernel = Some(at);
                    }
                    let last = at + 2 >= rest.len();
                    if depth == 0 && !last && PARTS.iter().any(|p| rest[at..].starts_with(p)) {
                        part = Some(at);
                    }
                    if rest[..at].ends_with(',') {
                        comma = Some(at);
                    }
                    blank = Some(at);
                }
                _ => {}
            }
        }
        let Some(at) = kernel.or(part).or(comma).or(blank) else {
            break;
        };
        text.push_str(rest[..at].trim_end());
        text.push('\n');
        rest = format!("{}{}", " ".repeat(margin), &rest[at + 1..]);
    }
    text + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
// RUN: tx-opt %s --x
// RUN(RAN): tx run %s
// COMPARE: @f(A: 2xf32) A = A
// # A heading
//
// Text in
// two lines.

func.func @f() {
  // Said in the code.
  return
}

// It becomes this:
//
// SHOW: CHECK gpu.func > scf.for
//
// There is a
// loop.
// CHECK: scf.for
// CHECK-NEXT: }
//
// Another.
// RAN: 1
//
// Text.
//
// One.
// CHECK: x
// SHOW: RAN
";

    const PRINTED: &str =
        "module {\n  gpu.func {\n    scf.for {\n    } else {\n      x\n    }\n  }\n}\n";

    #[test]
    fn chapters_follow_their_test() {
        let snapshot = |prefix: &str| {
            Ok(match prefix {
                "CHECK" => PRINTED.to_owned(),
                _ => "1\n".to_owned(),
            })
        };
        let page = section("lit-tests/tutorial/t.mlir", TEST, &snapshot).unwrap();
        assert_eq!(
            page,
            "\n## A heading\n\n[`t.mlir`](../lit-tests/tutorial/t.mlir)\n\n\
             Text in\ntwo lines.\n\n\
             ```mlir\nfunc.func @f() {\n  // Said in the code.\n  return\n}\n```\n\n\
             It becomes this:\n\n\
             ```console\ntx-opt lit-tests/tutorial/t.mlir --x\n```\n\n\
             ```mlir\nscf.for {\n} else {\n  x\n}\n```\n\n\
             **What to look at**\n\n* There is a\n  loop.\n* Another.\n\n\
             Text.\n\n**What to look at:**\nOne.\n\n\
             ```console\n$ tx run lit-tests/tutorial/t.mlir\n1\n```\n"
        );
    }

    #[test]
    fn chapters_show_what_is_there_only() {
        let snapshot = |_: &str| Ok("module {\n}\n".to_owned());
        let error = section("t.mlir", TEST, &snapshot).unwrap_err();
        assert!(format!("{error:#}").contains("nothing printed has `gpu.func`"));
        let without = TEST.replace("RUN(RAN)", "RUN(OTHER)");
        let error = section("t.mlir", &without, &|_| Ok(PRINTED.to_owned())).unwrap_err();
        assert!(format!("{error:#}").contains("no RUN line has the prefix `RAN`"));
    }

    #[test]
    fn lines_are_shown_up_to_another() {
        let lines = ["a", "  b", "  c", "d"];
        assert_eq!(find(&lines, "b .. d").unwrap(), ["  b", "  c"]);
        assert_eq!(find(&lines, "").unwrap(), lines);
    }

    #[test]
    fn long_lines_are_broken_where_it_shows() {
        let line = format!(
            "  op {{a = \"{}\", b = \"{}\"}}",
            "x y ".repeat(12),
            "z ".repeat(20)
        );
        let text = broken(&line);
        let (first, second) = text.split_once('\n').unwrap();
        assert!(first.ends_with("\","), "{text}");
        assert!(second.starts_with("      b = "), "{text}");
        let line = format!(
            "gpu.func @f(%a: i32, %b: memref<?x?x{}f32>) kernel attributes {{x = [1, 2]}} {{",
            "?x".repeat(20)
        );
        assert_eq!(
            broken(&line).split_once('\n').unwrap().1,
            "    kernel attributes {x = [1, 2]} {"
        );
        assert_eq!(broken("short"), "short");
    }
}
