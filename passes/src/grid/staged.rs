//! Tiles of sources in shared memory, for element-wise ops.
//!
//! A source is transposed if its contiguous dimension is not the contiguous dimension of the
//! destination. Each block loads its tile of the source along the contiguous dimension of the
//! source. After the load of the tile, the threads read shared memory in the order in which the
//! threads store results.

use super::grid_op::{GridOp, Work};
use super::nest::{Illegal, LoopKind, LoopRelation, Nest};
use super::steps::Processor;
use super::vectors::{WIDEST, begins_aligned};
use crate::analysis::dataflow::Access;
use crate::emit::{is_packed, load as load_element, shared, shared_global};
use tx_dialect_tile::Residency;
use tx_mlir::build::Cond;
use tx_mlir::{Affine, Builder, Index, Op, Val, byte_width, codes};
use tx_target::STATIC_SHARED_BYTES;

/// Padding of each tile row in bytes, so that the elements of a column are in different banks of
/// shared memory.
const PADDING: i64 = 4;
/// Tile of a source that one block reads.
pub(crate) struct Footprint {
    source: usize,
    /// Tile length along each dimension. The first index of a tile is a multiple of the tile
    /// length.
    shape: Vec<i64>,
}

/// Returns the tiles of sources that a schedule stages in shared memory.
pub(crate) fn footprints(grid_op: &GridOp<'_>, nest: &Nest) -> Result<Vec<Footprint>, Illegal> {
    let illegal = |reason: String| Illegal::new(codes::TX0327, reason);
    let mut footprints = Vec::new();
    for (name, residency) in &nest.holds {
        let number = (0..grid_op.sources.len()).find(|i| *name == format!("in{i}"));
        let Some(source) = number else {
            let reason = format!(
                "`#tile.hold` keeps `{name}` in {residency}, but the op has no source of this name"
            );
            let names: Vec<String> = (0..grid_op.sources.len())
                .map(|i| format!("`in{i}`"))
                .collect();
            return Err(illegal(reason).note(format!("sources: {}", names.join(", "))));
        };
        if *residency != Residency::Shared {
            return Err(illegal(format!(
                "`#tile.hold` keeps `{name}` in {residency}, but the op has no `tile.group`, so no \
                 other op uses the value"
            ))
            .note(
                "set the same `tile.group` on all ops that use the value, or keep the value in \
                 shared memory",
            ));
        }
        footprints.push(Footprint {
            source,
            shape: shape(grid_op, nest, source).map_err(|(why, instead)| {
                let reason = format!("`#tile.hold` cannot keep `{name}` in shared memory: {why}");
                illegal(reason).note(instead)
            })?,
        });
    }
    let bytes = |each: &Footprint| each.bytes(&grid_op.sources[each.source]);
    let bytes: i64 = footprints.iter().map(bytes).fold(0, i64::saturating_add);
    let most = STATIC_SHARED_BYTES.cast_signed();
    match bytes > most {
        true => Err(illegal(format!(
            "the tiles of a block take {bytes} bytes of shared memory, expected at most {most}"
        ))
        .note(
            "split loops, and bind the outer loops to blocks, so that each block has smaller tiles",
        )),
        false => Ok(footprints),
    }
}

/// Returns the shape of the tile of a source that one block reads. If the source has no tile,
/// returns the reason and a suggested change.
fn shape(
    grid_op: &GridOp<'_>,
    nest: &Nest,
    source: usize,
) -> Result<Vec<i64>, (String, &'static str)> {
    let access = &grid_op.sources[source];
    let without = |why: &str| Err((why.to_owned(), "remove the `#tile.hold`"));
    if matches!(grid_op.work, Work::Combine(..) | Work::Start(..)) {
        return without("the op is a reduction");
    }
    let Some(memref) = &access.memref else {
        return without("it is a scalar");
    };
    if is_packed(memref.element) || byte_width(memref.element).is_none() {
        return without(&format!("its elements are `{}`", memref.element));
    }
    let is_written = |destination: &Access<'_>| destination.value == access.value;
    if grid_op.destinations.iter().any(is_written) {
        return without("the op writes it");
    }
    let results = &access.map.results;
    if results.is_empty() {
        return without("it has one element");
    }
    let size = |result: &Affine| match result {
        Affine::Const(0) => Ok(1),
        Affine::Dim(dim) if results.iter().filter(|other| *other == result).count() == 1 => {
            nest.in_block(*dim).ok_or_else(|| {
                let why = format!(
                    "a block does not have one contiguous part of `d{dim}` of static length"
                );
                (
                    why,
                    "split the loop, and bind the outer loop to blocks, alone or fused with other \
                     outer loops; a fused inner loop must be in the block as a whole",
                )
            })
        }
        _ => Err((
            format!("it is indexed by {}", access.map),
            "expected a separate loop, or 0, as the index of each dimension",
        )),
    };
    results.iter().map(size).collect()
}

impl Footprint {
    fn bytes(&self, access: &Access<'_>) -> i64 {
        let width = access.memref.as_ref().and_then(|m| byte_width(m.element));
        let width = width.unwrap_or(1).cast_signed();
        self.padded(width)
            .into_iter()
            .fold(width, i64::saturating_mul)
    }

    /// Returns the padded tile shape in shared memory, for elements of `width` bytes.
    fn padded(&self, width: i64) -> Vec<i64> {
        let mut shape = self.shape.clone();
        if let [.., _, last] = &mut shape[..] {
            *last += (PADDING / width).max(1);
        }
        shape
    }
}

impl Nest {
    /// Returns the number n of consecutive iterations of loop `node` that each block executes; the
    /// number of the first of these iterations is a multiple of n. Returns `None` if the iterations
    /// are not consecutive, or if the number of iterations is dynamic.
    pub(super) fn in_block(&self, node: usize) -> Option<i64> {
        let node = &self.nodes[node];
        match node.relation {
            LoopRelation::Loop => match node.kind {
                LoopKind::Bound(Processor::Block(_) | Processor::Cluster(_)) => Some(1),
                _ => node.extent.known(),
            },
            LoopRelation::Fused { into, .. } => match self.in_block(into)? {
                1 => Some(1),
                all if self.nodes[into].extent.known() == Some(all) => node.extent.known(),
                _ => None,
            },
            LoopRelation::Split {
                outer,
                inner,
                factor,
                aligned: false,
            } => match (self.in_block(outer)?, self.in_block(inner)?) {
                (outer, inner) if inner == factor => outer.checked_mul(factor),
                (1, inner) if inner > 0 && factor % inner == 0 => Some(inner),
                _ => None,
            },
            LoopRelation::Split { .. } => None,
        }
    }

    /// Returns whether loop `node`, which no step has split or fused, is bound to blocks.
    pub(super) fn is_on_blocks(&self, node: usize) -> bool {
        matches!(
            self.nodes[node].kind,
            LoopKind::Bound(Processor::Block(_) | Processor::Cluster(_))
        )
    }
}

pub(super) struct Stage<'c> {
    pub(super) source: usize,
    pub(super) shape: Vec<i64>,
    pub(super) array: Val<'c>,
    /// Number of source elements that one load reads when the tile is copied to shared memory.
    pub(super) lanes: i64,
    /// Whether vector loads of the tile begin at aligned addresses.
    pub(super) aligned: Cond<'c>,
}

impl<'c> Stage<'c> {
    /// Declares the tiles next to the kernel function; `b` inserts at the start of the kernel.
    pub(super) fn all(
        b: &Builder<'c>,
        kernel: Op<'c>,
        grid_op: &GridOp<'c>,
        nest: &Nest,
    ) -> Vec<Self> {
        // If the iteration space is empty, the kernel loads no elements.
        if grid_op
            .extents
            .iter()
            .any(|extent| extent.known() == Some(0))
        {
            return Vec::new();
        }
        // The schedule check has already rejected illegal tiles.
        let footprints = footprints(grid_op, nest).unwrap_or_default();
        let each = |part: Footprint| {
            let access = &grid_op.sources[part.source];
            let element = access.memref.as_ref()?.element;
            let width = byte_width(element)?.cast_signed();
            let name = format!("in{}", part.source);
            let mut lanes = (WIDEST / width).max(1);
            while part.shape.last().is_some_and(|n| n % lanes != 0) {
                lanes /= 2;
            }
            let aligned = match lanes {
                1 => Cond::Const(false),
                _ => begins_aligned(b, access, lanes),
            };
            Some(Self {
                source: part.source,
                array: {
                    let padded = part.padded(width);
                    let name = shared_global(b, kernel, &name, &padded, element);
                    shared(b, &name, &padded, element)
                },
                shape: part.shape,
                lanes,
                aligned,
            })
        };
        footprints.into_iter().filter_map(each).collect()
    }
}

/// Tile of a source in shared memory, and the index of its first element in the source.
#[derive(Clone)]
pub(super) struct Staged<'c> {
    pub(super) array: Val<'c>,
    pub(super) origin: Vec<Index<'c>>,
}

impl<'c> Staged<'c> {
    /// Emits the load of the element of `access` at `point` from the tile.
    pub(super) fn load(
        &self,
        b: &Builder<'c>,
        access: &Access<'c>,
        point: &[Index<'c>],
    ) -> Val<'c> {
        let Some(memref) = &access.memref else {
            return access.value;
        };
        let indices = access.map.results.iter().zip(&self.origin);
        let indices: Vec<Val<'c>> = indices
            .map(|(result, origin)| b.value(b.sub(b.affine(result, point), *origin)))
            .collect();
        load_element(b, self.array, memref.element, &indices)
    }
}
