//! HTML page of a report.

mod choices;
mod code;
mod drawings;
mod markup;
mod stages;
#[cfg(test)]
mod tests;
mod validation;

use crate::diff::Row;
use crate::html::{escape, prose};
use crate::pack::Pack;
use crate::report::{Check, Report};
use choices::choices;
use code::{program, ptx_section};
use drawings::{kernels, layouts};
use markup::{place, source_line};
use stages::{changes, pipeline, stages, times};
use std::fmt::Write as _;
use validation::check;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

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
