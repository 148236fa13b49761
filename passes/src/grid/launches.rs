//! The kernels of one op, in the order in which they are launched.

use super::choose::choose_one;
use super::grid_op::GridOp;
use super::last_block;
use super::launch::{Launch, SecondPhase};
use super::lengths::{CoveredLengths, Lengths};
use super::nest::{MAX_BLOCKS, Nest};
use super::partials::{Phases, allocate};
use super::plan::{GroupCase, Planned, PlannedGroup, nest_of, refuse, starts_first};
use super::steps::{Case, Processor};
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::CLEARED;
use tx_mlir::build::Predicate;
use tx_mlir::{Builder, Failed, Index, Op, Val, defining_op, set_attribute};
use tx_plan::UpTo;

/// Nested `scf.if` ops that select kernels by the dimension lengths of a launch; each case of a
/// schedule has its own branch.
pub(crate) struct Branches<'c> {
    /// Op before which the pass inserts the launches for lengths that no earlier schedule case
    /// covers.
    pub(crate) at: Op<'c>,
    /// Dimension lengths that no earlier case of the schedule covers.
    pub(crate) left: Vec<Lengths>,
    values: Vec<(String, Val<'c>)>,
}

impl<'c> Branches<'c> {
    pub(crate) fn new(at: Op<'c>) -> Self {
        Self {
            at,
            left: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds a schedule case for the lengths `up_to` of a dimension of `grid_op`; `name` is the loop
    /// name of the dimension. Returns the op before which the launches of the schedule case are
    /// inserted, and the lengths that the case covers.
    fn up_to(
        &mut self,
        grid_op: &GridOp<'c>,
        name: &str,
        up_to: UpTo,
        nest: &Nest,
    ) -> (Op<'c>, Vec<Lengths>) {
        let b = Builder::before(self.at);
        let known = self.values.iter().find(|(known, _)| known == name);
        let length = match known {
            Some((_, length)) => *length,
            None => {
                let length = b.value(grid_op.length(&b, up_to.dimension));
                self.values.push((name.to_owned(), length));
                length
            }
        };
        let only = Lengths::take(&mut self.left, name, up_to);
        let limit = b.value(Index::Const(up_to.length));
        // The condition is a single comparison for each case: the `else` branch of a conjunction
        // would double the number of launch conditions at each case of the schedule.
        let condition = match up_to.multiple_of {
            1 => b.compare(Predicate::Sle, length, limit),
            divisor => {
                let excess = b.binary("arith.subi", length, limit);
                let divisor = b.value(Index::Const(divisor));
                let rest = b.binary("arith.remui", length, divisor);
                let excess = b.binary("arith.maxsi", excess, rest);
                let more = more_than_grid(&b, grid_op, nest).into_iter();
                let excess = more.fold(excess, |most, n| b.binary("arith.maxsi", most, n));
                b.compare(Predicate::Sle, excess, b.value(Index::Const(0)))
            }
        };
        let [then, other] = b.branches(condition).map(|branch| branch.next_op());
        self.at = other.unwrap_or(self.at);
        (then.unwrap_or(self.at), only)
    }

    /// Returns the op before which the launches of a schedule case are inserted, and the lengths
    /// that the case covers.
    pub(crate) fn of_case(
        &mut self,
        planned: &PlannedGroup<'c>,
        case: &GroupCase<'c>,
    ) -> (Op<'c>, Vec<Lengths>) {
        let leader = &planned.group.phases[planned.group.leader()];
        let of_leader = case.up_to.and_then(|up_to| leader.up_to(up_to));
        match case.up_to.zip(of_leader) {
            Some((row, up_to)) => {
                let name = format!("r{}", row.dimension);
                let nest = &case.nests[planned.group.leader()];
                self.up_to(&leader.grid_op, &name, up_to, nest)
            }
            None => (self.at, self.left.clone()),
        }
    }
}

/// Emits, for each dimension of the grid, the number of clusters that a kernel for whole grids lacks:
/// a number that is at most 0 if the grid has a cluster for each iteration.
fn more_than_grid<'c>(b: &Builder<'c>, grid_op: &GridOp<'c>, nest: &Nest) -> Vec<Val<'c>> {
    let dimensions = (0..MAX_BLOCKS.len()).filter(|_| nest.has_whole_grid);
    let of = |dimension| {
        let node = nest.on(Processor::Block(dimension))?;
        let clusters = nest.nodes[node]
            .extent
            .value(b, &|b, d| grid_op.length(b, d));
        match b.sub(clusters, Index::Const(nest.most_blocks(dimension))) {
            Index::Const(n) if n <= 0 => None,
            more => Some(b.value(more)),
        }
    };
    dimensions.filter_map(of).collect()
}

/// Returns the kernels of an op, with launches before `at`. If the schedule has several cases, the
/// launches are in branches of `scf.if`.
pub(crate) fn launches<'c>(
    planned: &Planned<'c>,
    at: Op<'c>,
    clusters: bool,
) -> Result<Vec<Launch<'c>>, Failed> {
    let grid_op = &planned.grid_op;
    let (mut all, mut branches) = (Vec::new(), Branches::new(at));
    for (case, nest) in &planned.cases {
        let (at, only) = match case.up_to {
            Some(up_to) if planned.cases.len() > 1 => {
                branches.up_to(grid_op, &format!("d{}", up_to.dimension), up_to, nest)
            }
            _ => (branches.at, branches.left.clone()),
        };
        for launch in of_case(grid_op, case, nest, at, clusters)? {
            all.push(Launch {
                only: only.clone(),
                ..launch
            });
        }
    }
    Ok(all)
}

/// Returns the kernels of one case of a schedule, with launches before `at`.
fn of_case<'c>(
    grid_op: &GridOp<'c>,
    case: &Case,
    nest: &Nest,
    at: Op<'c>,
    clusters: bool,
) -> Result<Vec<Launch<'c>>, Failed> {
    let launch = |grid_op: &GridOp<'c>, nest: &Nest, case: &Case| Launch {
        grid_op: grid_op.clone(),
        nest: nest.clone(),
        steps: case.steps.clone(),
        only: Vec::new(),
        second: None,
        at,
        ends: Vec::new(),
    };
    if nest.global_rfactors().is_empty() {
        let mut all = Vec::new();
        if starts_first(nest)
            && let Some(start) = grid_op.start()
            && let Some(case) = choose_one(&start, clusters).cases.pop()
        {
            let nest = nest_of(&start, &case)?;
            all.push(launch(&start, &nest, &case));
        }
        all.push(launch(grid_op, nest, case));
        return Ok(all);
    }
    let b = Builder::before(at).located(grid_op.op.location());
    let counters = nest.last_block.then(|| {
        let groups = last_block::counters(nest).value(&b, &|b, d| grid_op.length(b, d));
        let counters = allocate(&b, &[groups], b.int_type(64));
        if let Some(op) = defining_op(counters) {
            set_attribute(op, CLEARED, Attribute::unit(b.context()));
        }
        counters
    });
    let Some(phases) = Phases::of(&b, grid_op, nest, case)? else {
        return Ok(Vec::new());
    };
    let first = nest_of(&phases.first, &phases.schedule)?;
    let mut all = vec![launch(&phases.first, &first, &phases.schedule)];
    match counters {
        None => {
            let (second, mapping) = choose_one(&phases.second, clusters).named();
            let second = Planned::of(phases.second, second, mapping, CoveredLengths::new())?;
            for (case, nest) in &second.cases {
                all.extend(of_case(&second.grid_op, case, nest, at, clusters)?);
            }
        }
        Some(counters) => {
            let steps = last_block::schedule(grid_op, nest, &case.steps);
            let steps = steps.map_err(|illegal| refuse(grid_op.op, illegal))?;
            let nest = nest_of(&phases.second, &Case::always(steps))?;
            all[0].steps.clone_from(&case.steps);
            all[0].second = Some(SecondPhase {
                grid_op: phases.second,
                nest,
                counters,
            });
        }
    }
    if let Some(last) = all.last_mut() {
        last.ends.extend(phases.partials);
        last.ends.extend(counters);
    }
    Ok(all)
}
