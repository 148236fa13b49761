//! `tx explain`.

mod layout;
mod written;

use std::collections::BTreeSet;
use std::path::Path;

use tx_mlir::Code;

use self::layout::laid_out;

use crate::cli::{Candidates, Explain};
use crate::compile;
use crate::diagnostic::Said;
use crate::failure::Failure;
use crate::pages;
use crate::progress::note;

/// Runs `tx explain`.
pub(crate) fn run(options: &Explain) -> Result<(), Failure> {
    let Some(what) = options.what.as_deref().filter(|_| !options.list) else {
        return crate::print(pages::list().as_bytes());
    };
    // A number alone is one too, unless it is a file.
    let digits = |text: &str| number(&format!("TX{text}")).filter(|_| !what.exists());
    let known = |text: &str| number(text).or_else(|| digits(text));
    match what.to_str().and_then(known) {
        Some(number) => code(number),
        None if !what.exists() && is_nearly_a_code(what) => Err(Failure::Usage(format!(
            "`{}` is no code, and there is no such file: codes are as `TX0001`, and `tx explain --list` lists all",
            what.display()
        ))),
        None if !what.exists() && what.extension().is_none() && what != Path::new("-") => {
            Err(Failure::of_file(
                what,
                "no such file, and no code, which are as `TX0001`: `tx explain --list` lists all",
            ))
        }
        None => program(what, options),
    }
}

/// Whether it is digits, with some letters before or behind them.
fn is_nearly_a_code(what: &Path) -> bool {
    let word = what.to_str().unwrap_or_default();
    let digits = word.trim_matches(|c: char| c.is_ascii_alphabetic());
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The number in text of the form of a code, in any case: `TX0012`, `tx12`.
fn number(text: &str) -> Option<u64> {
    let (tx, digits) = text.split_at_checked(2)?;
    let form = tx.eq_ignore_ascii_case("tx")
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit());
    // One that is too large is that of no code.
    form.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Prints the page of a code.
fn code(number: u64) -> Result<(), Failure> {
    let name = format!("TX{number:04}");
    let page = name.parse::<Code>().ok().and_then(pages::page);
    let page = page
        .ok_or_else(|| Failure::Usage(format!("no code {name}: `tx explain --list` lists all")))?;
    crate::print(crate::name::spoken(page).as_bytes())
}

/// How a program is compiled, and why.
fn program(file: &Path, options: &Explain) -> Result<(), Failure> {
    let text = compile::read(file)?;
    let source = tx::Source {
        name: file.display().to_string(),
        text: text.clone(),
        entry: options.entry.clone(),
        keep_stages: false,
    };
    let refused = |error: tx::Error| Failure::Diagnosed(compile::describe(&error, file, &text));
    let compiler = tx::Target::parse(&options.chip)
        .and_then(crate::compiler)
        .map_err(refused)?;
    let said = compiler.explain(&source).map_err(refused)?;
    let mut told = String::new();
    let mut others = String::new();
    let mut before = BTreeSet::new();
    let mut shown = None;
    for mut remark in merged(said) {
        // The notes speak of the line that the remark shows.
        let notes = std::mem::take(&mut remark.notes);
        let place = remark.location.clone();
        let mut one: String = Said::diagnostics(&[remark], file, &text)
            .iter()
            .map(Said::text)
            .collect();
        // What is the same is so with its line or without.
        let mut whole = one.clone();
        // What was said last shows the line already.
        if place.is_some() && place == shown {
            one = one
                .lines()
                .take(1)
                .map(|line| format!("{line}\n"))
                .collect();
        }
        let mut candidates = Vec::new();
        let mut own = Vec::new();
        for note in &notes {
            match note.message.strip_prefix(CANDIDATE) {
                Some(candidate) => candidates.push(candidate),
                None if note.message.starts_with("estimates are for ") => own.push(format!(
                    "{}; `--chip` names another chip, and so another card",
                    note.message
                )),
                None => own.push(note.message.clone()),
            }
        }
        let chosen = own.iter().find_map(|note| estimate(note));
        let others_in_short = summary(&candidates, chosen);
        let full = options.candidates == Candidates::Full;
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let told_of_it = laid_out(&own, others_in_short.as_deref(), full);
        for line in &told_of_it.summary {
            one.push_str(&format!("{line}\n"));
            whole.push_str(&format!("{line}\n"));
        }
        // What is written once may have become several ops.
        if before.insert(whole) {
            shown = place;
            told.push_str(&one);
            let place = one.split(": remark").next().unwrap_or_default();
            let mut more = |title: &str, lines: &[String]| {
                if !lines.is_empty() {
                    others.push_str(&format!("{place}: {title}\n"));
                }
                for line in lines {
                    others.push_str(&format!("{line}\n"));
                }
            };
            more("the schedule of each kernel", &told_of_it.schedules);
            let filled = |lines: Vec<String>| -> Vec<String> {
                let lines = lines
                    .iter()
                    .flat_map(|line| layout::filled(line, ", ", "  "));
                lines.collect()
            };
            let lines: Vec<String> = match options.candidates {
                Candidates::None => Vec::new(),
                Candidates::Kinds => filled(kinds(&candidates)),
                Candidates::Short => filled(candidates.into_iter().map(short).collect()),
                Candidates::Full => candidates.iter().map(|line| format!("  {line}")).collect(),
            };
            more("other schedules", &lines);
        }
    }
    if told.is_empty() {
        told = written::describe(&compiler, &source).map_err(refused)?;
        let why = match told.is_empty() {
            true => "",
            false => {
                ": its kernels say what every thread does, so that no schedule or variant is chosen; `tx report` draws what \
                 threads exchange, and `tx validate` checks it"
            }
        };
        note(&format!(
            "tx: {}: nothing to explain: there is no reduction in it{why}",
            file.display()
        ));
    }
    // What is chosen stands first, and is not to be looked for among them.
    crate::print(crate::name::spoken(&(told + &others)).as_bytes())
}

/// Kinds of schedules that are told of one op.
const MOST_KINDS: usize = 5;

/// What notes about schedules that are not chosen begin with.
const CANDIDATE: &str = "candidate: ";

/// What the schedule that is chosen or written is estimated at, if the note says that.
fn estimate(note: &str) -> Option<f64> {
    let cost = note
        .strip_prefix("chosen: ")
        .or_else(|| note.strip_prefix("written: "))?;
    microseconds(cost)
}

/// The time that a cost begins with.
fn microseconds(cost: &str) -> Option<f64> {
    cost.split(' ').next()?.parse().ok()
}

/// How many candidates there are, how far their estimates lie apart, and whether some are below `own`, in a line.
fn summary(candidates: &[&str], own: Option<f64>) -> Option<String> {
    let times: Vec<f64> = candidates
        .iter()
        .filter_map(|candidate| microseconds(candidate))
        .collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    // Rounded up.
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
    let below = own.map_or(0, |own| times.iter().filter(|time| **time < own).count());
    Some(match below {
        0 => told,
        _ => format!("{told}; a lower estimate need not be a lower time: `tx tune` measures"),
    })
}

/// The candidate of each kind that is estimated at the least, in short, of as many kinds as are told; and how many are not.
fn kinds(candidates: &[&str]) -> Vec<String> {
    let mut kinds: Vec<(String, &str)> = Vec::new();
    for candidate in candidates {
        let kind = kind(candidate);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, best)) if microseconds(candidate) < microseconds(best) => *best = candidate,
            Some(_) => {}
            None => kinds.push((kind, candidate)),
        }
    }
    let told = kinds.iter().take(MOST_KINDS);
    let mut lines: Vec<String> = told.map(|(_, best)| short(best)).collect();
    let left = candidates.len() - lines.len();
    if left > 0 {
        let others = match kinds.len().saturating_sub(MOST_KINDS) {
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

/// The steps of a candidate without their numbers.
fn kind(candidate: &str) -> String {
    let steps = candidate.split_once(": [").map_or("", |(_, steps)| steps);
    let words = steps.split(' ').map(|word| {
        let number = word.trim_matches(|c: char| matches!(c, '>' | ',' | ']'));
        match !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            true => word.replace(number, "n"),
            false => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The time of a candidate, and its steps without what every step has.
fn short(candidate: &str) -> String {
    let time = candidate.split(" for ").next().unwrap_or_default();
    let steps = candidate.split_once(": [").map_or("", |(_, steps)| steps);
    format!("{time}: {}", layout::in_short(steps))
}

/// One remark for the kernels of one op in which values are exchanged alike but for the costs, which the last note lists.
fn merged(said: Vec<tx::Diagnostic>) -> Vec<tx::Diagnostic> {
    let mut all: Vec<(tx::Diagnostic, Vec<(String, String)>)> = Vec::new();
    for mut remark in said {
        let Some((message, kernel)) = of_kernel(&remark.message) else {
            all.push((remark, Vec::new()));
            continue;
        };
        let mut costs = Vec::new();
        for note in &mut remark.notes {
            if let Some((before, cost, after)) = cost(&note.message) {
                costs.push(cost);
                note.message = format!("{before}{after}");
            }
        }
        let entry = (costs.join(" and "), kernel);
        match all.last_mut() {
            Some((known, kernels))
                if !kernels.is_empty()
                    && known.message == message
                    && known.location == remark.location
                    && known.notes == remark.notes =>
            {
                // A kernel that has several results of a group exchanges each of them.
                if kernels.last() != Some(&entry) {
                    kernels.push(entry);
                }
            }
            _ => all.push((tx::Diagnostic { message, ..remark }, vec![entry])),
        }
    }
    let finish = |(mut remark, kernels): (tx::Diagnostic, Vec<(String, String)>)| {
        if kernels.is_empty() {
            return remark;
        }
        let costs: Vec<String> = kernels
            .chunk_by(|a, b| a.0 == b.0)
            .map(|alike| match alike {
                [(cost, one)] => format!("{cost} in {one}"),
                [(cost, first), .., (_, last)] => format!("{cost} from {first} to {last}"),
                [] => String::new(),
            })
            .collect();
        let mut note = remark
            .notes
            .last()
            .cloned()
            .unwrap_or_else(|| remark.clone());
        note.message = format!("cost {}", costs.join(", "));
        remark.notes.push(note);
        remark
    };
    all.into_iter().map(finish).collect()
}

/// What is said of the values of a kernel, and of which one: "... of `rows_1`, for `d1` from 9 to 16".
fn of_kernel(message: &str) -> Option<(String, String)> {
    let (what, kernel) = message.split_once(" of `")?;
    let (kernel, _) = kernel.split_once("`, for ")?;
    let exchanged = what.starts_with("variant ") && what.ends_with(" these values");
    exchanged.then(|| (what.to_owned(), format!("`{kernel}`")))
}

/// The cost in "shuffle: accepted, cost 28, chosen", and what stands around it.
fn cost(note: &str) -> Option<(String, String, String)> {
    let (before, rest) = note.split_once(", cost ")?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    Some((
        before.to_owned(),
        rest[..end].to_owned(),
        rest[end..].to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_told_in_short() {
        let candidate = "692.6 µs for 10 bytes, 0.6 waves: [#tile.split<\"d0\" by 8>, #tile.fuse<[\"a\", \"b\"] to \"p\">, #tile.stream]";
        assert_eq!(
            short(candidate),
            "692.6 µs: split d0 by 8, fuse [a, b] to p, stream"
        );
        assert_eq!(summary(&[], None), None);
        assert_eq!(
            summary(&[candidate], Some(692.6)).as_deref(),
            Some("1 other schedule, estimated at 692.6 µs")
        );
        assert_eq!(
            summary(
                &[
                    candidate,
                    "692.7 µs for 10 bytes: []",
                    "693.5 µs for 10 bytes: []"
                ],
                estimate("chosen: 692.7 µs for 10 bytes; all")
            )
            .as_deref(),
            Some(
                "3 other schedules, estimated at 692.6 to 693.5 µs, within 0.2 % of each other; a lower estimate need not be a \
                  lower time: `tx tune` measures"
            )
        );
    }

    #[test]
    fn candidates_are_told_by_their_kinds() {
        let split = |time: &str, n: u32| {
            format!("{time} µs for 1 byte: [#tile.split<\"d0\" by {n}>, #tile.stream]")
        };
        let candidates = [
            split("3.0", 8),
            "5.0 µs for 1 byte: [#tile.split<\"d1\" by 8>]".to_owned(),
            split("2.0", 16),
            split("2.5", 32),
        ];
        let candidates: Vec<&str> = candidates.iter().map(String::as_str).collect();
        assert_eq!(
            kinds(&candidates),
            [
                "2.0 µs: split d0 by 16, stream",
                "5.0 µs: split d1 by 8",
                "2 more of these kinds with other numbers: `tx explain --candidates short` lists all"
            ]
        );
        assert_eq!(kinds(&candidates[1..3]).len(), 2);
        let many: Vec<String> = (0..8)
            .map(|dim| format!("1.0 µs for 1 byte: [#tile.split<\"d{dim}\" by 8>]"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(
            kinds(&many).last().map(String::as_str),
            Some(
                "3 more of these kinds and of 3 others: `tx explain --candidates short` lists all"
            )
        );
    }

    /// Kernels that exchange alike are told together, and others apart.
    #[test]
    fn kernels_that_are_alike_are_told_once() {
        let remark = |message: &str, notes: &[&str]| tx::Diagnostic {
            severity: tx::Severity::Remark,
            code: None,
            location: None,
            message: message.to_owned(),
            notes: notes.iter().map(|note| remark_of(note)).collect(),
        };
        fn remark_of(message: &str) -> tx::Diagnostic {
            tx::Diagnostic {
                code: None,
                severity: tx::Severity::Note,
                location: None,
                message: message.to_owned(),
                notes: Vec::new(),
            }
        }
        let one = |kernel: &str, cost: u32| {
            let message =
                format!("variant `shuffle` exchanges these values of `{kernel}`, for `d1` up to 8");
            remark(
                &message,
                &[
                    "redux: no",
                    &format!("shuffle: accepted, cost {cost}, chosen"),
                ],
            )
        };
        let other = remark("`tile.reduce` is scheduled by its shape", &["a, cost 3"]);
        let told = merged(vec![
            other.clone(),
            one("a", 28),
            one("b", 56),
            one("b", 56),
            one("c", 56),
            one("d", 56),
            one("e", 84),
            one("e", 84),
        ]);
        let [first, second] = &told[..] else {
            panic!("{told:?}")
        };
        assert_eq!(*first, other);
        assert_eq!(second.message, "variant `shuffle` exchanges these values");
        let notes: Vec<&str> = second.notes.iter().map(|note| &*note.message).collect();
        assert_eq!(
            notes,
            [
                "redux: no",
                "shuffle: accepted, chosen",
                "cost 28 in `a`, 56 from `b` to `d`, 84 in `e`"
            ]
        );
    }

    #[test]
    fn codes_are_read_in_any_case() {
        assert_eq!(number("TX0012"), Some(12));
        assert_eq!(number("tx12"), Some(12));
        assert_eq!(number("Tx99999999999999999999"), Some(u64::MAX));
        for other in [
            "",
            "t",
            "TX",
            "TX-1",
            "TX0012.mlir",
            "0012",
            "été12",
            "TX 12",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}
