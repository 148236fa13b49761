//! Command `tx explain`.

mod candidates;
mod layout;
#[cfg(test)]
mod samples;
mod wrap;
mod written;

use std::collections::BTreeSet;
use std::path::Path;

use tx_mlir::Code;

use self::layout::{ExplanationLines, merge_exchanges};

use crate::cli::{Candidates, Explain};
use crate::compile;
use crate::failure::Failure;
use crate::message::Message;
use crate::pages;
use crate::stderr::note;

pub(crate) fn run(options: &Explain) -> Result<(), Failure> {
    let Some(what) = options.what.as_deref().filter(|_| !options.list) else {
        return crate::stdout::print(pages::list().as_bytes());
    };
    // A number without the prefix `TX` is also a diagnostic code, unless a file with this name
    // exists.
    let digits = |text: &str| number(&format!("TX{text}")).filter(|_| !what.exists());
    let known = |text: &str| number(text).or_else(|| digits(text));
    match what.to_str().and_then(known) {
        Some(number) => code(number),
        None if !what.exists() && is_nearly_a_code(what) => Err(Failure::Usage(format!(
            "`{}` is neither a diagnostic code, such as `TX0001`, nor a file: `tx explain --list` \
             lists all codes",
            what.display()
        ))),
        None if !what.exists() && what.extension().is_none() && what != Path::new("-") => {
            Err(Failure::of_file(
                what,
                "no such file, and not a diagnostic code, such as `TX0001`: `tx explain --list` \
                 lists all codes",
            ))
        }
        None => program(what, options),
    }
}

/// Returns whether a word consists of digits, possibly preceded or followed by letters.
fn is_nearly_a_code(what: &Path) -> bool {
    let word = what.to_str().unwrap_or_default();
    let digits = word.trim_matches(|c: char| c.is_ascii_alphabetic());
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the number of a diagnostic code such as `TX0012` or `tx12`, in upper or lower case.
fn number(text: &str) -> Option<u64> {
    let (tx, digits) = text.split_at_checked(2)?;
    let form = tx.eq_ignore_ascii_case("tx")
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit());
    // A number that does not fit `u64` becomes `u64::MAX`, which is no diagnostic code.
    form.then(|| digits.parse().unwrap_or(u64::MAX))
}

fn code(number: u64) -> Result<(), Failure> {
    let name = format!("TX{number:04}");
    let page = name.parse::<Code>().ok().and_then(pages::page);
    let page = page
        .ok_or_else(|| Failure::Usage(format!("no code {name}: `tx explain --list` lists all")))?;
    crate::stdout::print(crate::name::spoken(page).as_bytes())
}

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
        .and_then(crate::compiler::create)
        .map_err(refused)?;
    let explained = compiler.explain(&source).map_err(refused)?;
    if options.json {
        let json = serde_json::to_string_pretty(&explained.choices)
            .map_err(|error| Failure::Refused(error.to_string()))?;
        return crate::stdout::print(format!("{json}\n").as_bytes());
    }
    let mut text_of_ops = String::new();
    let mut others = String::new();
    let mut before = BTreeSet::new();
    let mut shown = None;
    for warning in Message::diagnostics(&explained.warnings, file, &text) {
        text_of_ops.push_str(&warning.text());
    }
    for explanation in merge_exchanges(&explained.choices) {
        let remark = tx::Diagnostic {
            severity: tx::Severity::Remark,
            code: None,
            location: explanation.place.as_ref().map(|at| tx::Location {
                file: at.file.clone(),
                line: at.line,
                column: at.column,
            }),
            message: explanation.message.clone(),
            notes: Vec::new(),
        };
        let mut one: String = Message::diagnostics(&[remark], file, &text)
            .iter()
            .map(Message::text)
            .collect();
        // Two explanations count as equal only if they also quote the same source line.
        let mut whole = one.clone();
        // If consecutive explanations belong to the same source line, only the first explanation
        // quotes the line.
        if explanation.place.is_some() && explanation.place == shown {
            one = one
                .lines()
                .take(1)
                .map(|line| format!("{line}\n"))
                .collect();
        }
        let full = options.candidates == Candidates::Full;
        let ExplanationLines { summary, schedules } = explanation.laid_out(full);
        for line in &summary {
            one.push_str(&format!("{line}\n"));
            whole.push_str(&format!("{line}\n"));
        }
        // If a pass has split a source op into several ops, the explanations of these ops may be
        // equal.
        if before.insert(whole) {
            text_of_ops.push_str(&one);
            let place = match &explanation.place {
                Some(at) => format!("{}:{}:{}", at.file, at.line, at.column),
                None => file.display().to_string(),
            };
            shown = explanation.place.clone();
            let mut more = |title: &str, lines: &[String]| {
                if !lines.is_empty() {
                    others.push_str(&format!("{place}: {title}\n"));
                }
                for line in lines {
                    others.push_str(&format!("{line}\n"));
                }
            };
            more("the schedule of each kernel", &schedules);
            more(
                "other schedules",
                &explanation.candidates(options.candidates),
            );
        }
    }
    if text_of_ops.is_empty() {
        text_of_ops = written::describe(&compiler, &source).map_err(refused)?;
        let drawn = match cfg!(feature = "report") {
            true => "`tx report` shows the data exchange between threads, and ",
            false => "",
        };
        let why = match text_of_ops.is_empty() {
            true => String::new(),
            false => format!(
                ": its kernels define the work of every thread, so no schedule or variant is \
                 chosen; {drawn}`tx validate` checks the program"
            ),
        };
        note(&format!(
            "tx: {}: nothing to explain: the file contains no reduction{why}",
            file.display()
        ));
    }
    // Rejected candidates are printed after the chosen schedules of all ops.
    crate::stdout::print(crate::name::spoken(&(text_of_ops + &others)).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

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
