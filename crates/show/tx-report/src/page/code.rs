//! Renders the program and its PTX, with links between source lines and instructions.

use super::markup::{left_out, shown};
use super::validation::wrong_lines;
use crate::highlight::{mlir, ptx as ptx_tokens, write};
use crate::pack::Pack;
use crate::ptx;
use crate::report::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) fn program(page: &mut String, report: &Report) {
    let Some(source) = &report.source else { return };
    // First PTX line and number of PTX instructions of each source line.
    let mut made: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    if let Some(text) = &report.ptx {
        for (number, line) in ptx::lines(text, &report.file).iter().enumerate() {
            if let Some(source) = line.source {
                made.entry(source).or_insert((number + 1, 0)).1 += 1;
            }
        }
    }
    let heading = if made.is_empty() {
        ""
    } else {
        "<th scope=col>PTX</th>"
    };
    let _ = write!(
        page,
        "<div class=scroll tabindex=0 role=group aria-label=Program><table class=code><caption \
         class=vh>The program as it was read</caption>\
         <thead class=vh><tr><th scope=col>Line</th><th scope=col>Text</th>{heading}</tr></thead><tbody>"
    );
    let wrong = wrong_lines(report);
    for (number, (line, cut)) in source.lines().map(shown).enumerate() {
        let number = number + 1;
        let (class, said) = match wrong.contains(&number) {
            true => (" class=wrong", "<span class=vh>wrong, see Verdict: </span>"),
            false => ("", ""),
        };
        let _ = write!(
            page,
            "<tr id=line-{number}{class}><td class=n>{number}<td class=t>{said}"
        );
        write(page, &mlir(line));
        left_out(page, cut);
        if let Some((first, count)) = made.get(&number) {
            let what = if *count == 1 {
                "instruction"
            } else {
                "instructions"
            };
            let _ = write!(page, "<td><a href=\"#ptx-{first}\">{count} {what}</a>");
        } else if !made.is_empty() {
            page.push_str("<td>");
        }
        page.push('\n');
    }
    page.push_str("</tbody></table></div>\n");
}

/// Returns the text of a source line, truncated to `MAX_CHARACTERS` characters.
pub(super) fn quote(text: &str) -> String {
    const MAX_CHARACTERS: usize = 72;
    if text.chars().count() <= MAX_CHARACTERS {
        return text.to_owned();
    }
    text.chars().take(MAX_CHARACTERS - 1).chain(['…']).collect()
}

pub(super) fn ptx_section(page: &mut String, pack: &mut Pack, report: &Report) {
    let Some(text) = &report.ptx else { return };
    let lines = ptx::lines(text, &report.file);
    let located = lines.iter().filter(|l| l.source.is_some()).count();
    if lines.is_empty() {
        page.push_str("<p class=note>Nothing is launched: there is no PTX.</p>");
        return;
    }
    if located == 0 {
        page.push_str("<p class=lead>Where each instruction comes from is not known.</p>");
    } else {
        page.push_str(
            "<p class=lead>Beside each instruction stands the line of the program that \
                       it comes from.",
        );
        if !report.ptx_is_plain {
            page.push_str(
                " This is PTX with locations; without them, LLVM makes some instructions in \
                 another order or another way.",
            );
        }
        page.push_str("</p>");
    }
    let source: Vec<&str> = report
        .source
        .as_deref()
        .map(|s| s.lines().collect())
        .unwrap_or_default();
    let (mut from, mut told) = (Vec::new(), BTreeMap::new());
    let mut before = None;
    for line in &lines {
        let number = line.source.unwrap_or(0).cast_signed();
        from.push(if line.source == before {
            -number
        } else {
            number
        });
        if let Some(n) = line.source {
            let text = source.get(n - 1).map(|l| l.trim()).unwrap_or_default();
            told.insert(n, quote(text));
        }
        // Labels and blanks between instructions of one source line do not end the group.
        if line.source.is_some() || line.text.trim().ends_with('}') {
            before = line.source;
        }
    }
    let count = lines.len();
    let lines = lines.iter().map(|line| {
        let (text, cut) = shown(&line.text);
        (ptx_tokens(text), cut)
    });
    pack.ptx(lines, from, told);
    let kernels = text.matches(".entry ").count();
    let plural = if kernels == 1 { "" } else { "s" };
    let _ = writeln!(
        page,
        "<details class=box id=ptx-text><summary><h3>{} lines</h3> <span class=meta>{kernels} \
         kernel{plural}</span></summary>\
         <div id=ptx-lines></div></details>",
        count
    );
}
