//! Distribution of a reduction over the threads of a scope, and its cost.

use super::reduction::Reduction;
use super::variant::Params;
use crate::emit::is_packed;
use crate::exchange::EXCHANGE;
use tx_dialect_tile::Scope;
use tx_mlir::byte_width;
use tx_mlir::memref::Space;

/// Maximum size of one memory access, in bytes.
const WIDEST: u64 = 16;

/// Maximum number of results, and maximum row length in elements, in the cost estimate.
const LARGE: u64 = 1 << 40;

pub(super) const WARP: u64 = tx_target::WARP as u64;

/// Number of bytes that the 32 banks of shared memory deliver per cycle: one 4-byte word per bank.
const BANKS_BYTES: u64 = 128;

/// Approximate latency of a shared memory load, in cycles.
const LOAD: u64 = 30;

/// Approximate latency of a combine op, in cycles.
const COMBINE: u64 = 4;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Distribution of a reduction over the threads of a scope.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Number of threads that share a result.
    pub(super) group: u64,
    /// Number of thread groups, each of `stride * group` threads.
    pub(super) groups: u64,
    /// Number of consecutive threads that compute pairwise different results.
    pub(super) stride: u64,
    pub(super) vector: u64,
    /// Skew of the start positions: the threads that compute result number `result` start
    /// `result / skew` steps after the start of their row. One step loads `group * vector`
    /// elements. If `skew` is 0, no start position is skewed. At the end of the row, the threads of
    /// a skewed result continue at the start of the row. With skewing, lanes of a warp that compute
    /// different results load from different banks of shared memory.
    pub(super) skew: u64,
}

fn floor_power(n: u64) -> u64 {
    if n == 0 { 1 } else { 1 << n.ilog2() }
}

impl Shape {
    pub(crate) fn of(params: &dyn Fn(&str) -> i64) -> Self {
        let get = |name| params(name).unsigned_abs();
        Self {
            group: get("group").max(1),
            groups: get("groups").max(1),
            stride: get("stride").max(1),
            vector: get("vector").max(1),
            skew: get("skew"),
        }
    }

    pub(crate) fn params(&self) -> Params {
        let mut params = vec![
            ("group", self.group),
            ("groups", self.groups),
            ("stride", self.stride),
            ("vector", self.vector),
        ];
        if self.skew > 0 {
            params.push(("skew", self.skew));
        }
        params
            .into_iter()
            .map(|(name, value)| (name, value.cast_signed()))
            .collect()
    }

    pub(crate) fn vector_width(&self) -> u64 {
        self.vector
    }

    /// Returns whether the row length is a multiple of `group * vector`, the number of elements
    /// that the threads of one result load in one step.
    pub(crate) fn is_exact(&self, r: &Reduction<'_>) -> bool {
        r.length()
            .is_some_and(|n| n % (self.group * self.vector) == 0)
    }

    /// Returns the number of lanes of a warp that share a result.
    pub(crate) fn lanes(&self) -> u64 {
        self.group.min((WARP / self.stride).max(1))
    }

    /// Returns the cheapest shape. The closure `lane_cost` receives a number of lanes, and returns
    /// the cost in cycles of an exchange between these lanes.
    pub(crate) fn choose(r: &Reduction<'_>, lane_cost: fn(u64) -> u64) -> Self {
        let threads = r.threads.unsigned_abs().max(1);
        if r.view.scope == Scope::Thread {
            return Self {
                group: 1,
                groups: 1,
                stride: 1,
                vector: 1,
                skew: 0,
            };
        }
        // A dynamic size is assumed to be large.
        let results = r.results().unwrap_or(1 << 20).clamp(1, LARGE);
        let length = r.length().unwrap_or(1 << 20).clamp(1, LARGE);
        if r.batch_invariant() {
            // The combine tree must depend only on the length and the block, not on the number of
            // results, their layout or their alignment.
            let group = Self::rows(threads, LARGE, length);
            return Self {
                group,
                groups: (threads / group).max(1),
                stride: 1,
                vector: 1,
                skew: 0,
            };
        }
        let along_reduced = r.contiguous().is_none_or(|d| r.reduced.contains(&d));
        if !along_reduced {
            let (stride, group) = Self::columns(threads, results, length);
            return Self {
                group,
                groups: (threads / (stride * group)).max(1),
                stride,
                vector: 1,
                skew: 0,
            };
        }
        let widest = Self::rows(threads, results, length);
        let with_group = |group: u64| {
            let vector = Self::vector(r, group, length);
            Self {
                group,
                groups: (threads / group).max(1),
                stride: 1,
                vector,
                skew: Self::skew(r, group, vector, length),
            }
        };
        // A warp loads whole cache lines of global memory only if neighbouring lanes load
        // neighbouring elements.
        let shared = r.sources.iter().all(|s| s.space == Space::Shared);
        if !shared || r.results().is_none() || r.length().is_none() || widest > WARP {
            return with_group(widest);
        }
        // With at most one element for each thread, one step loads all elements, without bank
        // conflicts and without loops.
        if results.saturating_mul(length) <= threads {
            return with_group(widest);
        }
        std::iter::successors(Some(widest), |g| (*g > 1).then_some(g / 2))
            .filter(|group| group.is_power_of_two())
            .map(with_group)
            .min_by_key(|shape| (shape.cost(r, lane_cost), std::cmp::Reverse(shape.group)))
            .unwrap_or_else(|| with_group(widest))
    }

    /// Returns the estimated cost of the reduction in cycles. The estimate contains the latencies
    /// of one thread, and the cycles in which the warps of the scope occupy shared memory and the
    /// warp schedulers.
    pub(crate) fn cost(&self, r: &Reduction<'_>, lane_cost: fn(u64) -> u64) -> u64 {
        let parts = r
            .view
            .accumulators()
            .map_or(1, |t| u64::try_from(t.len()).unwrap_or(1));
        self.cost_of(r, lane_cost, parts, parts)
    }

    /// Returns the estimated cycles of a thread that executes `fold` combine ops per element and
    /// exchanges `parts` values.
    pub(crate) fn cost_of(
        &self,
        r: &Reduction<'_>,
        lane_cost: fn(u64) -> u64,
        fold: u64,
        parts: u64,
    ) -> u64 {
        let results = r.results().unwrap_or(1 << 20).clamp(1, LARGE);
        let length = r.length().unwrap_or(1 << 20).clamp(1, LARGE);
        let bytes = r.element_bytes().unwrap_or(4);
        let used = self.group * self.stride * self.groups;
        let warps = used
            .min(results.saturating_mul(self.group))
            .div_ceil(WARP)
            .max(1);
        let rounds = results.div_ceil((self.stride * self.groups).max(1));
        let loads = length.div_ceil((self.group * self.vector).max(1));
        let banks = loads
            .saturating_mul((self.vector * bytes).div_ceil(4))
            .saturating_mul(warps);
        // Each vector element has a separate accumulator, and the thread combines its accumulators
        // at the end.
        let chain = (loads + u64::from(self.vector.ilog2())).saturating_mul(COMBINE * fold);
        let issue = loads
            .saturating_mul(self.vector * fold)
            .saturating_mul(warps.div_ceil(4));
        let tree = lane_cost(self.lanes()).saturating_mul(parts);
        let exchange = if self.group * self.stride > WARP {
            EXCHANGE * parts
        } else {
            0
        };
        let round = LOAD
            .saturating_add(banks)
            .saturating_add(chain.max(issue))
            .saturating_add(tree + exchange);
        rounds.saturating_mul(round)
    }

    /// Returns the smallest n for which the rows of results i and i + n begin in the same bank of
    /// shared memory; 0 disables skewing.
    fn skew(r: &Reduction<'_>, group: u64, vector: u64, length: u64) -> u64 {
        let step = group * vector;
        let (Some(source), Some(bytes)) = (r.source(), r.element_bytes()) else {
            return 0;
        };
        let outer = r.kept.iter().rev().find(|d| source.shape[**d] != Some(1));
        let pitch = outer.and_then(|d| source.strides[*d]);
        let (Some(pitch), 1) = (pitch, r.reduced.len()) else {
            return 0;
        };
        let shared = r.sources.iter().all(|s| s.space == Space::Shared);
        if !shared || group >= WARP || !length.is_multiple_of(step) || length == step {
            return 0;
        }
        let pitch = pitch.unsigned_abs().wrapping_mul(bytes);
        BANKS_BYTES / gcd(pitch, BANKS_BYTES)
    }

    /// Returns the maximum of the parameter `group` for a source whose contiguous dimension is
    /// reduced.
    fn rows(threads: u64, results: u64, length: u64) -> u64 {
        // Several warps share a result if there are more warps than results, and if a row has
        // enough elements.
        if results == 1 && threads > WARP && length >= threads {
            return threads;
        }
        let spare = floor_power(threads / WARP / results);
        if threads / WARP > results && length > WARP {
            return WARP * spare.min(floor_power(length / WARP));
        }
        WARP.min(length.next_power_of_two())
            .min(floor_power(threads))
    }

    /// Returns the parameters `stride` and `group` for a source whose contiguous dimension is
    /// parallel.
    fn columns(threads: u64, results: u64, length: u64) -> (u64, u64) {
        let stride = WARP
            .min(results.next_power_of_two())
            .min(floor_power(threads));
        let spare = floor_power(threads / (stride * results.div_ceil(stride)).max(1));
        // An exchange within a warp is cheap. An exchange between warps is expensive, so each
        // thread should combine at least a few elements before the exchange.
        let within = (WARP / stride).min(length.next_power_of_two());
        let between = floor_power((length / 4).max(1));
        (stride, spare.min(within.max(between)).max(1))
    }

    /// Returns the number of consecutive elements that each thread loads by one instruction; 1 if
    /// vector loads are impossible. Vector loads are possible only if the alignment and the strides
    /// permit them, and every lane has elements to load.
    pub(crate) fn vector(r: &Reduction<'_>, group: u64, length: u64) -> u64 {
        let (Some(bytes), Some(last)) = (r.element_bytes(), r.reduced.last()) else {
            return 1;
        };
        let packed = r.sources.iter().any(|s| is_packed(s.element));
        let mut vector = if packed { 1 } else { (WIDEST / bytes).max(1) };
        while vector > 1 {
            let divides = |n: Option<i64>| n.is_some_and(|n| n.unsigned_abs() % vector == 0);
            let rows = r.sources.iter().all(|source| {
                let pitched = (0..source.rank())
                    .filter(|d| d != last)
                    .all(|d| source.shape[d] == Some(1) || divides(source.strides[d]));
                let whole = source.shape[*last].is_some_and(|n| n % vector == 0);
                let bytes = byte_width(source.element).unwrap_or(1);
                let aligned = r.alignment >= vector * bytes;
                // `vector.load` loads along the last dimension of a memref.
                let minor = last + 1 == source.rank() && source.strides[*last] == Some(1);
                minor && pitched && whole && aligned
            });
            if rows && length >= group.saturating_mul(vector) {
                return vector;
            }
            vector /= 2;
        }
        1
    }
}
