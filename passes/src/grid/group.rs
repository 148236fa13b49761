//! Groups of ops that share a kernel (`tile.group`). Each op of a group is a phase of the shared
//! kernel.

use super::grid_op::{GridOp, Work, is_grid_op, is_reduction};
use super::nest::Nest;
use super::phase::Phase;
use super::registers::check_registers;
use super::steps::{Case, Step};
use crate::analysis::dataflow::{Access, AccessKind, Dataflow, may_alias};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::{GROUP, Residency};
use tx_mlir::{AffineMap, Failed, Op, Val, attribute, codes, error, integer_attribute};

/// Phases of one kernel, in program order. Each block runs all phases for its rows. A phase can
/// therefore use values that an earlier phase computed for the same row. A phase reads the values
/// of earlier phases from registers, or from memory after a barrier.
pub(crate) struct Group<'c> {
    pub(crate) phases: Vec<Phase<'c>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first op of the group that accesses the array reads the array.
    Input,
    /// One op of the group writes the array, and a later op of the group reads the array.
    Temporary,
    /// Ops of the group write the array, and no op of the group reads the array.
    Output,
}

impl Role {
    fn prefix(self) -> &'static str {
        match self {
            Self::Input => "in",
            Self::Temporary => "tmp",
            Self::Output => "out",
        }
    }
}

/// An array of a group, with its name in `#tile.hold`: `in0`, `tmp0`, `out0`, ….
pub(crate) struct Named<'c> {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) array: Val<'c>,
}

pub(crate) fn number(op: Op<'_>) -> Option<i64> {
    integer_attribute(op, GROUP)
}

/// Returns all ops that are in the MLIR block of `op` and have the group number of `op`, in program
/// order.
pub(crate) fn members<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    let (Some(block), Some(wanted)) = (op.block(), number(op)) else {
        return Vec::new();
    };
    let mut all = tx_mlir::ops(block);
    all.retain(|op| is_grid_op(*op) && number(*op) == Some(wanted));
    all
}

impl<'c> Group<'c> {
    /// Makes a group of the grid-level ops `grid_ops`; the ops are in program order.
    ///
    /// # Errors
    /// The error contains the op that cannot be in the group, and the reason.
    pub(crate) fn of(
        grid_ops: Vec<GridOp<'c>>,
        flow: &Dataflow<'c>,
    ) -> Result<Self, (Op<'c>, String)> {
        let first = grid_ops.iter().find(|grid_op| is_reduction(grid_op));
        let Some(first) = first else {
            let op = grid_ops[0].op;
            return Err((op, "no op of the group is a reduction".to_owned()));
        };
        let (shared, row) = (first.extents.len() - first.axes.len(), first.axes.len());
        if row == 0 {
            return Err((
                first.op,
                "the op reduces no dimension, so it has no rows".to_owned(),
            ));
        }
        let mut group = Self { phases: Vec::new() };
        for grid_op in grid_ops {
            let op = grid_op.op;
            let added = Phase::of(grid_op, shared, row).and_then(|phase| group.add(phase, flow));
            added.map_err(|reason| (op, reason))?;
        }
        Ok(group)
    }

    fn add(&mut self, phase: Phase<'c>, flow: &Dataflow<'c>) -> Result<(), String> {
        for i in 0..phase.shared.len() {
            self.check_length(&phase, &format!("p{i}"), |of| of.shared.get(i).copied())?;
        }
        for i in 0..phase.row.len() {
            self.check_length(&phase, &format!("r{i}"), |of| of.row.get(i).copied())?;
        }
        if !self.phases.is_empty() {
            for before in &self.phases {
                before.check_exchange(&phase)?;
            }
            self.check_meanwhile(&phase, flow)?;
        }
        self.phases.push(phase);
        Ok(())
    }

    /// Checks that a loop has the same length in `phase` as in the phases of the group: the static
    /// lengths are equal, and the length in `phase` is known to equal the length in one of the
    /// phases. `dim` returns the dimension of a phase over which the loop iterates.
    fn check_length(
        &self,
        phase: &Phase<'c>,
        name: &str,
        dim: impl Fn(&Phase<'c>) -> Option<usize>,
    ) -> Result<(), String> {
        let Some(own) = dim(phase) else {
            return Ok(());
        };
        let with_loop = self
            .phases
            .iter()
            .filter_map(|known| Some((known, dim(known)?)));
        let equal: Vec<bool> = with_loop
            .map(|(known, dim)| known.has_equal_length(phase, dim, own, name))
            .collect::<Result<_, _>>()?;
        match equal.is_empty() || equal.contains(&true) {
            true => Ok(()),
            false => Err(format!(
                "loop `{name}` may have a different length than in the other ops of the group: no \
                 common operand is indexed by this loop"
            )),
        }
    }

    /// Checks the other ops between the first and the last phase: these ops must not write memory
    /// that a phase reads, and must not access memory that a phase writes. The kernel of the group
    /// is launched at the position of the last phase.
    fn check_meanwhile(&self, phase: &Phase<'c>, flow: &Dataflow<'c>) -> Result<(), String> {
        let ops: Vec<Op<'c>> = self.phases.iter().map(|phase| phase.grid_op.op).collect();
        for before in &self.phases {
            let grid_op = &before.grid_op;
            let Some(between) = flow.between(grid_op.op, phase.grid_op.op) else {
                return Err(
                    "the op is in a different MLIR block than the first op of the group".to_owned(),
                );
            };
            let others = || between.iter().filter(|step| !ops.contains(&step.op));
            let is_accessed = |access: &Access<'c>, kind| {
                access.is_memory() && others().any(|step| step.accesses(kind, access.value))
            };
            let mut reads = grid_op.sources.iter().chain(&grid_op.extras);
            if reads.any(|access| is_accessed(access, AccessKind::Change))
                || grid_op
                    .destinations
                    .iter()
                    .any(|access| is_accessed(access, AccessKind::Any))
            {
                return Err("an op between the ops of the group uses their memory".to_owned());
            }
        }
        Ok(())
    }

    /// Returns the arrays of the group, in the order of their first use.
    pub(crate) fn arrays(&self) -> Vec<Named<'c>> {
        let mut all: Vec<(Role, Val<'c>)> = Vec::new();
        for phase in &self.phases {
            let grid_op = &phase.grid_op;
            let reads = grid_op.sources.iter().chain(&grid_op.extras);
            let reads = reads.map(|access| (access, Role::Input));
            let used = reads.chain(grid_op.destinations.iter().map(|a| (a, Role::Output)));
            for (access, role) in used.filter(|(access, _)| access.memref.is_some()) {
                match all.iter_mut().find(|(_, array)| *array == access.value) {
                    Some((known @ Role::Output, _)) if role == Role::Input => {
                        *known = Role::Temporary;
                    }
                    Some(_) => {}
                    None => all.push((role, access.value)),
                }
            }
        }
        let named = |i: usize| {
            let (role, array) = all[i];
            let number = all[..i].iter().filter(|(other, _)| *other == role).count();
            let name = format!("{}{number}", role.prefix());
            Named { name, role, array }
        };
        (0..all.len()).map(named).collect()
    }

    /// Returns whether the first op that uses `array` writes the array without reading it.
    pub(crate) fn writes_first(&self, array: Val<'c>) -> bool {
        let uses = |phase: &&Phase<'c>| phase.accesses().any(|(a, _)| a.value == array);
        self.phases
            .iter()
            .find(uses)
            .is_some_and(|phase| !phase.reads(array))
    }

    /// Returns whether an op uses several elements of an array for each row.
    pub(crate) fn varies_along_rows(&self, array: Val<'c>) -> bool {
        self.phases.iter().any(|phase| {
            let mut uses = phase.accesses().filter(|(a, _)| a.value == array);
            uses.any(|(access, _)| phase.varies(access))
        })
    }

    /// Returns the arrays with one element per row that an op of the group reads.
    pub(crate) fn row_values(&self) -> Vec<Named<'c>> {
        let arrays = self.arrays().into_iter();
        arrays
            .filter(|known| known.role != Role::Output && !self.varies_along_rows(known.array))
            .collect()
    }

    /// Returns whether a schedule keeps elements of rows in registers, in addition to reduction
    /// results.
    pub(crate) fn holds_rows(&self, case: &Case) -> bool {
        let arrays = self.arrays();
        case.steps.iter().any(|step| match step {
            Step::Hold(name, Residency::Registers) => {
                let array = arrays.iter().find(|known| known.name == *name);
                array.is_some_and(|known| self.varies_along_rows(known.array))
            }
            _ => false,
        })
    }

    pub(crate) fn writes(&self, array: Val<'c>) -> bool {
        self.phases.iter().any(|phase| phase.writes(array))
    }

    /// Returns the temporaries that only the group uses, each with the ops that allocate and free
    /// it.
    pub(crate) fn own(&self, flow: &Dataflow<'c>) -> Vec<(Val<'c>, Vec<Op<'c>>)> {
        let ops: Vec<Op<'c>> = self.phases.iter().map(|phase| phase.grid_op.op).collect();
        let arrays = self.arrays().into_iter().map(|named| named.array);
        arrays
            .filter_map(|array| Some((array, flow.temporary(array, &ops)?)))
            .collect()
    }

    /// Returns the arrays that stay in registers and need no memory. `own` lists the temporaries of
    /// the group. The first access to a returned array is a write, and all ops access the array
    /// with equal indices.
    pub(crate) fn internal(
        &self,
        held: &[Val<'c>],
        own: &[(Val<'c>, Vec<Op<'c>>)],
    ) -> Vec<Val<'c>> {
        let is_internal = |array: &&Val<'c>| {
            let maps: Vec<AffineMap> = self
                .phases
                .iter()
                .flat_map(|phase| {
                    let own = phase.accesses().filter(|(a, _)| a.value == **array);
                    own.map(|(access, _)| phase.shared_map(access))
                })
                .collect();
            own.iter().any(|(other, _)| other == *array)
                && maps.iter().all(|map| *map == maps[0])
                && self.writes_first(**array)
        };
        held.iter().filter(is_internal).copied().collect()
    }

    /// Returns whether phase `writer` may omit the store of an array that stays in registers. The
    /// store is unnecessary if a later phase overwrites the whole array before any phase loads the
    /// array from memory.
    pub(crate) fn is_overwritten(
        &self,
        held: &[Val<'c>],
        writer: usize,
        stored: &Access<'c>,
    ) -> bool {
        let is_stored = |access: &Access<'c>| access.value == stored.value;
        let map = self.phases[writer].shared_map(stored);
        let mut uses = self.phases.iter().flat_map(|phase| {
            let own = phase.accesses().filter(|(access, _)| is_stored(access));
            own.map(|(access, _)| phase.shared_map(access))
        });
        let rewrites = |phase: &Phase<'c>| {
            !is_reduction(&phase.grid_op) && !phase.row.is_empty() && phase.writes(stored.value)
        };
        let after = self.phases.iter().skip(writer + 1);
        let Some(last) = after.clone().position(rewrites) else {
            return false;
        };
        // Two function arguments of equal type may alias each other.
        let may_find = |phase: &Phase<'c>| {
            phase.accesses().any(|(access, _)| {
                let is_known = |known: &Phase<'c>| known.uses(access.value);
                let is_new = !self.phases[..=writer].iter().any(is_known);
                let is_like = access.value.r#type() == stored.value.r#type()
                    || may_alias(access.value, stored.value);
                !is_stored(access) && is_like && (is_new || !held.contains(&access.value))
            })
        };
        held.contains(&stored.value)
            && uses.all(|other| other == map)
            && !after.take(last + 1).any(may_find)
    }

    /// Returns the attribute `schedule` of the first op, if present. If no case of the schedule
    /// covers a length, the pass compiles each op of the group to a separate kernel for this
    /// length.
    ///
    /// # Errors
    /// Reports an error in the schedule attribute.
    pub(crate) fn written_schedule(&self) -> Result<Option<Vec<Case>>, Failed> {
        for phase in &self.phases[1..] {
            let op = phase.grid_op.op;
            if attribute(op, "schedule").is_some() {
                return Err(error(
                    op.location(),
                    "only the first op of a group may have a `schedule`",
                )
                .code(codes::TX0326)
                .note_at(
                    self.phases[0].grid_op.op.location(),
                    "this is the first op of the group",
                )
                .emit());
            }
        }
        let rows = self
            .phases
            .get(self.leader())
            .map_or(0, |phase| phase.row.len());
        self.phases[0].grid_op.written_cases('r', rows)
    }

    /// Returns the number of the first phase with loops over a row, or 0 if no phase has such
    /// loops.
    pub(crate) fn leader(&self) -> usize {
        let is_whole = |phase: &Phase<'_>| !phase.row.is_empty();
        self.phases.iter().position(is_whole).unwrap_or(0)
    }

    /// Returns an op that exchanges an array with another op of the group through memory. The ops
    /// exchange the arrays in `held` through registers instead of memory.
    pub(crate) fn exchange_through_memory(&self, held: &[Val<'c>]) -> Option<Op<'c>> {
        let writes = |array| {
            let mut phases = self.phases.iter();
            phases.find(|phase| {
                phase
                    .accesses()
                    .any(|(a, writes)| writes && a.value == array)
            })
        };
        let finds = |phase: &&Phase<'c>| {
            phase.accesses().any(|(access, _)| {
                writes(access.value).is_some_and(|writer| {
                    let mut written = writer.accesses().filter(|(_, writes)| *writes);
                    let own = written.find(|(a, _)| a.value == access.value);
                    let is_same =
                        own.is_some_and(|(a, _)| writer.shared_map(a) == phase.shared_map(access));
                    !(is_same && held.contains(&access.value))
                        && writer.grid_op.op != phase.grid_op.op
                })
            })
        };
        self.phases.iter().find(finds).map(|phase| phase.grid_op.op)
    }

    /// Returns true if an op of the group that has one element per row updates a previous value in
    /// memory. Several blocks of a cluster must not execute an op that updates memory, because each
    /// block would repeat the update.
    pub(crate) fn updates_rows(&self) -> bool {
        self.phases.iter().any(|phase| {
            let mut written = phase.grid_op.destinations.iter();
            phase.row.is_empty() && written.any(|to| !self.writes_first(to.value))
        })
    }

    /// Returns whether values can stay in registers between phases. A reduction result that is
    /// combined with a previous value in memory cannot stay in a register.
    pub(crate) fn can_be_held(&self) -> bool {
        self.phases.iter().all(|phase| match &phase.grid_op.work {
            Work::Combine(work) => !work.accumulate,
            Work::Body(_) | Work::Copy => true,
            Work::Start(..) => false,
        })
    }

    /// Returns the arrays that the schedule keeps in registers.
    ///
    /// # Errors
    /// Reports the array that cannot stay in registers, and the reason.
    pub(crate) fn held(&self, nests: &[Nest]) -> Result<Vec<Val<'c>>, Failed> {
        let (Some(first), Some(nest)) = (self.phases.first(), nests.get(self.leader())) else {
            return Ok(Vec::new());
        };
        let refuse = |message: String, note: String| {
            let report = error(first.grid_op.op.location(), message).code(codes::TX0327);
            report.note(note).emit()
        };
        let arrays = self.arrays();
        let mut held = Vec::new();
        for (name, residency) in &nest.holds {
            let Some(Named { array, .. }) = arrays.iter().find(|known| known.name == *name) else {
                let known: Vec<&str> = arrays.iter().map(|known| known.name.as_str()).collect();
                return Err(refuse(
                    format!(
                        "`#tile.hold` keeps `{name}` in {residency}, but no op of the group uses \
                         an array of this name"
                    ),
                    format!("known: {}", known.join(", ")),
                ));
            };
            match residency {
                Residency::Registers => held.push(*array),
                Residency::Reload => {}
                Residency::Shared | Residency::Cluster => {
                    return Err(refuse(
                        format!("`#tile.hold` cannot keep `{name}` in {residency}"),
                        "expected `registers` or `reload`".to_owned(),
                    ));
                }
            }
        }
        if held.is_empty() {
            return match self.phases.iter().find(|phase| phase.row.is_empty()) {
                None => Ok(held),
                Some(phase) => Err(Self::refuse(
                    phase.grid_op.op,
                    "the op has one element per row, but the schedule keeps no array in registers",
                )),
            };
        }
        if !self.can_be_held() {
            return Err(refuse(
                "`#tile.hold` keeps values in registers, but an op of the group accumulates into \
                 old values"
                    .to_owned(),
                "use `reload` instead of `registers` in `#tile.hold`".to_owned(),
            ));
        }
        let keeps = |array: &Val<'c>| self.varies_along_rows(*array);
        let reloads = !held.iter().any(keeps);
        for (phase, nest) in self.phases.iter().zip(nests) {
            if let Err(reason) = check_registers(nest, reloads) {
                return Err(error(phase.grid_op.op.location(), reason)
                    .code(codes::TX0327)
                    .note(
                        "unroll the loop, bind more threads to the row, or use `reload` in \
                         `#tile.hold`",
                    )
                    .emit());
            }
        }
        Ok(held)
    }

    pub(crate) fn refuse(op: Op<'c>, reason: &str) -> Failed {
        error(
            op.location(),
            format!("this op cannot share a kernel with the other ops of its group: {reason}"),
        )
        .code(codes::TX0326)
        .note(format!("use another number, or remove `{GROUP}`"))
        .emit()
    }
}
