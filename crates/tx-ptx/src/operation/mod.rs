//! What instructions that matter do, in types.

mod read;
mod types;

pub(crate) use read::normal;
pub use types::{
    Combine, Direction, MatchMode, Ordering, ScalarType, Scope, ShuffleMode, Space, VoteMode,
};

use crate::position::Position;

/// What an instruction does, as far as a comparison with IR is concerned.
///
/// Operands that are no constants are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Threads of a block wait for each other.
    Barrier(Barrier),
    /// `bar.warp.sync`: lanes of a warp wait for each other.
    WarpBarrier {
        /// Which lanes.
        mask: Option<u32>,
    },
    /// `barrier.cluster.arrive`, `barrier.cluster.wait`
    ClusterBarrier {
        /// Whether it waits; otherwise it says that it is there.
        wait: bool,
        /// What is said of memory, if anything is.
        ordering: Option<Ordering>,
        /// Whether all threads of a warp execute it together.
        aligned: bool,
    },
    /// `shfl.sync`: lanes read each other's registers.
    Shuffle {
        /// Which lane is read.
        mode: ShuffleMode,
        /// The distance, bits or lane: operand b.
        lane: Option<u32>,
        /// Operand c: the last lane of a segment in bits 0 to 4, the mask of segments in bits 8 to 12.
        clamp: Option<u32>,
        /// Which lanes take part.
        mask: Option<u32>,
    },
    /// `redux.sync`: lanes combine a value.
    Redux {
        /// How.
        kind: ReduxKind,
        /// Which lanes take part.
        mask: Option<u32>,
    },
    /// `vote.sync`
    Vote {
        /// What it tells.
        mode: VoteMode,
        /// Which lanes take part.
        mask: Option<u32>,
    },
    /// `match.sync`
    Match {
        /// What it looks for.
        mode: MatchMode,
        /// The type compared.
        ty: ScalarType,
        /// Which lanes take part.
        mask: Option<u32>,
    },
    /// `elect.sync`
    Elect {
        /// Which lanes take part.
        mask: Option<u32>,
    },
    /// `atom`, or `red`, which does not return the old value.
    Atomic(Atomic),
    /// `ld`, `ldu` or `st`.
    Access(Access),
    /// `fence`, and `membar`, which is a `fence.sc`.
    Fence {
        /// What it orders.
        ordering: Ordering,
        /// For whom; `None` where the instruction does not say.
        scope: Option<Scope>,
    },
    /// `fence.proxy`, `fence.mbarrier_init` and other fences between two ways to memory.
    ProxyFence {
        /// The modifiers: `proxy.async`.
        kind: String,
    },
    /// `call`
    Call {
        /// The function; `None` where a register holds its address.
        callee: Option<String>,
    },
    /// Anything else.
    Other,
}

/// A barrier of a block: `bar` or `barrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// What it does.
    pub kind: BarrierKind,
    /// Which of the sixteen.
    pub id: Option<u32>,
    /// How many threads take part.
    pub threads: Threads,
    /// Whether all threads of a warp execute it together, as `bar` demands.
    pub aligned: bool,
}

/// What a barrier does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarrierKind {
    /// Waits.
    Sync,
    /// Says that it is there, and does not wait.
    Arrive,
    /// Waits and combines predicates.
    Red(Combine),
}

/// How many threads a barrier is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threads {
    /// All of the block, for which no number is given.
    All,
    /// This many.
    Count(u32),
    /// As many as a register holds.
    Unknown,
}

/// What `redux.sync` combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReduxKind {
    /// How.
    pub combine: Combine,
    /// What.
    pub ty: ScalarType,
    /// Whether of floats the absolute values are taken.
    pub abs: bool,
    /// Whether NaN wins.
    pub nan: bool,
}

/// An atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// What it does.
    pub combine: Combine,
    /// What with.
    pub ty: ScalarType,
    /// Elements at once: 2 for `.v2`.
    pub lanes: u32,
    /// Where.
    pub space: Space,
    /// Who sees it as one step; `None` where it does not say, which PTX takes for the device.
    pub scope: Option<Scope>,
    /// How it is ordered; `None` where it does not say, which PTX takes for relaxed.
    pub ordering: Option<Ordering>,
    /// Whether the old value is returned: `atom`, not `red`.
    pub returns: bool,
}

/// A load or a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which of the two.
    pub direction: Direction,
    /// Where.
    pub space: Space,
    /// The type of an element.
    pub ty: ScalarType,
    /// Elements at once: 4 for `.v4`.
    pub lanes: u32,
    /// How it is ordered.
    pub ordering: Ordering,
    /// Who it is ordered for.
    pub scope: Option<Scope>,
    /// Whether it goes through the read-only cache: `.nc`, `ldu`.
    pub read_only: bool,
    /// Operators and hints for caches: `cg`, `L1::no_allocate`, `L2::128B`.
    pub cache: Vec<String>,
}

impl Access {
    /// Bytes at once.
    pub fn bytes(&self) -> u32 {
        self.lanes * self.ty.bits() / 8
    }

    /// Whether it is of more than one element.
    pub fn is_vector(&self) -> bool {
        self.lanes > 1
    }
}

/// An instruction that is known by its name and is not put together as PTX says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {}, column {}: `{opcode}` {problem}", at.line, at.column)]
pub struct MalformedInstruction {
    /// Where it stands.
    pub at: Position,
    /// What it is.
    pub opcode: String,
    /// What is wrong, to be read after the opcode: "has 3 operands, expected 5".
    pub problem: String,
}
