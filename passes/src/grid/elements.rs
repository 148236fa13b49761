//! Emits the loads at a point of the iteration space, and computes an element from the loaded
//! values.

use super::body::{Body, EmitPoint};
use super::extent::Extent;
use crate::analysis::dataflow::Access;
use crate::combiner::Combiner;
use crate::emit::{OWNED, index_as, load};
use tx_mlir::{Blk, Builder, Index, Val, i64_attribute};

/// MLIR attribute of evict-first loads.
pub(super) const NONTEMPORAL: &str = "nontemporal";

impl<'c> Body<'_, 'c> {
    /// Emits code that computes the element at a point and converts the element to a partial
    /// result.
    pub(super) fn element(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        element: Option<Blk<'c>>,
        combiner: &Combiner<'c>,
    ) -> Vec<Val<'c>> {
        let point = self.point(place);
        let mut sources = self.load_sources(b, place, &point);
        let elements: Vec<Val<'c>> = match element {
            Some(block) => {
                let first = self.grid_op.sources.len();
                sources.extend((first..).zip(point.iter().map(|i| b.value(*i))));
                b.inline_with(block, &sources, &|_| None)
            }
            None => sources.into_iter().map(|(_, source)| source).collect(),
        };
        if combiner.kind().is_arg() && elements.len() == 2 {
            return vec![combiner.widen(b, 0, elements[0]), elements[1]];
        }
        combiner.partial(b, &elements, |b, ty| {
            if let Some(number) = place.number {
                return b.int(number, ty);
            }
            let axes = &self.grid_op.axes;
            let number = axes.iter().fold(Index::Const(0), |n, d| {
                b.add(b.mul(n, self.extents[*d]), point[*d])
            });
            index_as(b, number, ty)
        })
    }

    /// Emits a load of each source at a point. Returns the operand number and the loaded element of
    /// each source.
    pub(super) fn load_sources(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        point: &[Index<'c>],
    ) -> Vec<(usize, Val<'c>)> {
        let sources = self.grid_op.sources.iter().enumerate();
        sources
            .filter(|(i, _)| self.grid_op.reads(*i))
            .map(|(i, source)| match place.loaded.get(i) {
                Some(Some(loaded)) => (i, *loaded),
                _ => match place.staged(i) {
                    Some(staged) => (i, staged.load(b, source, point)),
                    None => (i, self.load(b, source, point)),
                },
            })
            .collect()
    }

    pub(super) fn load(
        &self,
        b: &Builder<'c>,
        access: &Access<'c>,
        point: &[Index<'c>],
    ) -> Val<'c> {
        self.load_at(b, access, || element_index(b, access, point))
    }

    pub(super) fn load_at(
        &self,
        b: &Builder<'c>,
        access: &Access<'c>,
        index: impl FnOnce() -> Vec<Val<'c>>,
    ) -> Val<'c> {
        let Some(memref) = &access.memref else {
            return access.value;
        };
        let value = load(b, access.value, memref.element, &index());
        let Some(op) = tx_mlir::defining_op(value) else {
            return value;
        };
        // If the kernel also writes this array, no other thread accesses the element.
        if self.is_written(access) {
            tx_mlir::set_attribute(op, OWNED, i64_attribute(b.context(), self.owner));
        }
        // In a kernel with vector loads, loads of head and tail elements are not evict-first. Head
        // and tail elements share cache lines with the vectors, and most arrays have no head and
        // tail elements. LLVM assumes that an evict-first load is as slow as many plain loads.
        if self.is_streamed(access) && !self.nest.has_vectors() {
            tx_mlir::set_attribute(op, NONTEMPORAL, b.attribute("true"));
        }
        value
    }

    pub(super) fn is_written(&self, access: &Access<'c>) -> bool {
        self.grid_op
            .destinations
            .iter()
            .any(|d| d.value == access.value)
    }

    /// Returns whether the loads of an array are evict-first. Evict-first loads require that every
    /// element is read only once.
    pub(super) fn is_streamed(&self, access: &Access<'c>) -> bool {
        let read_once = (0..self.grid_op.extents.len()).all(|d| {
            self.grid_op.extents[d] == Extent::Static(1)
                || access.map.results.iter().any(|e| e.uses(d))
        });
        self.nest.evict_first && read_once && !self.is_written(access)
    }
}

pub(super) fn element_index<'c>(
    b: &Builder<'c>,
    access: &Access<'c>,
    point: &[Index<'c>],
) -> Vec<Val<'c>> {
    access
        .map
        .results
        .iter()
        .map(|e| b.value(b.affine(e, point)))
        .collect()
}
