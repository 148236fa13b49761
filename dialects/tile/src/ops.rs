//! Typed Rust views of the ops of the `tile` dialect.

use crate::attributes::{Kind, Nan, Scope};
use crate::layout::Fragment;
use melior_upstream::ir::Type;
use melior_upstream::ir::ValueLike;
use melior_upstream::ir::r#type::TypeLike;
use tx_mlir::{
    Affine, AffineMap, Blk, Op, Val, attribute, elements, integer_attribute, integers, is,
    operands, results,
};

/// Ops that `lower-reduction` must lower. `TILE_OPS` contains neither the terminator `tile.yield`
/// nor `tile.annotate`, which only carries attributes.
pub const TILE_OPS: [&str; 6] = [
    "tile.reduce",
    "tile.all_reduce",
    "tile.copy",
    "tile.load",
    "tile.store",
    "tile.splat",
];

/// Returns whether `op` is one of [`TILE_OPS`].
pub fn is_tile_op(op: Op<'_>) -> bool {
    TILE_OPS.contains(&tx_mlir::name(op))
}

impl Kind {
    /// Returns whether the kind is `argmax` or `argmin`. A result of `argmax` or `argmin` consists
    /// of a value and the index of the value.
    pub fn is_arg(self) -> bool {
        matches!(self, Self::ArgMax | Self::ArgMin)
    }

    /// Returns whether the kind supports only integers.
    pub fn is_integer_only(self) -> bool {
        matches!(
            self,
            Self::UMax | Self::UMin | Self::And | Self::Or | Self::Xor
        )
    }
}

/// A `tile.reduce` op.
#[derive(Clone)]
pub struct Reduce<'c> {
    /// The op.
    pub op: Op<'c>,
    /// Kind of the reduction, which selects the combiner.
    pub kind: Kind,
    /// Operands whose elements are combined: memrefs or fragments.
    pub sources: Vec<Val<'c>>,
    /// Memrefs that receive the results; empty if the results are fragments.
    pub destinations: Vec<Val<'c>>,
    /// Previous values, as fragments; with `accumulate`, the op combines these values with the
    /// results. `inits` is empty if the destinations of the op are memrefs.
    pub inits: Vec<Val<'c>>,
    /// The `with` operands: memrefs whose elements are arguments of the epilogue.
    pub extras: Vec<Val<'c>>,
    /// Reduced axes as written; negative axes count from the last dimension.
    pub axes: Vec<i64>,
    /// Threads that execute the op together.
    pub scope: Scope,
    /// Whether the op combines the results with the previous values of the destinations or of
    /// `inits`.
    pub accumulate: bool,
    /// NaN policy of `max`, `min`, `argmax` and `argmin`.
    pub nan: Nan,
}

impl<'c> Reduce<'c> {
    /// Returns `op` as a `Reduce`, or `None` if `op` is not a `tile.reduce`.
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

    /// Returns the reduced dimensions of a source of rank `rank`, ascending; `None` if an axis is out
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

    /// Returns the destination memrefs, or the result fragments if there are no destinations.
    pub fn outputs(&self) -> Vec<Val<'c>> {
        if self.destinations.is_empty() {
            results(self.op)
        } else {
            self.destinations.clone()
        }
    }

    /// Returns the block of the region `element`, if the op has the region.
    pub fn element(&self) -> Option<Blk<'c>> {
        tx_mlir::first_block(self.op, 1)
    }

    /// Returns the block of the region `epilogue`, if the op has the region.
    pub fn epilogue(&self) -> Option<Blk<'c>> {
        tx_mlir::first_block(self.op, 2)
    }

    /// Returns the number of dimensions of the iteration space.
    pub fn rank(&self) -> Option<usize> {
        match self.written_maps() {
            Some(maps) => Some(maps.first()?.dims),
            None => shape(*self.sources.first()?).map(|s| s.len()),
        }
    }

    /// Returns the indexing maps in the attribute `maps`; `None` if the attribute is absent or
    /// invalid.
    pub(crate) fn written_maps(&self) -> Option<Vec<AffineMap>> {
        elements(attribute(self.op, "maps")?)?
            .into_iter()
            .map(AffineMap::of)
            .collect()
    }

    /// Returns one indexing map for each source, destination and `with` operand. If the attribute
    /// `maps` is absent, the function derives the maps from the axes.
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
        // `with` operands have the shape of the results.
        let results = self
            .destinations
            .iter()
            .chain(&self.extras)
            .map(destination);
        Some(sources.chain(results).collect())
    }

    /// Returns the types of the combined values: the types that the region `element` yields, or the
    /// element types of the sources if the op has no region `element`.
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

    /// Returns the types of the components of a partial result. The partial results of `argmax` and
    /// `argmin` consist of a value and an index.
    pub fn accumulators(&self) -> Option<Vec<Type<'c>>> {
        let source = *self.elements()?.first()?;
        let index = match self.outputs().get(1) {
            Some(output) => element_type(output.r#type()),
            None => None,
        };
        // The index of a partial result has the type of the epilogue's argument, not the type of
        // the value that the epilogue yields.
        let given = self.elements()?.get(1).copied().or_else(|| {
            use melior_upstream::ir::block::BlockLike as _;
            let block = self.epilogue()?;
            (block.argument_count() > 1).then(|| tx_mlir::build::argument(block, 1).r#type())
        });
        let index = given.or(index);
        accumulators(self.op, self.kind, source, index)
    }

    /// Returns the maximum number of reduced elements for which an `i32` index of `argmax` or
    /// `argmin` suffices: 2^31. Returns `None` for kinds other than `argmax` and `argmin`, for
    /// index types other than `i32`, and for an op whose combined elements are pairs of value and
    /// index.
    pub fn most_positions(&self) -> Option<u64> {
        let counts = self.kind.is_arg() && self.elements()?.len() == 1;
        let index = *self.accumulators()?.get(1)?;
        (counts && integer_width(index) == Some(32)).then_some(1 << 31)
    }
}

pub(crate) fn yielded<'c>(block: Blk<'c>) -> Option<Vec<Type<'c>>> {
    let last = *tx_mlir::ops(block).last()?;
    is(last, "tile.yield").then(|| operands(last).iter().map(|v| v.r#type()).collect())
}

/// Returns the sizes of a memref or fragment; dynamic sizes are `None`.
fn shape(tile: Val<'_>) -> Option<Vec<Option<u64>>> {
    let ty = tile.r#type();
    tx_mlir::MemRef::from_type(ty).map(|m| m.shape).or_else(|| {
        let fragment = Fragment::from_type(ty)?;
        Some(fragment.shape.into_iter().map(Some).collect())
    })
}

/// Returns the type of each component of a partial result. For `custom`, the components of a
/// partial result have the types of the combiner's arguments. For `argmax` and `argmin`, the
/// components of a partial result are the value and the index of the value. For kinds other than
/// `custom`, `argmax` and `argmin`, the only component of a partial result is the value.
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

/// Returns the number of the dimension that `axis` names, or `None` if `axis` is out of range. The
/// first dimension has the number 0; negative axes count from the last dimension.
pub(crate) fn normalize_axis(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis + rank } else { axis };
    (0..rank)
        .contains(&axis)
        .then(|| usize::try_from(axis).ok())
        .flatten()
}

/// Returns the element type of a memref or a fragment, or `None` if `ty` is neither of them.
pub fn element_type(ty: Type<'_>) -> Option<Type<'_>> {
    tx_mlir::MemRef::from_type(ty)
        .map(|m| m.element)
        .or_else(|| Fragment::from_type(ty).map(|f| f.element))
}

/// Returns the default type of partial results: f32 if `element` is a float type narrower than f32,
/// otherwise `element`.
pub fn default_accumulator(element: Type<'_>) -> Type<'_> {
    let narrow = element.is_float() && tx_mlir::byte_width(element).is_some_and(|w| w < 4);
    if narrow {
        tx_mlir::f32_of(element)
    } else {
        element
    }
}

/// A `tile.all_reduce` op.
#[derive(Clone)]
pub struct AllReduce<'c> {
    /// The op.
    pub op: Op<'c>,
    /// Kind of the reduction, which selects the combiner.
    pub kind: Kind,
    /// Operands: the values of the current thread.
    pub values: Vec<Val<'c>>,
    /// Results: for each value, the result of combining the values of all threads in the group of
    /// the current thread.
    pub results: Vec<Val<'c>>,
    /// Threads that execute the op together.
    pub scope: Scope,
    /// Number of threads per group; `None` means all threads of the scope.
    pub width: Option<i64>,
    /// Distance between consecutive threads of a group, in threads.
    pub stride: i64,
    /// NaN policy of `max`, `min`, `argmax` and `argmin`.
    pub nan: Nan,
}

impl<'c> AllReduce<'c> {
    /// Returns the types of the components of a partial result. The partial results of `argmax` and
    /// `argmin` consist of a value and an index.
    pub fn accumulators(&self) -> Option<Vec<Type<'c>>> {
        let index = self.values.get(1).map(|v| v.r#type());
        accumulators(self.op, self.kind, self.values.first()?.r#type(), index)
    }

    /// Returns `op` as an `AllReduce`, or `None` if `op` is not a `tile.all_reduce`.
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

/// A `tile.copy` op.
#[derive(Clone, Copy)]
pub struct Copy<'c> {
    /// The op.
    pub op: Op<'c>,
    /// Memref to read.
    pub source: Val<'c>,
    /// Memref to write.
    pub destination: Val<'c>,
    /// Threads that execute the op together.
    pub scope: Scope,
}

impl<'c> Copy<'c> {
    /// Returns `op` as a `Copy`, or `None` if `op` is not a `tile.copy`.
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

/// Returns the attribute `kind` of an op.
pub fn kind(op: Op<'_>) -> Option<Kind> {
    Kind::of(attribute(op, "kind")?)
}

/// Returns the attribute `scope` of an op.
pub fn scope(op: Op<'_>) -> Option<Scope> {
    Scope::of(attribute(op, "scope")?)
}

fn nan(op: Op<'_>) -> Nan {
    attribute(op, "nan")
        .and_then(Nan::of)
        .unwrap_or(Nan::Propagate)
}

/// Returns the width of a signless integer type in bits, or `None` if `ty` is no signless integer
/// type.
pub(crate) fn integer_width(ty: Type<'_>) -> Option<u32> {
    // SAFETY: the code calls the closure only for integer types.
    let is_signless = |ty: Type<'_>| unsafe { mlir_sys::mlirIntegerTypeIsSignless(ty.to_raw()) };
    tx_mlir::integer_width(ty).filter(|_| is_signless(ty))
}
