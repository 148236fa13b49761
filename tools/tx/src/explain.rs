//! `tx explain`.

use std::collections::BTreeSet;
use std::path::Path;

use tx_codes::{Code, Command};

use crate::cli::{Candidates, Explain};
use crate::compile;
use crate::diagnostic::Said;
use crate::failure::Failure;
use crate::progress::note;

/// Runs `tx explain`.
pub(crate) fn run(options: &Explain) -> Result<(), Failure> {
    let Some(what) = options.what.as_deref().filter(|_| !options.list) else {
        return crate::print(list().as_bytes());
    };
    match what.to_str().and_then(tx_codes::number) {
        Some(number) => code(number),
        None => program(what, options),
    }
}

/// A line for each code.
fn list() -> String {
    let mut text = String::new();
    for group in tx_codes::groups() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{}\n", group.title));
        for code in group.codes {
            text.push_str(&format!("  {}  {}\n", code.name(), code.title));
        }
    }
    text
}

/// What there is to know of a code.
fn code(number: u64) -> Result<(), Failure> {
    let code = tx_codes::get(number).ok_or_else(|| {
        Failure::Usage(format!(
            "no code TX{number:04}: `tx explain --list` lists all"
        ))
    })?;
    crate::print(crate::name::spoken(&page(code)).as_bytes())
}

fn page(code: &Code) -> String {
    let mut text = format!("{}: {}\n\n", code.name(), code.title);
    for message in code.messages {
        text.push_str(&format!("  error: {}\n", message.replace("{}", "…")));
    }
    text.push_str(&format!("\n{}\n", wrapped(code.explanation)));
    let by = |flags: &[&str]| format!("by `tx-opt {}`", flags.join(" "));
    let (refused, accepted) = match code.command {
        Command::Compile => ("by `tx compile`".to_owned(), String::new()),
        Command::Opt(flags) => (by(flags), String::new()),
        Command::Options { refused, accepted } => (by(refused), format!(" {}", by(accepted))),
    };
    for (title, example) in [
        (format!("Refused {refused}:"), code.refused),
        (format!("Accepted{accepted}:"), code.accepted),
    ] {
        text.push_str(&format!("\n{title}\n\n"));
        for line in example.lines() {
            text.push_str(format!("  {line}").trim_end());
            text.push('\n');
        }
    }
    text
}

/// Lines of at most 80 characters, where words are no longer.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else {
            continue;
        };
        if line.is_empty() {
            word.clone_into(line);
        } else if line.chars().count() + 1 + word.chars().count() <= 80 {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}

/// How a program is compiled, and why.
fn program(file: &Path, options: &Explain) -> Result<(), Failure> {
    let text = compile::read(file)?;
    let explain = |text| {
        crate::compiler(tx::Target::parse(&options.chip)?)?.explain(&tx::Source {
            name: file.display().to_string(),
            text,
            entry: options.entry.clone(),
            keep_stages: false,
        })
    };
    let said = explain(text.clone())
        .map_err(|error| Failure::Diagnosed(compile::describe(&error, file, &text)))?;
    let mut told = String::new();
    let mut others = String::new();
    let mut before = BTreeSet::new();
    let mut shown = None;
    for mut remark in said {
        // The notes speak of the line that the remark shows.
        let notes = std::mem::take(&mut remark.notes);
        let place = remark.location.clone();
        let mut one: String = Said::diagnostics(&[remark], file, &text)
            .iter()
            .map(Said::text)
            .collect();
        // What was said last shows the line already.
        if place.is_some() && place == shown {
            one = one
                .lines()
                .take(1)
                .map(|line| format!("{line}\n"))
                .collect();
        }
        shown = place;
        let mut candidates = Vec::new();
        for note in &notes {
            match note.message.strip_prefix(CANDIDATE) {
                Some(candidate) => candidates.push(candidate),
                None => one.push_str(&format!("  {}\n", note.message)),
            }
        }
        if let Some(line) = summary(&candidates) {
            one.push_str(&format!("  {line}\n"));
        }
        // What is written once may have become several ops.
        if before.insert(one.clone()) {
            told.push_str(&one);
            if !candidates.is_empty() && options.candidates != Candidates::None {
                let place = one.split(": remark").next().unwrap_or_default();
                others.push_str(&format!("{place}: other schedules\n"));
            }
            for candidate in candidates {
                match options.candidates {
                    Candidates::None => {}
                    Candidates::Short => others.push_str(&format!("  {}\n", short(candidate))),
                    Candidates::Full => others.push_str(&format!("  {candidate}\n")),
                }
            }
        }
    }
    if told.is_empty() {
        note(&format!(
            "tx: {}: nothing to explain: there is no reduction in it",
            file.display()
        ));
    }
    // What is chosen stands first, and is not to be looked for among them.
    crate::print(crate::name::spoken(&(told + &others)).as_bytes())
}

/// What notes about schedules that are not chosen begin with.
const CANDIDATE: &str = "candidate: ";

/// How many candidates there are and how far their estimates lie apart, in a line.
fn summary(candidates: &[&str]) -> Option<String> {
    let times: Vec<f64> = candidates
        .iter()
        .filter_map(|candidate| candidate.split(' ').next()?.parse().ok())
        .collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    // Rounded up.
    let apart = ((most / least - 1.0) * 1000.0).ceil().max(1.0) / 10.0;
    Some(match times.len() {
        1 => format!("1 other schedule, estimated at {least:.1} µs"),
        n => format!(
            "{n} other schedules, estimated at {least:.1} to {most:.1} µs: within {apart:.1} %"
        ),
    })
}

/// The time of a candidate, and its steps without what every step has.
fn short(candidate: &str) -> String {
    let time = candidate.split(" for ").next().unwrap_or_default();
    let steps = candidate.split_once(": [").map_or("", |(_, steps)| steps);
    let steps = steps.strip_suffix(']').unwrap_or(steps);
    let steps = steps.replace("#tile.", "").replace('<', " ");
    format!("{time}: {}", steps.replace(['>', '"'], ""))
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
        assert_eq!(summary(&[]), None);
        assert_eq!(
            summary(&[candidate]).as_deref(),
            Some("1 other schedule, estimated at 692.6 µs")
        );
        assert_eq!(
            summary(&[
                candidate,
                "692.7 µs for 10 bytes: []",
                "693.5 µs for 10 bytes: []"
            ])
            .as_deref(),
            Some("3 other schedules, estimated at 692.6 to 693.5 µs: within 0.2 %")
        );
    }

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(wrapped(""), "");
        let long = "x".repeat(90);
        assert_eq!(wrapped(&format!("a b {long} c")), format!("a b\n{long}\nc"));
        for code in tx_codes::codes() {
            let text = wrapped(code.explanation);
            assert!(
                text.lines().all(|line| line.chars().count() <= 80),
                "{text}"
            );
            assert_eq!(text.replace('\n', " "), code.explanation);
        }
    }
}
