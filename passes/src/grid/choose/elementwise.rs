//! Element-wise ops: a thread computes a vector of 16 bytes, and the threads of a block vectors side
//! by side.
//!
//! Measured on an H200 with `a + a` of 1 GiB, in GB/s of f32 and bf16 (a copy by PyTorch: 4189): one
//! vector a thread 4102 and 4191, two 3976 and 4024, four 3886 and 3976, eight 3854 and 3932; 32 bytes
//! of f32 a thread 3774; loads with `#tile.stream` 4026 and 4093. Blocks of 128 and of 512 threads are
//! within 1 %. The threads of a multiprocessor have 32 KB in flight with one vector each.
//!
//! A source that is read along another dimension than the one along which is written passes through
//! shared memory in tiles. Measured on an H200 with transposes of 16384x16384 in f32 and bf16 (copies:
//! 4019 and 3837; Triton by torch.compile: 2724 and 2098), the first number along what is read: 64x64
//! 3951 and 3625, 128x64 3820 and 3792, 64x128 3791 and 3694, 32x64 3820 and 3145, 32x32 3694 and
//! 3164, 128x128 in bf16 3463. Blocks of 128 threads are within 2 %, of 512 within 10 %; to go through
//! tiles along what is read rather than along what is written takes 2 % more. In i8 256x64 has 3835,
//! 128x64 3538, 64x64 2629; in f64 32x32 3780 and 64x64 3795.

use super::super::steps::{Case, Step};
use super::{Access, Chooser, FEW, Processor, THREADS, VECTOR, is_packed};
use tx_dialect_tile::Residency;
use tx_mlir::{Affine, byte_width};
use tx_target::STATIC_SHARED_BYTES;

/// Bytes of a row that are read of a tile that passes through shared memory.
const READ: i64 = 256;
/// Elements of a row that are written of it: of wider ones than 4 bytes half as many.
const SIDE: i64 = 64;
/// Elements of a dimension below which it has no tiles.
const SHORTEST: i64 = 16;

/// How an operand goes along a dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    /// It has one element for all points, or those of a few places that caches keep.
    Held,
    /// Its elements are neighbours, of so many bytes.
    Neighbours(i64),
    /// Its elements are apart.
    Apart,
}

impl Chooser<'_, '_> {
    /// Vectors of points, where what is written and all that is read goes along neighbours.
    pub(super) fn vectors_of_points(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.points(&kept, false).then(|| self.done())
    }

    /// Tiles of what is read along another dimension than the one along which is written.
    pub(super) fn tiles_of_points(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.points(&kept, true).then(|| self.done())
    }

    /// Writes one of these, if the op is of that sort.
    fn points(&mut self, kept: &[usize], tiles: bool) -> bool {
        let job = self.job;
        let Some(nearest) = self
            .nearest
            .filter(|_| self.total(kept).is_none_or(|n| n > FEW))
        else {
            return false;
        };
        let walks = |accesses: &[_]| -> Vec<Walk> {
            accesses
                .iter()
                .map(|access| walk(access, nearest))
                .collect()
        };
        let (sources, destinations) = (walks(&job.sources), walks(&job.destinations));
        let is_written = |walk: &Walk| matches!(walk, Walk::Neighbours(_));
        if !destinations.iter().all(is_written) {
            return false;
        }
        if sources.contains(&Walk::Apart) || tiles {
            return tiles && self.tiles(kept, nearest, &sources);
        }
        let widest = sources
            .iter()
            .chain(&destinations)
            .filter_map(|walk| match walk {
                Walk::Neighbours(bytes) => Some(*bytes),
                _ => None,
            });
        let Some(widest) = widest.max() else {
            return false;
        };
        let mut vector = VECTOR / widest;
        // Every row must begin at a multiple of a vector.
        let is_flat = kept
            .iter()
            .all(|d| *d == nearest || job.extents[*d].known() == Some(1));
        if !is_flat && let Some(length) = job.extents[nearest].known() {
            while vector > 1 && length % vector != 0 {
                vector /= 2;
            }
        }
        vector = self.affordable(vector);
        let name = self.cut(kept, nearest, vector, "p");
        self.split(&name, THREADS, Some(0), Some(0));
        if vector > 1 {
            self.steps.push(Step::Vectorize(format!("d{nearest}.i")));
        }
        true
    }
}

impl Chooser<'_, '_> {
    /// Tiles of sources that are read along another dimension than the one along which is written;
    /// false where these are not read along one and the same.
    fn tiles(&mut self, kept: &[usize], nearest: usize, walks: &[Walk]) -> bool {
        let job = self.job;
        let turned = || {
            let each = job.sources.iter().enumerate().zip(walks);
            each.filter(|(_, walk)| **walk == Walk::Apart)
                .map(|(source, _)| source)
        };
        let along: Option<Vec<usize>> = turned().map(|(_, source)| read_along(source)).collect();
        let Some([first, others @ ..]) = along.as_deref() else {
            return false;
        };
        let is_written = |(_, source): (usize, &Access<'_>)| {
            job.destinations
                .iter()
                .any(|destination| destination.value == source.value)
        };
        let is_short = |dim: &usize| job.extents[*dim].known().is_some_and(|n| n < SHORTEST);
        if others.iter().any(|other| other != first)
            || *first == nearest
            || [*first, nearest].iter().any(is_short)
            || turned().any(is_written)
        {
            return false;
        }
        let width = |access: &Access<'_>| byte_width(access.memref.as_ref()?.element);
        let all = job.sources.iter().chain(&job.destinations);
        let Some(widest) = all.filter_map(width).max() else {
            return false;
        };
        let widest = widest.cast_signed();
        let vector = self.affordable(VECTOR / widest);
        let [along, nearest] = [*first, nearest].map(|d| format!("d{d}"));
        let mut sides = [READ / widest, if widest > 4 { SIDE / 2 } else { SIDE }];
        let bytes = |sides: [i64; 2]| -> i64 {
            let row = (sides[0] + 4) * sides[1];
            turned()
                .filter_map(|(_, source)| Some(row * width(source)?.cast_signed()))
                .sum()
        };
        while bytes(sides) > STATIC_SHARED_BYTES.cast_signed() {
            sides = sides.map(|side| side / 2);
        }
        if sides[0].min(sides[1]) < SHORTEST {
            return false;
        }
        for (dim, side) in [&along, &nearest].into_iter().zip(sides) {
            self.steps.push(Step::Split(dim.clone(), side));
        }
        self.steps.push(Step::Split(format!("{nearest}.i"), vector));
        let [lanes, vectors] = [format!("{nearest}.i.i"), format!("{nearest}.i.o")];
        let others = kept.iter().map(|d| format!("d{d}"));
        let others = others.filter(|d| ![&along, &nearest].contains(&d));
        let blocks: Vec<String> = others
            .chain([format!("{along}.o"), format!("{nearest}.o")])
            .collect();
        let points = vec![format!("{along}.i"), vectors];
        let order = blocks.iter().chain(&points).cloned().chain([lanes.clone()]);
        self.steps.push(Step::Reorder(order.collect()));
        self.steps.push(Step::Fuse(blocks, "b".to_owned()));
        self.bind("b", Processor::Block(0));
        self.steps.push(Step::Fuse(points, "t".to_owned()));
        self.split("t", THREADS, None, Some(0));
        self.steps.push(Step::Unroll("t.o".to_owned()));
        if vector > 1 {
            self.steps.push(Step::Vectorize(lanes));
        }
        for (number, _) in turned() {
            let held = Step::Hold(format!("in{number}"), Residency::Shared);
            self.steps.push(held);
        }
        true
    }
}

/// The dimension along which the elements of a source are neighbours; none where it is not indexed by
/// a dimension of its own, or by 0, everywhere.
fn read_along(source: &Access<'_>) -> Option<usize> {
    let memref = source.memref.as_ref()?;
    let results = &source.map.results;
    let is_once = |index: &Affine| results.iter().filter(|other| *other == index).count() == 1;
    let is_plain = |index: &Affine| match index {
        Affine::Dim(_) => is_once(index),
        _ => *index == Affine::Const(0),
    };
    let next = memref.strides.last() == Some(&Some(1)) && !is_packed(memref.element);
    match results.last()? {
        Affine::Dim(d) if next && results.iter().all(is_plain) => Some(*d),
        _ => None,
    }
}

/// How an operand goes along dimension `dim`.
pub(super) fn walk(access: &super::Access<'_>, dim: usize) -> Walk {
    let Some(memref) = &access.memref else {
        return Walk::Held;
    };
    let results = &access.map.results;
    if !results.iter().any(|index| index.uses(dim)) {
        return Walk::Held;
    }
    let Some((last, others)) = results.split_last() else {
        return Walk::Held;
    };
    let is_alone = others.iter().all(|index| !index.uses(dim));
    let divided = matches!(last, Affine::Mod(..) | Affine::FloorDiv(..));
    let is_next = memref.strides.last() == Some(&Some(1));
    match byte_width(memref.element).and_then(|bytes| i64::try_from(bytes).ok()) {
        _ if is_packed(memref.element) || !is_alone => Walk::Apart,
        // A row, or one element for each of them: it is read again and again.
        _ if divided && is_next => Walk::Held,
        Some(bytes) if is_next && last.step(dim) == Some(1) => Walk::Neighbours(bytes),
        _ => Walk::Apart,
    }
}
