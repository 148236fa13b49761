//! Exchange of partial results between threads: by shuffles or `redux.sync` within a warp, and
//! through shared memory between warps.

mod cluster;
mod groups;
pub(crate) mod redux;
mod straddling;

pub(crate) use cluster::ClusterGroups;
pub(crate) use groups::Groups;

use crate::analysis::kernel::{Kernel, WARP_SIZE, members};
use crate::combiner::Combiner;
use crate::emit::{is_packed, scalars, shared, shared_global};
use melior::ir::{Type, ValueLike};
use std::collections::{BTreeMap, BTreeSet};
use tx_dialect_tile::{AllReduce, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val, byte_width, i64_attribute};

/// Approximate latency of a shuffle and a combination, in cycles.
const SHUFFLE: u64 = 28;
/// Approximate latency of a `redux.sync` of a whole warp, in cycles.
const REDUX: u64 = 36;
/// Approximate latency of the `redux.sync` of one thread group, in cycles, if the groups of a warp
/// execute `redux.sync` one after another.
const REDUX_GROUP: u64 = 110;
/// Approximate cycles of an exchange through shared memory: a store, a barrier and loads.
pub(crate) const EXCHANGE: u64 = 60;

/// Returns the approximate number of cycles that shuffles need to combine the values of `lanes`
/// lanes of a warp.
pub(crate) fn shuffle_cost(lanes: u64) -> u64 {
    u64::from(lanes.next_power_of_two().ilog2()) * SHUFFLE
}

/// Returns the approximate number of cycles that `redux.sync` needs to combine the values of
/// `lanes` lanes of a warp.
pub(crate) fn redux_cost(lanes: u64) -> u64 {
    match u64::from(tx_target::WARP) / lanes.clamp(1, 32) {
        1 => REDUX,
        groups => REDUX_GROUP * groups,
    }
}

/// Maximum number of warps for which each thread reads the partial results of all warps one by one.
const READ_ALL: i64 = 16;
/// Number of warps (half as many for pairs) above which only the first warp combines the partial
/// results, and a second barrier publishes the total. If all warps combined the partial results, an
/// SM would execute the same combination once for each warp.
const TAKE_TURNS: i64 = 16;
/// Maximum size of a memory access of one thread, in bytes.
const WIDEST: u64 = 16;

/// Shared memory for exchanges.
///
/// Consecutive exchanges alternate between two buffers, so each exchange needs only one barrier.
#[derive(Default)]
pub(crate) struct Pool {
    /// Number of emitted exchanges in each kernel; exchanges between blocks are counted separately.
    exchanges: BTreeMap<(usize, Among), usize>,
    names: BTreeMap<Use, String>,
    /// Kernels whose initial cluster barrier is already emitted.
    begun: BTreeSet<usize>,
}

impl Pool {
    fn number(&self, kernel: &Kernel<'_>, among: Among) -> i64 {
        let key = (kernel.op.to_raw().ptr as usize, among);
        let count = self.exchanges.get(&key).copied().unwrap_or(0);
        i64::try_from(count).unwrap_or(i64::MAX)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Among {
    Threads,
    Blocks,
    /// Exchange between the blocks of a cluster, in memory that no other exchange uses.
    BlocksOnce,
}

/// Key of a global variable in shared memory: the kernel, whether threads or blocks exchange
/// values, the number of the buffer, the number of the accumulator component, the element type, and
/// the number of slots.
type Use = (usize, Among, usize, usize, String, i64);

/// Emits exchanges at one position in a kernel.
pub(crate) struct Exchange<'b, 'c> {
    b: &'b Builder<'c>,
    kernel: Kernel<'c>,
    combiner: Combiner<'c>,
    scratch: &'b mut Pool,
    pub(crate) redux: bool,
    shuffles: i64,
    reduxes: i64,
    scratch_bytes: i64,
}

impl<'b, 'c> Exchange<'b, 'c> {
    pub(crate) fn new(
        b: &'b Builder<'c>,
        kernel: Kernel<'c>,
        combiner: Combiner<'c>,
        scratch: &'b mut Pool,
    ) -> Self {
        Self {
            b,
            kernel,
            combiner,
            scratch,
            redux: false,
            shuffles: 0,
            reduxes: 0,
            scratch_bytes: 0,
        }
    }

    pub(crate) fn counts(&self) -> [(&'static str, i64); 3] {
        [
            ("shuffles", self.shuffles),
            ("reduxes", self.reduxes),
            ("scratch_bytes", self.scratch_bytes),
        ]
    }

    pub(crate) fn all_reduce(&mut self, view: &AllReduce<'c>, value: Vec<Val<'c>>) -> Vec<Val<'c>> {
        if view.scope == Scope::Cluster {
            return self.cluster(view, value);
        }
        self.groups(Groups::of(&self.kernel, view), value)
    }

    /// Combines the values of groups of threads in a block.
    fn groups(&mut self, groups: Groups, value: Vec<Val<'c>>) -> Vec<Val<'c>> {
        let (width, stride) = (groups.width, groups.stride);
        if groups.are_single() {
            return value;
        }
        if !groups.are_uniform() {
            return self.straddling(value, &groups);
        }
        if width * stride <= WARP_SIZE {
            // The group width is rounded up to a power of two; if a scope has fewer threads than a
            // warp, the last lanes of the rounded group do not exist.
            let width = width.unsigned_abs().next_power_of_two().cast_signed();
            return self.lanes(value, width, stride);
        }
        let within = self.lanes(
            value,
            WARP_SIZE / stride.min(WARP_SIZE),
            stride.min(WARP_SIZE),
        );
        self.warps(within, width, stride)
    }

    fn i32(&self, value: i64) -> Val<'c> {
        self.b.int(value, self.b.int_type(32))
    }

    /// Emits a shuffle of each component of `value`; `mode` determines whether `offset` is a lane
    /// number or a lane mask.
    pub(crate) fn shuffle(
        &mut self,
        mode: &str,
        value: &[Val<'c>],
        offset: Val<'c>,
    ) -> Vec<Val<'c>> {
        value
            .iter()
            .map(|part| {
                self.shuffles += 1;
                self.b
                    .create("gpu.shuffle")
                    .attr_text("mode", &format!("#gpu<shuffle_mode {mode}>"))
                    .operands(&[*part, offset, self.i32(WARP_SIZE)])
                    .result(part.r#type())
                    .result(self.b.int_type(1))
                    .value()
            })
            .collect()
    }

    /// Combines the values of `width` lanes of a warp that are `stride` apart, both powers of two;
    /// every lane receives the result.
    pub(crate) fn lanes(&mut self, value: Vec<Val<'c>>, width: i64, stride: i64) -> Vec<Val<'c>> {
        if width == 1 {
            return value;
        }
        if self.redux {
            return vec![self.redux(value[0], width, stride)];
        }
        let segment = width * stride;
        let left_over = self.kernel.threads % WARP_SIZE;
        let masks = std::iter::successors(Some(1), |m| Some(m * 2)).take_while(|m| *m < width);
        if left_over % segment == 0 {
            // No group extends beyond the last thread of the block, so every lane of every group
            // exists.
            return masks.fold(value, |v, mask| {
                let offset = self.i32(mask * stride);
                let other = self.shuffle("xor", &v, offset);
                self.combiner.combine(self.b, &v, &other)
            });
        }
        let b = self.b;
        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let warp_start = b.sub(thread, lane);
        let folded = masks
            .collect::<Vec<_>>()
            .into_iter()
            .fold(value, |v, mask| {
                let partner = b.binary(
                    "arith.xori",
                    b.value(lane),
                    b.value(Index::Const(mask * stride)),
                );
                let exists = b.less(
                    b.add(warp_start, Index::Val(partner)),
                    Index::Const(self.kernel.threads),
                );
                let from = b.select(exists, partner, b.value(lane));
                let from = b.index_cast(from, b.int_type(32));
                let other = self.shuffle("idx", &v, from);
                let both = self.combiner.combine(b, &v, &other);
                let kept = both
                    .iter()
                    .zip(&v)
                    .map(|(both, v)| b.select(exists, *both, *v));
                kept.collect()
            });
        // In each group, the first lane now holds the total; in a complete group, all lanes hold
        // the total.
        let in_segment = b.rem(lane, Index::Const(segment));
        let first = b.add(
            b.sub(lane, in_segment),
            b.rem(in_segment, Index::Const(stride)),
        );
        let first = b.index_cast(b.value(first), b.int_type(32));
        self.shuffle("idx", &folded, first)
    }

    /// Combines the values of `width` lanes that are `stride` apart; `width` need not be a power of
    /// two. `digit` is the position of this lane within its group. A lane for which `belongs` is
    /// false keeps its value.
    pub(crate) fn any_lanes(
        &mut self,
        value: Vec<Val<'c>>,
        width: i64,
        stride: i64,
        digit: Index<'c>,
        belongs: Cond<'c>,
    ) -> Vec<Val<'c>> {
        let b = self.b;
        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let folded = self.take_from_above(value, width, stride, lane, &|distance| {
            let inside = b.less(b.add(digit, Index::Const(distance)), Index::Const(width));
            b.and(belongs, inside)
        });
        let back = b.mul(digit, Index::Const(stride));
        let first = b.select_index(belongs, b.sub(lane, back), lane);
        let first = b.index_cast(b.value(first), b.int_type(32));
        self.shuffle("idx", &folded, first)
    }

    /// Combines the values of up to `width` lanes that are `stride` apart, so that the first lane
    /// receives the total. `exists` emits the condition that the group has a lane at a given
    /// distance above this lane.
    fn take_from_above(
        &mut self,
        value: Vec<Val<'c>>,
        width: i64,
        stride: i64,
        lane: Index<'c>,
        exists: &dyn Fn(i64) -> Cond<'c>,
    ) -> Vec<Val<'c>> {
        let b = self.b;
        let distances = std::iter::successors(Some(1), |d| Some(d * 2)).take_while(|d| *d < width);
        distances.fold(value, |v, distance| {
            let exists = exists(distance);
            let partner = b.add(lane, Index::Const(distance * stride));
            let from = b.select(exists, b.value(partner), b.value(lane));
            let from = b.index_cast(from, b.int_type(32));
            let other = self.shuffle("idx", &v, from);
            let both = self.combiner.combine(b, &v, &other);
            let kept = both
                .iter()
                .zip(&v)
                .map(|(both, v)| b.select(exists, *both, *v));
            kept.collect()
        })
    }

    /// Combines each of `n` values over all lanes of a warp; lane `l` receives the total of value
    /// `l / (32 / n)`. `n` is a power of two, at most 32.
    pub(crate) fn transpose(&mut self, values: Vec<Vec<Val<'c>>>, lane: Index<'c>) -> Vec<Val<'c>> {
        let b = self.b;
        let mut values = values;
        let mut mask = WARP_SIZE / 2;
        while values.len() > 1 {
            // Lanes whose number has this bit keep the upper half of the values and send the lower
            // half.
            let bit = b.rem(b.div(lane, Index::Const(mask)), Index::Const(2));
            let upper = b.equal(bit, Index::Const(1));
            let (low, high) = values.split_at(values.len() / 2);
            let pick = |yes: &[Val<'c>], no: &[Val<'c>]| -> Vec<Val<'c>> {
                yes.iter()
                    .zip(no)
                    .map(|(y, n)| b.select(upper, *y, *n))
                    .collect()
            };
            let pairs: Vec<_> = low
                .iter()
                .zip(high)
                .map(|(low, high)| (pick(high, low), pick(low, high)))
                .collect();
            let offset = self.i32(mask);
            values = pairs
                .into_iter()
                .map(|(keep, give)| {
                    let taken = self.shuffle("xor", &give, offset);
                    self.combiner.combine(b, &keep, &taken)
                })
                .collect();
            mask /= 2;
        }
        let value = values.pop().unwrap_or_default();
        self.lanes(value, (2 * mask).max(1), 1)
    }

    /// Emits one `nvvm.redux.sync` over the lanes of each group.
    fn redux(&mut self, value: Val<'c>, width: i64, stride: i64) -> Val<'c> {
        let b = self.b;
        let segment = width * stride;
        if segment >= WARP_SIZE && stride == 1 {
            self.reduxes += 1;
            return redux::write(b, &self.combiner, value, members(b, &self.kernel));
        }
        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let above = b.div(lane, Index::Const(stride));
        let digit = b.rem(above, Index::Const(width));
        let own = b.mul(digit, Index::Const(stride));
        self.redux_of(value, &[(width, stride)], own, Cond::Const(true))
    }

    /// Emits one `nvvm.redux.sync` over the lanes whose numbers differ only in the mixed-radix
    /// digits `digits`; each digit is a pair of extent and stride. `own` is the sum of digit times
    /// stride over the `digits` of this lane. A lane for which `belongs` is false keeps its value.
    pub(crate) fn redux_of(
        &mut self,
        value: Val<'c>,
        digits: &[(i64, i64)],
        own: Index<'c>,
        belongs: Cond<'c>,
    ) -> Val<'c> {
        self.reduxes += 1;
        let b = self.b;
        // Mask of the lanes of the first group, shifted to the first lane of this group.
        let pattern = digits.iter().fold(1u32, |mask, (extent, stride)| {
            (0..*extent).fold(0, |all, i| all | mask << (i * stride))
        });
        let thread = self.kernel.thread(b);
        let lane = self.kernel.lane(b, thread);
        let i32 = b.int_type(32);
        let first = b.index_cast(b.value(b.sub(lane, own)), i32);
        let mut mask = b.binary("arith.shli", self.i32(pattern.cast_signed().into()), first);
        if self.kernel.has_partial_warp() {
            mask = b.binary("arith.andi", mask, members(b, &self.kernel));
        }
        if !matches!(belongs, Cond::Const(true)) {
            let lane = b.index_cast(b.value(lane), i32);
            let alone = b.binary("arith.shli", self.i32(1), lane);
            mask = b.select(belongs, mask, alone);
        }
        redux::write(b, &self.combiner, value, mask)
    }

    /// Combines the values of the warps of a group, after the lanes of each warp are combined.
    ///
    /// Each warp stores `columns` different values, one for each lane whose number is less than
    /// `stride`.
    fn warps(&mut self, value: Vec<Val<'c>>, width: i64, stride: i64) -> Vec<Val<'c>> {
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
                    TAKE_TURNS / 2
                } else {
                    TAKE_TURNS
                }
        {
            return self.by_first_warp(&read, warps);
        }
        if complete && columns == 1 && step == 1 {
            // Vector loads of consecutive partial results: each lane loads all of them, or each
            // lane loads a few and the lanes exchange values.
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
            let chosen = if warps <= few || (warps <= READ_ALL && self.redux && aligned) {
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
        if complete && warps <= READ_ALL {
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

    /// Returns shared memory for `slots` values of each type, as global variables of the module.
    pub(crate) fn scratch(&mut self, types: &[Type<'c>], slots: i64) -> Vec<Val<'c>> {
        self.scratch_among(Among::Threads, types, slots)
    }

    fn scratch_among(&mut self, among: Among, types: &[Type<'c>], slots: i64) -> Vec<Val<'c>> {
        let kernel = self.kernel.op.to_raw().ptr as usize;
        let turn = self.scratch.exchanges.entry((kernel, among)).or_insert(0);
        let turn = std::mem::replace(turn, *turn + 1);
        let copy = match among {
            Among::Threads | Among::Blocks => turn % 2,
            Among::BlocksOnce => turn,
        };
        types
            .iter()
            .enumerate()
            .map(|(part, element)| {
                let key = (kernel, among, copy, part, element.to_string(), slots);
                self.global(key, *element)
            })
            .collect()
    }

    fn global(&mut self, key: Use, element: Type<'c>) -> Val<'c> {
        let b = self.b;
        // The array size is rounded up to a multiple of 16 bytes, because LLVM widens loads up to
        // the alignment of the array.
        let each = (WIDEST / byte_width(element).unwrap_or(8))
            .max(1)
            .cast_signed();
        let slots = (key.5 + each - 1) / each * each;
        if let Some(known) = self.scratch.names.get(&key) {
            return shared(b, known, &[slots], element);
        }
        let name = shared_global(b, self.kernel.op, "scratch", &[slots], element);
        self.scratch_bytes += slots * byte_width(element).unwrap_or(8).cast_signed();
        let value = shared(b, &name, &[slots], element);
        self.scratch.names.insert(key, name);
        value
    }
}

/// Loads `count` consecutive values from each scratch array, beginning at index `first`, which must
/// be a multiple of `vector`. Each full group of `vector` values is one vector load; the remaining
/// values are loaded one by one.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a tree of shuffles is the sum of the costs of its levels; the number of lanes is
    /// rounded up to a power of two.
    #[test]
    fn trees_cost_as_much_as_their_levels() {
        for lanes in 1..=32_u64 {
            assert_eq!(shuffle_cost(lanes), shuffle_cost(lanes.next_power_of_two()));
        }
        for (inner, outer) in [(1, 8), (2, 4), (4, 8), (16, 2)] {
            let both = shuffle_cost(inner) + shuffle_cost(outer);
            assert_eq!(shuffle_cost(inner * outer), both);
        }
    }

    /// The groups of a warp execute `redux.sync` one after another, so narrow groups cost more.
    #[test]
    fn narrow_groups_cost_more_by_redux() {
        let costs: Vec<u64> = [32, 16, 8, 4, 2].into_iter().map(redux_cost).collect();
        assert!(costs.is_sorted(), "{costs:?}");
    }
}
