//! Checks the rules that apply to a whole loop nest, not to a single step of its schedule.

use super::nest::{Illegal, LoopKind, MAX_UNROLL, Nest, Node};
use super::steps::Processor;
use tx_mlir::codes;
use tx_target::{MAX_CLUSTER, MAX_THREADS};

impl Nest {
    /// Checks the rules that apply to the schedule as a whole. If atomics cannot combine the
    /// results of several blocks, `atomics` contains the reason.
    pub(crate) fn check(&self, atomics: Option<&str>) -> Result<(), Illegal> {
        let block = self.block();
        let threads = block.iter().product::<i64>();
        if threads > i64::from(MAX_THREADS) {
            return Err(Illegal::new(
                codes::TX0307,
                format!(
                    "a block of {}x{}x{} has {threads} threads, expected at most {MAX_THREADS}",
                    block[0], block[1], block[2]
                ),
            ));
        }
        let cluster = self.cluster();
        let blocks = cluster.iter().product::<i64>();
        if blocks > i64::from(MAX_CLUSTER) {
            return Err(Illegal::new(
                codes::TX0307,
                format!(
                    "a cluster of {}x{}x{} has {blocks} blocks, expected at most {MAX_CLUSTER}",
                    cluster[0], cluster[1], cluster[2]
                ),
            ));
        }
        if self.last_block && self.has_clusters() {
            return Err(
                Illegal::new(codes::TX0315, "`last_block` does not support clusters")
                    .note("remove `last_block`, or bind loops to blocks only"),
            );
        }
        for node in &self.order {
            let Node { name, kind, .. } = &self.nodes[*node];
            if let (true, LoopKind::Bound(processor @ Processor::Block(_)), Some(reason)) =
                (self.nodes[*node].combines(), kind, atomics)
            {
                return Err(Illegal::new(codes::TX0305, format!(
                    "`{name}` is reduced and bound to {processor}: several blocks would write one result"
                ))
                .note(format!("store partial results with `#tile.rfactor<\"{name}\">`; atomics \
                               cannot be used: {reason}")));
            }
        }
        self.check_order()
    }

    /// Checks the order of the loops that one thread executes. A parallel loop inside a reduced
    /// loop must be unrolled or vectorized, so that each result has its own accumulator.
    fn check_order(&self) -> Result<(), Illegal> {
        let serial = self.serial();
        let vectors = serial.iter().position(|n| self.is_of_vectors(*n));
        let inside = vectors.map_or(&[][..], |first| &serial[first..]);
        if let (Some(outer), Some(other)) = (
            inside.first(),
            inside.iter().find(|n| !self.is_of_vectors(**n)),
        ) {
            return Err(Illegal::new(
                codes::TX0310,
                format!(
                    "`{}` is inside `{}`, but the number of iterations of the outer loop depends \
                     on the inner loop",
                    self.nodes[*other].name, self.nodes[*outer].name
                ),
            )
            .note("move the loop outside with `#tile.reorder`"));
        }
        let first = serial.iter().position(|n| self.nodes[*n].combines());
        let inner = first.map_or(&[][..], |i| &serial[i..]);
        let mut lanes = 1i64;
        for node in inner {
            let Node {
                name, extent, kind, ..
            } = &self.nodes[*node];
            let written_out = matches!(kind, LoopKind::Unrolled | LoopKind::Vectorized);
            if !self.nodes[*node].combines() && !written_out {
                return Err(Illegal::new(codes::TX0310, format!(
                    "`{name}` is inside the reduced loop `{}`: the accumulators of its iterations \
                     would need memory",
                    self.nodes[inner[0]].name
                ))
                .note("move the loop outside with `#tile.reorder`, unroll it, or vectorize it"));
            }
            if !self.nodes[*node].combines() || *kind == LoopKind::Vectorized {
                lanes = lanes.saturating_mul(extent.known().unwrap_or(1));
            }
        }
        let written: i64 = serial
            .iter()
            .filter(|n| {
                matches!(
                    self.nodes[**n].kind,
                    LoopKind::Unrolled | LoopKind::Vectorized
                )
            })
            .fold(1, |n, l| {
                n.saturating_mul(self.nodes[*l].extent.known().unwrap_or(1))
            });
        if written > MAX_UNROLL * 4 || lanes > MAX_UNROLL {
            return Err(Illegal::new(
                codes::TX0307,
                format!(
                    "{written} iterations are unrolled with {lanes} accumulators per thread, \
                     expected at most {} and {MAX_UNROLL}",
                    MAX_UNROLL * 4
                ),
            ));
        }
        let vectorized: Vec<usize> = serial
            .iter()
            .copied()
            .filter(|n| self.nodes[*n].kind == LoopKind::Vectorized)
            .collect();
        match vectorized.as_slice() {
            [] => Ok(()),
            [one] if serial.last() == Some(one) => Ok(()),
            [one] => Err(Illegal::new(
                codes::TX0309,
                format!(
                    "`{}` is vectorized, but not the innermost loop of a thread",
                    self.nodes[*one].name
                ),
            )
            .note("move the loop inside with `#tile.reorder`")),
            [one, two, ..] => Err(Illegal::new(
                codes::TX0309,
                format!(
                    "`{}` and `{}` are both vectorized",
                    self.nodes[*one].name, self.nodes[*two].name
                ),
            )
            .note("vectorize the innermost loop, and unroll others")),
        }
    }
}
