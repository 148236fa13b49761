//! Semantics of the ops, one file per dialect or family.

pub(crate) mod access;
pub(crate) mod control;
pub(crate) mod gpu;
pub(crate) mod linalg;
pub(crate) mod memref;
pub(crate) mod nvvm;
pub(crate) mod reduce;
pub(crate) mod scalar;
pub(crate) mod tile;
pub(crate) mod vector;
