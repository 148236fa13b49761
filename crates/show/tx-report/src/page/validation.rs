//! Renders the results of validation: a verdict for each stage, and source locations.

use super::markup::badge;
use crate::html::{escape, prose};
use crate::report::{Check, Report, Verdict, VerdictKind};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

/// Name of the validation stage that reports combiner properties.
const LAWS: &str = "laws";

pub(super) fn check(page: &mut String, report: &Report) {
    let (is_good, is_conditional, note, grid, inputs, left_out, verdicts) = match &report.check {
        Check::NotAsked => return,
        Check::Impossible(why) => {
            let _ = write!(
                page,
                "<p class=\"headline unknown\"><span aria-hidden=true>?</span> It could not be \
                 checked.</p><p>{}</p>",
                prose(why)
            );
            return;
        }
        Check::Done {
            is_good,
            is_conditional,
            note,
            grid,
            inputs,
            left_out,
            verdicts,
        } => (
            is_good,
            *is_conditional,
            note,
            grid,
            inputs,
            *left_out,
            verdicts,
        ),
    };
    let inputs_run = match (inputs.len(), left_out) {
        (1, 0) => "1 input".to_owned(),
        (n, 0) => format!("{n} inputs"),
        (n, more) => format!("{n} of {} inputs", n + more),
    };
    let wrong = verdicts.iter().find(|(_, v)| v.kind == VerdictKind::Bad);
    match (is_good, wrong) {
        (true, _) if is_conditional => {
            let _ = write!(
                page,
                "<p class=\"headline fair\"><span aria-hidden=true>≈</span> Valid on the inputs \
                 tried, {inputs_run}; the \
                 combiner's <a href=\"#{LAWS}\">laws</a> do not hold for all values.</p>"
            );
        }
        (true, _) => {
            let _ = write!(
                page,
                "<p class=\"headline good\"><span aria-hidden=true>✓</span> Valid: after every \
                 pass the program computes \
                 the results of the input program, on {inputs_run}.</p>"
            );
        }
        (false, Some((name, _))) => {
            let _ = write!(
                page,
                "<p class=\"headline bad\"><span aria-hidden=true>✗</span> Not valid: see \
                 <code>{}</code>.</p>",
                escape(name)
            );
        }
        (false, None) => page.push_str(
            "<p class=\"headline unknown\"><span aria-hidden=true>?</span> Not known: the last \
             stage cannot be compared with \
             the first.</p>",
        ),
    }
    for note in note.iter().chain(grid) {
        let _ = write!(page, "<p>{}</p>", prose(note));
    }
    if left_out > 0 {
        page.push_str(
            "<p>These inputs are the first of many: <code>--all-inputs</code> makes the page with all that \
             <code>validate</code> runs.</p>",
        );
    }
    // A verdict without a detail is omitted if it repeats an earlier verdict.
    let is_remarkable = |verdict: &Verdict| {
        !verdict.detail.is_empty() || matches!(verdict.kind, VerdictKind::Bad | VerdictKind::Fair)
    };
    let remarkable: Vec<&(String, Verdict)> =
        verdicts.iter().filter(|(_, v)| is_remarkable(v)).collect();
    verdict_table(
        page,
        report,
        "Verdicts that say more than that all is equal",
        &remarkable,
        Some(LAWS),
    );
    if remarkable.len() < verdicts.len() {
        let _ = write!(
            page,
            "<details class=words><summary>All {} stages</summary>",
            verdicts.len()
        );
        verdict_table(
            page,
            report,
            "Verdicts of all stages",
            &verdicts.iter().collect::<Vec<_>>(),
            None,
        );
        page.push_str("</details>");
    }
    if !inputs.is_empty() {
        let _ = write!(
            page,
            "<details class=words><summary>{inputs_run}</summary><ul class=inputs>"
        );
        for input in inputs {
            let _ = write!(page, "<li>{}</li>", escape(input));
        }
        page.push_str("</ul></details>");
    }
    page.push('\n');
}

fn verdict_table(
    page: &mut String,
    report: &Report,
    caption: &str,
    verdicts: &[&(String, Verdict)],
    linked_to: Option<&str>,
) {
    if verdicts.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<div class=scroll tabindex=0 role=group aria-label=\"{caption}\"><table \
         class=plain><caption class=vh>{caption}</caption>\
         <thead><tr><th scope=col>Stage</th><th scope=col>Verdict</th><th \
         scope=col>Detail</th></tr></thead><tbody>"
    );
    for (name, verdict) in verdicts {
        let id = match linked_to {
            Some(linked) if linked == name => format!(" id={linked}"),
            _ => String::new(),
        };
        let _ = write!(
            page,
            "<tr{id}><th scope=row><code>{}</code></th><td data-head=Verdict>",
            escape(name)
        );
        badge(page, verdict);
        let _ = write!(
            page,
            "</td><td data-head=Detail>{}</td></tr>",
            linked(&verdict.detail, &report.file)
        );
    }
    page.push_str("</tbody></table></div>");
}

/// Returns `text` as HTML, in which source locations are links.
fn linked(text: &str, file: &str) -> String {
    let mut html = String::new();
    let mut done = 0;
    for place in places(text, file) {
        html.push_str(&prose(&text[done..place.range.start]));
        done = place.range.end;
        let shown = escape(&text[place.range]);
        let _ = write!(html, "<a href=\"#line-{}\">{shown}</a>", place.line);
    }
    html + &prose(&text[done..])
}

/// Source location in a text: `FILE:LINE:COLUMN`.
struct SourceRange {
    range: Range<usize>,
    line: usize,
}

/// Returns all source locations in a text, in the order of the text.
fn places(text: &str, file: &str) -> Vec<SourceRange> {
    let mut found = Vec::new();
    let mark = format!("{file}:");
    for (start, _) in text.match_indices(&mark) {
        let rest = &text[start + mark.len()..];
        let end = rest.find(|c: char| c != ':' && !c.is_ascii_digit());
        let numbers = rest[..end.unwrap_or(rest.len())].trim_end_matches(':');
        let line = numbers.split(':').next().and_then(|line| line.parse().ok());
        if let Some(line) = line {
            let range = start..start + mark.len() + numbers.len();
            found.push(SourceRange { range, line });
        }
    }
    found
}

/// Returns the source line numbers in the text of the first verdict that reports a failure.
pub(super) fn wrong_lines(report: &Report) -> BTreeSet<usize> {
    let Check::Done { verdicts, .. } = &report.check else {
        return BTreeSet::new();
    };
    let wrong = verdicts.iter().find(|(_, v)| v.kind == VerdictKind::Bad);
    let named = wrong.map(|(_, verdict)| places(&verdict.detail, &report.file));
    named
        .into_iter()
        .flatten()
        .map(|place| place.line)
        .collect()
}
