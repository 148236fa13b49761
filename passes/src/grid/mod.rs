//! Whole jobs: what one op over global memory computes, how its iteration space is cut and bound,
//! and the kernel that does it.
//!
//! [`job`] reads an op, [`group`] those that share a kernel, and `sizes` says which sizes of it must agree; [`steps`] reads and prints a
//! schedule; [`nest`] is the loops that a schedule makes of the iteration space, and says whether
//! it is legal; [`choose`] is the default schedule, and [`cost`] what one should take; [`plan`] finds the schedules of a module, and
//! [`describe`] says why, and which others there are. [`partials`] makes two phases of one reduction, and [`finish`] runs the second
//! in the last block of the first; [`launches`] lists the kernels of an op; [`body`] writes a kernel's
//! loops, with [`vectors`], [`elements`], [`points`], [`tiles`] and [`stores`]; [`resident`] writes those of a
//! group whose values stay in registers; and [`launch`] the kernel around them and its launch.

pub(crate) mod body;
pub(crate) mod choose;
pub(crate) mod cost;
pub(crate) mod describe;
pub(crate) mod elements;
pub(crate) mod finish;
pub(crate) mod group;
pub(crate) mod job;
pub(crate) mod launch;
pub(crate) mod launches;
pub(crate) mod nest;
pub(crate) mod partials;
pub(crate) mod plan;
pub(crate) mod points;
pub(crate) mod resident;
pub(crate) mod sizes;
pub(crate) mod staged;
pub(crate) mod steps;
pub(crate) mod stores;
pub(crate) mod tiles;
pub(crate) mod vectors;
