//! Last-block (threadfence) reduction: `#tile.last_block`.
//!
//! The last block of a grid combines the partial results that all blocks stored in global memory. A
//! reduction with `rfactor` loops therefore needs no second kernel for its second phase. The first
//! and the second phase map results to blocks and threads in the same way. The second phase has an
//! additional loop over the partial results; the threads that shared a row in the first phase share
//! the iterations of this loop.

use super::body::{Body, EmitPoint};
use super::extent::Extent;
use super::grid_op::GridOp;
use super::loops::hardware;
use super::nest::{Illegal, LoopKind, LoopRelation, MAX_UNROLL, Nest};
use super::steps::{Processor, Step};
use melior::ir::ValueLike;
use melior::ir::attribute::Attribute;
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::{Builder, Index, Val, codes, i64_attribute};

/// Maximum number of loads of partial results that a thread has in flight.
const PARTIAL_RESULTS_IN_FLIGHT: i64 = 4;
/// Name of the fused loop over the partial results of several `rfactor` loops.
const PARTS: &str = "parts";

/// Second phase of a last-block reduction.
pub(crate) struct LastBlock<'a, 'c> {
    second: Body<'a, 'c>,
    /// Array with one counter for each set of blocks that share results. Each counter counts the
    /// blocks of one set that have stored their partial results.
    counters: Val<'c>,
}

impl<'a, 'c> LastBlock<'a, 'c> {
    pub(crate) fn new(
        grid_op: &'a GridOp<'c>,
        nest: &'a Nest,
        counters: Val<'c>,
        b: &Builder<'c>,
    ) -> Self {
        let mut second = Body::new(grid_op, nest, b);
        second.is_last_block = true;
        Self { second, counters }
    }

    /// Emits both phases: the kernel `first`, and the last-block reduction.
    pub(crate) fn write(&self, b: &Builder<'c>, first: Body<'_, 'c>) {
        let first = &Body {
            precedes_last_block: true,
            ..first
        };
        first.write_in_blocks(b, &|b, place| {
            let has_part = first
                .nest
                .on_blocks()
                .into_iter()
                .fold(Cond::Const(true), |all, n| match first.may_be_empty(n) {
                    true => b.and(all, b.less(place.index[&n], first.extents[n])),
                    false => all,
                });
            b.if_then(has_part, |b| first.outer(b, 0, place));
            self.write_second(b, first, place);
        });
    }

    /// Emits the last-block reduction, which runs after the block has stored the partial results of
    /// the first phase.
    fn write_second(&self, b: &Builder<'c>, first: &Body<'_, 'c>, place: &EmitPoint<'c>) {
        let nodes = &first.nest.nodes;
        let blocks = first.nest.on_blocks();
        let number = blocks
            .iter()
            .filter(|n| !nodes[**n].is_rfactor)
            .fold(Index::Const(0), |at, n| {
                b.add(b.mul(at, first.extents[*n]), place.index[n])
            });
        let count = blocks
            .iter()
            .filter(|n| nodes[**n].is_rfactor)
            .fold(Index::Const(1), |count, n| {
                b.mul(count, first.trip_count(b, *n))
            });
        let is_last = self.count(b, first.nest, number, count);
        b.if_then(is_last, |b| {
            let mut place_of_second = self.second.threads(b);
            for dimension in 0..3 {
                let processor = Processor::Block(dimension);
                if let (Some(theirs), Some(own)) =
                    (first.nest.on(processor), self.second.nest.on(processor))
                {
                    place_of_second =
                        self.second
                            .enter(b, &place_of_second, own, place.index[&theirs]);
                }
            }
            self.second.outer(b, 0, &place_of_second);
        });
    }

    /// Emits the increment of a counter, and the condition that the block is the last of `count`
    /// blocks. After the increment, the last block can read the partial results of all blocks.
    ///
    /// Only the first thread of a block increments the counter. A device-scope fence orders the
    /// stores of the block before the increment. In the last block, a second fence orders the
    /// stores of partial results by all other blocks before the loads of these partial results.
    /// Barriers before and after the increment extend the effect of both fences to all other
    /// threads of the block.
    fn count(&self, b: &Builder<'c>, nest: &Nest, number: Index<'c>, count: Index<'c>) -> Cond<'c> {
        let block = nest.block();
        let is_first = (0..3)
            .filter(|d| block[*d] > 1)
            .fold(Cond::Const(true), |all, d| {
                let thread = hardware(b, "gpu.thread_id", d);
                b.and(all, b.equal(thread, Index::Const(0)))
            });
        if nest.stores_from_several_threads() {
            b.create("gpu.barrier").build();
        }
        let (word, flag) = (b.int_type(64), b.int_type(32));
        let mine = b.if_else(
            is_first,
            &[flag],
            |b| {
                let place = [self.counters, b.value(number)];
                fence(b);
                let before = atomic(b, ADD, b.int(1, word), &place);
                let others = b.index_cast(b.value(b.sub(count, Index::Const(1))), word);
                let is_last = b.compare(Predicate::Eq, before, others);
                b.if_then(Cond::Val(is_last), |b| {
                    fence(b);
                    // Reset the counter for the next launch.
                    atomic(b, ASSIGN, b.int(0, word), &place);
                });
                let is_last = b.create("arith.extui").operands(&[is_last]).result(flag);
                vec![is_last.value()]
            },
            |b| vec![b.int(0, flag)],
        );
        let any = b
            .create("nvvm.barrier")
            .operands(&mine)
            .segments(&[0, 0, 1])
            .attr_text("reductionOp", "#nvvm.reduction<or>")
            .result(flag)
            .value();
        Cond::Val(b.compare(Predicate::Ne, any, b.int(0, flag)))
    }
}

/// Integer encodings of the kinds `addi` and `assign` of `memref.atomic_rmw`.
const ADD: i64 = 1;
const ASSIGN: i64 = 3;

fn atomic<'c>(b: &Builder<'c>, kind: i64, value: Val<'c>, place: &[Val<'c>]) -> Val<'c> {
    b.create("memref.atomic_rmw")
        .attr("kind", i64_attribute(b.context(), kind))
        .operands(&[&[value], place].concat())
        .result(value.r#type())
        .value()
}

fn fence(b: &Builder<'_>) {
    const ACQUIRE_AND_RELEASE: i64 = 6;
    let device: Attribute<'_> = b.attribute("\"device\"");
    b.create("llvm.fence")
        .attr("ordering", i64_attribute(b.context(), ACQUIRE_AND_RELEASE))
        .attr("syncscope", device)
        .build();
}

/// Returns the number of counters: the product of the lengths of the parallel loops that are bound
/// to blocks.
pub(crate) fn counters(nest: &Nest) -> Extent {
    let nodes = &nest.nodes;
    let kept = nest.on_blocks().into_iter().filter(|n| !nodes[*n].reduced);
    let sizes: Vec<Extent> = kept.map(|n| nodes[n].extent.clone()).collect();
    match sizes.iter().map(Extent::most).collect::<Option<Vec<i64>>>() {
        Some(known) => Extent::Static(known.into_iter().fold(1, i64::saturating_mul)),
        None => Extent::Product(sizes),
    }
}

/// Returns the schedule of the second phase, or the reason why this phase cannot run in the kernel
/// of the first phase. The first dimensions of the second phase correspond to the `rfactor` loops,
/// the remaining dimensions to the dimensions of the results.
pub(crate) fn schedule(
    grid_op: &GridOp<'_>,
    nest: &Nest,
    steps: &[Step],
) -> Result<Vec<Step>, Illegal> {
    let nodes = &nest.nodes;
    let parts = nest.global_rfactors();
    let illegal = |reason: &str, note: &str| Err(Illegal::new(codes::TX0315, reason).note(note));
    if parts.is_empty() {
        return illegal(
            "`last_block` requires partial results in global memory, found none",
            "add `#tile.rfactor` for a loop that is bound to blocks",
        );
    }
    if let Some(loose) = parts
        .iter()
        .find(|n| !matches!(nodes[**n].kind, LoopKind::Bound(_)))
    {
        return illegal(
            &format!(
                "`{}` is not bound to blocks, as `last_block` requires",
                nodes[*loose].name
            ),
            "bind every loop with `#tile.rfactor` to blocks, or remove `last_block`",
        );
    }
    let dims = grid_op.extents.len();
    let kept: Vec<usize> = (0..dims).filter(|d| !grid_op.axes.contains(d)).collect();
    let of_kept = |name: &String| nodes.iter().any(|n| n.name == *name && !n.reduced);
    let new = |name: &String| renamed(nest, &kept, parts.len(), name);
    let all = |names: &[String]| {
        names
            .iter()
            .filter(|n| of_kept(n))
            .map(new)
            .collect::<Vec<_>>()
    };
    let mut second: Vec<Step> = Vec::new();
    for step in steps {
        second.extend(match step {
            Step::Split(name, by) if of_kept(name) => Some(Step::Split(new(name), *by)),
            Step::Fuse(names, to) if of_kept(to) => Some(Step::Fuse(all(names), new(to))),
            Step::Bind(name, to) if of_kept(name) => Some(Step::Bind(new(name), *to)),
            Step::Unroll(name) if of_kept(name) => Some(Step::Unroll(new(name))),
            Step::Vectorize(name) if of_kept(name) => Some(Step::Vectorize(new(name))),
            _ => None,
        });
    }
    let mut part = "d0".to_owned();
    if parts.len() > 1 {
        let names = (0..parts.len()).map(|i| format!("d{i}")).collect();
        second.push(Step::Fuse(names, PARTS.to_owned()));
        part = PARTS.to_owned();
    }
    // Thread dimensions along which threads share a row in the first phase, in the order x, y, z.
    let threads: Vec<(usize, i64)> = (0..3)
        .filter(|d| {
            nest.on(Processor::Thread(*d))
                .is_some_and(|n| nodes[n].reduced)
        })
        .map(|d| (d, nest.block()[d]))
        .collect();
    let across: i64 = threads.iter().map(|(_, n)| n).product();
    let serial = nest.serial();
    let first = serial
        .iter()
        .position(|n| nodes[*n].reduced)
        .unwrap_or(serial.len());
    let names = |loops: &[usize]| -> Vec<String> {
        let own = loops.iter().filter(|n| !nodes[**n].reduced);
        own.map(|n| new(&nodes[*n].name)).collect()
    };
    let written: i64 = serial
        .iter()
        .filter(|n| !nodes[**n].reduced && nodes[**n].kind != LoopKind::Serial)
        .fold(1, |n, l| {
            n.saturating_mul(nodes[*l].extent.known().unwrap_or(1))
        });
    let under_way = (MAX_UNROLL / written.max(1)).clamp(1, PARTIAL_RESULTS_IN_FLIGHT);
    second.push(Step::Split(part.clone(), across * under_way));
    let (rounds, mut inner) = (format!("{part}.o"), format!("{part}.i"));
    second.push(Step::Split(inner.clone(), across));
    let at_once = format!("{inner}.o");
    inner += ".i";
    for (i, (dimension, _)) in threads.iter().enumerate().rev() {
        let below: i64 = threads[..i].iter().map(|(_, n)| n).product();
        let mut own = inner.clone();
        if i > 0 {
            second.push(Step::Split(inner.clone(), below));
            own += ".o";
            inner += ".i";
        }
        second.push(Step::Bind(own, Processor::Thread(*dimension)));
    }
    if under_way > 1 {
        second.push(Step::Unroll(at_once.clone()));
    }
    let (outside, inside) = serial.split_at(first);
    let order = [names(outside), vec![rounds, at_once], names(inside)].concat();
    second.push(Step::Reorder(order));
    Ok(second)
}

/// Returns the name that loop `name` of the first phase has in the second phase. The first `parts`
/// dimensions of the second phase enumerate the partial results.
fn renamed(nest: &Nest, kept: &[usize], parts: usize, name: &String) -> String {
    let Some(node) = nest.nodes.iter().position(|n| n.name == *name) else {
        return name.clone();
    };
    if let Some(dim) = kept.iter().position(|d| *d == node) {
        return format!("d{}", parts + dim);
    }
    for (n, from) in nest.nodes.iter().enumerate() {
        if let LoopRelation::Split { outer, inner, .. } = from.relation {
            let whole = || renamed(nest, kept, parts, &nest.nodes[n].name);
            match node {
                _ if node == outer => return format!("{}.o", whole()),
                _ if node == inner => return format!("{}.i", whole()),
                _ => {}
            }
        }
    }
    // The remaining loops are fused loops.
    format!("kept{node}")
}

/// Checks that the second phase of a reduction can run in the kernel of the first phase.
pub(crate) fn check(grid_op: &GridOp<'_>, nest: &Nest, steps: &[Step]) -> Result<(), Illegal> {
    let second = schedule(grid_op, nest, steps)?;
    let parts = nest.global_rfactors();
    let extents: Vec<Extent> = parts
        .iter()
        .map(|n| &nest.nodes[*n].extent)
        .chain(
            (0..grid_op.extents.len())
                .filter(|d| !grid_op.axes.contains(d))
                .map(|d| &grid_op.extents[d]),
        )
        .enumerate()
        .map(|(d, extent)| extent.known().map_or(Extent::Dim(d), Extent::Static))
        .collect();
    let axes: Vec<usize> = (0..parts.len()).collect();
    let second = Nest::new(&extents, &axes).apply(&second)?;
    second.check(None)?;
    if second.block() != nest.block() {
        return Err(Illegal::new(
            codes::TX0315,
            "`last_block` requires the same block size for combining partial results as for \
             reducing elements",
        )
        .note("bind reduced loops with a static number of iterations to threads"));
    }
    Ok(())
}
