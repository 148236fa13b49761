//! Exchange of partial results between threads: by shuffles or `redux.sync` within a warp, and
//! through shared memory between warps.

mod cluster;
mod cost;
mod groups;
pub(crate) mod redux;
mod scratch;
mod straddling;
mod warps;

pub(crate) use cluster::ClusterGroups;
pub(crate) use cost::{EXCHANGE, redux_cost, shuffle_cost};
pub(crate) use groups::Groups;
pub(crate) use scratch::Pool;

use crate::analysis::kernel::{Kernel, WARP_SIZE, members};
use crate::combiner::Combiner;
use melior::ir::{Type, ValueLike};
use scratch::Participants;
use tx_dialect_tile::{AllReduce, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

/// Emits exchanges of values between threads, at one position in a kernel.
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

    /// Combines the values of each group of threads in a block.
    fn groups(&mut self, groups: Groups, value: Vec<Val<'c>>) -> Vec<Val<'c>> {
        let (width, stride) = (groups.width, groups.stride);
        if groups.are_single() {
            return value;
        }
        if !groups.are_uniform() {
            return self.straddling(value, &groups);
        }
        if width * stride <= WARP_SIZE {
            // The group width is rounded up to a power of two. If a scope has fewer threads than a
            // warp, some lanes of the rounded group do not exist.
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

    /// Emits a shuffle of each component of `value`. `offset` is a lane mask in the shuffle mode
    /// `xor`, and a lane number in the mode `idx`.
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

    /// Combines the values of each group of `width` lanes of a warp; consecutive lanes of a group
    /// are `stride` lanes apart. `width` and `stride` must be powers of two. Every lane receives
    /// the result of its group.
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

    /// Combines the values of `width` lanes that are `stride` lanes apart; `width` need not be a
    /// power of two. `digit` is the position of the current lane within its group. In a lane in
    /// which `belongs` is false, the result is the lane's own value.
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

    /// Combines the values of up to `width` lanes that are `stride` lanes apart; the first lane
    /// receives the total. The closure `exists` receives a distance d, and emits the condition that
    /// the lane `d * stride` lanes above the current lane belongs to the group of the current lane.
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

    /// Combines each of `n` values over all lanes of a warp, where `n` is a power of two and at
    /// most 32. Lane `l` receives the total of value number `l / (32 / n)`.
    pub(crate) fn transpose(&mut self, values: Vec<Vec<Val<'c>>>, lane: Index<'c>) -> Vec<Val<'c>> {
        let b = self.b;
        let mut values = values;
        let mut mask = WARP_SIZE / 2;
        while values.len() > 1 {
            // If this bit of the lane number is set, the lane keeps the upper half of the values
            // and sends the lower half.
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
    /// digits `digits`. Each entry of `digits` is a pair of extent and stride. `own` is the sum of
    /// the digits of the current lane, each multiplied by its stride. In a lane in which `belongs`
    /// is false, the result is the lane's own value.
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

    /// Returns shared memory for `slots` values of each type, as global variables of the module.
    pub(crate) fn scratch(&mut self, types: &[Type<'c>], slots: i64) -> Vec<Val<'c>> {
        self.scratch_among(Participants::Threads, types, slots)
    }

    fn scratch_among(
        &mut self,
        among: Participants,
        types: &[Type<'c>],
        slots: i64,
    ) -> Vec<Val<'c>> {
        let (buffers, bytes) = self
            .scratch
            .buffers(self.b, self.kernel.op, among, types, slots);
        self.scratch_bytes += bytes;
        buffers
    }
}
