//! Vector accesses, the conditions under which vectors are aligned, and the position of the aligned
//! vectors in a row.

use super::grid_op::{GridOp, Work};
use super::nest::{LoopKind, Nest, Node};
use crate::analysis::dataflow::Access;
use crate::emit::is_packed;
use std::collections::BTreeMap;
use tx_mlir::build::Cond;
use tx_mlir::{Affine, Builder, Index, MemRef, Val, byte_width, results};

/// Maximum number of bytes of one memory access.
pub(super) const WIDEST: i64 = 16;
/// Position of the aligned vectors in one row.
#[derive(Clone)]
pub(super) struct Vectors<'c> {
    /// Number of elements before the first vector (peeled head).
    pub(super) first: Index<'c>,
    pub(super) count: Index<'c>,
    /// Trip count of each loop over the aligned vectors of the row, by loop number.
    pub(super) lengths: BTreeMap<usize, Index<'c>>,
}

/// The operands with vector accesses, and the conditions that their vectors are aligned.
pub(super) struct Alignment<'c> {
    /// For each source, the condition that its vectors are aligned; `None` if the kernel loads
    /// scalars.
    pub(super) sources: Vec<Option<Cond<'c>>>,
    /// For each destination, the condition that its vectors are aligned; `None` if the kernel stores
    /// scalars, as in a reduction.
    pub(super) destinations: Vec<Option<Cond<'c>>>,
    /// Condition that all vectors are aligned; false if the kernel has no vector access.
    pub(super) holds: Cond<'c>,
}

impl<'c> Alignment<'c> {
    /// Emits alignment checks at the start of a kernel, before any load.
    pub(super) fn of(b: &Builder<'c>, grid_op: &GridOp<'c>, nest: &Nest) -> Self {
        let node = vectorized(nest);
        let mut holds = Cond::Const(true);
        let mut of = |access: &Access<'c>| {
            let vector = VectorAccess::of(grid_op, nest, access, node?)?;
            let mut is_aligned = Cond::Const(true);
            for remainder in vector.remainders(b) {
                let is_whole = b.equal(remainder, Index::Const(0));
                holds = b.and(holds, is_whole);
                is_aligned = b.and(is_aligned, is_whole);
            }
            Some(is_aligned)
        };
        let sources: Vec<_> = grid_op.sources.iter().map(&mut of).collect();
        let destinations = match grid_op.work {
            Work::Combine(..) => vec![None; grid_op.destinations.len()],
            _ => grid_op.destinations.iter().map(&mut of).collect(),
        };
        if sources.iter().chain(&destinations).all(Option::is_none) {
            holds = Cond::Const(false);
        }
        Self {
            sources,
            destinations,
            holds,
        }
    }
}

/// Returns the vectorized loop of the nest, if it has more than one iteration.
fn vectorized(nest: &Nest) -> Option<usize> {
    nest.serial().into_iter().find(|n| {
        let Node { kind, extent, .. } = &nest.nodes[*n];
        *kind == LoopKind::Vectorized && extent.known().is_some_and(|n| n > 1)
    })
}

/// An access by vectors, if these vectors are aligned.
struct VectorAccess<'c> {
    value: Val<'c>,
    /// Array whose first aligned element is the first element of the first vector. The strides of
    /// `value` and of this array must be equal modulo `lanes`.
    leader: Option<Val<'c>>,
    /// Dimensions whose strides must be multiples of `lanes`.
    strides: Vec<usize>,
    /// Number of elements of a vector.
    lanes: i64,
    /// Number of bytes of a vector.
    bytes: i64,
}

impl<'c> VectorAccess<'c> {
    /// Returns how loop `node` accesses `access` by vectors, or `None` if its vectors are never
    /// aligned.
    fn of(grid_op: &GridOp<'c>, nest: &Nest, access: &Access<'c>, node: usize) -> Option<Self> {
        let memref = access.memref.as_ref()?;
        let lanes = nest.nodes[node].extent.known()?;
        if !is_vector(grid_op, nest, access, node) || lanes.count_ones() != 1 {
            return None;
        }
        let last = access.map.results.last()?;
        let leader = nest.aligned().and_then(|(dim, _)| leader(grid_op, dim));
        let width = i64::try_from(byte_width(memref.element)?).ok()?;
        let mut vector = Self {
            value: access.value,
            leader: None,
            strides: Vec::new(),
            lanes,
            bytes: lanes * width,
        };
        let is_never = |remainder: Option<i64>| remainder.is_some_and(|n| n % lanes != 0);
        match leader.filter(|_| nest.is_of_vectors(node)) {
            // Vectors begin at the aligned addresses of the leading source, so the rows of `access`
            // and of the leading source need equal element offsets modulo the vector width.
            Some(leader) => {
                if leader.map.results != access.map.results {
                    return None;
                }
                if leader.value != access.value {
                    let pairs = memref.strides.iter().zip(&leader.memref.as_ref()?.strides);
                    if pairs.map(|(a, b)| Some((*a)? - (*b)?)).any(is_never) {
                        return None;
                    }
                    vector.leader = Some(leader.value);
                }
            }
            None => {
                if !nest.begins_at_multiples(last, node, lanes) {
                    return None;
                }
                let results = access.map.results.iter().enumerate();
                vector.strides = results
                    .filter(|(_, result)| **result != Affine::Const(0))
                    .filter(|(_, result)| !std::ptr::eq(*result, last))
                    .map(|(dim, _)| dim)
                    .collect();
                if vector
                    .strides
                    .iter()
                    .any(|dim| is_never(memref.strides[*dim]))
                {
                    return None;
                }
            }
        }
        Some(vector)
    }

    /// Emits numbers that are all 0 if all vectors of the access are aligned.
    fn remainders(&self, b: &Builder<'c>) -> Vec<Index<'c>> {
        let Some(layout) = Layout::of_value(b, self.value) else {
            return Vec::new();
        };
        let rest = |index: Index<'c>| b.rem(index, Index::Const(self.lanes));
        let model = self.leader.and_then(|leader| Layout::of_value(b, leader));
        let mut all: Vec<Index<'c>> = match model {
            Some(model) => {
                let pairs = layout.strides.iter().zip(&model.strides);
                pairs
                    .map(|(own, other)| rest(b.sub(*own, *other)))
                    .collect()
            }
            None => {
                let strides = self.strides.iter().map(|dim| layout.strides[*dim]);
                strides.map(rest).collect()
            }
        };
        all.push(first_remainder(b, self.value, &layout, self.bytes));
        all
    }
}

/// Emits the address of the first element of a memref, modulo min(`bytes`, [`WIDEST`]).
fn first_remainder<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    layout: &Layout<'c>,
    bytes: i64,
) -> Index<'c> {
    let element = MemRef::of(value).and_then(|memref| byte_width(memref.element));
    let width = Index::Const(element.unwrap_or(1).cast_signed());
    let pointer = b
        .create("memref.extract_aligned_pointer_as_index")
        .operands(&[value])
        .result(b.index_type())
        .value();
    let begin = b.add(Index::Val(pointer), b.mul(layout.offset, width));
    b.rem(begin, Index::Const(bytes.min(WIDEST)))
}

/// Emits the condition that vectors of `lanes` elements are aligned at each index that is a
/// multiple of `lanes` in the last dimension. The condition requires that the last dimension is
/// contiguous, and that every row begins at an aligned address.
pub(super) fn begins_aligned<'c>(b: &Builder<'c>, access: &Access<'c>, lanes: i64) -> Cond<'c> {
    let Some(memref) = &access.memref else {
        return Cond::Const(false);
    };
    let (Some(Some(1)), Some(width)) = (memref.strides.last(), byte_width(memref.element)) else {
        return Cond::Const(false);
    };
    let layout = Layout::of(b, access.value, memref);
    let Some((_, others)) = layout.strides.split_last() else {
        return Cond::Const(false);
    };
    let multiple =
        |stride: &Index<'c>| b.equal(b.rem(*stride, Index::Const(lanes)), Index::Const(0));
    let rows = others.iter().fold(Cond::Const(true), |all, stride| {
        b.and(all, multiple(stride))
    });
    match rows {
        Cond::Const(false) => rows,
        _ => {
            let first = first_remainder(b, access.value, &layout, lanes * width.cast_signed());
            b.and(rows, b.equal(first, Index::Const(0)))
        }
    }
}

/// Returns whether consecutive iterations of `node` access consecutive elements of `source`.
/// Returns false if a reduction also writes `source`; the reduction then loads scalars from
/// `source`.
fn is_vector(grid_op: &GridOp<'_>, nest: &Nest, source: &Access<'_>, node: usize) -> bool {
    let (Some(memref), Some((last, others))) = (&source.memref, source.map.results.split_last())
    else {
        return false;
    };
    let own = matches!(grid_op.work, Work::Combine(..))
        && grid_op.destinations.iter().any(|d| d.value == source.value);
    let step = |e: &Affine| nest.index_step(e, node);
    let neighbours = memref.strides.last() == Some(&Some(1))
        && step(last) == Some(1)
        && others.iter().all(|e| step(e) == Some(0));
    neighbours && !own && !is_packed(memref.element)
}

/// Returns the source array whose alignment determines the start of the first vector along
/// dimension `dim`.
pub(super) fn leader<'a, 'c>(grid_op: &'a GridOp<'c>, dim: usize) -> Option<&'a Access<'c>> {
    grid_op.sources.iter().find(|source| {
        let (Some(memref), Some((last, others))) =
            (&source.memref, source.map.results.split_last())
        else {
            return false;
        };
        memref.strides.last() == Some(&Some(1))
            && last.step(dim) == Some(1)
            && others.iter().all(|e| e.step(dim) == Some(0))
    })
}

/// Strides and offset of a memref: constants, or values read from the memref descriptor.
pub(super) struct Layout<'c> {
    pub(super) strides: Vec<Index<'c>>,
    offset: Index<'c>,
}

impl<'c> Layout<'c> {
    fn of_value(b: &Builder<'c>, value: Val<'c>) -> Option<Self> {
        MemRef::of(value).map(|memref| Self::of(b, value, &memref))
    }

    pub(super) fn of(b: &Builder<'c>, value: Val<'c>, memref: &MemRef<'c>) -> Self {
        let rank = memref.rank();
        let known = |n: &Option<i64>| n.map(Index::Const);
        let strides: Option<Vec<Index<'c>>> = memref.strides.iter().map(known).collect();
        if let (Some(strides), Some(offset)) = (strides, memref.offset) {
            return Self {
                strides,
                offset: Index::Const(offset),
            };
        }
        let space = memref
            .memory_space()
            .map_or_else(String::new, |space| format!(", {space}"));
        let index = b.index_type();
        let parts = results(
            b.create("memref.extract_strided_metadata")
                .operands(&[value])
                .result(b.float_type(&format!("memref<{}{space}>", memref.element)))
                .results(&vec![index; 1 + 2 * rank])
                .build(),
        );
        let part = |n: Option<i64>, i: usize| n.map_or(Index::Val(parts[i]), Index::Const);
        Self {
            strides: (0..rank)
                .map(|d| part(memref.strides[d], 2 + rank + d))
                .collect(),
            offset: part(memref.offset, 1),
        }
    }
}
