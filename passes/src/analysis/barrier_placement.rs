//! Positions of the barriers that a kernel needs, and the warps that reach each barrier.

use super::barrier::{Barrier, BarrierScope};
use super::barrier_errors::{Reason, side_by_side};
use super::required_barriers::BarrierAnalysis;
use super::unordered::UnorderedAccess;
use crate::analysis::kernel::{WARP_SIZE, WARPGROUP};
use melior::ir::operation::OperationLike;
use tx_dialect_tile::Scope;
use tx_mlir::{Failed, Op, ancestors, codes, error, name};

impl<'c> BarrierAnalysis<'_, 'c> {
    /// Inserts a barrier between two accesses. The barrier precedes the access `later` in the
    /// innermost MLIR block that contains both accesses. If a loop started a new iteration between
    /// the two accesses, the barrier is in the body of this loop.
    pub(super) fn insert(
        &mut self,
        earlier: &UnorderedAccess<'c>,
        later: Op<'c>,
        reach: BarrierScope,
    ) -> Result<(), Failed> {
        let chain: Vec<Op<'c>> = std::iter::once(later).chain(ancestors(later)).collect();
        let outermost = |holder: &dyn Fn(Op<'c>) -> bool| -> Option<usize> {
            chain
                .iter()
                .rposition(|o| tx_mlir::parent(*o).is_some_and(holder))
        };
        let around: Vec<Op<'c>> = ancestors(earlier.access.of_op.op).collect();
        let level = match outermost(&|o| earlier.crossed_loop == Some(o)) {
            Some(level) => level,
            None => {
                // The barrier is directly inside the innermost op that contains both accesses.
                let common = chain
                    .iter()
                    .position(|o| around.contains(o))
                    .unwrap_or(chain.len());
                let in_arms = chain
                    .get(common)
                    .is_some_and(|o| matches!(name(*o), "scf.if" | "scf.index_switch"))
                    && !same_block(earlier.access.of_op.op, chain[common.saturating_sub(1)]);
                if in_arms {
                    return Err(side_by_side(chain[common], earlier.access.of_op.op, later));
                }
                common.saturating_sub(1)
            }
        };
        let place = chain[level];
        let reach = self.widened(place, reach);
        let warps = self.warps_at(place, [earlier.access.of_op.op, later], reach)?;
        // If only one warp reaches the barrier, a warp-wide barrier suffices.
        let reach = if warps.len() == 1 {
            reach.of_one_warp()
        } else {
            reach
        };
        assert!(
            !self
                .barriers
                .iter()
                .any(|b| b.before == place && b.reach == reach),
            "a barrier must separate what it was inserted for"
        );
        self.barriers.push(Barrier {
            before: place,
            reach,
            warps,
            number: 0,
        });
        Ok(())
    }

    /// Returns the threads that a barrier at `place` orders. The function widens a warpgroup
    /// barrier to a block-wide barrier, unless at least two warpgroups reach `place` and each of
    /// these warpgroups is complete.
    fn widened(&self, place: Op<'c>, reach: BarrierScope) -> BarrierScope {
        let active = self.threads.active(place);
        let groups = active.threads.groups(WARPGROUP);
        let whole = groups
            .iter()
            .all(|(g, complete)| *complete && (g + 1) * WARPGROUP <= self.threads.kernel().threads);
        let several = groups.len() > 1 && whole && active.splits(Scope::Warpgroup).is_none();
        if reach == BarrierScope::Warpgroup && !several {
            BarrierScope::Block
        } else {
            reach
        }
    }

    /// Returns the warps that reach `place`. Fails if only some lanes of a warp reach `place`, or
    /// if the barrier orders several warps and the set of warps that reach `place` is unknown.
    fn warps_at(
        &self,
        place: Op<'c>,
        [earlier, later]: [Op<'c>; 2],
        reach: BarrierScope,
    ) -> Result<Vec<i64>, Failed> {
        let active = self.threads.active(place);
        let scope = match reach {
            BarrierScope::Cluster => Scope::Cluster,
            BarrierScope::Block => Scope::Cta,
            BarrierScope::Warpgroup => Scope::Warpgroup,
            BarrierScope::Warp => Scope::Warp,
        };
        let branch = active.splits(scope);
        let groups = active.threads.groups(WARP_SIZE);
        let enough = reach != BarrierScope::Cluster || groups.len() == self.all_warps();
        if branch.is_none() && enough && groups.iter().all(|(_, complete)| *complete) {
            return Ok(groups.into_iter().map(|(g, _)| g).collect());
        }
        if reach == BarrierScope::Cluster {
            let report = error(
                later.location(),
                "a cluster barrier is required here, but not all threads of the cluster reach this \
                 op",
            )
            .code(codes::TX0116);
            return Err(
                match branch.or_else(|| ancestors(place).find(|op| name(*op) == "scf.if")) {
                    Some(branch) => report.note_at(
                        branch.location(),
                        "threads of one cluster may take different paths here",
                    ),
                    None => report,
                }
                .note(
                    "access the shared memory of other blocks outside of branches that only some \
                     blocks of a cluster take",
                )
                .emit(),
            );
        }
        let Reason {
            what,
            branch: why,
            advice,
        } = Reason::of(active.split.filter(|split| split.together < scope));
        let report = error(later.location(), what).code(codes::TX0116).note_at(
            earlier.location(),
            "threads may access the same memory here, and nothing orders the two accesses",
        );
        Err(match branch {
            Some(branch) => report.note_at(branch.location(), why),
            None => report.note(why),
        }
        .note(advice)
        .emit())
    }
}

/// Returns whether `inner` is in the same MLIR block as `outer`, or nested in an op of this block.
fn same_block<'c>(inner: Op<'c>, outer: Op<'c>) -> bool {
    let block = outer.block().map(|b| b.to_raw().ptr);
    std::iter::once(inner)
        .chain(ancestors(inner))
        .any(|o| o.block().map(|b| b.to_raw().ptr) == block)
}
