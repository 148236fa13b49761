//! Groups that are no equal parts of warps: 12 neighbours, or 8 threads that are 100 apart.
//!
//! Within a warp each lane takes, step by step, what lanes of its group above it have, so that the
//! first of them has all that the warp has of the group. It leaves that as a partial result in
//! shared memory, and each thread combines those of its group.
//!
//! ```text
//!              warp 0                           warp 1
//!    threads   0 ..... 11 12 ..... 23 24 .. 31  32 .. 35 36 ..... 47
//!    group     0          1           2         2        3
//!    row       0          1           2         3        4
//! ```
//!
//! Partial results of a group stand in consecutive rows, of `stride` slots each, in the order of
//! its threads. A thread reads 33 of them at most.

use super::{Exchange, Groups, READ_ALL};
use crate::analysis::kernel::{Kernel, WARP_SIZE};
use tx_dialect_tile::Scope;
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

/// Where a thread stands.
struct Standing<'c> {
    thread: Index<'c>,
    lane: Index<'c>,
    /// Its place in the scope.
    place: Index<'c>,
    /// Its number in its group.
    digit: Index<'c>,
}

impl<'c> Exchange<'_, 'c> {
    /// Combines over groups of any width and stride; every thread gets its group's result.
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

    /// Exchanges what each warp has of each group, which the first of its lanes holds.
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
        if most > READ_ALL {
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
    /// The number of a thread in its group.
    fn digit<'c>(&self, b: &Builder<'c>, place: Index<'c>) -> Index<'c> {
        let above = b.div(place, Index::Const(self.stride));
        if self.segment() >= self.size {
            return above;
        }
        b.rem(above, Index::Const(self.width))
    }

    /// Lanes of the group from this one on, itself among them.
    fn lanes_left<'c>(&self, b: &Builder<'c>, kernel: &Kernel<'c>, at: &Standing<'c>) -> Index<'c> {
        let up_to = |end: i64, index: Index<'c>| b.sub(Index::Const(end), index);
        // Lanes of a group are `stride` apart: the quotient is rounded up.
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

    /// Whether no lane of the warp before this one is in its group.
    fn is_first_of_warp<'c>(&self, b: &Builder<'c>, at: &Standing<'c>) -> Cond<'c> {
        if self.stride >= WARP_SIZE {
            return Cond::Const(true);
        }
        let before = b.div(at.lane, Index::Const(self.stride));
        b.equal(least(b, before, at.digit), Index::Const(0))
    }

    /// The last thread of the group that begins at `first`.
    fn last<'c>(&self, b: &Builder<'c>, first: Index<'c>) -> Index<'c> {
        let last = b.add(first, Index::Const((self.width - 1) * self.stride));
        if self.size % self.segment() == 0 {
            return last;
        }
        // Where threads are missing, the last of those in its column.
        let end = Index::Const(self.size - 1);
        let above = b.rem(b.sub(end, first), Index::Const(self.stride));
        least(b, last, b.sub(end, above))
    }

    /// The row of the partial result that the thread at `place` has part in.
    fn row<'c>(&self, b: &Builder<'c>, place: Index<'c>) -> Index<'c> {
        self.row_extents()
            .into_iter()
            .map(|extent| b.div(place, Index::Const(extent)))
            .fold(Index::Const(0), |row, more| b.add(row, more))
    }
}

/// The lesser of two indices.
fn least<'c>(b: &Builder<'c>, left: Index<'c>, right: Index<'c>) -> Index<'c> {
    b.select_index(b.less(left, right), left, right)
}
