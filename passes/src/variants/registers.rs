//! Expansion of reductions of fragments. Each thread first combines its own elements. Next, the
//! lanes of each warp exchange partial results, and finally the warps exchange partial results.

use super::fragment_plan::{ExchangeKind, FragmentPlan, ResultFold};
use super::reduction::Reduction;
use crate::analysis::placement::{Digit, Located};
use crate::combiner::Combiner;
use crate::emit::{finish, fragment, index_as, registers, scalars, vector_of};
use crate::exchange::{Exchange, Pool};
use melior::ir::{Type, ValueLike};
use std::collections::BTreeMap;
use tx_dialect_tile::Fragment;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

/// Maximum number of partial results that a thread loads from shared memory and combines in
/// unrolled code; a loop combines a larger number of partial results.
const UNROLL: i64 = 8;

/// Emits the reduction and replaces the uses of its results. If `redux` is set, lanes exchange
/// values by `redux.sync`.
pub(crate) fn expand<'c>(b: &Builder<'c>, r: &Reduction<'c>, redux: bool) {
    let (Ok(plan), Ok(combiner)) = (FragmentPlan::of(r), r.combiner()) else {
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
    plan: &'a FragmentPlan,
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
            plan.result_folds
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

    /// Emits the selection of the total that one result register (slot) receives.
    fn take(&self, take: &ResultFold, totals: &[Vec<Val<'c>>]) -> Vec<Val<'c>> {
        let (b, r) = (self.b, self.r);
        let by_lane = match take {
            ResultFold::Uniform(fold) => return totals[*fold].clone(),
            ResultFold::ByLane(by_lane) => by_lane,
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

    /// Emits the partial result that the current thread computes from its own registers.
    fn fold(
        &self,
        fold: &[usize],
        sources: &[Vec<Val<'c>>],
        located: &Located<'c>,
    ) -> Vec<Val<'c>> {
        let (b, plan) = (self.b, self.plan);
        // Contribution of the thread's digits to the index of each of the thread's elements.
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
        let all = [between(ExchangeKind::Xor), between(ExchangeKind::Shuffle)].concat();
        if self.redux && !all.is_empty() {
            let b = self.b;
            let digits: Vec<(i64, i64)> = all.iter().map(|(_, d)| (d.extent, d.stride)).collect();
            let own = all.iter().fold(Index::Const(0), |own, (k, digit)| {
                b.add(own, b.mul(located.digits[*k], Index::Const(digit.stride)))
            });
            return vec![exchange.redux_of(value[0], &digits, own, located.holds)];
        }
        let mut value = value;
        for (_, digit) in self.plan.reduced(ExchangeKind::Xor) {
            value = exchange.lanes(value, digit.extent, digit.stride);
        }
        for (k, digit) in self.plan.reduced(ExchangeKind::Shuffle) {
            let at = located.digits[k];
            value = exchange.any_lanes(value, digit.extent, digit.stride, at, located.holds);
        }
        value
    }

    /// Exchanges partial results between warps. Each thread stores its partial results in shared
    /// memory, and loads the partial results of all threads with which the thread shares a result.
    /// The function supports warps of fewer than 32 threads, and results that threads of arbitrary
    /// warps share.
    fn between_warps(&self, values: Vec<Vec<Val<'c>>>, located: &Located<'c>) -> Vec<Vec<Val<'c>>> {
        let (b, r, plan) = (self.b, self.r, self.plan);
        let warps: Vec<(usize, &Digit)> = plan.reduced(ExchangeKind::SharedMemory).collect();
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
        let lanes = [ExchangeKind::Xor, ExchangeKind::Shuffle]
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
