//! Errors of the runtime, classified by their cause.

use std::borrow::Cow;
use std::path::PathBuf;

use tx_plan::{CheckError, ElementType, ExprError, PlanError};

use crate::cuda::CudaError;
use crate::npy::NpyError;
use crate::number::Number;
use crate::spec::SpecError;

/// Error of an argument, a device or a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Invalid argument specification: a mistake of the caller.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Array file that cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Reason.
        error: NpyError,
    },
    /// Wrong number of arguments.
    #[error("found {found} argument{}, expected {expected}: {signature}", if *found == 1 { "" } else { "s" })]
    ArgumentCount {
        /// Number of given arguments.
        found: usize,
        /// Number of arguments of the entry.
        expected: usize,
        /// Name of the entry, with its argument types.
        signature: String,
    },
    /// Argument that does not match the argument type of the entry.
    #[error("argument {index}: found {found}, expected \
             {expected}{}", hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    Argument {
        /// Index of the argument, from 0.
        index: usize,
        /// Description of the argument that the caller passed.
        found: String,
        /// Argument type of the entry.
        expected: String,
        /// Suggestion, if one exists.
        hint: Option<String>,
    },
    /// Value out of the range of an integer type.
    #[error("{value} is not a value of {element}")]
    Value {
        /// Value.
        value: Number,
        /// Integer type.
        element: ElementType,
    },
    /// Request for elements of a type that is not the element type of the array.
    #[error("found elements of type {found}, expected {expected}")]
    Element {
        /// Type of the elements.
        found: ElementType,
        /// Requested type.
        expected: ElementType,
    },
    /// The number of bytes does not match the shape of an array.
    #[error("found {found} bytes for {array}, expected {expected}")]
    Size {
        /// Shape and element type of the array.
        array: String,
        /// Number of given bytes.
        found: usize,
        /// Number of bytes that an array with this shape and element type needs.
        expected: usize,
    },
    /// Not enough memory on the host or the device.
    #[error(
        "not enough memory for {what}{}",
        bytes.map(|bytes| format!(" ({bytes} bytes)")).unwrap_or_default()
    )]
    OutOfMemory {
        /// Purpose of the memory.
        what: String,
        /// Number of requested bytes; `None` for a number that exceeds the address space.
        bytes: Option<usize>,
    },
    /// Inconsistent plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Arguments that violate a check of the plan.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// Expression of the plan that cannot be evaluated for the given arguments.
    #[error("{place}: {error}")]
    Launch {
        /// Part of the plan.
        place: String,
        /// Reason.
        error: ExprError,
    },
    /// Grid, block or cluster size of a launch that no device supports.
    #[error("{place}: found {found}, expected {expected}")]
    LaunchSize {
        /// Part of the plan.
        place: String,
        /// Actual size.
        found: String,
        /// Supported sizes.
        expected: String,
    },
    /// The option for the grid is set for a host function. Only an entry that is a kernel accepts a
    /// grid.
    #[error(
        "the grid can be set for a kernel only; `{entry}` is a function that launches kernels of its own"
    )]
    GridOfFunction {
        /// Name of the entry.
        entry: String,
    },
    /// A CUDA graph or a stream is requested on a device that supports neither graphs nor streams.
    #[error(
        "{device} has no CUDA graphs and streams; launch the program by itself, or on a CUDA device"
    )]
    NoGraph {
        /// Name of the device.
        device: String,
    },
    /// Arrays in device memory are passed to a device that has no device memory.
    #[error(
        "{device} has no memory of a device; run the program on arrays of the host, or on a CUDA device"
    )]
    NoDeviceMemory {
        /// Name of the device.
        device: String,
    },
    /// Invalid device name.
    #[error("unknown device `{found}`; expected `auto`, `cpu`, `cuda` or `cuda:N`")]
    UnknownDevice {
        /// Invalid name.
        found: String,
    },
    /// Device that this build of the crate does not support, or that this machine does not have.
    #[error("no device `{device}`: {reason}")]
    NoDevice {
        /// Name of the device.
        device: String,
        /// Reason, and a suggestion.
        reason: String,
    },
    /// Kernels compiled for a chip that the device does not support.
    #[error(
        "the program was compiled for {compiled}, but {device} is {found}; compile it for {found}"
    )]
    Chip {
        /// Chip of the plan.
        compiled: String,
        /// Chip of the device.
        found: String,
        /// Name of the device.
        device: String,
    },
    /// PTX that the driver rejects.
    #[error(
        "the driver refused the PTX: {error}{}",
        if log.is_empty() { String::new() } else { format!("\n{log}") }
    )]
    Ptx {
        /// Error of the driver.
        error: CudaError,
        /// Log of the driver's PTX assembler.
        log: String,
    },
    /// Device IR that the executor rejects; the text is the reason.
    #[error("the executor refused the device IR: {0}")]
    DeviceIr(String),
    /// Plan whose kernel parameters differ from the parameters in the PTX.
    #[error(
        "kernel `{kernel}`: the plan passes {} parameters of {found:?} bytes, expected {} of {expected:?}",
        found.len(), expected.len()
    )]
    Parameters {
        /// Name of the kernel.
        kernel: String,
        /// Size in bytes of each parameter in the plan.
        found: Vec<usize>,
        /// Size in bytes of each parameter of the kernel.
        expected: Vec<usize>,
    },
    /// Error of the driver during a run.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// Fault of the program, for example a race, a divergent barrier, or an access out of bounds.
    #[error("{0}")]
    Fault(Box<Fault>),
}

/// Fault of a program that the executor found. `Display` prints the fault as a diagnostic at its
/// source location. For a race or divergence, the location of the other operation is printed as a
/// note.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: error: {} (kernel `{kernel}`){}",
    location.as_deref().unwrap_or("<unknown>"),
    self.without_place(),
    self.elsewhere().map(|at| format!("\n{at}: note: the other operation is here")).unwrap_or_default()
)]
pub struct Fault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Code of the violated rule, such as `TX0801`.
    pub code: Option<&'static str>,
    /// Name of the running kernel.
    pub kernel: String,
    /// `file:line:column` of the operation; for a race, of the later operation.
    pub location: Option<String>,
    /// `file:line:column` of the other operation of a race or a divergence.
    pub other_location: Option<String>,
    /// Description of the fault, with threads and source locations.
    pub message: String,
    /// Output of `gpu.printf` before the fault.
    pub printed: String,
}

impl Fault {
    /// Returns the message of the fault without its source location, because the caller prints the
    /// location before the message. The message of a race contains both locations.
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

    /// Returns the location of the other operation; `None` if both operations have the same
    /// location, as in a race of threads in one operation.
    pub fn elsewhere(&self) -> Option<&str> {
        self.other_location
            .as_deref()
            .filter(|_| self.other_location != self.location)
    }
}

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two unordered accesses to one address, at least one of them a write.
    Race,
    /// Some participating threads do not reach a barrier, shuffle or vote; a shuffle reads an
    /// inactive lane; or an access reaches the memory of another block in the cluster, and that
    /// block may have exited.
    Synchronization,
    /// An access is out of bounds or misaligned, reads uninitialized memory, or writes constant
    /// memory.
    Memory,
    /// Access to dynamic shared memory in a launch without dynamic shared memory.
    NoDynamicShared,
    /// Stack overflow of a thread on the executor; threads of a GPU may have a larger stack.
    Stack,
    /// Launch that needs more steps than `RunOptions::steps` allows.
    Endless,
    /// False assertion, trap, integer division by zero, value outside its declared range, or
    /// deadlock.
    Other,
}

/// Cause of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The caller made an invalid request.
    Usage,
    /// The program, the arguments and the device do not match. No kernel has run.
    Refused,
    /// The program ran and failed.
    Failed,
}

impl Error {
    /// Returns the code of the violated rule, such as `TX0801`.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::Check(error) => error.code(),
            Self::Fault(fault) => fault.code,
            _ => None,
        }
    }

    /// Returns the cause of the error.
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
