//! Messages on standard error, as text or JSON.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde_json::{Value, json};
use tx::Severity;
use tx_mlir::Code;

use crate::name;

/// Message format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text, in colours on a terminal
    #[default]
    Human,
    /// One line of JSON for each message
    Json,
}

static FORMAT: OnceLock<Format> = OnceLock::new();

impl Format {
    /// Sets the message format of the process. Calls after the first call have no effect.
    pub(crate) fn choose(self) {
        FORMAT.get_or_init(|| self);
    }

    pub(crate) fn chosen() -> Self {
        FORMAT.get().copied().unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    severity: Severity,
    origin: Origin,
    code: Option<Code>,
    message: String,
    line: Option<String>,
    notes: Vec<Said>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// Message of `tx` about the command line.
    Tx,
    /// Message of `tx` about a file. The text of the message contains the file name.
    File(String),
    /// Message of `tx` that is printed without a prefix.
    Text,
    /// Message of the compiler or the executor, with an optional source location.
    Program(Option<tx::Location>),
    /// Message of `tx validate`. In text format, a table on standard output shows the details.
    Finding(tx::Location),
}

impl Said {
    pub(crate) fn progress(text: &str) -> Self {
        Self {
            severity: Severity::Remark,
            origin: Origin::Text,
            code: None,
            message: text.trim_end().to_owned(),
            line: None,
            notes: Vec::new(),
        }
    }

    /// Creates an error for a failed validation, at the first source location in `text` or
    /// `verdict`. In JSON format, the error contains `verdict` as a note. In text format, the table
    /// on standard output shows the verdict.
    pub(crate) fn finding(
        text: &str,
        code: Option<Code>,
        verdict: &str,
        file: &Path,
        note: Option<&str>,
    ) -> Self {
        let file = file.display().to_string();
        let noted = |origin, message: &str| Self {
            severity: Severity::Note,
            origin,
            ..Self::progress(message)
        };
        // The first source location in `text` becomes the location of the message.
        let own = place(text, &file);
        let text = match &own {
            Some(at) => text.replacen(&format!(" at {}:{}:{}", at.file, at.line, at.column), "", 1),
            None => text.to_owned(),
        };
        let place = own
            .or_else(|| place(verdict, &file))
            .unwrap_or(tx::Location {
                file,
                line: 0,
                column: 0,
            });
        let verdict = noted(Origin::Finding(place.clone()), verdict);
        let note = note.map(|note| noted(Origin::Text, note));
        Self {
            severity: Severity::Error,
            origin: Origin::Finding(place),
            code,
            notes: std::iter::once(verdict).chain(note).collect(),
            ..Self::progress(&text)
        }
    }

    /// Creates an error from the complete message of a failed run.
    pub(crate) fn failed(text: &str) -> Self {
        match text.strip_prefix("tx: ") {
            Some(message) => Self::by_tx(message),
            None => Self {
                severity: Severity::Error,
                ..Self::progress(text)
            },
        }
    }

    /// Creates an error whose origin is `tx`. If the message begins with `tx: `, the function
    /// removes this prefix.
    pub(crate) fn by_tx(message: &str) -> Self {
        let message = message.trim_end();
        Self {
            severity: Severity::Error,
            origin: Origin::Tx,
            code: None,
            message: message.strip_prefix("tx: ").unwrap_or(message).to_owned(),
            line: None,
            notes: Vec::new(),
        }
    }

    pub(crate) fn of_file(file: &Path, reason: &str) -> Self {
        let file = file.display().to_string();
        Self {
            origin: Origin::File(file.clone()),
            ..Self::by_tx(&format!("{file}: {reason}"))
        }
    }

    pub(crate) fn warning(message: &str) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::by_tx(message)
        }
    }

    pub(crate) fn fault(fault: &tx_runtime::Fault) -> Self {
        let said = |severity, place: Option<&str>, message: String| {
            let unknown = || tx::Location {
                file: "<unknown>".to_owned(),
                line: 0,
                column: 0,
            };
            Self {
                severity,
                origin: Origin::Program(Some(place.and_then(location).unwrap_or_else(unknown))),
                code: None,
                message,
                line: None,
                notes: Vec::new(),
            }
        };
        let message = format!("{} (kernel `{}`)", fault.without_place(), fault.kernel);
        let mut one = said(Severity::Error, fault.location.as_deref(), message);
        one.code = fault.code.and_then(|code| code.parse().ok());
        one.notes = fault
            .elsewhere()
            .into_iter()
            .map(|at| {
                said(
                    Severity::Note,
                    Some(at),
                    "the other operation is here".to_owned(),
                )
            })
            .collect();
        if fault.kind == tx_runtime::FaultKind::Race && one.notes.is_empty() {
            one.notes.push(said(
                Severity::Note,
                fault.location.as_deref(),
                "several threads access one byte in this op: let one of them do it, or give each \
                 a place of its own; \
                 of a `gpu.all_reduce`, whose memory is not yours, make a `tile.all_reduce`"
                    .to_owned(),
            ));
        }
        match fault.kind {
            tx_runtime::FaultKind::Endless => {
                one.with_note("if it does end, `--steps` allows it more steps")
            }
            tx_runtime::FaultKind::NoDynamicShared => one.with_note(
                "nothing gives this kernel dynamic shared memory: declare the array behind \
                     its arguments, \
                     `workgroup(%S : memref<32xf32, #gpu.address_space<workgroup>>)`, or launch \
                     it from a host function by \
                     `gpu.launch_func` with `dynamic_shared_memory_size`",
            ),
            _ => one,
        }
    }

    /// Creates an error for arguments for which a check of the program fails. The error is at the
    /// source location of the check.
    pub(crate) fn of_arguments(
        error: &tx_plan::CheckError,
        file: &Path,
        place: tx_plan::LineColumn,
    ) -> Self {
        Self {
            code: error.code().and_then(|code| code.parse().ok()),
            origin: Origin::Program(Some(tx::Location {
                file: file.display().to_string(),
                line: place.line,
                column: place.column,
            })),
            ..Self::by_tx(&error.to_string())
        }
    }

    pub(crate) fn warnings(warnings: &[tx_plan::Warning], file: &Path, text: &[u8]) -> Vec<Self> {
        let lines = Lines::of(file, text);
        let one = |warning: &tx_plan::Warning| {
            let origin = Origin::Program(warning.place.map(|place| tx::Location {
                file: file.display().to_string(),
                line: place.line,
                column: place.column,
            }));
            let notes = warning.notes.iter().map(|note| Self {
                severity: Severity::Note,
                origin: origin.clone(),
                ..Self::by_tx(note)
            });
            Self {
                severity: Severity::Warning,
                notes: notes.collect(),
                origin: origin.clone(),
                ..Self::by_tx(&warning.message)
            }
            .quoting(&lines)
        };
        warnings.iter().map(one).collect()
    }

    fn diagnostic(diagnostic: &tx::Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity,
            origin: Origin::Program(diagnostic.location.clone()),
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            line: None,
            notes: diagnostic.notes.iter().map(Self::diagnostic).collect(),
        }
    }

    pub(crate) fn with_note(mut self, note: &str) -> Self {
        self.notes.push(Self {
            severity: Severity::Note,
            ..Self::by_tx(note)
        });
        self
    }

    /// Adds the source lines of the program that are printed below the message and below its notes.
    pub(crate) fn quoting(self, lines: &Lines<'_>) -> Self {
        let line = match (&self.origin, &self.severity) {
            (Origin::Program(Some(location)), _) | (Origin::Finding(location), Severity::Error) => {
                lines.at(location)
            }
            _ => None,
        };
        let message = match &self.origin {
            Origin::Program(Some(location)) => lines.named(location, &self.message),
            _ => self.message.clone(),
        };
        Self {
            message,
            line: line.map(str::to_owned),
            notes: self
                .notes
                .into_iter()
                .map(|note| note.quoting(lines))
                .collect(),
            ..self
        }
    }

    /// Converts the diagnostics of a compilation to messages. Cloned ops may cause several equal
    /// diagnostics; the function keeps only the first of them.
    pub(crate) fn diagnostics(
        diagnostics: &[tx::Diagnostic],
        file: &Path,
        text: &[u8],
    ) -> Vec<Self> {
        let lines = Lines::of(file, text);
        let mut before = BTreeSet::new();
        diagnostics
            .iter()
            .map(|diagnostic| Self::diagnostic(diagnostic).quoting(&lines))
            .filter(|said| before.insert(said.text()))
            .collect()
    }

    pub(crate) fn styled(&self) -> String {
        let mut text = String::new();
        self.style_into(&mut text, None, false);
        self.name_code(&mut text);
        text
    }

    /// Appends the diagnostic code and the command `tx explain CODE` to the text.
    fn name_code(&self, text: &mut String) {
        if let Some(code) = self.code {
            let dim = Style::new().dimmed();
            text.push_str(&format!(
                "{dim}  = {code}: {} explain {code}{dim:#}\n",
                name::get()
            ));
        }
    }

    /// Appends the text of the message. If the message is at location `shown`, its source line is
    /// omitted. If `findings` is true, the function also appends the verdicts of `tx validate`,
    /// which are otherwise only in a table on standard output.
    fn style_into(&self, text: &mut String, shown: Option<&tx::Location>, findings: bool) {
        let bold = Style::new().bold();
        let colour = match self.severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Note => AnsiColor::Cyan,
            Severity::Remark => AnsiColor::Blue,
        };
        let kind = colour.on_default().bold();
        let message = name::spoken(&self.message);
        let place = match &self.origin {
            Origin::Text if self.severity == Severity::Note => String::new(),
            Origin::Text => {
                text.push_str(&format!("{message}\n"));
                return;
            }
            Origin::Tx | Origin::File(_) | Origin::Program(None) => format!("{}:", name::get()),
            Origin::Program(Some(location)) | Origin::Finding(location) => match location.line {
                // Line 0 denotes the whole file.
                0 => format!("{}:", location.file),
                _ => format!("{location}:"),
            },
        };
        let gap = if place.is_empty() { "" } else { " " };
        let severity = self.severity;
        text.push_str(&format!(
            "{bold}{place}{bold:#}{gap}{kind}{severity}:{kind:#} {message}\n"
        ));
        let mut shown = shown;
        if let (Some(line), Origin::Program(Some(location)) | Origin::Finding(location)) =
            (&self.line, &self.origin)
            && shown != Some(location)
        {
            shown = Some(location);
            // Columns count bytes from 1. The indentation of the caret contains the tabs of the
            // line, so that the caret is below the column.
            let before = line
                .get(..location.column.saturating_sub(1))
                .unwrap_or_default();
            let indent: String = before
                .chars()
                .map(|c| if c == '\t' { c } else { ' ' })
                .collect();
            let mark = AnsiColor::Green.on_default().bold();
            text.push_str(&format!("{line}\n{indent}{mark}^{mark:#}\n"));
        }
        let is_finding = |note: &&Self| matches!(note.origin, Origin::Finding(_));
        for note in self
            .notes
            .iter()
            .filter(|note| findings || !is_finding(note))
        {
            note.style_into(text, shown, findings);
        }
    }

    pub(crate) fn text(&self) -> String {
        anstream::adapter::strip_str(&self.styled()).to_string()
    }

    /// Returns the message as JSON, with the fields documented in `docs/diagnostics.md`.
    pub(crate) fn json(&self) -> Value {
        let mut object = self.json_without_text();
        object["code"] = self.code.map(|code| code.to_string()).into();
        object["rendered"] = self.whole_text().into();
        object
    }

    /// Returns the message as text without colours, including validation verdicts.
    fn whole_text(&self) -> String {
        let mut text = String::new();
        self.style_into(&mut text, None, true);
        self.name_code(&mut text);
        anstream::adapter::strip_str(&text).to_string()
    }

    fn json_without_text(&self) -> Value {
        let (file, location) = match &self.origin {
            Origin::Program(Some(location)) | Origin::Finding(location) => {
                (Some(&location.file), Some(location))
            }
            Origin::File(file) => (Some(file), None),
            Origin::Tx | Origin::Text | Origin::Program(None) => (None, None),
        };
        // In JSON, the message excludes the prefix `tx: `.
        let message = match self.origin {
            Origin::Text => self.message.strip_prefix("tx: "),
            _ => None,
        };
        let message = message.unwrap_or(&self.message);
        // Line 0 denotes the whole file.
        let number = |n: Option<usize>| n.filter(|n| *n > 0);
        json!({
            "severity": self.severity.to_string(),
            "message": name::spoken(message),
            "file": file,
            "line": number(location.map(|l| l.line)),
            "column": number(location.map(|l| l.column)),
            "notes": self.notes.iter().map(Self::json_without_text).collect::<Vec<_>>(),
        })
    }
}

pub(crate) struct Lines<'a> {
    file: String,
    lines: Vec<&'a str>,
}

impl<'a> Lines<'a> {
    /// Splits a program into lines; bytecode has no lines.
    pub(crate) fn of(file: &Path, text: &'a [u8]) -> Self {
        let text = std::str::from_utf8(text).unwrap_or_default();
        Self {
            file: file.display().to_string(),
            lines: text.lines().collect(),
        }
    }

    /// Replaces argument numbers in a message by argument names of the function that contains
    /// `location`. For example, `arg0.dim1` becomes `%A.dim1`.
    fn named(&self, location: &tx::Location, message: &str) -> String {
        const ARGUMENT: &str = "arg";
        if !message.contains(ARGUMENT) || location.file != self.file {
            return message.to_owned();
        }
        let before = self.lines[..location.line.min(self.lines.len())].join("\n");
        let names = arguments(&before);
        let mut done = String::new();
        let mut rest = message;
        while let Some(at) = rest.find(ARGUMENT) {
            let (before, after) = (&rest[..at], &rest[at + ARGUMENT.len()..]);
            let last = before.chars().next_back().or(done.chars().next_back());
            let is_word = !last.is_some_and(|c| c.is_alphanumeric() || "_%$@".contains(c));
            let end = after
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(after.len());
            let ends = !after[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let name = after[..end].parse().ok().and_then(|i: usize| names.get(i));
            done.push_str(before);
            match name.filter(|_| is_word && ends) {
                Some(name) => {
                    done.push('%');
                    done.push_str(name);
                    rest = &after[end..];
                }
                None => {
                    done.push_str(ARGUMENT);
                    rest = after;
                }
            }
        }
        done + rest
    }

    fn at(&self, location: &tx::Location) -> Option<&'a str> {
        let number = location.line.checked_sub(1)?;
        self.lines
            .get(number)
            .copied()
            .filter(|_| location.file == self.file)
    }
}

fn arguments(before: &str) -> Vec<&str> {
    let begin = ["func.func ", "gpu.func "]
        .iter()
        .filter_map(|op| before.rfind(op))
        .max();
    let header = begin.and_then(|begin| before[begin..].split_once('('));
    let mut rest = header.map_or("", |(_, rest)| rest);
    let mut names = Vec::new();
    // Commas and parentheses in types do not separate arguments, and comments may contain any text.
    let mut depth = 0_usize;
    while let Some(at) = rest.find(['%', '(', ')', '/']) {
        let (sign, after) = (&rest[at..=at], &rest[at + 1..]);
        rest = after;
        match sign {
            "(" => depth += 1,
            ")" if depth == 0 => break,
            ")" => depth -= 1,
            "/" if after.starts_with('/') => {
                rest = after.split_once('\n').map_or("", |(_, rest)| rest)
            }
            "%" if depth == 0 => {
                let is_letter = |c: char| c.is_alphanumeric() || "_$.-".contains(c);
                let end = after.find(|c| !is_letter(c)).unwrap_or(after.len());
                if after[end..].trim_start().starts_with(':') {
                    names.push(&after[..end]);
                }
            }
            _ => {}
        }
    }
    names
}

fn place(text: &str, file: &str) -> Option<tx::Location> {
    let start = text.find(&format!("{file}:"))?;
    let rest = &text[start + file.len()..];
    let end = rest.find(|c: char| c != ':' && !c.is_ascii_digit());
    let numbers = rest[..end.unwrap_or(rest.len())].trim_end_matches(':');
    location(&format!("{file}{numbers}"))
}

fn location(text: &str) -> Option<tx::Location> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(tx::Location {
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

/// Prints messages to standard error in the chosen format. Write errors are ignored.
pub(crate) fn say_all(said: &[Said]) {
    for one in said {
        match Format::chosen() {
            Format::Human => write(&one.styled()),
            Format::Json => write(&one.json().to_string()),
        }
    }
}

/// Writes a text to standard error. The colours depend on the terminal, `NO_COLOR` and
/// `CLICOLOR_FORCE`.
fn write(text: &str) {
    use std::io::Write;
    crate::progress::around(|| {
        let _ = writeln!(
            anstream::AutoStream::auto(std::io::stderr().lock()),
            "{}",
            text.trim_end()
        );
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Option<tx::Location> {
        Some(tx::Location {
            file: "a.mlir".to_owned(),
            line,
            column,
        })
    }

    fn error(location: Option<tx::Location>, message: &str) -> tx::Diagnostic {
        tx::Diagnostic {
            severity: Severity::Error,
            code: None,
            location,
            message: message.to_owned(),
            notes: Vec::new(),
        }
    }

    fn said(diagnostics: &[tx::Diagnostic], text: &[u8]) -> Vec<Said> {
        Said::diagnostics(diagnostics, Path::new("a.mlir"), text)
    }

    #[test]
    fn code_stands_below_everything_else() {
        let mut axis = error(
            at(2, 4),
            "'tile.reduce' op axis 2 is out of range for rank 2",
        );
        axis.code = Some(tx_mlir::codes::TX0001);
        for (place, message) in [(at(2, 4), "of the same place"), (at(1, 1), "a note")] {
            axis.notes.push(tx::Diagnostic {
                severity: Severity::Note,
                ..error(place, message)
            });
        }
        let said = said(&[axis.clone(), axis], b"first\n\tx  here\n");
        assert_eq!(said.len(), 1);
        assert_eq!(
            said[0].text(),
            "a.mlir:2:4: error: 'tile.reduce' op axis 2 is out of range for rank 2\n\tx  here\n\t  ^\n\
             a.mlir:2:4: note: of the same place\na.mlir:1:1: note: a note\nfirst\n^\n  = TX0001: \
             tx explain TX0001\n"
        );
        assert!(said[0].styled().contains('\u{1b}'));
        let json = said[0].json();
        assert_eq!(json["code"], "TX0001");
        assert_eq!((&json["line"], &json["column"]), (&json!(2), &json!(4)));
        assert_eq!(json["notes"][1]["message"], "a note");
        assert_eq!(json["rendered"], said[0].text());
    }

    #[test]
    fn odd_places_have_no_line() {
        for (location, text) in [
            (at(9, 1), "a.mlir:9:1: error: odd\n"),
            (at(0, 0), "a.mlir: error: odd\n"),
            (None, "tx: error: odd\n"),
        ] {
            let said = said(&[error(location, "odd")], b"one line");
            assert_eq!(said[0].text(), text);
            assert_eq!(said[0].json()["code"], Value::Null);
        }
        // The locations test a column beyond the end of the line, a column inside a UTF-8
        // character, and a line with invalid UTF-8.
        for (column, text) in [(99, &b"short"[..]), (2, "é".as_bytes()), (1, b"\xff\n")] {
            let said = said(&[error(at(1, column), "odd")], text);
            assert!(said[0].text().starts_with("a.mlir:1:"), "{said:?}");
        }
        let zero = said(&[error(at(0, 0), "odd")], b"")[0].json();
        assert_eq!(
            (&zero["file"], &zero["line"]),
            (&json!("a.mlir"), &Value::Null)
        );
    }

    #[test]
    fn arguments_have_the_names_of_the_program() {
        let text = b"func.func @f(%A: memref<?xf32, affine_map<(d0) -> (d0)>>, // %C: (\n  %B : \
                     memref<?xf32>, %n: index) {\n  op %B : f\n}\n";
        let lines = Lines::of(Path::new("a.mlir"), text);
        let place = at(3, 3).expect("a place");
        for (message, expected) in [
            (
                "arg0.dim0 is 4, arg1.dim0 is 5",
                "%A.dim0 is 4, %B.dim0 is 5",
            ),
            ("mod(arg0.dim0, 2) is arg2", "mod(%A.dim0, 2) is %n"),
            (
                "arg3 and %arg0, bigarg0 arg0x --arg arg",
                "arg3 and %arg0, bigarg0 arg0x --arg arg",
            ),
        ] {
            assert_eq!(lines.named(&place, message), expected);
        }
        assert_eq!(
            Lines::of(Path::new("b.mlir"), text).named(&place, "arg0"),
            "arg0"
        );
    }

    #[test]
    fn locations_are_read() {
        assert_eq!(location("a.mlir:2:4"), at(2, 4));
        assert_eq!(
            location("c:a.mlir:2:4").map(|l| l.file).as_deref(),
            Some("c:a.mlir")
        );
        for none in ["", "a.mlir", "a:1", "a:b:c", "a:1:", "a:-1:1"] {
            assert_eq!(location(none), None, "{none}");
        }
    }

    #[test]
    fn own_messages_begin_with_tx_once() {
        for text in ["no such file", "tx: no such file\n"] {
            let said = Said::by_tx(text);
            assert_eq!(said.text(), "tx: error: no such file\n");
            assert_eq!(said.json()["message"], "no such file");
        }
    }
}
