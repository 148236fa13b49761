//! Text of the explanations of the compiler.

use super::{
    Candidate, CaseEstimate, Choice, Cost, Estimates, ExchangeChoice, Explanation, GroupChoice,
    GroupedArray, GroupedOp, Reason, ScheduleCase, ScheduleChoice, ScheduleStep, SourcePlace,
    Traffic, UpTo, Variant,
};
use std::fmt;

/// Text of the note about schedules that the compiler chose.
pub const BY_RULES: &str = "chosen by rules that were measured on GPUs, for the kind of reduction \
                            and its lengths; estimates distinguish kinds of schedules, and set the \
                            order in which `tx tune` measures them";

/// Text of the note about schedules with several cases.
pub const FIRST_CASE: &str = "the first case that covers the lengths is used";

/// Text of the note about threads that exchange values only through shared memory.
pub const NO_LANES: &str =
    "no two threads of a group are lanes of one warp, so no values are shuffled";

fn how(mapping: Option<&str>, by: &str) -> String {
    match mapping {
        Some(mapping) => format!("by {by}: {mapping}"),
        None => "as written in the program".to_owned(),
    }
}

impl Explanation {
    /// Returns one line of text that describes the choice of the compiler.
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
            Choice::Apart(_) => {
                format!("`{}` does not share a kernel with the previous op", self.op)
            }
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

    /// Returns the notes of the remark that describes the choice of the compiler. The notes list
    /// the reasons for the choice of the compiler, and the alternatives to the choice.
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

/// Prints a remark with its notes.
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

    /// Returns text with the estimated time of the schedule, and with the components of the
    /// estimated time.
    pub fn own(&self, cost: &Cost) -> String {
        let who = match self.mapping {
            Some(_) => "chosen",
            None => "written",
        };
        format!("{who}: {}; {}", cost.text(), cost.parts())
    }
}

impl GroupChoice {
    /// Returns lines of text that describe the kernel, the arrays of the kernel, and the number of
    /// bytes that the kernel reads and writes.
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
    /// Returns the op with its source position, such as `` `tile.reduce` at 3:5 ``.
    pub fn line(&self) -> String {
        match &self.place {
            Some(at) => format!("`{}` at {}:{}", self.op, at.line, at.column),
            None => format!("`{}`", self.op),
        }
    }
}

impl GroupedArray {
    /// Returns one line of text with the name of the array, and with the location of the array
    /// elements (registers or memory).
    pub fn line(&self) -> String {
        let what = match self.argument {
            Some(number) => format!("argument {number}"),
            None => "a temporary".to_owned(),
        };
        format!("`{}`, {what}, {}", self.name, self.place())
    }

    /// Returns text that states whether the array elements are in registers or in memory between
    /// the ops of the kernel.
    pub fn place(&self) -> &'static str {
        match (self.is_held, self.is_stored) {
            (true, false) => "stays in registers and is never stored",
            (true, true) => "stays in registers",
            (false, _) => "is in memory",
        }
    }
}

impl Traffic {
    /// Returns one line of text with the number of bytes that the kernel reads and writes.
    pub fn line(self) -> String {
        let Self { bytes, fewest } = self;
        match bytes.cmp(&fewest) {
            std::cmp::Ordering::Greater => {
                format!(
                    "reads and writes {bytes} bytes, some of them from caches; the minimum is \
                     {fewest} bytes"
                )
            }
            _ => format!("reads and writes {bytes} bytes, the minimum"),
        }
    }
}

impl ScheduleCase {
    /// Returns the range of row lengths of schedule case `number` as text; `None` for all lengths.
    pub fn lengths(&self, number: usize) -> Option<String> {
        match self.up_to {
            Some(up_to) => Some(format!("`d{}` {up_to}", up_to.dimension)),
            None => (number > 0).then(|| "all other lengths".to_owned()),
        }
    }

    /// Returns text that describes the kernels of the schedule case, with their names if they
    /// exist.
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

impl UpTo {
    /// Returns all lengths of a dimension up to `length`.
    pub const fn new(dimension: usize, length: i64) -> Self {
        Self {
            dimension,
            length,
            multiple_of: 1,
        }
    }

    /// Returns whether `self` contains all lengths that `other` contains.
    pub const fn covers(self, other: Self) -> bool {
        self.dimension == other.dimension
            && self.length >= other.length
            && other.multiple_of % self.multiple_of == 0
    }

    /// Returns whether `self` contains a length.
    pub const fn contains(self, length: i64) -> bool {
        length <= self.length && length % self.multiple_of == 0
    }

    /// Returns the lengths in the syntax of `#tile.case`, such as `to 64 multiple_of 4`.
    fn syntax(self) -> String {
        match self.multiple_of {
            1 => format!("to {}", self.length),
            n => format!("to {} multiple_of {n}", self.length),
        }
    }
}

/// Writes text such as `up to 64` or `up to 64, multiples of 4`.
impl fmt::Display for UpTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "up to {}", self.length)?;
        match self.multiple_of {
            1 => Ok(()),
            n => write!(f, ", multiples of {n}"),
        }
    }
}

impl CaseEstimate {
    /// Returns text with the estimated time, and with the dimension lengths for which the time is
    /// valid, such as `8.0 µs for 4x8`.
    pub fn text(&self) -> String {
        format!("{:.1} µs for {}", self.microseconds, shape(&self.lengths))
    }
}

impl Estimates {
    /// Returns text with the GPU and the dimension lengths that the estimated times assume.
    pub fn about(&self) -> String {
        let assumed = match self.is_assumed {
            true => ", assumed for dynamic sizes",
            false => "",
        };
        format!(
            "the {}, which represents {}, and lengths of {}{assumed}",
            self.board,
            self.chip,
            shape(&self.lengths)
        )
    }
}

impl Cost {
    /// Returns text with the estimated time, the number of bytes, the number of waves, and the
    /// number of resident threads per SM.
    pub fn text(&self) -> String {
        format!("{:.1} µs for {}", self.microseconds, self.work())
    }

    /// Returns text with the number of bytes, the number of waves, and the number of resident
    /// threads per SM.
    pub fn work(&self) -> String {
        format!(
            "{:.0} bytes, {:.1} waves of {:.0} threads per SM",
            self.bytes, self.waves, self.resident
        )
    }

    /// Returns the components of the estimated time as text.
    pub fn parts(&self) -> String {
        format!(
            "memory bandwidth alone would take {:.1} µs, memory latency {:.1} µs, instructions \
             {:.1} µs",
            self.memory, self.latency, self.instructions
        )
    }
}

impl Candidate {
    /// Returns the text of the attribute `schedule`.
    pub fn text(&self) -> String {
        self.with(
            &|step| step.attribute.clone(),
            &|up_to, steps| match up_to {
                Some(up_to) => {
                    format!(
                        "#tile.case<\"d{}\" {}, [{steps}]>",
                        up_to.dimension,
                        up_to.syntax()
                    )
                }
                None => format!("#tile.otherwise<[{steps}]>"),
            },
        )
    }

    /// Returns the schedule in words, without enclosing brackets.
    pub fn words(&self) -> String {
        let words = self.with(&|step| step.words.clone(), &|up_to, steps| match up_to {
            Some(up_to) => format!("case d{} {}, [{steps}]", up_to.dimension, up_to.syntax()),
            None => format!("otherwise [{steps}]"),
        });
        words[1..words.len() - 1].to_owned()
    }

    /// Returns the schedule in words with `n` in place of numbers. Two schedules have the same text
    /// if they differ only in numbers.
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
    /// Returns one line of text with the name and the priority of the variant, and with its cost or
    /// the reasons of its rejection.
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

    /// Returns the reasons why the compiler rejected the variant, as text.
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
    /// Returns one line of text that names the chosen exchange method.
    pub fn what(&self) -> String {
        match &self.chosen {
            Some(way) => format!("variant `{way}` exchanges these values"),
            None => "shared memory exchanges these values".to_owned(),
        }
    }
}

/// Returns the text of a `schedule` attribute with the schedule steps `steps`.
pub fn steps_text(steps: &[ScheduleStep]) -> String {
    let steps: Vec<&str> = steps.iter().map(|step| &*step.attribute).collect();
    format!("[{}]", steps.join(", "))
}

fn shape(lengths: &[f64]) -> String {
    let lengths: Vec<String> = lengths.iter().map(|n| format!("{n:.0}")).collect();
    lengths.join("x")
}
