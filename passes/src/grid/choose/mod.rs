//! Default schedules of grid-level ops without the attribute `schedule`.
//!
//! Neighbouring threads load neighbouring elements. If neighbouring elements belong to one result,
//! a group of threads computes the result. If neighbouring elements belong to neighbouring results,
//! each thread computes its own results. A reduction with few results and many elements is split
//! across blocks, and the last block or a second kernel combines their partial results.

mod columns;
mod elementwise;
mod phases;
mod rows;
mod table;

pub(crate) use phases::phase_candidates;

use super::group::Group;
use super::job::{Combination, Job, Work};
use super::nest::{Extent, ceildiv};
use super::steps::{Case, Processor, Step};
use crate::analysis::dataflow::Access;
use crate::emit::is_packed;
use tx_dialect_tile::Determinism;
use tx_mlir::{attribute, byte_width};
use tx_target::PORTABLE_CLUSTER;

/// Number of threads of a block.
const THREADS_PER_BLOCK: i64 = 256;
const LANES: i64 = 32;
/// Number of bytes of a vector load.
pub(crate) const VECTOR: i64 = 16;
/// Maximum number of accumulators of one thread.
const MAX_ACCUMULATORS: i64 = 32;
/// Maximum number of unrolled ops of one thread: number of elements times ops per element.
const MAX_UNROLLED_OPS: i64 = 1024;
/// Maximum number of elements of an op that uses scalar loads. If each thread loaded a single
/// vector, LLVM would merge the vector load with the scalar loads of the unaligned path.
const MAX_SCALAR_ELEMENTS: i64 = 4096;
/// Maximum number of elements that one thread reduces to a result, if vector loads are impossible.
const MAX_ELEMENTS_OF_ONE_THREAD: i64 = 16;
/// Minimum row length in bytes for evict-first loads. A load of a shorter row uses only part of a
/// cache line, so the line should stay in the cache for the next load.
const MIN_EVICT_FIRST_BYTES: i64 = 256;
/// Cluster sizes, in blocks, that [`candidates`] tries.
const CLUSTERS: [i64; 3] = [2, 4, PORTABLE_CLUSTER as i64];
/// Minimum number of elements for which a last-block reduction is faster than a second kernel. In
/// smaller reductions, the fence and the atomic of each block take longer than the launch of a
/// second kernel.
const MIN_LAST_BLOCK_ELEMENTS: i64 = 1 << 26;
/// Number of blocks across which one result is split: four for each SM of an H200.
const SPLIT_BLOCKS: i64 = 528;
/// Minimum number of blocks across which each of several results is split. If fewer blocks shared a
/// result, the partial tile of the last block would be a greater fraction of the work.
const MIN_SPLIT_BLOCKS: i64 = 16;
/// Number of blocks across which each very long row is split, if there are many rows.
const SPLIT_BLOCKS_PER_ROW: i64 = 64;
/// Number of ops per element above which an op or a combiner counts as expensive.
const EXPENSIVE_OPS: i64 = 8;
/// Minimum number of ops per element for which computing takes as long as loading. One call of a
/// math function, such as `exp`, counts as 20 ops.
const COMPUTE_BOUND_OPS: i64 = 24;

/// The chosen mapping, with one schedule for each range of lengths.
pub(crate) struct Chosen {
    pub(crate) mapping: &'static str,
    pub(crate) cases: Vec<Case>,
}

/// Returns the default schedule of an op for each range of lengths. If `clusters` is set, the
/// blocks of a cluster may share a row.
pub(crate) fn choose(job: &Job<'_>, clusters: bool) -> Chosen {
    table::of_op(&mut Chooser::of(job, clusters), true)
}

/// Returns one schedule for all lengths. The second phase of a reduction needs only one schedule,
/// because there are few partial results.
pub(crate) fn choose_one(job: &Job<'_>, clusters: bool) -> Chosen {
    table::of_op(&mut Chooser::of(job, clusters), false)
}

/// Returns the default schedule of a group; the schedule names the loops over rows `p0`, `p1`, …,
/// and the loops over a row `r0`, `r1`, …. If `clusters` is set, the blocks of a cluster may share
/// a long row. For rows of dynamic length, the schedule has one case for each class of lengths, or
/// no case if registers cannot hold the rows.
pub(crate) fn choose_phases(group: &Group<'_>, clusters: bool) -> Chosen {
    table::of_group(group, clusters, None)
}

/// Returns the number of bytes of a row that one block loads in each phase, or `None` for a dynamic
/// length.
pub(crate) fn bytes_of_block(group: &Group<'_>, clusters: bool) -> Option<i64> {
    phases::bytes_of_block(&table::Request::of_group(group, clusters))
}

/// Returns alternative schedules, which may be faster than the schedule of [`choose`].
pub(crate) fn candidates(job: &Job<'_>, clusters: bool) -> Vec<Vec<Case>> {
    Chooser::of(job, clusters).candidates()
}

struct Chooser<'a, 'c> {
    job: &'a Job<'c>,
    kept: Vec<usize>,
    /// Whether the op is batch-invariant: the order in which elements are combined must not depend
    /// on the number of results.
    fixed: bool,
    clusters: bool,
    /// Dimension along which elements are contiguous.
    nearest: Option<usize>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
enum Vectors {
    None,
    /// Vector loads from the start of the row; the field is the vector width in elements.
    Plain(i64),
    /// Vector loads from the first aligned address of the row; the field is the vector width in
    /// elements.
    Aligned(i64),
}

impl Vectors {
    fn width(self) -> i64 {
        match self {
            Self::None => 1,
            Self::Plain(n) | Self::Aligned(n) => n,
        }
    }

    fn of(self, most: i64) -> Self {
        match self {
            Self::None => Self::None,
            Self::Plain(n) => Self::Plain(n.min(most)),
            Self::Aligned(n) => Self::Aligned(n.min(most)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// One block computes one result, or several results.
    One,
    /// Each block computes its results in a grid-stride loop; the field is the number of blocks of
    /// the grid.
    InTurns(i64),
    /// Several blocks share a result, and a second kernel combines their partial results; the field
    /// is the number of blocks per result.
    ThenAnother(i64),
    /// Several blocks share a result, and the last block combines their partial results; the field
    /// is the number of blocks per result.
    ThenLast(i64),
    /// The blocks of a cluster share a result; the field is the cluster size.
    Cluster(i64),
}

impl Blocks {
    fn sharing(self) -> i64 {
        match self {
            Self::One | Self::InTurns(_) => 1,
            Self::ThenAnother(n) | Self::ThenLast(n) | Self::Cluster(n) => n,
        }
    }
}

impl<'a, 'c> Chooser<'a, 'c> {
    fn of(job: &'a Job<'c>, clusters: bool) -> Self {
        let fixed = is_fixed(job);
        Self {
            job,
            kept: (0..job.extents.len())
                .filter(|d| !job.axes.contains(d))
                .collect(),
            fixed,
            clusters,
            nearest: innermost(job),
            steps: Vec::new(),
        }
    }

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
        if !reduces || job.axes.is_empty() || self.fixed || length.is_some_and(|n| n <= 1) {
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

    /// Returns whether each element needs more than [`EXPENSIVE_OPS`] ops, or the exchange of
    /// partial results is expensive.
    fn is_heavy(&self) -> bool {
        self.job.weight() > EXPENSIVE_OPS || self.exchanges_parts()
    }

    /// Returns whether combining elements takes at least as long as loading them, and the exchange
    /// of partial results is expensive.
    fn is_costly(&self) -> bool {
        self.job.weight() >= COMPUTE_BOUND_OPS && self.exchanges_parts()
    }

    /// Returns the collected steps as a schedule for all lengths.
    fn done(&mut self) -> Vec<Case> {
        vec![Case::always(std::mem::take(&mut self.steps))]
    }

    fn inner(&self) -> usize {
        let axes = &self.job.axes;
        let nearest = self.nearest.filter(|d| axes.contains(d));
        nearest.or(axes.last().copied()).unwrap_or(0)
    }

    fn a_thread_each(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.one_thread_each(&kept, self.nearest, THREADS_PER_BLOCK);
        Some(self.done())
    }

    /// Splits the reduced loop into tiles, and distributes the tiles over the blocks that share a
    /// result, along grid dimension `along`. Returns the name of the loop that remains inside each
    /// block.
    fn share(&mut self, reduced: &str, tile: i64, blocks: Blocks, along: usize) -> String {
        if blocks.sharing() == 1 {
            return reduced.to_owned();
        }
        let sharing = blocks.sharing();
        self.steps
            .push(Step::Split(reduced.to_owned(), sharing * tile));
        let inner = format!("{reduced}.i");
        self.steps.push(Step::Split(inner.clone(), tile));
        let part = format!("{inner}.o");
        match blocks {
            Blocks::Cluster(_) => self.bind(&part, Processor::Cluster(along)),
            _ => {
                self.steps.push(Step::RFactor(part.clone()));
                self.bind(&part, Processor::Block(along));
            }
        }
        if matches!(blocks, Blocks::ThenLast(_)) {
            self.steps.push(Step::LastBlock);
        }
        format!("{inner}.i")
    }

    /// Halves `elements` until the ops of all elements are few enough to be unrolled.
    fn affordable(&self, mut elements: i64) -> i64 {
        while elements > 1 && self.is_too_much(elements) {
            elements /= 2;
        }
        elements
    }

    /// Returns whether the ops of `elements` elements are too many to be unrolled.
    fn is_too_much(&self, elements: i64) -> bool {
        elements.saturating_mul(self.job.weight()) > MAX_UNROLLED_OPS
    }

    /// Returns whether an exchange of partial results is expensive: a partial result has several
    /// values, or its combiner has more than [`EXPENSIVE_OPS`] ops.
    fn exchanges_parts(&self) -> bool {
        match &self.job.work {
            Work::Combine(Combination { combiner, .. }) => {
                let is_one = combiner.types().len() == 1 && self.job.weight() <= EXPENSIVE_OPS;
                combiner.op().is_none() && !is_one
            }
            _ => false,
        }
    }

    /// Returns the number of bytes of an element of the main operand.
    fn width(&self) -> Option<i64> {
        let memref = main_operand(self.job)?.memref.as_ref()?;
        i64::try_from(byte_width(memref.element)?).ok()
    }

    /// Returns the kind and width of the loads along `dim`.
    fn vectors(&self, dim: usize) -> Vectors {
        let Some(vector) = self.vector(dim).filter(|n| *n > 1) else {
            return Vectors::None;
        };
        let all: Vec<usize> = (0..self.job.extents.len()).collect();
        match self.job.extents[dim].known() {
            _ if !self.fixed && self.total(&all).is_some_and(|n| n <= MAX_SCALAR_ELEMENTS) => {
                Vectors::None
            }
            // If a thread loads a single vector, LLVM merges the vector load with the scalar loads
            // of the unaligned path.
            Some(n) if n < 2 * vector => Vectors::None,
            Some(n)
                if self.fixed
                    && n.saturating_mul(self.width().unwrap_or(1)) < MIN_EVICT_FIRST_BYTES =>
            {
                Vectors::None
            }
            Some(n) if n % vector == 0 => Vectors::Plain(vector),
            // A batch-invariant schedule must not depend on the address of a row.
            _ if self.fixed => Vectors::None,
            _ => Vectors::Aligned(vector),
        }
    }

    /// Returns the number of elements along `dim` that one load reads.
    fn vector(&self, dim: usize) -> Option<i64> {
        let access = main_operand(self.job)?;
        let memref = access.memref.as_ref()?;
        let (last, others) = access.map.results.split_last()?;
        let neighbours = memref.strides.last() == Some(&Some(1))
            && last.step(dim) == Some(1)
            && others.iter().all(|e| e.step(dim) == Some(0));
        // Strides may depend on the number of rows, and a batch-invariant schedule must not depend
        // on the number of rows. If the elements are not contiguous at run time, the kernel uses
        // scalar loads instead of vector loads.
        let neighbours = neighbours || self.fixed;
        let written = self
            .job
            .destinations
            .iter()
            .any(|d| d.value == access.value);
        if !neighbours || written || is_packed(memref.element) {
            return None;
        }
        let parts = match &self.job.work {
            Work::Combine(work) => i64::try_from(work.combiner.types().len()).ok()?,
            _ => return None,
        };
        let mut vector = VECTOR / self.width()?;
        while vector > 1 && (vector * parts > MAX_ACCUMULATORS || self.is_too_much(vector)) {
            vector /= 2;
        }
        Some(vector)
    }

    fn stream(&mut self) {
        self.steps.push(Step::Stream);
    }

    /// Splits dimension `last` by `vector`, and fuses the outer loop of the split with the other
    /// `dims` into one loop. Returns the name of the fused loop.
    fn cut(&mut self, dims: &[usize], last: usize, vector: i64, name: &str) -> String {
        if vector == 1 {
            return self.fused(dims, Some(last), name);
        }
        self.steps.push(Step::Split(format!("d{last}"), vector));
        let outer = format!("d{last}.o");
        if dims == [last] {
            return outer;
        }
        let others = dims.iter().filter(|d| **d != last).map(|d| format!("d{d}"));
        self.steps
            .push(Step::Fuse(others.chain([outer]).collect(), name.to_owned()));
        name.to_owned()
    }

    /// Adds the steps of a mapping in which one thread computes each result, and neighbouring
    /// threads compute neighbouring results.
    fn one_thread_each(&mut self, kept: &[usize], nearest: Option<usize>, threads: i64) {
        if kept.is_empty() {
            return;
        }
        let threads = match self.total(kept) {
            // A batch-invariant op needs the same block size for every number of results.
            Some(n) if n < threads && !self.fixed => power_of_two(n),
            _ => threads,
        };
        let results = self.fused(kept, nearest, "p");
        self.split(&results, threads, Some(0), Some(0));
    }

    /// Splits a loop into an outer loop `.o` and an inner loop `.i`. Binds the outer loop to grid
    /// dimension `block` and the inner loop to block dimension `thread`, if given.
    fn split(&mut self, name: &str, by: i64, block: Option<usize>, thread: Option<usize>) {
        self.steps.push(Step::Split(name.to_owned(), by));
        if let Some(d) = block {
            self.bind(&format!("{name}.o"), Processor::Block(d));
        }
        if let Some(d) = thread {
            self.bind(&format!("{name}.i"), Processor::Thread(d));
        }
    }

    /// Binds a loop to blocks. If `turns` is given, the grid has `turns` blocks, and each block
    /// executes a grid-stride loop.
    fn bind_in_turns(&mut self, name: &str, block: usize, turns: Option<i64>) {
        let Some(blocks) = turns else {
            return self.bind(name, Processor::Block(block));
        };
        self.split(name, blocks, None, None);
        self.bind(&format!("{name}.i"), Processor::Block(block));
    }

    fn bind(&mut self, name: &str, processor: Processor) {
        self.steps.push(Step::Bind(name.to_owned(), processor));
    }

    /// Fuses dimensions into one loop, with `last` innermost. Returns the name of the fused loop.
    fn fused(&mut self, dims: &[usize], last: Option<usize>, name: &str) -> String {
        if let [one] = dims {
            return format!("d{one}");
        }
        let mut order: Vec<usize> = dims.to_vec();
        if let Some(last) = last.filter(|d| dims.contains(d)) {
            order.retain(|d| *d != last);
            order.push(last);
        }
        let names = order.iter().map(|d| format!("d{d}")).collect();
        self.steps.push(Step::Fuse(names, name.to_owned()));
        name.to_owned()
    }

    /// Returns the product of the lengths of some dimensions, if all are static.
    fn total(&self, dims: &[usize]) -> Option<i64> {
        dims.iter()
            .try_fold(1i64, |n, d| n.checked_mul(self.job.extents[*d].known()?))
    }
}

fn power_of_two(n: i64) -> i64 {
    let most = 1 << 62;
    n.clamp(1, most)
        .cast_unsigned()
        .next_power_of_two()
        .cast_signed()
}

/// Returns the main operand: the source of a reduction with the most dimensions, or the destination
/// of an element-wise op.
fn main_operand<'a, 'c>(job: &'a Job<'c>) -> Option<&'a Access<'c>> {
    let widest = job.sources.iter().rev().max_by_key(|a| a.map.results.len());
    match &job.work {
        Work::Combine(..) => widest.or(job.destinations.first()),
        _ => job.destinations.first(),
    }
}

fn is_fixed(job: &Job<'_>) -> bool {
    let determinism = attribute(job.op, "determinism").and_then(Determinism::of);
    determinism == Some(Determinism::BatchInvariant)
}

/// Returns the dimension along which elements are assumed to be contiguous.
pub(crate) fn innermost(job: &Job<'_>) -> Option<usize> {
    match is_fixed(job) {
        true => last(job),
        false => nearest(job),
    }
}

/// Returns the last dimension of the main operand, independent of strides and sizes.
fn last(job: &Job<'_>) -> Option<usize> {
    let index = main_operand(job)?.map.results.last()?;
    (0..job.extents.len()).rev().find(|d| index.uses(*d))
}

/// Returns the dimension along which the elements of the main operand are contiguous.
fn nearest(job: &Job<'_>) -> Option<usize> {
    let access = main_operand(job)?;
    (0..job.extents.len())
        .filter(|d| job.extents[*d] != Extent::Static(1))
        .filter_map(|d| Some((distance(access, d)?, d)))
        .filter(|(distance, _)| *distance > 0)
        .min()
        .map(|(_, d)| d)
}

/// Returns the distance in elements between consecutive points along `dim`. A dynamic stride counts
/// as greater than any static stride, and an outer dynamic stride as greater than an inner dynamic
/// stride.
fn distance(access: &Access<'_>, dim: usize) -> Option<i64> {
    let memref = access.memref.as_ref()?;
    let rank = memref.rank();
    let mut sum = 0i64;
    for (i, result) in access.map.results.iter().enumerate() {
        if !result.uses(dim) {
            continue;
        }
        let stride =
            memref.strides[i].unwrap_or_else(|| (1 << 40) + i64::try_from(rank - i).unwrap_or(0));
        sum = sum.saturating_add(result.step(dim).unwrap_or(1).saturating_mul(stride));
    }
    Some(sum.saturating_abs())
}
