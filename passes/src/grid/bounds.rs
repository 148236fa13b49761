//! Emits bounds checks: conditions that a position in the loop nest is in the iteration space.

use super::body::{Body, EmitPoint};
use super::nest::{LoopKind, LoopRelation, Node};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Index};

impl<'c> Body<'_, 'c> {
    /// Emits the conjunction of the bounds checks of enclosing loops. If `reduced` is true, the
    /// conjunction covers all loops over reduced dimensions, else all loops over parallel
    /// dimensions.
    pub(super) fn guard(&self, b: &Builder<'c>, place: &EmitPoint<'c>, reduced: bool) -> Cond<'c> {
        let nodes = &self.nest.nodes;
        let mut condition = Cond::Const(true);
        for guard in &self.guards {
            if nodes[*guard].reduced == reduced
                && !place.full.contains(guard)
                && let Some(index) = place.index.get(guard)
            {
                condition = b.and(condition, self.is_in_bounds(b, place, *guard, *index));
            }
        }
        match self.is_idle(reduced) {
            true => Cond::Const(false),
            false => condition,
        }
    }

    /// Emits the bounds check of loop `node`: `index < length`. Emits no bounds check if every
    /// index of loop `node` at `place` is less than each length for which the host launches the
    /// kernel. If a thread has several accumulators, the function always emits the bounds check,
    /// because without bounds checks, ptxas chooses a slower order of loads. Without the bounds
    /// check, sums of 8388608 rows of 32 f32 take 287 µs instead of 275 µs on an H200. In a case for
    /// multiples, which has whole vectors, the function omits the bounds check.
    fn is_in_bounds(
        &self,
        b: &Builder<'c>,
        place: &EmitPoint<'c>,
        node: usize,
        index: Index<'c>,
    ) -> Cond<'c> {
        let extent = &self.nest.nodes[node].extent;
        let least = extent.least();
        match self.greatest_index(place, node) {
            Some(greatest)
                if greatest < least && (extent.has_whole_vectors() || self.lanes() == 1) =>
            {
                Cond::Const(true)
            }
            _ => b.less(index, self.length(place, node)),
        }
    }

    /// Returns the greatest index of loop `node` at loop-nest position `place`, or `None` if the
    /// index has no static bound.
    fn greatest_index(&self, place: &EmitPoint<'c>, node: usize) -> Option<i64> {
        let Node {
            relation, extent, ..
        } = &self.nest.nodes[node];
        match relation {
            LoopRelation::Loop => match place.index.get(&node) {
                Some(Index::Const(index)) => Some(*index),
                _ => extent.most()?.checked_sub(1),
            },
            LoopRelation::Split {
                outer,
                inner,
                factor,
                aligned: false,
            } => self
                .greatest_index(place, *outer)?
                .checked_mul(*factor)?
                .checked_add(self.greatest_index(place, *inner)?),
            LoopRelation::Split { .. } | LoopRelation::Fused { .. } => None,
        }
    }

    /// Returns whether a loop with 0 iterations is bound to threads or blocks. The function
    /// considers loops over reduced dimensions if `reduced` is true, and loops over parallel
    /// dimensions if `reduced` is false.
    fn is_idle(&self, reduced: bool) -> bool {
        self.nest
            .order
            .iter()
            .map(|n| &self.nest.nodes[*n])
            .any(|n| {
                n.reduced == reduced
                    && matches!(n.kind, LoopKind::Bound(_))
                    && n.extent.known() == Some(0)
            })
    }

    /// Emits the condition that `place` is inside the iteration space.
    pub(super) fn guard_of(&self, b: &Builder<'c>, place: &EmitPoint<'c>) -> Cond<'c> {
        // The indices of unrolled parallel loops, and therefore the bounds checks of these loops,
        // are known only inside the combining loops.
        let (kept, _) = self.lane_loops();
        let inside = match kept.is_empty() {
            true => Cond::Const(true),
            false => self.guard(b, place, false),
        };
        b.and(inside, self.guard(b, place, true))
    }

    /// Returns the point of the iteration space at `place`, with index 0 in each dimension whose
    /// bounds check fails. Returns `None` in four cases: `place.clamps` is false; the element is a
    /// head or tail element; a loop that a schedule step created has a bounds check; another block
    /// may still be storing the partial results of row 0.
    pub(super) fn clamped(&self, b: &Builder<'c>, place: &EmitPoint<'c>) -> Option<Vec<Index<'c>>> {
        if !place.clamps || place.is_head_or_tail {
            return None;
        }
        let mut point = self.point(place);
        for guard in self.open_guards(place) {
            if self.is_last_block && !self.nest.nodes[guard].reduced {
                return None;
            }
            let index = point.get_mut(guard)?;
            let inside = self.is_in_bounds(b, place, guard, *index);
            *index = b.select_index(inside, *index, Index::Const(0));
        }
        Some(point)
    }

    /// Returns the split loops whose bounds check is still necessary at `place`.
    pub(super) fn open_guards(&self, place: &EmitPoint<'c>) -> impl Iterator<Item = usize> {
        self.guards
            .iter()
            .copied()
            .filter(|g| !place.full.contains(g))
    }
}
