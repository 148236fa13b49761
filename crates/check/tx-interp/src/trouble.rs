//! Reasons why an interpreter run failed.

use crate::site::Site;
use std::fmt;
use tx_mlir::{Code, Op, codes};

/// Kind of a fault of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// A data race: no synchronization orders two conflicting accesses to one byte.
    Race,
    /// An access outside of the accessed array, or a subview outside of the source memref.
    OutOfBounds,
    /// An access at an address that violates the declared alignment.
    Misaligned,
    /// A read of uninitialised memory.
    Uninitialized,
    /// Some threads do not execute an op that all threads of their thread group must execute
    /// together.
    Divergence,
    /// A lane that must participate in a warp operation is inactive.
    InactiveLane,
    /// A failed assertion of the program.
    Assertion,
    /// An arithmetic operation with an undefined result, such as a division by zero.
    NoResult,
    /// Invalid sizes, or a violated assumption of the program such as `nnan`.
    Undefined,
}

/// Reason why an interpreter run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// An unsupported op, or an unsupported form of an op.
    Unsupported {
        /// Location of the op.
        site: Site,
        /// The unsupported property of the op; empty if every form of the op is unsupported.
        what: String,
    },
    /// The program has a fault.
    Fault {
        /// Kind of the fault.
        kind: FaultKind,
        /// Location of the op.
        site: Site,
        /// Message with the found value, the expected value, the thread and the block.
        message: String,
    },
    /// The entry function cannot be called with the given arguments.
    Call(String),
    /// The interpreter run exceeded its step limit.
    TooLong {
        /// Step limit: maximum sum of executed ops, executed MLIR blocks and accessed elements of
        /// all threads.
        steps: u64,
        /// The innermost running loop.
        site: Option<Site>,
    },
}

impl FaultKind {
    /// Returns the diagnostic code of the kind of fault, or `None` if the kind has no diagnostic
    /// code.
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
    /// Returns the diagnostic code of a fault or of an exceeded step limit; `None` for other
    /// failures and for faults without a diagnostic code.
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

    /// Adds the location `site` of a loop to a [`Trouble::TooLong`] without a location.
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
                    "step limit exceeded: {what} did not end within {steps} steps of all threads"
                )
            }
        }
    }
}

impl std::error::Error for Trouble {}
