//! Schedules of groups of ops that share rows. The threads of one block or cluster process each
//! row.
//!
//! If the threads can hold a row in registers, the kernel loads the row once, and temporaries of
//! the group stay in registers. If a row is too long for the registers, each phase (op of the
//! group) loads the elements of the row again, from the cache.

use super::super::group::{Group, Phase, Role, captured, is_reduction};
use super::super::resident::MAX_HELD;
use super::super::steps::{Case, Processor, Step};
use super::elementwise::{Walk, walk};
use super::table::{self, Request};
use super::{LANES, MAX_UNROLLED_OPS, VECTOR, ceildiv, power_of_two};
use crate::analysis::dataflow::Access;
use tx_dialect_tile::Residency;
use tx_mlir::{Affine, byte_width};
use tx_target::{MAX_CLUSTER, MAX_THREADS};

/// Ranges of the number of ops per element. If elements need many ops, such as exact exponentials,
/// the instruction throughput limits the speed (`HEAVY_OPS`).
const LIGHT_OPS: (i64, i64) = (0, 16);
const HEAVY_OPS: (i64, i64) = (17, i64::MAX);
const ANY_OPS: (i64, i64) = (0, i64::MAX);
/// Number of elements of each operand that a thread holds in registers. If the maximum number of
/// threads cannot hold a row with this number of elements, each thread holds more elements.
const HELD_ELEMENTS: i64 = 32;
/// Maximum number of threads per row in one block.
const MAX_THREADS_PER_ROW: i64 = 512;
/// Maximum number of threads per row in one block, for long rows that are faster with fewer
/// threads.
const LONG_ROW_THREADS: i64 = 256;
/// Minimum number of threads per row, if the row has enough vectors. Cross entropy of 256 bf16
/// columns on an H200 reaches 4153 GB/s with 8 threads per row, and 2888 GB/s with 32.
const MIN_THREADS_PER_ROW: i64 = 8;
/// Minimum number of threads of a block.
const MIN_BLOCK_THREADS: i64 = 128;
/// Maximum cluster size, in blocks, that every chip with clusters supports.
const MAX_PORTABLE_BLOCKS: i64 = 8;
/// Maximum cluster size in blocks. Clusters of more than [`MAX_PORTABLE_BLOCKS`] blocks are not
/// portable: on an H200, clusters of 16 blocks run on 128 of the 132 SMs.
const NON_PORTABLE_BLOCKS: i64 = MAX_CLUSTER as i64;

/// Conditions under which each phase loads the rows again, although the rows fit in registers.
struct Reloaded {
    /// Minimum and maximum number of operands with one element per column.
    columns: (i64, i64),
    /// Whether elements have at most 16 bits.
    is_narrow: bool,
    /// Whether an op of the group writes rows. `None` matches groups with and without such an op.
    writes: Option<bool>,
    /// Minimum and maximum number of ops per element.
    ops: (i64, i64),
    /// Minimum row length (inclusive) and maximum row length (exclusive), in bytes.
    bytes: (i64, i64),
    /// Number of blocks of a cluster that share a row.
    blocks: i64,
}

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;

/// Classes of rows for which reloading the row in each phase is faster than holding the row in
/// registers. If registers hold the row and all column operands, too few registers are left for
/// enough rows in flight per SM. The table shows the bandwidth in GB/s on an H200. Column `held`
/// shows the faster alternative: rows in registers, or one kernel for each op.
///
/// | row | program | held | reloaded | blocks |
/// |---|---|--:|--:|--:|
/// | 16384 bf16 | cross entropy | 4141 | 4284 | 1 |
/// | 262144 bf16 | cross entropy | 3031 | 3258 | 8 |
/// | 262144 bf16 | softmax | 3058 | 3387 | 16 |
/// | 8192 bf16 | layer norm | 2919 | 3978 | 1 |
/// | 65536 bf16 | layer norm | 1992 | 3266 | 1 |
/// | 131072 bf16 | layer norm | 2007 | 3100 | 8 |
/// | 262144 bf16 | layer norm | | 2841 | 16 |
/// | 16384 bf16 | RMS norm | 3895 | 4028 | 1 |
/// | 32768 bf16 | RMS norm | 3638 | 3990 | 1 |
/// | 65536 bf16 | RMS norm | 3516 | 3880 | 4 |
/// | 131072 bf16 | RMS norm | | 3803 | 8 |
/// | 32768 f32 | layer norm | 3476 | 3602 | 1 |
/// | 131072 f32 | layer norm | 2821 | 3021 | 8 |
/// | 262144 f32 | RMS norm | 3402 | 3435 | 16 |
const RELOADED: [Reloaded; 13] = [
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: LIGHT_OPS,
        bytes: (32 * KIB, 64 * KIB),
        blocks: 1,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: HEAVY_OPS,
        bytes: (32 * KIB, 128 * KIB),
        blocks: 1,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: HEAVY_OPS,
        bytes: (256 * KIB, i64::MAX),
        blocks: MAX_PORTABLE_BLOCKS,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: ANY_OPS,
        bytes: (256 * KIB + 1, i64::MAX),
        blocks: MAX_PORTABLE_BLOCKS,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(true),
        ops: LIGHT_OPS,
        bytes: (512 * KIB, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
    },
    Reloaded {
        columns: (1, 1),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (16 * KIB, 128 * KIB),
        blocks: 1,
    },
    Reloaded {
        columns: (1, 1),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (128 * KIB, 256 * KIB),
        blocks: 4,
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (16 * KIB, 256 * KIB),
        blocks: 1,
    },
    Reloaded {
        columns: (1, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (256 * KIB, 512 * KIB),
        blocks: MAX_PORTABLE_BLOCKS,
    },
    Reloaded {
        columns: (1, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (512 * KIB, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: false,
        writes: None,
        ops: ANY_OPS,
        bytes: (64 * KIB + 1, 256 * KIB),
        blocks: 1,
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: false,
        writes: None,
        ops: ANY_OPS,
        bytes: (256 * KIB, MIB),
        blocks: MAX_PORTABLE_BLOCKS,
    },
    Reloaded {
        columns: (1, i64::MAX),
        is_narrow: false,
        writes: None,
        ops: ANY_OPS,
        bytes: (MIB, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
    },
];

/// Number of vectors in a row of 16-bit elements above which a thread needs four vectors in flight
/// instead of two, if there are several column operands. The table shows the bandwidth of layer
/// norm of bf16, in GB/s on an H200.
///
/// | columns | two in flight | four in flight |
/// |--:|--:|--:|
/// | 8192 | 3978 | 3300 |
/// | 16384 | 3853 | 3777 |
/// | 32768 | 3122 | 3469 |
const LONG_VECTORS: i64 = 2048;
/// Number of vectors in a row of 16-bit elements above which two vectors in flight and a block of
/// the maximum number of threads are faster, if there are several column operands. Layer norm of
/// 98304 bf16 columns then reaches 2939 instead of 2678 GB/s on an H200.
const LONGEST_VECTORS: i64 = 8192;
/// Limit for the number of vectors of a row that one block processes. Above this limit, the block
/// has the maximum number of threads, and each thread has fewer vectors in flight. RMS norm of
/// 262144 f32 columns on an H200 reaches 3022 GB/s with one vector in flight, and 2752 GB/s with
/// four (8 blocks of 1024 threads).
const MANY_VECTORS: i64 = 4096;

/// Maximum row size in bytes for plain loads instead of evict-first loads, if an op loads single
/// elements of the row again. Cross entropy of 1000 bf16 columns on an H200 reaches 4265 GB/s
/// without evict-first loads, and 3876 GB/s with them.
const MAX_GATHERED_BYTES: i64 = 2 * KIB;

/// Maximum row lengths, in elements, of the kernels for rows of dynamic length. Each kernel
/// processes all row lengths that the registers of its threads can hold. The kernels for dynamic
/// lengths use scalar loads: vectors would need another kernel for lengths that the vector width
/// does not divide. The table shows the bandwidth of softmax of 65536 rows of f32, in GB/s on an
/// H200.
///
/// | columns | scalar loads | vector loads |
/// |--:|--:|--:|
/// | 4096 | 3962 | 3850 |
/// | 4095 | 3975 | 1758 |
const CLASSES: [i64; 14] = [
    64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288,
];

/// Elements of rows that the ops of a group store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stores {
    /// The group stores one element per row, or none.
    Nothing,
    /// All stored rows have narrower elements than the rows that are read.
    Narrower,
    /// The group stores rows whose elements are as wide as those of the rows that are read.
    Rows,
}

/// A class of rows that registers hold.
struct Held {
    /// Maximum number of rows. A dynamic number of rows exceeds each maximum.
    rows: i64,
    /// Maximum number of arrays of rows that registers hold.
    arrays: i64,
    /// Minimum and maximum number of ops per element.
    ops: (i64, i64),
    /// Minimum and maximum number of operands with one element per column.
    columns: (i64, i64),
    /// Whether elements have at most 16 bits. `None` matches all widths.
    is_narrow: Option<bool>,
    /// The rows that the group stores. An empty list matches all groups.
    stores: &'static [Stores],
    /// Row length in elements; the class contains only longer rows.
    longer: i64,
    /// Maximum number of elements of each operand that a thread holds.
    held: i64,
    /// Minimum number of bytes of each operand that a thread holds. If `threads` threads cannot
    /// hold the row with this number of bytes per thread, a thread holds more bytes, up to `held`
    /// elements.
    bytes: i64,
    /// Maximum number of threads per row in one block.
    threads: i64,
    /// Minimum number of resident threads per SM. The minimum limits the number of registers of a
    /// thread.
    resident: Option<i64>,
}

impl Held {
    /// Matches all rows.
    const ALL: Self = Self {
        rows: i64::MAX,
        arrays: i64::MAX,
        ops: ANY_OPS,
        columns: (0, i64::MAX),
        is_narrow: None,
        stores: &[],
        longer: 0,
        held: HELD_ELEMENTS,
        bytes: ALWAYS,
        threads: MAX_THREADS_PER_ROW,
        resident: None,
    };
}

/// Number of rows up to which the latency of one row determines the time. Up to this number, the
/// blocks of a cluster share each row, although for more rows, kernels that reload the row reach a
/// higher bandwidth. Layer norm of 64 rows of 8192 bf16 columns in a CUDA graph on an H200 takes
/// 2.8 µs with four blocks per row, and 3.8 µs with one block per row.
const LATENCY_BOUND_ROWS: i64 = 64;
/// Each thread holds the maximum number of elements.
const ALWAYS: i64 = i64::MAX;
/// Two vectors of each operand.
const TWO_VECTORS: i64 = 2 * VECTOR;

/// Classes of rows that registers hold. The first entry whose conditions match the group and the
/// row determines the mapping. The table shows the bandwidth in GB/s on an H200. A mapping is
/// written as blocks x threads x elements in the registers of each thread; the number after `/` is
/// the minimum number of resident threads.
///
/// | program | columns | mapping | | other mappings | |
/// |---|--:|---|--:|---|--:|
/// | cross entropy bf16 | 65536 | 8 x 128 x 64 / 896 | 3902 | 8 x 128 x 64 | 3690 |
/// | cross entropy bf16 | 131072 | 16 x 128 x 64 / 896 | 3611 | 8 x 256, reloaded | 3481 |
/// | softmax bf16 | 131072 | 16 x 128 x 64 / 768 | 4069 | 8 x 256 x 64 | 3964 |
/// | log-softmax bf16 | 65536 | 8 x 128 x 64 / 768 | 4122 | 4 x 256 x 64 | 3415 |
/// | cross entropy bf16 | 8192 | 1 x 128 x 64 | 4321 | 1 x 256 x 32 | 4011 |
/// | softmax f32 | 262144 | 16 x 512 x 32 | 3942 | 8 x 512 x 64 | 3672 |
/// | softmax f32 | 32768 | 4 x 512 x 16 | 4181 | 2 x 256 x 64 | 4065 |
/// | cross entropy f32 | 262144 | 16 x 256 x 64 | 4268 | 16 x 512 x 32 | 3419 |
/// | RMS norm f32 | 65536 | 8 x 256 x 32 | 3993 | 4 x 512 x 32 | 3968 |
/// | layer norm f32 | 16384 | 2 x 256 x 32 | 3677 | 1 x 512, reloaded | 3641 |
/// | quantise bf16 to f8 | 1024 | 1 x 16 x 64 | 4208 | 1 x 32 x 32 | 3985 |
/// | layer norm bf16 | 256 | 1 x 16 x 16 | 4052 | 1 x 32 x 8 | 3668 |
/// | layer norm bf16 | 4096 | 1 x 128 x 32 | 3791 | 1 x 256 x 16 | 3360 |
/// | softmax f32 | 1024 | 1 x 128 x 8 | 4207 | 1 x 32 x 32 | 4148 |
/// | RMS norm f32 | 8192 | 1 x 512 x 16 | 4183 | 1 x 256 x 32 | 4075 |
/// | softmax bf16 | 8192 | 1 x 512 x 16 | 4201 | 1 x 128 x 64 | 4109 |
/// | exact softmax bf16 | 256 | 1 x 16 x 16 | 3372 | 1 x 32 x 8 | 2958 |
/// | exact softmax bf16 | 1024 | 1 x 32 x 32 | 3628 | 1 x 64 x 16 | 3242 |
/// | exact softmax f32 | 131072 | 8 x 256 x 64 | 3691 | 16 x 512 x 16 | 2474 |
/// | layer norm bf16, 1 row | 128256 | 16 x 256 x 32 | 3.5 µs | 1 x 1024, reloaded | 17.3 µs |
/// | RMS norm bf16, 8 rows | 8192 | 4 x 128 x 16 | 2.0 µs | 1 x 256, reloaded | 2.5 µs |
const HELD_ROWS: [Held; 19] = [
    Held {
        rows: LATENCY_BOUND_ROWS,
        longer: 32768,
        held: 32,
        threads: MIN_BLOCK_THREADS,
        ..Held::ALL
    },
    Held {
        rows: LATENCY_BOUND_ROWS,
        longer: 4096,
        held: 16,
        threads: MIN_BLOCK_THREADS,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(true),
        stores: &[Stores::Nothing],
        ops: HEAVY_OPS,
        longer: 32768,
        held: 64,
        threads: MIN_BLOCK_THREADS,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(true),
        ops: HEAVY_OPS,
        longer: 4096,
        held: 64,
        threads: LONG_ROW_THREADS,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(false),
        stores: &[Stores::Rows],
        ops: HEAVY_OPS,
        longer: 131072,
        held: 32,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(false),
        ops: HEAVY_OPS,
        longer: 16384,
        held: 64,
        threads: LONG_ROW_THREADS,
        ..Held::ALL
    },
    Held {
        is_narrow: Some(true),
        ops: HEAVY_OPS,
        longer: 512,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(true),
        stores: &[Stores::Nothing],
        longer: 16384,
        held: 64,
        threads: MIN_BLOCK_THREADS,
        arrays: 1,
        resident: Some(896),
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(true),
        longer: 8192,
        held: 64,
        threads: MIN_BLOCK_THREADS,
        arrays: 1,
        resident: Some(768),
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(true),
        stores: &[Stores::Nothing, Stores::Narrower],
        longer: 4096,
        held: 64,
        threads: LONG_ROW_THREADS,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(false),
        stores: &[Stores::Rows],
        longer: 65536,
        held: 32,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(false),
        stores: &[Stores::Rows],
        longer: 8192,
        held: 16,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(false),
        longer: 16384,
        held: 64,
        threads: LONG_ROW_THREADS,
        ..Held::ALL
    },
    Held {
        columns: (1, i64::MAX),
        is_narrow: Some(false),
        longer: 8192,
        held: 32,
        threads: LONG_ROW_THREADS,
        ..Held::ALL
    },
    Held {
        stores: &[Stores::Nothing],
        held: 32,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        stores: &[Stores::Narrower],
        held: 64,
        bytes: 8 * VECTOR,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        columns: (0, 1),
        stores: &[Stores::Rows],
        held: 32,
        bytes: TWO_VECTORS,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        is_narrow: Some(false),
        held: 32,
        bytes: TWO_VECTORS,
        threads: LONG_ROW_THREADS,
        ..Held::ALL
    },
    Held {
        held: 32,
        bytes: TWO_VECTORS,
        threads: MIN_BLOCK_THREADS,
        ..Held::ALL
    },
];

#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Target number of elements of each operand that a thread holds in registers.
    held: i64,
    /// Minimum number of threads per row, if the row has enough vectors.
    least: i64,
    /// Maximum number of threads per row in one block, and maximum cluster size in blocks.
    threads: i64,
    blocks: i64,
    /// Whether registers may hold elements of a row.
    holds: bool,
    /// Whether the blocks of a cluster may share rows of 16-bit elements with column operands.
    shares_columns: bool,
    /// Minimum number of resident threads per SM.
    resident: Option<i64>,
}

impl Limits {
    const OF_CLASSES: Self = Self {
        held: HELD_ELEMENTS,
        least: LANES,
        threads: MAX_THREADS_PER_ROW,
        blocks: MAX_PORTABLE_BLOCKS,
        holds: true,
        shares_columns: true,
        resident: None,
    };

    /// Returns the limits for rows of `length` elements.
    fn of(request: &Request, length: i64) -> Self {
        let row = HELD_ROWS.iter().find(|row| {
            (row.columns.0..=row.columns.1).contains(&request.columns)
                && request.results.unwrap_or(i64::MAX) <= row.rows
                && request.arrays <= row.arrays
                && (row.ops.0..=row.ops.1).contains(&request.ops)
                && row
                    .is_narrow
                    .is_none_or(|narrow| narrow == (request.bytes < 4))
                && (row.stores.is_empty() || row.stores.contains(&request.stores))
                && length > row.longer
        });
        let Some(row) = row else {
            return Self::OF_CLASSES;
        };
        let least = (row.bytes / request.bytes).clamp(1, row.held);
        let held = power_of_two(ceildiv(length, row.threads)).clamp(least, row.held);
        let limits = Self {
            held,
            least: MIN_THREADS_PER_ROW,
            threads: row.threads,
            shares_columns: row.rows == LATENCY_BOUND_ROWS,
            resident: row.resident,
            ..Self::OF_CLASSES
        };
        limits.with_blocks_for(length)
    }

    /// Returns the limits with non-portable clusters, if portable clusters cannot hold rows of
    /// `length` elements.
    fn with_blocks_for(self, length: i64) -> Self {
        let blocks = match length > self.threads * self.held * MAX_PORTABLE_BLOCKS {
            true => NON_PORTABLE_BLOCKS,
            false => MAX_PORTABLE_BLOCKS,
        };
        Self { blocks, ..self }
    }
}

fn reloaded(request: &Request) -> Option<&'static Reloaded> {
    let bytes = bytes_of_row(request)?;
    if request.clusters
        && request
            .results
            .is_some_and(|rows| rows <= LATENCY_BOUND_ROWS)
    {
        return None;
    }
    RELOADED.iter().find(|row| {
        (row.columns.0..=row.columns.1).contains(&request.columns)
            && row.is_narrow == (request.bytes < 4)
            && row
                .writes
                .is_none_or(|writes| writes == (request.stores != Stores::Nothing))
            && (row.ops.0..=row.ops.1).contains(&request.ops)
            && (row.bytes.0..row.bytes.1).contains(&bytes)
    })
}

fn bytes_of_row(request: &Request) -> Option<i64> {
    Some(request.length?.saturating_mul(request.bytes))
}

/// Returns whether reloading the rows in each phase is faster than holding the rows in registers.
pub(super) fn is_faster_reloaded(request: &Request) -> bool {
    let is_possible = request.can_hold_totals || !request.has_row_ops;
    is_possible && reloaded(request).is_some()
}

/// Returns the number of arrays whose rows registers hold. Operands with one element for each
/// column are not counted.
pub(super) fn arrays(group: &Group<'_>) -> i64 {
    let held = group.arrays().into_iter();
    let held = held.filter(|known| known.role != Role::Output);
    let along = held.filter(|known| group.varies_along_rows(known.array));
    along.count() as i64 - columns(group)
}

/// Returns the number of operands that have one element for each column and are shared by all rows.
pub(super) fn columns(group: &Group<'_>) -> i64 {
    let mut found = Vec::new();
    for phase in &group.phases {
        let job = &phase.job;
        let varies = |index: &Affine, loops: &[usize]| loops.iter().any(|d| index.uses(*d));
        for access in job.sources.iter().chain(&job.extras) {
            let along = |loops: &[usize]| access.map.results.iter().any(|i| varies(i, loops));
            let is_column = access.memref.is_some() && along(&phase.row) && !along(&phase.shared);
            if is_column && !found.contains(&access.value) {
                found.push(access.value);
            }
        }
    }
    found.len() as i64
}

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

/// Returns one case for each class of dynamic row lengths that registers can hold.
pub(super) fn classes(group: &Group<'_>, request: &Request, limits: Option<Limits>) -> Vec<Case> {
    let row = group
        .phases
        .get(group.leader())
        .map(|first| first.row.len());
    // If a row has several loops, the row length is the product of the loop lengths, and the host
    // cannot compare this product with a limit.
    if row != Some(1) {
        return Vec::new();
    }
    let mut cases: Vec<Case> = Vec::new();
    for length in CLASSES {
        let limits = limits.unwrap_or_else(|| Limits::OF_CLASSES.with_blocks_for(length));
        let mapping = Mapping::of(request, limits, length);
        let most = mapping.capacity();
        let is_longer = cases
            .iter()
            .all(|case| case.most.is_some_and(|(_, n)| n < most));
        if mapping.holds == Holds::Row && is_longer {
            cases.push(Case {
                most: Some((0, most)),
                steps: mapping.steps(group, Some(most)),
            });
        }
    }
    cases
}

/// Returns a schedule in which the threads of a block or cluster hold a row in registers. The
/// result is empty if registers cannot hold the row.
pub(super) fn held(group: &Group<'_>, request: &Request, limits: Option<Limits>) -> Vec<Case> {
    let mapping = request.length.map(|length| {
        let limits = limits.unwrap_or_else(|| Limits::of(request, length));
        Mapping::of(request, limits, length)
    });
    let held = mapping.filter(|mapping| mapping.holds == Holds::Row);
    held.map(|mapping| Case::always(mapping.steps(group, None)))
        .into_iter()
        .collect()
}

/// Returns a schedule in which each phase loads the row again. The result is empty if `limits`
/// requests rows held in registers.
pub(super) fn loaded_again(
    group: &Group<'_>,
    request: &Request,
    limits: Option<Limits>,
) -> Vec<Case> {
    if limits.is_some_and(|limits| limits.holds && request.can_hold) {
        return Vec::new();
    }
    let most = limits.map_or(i64::from(MAX_THREADS), |limits| limits.threads);
    let mapping = request.length.map(|length| {
        let chosen = blocks_that_reload(request);
        let blocks = limits.map_or(chosen, |limits| chosen.min(limits.blocks));
        Mapping::reloaded(request, most, blocks, length)
    });
    mapping
        .map(|mapping| Case::always(mapping.steps(group, None)))
        .into_iter()
        .collect()
}

fn blocks_that_reload(request: &Request) -> i64 {
    match request.clusters && request.can_share && request.can_hold_totals {
        true => reloaded(request).map_or(1, |row| row.blocks),
        false => 1,
    }
}

/// Returns the number of bytes of a reloaded row that one block loads, or `None` for a dynamic
/// length.
pub(super) fn bytes_of_block(request: &Request) -> Option<i64> {
    Some(ceildiv(bytes_of_row(request)?, blocks_that_reload(request)))
}

/// Returns whether reduction results can stay in registers while each phase reloads the row. The
/// ops must not exchange other values through memory.
pub(super) fn can_hold_totals(group: &Group<'_>) -> bool {
    let totals: Vec<_> = group.row_values().iter().map(|known| known.array).collect();
    group.can_be_held() && group.exchange_through_memory(&totals).is_none()
}

/// Returns the rows that the group stores.
pub(super) fn stores(group: &Group<'_>) -> Stores {
    let whole = || group.phases.iter().filter(|phase| !phase.row.is_empty());
    let written = whole().filter(|phase| !is_reduction(&phase.job));
    let written = written.flat_map(|phase| &phase.job.destinations);
    let widest = written.filter_map(element_bytes).max();
    match widest {
        None => Stores::Nothing,
        Some(bytes) if whole().any(|phase| row_element_bytes(phase) > bytes) => Stores::Narrower,
        Some(_) => Stores::Rows,
    }
}

/// Returns the vector width, in elements, for the rows of all phases: 1 for a dynamic length.
pub(super) fn vector_of(group: &Group<'_>) -> i64 {
    let leader = group.phases.get(group.leader());
    let length = leader.and_then(Phase::row_length);
    // In a row of several loops, vectors are along the innermost loop.
    let inner = leader.and_then(|first| first.job.extents[*first.row.last()?].known());
    let whole = group.phases.iter().filter(|phase| !phase.row.is_empty());
    let divides = |n: i64| length.and(inner).is_some_and(|inner| inner % n == 0);
    whole.map(|phase| vector(phase, divides)).min().unwrap_or(1)
}

/// Returns two maxima over all phases: the size in bytes of the widest element along a row, and the
/// number of ops per element.
pub(super) fn bytes_and_ops(group: &Group<'_>) -> (i64, i64) {
    let whole = || group.phases.iter().filter(|phase| !phase.row.is_empty());
    let ops = whole().map(|phase| phase.job.weight_along(&phase.row));
    (
        whole().map(row_element_bytes).max().unwrap_or(1),
        ops.max().unwrap_or(1),
    )
}

/// Distribution of a row over threads.
struct Mapping {
    /// Number of elements that one load reads.
    vector: i64,
    /// Number of threads per row in one block, and number of blocks of a cluster that share a row.
    threads: i64,
    blocks: i64,
    /// Number of vectors of a row that one block processes.
    part: i64,
    /// Number of vectors that a thread has in flight.
    loads: i64,
    holds: Holds,
    /// Minimum number of resident threads per SM.
    resident: Option<i64>,
}

/// Values that a thread holds in registers between phases.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Registers hold the thread's elements of the row, and the reduction results.
    Row,
    /// Registers hold only the reduction results.
    Totals,
    /// Registers hold no values: phases exchange values through memory.
    Nothing,
}

impl Mapping {
    /// Returns the mapping for rows of `length` elements, if the rows stay in registers.
    fn of(request: &Request, limits: Limits, length: i64) -> Self {
        let Request {
            vector,
            ops: weight,
            ..
        } = *request;
        let vectors = ceildiv(length, vector).max(1);
        let least = power_of_two(vectors).min(limits.least);
        let loads = unrolled(limits.held / vector, vector * weight);
        // The blocks of a cluster share a row that is too long for one block. For the longest rows,
        // a block has more threads, and each thread has fewer registers. If the ops only read
        // 16-bit rows of this length, separate kernels are faster: cross entropy of 262144 bf16
        // columns on an H200 reaches 2176 GB/s with separate kernels, and 1682 GB/s with 8 blocks
        // of 512 threads.
        let is_shared = request.bytes >= 4 || request.columns == 0 || limits.shares_columns;
        let most = match request.clusters && is_shared && request.can_share {
            true => limits.blocks,
            false => 1,
        };
        let mut threads = power_of_two(ceildiv(
            vectors.min(loads.saturating_mul(limits.threads)),
            loads,
        ))
        .clamp(least, limits.threads);
        let longest = match request.bytes < 4 && request.stores == Stores::Nothing {
            true => limits.threads.max(LONG_ROW_THREADS),
            false => i64::from(MAX_THREADS),
        };
        while ceildiv(vectors, threads.saturating_mul(loads)) > most && threads < longest {
            threads *= 2;
        }
        let blocks = ceildiv(vectors, threads.saturating_mul(loads)).clamp(1, most);
        let each = ceildiv(vectors, threads * blocks);
        let holds = limits.holds
            && each * vector <= MAX_HELD
            && each * vector * weight <= MAX_UNROLLED_OPS
            && request.can_hold;
        Self {
            vector,
            threads,
            blocks,
            part: threads * each,
            loads: each,
            holds: if holds { Holds::Row } else { Holds::Totals },
            resident: limits.resident,
        }
    }

    /// Returns the mapping of rows of `length` elements to at most `most` threads, if each phase
    /// loads the row again. The table shows the bandwidth for rows of 65536 bf16 columns on an
    /// H200.
    ///
    /// | program | vectors in flight | threads | GB/s |
    /// |---|--:|--:|--:|
    /// | layer norm | 4 | 512 | 3281 |
    /// | layer norm | 2 | | 3104 |
    /// | RMS norm | 2 | 1024 | 3826 |
    /// | RMS norm | 4 | 512 | 3360 |
    fn reloaded(request: &Request, most: i64, blocks: i64, length: i64) -> Self {
        let vector = request.vector;
        let blocks = blocks.max(1);
        let vectors = ceildiv(ceildiv(length, vector), blocks).max(1);
        // Vectors in flight for each thread, vectors of a row for each thread, and maximum number
        // of threads.
        let is_long = request.bytes < 4 && vectors > LONG_VECTORS;
        let (loads, share, most) = match (request.columns, request.stores != Stores::Nothing) {
            _ if blocks > 1 && vectors > MANY_VECTORS => (1, 8, most),
            (0, true) | (1, _) if blocks > 1 => (4, 8, most),
            _ if blocks > 1 => (2, 8, most),
            (0, false) if vectors > MANY_VECTORS => (2, 8, most),
            (0, false) => (4, 4, most.min(MAX_THREADS_PER_ROW)),
            (0 | 1, _) if is_long => (2, 8, most),
            (0 | 1, _) => (2, 4, most),
            _ if is_long && vectors <= LONGEST_VECTORS => (4, 16, most.min(MAX_THREADS_PER_ROW)),
            _ => (2, 8, most),
        };
        let least = power_of_two(vectors).min(LANES);
        let threads =
            power_of_two(ceildiv(vectors, share)).clamp(MIN_BLOCK_THREADS.min(most), most);
        let threads = threads.min(power_of_two(vectors)).max(least);
        let loads = i64::min(loads, ceildiv(vectors, threads));
        Self {
            vector,
            threads,
            blocks,
            part: vectors,
            loads: unrolled(loads, vector * request.ops),
            holds: match request.can_hold_totals && (blocks > 1 || request.has_row_ops) {
                true => Holds::Totals,
                false => Holds::Nothing,
            },
            resident: None,
        }
    }

    /// Returns the maximum row length, in elements, that the registers of all threads of the row
    /// can hold.
    fn capacity(&self) -> i64 {
        self.vector * self.threads * self.blocks * self.loads
    }

    /// Returns the steps of the schedule, for rows of at most `most` elements if `most` is given.
    fn steps(&self, group: &Group<'_>, most: Option<i64>) -> Vec<Step> {
        let Self {
            vector,
            threads,
            blocks,
            part: vectors,
            loads,
            holds,
            resident,
        } = *self;
        let mut steps = Vec::new();
        let Some(first) = group.phases.get(group.leader()) else {
            return steps;
        };
        let rows = one_loop(&mut steps, 'p', first.shared.len(), None);
        let last = first.row.len() - 1;
        let mut inner = format!("r{last}");
        if let Some(most) = most {
            steps.push(Step::Split(inner.clone(), most));
            inner.push_str(".i");
        }
        if vector > 1 {
            steps.push(Step::Split(inner.clone(), vector));
        }
        let row = match most {
            Some(_) if vector > 1 => Some(format!("{inner}.o")),
            Some(_) => Some(inner.clone()),
            None => one_loop(
                &mut steps,
                'r',
                first.row.len(),
                (vector > 1).then_some(last),
            ),
        };
        if let Some(rows) = rows {
            let together = MIN_BLOCK_THREADS / threads;
            if together > 1 {
                steps.push(Step::Split(rows.clone(), together));
                steps.push(Step::Bind(format!("{rows}.o"), Processor::Block(0)));
                steps.push(Step::Bind(format!("{rows}.i"), Processor::Thread(1)));
            } else {
                steps.push(Step::Bind(rows, Processor::Block(0)));
            }
        }
        let Some(row) = row else { return steps };
        let mut part = row;
        if blocks > 1 {
            steps.push(Step::Split(part.clone(), vectors));
            steps.push(Step::Bind(format!("{part}.o"), Processor::Cluster(0)));
            part.push_str(".i");
        }
        if holds == Holds::Totals || holds == Holds::Nothing && loads > 1 {
            steps.push(Step::Split(part.clone(), threads * loads));
            part.push_str(".i");
        }
        steps.push(Step::Split(part.clone(), threads));
        steps.push(Step::Bind(format!("{part}.i"), Processor::Thread(0)));
        if loads > 1 {
            steps.push(Step::Unroll(format!("{part}.o")));
        }
        if vector > 1 {
            steps.push(Step::Vectorize(format!("{inner}.i")));
        }
        // If a kernel stores only one element per row, it needs each loaded cache line only once.
        // Cross entropy of 1024 bf16 columns on an H200 reaches 4349 GB/s with plain loads, and
        // 4590 GB/s with evict-first loads. For softmax, which writes rows, evict-first loads are 2
        // % slower.
        let bytes = first.row_length().map(|n| n * row_element_bytes(first));
        let mut phases = group.phases.iter();
        let is_gathered = bytes.is_some_and(|bytes| bytes <= MAX_GATHERED_BYTES)
            && phases.any(|phase| !captured(phase.job.op).is_empty());
        let is_read_once = stores(group) == Stores::Nothing && !is_gathered;
        if holds == Holds::Row && most.is_none() && is_read_once {
            steps.push(Step::Stream);
        }
        if holds == Holds::Row {
            steps.extend(resident.map(Step::Resident));
        }
        let held = match holds {
            Holds::Row => group.arrays(),
            Holds::Totals => group.row_values(),
            Holds::Nothing => Vec::new(),
        };
        let held = held.into_iter().filter(|array| array.role != Role::Output);
        steps.extend(held.map(|array| Step::Hold(array.name, Residency::Registers)));
        steps
    }
}

/// Halves the number of vectors, `loads`, until a thread can unroll the ops of all vectors. Each
/// vector has `weight` ops.
fn unrolled(mut loads: i64, weight: i64) -> i64 {
    while loads > 1 && loads * weight > MAX_UNROLLED_OPS {
        loads /= 2;
    }
    loads.max(1)
}

/// Fuses `count` loops into one loop. If loop number `cut` was already split, its outer loop is
/// fused instead. Returns the name of the fused loop.
fn one_loop(steps: &mut Vec<Step>, kind: char, count: usize, cut: Option<usize>) -> Option<String> {
    let names = (0..count).map(|n| match cut == Some(n) {
        true => format!("{kind}{n}.o"),
        false => format!("{kind}{n}"),
    });
    let mut names: Vec<String> = names.collect();
    if names.len() > 1 {
        steps.push(Step::Fuse(names, kind.to_string()));
        return Some(kind.to_string());
    }
    names.pop()
}

fn row_element_bytes(phase: &Phase<'_>) -> i64 {
    let job = &phase.job;
    let reads = job.sources.iter().chain(&job.extras);
    let written = job.destinations.iter().filter(|_| !is_reduction(job));
    let bytes = reads.chain(written).map(|access| {
        let varies = |index: &Affine| phase.row.iter().any(|d| index.uses(*d));
        element_bytes(access).filter(|_| access.map.results.iter().any(varies))
    });
    bytes.flatten().max().unwrap_or(1)
}

/// Returns the size in bytes of the elements of an array.
fn element_bytes(access: &Access<'_>) -> Option<i64> {
    let bytes = byte_width(access.memref.as_ref()?.element)?;
    i64::try_from(bytes).ok()
}

/// Returns the number of elements of a row that one load reads. A vector of the widest type has at
/// most [`VECTOR`] bytes, and the vector width divides the row length. Vector loads require that
/// the operands are contiguous along the row.
fn vector(phase: &Phase<'_>, divides: impl Fn(i64) -> bool) -> i64 {
    let job = &phase.job;
    let Some(last) = phase.row.last() else {
        return 1;
    };
    let reads = job.sources.iter().chain(&job.extras);
    let written = job.destinations.iter().filter(|_| !is_reduction(job));
    let mut widest = 1;
    for access in reads.chain(written) {
        match walk(access, *last) {
            Walk::Held => {}
            Walk::Neighbours(bytes) => widest = widest.max(bytes),
            Walk::Apart => return 1,
        }
    }
    let mut vector = VECTOR / widest;
    while vector > 1 && !divides(vector) {
        vector /= 2;
    }
    while vector > 1 && vector * job.weight() > MAX_UNROLLED_OPS {
        vector /= 2;
    }
    vector
}
