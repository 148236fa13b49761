//! Types for the properties of a kernel, and for the parameters and the configuration of a launch.

use crate::{location::Location, order::Order};
use std::fmt;

/// Maximum number of threads per block.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// Maximum number of blocks per cluster on any GPU.
pub const MAX_CLUSTER_BLOCKS: u32 = 16;
/// Maximum shared memory per block (static plus dynamic) on any GPU, in bytes.
pub const MAX_SHARED_BYTES: u64 = 227 * 1024;
/// Maximum number of threads per block along x, y and z.
pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Maximum number of blocks per grid along x, y and z.
pub(crate) const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// Type of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParamKind {
    /// An address.
    Pointer {
        /// Address space of the pointer: 0 is generic, and 1 is global.
        space: u32,
    },
    /// An integer.
    Int {
        /// Width of the integer in bits, 1 to 64.
        bits: u32,
    },
    /// An IEEE half.
    F16,
    /// A bfloat16.
    Bf16,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
}

impl ParamKind {
    /// Returns the size of the parameter in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Pointer { .. } | Self::F64 => 8,
            Self::Int { bits } => bits.div_ceil(8),
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
        }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer { .. } => formatter.write_str("a pointer"),
            Self::Int { bits } => write!(formatter, "an integer of {bits} bits"),
            Self::F16 => formatter.write_str("an f16"),
            Self::Bf16 => formatter.write_str("a bf16"),
            Self::F32 => formatter.write_str("an f32"),
            Self::F64 => formatter.write_str("an f64"),
        }
    }
}

/// Value of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Param {
    /// An address in any address space; see [`Memory::address`](crate::Memory::address).
    Pointer(u64),
    /// An integer in the low `bits` bits of `value`.
    Int {
        /// Width of the integer in bits, 1 to 64.
        bits: u32,
        /// Value of the integer; bits above the width are ignored.
        value: u64,
    },
    /// Bits of an IEEE half-precision float (f16).
    F16(u16),
    /// Bits of a bfloat16.
    Bf16(u16),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
}

impl Param {
    /// Returns the kernel parameter type of the value.
    pub fn kind(self) -> ParamKind {
        match self {
            Self::Pointer(_) => ParamKind::Pointer { space: 0 },
            Self::Int { bits, .. } => ParamKind::Int { bits },
            Self::F16(_) => ParamKind::F16,
            Self::Bf16(_) => ParamKind::Bf16,
            Self::F32(_) => ParamKind::F32,
            Self::F64(_) => ParamKind::F64,
        }
    }

    pub(crate) fn fits(self, kind: ParamKind) -> bool {
        match (self, kind) {
            (Self::Pointer(_), ParamKind::Pointer { .. }) => true,
            _ => self.kind() == kind,
        }
    }

    /// Returns the bits of the value, zero-extended to 64 bits.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Self::Pointer(address) => address,
            Self::Int { bits: 0, .. } => 0,
            Self::Int { bits, value } => value & (!0 >> (64 - bits.min(64))),
            Self::F16(bits) | Self::Bf16(bits) => bits.into(),
            Self::F32(value) => value.to_bits().into(),
            Self::F64(value) => value.to_bits(),
        }
    }
}

/// Properties of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Name of the kernel.
    pub name: String,
    /// Source location of the kernel.
    pub location: Location,
    /// Parameters of the `llvm.func`, in order. A memref becomes several parameters: allocated
    /// pointer, aligned pointer, offset, sizes and strides.
    pub parameters: Vec<ParamKind>,
    /// Fixed block size (x, y, z) in threads, if any.
    pub block_size: Option<[u32; 3]>,
    /// Fixed cluster size (x, y, z) in blocks, if any.
    pub cluster_size: Option<[u32; 3]>,
    /// Declared maximum number of threads per block, if any.
    pub max_threads: Option<u32>,
    /// Static shared memory per block, in bytes.
    pub static_shared_bytes: u64,
}

/// Configuration of a kernel launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Number of threads per block along x, y and z.
    pub block: [u32; 3],
    /// Number of blocks per cluster along x, y and z. The blocks of a cluster run together, and can
    /// access each other's shared memory.
    pub cluster: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Execution order of threads and blocks.
    pub order: Order,
    /// Checks during the launch.
    pub checks: Checks,
    /// Maximum total number of steps that all threads execute, as counted by
    /// [`Report::work`](crate::Report::work). A launch that exceeds its step limit ends with a
    /// fault. Without a step limit, a launch with an endless loop never returns.
    pub steps: Option<StepLimit>,
}

/// Limit on the steps of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepLimit {
    /// Number of steps allowed for all threads together.
    pub base: u64,
    /// Number of additional steps that the limit allows for each thread. Even a thread without
    /// elements to reduce executes a few dozen steps, which add up in a large grid.
    pub per_thread: u64,
}

impl StepLimit {
    /// Creates a limit that is independent of the number of threads.
    pub const fn new(base: u64) -> Self {
        Self {
            base,
            per_thread: 0,
        }
    }

    /// Returns a copy of the limit with `per_thread` as the number of additional steps for each
    /// thread.
    pub const fn with_each_thread(self, per_thread: u64) -> Self {
        Self { per_thread, ..self }
    }

    /// Returns the additional steps of all threads together, for a launch of `grid` blocks with
    /// `block` threads each.
    pub fn of_launch(self, grid: [u32; 3], block: [u32; 3]) -> u64 {
        grid.iter().chain(&block).fold(self.per_thread, |steps, n| {
            steps.saturating_mul(u64::from(*n))
        })
    }
}

/// Choice of the checks for undefined behaviour during a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checks {
    /// All checks: see [`Fault`](crate::Fault).
    #[default]
    All,
    /// Performs only the checks that are necessary for correct execution and for the memory safety
    /// of the host process.
    ///
    /// With `Off`, the executor does not detect data races ([`Race`](crate::Fault::Race)),
    /// uninitialised reads ([`Uninitialized`](crate::Fault::Uninitialized)), and accesses to the
    /// memory of exited blocks ([`OtherBlock`](crate::Fault::OtherBlock)). Without race detection,
    /// the results of racy programs depend on the [`Order`]. With `Off`, the executor does not
    /// record memory accesses. With `Off`, an [uninitialised](crate::Memory::alloc_uninitialized)
    /// buffer counts as fully initialised after the first write to the buffer.
    ///
    /// With `Off`, the checks that protect the host process remain enabled. An unchecked access
    /// that is out of bounds, is misaligned, or writes a constant could corrupt or stop the host
    /// process. Unchecked stack overflows, undefined divisions and traps would also stop the host
    /// process. With `Off`, the executor still reports the faults of barriers and warp operations,
    /// because the scheduler detects these faults without additional checks.
    Off,
}

impl Default for Launch {
    /// Returns a launch of a single thread (one cluster of one block of one thread), with
    /// [`Order::Sequential`] and all checks.
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            dynamic_shared_bytes: 0,
            order: Order::Sequential,
            checks: Checks::All,
            steps: None,
        }
    }
}
