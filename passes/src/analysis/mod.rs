//! Read-only analyses that passes share.

pub(crate) mod access;
pub(crate) mod active;
pub(crate) mod arithmetic;
pub(crate) mod barrier;
pub(crate) mod barrier_errors;
pub(crate) mod barrier_placement;
pub(crate) mod classes;
pub(crate) mod conflict;
pub(crate) mod constants;
pub(crate) mod dataflow;
pub(crate) mod facts;
pub(crate) mod indices;
pub(crate) mod iterations;
pub(crate) mod kernel;
pub(crate) mod laws;
pub(crate) mod loop_carried;
pub(crate) mod loops;
pub(crate) mod placement;
pub(crate) mod required_barriers;
pub(crate) mod shared_memory;
pub(crate) mod target;
pub(crate) mod threads;
pub(crate) mod unordered;
pub(crate) mod unused;
