//! Phases that share rows: a row is the threads' of one block, or of a part of one.
//!
//! Where a thread can hold its elements of a row, nothing is loaded twice, and temporaries of the group stay in
//! registers. Of longer rows each phase loads its elements again, which the caches of the multiprocessor have.

use super::super::group::{Group, Phase, Role, is_reduction};
use super::super::resident::MAX_HELD;
use super::super::steps::{Case, Processor, Step};
use super::elementwise::{Walk, walk};
use super::table::{self, Request};
use super::{LANES, MOST_WRITTEN, VECTOR, ceildiv, power_of_two};
use tx_dialect_tile::Residency;
use tx_mlir::{Affine, byte_width};
use tx_target::MAX_THREADS;

/// Vectors that a thread loads before it uses any of them, where each phase loads its elements again.
const LOADS: i64 = 4;
/// Elements of an operand that a thread should hold: more of them are for rows of which [`MOST_THREADS`] would
/// hold too few otherwise.
const HELD: i64 = 32;
/// Most threads of a row.
const MOST_THREADS: i64 = 512;
/// Threads of a block, at least.
const LEAST_THREADS: i64 = 128;
/// Blocks of a cluster that every chip with clusters takes.
const MOST_BLOCKS: i64 = 8;
/// Bytes of an element from which on the blocks of a cluster share long rows. Measured on an H200 at 65536 columns,
/// in GB/s with a kernel an op and with a cluster a row: of f32 softmax 2016 and 3166, layer norm 2066 and 2486, RMS
/// norm 2664 and 2889; of bf16 1518 and 2072, but 1958 and 1648, and 2700 and 1978.
const SHARED_BYTES: i64 = 4;

/// Elements of a row up to which there are kernels where the length is known at run time only: each is for lengths up
/// to as many as its threads hold. Elements are loaded one by one: vectors need another kernel where they do not divide
/// the length. Softmax of 65536 rows of f32 on an H200, in GB/s by elements and by vectors: 4096 elements 3962 and 3850,
/// 4095 elements 3975 and 1758.
const CLASSES: [i64; 10] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768];

/// What the mapping of rows is chosen within.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Elements of an operand that a thread should hold.
    held: i64,
    /// Threads of a row in one block, at most, and blocks of a cluster.
    threads: i64,
    blocks: i64,
    /// Whether values may be held.
    holds: bool,
}

pub(super) const CHOSEN: Limits = Limits {
    held: HELD,
    threads: MOST_THREADS,
    blocks: MOST_BLOCKS,
    holds: true,
};
/// Limits that [`phase_candidates`] tries: elements that a thread holds, threads, and blocks of a cluster.
const HELD_TRIED: [i64; 4] = [8, 16, 32, 64];
const THREADS_TRIED: [i64; 4] = [128, 256, 512, 1024];
const BLOCKS_TRIED: [i64; 4] = [1, 2, 4, MOST_BLOCKS];

/// Other schedules that phases might share.
pub(crate) fn phase_candidates(group: &Group<'_>, clusters: bool) -> Vec<Vec<Case>> {
    let mut all = Vec::new();
    for held in HELD_TRIED {
        for threads in THREADS_TRIED {
            for blocks in BLOCKS_TRIED {
                for holds in [true, false] {
                    let limits = Limits {
                        held,
                        threads,
                        blocks,
                        holds,
                    };
                    let cases = table::of_group(group, clusters, limits).cases;
                    if !cases.is_empty() && !all.contains(&cases) {
                        all.push(cases);
                    }
                }
            }
        }
    }
    all
}

/// Rows of unknown length: a schedule for each class of lengths that can be held.
pub(super) fn classes(group: &Group<'_>, request: &Request, limits: Limits) -> Vec<Case> {
    let row = group
        .phases
        .get(group.leader())
        .map(|first| first.row.len());
    // Of several loops the host would have to multiply the lengths.
    if row != Some(1) {
        return Vec::new();
    }
    let mut cases: Vec<Case> = Vec::new();
    for length in CLASSES {
        let mapping = Mapping::of(request, limits, length);
        let most = mapping.capacity();
        let is_longer = cases
            .iter()
            .all(|case| case.most.is_some_and(|(_, n)| n < most));
        if mapping.holds && is_longer {
            cases.push(Case {
                most: Some((0, most)),
                steps: mapping.steps(group, Some(most)),
            });
        }
    }
    cases
}

/// A row that the threads of a block hold, or those of the blocks of a cluster; none where they cannot.
pub(super) fn held(group: &Group<'_>, request: &Request, limits: Limits) -> Vec<Case> {
    let mapping = request
        .length
        .map(|length| Mapping::of(request, limits, length));
    let held = mapping.filter(|mapping| mapping.holds);
    held.map(|mapping| Case::always(mapping.steps(group, None)))
        .into_iter()
        .collect()
}

/// A row that each phase loads again.
pub(super) fn loaded_again(group: &Group<'_>, request: &Request, limits: Limits) -> Vec<Case> {
    let again = Limits {
        holds: false,
        ..limits
    };
    let mapping = request
        .length
        .map(|length| Mapping::of(request, again, length));
    mapping
        .map(|mapping| Case::always(mapping.steps(group, None)))
        .into_iter()
        .collect()
}

/// Neighbours of a row that one load takes in all phases; one where the length is not known.
pub(super) fn vector_of(group: &Group<'_>) -> i64 {
    let length = group.phases.get(group.leader()).and_then(Phase::row_length);
    let whole = group.phases.iter().filter(|phase| !phase.row.is_empty());
    let divides = |n: i64| length.is_some_and(|length| length % n == 0);
    whole.map(|phase| vector(phase, divides)).min().unwrap_or(1)
}

/// Bytes of the widest element of a row, and ops of the phase that has most for each.
pub(super) fn bytes_and_ops(group: &Group<'_>) -> (i64, i64) {
    let whole = || group.phases.iter().filter(|phase| !phase.row.is_empty());
    let ops = whole().map(|phase| phase.job.weight()).max();
    (whole().map(widest).max().unwrap_or(1), ops.unwrap_or(1))
}

/// How the elements of a row are shared by threads.
struct Mapping {
    /// Neighbours that one load takes.
    vector: i64,
    /// Threads of a row in one block, and blocks of a cluster that share it.
    threads: i64,
    blocks: i64,
    /// Vectors that a thread loads before it uses any of them.
    loads: i64,
    /// Whether a thread keeps its elements in registers.
    holds: bool,
}

impl Mapping {
    /// The mapping of rows of so many elements.
    fn of(request: &Request, limits: Limits, length: i64) -> Self {
        let Request {
            vector,
            ops: weight,
            bytes,
            ..
        } = *request;
        let vectors = ceildiv(length, vector).max(1);
        // A row is one of a warp at least, where it has as many vectors.
        let least = power_of_two(vectors).min(LANES);
        let threads = |each: i64| {
            let most = vectors.min(each.saturating_mul(limits.threads));
            power_of_two(ceildiv(most, each)).clamp(least, limits.threads)
        };
        let loads = unrolled(limits.held / vector, vector * weight);
        // The blocks of a cluster share a row of which one would hold more than it should, and only the longest rows
        // take all threads that a block can have, which leaves each half of the registers.
        let is_shared = bytes >= SHARED_BYTES;
        let most = match request.clusters && is_shared && request.can_share {
            true => limits.blocks,
            false => 1,
        };
        let held = match ceildiv(vectors, loads.saturating_mul(limits.threads)) > most {
            true if is_shared => i64::from(MAX_THREADS),
            _ => threads(loads),
        };
        let blocks = ceildiv(vectors, held.saturating_mul(loads)).clamp(1, most);
        let each = ceildiv(vectors, held * blocks);
        let holds = limits.holds
            && each * vector <= MAX_HELD
            && each * vector * weight <= MOST_WRITTEN
            && request.can_hold;
        let threads = if holds { held } else { threads(LOADS) };
        let loads = match holds {
            true => each,
            false => unrolled(LOADS.min(ceildiv(vectors, threads)), vector * weight),
        };
        Self {
            vector,
            threads,
            blocks: if holds { blocks } else { 1 },
            loads,
            holds,
        }
    }

    /// Elements of a row that its threads hold.
    fn capacity(&self) -> i64 {
        self.vector * self.threads * self.blocks * self.loads
    }

    /// The steps; with `most`, for rows of up to so many elements.
    fn steps(&self, group: &Group<'_>, most: Option<i64>) -> Vec<Step> {
        let Self {
            vector,
            threads,
            blocks,
            loads,
            holds,
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
            let together = LEAST_THREADS / threads;
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
            steps.push(Step::Split(part.clone(), threads * loads));
            steps.push(Step::Bind(format!("{part}.o"), Processor::Cluster(0)));
            part.push_str(".i");
        }
        if loads > 1 && !holds {
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
        if holds {
            let arrays = group.arrays().into_iter();
            let held = arrays.filter(|array| array.role != Role::Output);
            steps.extend(held.map(|array| Step::Hold(array.name, Residency::Registers)));
        }
        steps
    }
}

/// At most `loads` vectors, whose code is not too much with so much for each.
fn unrolled(mut loads: i64, weight: i64) -> i64 {
    while loads > 1 && loads * weight > MOST_WRITTEN {
        loads /= 2;
    }
    loads.max(1)
}

/// One loop of so many, of which the one of number `cut` was split; its name.
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

/// Bytes of the widest element that a phase has for each element of a row.
fn widest(phase: &Phase<'_>) -> i64 {
    let job = &phase.job;
    let reads = job.sources.iter().chain(&job.extras);
    let written = job.destinations.iter().filter(|_| !is_reduction(job));
    let bytes = reads.chain(written).map(|access| {
        let varies = |index: &Affine| phase.row.iter().any(|d| index.uses(*d));
        let element = access.memref.as_ref().map(|memref| memref.element);
        let bytes = element
            .and_then(byte_width)
            .and_then(|n| i64::try_from(n).ok());
        bytes.filter(|_| access.map.results.iter().any(varies))
    });
    bytes.flatten().max().unwrap_or(1)
}

/// Neighbours of a row that one load takes: as many as fit in a vector of the widest type and divide a row, where
/// every operand goes along the row.
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
    while vector > 1 && vector * job.weight() > MOST_WRITTEN {
        vector /= 2;
    }
    vector
}
