//! HTML page of a report.

use crate::diff::{Row, fold, rows};
use crate::highlight::{Token, mlir, ptx as ptx_tokens, write};
use crate::html::{escape, prose};
use crate::pack::Pack;
use crate::{Check, Mood, Report, Stage, Verdict, fragment, ptx, tree};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use tx_plan::{
    BY_RULES, Choice, Cost, Estimates, FIRST_CASE, GroupChoice, NO_LANES, ScheduleChoice,
    ScheduleStep, Variant,
};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Maximum number of characters shown per line. Without a limit, a GPU binary would be shown on one
/// very long line.
const MOST_CHARACTERS: usize = 2000;
/// Maximum number of lines of a stage that is initially expanded.
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

/// Returns the part of a line that the page shows, and the number of characters that are cut off.
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

/// Appends the numbers of added and removed lines of a stage, and the duration of the stage. For
/// the first stage, appends the number of its lines.
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

/// Name of the validation stage that reports combiner properties.
const LAWS: &str = "laws";

fn check(page: &mut String, report: &Report) {
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
    let wrong = verdicts.iter().find(|(_, v)| v.mood == Mood::Bad);
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
                 what it computed as it came, on {inputs_run}.</p>"
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
    // Omit verdicts without a detail that repeat an earlier verdict.
    let is_remarkable = |verdict: &Verdict| {
        !verdict.detail.is_empty() || matches!(verdict.mood, Mood::Bad | Mood::Fair)
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

struct Place {
    range: Range<usize>,
    line: usize,
}

fn places(text: &str, file: &str) -> Vec<Place> {
    let mut found = Vec::new();
    let mark = format!("{file}:");
    for (start, _) in text.match_indices(&mark) {
        let rest = &text[start + mark.len()..];
        let end = rest.find(|c: char| c != ':' && !c.is_ascii_digit());
        let numbers = rest[..end.unwrap_or(rest.len())].trim_end_matches(':');
        let line = numbers.split(':').next().and_then(|line| line.parse().ok());
        if let Some(line) = line {
            let range = start..start + mark.len() + numbers.len();
            found.push(Place { range, line });
        }
    }
    found
}

/// Returns the source lines that the first failed verdict mentions.
fn wrong_lines(report: &Report) -> BTreeSet<usize> {
    let Check::Done { verdicts, .. } = &report.check else {
        return BTreeSet::new();
    };
    let wrong = verdicts.iter().find(|(_, v)| v.mood == Mood::Bad);
    let named = wrong.map(|(_, verdict)| places(&verdict.detail, &report.file));
    named
        .into_iter()
        .flatten()
        .map(|place| place.line)
        .collect()
}

fn choices(page: &mut String, report: &Report) {
    for warning in &report.warnings {
        page.push_str(
            "<article class=choice><h3><span class=\"badge fair\"><span aria-hidden=true>!</span> \
             warning</span> ",
        );
        let _ = write!(page, "{}</h3><p class=note>", prose(&warning.message));
        place(page, warning.line, warning.column);
        page.push_str("</p>");
        source_line(page, report, warning.line);
        for note in &warning.notes {
            let _ = write!(page, "<p>{}</p>", prose(note));
        }
        page.push_str("</article>\n");
    }
    for explanation in &report.choices {
        let at = explanation.place.as_ref();
        let at = at.filter(|at| at.file == report.file && at.line > 0);
        let line = at.map(|at| at.line);
        let _ = write!(
            page,
            "<article class=choice><h3>{}</h3><p class=note>",
            prose(&explanation.message())
        );
        place(page, line, at.map(|at| at.column));
        page.push_str("</p>");
        source_line(page, report, line);
        match &explanation.choice {
            Choice::Schedule(choice) => schedule(page, choice),
            Choice::Group(choice) => group(page, choice),
            Choice::Apart(choice) => {
                let _ = write!(page, "<p>{}</p>", prose(&choice.reason));
            }
            Choice::Variant(choice) => variants(page, &choice.variants, Some(&choice.chosen)),
            Choice::Exchange(choice) if choice.chosen.is_none() => {
                let _ = write!(page, "<p class=note>{}</p>", prose(NO_LANES));
            }
            Choice::Exchange(choice) => variants(page, &choice.ways, choice.chosen.as_ref()),
        }
        page.push_str("</article>\n");
    }
}

fn steps(page: &mut String, steps: &[ScheduleStep]) {
    page.push_str("<ul class=steps>");
    for step in steps {
        let _ = write!(page, "<li><code>{}</code></li>", escape(&step.words));
    }
    page.push_str("</ul>");
}

fn schedule(page: &mut String, choice: &ScheduleChoice) {
    page.push_str(
        "<div class=scroll tabindex=0 role=group aria-label=Schedules><table \
         class=plain><caption>Schedules</caption><thead><tr>\
         <th scope=col>Lengths</th><th scope=col>Kernels</th><th scope=col>Steps</th></tr></thead><tbody>",
    );
    for (number, case) in choice.cases.iter().enumerate() {
        let lengths = case.lengths(number);
        let plural = if case.threads == 1 { "" } else { "s" };
        let time = match &case.estimate {
            Some(estimate) => format!(", {}", estimate.text()),
            None => String::new(),
        };
        let kernel = format!(
            "{}, {} thread{plural} a block{time}",
            case.kernel(),
            case.threads
        );
        let _ = write!(
            page,
            "<tr><th scope=row>{}</th><td data-head=Kernels>{}</td><td data-head=Steps>",
            prose(lengths.as_deref().unwrap_or("all lengths")),
            prose(&kernel)
        );
        steps(page, &case.steps);
        page.push_str("</td></tr>");
    }
    page.push_str("</tbody></table></div>");
    if choice.cases.len() > 1 {
        let _ = write!(page, "<p class=note>{}</p>", prose(FIRST_CASE));
    }
    if let Some(known) = &choice.estimates {
        estimates(page, choice, known);
    }
}

fn group(page: &mut String, choice: &GroupChoice) {
    page.push_str("<ol>");
    for op in &choice.ops {
        let _ = write!(page, "<li>{}</li>", prose(&op.line()));
    }
    page.push_str("</ol>");
    for note in choice.notes() {
        let _ = write!(page, "<p class=note>{}</p>", prose(&note));
    }
    steps(page, &choice.steps);
}

fn variants(page: &mut String, variants: &[Variant], chosen: Option<&String>) {
    let is_chosen = |variant: &Variant| chosen == Some(&variant.name);
    // Sort the chosen variant first, then the other applicable variants.
    let mut all: Vec<&Variant> = variants.iter().collect();
    all.sort_by_key(|variant| (!is_chosen(variant), variant.cost.is_none()));
    let priorities = all.iter().any(|variant| variant.priority.is_some());
    let heading = match priorities {
        true => "<th scope=col class=num>Priority</th>",
        false => "",
    };
    let _ = write!(
        page,
        "<div class=scroll tabindex=0 role=group aria-label=Variants><table class=\"plain \
         variants\"><caption>Variants</caption><thead><tr>\
         <th scope=col>Variant</th><th scope=col>Choice</th>{heading}<th scope=col class=num>Cost</th>\
         <th scope=col>Why not</th></tr></thead><tbody>",
    );
    let number = |n: Option<String>| n.unwrap_or_default();
    for variant in all {
        let (class, word) = match (is_chosen(variant), variant.cost) {
            (true, _) => ("good", "✓ chosen"),
            (false, Some(_)) => ("fair", "accepted"),
            (false, None) => ("unknown", "refused"),
        };
        let _ = write!(
            page,
            "<tr><th scope=row><code>{}</code></th><td data-head=Choice><span class=\"badge \
             {class}\">{word}</span></td>",
            escape(&variant.name)
        );
        if priorities {
            let priority = number(variant.priority.map(|n| n.to_string()));
            let _ = write!(page, "<td class=num data-head=Priority>{priority}</td>");
        }
        let cost = number(variant.cost.map(|n| n.to_string()));
        let _ = write!(
            page,
            "<td class=num data-head=Cost>{cost}</td><td data-head=\"Why not\">"
        );
        if !variant.reasons.is_empty() {
            page.push_str("<ul class=reasons>");
            for reason in &variant.reasons {
                page.push_str("<li>");
                if let Some(predicate) = &reason.predicate {
                    let _ = write!(page, "<b>{}</b> ", escape(predicate));
                }
                let _ = write!(page, "{}</li>", prose(&reason.text));
            }
            page.push_str("</ul>");
        }
        page.push_str("</td></tr>");
    }
    page.push_str("</tbody></table></div>");
}

fn estimates(page: &mut String, choice: &ScheduleChoice, known: &Estimates) {
    let mut notes = vec![format!("estimates are for {}", known.about())];
    if choice.mapping.is_some() {
        notes.push(BY_RULES.to_owned());
    }
    for note in notes {
        let _ = write!(page, "<p class=note>{}</p>", prose(&note));
    }
    let _ = write!(
        page,
        "<details class=words><summary>Estimated times of this schedule and of {} others</summary>\
         <div class=scroll tabindex=0 role=group aria-label=Estimates><table class=plain><caption \
         class=vh>Estimates</caption><thead><tr>\
         <th scope=col>Choice</th><th scope=col class=num>Time</th><th scope=col>For</th><th \
         scope=col>Steps</th></tr></thead><tbody>",
        known.others.len()
    );
    let own = match choice.mapping {
        None => ("good", "✓ written"),
        Some(_) => ("good", "✓ chosen"),
    };
    let mut row = |(class, word): (&str, &str), cost: &Cost, inside: &dyn Fn(&mut String)| {
        let _ = write!(
            page,
            "<tr><td data-head=Choice><span class=\"badge {class}\">{word}</span></td><td \
             class=num data-head=Time>{:.1} µs</td>\
             <td data-head=For>{}</td><td data-head=Steps>",
            cost.microseconds,
            prose(&cost.work())
        );
        inside(page);
        page.push_str("</td></tr>");
    };
    row(own, &known.own, &|_| {});
    for other in &known.others {
        row(
            ("plain", "candidate"),
            &other.cost,
            &|page| match &other.cases[..] {
                [(None, only)] => steps(page, only),
                _ => {
                    let _ = write!(page, "<code>{}</code>", escape(&other.words()));
                }
            },
        );
    }
    page.push_str("</tbody></table></div></details>");
}

/// Appends a collapsible box. If `open` is false, the page's script inserts the content when the
/// reader opens the box.
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

/// Returns tokenized lines, each with the number of characters that were cut off.
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
mod tests {
    use super::*;
    use crate::{Fragment, Holder, Kernel, Op, Region, Remark};
    use tx_plan::{
        ApartChoice, Candidate, ExchangeChoice, Explanation, GroupedArray, GroupedOp, Reason,
        ScheduleCase, Traffic, UpTo, VariantChoice,
    };

    fn hostile(word: &str) -> String {
        format!("</script></style><img src=x onerror='{word}'>\"&lt;`<b>`")
    }

    fn verdict(mood: Mood) -> Verdict {
        Verdict {
            mood,
            word: hostile("word"),
            detail: hostile("detail"),
        }
    }

    fn remark(word: &str) -> Remark {
        Remark {
            severity: hostile("severity"),
            message: hostile(word),
            code: Some(hostile("code")),
            line: Some(1),
            column: Some(2),
            notes: vec![hostile("note")],
        }
    }

    fn choices() -> Vec<Explanation> {
        let cost = Cost {
            microseconds: 1.5,
            bytes: 8.0,
            waves: 1.0,
            resident: 2048.0,
            memory: 1.0,
            latency: 1.0,
            instructions: 1.0,
        };
        let step = || ScheduleStep {
            attribute: hostile("attribute"),
            words: hostile("step"),
            sort: hostile("sort"),
        };
        let candidate = |cases| Candidate { cost, cases };
        let up_to = UpTo {
            dimension: 0,
            length: 8,
        };
        let explanation = |choice| Explanation {
            op: hostile("op"),
            place: None,
            choice,
        };
        let variant = Variant {
            name: hostile("variant"),
            priority: Some(1),
            cost: None,
            reasons: vec![Reason {
                predicate: Some(hostile("predicate")),
                text: hostile("reason"),
            }],
        };
        let schedule = ScheduleChoice {
            mapping: Some(hostile("mapping")),
            cases: vec![ScheduleCase {
                up_to: Some(up_to),
                is_one_kernel: true,
                kernels: vec![hostile("name")],
                threads: 1,
                estimate: None,
                steps: vec![step()],
            }],
            estimates: Some(Estimates {
                board: hostile("board"),
                chip: hostile("card"),
                lengths: vec![8.0],
                is_assumed: true,
                own: cost,
                others: vec![
                    candidate(vec![(None, vec![step()])]),
                    candidate(vec![(Some(up_to), vec![step()]), (None, Vec::new())]),
                ],
            }),
        };
        vec![
            explanation(Choice::Schedule(schedule)),
            explanation(Choice::Group(GroupChoice {
                mapping: None,
                kernel: Some(hostile("grouped")),
                lengths: Some(hostile("rows")),
                threads: 1,
                blocks: 2,
                ops: vec![GroupedOp {
                    op: hostile("member"),
                    place: None,
                }],
                arrays: vec![GroupedArray {
                    name: hostile("array"),
                    argument: None,
                    is_held: true,
                    is_stored: false,
                }],
                traffic: Some(Traffic {
                    bytes: 2,
                    fewest: 1,
                }),
                steps: vec![step()],
            })),
            explanation(Choice::Apart(ApartChoice {
                reason: hostile("apart"),
            })),
            explanation(Choice::Variant(VariantChoice {
                chosen: hostile("chosen"),
                variants: vec![variant.clone()],
            })),
            explanation(Choice::Exchange(ExchangeChoice {
                kernel: Some(hostile("exchanging")),
                lengths: None,
                chosen: Some(hostile("way")),
                ways: vec![variant],
            })),
        ]
    }

    fn full() -> Report {
        let stage = |ir: &str, mood| Stage {
            name: hostile("stage"),
            ir: format!("{ir}\n{}", hostile("ir")),
            millis: Some(1.25),
            verdict: Some(verdict(mood)),
        };
        Report {
            file: hostile("file"),
            source: Some(hostile("source")),
            entry: Some(hostile("entry")),
            chip: hostile("chip"),
            version: hostile("version"),
            program: hostile("program"),
            problems: vec![remark("problem")],
            stages: vec![
                stage("%0 = a.a", Mood::Good),
                stage("%0 = a.b", Mood::Bad),
                stage("%0 = a.b", Mood::Unknown),
            ],
            check: Check::Done {
                is_good: false,
                is_conditional: false,
                note: Some(hostile("blame")),
                grid: Some(hostile("grid")),
                inputs: vec![hostile("input")],
                left_out: 1,
                verdicts: vec![(hostile("checked"), verdict(Mood::Bad))],
            },
            warnings: vec![remark("warning")],
            choices: choices(),
            kernels: vec![Kernel {
                lengths: Some(hostile("lengths")),
                name: hostile("kernel"),
                block: [32, 1, 1],
                arguments: vec![(0, hostile("argument"))],
                body: Region {
                    arguments: vec![0],
                    ops: vec![Op {
                        name: "memref.load".to_owned(),
                        operands: vec![0],
                        operand_types: vec!["memref<f32>".to_owned()],
                        results: vec![1],
                        result_types: vec![hostile("type")],
                        ..Op::default()
                    }],
                },
            }],
            fragments: vec![Fragment {
                ty: hostile("fragment"),
                shape: vec![1],
                holders: vec![vec![Holder {
                    thread: 0,
                    register: 0,
                }]],
                values: vec![hostile("value")],
            }],
            ptx: Some(hostile("ptx")),
            ptx_is_plain: true,
        }
    }

    fn packed(page: &str) -> serde_json::Value {
        let (_, rest) = page.split_once("<template id=pack>").unwrap();
        crate::pack::decode(rest.split('<').next().unwrap())
    }

    #[test]
    fn no_text_is_html_wherever_it_stands() {
        let mut report = full();
        // One kernel more than the page expands initially.
        report.kernels = vec![report.kernels[0].clone(); MOST_OPEN_KERNELS + 1];
        report.kernels[MOST_OPEN_KERNELS].name = hostile("folded");
        let page = render(&report);
        let pack = packed(&page);
        let words = [
            "word",
            "detail",
            "severity",
            "problem",
            "note",
            "predicate",
            "reason",
            "variant",
            "step",
            "name",
            "board",
            "card",
            "chosen",
            "exchanging",
            "way",
            "op",
            "stage",
            "file",
            "source",
            "entry",
            "chip",
            "version",
            "program",
            "blame",
            "input",
            "checked",
            "warning",
            "kernel",
            "argument",
            "type",
            "fragment",
            "value",
        ];
        for word in words {
            // In code, a word is a token of its own.
            let (plain, token) = (format!("&#39;{word}&#39;"), format!("{word}</i>&#39;"));
            assert!(page.contains(&plain) || page.contains(&token), "{word}");
        }
        assert!(!page.contains("<img"));
        // In the packed data, folded parts are HTML, and lines are plain text.
        let parts = pack["parts"].as_array().unwrap();
        assert!(parts[0].as_str().unwrap().contains("&#39;folded&#39;"));
        assert!(
            parts
                .iter()
                .all(|part| !part.as_str().unwrap().contains("<img"))
        );
        for word in ["ir", "ptx"] {
            let line = serde_json::Value::from(hostile(word));
            assert!(pack["lines"].as_array().unwrap().contains(&line), "{word}");
        }
        assert_eq!(page.matches("<script>").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("</style>").count(), 1);
    }

    #[test]
    fn a_page_is_a_function_of_its_report() {
        assert_eq!(render(&full()), render(&full()));
        let mut timeless = full();
        timeless
            .stages
            .iter_mut()
            .for_each(|stage| stage.millis = None);
        let page = render(&timeless);
        assert!(!page.contains("id=times") && !page.contains(" ms</span>"));
    }

    #[test]
    fn an_empty_report_is_a_page() {
        let page = render(&Report::default());
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(!page.contains("<section") && !page.contains("Keys:"));
    }

    #[test]
    fn keys_for_stages_are_told_where_there_are_stages() {
        let told = "<kbd>j</kbd> and <kbd>k</kbd>";
        assert!(render(&full()).contains(told));
        let page = render(&Report {
            stages: Vec::new(),
            ..full()
        });
        assert!(page.contains("Keys: <kbd>/</kbd>") && !page.contains(told));
    }

    #[test]
    fn every_stage_says_something_before_its_time() {
        let page = render(&full());
        assert!(
            page.contains(" ms</span>") && !page.contains("<span class=meta> <span class=time>")
        );
    }

    #[test]
    fn verdicts_that_repeat_are_folded() {
        let again = |name: &str, detail: &str| {
            let verdict = Verdict {
                mood: Mood::Unknown,
                word: "as before".to_owned(),
                detail: detail.to_owned(),
            };
            (name.to_owned(), verdict)
        };
        let mut report = full();
        let Check::Done { verdicts, .. } = &mut report.check else {
            unreachable!("a full report is checked")
        };
        verdicts.extend([again("repeats", ""), again("says-why", "no such op")]);
        let page = render(&report);
        assert_eq!(page.matches("<code>repeats</code>").count(), 1);
        assert_eq!(page.matches("<code>says-why</code>").count(), 2);
        let (shown, folded) = page.split_once("<summary>All 3 stages").unwrap();
        assert!(!shown.contains("<code>repeats</code>") && folded.contains("<code>repeats</code>"));
    }

    #[test]
    fn quotes_say_that_they_are_cut() {
        assert_eq!(quote(&"é".repeat(72)), "é".repeat(72));
        assert_eq!(quote(&"é".repeat(73)), format!("{}…", "é".repeat(71)));
    }

    #[test]
    fn nothing_is_fetched() {
        let page = render(&full());
        for word in [
            "src=",
            "href=\"http",
            "url(",
            "@import",
            "fetch(",
            "XMLHttpRequest",
        ] {
            let found = page.matches(word).count();
            // Only the escaped hostile texts contain `word`.
            let told = page.matches("&lt;img src=x").count();
            assert_eq!(found, if word == "src=" { told } else { 0 }, "{word}");
        }
    }
}
