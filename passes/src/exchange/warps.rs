//! Exchange of partial results between the warps of a group, through shared memory.

use super::Exchange;
use super::scratch::{Pool, WIDEST};
use crate::analysis::kernel::WARP_SIZE;
use crate::emit::{is_packed, scalars};
use melior::ir::Type;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val, byte_width, i64_attribute};

/// Maximum number of warps for which each thread reads the partial results of all warps one by one.
pub(super) const MAX_WARPS_READ: i64 = 16;

/// Maximum number of warps in a group for which every warp combines the partial results of all
/// warps. For (value, index) pairs, the maximum number of warps is half of `MAX_WARPS_COMBINING`.
/// If a whole block is one group with more warps than `MAX_WARPS_COMBINING` permits, only the first
/// warp combines the results of the shuffles, and a second barrier publishes the total. If every
/// warp combined the partial results of many warps, an SM would execute the same combiner ops once
/// for each warp.
const MAX_WARPS_COMBINING: i64 = 16;

impl<'c> Exchange<'_, 'c> {
    /// Combines the partial results of all warps of a group; the lanes of each warp must already be
    /// combined.
    ///
    /// Each warp stores min(`stride`, 32) values in shared memory: one value for each lane whose
    /// number is less than `stride`.
    pub(super) fn warps(&mut self, value: Vec<Val<'c>>, width: i64, stride: i64) -> Vec<Val<'c>> {
        let b = self.b;
        let columns = stride.min(WARP_SIZE);
        let all_warps = (self.kernel.threads + WARP_SIZE - 1) / WARP_SIZE;
        // `warps` is the number of warps of a group, and `step` is the distance between consecutive
        // warps of the group.
        let step = (stride / WARP_SIZE).max(1);
        let warps = ((width * stride + WARP_SIZE - 1) / WARP_SIZE / step).min(all_warps);
        let types = self.combiner.types().to_vec();
        let scratch = self.scratch(&types, all_warps * columns);

        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let warp = self.kernel.warp(b, thread);
        let slot = b.add(b.mul(warp, Index::Const(columns)), lane);
        let leader = if columns == WARP_SIZE {
            Cond::Const(true)
        } else {
            b.less(lane, Index::Const(columns))
        };
        b.if_then(leader, |b| {
            for (part, scratch) in value.iter().zip(&scratch) {
                b.create("memref.store")
                    .operands(&[*part, *scratch, b.value(slot)])
                    .build();
            }
        });

        // Number of the first warp in the group of this thread.
        let span = warps * step;
        let in_group = if span >= all_warps {
            warp
        } else {
            b.rem(warp, Index::Const(span))
        };
        let above = b.sub(warp, in_group);
        let base = b.add(above, b.rem(in_group, Index::Const(step)));
        let column = if columns == WARP_SIZE {
            lane
        } else {
            b.rem(lane, Index::Const(columns))
        };
        let combiner = self.combiner.clone();
        let source = |b: &Builder<'c>, i: Index<'c>| b.add(base, b.mul(i, Index::Const(step)));
        // The lane that stores the value of a warp exists, unless the group extends beyond the last
        // thread of the block.
        let complete =
            self.kernel.threads % (span * WARP_SIZE) == 0 || (columns == 1 && span >= all_warps);
        let exists = |b: &Builder<'c>, i: Index<'c>| {
            if complete {
                return Cond::Const(true);
            }
            let writer = b.add(b.mul(source(b, i), Index::Const(WARP_SIZE)), column);
            b.less(writer, Index::Const(self.kernel.threads))
        };
        let read = |b: &Builder<'c>, i: Index<'c>| -> Vec<Val<'c>> {
            let slot = b.add(b.mul(source(b, i), Index::Const(columns)), column);
            let slot = b.value(slot);
            scratch
                .iter()
                .zip(&types)
                .map(|(scratch, ty)| {
                    b.create("memref.load")
                        .operands(&[*scratch, slot])
                        .result(*ty)
                        .value()
                })
                .collect()
        };
        let alone = columns == 1 && span >= all_warps;
        if alone
            && !self.redux
            && warps
                > if types.len() > 1 {
                    MAX_WARPS_COMBINING / 2
                } else {
                    MAX_WARPS_COMBINING
                }
        {
            return self.by_first_warp(&read, warps);
        }
        if complete && columns == 1 && step == 1 {
            // Lanes load consecutive partial results by vector loads. Either each lane loads all
            // partial results, or each lane loads a few of them and the lanes exchange values.
            let widest = types
                .iter()
                .filter_map(|t| byte_width(*t))
                .max()
                .unwrap_or(8);
            let few = (WIDEST / widest).cast_signed();
            let groups = warps / few;
            // A vector load must begin at a slot number that is a multiple of the vector width, but
            // a group may begin at any warp.
            let aligned = warps % few == 0 || span >= all_warps;
            let chosen = if warps <= few || (warps <= MAX_WARPS_READ && self.redux && aligned) {
                Some(warps)
            } else if warps % few == 0 && groups.unsigned_abs().is_power_of_two() && !self.redux {
                (!self.kernel.has_partial_warp()).then_some(few)
            } else {
                None
            };
            if let Some(each) = chosen {
                let group = b.rem(lane, Index::Const(warps / each));
                let first = b.add(base, b.mul(group, Index::Const(each)));
                let all = neighbours(b, &scratch, &types, first, each, few);
                let mine = combiner.combine_all(b, all);
                return self.lanes(mine, warps / each, 1);
            }
        }
        if complete && warps <= MAX_WARPS_READ {
            let all = (0..warps).map(|i| read(b, Index::Const(i))).collect();
            return combiner.combine_all(b, all);
        }
        let lanes = warps.unsigned_abs().next_power_of_two().cast_signed();
        if lanes * columns <= WARP_SIZE && !self.kernel.has_partial_warp() {
            // Each lane loads one slot, then a tree of shuffles combines the loaded values.
            // `redux.sync` spans the whole warp, so lanes without a slot contribute the initial
            // value of the accumulator.
            let lanes = if self.redux && columns == 1 {
                WARP_SIZE
            } else {
                lanes
            };
            let i = b.rem(b.div(lane, Index::Const(columns)), Index::Const(lanes));
            let in_range = if lanes == warps {
                Cond::Const(true)
            } else {
                b.less(i, Index::Const(warps))
            };
            let mine = b.if_else(
                b.and(in_range, exists(b, i)),
                &types,
                |b| read(b, i),
                |b| combiner.start(b),
            );
            return self.lanes(mine, lanes, columns);
        }
        let first = read(b, Index::Const(0));
        b.for_loop(
            Index::Const(1),
            Index::Const(warps),
            Index::Const(1),
            &first,
            |b, i, carried| {
                b.if_else(
                    exists(b, i),
                    &types,
                    |b| combiner.combine(b, carried, &read(b, i)),
                    |_| carried.to_vec(),
                )
            },
        )
    }

    /// Emits code in which the first warp combines the partial results of all warps and stores the
    /// total.
    fn by_first_warp(
        &mut self,
        read: &dyn Fn(&Builder<'c>, Index<'c>) -> Vec<Val<'c>>,
        warps: i64,
    ) -> Vec<Val<'c>> {
        let (b, kernel, combiner) = (self.b, self.kernel, self.combiner.clone());
        let types = combiner.types().to_vec();
        let total = self.scratch(&types, 1);
        let thread = kernel.thread(b);
        let zero = b.value(Index::Const(0));
        let mut shuffles = 0;
        b.if_then(b.less(thread, Index::Const(WARP_SIZE)), |b| {
            let mine = b.if_else(
                b.less(thread, Index::Const(warps)),
                &types,
                |b| read(b, thread),
                |b| combiner.start(b),
            );
            let mut unused = Pool::default();
            let mut inner = Exchange::new(b, kernel, combiner.clone(), &mut unused);
            let lanes = warps.unsigned_abs().next_power_of_two().cast_signed();
            let value = inner.lanes(mine, lanes, 1);
            shuffles = inner.shuffles;
            b.if_then(b.equal(thread, Index::Const(0)), |b| {
                for (part, memory) in value.iter().zip(&total) {
                    b.create("memref.store")
                        .operands(&[*part, *memory, zero])
                        .build();
                }
            });
        });
        self.shuffles += shuffles;
        let pairs = total.iter().zip(&types);
        pairs
            .map(|(memory, ty)| {
                b.create("memref.load")
                    .operands(&[*memory, zero])
                    .result(*ty)
                    .value()
            })
            .collect()
    }
}

/// Loads `count` consecutive values from each scratch array. The index `first` of the first value
/// must be a multiple of `vector`. A vector load reads each full group of `vector` values, and
/// scalar loads read the remaining values.
fn neighbours<'c>(
    b: &Builder<'c>,
    scratch: &[Val<'c>],
    types: &[Type<'c>],
    first: Index<'c>,
    count: i64,
    vector: i64,
) -> Vec<Vec<Val<'c>>> {
    let mut values: Vec<Vec<Val<'c>>> = Vec::new();
    for (memory, ty) in scratch.iter().zip(types) {
        let mut part = Vec::new();
        let mut at = 0;
        while at < count {
            let place = b.value(b.add(first, Index::Const(at)));
            let wide = at + vector <= count && vector > 1 && !is_packed(*ty);
            let load = |name: &'static str, ty: Type<'c>| {
                b.create(name).operands(&[*memory, place]).result(ty)
            };
            if wide {
                let bytes = byte_width(*ty).unwrap_or(8).cast_signed() * vector;
                let ty = Type::vector(&[vector.unsigned_abs()], *ty);
                let loaded = load("vector.load", ty)
                    .attr("alignment", i64_attribute(b.context(), bytes))
                    .value();
                part.extend(scalars(b, loaded));
                at += vector;
            } else {
                part.push(load("memref.load", *ty).value());
                at += 1;
            }
        }
        values.push(part);
    }
    let rows = usize::try_from(count).unwrap_or(0);
    (0..rows)
        .map(|i| values.iter().map(|part| part[i]).collect())
        .collect()
}
