//! Text layout of explanations. An explanation lists the chosen schedules and variants before the
//! details. Each line has at most 100 characters.

use tx_plan::{
    ApartChoice, BY_RULES, Candidate, Choice, Estimates, ExchangeChoice, Explanation, FIRST_CASE,
    GroupChoice, GroupedOp, NO_LANES, ScheduleCase, ScheduleChoice, ScheduleStep, SourcePlace,
    Variant, VariantChoice, steps_text,
};

use super::candidates::{kinds, printed_time, short, summary};
use super::wrap::wrap;
use crate::cli::Candidates;

/// Explanation of one op; equal data exchanges of the op in several kernels share one explanation.
pub(super) struct OpExplanation<'e> {
    pub(super) place: Option<SourcePlace>,
    pub(super) message: String,
    choice: ExplainedChoice<'e>,
}

enum ExplainedChoice<'e> {
    Schedule(&'e ScheduleChoice),
    Group(&'e GroupChoice),
    Apart(&'e ApartChoice),
    Variant(&'e VariantChoice),
    /// Data exchange between threads. Each pair contains the cost of the data exchange in one
    /// kernel, and the name of this kernel. The list of pairs is empty unless the kernel is
    /// launched only for a range of row lengths.
    Exchange(&'e ExchangeChoice, Vec<(String, String)>),
}

/// Explanation of one op, as lines of text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExplanationLines {
    /// Lines that contain the chosen schedule, variant or exchange, then the reason for the choice,
    /// then details.
    pub(super) summary: Vec<String>,
    pub(super) schedules: Vec<String>,
}

/// Merges equal explanations of data exchanges, and returns one entry for each remaining
/// explanation. Two explanations of data exchanges of one op share one entry if only the costs of
/// the exchanges differ.
pub(super) fn merge_exchanges(explanations: &[Explanation]) -> Vec<OpExplanation<'_>> {
    let mut all: Vec<OpExplanation<'_>> = Vec::new();
    for explanation in explanations {
        let explained = |choice| OpExplanation {
            place: explanation.place.clone(),
            message: explanation.message(),
            choice,
        };
        let exchange = match &explanation.choice {
            Choice::Schedule(choice) => {
                all.push(explained(ExplainedChoice::Schedule(choice)));
                continue;
            }
            Choice::Group(choice) => {
                all.push(explained(ExplainedChoice::Group(choice)));
                continue;
            }
            Choice::Apart(choice) => {
                all.push(explained(ExplainedChoice::Apart(choice)));
                continue;
            }
            Choice::Variant(choice) => {
                all.push(explained(ExplainedChoice::Variant(choice)));
                continue;
            }
            Choice::Exchange(choice) => choice,
        };
        let (Some(kernel), Some(_), Some(_)) =
            (&exchange.kernel, &exchange.lengths, &exchange.chosen)
        else {
            all.push(explained(ExplainedChoice::Exchange(exchange, Vec::new())));
            continue;
        };
        let costs: Vec<String> = exchange
            .ways
            .iter()
            .filter_map(|way| way.cost)
            .map(|cost| cost.to_string())
            .collect();
        let entry = (costs.join(" and "), format!("`{kernel}`"));
        if let Some(OpExplanation {
            place,
            choice: ExplainedChoice::Exchange(known, kernels),
            ..
        }) = all.last_mut()
            && !kernels.is_empty()
            && *place == explanation.place
            && are_alike(known, exchange)
        {
            // A kernel with several results has one exchange per result, but the list contains the
            // kernel only once.
            if kernels.last() != Some(&entry) {
                kernels.push(entry);
            }
            continue;
        }
        let mut merged = explained(ExplainedChoice::Exchange(exchange, vec![entry]));
        merged.message = exchange.what();
        all.push(merged);
    }
    all
}

/// Returns whether the data exchanges of two kernels have equal explanations, except for the costs.
fn are_alike(one: &ExchangeChoice, other: &ExchangeChoice) -> bool {
    let ways = |choice: &ExchangeChoice| -> Vec<String> {
        let each = choice.ways.iter();
        each.map(|way| without_cost(way, false)).collect()
    };
    one.chosen == other.chosen && ways(one) == ways(other)
}

fn without_cost(way: &Variant, is_chosen: bool) -> String {
    let verdict = match way.cost {
        Some(_) => "accepted".to_owned(),
        None => way.why(),
    };
    let chosen = if is_chosen { ", chosen" } else { "" };
    format!("{}: {verdict}{chosen}", way.name)
}

impl OpExplanation<'_> {
    /// Returns the explanation of the op as lines of text. If `full` is true, schedule steps are
    /// printed as complete attributes, on lines that are not wrapped.
    pub(super) fn laid_out(&self, full: bool) -> ExplanationLines {
        match &self.choice {
            ExplainedChoice::Schedule(choice) => schedule(choice, full),
            ExplainedChoice::Group(choice) => group(choice, full),
            ExplainedChoice::Apart(choice) => ExplanationLines {
                summary: wrap(&choice.reason, " ", "  "),
                schedules: Vec::new(),
            },
            ExplainedChoice::Variant(choice) => {
                let lines = ranked(&choice.variants, Some(&choice.chosen), Variant::line);
                ExplanationLines {
                    summary: lines
                        .iter()
                        .flat_map(|line| wrap(line, " ", "  "))
                        .collect(),
                    schedules: Vec::new(),
                }
            }
            ExplainedChoice::Exchange(choice, kernels) => exchange(choice, kernels),
        }
    }

    pub(super) fn candidates(&self, how: Candidates) -> Vec<String> {
        let ExplainedChoice::Schedule(ScheduleChoice {
            estimates: Some(Estimates { others, .. }),
            ..
        }) = &self.choice
        else {
            return Vec::new();
        };
        let lines = match how {
            Candidates::None => Vec::new(),
            Candidates::Kinds => kinds(others),
            Candidates::Short => others.iter().map(short).collect(),
            Candidates::Full => {
                let full = |other: &Candidate| format!("  {}: {}", other.cost.text(), other.text());
                return others.iter().map(full).collect();
            }
        };
        lines
            .iter()
            .flat_map(|line| wrap(line, ", ", "  "))
            .collect()
    }
}

/// Returns the lines about variants: first the chosen variant, then the applicable variants, then
/// the rejected variants.
fn ranked(
    variants: &[Variant],
    chosen: Option<&String>,
    line: fn(&Variant, bool) -> String,
) -> Vec<String> {
    let is_chosen = |variant: &Variant| chosen == Some(&variant.name);
    let mut order: Vec<&Variant> = variants.iter().collect();
    order.sort_by_key(|variant| (!is_chosen(variant), variant.cost.is_none()));
    order
        .into_iter()
        .map(|variant| line(variant, is_chosen(variant)))
        .collect()
}

fn exchange(choice: &ExchangeChoice, kernels: &[(String, String)]) -> ExplanationLines {
    let lines = match (&choice.chosen, kernels.is_empty()) {
        (None, _) => vec![NO_LANES.to_owned()],
        (chosen, true) => ranked(&choice.ways, chosen.as_ref(), Variant::line),
        (chosen, false) => ranked(&choice.ways, chosen.as_ref(), without_cost),
    };
    let mut summary: Vec<String> = lines
        .iter()
        .flat_map(|line| wrap(line, " ", "  "))
        .collect();
    if !kernels.is_empty() {
        let costs: Vec<String> = kernels
            .chunk_by(|a, b| a.0 == b.0)
            .map(|alike| match alike {
                [(cost, one)] => format!("{cost} in {one}"),
                [(cost, first), .., (_, last)] => format!("{cost} from {first} to {last}"),
                [] => String::new(),
            })
            .collect();
        let costs = wrap(&format!("cost {}", costs.join(", ")), ", ", "  ");
        // The lines with the costs follow the line with the chosen exchange.
        let chosen = wrap(&lines[0], " ", "  ").len();
        summary.splice(chosen..chosen, costs);
    }
    ExplanationLines {
        summary,
        schedules: Vec::new(),
    }
}

fn schedule(choice: &ScheduleChoice, full: bool) -> ExplanationLines {
    let mut notes = Vec::new();
    if let Some(estimates) = &choice.estimates {
        if choice.mapping.is_some() {
            notes.push(BY_RULES.to_owned());
        }
        notes.push(choice.own(&estimates.own));
        notes.extend(summary(&estimates.others, printed_time(&estimates.own)));
        notes.push(format!(
            "estimates are for {}; `--chip` selects another chip and its GPU",
            estimates.about()
        ));
    }
    if choice.cases.len() > 1 {
        notes.push(FIRST_CASE.to_owned());
    }
    let mut laid = ExplanationLines {
        summary: notes
            .iter()
            .flat_map(|note| wrap(note, " ", "  "))
            .collect(),
        schedules: Vec::new(),
    };
    laid.summary.extend(table(&choice.cases));
    for (number, case) in choice.cases.iter().enumerate() {
        let name = match case.lengths(number) {
            Some(lengths) if case.kernels.is_empty() => lengths,
            _ => case.kernel(),
        };
        match full {
            _ if case.steps.is_empty() => {
                laid.schedules
                    .push(format!("  {name}: no steps, so a loop for each dimension"));
            }
            true => laid
                .schedules
                .push(format!("  {name}: {}", steps_text(&case.steps))),
            false => {
                let line = format!("{name}: {}", words(&case.steps));
                laid.schedules.extend(wrap(&line, ", ", "  "));
            }
        }
    }
    laid
}

fn group(choice: &GroupChoice, full: bool) -> ExplanationLines {
    let ops: Vec<String> = choice.ops.iter().map(GroupedOp::line).collect();
    let mut summary = wrap(&format!("ops: {}", ops.join(", ")), ", ", "  ");
    let notes = choice.notes();
    summary.extend(notes.iter().flat_map(|note| wrap(note, " ", "  ")));
    let name = match &choice.kernel {
        Some(name) => format!("kernel `{name}`"),
        None => "one kernel".to_owned(),
    };
    let schedules = match full {
        true => vec![format!("  {name}: {}", steps_text(&choice.steps))],
        false => wrap(&format!("{name}: {}", words(&choice.steps)), ", ", "  "),
    };
    ExplanationLines { summary, schedules }
}

fn words(steps: &[ScheduleStep]) -> String {
    let words: Vec<&str> = steps.iter().map(|step| &*step.words).collect();
    words.join(", ")
}

/// Returns a table with one line per kernel of the schedule: row lengths, threads per block, and
/// estimated time.
fn table(cases: &[ScheduleCase]) -> Vec<String> {
    let rows: Vec<[String; 4]> = cases
        .iter()
        .enumerate()
        .map(|(number, case)| {
            let time = case.estimate.as_ref();
            [
                case.lengths(number).unwrap_or_default(),
                case.kernel(),
                case.threads.to_string(),
                time.map_or_else(String::new, |estimate| estimate.text()),
            ]
        })
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..4).map(width).collect();
    let plural = match cases.iter().all(|case| case.threads == 1) {
        true => "thread",
        false => "threads",
    };
    let line = |[when, kernel, threads, time]: &[String; 4]| {
        let noun = if threads == "1" { "thread" } else { "threads" };
        let padded = plural.len();
        let when = match widths[0] {
            0 => String::new(),
            most => format!("{when:<most$}  "),
        };
        let (kernels, numbers) = (widths[1], widths[2]);
        let line = format!(
            "    {when}{kernel:<kernels$}  {threads:>numbers$} {noun:<padded$} a block  {time}"
        );
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::samples::{cost, other, split, stream};
    use tx_plan::{CaseEstimate, UpTo};

    fn case(up_to: Option<i64>, kernels: &[&str], threads: i64) -> ScheduleCase {
        ScheduleCase {
            up_to: up_to.map(|length| UpTo::new(1, length)),
            is_one_kernel: true,
            kernels: kernels.iter().map(|name| (*name).to_owned()).collect(),
            threads,
            estimate: Some(CaseEstimate {
                microseconds: 8.0,
                lengths: vec![4.0, 8.0],
            }),
            steps: vec![split(0, 8), stream()],
        }
    }

    #[test]
    fn what_is_chosen_stands_first_and_kernels_in_columns() {
        let choice = ScheduleChoice {
            mapping: None,
            cases: vec![case(Some(8), &["a"], 32), case(None, &["b_10"], 1)],
            estimates: Some(Estimates {
                board: "A100".to_owned(),
                chip: "sm_80".to_owned(),
                lengths: vec![4.0, 8.0],
                is_assumed: false,
                own: cost(8.0),
                others: vec![other(9.0, vec![stream()])],
            }),
        };
        let lines = schedule(&choice, false);
        let starts = [
            "  written: 8.0 µs for 10 bytes",
            "  1 other schedule, estimated at 9.0 µs",
            "  estimates are for the A100",
            "  the first case that covers the lengths",
            "    `d1` up to 8       kernel `a`     32 threads a block  8.0 µs for 4x8",
            "    all other lengths  kernel `b_10`   1 thread  a block  8.0 µs for 4x8",
        ];
        let mut summary = lines.summary.iter();
        for start in starts {
            assert!(
                summary.any(|line| line.starts_with(start)),
                "{start}: {lines:#?}"
            );
        }
        assert_eq!(
            lines.schedules,
            [
                "  kernel `a`: split d0 by 8, stream",
                "  kernel `b_10`: split d0 by 8, stream"
            ]
        );
        assert_eq!(
            schedule(&choice, true).schedules[0],
            "  kernel `a`: [#tile.split<\"d0\" by 8>, #tile.stream]"
        );
    }

    #[test]
    fn a_kernel_of_one_thread_without_steps() {
        let mut only = case(None, &["a"], 1);
        (only.estimate, only.steps) = (None, Vec::new());
        let choice = ScheduleChoice {
            mapping: Some("rows".to_owned()),
            cases: vec![only],
            estimates: None,
        };
        let lines = schedule(&choice, false);
        assert_eq!(lines.summary, ["    kernel `a`  1 thread a block"]);
        let empty = "  kernel `a`: no steps, so a loop for each dimension";
        assert_eq!(lines.schedules, [empty]);
    }

    #[test]
    fn kernels_that_are_alike_share_an_explanation() {
        let way = |name: &str, cost: Option<u64>| Variant {
            name: name.to_owned(),
            priority: None,
            cost,
            reasons: Vec::new(),
        };
        let one = |kernel: &str, cost: u64| Explanation {
            op: "tile.all_reduce".to_owned(),
            place: None,
            choice: Choice::Exchange(ExchangeChoice {
                kernel: Some(kernel.to_owned()),
                lengths: Some("`d1` up to 8".to_owned()),
                chosen: Some("shuffle".to_owned()),
                ways: vec![way("redux", None), way("shuffle", Some(cost))],
            }),
        };
        let all = [
            one("a", 28),
            one("b", 56),
            one("b", 56),
            one("c", 56),
            one("d", 56),
            one("e", 84),
            one("e", 84),
        ];
        let explanations = merge_exchanges(&all);
        let [only] = &explanations[..] else {
            panic!("{}", explanations.len())
        };
        assert_eq!(only.message, "variant `shuffle` exchanges these values");
        assert_eq!(
            only.laid_out(false).summary,
            [
                "  shuffle: accepted, chosen",
                "  cost 28 in `a`, 56 from `b` to `d`, 84 in `e`",
                "  redux:",
            ]
        );
    }
}
