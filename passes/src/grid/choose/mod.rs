//! Default schedules of grid-level ops without the attribute `schedule`.
//!
//! Neighbouring threads load neighbouring elements. If neighbouring elements belong to one result,
//! a group of threads computes the result. If neighbouring elements belong to neighbouring results,
//! each thread computes its own results. A reduction with few results and many elements is split
//! across blocks. The last block or a second kernel combines the partial results of all blocks of a
//! split reduction.

mod candidates;
mod chooser;
mod columns;
mod elementwise;
mod phase_tables;
mod phases;
mod request;
mod row_steps;
mod row_tables;
mod rows;
mod table;

pub(crate) use candidates::{candidates, phase_candidates};
pub(crate) use chooser::VECTOR;
pub(crate) use table::Chosen;

use super::grid_op::GridOp;
use super::group::Group;
use chooser::Chooser;
use request::Request;

/// Returns the default schedule of an op for each range of lengths. If `clusters` is set, the
/// blocks of a cluster may share a row.
pub(crate) fn choose(grid_op: &GridOp<'_>, clusters: bool) -> Chosen {
    table::of_op(&mut Chooser::of(grid_op, clusters), true)
}

/// Returns one schedule for all lengths. The second phase of a reduction needs only one schedule,
/// because there are few partial results.
pub(crate) fn choose_one(grid_op: &GridOp<'_>, clusters: bool) -> Chosen {
    table::of_op(&mut Chooser::of(grid_op, clusters), false)
}

/// Returns the default schedule of a group; the schedule names the loops over rows `p0`, `p1`, …,
/// and the loops over a row `r0`, `r1`, …. If `clusters` is set, the blocks of a cluster may share
/// a long row. For rows of dynamic length, the schedule has one case for each range of lengths that
/// registers can hold.
pub(crate) fn choose_phases(group: &Group<'_>, clusters: bool) -> Chosen {
    table::of_group(group, clusters, None)
}

/// Returns the number of bytes of a row that one block loads for each op of the group, or `None`
/// for a dynamic length.
pub(crate) fn bytes_of_block(group: &Group<'_>, clusters: bool) -> Option<i64> {
    phases::bytes_of_block(&Request::of_group(group, clusters))
}
