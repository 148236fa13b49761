//! Element indices relative to the start of a tile, for `argmax` and `argmin`.

use super::body::{Body, EmitPoint};
use crate::emit::index_as;
use melior::ir::ValueLike;
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::{Builder, Index, Val};

pub(super) struct Tile<'c> {
    first: Index<'c>,
}

/// Relative index of an accumulator that no element of the tile has changed.
const NONE: i64 = -1;

/// Minimum number of elements per accumulator in a tile with relative indices. In a tile with fewer
/// than `MIN_RELATIVE_ELEMENTS` elements per accumulator, element indices are absolute.
const MIN_RELATIVE_ELEMENTS: usize = 4;

impl<'c> Body<'_, 'c> {
    /// Assigns each element of a tile a constant index, relative to the tile start. Constant
    /// indices save one instruction for each element. Returns `None` if the tile has too few
    /// elements per accumulator, or if the elements of the tile are out of order.
    pub(super) fn number_tile(
        &self,
        loops: &[usize],
        points: &mut [EmitPoint<'c>],
    ) -> Option<Tile<'c>> {
        let (&[axis], Some(first)) = (&self.grid_op.axes[..], points.first()) else {
            return None;
        };
        if !self.ascends
            || first.is_head_or_tail
            || points.len() < MIN_RELATIVE_ELEMENTS * self.lanes()
        {
            return None;
        }
        let steps: Vec<(usize, i64)> = loops
            .iter()
            .map(|node| Some((*node, self.nest.step_of(axis, *node)?)))
            .collect::<Option<_>>()?;
        let first = first.index[&axis];
        let number = |point: &EmitPoint<'c>| {
            let each = steps.iter().map(|(node, step)| {
                let index = point.index.get(node)?.known()?;
                index.checked_mul(*step)
            });
            each.sum::<Option<i64>>()
        };
        let numbers: Vec<i64> = points.iter().map(number).collect::<Option<_>>()?;
        for (point, number) in points.iter_mut().zip(numbers) {
            point.number = Some(number);
        }
        Some(Tile { first })
    }

    /// Returns the accumulators at the start of a tile: the values of the accumulators before the
    /// tile, with the index [`NONE`].
    pub(super) fn begin_tile(&self, b: &Builder<'c>, partial: &[Val<'c>]) -> Vec<Val<'c>> {
        let new = |pair: &[Val<'c>]| vec![pair[0], b.int(NONE, pair[1].r#type())];
        partial.chunks(2).flat_map(new).collect()
    }

    /// Returns the accumulators after a tile, with absolute indices. For an accumulator whose index
    /// in `partial` is [`NONE`], the returned index is the index in `before`.
    pub(super) fn end_tile(
        &self,
        b: &Builder<'c>,
        tile: &Tile<'c>,
        before: &[Val<'c>],
        partial: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let pairs = partial.chunks(2).zip(before.chunks(2));
        pairs
            .flat_map(|(new, old)| {
                let ty = new[1].r#type();
                let number = b.binary("arith.addi", index_as(b, tile.first, ty), new[1]);
                let none = b.compare(Predicate::Eq, new[1], b.int(NONE, ty));
                vec![new[0], b.select(Cond::Val(none), old[1], number)]
            })
            .collect()
    }
}
