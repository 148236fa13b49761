//! Cost model: estimates the time of a schedule.
//!
//! The time of a kernel that reads each input element once depends on three limits: memory
//! bandwidth, the latency of loads in flight, and instruction throughput. For each limit, the cost
//! model computes the time that a kernel would take if only this limit applied. The estimate is the
//! p-norm of the times for the three limits, with p = [`NORM_EXPONENT`]. The constants are fitted
//! to 463 measured row schedules on an H200; the root mean square error is 12 %.

use super::extent::Extent;
use super::grid_op::{GridOp, Work};
use super::nest::{LoopKind, Nest};
use super::steps::Processor;
use crate::analysis::dataflow::Access;
use tx_mlir::byte_width;
use tx_target::Board;

/// Latency of one round of loads of a thread, in seconds. In a round, a thread issues loads and
/// waits for the loaded values.
const ROUND: f64 = 0.6e-6;
/// Number of instructions per thread that do not depend on the number of elements.
const BASE: f64 = 50.8;
/// Number of instructions of one load, including the computation of its address.
const LOAD: f64 = 6.1;
/// Numbers of instructions: for each element, for each exchange step, and for each combination of
/// two accumulators of a vector. `WORK[0]` applies to reductions of single values, `WORK[1]` to
/// reductions of pairs and larger tuples.
const WORK: [[f64; 3]; 2] = [[3.8, 8.9, 1.0], [14.1, 9.4, 14.9]];
/// Fraction of the memory bandwidth that plain loads reach (`PLAIN`), and that evict-first loads
/// reach for rows shorter than [`LINES`] bytes (`SHORT`).
const PLAIN: f64 = 0.94;
const SHORT: f64 = 0.83;
/// Exponent of the norm that combines the times of the three limits: bandwidth, latency and
/// throughput. The greater the exponent, the closer the estimate is to the longest of the three
/// times.
const NORM_EXPONENT: f64 = 4.9;
/// Minimum length of a row in bytes for evict-first loads at full bandwidth: two cache lines.
const LINES: f64 = 256.0;
/// Number of instructions that an SM issues in one cycle: an instruction of a warp counts once for
/// each thread of the warp.
const ISSUED: f64 = 128.0;
/// Maximum numbers of resident threads and resident blocks per SM.
const MOST_THREADS: f64 = 2048.0;
const MOST_BLOCKS: f64 = 32.0;
/// Assumed number of elements of an array (`ELEMENTS`) and of a row (`ROW`), if sizes are dynamic.
const ELEMENTS: f64 = (1u64 << 28) as f64;
const ROW: f64 = 1024.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) microseconds: f64,
    bytes: f64,
    /// Number of waves: blocks of the grid divided by the maximum number of resident blocks on the
    /// GPU.
    waves: f64,
    resident: f64,
    /// Time in microseconds that the kernel would take if only one limit applied: memory bandwidth,
    /// latency of loads in flight, or instruction throughput.
    alone: [f64; 3],
}

impl Cost {
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

/// Range of lengths of a schedule case: greater than `above`, and at most `most`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bounds {
    pub(crate) above: i64,
    pub(crate) most: Option<i64>,
}

/// Returns the lengths of the dimensions of a grid-level op. A dynamic length is replaced by its
/// upper bound in `bounds`, or by the length in an assumed large array if `bounds` contains no
/// upper bound. `bounds` may have fewer entries than `grid_op` has dimensions.
pub(crate) fn lengths(grid_op: &GridOp<'_>, bounds: &[Bounds]) -> Vec<f64> {
    let bound = |d: usize| bounds.get(d).copied().unwrap_or_default();
    let known = |d: usize| {
        let known = grid_op.extents[d].known().or(bound(d).most);
        known.map(|n| n as f64)
    };
    let least = |d: usize| 2.0 * bound(d).above as f64;
    let is_alone = grid_op.extents.len() == grid_op.axes.len();
    let mut lengths: Vec<f64> = (0..grid_op.extents.len())
        .map(|d| known(d).unwrap_or(ROW.max(least(d))))
        .collect();
    // The length of one dynamic dimension is chosen so that the assumed array has `ELEMENTS`
    // elements.
    let free =
        (0..lengths.len()).find(|d| known(*d).is_none() && (is_alone || !grid_op.axes.contains(d)));
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

/// Properties of a kernel that determine its estimated time.
#[derive(Debug, Clone, Copy)]
struct Shape {
    blocks: f64,
    threads: f64,
    /// Number of rounds of loads; in a round, a thread issues its loads and waits for the loaded
    /// values.
    rounds: f64,
    /// Number of instructions that a thread executes for its elements and exchange steps.
    instructions: f64,
    evict_first: bool,
    /// Number of bytes read and written: `bytes` is the total, `row_bytes` is the number per row.
    bytes: f64,
    row_bytes: f64,
    kernels: f64,
}

impl Shape {
    /// Returns the properties of the kernel of `grid_op`. Only operands for which `moved` returns
    /// true count as memory traffic.
    fn of(
        grid_op: &GridOp<'_>,
        nest: &Nest,
        lengths: &[f64],
        moved: impl Fn(&Access<'_>) -> bool,
    ) -> Self {
        let (mut blocks, mut lanes, mut rounds, mut loads, mut rows, mut vector) =
            (1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
        for node in nest.order.iter().map(|n| &nest.nodes[*n]) {
            let count = value(&node.extent, lengths).max(1.0);
            match node.kind {
                LoopKind::Bound(Processor::Block(_) | Processor::Cluster(_)) => blocks *= count,
                LoopKind::Bound(Processor::Thread(_)) if node.reduced => lanes *= count,
                LoopKind::Bound(Processor::Thread(_)) => {}
                LoopKind::Serial => rounds *= count,
                LoopKind::Vectorized => vector *= count,
                LoopKind::Unrolled => {
                    loads *= count;
                    rows *= if node.reduced { 1.0 } else { count };
                }
            }
        }
        let bytes_of = |dims: &mut dyn Iterator<Item = usize>, width: f64| {
            dims.map(|d| lengths[d]).product::<f64>() * width
        };
        let all = grid_op.sources.iter().chain(&grid_op.destinations);
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
            / grid_op
                .axes
                .iter()
                .fold(lengths.iter().product::<f64>(), |n, d| n / lengths[*d])
                .max(1.0);
        let combines = !(nest.last_block || nest.global_rfactors().is_empty());
        let pairs = matches!(&grid_op.work, Work::Combine(work) if work.combiner.op().is_none());
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
            evict_first: nest.evict_first,
            bytes,
            row_bytes,
            kernels: if combines { 2.0 } else { 1.0 },
        }
    }
}

impl Cost {
    /// Estimates the time of the kernel of `grid_op`, plus the time of the kernel that combines its
    /// partial results.
    pub(crate) fn of(grid_op: &GridOp<'_>, nest: &Nest, board: &Board, lengths: &[f64]) -> Self {
        Self::of_shape(&Shape::of(grid_op, nest, lengths, |_| true), board)
    }

    /// Estimates the time of a kernel with several phases. Each phase consists of a grid-level op,
    /// its loop nest, and the lengths of its dimensions. `moved` takes a phase number and an
    /// operand, and returns whether the operand counts as memory traffic.
    pub(crate) fn of_phases<'a, 'c: 'a>(
        phases: impl Iterator<Item = (&'a GridOp<'c>, &'a Nest, Vec<f64>)>,
        moved: impl Fn(usize, &Access<'_>) -> bool,
        board: &Board,
    ) -> Option<Self> {
        let shapes = phases
            .enumerate()
            .map(|(number, (grid_op, nest, lengths))| {
                Shape::of(grid_op, nest, &lengths, |access| moved(number, access))
            });
        let whole = shapes.reduce(|all, next| Shape {
            blocks: all.blocks.max(next.blocks),
            threads: all.threads.max(next.threads),
            // A phase without memory traffic does not wait for loads.
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
        // A partial last wave takes as long as a full wave.
        let even = waves / waves.ceil();
        let per_block = bytes / blocks;
        let hint = match (shape.evict_first, shape.row_bytes < LINES) {
            (false, _) => PLAIN,
            (true, true) => SHORT,
            (true, false) => 1.0,
        };
        let memory = board.bytes_per_second * hint;
        let latency = places * even * per_block / (rounds * ROUND);
        let instructions =
            board.multiprocessors * ISSUED * board.hertz * per_block / (per_thread * threads);
        let speeds = [memory, latency, instructions];
        let slowness: f64 = speeds.iter().map(|speed| speed.powf(-NORM_EXPONENT)).sum();
        // The estimate for an empty array is the launch time of the kernels.
        let taken = |slowness: f64| if bytes > 0.0 { bytes * slowness } else { 0.0 };
        let seconds =
            taken(slowness.powf(1.0 / NORM_EXPONENT)) + shape.kernels * board.launch_seconds;
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
            .prop_map(|(grid, thread, (evict_first, combines), (bytes, row))| {
                let (blocks, threads, rounds) = grid;
                Shape {
                    blocks,
                    threads,
                    rounds,
                    instructions: rounds * thread,
                    evict_first,
                    bytes,
                    row_bytes: row,
                    kernels: if combines { 2.0 } else { 1.0 },
                }
            })
    }

    proptest! {
        /// The estimated time is at least the longest time of a single limit, and at most the sum
        /// of the times of all limits.
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

        /// Greater bandwidth, clock rate or launch speed of a board never increases the estimated
        /// time.
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

        /// For unchanged loops, the estimated time never decreases if the number of bytes
        /// increases. A second kernel increases the estimated time. The estimated time for an empty
        /// array is the launch time.
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
            // If the latency or the instruction throughput is the limit, more bytes may leave the
            // estimate unchanged, so the test accepts equal estimates.
            let larger = Shape { bytes: shape.bytes * more, ..shape };
            prop_assert!(time(larger) >= time(shape) * (1.0 - 1e-9));
        }
    }
}
