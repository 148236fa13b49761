//! Schedules of groups of ops that share rows. Each row is processed by the threads of one block or
//! of one cluster.
//!
//! If the threads can hold a row in registers, the kernel loads the row once, and temporaries of
//! the group stay in registers. If a row is too long for the registers, each phase (op of the
//! group) loads the elements of the row again, from the cache.

use super::super::extent::ceildiv;
use super::super::grid_op::captured;
use super::super::group::{Group, Role};
use super::super::registers::MAX_HELD;
use super::super::steps::{Case, Processor, Step};
use super::chooser::{LANES, MAX_UNROLLED_OPS, power_of_two};
use super::phase_tables::{
    CLASS_RESIDENT, CLASS_VECTORS, CLASSES, HELD_ELEMENTS, HELD_ROWS, LATENCY_BOUND_ROWS,
    LONG_ROW_THREADS, MANY_VECTORS, MAX_GATHERED_BYTES, MAX_PORTABLE_BLOCKS, MAX_THREADS_PER_ROW,
    MIN_BLOCK_THREADS, MIN_EVICT_LAST_BYTES, MIN_THREADS_PER_ROW, NON_PORTABLE_BLOCKS, RELOADED,
    Reload, Reloaded,
};
use super::request::{Request, Stores, row_element_bytes, stores, widest_vector};
use tx_dialect_tile::Residency;
use tx_plan::UpTo;
use tx_target::MAX_THREADS;

#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Target number of elements of each operand that a thread holds in registers.
    pub(super) held: i64,
    /// Minimum number of threads per row, if the row has enough vectors.
    pub(super) least: i64,
    /// Maximum number of threads per row in one block, and maximum cluster size in blocks.
    pub(super) threads: i64,
    pub(super) blocks: i64,
    /// Whether registers may hold elements of a row.
    pub(super) holds: bool,
    /// Whether the blocks of a cluster may share rows of 16-bit elements if the group has operands
    /// with one element for each column.
    pub(super) shares_columns: bool,
    /// Minimum number of resident threads per SM.
    pub(super) resident: Option<i64>,
    /// Whether the kernel loads, before the first op, all inputs that stay in registers.
    pub(super) prefetches: bool,
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
        prefetches: false,
    };

    /// Returns the limits on registers, threads and blocks for rows of `length` elements.
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
            shares_columns: row.prefetches,
            resident: row.resident,
            prefetches: row.prefetches,
            ..Self::OF_CLASSES
        };
        limits.with_blocks_for(length)
    }

    /// Returns the limits on registers, threads and blocks for rows of `length` elements, with the
    /// maximum cluster size. The maximum cluster size is [`NON_PORTABLE_BLOCKS`] if the registers
    /// of [`MAX_PORTABLE_BLOCKS`] blocks cannot hold a row, else [`MAX_PORTABLE_BLOCKS`].
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

/// Returns whether a kernel that loads the rows again for each op is faster than a kernel that
/// holds the rows in registers.
pub(super) fn is_faster_reloaded(request: &Request) -> bool {
    let is_possible = request.can_hold_totals || !request.has_row_ops;
    is_possible && reloaded(request).is_some()
}

/// Returns one schedule case for each range of dynamic row lengths that registers can hold. A class
/// of row lengths has two kernels: one with vector loads, for multiples of the vector width, and
/// one with scalar loads.
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
    let widest = widest_vector(group, |_| true);
    let mut cases: Vec<Case> = Vec::new();
    for length in CLASSES {
        let mut vectors = CLASS_VECTORS.iter();
        let most = vectors.find(|(longest, _)| length <= *longest);
        let vector = most.map_or(1, |(_, vector)| widest.min(*vector));
        let with_vectors = Request { vector, ..*request };
        let scalar = Limits::OF_CLASSES.with_blocks_for(length);
        let mappings = [
            (with_vectors, Limits::of(&with_vectors, length)),
            (*request, scalar),
        ];
        for (request, measured) in mappings.into_iter().skip(usize::from(vector == 1)) {
            let mapping = Mapping::of(&request, limits.unwrap_or(measured), length);
            let mapping = mapping.of_class(&request);
            let up_to = UpTo {
                multiple_of: request.vector,
                ..UpTo::new(0, mapping.capacity())
            };
            let mut earlier = cases.iter().filter_map(|case| case.up_to);
            if mapping.holds == Holds::Row && !earlier.any(|case| case.covers(up_to)) {
                let steps = mapping.steps(group, Some(up_to.length));
                cases.push(Case {
                    up_to: Some(up_to),
                    steps,
                });
            }
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

/// Returns a schedule in which each op of the group loads the row again. The result is empty if
/// `limits` requires that registers hold the rows.
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
        let measured = reloaded(request).filter(|row| limits.is_none() && row.blocks == chosen);
        match measured.and_then(|row| row.mapping.as_ref()) {
            Some(reload) => Mapping::measured(request, reload, chosen, length),
            None => {
                let blocks = limits.map_or(chosen, |limits| chosen.min(limits.blocks));
                Mapping::reloaded(request, most, blocks, length)
            }
        }
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

/// Distribution of a row over threads.
struct Mapping {
    /// Number of elements that one load reads.
    vector: i64,
    /// Number of threads per row in one block, and number of blocks of a cluster that process one
    /// row together.
    threads: i64,
    blocks: i64,
    /// Number of vectors of a row that one block processes.
    part: i64,
    /// Number of vector loads that a thread has in flight.
    loads: i64,
    holds: Holds,
    /// Minimum number of resident threads per SM.
    resident: Option<i64>,
    /// Whether the kernel loads, before the first op, all inputs that stay in registers.
    prefetches: bool,
    /// Whether the loads have the L2 eviction policy `evict_last`.
    evicts_last: bool,
    /// Whether the blocks of a cluster process alternating parts of a row, each of one vector for
    /// each thread. Otherwise each block processes one contiguous part.
    alternates: bool,
}

/// Values that a thread holds in registers between the ops of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Registers hold the thread's elements of the row, and the reduction results.
    Row,
    /// Registers hold only the reduction results.
    Totals,
    /// Registers hold no values between the ops: the ops of the group exchange values through
    /// memory.
    Nothing,
}

impl Holds {
    /// Returns which values a thread holds if each op of the group loads the row again.
    fn of_reloaded(request: &Request, blocks: i64) -> Self {
        match request.can_hold_totals && (blocks > 1 || request.has_row_ops) {
            true => Self::Totals,
            false => Self::Nothing,
        }
    }
}

impl Mapping {
    /// Returns the mapping of rows of `length` elements; the rows stay in registers.
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
        // a block has more threads, and each thread has fewer registers. For the longest rows of
        // 16-bit elements, separate kernels are faster if no op stores rows: cross entropy of
        // 262144 bf16 columns on an H200 reaches 2176 GB/s with separate kernels, and 1682 GB/s
        // with 8 blocks of 512 threads.
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
            prefetches: limits.prefetches && request.columns > 0,
            evicts_last: evicts_last(request),
            alternates: false,
        }
    }

    /// Returns the mapping of all lengths of a class. The table of [`CLASS_RESIDENT`] shows the
    /// measurements.
    fn of_class(self, request: &Request) -> Self {
        let is_shared = self.blocks > 1 && request.vector > 1;
        let has_columns = request.columns > 0;
        Self {
            alternates: is_shared && !has_columns,
            resident: match is_shared && has_columns && request.bytes >= 4 {
                true => Some(CLASS_RESIDENT),
                false => self.resident,
            },
            ..self
        }
    }

    /// Returns the mapping of rows of `length` elements to at most `most` threads; each op of the
    /// group loads the row again.
    fn reloaded(request: &Request, most: i64, blocks: i64, length: i64) -> Self {
        let vector = request.vector;
        let blocks = blocks.max(1);
        let vectors = ceildiv(ceildiv(length, vector), blocks).max(1);
        // `loads` is the number of vectors in flight per thread, `share` is the target number of
        // vectors of a row per thread, and `most` is the maximum number of threads.
        let (loads, share, most) = match (request.columns, request.stores != Stores::Nothing) {
            _ if blocks > 1 && vectors > MANY_VECTORS => (1, 8, most),
            (0, true) | (1, _) if blocks > 1 => (4, 8, most),
            _ if blocks > 1 => (2, 8, most),
            (0, false) if vectors > MANY_VECTORS => (2, 8, most),
            (0, false) => (4, 4, most.min(MAX_THREADS_PER_ROW)),
            (0 | 1, _) => (2, 4, most),
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
            holds: Holds::of_reloaded(request, blocks),
            resident: None,
            prefetches: false,
            evicts_last: evicts_last(request),
            alternates: false,
        }
    }

    /// Returns the mapping of rows of `length` elements for the table entry `reload`; each op of
    /// the group loads the row again.
    fn measured(request: &Request, reload: &Reload, blocks: i64, length: i64) -> Self {
        let vector = request.vector;
        let vectors = ceildiv(ceildiv(length, vector), blocks).max(1);
        let loads = reload.loads.min(ceildiv(vectors, reload.threads));
        Self {
            vector,
            threads: reload.threads,
            blocks,
            part: vectors,
            loads: unrolled(loads, vector * request.ops),
            holds: Holds::of_reloaded(request, blocks),
            resident: reload.resident,
            prefetches: false,
            evicts_last: evicts_last(request),
            alternates: false,
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
            prefetches,
            evicts_last,
            alternates,
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
        let mut outer = part.clone();
        if alternates {
            steps.push(Step::Split(part.clone(), threads * blocks));
            part.push_str(".i");
        } else if blocks > 1 {
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
        if alternates {
            steps.push(Step::Bind(format!("{part}.o"), Processor::Cluster(0)));
        } else {
            outer = part;
        }
        if loads > 1 {
            steps.push(Step::Unroll(format!("{outer}.o")));
        }
        if vector > 1 {
            steps.push(Step::Vectorize(format!("{inner}.i")));
        }
        // A kernel that stores only one element per row needs each loaded cache line only once.
        // Cross entropy of 1024 bf16 columns on an H200 reaches 4349 GB/s with plain loads, and
        // 4590 GB/s with evict-first loads. For softmax, which writes rows, evict-first loads are 2
        // % slower.
        let length = first.row_length().or(most);
        let bytes = length.map(|n| n * row_element_bytes(first));
        let mut phases = group.phases.iter();
        let is_gathered = bytes.is_some_and(|bytes| bytes <= MAX_GATHERED_BYTES)
            && phases.any(|phase| !captured(phase.grid_op.op).is_empty());
        let is_read_once = stores(group) == Stores::Nothing && !is_gathered;
        let fills_cache_lines = most.is_none() || vector > 1;
        if holds == Holds::Row && fills_cache_lines && is_read_once {
            steps.push(Step::Stream);
        }
        if evicts_last {
            steps.push(Step::EvictLast);
        }
        if prefetches && holds == Holds::Row {
            steps.push(Step::Prefetch);
        }
        steps.extend(resident.map(Step::Resident));
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

/// Returns whether the loads of a group have the L2 eviction policy `evict_last`: the group stores
/// rows, and its arrays are not known to be small.
fn evicts_last(request: &Request) -> bool {
    let rows = request.results.unwrap_or(i64::MAX);
    let bytes = bytes_of_row(request).unwrap_or(i64::MAX);
    request.stores != Stores::Nothing && rows.saturating_mul(bytes) >= MIN_EVICT_LAST_BYTES
}

/// Halves `loads`, the number of unrolled vectors of a thread, until all vectors together need at
/// most [`MAX_UNROLLED_OPS`] ops. Each vector needs `weight` ops.
fn unrolled(mut loads: i64, weight: i64) -> i64 {
    while loads > 1 && loads * weight > MAX_UNROLLED_OPS {
        loads /= 2;
    }
    loads.max(1)
}

/// Fuses `count` loops into one loop. If `cut` is given, an earlier step has split loop number
/// `cut`; the function then fuses the outer loop of this split. Returns the name of the fused loop.
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
