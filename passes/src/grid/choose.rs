//! The schedule of a job that brings none.
//!
//! Neighbouring threads take neighbouring elements. Where those are elements of one result, a group
//! of threads reduces it; where they belong to neighbouring results, each thread has a result of its
//! own. A reduction with few results and many elements is cut over blocks, which leave partial
//! results: always equally many, so that the same elements are combined in the same order however
//! long it is.

use super::job::{Access, Job, Work};
use super::nest::Extent;
use super::steps::{Processor, Step};
use tx_mlir::attribute;

/// Threads of a block.
const THREADS: i64 = 256;
/// Lanes of a warp.
const LANES: i64 = 32;
/// Blocks among which a long reduction is cut.
const CUTS: i64 = 256;
/// A result with at most so many elements is one thread's.
const SHORT: i64 = 16;
/// A row with at least so many elements is worth a whole block.
const LONG: i64 = 4096;
/// A reduction with at least so many elements is cut over blocks, when there are few results.
const VERY_LONG: i64 = 1 << 16;
/// As many results as keep a device busy, one block each.
const FEW: i64 = 64;

pub(crate) fn choose(job: &Job<'_>) -> Vec<Step> {
    let fixed =
        attribute(job.op, "determinism").is_some_and(|a| a.to_string().contains("batch_invariant"));
    let mut chooser = Chooser {
        job,
        fixed,
        nearest: if fixed { last(job) } else { nearest(job) },
        steps: Vec::new(),
    };
    chooser.run();
    chooser.steps
}

struct Chooser<'a, 'c> {
    job: &'a Job<'c>,
    /// Whether the order of partial results must not follow from how many results there are.
    fixed: bool,
    /// The dimension along which elements are neighbours.
    nearest: Option<usize>,
    steps: Vec<Step>,
}

impl Chooser<'_, '_> {
    fn run(&mut self) {
        let job = self.job;
        let kept: Vec<usize> = (0..job.extents.len())
            .filter(|d| !job.axes.contains(d))
            .collect();
        let nearest = self.nearest;
        if job.axes.is_empty() {
            return self.one_thread_each(&kept, nearest, THREADS);
        }
        let length = self.total(&job.axes);
        if length.is_some_and(|n| n <= SHORT) {
            return self.one_thread_each(&kept, nearest, THREADS);
        }
        let columns = !kept.is_empty() && nearest.is_some_and(|d| kept.contains(&d));
        if columns {
            self.one_thread_each(&kept, nearest, LANES);
            let reduced = self.fused(&job.axes, None, "r");
            self.split(&reduced, THREADS / LANES, None, Some(1));
            return;
        }
        let results = self.total(&kept);
        let few = kept.is_empty() || !self.fixed && results.is_some_and(|n| n <= FEW);
        let cut = job.partials.is_empty()
            && few
            && if kept.is_empty() {
                length.is_none_or(|n| n >= VERY_LONG)
            } else {
                length.is_some_and(|n| n >= VERY_LONG)
            };
        let threads = match length {
            Some(n) if n < LANES => n.cast_unsigned().next_power_of_two().cast_signed(),
            Some(n) if n >= LONG => THREADS,
            _ if kept.is_empty() => THREADS,
            _ => LANES,
        };
        self.rows(&kept, threads, cut);
    }

    /// A group of threads reduces each result.
    fn rows(&mut self, kept: &[usize], threads: i64, cut: bool) {
        let job = self.job;
        if !kept.is_empty() {
            let results = self.fused(kept, None, "p");
            let side_by_side = THREADS / threads;
            match side_by_side {
                1 => self.bind(&results, Processor::Block(if cut { 1 } else { 0 })),
                _ => self.split(
                    &results,
                    side_by_side,
                    Some(if cut { 1 } else { 0 }),
                    Some(1),
                ),
            }
        }
        let inner = self
            .nearest
            .filter(|d| job.axes.contains(d))
            .unwrap_or(job.axes[job.axes.len() - 1]);
        // Where neighbours are few, all dimensions together make rows.
        let narrow = job.extents[inner].known().is_some_and(|n| n < threads);
        let reduced = if narrow || cut {
            self.fused(&job.axes, Some(inner), "r")
        } else {
            format!("d{inner}")
        };
        if !cut {
            return self.split(&reduced, threads, None, Some(0));
        }
        self.steps
            .push(Step::Split(reduced.clone(), CUTS * threads));
        let inner = format!("{reduced}.i");
        self.steps.push(Step::Split(inner.clone(), threads));
        self.steps.push(Step::RFactor(format!("{inner}.o")));
        self.bind(&format!("{inner}.o"), Processor::Block(0));
        self.bind(&format!("{inner}.i"), Processor::Thread(0));
    }

    /// Each thread computes results of its own, neighbours side by side.
    fn one_thread_each(&mut self, kept: &[usize], nearest: Option<usize>, threads: i64) {
        if kept.is_empty() {
            return;
        }
        let threads = match self.total(kept) {
            // Fewer threads side by side would exchange values in another order.
            Some(n) if n < threads && !self.fixed => {
                n.max(1).cast_unsigned().next_power_of_two().cast_signed()
            }
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

/// The operand that matters most: the source of a reduction with most dimensions, what an
/// element-wise op writes.
fn main_operand<'a, 'c>(job: &'a Job<'c>) -> Option<&'a Access<'c>> {
    let widest = job.sources.iter().rev().max_by_key(|a| a.map.results.len());
    match &job.work {
        Work::Combine(..) => widest.or(job.destinations.first()),
        _ => job.destinations.first(),
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
