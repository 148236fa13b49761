//! Mappings of row reductions: numbers of blocks, threads and loads in flight, chosen by
//! measurements.

use super::chooser::{LANES, MIN_SPLIT_BLOCKS, SPLIT_BLOCKS_PER_ROW, THREADS_PER_BLOCK, VECTOR};
use tx_target::PORTABLE_CLUSTER;

/// Number of vector loads that a thread has in flight. If each thread has 64 bytes in flight, the
/// SM hides the memory latency.
pub(super) const VECTORS_IN_FLIGHT: i64 = 4;

/// Minimum number of elements per result for which a reduction with few results is split across
/// blocks.
pub(super) const MIN_SPLIT_ELEMENTS: i64 = 1 << 16;

/// Minimum length, in elements, of a row that is split across blocks, if the number of rows is
/// dynamic or must not affect the schedule.
pub(super) const MIN_ALWAYS_SPLIT_ELEMENTS: i64 = 1 << 18;

/// Thread group (fields as in [`ROWS`]) of each block, if several blocks share a long row.
pub(super) const SPLIT_ROW_GROUP: ThreadGroup =
    ThreadGroup::new([THREADS_PER_BLOCK, VECTORS_IN_FLIGHT, 1, THREADS_PER_BLOCK]);

/// Mapping of large reductions with few ops per element. With many small blocks, fewer SMs are idle
/// at the end of the kernel than with few large blocks. Measured on an H100 (`docs/performance.md`,
/// log entry 44).
pub(super) const LARGE_INPUT: SplitMapping = SplitMapping {
    bytes: 1 << 29,
    blocks: 1 << 13,
    group: ThreadGroup::new([
        THREADS_PER_BLOCK,
        2 * VECTORS_IN_FLIGHT,
        1,
        THREADS_PER_BLOCK,
    ]),
};

/// Minimum number of blocks that keep all SMs of a device busy: about two blocks for each SM.
pub(super) const MIN_BUSY_BLOCKS: i64 = 256;

/// Mappings for ranges of dynamic row lengths, by maximum element size in bytes. Each mapping
/// contains the maximum row length in elements, and the thread group `[threads per row, loads in
/// flight per row, rows per thread, threads per block]`. The fewer threads share a row, the fewer
/// instructions each element needs, but the more out-of-range loads a partial tile causes. Scalar
/// loads of narrow elements use only part of a cache line. Measured on an H100 and an H200
/// (`docs/performance.md`, log entries 6, 31, 41, 42, 51 and 52).
pub(super) const ROWS: [(i64, &[RowClass]); 4] = [
    (
        1,
        &[
            RowClass::one_by_one(8, [1, 8, 4, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(31, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(112, [1, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            // The maximum row length, 129 elements, is one more than the tile length. For rows of
            // 128 elements, the kernel therefore loads a full tile without bounds checks.
            RowClass::by_vectors(129, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(208, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(640, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(896, [8, 3, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(3500, [LANES / 2, 4, 1, THREADS_PER_BLOCK / 2]).of(8),
            RowClass::by_vectors(1 << 14, [LANES, 8, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
    (
        2,
        &[
            RowClass::one_by_one(8, [1, 8, 4, THREADS_PER_BLOCK / 2]),
            RowClass::by_vectors(16, [1, 8, 1, THREADS_PER_BLOCK]).of(2),
            RowClass::by_vectors(28, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .of(2)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(48, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(64, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS)
                .evict_first(),
            RowClass::by_vectors(80, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS)
                .evict_first(),
            RowClass::by_vectors(128, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(256, [8, 4, 1, THREADS_PER_BLOCK / 2]).resident(1280),
            RowClass::by_vectors(1 << 10, [8, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(1 << 13, [LANES, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
    (
        4,
        &[
            RowClass::one_by_one(8, [1, 8, 2, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(16, [4, 4, 2, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(24, [8, 3, 2, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(32, [LANES / 2, 2, 4, THREADS_PER_BLOCK / 2]),
            RowClass::by_vectors(64, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(128, [8, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(256, [LANES / 2, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::one_by_one(768, [LANES, 8, 1, THREADS_PER_BLOCK]),
            RowClass::by_vectors(1 << 12, [2 * LANES, 2, 1, THREADS_PER_BLOCK / 2]),
        ],
    ),
    (
        i64::MAX,
        &[
            RowClass::one_by_one(8, [1, 8, 1, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(16, [4, 4, 2, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(24, [8, 3, 2, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(32, [LANES / 2, 2, 4, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(64, [8, 8, 1, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(256, [LANES / 2, 8, 1, THREADS_PER_BLOCK / 2]),
            RowClass::one_by_one(768, [LANES, 8, 1, THREADS_PER_BLOCK]),
            RowClass::by_vectors(1 << 12, [2 * LANES, 2, 1, THREADS_PER_BLOCK / 2]),
        ],
    ),
];

/// Mappings for ranges of dynamic row lengths, with the fields of [`ROWS`]. `EXPENSIVE_ROWS`
/// replaces [`ROWS`] if each element needs more than `EXPENSIVE_OPS` ops, or if a partial result
/// consists of several values. The fewer threads share a row, the fewer partial results the threads
/// exchange. Measured on an H100 (`docs/performance.md`, log entries 31, 48, 52 and 53).
pub(super) const EXPENSIVE_ROWS: [(i64, &[RowClass]); 3] = [
    (
        1,
        &[
            RowClass::one_by_one(8, [1, 4, 1, THREADS_PER_BLOCK]),
            RowClass::one_by_one(16, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(96, [1, 2, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(320, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(1 << 10, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(1 << 14, [LANES / 2, 2, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS)
                .evict_first(),
        ],
    ),
    (
        2,
        &[
            RowClass::one_by_one(8, [1, 4, 1, THREADS_PER_BLOCK]),
            RowClass::by_vectors(56, [1, 4, 1, THREADS_PER_BLOCK / 2])
                .of(2)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(64, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(100, [1, 6, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(320, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(1 << 10, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(1 << 14, [LANES / 2, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
    (
        i64::MAX,
        &[
            RowClass::one_by_one(8, [1, 4, 1, THREADS_PER_BLOCK]),
            RowClass::one_by_one(15, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(31, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .of(2)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(80, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(256, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            RowClass::by_vectors(1 << 10, [8, 4, 1, THREADS_PER_BLOCK / 2]),
            RowClass::by_vectors(1 << 13, [LANES, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
];

/// Maximum row lengths in elements, and threads per row, for combiners with at least
/// `COMPUTE_BOUND_OPS` ops. The first length of an entry applies if vectors begin at the start of
/// the row, the second length if vectors begin at the first aligned address. Measured on an H200
/// (`docs/performance.md`, log entry 15).
pub(super) const COMPUTE_BOUND_ROWS: [([i64; 2], i64); 3] =
    [([128, 128], 4), ([1024, 512], 8), ([2048, 2048], 16)];

/// Occupancy target in threads per SM. This occupancy target applies to short rows, and to
/// reductions that have more than `EXPENSIVE_OPS` ops per element and an expensive exchange of
/// partial results. With an occupancy target of 1024 threads, a thread can use more registers than
/// at full occupancy, and keeps more loads in flight. Measured on an H100 (`docs/performance.md`,
/// log entry 35).
pub(super) const OCCUPANCY_TARGET_THREADS: i64 = 1024;

/// Number of vectors of a long row that each thread loads. `VECTORS_PER_THREAD[0]` applies to
/// combiners of one value, `VECTORS_PER_THREAD[1]` to combiners of several values.
/// `VECTORS_PER_THREAD[2]` applies to unaligned rows with vectors from the first aligned address,
/// if the combiner has several values and more than `EXPENSIVE_OPS` ops. `VECTORS_PER_THREAD[3]`
/// applies to combiners with at least `COMPUTE_BOUND_OPS` ops. The fewer vectors each thread loads,
/// the more threads have loads in flight. The more vectors each thread loads, the fewer partial
/// results the threads exchange. Measured on an H100 and an H200 (`docs/performance.md`, log
/// entries 15 and 26).
pub(super) const VECTORS_PER_THREAD: [i64; 4] = [2, 4, 8, 32];

pub(super) const SMALL_BLOCK: i64 = 64;

/// Thread group (fields as in [`ROWS`]) for the longest rows of dynamic length: one block reduces
/// each row with vector loads.
pub(super) const LONGEST: ThreadGroup =
    ThreadGroup::new([THREADS_PER_BLOCK, 2, 1, THREADS_PER_BLOCK]);

/// Mappings for few long rows of dynamic length. An entry of `FEW_LONG_ROWS` contains the maximum
/// number of rows, the factor by which the number of threads of [`LONGEST`] is multiplied, and the
/// number of blocks that share a row. With more blocks per row than in this table, the longest rows
/// would be faster, but rows of medium length would be slower. Measured on an H100
/// (`docs/performance.md`, log entries 25 and 28).
pub(super) const FEW_LONG_ROWS: [(i64, i64, i64); 3] = [
    (1, 2, 2 * SPLIT_BLOCKS_PER_ROW),
    (4, 2, SPLIT_BLOCKS_PER_ROW),
    (LANES, 1, MIN_SPLIT_BLOCKS),
];

/// Mappings for full reductions that a single block executes. An entry of `ONE_BLOCK_MAPPINGS`
/// contains the maximum number of elements, and the thread group (fields as in [`ROWS`]). The
/// second entry of `ONE_BLOCK_MAPPINGS` applies to static lengths only. Measured on an H200
/// (`docs/performance.md`, log entry 12).
pub(super) const ONE_BLOCK_MAPPINGS: [(i64, ThreadGroup); 2] = [
    (
        1 << 12,
        ThreadGroup::new([THREADS_PER_BLOCK, 16, 1, THREADS_PER_BLOCK]),
    ),
    (
        1 << 14,
        ThreadGroup::new([4 * THREADS_PER_BLOCK, 16, 1, 4 * THREADS_PER_BLOCK]),
    ),
];

/// Mappings for full reductions that fewer than `SPLIT_BLOCKS` blocks execute. An entry of
/// `FEW_BLOCK_MAPPINGS` contains the maximum number of elements, the thread group (fields as in
/// [`ROWS`]), and the number of blocks. The fewer blocks a grid has, the earlier the last block
/// starts to combine the partial results. The first entry of `FEW_BLOCK_MAPPINGS` applies to static
/// lengths only. Measured on an H200 (`docs/performance.md`, log entry 12).
pub(super) const FEW_BLOCK_MAPPINGS: [(i64, ThreadGroup, i64); 3] = [
    (
        1 << 16,
        ThreadGroup::new([THREADS_PER_BLOCK, 16, 1, THREADS_PER_BLOCK]),
        16,
    ),
    (
        1 << 18,
        ThreadGroup::new([THREADS_PER_BLOCK, 8, 1, THREADS_PER_BLOCK]),
        128,
    ),
    (
        1 << 20,
        ThreadGroup::new([THREADS_PER_BLOCK, 16, 1, THREADS_PER_BLOCK]),
        128,
    ),
];

/// `WORD` is the size of a register in bytes. If elements are narrower than a register, rows of
/// more than `NARROW` elements use vector loads, although vector loads leave head and tail
/// elements.
pub(super) const WORD: i64 = 4;

pub(super) const NARROW: i64 = 64;

/// Number of bytes of a sector, the smallest memory transaction.
pub(super) const SECTOR: i64 = 32;

/// Limits and mappings for rows that the blocks of a cluster share. A cluster barrier takes less
/// time than a fence, an atomic and a load of partial results, and needs no second kernel. The
/// disadvantage of a cluster is the small number of blocks that can share a row. Measured on an
/// H200 for `sum`, `max` and `argmax` (`docs/performance.md`, log entry 23).
pub(super) struct ClusterRows {
    /// Mapping of a reduction to one result: maximum number of elements, thread group (fields as in
    /// [`ROWS`]), and cluster size in blocks.
    pub(super) alone: (i64, ThreadGroup, i64),
    /// Conditions under which the blocks of a cluster share each of several results: maximum number
    /// of results, cluster size in blocks, and minimum row length in bytes.
    pub(super) rows: [(i64, i64, i64); 4],
    /// Minimum number of blocks of the grid for long rows, and maximum length of a short row in
    /// elements. Short rows need no minimum number of blocks.
    pub(super) busy: (i64, i64),
    /// Maximum row length in elements, and thread group (fields as in [`ROWS`]) for rows up to this
    /// length. Rows up to the maximum length in the first entry of `groups` use scalar loads.
    pub(super) groups: [(i64, ThreadGroup); 2],
}

pub(super) const CLUSTER_ROWS: ClusterRows = ClusterRows {
    alone: (
        1 << 17,
        ThreadGroup::new([2 * THREADS_PER_BLOCK, 8, 1, 2 * THREADS_PER_BLOCK]),
        PORTABLE_CLUSTER as i64,
    ),
    rows: [
        (32, 8, 1 << 16),
        (64, 4, 1 << 16),
        (128, 2, 1 << 16),
        (256, 2, 1 << 18),
    ],
    busy: (128, 1 << 16),
    groups: [
        (
            1 << 15,
            ThreadGroup::new([THREADS_PER_BLOCK, 8, 1, THREADS_PER_BLOCK]),
        ),
        (
            i64::MAX,
            ThreadGroup::new([2 * THREADS_PER_BLOCK, 4, 1, 2 * THREADS_PER_BLOCK]),
        ),
    ],
};

pub(super) struct SplitMapping {
    pub(super) bytes: i64,
    pub(super) blocks: i64,
    pub(super) group: ThreadGroup,
}

/// Distribution of rows over threads, and number of loads in flight.
#[derive(Clone, Copy)]
pub(super) struct ThreadGroup {
    pub(super) threads_per_row: i64,
    /// Number of loads that a thread has in flight for each row.
    pub(super) loads_in_flight: i64,
    pub(super) rows: i64,
    pub(super) threads: i64,
}

impl ThreadGroup {
    pub(super) const fn new([threads_per_row, loads_in_flight, rows, threads]: [i64; 4]) -> Self {
        Self {
            threads_per_row,
            loads_in_flight,
            rows,
            threads,
        }
    }

    pub(super) const fn wider(self, times: i64) -> Self {
        Self {
            threads_per_row: self.threads_per_row * times,
            threads: self.threads * times,
            ..self
        }
    }
}

/// Mapping for a range of row lengths.
pub(super) struct RowClass {
    pub(super) most: i64,
    pub(super) group: ThreadGroup,
    pub(super) by_vectors: bool,
    pub(super) widest: i64,
    /// Minimum number of resident threads per SM (`#tile.resident`), if set.
    pub(super) resident: Option<i64>,
    /// Whether loads are evict-first even if rows are shorter than `MIN_EVICT_FIRST_BYTES` bytes.
    pub(super) evict_first: bool,
}

impl RowClass {
    pub(super) const fn one_by_one(most: i64, group: [i64; 4]) -> Self {
        Self {
            most,
            group: ThreadGroup::new(group),
            by_vectors: false,
            widest: VECTOR,
            resident: None,
            evict_first: false,
        }
    }

    pub(super) const fn by_vectors(most: i64, group: [i64; 4]) -> Self {
        Self {
            by_vectors: true,
            ..Self::one_by_one(most, group)
        }
    }

    /// Limits vectors to `widest` elements. The shorter the vectors, the fewer head and tail
    /// elements are outside the vectors.
    pub(super) const fn of(self, widest: i64) -> Self {
        Self { widest, ..self }
    }

    pub(super) const fn resident(self, threads: i64) -> Self {
        Self {
            resident: Some(threads),
            ..self
        }
    }

    pub(super) const fn evict_first(self) -> Self {
        Self {
            evict_first: true,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::nest::MAX_UNROLL;
    use super::*;

    /// Returns the thread groups (fields as in [`ROWS`]) of all tables, each with its maximum row
    /// length in elements.
    fn groups() -> Vec<(i64, ThreadGroup)> {
        let classes = ROWS
            .iter()
            .chain(&EXPENSIVE_ROWS)
            .flat_map(|(_, classes)| *classes);
        let classes = classes.map(|class| (class.most, class.group));
        let one_result = ONE_BLOCK_MAPPINGS
            .into_iter()
            .chain(FEW_BLOCK_MAPPINGS.map(|(most, group, _)| (most, group)));
        let alone = [SPLIT_ROW_GROUP, LARGE_INPUT.group, LONGEST].map(|group| (i64::MAX, group));
        let in_clusters = CLUSTER_ROWS
            .groups
            .into_iter()
            .chain([(CLUSTER_ROWS.alone.0, CLUSTER_ROWS.alone.1)]);
        classes
            .chain(one_result)
            .chain(alone)
            .chain(in_clusters)
            .collect()
    }

    /// Each block consists of whole warps, and the number of threads per row is a power of two.
    #[test]
    fn groups_fill_a_block() {
        for (most, group) in groups() {
            let ThreadGroup {
                threads_per_row,
                loads_in_flight,
                rows,
                threads,
            } = group;
            let what = format!(
                "{threads_per_row} of {threads} threads per row, {loads_in_flight} loads of {rows}, to {most}"
            );
            assert!(
                [threads_per_row, loads_in_flight, rows, threads]
                    .into_iter()
                    .all(|n| n > 0),
                "{what}"
            );
            assert!(
                threads_per_row.count_ones() == 1 && threads % threads_per_row == 0,
                "{what}"
            );
            assert!(threads % LANES == 0 && threads <= 1024, "{what}");
            assert!(loads_in_flight * rows <= MAX_UNROLL, "{what}");
        }
    }

    /// Maximum lengths ascend in each table. An entry after an entry with a greater maximum length
    /// would never be chosen.
    #[test]
    fn lengths_ascend() {
        for table in [&ROWS[..], &EXPENSIVE_ROWS] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0), "widths of elements");
            for (width, classes) in table {
                let lengths: Vec<i64> = classes.iter().map(|class| class.most).collect();
                assert!(
                    lengths.is_sorted_by(|a, b| a < b),
                    "{width} bytes: {lengths:?}"
                );
            }
        }
        assert!(
            ONE_BLOCK_MAPPINGS.is_sorted_by(|a, b| a.0 < b.0)
                && FEW_BLOCK_MAPPINGS.is_sorted_by(|a, b| a.0 < b.0)
        );
        assert!(
            COMPUTE_BOUND_ROWS.is_sorted_by(|a, b| a.0 < b.0)
                && FEW_LONG_ROWS.is_sorted_by(|a, b| a.0 < b.0)
        );
        assert!(CLUSTER_ROWS.rows.is_sorted_by(|a, b| a.0 < b.0));
        assert!(CLUSTER_ROWS.groups.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn clusters_are_portable() {
        let blocks = CLUSTER_ROWS.rows.iter().map(|(_, blocks, _)| *blocks);
        for blocks in blocks.chain([CLUSTER_ROWS.alone.2]) {
            assert!(
                (2..=i64::from(PORTABLE_CLUSTER)).contains(&blocks),
                "{blocks} blocks"
            );
        }
    }
}
