//! Chooses a mapping from an ordered table. The chosen mapping is the first entry whose condition
//! is true and that has a schedule for the op.

use super::super::group::Group;
use super::super::steps::Case;
use super::chooser::{Chooser, MAX_ELEMENTS_OF_ONE_THREAD};
use super::phases::{self, Limits};
use super::request::{Kind, Neighbours, Request};

/// Mapping that is chosen for an op or a group, with one schedule for each range of lengths.
pub(crate) struct Chosen {
    pub(crate) mapping: &'static str,
    pub(crate) cases: Vec<Case>,
}

impl Chosen {
    /// Returns the schedule of the chosen mapping, and the name of this mapping.
    pub(crate) fn named(self) -> (Vec<Case>, Option<&'static str>) {
        (self.cases, Some(self.mapping))
    }
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

/// Function that computes the schedule of an op or a group for a mapping. The function returns no
/// schedule if the mapping does not apply to the op.
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
        schedule: Schedule::Op(|chooser| chooser.one_thread_per_result()),
        measured: "11",
    },
    Mapping {
        name: "columns, for each class of sizes",
        holds: |r| r.by_length && r.neighbours == Neighbours::Columns && !r.is_batch_invariant,
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
        schedule: Schedule::Op(|chooser| chooser.one_thread_per_result()),
        measured: "5",
    },
    Mapping {
        name: "columns in an order of their own",
        holds: |r| r.neighbours == Neighbours::Columns && r.is_batch_invariant,
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
        schedule: Schedule::Op(|chooser| chooser.one_thread_per_result()),
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
        holds: |r| r.work == Kind::Reduction && r.clusters && !r.is_batch_invariant,
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
/// range of lengths.
pub(super) fn of_op(chooser: &mut Chooser<'_, '_>, by_length: bool) -> Chosen {
    let request = Request::of_op(chooser, by_length);
    first(&request, |schedule| match schedule {
        Schedule::Op(schedule) => schedule(chooser),
        Schedule::Group(_) => None,
    })
}

/// Returns the schedule of a group. The schedule has no cases if the ops of the group cannot share
/// a kernel. `limits`, if given, replaces the measured limits on registers, threads and blocks.
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
