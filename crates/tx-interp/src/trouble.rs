//! Why a run did not come to its end.

use std::fmt;
use tx_mlir::melior::ir::operation::OperationLike;
use tx_mlir::{Code, Op, codes};

/// Where an op stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the op.
    pub op: String,
    /// Its location, as MLIR prints it without `loc(…)`.
    pub location: String,
}

impl Site {
    pub(crate) fn of(op: Op<'_>) -> Self {
        let location = op.location().to_string();
        Self {
            op: tx_mlir::name(op).to_owned(),
            location: tx_mlir::source_location(op.location())
                .map(|l| format!("{}:{}:{}", l.file, l.line, l.column))
                .unwrap_or(location),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {}", self.op, self.location)
    }
}

/// What a program did that it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two accesses to one byte that nothing orders.
    Race,
    /// An access outside its memory, or a view of what is not there.
    OutOfBounds,
    /// An access at an address that is less aligned than it promises.
    Misaligned,
    /// A read of memory that nobody wrote.
    Uninitialized,
    /// Threads that must be together are not.
    Divergence,
    /// A lane takes no part in an operation of its warp that needs it.
    InactiveLane,
    /// A check of the program itself fails.
    Assertion,
    /// An operation on numbers whose result is not defined, such as a division by zero.
    NoResult,
    /// Sizes or a promise of the program that cannot hold.
    Undefined,
}

/// Why a run did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// An op that is not known here, or in a way that is not.
    Unsupported {
        /// Where it stands.
        site: Site,
        /// What about it is not known; empty when it is the op itself.
        what: String,
    },
    /// The program did what it must not.
    Fault {
        /// What sort of thing.
        kind: FaultKind,
        /// Where.
        site: Site,
        /// Found and expected, with thread and block.
        message: String,
    },
    /// The entry cannot be called in this way.
    Call(String),
    /// More work than was allowed.
    TooLong {
        /// The limit, in ops of one thread.
        steps: u64,
        /// The innermost loop that was running.
        site: Option<Site>,
    },
}

impl FaultKind {
    /// The code of the rule that such a fault breaks.
    pub const fn code(self) -> Option<Code> {
        match self {
            Self::Race => Some(codes::TX0801),
            Self::OutOfBounds => Some(codes::TX0802),
            Self::Uninitialized => Some(codes::TX0803),
            Self::Divergence => Some(codes::TX0804),
            Self::InactiveLane => Some(codes::TX0805),
            Self::NoResult => Some(codes::TX0807),
            Self::Assertion => Some(codes::TX0808),
            Self::Misaligned | Self::Undefined => None,
        }
    }
}

impl Trouble {
    /// The code of the rule that the program broke.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Fault { kind, .. } => kind.code(),
            Self::TooLong { .. } => Some(codes::TX0806),
            Self::Unsupported { .. } | Self::Call(_) => None,
        }
    }

    pub(crate) fn unsupported(op: Op<'_>, what: impl Into<String>) -> Self {
        Self::Unsupported {
            site: Site::of(op),
            what: what.into(),
        }
    }

    /// The same of a run that was in a loop.
    pub(crate) fn in_loop(self, site: &Site) -> Self {
        match self {
            Self::TooLong { steps, site: None } => Self::TooLong {
                steps,
                site: Some(site.clone()),
            },
            other => other,
        }
    }

    pub(crate) fn fault(kind: FaultKind, site: &Site, message: impl Into<String>) -> Self {
        Self::Fault {
            kind,
            site: site.clone(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { site, what } if what.is_empty() => {
                write!(f, "unsupported op {} at {}", site.op, site.location)
            }
            Self::Unsupported { site, what } => {
                write!(f, "unsupported op {} at {}: {what}", site.op, site.location)
            }
            Self::Fault { site, message, .. } => write!(f, "{message}, {site}"),
            Self::Call(message) => f.write_str(message),
            Self::TooLong { steps, site } => {
                let what = match site {
                    Some(site) => format!("the loop {site}"),
                    None => "the program".to_owned(),
                };
                write!(
                    f,
                    "no end in sight: {what} goes on after {steps} steps of all threads"
                )
            }
        }
    }
}

impl std::error::Error for Trouble {}
