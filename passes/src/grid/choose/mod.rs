//! The schedule of a job that brings none.
//!
//! Neighbouring threads take neighbouring elements. Where those are elements of one result, a group
//! of threads reduces it; where they belong to neighbouring results, each thread has a result of its
//! own. A reduction with few results and many elements is cut over blocks, which leave partial
//! results that the last of them or another kernel combines: always equally many, so that the same
//! elements are combined in the same order however long it is.

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

/// Threads of a block.
const THREADS: i64 = 256;
/// Lanes of a warp.
const LANES: i64 = 32;
/// Bytes of a vector.
pub(crate) const VECTOR: i64 = 16;
/// Most partial results of a thread.
const MOST_PARTS: i64 = 32;
/// Ops that are written out, at most: elements of a thread times what each takes.
const MOST_WRITTEN: i64 = 1024;
/// So few elements are loaded one by one: where a thread has a vector alone, LLVM joins its load
/// with those of the way for arrays that are not aligned, and nothing is left of it.
const FEW: i64 = 4096;
/// A result with at most so many elements is one thread's, where vectors cannot be loaded.
const SHORT: i64 = 16;
/// Rows of fewer bytes leave part of a cache line to the next request, which should find it in the cache.
const STREAMED: i64 = 256;
/// Blocks of a cluster that [`candidates`] has.
const CLUSTERS: [i64; 3] = [2, 4, PORTABLE_CLUSTER as i64];
/// Elements from which on the last of the blocks that share a row is faster than another kernel.
/// Where blocks have little to do, a fence and an atomic access take each of them as long.
const LARGE: i64 = 1 << 26;
/// Blocks among which one result is cut: four for each multiprocessor of an H200.
const CUTS: i64 = 528;
/// Where it is one of several, no fewer: what is left over for the last of them costs little then.
const LEAST_CUTS: i64 = 16;
/// Blocks among which each of many very long rows is cut.
const SHARES: i64 = 64;
/// Ops of an element that are many.
const HEAVY: i64 = 8;
/// Ops of an element that are so many that they take as long as the memory: a function is among them.
const COSTLY_OPS: i64 = 24;

/// A mapping with its schedule for each length.
pub(crate) struct Chosen {
    /// The name of the mapping.
    pub(crate) mapping: &'static str,
    pub(crate) cases: Vec<Case>,
}

/// The schedule for each length; with `clusters`, blocks of one share what is better shared so.
pub(crate) fn choose(job: &Job<'_>, clusters: bool) -> Chosen {
    table::of_op(&mut Chooser::of(job, clusters), true)
}

/// The schedule for all lengths: for what combines partial results, which are few whatever the
/// lengths of the whole are.
pub(crate) fn choose_one(job: &Job<'_>, clusters: bool) -> Chosen {
    table::of_op(&mut Chooser::of(job, clusters), false)
}

/// The schedules that ops of a group share, with loops `p0`, …, and `r0`, …; with `clusters`, the
/// blocks of one share a long row. Of rows whose length is known at run time only, one for each class
/// of lengths; none where they cannot be held.
pub(crate) fn choose_phases(group: &Group<'_>, clusters: bool) -> Chosen {
    table::of_group(group, clusters, None)
}

/// Bytes of a row that one block loads where each phase loads it again; none where the length is not known.
pub(crate) fn bytes_of_block(group: &Group<'_>, clusters: bool) -> Option<i64> {
    phases::bytes_of_block(&table::Request::of_group(group, clusters))
}

/// Other schedules that may be as good, or better where what [`choose`] knows does not hold; those
/// for `clusters` too, where there are such.
pub(crate) fn candidates(job: &Job<'_>, clusters: bool) -> Vec<Vec<Case>> {
    Chooser::of(job, clusters).candidates()
}

struct Chooser<'a, 'c> {
    job: &'a Job<'c>,
    /// The dimensions that are not reduced.
    kept: Vec<usize>,
    /// Whether the order of partial results must not follow from how many results there are.
    fixed: bool,
    /// Whether there are clusters.
    clusters: bool,
    /// The dimension along which elements are neighbours.
    nearest: Option<usize>,
    steps: Vec<Step>,
}

/// How the elements of a row are loaded.
#[derive(Clone, Copy)]
enum Vectors {
    /// One by one.
    None,
    /// So many at once, from where the row begins.
    Plain(i64),
    /// So many at once, from the first aligned address.
    Aligned(i64),
}

impl Vectors {
    fn width(self) -> i64 {
        match self {
            Self::None => 1,
            Self::Plain(n) | Self::Aligned(n) => n,
        }
    }

    /// Of no more than so many elements.
    fn of(self, most: i64) -> Self {
        match self {
            Self::None => Self::None,
            Self::Plain(n) => Self::Plain(n.min(most)),
            Self::Aligned(n) => Self::Aligned(n.min(most)),
        }
    }
}

/// Which blocks a result is made by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// One, of which there are as many as it takes.
    One,
    /// One of so many that take turns at results.
    InTurns(i64),
    /// So many, whose partial results another kernel combines.
    ThenAnother(i64),
    /// So many, of which the last combines what all have left.
    ThenLast(i64),
    /// Those of a cluster of so many.
    Cluster(i64),
}

impl Blocks {
    /// How many share a result.
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

    /// Whether an element takes many ops, or several numbers are exchanged.
    fn is_heavy(&self) -> bool {
        self.job.weight() > HEAVY || self.exchanges_parts()
    }

    /// Whether several numbers are combined by so many ops that these take as long as the memory.
    fn is_costly(&self) -> bool {
        self.job.weight() >= COSTLY_OPS && self.exchanges_parts()
    }

    /// The schedule that was written.
    fn done(&mut self) -> Vec<Case> {
        vec![Case::always(std::mem::take(&mut self.steps))]
    }

    /// The innermost dimension of a row.
    fn inner(&self) -> usize {
        let axes = &self.job.axes;
        let nearest = self.nearest.filter(|d| axes.contains(d));
        nearest.or(axes.last().copied()).unwrap_or(0)
    }

    /// A thread for each result.
    fn a_thread_each(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.one_thread_each(&kept, self.nearest, THREADS);
        Some(self.done())
    }

    /// Cuts what is reduced, in tiles, over the blocks that share it, along dimension `along`; what
    /// is left for each of them, which is `reduced` itself where there is one.
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

    /// So many elements, or as many fewer as can be written out.
    fn affordable(&self, mut elements: i64) -> i64 {
        while elements > 1 && self.is_too_much(elements) {
            elements /= 2;
        }
        elements
    }

    /// Whether so many elements are too much to be written out.
    fn is_too_much(&self, elements: i64) -> bool {
        elements.saturating_mul(self.job.weight()) > MOST_WRITTEN
    }

    /// Whether partial results take long to exchange: they are several numbers, or combined by many ops.
    fn exchanges_parts(&self) -> bool {
        match &self.job.work {
            Work::Combine(Combination { combiner, .. }) => {
                let is_one = combiner.types().len() == 1 && self.job.weight() <= HEAVY;
                combiner.op().is_none() && !is_one
            }
            _ => false,
        }
    }

    /// Bytes of an element of the main operand.
    fn width(&self) -> Option<i64> {
        let memref = main_operand(self.job)?.memref.as_ref()?;
        i64::try_from(byte_width(memref.element)?).ok()
    }

    /// How elements along `dim` are loaded.
    fn vectors(&self, dim: usize) -> Vectors {
        let Some(vector) = self.vector(dim).filter(|n| *n > 1) else {
            return Vectors::None;
        };
        let all: Vec<usize> = (0..self.job.extents.len()).collect();
        match self.job.extents[dim].known() {
            _ if !self.fixed && self.total(&all).is_some_and(|n| n <= FEW) => Vectors::None,
            // LLVM joins a vector alone with what is loaded one by one where it is not aligned.
            Some(n) if n < 2 * vector => Vectors::None,
            Some(n) if self.fixed && n.saturating_mul(self.width().unwrap_or(1)) < STREAMED => {
                Vectors::None
            }
            Some(n) if n % vector == 0 => Vectors::Plain(vector),
            // Where a row begins must not matter.
            _ if self.fixed => Vectors::None,
            _ => Vectors::Aligned(vector),
        }
    }

    /// Neighbours along `dim` that one load takes.
    fn vector(&self, dim: usize) -> Option<i64> {
        let access = main_operand(self.job)?;
        let memref = access.memref.as_ref()?;
        let (last, others) = access.map.results.split_last()?;
        let neighbours = memref.strides.last() == Some(&Some(1))
            && last.step(dim) == Some(1)
            && others.iter().all(|e| e.step(dim) == Some(0));
        // Strides may follow from how many rows there are: without neighbours, elements are loaded
        // one by one.
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
        while vector > 1 && (vector * parts > MOST_PARTS || self.is_too_much(vector)) {
            vector /= 2;
        }
        Some(vector)
    }

    /// What is read once leaves the cache first.
    fn stream(&mut self) {
        self.steps.push(Step::Stream);
    }

    /// One loop over dimensions of which `last` is cut by `vector`, without the inner part of that; its name.
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

    /// Each thread computes results of its own, neighbours side by side.
    fn one_thread_each(&mut self, kept: &[usize], nearest: Option<usize>, threads: i64) {
        if kept.is_empty() {
            return;
        }
        let threads = match self.total(kept) {
            // Fewer threads side by side would exchange values in another order.
            Some(n) if n < threads && !self.fixed => power_of_two(n),
            _ => threads,
        };
        let results = self.fused(kept, nearest, "p");
        self.split(&results, threads, Some(0), Some(0));
    }

    /// Cuts a loop into `.o` and `.i`, and binds these to dimensions of the grid and of the block.
    fn split(&mut self, name: &str, by: i64, block: Option<usize>, thread: Option<usize>) {
        self.steps.push(Step::Split(name.to_owned(), by));
        if let Some(d) = block {
            self.bind(&format!("{name}.o"), Processor::Block(d));
        }
        if let Some(d) = thread {
            self.bind(&format!("{name}.i"), Processor::Thread(d));
        }
    }

    /// Runs a loop on blocks; where there are so many only, each takes the next when it is done with one.
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

    /// One loop over some dimensions, `last` innermost; its name.
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

    /// Points of some dimensions, when that is static.
    fn total(&self, dims: &[usize]) -> Option<i64> {
        dims.iter()
            .try_fold(1i64, |n, d| n.checked_mul(self.job.extents[*d].known()?))
    }
}

/// The least power of two that is no less, or the largest that there is; 1 for what is not positive.
fn power_of_two(n: i64) -> i64 {
    let most = 1 << 62;
    n.clamp(1, most)
        .cast_unsigned()
        .next_power_of_two()
        .cast_signed()
}

/// The operand that matters most: the source of a reduction with most dimensions, what an
/// element-wise op writes.
fn main_operand<'a, 'c>(job: &'a Job<'c>) -> Option<&'a Access<'c>> {
    let widest = job.sources.iter().rev().max_by_key(|a| a.map.results.len());
    match &job.work {
        Work::Combine(..) => widest.or(job.destinations.first()),
        _ => job.destinations.first(),
    }
}

/// Whether the order of partial results must not follow from how many results there are.
fn is_fixed(job: &Job<'_>) -> bool {
    let determinism = attribute(job.op, "determinism").and_then(Determinism::of);
    determinism == Some(Determinism::BatchInvariant)
}

/// The dimension along which elements are taken to be neighbours.
pub(crate) fn innermost(job: &Job<'_>) -> Option<usize> {
    match is_fixed(job) {
        true => last(job),
        false => nearest(job),
    }
}

/// The last dimension of the main operand, whatever the strides and sizes are.
fn last(job: &Job<'_>) -> Option<usize> {
    let index = main_operand(job)?.map.results.last()?;
    (0..job.extents.len()).rev().find(|d| index.uses(*d))
}

/// The dimension along which the elements of the main operand are neighbours.
fn nearest(job: &Job<'_>) -> Option<usize> {
    let access = main_operand(job)?;
    (0..job.extents.len())
        .filter(|d| job.extents[*d] != Extent::Static(1))
        .filter_map(|d| Some((distance(access, d)?, d)))
        .filter(|(distance, _)| *distance > 0)
        .min()
        .map(|(_, d)| d)
}

/// Elements between those of two neighbouring points along `dim`; a stride that is known at run time
/// only counts as larger than any that is known, and the more so the further out it is.
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
