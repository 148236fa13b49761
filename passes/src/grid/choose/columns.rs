//! Schedules of column reductions, in which neighbouring elements belong to neighbouring results.

use super::super::extent::ceildiv;
use super::super::nest::MAX_UNROLL;
use super::super::steps::{Case, Step};
use super::chooser::{
    Blocks, CLUSTERS, Chooser, LANES, MIN_LAST_BLOCK_ELEMENTS, MIN_SPLIT_BLOCKS, SPLIT_BLOCKS,
    SPLIT_BLOCKS_PER_ROW, THREADS_PER_BLOCK, Vectors, power_of_two,
};
use std::ops::RangeInclusive;
use tx_plan::UpTo;

/// Number of elements of a column for which a thread has loads in flight.
/// `COLUMN_ELEMENTS_IN_FLIGHT[0]` applies to threads that reduce several columns,
/// `COLUMN_ELEMENTS_IN_FLIGHT[1]` to threads that reduce one column.
const COLUMN_ELEMENTS_IN_FLIGHT: [i64; 2] = [8, 16];
/// Number of threads of a block in column reductions whose rows begin at unaligned addresses. If a
/// cache line contains columns of two neighbouring blocks, both blocks load the cache line. The
/// larger the blocks, the fewer cache lines are loaded twice. Sums of 128x4096x4095 f32 on an H200
/// reach 3974 GB/s with 1024 threads per block, 3710 GB/s with 512 threads, and 3393 GB/s with 256
/// threads. PyTorch reaches 3899 GB/s for sums of 128x4096x4095 f32.
const UNALIGNED: i64 = 4 * THREADS_PER_BLOCK;
/// Range of column lengths, in elements, for which more threads of a block share a column than for
/// shorter or longer columns. `SHARED_COLUMN_LENGTHS` applies to columns that are not split across
/// blocks. Measured on an H100 (`docs/performance.md`, log entry 45).
const SHARED_COLUMN_LENGTHS: RangeInclusive<i64> = 64..=512;
/// Maximum length, in elements, of columns that are never split across blocks. `SHORT_COLUMNS`
/// applies if the number of columns is dynamic.
const SHORT_COLUMNS: i64 = 1 << 10;
/// Maximum length, in elements, of columns that are not split across blocks. `MEDIUM_COLUMNS`
/// applies if there are many columns, and their number is dynamic. If several blocks shared a
/// column of at most `MEDIUM_COLUMNS` elements, the tiles of these blocks would be partly empty.
const MEDIUM_COLUMNS: i64 = 1 << 12;
/// Mappings for few columns, if the number of columns is dynamic. An entry of `FEW_COLUMNS`
/// contains the maximum number of columns, the number of threads across columns, and the number of
/// blocks that share a column. If the number of columns exceeds the last maximum of `FEW_COLUMNS`,
/// [`MANY_COLUMNS`] is the mapping for columns of more than `MEDIUM_COLUMNS` elements. Measured on
/// an H100 (`docs/performance.md`, log entries 28 and 37).
const FEW_COLUMNS: [(i64, i64, i64); 3] = [
    (16, LANES / 4, SPLIT_BLOCKS),
    (64, LANES / 2, SPLIT_BLOCKS / 2),
    (1 << 10, LANES, SPLIT_BLOCKS_PER_ROW),
];
const MANY_COLUMNS: Columns = Columns {
    threads: 2 * THREADS_PER_BLOCK,
    ..Columns::new(
        2 * LANES,
        COLUMN_ELEMENTS_IN_FLIGHT[0],
        Blocks::LastBlock(MIN_SPLIT_BLOCKS),
    )
};
/// Mapping of columns that the blocks of a cluster share. `IN_CLUSTERS` contains the maximum number
/// of elements per thread, the number of bytes of one row that the threads of a block load at once,
/// and the number of loads in flight per thread. Measured on an H200 (`docs/performance.md`, log
/// entry 23).
const IN_CLUSTERS: (i64, i64, i64) = (64, 128, 8);

struct Columns {
    across: i64,
    under_way: i64,
    threads: i64,
    blocks: Blocks,
}

impl Columns {
    const fn new(across: i64, under_way: i64, blocks: Blocks) -> Self {
        Self {
            across,
            under_way,
            threads: THREADS_PER_BLOCK,
            blocks,
        }
    }
}

impl Chooser<'_, '_> {
    pub(super) fn column_candidates(
        &mut self,
        kept: &[usize],
        nearest: usize,
        length: Option<i64>,
        clusters: &[i64],
    ) -> Vec<Vec<Case>> {
        let mut all = Vec::new();
        let blocks: Vec<Blocks> = [SPLIT_BLOCKS, 8 * SPLIT_BLOCKS]
            .into_iter()
            .flat_map(|cuts| [Blocks::SecondKernel(cuts), Blocks::LastBlock(cuts)])
            .chain([Blocks::One])
            .chain(clusters.iter().map(|n| Blocks::Cluster(*n)))
            .collect();
        for across in [8, 16, 32, 64, 128, 256] {
            for under_way in [4, 8, 16] {
                for share in &blocks {
                    let (vector, groups) = self.column_vectors(kept, nearest);
                    let down = THREADS_PER_BLOCK / across;
                    let blocks = groups.map_or(SPLIT_BLOCKS, |n| ceildiv(n, across));
                    let most = length.map_or(i64::MAX, |n| n / (2 * down * under_way));
                    // Number of blocks that share a column, if all columns together use `cuts`
                    // blocks.
                    let parts = |cuts: i64| ceildiv(cuts, blocks.max(1)).min(most);
                    let share = match *share {
                        Blocks::SecondKernel(cuts) => Blocks::SecondKernel(parts(cuts)),
                        Blocks::LastBlock(cuts) => Blocks::LastBlock(parts(cuts)),
                        other => other,
                    };
                    let fits = length.is_none_or(|n| n >= under_way * down * share.per_result())
                        && groups.is_none_or(|n| across / 2 < n);
                    let is_alone = share != Blocks::One && share.per_result() < 2;
                    if !fits || is_alone || self.exceeds_unroll_limit(under_way * vector) {
                        continue;
                    }
                    self.write_columns(
                        kept,
                        nearest,
                        vector,
                        &Columns::new(across, under_way, share),
                    );
                    all.push(vec![Case::always(std::mem::take(&mut self.steps))]);
                }
            }
        }
        all
    }

    /// Makes schedules for a dynamic number of columns. If there are many columns, only columns of
    /// more than [`MEDIUM_COLUMNS`] elements are split across blocks; few columns are split if they
    /// have more than [`SHORT_COLUMNS`] elements.
    pub(super) fn columns_by_length(&mut self) -> Option<Vec<Case>> {
        let (&[reduced], &[nearest]) = (&*self.grid_op.axes, &*self.kept) else {
            return None;
        };
        let extents = &self.grid_op.extents;
        let length = extents[reduced].known();
        let is_short = length.is_some_and(|n| n <= SHORT_COLUMNS);
        if is_short || extents[nearest].known().is_some() {
            return None;
        }
        let kept = [nearest];
        let mut cases = Vec::new();
        if length.is_none() {
            self.columns_alone(&kept, length);
            let up_to = Some(UpTo::new(reduced, SHORT_COLUMNS));
            let steps = std::mem::take(&mut self.steps);
            cases.push(Case { up_to, steps });
        }
        let under_way = self.unrollable(COLUMN_ELEMENTS_IN_FLIGHT[0]);
        for (most, across, blocks) in FEW_COLUMNS {
            let columns = Columns::new(across, under_way, Blocks::LastBlock(blocks));
            self.write_columns(&kept, nearest, 1, &columns);
            let up_to = Some(UpTo::new(nearest, most));
            let steps = std::mem::take(&mut self.steps);
            cases.push(Case { up_to, steps });
        }
        let alone = Columns {
            threads: 4 * THREADS_PER_BLOCK,
            ..Columns::new(LANES, under_way, Blocks::One)
        };
        let shared = Columns {
            under_way,
            ..MANY_COLUMNS
        };
        let is_medium = length.is_some_and(|n| n <= MEDIUM_COLUMNS);
        if length.is_none() {
            self.write_columns(&kept, nearest, 1, &alone);
            let up_to = Some(UpTo::new(reduced, MEDIUM_COLUMNS));
            let steps = std::mem::take(&mut self.steps);
            cases.push(Case { up_to, steps });
        }
        let rest = if is_medium { &alone } else { &shared };
        self.write_columns(&kept, nearest, 1, rest);
        cases.push(Case::always(std::mem::take(&mut self.steps)));
        Some(cases)
    }

    pub(super) fn columns_that_a_cluster_shares(&mut self) -> Option<Vec<Case>> {
        let (kept, length) = (self.kept.clone(), self.total(&self.grid_op.axes));
        let nearest = self.nearest?;
        let (vector, groups) = self.column_vectors(&kept, nearest);
        let (_, _, is_shared) = Self::across(vector, groups);
        let columns = self
            .columns_in_clusters(&kept, length)
            .filter(|_| is_shared)?;
        self.write_columns(&kept, nearest, 1, &columns);
        Some(self.take_schedule())
    }

    /// Returns three values: the number of threads of a block that reduce different columns
    /// (threads across columns), the maximum of this number, and whether a column may be split
    /// across blocks. A column may be split, to increase the number of blocks, if fewer than
    /// [`SPLIT_BLOCKS`] blocks cover all columns.
    fn across(vector: i64, groups: Option<i64>) -> (i64, i64, bool) {
        // At unaligned addresses, neighbouring blocks share cache lines. If each block has more
        // threads across columns, fewer cache lines are shared.
        let widest = if vector == 1 && groups.is_some() {
            4 * LANES
        } else {
            LANES
        };
        let across = groups.map_or(LANES, |n| power_of_two(n).min(widest));
        let is_shared = groups.is_some_and(|n| ceildiv(n, across) < SPLIT_BLOCKS);
        (across, widest, is_shared)
    }

    fn columns_in_clusters(&self, kept: &[usize], length: Option<i64>) -> Option<Columns> {
        let (most, bytes, loads) = IN_CLUSTERS;
        let (results, length) = (self.total(kept)?, length?);
        let across = power_of_two(results).min((bytes / self.width()?).clamp(1, THREADS_PER_BLOCK));
        let under_way = self.unrollable(loads);
        let tile = THREADS_PER_BLOCK / across * under_way;
        let blocks = CLUSTERS.into_iter().rev().find(|n| n * tile <= length)?;
        let each = length.saturating_mul(across) / (THREADS_PER_BLOCK * blocks);
        (self.clusters && each <= most).then_some(Columns::new(
            across,
            under_way,
            Blocks::Cluster(blocks),
        ))
    }

    /// Makes a batch-invariant schedule: the number of columns does not change the order in which
    /// elements are combined.
    pub(super) fn fixed_columns(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.bind_one_thread_per_result(&kept, self.nearest, LANES);
        let reduced = self.fused(&self.grid_op.axes, None, "r");
        self.split(&reduced, THREADS_PER_BLOCK / LANES, None, Some(1));
        Some(self.take_schedule())
    }

    /// Returns the number of columns that one load reads, and the number of loads across all
    /// columns of one row.
    fn column_vectors(&self, kept: &[usize], nearest: usize) -> (i64, Option<i64>) {
        let vector = match self.vectors(nearest) {
            Vectors::Plain(n) => n,
            // All loads are scalar, because the last columns of an unaligned row need scalar loads
            // in any case.
            _ => 1,
        };
        (vector, self.total(kept).map(|n| n / vector))
    }

    /// Makes a schedule in which each thread reduces neighbouring columns. Several threads share a
    /// column. If there are few columns, several blocks share a column.
    pub(super) fn columns(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.columns_alone(&kept, self.total(&self.grid_op.axes));
        Some(self.take_schedule())
    }

    fn columns_alone(&mut self, kept: &[usize], length: Option<i64>) {
        let grid_op = self.grid_op;
        let Some(nearest) = self.nearest else { return };
        let (vector, groups) = self.column_vectors(kept, nearest);
        let (across, widest, is_shared) = Self::across(vector, groups);
        let all: Vec<usize> = (0..grid_op.extents.len()).collect();
        let is_large = self
            .total(&all)
            .is_none_or(|n| n >= MIN_LAST_BLOCK_ELEMENTS);
        // If vectors have eight or more elements, a larger block would have too few registers per
        // thread.
        let is_wide = vector > 4;
        let is_tall = length.is_some_and(|n| SHARED_COLUMN_LENGTHS.contains(&n));
        let is_unaligned = vector == 1 && across == widest && widest > LANES;
        let (across, down) = match is_shared {
            false if is_unaligned && self.fills_threads(length) => (across, UNALIGNED / across),
            _ if vector == 1 || across < LANES || self.exchanges_parts() => {
                (across, THREADS_PER_BLOCK / across)
            }
            true if is_large && !is_wide => (LANES / 2, LANES),
            false if is_tall && is_wide => (LANES / 2, LANES / 2),
            false if is_tall => (LANES, LANES / 2),
            _ => (across, THREADS_PER_BLOCK / across),
        };
        let blocks = groups.map_or(SPLIT_BLOCKS, |n| ceildiv(n, across));
        let mut under_way =
            (MAX_UNROLL / vector).min(COLUMN_ELEMENTS_IN_FLIGHT[usize::from(vector == 1)]);
        while under_way > 1 && self.exceeds_unroll_limit(under_way * vector) {
            under_way /= 2;
        }
        while under_way > 1 && length.is_some_and(|n| n < under_way * down) {
            under_way /= 2;
        }
        let most = length.map_or(i64::MAX, |n| n / (2 * down * under_way));
        // The GPU executes blocks in waves. The more waves a grid has, the smaller is the fraction
        // of the time that a partial last wave takes.
        let cuts = if blocks < MIN_SPLIT_BLOCKS {
            SPLIT_BLOCKS
        } else {
            8 * SPLIT_BLOCKS
        };
        let parts = match is_shared {
            true => ceildiv(cuts, blocks.max(1)).min(most),
            false => 1,
        };
        let blocks = match parts > 1 {
            true => Blocks::LastBlock(parts),
            false => Blocks::One,
        };
        let columns = Columns {
            threads: across * down,
            ..Columns::new(across, under_way, blocks)
        };
        self.write_columns(kept, nearest, vector, &columns);
    }

    /// Returns true if each element needs few ops and the columns are long enough for blocks of
    /// [`UNALIGNED`] threads. A column is long enough if each thread loads at least eight batches
    /// of `COLUMN_ELEMENTS_IN_FLIGHT[1]` elements.
    fn fills_threads(&self, length: Option<i64>) -> bool {
        let round = UNALIGNED / (4 * LANES) * COLUMN_ELEMENTS_IN_FLIGHT[1];
        !self.is_expensive() && length.is_some_and(|n| n >= 8 * round)
    }

    fn write_columns(&mut self, kept: &[usize], nearest: usize, vector: i64, columns: &Columns) {
        let grid_op = self.grid_op;
        let Columns {
            across,
            under_way,
            threads,
            blocks,
        } = *columns;
        let down = threads / across;
        let tile = down * under_way;
        let results = self.split_and_fuse(kept, nearest, vector, "p");
        self.split(&results, across, Some(0), Some(0));
        let reduced = self.fused(&grid_op.axes, None, "r");
        let mut inner = self.split_across_blocks(&reduced, tile, blocks, 1);
        if blocks.per_result() == 1 {
            self.steps.push(Step::Split(inner.clone(), tile));
            inner += ".i";
        }
        self.split(&inner, down, None, Some(1));
        self.steps.push(Step::Unroll(format!("{inner}.o")));
        if vector > 1 {
            let vectorized = format!("d{nearest}.i");
            self.steps.push(Step::Reorder(vec![
                format!("{reduced}.o"),
                format!("{inner}.o"),
                vectorized.clone(),
            ]));
            self.steps.push(Step::Vectorize(vectorized));
            self.evict_first();
        }
    }
}
