//! Kernels of grid-level ops (ops over global memory): the loop schedule of each op, and its kernel
//! code.
//!
//! | module | task |
//! |---|---|
//! | [`grid_op`], [`read_grid_op`], [`written_schedule`] | an op and its written schedule as data |
//! | [`group`], [`phase`] | ops that share a kernel |
//! | `sizes` | checks operand sizes |
//! | [`steps`] | parses and prints schedules |
//! | [`extent`], [`nest`] | trip counts of loops, and the loop nest of an op |
//! | [`apply`], [`legality`] | apply a schedule to the loop nest, and check the loop nest |
//! | [`choose`], [`cost`] | make the default schedule, and estimate the time of a schedule |
//! | [`plan`], [`launches`] | collect the schedules of a module, and the kernels of an op |
//! | [`contiguous`], [`registers`] | contiguity of operands, and rows in registers |
//! | [`lengths`] | ranges of dynamic lengths |
//! | [`describe`] | explains schedules and lists other candidates |
//! | [`partials`], [`last_block`] | two phases of a reduction, and the second in the last block |
//! | [`body`] | the op, loop nest and position for which kernel code is emitted |
//! | [`loops`], [`bounds`] | emit loops and bounds checks |
//! | [`vectors`], [`edges`] | alignment of vectors, and head and tail elements of rows |
//! | [`staged`], [`copies`] | tiles of sources in shared memory |
//! | [`elements`], [`batches`] | emit loads |
//! | [`accumulators`], [`tiles`] | emit the combination of elements |
//! | [`points`], [`stores`] | emit element-wise ops and stores |
//! | [`held_rows`], [`held_elements`], [`slots`] | emit a kernel whose values stay in registers between ops |
//! | [`launch`] | emits the kernel function and its launch |

pub(crate) mod accumulators;
pub(crate) mod apply;
pub(crate) mod batches;
pub(crate) mod body;
pub(crate) mod bounds;
pub(crate) mod choose;
pub(crate) mod contiguous;
pub(crate) mod copies;
pub(crate) mod cost;
pub(crate) mod describe;
pub(crate) mod edges;
pub(crate) mod elements;
pub(crate) mod extent;
pub(crate) mod grid_op;
pub(crate) mod group;
pub(crate) mod held_elements;
pub(crate) mod held_rows;
pub(crate) mod last_block;
pub(crate) mod launch;
pub(crate) mod launches;
pub(crate) mod legality;
pub(crate) mod lengths;
pub(crate) mod loops;
pub(crate) mod nest;
pub(crate) mod partials;
pub(crate) mod phase;
pub(crate) mod plan;
pub(crate) mod points;
pub(crate) mod read_grid_op;
pub(crate) mod registers;
pub(crate) mod sizes;
pub(crate) mod slots;
pub(crate) mod staged;
pub(crate) mod steps;
pub(crate) mod stores;
pub(crate) mod tiles;
pub(crate) mod vectors;
pub(crate) mod written_schedule;
