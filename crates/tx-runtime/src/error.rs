//! What can go wrong, and whose turn it is.

use std::borrow::Cow;
use std::path::PathBuf;

use tx_plan::{CheckError, ElementType, ExprError, PlanError};

use crate::cuda::CudaError;
use crate::npy::NpyError;
use crate::number::Number;
use crate::spec::SpecError;

/// Why arguments were not accepted, a device not opened, or a run not finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text that is no argument specification. The caller's to fix.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A file that could not be read as an array, or not be written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: NpyError,
    },
    /// The wrong number of arguments.
    #[error("found {found} argument{}, expected {expected}: {signature}", if *found == 1 { "" } else { "s" })]
    ArgumentCount {
        /// How many were given.
        found: usize,
        /// How many the entry takes.
        expected: usize,
        /// The entry with its argument types.
        signature: String,
    },
    /// An argument that does not fit its type.
    #[error("argument {index}: found {found}, expected \
             {expected}{}", hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    Argument {
        /// Which argument, counted from 0.
        index: usize,
        /// What was given.
        found: String,
        /// What the entry takes.
        expected: String,
        /// What to change, when that is not obvious.
        hint: Option<String>,
    },
    /// A value that an integer type cannot hold.
    #[error("{value} is not a value of {element}")]
    Value {
        /// The value.
        value: Number,
        /// The type.
        element: ElementType,
    },
    /// Elements of another type than was asked for.
    #[error("found elements of type {found}, expected {expected}")]
    Element {
        /// The type of the elements.
        found: ElementType,
        /// The type that was asked for.
        expected: ElementType,
    },
    /// The wrong number of bytes for an array.
    #[error("found {found} bytes for {array}, expected {expected}")]
    Size {
        /// Shape and element type.
        array: String,
        /// How many bytes were given.
        found: usize,
        /// How many the shape needs.
        expected: usize,
    },
    /// Not enough memory, of the host or of the device.
    #[error(
        "not enough memory for {what}{}",
        bytes.map(|bytes| format!(" ({bytes} bytes)")).unwrap_or_default()
    )]
    OutOfMemory {
        /// For what.
        what: String,
        /// How much was asked for; `None` when it exceeds the address space.
        bytes: Option<usize>,
    },
    /// A plan that contradicts itself.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Arguments that do not fit together, as the plan says.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// An expression of the plan without a value for these arguments.
    #[error("{place}: {error}")]
    Launch {
        /// Which part of the plan.
        place: String,
        /// Why it has no value.
        error: ExprError,
    },
    /// A size that no device can launch.
    #[error("{place}: found {found}, expected {expected}")]
    LaunchSize {
        /// Which part of the plan.
        place: String,
        /// What was found.
        found: String,
        /// What a device takes.
        expected: String,
    },
    /// A grid given for something that has a grid of its own.
    #[error(
        "the grid can be set for a kernel only; `{entry}` is a function that launches kernels of its own"
    )]
    GridOfFunction {
        /// The entry.
        entry: String,
    },
    /// A CUDA graph, or a stream of the caller's, on a device that has none.
    #[error(
        "{device} has no CUDA graphs and streams; launch the program by itself, or on a CUDA device"
    )]
    NoGraph {
        /// The device.
        device: String,
    },
    /// Arrays in device memory, for a device that has none.
    #[error(
        "{device} has no memory of a device; run the program on arrays of the host, or on a CUDA device"
    )]
    NoDeviceMemory {
        /// The device.
        device: String,
    },
    /// A text that names no device.
    #[error("unknown device `{found}`; expected `auto`, `cpu`, `cuda` or `cuda:N`")]
    UnknownDevice {
        /// The text.
        found: String,
    },
    /// A device that this build or this machine does not have.
    #[error("no device `{device}`: {reason}")]
    NoDevice {
        /// The device.
        device: String,
        /// Why there is none, and what to change.
        reason: String,
    },
    /// Kernels compiled for a newer or another chip than the device is.
    #[error(
        "the program was compiled for {compiled}, but {device} is {found}; compile it for {found}"
    )]
    Chip {
        /// The chip of the plan.
        compiled: String,
        /// The chip of the device.
        found: String,
        /// The name of the device.
        device: String,
    },
    /// The driver refused the kernels.
    #[error(
        "the driver refused the PTX: {error}{}",
        if log.is_empty() { String::new() } else { format!("\n{log}") }
    )]
    Ptx {
        /// What the driver answered.
        error: CudaError,
        /// What its assembler wrote.
        log: String,
    },
    /// The executor refused the kernels.
    #[error("the executor refused the device IR: {0}")]
    DeviceIr(String),
    /// A plan that passes a kernel other parameters than it takes.
    #[error(
        "kernel `{kernel}`: the plan passes {} parameters of {found:?} bytes, expected {} of {expected:?}",
        found.len(), expected.len()
    )]
    Parameters {
        /// The kernel.
        kernel: String,
        /// The size of each parameter in the plan, in bytes.
        found: Vec<usize>,
        /// The size of each parameter of the kernel, in bytes.
        expected: Vec<usize>,
    },
    /// The driver answered with an error while running.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// The program did something a correct program does not do: a race, a divergent barrier, an
    /// access out of bounds.
    #[error("{0}")]
    Fault(Box<Fault>),
}

/// What the program did wrong, as the executor saw it. It prints as a diagnostic at a source
/// location, with a note for the other location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: error: {} (kernel `{kernel}`){}",
    location.as_deref().unwrap_or("<unknown>"),
    self.without_place(),
    self.elsewhere().map(|at| format!("\n{at}: note: the other operation is here")).unwrap_or_default()
)]
pub struct Fault {
    /// What sort of thing it did.
    pub kind: FaultKind,
    /// The code of the rule that it broke, such as `TX0801`.
    pub code: Option<&'static str>,
    /// The kernel that was running.
    pub kernel: String,
    /// `file:line:column` of the operation; for a race the later of the two.
    pub location: Option<String>,
    /// `file:line:column` of the other operation of a race or a divergence.
    pub other_location: Option<String>,
    /// What it did, and which threads did it, with the places.
    pub message: String,
    /// What threads printed before.
    pub printed: String,
}

impl Fault {
    /// The message to put behind its place, which it does not say again. A race has two, and says both.
    pub fn without_place(&self) -> Cow<'_, str> {
        let by = match self.kind {
            FaultKind::Race => return Cow::Borrowed(&self.message),
            FaultKind::Endless => " of thread",
            _ => " by thread",
        };
        match &self.location {
            Some(place) => Cow::Owned(self.message.replacen(
                &format!(" at {place} by thread"),
                by,
                1,
            )),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// The location of the other operation, where it is not that of the first: threads race in one
    /// operation, too.
    pub fn elsewhere(&self) -> Option<&str> {
        self.other_location
            .as_deref()
            .filter(|_| self.other_location != self.location)
    }
}

/// What sort of thing a program did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two accesses that nothing orders, one of them a write.
    Race,
    /// A barrier, shuffle or vote that not all of its threads reach together, or that reads an
    /// inactive lane; an access to another block of the cluster that need not run then.
    Synchronization,
    /// An access out of bounds, misaligned, of memory nobody wrote, or of memory that must not be written.
    Memory,
    /// An access to dynamic shared memory, of which the launch gave none.
    NoDynamicShared,
    /// More stack than the executor has: a device may have enough.
    Stack,
    /// More steps than it may take.
    Endless,
    /// An assertion that does not hold, a trap, an integer division by zero, a number outside its
    /// declared range, or threads that wait for each other for ever.
    Other,
}

/// Whose turn it is after an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// What was asked for makes no sense: the caller must ask differently.
    Usage,
    /// The program, its arguments or the device do not fit together; nothing ran.
    Refused,
    /// The program ran and failed.
    Failed,
}

impl Error {
    /// The code of the rule that arguments or a run broke, such as `TX0801`.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Check(error) => error.code(),
            Self::Fault(fault) => fault.code,
            _ => None,
        }
    }

    /// Whose turn it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Spec(_)
            | Self::UnknownDevice { .. }
            | Self::GridOfFunction { .. }
            | Self::NoGraph { .. }
            | Self::NoDeviceMemory { .. } => ErrorKind::Usage,
            Self::File { .. }
            | Self::ArgumentCount { .. }
            | Self::Argument { .. }
            | Self::Value { .. }
            | Self::Element { .. }
            | Self::Size { .. }
            | Self::OutOfMemory { .. }
            | Self::Plan(_)
            | Self::Check(_)
            | Self::Launch { .. }
            | Self::LaunchSize { .. }
            | Self::NoDevice { .. }
            | Self::Chip { .. }
            | Self::Ptx { .. }
            | Self::DeviceIr(_)
            | Self::Parameters { .. } => ErrorKind::Refused,
            Self::Cuda(_) | Self::Fault(_) => ErrorKind::Failed,
        }
    }
}
