//! The loop nest that results from an iteration space and a schedule.

use super::extent::Extent;
use super::steps::Processor;
use tx_dialect_tile::Residency;
use tx_mlir::{Affine, Code};
use tx_target::MAX_RESIDENT_BLOCKS;

/// Maximum trip count of an unrolled loop, and maximum number of accumulators of one thread.
pub(crate) const MAX_UNROLL: i64 = 64;
/// Maximum number of blocks of a grid along x, y and z, on every GPU.
pub(crate) const MAX_BLOCKS: [i64; 3] = [(1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1];

/// Effect of the steps of a schedule on a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LoopRelation {
    /// No step has split or fused the loop.
    Loop,
    /// The loop was split into the loops `outer` and `inner`; `inner` has `factor` iterations. If
    /// `aligned` is set, the first vector begins at the first aligned address of a row, and the
    /// loops `outer` and `inner` skip head and tail elements.
    Split {
        outer: usize,
        inner: usize,
        factor: i64,
        aligned: bool,
    },
    /// The loop is member number `member` of the fused loop `into`.
    Fused { into: usize, member: usize },
}

/// Execution of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Serial,
    Unrolled,
    Vectorized,
    /// The loop is bound to threads, to blocks of a cluster, or to blocks of the grid.
    Bound(Processor),
}

/// A loop of the nest, or a former loop that a step has split or fused.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) extent: Extent,
    pub(crate) relation: LoopRelation,
    pub(crate) kind: LoopKind,
    pub(crate) reduced: bool,
    /// Whether each iteration of the loop stores a separate partial result (`rfactor`).
    pub(crate) is_rfactor: bool,
    /// Loops that were fused into this loop, outermost first.
    pub(crate) members: Vec<usize>,
}

impl Node {
    /// Returns whether all iterations of the loop combine their elements into one partial result.
    pub(crate) fn combines(&self) -> bool {
        self.reduced && !self.is_rfactor
    }
}

/// A loop nest: an iteration space, transformed by the steps of a schedule.
#[derive(Debug, Clone)]
pub(crate) struct Nest {
    /// All loops: the dimensions of the iteration space, then the loops that steps created.
    pub(crate) nodes: Vec<Node>,
    pub(super) dims: usize,
    /// Loops that no step has split or fused, outermost first.
    pub(crate) order: Vec<usize>,
    /// Loops whose iterations store separate partial results (`rfactor`).
    pub(crate) rfactors: Vec<usize>,
    /// Whether the kernel uses evict-first loads (`#tile.stream`).
    pub(crate) evict_first: bool,
    /// Whether the loads of the kernel have the L2 eviction policy `evict_last`.
    pub(crate) evict_last: bool,
    /// Whether the kernel loads, before the first op of the group, all inputs that stay in
    /// registers (`#tile.prefetch`).
    pub(crate) prefetches: bool,
    /// Minimum number of resident threads per SM (`#tile.resident`).
    pub(super) resident: Option<i64>,
    /// Arrays named in `#tile.hold`, each with the kind of memory that holds the array.
    pub(crate) holds: Vec<(String, Residency)>,
    /// Whether the last block combines the partial results in global memory (`#tile.last_block`).
    pub(crate) last_block: bool,
    /// Whether the host launches the kernel only if the grid has a cluster for each iteration of the
    /// loops that are bound to blocks. The kernel then has no loop over clusters, and the blocks of
    /// a cluster can exchange results asynchronously.
    pub(crate) has_whole_grid: bool,
}

#[derive(Debug)]
pub(crate) struct Illegal {
    pub(crate) code: Code,
    pub(crate) reason: String,
    pub(crate) note: Option<String>,
    /// Further errors of the schedule, independent of the first error.
    pub(crate) others: Vec<Illegal>,
}

impl Illegal {
    pub(crate) fn new(code: Code, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            note: None,
            others: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl Nest {
    /// Makes one loop for each extent, with the names `d0`, `d1`, …. `reduced` lists the reduced
    /// dimensions.
    pub(crate) fn new(extents: &[Extent], reduced: &[usize]) -> Self {
        let node = |(d, extent): (usize, &Extent)| Node {
            name: format!("d{d}"),
            extent: extent.clone(),
            relation: LoopRelation::Loop,
            kind: LoopKind::Serial,
            reduced: reduced.contains(&d),
            is_rfactor: false,
            members: Vec::new(),
        };
        // The parallel dimensions are outermost, so a thread computes one result after another.
        let (kept, combined): (Vec<usize>, Vec<usize>) =
            (0..extents.len()).partition(|d| !reduced.contains(d));
        Self {
            nodes: extents.iter().enumerate().map(node).collect(),
            dims: extents.len(),
            order: kept.into_iter().chain(combined).collect(),
            rfactors: Vec::new(),
            evict_first: false,
            evict_last: false,
            prefetches: false,
            resident: None,
            holds: Vec::new(),
            last_block: false,
            has_whole_grid: false,
        }
    }

    /// Returns the minimum number of resident blocks per SM, if the schedule sets a minimum.
    pub(crate) fn resident_blocks(&self) -> Option<i64> {
        let threads = self.block().iter().product::<i64>();
        let most = i64::from(MAX_RESIDENT_BLOCKS);
        self.resident.map(|n| (n / threads.max(1)).clamp(1, most))
    }

    /// Returns the maximum number of blocks of a grid along a dimension, or of clusters if the
    /// kernel has clusters.
    pub(crate) fn most_blocks(&self, dimension: usize) -> i64 {
        MAX_BLOCKS[dimension] / self.cluster()[dimension]
    }

    /// Returns the dimension and the vector length, in elements, of the `align` step.
    pub(crate) fn aligned(&self) -> Option<(usize, i64)> {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter_map(|(n, node)| match node.relation {
                LoopRelation::Split {
                    aligned: true,
                    factor,
                    ..
                } => Some((n, factor)),
                _ => None,
            })
            .next()
    }

    pub(crate) fn on(&self, processor: Processor) -> Option<usize> {
        self.order
            .iter()
            .copied()
            .find(|n| self.nodes[*n].kind == LoopKind::Bound(processor))
    }

    /// Returns the loops bound to blocks, in the order x, y, z.
    pub(crate) fn on_blocks(&self) -> Vec<usize> {
        (0..3)
            .filter_map(|d| self.on(Processor::Block(d)))
            .collect()
    }

    /// Returns whether a loop of dimension `dim` is bound to blocks of the grid.
    pub(crate) fn is_on_grid(&self, dim: usize) -> bool {
        let on_grid =
            |node: &usize| matches!(self.nodes[*node].kind, LoopKind::Bound(Processor::Block(_)));
        self.loops_of(dim).iter().any(on_grid)
    }

    /// Returns whether any thread except for the first thread of a block stores results.
    pub(crate) fn stores_from_several_threads(&self) -> bool {
        let block = self.block();
        (0..3).any(|d| {
            let on = self.on(Processor::Thread(d));
            block[d] > 1 && on.is_some_and(|n| !self.nodes[n].combines())
        })
    }

    pub(crate) fn block(&self) -> [i64; 3] {
        std::array::from_fn(|d| self.count_on(Processor::Thread(d)))
    }

    pub(crate) fn cluster(&self) -> [i64; 3] {
        std::array::from_fn(|d| self.count_on(Processor::Cluster(d)))
    }

    pub(crate) fn has_clusters(&self) -> bool {
        (0..3).any(|d| self.on(Processor::Cluster(d)).is_some())
    }

    /// Returns the number of threads or blocks along the dimension of `processor`. The returned
    /// number is at least 1, even for a loop of 0 iterations.
    fn count_on(&self, processor: Processor) -> i64 {
        self.on(processor)
            .and_then(|n| self.nodes[n].extent.known())
            .map_or(1, |n| n.max(1))
    }

    /// Returns the loops that are not bound to threads or blocks, outermost first.
    pub(crate) fn serial(&self) -> Vec<usize> {
        let bound = |n: &usize| matches!(self.nodes[*n].kind, LoopKind::Bound(_));
        self.order.iter().copied().filter(|n| !bound(n)).collect()
    }

    /// Marks the reduced loops `names` as loops with separate partial results (`rfactor`).
    pub(crate) fn mark_rfactors(&mut self, names: &[String]) {
        for node in &mut self.nodes {
            node.is_rfactor |= names.contains(&node.name);
        }
        // Move these loops outside the first loop that combines.
        let first = self.order.iter().position(|n| self.nodes[*n].combines());
        let (before, within) = self.order.split_at(first.unwrap_or(self.order.len()));
        let (rfactors, others): (Vec<usize>, Vec<usize>) =
            within.iter().partition(|n| self.nodes[**n].is_rfactor);
        self.order = [before.to_vec(), rfactors, others].concat();
    }

    /// Returns the `rfactor` loops that are bound neither to threads nor to blocks of a cluster.
    /// The partial results of the returned loops are exchanged through global memory.
    pub(crate) fn global_rfactors(&self) -> Vec<usize> {
        let on_threads = |n: &usize| {
            let kind = self.nodes[*n].kind;
            matches!(
                kind,
                LoopKind::Bound(Processor::Thread(_) | Processor::Cluster(_))
            )
        };
        self.rfactors
            .iter()
            .copied()
            .filter(|n| !on_threads(n))
            .collect()
    }

    /// Returns whether the nest has a vectorized loop. In a vectorized loop, threads load vectors,
    /// or scalars if the vectors are unaligned.
    pub(crate) fn has_vectors(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| node.kind == LoopKind::Vectorized)
    }

    /// Returns the split loops that need a bounds check, because the last tile may be partial. A
    /// bounds check is omitted if the bounds check of another loop implies the omitted check.
    pub(crate) fn guards(&self) -> Vec<usize> {
        let mut guards = Vec::new();
        for (n, node) in self.nodes.iter().enumerate() {
            let LoopRelation::Split {
                factor, aligned, ..
            } = node.relation
            else {
                continue;
            };
            if aligned || node.extent.is_multiple_of(factor) {
                continue;
            }
            // The bounds check of a split loop implies the bounds check of the outer loop of the
            // split.
            let implied = guards.iter().any(|guard: &usize| {
                let relation = &self.nodes[*guard].relation;
                matches!(relation, LoopRelation::Split { outer, .. } if *outer == n)
            });
            if !implied {
                guards.push(n);
            }
        }
        guards
    }

    /// Returns whether loop `node` is derived from the dimension of an `align` step.
    pub(crate) fn is_of_vectors(&self, node: usize) -> bool {
        self.aligned()
            .is_some_and(|(a, _)| a != node && self.descends(node, a))
    }

    fn descends(&self, node: usize, from: usize) -> bool {
        match self.nodes[from].relation {
            _ if node == from => true,
            LoopRelation::Split { outer, inner, .. } => {
                self.descends(node, outer) || self.descends(node, inner)
            }
            LoopRelation::Fused { into, .. } => self.descends(node, into),
            LoopRelation::Loop => false,
        }
    }

    /// Returns the loops from which the index of `node` is computed.
    pub(crate) fn loops_of(&self, node: usize) -> Vec<usize> {
        match self.nodes[node].relation {
            LoopRelation::Loop => vec![node],
            LoopRelation::Split { outer, inner, .. } => {
                [self.loops_of(outer), self.loops_of(inner)].concat()
            }
            LoopRelation::Fused { into, .. } => self.loops_of(into),
        }
    }

    /// Returns the increase of the affine expression `index` from one iteration of loop `node` to
    /// the next, or `None` if the increase varies.
    pub(crate) fn index_step(&self, index: &Affine, node: usize) -> Option<i64> {
        (0..self.dims)
            .filter(|d| index.uses(*d))
            .try_fold(0i64, |sum, d| {
                let along = index.step(d)?.checked_mul(self.step_of(d, node)?)?;
                sum.checked_add(along)
            })
    }

    /// Returns whether the affine expression `index` at iteration 0 of loop `node` is always a
    /// multiple of `factor`.
    pub(crate) fn begins_at_multiples(&self, index: &Affine, node: usize, factor: i64) -> bool {
        (0..self.dims).filter(|d| index.uses(*d)).all(|d| {
            index
                .step(d)
                .is_some_and(|step| step % factor == 0 || self.is_multiple(d, node, factor))
        })
    }

    /// Returns whether, at iteration 0 of loop `node`, the index of loop number `of` is always a
    /// multiple of `factor`.
    fn is_multiple(&self, of: usize, node: usize, factor: i64) -> bool {
        if of == node || self.nodes[of].extent.known().is_some_and(|n| n <= 1) {
            return true;
        }
        match self.nodes[of].relation {
            // Aligned vectors begin at an aligned address, and the element at an aligned address
            // can have any index.
            LoopRelation::Split { aligned: true, .. } => false,
            LoopRelation::Split {
                outer,
                inner,
                factor: by,
                ..
            } => {
                (by % factor == 0 || self.is_multiple(outer, node, factor))
                    && self.is_multiple(inner, node, factor)
            }
            LoopRelation::Loop | LoopRelation::Fused { .. } => false,
        }
    }

    /// Returns whether each accumulator of a thread combines elements in ascending order along
    /// `dim`, the only reduced dimension. If `shared` is set, all elements of a vector use one
    /// accumulator; if `shared` is not set, each vector element has its own accumulator.
    pub(crate) fn ascends_along(&self, dim: usize, shared: bool) -> bool {
        let loops: Vec<usize> = self
            .serial()
            .into_iter()
            .filter(|n| {
                let is_own = !shared && self.nodes[*n].kind == LoopKind::Vectorized;
                self.nodes[*n].combines() && !is_own
            })
            .collect();
        loops.windows(2).all(|pair| {
            let span = self.nodes[pair[1]]
                .extent
                .known()
                .and_then(|n| self.step_of(dim, pair[1])?.checked_mul(n));
            let step = self.step_of(dim, pair[0]);
            matches!((step, span), (Some(step), Some(span)) if step >= span && span > 0)
        })
    }

    /// Returns the increase of the index of dimension `dim` from one iteration of loop `node` to
    /// the next, or `None` if the increase varies.
    pub(crate) fn step_of(&self, dim: usize, node: usize) -> Option<i64> {
        if dim == node {
            return Some(1);
        }
        match self.nodes[dim].relation {
            LoopRelation::Loop => Some(0),
            LoopRelation::Split {
                outer,
                inner,
                factor,
                ..
            } => self
                .step_of(outer, node)?
                .checked_mul(factor)?
                .checked_add(self.step_of(inner, node)?),
            LoopRelation::Fused { into, .. } => (!self.loops_of(into).contains(&node)).then_some(0),
        }
    }
}
