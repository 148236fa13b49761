//! Element-wise ops: a thread computes a vector of 16 bytes, and the threads of a block vectors side
//! by side.
//!
//! Measured on an H200 with `a + a` of 1 GiB, in GB/s of f32 and bf16 (a copy by PyTorch: 4189): one
//! vector a thread 4102 and 4191, two 3976 and 4024, four 3886 and 3976, eight 3854 and 3932; 32 bytes
//! of f32 a thread 3774; loads with `#tile.stream` 4026 and 4093. Blocks of 128 and of 512 threads are
//! within 1 %. The threads of a multiprocessor have 32 KB in flight with one vector each.

use super::super::job::Work;
use super::super::steps::Step;
use super::{Chooser, FEW, THREADS, VECTOR, is_packed};
use tx_mlir::{Affine, byte_width};

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
    /// Vectors of points, where what is written and all that is read goes along neighbours; false
    /// where that is not so.
    pub(super) fn points(&mut self, kept: &[usize]) -> bool {
        let job = self.job;
        if !job.axes.is_empty() || matches!(job.work, Work::Start(..)) {
            return false;
        }
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
        if !destinations.iter().all(is_written) || sources.contains(&Walk::Apart) {
            return false;
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
