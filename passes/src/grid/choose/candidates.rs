//! Alternative schedules, which may be faster than the default schedule.

use super::super::grid_op::{GridOp, Work};
use super::super::group::Group;
use super::super::nest::MAX_UNROLL;
use super::super::steps::Case;
use super::chooser::{
    Blocks, CLUSTERS, Chooser, MIN_SPLIT_BLOCKS, SPLIT_BLOCKS, THREADS_PER_BLOCK, VECTOR, Vectors,
};
use super::phase_tables::{MAX_PORTABLE_BLOCKS, MIN_THREADS_PER_ROW, NON_PORTABLE_BLOCKS};
use super::phases::Limits;
use super::row_steps::Rows;
use super::row_tables::{MIN_BUSY_BLOCKS, SECTOR, ThreadGroup, VECTORS_IN_FLIGHT};
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
                        prefetches: false,
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

/// Returns alternative schedules, which may be faster than the schedule of [`super::choose`].
pub(crate) fn candidates(grid_op: &GridOp<'_>, clusters: bool) -> Vec<Vec<Case>> {
    Chooser::of(grid_op, clusters).candidates()
}

/// Numbers of threads per row and of loads in flight that [`candidates`] tries. The lists begin
/// with the values that the fastest schedules use most often.
const THREADS_PER_ROW_TRIED: [i64; 10] = [32, 256, 8, 16, 512, 64, 4, 2, 1, 1024];

const LOADS_TRIED: [i64; 5] = [4, 8, 16, 2, 1];

impl Chooser<'_, '_> {
    fn candidates(&mut self) -> Vec<Vec<Case>> {
        let clusters = if self.clusters {
            CLUSTERS.as_slice()
        } else {
            &[]
        };
        let grid_op = self.grid_op;
        let kept = self.kept.clone();
        let length = self.total(&grid_op.axes);
        let reduces = matches!(grid_op.work, Work::Combine(..));
        if !reduces
            || grid_op.axes.is_empty()
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
            let inner = self.nearest.filter(|d| grid_op.axes.contains(d));
            self.row_candidates(
                &kept,
                inner.unwrap_or(grid_op.axes[grid_op.axes.len() - 1]),
                clusters,
            )
        }
    }

    pub(super) fn row_candidates(
        &mut self,
        kept: &[usize],
        inner: usize,
        clusters: &[i64],
    ) -> Vec<Vec<Case>> {
        let grid_op = self.grid_op;
        let together = grid_op.axes.len() > 1;
        if together && self.total(&grid_op.axes).is_none() {
            return Vec::new();
        }
        let most = self.total(&grid_op.axes);
        let mut all: Vec<Vec<Case>> = Vec::new();
        let loads = match self.vectors(inner) {
            Vectors::Aligned(_) if together => vec![Vectors::None],
            Vectors::None => vec![Vectors::None],
            vectors => vec![Vectors::None, vectors],
        };
        let few = self.total(kept).is_some_and(|n| n <= MIN_BUSY_BLOCKS);
        let cuts = match few {
            true => [
                MIN_SPLIT_BLOCKS,
                SPLIT_BLOCKS / 4,
                SPLIT_BLOCKS,
                4 * SPLIT_BLOCKS,
            ]
            .as_slice(),
            false => &[],
        };
        let grids = match kept.is_empty() {
            true => [].as_slice(),
            false => &[SPLIT_BLOCKS, 2 * SPLIT_BLOCKS],
        };
        let shared = |n: &i64| [Blocks::SecondKernel(*n), Blocks::LastBlock(*n)];
        let blocks: Vec<Blocks> = std::iter::once(Blocks::One)
            .chain(cuts.iter().flat_map(shared))
            .chain(grids.iter().map(|n| Blocks::GridStride(*n)))
            .chain(clusters.iter().map(|n| Blocks::Cluster(*n)))
            .collect();
        let pairs = THREADS_PER_ROW_TRIED
            .into_iter()
            .flat_map(|threads_per_row| {
                LOADS_TRIED.map(|loads_in_flight| (threads_per_row, loads_in_flight))
            });
        let groups: Vec<ThreadGroup> = pairs
            .flat_map(|(threads_per_row, loads_in_flight)| {
                [1, 2, 4].map(|rows| [threads_per_row, loads_in_flight, rows])
            })
            .map(|[threads_per_row, loads_in_flight, rows]| {
                ThreadGroup::new([
                    threads_per_row,
                    loads_in_flight,
                    rows,
                    threads_per_row.max(THREADS_PER_BLOCK),
                ])
            })
            .collect();
        for vectors in loads {
            for (group, blocks) in groups
                .iter()
                .flat_map(|g| blocks.iter().map(move |c| (*g, *c)))
            {
                let rows = Rows {
                    blocks,
                    ..Rows::new(group, vectors, most)
                };
                if self.may_be_fast(kept, &rows) {
                    self.write_rows(kept, inner, together, rows);
                    all.push(vec![Case::always(std::mem::take(&mut self.steps))]);
                }
            }
        }
        all
    }

    /// Returns false if the mapping `rows` is probably slow for the rows of the op.
    fn may_be_fast(&self, kept: &[usize], rows: &Rows) -> bool {
        let Rows {
            group,
            vectors,
            blocks,
            most,
            ..
        } = rows;
        let across = group.threads_per_row * vectors.width();
        let tile = across * group.loads_in_flight;
        let fits = most.is_none_or(|n| tile / 2 < n && n <= 256 * tile * blocks.per_result());
        // The blocks of a cluster wait for each other. A cluster is therefore only fast if each
        // block has enough work, and each thread processes only one row.
        let is_shared = !matches!(blocks, Blocks::Cluster(_))
            || group.rows == 1
                && group.threads_per_row >= THREADS_PER_BLOCK
                && most.is_none_or(|n| n >= tile * blocks.per_result());
        // A mapping with several rows per thread, or with few loads in flight, is only fast if a
        // thread loads all its elements of a row at once.
        let is_whole = most.is_some_and(|n| n <= tile);
        let has_enough = is_whole || group.loads_in_flight >= VECTORS_IN_FLIGHT && group.rows == 1;
        let is_block =
            !kept.is_empty() || group.rows == 1 && group.threads_per_row >= THREADS_PER_BLOCK / 2;
        let width = self.width().unwrap_or(VECTOR);
        let fills_sectors =
            across * width >= SECTOR || most.is_some_and(|n| n <= 2 * SECTOR / width);
        let written = group.rows * group.loads_in_flight * vectors.width();
        let is_short = written <= MAX_UNROLL && !self.exceeds_unroll_limit(written);
        fits && has_enough && is_block && is_shared && fills_sectors && is_short
    }
}
