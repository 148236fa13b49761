//! State of the construction of a schedule: the properties of the op, and the steps collected so
//! far.

use super::super::contiguous::{innermost, is_batch_invariant, main_operand};
use super::super::grid_op::{Combination, GridOp, Work};
use super::super::steps::{Case, Processor, Step};
use crate::emit::is_packed;
use tx_mlir::byte_width;
use tx_target::PORTABLE_CLUSTER;

/// Number of threads of a block.
pub(super) const THREADS_PER_BLOCK: i64 = 256;

pub(super) const LANES: i64 = 32;

/// Number of bytes of a vector load.
pub(crate) const VECTOR: i64 = 16;

/// Maximum number of accumulators of one thread.
pub(super) const MAX_ACCUMULATORS: i64 = 32;

/// Maximum number of unrolled ops of one thread: number of elements times ops per element.
pub(super) const MAX_UNROLLED_OPS: i64 = 1024;

/// Maximum number of elements of an iteration space for which the schedule uses only scalar loads,
/// unless the op is batch-invariant. With vector loads, each thread of a small op would load a
/// single vector, and LLVM would merge this load with the scalar loads of the unaligned path.
pub(super) const MAX_SCALAR_ELEMENTS: i64 = 4096;

/// Maximum number of elements that one thread reduces to a result, if vector loads are impossible.
pub(super) const MAX_ELEMENTS_OF_ONE_THREAD: i64 = 16;

/// Minimum row length in bytes for evict-first loads. A load of a row shorter than
/// `MIN_EVICT_FIRST_BYTES` uses only part of a cache line, so the line should stay in the cache for
/// the next load.
pub(super) const MIN_EVICT_FIRST_BYTES: i64 = 256;

/// Cluster sizes, in blocks, that [`super::candidates`] tries.
pub(super) const CLUSTERS: [i64; 3] = [2, 4, PORTABLE_CLUSTER as i64];

/// Minimum number of elements for which a last-block reduction is faster than a second kernel. In
/// reductions of fewer than `MIN_LAST_BLOCK_ELEMENTS` elements, the fence and the atomic of each
/// block take longer than the launch of a second kernel.
pub(super) const MIN_LAST_BLOCK_ELEMENTS: i64 = 1 << 26;

/// Number of blocks across which one result is split: four for each SM of an H200.
pub(super) const SPLIT_BLOCKS: i64 = 528;

/// Minimum number of blocks across which each of several results is split. If fewer than
/// `MIN_SPLIT_BLOCKS` blocks shared a result, the partial tile of the last block would be a greater
/// fraction of the work of all blocks.
pub(super) const MIN_SPLIT_BLOCKS: i64 = 16;

/// Number of blocks across which each very long row is split, if there are many rows.
pub(super) const SPLIT_BLOCKS_PER_ROW: i64 = 64;

/// Number of ops per element above which an op or a combiner counts as expensive.
pub(super) const EXPENSIVE_OPS: i64 = 8;

/// Minimum number of ops per element for which the computation of an element takes at least as long
/// as the load of the element. One call of a math function, such as `exp`, counts as 20 ops.
pub(super) const COMPUTE_BOUND_OPS: i64 = 24;

pub(super) struct Chooser<'a, 'c> {
    pub(super) grid_op: &'a GridOp<'c>,
    pub(super) kept: Vec<usize>,
    /// Whether the op is batch-invariant: the order in which elements are combined must not depend
    /// on the number of results.
    pub(super) is_batch_invariant: bool,
    pub(super) clusters: bool,
    /// Dimension along which the elements of the main operand are contiguous.
    pub(super) nearest: Option<usize>,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Copy)]
pub(super) enum Vectors {
    None,
    /// `Plain(n)`: vector loads of `n` elements from the start of the row.
    Plain(i64),
    /// `Aligned(n)`: vector loads of `n` elements from the first aligned address of the row.
    Aligned(i64),
}

impl Vectors {
    pub(super) fn width(self) -> i64 {
        match self {
            Self::None => 1,
            Self::Plain(n) | Self::Aligned(n) => n,
        }
    }

    pub(super) fn of(self, most: i64) -> Self {
        match self {
            Self::None => Self::None,
            Self::Plain(n) => Self::Plain(n.min(most)),
            Self::Aligned(n) => Self::Aligned(n.min(most)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// One block computes each result; a block may compute several results.
    One,
    /// `GridStride(n)`: the grid has `n` blocks, and each block computes its results in a
    /// grid-stride loop.
    GridStride(i64),
    /// `SecondKernel(n)`: `n` blocks share each result, and a second kernel combines the partial
    /// results of the blocks.
    SecondKernel(i64),
    /// `LastBlock(n)`: `n` blocks share each result, and the last block combines the partial
    /// results of the blocks.
    LastBlock(i64),
    /// `Cluster(n)`: the `n` blocks of a cluster share a result.
    Cluster(i64),
}

impl Blocks {
    pub(super) fn per_result(self) -> i64 {
        match self {
            Self::One | Self::GridStride(_) => 1,
            Self::SecondKernel(n) | Self::LastBlock(n) | Self::Cluster(n) => n,
        }
    }
}

impl<'a, 'c> Chooser<'a, 'c> {
    pub(super) fn of(grid_op: &'a GridOp<'c>, clusters: bool) -> Self {
        let is_batch_invariant = is_batch_invariant(grid_op);
        Self {
            grid_op,
            kept: (0..grid_op.extents.len())
                .filter(|d| !grid_op.axes.contains(d))
                .collect(),
            is_batch_invariant,
            clusters,
            nearest: innermost(grid_op),
            steps: Vec::new(),
        }
    }

    /// Returns true if the exchange of partial results is expensive, or if an element needs more
    /// than [`EXPENSIVE_OPS`] ops.
    pub(super) fn is_expensive(&self) -> bool {
        self.grid_op.weight() > EXPENSIVE_OPS || self.exchanges_parts()
    }

    /// Returns true if both conditions hold: an element needs at least [`COMPUTE_BOUND_OPS`] ops,
    /// and the exchange of partial results is expensive.
    pub(super) fn is_compute_bound(&self) -> bool {
        self.grid_op.weight() >= COMPUTE_BOUND_OPS && self.exchanges_parts()
    }

    /// Returns the collected steps as a schedule with a single case, which applies to all lengths.
    pub(super) fn take_schedule(&mut self) -> Vec<Case> {
        vec![Case::always(std::mem::take(&mut self.steps))]
    }

    pub(super) fn inner(&self) -> usize {
        let axes = &self.grid_op.axes;
        let nearest = self.nearest.filter(|d| axes.contains(d));
        nearest.or(axes.last().copied()).unwrap_or(0)
    }

    pub(super) fn one_thread_per_result(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.bind_one_thread_per_result(&kept, self.nearest, THREADS_PER_BLOCK);
        Some(self.take_schedule())
    }

    /// Splits the reduced loop into tiles, and distributes the tiles over the blocks that share a
    /// result, along grid dimension `along`. Returns the name of the loop that remains inside each
    /// block.
    pub(super) fn split_across_blocks(
        &mut self,
        reduced: &str,
        tile: i64,
        blocks: Blocks,
        along: usize,
    ) -> String {
        if blocks.per_result() == 1 {
            return reduced.to_owned();
        }
        let sharing = blocks.per_result();
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
        if matches!(blocks, Blocks::LastBlock(_)) {
            self.steps.push(Step::LastBlock);
        }
        format!("{inner}.i")
    }

    /// Halves the number `elements` until this number of elements needs at most
    /// [`MAX_UNROLLED_OPS`] ops.
    pub(super) fn unrollable(&self, mut elements: i64) -> i64 {
        while elements > 1 && self.exceeds_unroll_limit(elements) {
            elements /= 2;
        }
        elements
    }

    /// Returns whether `elements` elements need more than [`MAX_UNROLLED_OPS`] ops.
    pub(super) fn exceeds_unroll_limit(&self, elements: i64) -> bool {
        elements.saturating_mul(self.grid_op.weight()) > MAX_UNROLLED_OPS
    }

    /// Returns whether an exchange of partial results is expensive: a partial result has several
    /// values, or its combiner has more than [`EXPENSIVE_OPS`] ops.
    pub(super) fn exchanges_parts(&self) -> bool {
        match &self.grid_op.work {
            Work::Combine(Combination { combiner, .. }) => {
                let is_one = combiner.types().len() == 1 && self.grid_op.weight() <= EXPENSIVE_OPS;
                combiner.op().is_none() && !is_one
            }
            _ => false,
        }
    }

    /// Returns the number of bytes of an element of the main operand.
    pub(super) fn width(&self) -> Option<i64> {
        let memref = main_operand(self.grid_op)?.memref.as_ref()?;
        i64::try_from(byte_width(memref.element)?).ok()
    }

    /// Returns the kind and the vector width of the loads of the main operand along `dim`.
    pub(super) fn vectors(&self, dim: usize) -> Vectors {
        let Some(vector) = self.vector(dim).filter(|n| *n > 1) else {
            return Vectors::None;
        };
        let all: Vec<usize> = (0..self.grid_op.extents.len()).collect();
        match self.grid_op.extents[dim].known() {
            _ if !self.is_batch_invariant
                && self.total(&all).is_some_and(|n| n <= MAX_SCALAR_ELEMENTS) =>
            {
                Vectors::None
            }
            // If a thread loads a single vector, LLVM merges the vector load with the scalar loads
            // of the unaligned path.
            Some(n) if n < 2 * vector => Vectors::None,
            Some(n)
                if self.is_batch_invariant
                    && n.saturating_mul(self.width().unwrap_or(1)) < MIN_EVICT_FIRST_BYTES =>
            {
                Vectors::None
            }
            Some(n) if n % vector == 0 => Vectors::Plain(vector),
            // A batch-invariant schedule must not depend on the address of a row.
            _ if self.is_batch_invariant => Vectors::None,
            _ => Vectors::Aligned(vector),
        }
    }

    /// Returns the number of elements along `dim` that one load of the main operand reads.
    pub(super) fn vector(&self, dim: usize) -> Option<i64> {
        let access = main_operand(self.grid_op)?;
        let memref = access.memref.as_ref()?;
        let (last, others) = access.map.results.split_last()?;
        let neighbours = memref.strides.last() == Some(&Some(1))
            && last.step(dim) == Some(1)
            && others.iter().all(|e| e.step(dim) == Some(0));
        // Strides may depend on the number of rows, and a batch-invariant schedule must not depend
        // on the number of rows. If the elements are not contiguous at run time, the kernel uses
        // scalar loads instead of vector loads.
        let neighbours = neighbours || self.is_batch_invariant;
        let written = self
            .grid_op
            .destinations
            .iter()
            .any(|d| d.value == access.value);
        if !neighbours || written || is_packed(memref.element) {
            return None;
        }
        let parts = match &self.grid_op.work {
            Work::Combine(work) => i64::try_from(work.combiner.types().len()).ok()?,
            _ => return None,
        };
        let mut vector = VECTOR / self.width()?;
        while vector > 1 && (vector * parts > MAX_ACCUMULATORS || self.exceeds_unroll_limit(vector))
        {
            vector /= 2;
        }
        Some(vector)
    }

    pub(super) fn evict_first(&mut self) {
        self.steps.push(Step::Stream);
    }

    /// Splits dimension `last` by `vector`, and fuses the outer loop of the split with the other
    /// `dims` into one loop. Returns the name of the fused loop.
    pub(super) fn split_and_fuse(
        &mut self,
        dims: &[usize],
        last: usize,
        vector: i64,
        name: &str,
    ) -> String {
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
    pub(super) fn bind_one_thread_per_result(
        &mut self,
        kept: &[usize],
        nearest: Option<usize>,
        threads: i64,
    ) {
        if kept.is_empty() {
            return;
        }
        let threads = match self.total(kept) {
            // A batch-invariant op needs the same block size for every number of results.
            Some(n) if n < threads && !self.is_batch_invariant => power_of_two(n),
            _ => threads,
        };
        let results = self.fused(kept, nearest, "p");
        self.split(&results, threads, Some(0), Some(0));
    }

    /// Splits a loop into an outer loop `.o` and an inner loop `.i`. If `block` is given, binds the
    /// outer loop to grid dimension `block`. If `thread` is given, binds the inner loop to block
    /// dimension `thread`.
    pub(super) fn split(
        &mut self,
        name: &str,
        by: i64,
        block: Option<usize>,
        thread: Option<usize>,
    ) {
        self.steps.push(Step::Split(name.to_owned(), by));
        if let Some(d) = block {
            self.bind(&format!("{name}.o"), Processor::Block(d));
        }
        if let Some(d) = thread {
            self.bind(&format!("{name}.i"), Processor::Thread(d));
        }
    }

    /// Binds a loop to blocks. If `blocks` is given, the grid has `blocks` blocks, and each block
    /// executes a grid-stride loop.
    pub(super) fn bind_grid_stride(&mut self, name: &str, block: usize, blocks: Option<i64>) {
        let Some(blocks) = blocks else {
            return self.bind(name, Processor::Block(block));
        };
        self.split(name, blocks, None, None);
        self.bind(&format!("{name}.i"), Processor::Block(block));
    }

    pub(super) fn bind(&mut self, name: &str, processor: Processor) {
        self.steps.push(Step::Bind(name.to_owned(), processor));
    }

    /// Fuses dimensions into one loop, with `last` innermost. Returns the name of the fused loop.
    pub(super) fn fused(&mut self, dims: &[usize], last: Option<usize>, name: &str) -> String {
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

    /// Returns the product of the lengths of some dimensions; `None` if a length is dynamic or the
    /// product overflows.
    pub(super) fn total(&self, dims: &[usize]) -> Option<i64> {
        dims.iter().try_fold(1i64, |n, d| {
            n.checked_mul(self.grid_op.extents[*d].known()?)
        })
    }
}

pub(super) fn power_of_two(n: i64) -> i64 {
    let most = 1 << 62;
    n.clamp(1, most)
        .cast_unsigned()
        .next_power_of_two()
        .cast_signed()
}
