//! Typed views of the dialect's ops.

use crate::attributes::{Kind, Nan, Scope};
use melior_upstream::ir::Type;
use melior_upstream::ir::ValueLike;
use melior_upstream::ir::r#type::TypeLike;
use tx_mlir::{
    Affine, AffineMap, Blk, Op, Val, attribute, elements, integer_attribute, integers, is,
    operands, results,
};

/// Every op that must be gone after `lower-reduction`, except the terminator of combiners.
pub const TILE_OPS: [&str; 6] = [
    "tile.reduce",
    "tile.all_reduce",
    "tile.copy",
    "tile.load",
    "tile.store",
    "tile.splat",
];

/// Whether `op` is one of [`TILE_OPS`].
pub fn is_tile_op(op: Op<'_>) -> bool {
    TILE_OPS.contains(&tx_mlir::name(op))
}

impl Kind {
    /// Whether the result is a value and its index.
    pub fn is_arg(self) -> bool {
        matches!(self, Self::ArgMax | Self::ArgMin)
    }

    /// Whether only integers can be combined so.
    pub fn is_integer_only(self) -> bool {
        matches!(
            self,
            Self::UMax | Self::UMin | Self::And | Self::Or | Self::Xor
        )
    }
}

/// `tile.reduce`.
#[derive(Clone)]
pub struct Reduce<'c> {
    /// The op.
    pub op: Op<'c>,
    /// What is computed.
    pub kind: Kind,
    /// What is reduced.
    pub sources: Vec<Val<'c>>,
    /// Memory that gets the result; empty when the result is a fragment.
    pub destinations: Vec<Val<'c>>,
    /// Old values, in the fragment form.
    pub inits: Vec<Val<'c>>,
    /// What the epilogue reads.
    pub extras: Vec<Val<'c>>,
    /// As written.
    pub axes: Vec<i64>,
    /// Who executes it.
    pub scope: Scope,
    /// Whether the old value takes part.
    pub accumulate: bool,
    /// NaN policy.
    pub nan: Nan,
}

impl<'c> Reduce<'c> {
    /// The view, when `op` is a `tile.reduce`.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if !is(op, "tile.reduce") {
            return None;
        }
        let all = operands(op);
        let segments = integers(attribute(op, "operandSegmentSizes")?)?;
        let segments: Vec<usize> = segments
            .into_iter()
            .map(|n| usize::try_from(n).ok())
            .collect::<Option<_>>()?;
        let [n, m, inits, _] = segments[..] else {
            return None;
        };
        Some(Self {
            op,
            kind: kind(op)?,
            sources: all[..n].to_vec(),
            destinations: all[n..n + m].to_vec(),
            inits: all[n + m..n + m + inits].to_vec(),
            extras: all[n + m + inits..].to_vec(),
            axes: integers(attribute(op, "axes")?)?,
            scope: scope(op)?,
            accumulate: attribute(op, "accumulate").is_some(),
            nan: nan(op),
        })
    }

    /// The reduced axes as dimensions of a source of this rank, ascending; `None` when one is out
    /// of range or repeated.
    pub fn reduced_axes(&self, rank: usize) -> Option<Vec<usize>> {
        let mut axes: Vec<usize> = self
            .axes
            .iter()
            .map(|a| normalize_axis(*a, rank))
            .collect::<Option<_>>()?;
        axes.sort_unstable();
        let count = axes.len();
        axes.dedup();
        (axes.len() == count).then_some(axes)
    }

    /// What gets the results: destinations in memory, or fragments.
    pub fn outputs(&self) -> Vec<Val<'c>> {
        if self.destinations.is_empty() {
            results(self.op)
        } else {
            self.destinations.clone()
        }
    }

    /// The block of the region `element`, where there is one.
    pub fn element(&self) -> Option<Blk<'c>> {
        tx_mlir::first_block(self.op, 1)
    }

    /// The block of the region `epilogue`, where there is one.
    pub fn epilogue(&self) -> Option<Blk<'c>> {
        tx_mlir::first_block(self.op, 2)
    }

    /// Number of dimensions of the iteration space.
    pub fn rank(&self) -> Option<usize> {
        match self.written_maps() {
            Some(maps) => Some(maps.first()?.dims),
            None => shape(*self.sources.first()?).map(|s| s.len()),
        }
    }

    /// The maps of the attribute `maps`.
    pub(crate) fn written_maps(&self) -> Option<Vec<AffineMap>> {
        elements(attribute(self.op, "maps")?)?
            .into_iter()
            .map(AffineMap::of)
            .collect()
    }

    /// From the iteration space to each source, destination and `with` operand.
    pub fn maps(&self) -> Option<Vec<AffineMap>> {
        if let Some(maps) = self.written_maps() {
            return Some(maps);
        }
        let rank = self.rank()?;
        let axes = self.reduced_axes(rank)?;
        let kept: Vec<usize> = (0..rank).filter(|d| !axes.contains(d)).collect();
        let keeps_dims = |v: &Val<'c>| {
            let dims = shape(*v).map_or(0, |s| s.len());
            dims == rank && !axes.is_empty()
        };
        let destination = |v: &Val<'c>| {
            let mut map = AffineMap::select(rank, kept.iter().copied());
            if keeps_dims(v) {
                map.results = (0..rank)
                    .map(|d| {
                        if axes.contains(&d) {
                            Affine::Const(0)
                        } else {
                            Affine::Dim(d)
                        }
                    })
                    .collect();
            }
            map
        };
        let sources = self.sources.iter().map(|_| AffineMap::identity(rank));
        // What the epilogue is given lies as the results do.
        let results = self
            .destinations
            .iter()
            .chain(&self.extras)
            .map(destination);
        Some(sources.chain(results).collect())
    }

    /// Types of what is combined: what `element` yields, or else the sources' elements.
    pub fn elements(&self) -> Option<Vec<Type<'c>>> {
        match self.element() {
            Some(block) => Some(yielded(block)?),
            None => self
                .sources
                .iter()
                .map(|s| element_type(s.r#type()))
                .collect(),
        }
    }

    /// Types of the parts of a partial result.
    pub fn accumulators(&self) -> Option<Vec<Type<'c>>> {
        let source = *self.elements()?.first()?;
        let index = match self.outputs().get(1) {
            Some(output) => element_type(output.r#type()),
            None => None,
        };
        // What an epilogue stores says nothing of the index that it is given.
        let given = self.elements()?.get(1).copied().or_else(|| {
            use melior_upstream::ir::block::BlockLike as _;
            let block = self.epilogue()?;
            (block.argument_count() > 1).then(|| tx_mlir::build::argument(block, 1).r#type())
        });
        let index = given.or(index);
        accumulators(self.op, self.kind, source, index)
    }

    /// How many elements the index of `argmax` and `argmin` can tell apart, where it counts them
    /// and there may be more: 2^31 for `i32`.
    pub fn most_positions(&self) -> Option<u64> {
        let counts = self.kind.is_arg() && self.elements()?.len() == 1;
        let index = *self.accumulators()?.get(1)?;
        (counts && integer_width(index) == Some(32)).then_some(1 << 31)
    }
}

/// Types of what a region's terminator is given.
pub(crate) fn yielded<'c>(block: Blk<'c>) -> Option<Vec<Type<'c>>> {
    let last = *tx_mlir::ops(block).last()?;
    is(last, "tile.yield").then(|| operands(last).iter().map(|v| v.r#type()).collect())
}

/// Sizes of a tile.
fn shape(tile: Val<'_>) -> Option<Vec<Option<u64>>> {
    let ty = tile.r#type();
    tx_mlir::MemRef::from_type(ty).map(|m| m.shape).or_else(|| {
        let fragment = crate::Fragment::from_type(ty)?;
        Some(fragment.shape.into_iter().map(Some).collect())
    })
}

/// Types of the parts of a partial result: what the combiner's region takes, or else a value, and
/// for `argmax` and `argmin` an index.
fn accumulators<'c>(
    op: Op<'c>,
    kind: Kind,
    source: Type<'c>,
    index: Option<Type<'c>>,
) -> Option<Vec<Type<'c>>> {
    if kind == Kind::Custom {
        use melior_upstream::ir::block::BlockLike as _;
        let block = *tx_mlir::blocks(op).first()?;
        let count = block.argument_count() / 2;
        let types = (0..count).map(|i| tx_mlir::build::argument(block, i).r#type());
        return Some(types.collect());
    }
    let value = attribute(op, "acc")
        .and_then(tx_mlir::type_value)
        .unwrap_or_else(|| default_accumulator(source));
    if kind.is_arg() {
        return Some(vec![value, index?]);
    }
    Some(vec![value])
}

/// `axis` counted from the front, when it is in range.
pub(crate) fn normalize_axis(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis + rank } else { axis };
    (0..rank)
        .contains(&axis)
        .then(|| usize::try_from(axis).ok())
        .flatten()
}

/// Element type of a memref or a fragment.
pub fn element_type(ty: Type<'_>) -> Option<Type<'_>> {
    tx_mlir::MemRef::from_type(ty)
        .map(|m| m.element)
        .or_else(|| crate::Fragment::from_type(ty).map(|f| f.element))
}

/// f32 for floats narrower than that, else the type itself.
pub fn default_accumulator(element: Type<'_>) -> Type<'_> {
    let narrow = element.is_float() && tx_mlir::byte_width(element).is_some_and(|w| w < 4);
    if narrow {
        tx_mlir::f32_of(element)
    } else {
        element
    }
}

/// `tile.all_reduce`.
#[derive(Clone)]
pub struct AllReduce<'c> {
    /// The op.
    pub op: Op<'c>,
    /// What is computed.
    pub kind: Kind,
    /// This thread's values.
    pub values: Vec<Val<'c>>,
    /// The group's results.
    pub results: Vec<Val<'c>>,
    /// Who executes it.
    pub scope: Scope,
    /// Threads in a group; the whole scope when absent.
    pub width: Option<i64>,
    /// Distance between neighbours in a group.
    pub stride: i64,
    /// NaN policy.
    pub nan: Nan,
}

impl<'c> AllReduce<'c> {
    /// Types of the parts of a partial result.
    pub fn accumulators(&self) -> Option<Vec<Type<'c>>> {
        let index = self.values.get(1).map(|v| v.r#type());
        accumulators(self.op, self.kind, self.values.first()?.r#type(), index)
    }

    /// The view, when `op` is a `tile.all_reduce`.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if !is(op, "tile.all_reduce") {
            return None;
        }
        Some(Self {
            op,
            kind: kind(op)?,
            values: operands(op),
            results: results(op),
            scope: scope(op)?,
            width: integer_attribute(op, "width"),
            stride: integer_attribute(op, "stride").unwrap_or(1),
            nan: nan(op),
        })
    }
}

/// `tile.copy`.
#[derive(Clone, Copy)]
pub struct Copy<'c> {
    /// The op.
    pub op: Op<'c>,
    /// Read.
    pub source: Val<'c>,
    /// Written.
    pub destination: Val<'c>,
    /// Who executes it.
    pub scope: Scope,
}

impl<'c> Copy<'c> {
    /// The view, when `op` is a `tile.copy`.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if !is(op, "tile.copy") {
            return None;
        }
        let all = operands(op);
        Some(Self {
            op,
            source: *all.first()?,
            destination: *all.get(1)?,
            scope: scope(op)?,
        })
    }
}

/// The `kind` of an op.
pub fn kind(op: Op<'_>) -> Option<Kind> {
    Kind::of(attribute(op, "kind")?)
}

/// The `scope` of an op.
pub fn scope(op: Op<'_>) -> Option<Scope> {
    Scope::of(attribute(op, "scope")?)
}

fn nan(op: Op<'_>) -> Nan {
    attribute(op, "nan")
        .and_then(Nan::of)
        .unwrap_or(Nan::Propagate)
}

/// Width of a signless integer type.
pub(crate) fn integer_width(ty: Type<'_>) -> Option<u32> {
    // SAFETY: asked of integer types only.
    let is_signless = |ty: Type<'_>| unsafe { mlir_sys::mlirIntegerTypeIsSignless(ty.to_raw()) };
    tx_mlir::integer_width(ty).filter(|_| is_signless(ty))
}
