//! Chooses a mapping from an ordered table. The choice is the first entry whose condition is true
//! and whose mapping has a schedule for the op.

use super::super::group::{Group, Phase};
use super::super::job::Work;
use super::super::steps::Case;
use super::phases::{self, Limits, Stores};
use super::{Chooser, Chosen, MAX_ELEMENTS_OF_ONE_THREAD, is_fixed};

/// Properties of an op or a group of ops that determine the mapping.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) work: Kind,
    /// Number of elements that are combined into one result; `None` if dynamic.
    pub(super) length: Option<i64>,
    pub(super) results: Option<i64>,
    /// Whether several kernels for different lengths are allowed.
    pub(super) by_length: bool,
    /// Whether contiguous elements belong to one result or to neighbouring results.
    pub(super) neighbours: Neighbours,
    /// Maximum number of elements that one load reads.
    pub(super) vector: i64,
    pub(super) bytes: i64,
    pub(super) ops: i64,
    /// Number of operands with one element for each column, such as the weights of a norm.
    pub(super) columns: i64,
    /// Number of arrays whose rows stay in registers; operands that `columns` counts are not
    /// included.
    pub(super) arrays: i64,
    /// Whether elements of a row can stay in registers between phases.
    pub(super) can_hold: bool,
    /// Whether reduction results can stay in registers while each phase reloads the row.
    pub(super) can_hold_totals: bool,
    /// Whether an op of the group produces one element per row.
    pub(super) has_row_ops: bool,
    pub(super) stores: Stores,
    pub(super) can_share: bool,
    pub(super) is_fixed: bool,
    pub(super) clusters: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ElementWise,
    /// An op that stores initial values for atomics.
    Start,
    Reduction,
    /// A group of several ops that share rows.
    Phases,
}

/// Whether contiguous elements belong to one result or to neighbouring results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// Contiguous elements belong to one result.
    Row,
    /// Contiguous elements belong to neighbouring results.
    Columns,
}

struct Mapping {
    name: &'static str,
    holds: fn(&Request) -> bool,
    schedule: Schedule,
    /// Log entries or section of `docs/performance.md` with the measurements of this mapping.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "people read it, and a test looks it up")
    )]
    measured: &'static str,
}

/// Function that makes the schedule of a mapping. Returns no schedule if the mapping does not apply
/// to the op.
enum Schedule {
    Op(fn(&mut Chooser<'_, '_>) -> Option<Vec<Case>>),
    Group(fn(&Group<'_>, &Request, Option<Limits>) -> Vec<Case>),
}

const TABLE: [Mapping; 17] = [
    Mapping {
        name: "a row of phases, for each class of lengths",
        holds: |r| r.work == Kind::Phases && r.length.is_none(),
        schedule: Schedule::Group(phases::classes),
        measured: "Programs over rows",
    },
    Mapping {
        name: "a row of phases that the caches keep",
        holds: |r| r.work == Kind::Phases && phases::is_faster_reloaded(r),
        schedule: Schedule::Group(phases::loaded_again),
        measured: "Programs over rows",
    },
    Mapping {
        name: "a row of phases, held in registers",
        holds: |r| r.work == Kind::Phases && r.length.is_some() && r.can_hold,
        schedule: Schedule::Group(phases::held),
        measured: "Programs over rows",
    },
    Mapping {
        name: "a row of phases, loaded by each",
        holds: |r| r.work == Kind::Phases && r.length.is_some(),
        schedule: Schedule::Group(phases::loaded_again),
        measured: "Programs over rows",
    },
    Mapping {
        name: "tiles through shared memory",
        holds: |r| r.work == Kind::ElementWise,
        schedule: Schedule::Op(|chooser| chooser.tiles_of_points()),
        measured: "Element-wise programs",
    },
    Mapping {
        name: "vectors of elements",
        holds: |r| r.work == Kind::ElementWise,
        schedule: Schedule::Op(|chooser| chooser.vectors_of_points()),
        measured: "Element-wise programs",
    },
    Mapping {
        name: "a thread for each element",
        holds: |r| {
            matches!(r.work, Kind::ElementWise | Kind::Start) || r.length.is_some_and(|n| n <= 1)
        },
        schedule: Schedule::Op(|chooser| chooser.a_thread_each()),
        measured: "11",
    },
    Mapping {
        name: "columns, for each class of sizes",
        holds: |r| r.by_length && r.neighbours == Neighbours::Columns && !r.is_fixed,
        schedule: Schedule::Op(|chooser| chooser.columns_by_length()),
        measured: "28, 37",
    },
    Mapping {
        name: "rows, for each class of sizes",
        holds: |r| r.by_length && r.neighbours == Neighbours::Row && r.length.is_none(),
        schedule: Schedule::Op(|chooser| chooser.rows_by_length()),
        measured: "6, 25, 31, 41, 42, 48, 51, 52, 53",
    },
    Mapping {
        name: "a thread for each short column",
        holds: |r| {
            r.neighbours == Neighbours::Columns
                && r.length.is_some_and(|n| n <= MAX_ELEMENTS_OF_ONE_THREAD)
        },
        schedule: Schedule::Op(|chooser| chooser.a_thread_each()),
        measured: "5",
    },
    Mapping {
        name: "columns in an order of their own",
        holds: |r| r.neighbours == Neighbours::Columns && r.is_fixed,
        schedule: Schedule::Op(|chooser| chooser.fixed_columns()),
        measured: "49",
    },
    Mapping {
        name: "columns that a cluster shares",
        holds: |r| r.neighbours == Neighbours::Columns && r.clusters,
        schedule: Schedule::Op(|chooser| chooser.columns_that_a_cluster_shares()),
        measured: "23",
    },
    Mapping {
        name: "columns",
        holds: |r| r.neighbours == Neighbours::Columns,
        schedule: Schedule::Op(|chooser| chooser.columns()),
        measured: "5, 8, 30, 45",
    },
    Mapping {
        name: "a thread for each short row",
        holds: |r| r.vector == 1 && r.length.is_some_and(|n| n <= MAX_ELEMENTS_OF_ONE_THREAD),
        schedule: Schedule::Op(|chooser| chooser.a_thread_each()),
        measured: "11",
    },
    Mapping {
        name: "one result of some elements",
        holds: |r| r.results == Some(1),
        schedule: Schedule::Op(|chooser| chooser.one_result()),
        measured: "12, 23, 43",
    },
    Mapping {
        name: "rows that a cluster shares",
        holds: |r| r.work == Kind::Reduction && r.clusters && !r.is_fixed,
        schedule: Schedule::Op(|chooser| chooser.rows_that_a_cluster_shares()),
        measured: "23",
    },
    Mapping {
        name: "rows",
        holds: |r| r.work == Kind::Reduction,
        schedule: Schedule::Op(|chooser| chooser.rows()),
        measured: "1, 2, 3, 15, 21, 26, 44",
    },
];

/// Returns the schedule of an op. If `by_length` is set, the schedule may have one case for each
/// class of lengths.
pub(super) fn of_op(chooser: &mut Chooser<'_, '_>, by_length: bool) -> Chosen {
    let request = Request::of_op(chooser, by_length);
    first(&request, |schedule| match schedule {
        Schedule::Op(schedule) => schedule(chooser),
        Schedule::Group(_) => None,
    })
}

/// Returns the schedule of a group, with no cases if its ops cannot share a kernel. If `limits` is
/// given, it replaces the limits that were found by measurement.
pub(super) fn of_group(group: &Group<'_>, clusters: bool, limits: Option<Limits>) -> Chosen {
    let request = Request::of_group(group, clusters);
    first(&request, |schedule| match schedule {
        Schedule::Group(schedule) => Some(schedule(group, &request, limits)),
        Schedule::Op(_) => None,
    })
}

fn first(request: &Request, mut schedule: impl FnMut(&Schedule) -> Option<Vec<Case>>) -> Chosen {
    let rows = TABLE.iter().filter(|row| (row.holds)(request));
    let mut found = rows.filter_map(|row| {
        let cases = schedule(&row.schedule).filter(|cases| !cases.is_empty())?;
        Some(Chosen {
            mapping: row.name,
            cases,
        })
    });
    found.next().unwrap_or(Chosen {
        mapping: "a kernel for each op",
        cases: Vec::new(),
    })
}

impl Request {
    fn of_op(chooser: &Chooser<'_, '_>, by_length: bool) -> Self {
        let job = chooser.job;
        let work = match job.work {
            Work::Combine(..) => Kind::Reduction,
            Work::Start(..) => Kind::Start,
            Work::Body(_) | Work::Copy => Kind::ElementWise,
        };
        let is_column = chooser.nearest.is_some_and(|d| chooser.kept.contains(&d));
        Self {
            work,
            length: chooser.total(&job.axes),
            results: chooser.total(&chooser.kept),
            by_length: by_length && work == Kind::Reduction,
            neighbours: match is_column {
                true => Neighbours::Columns,
                false => Neighbours::Row,
            },
            vector: match work {
                Kind::Reduction => chooser.vectors(chooser.inner()).width(),
                _ => 1,
            },
            bytes: chooser.width().unwrap_or(1),
            ops: job.weight(),
            columns: 0,
            arrays: 1,
            can_hold: false,
            can_hold_totals: false,
            has_row_ops: false,
            stores: Stores::Rows,
            can_share: true,
            is_fixed: chooser.fixed,
            clusters: chooser.clusters,
        }
    }

    pub(super) fn of_group(group: &Group<'_>, clusters: bool) -> Self {
        let leader = group.phases.get(group.leader());
        let (bytes, ops) = phases::bytes_and_ops(group);
        let results = leader.and_then(|first| {
            let mut lengths = first.shared.iter().map(|d| first.job.extents[*d].known());
            lengths.try_fold(1i64, |n, length| n.checked_mul(length?))
        });
        let is_fixed = group.phases.iter().any(|phase| is_fixed(&phase.job));
        Self {
            work: Kind::Phases,
            length: leader.and_then(Phase::row_length),
            // The results of a batch-invariant row do not depend on the number of rows.
            results: results.filter(|_| !is_fixed),
            by_length: true,
            neighbours: Neighbours::Row,
            vector: phases::vector_of(group),
            bytes,
            ops,
            columns: phases::columns(group),
            arrays: phases::arrays(group),
            can_hold: group.can_be_held(),
            can_hold_totals: phases::can_hold_totals(group),
            has_row_ops: group.phases.iter().any(|phase| phase.row.is_empty()),
            stores: phases::stores(group),
            can_share: !group.updates_rows(),
            is_fixed,
            clusters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_was_measured() {
        let log = include_str!("../../../../docs/performance.md");
        for row in &TABLE {
            let named = |entry: &str| {
                let heading = format!("## {entry}\n");
                log.contains(&heading) || log.contains(&format!("\n{entry}. **"))
            };
            assert!(!row.name.is_empty());
            let mut entries = row.measured.split(", ");
            assert!(
                entries.all(named),
                "{}: docs/performance.md has no {}",
                row.name,
                row.measured
            );
        }
    }
}
