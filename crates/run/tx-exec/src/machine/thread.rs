//! State of one thread of the running cluster.

use crate::{bits::PagedBits, cluster_barrier::ClusterArrival, fault::AccessKind, warp::LaneInput};
use corosensei::Yielder;

#[derive(Clone, Copy, Debug)]
pub(crate) enum WaitReason {
    Warp {
        site: u32,
        mask: u32,
        input: LaneInput,
    },
    Barrier {
        site: u32,
        id: u32,
        whole_block: bool,
    },
    Cluster {
        site: u32,
    },
    MBarrier {
        site: u32,
    },
}

impl WaitReason {
    pub(crate) fn site(self) -> u32 {
        match self {
            Self::Warp { site, .. }
            | Self::Barrier { site, .. }
            | Self::Cluster { site }
            | Self::MBarrier { site } => site,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ThreadState {
    Runnable,
    Waiting(WaitReason),
    Exited,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The operation has finished with the given result value.
    Ready(u64),
    /// The thread must suspend. The result of the operation is available after the thread resumes.
    Wait,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) state: ThreadState,
    /// Rank of the thread's block in the cluster.
    pub(super) cta: u32,
    /// Linear index of the thread in its block.
    pub(super) local: u32,
    pub(crate) result: u64,
    /// Yielder of the coroutine that runs the thread. The coroutine stores this pointer when it
    /// starts. The pointer is valid while the coroutine is alive.
    pub(crate) yielder: *const Yielder<(), ()>,
    /// Lowest stack address that the thread may use.
    pub(crate) stack_limit: u64,
    pub(super) private: Vec<PrivateMemory>,
    /// Number of atomic accesses since the thread last yielded.
    pub(super) atomics: u32,
    /// Whether the thread yielded after many atomic accesses, and may therefore be in a spin loop.
    pub(crate) spins: bool,
}

/// Arrivals of a thread at the cluster barrier, and accesses of the thread to the shared memory of
/// other blocks in the cluster. A separate struct keeps [`Thread`] small, because every memory
/// access reads a [`Thread`].
#[derive(Debug, Default)]
pub(crate) struct ClusterMember {
    pub(crate) arrivals: u32,
    /// Last arrival of the thread at the cluster barrier; `None` if the thread has not arrived yet,
    /// or has already executed the matching wait operation.
    pub(crate) arrival: Option<ClusterArrival>,
    /// For each block of the cluster except the thread's own block, the last access of the thread
    /// to the shared memory of that block.
    pub(super) remote: Vec<RemoteAccess>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RemoteAccess {
    pub(super) owner: usize,
    pub(super) segment: u32,
    pub(super) site: u32,
    pub(super) kind: AccessKind,
}

#[derive(Debug)]
pub(super) struct PrivateMemory {
    pub(super) start: u64,
    pub(super) length: u64,
    /// Set of the written bytes of the private memory; `None` if uninitialised reads are not
    /// checked.
    pub(super) written: Option<PagedBits>,
}

impl Thread {
    pub(super) fn new(cta: usize, local: usize) -> Self {
        Self {
            state: ThreadState::Exited,
            cta: cta as u32,
            local: local as u32,
            result: 0,
            yielder: std::ptr::null(),
            stack_limit: 0,
            private: Vec::new(),
            atomics: 0,
            spins: false,
        }
    }
}
