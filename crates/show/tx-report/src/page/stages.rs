//! Renders the compilation stages: the pipeline, the diffs and the times.

use super::markup::{badge, milliseconds, shown, symbol};
use crate::diff::{Row, fold, rows};
use crate::highlight::{Token, mlir};
use crate::html::{escape, prose};
use crate::pack::Pack;
use crate::report::{Report, Stage, VerdictKind};
use std::fmt::Write as _;

/// Maximum number of lines of a stage that is initially expanded in the page.
const MAX_OPEN_LINES: usize = 60;

/// Returns one diff per stage, from the IR of the previous stage to the IR of the stage; the diff
/// of the first stage is empty.
pub(super) fn changes(stages: &[Stage]) -> Vec<Vec<Row>> {
    let cut = |stage: &Stage| -> Vec<String> {
        stage
            .ir
            .lines()
            .map(|line| shown(line).0.to_owned())
            .collect()
    };
    let texts: Vec<Vec<String>> = stages.iter().map(cut).collect();
    let mut changes = vec![Vec::new()];
    for pair in texts.windows(2) {
        let lines = |text: &'_ [String]| -> Vec<String> { text.to_vec() };
        let (old, new) = (lines(&pair[0]), lines(&pair[1]));
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        changes.push(if old == new {
            Vec::new()
        } else {
            rows(&old, &new)
        });
    }
    changes.truncate(stages.len());
    changes
}

/// Returns the numbers of added and removed lines in a diff.
fn counts(rows: &[Row]) -> (usize, usize) {
    rows.iter().fold((0, 0), |(come, gone), row| match row {
        Row::Same { .. } => (come, gone),
        Row::Changed { .. } => (come + 1, gone + 1),
        Row::Added(_) => (come + 1, gone),
        Row::Removed(_) => (come, gone + 1),
    })
}

fn difference(rows: &[Row]) -> String {
    match counts(rows) {
        (0, 0) => "no change".to_owned(),
        (come, gone) => format!("<span class=plus>+{come}</span> <span class=minus>−{gone}</span>"),
    }
}

/// Appends the numbers of added and removed lines of a stage, and its duration. For the first
/// stage, appends the number of lines of the IR.
fn meta(page: &mut String, number: usize, stage: &Stage, rows: &[Row]) {
    if number > 0 {
        page.push_str(&difference(rows));
    } else {
        let _ = write!(page, "{} lines", stage.ir.lines().count());
    }
    if let Some(millis) = stage.millis {
        let _ = write!(page, " <span class=time>{}</span>", milliseconds(millis));
    }
}

pub(super) fn pipeline(page: &mut String, report: &Report, changes: &[Vec<Row>]) {
    if report.stages.is_empty() {
        return;
    }
    page.push_str(
        "<nav class=pipeline aria-labelledby=pipeline-h><h2 \
                   id=pipeline-h>Pipeline</h2>\n<ol class=strip>",
    );
    for (number, (stage, rows)) in report.stages.iter().zip(changes).enumerate() {
        let kind = stage.verdict.as_ref().map_or("plain", |v| symbol(v.kind).0);
        let quiet = if number > 0 && counts(rows) == (0, 0) {
            " quiet"
        } else {
            ""
        };
        let _ = write!(
            page,
            "<li class=\"{kind}{quiet}\"><a href=\"#stage-{number}\"><span \
             class=name>{}</span><span class=meta>",
            escape(&stage.name)
        );
        meta(page, number, stage, rows);
        page.push_str("</span>");
        if let Some(verdict) = &stage.verdict {
            badge(page, verdict);
        }
        page.push_str("</a></li>");
    }
    page.push_str("</ol></nav>\n");
}

/// Returns the tokenized lines of a text, each with the number of truncated characters.
fn packed(text: &str) -> impl Iterator<Item = (Vec<Token<'_>>, usize)> {
    text.lines().map(|line| {
        let (line, cut) = shown(line);
        (mlir(line), cut)
    })
}

pub(super) fn stages(page: &mut String, pack: &mut Pack, report: &Report, changes: &[Vec<Row>]) {
    page.push_str(
        "<p class=lead>The module after each stage, beside the one before. A line whose values \
         have other names, and which is \
         otherwise the same, counts as unchanged.</p>\n<p class=scripted><button type=button \
         id=open-all>Open all stages</button></p>\n",
    );
    for (number, (stage, rows)) in report.stages.iter().zip(changes).enumerate() {
        let pieces = fold(rows);
        let visible: usize = pieces
            .iter()
            .filter(|p| !p.is_folded)
            .map(|p| p.rows.len())
            .sum();
        let open = match number {
            0 => stage.ir.lines().count() <= MAX_OPEN_LINES,
            _ => visible > 0 && visible <= MAX_OPEN_LINES,
        };
        let open = if open { " open" } else { "" };
        let _ = write!(
            page,
            "<details class=\"box stage\" id=stage-{number}{open}><summary><h3>{}</h3> <span class=meta>",
            escape(&stage.name)
        );
        meta(page, number, stage, rows);
        page.push_str("</span>");
        if let Some(verdict) = &stage.verdict {
            badge(page, verdict);
        }
        page.push_str("</summary>");
        if let Some(verdict) = stage
            .verdict
            .as_ref()
            .filter(|v| v.kind != VerdictKind::Good && !v.detail.is_empty())
        {
            let _ = write!(page, "<p class=detail>{}</p>", prose(&verdict.detail));
        }
        let is_changed = number == 0 || !rows.is_empty();
        pack.stage(is_changed.then(|| packed(&stage.ir)), rows);
        if !is_changed {
            page.push_str(
                "<p class=note>This stage found nothing to do: the module is as it was.</p>",
            );
        }
        page.push_str("</details>\n");
    }
}

pub(super) fn times(page: &mut String, report: &Report) {
    let all: Vec<(&str, f64)> = report
        .stages
        .iter()
        .filter_map(|s| Some((s.name.as_str(), s.millis?)))
        .collect();
    let most = all.iter().map(|(_, m)| *m).fold(0.0, f64::max);
    let total: f64 = all.iter().map(|(_, m)| m).sum();
    page.push_str(
        "<table class=bars><caption class=vh>Milliseconds of each stage</caption><thead \
         class=vh><tr><th scope=col>Stage</th>\
         <th scope=col>Time</th><th scope=col>Share</th></tr></thead><tbody>",
    );
    for (name, millis) in &all {
        let width = if most > 0.0 {
            millis / most * 100.0
        } else {
            0.0
        };
        let share = if total > 0.0 {
            millis / total * 100.0
        } else {
            0.0
        };
        let _ = write!(
            page,
            "<tr><th scope=row><code>{}</code></th><td class=num>{}</td><td><span class=fill \
             style=\"width:{width:.2}%\"></span>\
             <span class=share>{share:.0} %</span></td></tr>",
            escape(name),
            milliseconds(*millis)
        );
    }
    let _ = writeln!(
        page,
        "</tbody><tfoot><tr><th scope=row>All</th><td class=num>{}</td><td></td></tr></tfoot></table>",
        milliseconds(total)
    );
}
