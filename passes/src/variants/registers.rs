//! Reductions of fragments: within each thread, then between lanes of a warp, then between warps.

use super::reduction::Reduction;
use crate::analysis::kernel::WARP_SIZE;
use crate::analysis::placement::{Digit, Located, Placement, Role};
use crate::combiner::Combiner;
use crate::emit::{finish, fragment, index_as, registers, scalars, vector_of};
use crate::exchange::{EXCHANGE, Exchange, Pool};
use melior::ir::{Type, ValueLike};
use std::collections::BTreeMap;
use tx_dialect_tile::Fragment;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val, byte_width};

/// Maximum shared memory for one exchange, in bytes. Every chip has 48 KiB of static shared memory
/// for each block.
const MOST_SCRATCH: i64 = 48 * 1024;
/// Maximum number of partial results of warps that a thread combines without a loop.
const UNROLL: i64 = 8;

/// Kind of exchange of partial results along one reduced mixed-radix digit of the thread number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Between {
    /// XOR shuffles between lanes whose numbers differ only in some bits.
    Bits,
    Lanes,
    /// An exchange through shared memory between threads of several warps.
    Warps,
}

/// Index into [`Plan::folds`]. The index selects the list of source registers (fold) whose total a
/// result register receives.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Take {
    /// All threads have the same fold (list of source registers).
    One(usize),
    /// Each lane may have a different fold; the entry of a lane without elements is `None`.
    ByLane(Vec<Option<usize>>),
}

pub(crate) struct Plan {
    source: Placement,
    /// Folds: the source registers (slots) that a thread combines in order, for each result of the
    /// thread.
    folds: Vec<Vec<usize>>,
    /// Kind of exchange along each mixed-radix digit of the thread number. A digit along a parallel
    /// dimension has no exchange (`None`).
    digits: Vec<Option<Between>>,
    /// List of source registers (fold) whose total each result register (slot) receives.
    takes: Vec<Take>,
    /// Stride of each reduced dimension in the row-major element index.
    number: Vec<i64>,
    length: i64,
}

impl Plan {
    /// Plans a reduction of fragments.
    ///
    /// # Errors
    /// Returns the reason why the scope cannot reduce the fragments.
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
                Role::Element { dim, .. } if r.reduced.contains(&dim) => Some(between(&source, k)),
                _ => None,
            })
            .collect();
        let takes = takes(r, &source, &result, &keys)?;
        let plan = Self {
            source,
            folds,
            digits,
            takes,
            number,
            length,
        };
        let size = r.kernel.threads_of(scope);
        let groups = (r.kernel.threads + size - 1) / size;
        let bytes = plan.scratch_slots() * groups * partial_bytes(r);
        if bytes > MOST_SCRATCH {
            return Err(format!(
                "partial results of several warps take {bytes} bytes of shared memory, expected \
                 at most {MOST_SCRATCH}"
            ));
        }
        Ok(plan)
    }

    /// Returns the digits of the thread number that one kind of exchange reduces, with the
    /// positions of the digits in the list.
    fn reduced(&self, how: Between) -> impl Iterator<Item = (usize, &Digit)> {
        self.digits
            .iter()
            .zip(&self.source.digits)
            .enumerate()
            .filter(move |(_, (between, _))| **between == Some(how))
            .map(|(k, (_, digit))| (k, digit))
    }

    /// Returns the number of partial results that warps exchange through shared memory.
    fn scratch_slots(&self) -> i64 {
        let warps: i64 = self
            .reduced(Between::Warps)
            .map(|(_, d)| d.extent)
            .product();
        let kept: i64 = self.others().map(|(_, d)| d.extent).product();
        let folds = i64::try_from(self.folds.len()).unwrap_or(i64::MAX);
        if self.reduced(Between::Warps).next().is_none() {
            return 0;
        }
        warps.saturating_mul(kept).saturating_mul(folds)
    }

    /// Returns the digits of the thread number along parallel dimensions.
    fn others(&self) -> impl Iterator<Item = (usize, &Digit)> {
        self.digits
            .iter()
            .zip(&self.source.digits)
            .enumerate()
            .filter(|(_, (between, _))| between.is_none())
            .map(|(k, (_, digit))| (k, digit))
    }

    /// Returns whether all lanes of a warp contribute to every result, and each lane stores one
    /// result. If true, the lanes exchange all results together, by about as many shuffles as there
    /// are results.
    fn transposes(&self) -> bool {
        let results = self.folds.len();
        let lanes = usize::try_from(WARP_SIZE).unwrap_or(32);
        let whole = self
            .reduced(Between::Bits)
            .map(|(_, d)| d.extent)
            .product::<i64>()
            == WARP_SIZE
            && self.source.digits.len() == self.reduced(Between::Bits).count();
        match self.takes.as_slice() {
            [Take::ByLane(by_lane)] if whole && results.is_power_of_two() && results <= lanes => {
                let each = lanes / results;
                let mut all = by_lane.iter().enumerate();
                all.all(|(lane, fold)| fold.is_none_or(|fold| fold == lane / each))
            }
            _ => false,
        }
    }

    /// Returns the number of lanes that share a result within a warp.
    pub(crate) fn lanes(&self) -> u64 {
        let all = [Between::Bits, Between::Lanes]
            .into_iter()
            .flat_map(|how| self.reduced(how));
        all.map(|(_, d)| d.extent.unsigned_abs()).product()
    }

    /// Returns the estimated cycles of one thread. `lanes` is the estimated cost of an exchange
    /// between lanes, in cycles.
    pub(crate) fn cost(&self, lanes: u64, redux: bool) -> u64 {
        let folds = u64::try_from(self.folds.len()).unwrap_or(1);
        let elements: usize = self.folds.iter().map(Vec::len).sum();
        let warps = u64::from(self.reduced(Between::Warps).next().is_some());
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

/// Returns a kind of exchange along digit `k` of the thread number. The returned kind is correct
/// for every thread with elements.
fn between(source: &Placement, k: usize) -> Between {
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
            return Between::Warps;
        }
        bits &= first & field == 0;
    }
    if bits { Between::Bits } else { Between::Lanes }
}

/// Returns the fold (list of source registers) whose total each result register receives.
fn takes(
    r: &Reduction<'_>,
    source: &Placement,
    result: &Placement,
    keys: &[Vec<i64>],
) -> Result<Vec<Take>, String> {
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
                    "the result's element {index:?} lives on thread {thread} of the `{}`, which \
                     has no part in it",
                    r.view.scope
                ));
            };
            if taken[lane].is_some_and(|before| before != fold) {
                return Err(format!(
                    "the result's element {index:?} lives on thread {thread}, which has it in \
                     another register than the same lane of other warps"
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
                Take::One(first)
            } else {
                Take::ByLane(lanes)
            })
        })
        .collect()
}

/// Emits the reduction and replaces the uses of its results. With `redux`, lanes exchange values by
/// `redux.sync`.
pub(crate) fn expand<'c>(b: &Builder<'c>, r: &Reduction<'c>, redux: bool) {
    let (Ok(plan), Ok(combiner)) = (Plan::of(r), r.combiner()) else {
        return;
    };
    let made = Expansion {
        b,
        r,
        plan: &plan,
        combiner,
        redux,
    }
    .run();
    for (old, new) in tx_mlir::results(r.view.op).into_iter().zip(made) {
        tx_mlir::replace_uses(old, new);
    }
}

struct Expansion<'a, 'c> {
    b: &'a Builder<'c>,
    r: &'a Reduction<'c>,
    plan: &'a Plan,
    combiner: Combiner<'c>,
    redux: bool,
}

impl<'c> Expansion<'_, 'c> {
    fn run(&self) -> Vec<Val<'c>> {
        let (b, r, plan) = (self.b, self.r, self.plan);
        let rows = |values: &[Val<'c>]| -> Vec<Vec<Val<'c>>> {
            values
                .iter()
                .filter_map(|v| registers(b, *v))
                .map(|v| scalars(b, v))
                .collect()
        };
        let sources = rows(&r.view.sources);
        let old = rows(&r.view.inits);
        let thread = r.kernel.thread(b);
        let position = r.kernel.position(b, thread, r.view.scope);
        let located = plan.source.locate(b, position, r.span);

        let folded: Vec<Vec<Val<'c>>> = plan
            .folds
            .iter()
            .map(|fold| self.fold(fold, &sources, &located))
            .collect();
        let taken = if !self.redux && plan.transposes() {
            let mut unused = Pool::default();
            let mut exchange = Exchange::new(b, r.kernel, self.combiner.clone(), &mut unused);
            vec![exchange.transpose(folded, r.kernel.lane(b, thread))]
        } else {
            let between_lanes: Vec<Vec<Val<'c>>> = folded
                .into_iter()
                .map(|value| self.between_lanes(value, &located))
                .collect();
            let totals = self.between_warps(between_lanes, &located);
            plan.takes
                .iter()
                .map(|take| self.take(take, &totals))
                .collect()
        };

        let outputs = r.view.outputs();
        let types: Vec<Type<'c>> = outputs
            .iter()
            .filter_map(|v| Some(Fragment::from_type(v.r#type())?.element))
            .collect();
        let finished: Vec<Vec<Val<'c>>> = taken
            .iter()
            .enumerate()
            .map(|(slot, total)| {
                let before = r
                    .view
                    .accumulate
                    .then(|| old.iter().map(|part| part[slot]).collect());
                let length = Index::Const(plan.length);
                finish(b, &self.combiner, total, length, before, &types)
            })
            .collect();
        outputs
            .iter()
            .enumerate()
            .map(|(part, output)| {
                let slots: Vec<Val<'c>> = finished.iter().map(|f| f[part]).collect();
                fragment(b, vector_of(b, &slots), output.r#type())
            })
            .collect()
    }

    /// Emits the total that one result register (slot) receives.
    fn take(&self, take: &Take, totals: &[Vec<Val<'c>>]) -> Vec<Val<'c>> {
        let (b, r) = (self.b, self.r);
        let by_lane = match take {
            Take::One(fold) => return totals[*fold].clone(),
            Take::ByLane(by_lane) => by_lane,
        };
        let mut masks: BTreeMap<usize, u32> = BTreeMap::new();
        for (lane, fold) in by_lane.iter().enumerate() {
            if let Some(fold) = fold {
                *masks.entry(*fold).or_insert(0) |= 1 << lane;
            }
        }
        let lane = r.kernel.lane(b, r.kernel.thread(b));
        let lane = index_as(b, lane, b.int_type(32));
        let mut value: Option<Vec<Val<'c>>> = None;
        for (fold, mask) in masks {
            let total = &totals[fold];
            value = Some(match value {
                None => total.clone(),
                Some(before) => {
                    let mask = b.int(mask.cast_signed().into(), b.int_type(32));
                    let shifted = b.binary("arith.shrui", mask, lane);
                    let takes = b
                        .create("arith.trunci")
                        .operands(&[shifted])
                        .result(b.int_type(1))
                        .value();
                    let pairs = total.iter().zip(before);
                    pairs
                        .map(|(t, v)| b.select(Cond::Val(takes), *t, v))
                        .collect()
                }
            });
        }
        value.unwrap_or_else(|| self.combiner.start(b))
    }

    /// Emits the partial result that this thread computes from its own registers.
    fn fold(
        &self,
        fold: &[usize],
        sources: &[Vec<Val<'c>>],
        located: &Located<'c>,
    ) -> Vec<Val<'c>> {
        let (b, plan) = (self.b, self.plan);
        // Contribution of the thread's position to the index of each of its elements.
        let of_thread = || {
            let index = plan.source.index(b, located);
            index
                .into_iter()
                .zip(&plan.number)
                .fold(Index::Const(0), |n, (i, weight)| {
                    b.add(n, b.mul(i, Index::Const(*weight)))
                })
        };
        let base = self.combiner.kind().is_arg().then(of_thread);
        let partials = fold.iter().map(|slot| {
            let elements: Vec<Val<'c>> = sources.iter().map(|source| source[*slot]).collect();
            self.combiner.partial(b, &elements, |b, ty| {
                let index = &plan.source.slots[*slot].index;
                let own: i64 = index.iter().zip(&plan.number).map(|(i, n)| i * n).sum();
                let number = b.add(base.unwrap_or(Index::Const(0)), Index::Const(own));
                index_as(b, number, ty)
            })
        });
        // The thread uses four accumulators, so that consecutive combinations do not depend on each
        // other.
        let mut chains: Vec<Vec<Val<'c>>> = Vec::new();
        for (i, partial) in partials.enumerate() {
            match chains.get_mut(i % 4) {
                Some(chain) => *chain = self.combiner.combine_later(b, chain, &partial),
                None => chains.push(partial),
            }
        }
        self.combiner.combine_all(b, chains)
    }

    fn between_lanes(&self, value: Vec<Val<'c>>, located: &Located<'c>) -> Vec<Val<'c>> {
        let mut unused = Pool::default();
        let mut exchange = Exchange::new(self.b, self.r.kernel, self.combiner.clone(), &mut unused);
        let between = |how| self.plan.reduced(how).collect::<Vec<_>>();
        let all = [between(Between::Bits), between(Between::Lanes)].concat();
        if self.redux && !all.is_empty() {
            let b = self.b;
            let digits: Vec<(i64, i64)> = all.iter().map(|(_, d)| (d.extent, d.stride)).collect();
            let own = all.iter().fold(Index::Const(0), |own, (k, digit)| {
                b.add(own, b.mul(located.digits[*k], Index::Const(digit.stride)))
            });
            return vec![exchange.redux_of(value[0], &digits, own, located.holds)];
        }
        let mut value = value;
        for (_, digit) in self.plan.reduced(Between::Bits) {
            value = exchange.lanes(value, digit.extent, digit.stride);
        }
        for (k, digit) in self.plan.reduced(Between::Lanes) {
            let at = located.digits[k];
            value = exchange.any_lanes(value, digit.extent, digit.stride, at, located.holds);
        }
        value
    }

    /// Exchanges partial results between warps. Each thread stores its partial results in shared
    /// memory, and loads the partial results of its group. Warps may be partial, and the threads of
    /// a group may be in any warps.
    fn between_warps(&self, values: Vec<Vec<Val<'c>>>, located: &Located<'c>) -> Vec<Vec<Val<'c>>> {
        let (b, r, plan) = (self.b, self.r, self.plan);
        let warps: Vec<(usize, &Digit)> = plan.reduced(Between::Warps).collect();
        if warps.is_empty() {
            return values;
        }
        // `other` numbers the threads that compute different results, and `own` numbers the threads
        // that share a result.
        let number = |digits: &[(usize, &Digit)]| {
            let mut number = Index::Const(0);
            let mut count = 1;
            for (k, digit) in digits {
                number = b.add(number, b.mul(located.digits[*k], Index::Const(count)));
                count *= digit.extent;
            }
            (number, count)
        };
        let others: Vec<(usize, &Digit)> = plan.others().collect();
        let (other, other_count) = number(&others);
        let (own, own_count) = number(&warps);
        // Each group of the scope has a separate part of shared memory.
        let size = r.kernel.threads_of(r.view.scope);
        let groups = (r.kernel.threads + size - 1) / size;
        let count = plan.scratch_slots();
        let part = if groups == 1 {
            Index::Const(0)
        } else {
            let group = b.div(r.kernel.thread(b), Index::Const(size));
            b.mul(group, Index::Const(count))
        };
        let mut pool = Pool::default();
        let mut exchange = Exchange::new(b, r.kernel, self.combiner.clone(), &mut pool);
        let types = self.combiner.types().to_vec();
        let scratch = exchange.scratch(&types, groups * count);
        let slot = |b: &Builder<'c>, value: usize, of: Index<'c>| {
            let row = i64::try_from(value).unwrap_or(0) * own_count;
            let row = b.add(of, Index::Const(row));
            let slot = b.add(b.mul(row, Index::Const(other_count)), other);
            b.value(b.add(slot, part))
        };

        // After an exchange between lanes, one lane stores the value.
        let lanes = [Between::Bits, Between::Lanes]
            .into_iter()
            .flat_map(|how| plan.reduced(how));
        let writes = lanes.fold(located.holds, |all, (k, _)| {
            b.and(all, b.equal(located.digits[k], Index::Const(0)))
        });
        b.if_then(writes, |b| {
            for (i, value) in values.iter().enumerate() {
                let at = slot(b, i, own);
                for (part, scratch) in value.iter().zip(&scratch) {
                    b.create("memref.store")
                        .operands(&[*part, *scratch, at])
                        .build();
                }
            }
        });
        let read = |b: &Builder<'c>, i: usize, of: Index<'c>| -> Vec<Val<'c>> {
            let at = slot(b, i, of);
            let pairs = scratch.iter().zip(&types);
            pairs
                .map(|(scratch, ty)| {
                    b.create("memref.load")
                        .operands(&[*scratch, at])
                        .result(*ty)
                        .value()
                })
                .collect()
        };
        let combiner = &self.combiner;
        let totals = |b: &Builder<'c>| -> Vec<Vec<Val<'c>>> {
            (0..values.len())
                .map(|i| {
                    if own_count <= UNROLL {
                        let all = (0..own_count)
                            .map(|w| read(b, i, Index::Const(w)))
                            .collect();
                        return combiner.combine_all(b, all);
                    }
                    let first = read(b, i, Index::Const(0));
                    b.for_loop(
                        Index::Const(1),
                        Index::Const(own_count),
                        Index::Const(1),
                        &first,
                        |b, w, carried| combiner.combine(b, carried, &read(b, i, w)),
                    )
                })
                .collect()
        };
        let all_types: Vec<Type<'c>> = values.iter().flat_map(|_| types.clone()).collect();
        let done = b.if_else(
            located.holds,
            &all_types,
            |b| totals(b).concat(),
            |_| values.concat(),
        );
        done.chunks(types.len()).map(<[_]>::to_vec).collect()
    }
}
