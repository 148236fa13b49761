//! Messages of `tx`, and their rendering as text or JSON.

use std::collections::BTreeSet;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use tx::Severity;
use tx_mlir::Code;

use crate::name;
use crate::source_lines::{SourceLines, find_location, parse_location};

/// Message of `tx`, with the notes below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    severity: Severity,
    origin: Origin,
    code: Option<Code>,
    message: String,
    line: Option<String>,
    notes: Vec<Message>,
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
    /// Message of `tx validate`. In text format, `tx validate` prints the verdict in a table on
    /// standard output, not in the message.
    Finding(tx::Location),
}

impl Message {
    /// Creates a text that is printed without a prefix.
    pub(crate) fn plain(text: &str) -> Self {
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
    /// `verdict`. In JSON format, the error contains `verdict` as a note.
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
            ..Self::plain(message)
        };
        // The first source location in `text` becomes the location of the message.
        let own = find_location(text, &file);
        let text = match &own {
            Some(at) => text.replacen(&format!(" at {}:{}:{}", at.file, at.line, at.column), "", 1),
            None => text.to_owned(),
        };
        let place = own
            .or_else(|| find_location(verdict, &file))
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
            ..Self::plain(&text)
        }
    }

    /// Creates an error from the complete message of a failed run.
    pub(crate) fn failed(text: &str) -> Self {
        match text.strip_prefix("tx: ") {
            Some(message) => Self::by_tx(message),
            None => Self {
                severity: Severity::Error,
                ..Self::plain(text)
            },
        }
    }

    /// Creates an error whose origin is `tx`. If the message begins with the prefix `tx: `, the
    /// function removes the prefix.
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
        let located = |severity, place: Option<&str>, message: String| {
            let unknown = || tx::Location {
                file: "<unknown>".to_owned(),
                line: 0,
                column: 0,
            };
            Self {
                severity,
                origin: Origin::Program(Some(
                    place.and_then(parse_location).unwrap_or_else(unknown),
                )),
                code: None,
                message,
                line: None,
                notes: Vec::new(),
            }
        };
        let message = format!("{} (kernel `{}`)", fault.without_place(), fault.kernel);
        let mut one = located(Severity::Error, fault.location.as_deref(), message);
        one.code = fault.code.and_then(|code| code.parse().ok());
        one.notes = fault
            .elsewhere()
            .into_iter()
            .map(|at| {
                located(
                    Severity::Note,
                    Some(at),
                    "the other operation is here".to_owned(),
                )
            })
            .collect();
        if fault.kind == tx_runtime::FaultKind::Race && one.notes.is_empty() {
            one.notes.push(located(
                Severity::Note,
                fault.location.as_deref(),
                "several threads access one byte in this op: let one thread access it, or give \
                 each thread its own element; replace a `gpu.all_reduce`, which has internal \
                 memory, by a `tile.all_reduce`"
                    .to_owned(),
            ));
        }
        match fault.kind {
            tx_runtime::FaultKind::Endless => {
                one.with_note("if the program terminates, raise the step limit with `--steps`")
            }
            tx_runtime::FaultKind::NoDynamicShared => one.with_note(
                "this kernel has no dynamic shared memory: declare the array after its arguments, \
                 `workgroup(%S : memref<32xf32, #gpu.address_space<workgroup>>)`, or launch it \
                 from a host function by `gpu.launch_func` with `dynamic_shared_memory_size`",
            ),
            _ => one,
        }
    }

    /// Creates an error for arguments that violate a check of the program. The source location of
    /// the error is the source location of the violated check.
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
        let lines = SourceLines::of(file, text);
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

    /// Adds source lines of the program to the message; the lines are printed below the message and
    /// below its notes.
    pub(crate) fn quoting(self, lines: &SourceLines<'_>) -> Self {
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

    /// Converts the diagnostics of a compilation to messages. Clones of one op may cause equal
    /// diagnostics; the function keeps only the first of these diagnostics.
    pub(crate) fn diagnostics(
        diagnostics: &[tx::Diagnostic],
        file: &Path,
        text: &[u8],
    ) -> Vec<Self> {
        let lines = SourceLines::of(file, text);
        let mut before = BTreeSet::new();
        diagnostics
            .iter()
            .map(|diagnostic| Self::diagnostic(diagnostic).quoting(&lines))
            .filter(|message| before.insert(message.text()))
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

    /// Appends the text of the message to `text`. If the message is at location `shown`, the
    /// function omits the source line of the message. If `findings` is true, the function appends
    /// the verdicts of `tx validate`. If `findings` is false, only the table on standard output
    /// contains the verdicts.
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

    fn messages_of(diagnostics: &[tx::Diagnostic], text: &[u8]) -> Vec<Message> {
        Message::diagnostics(diagnostics, Path::new("a.mlir"), text)
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
        let messages = messages_of(&[axis.clone(), axis], b"first\n\tx  here\n");
        assert_eq!(messages.len(), 1);
        assert_eq!(
            messages[0].text(),
            "a.mlir:2:4: error: 'tile.reduce' op axis 2 is out of range for rank 2\n\tx  here\n\t  ^\n\
             a.mlir:2:4: note: of the same place\na.mlir:1:1: note: a note\nfirst\n^\n  = TX0001: \
             tx explain TX0001\n"
        );
        assert!(messages[0].styled().contains('\u{1b}'));
        let json = messages[0].json();
        assert_eq!(json["code"], "TX0001");
        assert_eq!((&json["line"], &json["column"]), (&json!(2), &json!(4)));
        assert_eq!(json["notes"][1]["message"], "a note");
        assert_eq!(json["rendered"], messages[0].text());
    }

    #[test]
    fn odd_places_have_no_line() {
        for (location, text) in [
            (at(9, 1), "a.mlir:9:1: error: odd\n"),
            (at(0, 0), "a.mlir: error: odd\n"),
            (None, "tx: error: odd\n"),
        ] {
            let messages = messages_of(&[error(location, "odd")], b"one line");
            assert_eq!(messages[0].text(), text);
            assert_eq!(messages[0].json()["code"], Value::Null);
        }
        // The locations test a column beyond the end of the line, a column inside a UTF-8
        // character, and a line with invalid UTF-8.
        for (column, text) in [(99, &b"short"[..]), (2, "é".as_bytes()), (1, b"\xff\n")] {
            let messages = messages_of(&[error(at(1, column), "odd")], text);
            assert!(messages[0].text().starts_with("a.mlir:1:"), "{messages:?}");
        }
        let zero = messages_of(&[error(at(0, 0), "odd")], b"")[0].json();
        assert_eq!(
            (&zero["file"], &zero["line"]),
            (&json!("a.mlir"), &Value::Null)
        );
    }

    #[test]
    fn own_messages_begin_with_tx_once() {
        for text in ["no such file", "tx: no such file\n"] {
            let message = Message::by_tx(text);
            assert_eq!(message.text(), "tx: error: no such file\n");
            assert_eq!(message.json()["message"], "no such file");
        }
    }
}
