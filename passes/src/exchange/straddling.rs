//! Groups that do not divide a warp into equal parts, such as 12 consecutive threads, or 8 threads
//! that are 100 threads apart.
//!
//! In each warp, shuffles combine the values of all lanes of a group; the first of these lanes
//! receives the partial result. The first lane of the group in each warp stores the partial result
//! in shared memory, and each thread combines the partial results of its group.
//!
//! ```text
//!              warp 0                           warp 1
//!    threads   0 ..... 11 12 ..... 23 24 .. 31  32 .. 35 36 ..... 47
//!    group     0          1           2         2        3
//!    row       0          1           2         3        4
//! ```
//!
//! The partial results of a group are stored in consecutive rows of `stride` slots, in the order of
//! the threads. A thread reads at most 33 partial results of its group.

use super::warps::MAX_WARPS_READ;
use super::{Exchange, Groups};
use crate::analysis::kernel::{Kernel, WARP_SIZE};
use tx_dialect_tile::Scope;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

/// Position of a thread in its block, warp, scope and group.
struct Standing<'c> {
    thread: Index<'c>,
    lane: Index<'c>,
    place: Index<'c>,
    /// Position of the thread within its group.
    digit: Index<'c>,
}

impl<'c> Exchange<'_, 'c> {
    /// Combines the values of groups of any width and stride; every thread receives the result of
    /// its group.
    pub(super) fn straddling(&mut self, value: Vec<Val<'c>>, groups: &Groups) -> Vec<Val<'c>> {
        let b = self.b;
        let thread = self.kernel.thread(b);
        let place = self.kernel.position(b, thread, groups.scope);
        let at = Standing {
            thread,
            lane: match groups.scope {
                Scope::Warp => place,
                _ => self.kernel.lane(b, thread),
            },
            place,
            digit: groups.digit(b, place),
        };
        let (lanes, stride) = (groups.lanes(), groups.stride);
        let folded = if lanes > 1 {
            let left = groups.lanes_left(b, &self.kernel, &at);
            self.take_from_above(value, lanes, stride, at.lane, &|distance| {
                b.less(Index::Const(distance), left)
            })
        } else {
            value
        };
        if groups.size > WARP_SIZE {
            return self.through_memory(&folded, groups, &at);
        }
        let before = b.mul(at.digit, Index::Const(stride));
        let first = b.index_cast(b.value(b.sub(at.lane, before)), b.int_type(32));
        self.shuffle("idx", &folded, first)
    }

    /// Combines the partial results of the warps through shared memory. The partial result of a
    /// group in one warp is stored by the first lane of the group in this warp.
    fn through_memory(
        &mut self,
        value: &[Val<'c>],
        groups: &Groups,
        at: &Standing<'c>,
    ) -> Vec<Val<'c>> {
        let (b, combiner) = (self.b, self.combiner.clone());
        let types = combiner.types().to_vec();
        let stride = Index::Const(groups.stride);
        let scopes = (self.kernel.threads + groups.size - 1) / groups.size;
        let slots = groups.rows() * groups.stride;
        let scratch = self.scratch(&types, scopes * slots);

        let column = b.rem(at.place, stride);
        let origin = if scopes == 1 {
            column
        } else {
            let scope = b.div(at.thread, Index::Const(groups.size));
            b.add(b.mul(scope, Index::Const(slots)), column)
        };
        let slot = |row: Index<'c>| b.add(origin, b.mul(row, stride));

        let own = b.value(slot(groups.row(b, at.place)));
        b.if_then(groups.is_first_of_warp(b, at), |b| {
            for (part, memory) in value.iter().zip(&scratch) {
                b.create("memref.store")
                    .operands(&[*part, *memory, own])
                    .build();
            }
        });

        let first = b.sub(at.place, b.mul(at.digit, stride));
        let first_row = groups.row(b, first);
        let base = slot(first_row);
        let read = |b: &Builder<'c>, i: Index<'c>| -> Vec<Val<'c>> {
            let slot = b.value(b.add(base, b.mul(i, stride)));
            let parts = scratch.iter().zip(&types);
            parts
                .map(|(memory, ty)| {
                    b.create("memref.load")
                        .operands(&[*memory, slot])
                        .result(*ty)
                        .value()
                })
                .collect()
        };
        let (fewest, most) = groups.partials();
        let count = if fewest == most {
            Index::Const(most)
        } else {
            let last_row = groups.row(b, groups.last(b, first));
            b.add(b.sub(last_row, first_row), Index::Const(1))
        };
        if most > MAX_WARPS_READ {
            let start = read(b, Index::Const(0));
            let one = Index::Const(1);
            return b.for_loop(one, count, one, &start, |b, i, total| {
                combiner.combine(b, total, &read(b, i))
            });
        }
        let certain = (0..fewest).map(|i| read(b, Index::Const(i))).collect();
        let total = combiner.combine_all(b, certain);
        (fewest..most).fold(total, |total, i| {
            let i = Index::Const(i);
            b.if_else(
                b.less(i, count),
                &types,
                |b| combiner.combine(b, &total, &read(b, i)),
                |_| total.clone(),
            )
        })
    }
}

impl Groups {
    fn digit<'c>(&self, b: &Builder<'c>, place: Index<'c>) -> Index<'c> {
        let above = b.div(place, Index::Const(self.stride));
        if self.segment() >= self.size {
            return above;
        }
        b.rem(above, Index::Const(self.width))
    }

    /// Emits the number of lanes at or above the current lane that belong to the warp and the group
    /// of the current lane.
    fn lanes_left<'c>(&self, b: &Builder<'c>, kernel: &Kernel<'c>, at: &Standing<'c>) -> Index<'c> {
        let up_to = |end: i64, index: Index<'c>| b.sub(Index::Const(end), index);
        // Lanes of a group are `stride` apart, so the quotient is rounded up.
        let above = self.stride - 1;
        let lanes = || up_to(WARP_SIZE + above, at.lane);
        let threads = || up_to(kernel.threads + above, at.thread);
        let places = match kernel.threads {
            ..=WARP_SIZE => threads(),
            _ if kernel.has_partial_warp() => least(b, lanes(), threads()),
            _ => lanes(),
        };
        let in_warp = b.div(places, Index::Const(self.stride));
        least(b, in_warp, up_to(self.width, at.digit))
    }

    fn is_first_of_warp<'c>(&self, b: &Builder<'c>, at: &Standing<'c>) -> Cond<'c> {
        if self.stride >= WARP_SIZE {
            return Cond::Const(true);
        }
        let before = b.div(at.lane, Index::Const(self.stride));
        b.equal(least(b, before, at.digit), Index::Const(0))
    }

    /// Emits the position of the last thread in the group whose first thread is at `first`.
    fn last<'c>(&self, b: &Builder<'c>, first: Index<'c>) -> Index<'c> {
        let last = b.add(first, Index::Const((self.width - 1) * self.stride));
        if self.size % self.segment() == 0 {
            return last;
        }
        // If the group is incomplete, the result is the position of the last existing thread of the
        // group.
        let end = Index::Const(self.size - 1);
        let above = b.rem(b.sub(end, first), Index::Const(self.stride));
        least(b, last, b.sub(end, above))
    }

    /// Emits the number of the row of slots that stores the partial result of the thread at
    /// `place`.
    fn row<'c>(&self, b: &Builder<'c>, place: Index<'c>) -> Index<'c> {
        self.row_extents()
            .into_iter()
            .map(|extent| b.div(place, Index::Const(extent)))
            .fold(Index::Const(0), |row, more| b.add(row, more))
    }
}

fn least<'c>(b: &Builder<'c>, left: Index<'c>, right: Index<'c>) -> Index<'c> {
    b.select_index(b.less(left, right), left, right)
}
