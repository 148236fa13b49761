//! Phases: the ops of a group, with their loops over rows and along a row.

use super::contiguous::innermost;
use super::grid_op::{GridOp, Work, captured, is_reduction, reads_argument};
use super::steps::Step;
use crate::analysis::dataflow::{Access, may_alias};
use tx_mlir::{Affine, AffineMap, Val};
use tx_plan::UpTo;

/// A phase: one op of a group, and the dimensions of the op over which the loops of the group
/// iterate.
#[derive(Clone)]
pub(crate) struct Phase<'c> {
    pub(crate) grid_op: GridOp<'c>,
    /// Dimensions of the op over which the loops over rows (`p0`, `p1`, …) iterate. All phases of
    /// the group share the loops over rows.
    pub(crate) shared: Vec<usize>,
    /// Dimensions of the op over which the loops over a row (`r0`, `r1`, …) iterate. An op with one
    /// element per row has no loops over a row.
    pub(crate) row: Vec<usize>,
    /// Number of loops of the group: `p` and `r` loops together.
    loops: usize,
}

impl<'c> Phase<'c> {
    /// Returns whether the op uses several elements of an operand for each row.
    pub(crate) fn varies(&self, access: &Access<'c>) -> bool {
        let uses = |d: &usize| access.map.results.iter().any(|index| index.uses(*d));
        self.row.iter().any(uses)
    }

    pub(super) fn of(grid_op: GridOp<'c>, shared: usize, row: usize) -> Result<Self, String> {
        let rank = grid_op.extents.len();
        let kept: Vec<usize> = (0..rank).filter(|d| !grid_op.axes.contains(d)).collect();
        let (found, axes) = (kept.len(), grid_op.axes.len());
        if is_reduction(&grid_op) {
            if (found, axes) != (shared, row) {
                return Err(format!(
                    "the op reduces {axes} of {rank} dimensions, but the first reduction of the \
                     group reduces {row} of {}",
                    shared + row
                ));
            }
            let axes = grid_op.axes.clone();
            return Ok(Self {
                grid_op,
                shared: kept,
                row: axes,
                loops: shared + row,
            });
        }
        if rank != shared && rank != shared + row {
            return Err(format!(
                "the op has {rank} loops, but the first reduction of the group has {}",
                shared + row
            ));
        }
        Ok(Self {
            grid_op,
            shared: kept[..shared].to_vec(),
            row: kept[shared..].to_vec(),
            loops: shared + row,
        })
    }

    /// Returns the affine map from the loop indices of the group (first the `p` loops, then the `r`
    /// loops) to the indices of an operand.
    pub(crate) fn shared_map(&self, access: &Access<'c>) -> AffineMap {
        let mut dims = vec![Affine::Const(0); access.map.dims];
        let loops = self.shared.iter().chain(&self.row);
        for (number, dim) in loops.enumerate() {
            if let Some(place) = dims.get_mut(*dim) {
                *place = Affine::Dim(number);
            }
        }
        access.map.replace(self.loops, &dims)
    }

    /// Returns each memory access of the phase, and whether the access is a write.
    pub(super) fn accesses(&self) -> impl Iterator<Item = (&Access<'c>, bool)> {
        let reads = self.grid_op.sources.iter().chain(&self.grid_op.extras);
        let reads = reads.filter(|a| a.memref.is_some()).map(|a| (a, false));
        reads.chain(self.grid_op.destinations.iter().map(|a| (a, true)))
    }

    pub(crate) fn uses(&self, array: Val<'c>) -> bool {
        self.accesses().any(|(access, _)| access.value == array)
    }

    /// Returns whether the phase reads an array, including the previous value of a destination.
    pub(crate) fn reads(&self, array: Val<'c>) -> bool {
        let grid_op = &self.grid_op;
        let reads_old = |i: usize| match &grid_op.work {
            Work::Body(block) => reads_argument(*block, grid_op.sources.len() + i),
            Work::Combine(work) => work.accumulate,
            Work::Copy | Work::Start(..) => false,
        };
        let mut written = grid_op.destinations.iter().enumerate();
        let mut reads = grid_op.sources.iter().chain(&grid_op.extras);
        reads.any(|access| access.value == array)
            || written.any(|(i, to)| to.value == array && reads_old(i))
    }

    pub(crate) fn writes(&self, array: Val<'c>) -> bool {
        self.grid_op.destinations.iter().any(|to| to.value == array)
    }

    /// Returns the operand dimensions whose index is the index of loop `dim`.
    pub(super) fn places(access: &Access<'c>, dim: usize) -> Vec<usize> {
        let places = access.map.results.iter().enumerate();
        let alone = places.filter(|(_, index)| **index == Affine::Dim(dim));
        alone.map(|(place, _)| place).collect()
    }

    /// Returns whether the loop `name` over dimension `one` of this phase and dimension `two` of
    /// the phase `other` is known to have equal lengths. If a length is dynamic, both lengths must
    /// be the size of the same operand dimension.
    ///
    /// # Errors
    /// The two static lengths differ.
    pub(super) fn has_equal_length(
        &self,
        other: &Phase<'c>,
        one: usize,
        two: usize,
        name: &str,
    ) -> Result<bool, String> {
        let (a, b) = (&self.grid_op.extents[one], &other.grid_op.extents[two]);
        match (a.known(), b.known()) {
            (Some(a), Some(b)) if a == b => Ok(true),
            (Some(a), Some(b)) => Err(format!(
                "loop `{name}` has {b} iterations, but in another op of the group {a}"
            )),
            _ => Ok(self.accesses().any(|(first, _)| {
                let places = Self::places(first, one);
                other.accesses().any(|(second, _)| {
                    first.value == second.value
                        && Self::places(second, two).iter().any(|p| places.contains(p))
                })
            })),
        }
    }

    /// Checks that two phases exchange data only within the same row.
    pub(super) fn check_exchange(&self, later: &Phase<'c>) -> Result<(), String> {
        for (one, writes) in self.accesses() {
            for (two, also_writes) in later.accesses() {
                if !(writes || also_writes) || !may_alias(one.value, two.value) {
                    continue;
                }
                let is_same_row = one.value == two.value
                    && self.shared.iter().zip(&later.shared).all(|(a, b)| {
                        let places = Self::places(one, *a);
                        !places.is_empty() && places == Self::places(two, *b)
                    });
                if !is_same_row {
                    return Err(
                        "the op and another op of the group access the same memory in different \
                         rows, and one of them writes it"
                            .to_owned(),
                    );
                }
            }
        }
        let reads_written = |one: &Phase<'c>, two: &Phase<'c>| {
            let read = captured(one.grid_op.op);
            let mut written = two.grid_op.destinations.iter();
            written.any(|to| read.iter().any(|from| may_alias(*from, to.value)))
        };
        match reads_written(self, later) || reads_written(later, self) {
            true => Err(
                "the body of the op loads from memory that another op of the group writes"
                    .to_owned(),
            ),
            false => Ok(()),
        }
    }

    /// Returns the steps of the group's schedule, with the loop names of this op.
    pub(crate) fn steps(&self, shared: &[Step]) -> Vec<Step> {
        let rename = |name: &str| {
            let (head, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
            let dims = match head.as_bytes().first() {
                Some(b'p') => &self.shared,
                Some(b'r') => &self.row,
                _ => return name.to_owned(),
            };
            let number = head[1..].parse::<usize>().ok();
            match number.and_then(|n| dims.get(n)) {
                Some(dim) => format!("d{dim}{rest}"),
                None => name.to_owned(),
            }
        };
        let reduces = is_reduction(&self.grid_op);
        // Loops over a row, and the loops into which loops over a row are fused.
        let mut of_row: Vec<String> = (0..self.loops - self.shared.len())
            .map(|number| format!("r{number}"))
            .collect();
        for step in shared {
            if let Step::Fuse(names, to) = step
                && names
                    .iter()
                    .any(|name| of_row.iter().any(|row| row == root(name)))
            {
                of_row.push(to.clone());
            }
        }
        let is_of_row = |step: &&Step| {
            let mut loops = step.loops().into_iter();
            loops.any(|name| of_row.iter().any(|row| row == root(name)))
        };
        shared
            .iter()
            .filter(|step| !self.row.is_empty() || !is_of_row(step))
            .map(|step| match step.renamed(rename) {
                // In an element-wise op, a split replaces the `align` step, and bounds checks
                // replace aligned vectors.
                Step::Align(name, factor) if !reduces => Step::Split(name, factor),
                step => step,
            })
            .collect()
    }

    /// Returns whether neighbouring elements of the main operand belong to one row.
    pub(crate) fn goes_along_rows(&self) -> bool {
        innermost(&self.grid_op).is_some_and(|d| self.row.contains(&d))
    }

    /// Converts the lengths of a row of the group to lengths of a dimension of the op. Returns
    /// `None` if the op has no loop over this dimension of the row.
    pub(crate) fn up_to(&self, row: UpTo) -> Option<UpTo> {
        let dimension = *self.row.get(row.dimension)?;
        Some(UpTo { dimension, ..row })
    }

    pub(crate) fn row_length(&self) -> Option<i64> {
        let lengths = self.row.iter().map(|d| self.grid_op.extents[*d].known());
        lengths
            .into_iter()
            .try_fold(1i64, |all, n| all.checked_mul(n?))
    }
}

/// Returns the name of the loop before all splits: `r0` for `r0.o.i`.
fn root(name: &str) -> &str {
    name.split_once('.').map_or(name, |(root, _)| root)
}
