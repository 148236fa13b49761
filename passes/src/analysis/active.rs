//! Threads that may execute an op, and the branches in which threads diverge.

use crate::analysis::loops::is_structured;
use crate::analysis::threads::Threads;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::Scope;
use tx_mlir::{Op, attribute, blocks, integers, is, name, operands, parent};

/// Threads that may execute an op.
#[derive(Clone)]
pub(crate) struct Active<'c> {
    /// Threads that may execute the op. If `split` is `None`, either all threads of this set
    /// execute the op, or none of them. If `split` is not `None`, the analysis does not know which
    /// of the threads of the set execute the op.
    pub(crate) threads: ThreadSet,
    /// Branch or loop in which threads may diverge, because its condition or trip count depends on
    /// unknown data.
    pub(crate) split: Option<Split<'c>>,
}

/// A branch or a loop in which threads may diverge.
#[derive(Clone, Copy)]
pub(crate) struct Split<'c> {
    pub(crate) op: Op<'c>,
    /// Widest scope whose threads always take the same arm of the branch, or execute equally many
    /// iterations of the loop.
    pub(crate) together: Scope,
}

impl<'c> Active<'c> {
    pub(crate) fn splits(&self, scope: Scope) -> Option<Op<'c>> {
        self.split.filter(|s| s.together < scope).map(|s| s.op)
    }
}

/// Set of threads of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ThreadSet(Vec<bool>);

impl ThreadSet {
    pub(crate) fn all(threads: i64) -> Self {
        Self(vec![true; usize::try_from(threads).unwrap_or(0)])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        (0i64..).zip(&self.0).filter(|(_, m)| **m).map(|(t, _)| t)
    }

    fn intersect(&mut self, keep: impl Fn(usize) -> bool) {
        for (t, member) in self.0.iter_mut().enumerate() {
            *member &= keep(t);
        }
    }

    /// Returns the index of each group of `size` consecutive threads that contains a thread of the
    /// set, and whether the set contains all threads of the group. The last group of the block may
    /// have fewer than `size` threads.
    pub(crate) fn groups(&self, size: i64) -> Vec<(i64, bool)> {
        let size = usize::try_from(size).unwrap_or(1).max(1);
        (0i64..)
            .zip(self.0.chunks(size))
            .filter(|(_, c)| c.iter().any(|m| *m))
            .map(|(g, c)| (g, c.iter().all(|m| *m)))
            .collect()
    }

    /// Returns the thread set as ascending half-open ranges.
    pub(crate) fn ranges(&self) -> Vec<(i64, i64)> {
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for t in self.iter() {
            match ranges.last_mut() {
                Some((_, end)) if *end == t => *end += 1,
                _ => ranges.push((t, t + 1)),
            }
        }
        ranges
    }
}

impl<'c> Threads<'c> {
    pub(crate) fn active(&self, op: Op<'c>) -> Active<'c> {
        let mut threads = ThreadSet::all(self.kernel.threads);
        let mut split: Option<Split<'c>> = None;
        let mut inner = op;
        while let Some(outer) = parent(inner) {
            if outer == self.kernel.op {
                break;
            }
            // Returns the widest scope whose threads take the same path through `outer`.
            let together = match name(outer) {
                "scf.if" | "scf.index_switch" => self.narrow(&mut threads, outer, inner),
                "scf.execute_region" if is_structured(outer) => Scope::Cluster,
                // Regions of a reduction execute in all threads.
                "tile.reduce" | "tile.all_reduce" => Scope::Cluster,
                _ => self.together(outer),
            };
            if together < split.map_or(Scope::Cluster, |s| s.together) {
                split = Some(Split {
                    op: outer,
                    together,
                });
            }
            inner = outer;
        }
        if blocks(self.kernel.op).len() > 1 {
            split = Some(Split {
                op: self.kernel.op,
                together: Scope::Thread,
            });
        }
        Active { threads, split }
    }

    /// Removes from `threads` the threads that cannot execute the branch arm around the op
    /// `inside`. Returns the widest scope whose threads in `threads` either all execute the branch
    /// arm, or all skip the arm.
    fn narrow(&self, threads: &mut ThreadSet, branch: Op<'c>, inside: Op<'c>) -> Scope {
        let condition = self.fact(operands(branch)[0]);
        let own = inside.block().map(|b| b.to_raw().ptr);
        let arm = blocks(branch)
            .iter()
            .position(|arm| Some(arm.to_raw().ptr) == own)
            .unwrap_or(0);
        if let Some(ranges) = &condition.ranges {
            let cases = match is(branch, "scf.if") {
                true => vec![1],
                false => attribute(branch, "cases")
                    .and_then(integers)
                    .unwrap_or_default(),
            };
            // An `scf.if` executes its first region if the condition is 1. The first region of an
            // `scf.index_switch` is the region of the default case.
            let own = match is(branch, "scf.if") {
                true => cases.get(arm),
                false => arm.checked_sub(1).and_then(|arm| cases.get(arm)),
            };
            threads.intersect(|t| match (own, ranges[t]) {
                (Some(own), (least, most)) => least <= *own && *own <= most,
                (None, (least, most)) => least != most || !cases.contains(&least),
            });
        }
        if condition.exact().is_some() {
            Scope::Cluster
        } else {
            condition.same
        }
    }
}
