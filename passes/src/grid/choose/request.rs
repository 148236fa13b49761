//! Properties of an op or a group of ops that determine the mapping.

use super::super::contiguous::{AccessPattern, access_pattern, is_batch_invariant};
use super::super::grid_op::{Work, is_reduction};
use super::super::group::{Group, Role};
use super::super::phase::Phase;
use super::chooser::{Chooser, MAX_UNROLLED_OPS, VECTOR};
use crate::analysis::dataflow::Access;
use tx_mlir::{Affine, byte_width};

/// Properties of an op or a group of ops that determine the mapping.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) work: Kind,
    /// Number of elements that are combined into one result; `None` if dynamic.
    pub(super) length: Option<i64>,
    pub(super) results: Option<i64>,
    /// Whether the op or group may have several kernels for different row lengths.
    pub(super) by_length: bool,
    /// Whether contiguous elements belong to one result or to neighbouring results.
    pub(super) neighbours: Neighbours,
    /// Maximum number of elements that one load reads.
    pub(super) vector: i64,
    pub(super) bytes: i64,
    pub(super) ops: i64,
    /// Number of operands with one element for each column, such as the weights of a norm.
    pub(super) columns: i64,
    /// Number of arrays whose rows stay in registers, without the operands that the field `columns`
    /// counts.
    pub(super) arrays: i64,
    /// Whether elements of a row can stay in registers between the ops of the group.
    pub(super) can_hold: bool,
    /// Whether reduction results can stay in registers while each op of the group loads the row
    /// again.
    pub(super) can_hold_totals: bool,
    /// Whether an op of the group has one element per row, and therefore no loops over a row.
    pub(super) has_row_ops: bool,
    pub(super) stores: Stores,
    pub(super) can_share: bool,
    pub(super) is_batch_invariant: bool,
    pub(super) clusters: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ElementWise,
    /// An op that stores initial values for atomics.
    Start,
    Reduction,
    /// A group of several ops that share rows.
    Phases,
}

/// Whether contiguous elements belong to one result or to neighbouring results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// Contiguous elements belong to one result.
    Row,
    /// Contiguous elements belong to neighbouring results.
    Columns,
}

/// Kind of the row elements that a group stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stores {
    /// The group stores at most one element per row.
    Nothing,
    /// The elements of all stored rows are narrower than the elements of the rows that the group
    /// reads.
    Narrower,
    /// The group stores rows whose elements are as wide as the elements of the rows that the group
    /// reads.
    Rows,
}

impl Request {
    pub(super) fn of_op(chooser: &Chooser<'_, '_>, by_length: bool) -> Self {
        let grid_op = chooser.grid_op;
        let work = match grid_op.work {
            Work::Combine(..) => Kind::Reduction,
            Work::Start(..) => Kind::Start,
            Work::Body(_) | Work::Copy => Kind::ElementWise,
        };
        let is_column = chooser.nearest.is_some_and(|d| chooser.kept.contains(&d));
        Self {
            work,
            length: chooser.total(&grid_op.axes),
            results: chooser.total(&chooser.kept),
            by_length: by_length && work == Kind::Reduction,
            neighbours: match is_column {
                true => Neighbours::Columns,
                false => Neighbours::Row,
            },
            vector: match work {
                Kind::Reduction => chooser.vectors(chooser.inner()).width(),
                _ => 1,
            },
            bytes: chooser.width().unwrap_or(1),
            ops: grid_op.weight(),
            columns: 0,
            arrays: 1,
            can_hold: false,
            can_hold_totals: false,
            has_row_ops: false,
            stores: Stores::Rows,
            can_share: true,
            is_batch_invariant: chooser.is_batch_invariant,
            clusters: chooser.clusters,
        }
    }

    pub(super) fn of_group(group: &Group<'_>, clusters: bool) -> Self {
        let leader = group.phases.get(group.leader());
        let (bytes, ops) = bytes_and_ops(group);
        let results = leader.and_then(|first| {
            let mut lengths = first
                .shared
                .iter()
                .map(|d| first.grid_op.extents[*d].known());
            lengths.try_fold(1i64, |n, length| n.checked_mul(length?))
        });
        let is_batch_invariant = group
            .phases
            .iter()
            .any(|phase| is_batch_invariant(&phase.grid_op));
        Self {
            work: Kind::Phases,
            length: leader.and_then(Phase::row_length),
            // The schedule of a batch-invariant group must not depend on the number of results.
            results: results.filter(|_| !is_batch_invariant),
            by_length: true,
            neighbours: Neighbours::Row,
            vector: vector_of(group),
            bytes,
            ops,
            columns: columns(group),
            arrays: arrays(group),
            can_hold: group.can_be_held(),
            can_hold_totals: can_hold_totals(group),
            has_row_ops: group.phases.iter().any(|phase| phase.row.is_empty()),
            stores: stores(group),
            can_share: !group.updates_rows(),
            is_batch_invariant,
            clusters,
        }
    }
}

/// Returns the number of arrays whose rows stay in registers. Operands with one element for each
/// column are not counted.
pub(super) fn arrays(group: &Group<'_>) -> i64 {
    let held = group.arrays().into_iter();
    let held = held.filter(|known| known.role != Role::Output);
    let along = held.filter(|known| group.varies_along_rows(known.array));
    along.count() as i64 - columns(group)
}

/// Returns the number of operands that have one element for each column and are shared by all rows.
pub(super) fn columns(group: &Group<'_>) -> i64 {
    let mut found = Vec::new();
    for phase in &group.phases {
        let grid_op = &phase.grid_op;
        let varies = |index: &Affine, loops: &[usize]| loops.iter().any(|d| index.uses(*d));
        for access in grid_op.sources.iter().chain(&grid_op.extras) {
            let along = |loops: &[usize]| access.map.results.iter().any(|i| varies(i, loops));
            let is_column = access.memref.is_some() && along(&phase.row) && !along(&phase.shared);
            if is_column && !found.contains(&access.value) {
                found.push(access.value);
            }
        }
    }
    found.len() as i64
}

/// Returns whether reduction results can stay in registers while each op of the group loads the row
/// again. Returns false if the ops exchange values other than reduction results through memory.
pub(super) fn can_hold_totals(group: &Group<'_>) -> bool {
    let totals: Vec<_> = group.row_values().iter().map(|known| known.array).collect();
    group.can_be_held() && group.exchange_through_memory(&totals).is_none()
}

/// Returns the kind of the rows that the group stores.
pub(super) fn stores(group: &Group<'_>) -> Stores {
    let whole = || group.phases.iter().filter(|phase| !phase.row.is_empty());
    let written = whole().filter(|phase| !is_reduction(&phase.grid_op));
    let written = written.flat_map(|phase| &phase.grid_op.destinations);
    let widest = written.filter_map(element_bytes).max();
    match widest {
        None => Stores::Nothing,
        Some(bytes) if whole().any(|phase| row_element_bytes(phase) > bytes) => Stores::Narrower,
        Some(_) => Stores::Rows,
    }
}

/// Returns the vector width, in elements, for the rows of all ops of a group. The vector width is 1
/// for rows of dynamic length.
pub(super) fn vector_of(group: &Group<'_>) -> i64 {
    let leader = group.phases.get(group.leader());
    let length = leader.and_then(Phase::row_length);
    // If a row has several loops, the elements of a vector belong to consecutive iterations of the
    // innermost loop.
    let inner = leader.and_then(|first| first.grid_op.extents[*first.row.last()?].known());
    widest_vector(group, |n| {
        length.and(inner).is_some_and(|inner| inner % n == 0)
    })
}

/// Returns the vector width, in elements, for the rows of all ops of a group, if every vector width
/// for which `divides` returns true divides the row length.
pub(super) fn widest_vector(group: &Group<'_>, divides: impl Fn(i64) -> bool) -> i64 {
    let whole = group.phases.iter().filter(|phase| !phase.row.is_empty());
    let widths = whole.map(|phase| vector(phase, &divides));
    widths.min().unwrap_or(1)
}

/// Returns two maxima over all ops of a group: the size in bytes of the widest element along a row,
/// and the number of ops per element.
pub(super) fn bytes_and_ops(group: &Group<'_>) -> (i64, i64) {
    let whole = || group.phases.iter().filter(|phase| !phase.row.is_empty());
    let ops = whole().map(|phase| phase.grid_op.weight_along(&phase.row));
    (
        whole().map(row_element_bytes).max().unwrap_or(1),
        ops.max().unwrap_or(1),
    )
}

pub(super) fn row_element_bytes(phase: &Phase<'_>) -> i64 {
    let grid_op = &phase.grid_op;
    let reads = grid_op.sources.iter().chain(&grid_op.extras);
    let written = grid_op
        .destinations
        .iter()
        .filter(|_| !is_reduction(grid_op));
    let bytes = reads.chain(written).map(|access| {
        let varies = |index: &Affine| phase.row.iter().any(|d| index.uses(*d));
        element_bytes(access).filter(|_| access.map.results.iter().any(varies))
    });
    bytes.flatten().max().unwrap_or(1)
}

/// Returns the size in bytes of the elements of an array.
fn element_bytes(access: &Access<'_>) -> Option<i64> {
    let bytes = byte_width(access.memref.as_ref()?.element)?;
    i64::try_from(bytes).ok()
}

/// Returns the number of elements of a row that one load reads. A vector of the widest type has at
/// most [`VECTOR`] bytes, and the vector width divides the row length. Vector loads require that
/// the operands are contiguous along the row.
fn vector(phase: &Phase<'_>, divides: impl Fn(i64) -> bool) -> i64 {
    let grid_op = &phase.grid_op;
    let Some(last) = phase.row.last() else {
        return 1;
    };
    let reads = grid_op.sources.iter().chain(&grid_op.extras);
    let written = grid_op
        .destinations
        .iter()
        .filter(|_| !is_reduction(grid_op));
    let mut widest = 1;
    for access in reads.chain(written) {
        match access_pattern(access, *last) {
            AccessPattern::Invariant => {}
            AccessPattern::Contiguous(bytes) => widest = widest.max(bytes),
            AccessPattern::Strided => return 1,
        }
    }
    let mut vector = VECTOR / widest;
    while vector > 1 && !divides(vector) {
        vector /= 2;
    }
    while vector > 1 && vector * grid_op.weight() > MAX_UNROLLED_OPS {
        vector /= 2;
    }
    vector
}
