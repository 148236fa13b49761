//! What is found of each stage.

use std::fmt;
use tx_mlir::{Code, codes};

/// What is found of one stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program as it came: what later stages are compared with.
    Reference,
    /// The same bits as after the stage before. Any NaN is like any other.
    Equal,
    /// What a stage before left was wrong, is so still, and nothing else is.
    AsBefore,
    /// Other bits, as near to the reference as every order of combination is: see [`tx_interp::Bound`].
    EqualWithinOrder,
    /// PTX that does what the IR before it says; how often, and what an assembler makes of it.
    AsInIr(String),
    /// Combiners for which no law is seen to fail, and what is remarkable of them.
    Hold(String),
    /// Combiners for which a law fails with values that may not occur, which ones, and what to do;
    /// below these, what is remarkable of others.
    Conditional(Vec<String>),
    /// Another result.
    Wrong(Box<Difference>),
    /// Accesses that no barrier orders.
    Race(String),
    /// The program does what it must not, and did not before.
    Fault {
        /// What it does, and where.
        what: String,
        /// The code of the rule that it breaks.
        code: Option<Code>,
    },
    /// PTX that does otherwise than the IR before it says, or that an assembler refuses.
    Ptx(String),
    /// A combiner for which a law fails, with values that show it.
    Broken(String),
    /// It cannot be run at this stage.
    Unsupported(String),
}

/// The first element that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Which input it was.
    pub input: String,
    /// The argument, counted from 0.
    pub argument: usize,
    /// Where in it.
    pub index: Vec<usize>,
    /// What is there, as people read it.
    pub found: String,
    /// What the reference has there.
    pub expected: String,
    /// How far apart they may be.
    pub allowed: f64,
    /// How many elements are wrong.
    pub wrong: usize,
    /// How many were compared.
    pub elements: usize,
}

impl Verdict {
    /// Whether it says that something is wrong.
    pub fn is_bad(&self) -> bool {
        matches!(
            self,
            Self::Wrong(_) | Self::Race(_) | Self::Fault { .. } | Self::Ptx(_) | Self::Broken(_)
        )
    }

    /// The code of the rule that the program breaks.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Race(_) => Some(codes::TX0801),
            Self::Fault { code, .. } => *code,
            Self::Broken(_) => Some(codes::TX0207),
            _ => None,
        }
    }

    /// Of two inputs, what is found of the stage.
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

    /// The verdict in one or two words.
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
        // The least number stands for a zero of which the sign is open.
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
