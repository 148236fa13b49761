use std::fmt;

use crate::operation::{
    BarrierKind, Combine, Direction, MatchMode, Operation, Ordering, ReduxKind, ScalarType, Scope,
    ShuffleMode, Space, Threads, VoteMode, normal,
};

/// An operation of the device IR or of the PTX, with the properties of the operation that
/// [`compare`](crate::compare()) reads.
///
/// If a field of an operation is `None`, the value of the field is unknown, and the comparison
/// accepts any value. The signed and the unsigned variant of a sum or bitwise operation have equal
/// effects, so [`KernelFacts`](crate::KernelFacts) removes the sign from the types of these
/// operations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A barrier of a block.
    Barrier {
        /// Action of the threads at the barrier: arrive and wait, arrive without waiting, or
        /// arrive, wait and reduce a predicate.
        kind: BarrierKind,
        /// Barrier number, 0 to 15.
        id: Option<u32>,
        /// Number of participating threads.
        threads: Threads,
        /// Whether all threads of a warp execute the barrier together (the modifier `.aligned`).
        aligned: bool,
    },
    /// A barrier for the lanes of a warp, `bar.warp.sync`.
    WarpBarrier {
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// Arrival at a cluster barrier, or wait at a cluster barrier.
    ClusterBarrier {
        /// True if the operation waits at the barrier, and false if the operation arrives at the
        /// barrier.
        wait: bool,
        /// Memory ordering. If the PTX specifies no ordering, an arrival has release semantics, and
        /// a wait has acquire semantics.
        ordering: Option<Ordering>,
        /// Whether all threads of a warp execute the operation together (the modifier `.aligned`).
        aligned: bool,
    },
    /// A warp shuffle, `shfl.sync`.
    Shuffle {
        /// Shuffle mode: the rule that selects the source lane.
        mode: ShuffleMode,
        /// Mask of the participating lanes.
        mask: Option<u32>,
        /// Operand c of `shfl.sync`: the clamp of the source lane index, and a mask that splits the
        /// warp into segments.
        clamp: Option<u32>,
    },
    /// A reduction across the lanes of a warp, `redux.sync`.
    Redux {
        /// Combiner and type of the reduction.
        kind: ReduxKind,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// A vote of lanes, `vote.sync`.
    Vote {
        /// Kind of the vote: `.all`, `.any`, `.uni` or `.ballot`.
        mode: VoteMode,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// A comparison across the lanes of a warp, `match.sync`.
    Match {
        /// Result of the comparison: a mask of the lanes that have the same value as the executing
        /// lane, or a flag that is set if all lanes have the same value.
        mode: MatchMode,
        /// The type of the compared value.
        ty: ScalarType,
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// Election of one lane, `elect.sync`.
    Elect {
        /// Mask of the participating lanes.
        mask: Option<u32>,
    },
    /// An atomic operation, `atom` or `red`. The comparison does not distinguish `atom` from `red`,
    /// because LLVM may emit `red` if the result of the operation is unused.
    Atomic {
        /// The read-modify-write operation.
        combine: Combine,
        /// Type of an element.
        ty: ScalarType,
        /// Number of elements per access.
        lanes: u32,
        /// State space. The state space `Generic` in the IR matches any state space in the PTX,
        /// because LLVM infers the state space of a generic address.
        space: Space,
        /// Set of threads for which the operation is atomic.
        scope: Option<Scope>,
    },
    /// A memory fence.
    Fence {
        /// Memory ordering of the fence.
        ordering: Ordering,
        /// Set of threads for which the fence orders accesses.
        scope: Option<Scope>,
    },
    /// A proxy fence, which orders accesses through different proxies.
    ProxyFence {
        /// Modifiers of the `fence` instruction, such as `proxy.async`.
        kind: String,
    },
    /// A load or store of a vector.
    VectorAccess {
        /// Whether the access is a load or a store.
        direction: Direction,
        /// State space. The state space `Generic` in the IR matches any state space in the PTX.
        space: Space,
        /// Size of the vector in bytes.
        bytes: u32,
    },
    /// A load or store of one element. LLVM can replace a vector access by a scalar access: for
    /// example, one 32-bit load can replace the load of a vector of two halves.
    ScalarAccess {
        /// Whether the access is a load or a store.
        direction: Direction,
        /// State space. The state space `Generic` in the IR matches any state space in the PTX.
        space: Space,
        /// Size of the element in bytes.
        bytes: u32,
    },
    /// A call of a function that the module does not define.
    Call {
        /// Name of the function; `None` for an indirect call.
        callee: Option<String>,
    },
}

/// Returns whether two values may be equal; an unknown value (`None`) may equal any value.
fn agree<T: PartialEq>(a: &Option<T>, b: &Option<T>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

impl Fact {
    /// Returns whether the operation is a vector access or a scalar access. The comparison checks
    /// memory accesses separately from other operations, because LLVM may change the width of a
    /// memory access.
    pub(crate) fn is_access(&self) -> bool {
        matches!(self, Self::VectorAccess { .. } | Self::ScalarAccess { .. })
    }

    /// Returns the [`Fact`] that describes a PTX instruction, or `None` if the comparison with the
    /// IR ignores the instruction. For a parameter access such as `ld.param`, the function returns
    /// `None`, because the IR has no op for a parameter access.
    pub fn of(operation: &Operation) -> Option<Fact> {
        let fact = match operation {
            Operation::Barrier(barrier) => Fact::Barrier {
                kind: barrier.kind,
                id: barrier.id,
                threads: barrier.threads,
                aligned: barrier.aligned,
            },
            &Operation::WarpBarrier { mask } => Fact::WarpBarrier { mask },
            &Operation::ClusterBarrier {
                wait,
                ordering,
                aligned,
            } => Fact::ClusterBarrier {
                wait,
                ordering,
                aligned,
            },
            &Operation::Shuffle {
                mode, clamp, mask, ..
            } => Fact::Shuffle { mode, mask, clamp },
            &Operation::Redux { kind, mask } => Fact::Redux { kind, mask },
            &Operation::Vote { mode, mask } => Fact::Vote { mode, mask },
            &Operation::Match { mode, ty, mask } => Fact::Match { mode, ty, mask },
            &Operation::Elect { mask } => Fact::Elect { mask },
            Operation::Atomic(atomic) => Fact::Atomic {
                combine: atomic.combine,
                ty: atomic.ty,
                lanes: atomic.lanes,
                space: atomic.space,
                scope: atomic.scope,
            },
            &Operation::Fence { ordering, scope } => Fact::Fence { ordering, scope },
            Operation::ProxyFence { kind } => Fact::ProxyFence { kind: kind.clone() },
            Operation::Access(access) if access.space == Space::Param => return None,
            Operation::Access(access) if access.is_vector() => Fact::VectorAccess {
                direction: access.direction,
                space: access.space,
                bytes: access.bytes(),
            },
            Operation::Access(access) => Fact::ScalarAccess {
                direction: access.direction,
                space: access.space,
                bytes: access.bytes(),
            },
            Operation::Call { callee } => Fact::Call {
                callee: callee.clone(),
            },
            Operation::Other => return None,
        };
        Some(fact.normalized())
    }

    /// Replaces a signed or unsigned type by the bit type of the same width, such as `u32` by
    /// `b32`, if the signedness does not affect the result of the operation.
    pub(super) fn normalized(mut self) -> Fact {
        match &mut self {
            Fact::Redux { kind, .. } => kind.ty = normal(kind.combine, kind.ty),
            Fact::Atomic { combine, ty, .. } => *ty = normal(*combine, *ty),
            Fact::Match { ty, .. } => *ty = ty.without_sign(),
            _ => {}
        }
        self
    }

    /// Returns whether the PTX instruction `ptx` can implement the operation `self` of the IR.
    pub fn matches(&self, ptx: &Fact) -> bool {
        use Fact::{
            Atomic, Barrier, Call, ClusterBarrier, Elect, Fence, Match, ProxyFence, Redux,
            ScalarAccess, Shuffle, VectorAccess, Vote, WarpBarrier,
        };
        let in_space = |ir: Space, ptx: Space| ir == Space::Generic || ir == ptx;
        match (self, ptx) {
            (
                Barrier {
                    kind,
                    id,
                    threads,
                    aligned,
                },
                Barrier {
                    kind: kind2,
                    id: id2,
                    threads: threads2,
                    aligned: aligned2,
                },
            ) => {
                let counts = match (threads, threads2) {
                    (Threads::Unknown, Threads::Unknown | Threads::Count(_))
                    | (Threads::Count(_), Threads::Unknown) => true,
                    (a, b) => a == b,
                };
                kind == kind2 && agree(id, id2) && counts && aligned == aligned2
            }
            (WarpBarrier { mask }, WarpBarrier { mask: mask2 })
            | (Elect { mask }, Elect { mask: mask2 }) => agree(mask, mask2),
            (
                ClusterBarrier {
                    wait,
                    ordering,
                    aligned,
                },
                ClusterBarrier {
                    wait: wait2,
                    ordering: ordering2,
                    aligned: aligned2,
                },
            ) => wait == wait2 && agree(ordering, ordering2) && aligned == aligned2,
            (
                Shuffle { mode, mask, clamp },
                Shuffle {
                    mode: mode2,
                    mask: mask2,
                    clamp: clamp2,
                },
            ) => mode == mode2 && agree(mask, mask2) && agree(clamp, clamp2),
            (
                Redux { kind, mask },
                Redux {
                    kind: kind2,
                    mask: mask2,
                },
            ) => kind == kind2 && agree(mask, mask2),
            (
                Vote { mode, mask },
                Vote {
                    mode: mode2,
                    mask: mask2,
                },
            ) => mode == mode2 && agree(mask, mask2),
            (
                Match { mode, ty, mask },
                Match {
                    mode: mode2,
                    ty: ty2,
                    mask: mask2,
                },
            ) => mode == mode2 && ty == ty2 && agree(mask, mask2),
            (
                Atomic {
                    combine,
                    ty,
                    lanes,
                    space,
                    scope,
                },
                Atomic {
                    combine: combine2,
                    ty: ty2,
                    lanes: lanes2,
                    space: space2,
                    scope: scope2,
                },
            ) => {
                combine == combine2
                    && ty == ty2
                    && lanes == lanes2
                    && in_space(*space, *space2)
                    && agree(scope, scope2)
            }
            (
                Fence { ordering, scope },
                Fence {
                    ordering: ordering2,
                    scope: scope2,
                },
            ) => ordering == ordering2 && agree(scope, scope2),
            (Call { callee }, Call { callee: callee2 }) => agree(callee, callee2),
            (
                VectorAccess {
                    direction,
                    space,
                    bytes,
                },
                VectorAccess {
                    direction: direction2,
                    space: space2,
                    bytes: bytes2,
                },
            )
            | (
                ScalarAccess {
                    direction,
                    space,
                    bytes,
                },
                ScalarAccess {
                    direction: direction2,
                    space: space2,
                    bytes: bytes2,
                },
            ) => direction == direction2 && in_space(*space, *space2) && bytes == bytes2,
            (ProxyFence { kind }, ProxyFence { kind: kind2 }) => kind == kind2,
            _ => false,
        }
    }
}

/// Formats a mask: "with mask 0xffffffff", or "with a mask that is not constant".
fn with_mask(mask: Option<u32>) -> String {
    mask.map_or_else(
        || "with a mask that is not constant".to_owned(),
        |mask| format!("with mask {mask:#x}"),
    )
}

fn memory(space: Space) -> String {
    match space {
        Space::Generic => "in any memory".to_owned(),
        space => format!("in `.{space}` memory"),
    }
}

/// Formats the operation in PTX syntax, as a part of a sentence: "`bar.sync 0`", "`shfl.sync.bfly`
/// with mask 0xff and clamp 31".
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Barrier {
                kind,
                id,
                threads,
                aligned,
            } => {
                f.write_str(if *aligned { "`bar." } else { "`barrier." })?;
                match kind {
                    BarrierKind::Sync => f.write_str("sync")?,
                    BarrierKind::Arrive => f.write_str("arrive")?,
                    BarrierKind::Red(combine) => write!(f, "red.{combine}")?,
                }
                match id {
                    Some(id) => write!(f, " {id}")?,
                    None => f.write_str(" ?")?,
                }
                match threads {
                    Threads::All => f.write_str("`"),
                    Threads::Count(count) => write!(f, ", {count}`"),
                    Threads::Unknown => f.write_str(", ?`"),
                }
            }
            Fact::WarpBarrier { mask } => write!(f, "`bar.warp.sync` {}", with_mask(*mask)),
            Fact::ClusterBarrier {
                wait,
                ordering,
                aligned,
            } => {
                let kind = if *wait { "wait" } else { "arrive" };
                write!(f, "`barrier.cluster.{kind}")?;
                if let Some(ordering) = ordering {
                    write!(f, ".{ordering}")?;
                }
                f.write_str(if *aligned { ".aligned`" } else { "`" })
            }
            Fact::Shuffle { mode, mask, clamp } => {
                write!(f, "`shfl.sync.{mode}` {}", with_mask(*mask))?;
                match clamp {
                    Some(clamp) => write!(f, " and clamp {clamp}"),
                    None => f.write_str(" and a clamp that is not constant"),
                }
            }
            Fact::Redux { kind, mask } => {
                let abs = if kind.abs { ".abs" } else { "" };
                let nan = if kind.nan { ".NaN" } else { "" };
                let ReduxKind { combine, ty, .. } = kind;
                write!(
                    f,
                    "`redux.sync.{combine}{abs}{nan}.{ty}` {}",
                    with_mask(*mask)
                )
            }
            Fact::Vote { mode, mask } => write!(f, "`vote.sync.{mode}` {}", with_mask(*mask)),
            Fact::Match { mode, ty, mask } => {
                write!(f, "`match.{mode}.sync.{ty}` {}", with_mask(*mask))
            }
            Fact::Elect { mask } => write!(f, "`elect.sync` {}", with_mask(*mask)),
            Fact::Atomic {
                combine,
                ty,
                lanes,
                space,
                scope,
            } => {
                let scope = scope.map_or(String::new(), |scope| format!(".{scope}"));
                let lanes = if *lanes > 1 {
                    format!(".v{lanes}")
                } else {
                    String::new()
                };
                write!(
                    f,
                    "atomic `{combine}{scope}{lanes}.{ty}` {}",
                    memory(*space)
                )
            }
            Fact::Fence { ordering, scope } => {
                let scope = scope.map_or(String::new(), |scope| format!(".{scope}"));
                write!(f, "`fence.{ordering}{scope}`")
            }
            Fact::ProxyFence { kind } => write!(f, "`fence.{kind}`"),
            Fact::VectorAccess {
                direction,
                space,
                bytes,
            } => write!(
                f,
                "vector `{direction}` of {bytes} bytes {}",
                memory(*space)
            ),
            Fact::ScalarAccess {
                direction,
                space,
                bytes,
            } => write!(
                f,
                "scalar `{direction}` of {bytes} bytes {}",
                memory(*space)
            ),
            Fact::Call { callee } => match callee {
                Some(callee) => write!(f, "a call of `{callee}`"),
                None => f.write_str("a call of a function in a register"),
            },
        }
    }
}
