//! Detects data races: vector clocks represent the happens-before order, and a shadow memory
//! records previous accesses.
//!
//! [`Clocks`] store the order between threads. An executor calls a method of [`Clocks`] for every
//! synchronisation. [`Shadow`] records the accesses to every byte of a memory. The executor calls
//! [`Shadow::access`] for every access. [`Shadow::access`] returns an earlier access that conflicts
//! with the new access, if the clocks do not order the two accesses. The happens-before order does
//! not depend on the schedule of threads in a block. A single run therefore finds every race
//! between the accesses of that run.
//!
//! | In PTX | Here |
//! |---|---|
//! | a block starts | [`Clocks::start_block`] |
//! | `barrier.sync` of the whole block | [`Clocks::join_all`] |
//! | `bar.warp.sync` | [`Clocks::join_lanes`] |
//! | `barrier.sync` of some warps | [`Clocks::synchronize`]; or [`Clocks::collect`] of all that arrive, [`Clocks::learn`] by all that wait |
//! | `barrier.arrive` | [`Clocks::release`]; or [`Clocks::collect`], [`Clocks::advance`] |
//! | a cluster of blocks starts | [`Clocks::start_block`], for all threads of the cluster |
//! | `barrier.sync` of a whole block of several in a cluster | [`Clocks::synchronize`] |
//! | `barrier.cluster.arrive` | [`Clocks::release`] |
//! | `barrier.cluster.arrive.relaxed` | nothing |
//! | `barrier.cluster.wait` | [`Clocks::acquire`]; [`Clocks::join_all`] where all threads arrived with release, wait, and did nothing in between |
//! | `mbarrier.init` | nothing |
//! | `mbarrier.arrive.expect_tx` | [`Clocks::release`] |
//! | `st.async` | [`Shadow::access`], then [`Clocks::release`]; in PTX, it releases only the stored value |
//! | `mbarrier.try_wait` of a completed phase | [`Clocks::acquire`] of all arrivals and stores of the phase |
//! | `fence.acq_rel.gpu` | [`Clocks::fence`] |
//! | `fence.acq_rel.cta`, `fence.acq_rel.cluster` | nothing |
//! | an atomic access | [`Clocks::atomic`], in addition to [`Shadow::access`] |
//! | `shfl.sync`, `redux.sync`, `vote.sync` | nothing: they synchronise execution and order no memory |
//! | a kernel ends | [`Shadow::clear`] |
//!
//! ```
//! use tx_exec::happens_before::{AccessEvent, AccessKind, Clocks, Shadow};
//!
//! let mut clocks = Clocks::default();
//! // Shared memory of 256 bytes.
//! let mut shadow = Shadow::new(256, false).expect("256 bytes are not too many");
//! clocks.start_block(0, 64);
//! let mut access = |clocks: &mut Clocks, thread, kind| {
//!     let segment = clocks.segment(thread).expect("few segments");
//!     let event = AccessEvent { offset: 16, bytes: 4, kind, site: 0, thread, segment };
//!     shadow.access(clocks, event)
//! };
//! assert!(access(&mut clocks, 0, AccessKind::Write).is_ok());
//! let conflict = access(&mut clocks, 33, AccessKind::Read).unwrap_err();
//! assert_eq!((conflict.thread, conflict.offset), (0, 16));
//! clocks.join_all();
//! assert!(access(&mut clocks, 33, AccessKind::Read).is_ok());
//! ```

mod clocks;
mod fence;
mod segment;
mod shadow;

pub use crate::fault::AccessKind;
pub use clocks::{Clocks, ReleasedClocks};
pub use fence::Fence;
pub use segment::{Relation, Segment};
pub use shadow::{AccessEvent, Conflict, MAX_SITES, Shadow};
