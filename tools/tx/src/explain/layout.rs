//! Text layout of explanations. The chosen schedules and variants precede the details, and a line
//! has at most 100 characters.

use tx_plan::{
    ApartChoice, BY_RULES, Candidate, Choice, Cost, Estimates, ExchangeChoice, Explanation,
    FIRST_CASE, GroupChoice, GroupedOp, NO_LANES, ScheduleCase, ScheduleChoice, ScheduleStep,
    SourcePlace, Variant, VariantChoice, steps_text,
};

use crate::cli::Candidates;

/// Maximum line width in characters, unless one word is longer.
const WIDTH: usize = 100;
/// Maximum number of schedule kinds listed for one op.
const MOST_SORTS: usize = 5;

pub(super) struct Told<'e> {
    pub(super) place: Option<SourcePlace>,
    pub(super) message: String,
    of: Of<'e>,
}

enum Of<'e> {
    Schedule(&'e ScheduleChoice),
    Group(&'e GroupChoice),
    Apart(&'e ApartChoice),
    Variant(&'e VariantChoice),
    /// Data exchange between threads. Each pair contains the cost of the exchange in a kernel and
    /// the name of this kernel. If the program has a single kernel, the list of pairs is empty.
    Exchange(&'e ExchangeChoice, Vec<(String, String)>),
}

/// Explanation of one op, as lines of text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Laid {
    /// Lines with the choice and its reason, followed by details.
    pub(super) summary: Vec<String>,
    pub(super) schedules: Vec<String>,
}

/// Returns one entry for each explanation. If two explanations of data exchanges of one op differ
/// only in their costs, they share one entry.
pub(super) fn merged(explanations: &[Explanation]) -> Vec<Told<'_>> {
    let mut all: Vec<Told<'_>> = Vec::new();
    for explanation in explanations {
        let told = |of| Told {
            place: explanation.place.clone(),
            message: explanation.message(),
            of,
        };
        let exchange = match &explanation.choice {
            Choice::Schedule(choice) => {
                all.push(told(Of::Schedule(choice)));
                continue;
            }
            Choice::Group(choice) => {
                all.push(told(Of::Group(choice)));
                continue;
            }
            Choice::Apart(choice) => {
                all.push(told(Of::Apart(choice)));
                continue;
            }
            Choice::Variant(choice) => {
                all.push(told(Of::Variant(choice)));
                continue;
            }
            Choice::Exchange(choice) => choice,
        };
        let (Some(kernel), Some(_), Some(_)) =
            (&exchange.kernel, &exchange.lengths, &exchange.chosen)
        else {
            all.push(told(Of::Exchange(exchange, Vec::new())));
            continue;
        };
        let costs: Vec<String> = exchange
            .ways
            .iter()
            .filter_map(|way| way.cost)
            .map(|cost| cost.to_string())
            .collect();
        let entry = (costs.join(" and "), format!("`{kernel}`"));
        if let Some(Told {
            place,
            of: Of::Exchange(known, kernels),
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
        let mut told = told(Of::Exchange(exchange, vec![entry]));
        told.message = exchange.what();
        all.push(told);
    }
    all
}

/// Returns whether two kernels choose the same data exchange, and reject the other exchanges for
/// the same reasons.
fn are_alike(one: &ExchangeChoice, other: &ExchangeChoice) -> bool {
    let ways = |of: &ExchangeChoice| -> Vec<String> {
        let each = of.ways.iter();
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

impl Told<'_> {
    /// Returns the lines of the explanation. If `full` is true, schedule steps are printed as
    /// complete attributes, on lines that are not wrapped.
    pub(super) fn laid_out(&self, full: bool) -> Laid {
        match &self.of {
            Of::Schedule(choice) => schedule(choice, full),
            Of::Group(choice) => group(choice, full),
            Of::Apart(choice) => Laid {
                summary: filled(&choice.reason, " ", "  "),
                schedules: Vec::new(),
            },
            Of::Variant(choice) => {
                let lines = ranked(&choice.variants, Some(&choice.chosen), Variant::line);
                Laid {
                    summary: lines
                        .iter()
                        .flat_map(|line| filled(line, " ", "  "))
                        .collect(),
                    schedules: Vec::new(),
                }
            }
            Of::Exchange(choice, kernels) => exchange(choice, kernels),
        }
    }

    pub(super) fn candidates(&self, how: Candidates) -> Vec<String> {
        let Of::Schedule(ScheduleChoice {
            estimates: Some(Estimates { others, .. }),
            ..
        }) = &self.of
        else {
            return Vec::new();
        };
        let lines = match how {
            Candidates::None => Vec::new(),
            Candidates::Kinds => sorts(others),
            Candidates::Short => others.iter().map(short).collect(),
            Candidates::Full => {
                let full = |other: &Candidate| format!("  {}: {}", other.cost.text(), other.text());
                return others.iter().map(full).collect();
            }
        };
        lines
            .iter()
            .flat_map(|line| filled(line, ", ", "  "))
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

fn exchange(choice: &ExchangeChoice, kernels: &[(String, String)]) -> Laid {
    let lines = match (&choice.chosen, kernels.is_empty()) {
        (None, _) => vec![NO_LANES.to_owned()],
        (chosen, true) => ranked(&choice.ways, chosen.as_ref(), Variant::line),
        (chosen, false) => ranked(&choice.ways, chosen.as_ref(), without_cost),
    };
    let mut summary: Vec<String> = lines
        .iter()
        .flat_map(|line| filled(line, " ", "  "))
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
        let costs = filled(&format!("cost {}", costs.join(", ")), ", ", "  ");
        // The lines with the costs follow the line with the chosen exchange.
        let chosen = filled(&lines[0], " ", "  ").len();
        summary.splice(chosen..chosen, costs);
    }
    Laid {
        summary,
        schedules: Vec::new(),
    }
}

fn schedule(choice: &ScheduleChoice, full: bool) -> Laid {
    let mut notes = Vec::new();
    if let Some(estimates) = &choice.estimates {
        if choice.mapping.is_some() {
            notes.push(BY_RULES.to_owned());
        }
        notes.push(choice.own(&estimates.own));
        notes.extend(summary(&estimates.others, printed(&estimates.own)));
        notes.push(format!(
            "estimates are for {}; `--chip` names another chip, and so another card",
            estimates.about()
        ));
    }
    if choice.cases.len() > 1 {
        notes.push(FIRST_CASE.to_owned());
    }
    let mut laid = Laid {
        summary: notes
            .iter()
            .flat_map(|note| filled(note, " ", "  "))
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
                laid.schedules.extend(filled(&line, ", ", "  "));
            }
        }
    }
    laid
}

fn group(choice: &GroupChoice, full: bool) -> Laid {
    let ops: Vec<String> = choice.ops.iter().map(GroupedOp::line).collect();
    let mut summary = filled(&format!("ops: {}", ops.join(", ")), ", ", "  ");
    let notes = choice.notes();
    summary.extend(notes.iter().flat_map(|note| filled(note, " ", "  ")));
    let name = match &choice.kernel {
        Some(name) => format!("kernel `{name}`"),
        None => "one kernel".to_owned(),
    };
    let schedules = match full {
        true => vec![format!("  {name}: {}", steps_text(&choice.steps))],
        false => filled(&format!("{name}: {}", words(&choice.steps)), ", ", "  "),
    };
    Laid { summary, schedules }
}

fn words(steps: &[ScheduleStep]) -> String {
    let words: Vec<&str> = steps.iter().map(|step| &*step.words).collect();
    words.join(", ")
}

/// Returns the estimated time in µs, rounded to the printed precision.
fn printed(cost: &Cost) -> f64 {
    (cost.microseconds * 10.0).round() / 10.0
}

/// Returns a line with the number of schedules that were not chosen, and the range of their
/// estimated times. If one of these times is below `own`, the estimated time of the chosen
/// schedule, the line recommends `tx tune`.
fn summary(others: &[Candidate], own: f64) -> Option<String> {
    let times: Vec<f64> = others.iter().map(|other| printed(&other.cost)).collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    // The percentage is rounded up to 0.1 %.
    let apart = ((most / least - 1.0) * 1000.0).ceil().max(1.0) / 10.0;
    let told = match times.len() {
        1 => format!("1 other schedule, estimated at {least:.1} µs"),
        n if apart > 100.0 => {
            format!("{n} other schedules, estimated at {least:.1} to {most:.1} µs")
        }
        n => format!(
            "{n} other schedules, estimated at {least:.1} to {most:.1} µs, within {apart:.1} % of each other"
        ),
    };
    match times.iter().any(|time| *time < own) {
        false => Some(told),
        true => Some(format!(
            "{told}; a lower estimate need not be a lower time: `tx tune` measures"
        )),
    }
}

/// Returns one line per kind of schedule, with the fastest candidate of the kind. The last line
/// contains the number of candidates that are not listed.
fn sorts(others: &[Candidate]) -> Vec<String> {
    let mut sorts: Vec<(String, &Candidate)> = Vec::new();
    for other in others {
        let sort = other.sort();
        match sorts.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, best)) if printed(&other.cost) < printed(&best.cost) => *best = other,
            Some(_) => {}
            None => sorts.push((sort, other)),
        }
    }
    let told = sorts.iter().take(MOST_SORTS);
    let mut lines: Vec<String> = told.map(|(_, best)| short(best)).collect();
    let left = others.len() - lines.len();
    if left > 0 {
        let others = match sorts.len().saturating_sub(MOST_SORTS) {
            0 => "with other numbers".to_owned(),
            1 => "and of another".to_owned(),
            n => format!("and of {n} others"),
        };
        lines.push(format!(
            "{left} more of these kinds {others}: `tx explain --candidates short` lists all"
        ));
    }
    lines
}

fn short(other: &Candidate) -> String {
    format!("{:.1} µs: {}", other.cost.microseconds, other.words())
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

/// Wraps a text into lines. The function breaks a line only after an occurrence of `end`, and
/// begins each line after the first with `indent`.
pub(super) fn filled(text: &str, end: &str, indent: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for part in text.split_inclusive(end) {
        match units.last_mut() {
            // Text inside backticks is not split.
            Some(unit) if unit.matches('`').count() % 2 == 1 => unit.push_str(part),
            _ => units.push(part.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for unit in &units {
        let length = |line: &str| line.chars().count() + unit.trim_end().chars().count();
        match lines.last_mut() {
            Some(line) if length(line) <= WIDTH => line.push_str(unit),
            Some(_) => lines.push(format!("{indent}    {unit}")),
            None => lines.push(format!("{indent}{unit}")),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tx_plan::{CaseEstimate, UpTo};

    fn cost(microseconds: f64) -> Cost {
        Cost {
            microseconds,
            bytes: 10.0,
            waves: 1.0,
            resident: 2048.0,
            memory: 1.0,
            latency: 2.0,
            instructions: 3.0,
        }
    }

    fn step(attribute: &str, words: &str, sort: &str) -> ScheduleStep {
        ScheduleStep {
            attribute: attribute.to_owned(),
            words: words.to_owned(),
            sort: sort.to_owned(),
        }
    }

    fn split(dimension: u32, factor: u32) -> ScheduleStep {
        step(
            &format!("#tile.split<\"d{dimension}\" by {factor}>"),
            &format!("split d{dimension} by {factor}"),
            &format!("split d{dimension} by n"),
        )
    }

    fn stream() -> ScheduleStep {
        step("#tile.stream", "stream", "stream")
    }

    fn other(microseconds: f64, steps: Vec<ScheduleStep>) -> Candidate {
        Candidate {
            cost: cost(microseconds),
            cases: vec![(None, steps)],
        }
    }

    fn case(up_to: Option<i64>, kernels: &[&str], threads: i64) -> ScheduleCase {
        ScheduleCase {
            up_to: up_to.map(|length| UpTo {
                dimension: 1,
                length,
            }),
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
        let told = schedule(&choice, false);
        let starts = [
            "  written: 8.0 µs for 10 bytes",
            "  1 other schedule, estimated at 9.0 µs",
            "  estimates are for the A100",
            "  the first of these cases",
            "    `d1` up to 8       kernel `a`     32 threads a block  8.0 µs for 4x8",
            "    all other lengths  kernel `b_10`   1 thread  a block  8.0 µs for 4x8",
        ];
        let mut lines = told.summary.iter();
        for start in starts {
            assert!(
                lines.any(|line| line.starts_with(start)),
                "{start}: {told:#?}"
            );
        }
        assert_eq!(
            told.schedules,
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
        let told = schedule(&choice, false);
        assert_eq!(told.summary, ["    kernel `a`  1 thread a block"]);
        let empty = "  kernel `a`: no steps, so a loop for each dimension";
        assert_eq!(told.schedules, [empty]);
    }

    #[test]
    fn candidates_are_told_in_short() {
        let one = other(692.61, vec![split(0, 8), stream()]);
        assert_eq!(short(&one), "692.6 µs: split d0 by 8, stream");
        assert_eq!(summary(&[], 1.0), None);
        assert_eq!(
            summary(std::slice::from_ref(&one), 692.6).as_deref(),
            Some("1 other schedule, estimated at 692.6 µs")
        );
        let three = [one, other(692.7, Vec::new()), other(693.5, Vec::new())];
        assert_eq!(
            summary(&three, 692.7).as_deref(),
            Some(
                "3 other schedules, estimated at 692.6 to 693.5 µs, within 0.2 % of each other; a \
                 lower estimate need not be a \
                  lower time: `tx tune` measures"
            )
        );
    }

    #[test]
    fn candidates_are_told_by_their_sorts() {
        let others = [
            other(3.0, vec![split(0, 8), stream()]),
            other(5.0, vec![split(1, 8)]),
            other(2.0, vec![split(0, 16), stream()]),
            other(2.5, vec![split(0, 32), stream()]),
        ];
        assert_eq!(
            sorts(&others),
            [
                "2.0 µs: split d0 by 16, stream",
                "5.0 µs: split d1 by 8",
                "2 more of these kinds with other numbers: `tx explain --candidates short` lists all"
            ]
        );
        assert_eq!(sorts(&others[1..3]).len(), 2);
        let many: Vec<Candidate> = (0..8).map(|dim| other(1.0, vec![split(dim, 8)])).collect();
        assert_eq!(
            sorts(&many).last().map(String::as_str),
            Some(
                "3 more of these kinds and of 3 others: `tx explain --candidates short` lists all"
            )
        );
    }

    #[test]
    fn kernels_that_are_alike_are_told_once() {
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
        let told = merged(&all);
        let [only] = &told[..] else {
            panic!("{}", told.len())
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

    #[test]
    fn lines_end_between_units() {
        let steps = vec!["split d0 by 8"; 20].join(", ");
        let lines = filled(&steps, ", ", "  ");
        assert!(lines.len() > 2, "{lines:?}");
        for line in &lines {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert!(line.trim_start().starts_with("split"), "{line}");
        }
        let joined: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        assert_eq!(joined.join(" "), steps);
        let text = format!("{} `tx tune`", "x".repeat(92));
        assert_eq!(filled(&text, " ", "").len(), 2, "commands are not cut");
        let long = "x".repeat(200);
        assert_eq!(filled(&long, " ", ""), [long]);
    }
}
