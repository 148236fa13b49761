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

/// The operands with vector accesses, and the condition that all vectors are aligned.
pub(super) struct Alignment<'c> {
    pub(super) sources: Vec<bool>,
    /// Whether the kernel writes each destination by vector stores; always false in a reduction
    /// kernel, which stores scalars.
    pub(super) destinations: Vec<bool>,
    /// Condition that all vectors are aligned; false if the kernel has no vector access.
    pub(super) holds: Cond<'c>,
}

impl<'c> Alignment<'c> {
    /// Emits alignment checks at the start of a kernel, before any load.
    pub(super) fn of(b: &Builder<'c>, grid_op: &GridOp<'c>, nest: &Nest) -> Self {
        let vector = nest.serial().into_iter().find(|n| {
            let Node { kind, extent, .. } = &nest.nodes[*n];
            *kind == LoopKind::Vectorized && extent.known().is_some_and(|n| n > 1)
        });
        let mut holds = Cond::Const(true);
        let mut are_vectors = |accesses: &[Access<'c>]| -> Vec<bool> {
            let is_vector = |access: &Access<'c>| {
                let all = vector.and_then(|node| aligned_where(b, grid_op, nest, access, node));
                for condition in all.iter().flatten() {
                    holds = b.and(holds, *condition);
                }
                all.is_some()
            };
            accesses.iter().map(is_vector).collect()
        };
        let sources = are_vectors(&grid_op.sources);
        let destinations = match grid_op.work {
            Work::Combine(..) => vec![false; grid_op.destinations.len()],
            _ => are_vectors(&grid_op.destinations),
        };
        if !sources.contains(&true) && !destinations.contains(&true) {
            holds = Cond::Const(false);
        }
        Self {
            sources,
            destinations,
            holds,
        }
    }
}

/// Returns the conditions under which all vector accesses of loop `node` to `source` are aligned to
/// the vector size.
fn aligned_where<'c>(
    b: &Builder<'c>,
    grid_op: &GridOp<'c>,
    nest: &Nest,
    source: &Access<'c>,
    node: usize,
) -> Option<Vec<Cond<'c>>> {
    let memref = source.memref.as_ref()?;
    let lanes = nest.nodes[node].extent.known()?;
    if !is_vector(grid_op, nest, source, node) || lanes.count_ones() != 1 {
        return None;
    }
    let last = source.map.results.last()?;
    let leader = nest.aligned().and_then(|(dim, _)| leader(grid_op, dim));
    let multiple = |index: Index<'c>| b.equal(b.rem(index, Index::Const(lanes)), Index::Const(0));
    let layout = Layout::of(b, source.value, memref);
    let mut conditions = Vec::new();
    match leader {
        // Vectors begin at the aligned addresses of the leading source, so the rows of `source` and
        // of the leading source need equal element offsets modulo the vector width.
        Some(leader) if nest.is_of_vectors(node) => {
            if leader.map.results != source.map.results {
                return None;
            }
            if leader.value != source.value {
                let model = Layout::of(b, leader.value, leader.memref.as_ref()?);
                for (own, other) in layout.strides.iter().zip(&model.strides) {
                    conditions.push(multiple(b.sub(*own, *other)));
                }
            }
        }
        _ => {
            if !nest.begins_at_multiples(last, node, lanes) {
                return None;
            }
            for (result, stride) in source.map.results.iter().zip(&layout.strides) {
                if *result != Affine::Const(0) && !std::ptr::eq(result, last) {
                    conditions.push(multiple(*stride));
                }
            }
        }
    }
    if conditions.iter().any(|c| matches!(c, Cond::Const(false))) {
        return None;
    }
    let width = i64::try_from(byte_width(memref.element)?).ok()?;
    conditions.push(first_is_aligned(b, source.value, &layout, lanes * width));
    Some(conditions)
}

/// Emits the condition that the first element of a memref is aligned to min(`bytes`, [`WIDEST`])
/// bytes.
fn first_is_aligned<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    layout: &Layout<'c>,
    bytes: i64,
) -> Cond<'c> {
    let element = MemRef::of(value).and_then(|memref| byte_width(memref.element));
    let width = Index::Const(element.unwrap_or(1).cast_signed());
    let pointer = b
        .create("memref.extract_aligned_pointer_as_index")
        .operands(&[value])
        .result(b.index_type())
        .value();
    let begin = b.add(Index::Val(pointer), b.mul(layout.offset, width));
    b.equal(
        b.rem(begin, Index::Const(bytes.min(WIDEST))),
        Index::Const(0),
    )
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
        _ => b.and(
            rows,
            first_is_aligned(b, access.value, &layout, lanes * width.cast_signed()),
        ),
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
