//! How long a schedule should take, by a model.
//!
//! A kernel that reads its input once is limited by the memory, by how many loads are under way,
//! and by its instructions. The speeds that these allow are joined as resistances are, with an
//! exponent for how sharp the bend is. The numbers are fitted to 463 measured schedules of rows on
//! an H200: the root of the mean square of the error is 12 %.

use super::job::{Job, Work};
use super::nest::{Extent, Nest, Run};
use super::steps::Processor;
use crate::analysis::dataflow::Access;
use tx_mlir::byte_width;
use tx_target::Board;

/// Seconds for each time that a thread's loads are under way and awaited.
const ROUND: f64 = 0.6e-6;
/// Instructions of a thread besides those of its elements.
const BASE: f64 = 50.8;
/// Instructions of a load with its address.
const LOAD: f64 = 6.1;
/// Instructions of an element, of a step of an exchange, and of what joins the parts of a vector;
/// then the same where values are pairs or more.
const WORK: [[f64; 3]; 2] = [[3.8, 8.9, 1.0], [14.1, 9.4, 14.9]];
/// The share of the memory's speed that loads get which leave no hint, and hinted ones of rows of
/// less than two cache lines.
const PLAIN: f64 = 0.94;
const SHORT: f64 = 0.83;
/// How sharp the bend is between what limits.
const BEND: f64 = 4.9;
/// Bytes of a row that fills its cache lines.
const LINES: f64 = 256.0;
/// Instructions of a multiprocessor in a cycle.
const ISSUED: f64 = 128.0;
/// Threads and blocks of a multiprocessor at a time.
const MOST_THREADS: f64 = 2048.0;
const MOST_BLOCKS: f64 = 32.0;
/// Elements that are taken to be there where that is known at run time only, and how many of them are a row.
const ELEMENTS: f64 = (1u64 << 28) as f64;
const ROW: f64 = 1024.0;

/// What the model says of one schedule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) microseconds: f64,
    /// Read and written.
    bytes: f64,
    /// How often all multiprocessors are filled with blocks.
    waves: f64,
    /// Threads of a multiprocessor at a time.
    resident: f64,
    /// Microseconds that it would take if nothing but the memory were slow; nothing but the loads
    /// that are under way at a time; nothing but instructions.
    alone: [f64; 3],
}

impl Cost {
    /// The estimate as explanations have it.
    pub(crate) fn described(&self) -> tx_plan::Cost {
        let [memory, latency, instructions] = self.alone;
        tx_plan::Cost {
            microseconds: self.microseconds,
            bytes: self.bytes,
            waves: self.waves,
            resident: self.resident,
            memory,
            latency,
            instructions,
        }
    }
}

/// The lengths that a case of a schedule is for: above a number, and where there is one, up to another.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bounds {
    pub(crate) above: i64,
    pub(crate) most: Option<i64>,
}

/// Lengths of a job's dimensions; where they are known at run time only, those of a large array, or
/// the greatest of the bounds of a dimension. Dimensions without bounds have none.
pub(crate) fn lengths(job: &Job<'_>, bounds: &[Bounds]) -> Vec<f64> {
    let bound = |d: usize| bounds.get(d).copied().unwrap_or_default();
    let known = |d: usize| {
        let known = job.extents[d].known().or(bound(d).most);
        known.map(|n| n as f64)
    };
    let least = |d: usize| 2.0 * bound(d).above as f64;
    let is_alone = job.extents.len() == job.axes.len();
    let mut lengths: Vec<f64> = (0..job.extents.len())
        .map(|d| known(d).unwrap_or(ROW.max(least(d))))
        .collect();
    // One dimension makes up for the others.
    let free =
        (0..lengths.len()).find(|d| known(*d).is_none() && (is_alone || !job.axes.contains(d)));
    if let Some(free) = free {
        let others: f64 = (0..lengths.len())
            .filter(|d| *d != free)
            .map(|d| lengths[d].max(1.0))
            .product();
        lengths[free] = (ELEMENTS / others).ceil().max(1.0).max(least(free));
    }
    lengths
}

fn value(extent: &Extent, lengths: &[f64]) -> f64 {
    match extent {
        Extent::Static(n) => *n as f64,
        Extent::Dim(d) | Extent::Between { dim: d, .. } => lengths[*d],
        Extent::CeilDiv(of, factor) => (value(of, lengths) / *factor as f64).ceil(),
        Extent::Product(all) => all.iter().map(|e| value(e, lengths)).product(),
        Extent::AtMost(most) => value(most, lengths),
    }
}

/// What the model looks at of a kernel.
#[derive(Debug, Clone, Copy)]
struct Shape {
    blocks: f64,
    /// Threads of a block.
    threads: f64,
    /// Times that a thread loads and waits.
    rounds: f64,
    /// Instructions of a thread for its elements and exchanges.
    instructions: f64,
    /// Whether loads have a hint.
    streams: bool,
    /// Bytes that are read and written, and those of a row.
    bytes: f64,
    row_bytes: f64,
    /// Kernels that are launched.
    kernels: f64,
}

impl Shape {
    /// Of a job, of whose operands those count that are `moved`.
    fn of(
        job: &Job<'_>,
        nest: &Nest,
        lengths: &[f64],
        moved: impl Fn(&Access<'_>) -> bool,
    ) -> Self {
        let (mut blocks, mut lanes, mut rounds, mut loads, mut rows, mut vector) =
            (1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
        for node in nest.order.iter().map(|n| &nest.nodes[*n]) {
            let count = value(&node.extent, lengths).max(1.0);
            match node.run {
                Run::On(Processor::Block(_) | Processor::Cluster(_)) => blocks *= count,
                Run::On(Processor::Thread(_)) if node.reduced => lanes *= count,
                Run::On(Processor::Thread(_)) => {}
                Run::Serial => rounds *= count,
                Run::Vectorized => vector *= count,
                Run::Unrolled => {
                    loads *= count;
                    rows *= if node.reduced { 1.0 } else { count };
                }
            }
        }
        let bytes_of = |dims: &mut dyn Iterator<Item = usize>, width: f64| {
            dims.map(|d| lengths[d]).product::<f64>() * width
        };
        let all = job.sources.iter().chain(&job.destinations);
        let bytes: f64 = all
            .filter(|access| moved(access))
            .filter_map(|access| {
                let width = byte_width(access.memref.as_ref()?.element)? as f64;
                let mut used =
                    (0..lengths.len()).filter(|d| access.map.results.iter().any(|e| e.uses(*d)));
                Some(bytes_of(&mut used, width))
            })
            .sum();
        let row_bytes = bytes
            / job
                .axes
                .iter()
                .fold(lengths.iter().product::<f64>(), |n, d| n / lengths[*d])
                .max(1.0);
        let combines = !(nest.last_block || nest.global_rfactors().is_empty());
        let pairs = matches!(&job.work, Work::Combine(work) if work.combiner.op().is_none());
        let [element, exchange, join] = WORK[usize::from(pairs)];
        let steps = lanes.log2() * rows;
        let instructions = rounds * loads * (LOAD + vector * element)
            + steps * exchange
            + rows * (vector - 1.0) * join;
        Self {
            blocks,
            threads: nest.block().iter().product::<i64>() as f64,
            rounds,
            instructions,
            streams: nest.streams,
            bytes,
            row_bytes,
            kernels: if combines { 2.0 } else { 1.0 },
        }
    }
}

impl Cost {
    /// Of a kernel, and of the one that combines its partial results.
    pub(crate) fn of(job: &Job<'_>, nest: &Nest, board: &Board, lengths: &[f64]) -> Self {
        Self::of_shape(&Shape::of(job, nest, lengths, |_| true), board)
    }

    /// Of a kernel of several phases, one after the other: each a job, its loops, and the lengths of
    /// its dimensions; of its operands those count that are `moved`, with the number of the phase.
    pub(crate) fn of_phases<'a, 'c: 'a>(
        phases: impl Iterator<Item = (&'a Job<'c>, &'a Nest, Vec<f64>)>,
        moved: impl Fn(usize, &Access<'_>) -> bool,
        board: &Board,
    ) -> Option<Self> {
        let shapes = phases.enumerate().map(|(number, (job, nest, lengths))| {
            Shape::of(job, nest, &lengths, |access| moved(number, access))
        });
        let whole = shapes.reduce(|all, next| Shape {
            blocks: all.blocks.max(next.blocks),
            threads: all.threads.max(next.threads),
            // A phase that moves nothing awaits nothing.
            rounds: all.rounds + if next.bytes > 0.0 { next.rounds } else { 0.0 },
            instructions: all.instructions + next.instructions,
            bytes: all.bytes + next.bytes,
            row_bytes: all.row_bytes.max(next.row_bytes),
            ..all
        })?;
        Some(Self::of_shape(&whole, board))
    }

    fn of_shape(shape: &Shape, board: &Board) -> Self {
        let Shape {
            blocks,
            threads,
            rounds,
            bytes,
            ..
        } = *shape;
        let per_thread = shape.instructions + BASE;
        let beside = (MOST_THREADS / threads).floor().clamp(1.0, MOST_BLOCKS);
        let places = beside * board.multiprocessors;
        let waves = (blocks / places).max(f64::MIN_POSITIVE);
        // A last wave that is not full takes as long as one that is.
        let even = waves / waves.ceil();
        let per_block = bytes / blocks;
        let hint = match (shape.streams, shape.row_bytes < LINES) {
            (false, _) => PLAIN,
            (true, true) => SHORT,
            (true, false) => 1.0,
        };
        let memory = board.bytes_per_second * hint;
        let latency = places * even * per_block / (rounds * ROUND);
        let instructions =
            board.multiprocessors * ISSUED * board.hertz * per_block / (per_thread * threads);
        let speeds = [memory, latency, instructions];
        let slowness: f64 = speeds.iter().map(|speed| speed.powf(-BEND)).sum();
        // An array without elements is launched for all the same, and has no speed.
        let taken = |slowness: f64| if bytes > 0.0 { bytes * slowness } else { 0.0 };
        let seconds = taken(slowness.powf(1.0 / BEND)) + shape.kernels * board.launch_seconds;
        Self {
            microseconds: seconds * 1e6,
            bytes,
            waves,
            resident: threads * beside.min(blocks.max(1.0)),
            alone: speeds.map(|speed| taken(speed.recip()) * 1e6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tx_target::BOARDS;

    fn shapes() -> impl Strategy<Value = Shape> {
        let count = |most: u32| (0..=most).prop_map(|bits| f64::from(1u32 << bits));
        (
            (1.0..1e7f64, count(10), 1.0..1e4f64),
            1.0..1e4f64,
            (any::<bool>(), any::<bool>()),
            (0.0..1e10f64, 1.0..1e6f64),
        )
            .prop_map(|(grid, thread, (streams, combines), (bytes, row))| {
                let (blocks, threads, rounds) = grid;
                Shape {
                    blocks,
                    threads,
                    rounds,
                    instructions: rounds * thread,
                    streams,
                    bytes,
                    row_bytes: row,
                    kernels: if combines { 2.0 } else { 1.0 },
                }
            })
    }

    proptest! {
        /// It is no shorter than the slowest of what limits, and no longer than all of them one
        /// after the other.
        #[test]
        fn limits_are_joined(shape in shapes()) {
            let board = BOARDS[0];
            let cost = Cost::of_shape(&shape, &board);
            let launches = shape.kernels * board.launch_seconds * 1e6;
            let slowest = cost.alone.iter().copied().fold(0.0, f64::max);
            let sum: f64 = cost.alone.iter().sum();
            let rounding = 1e-9 * (1.0 + sum);
            prop_assert!(cost.microseconds.is_finite());
            prop_assert!(cost.microseconds >= slowest + launches - rounding, "{cost:?}");
            prop_assert!(cost.microseconds <= sum + launches + rounding, "{cost:?}");
        }

        /// What a board does faster, a chosen kernel does no slower.
        #[test]
        fn faster_boards_are_no_slower(shape in shapes(), factor in 1.0..4.0f64) {
            let board = BOARDS[0];
            let slow = Cost::of_shape(&shape, &board).microseconds;
            for faster in [
                Board { bytes_per_second: board.bytes_per_second * factor, ..board },
                Board { hertz: board.hertz * factor, ..board },
                Board { launch_seconds: board.launch_seconds / factor, ..board },
            ] {
                prop_assert!(Cost::of_shape(&shape, &faster).microseconds <= slow * (1.0 + 1e-9));
            }
        }

        /// More bytes in the same loops, and a second kernel, take longer; an array without
        /// elements takes the launches.
        #[test]
        fn more_is_slower(shape in shapes(), more in 1.0..4.0f64) {
            let board = BOARDS[0];
            let time = |shape| Cost::of_shape(&shape, &board).microseconds;
            let empty = Shape { bytes: 0.0, kernels: 1.0, ..shape };
            prop_assert!((time(empty) - board.launch_seconds * 1e6).abs() < 1e-9);
            prop_assert!(time(shape) >= time(empty));
            let once = time(Shape { kernels: 1.0, ..shape });
            let twice = time(Shape { kernels: 2.0, ..shape });
            prop_assert!(twice > once);
            // Loads in flight or instructions may limit the speed, whatever the bytes are.
            let larger = Shape { bytes: shape.bytes * more, ..shape };
            prop_assert!(time(larger) >= time(shape) * (1.0 - 1e-9));
        }
    }
}
