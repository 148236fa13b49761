//! Rows with aligned vectors: the position of the vectors in a row, and the head and tail elements
//! outside the vectors.

use super::body::{Body, EmitPoint};
use super::nest::{LoopKind, LoopRelation};
use super::steps::Processor;
use super::vectors::{Layout, Vectors, leader};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index, Val};

/// A head or tail element of a row, outside the aligned vectors of the row.
pub(super) struct Edge<'c> {
    condition: Cond<'c>,
    place: EmitPoint<'c>,
}

impl<'c> Body<'_, 'c> {
    /// Emits the position of the aligned vectors of dimension `dim` in the current row.
    pub(super) fn vectors(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        (dim, lanes): (usize, i64),
    ) -> Vectors<'c> {
        let length = self.extents[dim];
        let most = Index::Const(lanes);
        let mut offset = Index::Const(0);
        if let Some(leader) = leader(self.grid_op, dim)
            && let Some(memref) = &leader.memref
        {
            let mut row = place.clone();
            row.index.insert(dim, Index::Const(0));
            let point = self.point(&row);
            let layout = Layout::of(b, leader.value, memref);
            for (result, stride) in leader.map.results.iter().zip(layout.strides) {
                if stride.known().is_none_or(|s| s % lanes != 0) {
                    offset = b.add(offset, b.mul(b.affine(result, &point), stride));
                }
            }
        }
        let beyond = b.rem(offset, most);
        let first = b.rem(b.sub(most, beyond), most);
        let fits = b.less(first, length);
        let first = b.select_index(fits, first, length);
        let count = match b.div(b.sub(length, first), most) {
            Index::Const(n) => Index::Const(n - self.left_over(dim, n)),
            count => count,
        };
        let lengths = (0..self.nest.nodes.len())
            .filter(|n| self.nest.is_of_vectors(*n))
            .map(|n| (n, self.nest.nodes[n].extent.of_vectors(b, count)))
            .collect();
        Vectors {
            first,
            count,
            lengths,
        }
    }

    /// Returns the number of vectors in the partial last tile of a row if the elements of this tile
    /// are distributed over all threads of the row, like head and tail elements; else 0. The result
    /// is 0 if the combiner is cheap, or if the tile has at least one vector for each thread of the
    /// row.
    fn left_over(&self, dim: usize, count: i64) -> i64 {
        if !self.shares {
            return 0;
        }
        let LoopRelation::Split { outer, .. } = self.nest.nodes[dim].relation else {
            return 0;
        };
        let LoopRelation::Split { factor: tile, .. } = self.nest.nodes[outer].relation else {
            return 0;
        };
        let threads: i64 = (0..3)
            .filter(|d| {
                let node = self.nest.on(Processor::Thread(*d));
                node.is_some_and(|n| self.nest.is_of_vectors(n))
            })
            .map(|d| self.nest.block()[d])
            .product();
        let left = count % tile;
        let is_apart = self.nest.loops_of(dim).iter().any(|n| {
            let node = &self.nest.nodes[*n];
            node.is_rfactor
                || matches!(
                    node.kind,
                    LoopKind::Bound(Processor::Block(_) | Processor::Cluster(_))
                )
        });
        if count > tile && left < threads && !is_apart {
            left
        } else {
            0
        }
    }

    /// Returns the head and tail elements of the current row that this thread combines.
    pub(super) fn edges(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        (dim, lanes): (usize, i64),
        vectors: &Vectors<'c>,
    ) -> Vec<Edge<'c>> {
        let (first, length) = (vectors.first, self.extents[dim]);
        let inside = b.mul(vectors.count, Index::Const(lanes));
        let edges = b.sub(length, inside);
        // If several blocks share a row, the first block combines the head and tail elements.
        let mut mine = Cond::Const(true);
        let (mut number, mut threads) = (Index::Const(0), 1);
        for node in self.nest.loops_of(dim) {
            let loop_ = &self.nest.nodes[node];
            let shares = match loop_.kind {
                LoopKind::Bound(Processor::Thread(_)) => false,
                LoopKind::Bound(Processor::Block(_) | Processor::Cluster(_)) => true,
                _ => loop_.is_rfactor,
            };
            if shares {
                mine = b.and(mine, b.equal(place.index[&node], Index::Const(0)));
            }
        }
        for dimension in 0..3 {
            if let Some(node) = self.nest.on(Processor::Thread(dimension))
                && self.nest.is_of_vectors(node)
            {
                let share = b.mul(place.index[&node], Index::Const(threads));
                number = b.add(number, share);
                threads *= self.nest.block()[dimension];
            }
        }
        let most = match (first, length) {
            _ if edges.known().is_some() => edges.known().unwrap_or(0),
            (Index::Const(0), _) => lanes - 1,
            (_, Index::Const(n)) => n.min(2 * (lanes - 1)),
            _ => 2 * (lanes - 1),
        };
        let mut all = Vec::new();
        let mut from = 0;
        while from < most {
            let edge = b.add(number, Index::Const(from));
            let condition = b.and(mine, b.less(edge, edges));
            let before = b.less(edge, first);
            let index = b.select_index(before, edge, b.add(edge, inside));
            let mut place = place.clone();
            place.index.insert(dim, index);
            place.is_head_or_tail = true;
            let condition = b.and(condition, self.guard(b, &place, true));
            place.loaded = self
                .load_where(b, condition, std::slice::from_ref(&place), None)
                .remove(0);
            all.push(Edge { condition, place });
            from += threads;
        }
        all
    }

    pub(super) fn combine_edges(
        &self,
        b: &Builder<'c>,
        edges: Vec<Edge<'c>>,
        partial: Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        edges.into_iter().fold(partial, |partial, edge| {
            self.combine_where(b, edge.condition, &edge.place, partial)
        })
    }
}
