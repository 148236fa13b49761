//! Points of an iteration space that are computed together, one in each lane.

use crate::value::{Lanes, View};
use tx_mlir::{Affine, AffineMap};

/// A point for each lane.
pub(crate) struct Points {
    pub(crate) lanes: usize,
    /// Of each dimension, one for each lane or one for all.
    coordinates: Vec<Vec<i64>>,
}

impl Points {
    /// So many points, all of them the first.
    pub(crate) fn new(rank: usize, lanes: usize) -> Self {
        Self {
            lanes,
            coordinates: vec![vec![0]; rank],
        }
    }

    /// Sets some dimensions, of these sizes, to the index whose number in row-major order is that
    /// of the lane.
    pub(crate) fn set(&mut self, dims: &[usize], sizes: &[i64], number: impl Fn(usize) -> i64) {
        let mut inner = 1;
        for (d, size) in dims.iter().zip(sizes).rev() {
            let of_lane = |lane| number(lane) / inner % size;
            self.coordinates[*d].clear();
            self.coordinates[*d].extend((0..self.lanes).map(of_lane));
            inner *= size;
        }
    }

    /// Sets some dimensions of all points to the index with this number.
    pub(crate) fn set_all(&mut self, dims: &[usize], sizes: &[i64], number: i64) {
        let mut inner = 1;
        for (d, size) in dims.iter().zip(sizes).rev() {
            self.coordinates[*d].clear();
            self.coordinates[*d].push(number / inner % size);
            inner *= size;
        }
    }

    fn get(&self, d: usize, lane: usize) -> i64 {
        let all = &self.coordinates[d];
        all[if all.len() == 1 { 0 } else { lane }]
    }

    /// A coordinate of each point.
    pub(crate) fn coordinate(&self, d: usize) -> Lanes {
        match &self.coordinates[d][..] {
            [one] => Lanes::one(one.cast_unsigned()),
            all => {
                let mut out = Lanes::new(1, self.lanes);
                let bits = all.iter().map(|i| i.cast_unsigned());
                out.bits.iter_mut().zip(bits).for_each(|(to, i)| *to = i);
                out
            }
        }
    }

    /// What a map makes of each point.
    pub(crate) fn mapped(&self, map: &AffineMap) -> Indices {
        let rank = map.results.len();
        let mut all = Vec::with_capacity(rank * self.lanes);
        for lane in 0..self.lanes {
            all.extend(map.results.iter().map(|e| self.evaluate(e, lane)));
        }
        Indices {
            rank,
            lanes: self.lanes,
            all,
        }
    }

    /// Where the element lies that a map makes of a point, in elements from the base of a view.
    pub(crate) fn place(&self, map: &AffineMap, view: &View, lane: usize) -> i64 {
        view.place(map.results.iter().map(|e| self.evaluate(e, lane)))
    }

    /// The value of an affine expression.
    fn evaluate(&self, expr: &Affine, lane: usize) -> i64 {
        let both = |l: &Affine, r: &Affine| (self.evaluate(l, lane), self.evaluate(r, lane));
        match expr {
            Affine::Dim(d) => self.get(*d, lane),
            Affine::Symbol(_) => 0,
            Affine::Const(n) => *n,
            Affine::Add(l, r) => {
                let (l, r) = both(l, r);
                l + r
            }
            Affine::Mul(l, r) => {
                let (l, r) = both(l, r);
                l * r
            }
            Affine::Mod(l, r) => {
                let (l, r) = both(l, r);
                if r == 0 { 0 } else { l.rem_euclid(r) }
            }
            Affine::FloorDiv(l, r) => {
                let (l, r) = both(l, r);
                if r == 0 { 0 } else { l.div_euclid(r) }
            }
            Affine::CeilDiv(l, r) => {
                let (l, r) = both(l, r);
                if r == 0 { 0 } else { -(-l).div_euclid(r) }
            }
        }
    }
}

/// An index of an operand for each lane.
pub(crate) struct Indices {
    rank: usize,
    pub(crate) lanes: usize,
    all: Vec<i64>,
}

impl Indices {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[i64]> {
        (0..self.lanes).map(|lane| &self.all[lane * self.rank..][..self.rank])
    }
}
