//! HTML elements that several sections of the page contain.

use crate::highlight::{mlir, write};
use crate::html::escape;
use crate::pack::Pack;
use crate::report::{Report, Verdict, VerdictKind};
use std::fmt::Write as _;

/// Maximum number of characters that the page shows of each line of code. MLIR prints a GPU binary
/// on a single, very long line.
const MAX_LINE_CHARACTERS: usize = 2000;

/// Appends a link to a source location.
pub(super) fn place(page: &mut String, line: Option<usize>, column: Option<usize>) {
    if let Some(line) = line {
        let column = column.map_or_else(String::new, |c| format!(":{c}"));
        let _ = write!(page, "<a href=\"#line-{line}\">line {line}{column}</a> ");
    }
}

/// Appends a source line of the program.
pub(super) fn source_line(page: &mut String, report: &Report, line: Option<usize>) {
    let line = line.and_then(|n| report.source.as_ref()?.lines().nth(n.checked_sub(1)?));
    if let Some(line) = line {
        page.push_str("<pre class=quote><code>");
        write(page, &mlir(shown(line.trim()).0));
        page.push_str("</code></pre>");
    }
}

/// Returns the CSS class and the symbol of a verdict.
pub(super) fn symbol(kind: VerdictKind) -> (&'static str, &'static str) {
    match kind {
        VerdictKind::Good => ("good", "✓"),
        VerdictKind::Fair => ("fair", "≈"),
        VerdictKind::Unknown => ("unknown", "?"),
        VerdictKind::Nothing => ("plain", "–"),
        VerdictKind::Bad => ("bad", "✗"),
    }
}

/// Appends a verdict.
pub(super) fn badge(page: &mut String, verdict: &Verdict) {
    let (class, sign) = symbol(verdict.kind);
    let _ = write!(
        page,
        "<span class=\"badge {class}\"><span aria-hidden=true>{sign}</span> {}</span>",
        escape(&verdict.word)
    );
}

/// Returns the part of a line that the page shows, and the number of truncated characters.
pub(super) fn shown(line: &str) -> (&str, usize) {
    // PTX in a string attribute is shown in a section of its own.
    const HOLDS_PTX: &str = "assembly = \"";
    let most = match line.find(HOLDS_PTX) {
        Some(at) => line[..at + HOLDS_PTX.len()].chars().count() + 80,
        None => MAX_LINE_CHARACTERS,
    };
    match line.char_indices().nth(most) {
        Some((at, _)) => (&line[..at], line[at..].chars().count()),
        None => (line, 0),
    }
}

/// Appends the number of characters that the page truncates from a line.
pub(super) fn left_out(page: &mut String, characters: usize) {
    if characters > 0 {
        let _ = write!(page, "<em class=cut> … {characters} more characters</em>");
    }
}

/// Appends a collapsible box. If `open` is false, the page contains the box without its content,
/// and the script of the page inserts the content when the reader opens the box.
pub(super) fn folding(
    page: &mut String,
    pack: &mut Pack,
    open: bool,
    summary: &str,
    inside: String,
) {
    let _ = match open {
        true => writeln!(
            page,
            "<details class=box open><summary>{summary}</summary>{inside}</details>"
        ),
        false => writeln!(
            page,
            "<details class=box data-part={}><summary>{summary}</summary></details>",
            pack.part(inside)
        ),
    };
}

pub(super) fn milliseconds(millis: f64) -> String {
    match millis {
        m if m < 10.0 => format!("{m:.2} ms"),
        m => format!("{m:.1} ms"),
    }
}
