//! Points (index tuples) of an iteration space, one per lane.

use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, View};
use tx_mlir::{Affine, AffineMap};

pub(crate) struct Points {
    pub(crate) lanes: usize,
    /// For each dimension: a list with one coordinate per lane, or a single coordinate that all
    /// lanes share.
    coordinates: Vec<Vec<i64>>,
}

impl Points {
    /// Creates `lanes` points at the origin of the iteration space.
    pub(crate) fn new(rank: usize, lanes: usize) -> Self {
        Self {
            lanes,
            coordinates: vec![vec![0]; rank],
        }
    }

    /// Sets the coordinates of the point of each lane along the dimensions `dims`. The function
    /// `number` returns the linear index of the point of a lane, in row-major order over `sizes`.
    pub(crate) fn set(&mut self, dims: &[usize], sizes: &[i64], number: impl Fn(usize) -> i64) {
        let mut inner = 1;
        for (d, size) in dims.iter().zip(sizes).rev() {
            let of_lane = |lane| number(lane) / inner % size;
            self.coordinates[*d].clear();
            self.coordinates[*d].extend((0..self.lanes).map(of_lane));
            inner *= size;
        }
    }

    /// Sets the coordinates of all points along the dimensions `dims` from one linear index.
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

    /// Returns the result of an affine map at each point.
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

    /// Returns the position of the element that an affine map selects in a view, in elements from
    /// the base of the view.
    pub(crate) fn place(&self, map: &AffineMap, view: &View, lane: usize) -> i64 {
        view.place(map.results.iter().map(|e| self.evaluate(e, lane)))
    }

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

/// Returns the sizes of the iteration space. If result `i` of an indexing map is the loop dimension
/// `d`, the size of `d` is the size of operand dimension `i`.
pub(crate) fn iteration_sizes(
    rank: usize,
    maps: &[AffineMap],
    sizes: &[Vec<i64>],
    site: &Site,
) -> Result<Vec<i64>, Trouble> {
    let mut space = vec![None; rank];
    for (map, sizes) in maps.iter().zip(sizes) {
        for (expr, size) in map.results.iter().zip(sizes) {
            let Affine::Dim(d) = expr else { continue };
            match space[*d] {
                None => space[*d] = Some(*size),
                Some(known) if known == *size => {}
                Some(known) => {
                    let message = format!(
                        "dimension {d} has {known} iterations in one operand, but {size} in another"
                    );
                    return Err(Trouble::fault(FaultKind::OutOfBounds, site, message));
                }
            }
        }
    }
    space
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| Trouble::Unsupported {
            site: site.clone(),
            what: "with a dimension of unknown size".to_owned(),
        })
}
