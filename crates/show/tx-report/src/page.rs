//! HTML page of a report.

mod choices;
mod validation;

use crate::diff::{Row, fold, rows};
use crate::highlight::{Token, mlir, ptx as ptx_tokens, write};
use crate::html::{escape, prose};
use crate::pack::Pack;
use crate::{Check, Mood, Report, Stage, Verdict, fragment, ptx, tree};
use choices::choices;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use tx_plan::{
    BY_RULES, Choice, Cost, Estimates, FIRST_CASE, GroupChoice, NO_LANES, ScheduleChoice,
    ScheduleStep, Variant,
};
use validation::{check, wrong_lines};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Maximum number of characters shown per line. MLIR prints a GPU binary on a single, very long
/// line.
const MOST_CHARACTERS: usize = 2000;
/// A stage with at most this number of lines is expanded initially.
const MOST_OPEN: usize = 60;
const MOST_OPEN_KERNELS: usize = 2;
const MOST_OPEN_FRAGMENTS: usize = 3;

/// Renders the complete page.
pub fn render(report: &Report) -> String {
    let mut page = String::with_capacity(1 << 20);
    let title = escape(report.file.rsplit('/').next().unwrap_or(&report.file));
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src \
         'unsafe-inline'; script-src \
         'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n\
         <meta name=generator content=\"{} {}\">\n<title>{title}: lowering</title>\n\
         <script>document.documentElement.className='js'</script>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=skip href=\"#main\">Skip to the report</a>\n",
        escape(&report.program),
        escape(&report.version)
    );
    let changes: Vec<Vec<Row>> = changes(&report.stages);
    let mut pack = Pack::default();
    let parts = parts(report);
    header(&mut page, report, &parts, &title);
    page.push_str("<main id=main tabindex=-1>\n");
    problems(&mut page, report);
    pipeline(&mut page, report, &changes);
    for (id, heading) in &parts {
        let _ = write!(
            page,
            "<section id={id} aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{heading}</h2>\n"
        );
        match *id {
            "check" => check(&mut page, report),
            "choices" => choices(&mut page, report),
            "kernels" => kernels(&mut page, &mut pack, report),
            "layouts" => layouts(&mut page, &mut pack, report),
            "program" => program(&mut page, report),
            "stages" => stages(&mut page, &mut pack, report, &changes),
            "ptx" => ptx_section(&mut page, &mut pack, report),
            _ => times(&mut page, report),
        }
        page.push_str("</section>\n");
    }
    page.push_str("</main>\n<footer>");
    keys(&mut page, report, &parts);
    let _ = write!(
        page,
        "<p>Made by {} {}.</p></footer>\n<template \
         id=pack>{}</template>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&report.program),
        escape(&report.version),
        pack.encode()
    );
    page
}

fn keys(page: &mut String, report: &Report, parts: &[(&str, &str)]) {
    let mut keys = Vec::new();
    if !parts.is_empty() {
        keys.push(
            "<kbd>/</kbd> search, <kbd>Enter</kbd> and <kbd>Shift</kbd>+<kbd>Enter</kbd> next and \
             previous hit, \
             <kbd>Esc</kbd> leave the search",
        );
    }
    if !report.stages.is_empty() {
        keys.push("<kbd>j</kbd> and <kbd>k</kbd> next and previous stage");
    }
    if !keys.is_empty() {
        let _ = write!(page, "<p>Keys: {}.</p>", keys.join(", "));
    }
}

fn parts(report: &Report) -> Vec<(&'static str, &'static str)> {
    let has = |id: &str| match id {
        "check" => !matches!(report.check, Check::NotAsked),
        "choices" => !(report.warnings.is_empty() && report.choices.is_empty()),
        "kernels" => !report.kernels.is_empty(),
        "layouts" => !report.fragments.is_empty(),
        "program" => report.source.is_some(),
        "stages" => !report.stages.is_empty(),
        "ptx" => report.ptx.is_some(),
        _ => report.stages.iter().any(|s| s.millis.is_some()),
    };
    [
        ("check", "Verdict"),
        ("choices", "Choices"),
        ("kernels", "Threads at work"),
        ("layouts", "Who holds what"),
        ("program", "Program"),
        ("stages", "Stages"),
        ("ptx", "PTX"),
        ("times", "Time"),
    ]
    .into_iter()
    .filter(|(id, _)| has(id))
    .collect()
}

fn header(page: &mut String, report: &Report, parts: &[(&str, &str)], title: &str) {
    let _ = write!(
        page,
        "<header class=top>\n<div class=title><h1>{title}</h1>\n<p class=facts>"
    );
    if let Some(entry) = &report.entry {
        let _ = write!(page, "<span>Entry <code>@{}</code></span> ", escape(entry));
    }
    let _ = write!(
        page,
        "<span>Chip <code>{}</code></span> ",
        escape(&report.chip)
    );
    let _ = writeln!(
        page,
        "<span>File <code>{}</code></span></p></div>",
        escape(&report.file)
    );
    page.push_str("<button type=button id=theme>Theme: system</button>\n</header>\n");
    if !parts.is_empty() {
        page.push_str("<div class=dock><nav class=parts tabindex=0 aria-label=Parts><ul>");
        for (id, heading) in parts {
            let _ = write!(page, "<li><a href=\"#{id}\">{heading}</a></li>");
        }
        page.push_str(
            "</ul></nav><form role=search class=search>\
             <label class=vh for=query>Search program, stages and PTX</label>\
             <input id=query type=search autocomplete=off spellcheck=false placeholder=\"Search ( / )\">\
             <button type=button id=previous aria-label=\"Previous hit\">↑</button>\
             <button type=button id=next aria-label=\"Next hit\">↓</button>\
             <output id=hits for=query aria-live=polite></output></form></div>\n",
        );
    }
    let needs = |what: &str| {
        format!(
            "Stages, PTX and what else is folded are unpacked by a script in this page, {what}. \
             The rest is here all the same."
        )
    };
    let _ = writeln!(
        page,
        "<noscript><p class=needs>{}</p></noscript><p class=needs id=needs role=alert hidden>{}</p>",
        needs("which the browser has to be let run"),
        needs("for which this browser is too old: those of 2023 and later have what it takes")
    );
}

fn problems(page: &mut String, report: &Report) {
    if report.problems.is_empty() {
        return;
    }
    page.push_str(
        "<section class=refused id=refused aria-labelledby=refused-h><h2 \
                   id=refused-h>Refused</h2>\n",
    );
    let last = report.stages.last().map(|s| s.name.as_str());
    match last {
        None => page.push_str("<p>The program cannot be read.</p>"),
        Some(last) => {
            let _ = write!(
                page,
                "<p>The last stage that the program got through is <code>{}</code>.</p>",
                escape(last)
            );
        }
    }
    page.push_str("<ul class=problems>");
    for problem in &report.problems {
        page.push_str("<li>");
        place(page, problem.line, problem.column);
        let _ = write!(
            page,
            "<strong>{}:</strong> {}",
            escape(&problem.severity),
            prose(&problem.message)
        );
        source_line(page, report, problem.line);
        if let Some(code) = &problem.code {
            let code = escape(code);
            let _ = write!(
                page,
                "<p class=note><code>{code}</code>: <code>{} explain {code}</code> says more.</p>",
                escape(&report.program)
            );
        }
        if !problem.notes.is_empty() {
            page.push_str("<ul>");
            for text in &problem.notes {
                let _ = write!(page, "<li>{}</li>", prose(text));
            }
            page.push_str("</ul>");
        }
        page.push_str("</li>");
    }
    page.push_str("</ul></section>\n");
}

/// Appends a link to a source location.
fn place(page: &mut String, line: Option<usize>, column: Option<usize>) {
    if let Some(line) = line {
        let column = column.map_or_else(String::new, |c| format!(":{c}"));
        let _ = write!(page, "<a href=\"#line-{line}\">line {line}{column}</a> ");
    }
}

fn source_line(page: &mut String, report: &Report, line: Option<usize>) {
    let line = line.and_then(|n| report.source.as_ref()?.lines().nth(n.checked_sub(1)?));
    if let Some(line) = line {
        page.push_str("<pre class=quote><code>");
        write(page, &mlir(shown(line.trim()).0));
        page.push_str("</code></pre>");
    }
}

fn symbol(mood: Mood) -> (&'static str, &'static str) {
    match mood {
        Mood::Good => ("good", "✓"),
        Mood::Fair => ("fair", "≈"),
        Mood::Unknown => ("unknown", "?"),
        Mood::Nothing => ("plain", "–"),
        Mood::Bad => ("bad", "✗"),
    }
}

fn badge(page: &mut String, verdict: &Verdict) {
    let (class, sign) = symbol(verdict.mood);
    let _ = write!(
        page,
        "<span class=\"badge {class}\"><span aria-hidden=true>{sign}</span> {}</span>",
        escape(&verdict.word)
    );
}

/// Returns the shown part of a line, and the number of truncated characters.
fn shown(line: &str) -> (&str, usize) {
    // PTX in a string attribute is shown in a section of its own.
    const HOLDS_PTX: &str = "assembly = \"";
    let most = match line.find(HOLDS_PTX) {
        Some(at) => line[..at + HOLDS_PTX.len()].chars().count() + 80,
        None => MOST_CHARACTERS,
    };
    match line.char_indices().nth(most) {
        Some((at, _)) => (&line[..at], line[at..].chars().count()),
        None => (line, 0),
    }
}

/// Returns the diff of each stage; the diff of the first stage is empty.
fn changes(stages: &[Stage]) -> Vec<Vec<Row>> {
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

/// Returns the number of added and removed lines.
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
/// stage, appends the number of lines.
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

fn milliseconds(millis: f64) -> String {
    match millis {
        m if m < 10.0 => format!("{m:.2} ms"),
        m => format!("{m:.1} ms"),
    }
}

fn pipeline(page: &mut String, report: &Report, changes: &[Vec<Row>]) {
    if report.stages.is_empty() {
        return;
    }
    page.push_str(
        "<nav class=pipeline aria-labelledby=pipeline-h><h2 \
                   id=pipeline-h>Pipeline</h2>\n<ol class=strip>",
    );
    for (number, (stage, rows)) in report.stages.iter().zip(changes).enumerate() {
        let mood = stage.verdict.as_ref().map_or("plain", |v| symbol(v.mood).0);
        let quiet = if number > 0 && counts(rows) == (0, 0) {
            " quiet"
        } else {
            ""
        };
        let _ = write!(
            page,
            "<li class=\"{mood}{quiet}\"><a href=\"#stage-{number}\"><span \
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

/// Appends a collapsible box. If `open` is false, the script of the page inserts the content of the
/// box when the reader opens the box.
fn folding(page: &mut String, pack: &mut Pack, open: bool, summary: &str, inside: String) {
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

fn kernels(page: &mut String, pack: &mut Pack, report: &Report) {
    page.push_str(
        "<p class=lead>What the threads of each kernel do together, in program order, read off \
         its ops after the last pass of \
         <code>lower-reduction</code>. A column is a lane; strong lines lead to the result of the \
         first lane of each group.</p>\
         <ul class=legend aria-hidden=true><li><span class=\"key arc\"></span>value taken from a lane</li>\
         <li><span class=\"key bar warp\"></span>barrier of a warp</li><li><span class=\"key bar \
         block\"></span>barrier of the block</li>\
         <li><span class=\"key mem shared\"></span>shared memory</li><li><span class=\"key mem \
         global\"></span>global memory</li>\
         <li><span class=\"key dot\"></span>lane that takes part</li>\
         <li><span class=\"key dot maybe\"></span>lane that does where a condition holds</li>\
         <li><span class=\"key dot cold\"></span>lane that does not</li></ul>\n",
    );
    for (number, kernel) in report.kernels.iter().enumerate() {
        let mut summary = format!("<h3><code>@{}</code></h3>", escape(&kernel.name));
        if let Some(lengths) = &kernel.lengths {
            let _ = write!(summary, " <span class=meta>for {}</span>", prose(lengths));
        }
        let mut inside = String::new();
        tree::draw(&mut inside, kernel, &format!("kernel-{number}"));
        folding(page, pack, number < MOST_OPEN_KERNELS, &summary, inside);
    }
}

fn layouts(page: &mut String, pack: &mut Pack, report: &Report) {
    for (number, each) in report.fragments.iter().enumerate() {
        let shape: Vec<String> = each.shape.iter().map(ToString::to_string).collect();
        let shape = if shape.is_empty() {
            "a scalar".to_owned()
        } else {
            shape.join("×")
        };
        let summary = format!("<h3>Fragment {}: {shape}</h3>", number + 1);
        let mut inside = String::new();
        fragment::draw(&mut inside, each);
        folding(page, pack, number < MOST_OPEN_FRAGMENTS, &summary, inside);
    }
}

fn left_out(page: &mut String, characters: usize) {
    if characters > 0 {
        let _ = write!(page, "<em class=cut> … {characters} more characters</em>");
    }
}

fn program(page: &mut String, report: &Report) {
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

/// Returns tokenized lines, each with the number of truncated characters.
fn packed(text: &str) -> impl Iterator<Item = (Vec<Token<'_>>, usize)> {
    text.lines().map(|line| {
        let (line, cut) = shown(line);
        (mlir(line), cut)
    })
}

fn stages(page: &mut String, pack: &mut Pack, report: &Report, changes: &[Vec<Row>]) {
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
            0 => stage.ir.lines().count() <= MOST_OPEN,
            _ => visible > 0 && visible <= MOST_OPEN,
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
            .filter(|v| v.mood != Mood::Good && !v.detail.is_empty())
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

/// Returns a line, truncated to fit in a note.
fn quote(text: &str) -> String {
    const ROOM: usize = 72;
    if text.chars().count() <= ROOM {
        return text.to_owned();
    }
    text.chars().take(ROOM - 1).chain(['…']).collect()
}

fn ptx_section(page: &mut String, pack: &mut Pack, report: &Report) {
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

fn times(page: &mut String, report: &Report) {
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

#[cfg(test)]
mod tests;
