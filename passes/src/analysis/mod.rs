//! Read-only analyses that passes share.

pub(crate) mod access;
pub(crate) mod classes;
pub(crate) mod constants;
pub(crate) mod dataflow;
pub(crate) mod iterations;
pub(crate) mod kernel;
pub(crate) mod laws;
pub(crate) mod placement;
pub(crate) mod shared_memory;
pub(crate) mod target;
pub(crate) mod threads;
pub(crate) mod unused;
