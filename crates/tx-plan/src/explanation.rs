//! What the compiler chose for an op, and why, as plain data: `tx explain` prints it, `tx report`
//! draws it, and passes report it as a remark.

use serde::Serialize;
use std::fmt;

/// What was chosen for one op.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The op, such as `tile.reduce`.
    pub op: String,
    /// Where it is written; `None` where that is not known.
    pub place: Option<SourcePlace>,
    /// The choice.
    pub choice: Choice,
}

/// A place in a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcePlace {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
}

/// A choice between schedules or variants.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The schedule of an op on whole arrays.
    Schedule(ScheduleChoice),
    /// The kernel that several ops share.
    Group(GroupChoice),
    /// Why an op does not share the kernel of the ops before it.
    Apart(ApartChoice),
    /// The variant of a reduction in a kernel.
    Variant(VariantChoice),
    /// How the threads of a group exchange values.
    Exchange(ExchangeChoice),
}

/// The schedule of an op, and others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleChoice {
    /// The name of the mapping that the rules chose; none where the program has the schedule.
    pub mapping: Option<String>,
    /// The cases, of which the first that the lengths fit is taken.
    pub cases: Vec<ScheduleCase>,
    /// Estimated times of this schedule and of others; `None` for an op that reduces nothing.
    pub estimates: Option<Estimates>,
}

/// A kernel that several ops share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupChoice {
    /// The name of the mapping that the rules chose; none where the program has the schedule.
    pub mapping: Option<String>,
    /// The name of the kernel; `None` where there is none yet.
    pub kernel: Option<String>,
    /// The lengths of a row that the kernel is for, in words; `None` for all.
    pub lengths: Option<String>,
    /// Threads of a block.
    pub threads: i64,
    /// Blocks of a cluster, which share rows.
    pub blocks: i64,
    /// The ops, in order.
    pub ops: Vec<GroupedOp>,
    /// The arrays that they use.
    pub arrays: Vec<GroupedArray>,
    /// Bytes read and written; `None` where sizes are known at run time only.
    pub traffic: Option<Traffic>,
    /// The steps of the schedule.
    pub steps: Vec<ScheduleStep>,
}

/// An op of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedOp {
    /// The op, such as `tile.reduce`.
    pub op: String,
    /// Where it is written; `None` where that is not known.
    pub place: Option<SourcePlace>,
}

/// An array that a group of ops uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedArray {
    /// The name that schedules have for it: `in0`, `tmp0`, `out0`.
    pub name: String,
    /// The number of the function's argument that it is; `None` for a temporary.
    pub argument: Option<usize>,
    /// Whether each thread holds its elements in registers from one op to the next.
    pub is_held: bool,
    /// Whether memory has it; else it stays in registers alone.
    pub is_stored: bool,
}

/// Bytes that a kernel reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Bytes that the ops read and write: an array that is not held counts once for each op that uses it.
    pub bytes: u64,
    /// Bytes of all arrays that are inputs or results, each once.
    pub fewest: u64,
}

/// Why an op does not share the kernel of the ops before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApartChoice {
    /// The reason.
    pub reason: String,
}

/// A schedule for some lengths.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleCase {
    /// The greatest length that it is for; `None` for all lengths that no case before takes.
    pub up_to: Option<UpTo>,
    /// Whether it becomes one kernel.
    pub is_one_kernel: bool,
    /// The names of its kernels; empty where there are none yet.
    pub kernels: Vec<String>,
    /// Threads of a block.
    pub threads: i64,
    /// The estimated time; `None` for the only case, whose time is among the [`Estimates`].
    pub estimate: Option<CaseEstimate>,
    /// The steps.
    pub steps: Vec<ScheduleStep>,
}

/// The greatest length of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UpTo {
    /// The dimension of the iteration space, from 0.
    pub dimension: usize,
    /// The length.
    pub length: i64,
}

/// The estimated time of a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseEstimate {
    /// The time in microseconds.
    pub microseconds: f64,
    /// The lengths that it is for.
    pub lengths: Vec<f64>,
}

/// A step of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScheduleStep {
    /// The attribute: `#tile.split<"d0" by 8>`.
    pub attribute: String,
    /// The same in words: `split d0 by 8`.
    pub words: String,
    /// The words without numbers, which steps of one sort share: `split d0 by n`.
    pub sort: String,
}

/// Estimated times, which a model of the card gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimates {
    /// The card.
    pub board: String,
    /// The chip that the card stands for.
    pub chip: String,
    /// The lengths that estimates are for.
    pub lengths: Vec<f64>,
    /// Whether some lengths are assumed, since they are known at run time only.
    pub is_assumed: bool,
    /// The estimate of the schedule.
    pub own: Cost,
    /// Other schedules, the least time first.
    pub others: Vec<Candidate>,
}

/// An estimate, and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// The time in microseconds.
    pub microseconds: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// How often all multiprocessors are filled with blocks.
    pub waves: f64,
    /// Resident threads of a multiprocessor.
    pub resident: f64,
    /// Microseconds, if nothing but the memory took time.
    pub memory: f64,
    /// Microseconds, if nothing but the latency of loads took time.
    pub latency: f64,
    /// Microseconds, if nothing but instructions took time.
    pub instructions: f64,
}

/// Another schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Its estimate.
    pub cost: Cost,
    /// Its cases: for which lengths, and the steps.
    pub cases: Vec<(Option<UpTo>, Vec<ScheduleStep>)>,
}

/// The variant of a reduction, and others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantChoice {
    /// The variant.
    pub chosen: String,
    /// All variants, by name.
    pub variants: Vec<Variant>,
}

/// A variant, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variant {
    /// The name.
    pub name: String,
    /// The priority; `None` for a way to exchange values, which has none.
    pub priority: Option<i64>,
    /// The cost; `None` where it is refused.
    pub cost: Option<u64>,
    /// Why it is refused.
    pub reasons: Vec<Reason>,
}

/// Why a variant is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The predicate that does not hold; `None` where it has no name.
    pub predicate: Option<String>,
    /// What is expected, and what was found.
    pub text: String,
}

/// How the threads of a group exchange values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExchangeChoice {
    /// The kernel; `None` outside of one.
    pub kernel: Option<String>,
    /// The lengths that the kernel is for, in words; `None` for all.
    pub lengths: Option<String>,
    /// The way; `None` for shared memory alone, where no two threads of a group are lanes of one warp.
    pub chosen: Option<String>,
    /// The ways, by name.
    pub ways: Vec<Variant>,
}

/// The note of schedules that rules choose.
pub const BY_RULES: &str = "chosen by rules that were measured on GPUs, for the kind of reduction \
                            and its lengths; \
                            estimates tell sorts of schedules apart, and say what `tx tune` tries first";
/// The note of schedules with cases.
pub const FIRST_CASE: &str = "the first of these cases that the lengths fit is taken";
/// The note of exchanges through shared memory alone.
pub const NO_LANES: &str =
    "no two threads of a group are lanes of one warp: there is nothing to shuffle";

/// How a schedule came about.
fn how(mapping: Option<&str>, by: &str) -> String {
    match mapping {
        Some(mapping) => format!("by {by}: {mapping}"),
        None => "as is written".to_owned(),
    }
}

impl Explanation {
    /// What was chosen, in a line.
    pub fn message(&self) -> String {
        match &self.choice {
            Choice::Schedule(choice) => {
                let how = how(choice.mapping.as_deref(), "its shape");
                format!("`{}` is scheduled {how}", self.op)
            }
            Choice::Group(choice) => {
                let how = how(choice.mapping.as_deref(), "their rows");
                let lengths = match &choice.lengths {
                    Some(lengths) => format!(" for {lengths}"),
                    None => String::new(),
                };
                format!(
                    "{} ops share a kernel{lengths}, scheduled {how}",
                    choice.ops.len()
                )
            }
            Choice::Apart(_) => format!("`{}` does not share the kernel before it", self.op),
            Choice::Variant(choice) => {
                format!("variant `{}` computes this reduction", choice.chosen)
            }
            Choice::Exchange(choice) => {
                let place = match (&choice.kernel, &choice.lengths) {
                    (Some(kernel), Some(lengths)) => format!(" of `{kernel}`, for {lengths}"),
                    (Some(kernel), None) => format!(" of `{kernel}`"),
                    (None, _) => String::new(),
                };
                format!("{}{place}", choice.what())
            }
        }
    }

    /// Why it was chosen, and what else there was: the notes of a remark.
    pub fn notes(&self) -> Vec<String> {
        match &self.choice {
            Choice::Schedule(choice) => choice.notes(),
            Choice::Group(choice) => {
                let mut notes = choice.notes();
                notes.push(format!("schedule: {}", steps_text(&choice.steps)));
                notes
            }
            Choice::Apart(choice) => vec![choice.reason.clone()],
            Choice::Variant(choice) => {
                let each = choice.variants.iter();
                each.map(|variant| variant.line(variant.name == choice.chosen))
                    .collect()
            }
            Choice::Exchange(choice) if choice.chosen.is_none() => vec![NO_LANES.to_owned()],
            Choice::Exchange(choice) => {
                let is_chosen = |way: &Variant| choice.chosen.as_ref() == Some(&way.name);
                choice
                    .ways
                    .iter()
                    .map(|way| way.line(is_chosen(way)))
                    .collect()
            }
        }
    }
}

/// As a remark with its notes.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.place {
            Some(SourcePlace { file, line, column }) => format!("{file}:{line}:{column}: "),
            None => String::new(),
        };
        write!(f, "{place}remark: {}", self.message())?;
        for note in self.notes() {
            write!(f, "\n{place}note: {note}")?;
        }
        Ok(())
    }
}

impl ScheduleChoice {
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.cases.len() > 1 {
            notes.push(FIRST_CASE.to_owned());
        }
        for (number, case) in self.cases.iter().enumerate() {
            let lengths = match case.lengths(number) {
                Some(lengths) => format!("{lengths}: "),
                None => String::new(),
            };
            let plural = if case.threads == 1 { "" } else { "s" };
            let time = case
                .estimate
                .as_ref()
                .map_or_else(String::new, |estimate| format!(", {}", estimate.text()));
            notes.push(format!(
                "{lengths}{}, {} thread{plural} a block{time}: {}",
                case.kernel(),
                case.threads,
                steps_text(&case.steps)
            ));
        }
        let Some(estimates) = &self.estimates else {
            return notes;
        };
        notes.push(format!("estimates are for {}", estimates.about()));
        if self.mapping.is_some() {
            notes.push(BY_RULES.to_owned());
        }
        notes.push(self.own(&estimates.own));
        let others = estimates.others.iter();
        notes.extend(
            others.map(|other| format!("candidate: {}: {}", other.cost.text(), other.text())),
        );
        notes
    }

    /// What the schedule should take.
    pub fn own(&self, cost: &Cost) -> String {
        let who = match self.mapping {
            Some(_) => "chosen",
            None => "written",
        };
        format!("{who}: {}; {}", cost.text(), cost.parts())
    }
}

impl GroupChoice {
    /// The kernel, what it holds, and its traffic, in lines.
    pub fn notes(&self) -> Vec<String> {
        let kernel = match &self.kernel {
            Some(name) => format!("kernel `{name}`"),
            None => "one kernel".to_owned(),
        };
        let plural = if self.threads == 1 { "" } else { "s" };
        let cluster = match self.blocks {
            1 => String::new(),
            blocks => format!(", {blocks} blocks a cluster"),
        };
        let mut notes = vec![format!(
            "{kernel}: {} thread{plural} a block{cluster}",
            self.threads
        )];
        notes.extend(self.arrays.iter().map(GroupedArray::line));
        notes.extend(self.traffic.map(Traffic::line));
        notes
    }
}

impl GroupedOp {
    /// The op and where it is written: `` `tile.reduce` at 3:5 ``.
    pub fn line(&self) -> String {
        match &self.place {
            Some(at) => format!("`{}` at {}:{}", self.op, at.line, at.column),
            None => format!("`{}`", self.op),
        }
    }
}

impl GroupedArray {
    /// What becomes of it, in a line.
    pub fn line(&self) -> String {
        let what = match self.argument {
            Some(number) => format!("argument {number}"),
            None => "a temporary".to_owned(),
        };
        format!("`{}`, {what}, {}", self.name, self.place())
    }

    /// Where its elements are between ops.
    pub fn place(&self) -> &'static str {
        match (self.is_held, self.is_stored) {
            (true, false) => "stays in registers and is never stored",
            (true, true) => "stays in registers",
            (false, _) => "is in memory",
        }
    }
}

impl Traffic {
    /// The bytes, in a line.
    pub fn line(self) -> String {
        let Self { bytes, fewest } = self;
        match bytes.cmp(&fewest) {
            std::cmp::Ordering::Greater => {
                format!(
                    "reads and writes {bytes} bytes, of which caches have some; at least {fewest} are needed"
                )
            }
            _ => format!("reads and writes {bytes} bytes, the fewest possible"),
        }
    }
}

impl ScheduleCase {
    /// The lengths that the case of this number is for; `None` for all.
    pub fn lengths(&self, number: usize) -> Option<String> {
        match self.up_to {
            Some(UpTo { dimension, length }) => Some(format!("`d{dimension}` up to {length}")),
            None => (number > 0).then(|| "all other lengths".to_owned()),
        }
    }

    /// Its kernels, by name where they have one.
    pub fn kernel(&self) -> String {
        let names: Vec<String> = self
            .kernels
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        match (&names[..], self.is_one_kernel) {
            ([], true) => "one kernel".to_owned(),
            ([], false) => "several kernels".to_owned(),
            (names, true) => format!("kernel {}", names.join(" and ")),
            (names, false) => format!("kernels {}", names.join(" and ")),
        }
    }
}

impl CaseEstimate {
    /// The time, and what it is for: `8.0 µs for 4x8`.
    pub fn text(&self) -> String {
        format!("{:.1} µs for {}", self.microseconds, shape(&self.lengths))
    }
}

impl Estimates {
    /// What the estimates are for: a card and lengths.
    pub fn about(&self) -> String {
        let assumed = match self.is_assumed {
            true => ", which is assumed where sizes are known at run time only",
            false => "",
        };
        format!(
            "the {}, whose figures stand for {}, and {}{assumed}",
            self.board,
            self.chip,
            shape(&self.lengths)
        )
    }
}

impl Cost {
    /// The time, and what it is spent on.
    pub fn text(&self) -> String {
        format!("{:.1} µs for {}", self.microseconds, self.work())
    }

    /// What the time is spent on.
    pub fn work(&self) -> String {
        format!(
            "{:.0} bytes, {:.1} waves of {:.0} threads a multiprocessor",
            self.bytes, self.waves, self.resident
        )
    }

    /// What the time is made of.
    pub fn parts(&self) -> String {
        format!(
            "the memory alone would take {:.1} µs, loads with as many in flight {:.1} µs, \
             instructions {:.1} µs",
            self.memory, self.latency, self.instructions
        )
    }
}

impl Candidate {
    /// The attribute `schedule`.
    pub fn text(&self) -> String {
        self.with(
            &|step| step.attribute.clone(),
            &|up_to, steps| match up_to {
                Some(UpTo { dimension, length }) => {
                    format!("#tile.case<\"d{dimension}\" to {length}, [{steps}]>")
                }
                None => format!("#tile.otherwise<[{steps}]>"),
            },
        )
    }

    /// The same in words, without brackets around it.
    pub fn words(&self) -> String {
        let words = self.with(&|step| step.words.clone(), &|up_to, steps| match up_to {
            Some(UpTo { dimension, length }) => format!("case d{dimension} to {length}, [{steps}]"),
            None => format!("otherwise [{steps}]"),
        });
        words[1..words.len() - 1].to_owned()
    }

    /// The words without numbers, which candidates of one sort share.
    pub fn sort(&self) -> String {
        self.with(&|step| step.sort.clone(), &|up_to, steps| match up_to {
            Some(UpTo { dimension, .. }) => format!("case d{dimension} to n, [{steps}]"),
            None => format!("otherwise [{steps}]"),
        })
    }

    fn with(
        &self,
        step: &dyn Fn(&ScheduleStep) -> String,
        case: &dyn Fn(Option<UpTo>, String) -> String,
    ) -> String {
        let list = |steps: &[ScheduleStep]| steps.iter().map(step).collect::<Vec<_>>().join(", ");
        if let [(None, steps)] = &self.cases[..] {
            return format!("[{}]", list(steps));
        }
        let cases = self.cases.iter();
        let cases: Vec<String> = cases
            .map(|(up_to, steps)| case(*up_to, list(steps)))
            .collect();
        format!("[{}]", cases.join(", "))
    }
}

impl Variant {
    /// A line of the table of all variants.
    pub fn line(&self, is_chosen: bool) -> String {
        let name = match self.priority {
            Some(priority) => format!("{} (priority {priority})", self.name),
            None => self.name.clone(),
        };
        let verdict = match self.cost {
            Some(cost) => format!("accepted, cost {cost}"),
            None => self.why(),
        };
        let chosen = if is_chosen { ", chosen" } else { "" };
        format!("{name}: {verdict}{chosen}")
    }

    /// Why it is refused.
    pub fn why(&self) -> String {
        let reasons: Vec<String> = self.reasons.iter().map(Reason::line).collect();
        reasons.join("; ")
    }
}

impl Reason {
    fn line(&self) -> String {
        match &self.predicate {
            Some(predicate) => format!("{predicate}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

impl ExchangeChoice {
    /// What exchanges values.
    pub fn what(&self) -> String {
        match &self.chosen {
            Some(way) => format!("variant `{way}` exchanges these values"),
            None => "shared memory exchanges these values".to_owned(),
        }
    }
}

/// The attribute `schedule` of some steps.
pub fn steps_text(steps: &[ScheduleStep]) -> String {
    let steps: Vec<&str> = steps.iter().map(|step| &*step.attribute).collect();
    format!("[{}]", steps.join(", "))
}

fn shape(lengths: &[f64]) -> String {
    let lengths: Vec<String> = lengths.iter().map(|n| format!("{n:.0}")).collect();
    lengths.join("x")
}
