//! Errors of the executor: loading a program returns an [`Error`], and running a kernel returns a
//! [`Fault`].

use crate::{launch::ParamKind, location::Location};
use std::{fmt, sync::Arc};

/// Operation that one thread executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Source location of the operation.
    pub location: Location,
    /// Name of the operation, such as `llvm.load` or `nvvm.shfl.sync`.
    pub operation: Arc<str>,
    /// Coordinates of the thread in its block: x, y, z.
    pub thread: [u32; 3],
    /// Coordinates of the block in the grid: x, y, z.
    pub block: [u32; 3],
}

impl fmt::Display for Site {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` {}",
            self.written(),
            self.place_and_thread()
        )
    }
}

impl Site {
    /// Returns the name that the source program uses for the operation: `gpu.barrier` for
    /// `nvvm.barrier0`.
    fn written(&self) -> &str {
        match &*self.operation {
            "nvvm.barrier0" => "gpu.barrier",
            operation => operation,
        }
    }

    /// Formats the location and the thread of an access, without the op name. The text omits the op
    /// name of the device IR, because the source program usually does not contain this op name.
    fn place_and_thread(&self) -> impl fmt::Display {
        fmt::from_fn(|formatter| {
            let (thread, block) = (Coordinates(self.thread), Coordinates(self.block));
            write!(
                formatter,
                "at {} by thread {thread} of block {block}",
                self.location
            )
        })
    }
}

/// Coordinates, formatted for messages.
pub(crate) struct Coordinates(pub(crate) [u32; 3]);

impl fmt::Display for Coordinates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(formatter, "({x}, {y}, {z})")
    }
}

/// State space of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Generic address space: the address determines whether the memory is global, shared or
    /// private.
    Generic,
    /// Global memory, visible to all threads of the grid.
    Global,
    /// Shared memory of one block.
    Shared,
    /// Shared memory of all blocks of a cluster (distributed shared memory).
    SharedCluster,
    /// Private memory of one thread.
    Private,
}

impl fmt::Display for Space {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::SharedCluster => "cluster shared",
            Self::Private => "private",
        })
    }
}

/// Kind of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Non-atomic read.
    Read,
    /// Non-atomic write.
    Write,
    /// Atomic read, write or read-modify-write.
    Atomic,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic access",
        })
    }
}

/// A byte of a labelled buffer or variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferOffset {
    /// Label of the buffer, or of the shared or private memory; for example, `argument 0`.
    pub buffer: Arc<str>,
    /// Offset from the start of the buffer, in bytes. A negative offset denotes a byte before the
    /// buffer; an offset of at least `length` denotes a byte after the buffer.
    pub offset: i64,
    /// Length of the buffer in bytes.
    pub length: u64,
    /// Whether the buffer is the dynamic shared memory of a launch.
    pub is_dynamic: bool,
}

impl fmt::Display for BufferOffset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "byte {} of {} ({} bytes)",
            self.offset, self.buffer, self.length
        )
    }
}

/// An invalid memory access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Location and thread of the access.
    pub site: Site,
    /// Read, write or atomic access.
    pub kind: AccessKind,
    /// State space of the pointer.
    pub space: Space,
    /// Address of the access, as computed by the kernel.
    pub address: u64,
    /// Size of the access in bytes.
    pub bytes: u64,
    /// Alignment that the operation requires, in bytes.
    pub alignment: u64,
    /// Buffer that contains the address or is nearest to the address, with the offset of the
    /// address; `None` if no buffer is near the address.
    pub place: Option<BufferOffset>,
}

impl fmt::Display for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.kind, self.bytes)?;
        if self.space != Space::Generic {
            write!(formatter, " of {} memory", self.space)?;
        }
        match &self.place {
            Some(place) => write!(formatter, " at {place}")?,
            // Without a buffer near the address, the message shows the address itself.
            None => write!(formatter, " at address {:#x}", self.address)?,
        }
        write!(formatter, ", {}", self.site.place_and_thread())
    }
}

/// Two unordered accesses to one byte; at least one access is a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// Operation of the racing access that the executor executed first.
    pub first: Site,
    /// Kind of the first access: read, write or atomic.
    pub first_kind: AccessKind,
    /// Operation of the racing access that the executor executed second.
    pub second: Site,
    /// Kind of the second access: read, write or atomic.
    pub second_kind: AccessKind,
    /// State space of the byte: global, shared, or shared memory of another block of the cluster.
    pub space: Space,
    /// The first byte that both racing accesses contain.
    pub place: BufferOffset,
}

impl fmt::Display for Race {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} memory, {}: {} {} is not ordered after {} {}",
            self.space,
            self.place,
            self.second_kind,
            self.second.place_and_thread(),
            self.first_kind,
            self.first.place_and_thread()
        )
    }
}

/// A thread that waits for other threads forever, or that executes an invalid barrier or warp
/// operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The invalid operation, or the operation in which the thread waits.
    pub site: Site,
    /// The reason why the operation is invalid, or why the thread waits forever.
    pub reason: String,
    /// A second operation that contributes to the fault, if any.
    pub other: Option<Site>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.site, self.reason)?;
        if let Some(other) = &self.other {
            write!(formatter, ", which is in {other}")?;
        }
        Ok(())
    }
}

/// Reason why an access to the shared memory of another block is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// The access is not ordered after the start of the block that owns the memory.
    NotBegun,
    /// The access is not ordered before the end of the block that owns the memory.
    Ended,
}

/// An access to the shared memory of another block of the cluster, outside the lifetime of that
/// block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherBlock {
    /// Location and thread of the access.
    pub site: Site,
    /// Read, write or atomic access.
    pub kind: AccessKind,
    /// Grid coordinates (x, y, z) of the block that owns the accessed shared memory.
    pub owner: [u32; 3],
    /// Kind of the violation.
    pub lifetime: Lifetime,
}

impl fmt::Display for OtherBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (may, change) = match self.lifetime {
            Lifetime::NotBegun => (
                "may not have begun",
                "add a cluster barrier before the first such access",
            ),
            Lifetime::Ended => (
                "may have ended",
                "add a cluster barrier after the last such access, before the kernel ends",
            ),
        };
        write!(
            formatter,
            "{} of shared memory of block {}, which {may}, {}; {change}",
            self.kind,
            Coordinates(self.owner),
            self.site.place_and_thread()
        )
    }
}

/// A value outside the range that its operation declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The operation whose result lies outside the range that the operation declares.
    pub site: Site,
    /// The number.
    pub value: i32,
    /// Lower bound of the range, inclusive.
    pub lower: i32,
    /// Upper bound of the range, exclusive.
    pub upper: i32,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "expected a value from {} to below {}, found {} in {}",
            self.lower, self.upper, self.value, self.site
        )
    }
}

/// Reason why a launch was rejected or stopped.
///
/// After a fault, the contents of written buffers are unspecified, because the kernel did not
/// finish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The program has no kernel with the requested name.
    #[error("no kernel named `{kernel}`; the program has: {known}")]
    UnknownKernel {
        /// The requested name.
        kernel: String,
        /// Names of all kernels, separated by commas.
        known: String,
    },
    /// The number of passed parameters differs from the number of parameters of the kernel.
    #[error("kernel `{kernel}` takes {expected} parameters, found {found}")]
    ParameterCount {
        /// The kernel.
        kernel: String,
        /// Number of parameters of the kernel.
        expected: usize,
        /// Number of passed parameters.
        found: usize,
    },
    /// The type of a parameter does not match the kernel.
    #[error("parameter {index} of kernel `{kernel}` is {expected}, found {found}")]
    ParameterKind {
        /// The kernel.
        kernel: String,
        /// Index of the parameter, counted from 0.
        index: usize,
        /// Parameter type that the kernel expects.
        expected: ParamKind,
        /// Type of the passed parameter.
        found: ParamKind,
    },
    /// The size of the grid, block, cluster or shared memory exceeds a limit, or does not match the
    /// kernel.
    #[error("kernel `{kernel}` cannot be launched: {reason}")]
    InvalidLaunch {
        /// The kernel.
        kernel: String,
        /// Description of the invalid launch property, with the actual and the expected value.
        reason: String,
    },
    /// Some threads of the block or cluster do not arrive at a barrier at which other threads wait.
    #[error("divergent barrier: {0}")]
    DivergentBarrier(Box<Divergence>),
    /// A barrier has an invalid barrier number or thread count, or a thread misuses the cluster
    /// barrier. Arrivals and waits of a thread at the cluster barrier must alternate.
    #[error("invalid barrier: {0}")]
    InvalidBarrier(Box<Divergence>),
    /// Every thread that has not exited waits at a barrier, so no thread can complete any of the
    /// barriers.
    #[error("deadlock: {0}")]
    Deadlock(Box<Divergence>),
    /// The member mask of a warp operation excludes the calling lane, or includes a lane that has
    /// exited or does not exist.
    #[error("invalid member mask: {0}")]
    WarpMask(Box<Divergence>),
    /// Member lanes of a warp operation execute different operations, or pass different member
    /// masks.
    #[error("divergent warp: {0}")]
    DivergentWarp(Box<Divergence>),
    /// A shuffle reads a lane that does not participate in the shuffle.
    #[error("shuffle from an inactive lane: {0}")]
    InactiveLane(Box<Divergence>),
    /// An access is outside all buffers, or outside the shared memory that the pointer can address.
    #[error("out of bounds: {0}")]
    OutOfBounds(Box<Access>),
    /// The address of an access is not a multiple of the required alignment.
    #[error("misaligned: {0}; it needs a multiple of {alignment}", alignment = .0.alignment)]
    Misaligned(Box<Access>),
    /// A thread reads a byte of shared memory, or of a buffer without initial values, before any
    /// thread has written the byte.
    #[error("uninitialized: {0}")]
    Uninitialized(Box<Access>),
    /// A thread writes to a constant variable.
    #[error("write to read-only memory: {0}")]
    ReadOnly(Box<Access>),
    /// A data race.
    #[error("race on {0}")]
    Race(Box<Race>),
    /// An access to the shared memory of another block of the cluster, outside the lifetime of that
    /// block.
    #[error("access to a block that may not be running: {0}")]
    OtherBlock(Box<OtherBlock>),
    /// An integer division by zero, or a quotient that overflows.
    #[error("integer division by zero or overflow {}", .0.place_and_thread())]
    Division(Box<Site>),
    /// The value of a special register is outside the range that the operation declares, or the
    /// rank operand of `mapa` is outside the cluster.
    #[error("out of range: {0}")]
    OutOfRange(Box<OutOfRange>),
    /// An assertion of the program failed.
    #[error("assertion failed {}: {message}", site.place_and_thread())]
    Assertion {
        /// The assertion.
        site: Box<Site>,
        /// The message of the assertion.
        message: String,
    },
    /// A thread executed a trap, or reached code that is declared unreachable.
    #[error("trap: {0}")]
    Trap(Box<Site>),
    /// A thread exceeded the size of its stack.
    #[error("stack overflow: {0}")]
    StackOverflow(Box<Site>),
    /// The threads executed 2²⁴ atomic accesses without a non-atomic access or synchronisation in
    /// between, so the executor assumes that the threads spin forever.
    #[error("no progress: {0}")]
    NoProgress(Box<Site>),
    /// The threads executed more steps (such as loop iterations and memory accesses) than the step
    /// limit of the launch allows.
    #[error(
        "step limit exceeded: the loop {} did not end within {steps} steps of all threads",
        site.place_and_thread()
    )]
    Endless {
        /// The loop.
        site: Box<Site>,
        /// Maximum number of steps.
        steps: u64,
    },
    /// The executor itself failed, because the executor ran out of memory or has a bug.
    #[error("executor failure: {0}")]
    Internal(String),
}

impl Fault {
    /// Returns the diagnostic code of the fault, such as `TX0801`.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Race(_) => Some("TX0801"),
            Self::OutOfBounds(_) => Some("TX0802"),
            Self::Uninitialized(_) => Some("TX0803"),
            Self::DivergentBarrier(_) | Self::InvalidBarrier(_) | Self::Deadlock(_) => {
                Some("TX0804")
            }
            Self::WarpMask(_) | Self::DivergentWarp(_) | Self::InactiveLane(_) => Some("TX0805"),
            Self::Endless { .. } => Some("TX0806"),
            Self::Division(_) => Some("TX0807"),
            Self::Assertion { .. } => Some("TX0808"),
            _ => None,
        }
    }

    /// Returns the faulty operation and its thread; for a race, returns the operation and the
    /// thread of the second access. Returns `None` if the executor rejected the launch before any
    /// thread started, or if the executor itself failed.
    pub fn site(&self) -> Option<&Site> {
        match self {
            Self::DivergentBarrier(divergence)
            | Self::InvalidBarrier(divergence)
            | Self::Deadlock(divergence)
            | Self::WarpMask(divergence)
            | Self::DivergentWarp(divergence)
            | Self::InactiveLane(divergence) => Some(&divergence.site),
            Self::OutOfBounds(access)
            | Self::Misaligned(access)
            | Self::Uninitialized(access)
            | Self::ReadOnly(access) => Some(&access.site),
            Self::Race(race) => Some(&race.second),
            Self::OtherBlock(other) => Some(&other.site),
            Self::OutOfRange(range) => Some(&range.site),
            Self::Division(site)
            | Self::Trap(site)
            | Self::StackOverflow(site)
            | Self::NoProgress(site)
            | Self::Assertion { site, .. }
            | Self::Endless { site, .. } => Some(site),
            _ => None,
        }
    }

    /// For a race, returns the operation of the first access. For a divergence, returns the second
    /// operation that contributes to the fault ([`Divergence::other`]).
    pub fn other_site(&self) -> Option<&Site> {
        match self {
            Self::DivergentBarrier(divergence)
            | Self::InvalidBarrier(divergence)
            | Self::Deadlock(divergence)
            | Self::WarpMask(divergence)
            | Self::DivergentWarp(divergence)
            | Self::InactiveLane(divergence) => divergence.other.as_ref(),
            Self::Race(race) => Some(&race.first),
            _ => None,
        }
    }
}

/// A diagnostic of MLIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Location of the diagnostic.
    pub location: Location,
    /// Text of the diagnostic, with each note of the diagnostic on a separate line.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.location, self.message)
    }
}

/// Reason why device IR could not be loaded as a [`Program`](crate::Program).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of the device IR is not valid MLIR.
    #[error("the device IR does not parse: {}", join(.0))]
    Parse(Vec<Diagnostic>),
    /// An operation that the executor does not support.
    #[error("{location}: unsupported op {operation}")]
    UnsupportedOperation {
        /// Location of the operation.
        location: Location,
        /// Name of the operation. If only a property of the operation is unsupported, the field
        /// `operation` also names this property.
        operation: String,
    },
    /// A call of a function that neither the module nor the executor defines.
    #[error("{location}: unknown external function `{name}`")]
    UnknownFunction {
        /// Location of the declaration.
        location: Location,
        /// Its name.
        name: String,
    },
    /// A type whose size the executor cannot compute, or a type that kernel parameters cannot have.
    #[error("{location}: unsupported type {type}")]
    UnsupportedType {
        /// Location of the operation or parameter that has the unsupported type.
        location: Location,
        /// Text of the type in MLIR syntax.
        r#type: String,
    },
    /// The module contains no kernel.
    #[error(
        "the device IR contains no kernel (an `llvm.func` marked `gpu.kernel` or `nvvm.kernel`)"
    )]
    NoKernel,
    /// Two kernels have the same name.
    #[error("{location}: a second kernel is named `{name}`")]
    DuplicateKernel {
        /// Location of the second kernel with the name `name`.
        location: Location,
        /// Name of both kernels.
        name: String,
    },
    /// The module has more operations than the executor can instrument.
    #[error("the device IR has more than {limit} instrumented operations")]
    TooLarge {
        /// Maximum number of instrumented operations.
        limit: usize,
    },
    /// MLIR or LLVM rejected the rewritten module, because the executor or the device IR has a bug.
    #[error("the host code could not be generated: {}", join(.0))]
    CodeGeneration(Vec<Diagnostic>),
}

fn join(diagnostics: &[Diagnostic]) -> String {
    if diagnostics.is_empty() {
        return "no reason was given".into();
    }
    diagnostics
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}
