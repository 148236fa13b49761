//! Errors of the runtime. [`Error`] contains the errors of argument specifications, of `.npy` files
//! and of the CUDA driver.

use std::io;
use std::path::PathBuf;

use tx_plan::{CheckError, ElementType, ExprError, PlanError};

use crate::fault::Fault;
use crate::number::Number;

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
    /// Grid, block or cluster size that no device supports.
    #[error("{place}: found {found}, expected {expected}")]
    LaunchSize {
        /// Part of the plan.
        place: String,
        /// Actual size.
        found: String,
        /// Supported sizes.
        expected: String,
    },
    /// The caller sets a grid, but the entry of the program is a host function. The caller can set
    /// the grid only if the entry of the program is a kernel.
    #[error("the grid can be set only for a kernel, but `{entry}` is a host function")]
    GridOfFunction {
        /// Name of the entry.
        entry: String,
    },
    /// A CUDA graph or a stream is requested on a device that supports neither graphs nor streams.
    #[error(
        "{device} does not support CUDA graphs and streams; launch the program without them, or on \
         a CUDA device"
    )]
    NoGraph {
        /// Name of the device.
        device: String,
    },
    /// Arrays in device memory are passed to a device that has no device memory.
    #[error(
        "{device} has no device memory; run the program on arrays in host memory, or on a CUDA \
         device"
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
        /// Size in bytes of each kernel parameter in the PTX.
        expected: Vec<usize>,
    },
    /// Error of the driver during a run.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// Fault of the program, for example a race, a divergent barrier, or an access out of bounds.
    #[error("{0}")]
    Fault(Box<Fault>),
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

/// Error for a text that is not an argument specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an argument: {reason}")]
pub struct SpecError {
    /// Invalid text.
    pub text: String,
    /// Found and expected text.
    pub reason: String,
}

/// Error of reading or writing a `.npy` file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file cannot be opened, read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not start with the magic bytes of the `.npy` format.
    #[error("not a .npy file: it starts with {found}, expected the bytes `\\x93NUMPY`")]
    Magic {
        /// First bytes of the file.
        found: String,
    },
    /// The file has an unknown version of the `.npy` format.
    #[error("found .npy version {major}.{minor}, expected 1.0, 2.0 or 3.0")]
    Version {
        /// Major version.
        major: u8,
        /// Minor version.
        minor: u8,
    },
    /// Malformed header.
    #[error("malformed .npy header: {0}")]
    Header(String),
    /// The dtype of the file has no corresponding element type.
    #[error(
        "found dtype {found}, expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1; convert it with `.astype`"
    )]
    Dtype {
        /// Dtype in the header.
        found: String,
    },
    /// The requested element type and the dtype of the file have different sizes.
    #[error("cannot read {bytes}-byte words of dtype {dtype} as {element}, which has {}", element.size())]
    Width {
        /// Dtype of the file.
        dtype: String,
        /// Size of the dtype in bytes.
        bytes: usize,
        /// Requested element type.
        element: ElementType,
    },
    /// The `.npy` file ends before the end of the array.
    #[error("truncated: found {found} bytes of data, expected {expected} for {array}")]
    Truncated {
        /// Number of bytes after the header of the file.
        found: usize,
        /// Number of bytes of the array.
        expected: usize,
        /// Shape and element type.
        array: String,
    },
    /// The `.npy` file has data after the end of the array.
    #[error("the file has more data after the {bytes} bytes of {array}")]
    Trailing {
        /// Number of bytes of the array.
        bytes: usize,
        /// Shape and element type.
        array: String,
    },
    /// Not enough memory for the array.
    #[error("{0}")]
    OutOfMemory(Box<Error>),
}

/// Error of the CUDA driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {name} ({message})")]
pub struct CudaError {
    /// Operation that failed.
    pub what: String,
    /// Name of the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub name: String,
    /// Description by the driver.
    pub message: String,
}
