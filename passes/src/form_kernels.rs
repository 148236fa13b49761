use crate::analysis::dataflow::Dataflow;
use crate::analysis::target::chip_option;
use crate::elementary;
use crate::explain::explain;
use crate::grid::choose::{bytes_of_block, choose_phases};
use crate::grid::grid_op::{GridOp, is_grid_op, is_reduction, share_operand};
use crate::grid::group::{Group, number};
use crate::grid::steps::{Case, Step};
use melior::ir::Type;
use melior::ir::attribute::IntegerAttribute;
use tx_dialect_tile::{DETERMINISM, FUSION, Fusion, GROUP, MATH, Math};
use tx_mlir::pass::{Counts, Pass, option_error, pass};
use tx_mlir::{Failed, Op, attribute, context, first_block, is, ops, parent, set_attribute, walk};
use tx_plan::{ApartChoice, Choice};
use tx_target::Chip;

/// Maximum length, in bytes, of a row that each phase of a kernel may reload from the L2 cache. On
/// an H200, a bf16 RMS norm with 131072 columns reaches 3106 GB/s as one kernel, and 2774 GB/s as
/// two kernels.
const KEPT_BYTES: i64 = 256 << 10;

pass! {
    /// Group ops of a host function into kernels.
    ///
    /// ## What it does
    /// The pass sets the attribute `tile.group = N : i64`, with the same number N, on all ops that
    /// share a kernel. `tile-schedule` lowers ops with equal values of `tile.group` to one kernel.
    /// Each op of a group is a phase of the kernel: a block executes all phases for the rows of the
    /// block, with a barrier between phases.
    ///
    /// Ops before or after a `tile.reduce` at scope `grid` join its group under these conditions:
    ///
    /// * The op has the same parallel loops as the reduction, and one loop over a row for each
    ///   reduced dimension of the reduction. The parallel loops of an element-wise op are
    ///   outermost. An element-wise op without loops over a row, which computes one element per
    ///   row, joins the group only if values stay in registers between phases.
    /// * The op uses an operand of another op in the group. If an op of the group writes an element
    ///   for a row, no other op of the group uses the element for a different row.
    /// * The last dimension of the op's main operand is along a row. A row fits into the registers
    ///   of a block or (on sm_90) of a cluster, or each block loads at most 256 KiB of the row. A
    ///   row that does not fit into registers stays in the L2 cache, and each phase reloads the
    ///   row. Rows of dynamic length must fit into registers. The group has one or two kernels for
    ///   each range of row lengths: one for multiples of the vector width, and one for all other
    ///   lengths. For rows longer than the longest range of row lengths, each op of the group has
    ///   a separate kernel.
    /// * No op between the ops of the group uses an array that the group writes.
    ///
    /// An op with the attribute `schedule` does not join a group. The pass does not change an op
    /// with the attribute `tile.group`. To form a group by hand, set the attribute `tile.group` on
    /// its ops. The schedule of a group is an attribute of its first op. In the schedule of a
    /// group, the parallel loops are `p0`, `p1`, …, and the loops over a row are `r0`, `r1`, ….
    ///
    /// `fusion=none`, or `tile.fusion = #tile.fusion<none>` on a function, disables grouping.
    ///
    /// If a function has the attribute `tile.determinism = #tile.determinism<…>`, the pass sets
    /// `determinism` on each reduction of the function that has no `determinism`.
    ///
    /// `math=approx`, or `tile.math = #tile.math<approx>` on a function, sets `fastmath<afn>` on the
    /// exponentials, logarithms, roots and quotients that have approximate instructions
    /// ([`gpu-expand-math`](#--gpu-expand-math)). If a function has the attribute `tile.fusion` or
    /// `tile.math`, the attribute takes precedence over the option of the pass.
    ///
    /// With `explain`, a remark states why an op does not share a kernel with the preceding op, if
    /// both use a common array.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @centred(%A: memref<512x4096xf32>, %M: memref<512xf32>, %B: memref<512x4096xf32>) {
    ///   tile.reduce max %A into %M axes [1] scope(grid) : memref<512x4096xf32> into memref<512xf32>
    ///   linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
    ///                                    affine_map<(d0, d1) -> (d0, d1)>],
    ///                   iterator_types = ["parallel", "parallel"]}
    ///     ins(%A, %M : memref<512x4096xf32>, memref<512xf32>) outs(%B : memref<512x4096xf32>) {
    ///   ^bb0(%a: f32, %m: f32, %b: f32):
    ///     %centred = arith.subf %a, %m : f32
    ///     linalg.yield %centred : f32
    ///   }
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @centred(%A: memref<512x4096xf32>, %M: memref<512xf32>, %B: memref<512x4096xf32>) {
    ///   tile.reduce max %A into %M axes [1] scope(grid) {tile.group = 0 : i64} : memref<512x4096xf32> into memref<512xf32>
    ///   linalg.generic ...
    ///     ins(%A, %M : memref<512x4096xf32>, memref<512xf32>) outs(%B : memref<512x4096xf32>) attrs = {tile.group = 0 : i64} {
    ///   ...
    ///   }
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an invalid option value, and an op that `tile-schedule` would reject.
    pub struct FormKernels as "tile-form-kernels" creates [tile] {
        /// ops that may share a kernel, unless the function has `tile.fusion`: none, exact or
        /// algebraic
        fusion: String = "algebraic",
        /// accuracy of functions and quotients, unless the function has `tile.math`: exact or
        /// approx
        math: String = "exact",
        /// chip whose registers and caches must hold the rows
        chip: String = "sm_80",
        /// report why an op does not share the kernel of the ops before it, as a remark
        explain: bool = "false",
    } counts {
        /// kernels that are formed of several ops
        groups,
        /// ops in them
        grouped,
        /// functions and quotients that may be approximate
        approximate,
    }
}

impl Pass for FormKernels {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let unknown = |option: &str, value: &str, known: &str| {
            let message = format!("option `{option}`: unknown value `{value}`");
            let report = option_error(module, &Self::INFO, option, value, message);
            report.note(format!("known: {known}")).emit()
        };
        let default = Fusion::parse(&self.fusion)
            .ok_or_else(|| unknown("fusion", &self.fusion, "none, exact, algebraic"))?;
        let math =
            Math::parse(&self.math).ok_or_else(|| unknown("math", &self.math, "exact, approx"))?;
        let chip = chip_option(module, &Self::INFO, &self.chip)?;
        let (mut formed, mut failed) = (Vec::new(), None);
        for function in walk(module).into_iter().filter(|op| is(*op, "func.func")) {
            give_determinism(function);
            let own = attribute(function, MATH).and_then(Math::of);
            if own.unwrap_or(math) == Math::Approx {
                counts.add("approximate", permit_approximations(function));
            }
            let own = attribute(function, FUSION).and_then(Fusion::of);
            if own.unwrap_or(default) == Fusion::None {
                continue;
            }
            match groups(function, &chip, self.explain) {
                Ok(groups) => formed.push((function, groups)),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for (function, groups) in formed {
            let taken = walk(function).into_iter().filter_map(number).max();
            let first = taken.map_or(0, |n| n.saturating_add(1));
            for (number, group) in (first..).zip(groups) {
                counts.add("groups", 1);
                for phase in &group.phases {
                    let i64 =
                        Type::from(melior::ir::r#type::IntegerType::new(context(function), 64));
                    set_attribute(
                        phase.grid_op.op,
                        GROUP,
                        IntegerAttribute::new(i64, number).into(),
                    );
                    counts.add("grouped", 1);
                }
            }
        }
        Ok(())
    }
}

fn give_determinism(function: Op<'_>) {
    let Some(own) = attribute(function, DETERMINISM) else {
        return;
    };
    let has_none = |op: &Op<'_>| is(*op, "tile.reduce") && attribute(*op, "determinism").is_none();
    for op in walk(function).into_iter().filter(has_none) {
        set_attribute(op, "determinism", own);
    }
}

/// Permits approximate instructions in the bodies of a function's ops. Returns the number of
/// changed ops.
fn permit_approximations(function: Op<'_>) -> i64 {
    let is_in_body = |op: &Op<'_>| parent(*op).is_some_and(|parent| parent != function);
    let bodies = walk(function).into_iter().filter(is_in_body);
    bodies.filter(|op| elementary::permit(*op)).count() as i64
}

fn groups<'c>(function: Op<'c>, chip: &Chip, explains: bool) -> Result<Vec<Group<'c>>, Failed> {
    let Some(block) = first_block(function, 0) else {
        return Ok(Vec::new());
    };
    let flow = Dataflow::of(function);
    let (mut runs, mut open, mut failed) = (Vec::new(), Vec::new(), None);
    for op in ops(block).into_iter().filter(|op| is_grid_op(*op)) {
        if attribute(op, "schedule").is_some() || number(op).is_some() {
            runs.push(std::mem::take(&mut open));
            continue;
        }
        match GridOp::of(op) {
            Ok(grid_op) => open.push(grid_op.on(chip)),
            Err(e) => failed = Some(e),
        }
    }
    runs.push(open);
    if let Some(e) = failed {
        return Err(e);
    }
    let mut groups = Vec::new();
    for run in runs {
        let formed = of_run(&run, chip, &flow);
        if explains {
            explain_apart(&run, &formed, chip, &flow);
        }
        groups.extend(formed);
    }
    Ok(groups)
}

/// Divides consecutive grid-level ops into groups. Each group starts at the first op without a
/// group, and contains as many ops as possible.
fn of_run<'c>(grid_ops: &[GridOp<'c>], chip: &Chip, flow: &Dataflow<'c>) -> Vec<Group<'c>> {
    let (mut groups, mut first) = (Vec::new(), 0);
    while first < grid_ops.len() {
        let mut longest = None;
        for count in 2..=grid_ops.len() - first {
            let Some(group) = together(&grid_ops[first..first + count], flow) else {
                break;
            };
            if let Some(group) = group.filter(|group| fits(group, chip).is_ok()) {
                longest = Some((count, group));
            }
        }
        match longest {
            Some((count, group)) => {
                groups.push(group);
                first += count;
            }
            None => first += 1,
        }
    }
    groups
}

/// Explains why a grid-level op shares no kernel with the preceding op, if both ops use a common
/// array.
fn explain_apart<'c>(
    grid_ops: &[GridOp<'c>],
    groups: &[Group<'c>],
    chip: &Chip,
    flow: &Dataflow<'c>,
) {
    let group_of = |grid_op: &GridOp<'c>| {
        let has = |group: &&Group<'c>| {
            group
                .phases
                .iter()
                .any(|phase| phase.grid_op.op == grid_op.op)
        };
        groups.iter().find(has)
    };
    for pair in grid_ops.windows(2) {
        let [before, grid_op] = pair else { continue };
        let own = group_of(before);
        let mut all = match own {
            Some(group) => group
                .phases
                .iter()
                .map(|phase| phase.grid_op.clone())
                .collect(),
            None => vec![before.clone()],
        };
        all.push(grid_op.clone());
        let is_together =
            own.is_some_and(|group| group.phases.iter().any(|p| p.grid_op.op == grid_op.op));
        let shares = all
            .iter()
            .rev()
            .skip(1)
            .any(|other| share_operand(other, grid_op));
        if is_together || !shares || !all.iter().any(is_reduction) {
            continue;
        }
        let group = Group::of(all, flow).map_err(|(_, reason)| reason);
        if let Err(reason) = group.and_then(|group| fits(&group, chip)) {
            explain(grid_op.op, Choice::Apart(ApartChoice { reason }));
        }
    }
}

/// Returns a group that consists of all `grid_ops`. The caller guarantees that all ops of
/// `grid_ops` except the last op can form a group, alone or with further ops. The result is
/// `Some(None)` if `grid_ops` can form a group only together with further ops, such as a reduction.
/// The result is `None` if no sequence of ops that starts with `grid_ops` can form a group.
fn together<'c>(grid_ops: &[GridOp<'c>], flow: &Dataflow<'c>) -> Option<Option<Group<'c>>> {
    let [before @ .., last] = grid_ops else {
        return Some(None);
    };
    if !are_connected(grid_ops) {
        return Some(None);
    }
    match grid_ops.iter().any(is_reduction) {
        true => Group::of(grid_ops.to_vec(), flow).ok().map(Some),
        false => (before[0].extents == last.extents).then_some(None),
    }
}

/// Returns whether common operands connect all grid-level ops, directly or through other ops.
fn are_connected(grid_ops: &[GridOp<'_>]) -> bool {
    let mut reached = vec![false; grid_ops.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let near =
            |other: &usize| !reached[*other] && share_operand(&grid_ops[at], &grid_ops[*other]);
        open.extend((0..grid_ops.len()).filter(near));
    }
    reached.into_iter().all(|is| is)
}

/// Checks that the rows of each phase fit into registers or caches. If the rows do not fit, the
/// error contains the reason.
fn fits(group: &Group<'_>, chip: &Chip) -> Result<(), String> {
    let cases = choose_phases(group, chip.clusters).cases;
    let holds = |case: &Case| case.steps.iter().any(Step::is_hold);
    let holds = !cases.is_empty() && cases.iter().all(holds);
    let holds_rows = holds && cases.iter().all(|case| group.holds_rows(case));
    for phase in &group.phases {
        if phase.row.is_empty() {
            match holds {
                true => continue,
                false => {
                    return Err(
                        "an op has one element per row, and the rows do not fit into registers"
                            .to_owned(),
                    );
                }
            }
        }
        if !phase.goes_along_rows() {
            return Err("adjacent elements in memory belong to different rows".to_owned());
        }
        if phase.shared.is_empty() {
            return Err("there is only one row, which a single block would compute".to_owned());
        }
        let Some(length) = phase.row_length() else {
            match holds {
                true => continue,
                false => {
                    let why = match (group.can_be_held(), phase.row.len()) {
                        (false, _) => "an op accumulates into old values",
                        (true, 1) => "the row does not fit into registers",
                        (true, _) => "a row has several loops",
                    };
                    return Err(format!("the length of a row is dynamic, and {why}"));
                }
            }
        };
        if length <= 1 {
            return Err(format!("a row has {length} elements"));
        }
        let bytes = bytes_of_block(group, chip.clusters).unwrap_or(i64::MAX);
        if !holds_rows && bytes > KEPT_BYTES {
            return Err(format!(
                "a block would load {bytes} bytes of a row again, more than fit into registers, \
                 and more than the {KEPT_BYTES} bytes that stay in caches"
            ));
        }
    }
    Ok(())
}
