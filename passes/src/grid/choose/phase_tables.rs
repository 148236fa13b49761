//! Measured mappings of groups of ops that share rows. The table `RELOADED` lists rows that each
//! phase (op of a group) loads again, and the table `HELD_ROWS` lists rows that stay in registers.

use super::chooser::VECTOR;
use super::request::Stores;
use tx_target::MAX_CLUSTER;

/// Minimum and maximum number of ops per element, for elements with few ops (`LIGHT_OPS`), many ops
/// (`HEAVY_OPS`) or any number of ops (`ANY_OPS`). For elements with `HEAVY_OPS` ops, such as exact
/// exponentials, the instruction throughput limits the speed.
pub(super) const LIGHT_OPS: (i64, i64) = (0, 16);

pub(super) const HEAVY_OPS: (i64, i64) = (17, i64::MAX);

pub(super) const ANY_OPS: (i64, i64) = (0, i64::MAX);

/// Number of elements of each operand that a thread holds in registers. If the maximum number of
/// threads cannot hold a row with `HELD_ELEMENTS` elements per thread, each thread holds more
/// elements.
pub(super) const HELD_ELEMENTS: i64 = 32;

/// Maximum number of threads per row in one block.
pub(super) const MAX_THREADS_PER_ROW: i64 = 512;

/// Maximum number of threads per row in one block, for long rows, which are slower with more
/// threads.
pub(super) const LONG_ROW_THREADS: i64 = 256;

/// Minimum number of threads per row, if the row has enough vectors. Cross entropy of 256 bf16
/// columns on an H200 reaches 4153 GB/s with 8 threads per row, and 2888 GB/s with 32 threads per
/// row.
pub(super) const MIN_THREADS_PER_ROW: i64 = 8;

/// Minimum number of threads of a block.
pub(super) const MIN_BLOCK_THREADS: i64 = 128;

/// Maximum cluster size, in blocks, that every chip with clusters supports.
pub(super) const MAX_PORTABLE_BLOCKS: i64 = 8;

/// Maximum cluster size in blocks. Clusters of more than [`MAX_PORTABLE_BLOCKS`] blocks are not
/// portable: on an H200, clusters of 16 blocks run on 128 of the 132 SMs.
pub(super) const NON_PORTABLE_BLOCKS: i64 = MAX_CLUSTER as i64;

/// Conditions under which each op of a group loads the rows again, although the rows fit in
/// registers.
pub(super) struct Reloaded {
    /// Minimum and maximum number of operands with one element per column.
    pub(super) columns: (i64, i64),
    /// Whether the elements of a row have at most 16 bits.
    pub(super) is_narrow: bool,
    /// Whether an op of the group writes rows. The value `None` matches groups with and without an
    /// op that writes rows.
    pub(super) writes: Option<bool>,
    /// Minimum and maximum number of ops per element.
    pub(super) ops: (i64, i64),
    /// Minimum row length (inclusive) and maximum row length (exclusive), in bytes.
    pub(super) bytes: (i64, i64),
    /// Number of blocks of a cluster that share a row.
    pub(super) blocks: i64,
    /// Fastest of the measured mappings of the row to the threads of a block. `None`: the mapping
    /// is computed from the row length (`Mapping::reloaded`).
    pub(super) mapping: Option<Reload>,
}

/// Distribution of a reloaded row over the threads of a block.
pub(super) struct Reload {
    /// Number of threads of a block.
    pub(super) threads: i64,
    /// Number of vector loads that a thread has in flight.
    pub(super) loads: i64,
    /// Minimum number of resident threads per SM.
    pub(super) resident: Option<i64>,
}

/// Number of resident threads per SM that limits a thread to 64 registers.
const OF_64_REGISTERS: Option<i64> = Some(1024);

pub(super) const KIB: i64 = 1 << 10;

pub(super) const MIB: i64 = 1 << 20;

/// Classes of rows for which a kernel that loads the row again for each op is faster than a kernel
/// that holds the row in registers. If registers hold the row and all operands with one element per
/// column, each SM has registers for too few rows in flight. The following table shows the
/// bandwidth in GB/s on an H200, with `tile.math` = `approx`. A mapping is written as blocks x
/// threads x vectors in flight; the number after `/` is the minimum number of resident threads per
/// SM. The column `held` shows the fastest kernel that holds the row in registers.
///
/// | row | program | held | mapping | reloaded |
/// |---|---|--:|---|--:|
/// | 16384 bf16 | cross entropy | 4141 | 1 x 512 x 4 | 4284 |
/// | 262144 bf16 | cross entropy | 3031 | 8 x 1024 x 1 | 3258 |
/// | 131072 bf16 | RMS norm | 3631 | 8 x 256 x 4 / 1024 | 3804 |
/// | 262144 bf16 | RMS norm | 3178 | 16 x 256 x 4 | 3727 |
/// | 16384 bf16 | layer norm | 3718 | 1 x 256 x 8 | 4049 |
/// | 32768 bf16 | layer norm | 3118 | 1 x 512 x 2 / 1024 | 3527 |
/// | 65536 bf16 | layer norm | 2892 | 1 x 1024 x 2 / 1024 | 3159 |
/// | 131072 bf16 | layer norm | 2537 | 8 x 256 x 2 | 3002 |
/// | 262144 bf16 | layer norm | 1754 | 16 x 256 x 2 | 2696 |
/// | 262144 f32 | layer norm | 2624 | 8 x 512 x 2 / 1024 | 2820 |
/// | 262144 f32 | RMS norm | 3305 | 16 x 512 x 4 | 3486 |
pub(super) const RELOADED: [Reloaded; 14] = [
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: LIGHT_OPS,
        bytes: (32 * KIB, 64 * KIB),
        blocks: 1,
        mapping: None,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: HEAVY_OPS,
        bytes: (32 * KIB, 128 * KIB),
        blocks: 1,
        mapping: None,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: HEAVY_OPS,
        bytes: (256 * KIB, i64::MAX),
        blocks: MAX_PORTABLE_BLOCKS,
        mapping: None,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(false),
        ops: ANY_OPS,
        bytes: (256 * KIB + 1, i64::MAX),
        blocks: MAX_PORTABLE_BLOCKS,
        mapping: None,
    },
    Reloaded {
        columns: (0, 0),
        is_narrow: true,
        writes: Some(true),
        ops: LIGHT_OPS,
        bytes: (512 * KIB + 1, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
        mapping: None,
    },
    Reloaded {
        columns: (1, 1),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (192 * KIB, 512 * KIB),
        blocks: MAX_PORTABLE_BLOCKS,
        mapping: Some(Reload {
            threads: 256,
            loads: 4,
            resident: OF_64_REGISTERS,
        }),
    },
    Reloaded {
        columns: (1, 1),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (512 * KIB, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
        mapping: Some(Reload {
            threads: 256,
            loads: 4,
            resident: None,
        }),
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (32 * KIB, 64 * KIB),
        blocks: 1,
        mapping: Some(Reload {
            threads: 256,
            loads: 8,
            resident: None,
        }),
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (64 * KIB, 128 * KIB),
        blocks: 1,
        mapping: Some(Reload {
            threads: 512,
            loads: 2,
            resident: OF_64_REGISTERS,
        }),
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (128 * KIB, 256 * KIB),
        blocks: 1,
        mapping: Some(Reload {
            threads: 1024,
            loads: 2,
            resident: OF_64_REGISTERS,
        }),
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (256 * KIB, 512 * KIB),
        blocks: MAX_PORTABLE_BLOCKS,
        mapping: Some(Reload {
            threads: 256,
            loads: 2,
            resident: None,
        }),
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: true,
        writes: None,
        ops: ANY_OPS,
        bytes: (512 * KIB, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
        mapping: Some(Reload {
            threads: 256,
            loads: 2,
            resident: None,
        }),
    },
    Reloaded {
        columns: (2, i64::MAX),
        is_narrow: false,
        writes: None,
        ops: ANY_OPS,
        bytes: (MIB, i64::MAX),
        blocks: MAX_PORTABLE_BLOCKS,
        mapping: Some(Reload {
            threads: 512,
            loads: 2,
            resident: OF_64_REGISTERS,
        }),
    },
    Reloaded {
        columns: (1, 1),
        is_narrow: false,
        writes: None,
        ops: ANY_OPS,
        bytes: (MIB, i64::MAX),
        blocks: NON_PORTABLE_BLOCKS,
        mapping: None,
    },
];

/// Number of vectors of a row per block above which some mappings keep only one or two vectors in
/// flight per thread. Above `MANY_VECTORS` vectors, a thread keeps one vector in flight if several
/// blocks share the row. If one block processes the row, a thread keeps two vectors in flight
/// instead of four, provided that the group has no operands with one element per column and stores
/// no rows. RMS norm of 262144 f32 columns on an H200 reaches 3022 GB/s with one vector in flight,
/// and 2752 GB/s with four vectors in flight (8 blocks of 1024 threads).
pub(super) const MANY_VECTORS: i64 = 4096;

/// Maximum size, in bytes, of a row that the kernel reads with plain loads instead of evict-first
/// loads. Plain loads keep the row in the cache for an op that loads single elements of the row
/// again. Cross entropy of 1000 bf16 columns on an H200 reaches 4265 GB/s with plain loads, and
/// 3876 GB/s with evict-first loads.
pub(super) const MAX_GATHERED_BYTES: i64 = 2 * KIB;

/// Maximum row lengths, in elements, of the kernels for rows of dynamic length. Each kernel also
/// processes rows that are longer than its entry of `CLASSES` but fit in the registers of its
/// threads. Each class has a kernel with vector loads for multiples of the vector width, and a
/// kernel with scalar loads for all other lengths: if the threads of a kernel with vectors load
/// each element of a vector separately, softmax of 65536 rows of 4095 f32 elements reaches 1758
/// GB/s on an H200, and 3975 GB/s with scalar loads of neighbouring elements by neighbouring
/// threads.
pub(super) const CLASSES: [i64; 14] = [
    64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288,
];

/// Minimum number of resident threads per SM of the kernels for dynamic row lengths in which a
/// cluster holds a row of 32-bit elements, and weights. The following table shows the bandwidth of
/// kernels for dynamic row lengths in GB/s on an H200: each block of a cluster holds a contiguous
/// part of the row, or the blocks alternate after each vector of their threads (*alternating*). In
/// alternating kernels, more slots are inside every row of the class, and have no bounds check.
///
/// | program | columns | contiguous | contiguous, 768 threads | alternating | alternating, 768 threads |
/// |---|--:|--:|--:|--:|--:|
/// | softmax bf16 | 12288 | 3267 | 3012 | 3101 | 3412 |
/// | softmax bf16 | 16384 | 3991 | 3284 | 4266 | 4251 |
/// | softmax bf16 | 65536 | 3568 | 3303 | 3182 | 4070 |
/// | softmax bf16 | 131072 | 3678 | 3270 | 3016 | 4112 |
/// | softmax f32 | 12288 | 4093 | 4100 | 3910 | 3850 |
/// | softmax f32 | 65536 | 4162 | 3390 | 4264 | 4182 |
/// | softmax f32 | 131072 | 4046 | 4054 | 4249 | 4254 |
/// | RMS norm bf16 | 12288 | 3837 | 3224 | 2693 | 2678 |
/// | RMS norm bf16 | 65536 | 3249 | 3307 | 3045 | 3062 |
/// | RMS norm f32 | 12288 | 3479 | 4248 | 3807 | 3794 |
/// | RMS norm f32 | 65536 | 3690 | 4241 | 4245 | 4268 |
/// | RMS norm f32 | 131072 | 3342 | 4016 | 4183 | 4190 |
pub(super) const CLASS_RESIDENT: i64 = 768;

/// Maximum vector widths, in elements, of the kernels for dynamic row lengths: each entry is a pair
/// of a maximum row length and a vector width. Short rows use short vectors, because more row
/// lengths are multiples of a short vector width.
pub(super) const CLASS_VECTORS: [(i64, i64); 2] = [(256, 4), (i64::MAX, 8)];

/// A class of rows whose elements stay in registers between the ops of a group.
pub(super) struct Held {
    /// Maximum number of rows. A dynamic number of rows counts as greater than every maximum number
    /// of rows.
    pub(super) rows: i64,
    /// Maximum number of arrays whose rows stay in registers.
    pub(super) arrays: i64,
    /// Minimum and maximum number of ops per element.
    pub(super) ops: (i64, i64),
    /// Minimum and maximum number of operands with one element per column.
    pub(super) columns: (i64, i64),
    /// Whether the elements of a row have at most 16 bits. `None` matches all widths.
    pub(super) is_narrow: Option<bool>,
    /// Kinds of rows that the group stores. An empty list of row kinds matches all groups.
    pub(super) stores: &'static [Stores],
    /// Exclusive lower bound of the row length in elements: the class contains only longer rows.
    pub(super) longer: i64,
    /// Maximum number of elements of each operand that a thread holds.
    pub(super) held: i64,
    /// Minimum number of bytes of each operand that a thread holds. If `threads` threads cannot
    /// hold a row with `bytes` bytes per thread, a thread holds more bytes, up to `held` elements.
    pub(super) bytes: i64,
    /// Maximum number of threads per row in one block.
    pub(super) threads: i64,
    /// Minimum number of resident threads per SM. The more threads must be resident, the fewer
    /// registers a thread can use.
    pub(super) resident: Option<i64>,
    /// Whether the kernel loads operands with one element per column together with the row, and not
    /// after the reductions (`#tile.prefetch`). The blocks of a cluster share a row of 16-bit
    /// elements only if the kernel prefetches all operands with one element per column.
    pub(super) prefetches: bool,
}

impl Held {
    /// Class whose conditions match all rows.
    pub(super) const ALL: Self = Self {
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
        prefetches: false,
    };
}

/// Number of rows up to which the latency of one row determines the run time of the kernel. If a
/// kernel has at most `LATENCY_BOUND_ROWS` rows, the blocks of a cluster share each row. For more
/// than `LATENCY_BOUND_ROWS` rows, kernels that reload each row reach a higher bandwidth than
/// kernels that hold each row in registers. Layer norm of 64 rows of 8192 bf16 columns in a CUDA
/// graph on an H200 takes 2.8 µs with four blocks per row, and 3.8 µs with one block per row.
pub(super) const LATENCY_BOUND_ROWS: i64 = 64;

/// Value of [`Held::bytes`] with which each thread holds the maximum number of elements.
pub(super) const ALWAYS: i64 = i64::MAX;

/// Value of [`Held::bytes`] with which each thread holds at least two vectors of each operand.
pub(super) const TWO_VECTORS: i64 = 2 * VECTOR;

/// Minimum size of the row arrays of a kernel, in bytes, for loads with the L2 eviction policy
/// `evict_last`. RMS norm of 512 rows of 8192 bf16 columns (8 MiB), with a cold cache, takes 7.24 µs
/// on an H200 with `evict_last`, and 6.86 µs without; RMS norm of 32768 rows of 4096 f32 columns
/// reaches 4248 GB/s with `evict_last`, and 4107 GB/s without.
pub(super) const MIN_EVICT_LAST_BYTES: i64 = 16 * MIB;

/// Classes of rows that stay in registers. The first entry whose conditions match the group and the
/// row determines the mapping. The following table shows the bandwidth of kernels with the chosen
/// mapping and with other mappings, in GB/s on an H200. A mapping is written as blocks x threads x
/// elements in the registers of each thread; the number after `/` is the minimum number of resident
/// threads per SM. `Limits::of` and `Mapping::of` in `phases.rs` derive the mapping from the
/// matching entry of `HELD_ROWS` and the row length.
///
/// | program | columns | mapping | | other mappings | |
/// |---|--:|---|--:|---|--:|
/// | cross entropy bf16 | 65536 | 8 x 128 x 64 / 896 | 3902 | 8 x 128 x 64 | 3690 |
/// | cross entropy bf16 | 131072 | 16 x 128 x 64 / 896 | 3611 | 8 x 256, reloaded | 3481 |
/// | softmax bf16 | 131072 | 16 x 128 x 64 / 768 | 4069 | 8 x 256 x 64 | 3964 |
/// | log-softmax bf16 | 65536 | 8 x 128 x 64 / 768 | 4122 | 4 x 256 x 64 | 3415 |
/// | cross entropy bf16 | 8192 | 1 x 128 x 64 / 896 | 4403 | 1 x 128 x 64 | 4262 |
/// | softmax f32 | 131072 | 16 x 256 x 32 | 4258 | 8 x 512 x 32 | 4202 |
/// | log-softmax f32 | 262144 | 16 x 512 x 32 | 4039 | 16 x 256 x 64 / 768 | 3597 |
/// | softmax bf16 | 262144 | 16 x 256 x 64 / 768 | 3765 | 16 x 256, reloaded | 3422 |
/// | softmax f32 | 32768 | 4 x 512 x 16 | 4181 | 2 x 256 x 64 | 4065 |
/// | cross entropy f32 | 262144 | 16 x 256 x 64 | 4268 | 16 x 512 x 32 | 3419 |
/// | RMS norm f32 | 65536 | 8 x 256 x 32, prefetched | 4269 | 8 x 256 x 32 | 4070 |
/// | RMS norm bf16 | 8192 | 1 x 512 x 16 | 4273 | 1 x 512 x 16, prefetched | 4094 |
/// | RMS norm bf16 | 16384 | 2 x 256 x 32, prefetched | 4249 | 1 x 256 x 64 | 4189 |
/// | RMS norm bf16 | 32768 | 8 x 128 x 32, prefetched | 4165 | 1 x 512, reloaded | 4096 |
/// | RMS norm bf16 | 65536 | 8 x 256 x 32, prefetched | 3981 | 8 x 128, reloaded | 3911 |
/// | RMS norm f32 | 131072 | 16 x 256 x 32, prefetched | 4150 | 16 x 256 x 32 | 3890 |
/// | layer norm f32 | 16384 | 2 x 256 x 32, prefetched | 4102 | 1 x 512, reloaded | 3949 |
/// | layer norm f32 | 65536 | 8 x 256 x 32, prefetched | 3665 | 8 x 256, reloaded | 3309 |
/// | quantise bf16 to f8 | 1024 | 1 x 16 x 64 | 4208 | 1 x 32 x 32 | 3985 |
/// | layer norm bf16 | 256 | 1 x 8 x 32 | 4273 | 1 x 32 x 8 | 3842 |
/// | layer norm bf16 | 1000 | 1 x 32 x 32 | 4109 | 1 x 64 x 16 | 3908 |
/// | layer norm bf16 | 4096 | 1 x 128 x 32, prefetched | 4198 | 1 x 128 x 32 | 4160 |
/// | layer norm bf16 | 8192 | 1 x 256 x 32 | 3901 | 1 x 128, reloaded | 3715 |
/// | softmax f32 | 1024 | 1 x 128 x 8 | 4207 | 1 x 32 x 32 | 4148 |
/// | RMS norm f32 | 8192 | 1 x 512 x 16 | 4183 | 1 x 256 x 32 | 4075 |
/// | softmax bf16 | 8192 | 1 x 512 x 16 | 4201 | 1 x 128 x 64 | 4109 |
/// | exact softmax bf16 | 256 | 1 x 16 x 16 | 3372 | 1 x 32 x 8 | 2958 |
/// | exact softmax bf16 | 1024 | 1 x 32 x 32 | 3628 | 1 x 64 x 16 | 3242 |
/// | exact softmax f32 | 131072 | 8 x 256 x 64 | 3691 | 16 x 512 x 16 | 2474 |
/// | layer norm bf16, 1 row | 128256 | 16 x 256 x 32, prefetched | 3.4 µs | 1 x 1024, reloaded | 17.3 µs |
/// | RMS norm bf16, 8 rows | 8192 | 4 x 128 x 16, prefetched | 1.8 µs | 4 x 128 x 16 | 1.9 µs |
pub(super) const HELD_ROWS: [Held; 27] = [
    Held {
        rows: LATENCY_BOUND_ROWS,
        longer: 32768,
        held: 32,
        threads: MIN_BLOCK_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        rows: LATENCY_BOUND_ROWS,
        longer: 4096,
        held: 16,
        threads: MIN_BLOCK_THREADS,
        prefetches: true,
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
        stores: &[Stores::Nothing],
        longer: 4096,
        held: 64,
        threads: MIN_BLOCK_THREADS,
        arrays: 1,
        resident: Some(896),
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
        longer: 131072,
        held: 32,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        columns: (0, 0),
        is_narrow: Some(false),
        stores: &[Stores::Rows],
        longer: 65536,
        held: 32,
        threads: LONG_ROW_THREADS,
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
        prefetches: true,
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
        columns: (1, 1),
        is_narrow: Some(true),
        stores: &[Stores::Rows],
        longer: 32768,
        held: 32,
        threads: LONG_ROW_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        columns: (1, 1),
        is_narrow: Some(true),
        stores: &[Stores::Rows],
        longer: 16384,
        held: 32,
        threads: MIN_BLOCK_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        columns: (1, 1),
        is_narrow: Some(true),
        stores: &[Stores::Rows],
        longer: 8192,
        held: 32,
        threads: LONG_ROW_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        columns: (1, 1),
        is_narrow: Some(true),
        stores: &[Stores::Rows],
        longer: 4096,
        held: 32,
        bytes: TWO_VECTORS,
        threads: MAX_THREADS_PER_ROW,
        ..Held::ALL
    },
    Held {
        columns: (0, 1),
        stores: &[Stores::Rows],
        held: 32,
        bytes: TWO_VECTORS,
        threads: MAX_THREADS_PER_ROW,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        is_narrow: Some(false),
        held: 32,
        bytes: TWO_VECTORS,
        threads: LONG_ROW_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        longer: 4096,
        held: 32,
        threads: LONG_ROW_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        longer: 1024,
        held: 32,
        threads: MIN_BLOCK_THREADS,
        prefetches: true,
        ..Held::ALL
    },
    Held {
        held: 32,
        threads: MIN_BLOCK_THREADS,
        ..Held::ALL
    },
];
