//! One reduction as two phases: the first leaves partial results in global memory, the second combines them.

use super::job::{Combination, Job, Work};
use super::nest::Nest;
use super::steps::{Case, Step};
use crate::analysis::dataflow::Access;
use melior::ir::Type;
use melior::ir::r#type::MemRefType;
use tx_mlir::{Affine, AffineMap, Builder, Failed, Index, Val};

/// The two phases of a reduction, and what they exchange.
pub(crate) struct Phases<'c> {
    /// Reduces each part, as `schedule` says.
    pub(crate) first: Job<'c>,
    /// The schedule of the job without the steps that made parts.
    pub(crate) schedule: Case,
    /// Reduces the partial results.
    pub(crate) second: Job<'c>,
    /// A temporary array for each number of a partial result.
    pub(crate) partials: Vec<Val<'c>>,
}

impl<'c> Phases<'c> {
    /// The phases of a job whose `nest` keeps partial results in global memory; allocates these at `b`. `None` for
    /// a job that combines nothing.
    ///
    /// # Errors
    /// As those of [`Job::new`], of the second phase.
    pub(crate) fn of(
        b: &Builder<'c>,
        job: &Job<'c>,
        nest: &Nest,
        case: &Case,
    ) -> Result<Option<Self>, Failed> {
        let Work::Combine(work) = &job.work else {
            return Ok(None);
        };
        let loops = nest.global_rfactors();
        let rank = job.extents.len();
        let kept: Vec<usize> = (0..rank).filter(|d| !job.axes.contains(d)).collect();

        let lengths: Vec<Index<'c>> = (0..rank).map(|d| job.length(b, d)).collect();
        let length = |_: &Builder<'c>, d: usize| lengths[d];
        let mut sizes: Vec<Index<'c>> = loops
            .iter()
            .map(|n| nest.nodes[*n].extent.value(b, &length))
            .collect();
        // What is for up to so many results has no place for more, however many there are.
        sizes.extend(kept.iter().map(|d| match (lengths[*d], case.most) {
            (Index::Val(length), Some((dim, most))) if dim == *d => {
                Index::Val(b.binary("arith.minui", length, b.value(Index::Const(most))))
            }
            (length, _) => length,
        }));
        let types = work.combiner.types().iter();
        let partials: Vec<Val<'c>> = types.map(|ty| allocate(b, &sizes, *ty)).collect();
        let accesses = |map: &AffineMap| {
            let access = |value: &Val<'c>| Access::new(*value, map.clone());
            partials.iter().map(access).collect::<Vec<_>>()
        };

        let first = Job {
            destinations: accesses(&AffineMap::select(rank, kept.iter().copied())),
            extras: Vec::new(),
            work: Work::Combine(Combination {
                epilogue: None,
                accumulate: false,
                is_partial_of_old: work.accumulate,
                ..work.clone()
            }),
            partials: loops.iter().map(|n| nest.nodes[*n].name.clone()).collect(),
            ..job.clone()
        };
        let is_for_parts = |step: &Step| match step {
            Step::RFactor(name) => first.partials.contains(name),
            step => *step == Step::LastBlock,
        };
        let mut steps = case.steps.clone();
        steps.retain(|step| !is_for_parts(step));

        // A kept dimension comes after the parts in the second phase.
        let all = loops.len() + kept.len();
        let moved: Vec<Affine> = (0..rank)
            .map(|d| match kept.iter().position(|k| *k == d) {
                Some(i) => Affine::Dim(loops.len() + i),
                None => Affine::Const(0),
            })
            .collect();
        let moved = |access: &Access<'c>| access.replace(all, &moved);
        let second = Job::new(
            job.op,
            all,
            (0..loops.len()).collect(),
            [
                accesses(&AffineMap::identity(all)),
                job.destinations.iter().map(moved).collect(),
                job.extras.iter().map(moved).collect(),
            ],
            Work::Combine(Combination {
                element: None,
                ..work.clone()
            }),
        )?;
        Ok(Some(Self {
            first,
            schedule: Case {
                most: case.most,
                steps,
            },
            second,
            partials,
        }))
    }
}

/// `memref.alloc` of a row-major memref.
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
