//! Mapping of the elements of a fragment to threads and registers.

use tx_dialect_tile::{Axis, Iter, Layout};

const WARP: i64 = 32;
const WARPGROUP: i64 = 128;

/// Thread and register that hold one copy of a fragment element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holder {
    /// Sum of the thread offsets along the axes that are relative to a thread group: the lane,
    /// thread-in-group and warp-in-group axes.
    pub relative: i64,
    /// Sum of the thread offsets along the axes that are relative to the block: the warp, warpgroup
    /// and thread axes.
    pub absolute: i64,
    /// Index of the register among the used registers of the thread.
    pub slot: usize,
}

/// Coordinates of a fragment element along the hardware axes of a layout.
#[derive(Clone, Copy, Default)]
struct Point {
    register: i64,
    relative: i64,
    absolute: i64,
}

impl Point {
    fn moved(mut self, axis: Axis, by: i64) -> Self {
        match axis {
            Axis::Reg => self.register += by,
            Axis::Lane | Axis::ThreadInGroup => self.relative += by,
            Axis::WarpInGroup => self.relative += by * WARP,
            Axis::Warp => self.absolute += by * WARP,
            Axis::Warpgroup => self.absolute += by * WARPGROUP,
            Axis::Thread => self.absolute += by,
        }
        self
    }
}

/// Applies the layout iterators `entries` to the points. Each iterator replaces a point by `extent`
/// points at distances of 0, 1, 2, … strides from the replaced point, along the axis of the
/// iterator.
fn spread(points: Vec<Point>, entries: &[Iter]) -> Vec<Point> {
    entries.iter().fold(points, |points, entry| {
        points
            .iter()
            .flat_map(|p| (0..entry.extent).map(|i| p.moved(entry.axis, i * entry.stride)))
            .collect()
    })
}

fn start(layout: &Layout) -> Point {
    layout.offset.iter().fold(Point::default(), |p, entry| {
        p.moved(entry.axis, entry.extent)
    })
}

/// Returns the used registers of a thread, in ascending order.
pub(crate) fn slots(layout: &Layout) -> Vec<i64> {
    let only: Vec<Iter> = layout
        .shard
        .iter()
        .chain(&layout.replica)
        .filter(|entry| entry.axis == Axis::Reg)
        .copied()
        .collect();
    let mut all: Vec<i64> = spread(vec![start(layout)], &only)
        .into_iter()
        .map(|p| p.register)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns all copies of each element, in row-major order of the elements. A copy is a pair of a
/// thread and a register.
pub fn holders(layout: &Layout) -> Vec<Vec<Holder>> {
    let slots = slots(layout);
    spread(vec![start(layout)], &layout.shard)
        .into_iter()
        .map(|p| {
            let mut copies: Vec<Holder> = spread(vec![p], &layout.replica)
                .into_iter()
                .map(|p| Holder {
                    relative: p.relative,
                    absolute: p.absolute,
                    slot: slots.binary_search(&p.register).unwrap_or(0),
                })
                .collect();
            copies.sort_unstable();
            copies.dedup();
            copies
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a layout of `mma` row sums, each row sum has four copies.
    #[test]
    fn rows_of_an_accumulator_have_four_holders() {
        let iter = |extent, stride, axis| Iter {
            extent,
            stride,
            axis,
        };
        let layout = Layout {
            shard: vec![iter(2, 1, Axis::Reg), iter(8, 4, Axis::Lane)],
            replica: vec![iter(4, 1, Axis::Lane)],
            offset: vec![],
        };
        let holders = holders(&layout);
        assert_eq!(holders.len(), 16);
        let row_9: Vec<_> = holders[9].iter().map(|h| (h.relative, h.slot)).collect();
        assert_eq!(row_9, [(4, 1), (5, 1), (6, 1), (7, 1)]);
    }
}
