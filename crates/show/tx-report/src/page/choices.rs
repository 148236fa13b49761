//! Renders the chosen schedules, the groups of fused ops, and the chosen variants.

use super::markup::{place, source_line};
use crate::html::{escape, prose};
use crate::report::Report;
use std::fmt::Write as _;
use tx_plan::{
    BY_RULES, Choice, Cost, Estimates, FIRST_CASE, GroupChoice, NO_LANES, ScheduleChoice,
    ScheduleStep, Variant,
};

pub(super) fn choices(page: &mut String, report: &Report) {
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
    // The chosen variant precedes the other applicable variants in the sort order.
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
