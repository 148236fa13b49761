//! Verdict on a stage.

use std::fmt;
use tx_mlir::{Code, codes};

/// Result of the check of one stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The checked stage is `parse`: its module is the input program, which computes the reference
    /// results.
    Reference,
    /// The results have the same bits as the results of the previous stage; all NaNs count as
    /// equal.
    Equal,
    /// An earlier stage gave a wrong result or reported an error, and the checked stage repeats the
    /// wrong result or the error.
    AsBefore,
    /// The results differ from the results of the previous stage, but by at most the error bound
    /// that covers every combination order (see [`tx_interp::Bound`]).
    EqualWithinOrder,
    /// The PTX matches the device IR. The text of the verdict contains operation counts and the
    /// output of `ptxas`.
    AsInIr(String),
    /// All tested properties of the combiners hold. The text of the verdict names the combiners.
    Hold(String),
    /// A combiner property fails, but only for values that possibly do not occur in the program.
    /// The text of the verdict contains the values for which a combiner property fails, a warning
    /// about these values, and the combiners whose tested properties hold for all values.
    Conditional(Vec<String>),
    /// Wrong result.
    Wrong(Box<Difference>),
    /// Data race: no barrier orders two conflicting accesses.
    Race(String),
    /// Invalid operation, such as an out-of-bounds access, that does not occur in the previous
    /// stage.
    Fault {
        /// Description of the fault, with the location of the fault.
        what: String,
        /// Diagnostic code of the violated rule, such as `TX0806`.
        code: Option<Code>,
    },
    /// The PTX differs from the device IR, or `ptxas` rejects the PTX.
    Ptx(String),
    /// A combiner property fails. The text of the verdict contains values for which a combiner
    /// property fails.
    Broken(String),
    /// The validation cannot run the module of the stage, for example because the interpreter does
    /// not support an op.
    Unsupported(String),
}

/// First wrong element of an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Name of the input.
    pub input: String,
    /// Index of the argument, counted from 0.
    pub argument: usize,
    /// Index of the element.
    pub index: Vec<usize>,
    /// Value found, as text.
    pub found: String,
    /// Value of the wrong element in the reference results, as text.
    pub expected: String,
    /// Maximum allowed absolute difference.
    pub allowed: f64,
    /// Number of wrong elements.
    pub wrong: usize,
    /// Number of compared elements.
    pub elements: usize,
}

impl Verdict {
    /// Returns whether the verdict is a failure of the stage.
    pub fn is_bad(&self) -> bool {
        matches!(
            self,
            Self::Wrong(_) | Self::Race(_) | Self::Fault { .. } | Self::Ptx(_) | Self::Broken(_)
        )
    }

    /// Returns the diagnostic code of the violated rule.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Race(_) => Some(codes::TX0801),
            Self::Fault { code, .. } => *code,
            Self::Broken(_) => Some(codes::TX0207),
            _ => None,
        }
    }

    pub(crate) fn worse(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }

    fn rank(&self) -> u32 {
        match self {
            Self::Equal
            | Self::AsBefore
            | Self::AsInIr(_)
            | Self::Hold(_)
            | Self::Conditional(_) => 0,
            Self::Reference => 1,
            Self::EqualWithinOrder => 2,
            Self::Unsupported(_) => 3,
            Self::Fault { .. } => 4,
            Self::Race(_) => 5,
            Self::Wrong(_) | Self::Ptx(_) | Self::Broken(_) => 6,
        }
    }

    /// Returns the verdict in one to three words.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Equal => "equal",
            Self::AsBefore => "as before",
            Self::EqualWithinOrder => "equal within order",
            Self::AsInIr(_) => "as in the IR",
            Self::Ptx(_) => "PTX",
            Self::Hold(_) => "hold",
            Self::Conditional(_) => "conditional",
            Self::Broken(_) => "BROKEN",
            Self::Wrong(_) => "WRONG",
            Self::Race(_) => "RACE",
            Self::Fault { .. } => "FAULT",
            Self::Unsupported(_) => "unsupported",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference | Self::Equal | Self::AsBefore | Self::EqualWithinOrder => {
                f.write_str(self.word())
            }
            Self::AsInIr(summary) => write!(f, "as in the IR: {summary}"),
            Self::Ptx(what) => write!(f, "PTX: {what}"),
            Self::Wrong(difference) => write!(f, "WRONG: {difference}"),
            Self::Race(what) => write!(f, "RACE: {what}"),
            Self::Fault { what, .. } => write!(f, "FAULT: {what}"),
            Self::Conditional(what) => write!(f, "conditional: {}", what.join("; ")),
            Self::Broken(what) => write!(f, "BROKEN: {what}"),
            Self::Hold(what) | Self::Unsupported(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "argument {}", self.argument)?;
        if !self.index.is_empty() {
            write!(f, " at {:?}", self.index)?;
        }
        write!(f, " is {}, expected {}", self.found, self.expected)?;
        // The least positive number as error bound marks a zero whose sign the comparison ignores.
        if self.allowed >= f64::MIN_POSITIVE {
            write!(f, " within {:.1e}", self.allowed)?;
        }
        write!(
            f,
            " ({} of {} elements; {})",
            self.wrong, self.elements, self.input
        )
    }
}
