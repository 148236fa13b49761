//! Kernels of grid-level ops: what one op over global memory computes, the schedule of its loops,
//! and the kernel code.
//!
//! * Reading: [`job`] reads an op, [`group`] the ops that share a kernel; `sizes` checks operand
//!   sizes.
//! * Scheduling: [`steps`] parses and prints a schedule; [`nest`] applies a schedule to the
//!   iteration space and checks it; [`choose`] makes the default schedule; [`cost`] estimates its
//!   time.
//! * Planning: [`plan`] collects the schedules of a module, [`describe`] explains them and lists
//!   other candidates, and [`launches`] lists the kernels of an op.
//! * Two phases: [`partials`] divides a reduction into two phases; [`finish`] runs the second phase
//!   in the last block of the first.
//! * Code: [`body`] emits the loops of a kernel, with [`vectors`], [`elements`], [`points`],
//!   [`tiles`] and [`stores`]. [`resident`] emits a kernel whose values stay in registers between
//!   ops. [`launch`] emits the kernel function and its launch.

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
