//! One reduction as two: the first leaves partial results in global memory, the second combines
//! them.

use super::job::{Job, Work};
use super::nest::Nest;
use super::steps::{Step, to_attribute};
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute, TypeAttribute};
use melior::ir::{Attribute, Region, Type};
use tx_dialect_tile::Reduce;
use tx_mlir::{
    Affine, AffineMap, Blk, Builder, Index, Op, Val, attribute, byte_width, first_block, i64_array,
};

/// Replaces the op of `job` by two; returns them.
pub(crate) fn materialise<'c>(
    job: &Job<'c>,
    nest: &Nest,
    steps: &[Step],
    most: Option<(usize, i64)>,
) -> Option<(Op<'c>, Op<'c>)> {
    let Work::Combine(view, combiner) = &job.work else {
        return None;
    };
    let b = Builder::before(job.op);
    let loops = nest.global_rfactors();
    let kept: Vec<usize> = (0..job.extents.len())
        .filter(|d| !job.axes.contains(d))
        .collect();

    let lengths: Vec<Index<'c>> = (0..job.extents.len()).map(|d| job.length(&b, d)).collect();
    let length = |_: &Builder<'c>, d: usize| lengths[d];
    let mut sizes: Vec<Index<'c>> = loops
        .iter()
        .map(|n| nest.nodes[*n].extent.value(&b, &length))
        .collect();
    // What is for up to so many results has no place for more, however many there are.
    sizes.extend(kept.iter().map(|d| match (lengths[*d], most) {
        (Index::Val(length), Some((dim, most))) if dim == *d => {
            Index::Val(b.binary("arith.minui", length, b.value(Index::Const(most))))
        }
        (length, _) => length,
    }));
    let partials: Vec<Val<'c>> = combiner
        .types()
        .iter()
        .map(|ty| allocate(&b, &sizes, *ty))
        .collect();

    let maps = view.maps()?;
    let (sources, rest) = maps.split_at(view.sources.len());
    let (destinations, extras) = rest.split_at(view.destinations.len());
    let first = {
        let names: Vec<Attribute<'c>> = loops
            .iter()
            .map(|n| StringAttribute::new(b.context(), &nest.nodes[*n].name).into())
            .collect();
        let left: Vec<Step> = steps
            .iter()
            .filter(|s| !matches!(s, Step::RFactor(l) if loops.iter().any(|n| nest.nodes[*n].name == *l)))
            .filter(|s| **s != Step::LastBlock)
            .cloned()
            .collect();
        let mut extra = vec![
            ("partials", ArrayAttribute::new(b.context(), &names).into()),
            ("schedule", to_attribute(b.context(), &left)),
        ];
        if attribute(job.op, "maps").is_some() {
            let own = AffineMap::select(job.extents.len(), kept.iter().copied());
            let all: Vec<&AffineMap> = sources
                .iter()
                .chain(std::iter::repeat_n(&own, partials.len()))
                .collect();
            extra.push(("maps", maps_of(b.context(), &all)));
        }
        if view.accumulate {
            extra.push(("neutral", Attribute::unit(b.context())));
        }
        if let Some(acc) = attribute(job.op, "acc") {
            extra.push(("acc", acc));
        }
        let regions = [first_block(job.op, 0), view.element(), None].map(|block| copy(&b, block));
        create(
            &b,
            view,
            [&view.sources, &partials, &[]],
            &view.axes,
            extra,
            regions,
        )
    };

    let axes: Vec<i64> = (0..i64::try_from(loops.len()).unwrap_or(0)).collect();
    let rank = loops.len() + kept.len();
    // A kept dimension in the space of the second reduction.
    let moved: Vec<Affine> = (0..job.extents.len())
        .map(|d| match kept.iter().position(|k| *k == d) {
            Some(i) => Affine::Dim(loops.len() + i),
            None => Affine::Const(0),
        })
        .collect();
    let plain: Vec<Affine> = (loops.len()..rank).map(Affine::Dim).collect();
    let place = |map: &AffineMap| map.replace(rank, &moved);
    let mut extra = Vec::new();
    if !view.extras.is_empty() || destinations.iter().any(|m| place(m).results != plain) {
        let whole = AffineMap::identity(rank);
        let all: Vec<AffineMap> = std::iter::repeat_n(whole, partials.len())
            .chain(destinations.iter().chain(extras).map(place))
            .collect();
        extra.push((
            "maps",
            maps_of(b.context(), &all.iter().collect::<Vec<_>>()),
        ));
    }
    if view.accumulate {
        extra.push(("accumulate", Attribute::unit(b.context())));
    }
    let partial = combiner.types()[0];
    if tx_dialect_tile::default_accumulator(partial) != partial {
        extra.push(("acc", TypeAttribute::new(partial).into()));
    }
    let epilogue = match view.epilogue() {
        Some(block) => copy(&b, Some(block)),
        None => narrowing(&b, job, kept.len()),
    };
    let regions = [copy(&b, first_block(job.op, 0)), Region::new(), epilogue];
    let second = create(
        &b,
        view,
        [&partials, &view.destinations, &view.extras],
        &axes,
        extra,
        regions,
    );
    for partial in partials {
        b.create("memref.dealloc").operands(&[partial]).build();
    }
    Some((first, second))
}

/// `memref.alloc` of a row-major memref.
pub(crate) fn allocate<'c>(b: &Builder<'c>, sizes: &[Index<'c>], element: Type<'c>) -> Val<'c> {
    let shape: String = sizes
        .iter()
        .map(|s| {
            s.known()
                .map_or_else(|| "?x".to_owned(), |n| format!("{n}x"))
        })
        .collect();
    let dynamic: Vec<Val<'c>> = sizes
        .iter()
        .filter(|s| s.known().is_none())
        .map(|s| b.value(*s))
        .collect();
    b.create("memref.alloc")
        .segments(&[dynamic.len(), 0])
        .operands(&dynamic)
        .result(b.float_type(&format!("memref<{shape}{element}>")))
        .value()
}

fn maps_of<'c>(context: &'c Context, maps: &[&AffineMap]) -> Attribute<'c> {
    let all: Vec<Attribute<'c>> = maps.iter().map(|map| map.to_attribute(context)).collect();
    ArrayAttribute::new(context, &all).into()
}

fn copy<'c>(b: &Builder<'c>, block: Option<Blk<'c>>) -> Region<'c> {
    block.map_or_else(Region::new, |block| b.copy_of(block))
}

/// An epilogue that converts results to what the destinations hold; none where they hold that, or
/// more: old values that are wider than partial results are combined in their own type, which an
/// epilogue would come after.
fn narrowing<'c>(b: &Builder<'c>, job: &Job<'c>, kept: usize) -> Region<'c> {
    let Work::Combine(_, combiner) = &job.work else {
        return Region::new();
    };
    let (types, stored) = (combiner.types().to_vec(), job.stored_types());
    let holds = |(stored, partial): (&Type<'c>, &Type<'c>)| {
        stored == partial || byte_width(*stored) > byte_width(*partial)
    };
    if stored.iter().zip(&types).all(holds) {
        return Region::new();
    }
    let arguments: Vec<Type<'c>> = types
        .iter()
        .copied()
        .chain(std::iter::repeat_n(b.index_type(), kept))
        .collect();
    b.region_of(&arguments, "tile.yield", |b, given| {
        combiner.narrow(b, &given[..types.len()], &stored)
    })
}

/// A `tile.reduce` that computes the same kind as `view`, from and to other memory.
fn create<'c>(
    b: &Builder<'c>,
    view: &Reduce<'c>,
    [sources, destinations, extras]: [&[Val<'c>]; 3],
    axes: &[i64],
    extra: Vec<(&str, Attribute<'c>)>,
    regions: [Region<'c>; 3],
) -> Op<'c> {
    let mut op = b
        .create("tile.reduce")
        .operands(&[sources, destinations, extras].concat())
        .attr("axes", i64_array(b.context(), axes))
        .segments(&[sources.len(), destinations.len(), 0, extras.len()]);
    for name in ["kind", "scope", "nan", "determinism", "identities"] {
        if let Some(value) = attribute(view.op, name) {
            op = op.attr(name, value);
        }
    }
    for (name, value) in extra {
        op = op.attr(name, value);
    }
    regions
        .into_iter()
        .fold(op, |op, region| op.region(region))
        .build()
}
