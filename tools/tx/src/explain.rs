//! `tx explain`.

use std::collections::BTreeSet;
use std::path::Path;

use tx_codes::{Code, Command};

use crate::cli::Explain;
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
    crate::print(page(code).as_bytes())
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
    let mut before = BTreeSet::new();
    for mut remark in said {
        // The notes speak of the line that the remark shows.
        let notes = std::mem::take(&mut remark.notes);
        let mut one: String = Said::diagnostics(&[remark], file, &text)
            .iter()
            .map(Said::text)
            .collect();
        for note in notes {
            one.push_str(&format!("  {}\n", note.message));
        }
        // What is written once may have become several ops.
        if before.insert(one.clone()) {
            told.push_str(&one);
        }
    }
    if told.is_empty() {
        note(&format!(
            "tx: {}: nothing to explain: there is no reduction in it",
            file.display()
        ));
    }
    crate::print(told.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

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
