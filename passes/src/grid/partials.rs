//! Divides a reduction into two phases: the first phase stores partial results in global memory,
//! and the second phase combines the partial results.

use super::grid_op::{Combination, GridOp, Work};
use super::nest::Nest;
use super::steps::{Case, Step};
use crate::analysis::dataflow::Access;
use melior::ir::Type;
use melior::ir::r#type::MemRefType;
use tx_mlir::{Affine, AffineMap, Builder, Failed, Index, Val};

pub(crate) struct Phases<'c> {
    /// First phase: computes the partial results, with schedule `schedule`.
    pub(crate) first: GridOp<'c>,
    /// Schedule of the first phase, without the `rfactor` steps.
    pub(crate) schedule: Case,
    pub(crate) second: GridOp<'c>,
    /// Temporary arrays: one for each value of a partial result.
    pub(crate) partials: Vec<Val<'c>>,
}

impl<'c> Phases<'c> {
    /// Returns the two phases of a grid-level op whose loop nest `nest` stores partial results in
    /// global memory. The function emits the allocations of the partial results with the builder
    /// `b`. Returns `None` if the op is not a reduction.
    ///
    /// # Errors
    /// Reports errors of [`GridOp::new`] for the op of the second phase.
    pub(crate) fn of(
        b: &Builder<'c>,
        grid_op: &GridOp<'c>,
        nest: &Nest,
        case: &Case,
    ) -> Result<Option<Self>, Failed> {
        let Work::Combine(work) = &grid_op.work else {
            return Ok(None);
        };
        let loops = nest.global_rfactors();
        let rank = grid_op.extents.len();
        let kept: Vec<usize> = (0..rank).filter(|d| !grid_op.axes.contains(d)).collect();

        let lengths: Vec<Index<'c>> = (0..rank).map(|d| grid_op.length(b, d)).collect();
        let length = |_: &Builder<'c>, d: usize| lengths[d];
        let mut sizes: Vec<Index<'c>> = loops
            .iter()
            .map(|n| nest.nodes[*n].extent.value(b, &length))
            .collect();
        // A kernel for lengths up to `most` needs memory for only `most` results, even if the
        // actual length is greater.
        sizes.extend(kept.iter().map(|d| match (lengths[*d], case.up_to) {
            (Index::Val(length), Some(up_to)) if up_to.dimension == *d => {
                let most = b.value(Index::Const(up_to.length));
                Index::Val(b.binary("arith.minui", length, most))
            }
            (length, _) => length,
        }));
        let types = work.combiner.types().iter();
        let partials: Vec<Val<'c>> = types.map(|ty| allocate(b, &sizes, *ty)).collect();
        let accesses = |map: &AffineMap| {
            let access = |value: &Val<'c>| Access::new(*value, map.clone());
            partials.iter().map(access).collect::<Vec<_>>()
        };

        let first = GridOp {
            destinations: accesses(&AffineMap::select(rank, kept.iter().copied())),
            extras: Vec::new(),
            work: Work::Combine(Combination {
                epilogue: None,
                accumulate: false,
                is_partial_of_old: work.accumulate,
                ..work.clone()
            }),
            partials: loops.iter().map(|n| nest.nodes[*n].name.clone()).collect(),
            ..grid_op.clone()
        };
        let is_for_parts = |step: &Step| match step {
            Step::RFactor(name) => first.partials.contains(name),
            step => *step == Step::LastBlock,
        };
        let mut steps = case.steps.clone();
        steps.retain(|step| !is_for_parts(step));

        // In the second phase, the parallel dimensions follow the dimensions of partial results.
        let all = loops.len() + kept.len();
        let moved: Vec<Affine> = (0..rank)
            .map(|d| match kept.iter().position(|k| *k == d) {
                Some(i) => Affine::Dim(loops.len() + i),
                None => Affine::Const(0),
            })
            .collect();
        let moved = |access: &Access<'c>| access.replace(all, &moved);
        let second = GridOp::new(
            grid_op.op,
            all,
            (0..loops.len()).collect(),
            [
                accesses(&AffineMap::identity(all)),
                grid_op.destinations.iter().map(moved).collect(),
                grid_op.extras.iter().map(moved).collect(),
            ],
            Work::Combine(Combination {
                element: None,
                ..work.clone()
            }),
        )?;
        Ok(Some(Self {
            first,
            schedule: Case {
                up_to: case.up_to,
                steps,
            },
            second,
            partials,
        }))
    }
}

pub(crate) fn allocate<'c>(b: &Builder<'c>, sizes: &[Index<'c>], element: Type<'c>) -> Val<'c> {
    let shape: Vec<i64> = sizes
        .iter()
        .map(|size| size.known().unwrap_or(i64::MIN))
        .collect();
    let unknown = sizes.iter().filter(|size| size.known().is_none());
    let dynamic: Vec<Val<'c>> = unknown.map(|size| b.value(*size)).collect();
    b.create("memref.alloc")
        .segments(&[dynamic.len(), 0])
        .operands(&dynamic)
        .result(MemRefType::new(element, &shape, None, None).into())
        .value()
}
