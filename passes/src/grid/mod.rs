//! Kernels of grid-level ops (ops over global memory): the loop schedule of each op, and its kernel
//! code.
//!
//! | module | task |
//! |---|---|
//! | [`job`], [`group`] | read an op, and ops that share a kernel |
//! | `sizes` | checks operand sizes |
//! | [`steps`] | parses and prints schedules |
//! | [`nest`] | applies a schedule to the iteration space and checks the schedule |
//! | [`choose`], [`cost`] | make the default schedule, and estimate the time of a schedule |
//! | [`plan`], [`launches`] | collect the schedules of a module, and the kernels of an op |
//! | [`describe`] | explains schedules and lists other candidates |
//! | [`partials`], [`finish`] | divide a reduction into two phases, and run the second in the last block |
//! | [`body`] | emits kernel loops, with [`vectors`], [`elements`], [`points`], [`tiles`], [`stores`] |
//! | [`resident`] | emits a kernel whose values stay in registers between ops |
//! | [`launch`] | emits the kernel function and its launch |

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
