//! Plans: the legal schedule of each grid-level op and each group of a module.

use super::choose::{choose, choose_phases};
use super::extent::Extent;
use super::grid_op::{GridOp, Work, is_grid_op};
use super::group::{Group, members, number};
use super::last_block;
use super::lengths::CoveredLengths;
use super::nest::{Illegal, LoopKind, Nest};
use super::staged::footprints;
use super::steps::{Case, Processor, Step, cases_to_attribute};
use crate::analysis::dataflow::{Dataflow, op_key};
use crate::analysis::laws::check_laws;
use crate::analysis::unused::warn_of_unused;
use crate::linalg::read::{NO_HOST_LOOPS, ONE_BLOCK};
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tx_mlir::{
    Failed, Op, Val, codes, context, enclosing, error, is, parent, set_attribute, walk, warning,
};
use tx_plan::UpTo;
use tx_target::Chip;

/// A grid-level op with a legal schedule for each range of lengths.
pub(crate) struct Planned<'c> {
    pub(crate) grid_op: GridOp<'c>,
    pub(crate) cases: Vec<(Case, Nest)>,
    /// Name of the chosen mapping; `None` if the program contains a schedule attribute.
    pub(crate) mapping: Option<&'static str>,
}

/// One kernel of a group, for a range of row lengths. Each op of the group has a legal loop nest.
pub(crate) struct GroupCase<'c> {
    /// Row lengths that the kernel processes; the field `dimension` is the number k of the loop `rk`
    /// over a row. `None` if the kernel processes rows of all lengths.
    pub(crate) up_to: Option<UpTo>,
    pub(crate) steps: Vec<Step>,
    pub(crate) nests: Vec<Nest>,
    pub(crate) held: Vec<Val<'c>>,
    /// Arrays that only the group uses, and that stay in registers.
    pub(crate) internal: Vec<Val<'c>>,
}

pub(crate) struct PlannedGroup<'c> {
    pub(crate) group: Group<'c>,
    pub(crate) cases: Vec<GroupCase<'c>>,
    /// One plan for each op of the group, for rows that are longer than the limits of all schedule
    /// cases.
    pub(crate) rest: Vec<Planned<'c>>,
    /// Temporaries that only the group uses, with the ops that allocate and free them.
    pub(crate) own: Vec<(Val<'c>, Vec<Op<'c>>)>,
    pub(crate) mapping: Option<&'static str>,
}

impl<'c> PlannedGroup<'c> {
    pub(crate) fn ops(&self) -> Vec<Op<'c>> {
        self.group
            .phases
            .iter()
            .map(|phase| phase.grid_op.op)
            .collect()
    }

    /// Returns the kernels of a candidate schedule from
    /// [`phase_candidates`](super::choose::phase_candidates).
    pub(crate) fn with(&self, schedule: Vec<Case>) -> Option<Vec<GroupCase<'c>>> {
        group_cases(&self.group, schedule, &self.own).ok()
    }
}

impl GroupCase<'_> {
    pub(crate) fn case(&self) -> Case {
        Case {
            up_to: self.up_to,
            steps: self.steps.clone(),
        }
    }
}

pub(crate) enum Unit<'c> {
    Op(Box<Planned<'c>>),
    Group(PlannedGroup<'c>),
}

impl<'c> Unit<'c> {
    pub(crate) fn first(&self) -> Op<'c> {
        match self {
            Self::Op(planned) => planned.grid_op.op,
            Self::Group(group) => group.group.phases[0].grid_op.op,
        }
    }
}

impl Unit<'_> {
    pub(crate) fn is_chosen(&self) -> bool {
        match self {
            Self::Op(planned) => planned.mapping.is_some(),
            Self::Group(group) => group.mapping.is_some(),
        }
    }
}

impl Unit<'_> {
    pub(crate) fn write_schedule(&self) {
        let (op, schedule, loops) = match self {
            Self::Op(planned) => (planned.grid_op.op, planned.schedule(), 'd'),
            Self::Group(group) => {
                let cases = group.cases.iter().map(GroupCase::case).collect();
                (group.group.phases[0].grid_op.op, cases, 'r')
            }
        };
        let schedule = cases_to_attribute(context(op), &schedule, loops);
        set_attribute(op, "schedule", schedule);
    }
}

impl Planned<'_> {
    /// Returns whether the op needs several kernels: its schedule has several cases, or partial
    /// results are in global memory.
    pub(crate) fn has_parts(&self) -> bool {
        self.cases.len() > 1
            || self
                .cases
                .iter()
                .any(|(_, nest)| !nest.global_rfactors().is_empty())
    }

    pub(crate) fn schedule(&self) -> Vec<Case> {
        self.cases.iter().map(|(case, _)| case.clone()).collect()
    }
}

/// Returns the plans of all grid-level ops of a module. The plan of a group is at the position of
/// the last op of the group in program order.
///
/// # Errors
/// Reports the errors of all ops, so that one run shows every error.
pub(crate) fn plan_module<'c>(module: Op<'c>, chip: &Chip) -> Result<Vec<Unit<'c>>, Failed> {
    let (mut planned, mut failed) = (Vec::new(), None);
    let mut flows: BTreeMap<usize, Dataflow<'c>> = BTreeMap::new();
    for op in walk(module).into_iter().filter(|op| is_grid_op(*op)) {
        match plan_op(op, chip, &mut flows) {
            Ok(unit) => planned.extend(unit),
            Err(e) => failed = Some(e),
        }
    }
    failed.map_or(Ok(planned), Err)
}

/// Returns the plan of `op`, or of the group whose last op is `op`. Returns `None` if the op is in
/// a kernel, or if the op is in a group and is not the last op of the group.
fn plan_op<'c>(
    op: Op<'c>,
    chip: &Chip,
    flows: &mut BTreeMap<usize, Dataflow<'c>>,
) -> Result<Option<Unit<'c>>, Failed> {
    let Some(host) = host_of(op)? else {
        return Ok(None);
    };
    let flow = flows
        .entry(op_key(host))
        .or_insert_with(|| Dataflow::of(host));
    match number(op) {
        None => plan(op, chip, flow).map(|planned| Some(Unit::Op(Box::new(planned)))),
        Some(_) if members(op).last() == Some(&op) => plan_group(op, chip, flow).map(Some),
        Some(_) => Ok(None),
    }
}

/// Returns the host function whose body contains `op`, or `None` for an op in a kernel.
fn host_of<'c>(op: Op<'c>) -> Result<Option<Op<'c>>, Failed> {
    let around = parent(op);
    if let Some(host) = around.filter(|o| is(*o, "func.func")) {
        return match tx_mlir::blocks(host).len() {
            1 => Ok(Some(host)),
            _ => Err(error(op.location(), ONE_BLOCK)
                .code(codes::TX0318)
                .note_at(host.location(), "this function has several blocks")
                .emit()),
        };
    }
    if !tx_mlir::name(op).starts_with("tile.") && enclosing(op, "gpu.func").is_some() {
        return Ok(None);
    }
    let report = error(
        op.location(),
        "a grid-level op must be directly in the body of a host function",
    )
    .code(codes::TX0318);
    let report = match around {
        Some(around) => report.note_at(
            around.location(),
            format!("the op is in this `{}`", tx_mlir::name(around)),
        ),
        None => report,
    };
    Err(match enclosing(op, "func.func") {
        Some(_) => report.note(NO_HOST_LOOPS).emit(),
        None => report.emit(),
    })
}

fn plan<'c>(op: Op<'c>, chip: &Chip, flow: &Dataflow<'c>) -> Result<Planned<'c>, Failed> {
    let grid_op = GridOp::of(op)?.on(chip);
    check_program(&grid_op, flow)?;
    let (schedules, mapping) = match grid_op.written_schedule()? {
        Some(cases) => (cases, None),
        None => choose(&grid_op, chip.clusters).named(),
    };
    check_clusters(op, &schedules, chip)?;
    Planned::of(grid_op, schedules, mapping, CoveredLengths::new())
}

fn plan_group<'c>(last: Op<'c>, chip: &Chip, flow: &Dataflow<'c>) -> Result<Unit<'c>, Failed> {
    let mut grid_ops = Vec::new();
    for op in members(last) {
        let grid_op = GridOp::of(op)?.on(chip);
        check_program(&grid_op, flow)?;
        grid_ops.push(grid_op);
    }
    let group = Group::of(grid_ops, flow).map_err(|(op, reason)| Group::refuse(op, &reason))?;
    let (schedules, mapping) = match group.written_schedule()? {
        Some(cases) => (cases, None),
        None => choose_phases(&group, chip.clusters).named(),
    };
    check_clusters(group.phases[0].grid_op.op, &schedules, chip)?;
    let covered: CoveredLengths = schedules.iter().filter_map(Case::all_up_to).collect();
    let written = schedules.last().and_then(|case| case.up_to);
    let schedules = cases_of_length(&group, schedules);
    let last = schedules.last().map_or(written, |case| case.up_to);
    let own = group.own(flow);
    let cases = group_cases(&group, schedules, &own)?;
    let mut rest = Vec::new();
    if let Some(UpTo { dimension: row, .. }) = last {
        let most = covered.get(&row).copied();
        for phase in &group.phases {
            let (schedules, mapping) = choose(&phase.grid_op, chip.clusters).named();
            // The plan of each op is only for rows longer than the limits, because a shared kernel
            // of the group processes shorter rows.
            let is_for_longer = |case: &Case| {
                let dim = phase.row.get(row);
                case.up_to
                    .is_none_or(|n| dim != Some(&n.dimension) || most < Some(n.length))
            };
            let schedules = schedules.into_iter().filter(is_for_longer).collect();
            let taken = phase.row.get(row).and_then(|dim| Some((*dim, most?)));
            let above = CoveredLengths::from_iter(taken);
            rest.push(Planned::of(
                phase.grid_op.clone(),
                schedules,
                mapping,
                above,
            )?);
        }
    }
    Ok(Unit::Group(PlannedGroup {
        group,
        cases,
        rest,
        own,
        mapping,
    }))
}

/// Checks that a schedule binds loops to the blocks of clusters only if the chip has clusters.
fn check_clusters(op: Op<'_>, schedule: &[Case], chip: &Chip) -> Result<(), Failed> {
    let is_cluster = |step: &Step| matches!(step, Step::Bind(_, Processor::Cluster(_)));
    match chip.clusters || !schedule.iter().flat_map(|case| &case.steps).any(is_cluster) {
        true => Ok(()),
        false => Err(error(
            op.location(),
            format!("{chip} has no clusters, expected sm_90 or later"),
        )
        .code(codes::TX0120)
        .emit()),
    }
}

/// Returns the cases of a schedule that can cover the rows of a group. A row of static length needs
/// only the first case that covers the length. If no case covers it, the function emits a warning.
fn cases_of_length(group: &Group<'_>, schedule: Vec<Case>) -> Vec<Case> {
    let leader = &group.phases[group.leader()];
    let mut cases = Vec::new();
    let mut uncovered = None;
    for case in schedule {
        let length = case.up_to.and_then(|up_to| {
            let dimension = leader.up_to(up_to)?.dimension;
            Some((leader.grid_op.extents.get(dimension)?.known()?, up_to))
        });
        match length {
            None => cases.push(case),
            Some((length, up_to)) if up_to.contains(length) => {
                let up_to = None;
                cases.push(Case { up_to, ..case });
                return cases;
            }
            Some((length, _)) => uncovered = Some(length),
        }
    }
    if let (Some(length), []) = (uncovered, &*cases) {
        warning(
            group.phases[0].grid_op.op.location(),
            format!("no case of the schedule covers rows of {length} elements"),
        )
        .note(format!(
            "each op of the group has a separate kernel; add a `#tile.case` up to {length}, or \
             `#tile.otherwise`"
        ))
        .emit();
    }
    cases
}

/// Makes one kernel of the group for each case of a schedule.
///
/// # Errors
/// If the ops cannot share a kernel, the function reports the reason.
fn group_cases<'c>(
    group: &Group<'c>,
    schedule: Vec<Case>,
    own: &[(Val<'c>, Vec<Op<'c>>)],
) -> Result<Vec<GroupCase<'c>>, Failed> {
    let (mut above, mut cases) = (CoveredLengths::new(), Vec::new());
    for case in schedule {
        let all_up_to = case.all_up_to();
        cases.push(group_case(group, case, &above, own)?);
        above.extend(all_up_to);
    }
    Ok(cases)
}

/// Makes the kernel of a group for one case of its schedule. `above` contains the row lengths that
/// earlier cases of the schedule cover; the kernel processes only longer rows.
///
/// # Errors
/// If the ops cannot share a kernel, the function reports the reason.
fn group_case<'c>(
    group: &Group<'c>,
    case: Case,
    above: &CoveredLengths,
    own: &[(Val<'c>, Vec<Op<'c>>)],
) -> Result<GroupCase<'c>, Failed> {
    let Case { up_to, steps } = case;
    let mut nests: Vec<Nest> = Vec::new();
    for phase in &group.phases {
        let op = phase.grid_op.op;
        let alone = Case {
            up_to: up_to.and_then(|up_to| phase.up_to(up_to)),
            steps: phase.steps(&steps),
        };
        let rows = phase.row.iter().enumerate();
        let above = rows.filter_map(|(row, dim)| Some((*dim, *above.get(&row)?)));
        let nest = legal(&phase.grid_op, &alone, &above.collect());
        let nest = nest.map_err(|illegal| refuse(op, illegal))?;
        if !nest.global_rfactors().is_empty() || nest.last_block || starts_first(&nest) {
            return Err(Group::refuse(
                op,
                "several blocks would combine into its results",
            ));
        }
        if let Some(first) = nests.get(group.leader())
            && !phase.row.is_empty()
            && first.block() != nest.block()
        {
            let ([a, b, c], [x, y, z]) = (nest.block(), first.block());
            let reason = format!(
                "its blocks have {a}x{b}x{c} threads, but the blocks of the first op of the group \
                 have {x}x{y}x{z}"
            );
            return Err(Group::refuse(op, &reason));
        }
        if let Some(dim) = phase.row.iter().find(|dim| nest.is_on_grid(**dim)) {
            return Err(Group::refuse(
                op,
                &format!("dimension `d{dim}` of a row is split across blocks"),
            ));
        }
        nests.push(nest);
    }
    let held = group.held(&nests)?;
    let is_shared = nests.get(group.leader()).is_some_and(Nest::has_clusters);
    if is_shared && let Some(op) = group.exchange_through_memory(&held) {
        let reason = "a row is split across the blocks of a cluster, and the op reads memory that \
                      another op of the group writes";
        return Err(Group::refuse(op, reason));
    }
    if is_shared && group.updates_rows() {
        let reason = "a row is split across the blocks of a cluster, and each block would update \
                      the same element of the row";
        return Err(Group::refuse(group.phases[0].grid_op.op, reason));
    }
    let internal = group.internal(&held, own);
    Ok(GroupCase {
        up_to,
        steps,
        nests,
        held,
        internal,
    })
}

/// Checks the rules that do not depend on the schedule of an op.
fn check_program<'c>(grid_op: &GridOp<'c>, flow: &Dataflow<'c>) -> Result<(), Failed> {
    if matches!(&grid_op.work, Work::Combine(work) if work.accumulate) {
        let destinations: Vec<Val<'c>> = grid_op.destinations.iter().map(|a| a.value).collect();
        flow.check_written(grid_op.op, &destinations)?;
    }
    check_laws(grid_op.op)?;
    warn_of_unused(grid_op.op);
    Ok(())
}

impl<'c> Planned<'c> {
    /// Plans a grid-level op with the given schedules. The schedules apply to lengths greater than
    /// `above`; kernels outside this plan process smaller lengths.
    ///
    /// # Errors
    /// For each illegal schedule, the function reports the reason.
    pub(crate) fn of(
        grid_op: GridOp<'c>,
        schedules: Vec<Case>,
        mapping: Option<&'static str>,
        mut above: CoveredLengths,
    ) -> Result<Self, Failed> {
        let is_alone = schedules.len() == 1;
        let (mut cases, mut wrong) = (Vec::new(), Vec::new());
        for case in schedules {
            let nest = legal(&grid_op, &case, &above);
            let nest = nest.and_then(|nest| match is_alone || !starts_first(&nest) {
                true => Ok(nest),
                false => Err(Illegal::new(
                    codes::TX0304,
                    "a case of the schedule combines the results of several blocks with atomics, \
                     expected separate partial results",
                )
                .note("store the partial results with `#tile.rfactor`")),
            });
            above.extend(case.all_up_to());
            match nest {
                Ok(nest) => cases.push((case, nest)),
                Err(illegal) => wrong.push(illegal),
            }
        }
        refuse_all(grid_op.op, wrong)?;
        Ok(Self {
            grid_op,
            cases,
            mapping,
        })
    }
}

pub(crate) fn refuse(op: Op<'_>, illegal: Illegal) -> Failed {
    let report = error(op.location(), illegal.reason).code(illegal.code);
    match illegal.note {
        Some(note) => report.note(note).emit(),
        None => report.emit(),
    }
}

/// Reports all errors in the schedules of an op, each error once.
fn refuse_all(op: Op<'_>, wrong: Vec<Illegal>) -> Result<(), Failed> {
    let (mut told, mut result) = (Vec::new(), Ok(()));
    let all = wrong.into_iter().flat_map(|mut first| {
        let others = std::mem::take(&mut first.others);
        std::iter::once(first).chain(others)
    });
    for illegal in all {
        if !told.contains(&illegal.reason) {
            told.push(illegal.reason.clone());
            result = Err(refuse(op, illegal));
        }
    }
    result
}

/// Returns the loop nest of a grid-level op for one case of a schedule.
///
/// # Errors
/// If the schedule is illegal, the function reports the reason.
pub(crate) fn nest_of(grid_op: &GridOp<'_>, case: &Case) -> Result<Nest, Failed> {
    legal(grid_op, case, &CoveredLengths::new()).map_err(|illegal| refuse(grid_op.op, illegal))
}

/// Returns whether one kernel suffices, without a second kernel for partial results or initial
/// values.
pub(crate) fn is_one_kernel(nest: &Nest) -> bool {
    (nest.last_block || nest.global_rfactors().is_empty()) && !starts_first(nest)
}

/// Returns whether a separate kernel must write initial values for atomics before the kernel of the
/// op.
pub(crate) fn starts_first(nest: &Nest) -> bool {
    nest.global_rfactors().is_empty() && nest.order.iter().any(|n| is_combined_by_blocks(nest, *n))
}

fn is_combined_by_blocks(nest: &Nest, node: usize) -> bool {
    let node = &nest.nodes[node];
    node.combines() && matches!(node.kind, LoopKind::Bound(Processor::Block(_)))
}

/// Returns the loop nest of a grid-level op for one case of a schedule, or the reason why the
/// schedule is illegal.
pub(crate) fn legal(
    grid_op: &GridOp<'_>,
    case: &Case,
    above: &CoveredLengths,
) -> Result<Nest, Illegal> {
    let mut extents = grid_op.extents.clone();
    for (dim, extent) in extents.iter_mut().enumerate() {
        let up_to = case.up_to.filter(|up_to| up_to.dimension == dim);
        if *extent == Extent::Dim(dim) && (up_to.is_some() || above.contains_key(&dim)) {
            *extent = Extent::Between {
                dim,
                above: above.get(&dim).copied().unwrap_or(0),
                most: up_to.map(|up_to| up_to.length),
                multiple_of: up_to.map_or(1, |up_to| up_to.multiple_of),
            };
        }
    }
    let mut nest = Nest::new(&extents, &grid_op.axes).apply(&case.steps)?;
    nest.has_whole_grid = nest.has_clusters() && case.is_for_multiples();
    nest.mark_rfactors(&grid_op.partials);
    // The kernel that computes separate partial results (`rfactor`) does not combine these partial
    // results.
    let mut checked = nest.clone();
    let apart: Vec<String> = nest
        .global_rfactors()
        .iter()
        .map(|n| nest.nodes[*n].name.clone())
        .collect();
    checked.mark_rfactors(&apart);
    checked.check(grid_op.atomics().err().as_deref())?;
    if number(grid_op.op).is_none() {
        footprints(grid_op, &nest)?;
    }
    if nest.last_block {
        last_block::check(grid_op, &nest, &case.steps)?;
    }
    Ok(nest)
}
