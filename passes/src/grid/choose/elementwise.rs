//! Schedules of element-wise ops. A thread computes a vector of 16 bytes, and neighbouring threads
//! compute neighbouring vectors.
//!
//! The following table shows the bandwidth of `a + a` on arrays of 1 GiB, in GB/s on an H200. A
//! copy of 1 GiB by PyTorch reaches 4189 GB/s.
//!
//! | vectors per thread | f32 | bf16 |
//! |--:|--:|--:|
//! | 1 | 4102 | 4191 |
//! | 2 | 3976 | 4024 |
//! | 4 | 3886 | 3976 |
//! | 8 | 3854 | 3932 |
//! | 1, evict-first loads | 4026 | 4093 |
//!
//! With one 32-byte vector of f32 for each thread, `a + a` reaches 3774 GB/s. The speed of `a + a`
//! differs by at most 1 % between blocks of 128, 256 and 512 threads. With one vector for each
//! thread, the 2048 threads of an SM have loads of 32 KiB in flight.
//!
//! If the contiguous dimension of a source is not the contiguous dimension of the destination, the
//! source is copied through tiles in shared memory. The following table shows the bandwidth of
//! transposes of 16384x16384, in GB/s on an H200. The first number of each tile size is the tile
//! length along the contiguous dimension of the source.
//!
//! | tile | f32 | bf16 |
//! |---|--:|--:|
//! | 64x64 | 3951 | 3625 |
//! | 128x64 | 3820 | 3792 |
//! | 64x128 | 3791 | 3694 |
//! | 32x64 | 3820 | 3145 |
//! | 32x32 | 3694 | 3164 |
//! | 128x128 | | 3463 |
//! | (copy) | 4019 | 3837 |
//! | (Triton of `torch.compile`) | 2724 | 2098 |
//!
//! Transposes of i8 reach 3835 GB/s with tiles of 256x64, 3538 GB/s with tiles of 128x64, and 2629
//! GB/s with tiles of 64x64. Transposes of f64 reach 3780 GB/s with tiles of 32x32, and 3795 GB/s
//! with tiles of 64x64. The speed of a transpose differs by at most 2 % between blocks of 128 and
//! 256 threads. The speed of a transpose differs by at most 10 % between blocks of 256 and 512
//! threads. A transpose takes 2 % longer if consecutive blocks process consecutive tiles of the
//! source instead of consecutive tiles of the destination.

use super::super::contiguous::{AccessPattern, access_pattern};
use super::super::steps::{Case, Processor, Step};
use super::chooser::{Chooser, MAX_SCALAR_ELEMENTS, THREADS_PER_BLOCK, VECTOR};
use super::phase_tables::MIN_EVICT_LAST_BYTES;
use crate::analysis::dataflow::Access;
use crate::emit::is_packed;
use tx_dialect_tile::Residency;
use tx_mlir::{Affine, byte_width};
use tx_target::STATIC_SHARED_BYTES;

/// Tile length along the contiguous dimension of the source, in bytes.
const READ: i64 = 256;
/// Tile length in elements along the contiguous dimension of the destination, for element types of
/// up to 4 bytes. For element types of more than 4 bytes, the tile length is half of `SIDE`.
const SIDE: i64 = 64;
/// Minimum length of a tiled dimension, in elements.
const SHORTEST: i64 = 16;

impl Chooser<'_, '_> {
    /// Makes a schedule with vector accesses, if all operands are contiguous along the same
    /// dimension.
    pub(super) fn vectors_of_points(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.points(&kept, false).then(|| self.take_evict_last())
    }

    /// Makes a schedule with shared-memory tiles, if the contiguous dimension of some sources is
    /// not the contiguous dimension of the destinations.
    pub(super) fn tiles_of_points(&mut self) -> Option<Vec<Case>> {
        let kept = self.kept.clone();
        self.points(&kept, true).then(|| self.take_evict_last())
    }

    /// Returns the schedule that consists of the steps added so far. The loads of the schedule have
    /// the L2 eviction policy `evict_last`, unless the arrays are known to be small.
    fn take_evict_last(&mut self) -> Vec<Case> {
        let count = self.total(&self.kept).unwrap_or(i64::MAX);
        if count.saturating_mul(self.width().unwrap_or(1)) >= MIN_EVICT_LAST_BYTES {
            self.steps.push(Step::EvictLast);
        }
        self.take_schedule()
    }

    /// Adds the steps of a schedule with shared-memory tiles if `tiles` is set, else with vector
    /// accesses. Returns false if the op does not permit the requested schedule.
    fn points(&mut self, kept: &[usize], tiles: bool) -> bool {
        let grid_op = self.grid_op;
        let Some(nearest) = self
            .nearest
            .filter(|_| self.total(kept).is_none_or(|n| n > MAX_SCALAR_ELEMENTS))
        else {
            return false;
        };
        let patterns = |accesses: &[_]| -> Vec<AccessPattern> {
            accesses
                .iter()
                .map(|access| access_pattern(access, nearest))
                .collect()
        };
        let (sources, destinations) = (patterns(&grid_op.sources), patterns(&grid_op.destinations));
        let is_written = |pattern: &AccessPattern| matches!(pattern, AccessPattern::Contiguous(_));
        if !destinations.iter().all(is_written) {
            return false;
        }
        if sources.contains(&AccessPattern::Strided) || tiles {
            return tiles && self.tiles(kept, nearest, &sources);
        }
        let widest = sources
            .iter()
            .chain(&destinations)
            .filter_map(|pattern| match pattern {
                AccessPattern::Contiguous(bytes) => Some(*bytes),
                _ => None,
            });
        let Some(widest) = widest.max() else {
            return false;
        };
        let mut vector = VECTOR / widest;
        // Every row must begin at an element index that is a multiple of the vector width.
        let is_flat = kept
            .iter()
            .all(|d| *d == nearest || grid_op.extents[*d].known() == Some(1));
        if !is_flat && let Some(length) = grid_op.extents[nearest].known() {
            while vector > 1 && length % vector != 0 {
                vector /= 2;
            }
        }
        vector = self.unrollable(vector);
        let name = self.split_and_fuse(kept, nearest, vector, "p");
        self.split(&name, THREADS_PER_BLOCK, Some(0), Some(0));
        if vector > 1 {
            self.steps.push(Step::Vectorize(format!("d{nearest}.i")));
        }
        true
    }
}

impl Chooser<'_, '_> {
    /// Adds the schedule steps that copy transposed sources to shared-memory tiles. Returns false
    /// unless all transposed sources are contiguous along the same dimension.
    fn tiles(&mut self, kept: &[usize], nearest: usize, patterns: &[AccessPattern]) -> bool {
        let grid_op = self.grid_op;
        let turned = || {
            let each = grid_op.sources.iter().enumerate().zip(patterns);
            each.filter(|(_, pattern)| **pattern == AccessPattern::Strided)
                .map(|(source, _)| source)
        };
        let along: Option<Vec<usize>> = turned().map(|(_, source)| read_along(source)).collect();
        let Some([first, others @ ..]) = along.as_deref() else {
            return false;
        };
        let is_written = |(_, source): (usize, &Access<'_>)| {
            grid_op
                .destinations
                .iter()
                .any(|destination| destination.value == source.value)
        };
        let is_short = |dim: &usize| grid_op.extents[*dim].known().is_some_and(|n| n < SHORTEST);
        if others.iter().any(|other| other != first)
            || *first == nearest
            || [*first, nearest].iter().any(is_short)
            || turned().any(is_written)
        {
            return false;
        }
        let width = |access: &Access<'_>| byte_width(access.memref.as_ref()?.element);
        let all = grid_op.sources.iter().chain(&grid_op.destinations);
        let Some(widest) = all.filter_map(width).max() else {
            return false;
        };
        let widest = widest.cast_signed();
        let vector = self.unrollable(VECTOR / widest);
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
        self.split("t", THREADS_PER_BLOCK, None, Some(0));
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

/// Returns the dimension along which a source is contiguous. Returns `None` unless each index of
/// the source is 0 or a loop index that no other index of the source uses.
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
