use crate::analysis::laws::check_laws;
use crate::analysis::target::chip_option;
use crate::analysis::unused::warn_of_unused;
use crate::explain::explain;
use crate::grid::choose::{candidates, choose, choose_one};
use crate::grid::cost::{self, Bounds, Cost};
use crate::grid::finish;
use crate::grid::group::{Group, members, number};
use crate::grid::job::{Job, Work, is_job};
use crate::grid::launch::{Kernels, Last, Lengths};
use crate::grid::nest::{Extent, Illegal, Nest, Run};
use crate::grid::partials::{allocate, materialise};
use crate::grid::staged::footprints;
use crate::grid::steps::{Case, Processor, Step, cases_to_attribute, to_attribute};
use crate::linalg::memory::check_written;
use crate::linalg::read::{NO_HOST_LOOPS, ONE_BLOCK};
use melior::ir::attribute::{ArrayAttribute, FloatAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type};
use tx_dialect_tile::{CANDIDATES, CLEARED};
use tx_mlir::build::Predicate;
use tx_mlir::{
    Builder, Failed, Index, Op, Val, codes, context, enclosing, erase, error, is, parent,
    set_attribute, string_attribute, walk,
};
use tx_pass::{Counts, Pass, option_error, pass};
use tx_plan::{Candidate, CaseEstimate, Choice, Estimates, ScheduleCase, ScheduleChoice};
use tx_target::{Board, Chip};

/// Schedules besides what an op has, at most.
const MOST_CANDIDATES: usize = 24;
/// The share of a time below which estimates are taken to be alike.
const MARGIN: f64 = 0.02;

pass! {
    /// Make kernels of work on whole arrays.
    ///
    /// ## What it does
    /// Turns every `tile.reduce` at scope `grid`, every element-wise `linalg` op and every
    /// `memref.copy` of a host function into a kernel and its `gpu.launch_func`, as its `schedule`
    /// says; where there is none, a default is chosen. The schedule that was followed stands on the
    /// kernel, and where it is for some lengths only, these (`lengths`).
    ///
    /// * `#tile.split<"d1" by 16>` cuts loop `d1` into `d1.o` and `d1.i`; the latter has 16
    ///   iterations. `#tile.fuse<["d0", "d1"] to "p">` makes one loop of several.
    ///   `#tile.reorder<"d1.o", "d0.i">` nests loops in this order.
    /// * `#tile.bind<"d0.o" to block_x>` runs the iterations of a loop on blocks or threads. A
    ///   reduced loop on threads is a cross-thread reduction, whose result the first thread stores.
    ///   On `cluster_x` it is one across the blocks of a cluster (sm_90), through their shared memory;
    ///   `block_x` beside it counts clusters.
    /// * `#tile.rfactor<"d1.i">` keeps partial results of a reduced loop: in registers when it is
    ///   bound to threads, else in global memory, and a second kernel combines them.
    /// * `#tile.unroll<"d1.i">` writes the iterations out; `#tile.vectorize<"d1.i">` also loads
    ///   what they read at once, and gives each a partial result of its own. What is written out is
    ///   loaded before anything of it is combined.
    /// * `#tile.align<"d1" to 4>` cuts a reduced dimension into vectors that begin at aligned
    ///   addresses, wherever a row begins; `#tile.stream` says that caches need not keep what is
    ///   read once.
    /// * `#tile.resident<1024>` has the registers of a multiprocessor do for so many threads, which
    ///   then take more of them.
    /// * `#tile.hold<"tmp0" in registers>`, in the schedule of a group of ops, keeps a value in the threads that have
    ///   it from one phase to the next; a temporary that is held and that nobody else reads is gone.
    /// * `#tile.hold<"in0" in shared>`, in the schedule of an element-wise op, has each block load what its threads
    ///   read of a source into shared memory first, along the rows of the source: for transposes.
    /// * `#tile.last_block` makes one kernel where partial results go through global memory: the
    ///   block that is last to leave its own combines all of them, in the same order always.
    /// * `#tile.case<"d1" to 64, [...]>` and `#tile.otherwise<[...]>` are schedules for some
    ///   lengths: a kernel each, and an `scf.if` of the host function that launches the one for
    ///   the length that it is given.
    ///
    /// Sizes that must agree and are known at run time only are compared on the host before the launch
    /// (`cf.assert`): with others, elements outside of an array would be read or written.
    ///
    /// Sizes that are no multiple of a factor are guarded. Of a loop over whole tiles the full part
    /// comes first, without guards, and then the rest; of a loop within a tile that is not full,
    /// the end is moved. Rows of unknown length whose elements lanes load one by one, several each,
    /// are guarded throughout, in half the code. One tile of up to 64 elements is loaded without
    /// branches: where there is no element, the first. A loop over more blocks than a grid can have
    /// takes turns.
    ///
    /// `until=explain` changes nothing, and says of each op how it is scheduled, what that should
    /// take on `chip`, and how else it might be; `until=candidates` notes the same as
    /// `tile.candidates` on ops; `until=choice` only writes schedules on ops; `until=partials` also
    /// makes two reductions of those whose partial results go through global memory.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid)
    ///     {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.bind<"d0.o" to block_x>,
    ///                  #tile.bind<"d0.i" to thread_y>, #tile.bind<"d1.i" to thread_x>]}
    ///     : memref<?x?xf32> into memref<?xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.module @rows_kernels {
    ///   gpu.func @rows_0(%A: memref<?x?xf32>, %B: memref<?xf32>) kernel
    ///       attributes {known_block_size = array<i32: 16, 32, 1>, schedule = [...]} {
    ///     %row = ... // 32 * block + thread_y
    ///     %part = scf.if %row_is_inside -> (f32) {
    ///       %full = scf.for ... { ... } // whole tiles of 16
    ///       %rest = scf.if ... { ... }  // what is left
    ///       ...
    ///     }
    ///     %sum = tile.all_reduce sum %part scope(warp) width 16 stride 1 ... : f32 -> f32
    ///     scf.if %first_and_inside {
    ///       %result = arith.select %is_empty, %zero, %sum : f32
    ///       memref.store %result, %B[%row] ... : memref<?xf32>
    ///     }
    ///     gpu.return
    ///   }
    /// }
    /// func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
    ///   gpu.launch_func @rows_kernels::@rows_0 blocks in (%b, %c1, %c1) threads in (%c16, %c32, %c1)
    ///     args(%A : memref<?x?xf32>, %B : memref<?xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// A schedule names an unknown loop, binds two loops to one processor, takes more than 1024
    /// threads or 16 blocks of a cluster, or binds a reduced loop to blocks without `rfactor` and
    /// where atomics are not permitted (`determinism = #tile.determinism<any>`); cases do not take
    /// all lengths, or one of them has blocks that combine into one result; an output overlaps an
    /// input or itself; or an op does not stand in the body of a function.
    pub struct Schedule as "tile-schedule" creates [arith, cf, gpu, llvm, memref, nvvm, scf, tile, vector] {
        /// where to stop: explain, candidates, choice, partials or kernels
        until: String = "kernels",
        /// chip that schedules are chosen for: whether it has clusters, and how fast it is in
        /// `explain` and `candidates`
        chip: String = "sm_80",
    } counts {
        /// kernels made
        kernels,
        /// schedules chosen
        chosen,
    }
}

/// A job with a schedule for each length, all found legal.
struct Planned<'c> {
    job: Job<'c>,
    cases: Vec<(Case, Nest)>,
    chosen: bool,
}

/// Ops of one kernel, with the loops of each, found legal.
struct PlannedGroup<'c> {
    group: Group<'c>,
    /// The schedule that they share.
    steps: Vec<Step>,
    nests: Vec<Nest>,
    /// Arrays that stay in registers.
    held: Vec<Val<'c>>,
    chosen: bool,
}

impl<'c> PlannedGroup<'c> {
    fn first(&self) -> Op<'c> {
        self.group.phases[0].job.op
    }
}

/// What is planned at once.
enum Unit<'c> {
    Op(Box<Planned<'c>>),
    Group(PlannedGroup<'c>),
}

impl Unit<'_> {
    fn is_chosen(&self) -> bool {
        match self {
            Self::Op(planned) => planned.chosen,
            Self::Group(group) => group.chosen,
        }
    }

    fn explain(&self, chip: &Chip) {
        match self {
            Self::Op(planned) => planned.explain(chip),
            Self::Group(group) => group.explain(),
        }
    }
}

impl PlannedGroup<'_> {
    /// Explains how each op is run in the kernel that they share.
    fn explain(&self) {
        for (phase, nest) in self.group.phases.iter().zip(&self.nests) {
            let case = ScheduleCase {
                up_to: None,
                is_one_kernel: true,
                kernels: Vec::new(),
                threads: nest.block().iter().product(),
                estimate: None,
                steps: phase
                    .steps(&self.steps)
                    .iter()
                    .map(Step::described)
                    .collect(),
            };
            let choice = ScheduleChoice {
                is_written: !self.chosen,
                cases: vec![case],
                estimates: None,
            };
            explain(phase.job.op, Choice::Schedule(choice));
        }
    }
}

/// What becomes a kernel.
struct Stage<'c> {
    job: Job<'c>,
    nest: Nest,
    steps: Vec<Step>,
    /// For which lengths it is launched, where there are kernels for others.
    only: Vec<Lengths>,
    /// What its last block does, where it is more.
    last: Option<Last<'c>>,
    /// The attribute of the op.
    schedule: Vec<Case>,
    /// Ops of which no kernel is made after this one.
    done: Vec<Op<'c>>,
}

impl Pass for Schedule {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let known = ["explain", "candidates", "choice", "partials", "kernels"];
        let Some(until) = known.iter().position(|k| *k == self.until) else {
            return Err(option_error(
                module,
                &Self::INFO,
                "until",
                &self.until,
                format!("option `until`: unknown stage `{}`", self.until),
            )
            .note(format!("known: {}", known.join(", ")))
            .emit());
        };
        let chip = chip_option(module, &Self::INFO, &self.chip)?;
        let mut planned = Vec::new();
        let mut failed = None;
        // Every op is checked, so that one run reports everything that is wrong.
        for op in walk(module).into_iter().filter(|op| is_job(*op)) {
            let host = match host_of(op) {
                Ok(host) => host,
                Err(e) => {
                    failed = Some(e);
                    continue;
                }
            };
            if host.is_none() {
                continue;
            }
            let unit = match number(op) {
                None => plan(op, &chip).map(|planned| Some(Unit::Op(Box::new(planned)))),
                // Where the last of its ops stands.
                Some(_) if members(op).last() == Some(&op) => plan_group(op, &chip).map(Some),
                Some(_) => Ok(None),
            };
            match unit {
                Ok(unit) => planned.extend(unit),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        if until == 0 {
            planned.iter().for_each(|unit| unit.explain(&chip));
            return Ok(());
        }
        if until == 1 {
            for unit in &planned {
                if let Unit::Op(planned) = unit {
                    planned.write_candidates(&chip);
                }
            }
            return Ok(());
        }
        counts.add(
            "chosen",
            planned
                .iter()
                .filter(|unit| unit.is_chosen())
                .count()
                .try_into()
                .unwrap_or(0),
        );
        let mut kernels: Vec<Kernels<'c>> = Vec::new();
        for unit in planned {
            let planned = match unit {
                Unit::Op(planned) => *planned,
                Unit::Group(group) if until < 4 => {
                    set_attribute(
                        group.first(),
                        "schedule",
                        to_attribute(context(module), &group.steps),
                    );
                    continue;
                }
                Unit::Group(group) => {
                    kernels_of(&mut kernels, group.first()).add_group(
                        &group.group,
                        &group.nests,
                        &group.steps,
                        &group.held,
                    );
                    counts.add("kernels", 1);
                    continue;
                }
            };
            if until == 2 {
                write_schedule(planned.job.op, &planned.schedule());
                continue;
            }
            if until == 3 && !planned.has_two_ops() {
                write_schedule(planned.job.op, &planned.schedule());
                continue;
            }
            // Once: sizes of parts follow from those of the whole.
            let has_parts = planned.has_parts();
            if has_parts {
                planned.job.assert_sizes(&Builder::before(planned.job.op));
            }
            for stage in in_stages(planned, &chip)? {
                if until == 3 {
                    write_schedule(stage.job.op, &stage.schedule);
                    continue;
                }
                kernels_of(&mut kernels, stage.job.op).add(
                    &stage.job,
                    &stage.nest,
                    &stage.steps,
                    stage.last.as_ref(),
                    &stage.only,
                    !has_parts,
                );
                counts.add("kernels", 1);
                stage.done.into_iter().for_each(erase);
            }
        }
        Ok(())
    }
}

/// Where the kernels of the host function go that `op` stands in.
fn kernels_of<'a, 'c>(kernels: &'a mut Vec<Kernels<'c>>, op: Op<'c>) -> &'a mut Kernels<'c> {
    let host = enclosing(op, "func.func")
        .and_then(|f| string_attribute(f, "sym_name"))
        .unwrap_or_default();
    let known = kernels.iter().position(|k| k.host == host);
    let i = known.unwrap_or_else(|| {
        kernels.push(Kernels::of(host));
        kernels.len() - 1
    });
    &mut kernels[i]
}

fn write_schedule<'c>(op: Op<'c>, cases: &[Case]) {
    set_attribute(op, "schedule", cases_to_attribute(context(op), cases));
}

impl Planned<'_> {
    /// Explains how the op is scheduled, what that should take, and how else it might be.
    fn explain(&self, chip: &Chip) {
        let board = chip.board();
        let is_reduction = matches!(self.job.work, Work::Combine(..));
        let cases = self.cases.iter().zip(self.bounds());
        let cases = cases.map(|((case, nest), bounds)| ScheduleCase {
            up_to: case.up_to(),
            is_one_kernel: is_one_kernel(nest),
            kernels: Vec::new(),
            threads: nest.block().iter().product(),
            estimate: (self.cases.len() > 1 && is_reduction).then(|| {
                let lengths = cost::lengths(&self.job, &bounds);
                let cost = Cost::of(&self.job, nest, &board, &lengths);
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
                        (case.up_to(), steps.collect())
                    })
                    .collect(),
            };
            Estimates {
                others: others.iter().map(other).collect(),
                ..self.estimates(chip, own.described())
            }
        });
        explain(
            self.job.op,
            Choice::Schedule(ScheduleChoice {
                is_written: !self.chosen,
                cases: cases.collect(),
                estimates,
            }),
        );
    }

    /// The lengths that each case is for: those of no case before it.
    fn bounds(&self) -> Vec<Vec<Bounds>> {
        let mut left = vec![Bounds::default(); self.job.extents.len()];
        let of = |(case, _): &(Case, Nest)| {
            let mut own = left.clone();
            if let Some((dim, most)) = case.most {
                own[dim].most = Some(most);
                left[dim].above = most;
            }
            own
        };
        self.cases.iter().map(of).collect()
    }

    /// The schedule of the op and others that it might have, with what they should take: the best
    /// of those first. None where nothing is reduced.
    fn candidates(&self, board: &Board, clusters: bool) -> Vec<(Vec<Case>, Cost)> {
        if !matches!(self.job.work, Work::Combine(..)) {
            return Vec::new();
        }
        let lengths = cost::lengths(&self.job, &[]);
        let cost = |cases: &[(Case, Nest)]| {
            let own = cases.iter().find(|(case, _)| {
                case.most
                    .is_none_or(|(dim, most)| lengths[dim] <= most as f64)
            });
            own.map(|(_, nest)| Cost::of(&self.job, nest, board, &lengths))
        };
        let Some(own) = cost(&self.cases) else {
            return Vec::new();
        };
        let mut others: Vec<(Vec<Case>, Cost)> = candidates(&self.job, clusters)
            .into_iter()
            .filter(|cases| *cases != self.schedule())
            .filter_map(|cases| {
                let legal = |case: &Case| Some((case.clone(), legal(&self.job, case).ok()?));
                let nests: Vec<(Case, Nest)> = cases.iter().map(legal).collect::<Option<_>>()?;
                Some((cases, cost(&nests)?))
            })
            .collect();
        // Estimates that differ less do not tell which is better.
        others.sort_by_key(|(_, cost)| (cost.microseconds / own.microseconds / MARGIN) as i64);
        let others = of_each_sort(others);
        std::iter::once((self.schedule(), own))
            .chain(others)
            .collect()
    }

    /// What estimates are for: a card, and sizes, some of which may be assumed.
    fn estimates(&self, chip: &Chip, own: tx_plan::Cost) -> Estimates {
        let extents = self.job.extents.iter();
        Estimates {
            board: chip.board().name.to_string(),
            chip: chip.to_string(),
            lengths: cost::lengths(&self.job, &[]),
            is_assumed: extents.into_iter().any(|extent| extent.known().is_none()),
            own,
            others: Vec::new(),
        }
    }

    /// Notes on the op what it might be scheduled as, after what the estimates are of.
    fn write_candidates(&self, chip: &Chip) {
        let board = chip.board();
        let context = context(self.job.op);
        let candidates = self.candidates(&board, chip.clusters);
        let Some((_, own)) = candidates.first() else {
            return;
        };
        let about = self.estimates(chip, own.described()).about();
        let about = StringAttribute::new(context, &about).into();
        let pair = |(cases, cost): &(Vec<Case>, Cost)| {
            // Digits beyond the third are noise.
            let microseconds = (cost.microseconds * 1e3).round() / 1e3;
            let microseconds = FloatAttribute::new(context, Type::float64(context), microseconds);
            let pair = [cases_to_attribute(context, cases), microseconds.into()];
            ArrayAttribute::new(context, &pair).into()
        };
        let all: Vec<Attribute<'_>> = std::iter::once(about)
            .chain(candidates.iter().map(pair))
            .collect();
        set_attribute(
            self.job.op,
            CANDIDATES,
            ArrayAttribute::new(context, &all).into(),
        );
    }

    /// Is for lengths up to this only.
    fn only_up_to(&mut self, most: Option<(usize, i64)>) {
        for (shorter, nest) in &mut self.cases {
            shorter.most = most;
            if let Ok(legal) = legal(&self.job, shorter) {
                *nest = legal;
            }
        }
    }

    /// Whether it becomes several jobs: there are kernels for several lengths, or partial results
    /// in global memory.
    fn has_parts(&self) -> bool {
        self.cases.len() > 1
            || self
                .cases
                .iter()
                .any(|(_, nest)| !nest.global_rfactors().is_empty())
    }

    /// Whether its partial results are another op's: neither are there kernels for several lengths,
    /// nor one for both reductions.
    fn has_two_ops(&self) -> bool {
        self.has_parts()
            && self.cases.len() == 1
            && self.cases.iter().all(|(_, nest)| !nest.last_block)
    }

    /// The cases of the schedule.
    fn schedule(&self) -> Vec<Case> {
        self.cases.iter().map(|(case, _)| case.clone()).collect()
    }
}

/// The host function in whose body `op` stands; none when it is left alone.
fn host_of<'c>(op: Op<'c>) -> Result<Option<Op<'c>>, Failed> {
    let around = parent(op);
    if let Some(host) = around.filter(|o| is(*o, "func.func")) {
        return match tx_mlir::blocks(host).len() {
            1 => Ok(Some(host)),
            _ => Err(error(op.location(), ONE_BLOCK)
                .code(codes::TX0318)
                .note_at(host.location(), "this function has several")
                .emit()),
        };
    }
    if !tx_mlir::name(op).starts_with("tile.") && enclosing(op, "gpu.func").is_some() {
        return Ok(None);
    }
    let report = error(
        op.location(),
        "work on whole arrays must stand in the body of a host function",
    )
    .code(codes::TX0318);
    let report = match around {
        Some(around) => report.note_at(
            around.location(),
            format!("this `{}` is around it", tx_mlir::name(around)),
        ),
        None => report,
    };
    Err(match enclosing(op, "func.func") {
        Some(_) => report.note(NO_HOST_LOOPS).emit(),
        None => report.emit(),
    })
}

/// The plan of an op of the program.
fn plan<'c>(op: Op<'c>, chip: &Chip) -> Result<Planned<'c>, Failed> {
    let job = Job::of(op)?;
    check_program(&job)?;
    plan_by(job, chip, choose)
}

/// The plan of the group that `last` is the last op of.
fn plan_group<'c>(last: Op<'c>, chip: &Chip) -> Result<Unit<'c>, Failed> {
    let mut jobs = Vec::new();
    for op in members(last) {
        let job = Job::of(op)?;
        check_program(&job)?;
        jobs.push(job);
    }
    let group = Group::of(jobs).map_err(|(op, reason)| Group::refuse(op, &reason))?;
    let (steps, chosen) = group.schedule(chip.clusters)?;
    let mut nests: Vec<Nest> = Vec::new();
    for phase in &group.phases {
        let op = phase.job.op;
        let nest = match legal(&phase.job, &Case::always(phase.steps(&steps))) {
            Ok(nest) => nest,
            Err(illegal) => {
                let failed = refuse(op, vec![illegal]);
                return Err(
                    failed.unwrap_or_else(|| Group::refuse(op, "its schedule is not legal"))
                );
            }
        };
        if !nest.global_rfactors().is_empty() || nest.last_block || starts_first(&nest) {
            return Err(Group::refuse(op, "blocks would share its results"));
        }
        if let Some(first) = nests.get(group.leader())
            && !phase.row.is_empty()
            && first.block() != nest.block()
        {
            let ([a, b, c], [x, y, z]) = (nest.block(), first.block());
            let reason =
                format!("its blocks have {a}x{b}x{c} threads, those of the first op {x}x{y}x{z}");
            return Err(Group::refuse(op, &reason));
        }
        if let Some(dim) = phase.row.iter().find(|dim| nest.is_on_grid(**dim)) {
            return Err(Group::refuse(
                op,
                &format!("`d{dim}`, of a row, is cut over blocks"),
            ));
        }
        nests.push(nest);
    }
    let held = group.held(&nests)?;
    let is_shared = nests.get(group.leader()).is_some_and(Nest::has_clusters);
    if is_shared && let Some(op) = group.exchange_through_memory(&held) {
        let reason = "blocks of a cluster share its rows, and it reads from memory what another op of the \
                      group writes";
        return Err(Group::refuse(op, reason));
    }
    Ok(Unit::Group(PlannedGroup {
        group,
        steps,
        nests,
        held,
        chosen,
    }))
}

/// What must hold of an op of the program.
fn check_program(job: &Job<'_>) -> Result<(), Failed> {
    if let Work::Combine(view, _) = &job.work
        && view.accumulate
    {
        check_written(job.op, &view.destinations)?;
    }
    check_laws(job.op)?;
    warn_of_unused(job.op);
    Ok(())
}

/// The plan of an op that was made of one whose laws were checked.
fn plan_made<'c>(
    op: Op<'c>,
    chip: &Chip,
    choose: fn(&Job<'_>, bool) -> Vec<Case>,
) -> Result<Planned<'c>, Failed> {
    plan_by(Job::of(op)?, chip, choose)
}

/// A plan whose schedule, where none is written, is chosen so.
fn plan_by<'c>(
    job: Job<'c>,
    chip: &Chip,
    choose: fn(&Job<'_>, bool) -> Vec<Case>,
) -> Result<Planned<'c>, Failed> {
    let (schedules, chosen) = match job.written_schedule()? {
        Some(cases) => (cases, false),
        None => (choose(&job, chip.clusters), true),
    };
    let is_alone = schedules.len() == 1;
    let (mut cases, mut wrong) = (Vec::new(), Vec::new());
    for case in schedules {
        let nest = legal(&job, &case).and_then(|nest| match is_alone || !starts_first(&nest) {
            true => Ok(nest),
            false => Err(Illegal::new(
                codes::TX0304,
                "a case of the schedule has blocks that combine into one result",
            )
            .note("keep their partial results apart: `rfactor`")),
        });
        match nest {
            Ok(nest) => cases.push((case, nest)),
            Err(illegal) => wrong.push(illegal),
        }
    }
    match refuse(job.op, wrong) {
        Some(failed) => Err(failed),
        None => Ok(Planned { job, cases, chosen }),
    }
}

/// Says all that is wrong with the schedules of an op, each once; none where nothing is.
fn refuse(op: Op<'_>, wrong: Vec<Illegal>) -> Option<Failed> {
    let mut told: Vec<String> = Vec::new();
    let mut failed = None;
    let all = wrong.into_iter().flat_map(|mut first| {
        let others = std::mem::take(&mut first.others);
        std::iter::once(first).chain(others)
    });
    for illegal in all {
        if told.contains(&illegal.reason) {
            continue;
        }
        let report = error(op.location(), illegal.reason.clone()).code(illegal.code);
        failed = Some(match illegal.note {
            Some(note) => report.note(note).emit(),
            None => report.emit(),
        });
        told.push(illegal.reason);
    }
    failed
}

/// As many as [`MOST_CANDIDATES`] of these, which are in order, and in the same: the first few of
/// each sort, as estimates tell sorts apart less well than schedules of one.
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

/// Whether neither partial results nor old values need a kernel of their own.
fn is_one_kernel(nest: &Nest) -> bool {
    (nest.last_block || nest.global_rfactors().is_empty()) && !starts_first(nest)
}

/// Whether a kernel of its own writes what results start from.
fn starts_first(nest: &Nest) -> bool {
    nest.global_rfactors().is_empty() && nest.order.iter().any(|n| is_combined_by_blocks(nest, *n))
}

fn is_combined_by_blocks(nest: &Nest, node: usize) -> bool {
    let node = &nest.nodes[node];
    node.combines() && matches!(node.run, Run::On(Processor::Block(_)))
}

/// The loops of a job with a schedule for some lengths, when it is legal.
fn legal(job: &Job<'_>, case: &Case) -> Result<Nest, Illegal> {
    let mut extents = job.extents.clone();
    if let Some((dim, most)) = case.most
        && let Some(extent @ Extent::Dim(_)) = extents.get_mut(dim)
    {
        *extent = Extent::UpTo(dim, most);
    }
    let mut nest = Nest::new(&extents, &job.axes).apply(&case.steps)?;
    nest.keep_apart(&job.partials)?;
    check_partials(job, &nest)?;
    if !matches!(job.work, Work::Combine(..)) && !nest.rfactors.is_empty() {
        return Err(Illegal::new(
            codes::TX0026,
            "nothing is reduced, so there are no partial results",
        ));
    }
    // What `rfactor` keeps apart is not combined by the kernel that computes it.
    let mut checked = nest.clone();
    let apart: Vec<String> = nest
        .global_rfactors()
        .iter()
        .map(|n| nest.nodes[*n].name.clone())
        .collect();
    checked.keep_apart(&apart)?;
    checked.check(job.atomics().err().as_deref())?;
    if number(job.op).is_none() {
        footprints(job, &nest)?;
    }
    if nest.last_block {
        finish::check(job, &nest, &case.steps)?;
    }
    Ok(nest)
}

/// Every partial result needs a place.
fn check_partials(job: &Job<'_>, nest: &Nest) -> Result<(), Illegal> {
    for (i, name) in job.partials.iter().enumerate() {
        let count = nest.nodes[nest.find(name)?].extent.known();
        for (number, destination) in job.destinations.iter().enumerate() {
            let room = destination.memref.as_ref().and_then(|m| m.shape[i]);
            if let (Some(count), Some(room)) = (count, room)
                && count != room.cast_signed()
            {
                return Err(Illegal::new(
                    codes::TX0026,
                    format!(
                        "`{name}` keeps {count} partial results apart, but dimension {i} of \
                         destination {number} has {room}"
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// The kernels that a job takes, in order.
fn in_stages<'c>(planned: Planned<'c>, chip: &Chip) -> Result<Vec<Stage<'c>>, Failed> {
    let schedule = planned.schedule();
    let Planned { job, mut cases, .. } = planned;
    if cases.len() > 1 {
        return in_cases(&job, cases, chip);
    }
    let Some((case, nest)) = cases.pop() else {
        return Ok(Vec::new());
    };
    if nest.last_block {
        let done = vec![job.op];
        let stage = in_one_kernel(&job, &nest, case, schedule, chip)?;
        return Ok(stage
            .map(|stage| Stage {
                done: [stage.done, done].concat(),
                ..stage
            })
            .into_iter()
            .collect());
    }
    let Case { most, steps } = case;
    if !nest.global_rfactors().is_empty()
        && let Some((first, second)) = materialise(&job, &nest, &steps, most)
    {
        erase(job.op);
        let mut partial = plan_made(first, chip, choose)?;
        partial.only_up_to(most);
        let mut stages = in_stages(partial, chip)?;
        stages.extend(in_stages(plan_made(second, chip, choose_one)?, chip)?);
        return Ok(stages);
    }
    let mut stages = Vec::new();
    if starts_first(&nest)
        && let Some(start) = job.start()
        && let Some(case) = choose(&start, chip.clusters).pop()
        && let Ok(nest) = legal(&start, &case)
    {
        let (schedule, steps) = (schedule.clone(), case.steps);
        stages.push(Stage {
            job: start,
            nest,
            steps,
            last: None,
            only: Vec::new(),
            schedule,
            done: Vec::new(),
        });
    }
    let done = vec![job.op];
    stages.push(Stage {
        job,
        nest,
        steps,
        last: None,
        only: Vec::new(),
        schedule,
        done,
    });
    Ok(stages)
}

/// Both reductions of a job in one kernel.
fn in_one_kernel<'c>(
    job: &Job<'c>,
    nest: &Nest,
    case: Case,
    schedule: Vec<Case>,
    chip: &Chip,
) -> Result<Option<Stage<'c>>, Failed> {
    let Case { most, steps } = case;
    let b = Builder::before(job.op);
    let groups = finish::groups(nest).value(&b, &|b, d| job.length(b, d));
    let counters = allocate(&b, &[groups], b.int_type(64));
    if let Some(op) = tx_mlir::defining_op(counters) {
        set_attribute(op, CLEARED, Attribute::unit(b.context()));
    }
    let Ok(second_steps) = finish::schedule(job, nest, &steps) else {
        return Ok(None);
    };
    let Some((first, second)) = materialise(job, nest, &steps, most) else {
        return Ok(None);
    };
    b.create("memref.dealloc").operands(&[counters]).build();
    write_schedule(second, &[Case::always(second_steps)]);
    let (mut one, mut other) = (
        plan_made(first, chip, choose)?,
        plan_made(second, chip, choose)?,
    );
    one.only_up_to(most);
    let (Some((_, nest)), Some((_, last))) = (one.cases.pop(), other.cases.pop()) else {
        return Ok(None);
    };
    let last = Last {
        job: other.job,
        nest: last,
        counters,
    };
    Ok(Some(Stage {
        job: one.job,
        nest,
        steps,
        last: Some(last),
        only: Vec::new(),
        schedule,
        done: vec![first, second],
    }))
}

/// The kernels of each case. The op is replaced by an `scf.if` for each case but the last, with a
/// copy of the op in each branch: the lengths of a launch select one.
fn in_cases<'c>(
    job: &Job<'c>,
    cases: Vec<(Case, Nest)>,
    chip: &Chip,
) -> Result<Vec<Stage<'c>>, Failed> {
    let mut stages: Vec<Stage<'c>> = Vec::new();
    let mut branch = Builder::before(job.op);
    // What no case so far takes.
    let mut left: Vec<(Lengths, Val<'c>)> = Vec::new();
    for (case, nest) in cases {
        let mut only: Vec<Lengths> = left.iter().map(|(lengths, _)| *lengths).collect();
        let mut otherwise = None;
        if let Some((dim, most)) = case.most {
            let known = left.iter().position(|(lengths, _)| lengths.dim == dim);
            let i = known.unwrap_or_else(|| {
                let all = Lengths {
                    dim,
                    above: None,
                    most: None,
                };
                left.push((all, branch.value(job.length(&branch, dim))));
                only.push(all);
                left.len() - 1
            });
            only[i].most = Some(most);
            left[i].0.above = Some(most);
            let limit = branch.value(Index::Const(most));
            let condition = branch.compare(Predicate::Sle, left[i].1, limit);
            let [then, other] = branch.branches(condition);
            branch = then;
            otherwise = Some(other);
        }
        let planned = Planned {
            job: Job::of(branch.copy(job.op))?,
            cases: vec![(case, nest)],
            chosen: false,
        };
        for mut stage in in_stages(planned, chip)? {
            stage.only.extend(&only);
            stages.push(stage);
        }
        match otherwise {
            Some(other) => branch = other,
            None => break,
        }
    }
    erase(job.op);
    Ok(stages)
}
