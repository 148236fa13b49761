//! Alternative schedules, which may be faster than the default schedule.

use super::super::group::Group;
use super::super::job::{Job, Work};
use super::super::steps::Case;
use super::chooser::{CLUSTERS, Chooser};
use super::phase_tables::{MAX_PORTABLE_BLOCKS, MIN_THREADS_PER_ROW, NON_PORTABLE_BLOCKS};
use super::phases::Limits;
use super::table;

/// Limits that [`phase_candidates`] tries: number of elements in the registers of a thread, number
/// of threads per row in one block, and cluster size in blocks.
const HELD_TRIED: [i64; 4] = [8, 16, 32, 64];

const THREADS_TRIED: [i64; 4] = [128, 256, 512, 1024];

const BLOCKS_TRIED: [i64; 5] = [1, 2, 4, MAX_PORTABLE_BLOCKS, NON_PORTABLE_BLOCKS];

pub(crate) fn phase_candidates(group: &Group<'_>, clusters: bool) -> Vec<Vec<Case>> {
    let mut all = Vec::new();
    for held in HELD_TRIED {
        for threads in THREADS_TRIED {
            for blocks in BLOCKS_TRIED {
                for holds in [true, false] {
                    let limits = Limits {
                        held,
                        least: MIN_THREADS_PER_ROW,
                        threads,
                        blocks,
                        holds,
                        shares_columns: false,
                        resident: None,
                    };
                    let cases = table::of_group(group, clusters, Some(limits)).cases;
                    if !cases.is_empty() && !all.contains(&cases) {
                        all.push(cases);
                    }
                }
            }
        }
    }
    all
}

/// Returns alternative schedules, which may be faster than the schedule of [`choose`].
pub(crate) fn candidates(job: &Job<'_>, clusters: bool) -> Vec<Vec<Case>> {
    Chooser::of(job, clusters).candidates()
}

impl Chooser<'_, '_> {
    fn candidates(&mut self) -> Vec<Vec<Case>> {
        let clusters = if self.clusters {
            CLUSTERS.as_slice()
        } else {
            &[]
        };
        let job = self.job;
        let kept = self.kept.clone();
        let length = self.total(&job.axes);
        let reduces = matches!(job.work, Work::Combine(..));
        if !reduces
            || job.axes.is_empty()
            || self.is_batch_invariant
            || length.is_some_and(|n| n <= 1)
        {
            return Vec::new();
        }
        if let Some(nearest) = self.nearest
            && kept.contains(&nearest)
        {
            self.column_candidates(&kept, nearest, length, clusters)
        } else {
            let inner = self.nearest.filter(|d| job.axes.contains(d));
            self.row_candidates(
                &kept,
                inner.unwrap_or(job.axes[job.axes.len() - 1]),
                clusters,
            )
        }
    }
}
