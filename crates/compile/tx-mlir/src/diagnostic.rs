//! Diagnostics: emission from Rust, and capture of MLIR's messages.

use crate::ffi::{self, TxStr};
use crate::ir::{Op, walk};
use crate::source;
use melior::diagnostic::DiagnosticSeverity;
use melior::ir::Location;
use melior::ir::operation::OperationLike;
use mlir_sys::{MlirDiagnostic, MlirLocation, MlirOperation};
use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

pub use crate::location::{SourceLocation, source_location};

/// Number of a diagnostic rule; rule 12 is printed as `TX0012`. [`crate::codes`] has a constant for
/// each rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

impl Code {
    /// Returns the diagnostic code with the number `number`, from 1 to 9999.
    pub const fn new(number: u16) -> Self {
        assert!(number >= 1 && number <= 9999, "codes have four digits");
        Self(number)
    }

    /// Returns the number of the diagnostic code.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// Converts the integer `number` from MLIR's diagnostic metadata to a code; 0 means that the
    /// diagnostic has no code.
    pub(crate) fn carried(number: u32) -> Option<Self> {
        let number = u16::try_from(number).ok();
        number.filter(|n| (1..=9999).contains(n)).map(Self)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TX{:04}", self.0)
    }
}

/// Error for a text that is not a diagnostic code. A diagnostic code is `TX` followed by four
/// digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCode;

impl FromStr for Code {
    type Err = NoCode;

    fn from_str(text: &str) -> Result<Self, NoCode> {
        let digits = text
            .strip_prefix("TX")
            .filter(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok());
        number.and_then(Self::carried).ok_or(NoCode)
    }
}

/// Token whose existence proves that an error diagnostic was emitted. A pass or a verifier can
/// report failure only with a value of type `Failed`.
#[derive(Debug)]
pub struct Failed(());

/// Diagnostic under construction.
#[must_use = "nothing is reported before `emit`"]
pub struct Report<'c, S> {
    location: Location<'c>,
    code: Option<Code>,
    message: String,
    notes: Vec<(Option<Location<'c>>, String)>,
    severity: S,
}

static EXPLAIN: OnceLock<fn(Code) -> String> = OnceLock::new();

/// Sets the process-wide function that returns an explanation for a diagnostic code. After a call
/// of `explain_errors`, the last note of each error with a diagnostic code is the explanation of
/// that code. Only the first call of `explain_errors` in a process has an effect.
pub fn explain_errors(explain: fn(Code) -> String) {
    EXPLAIN.get_or_init(|| explain);
}

/// Returns the explanation of `code`; `None` if [`explain_errors`] was not called.
pub fn explanation(code: Code) -> Option<String> {
    EXPLAIN.get().map(|explain| explain(code))
}

thread_local! {
    /// Module that the current thread processes in a pass or a verifier. `MODULE` is `None` if
    /// diagnostics do not show source lines.
    static MODULE: Cell<Option<MlirOperation>> = const { Cell::new(None) };
}

/// Calls `run`, which processes the module `op`. If diagnostics show source lines, the location of
/// the first op with a line number replaces the location of each diagnostic at line 0.
pub(crate) fn working_on<R>(op: Op<'_>, run: impl FnOnce() -> R) -> R {
    let before = MODULE.replace(source::reads().then(|| op.to_raw()));
    let result = run();
    MODULE.set(before);
    result
}

/// If `location` has no line number, returns the location of the first op in `module` with a line
/// number.
fn first_op_location<'c>(module: MlirOperation, location: Location<'c>) -> Option<Location<'c>> {
    let has_line = |at: &Location<'_>| source_location(*at).is_none_or(|at| at.line > 0);
    if has_line(&location) {
        return None;
    }
    // SAFETY: the module outlives the call of `working_on` that set it.
    let module = unsafe { Op::from_raw(module) };
    let mut places = walk(module).into_iter().map(|op| op.location());
    let first = places.find(has_line)?;
    // SAFETY: a location lives as long as the context, and the module has the context of
    // `location`.
    Some(unsafe { Location::from_raw(first.to_raw()) })
}

/// Severity of [`error`].
pub struct ErrorSeverity;
/// Severity of [`warning`].
pub struct WarningSeverity;
/// Severity of [`remark`].
pub struct RemarkSeverity;

/// Starts an error at `location`.
///
/// By convention, an error message begins in lower case, ends without a full stop, encloses code in
/// backticks, and states the found and the expected value.
pub fn error<'c>(location: Location<'c>, message: impl Into<String>) -> Report<'c, ErrorSeverity> {
    Report {
        location,
        code: None,
        message: message.into(),
        notes: Vec::new(),
        severity: ErrorSeverity,
    }
}

/// Starts a warning at `location`, for a construct that is legal but probably a mistake.
pub fn warning<'c>(
    location: Location<'c>,
    message: impl Into<String>,
) -> Report<'c, WarningSeverity> {
    Report {
        location,
        code: None,
        message: message.into(),
        notes: Vec::new(),
        severity: WarningSeverity,
    }
}

/// Starts a remark at `location`.
pub fn remark<'c>(
    location: Location<'c>,
    message: impl Into<String>,
) -> Report<'c, RemarkSeverity> {
    Report {
        location,
        code: None,
        message: message.into(),
        notes: Vec::new(),
        severity: RemarkSeverity,
    }
}

impl<'c, S> Report<'c, S> {
    /// Sets the diagnostic code.
    pub fn code(mut self, code: impl Into<Option<Code>>) -> Self {
        self.code = code.into();
        self
    }

    /// Adds a note to the diagnostic, at the location of the diagnostic.
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.notes.push((None, message.into()));
        self
    }

    /// Adds a note to the diagnostic, at the location `location`.
    pub fn note_at(mut self, location: Location<'c>, message: impl Into<String>) -> Self {
        self.notes.push((Some(location), message.into()));
        self
    }

    fn send(&self, severity: i32) {
        let at = MODULE
            .get()
            .and_then(|module| first_op_location(module, self.location))
            .unwrap_or(self.location);
        let locations: Vec<MlirLocation> = self
            .notes
            .iter()
            .map(|(l, _)| {
                l.map_or(
                    MlirLocation {
                        ptr: std::ptr::null_mut(),
                    },
                    |l| l.to_raw(),
                )
            })
            .collect();
        let notes: Vec<TxStr> = self.notes.iter().map(|(_, n)| TxStr::new(n)).collect();
        // SAFETY: both arrays have one entry per note and outlive the call.
        unsafe {
            ffi::txEmit(
                at.to_raw(),
                severity,
                self.code.map_or(0, |code| code.number().into()),
                TxStr::new(&self.message),
                locations.as_ptr(),
                notes.as_ptr(),
                notes.len(),
            );
        }
    }
}

impl Report<'_, ErrorSeverity> {
    /// Reports the error.
    pub fn emit(mut self) -> Failed {
        let _ = self.severity;
        if let Some(note) = self.code.and_then(explanation) {
            self.notes.push((None, note));
        }
        self.send(0);
        Failed(())
    }
}

impl Report<'_, WarningSeverity> {
    /// Reports the warning.
    pub fn emit(self) {
        let _ = self.severity;
        self.send(1);
    }
}

impl Report<'_, RemarkSeverity> {
    /// Reports the remark.
    pub fn emit(self) {
        let _ = self.severity;
        self.send(2);
    }
}

/// Severity of a [`Diagnostic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Diagnostic for a program that the compiler rejects.
    Error,
    /// Diagnostic for a program that the compiler accepts, but that probably has a mistake.
    Warning,
    /// Additional text that is attached to an error, a warning or a remark.
    Note,
    /// Information that the user requested by an option.
    Remark,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Remark => "remark",
        })
    }
}

/// Returns the message of a diagnostic, or a placeholder if the message is not valid UTF-8.
fn message(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> String {
    use std::fmt::Write as _;
    let mut message = String::new();
    match write!(message, "{diagnostic}") {
        Ok(()) => message,
        Err(_) => "the message quotes bytes that are not UTF-8".to_owned(),
    }
}

/// Returns the code of a diagnostic from MLIR's diagnostic metadata, which melior does not expose.
fn code(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Option<Code> {
    const {
        assert!(
            size_of::<melior::diagnostic::Diagnostic<'_>>() == size_of::<MlirDiagnostic>(),
            "melior's diagnostic is one handle"
        );
    }
    // SAFETY: the handle is the only field of melior's type with a non-zero size.
    let raw: MlirDiagnostic = unsafe { std::mem::transmute_copy(diagnostic) };
    // SAFETY: the diagnostic is alive.
    Code::carried(unsafe { ffi::txCode(raw) })
}

/// Diagnostic as a Rust value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity of the diagnostic.
    pub severity: Severity,
    /// Diagnostic code; `None` for MLIR's own messages.
    pub code: Option<Code>,
    /// File position; `None` if the MLIR location contains no file position.
    pub location: Option<SourceLocation>,
    /// Message text.
    pub message: String,
    /// Notes attached to the diagnostic.
    pub notes: Vec<Diagnostic>,
}

impl Diagnostic {
    /// Converts an MLIR diagnostic and its notes to Rust values. Only a diagnostic handler of an
    /// MLIR context may call this function.
    pub fn from_melior(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Self {
        Self {
            severity: match diagnostic.severity() {
                DiagnosticSeverity::Error => Severity::Error,
                DiagnosticSeverity::Warning => Severity::Warning,
                DiagnosticSeverity::Note => Severity::Note,
                DiagnosticSeverity::Remark => Severity::Remark,
            },
            code: code(diagnostic),
            location: source_location(diagnostic.location()),
            message: message(diagnostic),
            notes: (0..diagnostic.note_count())
                .filter_map(|i| diagnostic.note(i).ok())
                .map(|n| Self::from_melior(&n))
                .collect(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        for note in &self.notes {
            write!(f, "\n{note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, NoCode, Op, first_op_location, source_location};
    use crate::session::Session;
    use melior::ir::operation::OperationLike;

    /// Checks the replacement of a location at line 0, such as the location of a `builtin.module`
    /// that MLIR's parser added. The replacement is the location of the first op in the module that
    /// has a line number.
    #[test]
    fn files_as_a_whole_are_shown_at_their_first_op() {
        let session = Session::new(|_| {});
        for (text, line) in [
            ("\nfunc.func @f() { return }", Some(2)),
            ("\n\nmodule {}", None),
            ("", None),
        ] {
            let module = session.parse("a.mlir", text.as_bytes()).expect("a module");
            let raw = module.as_operation().to_raw();
            // SAFETY: the module is alive.
            let location = unsafe { Op::from_raw(raw) }.location();
            let place = first_op_location(raw, location).and_then(source_location);
            assert_eq!(place.map(|at| at.line), line, "{text}");
        }
    }

    #[test]
    fn codes_have_four_digits() {
        assert_eq!(Code::new(12).to_string(), "TX0012");
        assert_eq!("TX0012".parse(), Ok(Code::new(12)));
        for other in [
            "",
            "TX",
            "TX12",
            "tx0012",
            "TX0000",
            "TX00012",
            "TX+012",
            "TX0012: x",
        ] {
            assert_eq!(other.parse::<Code>(), Err(NoCode), "{other}");
        }
    }

    #[test]
    fn codes_are_carried() {
        let session = Session::new(|_| {});
        let at = melior::ir::Location::new(session.context(), "a.mlir", 2, 3);
        let _ = crate::error(at, "wrong")
            .code(Code::new(12))
            .note("so")
            .emit();
        let _ = crate::error(at, "wrong").emit();
        let told = session.take_diagnostics();
        let codes: Vec<_> = told.iter().map(|d| d.code).collect();
        assert_eq!(codes, [Some(Code::new(12)), None]);
        assert_eq!(told[0].location, told[1].location);
        assert_eq!(told[0].notes[0].code, None);
    }
}
