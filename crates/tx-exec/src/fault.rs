//! What goes wrong: [`Error`] while a program is prepared, [`Fault`] while it runs.

use crate::program::ParamKind;
use std::{fmt, sync::Arc};

/// A place in the source of the program, taken from the location of an operation.
///
/// Name, call-site and fused locations are unwrapped to the file location inside them. An operation whose
/// location says nothing has [`Location::unknown`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// File name as the location holds it. `-` is the device IR text itself, for IR that carries no
    /// locations.
    pub file: Arc<str>,
    /// Line, counted from 1; 0 when unknown.
    pub line: u32,
    /// Column, counted from 1; 0 when unknown.
    pub column: u32,
}

impl Location {
    /// The location of an operation about which nothing is known.
    pub fn unknown() -> Self {
        Self {
            file: Arc::from("<unknown>"),
            line: 0,
            column: 0,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            formatter.write_str(&self.file)
        } else {
            write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
        }
    }
}

/// One operation as one thread executed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where the operation stands.
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
    /// The operation as programs write it, where the device IR has another name for it.
    fn written(&self) -> &str {
        match &*self.operation {
            "nvvm.barrier0" => "gpu.barrier",
            operation => operation,
        }
    }

    /// The site of an access, of which another word says what it does: the operation is one of the
    /// device IR, which is seldom the one that somebody wrote at that place.
    fn place_and_thread(&self) -> impl fmt::Display {
        fmt::from_fn(|formatter| {
            let (thread, block) = (At(self.thread), At(self.block));
            write!(
                formatter,
                "at {} by thread {thread} of block {block}",
                self.location
            )
        })
    }
}

/// Coordinates, as messages write them.
pub(crate) struct At(pub(crate) [u32; 3]);

impl fmt::Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(formatter, "({x}, {y}, {z})")
    }
}

/// The kind of memory that an address belongs to, or was used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// An address whose space is only known when it is used.
    Generic,
    /// Memory that every thread of the grid sees.
    Global,
    /// Memory of one block.
    Shared,
    /// Memory of the blocks of a cluster: each has its own, which the others may access.
    SharedCluster,
    /// Memory of one thread.
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

/// What an operation does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads, writes or does both, in one indivisible step.
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

/// A byte of a named piece of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Label of the buffer, such as `argument 0`, or of the shared or private memory.
    pub buffer: Arc<str>,
    /// Offset from its start, in bytes; negative before the start, at or beyond `length` behind the end.
    pub offset: i64,
    /// Its length in bytes.
    pub length: u64,
    /// Whether it is the dynamic shared memory of a launch.
    pub is_dynamic: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "byte {} of {} ({} bytes)",
            self.offset, self.buffer, self.length
        )
    }
}

/// A single refused access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who accessed, and where.
    pub site: Site,
    /// Read, write or atomic.
    pub kind: AccessKind,
    /// The space of the pointer.
    pub space: Space,
    /// The address, as the kernel computed it.
    pub address: u64,
    /// How many bytes were accessed.
    pub bytes: u64,
    /// Alignment that the operation promises, in bytes.
    pub alignment: u64,
    /// The memory it hit, or the nearest known memory; absent when nothing is near.
    pub place: Option<Place>,
}

impl fmt::Display for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.kind, self.bytes)?;
        if self.space != Space::Generic {
            write!(formatter, " of {} memory", self.space)?;
        }
        match &self.place {
            Some(place) => write!(formatter, " at {place}")?,
            // It says nothing but that it is not one of those there are.
            None => write!(formatter, " at address {:#x}", self.address)?,
        }
        write!(formatter, ", {}", self.site.place_and_thread())
    }
}

/// Two accesses to one byte that nothing orders, at least one of which writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that the executor saw first.
    pub first: Site,
    /// What the first access does.
    pub first_kind: AccessKind,
    /// The access that the executor saw second.
    pub second: Site,
    /// What the second access does.
    pub second_kind: AccessKind,
    /// Shared (be it the memory of another block of the cluster) or global.
    pub space: Space,
    /// The first byte that both accesses touch.
    pub place: Place,
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

/// Threads that wait for each other in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// A thread that waits, and the operation it waits in.
    pub site: Site,
    /// Why it would wait for ever.
    pub reason: String,
    /// Where the thread it waits for is, when that one waits elsewhere.
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

/// What may be wrong about the time of an access to the shared memory of another block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// The block may not have begun: the access is not ordered after the start of any of its threads.
    NotBegun,
    /// The block may have ended: the access is not ordered before the end of any of its threads.
    Ended,
}

/// An access to the shared memory of another block of the cluster, which need not be there at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherBlock {
    /// Who accessed, and where.
    pub site: Site,
    /// Read, write or atomic.
    pub kind: AccessKind,
    /// Coordinates in the grid of the block whose memory it is: x, y, z.
    pub owner: [u32; 3],
    /// What is wrong.
    pub lifetime: Lifetime,
}

impl fmt::Display for OtherBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (may, change) = match self.lifetime {
            Lifetime::NotBegun => (
                "may not have begun",
                "let the cluster meet at a barrier before the first such access",
            ),
            Lifetime::Ended => (
                "may have ended",
                "let the cluster meet at a barrier after the last such access, before the kernel ends",
            ),
        };
        write!(
            formatter,
            "{} of shared memory of block {}, which {may}, {}; {change}",
            self.kind,
            At(self.owner),
            self.site.place_and_thread()
        )
    }
}

/// A number outside the range in which the program says that it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The operation whose result it is.
    pub site: Site,
    /// The number.
    pub value: i32,
    /// The least number of the range.
    pub lower: i32,
    /// The first number behind the range.
    pub upper: i32,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the range is {} to before {}, found {} in {}",
            self.lower, self.upper, self.value, self.site
        )
    }
}

/// Why a launch was refused, or why it was stopped.
///
/// After a fault the contents of the written buffers are unspecified: the kernel stopped in the middle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The program has no such kernel.
    #[error("no kernel named `{kernel}`; the program has: {known}")]
    UnknownKernel {
        /// The name asked for.
        kernel: String,
        /// The names there are, separated by commas.
        known: String,
    },
    /// The number of parameters is not the kernel's.
    #[error("kernel `{kernel}` takes {expected} parameters, found {found}")]
    ParameterCount {
        /// The kernel.
        kernel: String,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A parameter is of another kind than the kernel's.
    #[error("parameter {index} of kernel `{kernel}` is {expected}, found {found}")]
    ParameterKind {
        /// The kernel.
        kernel: String,
        /// Which parameter, counted from 0.
        index: usize,
        /// What the kernel takes.
        expected: ParamKind,
        /// What was given.
        found: ParamKind,
    },
    /// Grid, block or shared memory are impossible or contradict the kernel.
    #[error("kernel `{kernel}` cannot be launched: {reason}")]
    InvalidLaunch {
        /// The kernel.
        kernel: String,
        /// What is wrong, with the limit.
        reason: String,
    },
    /// Not all threads of the block arrive at the same barrier, or not all of the cluster at its barrier.
    #[error("divergent barrier: {0}")]
    DivergentBarrier(Box<Divergence>),
    /// A barrier's number or thread count is not possible, or a thread arrives twice at the barrier
    /// of its cluster without waiting, or waits there without having arrived.
    #[error("invalid barrier: {0}")]
    InvalidBarrier(Box<Divergence>),
    /// Threads wait for arrivals that cannot come any more.
    #[error("deadlock: {0}")]
    Deadlock(Box<Divergence>),
    /// The member mask of a warp operation is wrong: it omits its caller or names a lane that has
    /// exited or does not exist.
    #[error("invalid member mask: {0}")]
    WarpMask(Box<Divergence>),
    /// The members of a warp operation are at different operations, or give different masks.
    #[error("divergent warp: {0}")]
    DivergentWarp(Box<Divergence>),
    /// A shuffle reads a lane that does not take part in it.
    #[error("shuffle from an inactive lane: {0}")]
    InactiveLane(Box<Divergence>),
    /// An access outside every buffer, or beyond the block's shared memory (the cluster's, where
    /// the pointer is one to that).
    #[error("out of bounds: {0}")]
    OutOfBounds(Box<Access>),
    /// An access whose address does not have the alignment that the operation promises.
    #[error("misaligned: {0}; it needs a multiple of {alignment}", alignment = .0.alignment)]
    Misaligned(Box<Access>),
    /// A read of memory that nobody wrote: shared memory, or a buffer that was allocated without a value.
    #[error("uninitialized: {0}")]
    Uninitialized(Box<Access>),
    /// A write to a constant.
    #[error("write to read-only memory: {0}")]
    ReadOnly(Box<Access>),
    /// A data race.
    #[error("race on {0}")]
    Race(Box<Race>),
    /// An access to shared memory of another block of the cluster while that block need not run.
    #[error("block that may not run: {0}")]
    OtherBlock(Box<OtherBlock>),
    /// An integer division by zero, or one whose quotient does not fit.
    #[error("integer division by zero or overflow {}", .0.place_and_thread())]
    Division(Box<Site>),
    /// A special register holds what the program says it does not, or `mapa` is given a rank that
    /// the cluster does not have.
    #[error("out of range: {0}")]
    OutOfRange(Box<OutOfRange>),
    /// An assertion of the program does not hold.
    #[error("assertion failed {}: {message}", site.place_and_thread())]
    Assertion {
        /// The assertion.
        site: Box<Site>,
        /// What the program says of it.
        message: String,
    },
    /// The program reached a trap or code declared unreachable.
    #[error("trap: {0}")]
    Trap(Box<Site>),
    /// A thread needs more stack than the executor gives it.
    #[error("stack overflow: {0}")]
    StackOverflow(Box<Site>),
    /// Threads do nothing but atomic accesses for so long that they can only be waiting for each other.
    #[error("no progress: {0}")]
    NoProgress(Box<Site>),
    /// Loops run for more steps than the launch allows.
    #[error(
        "no end in sight: the loop {} goes on after {steps} steps of all threads",
        site.place_and_thread()
    )]
    Endless {
        /// The loop.
        site: Box<Site>,
        /// How many steps there may be.
        steps: u64,
    },
    /// The executor itself could not continue: it is out of memory, or has a bug.
    #[error("executor failure: {0}")]
    Internal(String),
}

impl Fault {
    /// The code of the rule that the program broke, such as `TX0801`.
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

    /// The operation that failed, as the thread that failed executed it; for a race the second of the two.
    /// Absent when the launch was refused before anything ran.
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

    /// The other operation that is part of the fault: the first access of a race, or where the
    /// missing thread is.
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

/// One diagnostic of MLIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it points to.
    pub location: Location,
    /// What it says, with its notes on further lines.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.location, self.message)
    }
}

/// Why device IR could not be made into a [`Program`](crate::Program).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not valid MLIR.
    #[error("the device IR does not parse: {}", join(.0))]
    Parse(Vec<Diagnostic>),
    /// An operation that the executor does not know.
    #[error("{location}: unsupported op {operation}")]
    UnsupportedOperation {
        /// Where it stands.
        location: Location,
        /// Its name, with a few words on what about it is not supported where that is not the op as such.
        operation: String,
    },
    /// A call of a function that is neither defined in the module nor known to the executor.
    #[error("{location}: unknown external function `{name}`")]
    UnknownFunction {
        /// Where the function is declared.
        location: Location,
        /// Its name.
        name: String,
    },
    /// A type whose size in memory the executor does not know, or that a kernel cannot take.
    #[error("{location}: unsupported type {type}")]
    UnsupportedType {
        /// Where it is used.
        location: Location,
        /// The type, as MLIR prints it.
        r#type: String,
    },
    /// There is no kernel in the module.
    #[error("the device IR holds no kernel (an `llvm.func` marked `gpu.kernel` or `nvvm.kernel`)")]
    NoKernel,
    /// Two kernels have one name.
    #[error("{location}: a second kernel is named `{name}`")]
    DuplicateKernel {
        /// Where the second one stands.
        location: Location,
        /// The name.
        name: String,
    },
    /// The module is larger than the executor can keep track of.
    #[error("the device IR has more than {limit} instrumented operations")]
    TooLarge {
        /// The most there may be.
        limit: usize,
    },
    /// MLIR or LLVM refused the rewritten module: a bug of the executor or of the IR.
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
