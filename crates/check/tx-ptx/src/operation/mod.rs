//! Typed representation of the PTX instructions that [`compare`](crate::compare()) compares with
//! the IR.

mod read;
mod types;

pub(crate) use read::normal;
pub use types::{
    Combine, Direction, MatchMode, Ordering, ScalarType, Scope, ShuffleMode, Space, VoteMode,
};

use crate::position::Position;

/// A PTX instruction, reduced to the operands and modifiers that are compared with the IR.
///
/// A field for an operand, such as `mask`, is `None` if the operand is not a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Threads of a block wait for each other.
    Barrier(Barrier),
    /// `bar.warp.sync`: lanes of a warp wait for each other.
    WarpBarrier {
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// Arrival or wait at a cluster barrier: `barrier.cluster.arrive` or `barrier.cluster.wait`.
    ClusterBarrier {
        /// True if the instruction waits at the barrier, and false if the instruction arrives at
        /// the barrier.
        wait: bool,
        /// Memory ordering that the instruction specifies; `None` if the instruction specifies no
        /// ordering.
        ordering: Option<Ordering>,
        /// Whether all threads of a warp execute the instruction together (the modifier
        /// `.aligned`).
        aligned: bool,
    },
    /// `shfl.sync`: a lane reads a register of another lane.
    Shuffle {
        /// Shuffle mode: the rule that selects the source lane.
        mode: ShuffleMode,
        /// Operand b of `shfl.sync`: the distance to the source lane, the xor mask, or the index of
        /// the source lane.
        lane: Option<u32>,
        /// Operand c of `shfl.sync`: bits 0 to 4 contain a bound of the source lane index, and bits
        /// 8 to 12 contain a mask that splits the warp into segments.
        clamp: Option<u32>,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// `redux.sync`: a reduction across lanes of a warp.
    Redux {
        /// Combiner and type of the reduction.
        kind: ReduxKind,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// `vote.sync`
    Vote {
        /// Kind of the vote: `.all`, `.any`, `.uni` or `.ballot`.
        mode: VoteMode,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// `match.sync`
    Match {
        /// Result of `match.sync`: a mask of the lanes that have the same value as the executing
        /// lane, or a flag that is set if all lanes have the same value.
        mode: MatchMode,
        /// Type of the compared value.
        ty: ScalarType,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// `elect.sync`
    Elect {
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// An `atom` instruction, or a `red` instruction, which does not return the old value.
    Atomic(Atomic),
    /// `ld`, `ldu` or `st`.
    Access(Access),
    /// `fence`, or `membar`, which is equivalent to `fence.sc`.
    Fence {
        /// Memory ordering of the fence.
        ordering: Ordering,
        /// Set of threads for which the fence orders accesses. `scope` is `None` if the instruction
        /// specifies no scope.
        scope: Option<Scope>,
    },
    /// A proxy fence: `fence.proxy` or `fence.mbarrier_init`.
    ProxyFence {
        /// The modifiers: `proxy.async`.
        kind: String,
    },
    /// `call`
    Call {
        /// Name of the called function; `None` for an indirect call.
        callee: Option<String>,
    },
    /// Any other instruction.
    Other,
}

/// A barrier of a block: `bar` or `barrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Action of the threads at the barrier: they arrive and wait; arrive without waiting; or
    /// arrive, wait and reduce a predicate.
    pub kind: BarrierKind,
    /// Barrier number, 0 to 15.
    pub id: Option<u32>,
    /// Number of participating threads.
    pub threads: Threads,
    /// Whether all threads of a warp must execute the barrier together; always true for `bar`.
    pub aligned: bool,
}

/// Kind of a block barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarrierKind {
    /// Arrives and waits.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// The threads arrive, wait and reduce a predicate.
    Red(Combine),
}

/// Number of threads that participate in a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threads {
    /// The instruction specifies no number of threads: all threads of the block participate.
    All,
    /// A constant number of threads.
    Count(u32),
    /// The number of threads is in a register.
    Unknown,
}

/// Combiner and type of a `redux.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReduxKind {
    /// The combiner.
    pub combine: Combine,
    /// Type of the combined values.
    pub ty: ScalarType,
    /// Whether the instruction replaces floats by their absolute values (the modifier `.abs`).
    pub abs: bool,
    /// Whether a NaN operand makes the result NaN (the modifier `.NaN`).
    pub nan: bool,
}

/// An atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// The read-modify-write operation.
    pub combine: Combine,
    /// Type of an element.
    pub ty: ScalarType,
    /// Number of elements per access, such as 2 for `.v2`.
    pub lanes: u32,
    /// State space of the address.
    pub space: Space,
    /// Set of threads for which the operation is atomic. `scope` is `None` if the instruction
    /// specifies no scope; PTX then assumes `.gpu`.
    pub scope: Option<Scope>,
    /// Memory ordering. `ordering` is `None` if the instruction specifies no ordering; PTX then
    /// assumes `.relaxed`.
    pub ordering: Option<Ordering>,
    /// Whether the instruction returns the old value (`atom` instead of `red`).
    pub returns: bool,
}

/// A load or a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether the access is a load or a store.
    pub direction: Direction,
    /// State space of the address.
    pub space: Space,
    /// Type of an element of the access.
    pub ty: ScalarType,
    /// Number of elements per access, such as 4 for `.v4`.
    pub lanes: u32,
    /// Memory ordering of the access.
    pub ordering: Ordering,
    /// Set of threads to which the memory ordering of the access applies.
    pub scope: Option<Scope>,
    /// Whether the access uses the read-only cache: `.nc`, `ldu`.
    pub read_only: bool,
    /// Cache operators and cache hints: `cg`, `L1::no_allocate`, `L2::128B`.
    pub cache: Vec<String>,
}

impl Access {
    /// Returns the size of the access in bytes.
    pub fn bytes(&self) -> u32 {
        self.lanes * self.ty.bits() / 8
    }

    /// Returns whether the access has more than one element.
    pub fn is_vector(&self) -> bool {
        self.lanes > 1
    }
}

/// Syntax error in an instruction whose opcode the decoder supports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: `{opcode}` {problem}", at.line, at.column)]
pub struct MalformedInstruction {
    /// Position of the instruction.
    pub at: Position,
    /// Opcode of the instruction.
    pub opcode: String,
    /// Description of the syntax error, such as "has 3 operands, expected 5".
    pub problem: String,
}
