//! How notes of a program are laid out: what matters most first, in lines that a terminal has room for.

/// Characters of a line, where words are no longer.
const WIDTH: usize = 100;

/// What is said of an op, in the order in which it is told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// What was chosen and why, then the rest.
    pub(super) summary: Vec<String>,
    /// The steps of each kernel, which are long.
    pub(super) schedules: Vec<String>,
}

/// A kernel, for which lengths it is, and how these are cut.
struct Case<'n> {
    /// Lengths, kernel, threads and time, as far as they are told.
    cells: [&'n str; 4],
    steps: &'n str,
}

impl<'n> Case<'n> {
    /// Of a note such as "`d1` up to 8: kernel `rows_0`, 128 threads a block, 8.0 µs for 4x8: [#tile.stream]".
    fn read(note: &'n str) -> Option<Self> {
        let (head, steps) = note.split_once(": [")?;
        let (when, what) = head.split_once(": ").unwrap_or(("", head));
        let (kernel, rest) = what.split_once(" thread")?;
        let (kernel, threads) = kernel.rsplit_once(", ")?;
        let (_, time) = rest.split_once(" a block")?;
        Some(Self {
            cells: [when, kernel, threads, time.trim_start_matches(", ")],
            steps: steps.strip_suffix(']').unwrap_or(steps),
        })
    }
}

/// Lays out notes; `others` says how many schedules were not chosen, if any. With `full`, steps are attributes to be copied, and
/// no line of them ends before they do.
pub(super) fn laid_out(notes: &[&str], others: Option<&str>, full: bool) -> Told {
    let mut told = Told::default();
    let cases: Vec<Case<'_>> = notes.iter().filter_map(|note| Case::read(note)).collect();
    let mut rest: Vec<&str> = notes
        .iter()
        .copied()
        .filter(|note| Case::read(note).is_none())
        .chain(others)
        .collect();
    rest.sort_by_key(|note| rank(note));
    for note in rest {
        let end = match note.starts_with("cost ") {
            true => ", ",
            false => " ",
        };
        told.summary.extend(filled(note, end, "  "));
    }
    told.summary.extend(table(&cases));
    for case in cases {
        let [when, kernel, ..] = case.cells;
        let name = match when.is_empty() || kernel.contains('`') {
            true => kernel,
            false => when,
        };
        match full {
            _ if case.steps.is_empty() => {
                told.schedules
                    .push(format!("  {name}: no steps, so a loop for each dimension"));
            }
            true => told.schedules.push(format!("  {name}: [{}]", case.steps)),
            false => {
                let line = format!("{name}: {}", in_short(case.steps));
                told.schedules.extend(filled(&line, ", ", "  "));
            }
        }
    }
    told
}

/// What is chosen stands before what could be, and that before what cannot.
fn rank(note: &str) -> usize {
    let is_of = |starts: &[&str]| starts.iter().any(|start| note.starts_with(start));
    match note {
        _ if is_of(&["chosen by"]) || note.ends_with(", chosen") => 0,
        _ if is_of(&["chosen: ", "written: ", "cost "]) => 1,
        _ if note.contains(" other schedule") || note.contains(": accepted") => 2,
        _ if is_of(&["estimates are"]) => 3,
        _ if is_of(&["the first of these"]) => 5,
        _ => 4,
    }
}

/// A line for each kernel, with columns.
fn table(cases: &[Case<'_>]) -> Vec<String> {
    let width = |column: usize| {
        let cells = cases.iter().map(|case| case.cells[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..4).map(width).collect();
    let is_one = |case: &Case<'_>| case.cells[2] == "1";
    let plural = match cases.iter().all(is_one) {
        true => "thread",
        false => "threads",
    };
    let line = |case: &Case<'_>| {
        let [when, kernel, threads, time] = case.cells;
        let noun = if is_one(case) { "thread" } else { "threads" };
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
    cases.iter().map(line).collect()
}

/// Lines of a text, of which those after the first are indented more, and each ends behind an `end`.
pub(super) fn filled(text: &str, end: &str, indent: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for part in text.split_inclusive(end) {
        match units.last_mut() {
            // What stands in backticks stays together.
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

/// Steps without what each has.
pub(super) fn in_short(steps: &str) -> String {
    let steps = steps.strip_suffix(']').unwrap_or(steps);
    let steps = steps.replace("#tile.", "").replace('<', " ");
    steps.replace(['>', '"'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_stands_first_and_kernels_in_columns() {
        let notes = [
            "the first of these cases that the lengths fit is taken",
            "`d1` up to 8: kernel `a`, 32 threads a block, 8.0 µs for 4x8: [#tile.split<\"d0\" by 8>, #tile.stream]",
            "all other lengths: kernel `b_10`, 1 thread a block, 16.0 µs for 4x800: [#tile.stream]",
            "estimates are for the A100",
            "chosen by rules",
            "chosen: 8.0 µs for 1 byte",
        ];
        let told = laid_out(&notes, Some("3 other schedules"), false);
        assert_eq!(
            told.summary,
            [
                "  chosen by rules",
                "  chosen: 8.0 µs for 1 byte",
                "  3 other schedules",
                "  estimates are for the A100",
                "  the first of these cases that the lengths fit is taken",
                "    `d1` up to 8       kernel `a`     32 threads a block  8.0 µs for 4x8",
                "    all other lengths  kernel `b_10`   1 thread  a block  16.0 µs for 4x800",
            ]
        );
        assert_eq!(
            told.schedules,
            [
                "  kernel `a`: split d0 by 8, stream",
                "  kernel `b_10`: stream"
            ]
        );
        let full = laid_out(&notes, None, true).schedules;
        assert_eq!(
            full[0],
            "  kernel `a`: [#tile.split<\"d0\" by 8>, #tile.stream]"
        );
    }

    /// A schedule without steps is one too.
    #[test]
    fn a_kernel_of_one_thread_without_steps() {
        let told = laid_out(&["kernel `a`, 1 thread a block: []"], None, false);
        assert_eq!(told.summary, ["    kernel `a`  1 thread a block"]);
        let empty = "  kernel `a`: no steps, so a loop for each dimension";
        assert_eq!(told.schedules, [empty]);
    }

    #[test]
    fn a_variant_that_is_chosen_stands_before_those_that_are_refused() {
        let notes = [
            "redux: no such instruction",
            "batched (priority 10): accepted, cost 202",
            "shared (priority 10): accepted, cost 119, chosen",
        ];
        let order = [2, 1, 0].map(|at| format!("  {}", notes[at]));
        assert_eq!(laid_out(&notes, None, false).summary, order);
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
