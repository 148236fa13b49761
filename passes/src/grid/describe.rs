//! Explanations of schedules: the schedule of each op, the estimated time of this schedule, and
//! other candidate schedules.

use super::choose::{candidates, phase_candidates};
use super::cost::{self, Bounds, Cost};
use super::grid_op::{GridOp, Work};
use super::group::Named;
use super::lengths::{CoveredLengths, Lengths};
use super::nest::Nest;
use super::phase::Phase;
use super::plan::{GroupCase, Planned, PlannedGroup, Unit, is_one_kernel, legal};
use super::steps::{Case, Processor, Step, cases_to_attribute};
use crate::analysis::dataflow::Access;
use crate::explain::{explain, place};
use melior::ir::attribute::{ArrayAttribute, FloatAttribute, StringAttribute};
use melior::ir::{Attribute, Type};
use tx_dialect_tile::CANDIDATES;
use tx_mlir::memref::root;
use tx_mlir::{MemRef, Op, argument_of, byte_width, context, set_attribute};
use tx_plan::{
    Candidate, CaseEstimate, Choice, Estimates, GroupChoice, GroupedArray, GroupedOp, ScheduleCase,
    ScheduleChoice, Traffic,
};
use tx_target::{Board, Chip};

/// Maximum number of candidate schedules, in addition to the current schedule.
const MOST_CANDIDATES: usize = 24;
/// Relative difference below which two estimated times count as equal.
const MARGIN: f64 = 0.02;

impl Unit<'_> {
    pub(crate) fn explain(&self, chip: &Chip) {
        match self {
            Self::Op(planned) => planned.explain(chip),
            Self::Group(group) => group.explain(chip),
        }
    }

    /// Attaches candidate schedules to the op, or to the first op of the group. Returns the number
    /// of attached candidate schedules.
    pub(crate) fn write_candidates(&self, chip: &Chip) -> i64 {
        match self {
            Self::Op(planned) => planned.write_candidates(chip),
            Self::Group(group) => group.write_candidates(chip),
        }
    }
}

impl<'c> PlannedGroup<'c> {
    fn explain(&self, chip: &Chip) {
        let leader = self.group.leader();
        let mut left: Vec<Lengths> = Vec::new();
        for case in &self.cases {
            let lengths = match case.up_to {
                Some(up_to) => Lengths::take(&mut left, &format!("r{}", up_to.dimension), up_to),
                None => left.clone(),
            };
            let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
            let nest = &case.nests[leader];
            let choice = GroupChoice {
                mapping: self.mapping.map(str::to_owned),
                kernel: None,
                lengths: (!lengths.is_empty()).then(|| lengths.join(", ")),
                threads: nest.block().iter().product(),
                blocks: nest.cluster().iter().product(),
                ops: self.described_ops(),
                arrays: self.described_arrays(case),
                traffic: self.traffic(case),
                steps: case.steps.iter().map(Step::described).collect(),
            };
            explain(self.group.phases[leader].grid_op.op, Choice::Group(choice));
        }
        self.rest.iter().for_each(|planned| planned.explain(chip));
    }

    /// Returns the assumed dimension lengths of each phase. The lengths of all phases are derived
    /// from the lengths that [`cost::lengths`] returns for the leading phase.
    fn lengths(&self) -> Vec<Vec<f64>> {
        let phases = &self.group.phases;
        let leader = &phases[self.group.leader()];
        let known = cost::lengths(&leader.grid_op, &[]);
        let of_phase = |phase: &Phase<'c>| {
            let loops = leader.shared.iter().chain(&leader.row);
            let own = phase.shared.iter().chain(&phase.row);
            let mut lengths = vec![1.0; phase.grid_op.extents.len()];
            for (dim, same) in own.zip(loops) {
                lengths[*dim] = known[*same];
            }
            lengths
        };
        phases.iter().map(of_phase).collect()
    }

    fn cost(&self, cases: &[GroupCase<'c>], board: &Board) -> Option<Cost> {
        let (phases, lengths) = (&self.group.phases, self.lengths());
        let leader = &phases[self.group.leader()];
        let is_own = |case: &&GroupCase<'c>| {
            case.up_to.is_none_or(|up_to| {
                let dim = leader.row.get(up_to.dimension);
                dim.is_none_or(|dim| lengths[self.group.leader()][*dim] <= up_to.length as f64)
            })
        };
        let case = cases.iter().find(is_own)?;
        // An array in registers is loaded by the first phase that reads the array, and stored by
        // the phase that writes the array.
        let moved = |number: usize, access: &Access<'_>| {
            let phase = &phases[number];
            let array = access.value;
            let is_first = !phases[..number].iter().any(|before| before.uses(array));
            match case.held.contains(&array) {
                _ if case.internal.contains(&array) => false,
                true => is_first || phase.writes(array),
                false => true,
            }
        };
        let parts = phases.iter().zip(&case.nests).zip(lengths.clone());
        let parts = parts.map(|((phase, nest), lengths)| (&phase.grid_op, nest, lengths));
        Cost::of_phases(parts, moved, board)
    }

    /// Returns the schedule of the group, followed by candidate schedules in order of estimated
    /// time.
    fn candidates(&self, chip: &Chip) -> Vec<(Vec<Case>, Cost)> {
        let board = chip.board();
        let own: Vec<Case> = self.cases.iter().map(GroupCase::case).collect();
        let Some(cost) = self.cost(&self.cases, &board) else {
            return Vec::new();
        };
        let mut others: Vec<(Vec<Case>, Cost)> = phase_candidates(&self.group, chip.clusters)
            .into_iter()
            .filter(|cases| *cases != own)
            .filter_map(|cases| {
                let planned = self.with(cases.clone())?;
                Some((cases, self.cost(&planned, &board)?))
            })
            .collect();
        others.sort_by_key(|(_, other)| (other.microseconds / cost.microseconds / MARGIN) as i64);
        others.truncate(MOST_CANDIDATES);
        std::iter::once((own, cost)).chain(others).collect()
    }

    fn write_candidates(&self, chip: &Chip) -> i64 {
        let candidates = self.candidates(chip);
        let Some((_, own)) = candidates.first() else {
            return 0;
        };
        let grid_op = &self.group.phases[self.group.leader()].grid_op;
        let about = estimates(grid_op, chip, own.described()).about();
        write_candidates(self.group.phases[0].grid_op.op, &about, &candidates, 'r')
    }

    fn described_ops(&self) -> Vec<GroupedOp> {
        let op = |op: Op<'c>| GroupedOp {
            op: tx_mlir::name(op).to_owned(),
            place: place(op),
        };
        self.ops().into_iter().map(op).collect()
    }

    fn described_arrays(&self, case: &GroupCase<'c>) -> Vec<GroupedArray> {
        let array = |Named { name, array, .. }| GroupedArray {
            name,
            argument: argument_of(root(array)).map(|(_, number)| number),
            is_held: case.held.contains(&array),
            is_stored: !case.internal.contains(&array),
        };
        self.group.arrays().into_iter().map(array).collect()
    }

    /// Returns the memory traffic of the kernel and the lower bound of this traffic, in bytes, or
    /// `None` if a size is dynamic.
    fn traffic(&self, case: &GroupCase<'c>) -> Option<Traffic> {
        let (mut bytes, mut fewest) = (0u64, 0u64);
        for Named { array, .. } in self.group.arrays() {
            let memref = MemRef::of(array)?;
            let mut sizes = memref.shape.iter();
            let size = sizes.try_fold(1u64, |all, n| all.checked_mul((*n)?))?;
            let size = size.checked_mul(byte_width(memref.element)?)?;
            let group = &self.group;
            let needed = u64::from(!group.writes_first(array)) + u64::from(group.writes(array));
            let each = group
                .phases
                .iter()
                .map(|phase| u64::from(phase.reads(array)) + u64::from(phase.writes(array)));
            let times = match case.held.contains(&array) {
                true if case.internal.contains(&array) => 0,
                true => needed,
                false => each.sum(),
            };
            // A temporary that only the group uses needs no memory traffic.
            let is_own = self.own.iter().any(|(other, _)| *other == array);
            let needed = if is_own { 0 } else { needed };
            bytes = bytes.checked_add(size.checked_mul(times)?)?;
            fewest = fewest.checked_add(size.checked_mul(needed)?)?;
        }
        Some(Traffic { bytes, fewest })
    }
}

impl Planned<'_> {
    fn explain(&self, chip: &Chip) {
        let board = chip.board();
        let is_reduction = matches!(self.grid_op.work, Work::Combine(..));
        let cases = self.cases.iter().zip(self.bounds());
        let cases = cases.map(|((case, nest), bounds)| ScheduleCase {
            up_to: case.up_to,
            is_one_kernel: is_one_kernel(nest),
            kernels: Vec::new(),
            threads: nest.block().iter().product(),
            estimate: (self.cases.len() > 1 && is_reduction).then(|| {
                let lengths = cost::lengths(&self.grid_op, &bounds);
                let cost = Cost::of(&self.grid_op, nest, &board, &lengths);
                CaseEstimate {
                    microseconds: cost.microseconds,
                    lengths,
                }
            }),
            steps: case.steps.iter().map(Step::described).collect(),
        });
        let candidates = self.candidates(&board, chip.clusters);
        let estimates = candidates.split_first().map(|((_, own), others)| {
            let other = |(cases, cost): &(Vec<Case>, Cost)| Candidate {
                cost: cost.described(),
                cases: cases
                    .iter()
                    .map(|case| {
                        let steps = case.steps.iter().map(Step::described);
                        (case.up_to, steps.collect())
                    })
                    .collect(),
            };
            Estimates {
                others: others.iter().map(other).collect(),
                ..estimates(&self.grid_op, chip, own.described())
            }
        });
        explain(
            self.grid_op.op,
            Choice::Schedule(ScheduleChoice {
                mapping: self.mapping.map(str::to_owned),
                cases: cases.collect(),
                estimates,
            }),
        );
    }

    /// Returns, for each schedule case, the lengths that this case covers and no earlier case
    /// covers.
    fn bounds(&self) -> Vec<Vec<Bounds>> {
        let mut left = vec![Bounds::default(); self.grid_op.extents.len()];
        let of = |(case, _): &(Case, Nest)| {
            let mut own = left.clone();
            if let Some(up_to) = case.up_to {
                own[up_to.dimension].most = Some(up_to.length);
            }
            if let Some((dim, length)) = case.all_up_to() {
                left[dim].above = length;
            }
            own
        };
        self.cases.iter().map(of).collect()
    }

    /// Returns the schedule of the op, followed by candidate schedules in order of estimated time.
    /// The result is empty if the op is not a reduction.
    fn candidates(&self, board: &Board, clusters: bool) -> Vec<(Vec<Case>, Cost)> {
        if !matches!(self.grid_op.work, Work::Combine(..)) {
            return Vec::new();
        }
        let lengths = cost::lengths(&self.grid_op, &[]);
        let cost = |cases: &[(Case, Nest)]| {
            let own = cases.iter().find(|(case, _)| {
                case.up_to
                    .is_none_or(|up_to| lengths[up_to.dimension] <= up_to.length as f64)
            });
            own.map(|(_, nest)| Cost::of(&self.grid_op, nest, board, &lengths))
        };
        let Some(own) = cost(&self.cases) else {
            return Vec::new();
        };
        let mut others: Vec<(Vec<Case>, Cost)> = candidates(&self.grid_op, clusters)
            .into_iter()
            .filter(|cases| *cases != self.schedule())
            .filter_map(|cases| {
                let mut above = CoveredLengths::new();
                let legal = |case: &Case| {
                    let nest = legal(&self.grid_op, case, &above).ok()?;
                    above.extend(case.all_up_to());
                    Some((case.clone(), nest))
                };
                let nests: Vec<(Case, Nest)> = cases.iter().map(legal).collect::<Option<_>>()?;
                Some((cases, cost(&nests)?))
            })
            .collect();
        // The cost model cannot rank estimates that differ by less than [`MARGIN`].
        others.sort_by_key(|(_, cost)| (cost.microseconds / own.microseconds / MARGIN) as i64);
        let others = of_each_sort(others);
        std::iter::once((self.schedule(), own))
            .chain(others)
            .collect()
    }

    fn write_candidates(&self, chip: &Chip) -> i64 {
        let candidates = self.candidates(&chip.board(), chip.clusters);
        let Some((_, own)) = candidates.first() else {
            return 0;
        };
        let about = estimates(&self.grid_op, chip, own.described()).about();
        write_candidates(self.grid_op.op, &about, &candidates, 'd')
    }
}

/// Returns the GPU board and the sizes for which times are estimated, with assumed values for
/// dynamic sizes.
fn estimates(grid_op: &GridOp<'_>, chip: &Chip, own: tx_plan::Cost) -> Estimates {
    Estimates {
        board: chip.board().name.to_string(),
        chip: chip.to_string(),
        lengths: cost::lengths(grid_op, &[]),
        is_assumed: grid_op
            .extents
            .iter()
            .any(|extent| extent.known().is_none()),
        own,
        others: Vec::new(),
    }
}

/// Attaches candidate schedules and their estimated times to an op. `about` describes the GPU board
/// and the dimension sizes that the estimates assume. `loops` is the first letter of the loop
/// names. Returns the number of attached schedules.
fn write_candidates(op: Op<'_>, about: &str, candidates: &[(Vec<Case>, Cost)], loops: char) -> i64 {
    let context = context(op);
    let pair = |(cases, cost): &(Vec<Case>, Cost)| {
        // Estimates are rounded to nanoseconds, because smaller digits are not accurate.
        let microseconds = (cost.microseconds * 1e3).round() / 1e3;
        let microseconds = FloatAttribute::new(context, Type::float64(context), microseconds);
        let schedule = cases_to_attribute(context, cases, loops);
        ArrayAttribute::new(context, &[schedule, microseconds.into()]).into()
    };
    let about: Attribute<'_> = StringAttribute::new(context, about).into();
    let all: Vec<Attribute<'_>> = std::iter::once(about)
        .chain(candidates.iter().map(pair))
        .collect();
    set_attribute(op, CANDIDATES, ArrayAttribute::new(context, &all).into());
    i64::try_from(candidates.len()).unwrap_or(i64::MAX)
}

/// Returns up to [`MOST_CANDIDATES`] schedules, in the order of `all`. The first few schedules of
/// each kind (with a cluster, a last-block reduction, a second kernel, or none of these) are always
/// included, because the cost model compares schedules of different kinds less accurately than
/// schedules of one kind.
fn of_each_sort(all: Vec<(Vec<Case>, Cost)>) -> Vec<(Vec<Case>, Cost)> {
    const SORTS: [fn(&Step) -> bool; 3] = [
        |step| matches!(step, Step::Bind(_, Processor::Cluster(_))),
        |step| matches!(step, Step::LastBlock),
        |step| matches!(step, Step::RFactor(_)),
    ];
    let sort = |cases: &[Case]| {
        let steps = || cases.iter().flat_map(|case| &case.steps);
        SORTS.iter().position(|sort| steps().any(sort))
    };
    let mut found = [0; SORTS.len() + 1];
    let is_first: Vec<bool> = all
        .iter()
        .map(|(cases, _)| {
            let count = &mut found[sort(cases).unwrap_or(SORTS.len())];
            *count += 1;
            *count <= MOST_CANDIDATES / (SORTS.len() + 1) / 2
        })
        .collect();
    let mut others =
        MOST_CANDIDATES.saturating_sub(is_first.iter().filter(|first| **first).count());
    let mut takes = |first: bool| {
        let is_taken = first || others > 0;
        others -= usize::from(is_taken && !first);
        is_taken
    };
    all.into_iter()
        .zip(is_first)
        .filter(|(_, first)| takes(*first))
        .map(|(one, _)| one)
        .collect()
}
