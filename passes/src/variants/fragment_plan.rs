//! Plan of a reduction of fragments: the registers that each thread combines, and the exchanges
//! between threads.

use super::reduction::Reduction;
use crate::analysis::kernel::WARP_SIZE;
use crate::analysis::placement::{Digit, Placement, Role};
use crate::exchange::EXCHANGE;
use melior::ir::ValueLike;
use tx_dialect_tile::Fragment;
use tx_mlir::{Val, byte_width};

/// Maximum shared memory for one exchange, in bytes. Every chip has 48 KiB of static shared memory
/// for each block.
const MAX_SCRATCH_BYTES: i64 = 48 * 1024;

/// Kind of exchange of partial results between threads. The thread number is a mixed-radix number,
/// and the numbers of the exchanging threads differ in one digit, which belongs to a reduced
/// dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExchangeKind {
    /// XOR shuffles between lanes whose numbers differ only in the bits of one mixed-radix digit.
    Xor,
    Shuffle,
    /// An exchange through shared memory between threads of several warps.
    SharedMemory,
}

/// Fold of one result register, as an index into [`FragmentPlan::folds`]. The fold lists the source
/// registers whose total the result register receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ResultFold {
    /// All threads use the same fold (list of source registers) for the result register.
    Uniform(usize),
    /// Lanes may use different folds for the result register; the entry of a lane without elements
    /// is `None`.
    ByLane(Vec<Option<usize>>),
}

/// Plan of a reduction of fragments.
pub(crate) struct FragmentPlan {
    pub(super) source: Placement,
    /// One fold for each result of a thread. A fold is the list of source registers (slots) that
    /// the thread combines in order.
    pub(super) folds: Vec<Vec<usize>>,
    /// Kind of exchange along each mixed-radix digit of the thread number. The entry is `None` for
    /// a digit that belongs to a parallel dimension.
    pub(super) digits: Vec<Option<ExchangeKind>>,
    /// Fold of each result register (slot).
    pub(super) result_folds: Vec<ResultFold>,
    /// Stride of each reduced dimension in the row-major element index.
    pub(super) number: Vec<i64>,
    pub(super) length: i64,
}

impl FragmentPlan {
    /// Plans a reduction of fragments.
    ///
    /// # Errors
    /// Returns the reason why the threads of the scope cannot reduce the fragments.
    pub(crate) fn of(r: &Reduction<'_>) -> Result<Self, String> {
        let scope = r.view.scope;
        let first = fragment_of(r.view.sources[0])?;
        for other in &r.view.sources[1..] {
            if fragment_of(*other)?.layout != first.layout {
                return Err("sources have different layouts, expected one".to_owned());
            }
        }
        let outputs = r.view.outputs();
        let target = fragment_of(outputs[0])?;
        for other in outputs[1..].iter().chain(&r.view.inits) {
            let other = fragment_of(*other)?;
            if other.layout != target.layout || other.shape != target.shape {
                return Err("results and `init` have different layouts, expected one".to_owned());
            }
        }
        let source = Placement::of(&first, scope).map_err(|e| format!("source: {e}"))?;
        let result = Placement::of(&target, scope).map_err(|e| format!("result: {e}"))?;
        for (what, placement) in [("source", &source), ("result", &result)] {
            if placement.threads() > r.threads {
                return Err(format!(
                    "{what}: the layout uses {} threads, but the `{scope}` has {}",
                    placement.threads(),
                    r.threads
                ));
            }
        }

        // All source registers (slots) that contribute to one result have equal indices along the
        // parallel dimensions.
        let mut keys: Vec<Vec<i64>> = Vec::new();
        let mut folds: Vec<Vec<usize>> = Vec::new();
        for (i, slot) in source.slots.iter().enumerate().filter(|(_, s)| !s.copy) {
            let key: Vec<i64> = kept_dims(r).map(|d| slot.index[d]).collect();
            match keys.iter().position(|k| *k == key) {
                Some(known) => folds[known].push(i),
                None => {
                    keys.push(key);
                    folds.push(vec![i]);
                }
            }
        }
        let mut number = vec![0; source.shape.len()];
        let mut length = 1;
        for d in (0..source.shape.len())
            .rev()
            .filter(|d| r.reduced.contains(d))
        {
            number[d] = length;
            length *= source.shape[d];
        }
        for fold in &mut folds {
            fold.sort_by_key(|i| -> i64 {
                let slot = &source.slots[*i].index;
                slot.iter().zip(&number).map(|(i, n)| i * n).sum()
            });
        }
        let digits = source
            .digits
            .iter()
            .enumerate()
            .map(|(k, digit)| match digit.role {
                Role::Element { dim, .. } if r.reduced.contains(&dim) => {
                    Some(exchange_kind(&source, k))
                }
                _ => None,
            })
            .collect();
        let result_folds = result_folds(r, &source, &result, &keys)?;
        let plan = Self {
            source,
            folds,
            digits,
            result_folds,
            number,
            length,
        };
        let size = r.kernel.threads_of(scope);
        let groups = (r.kernel.threads + size - 1) / size;
        let bytes = plan.scratch_slots() * groups * partial_bytes(r);
        if bytes > MAX_SCRATCH_BYTES {
            return Err(format!(
                "partial results of several warps take {bytes} bytes of shared memory, expected \
                 at most {MAX_SCRATCH_BYTES}"
            ));
        }
        Ok(plan)
    }

    /// Returns the digits of the thread number along which threads exchange partial results by the
    /// kind of exchange `how`. Each digit is paired with its position in [`Self::digits`].
    pub(super) fn reduced(&self, how: ExchangeKind) -> impl Iterator<Item = (usize, &Digit)> {
        self.digits
            .iter()
            .zip(&self.source.digits)
            .enumerate()
            .filter(move |(_, (between, _))| **between == Some(how))
            .map(|(k, (_, digit))| (k, digit))
    }

    /// Returns the number of partial results that warps exchange through shared memory.
    pub(super) fn scratch_slots(&self) -> i64 {
        let warps: i64 = self
            .reduced(ExchangeKind::SharedMemory)
            .map(|(_, d)| d.extent)
            .product();
        let kept: i64 = self.others().map(|(_, d)| d.extent).product();
        let folds = i64::try_from(self.folds.len()).unwrap_or(i64::MAX);
        if self.reduced(ExchangeKind::SharedMemory).next().is_none() {
            return 0;
        }
        warps.saturating_mul(kept).saturating_mul(folds)
    }

    /// Returns the digits of the thread number along parallel dimensions.
    pub(super) fn others(&self) -> impl Iterator<Item = (usize, &Digit)> {
        self.digits
            .iter()
            .zip(&self.source.digits)
            .enumerate()
            .filter(|(_, (between, _))| between.is_none())
            .map(|(k, (_, digit))| (k, digit))
    }

    /// Returns whether the lanes of a warp can combine all results together, by about one shuffle
    /// per result. The function returns true only if all lanes of a warp contribute to every
    /// result, and each lane stores at most one result.
    pub(super) fn transposes(&self) -> bool {
        let results = self.folds.len();
        let lanes = usize::try_from(WARP_SIZE).unwrap_or(32);
        let whole = self
            .reduced(ExchangeKind::Xor)
            .map(|(_, d)| d.extent)
            .product::<i64>()
            == WARP_SIZE
            && self.source.digits.len() == self.reduced(ExchangeKind::Xor).count();
        match self.result_folds.as_slice() {
            [ResultFold::ByLane(by_lane)]
                if whole && results.is_power_of_two() && results <= lanes =>
            {
                let each = lanes / results;
                let mut all = by_lane.iter().enumerate();
                all.all(|(lane, fold)| fold.is_none_or(|fold| fold == lane / each))
            }
            _ => false,
        }
    }

    /// Returns the number of lanes that share a result within a warp.
    pub(crate) fn lanes(&self) -> u64 {
        let all = [ExchangeKind::Xor, ExchangeKind::Shuffle]
            .into_iter()
            .flat_map(|how| self.reduced(how));
        all.map(|(_, d)| d.extent.unsigned_abs()).product()
    }

    /// Returns the estimated number of cycles that one thread needs for the reduction. `lanes` is
    /// the estimated cost of an exchange between lanes, in cycles.
    pub(crate) fn cost(&self, lanes: u64, redux: bool) -> u64 {
        let folds = u64::try_from(self.folds.len()).unwrap_or(1);
        let elements: usize = self.folds.iter().map(Vec::len).sum();
        let warps = u64::from(self.reduced(ExchangeKind::SharedMemory).next().is_some());
        let exchange = if !redux && self.transposes() {
            lanes + folds * 6
        } else {
            folds * (lanes + warps * EXCHANGE)
        };
        u64::try_from(elements).unwrap_or(1) * 4 + exchange
    }
}

fn fragment_of(value: Val<'_>) -> Result<Fragment<'_>, String> {
    Fragment::from_type(value.r#type())
        .ok_or_else(|| "the source is in memory, expected registers".to_owned())
}

fn kept_dims<'a>(r: &'a Reduction<'_>) -> impl Iterator<Item = usize> + 'a {
    (0..r.shape.len()).filter(|d| !r.reduced.contains(d))
}

fn partial_bytes(r: &Reduction<'_>) -> i64 {
    let types = r.view.accumulators().unwrap_or_default();
    types
        .iter()
        .map(|t| byte_width(*t).unwrap_or(8).cast_signed())
        .sum()
}

/// Returns the kind of exchange along digit `k` of the thread number. The chosen kind of exchange
/// is correct for every thread whose registers contain elements.
fn exchange_kind(source: &Placement, k: usize) -> ExchangeKind {
    let digit = source.digits[k];
    let field = digit.stride * (digit.extent - 1);
    let power = |n: i64| n.unsigned_abs().is_power_of_two();
    let mut bits = power(digit.stride) && power(digit.extent);
    for thread in 0..source.threads() {
        let Some(digits) = source.coordinates(thread) else {
            continue;
        };
        let first = thread - digits[k] * digit.stride;
        if first / WARP_SIZE != (first + field) / WARP_SIZE {
            return ExchangeKind::SharedMemory;
        }
        bits &= first & field == 0;
    }
    if bits {
        ExchangeKind::Xor
    } else {
        ExchangeKind::Shuffle
    }
}

/// Returns the fold (list of source registers) of each result register.
fn result_folds(
    r: &Reduction<'_>,
    source: &Placement,
    result: &Placement,
    keys: &[Vec<i64>],
) -> Result<Vec<ResultFold>, String> {
    // In a result of full rank, the reduced dimensions have size 1 and index 0.
    let squeezed = result.shape.len() < source.shape.len();
    let of_result = |index: &[i64]| -> Vec<i64> {
        if squeezed {
            index.to_vec()
        } else {
            kept_dims(r).map(|d| index[d]).collect()
        }
    };
    let lanes = usize::try_from(WARP_SIZE).unwrap_or(32);
    let mut takes: Vec<Vec<Option<usize>>> = vec![vec![None; lanes]; result.slots.len()];
    for thread in 0..result.threads() {
        let Some(place) = result.thread_index(thread) else {
            continue;
        };
        let mine = source.thread_index(thread);
        let lane = usize::try_from(thread % WARP_SIZE).unwrap_or(0);
        for (slot, taken) in result.slots.iter().zip(&mut takes) {
            let index: Vec<i64> = place.iter().zip(&slot.index).map(|(a, b)| a + b).collect();
            let wanted = of_result(&index);
            let found = mine.as_ref().and_then(|mine| {
                let key: Vec<i64> = kept_dims(r)
                    .zip(&wanted)
                    .map(|(d, w)| w - mine[d])
                    .collect();
                keys.iter().position(|k| *k == key)
            });
            let Some(fold) = found else {
                return Err(format!(
                    "element {index:?} of the result is on thread {thread} of the `{}`, which has \
                     no partial result of this element",
                    r.view.scope
                ));
            };
            if taken[lane].is_some_and(|before| before != fold) {
                return Err(format!(
                    "element {index:?} of the result is on thread {thread}, in a different \
                     register than on the same lane of other warps"
                ));
            }
            taken[lane] = Some(fold);
        }
    }
    takes
        .into_iter()
        .map(|lanes| {
            let mut all = lanes.iter().flatten();
            let first = *all.next().ok_or("no thread holds the result")?;
            Ok(if all.all(|fold| *fold == first) {
                ResultFold::Uniform(first)
            } else {
                ResultFold::ByLane(lanes)
            })
        })
        .collect()
}
