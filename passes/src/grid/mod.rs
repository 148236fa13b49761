//! Whole jobs: what one op over global memory computes, how its iteration space is cut and bound,
//! and the kernel that does it.
//!
//! [`job`] reads an op, [`group`] those that share a kernel, and `sizes` says which sizes of it must agree; [`steps`] reads and prints a
//! schedule; [`nest`] is the loops that a schedule makes of the iteration space, and says whether
//! it is legal; [`choose`] is the default schedule, and [`cost`] what one should take; [`partials`]
//! turns one reduction into two, and [`finish`] these into one kernel; [`body`] writes a kernel's
//! loops, with [`vectors`], [`elements`], [`points`], [`tiles`] and [`stores`]; [`resident`] writes those of a
//! group whose values stay in registers; and [`launch`] the kernel around them and its launch.

pub(crate) mod body;
pub(crate) mod choose;
pub(crate) mod cost;
pub(crate) mod elements;
pub(crate) mod finish;
pub(crate) mod group;
pub(crate) mod job;
pub(crate) mod launch;
pub(crate) mod nest;
pub(crate) mod partials;
pub(crate) mod points;
pub(crate) mod resident;
pub(crate) mod sizes;
pub(crate) mod staged;
pub(crate) mod steps;
pub(crate) mod stores;
pub(crate) mod tiles;
pub(crate) mod vectors;
