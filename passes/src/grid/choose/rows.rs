//! Schedules of row reductions, in which neighbouring elements belong to one result. A group of
//! threads reduces each row.

use super::super::nest::{MAX_UNROLL, ceildiv};
use super::super::steps::{Case, Processor, Step};
use super::chooser::{
    Blocks, Chooser, EXPENSIVE_OPS, LANES, MAX_SCALAR_ELEMENTS, MIN_EVICT_FIRST_BYTES,
    MIN_LAST_BLOCK_ELEMENTS, MIN_SPLIT_BLOCKS, SPLIT_BLOCKS, SPLIT_BLOCKS_PER_ROW,
    THREADS_PER_BLOCK, VECTOR, Vectors, power_of_two,
};
use tx_target::PORTABLE_CLUSTER;

/// Number of vectors that a thread has in flight. If each thread has 64 bytes in flight, the SM
/// hides the memory latency.
const VECTORS_IN_FLIGHT: i64 = 4;
/// Minimum number of elements per result for which a reduction with few results is split across
/// blocks.
const MIN_SPLIT_ELEMENTS: i64 = 1 << 16;
/// Minimum number of elements for which a row is split across blocks, independent of the number of
/// rows.
const MIN_ALWAYS_SPLIT_ELEMENTS: i64 = 1 << 18;
/// Thread group (fields as in [`ROWS`]) of each block, if several blocks share a long row.
const SPLIT_ROW_GROUP: Group =
    Group::new([THREADS_PER_BLOCK, VECTORS_IN_FLIGHT, 1, THREADS_PER_BLOCK]);
/// Mapping of large reductions with few ops per element. If the grid has many small blocks, fewer
/// SMs are idle at the end of the kernel. Measured on an H100 (`docs/performance.md`, log entry
/// 44).
const LARGE_INPUT: Vast = Vast {
    bytes: 1 << 29,
    blocks: 1 << 13,
    group: Group::new([
        THREADS_PER_BLOCK,
        2 * VECTORS_IN_FLIGHT,
        1,
        THREADS_PER_BLOCK,
    ]),
};
/// Minimum number of blocks that keep all SMs of a device busy: about two blocks for each SM.
const MIN_BUSY_BLOCKS: i64 = 256;
/// Classes of dynamic row lengths, by maximum element size in bytes. Each class has a maximum row
/// length in elements, and a thread group `[threads per row, loads in flight per row, rows per
/// thread, threads per block]`. If fewer threads share a row, each element needs fewer
/// instructions, but a partial tile causes more out-of-range loads. Scalar loads of narrow elements
/// use only part of a cache line. Measured on an H100 and an H200 (`docs/performance.md`, log
/// entries 6, 31, 41, 42, 51 and 52).
const ROWS: [(i64, &[Class]); 4] = [
    (
        1,
        &[
            Class::one_by_one(8, [1, 8, 4, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(31, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(112, [1, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            // The maximum row length, 129 elements, is one more than the tile length. For rows of
            // 128 elements, the kernel therefore loads a full tile without bounds checks.
            Class::by_vectors(129, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(208, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(640, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(896, [8, 3, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(3500, [LANES / 2, 4, 1, THREADS_PER_BLOCK / 2]).of(8),
            Class::by_vectors(1 << 14, [LANES, 8, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
    (
        2,
        &[
            Class::one_by_one(8, [1, 8, 4, THREADS_PER_BLOCK / 2]),
            Class::by_vectors(16, [1, 8, 1, THREADS_PER_BLOCK]).of(2),
            Class::by_vectors(28, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .of(2)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(48, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(64, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS)
                .streamed(),
            Class::by_vectors(80, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS)
                .streamed(),
            Class::by_vectors(128, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(256, [8, 4, 1, THREADS_PER_BLOCK / 2]).resident(1280),
            Class::by_vectors(1 << 10, [8, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(1 << 13, [LANES, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
    (
        4,
        &[
            Class::one_by_one(8, [1, 8, 2, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(16, [4, 4, 2, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(24, [8, 3, 2, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(32, [LANES / 2, 2, 4, THREADS_PER_BLOCK / 2]),
            Class::by_vectors(64, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(128, [8, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(256, [LANES / 2, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::one_by_one(768, [LANES, 8, 1, THREADS_PER_BLOCK]),
            Class::by_vectors(1 << 12, [2 * LANES, 2, 1, THREADS_PER_BLOCK / 2]),
        ],
    ),
    (
        i64::MAX,
        &[
            Class::one_by_one(8, [1, 8, 1, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(16, [4, 4, 2, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(24, [8, 3, 2, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(32, [LANES / 2, 2, 4, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(64, [8, 8, 1, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(256, [LANES / 2, 8, 1, THREADS_PER_BLOCK / 2]),
            Class::one_by_one(768, [LANES, 8, 1, THREADS_PER_BLOCK]),
            Class::by_vectors(1 << 12, [2 * LANES, 2, 1, THREADS_PER_BLOCK / 2]),
        ],
    ),
];
/// Classes as in [`ROWS`]. The table applies if each element needs more than [`EXPENSIVE_OPS`] ops,
/// or if a partial result consists of several values. If fewer threads share a row, the threads
/// exchange fewer partial results. Measured on an H100 (`docs/performance.md`, log entries 31, 48,
/// 52 and 53).
const EXPENSIVE_ROWS: [(i64, &[Class]); 3] = [
    (
        1,
        &[
            Class::one_by_one(8, [1, 4, 1, THREADS_PER_BLOCK]),
            Class::one_by_one(16, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(96, [1, 2, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(320, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(1 << 10, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(1 << 14, [LANES / 2, 2, 1, THREADS_PER_BLOCK / 2])
                .of(8)
                .resident(OCCUPANCY_TARGET_THREADS)
                .streamed(),
        ],
    ),
    (
        2,
        &[
            Class::one_by_one(8, [1, 4, 1, THREADS_PER_BLOCK]),
            Class::by_vectors(56, [1, 4, 1, THREADS_PER_BLOCK / 2])
                .of(2)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(64, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(100, [1, 6, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(320, [2, 8, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(1 << 10, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(1 << 14, [LANES / 2, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
    (
        i64::MAX,
        &[
            Class::one_by_one(8, [1, 4, 1, THREADS_PER_BLOCK]),
            Class::one_by_one(15, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(31, [1, 8, 1, THREADS_PER_BLOCK / 2])
                .of(2)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(80, [2, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(256, [4, 4, 1, THREADS_PER_BLOCK / 2])
                .of(4)
                .resident(OCCUPANCY_TARGET_THREADS),
            Class::by_vectors(1 << 10, [8, 4, 1, THREADS_PER_BLOCK / 2]),
            Class::by_vectors(1 << 13, [LANES, 4, 1, THREADS_PER_BLOCK / 2])
                .resident(OCCUPANCY_TARGET_THREADS),
        ],
    ),
];
/// Maximum row lengths in elements, and threads per row, for combiners with at least
/// [`COMPUTE_BOUND_OPS`](super::chooser::COMPUTE_BOUND_OPS) ops. The first length applies to vectors from the start of the row,
/// the second length to vectors from the first aligned address. Measured on an H200
/// (`docs/performance.md`, log entry 15).
const COMPUTE_BOUND_ROWS: [([i64; 2], i64); 3] =
    [([128, 128], 4), ([1024, 512], 8), ([2048, 2048], 16)];
/// Occupancy target in threads per SM, for short rows and for partial results with several values
/// and more than [`EXPENSIVE_OPS`] ops. At this target, a thread can use more registers than at
/// full occupancy, and keeps more loads in flight. Measured on an H100 (`docs/performance.md`, log
/// entry 35).
const OCCUPANCY_TARGET_THREADS: i64 = 1024;
/// Number of vectors of a long row that each thread loads. `VECTORS_PER_THREAD[0]` applies to
/// combiners of one value, `VECTORS_PER_THREAD[1]` to combiners of several values.
/// `VECTORS_PER_THREAD[2]` applies to combiners of several values with more than [`EXPENSIVE_OPS`]
/// ops, if vectors are aligned. `VECTORS_PER_THREAD[3]` applies to combiners with at least
/// [`COMPUTE_BOUND_OPS`](super::chooser::COMPUTE_BOUND_OPS) ops. If each thread loads fewer vectors, more threads have loads in
/// flight. If each thread loads more vectors, the threads exchange fewer partial results. Measured
/// on an H100 and an H200 (`docs/performance.md`, log entries 15 and 26).
const VECTORS_PER_THREAD: [i64; 4] = [2, 4, 8, 32];
const SMALL_BLOCK: i64 = 64;
/// Thread group (fields as in [`ROWS`]) for the longest rows of dynamic length: one block reduces
/// each row with vector loads.
const LONGEST: Group = Group::new([THREADS_PER_BLOCK, 2, 1, THREADS_PER_BLOCK]);
/// Mappings for few long rows of dynamic length. An entry contains the maximum number of rows, the
/// factor by which the number of threads of [`LONGEST`] is multiplied, and the number of blocks
/// that share a row. If more blocks shared a row, the longest rows would be faster, and rows of
/// medium length slower. Measured on an H100 (`docs/performance.md`, log entries 25 and 28).
const FEW_LONG_ROWS: [(i64, i64, i64); 3] = [
    (1, 2, 2 * SPLIT_BLOCKS_PER_ROW),
    (4, 2, SPLIT_BLOCKS_PER_ROW),
    (LANES, 1, MIN_SPLIT_BLOCKS),
];
/// Mappings for full reductions that a single block executes. An entry contains the maximum number
/// of elements, and the thread group (fields as in [`ROWS`]). The second entry of
/// `ONE_BLOCK_MAPPINGS` applies to static lengths only. Measured on an H200 (`docs/performance.md`,
/// log entry 12).
const ONE_BLOCK_MAPPINGS: [(i64, Group); 2] = [
    (
        1 << 12,
        Group::new([THREADS_PER_BLOCK, 16, 1, THREADS_PER_BLOCK]),
    ),
    (
        1 << 14,
        Group::new([4 * THREADS_PER_BLOCK, 16, 1, 4 * THREADS_PER_BLOCK]),
    ),
];
/// Mappings for full reductions that fewer than [`SPLIT_BLOCKS`] blocks execute. An entry contains
/// the maximum number of elements, the thread group (fields as in [`ROWS`]), and the number of
/// blocks. If a grid has fewer blocks, the last block starts to combine the partial results
/// earlier. The first entry of `FEW_BLOCK_MAPPINGS` applies to static lengths only. Measured on an
/// H200 (`docs/performance.md`, log entry 12).
const FEW_BLOCK_MAPPINGS: [(i64, Group, i64); 3] = [
    (
        1 << 16,
        Group::new([THREADS_PER_BLOCK, 16, 1, THREADS_PER_BLOCK]),
        16,
    ),
    (
        1 << 18,
        Group::new([THREADS_PER_BLOCK, 8, 1, THREADS_PER_BLOCK]),
        128,
    ),
    (
        1 << 20,
        Group::new([THREADS_PER_BLOCK, 16, 1, THREADS_PER_BLOCK]),
        128,
    ),
];
/// `WORD` is the size of a register in bytes. Rows of more than `NARROW` elements that are narrower
/// than a register use vector loads, although there are head and tail elements.
const WORD: i64 = 4;
const NARROW: i64 = 64;
/// Number of bytes of a sector, the smallest memory transaction.
const SECTOR: i64 = 32;
/// Numbers of threads per row and of loads in flight that [`super::candidates`] tries. The values
/// that are most often fast come first.
const LANES_TRIED: [i64; 10] = [32, 256, 8, 16, 512, 64, 4, 2, 1, 1024];
const LOADS_TRIED: [i64; 5] = [4, 8, 16, 2, 1];

/// Limits and mappings for rows that the blocks of a cluster share. A cluster barrier takes less
/// time than a fence, an atomic and a load of partial results, and needs no second kernel. The
/// disadvantage of a cluster is that only few blocks can share a row. Measured on an H200 for
/// `sum`, `max` and `argmax` (`docs/performance.md`, log entry 23).
struct Clusters {
    /// Mapping of a reduction to one result: maximum number of elements, thread group (fields as in
    /// [`ROWS`]), and cluster size in blocks.
    alone: (i64, Group, i64),
    /// Limits for several results: maximum number of results, cluster size in blocks, and minimum
    /// row length in bytes.
    rows: [(i64, i64, i64); 4],
    /// Minimum number of blocks of the grid, and maximum row length in elements up to which the
    /// grid may have fewer blocks.
    busy: (i64, i64),
    /// Maximum row length in elements, and thread group (fields as in [`ROWS`]) for rows up to this
    /// length. Rows up to the first maximum length use scalar loads.
    groups: [(i64, Group); 2],
}

const CLUSTER_ROWS: Clusters = Clusters {
    alone: (
        1 << 17,
        Group::new([2 * THREADS_PER_BLOCK, 8, 1, 2 * THREADS_PER_BLOCK]),
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
            Group::new([THREADS_PER_BLOCK, 8, 1, THREADS_PER_BLOCK]),
        ),
        (
            i64::MAX,
            Group::new([2 * THREADS_PER_BLOCK, 4, 1, 2 * THREADS_PER_BLOCK]),
        ),
    ],
};

struct Vast {
    bytes: i64,
    blocks: i64,
    group: Group,
}

/// Distribution of rows over threads, and number of loads in flight.
#[derive(Clone, Copy)]
struct Group {
    lanes: i64,
    /// Number of loads that a thread has in flight for each row.
    under_way: i64,
    rows: i64,
    threads: i64,
}

impl Group {
    const fn new([lanes, under_way, rows, threads]: [i64; 4]) -> Self {
        Self {
            lanes,
            under_way,
            rows,
            threads,
        }
    }

    const fn wider(self, times: i64) -> Self {
        Self {
            lanes: self.lanes * times,
            threads: self.threads * times,
            ..self
        }
    }
}

/// A class of row lengths, and the mapping of rows in this class.
struct Class {
    most: i64,
    group: Group,
    by_vectors: bool,
    widest: i64,
    /// Minimum number of resident threads per SM (`#tile.resident`), if set.
    resident: Option<i64>,
    /// Whether loads are evict-first even if rows are shorter than [`MIN_EVICT_FIRST_BYTES`] bytes.
    streamed: bool,
}

impl Class {
    const fn one_by_one(most: i64, group: [i64; 4]) -> Self {
        Self {
            most,
            group: Group::new(group),
            by_vectors: false,
            widest: VECTOR,
            resident: None,
            streamed: false,
        }
    }

    const fn by_vectors(most: i64, group: [i64; 4]) -> Self {
        Self {
            by_vectors: true,
            ..Self::one_by_one(most, group)
        }
    }

    /// Limits vectors to `widest` elements. Shorter vectors of narrow elements leave fewer head and
    /// tail elements outside the vectors.
    const fn of(self, widest: i64) -> Self {
        Self { widest, ..self }
    }

    const fn resident(self, threads: i64) -> Self {
        Self {
            resident: Some(threads),
            ..self
        }
    }

    const fn streamed(self) -> Self {
        Self {
            streamed: true,
            ..self
        }
    }
}

/// Mapping of rows to threads, loads and blocks.
#[derive(Clone, Copy)]
struct Rows {
    group: Group,
    vectors: Vectors,
    blocks: Blocks,
    /// Maximum number of elements of a row, if there is a static bound.
    most: Option<i64>,
    resident: Option<i64>,
    streamed: bool,
}

impl Rows {
    const fn new(group: Group, vectors: Vectors, most: Option<i64>) -> Self {
        Self {
            group,
            vectors,
            blocks: Blocks::One,
            most,
            resident: None,
            streamed: false,
        }
    }
}

struct Asked {
    inner: usize,
    /// Whether all reduced dimensions are fused into one loop.
    together: bool,
    /// Whether one loop (the fused loop, or the only reduced dimension) covers the whole row.
    is_whole: bool,
    vectors: Vectors,
    /// Maximum number of elements of a row, or of its inner dimension, if there is a static bound.
    most: Option<i64>,
    is_vast: bool,
}

impl Chooser<'_, '_> {
    pub(super) fn row_candidates(
        &mut self,
        kept: &[usize],
        inner: usize,
        clusters: &[i64],
    ) -> Vec<Vec<Case>> {
        let job = self.job;
        let together = job.axes.len() > 1;
        if together && self.total(&job.axes).is_none() {
            return Vec::new();
        }
        let most = self.total(&job.axes);
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
        let pairs = LANES_TRIED
            .into_iter()
            .flat_map(|lanes| LOADS_TRIED.map(|under_way| (lanes, under_way)));
        let groups: Vec<Group> = pairs
            .flat_map(|(lanes, under_way)| [1, 2, 4].map(|rows| [lanes, under_way, rows]))
            .map(|[lanes, under_way, rows]| {
                Group::new([lanes, under_way, rows, lanes.max(THREADS_PER_BLOCK)])
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
                if self.is_worth_a_try(kept, &rows) {
                    self.write_rows(kept, inner, together, rows);
                    all.push(vec![Case::always(std::mem::take(&mut self.steps))]);
                }
            }
        }
        all
    }

    /// Returns whether a mapping may be fast for the rows of the op.
    fn is_worth_a_try(&self, kept: &[usize], rows: &Rows) -> bool {
        let Rows {
            group,
            vectors,
            blocks,
            most,
            ..
        } = rows;
        let across = group.lanes * vectors.width();
        let tile = across * group.under_way;
        let fits = most.is_none_or(|n| tile / 2 < n && n <= 256 * tile * blocks.per_result());
        // The blocks of a cluster wait for each other. A cluster is therefore only fast if each
        // block has enough work, and each thread processes only one row.
        let is_shared = !matches!(blocks, Blocks::Cluster(_))
            || group.rows == 1
                && group.lanes >= THREADS_PER_BLOCK
                && most.is_none_or(|n| n >= tile * blocks.per_result());
        // A mapping with several rows per thread, or with few loads in flight, is only fast if a
        // thread loads all its elements of a row at once.
        let is_whole = most.is_some_and(|n| n <= tile);
        let has_enough = is_whole || group.under_way >= VECTORS_IN_FLIGHT && group.rows == 1;
        let is_block = !kept.is_empty() || group.rows == 1 && group.lanes >= THREADS_PER_BLOCK / 2;
        let width = self.width().unwrap_or(VECTOR);
        let fills_sectors =
            across * width >= SECTOR || most.is_some_and(|n| n <= 2 * SECTOR / width);
        let written = group.rows * group.under_way * vectors.width();
        let is_short = written <= MAX_UNROLL && !self.exceeds_unroll_limit(written);
        fits && has_enough && is_block && is_shared && fills_sectors && is_short
    }

    /// Makes one schedule for each class of row lengths, for rows of dynamic length.
    pub(super) fn rows_by_length(&mut self) -> Option<Vec<Case>> {
        let (job, inner, kept) = (self.job, self.inner(), self.kept.clone());
        let kept = kept.as_slice();
        let vectors = self.vectors(inner);
        if job.axes != [inner] || job.extents[inner].known().is_some() || vectors.width() == 1 {
            return None;
        }
        let one_by_one = |(most, group): (i64, Group), blocks: Blocks| Rows {
            blocks,
            ..Rows::new(group, Vectors::None, Some(most))
        };
        let is_vast = kept.is_empty() && job.weight() <= EXPENSIVE_OPS;
        let width = self.width().unwrap_or(VECTOR);
        let mut classes: Vec<((usize, i64), Rows)> = Vec::new();
        let mut up_to = |class: Rows| classes.extend(class.most.map(|n| ((inner, n), class)));
        if kept.is_empty() {
            up_to(one_by_one(ONE_BLOCK_MAPPINGS[0], Blocks::One));
            let (most, group, blocks) = CLUSTER_ROWS.alone;
            if self.clusters {
                // A cluster reduces a row of dynamic length in a loop, so clusters are used up to
                // only half the maximum length.
                up_to(one_by_one((most / 2, group), Blocks::Cluster(blocks)));
            }
            FEW_BLOCK_MAPPINGS[1..]
                .iter()
                .for_each(|(most, group, cuts)| {
                    up_to(one_by_one((*most, *group), Blocks::LastBlock(*cuts)));
                });
            if is_vast {
                up_to(Rows {
                    blocks: Blocks::SecondKernel(SPLIT_BLOCKS),
                    ..Rows::new(SPLIT_ROW_GROUP, vectors, Some(LARGE_INPUT.bytes / width))
                });
            }
        } else {
            let rows = match self.is_expensive() {
                true => EXPENSIVE_ROWS.as_slice(),
                false => ROWS.as_slice(),
            };
            let of_width = rows.iter().find(|(most, _)| width <= *most);
            for class in of_width.into_iter().flat_map(|(_, classes)| *classes) {
                let vectors = match class.by_vectors {
                    true => vectors.of(class.widest),
                    false => Vectors::None,
                };
                up_to(Rows {
                    resident: class.resident,
                    streamed: class.streamed,
                    ..Rows::new(class.group, vectors, Some(class.most))
                });
            }
        }
        // One block reduces each of the longest rows, or several blocks if there are few rows. In a
        // batch-invariant schedule, the blocks per row must not depend on the number of rows.
        let mut longest = Rows::new(LONGEST, vectors, None);
        if let [number] = kept
            && !self.is_batch_invariant
        {
            let cut = |times: i64, blocks| Rows {
                blocks: Blocks::LastBlock(blocks),
                group: longest.group.wider(times),
                ..longest
            };
            match job.extents[*number].known() {
                None => classes.extend(
                    FEW_LONG_ROWS
                        .map(|(most, times, blocks)| ((*number, most), cut(times, blocks))),
                ),
                Some(results) => {
                    let few = FEW_LONG_ROWS.iter().find(|(most, _, _)| results <= *most);
                    longest = few.map_or(longest, |(_, times, blocks)| cut(*times, *blocks));
                }
            }
        }
        let mut cases = Vec::new();
        for (most, class) in classes {
            self.rows_as(kept, inner, false, class);
            let steps = std::mem::take(&mut self.steps);
            let most = Some(most);
            cases.push(Case { most, steps });
        }
        let vast = Rows {
            blocks: Blocks::LastBlock(LARGE_INPUT.blocks),
            ..Rows::new(LARGE_INPUT.group, vectors, None)
        };
        match kept.is_empty() {
            true if is_vast => self.rows_as(kept, inner, false, vast),
            true => self.write_long_rows(),
            false => self.rows_as(kept, inner, false, longest),
        }
        cases.push(Case::always(std::mem::take(&mut self.steps)));
        Some(cases)
    }

    /// Returns the mapping of a full reduction that needs fewer than [`SPLIT_BLOCKS`] blocks.
    fn alone(&self, kept: &[usize], length: i64) -> Option<Rows> {
        let is_alone = kept.is_empty() && length > MAX_SCALAR_ELEMENTS;
        let small = ONE_BLOCK_MAPPINGS.iter().find(|(most, _)| length <= *most);
        let medium = FEW_BLOCK_MAPPINGS
            .iter()
            .find(|(most, _, _)| length <= *most);
        let (group, blocks) = match (small, medium) {
            _ if !is_alone => return None,
            (Some((_, group)), _) => (*group, Blocks::One),
            _ if self.clusters && length <= CLUSTER_ROWS.alone.0 => {
                let (_, group, blocks) = CLUSTER_ROWS.alone;
                (group, Blocks::Cluster(blocks))
            }
            (None, Some((_, group, cuts))) => (*group, Blocks::LastBlock(*cuts)),
            (None, None) => return None,
        };
        Some(Rows {
            blocks,
            ..Rows::new(group, Vectors::None, Some(length))
        })
    }

    fn in_clusters(&self, kept: &[usize], length: Option<i64>, vectors: Vectors) -> Option<Rows> {
        let is_possible = self.clusters && !self.is_batch_invariant;
        let (results, length) = (self.total(kept)?, length?);
        if !is_possible || kept.is_empty() {
            return None;
        }
        let (_, blocks, least) = CLUSTER_ROWS
            .rows
            .iter()
            .find(|(most, _, _)| results <= *most)?;
        let (busy, few) = CLUSTER_ROWS.busy;
        let bytes = length.saturating_mul(self.width()?);
        if bytes < *least || results * blocks < busy && length > few {
            return None;
        }
        let number = CLUSTER_ROWS
            .groups
            .iter()
            .position(|(most, _)| length <= *most)?;
        let vectors = if number == 0 { Vectors::None } else { vectors };
        Some(Rows {
            blocks: Blocks::Cluster(*blocks),
            ..Rows::new(CLUSTER_ROWS.groups[number].1, vectors, Some(length))
        })
    }

    /// Adds the steps of a mapping, with fewer unrolled elements if elements need many ops.
    fn rows_as(&mut self, kept: &[usize], inner: usize, together: bool, mut rows: Rows) {
        let Rows { group, vectors, .. } = &mut rows;
        while group.rows > 1 && self.exceeds_unroll_limit(group.rows * group.under_way) {
            group.rows /= 2;
        }
        while group.under_way > 1 && self.exceeds_unroll_limit(group.under_way * vectors.width()) {
            group.under_way /= 2;
        }
        self.write_rows(kept, inner, together, rows);
    }

    fn asked(&self) -> Asked {
        let (job, inner) = (self.job, self.inner());
        let row = job.extents[inner].known();
        // Fuse all reduced dimensions in two cases: if the indices of the fused loop need no
        // division by a dynamic length, or if there are too few rows to keep all SMs busy.
        let few = !self.is_batch_invariant
            && self.total(&self.kept).is_some_and(|n| n <= MIN_BUSY_BLOCKS);
        let together = job.axes.len() > 1 && (row.is_some() || few);
        let is_whole = together || job.axes.len() == 1;
        let narrow = self.width().filter(|width| *width < WORD);
        let vectors = match self.vectors(inner) {
            Vectors::Aligned(_) if together => Vectors::None,
            _ if together && row.is_none() => Vectors::None,
            // In a short row, head and tail elements take longer than scalar loads of the whole
            // row. Scalar loads of elements narrower than a register take even longer, so such
            // elements use shorter vectors, which leave fewer head and tail elements.
            Vectors::Aligned(n) if row.is_some_and(|row| row <= LANES * n) => match narrow {
                Some(width) if row.is_some_and(|row| row > NARROW) => {
                    Vectors::Aligned(VECTOR / 2 / width)
                }
                _ => Vectors::None,
            },
            other => other,
        };
        let most = if is_whole { self.total(&job.axes) } else { row };
        let all: Vec<usize> = (0..job.extents.len()).collect();
        // A batch-invariant schedule must not depend on the number of rows.
        let is_vast = job.weight() <= EXPENSIVE_OPS
            && match self.is_batch_invariant && !self.kept.is_empty() {
                true => most.is_some_and(|n| n >= MIN_ALWAYS_SPLIT_ELEMENTS),
                false => self.is_vast(&all),
            };
        Asked {
            inner,
            together,
            is_whole,
            vectors,
            most,
            is_vast,
        }
    }

    pub(super) fn one_result(&mut self) -> Option<Vec<Case>> {
        let (asked, kept) = (self.asked(), self.kept.clone());
        let rows = self.alone(&kept, asked.most?)?;
        self.rows_as(&kept, asked.inner, asked.together, rows);
        Some(self.take_schedule())
    }

    pub(super) fn rows_that_a_cluster_shares(&mut self) -> Option<Vec<Case>> {
        let (asked, kept) = (self.asked(), self.kept.clone());
        let shared = self.in_clusters(&kept, asked.most, asked.vectors);
        let rows = shared.filter(|_| asked.is_whole && !asked.is_vast)?;
        self.rows_as(&kept, asked.inner, asked.together, rows);
        Some(self.take_schedule())
    }

    /// Makes a schedule in which a group of threads computes each result. Long rows are split
    /// across blocks if there are few rows.
    pub(super) fn rows(&mut self) -> Option<Vec<Case>> {
        self.write_long_rows();
        Some(self.take_schedule())
    }

    fn write_long_rows(&mut self) {
        let Asked {
            inner,
            together,
            is_whole,
            vectors,
            most,
            is_vast,
        } = self.asked();
        let kept = self.kept.clone();
        let kept = kept.as_slice();
        let vector = vectors.width();
        let all: Vec<usize> = (0..self.job.extents.len()).collect();
        let is_large = self
            .total(&all)
            .is_some_and(|n| n >= MIN_LAST_BLOCK_ELEMENTS);
        let pieces = most.map(|n| ceildiv(n, vector));
        let cuts = self.cuts(kept, most, vector, is_vast).filter(|_| is_whole);
        let group = match cuts {
            Some(_) if is_vast => LARGE_INPUT.group,
            _ => self.group(kept, pieces, vectors, cuts.is_some()),
        };
        let (group, vectors) = match (vectors, pieces) {
            (Vectors::Plain(n), Some(pieces)) if self.has_few_over(kept, &group, pieces) => {
                let under_way = pieces / group.lanes;
                (Group { under_way, ..group }, Vectors::Aligned(n))
            }
            _ => (group, vectors),
        };
        let rows = Rows {
            blocks: match cuts {
                None => Blocks::One,
                Some(n) if is_large || self.is_batch_invariant => Blocks::LastBlock(n),
                Some(n) => Blocks::SecondKernel(n),
            },
            ..Rows::new(group, vectors, most)
        };
        self.write_rows(kept, inner, together, rows);
    }

    /// Returns whether the elements along `dims` have at least as many bytes as [`LARGE_INPUT`].
    fn is_vast(&self, dims: &[usize]) -> bool {
        let bytes = |n: i64| n.saturating_mul(self.width().unwrap_or(1));
        self.total(dims)
            .is_some_and(|n| bytes(n) >= LARGE_INPUT.bytes)
    }

    /// Adds the steps for rows along dimension `inner`, or along all reduced dimensions if
    /// `together` is set.
    fn write_rows(&mut self, kept: &[usize], inner: usize, together: bool, rows: Rows) {
        let job = self.job;
        let Rows {
            group,
            vectors,
            blocks,
            most,
            resident,
            streamed,
        } = rows;
        let vector = vectors.width();
        let length = match together {
            true => self.total(&job.axes),
            false => job.extents[inner].known(),
        };
        // Blocks that share a row are neighbours along x.
        let block = match blocks {
            Blocks::SecondKernel(_) | Blocks::LastBlock(_) => 1,
            Blocks::One | Blocks::GridStride(_) | Blocks::Cluster(_) => 0,
        };
        let grid = match blocks {
            Blocks::GridStride(grid) => Some(grid),
            _ => None,
        };
        if !kept.is_empty() {
            let results = self.fused(kept, None, "p");
            let side_by_side = group.threads / group.lanes;
            if side_by_side * group.rows == 1 {
                self.bind_grid_stride(&results, block, grid);
            } else {
                self.steps
                    .push(Step::Split(results.clone(), side_by_side * group.rows));
                self.bind_grid_stride(&format!("{results}.o"), block, grid);
                let rows = format!("{results}.i");
                match group.rows {
                    1 => self.bind(&rows, Processor::Thread(1)),
                    _ => self.split(&rows, side_by_side, None, Some(1)),
                }
            }
        }
        let others: Vec<usize> = job.axes.iter().copied().filter(|d| *d != inner).collect();
        if !together && others.iter().any(|d| *d > inner) {
            // The outer loops determine the first aligned address of a row, so they come first.
            let order = others.iter().chain([&inner]);
            self.steps
                .push(Step::Reorder(order.map(|d| format!("d{d}")).collect()));
        }
        let mut reduced = match vectors {
            Vectors::None => format!("d{inner}"),
            Vectors::Plain(n) => {
                self.steps.push(Step::Split(format!("d{inner}"), n));
                format!("d{inner}.o")
            }
            Vectors::Aligned(n) => {
                self.steps.push(Step::Align(format!("d{inner}"), n));
                format!("d{inner}.o")
            }
        };
        if together {
            let names = others
                .iter()
                .map(|d| format!("d{d}"))
                .chain([reduced])
                .collect();
            reduced = "r".to_owned();
            self.steps.push(Step::Fuse(names, reduced.clone()));
        }
        let tile = group.lanes * group.under_way;
        if blocks.per_result() > 1 {
            reduced = self.split_across_blocks(&reduced, tile, blocks, 0);
        } else if length.is_none_or(|n| ceildiv(n, vector) > tile)
            || matches!(vectors, Vectors::Aligned(_))
        {
            self.steps.push(Step::Split(reduced.clone(), tile));
            reduced += ".i";
        }
        self.split(&reduced, group.lanes, None, Some(0));
        let written = format!("{reduced}.o");
        if group.under_way > 1 || group.rows > 1 {
            self.steps.push(Step::Unroll(written.clone()));
        }
        if group.rows > 1 {
            let results = match kept {
                [one] => format!("d{one}.i.o"),
                _ => "p.i.o".to_owned(),
            };
            // Loop over the tiles of a row, if there are several tiles.
            let tiles = written.strip_suffix(".i.o").filter(|_| length.is_none());
            let mut order: Vec<String> = tiles.map(|row| format!("{row}.o")).into_iter().collect();
            order.extend([written, results.clone()]);
            if vector > 1 {
                order.push(format!("d{inner}.i"));
            }
            self.steps.push(Step::Reorder(order));
            self.steps.push(Step::Unroll(results));
        }
        if vector > 1 {
            self.steps.push(Step::Vectorize(format!("d{inner}.i")));
        }
        let row_bytes = |n: i64| n.saturating_mul(self.width().unwrap_or(VECTOR));
        let lines = most.is_none_or(|n| row_bytes(n) >= MIN_EVICT_FIRST_BYTES);
        // A small array stays in the cache, from which evict-first loads would remove it.
        let is_small = kept.is_empty() && most.is_some_and(|n| row_bytes(n) <= LARGE_INPUT.bytes);
        // If each accumulator consists of several values, the number of registers limits the loads
        // in flight. An evict-first cache line may then be evicted before the threads have loaded
        // all elements of the line.
        let is_long = self.exchanges_parts() && job.weight() > EXPENSIVE_OPS;
        // If each element needs many ops, evict-first loads are fast even if the threads of a row
        // load only half of [`MIN_EVICT_FIRST_BYTES`] bytes at once.
        let request = if is_long {
            MIN_EVICT_FIRST_BYTES / 2
        } else {
            MIN_EVICT_FIRST_BYTES
        };
        let is_late =
            vector > 1 && self.exchanges_parts() && row_bytes(group.lanes * vector) < request;
        let is_worth_it = lines && !is_small && !is_late;
        if streamed || is_worth_it && (group.rows == 1 || group.under_way > 1) {
            self.evict_first();
        }
        let is_whole = length.is_some() && vector > 1 && !kept.is_empty();
        let resident =
            resident.or_else(|| (is_whole && is_long).then_some(OCCUPANCY_TARGET_THREADS));
        self.steps.extend(resident.map(Step::Resident));
    }

    /// Returns the number of blocks across which a row is split, or `None` for one block.
    fn cuts(&self, kept: &[usize], length: Option<i64>, vector: i64, is_vast: bool) -> Option<i64> {
        let (most, cuts) = match (self.total(kept), length) {
            (Some(results), Some(n))
                if is_vast && (kept.is_empty() || !self.is_batch_invariant) =>
            {
                let cuts = power_of_two(LARGE_INPUT.blocks / results.max(1));
                (n >= MIN_SPLIT_ELEMENTS, cuts)
            }
            _ if kept.is_empty() => (length.is_none_or(|n| n >= MIN_SPLIT_ELEMENTS), SPLIT_BLOCKS),
            (_, length) if self.is_batch_invariant => (
                length.is_some_and(|n| n >= MIN_ALWAYS_SPLIT_ELEMENTS),
                SPLIT_BLOCKS_PER_ROW,
            ),
            (Some(results), length)
                if length.map_or(self.job.axes.len() > 1, |n| n >= MIN_SPLIT_ELEMENTS) =>
            {
                (
                    results <= MIN_BUSY_BLOCKS,
                    ceildiv(2 * SPLIT_BLOCKS, results.max(1)).max(MIN_SPLIT_BLOCKS),
                )
            }
            (None, Some(n)) => (n >= MIN_ALWAYS_SPLIT_ELEMENTS, SPLIT_BLOCKS_PER_ROW),
            _ => (false, 1),
        };
        let Group {
            lanes, under_way, ..
        } = if is_vast {
            LARGE_INPUT.group
        } else {
            SPLIT_ROW_GROUP
        };
        let whole = length.map_or(i64::MAX, |n| n / (vector * lanes * under_way));
        (most && cuts.min(whole) > 1).then(|| cuts.min(whole))
    }

    /// Returns the thread group (fields as in [`ROWS`]) for rows of `pieces` vectors.
    fn group(&self, kept: &[usize], pieces: Option<i64>, vectors: Vectors, is_cut: bool) -> Group {
        let alone = kept.is_empty();
        // If partial results consist of several values, their exchange is expensive, so fewer
        // threads share a row and each thread has more loads in flight.
        let most = match (vectors, self.exchanges_parts() && pieces.is_some()) {
            (Vectors::None, false) => 2 * VECTORS_IN_FLIGHT,
            (_, false) => VECTORS_IN_FLIGHT,
            (_, true) => 2 * VECTORS_IN_FLIGHT,
        };
        // In measurements of short rows, only elements of at most 4 bytes are faster with two loads
        // in flight; the cause is unknown.
        let is_wide = self.width().is_none_or(|width| width > 4);
        let results = self.total(kept).filter(|_| !self.is_batch_invariant);
        let few = results.is_some_and(|n| n <= MAX_SCALAR_ELEMENTS);
        let is_aligned = matches!(vectors, Vectors::Aligned(_));
        let costly = pieces
            .filter(|n| *n > LANES / 2 && !alone && !few && self.is_compute_bound())
            .map(|n| n * vectors.width())
            .and_then(|n| {
                COMPUTE_BOUND_ROWS
                    .iter()
                    .find(|(most, _)| n <= most[usize::from(is_aligned)])
            });
        // Number of loads that a thread has in flight in a short row. If each thread has fewer
        // loads in flight, more threads share the row; more threads are faster unless the combiner
        // has many ops.
        let apart = match self.job.weight() > EXPENSIVE_OPS {
            true => VECTORS_IN_FLIGHT,
            false => VECTORS_IN_FLIGHT / 2,
        };
        let (lanes, rows) = match (pieces, vectors) {
            _ if is_cut => (THREADS_PER_BLOCK, 1),
            (None, _) if alone => (THREADS_PER_BLOCK, 1),
            (None, _) => (LANES, 1),
            _ if costly.is_some() => (costly.map_or(LANES, |(_, lanes)| *lanes), 1),
            (Some(n), _) if alone => (power_of_two(ceildiv(n, 2)).clamp(1, THREADS_PER_BLOCK), 1),
            (Some(n), Vectors::Aligned(vector))
                if n <= 2 * LANES && !self.exchanges_parts() && self.is_short(vector) =>
            {
                (power_of_two(ceildiv(n, VECTORS_IN_FLIGHT)), 1)
            }
            (Some(n), Vectors::None) if n <= 2 * LANES => (power_of_two(n).min(8), 4),
            (Some(n), Vectors::None) if n <= 4 * LANES => (LANES / 2, 1),
            (Some(n), Vectors::None) if n <= 16 * LANES => (LANES, 1),
            (Some(n), Vectors::None) if n <= LANES * THREADS_PER_BLOCK => (THREADS_PER_BLOCK, 1),
            (Some(n), _) if n <= LANES / 2 && self.exchanges_parts() => {
                (power_of_two(ceildiv(n, apart)), 1)
            }
            (Some(n), _) if n <= LANES / 2 && is_wide => (power_of_two(n), 4),
            (Some(n), _) if n <= LANES / 2 => (power_of_two(n).min(8), 4),
            (Some(n), _) if n <= 2 * LANES && self.exchanges_parts() => (8, 1),
            (Some(n), _) if n <= 2 * LANES => (LANES / 2, 1),
            (Some(n), _) if n < 4 * LANES => (LANES, 1),
            (Some(n), _) => (self.lanes_of(n, is_aligned), 1),
        };
        let mut under_way = pieces.map_or(most, |n| ceildiv(n, lanes).clamp(1, most));
        let mut rows = rows;
        while rows > 1 && self.exceeds_unroll_limit(rows * under_way * vectors.width()) {
            rows /= 2;
        }
        while under_way > 1 && self.exceeds_unroll_limit(under_way * vectors.width()) {
            under_way /= 2;
        }
        // Load several rows together if there are many rows, and each thread loads all its elements
        // of a row at once.
        let is_unrolled = pieces.is_some_and(|n| n <= lanes * under_way);
        let has_fixed_order = self.is_batch_invariant && vectors.width() > 1;
        if !is_unrolled || few || is_aligned || has_fixed_order {
            rows = 1;
        }
        let is_expensive = self.exchanges_parts() && self.job.weight() > EXPENSIVE_OPS;
        let most = match rows {
            // If several warps share a row, the whole block waits while the warps exchange partial
            // results. If the exchange is cheap, a block has at least four warps, because a block
            // of two warps with little work ends before the SM starts the next block.
            1 if lanes > LANES && self.exchanges_parts() => lanes,
            1 if lanes > LANES => lanes.max(THREADS_PER_BLOCK / 2),
            // If the reduction of a row takes long, a block has only one warp: finished warps of a
            // larger block would keep their registers until the last warp ends.
            1 if lanes == LANES && is_expensive => LANES,
            1 if is_expensive && (is_aligned || !self.is_compute_bound()) => SMALL_BLOCK,
            1 => THREADS_PER_BLOCK,
            _ => THREADS_PER_BLOCK / 2,
        };
        let side_by_side = results.map_or(most, power_of_two);
        Group {
            lanes,
            under_way,
            rows,
            threads: lanes.max(most.min(lanes * side_by_side)),
        }
    }

    /// Returns whether the last round of loads of a row has fewer vectors than threads, so that
    /// some threads would idle. The elements of this round are then distributed over all threads of
    /// the row, like head and tail elements.
    fn has_few_over(&self, kept: &[usize], group: &Group, pieces: i64) -> bool {
        let is_one_tile = pieces <= group.lanes * group.under_way;
        let is_possible = !kept.is_empty() && !self.is_batch_invariant && group.rows == 1;
        let has_all_some = pieces > group.lanes && pieces % group.lanes > 0;
        is_possible && is_one_tile && has_all_some && self.is_compute_bound()
    }

    fn is_short(&self, vector: i64) -> bool {
        self.width().is_some_and(|width| vector * width < VECTOR)
    }

    /// Returns the number of threads that share a long row of `pieces` vectors. Each thread loads a
    /// few vectors, and the number of threads is rounded down to a power of two.
    fn lanes_of(&self, pieces: i64, is_aligned: bool) -> i64 {
        let is_expensive = self.job.weight() > EXPENSIVE_OPS;
        let (each, widest) = match self.exchanges_parts() {
            true if self.is_compute_bound() => (VECTORS_PER_THREAD[3], 2),
            true if is_expensive && is_aligned => (VECTORS_PER_THREAD[2], 2),
            true if is_expensive => (VECTORS_PER_THREAD[1], 2),
            true => (VECTORS_PER_THREAD[1], 4),
            false => (VECTORS_PER_THREAD[0], 4),
        };
        let most = (pieces + pieces / LANES) / each;
        (power_of_two(most + 1) / 2).clamp(LANES, widest * THREADS_PER_BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the thread groups (fields as in [`ROWS`]) of all tables, each with its maximum row
    /// length in elements.
    fn groups() -> Vec<(i64, Group)> {
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

    /// Each block has whole warps, and the number of threads per row is a power of two.
    #[test]
    fn groups_fill_a_block() {
        for (most, group) in groups() {
            let Group {
                lanes,
                under_way,
                rows,
                threads,
            } = group;
            let what =
                format!("{lanes} lanes of {threads}, {under_way} loads of {rows}, up to {most}");
            assert!(
                [lanes, under_way, rows, threads].into_iter().all(|n| n > 0),
                "{what}"
            );
            assert!(lanes.count_ones() == 1 && threads % lanes == 0, "{what}");
            assert!(threads % LANES == 0 && threads <= 1024, "{what}");
            assert!(under_way * rows <= MAX_UNROLL, "{what}");
        }
    }

    /// Maximum lengths ascend in each table. If an entry followed an entry with a greater maximum
    /// length, it would never be chosen.
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
