//! Schedules as Rust data, converted from and to the attribute `schedule`.

use std::fmt;
use tx_dialect_tile as tile;
use tx_mlir::melior::Context;
use tx_mlir::melior::ir::Attribute;
use tx_mlir::melior::ir::attribute::ArrayAttribute;
use tx_plan::{ScheduleStep, UpTo};

/// Processor that a loop is bound to, along dimension 0 (x), 1 (y) or 2 (z).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processor {
    Block(usize),
    Cluster(usize),
    Thread(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Split(String, i64),
    Align(String, i64),
    Fuse(Vec<String>, String),
    Reorder(Vec<String>),
    Bind(String, Processor),
    RFactor(String),
    Unroll(String),
    Vectorize(String),
    Stream,
    EvictLast,
    Prefetch,
    Resident(i64),
    /// Name of an array of a group, and the kind of memory that holds the array between phases.
    Hold(String, tile::Residency),
    LastBlock,
}

/// Processors of the `tile` dialect, each with the corresponding [`Processor`].
const PROCESSORS: [(tile::Processor, Processor); 9] = [
    (tile::Processor::BlockX, Processor::Block(0)),
    (tile::Processor::BlockY, Processor::Block(1)),
    (tile::Processor::BlockZ, Processor::Block(2)),
    (tile::Processor::ClusterX, Processor::Cluster(0)),
    (tile::Processor::ClusterY, Processor::Cluster(1)),
    (tile::Processor::ClusterZ, Processor::Cluster(2)),
    (tile::Processor::ThreadX, Processor::Thread(0)),
    (tile::Processor::ThreadY, Processor::Thread(1)),
    (tile::Processor::ThreadZ, Processor::Thread(2)),
];

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.word().fmt(f)
    }
}

impl Processor {
    fn of(word: tile::Processor) -> Self {
        let found = PROCESSORS.iter().find(|(known, _)| *known == word);
        found.map_or(Self::Block(0), |(_, processor)| *processor)
    }

    fn word(self) -> tile::Processor {
        let found = PROCESSORS.iter().find(|(_, known)| *known == self);
        found.map_or(tile::Processor::BlockX, |(word, _)| *word)
    }
}

impl Step {
    /// Parses one entry of the attribute `schedule`. Returns `None` if the entry is not a step.
    pub(crate) fn of(a: Attribute<'_>) -> Option<Self> {
        let split = || tile::Split::of(a).map(|s| Self::Split(s.r#loop, s.factor));
        let align = || tile::Align::of(a).map(|s| Self::Align(s.r#loop, s.factor));
        let fuse = || tile::Fuse::of(a).map(|s| Self::Fuse(s.loops, s.to));
        let reorder = || tile::Reorder::of(a).map(|s| Self::Reorder(s.loops));
        let bind = || tile::Bind::of(a).map(|s| Self::Bind(s.r#loop, Processor::of(s.processor)));
        let rfactor = || tile::RFactor::of(a).map(|s| Self::RFactor(s.r#loop));
        let unroll = || tile::Unroll::of(a).map(|s| Self::Unroll(s.r#loop));
        let vectorize = || tile::Vectorize::of(a).map(|s| Self::Vectorize(s.r#loop));
        let stream = || tile::Stream::of(a).map(|_| Self::Stream);
        let evict_last = || tile::EvictLast::of(a).map(|_| Self::EvictLast);
        let prefetch = || tile::Prefetch::of(a).map(|_| Self::Prefetch);
        let resident = || tile::Resident::of(a).map(|s| Self::Resident(s.threads));
        let hold = || tile::Hold::of(a).map(|s| Self::Hold(s.value, s.residency));
        let last_block = || tile::LastBlock::of(a).map(|_| Self::LastBlock);
        split()
            .or_else(align)
            .or_else(fuse)
            .or_else(reorder)
            .or_else(bind)
            .or_else(rfactor)
            .or_else(unroll)
            .or_else(vectorize)
            .or_else(stream)
            .or_else(evict_last)
            .or_else(prefetch)
            .or_else(resident)
            .or_else(hold)
            .or_else(last_block)
    }

    pub(crate) fn to_attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let name = |l: &String| l.clone();
        match self {
            Self::Split(l, factor) => tile::Split {
                r#loop: name(l),
                factor: *factor,
            }
            .to_attribute(context),
            Self::Align(l, factor) => tile::Align {
                r#loop: name(l),
                factor: *factor,
            }
            .to_attribute(context),
            Self::Fuse(loops, to) => tile::Fuse {
                loops: loops.clone(),
                to: to.clone(),
            }
            .to_attribute(context),
            Self::Reorder(loops) => tile::Reorder {
                loops: loops.clone(),
            }
            .to_attribute(context),
            Self::Bind(l, processor) => tile::Bind {
                r#loop: name(l),
                processor: processor.word(),
            }
            .to_attribute(context),
            Self::RFactor(l) => tile::RFactor { r#loop: name(l) }.to_attribute(context),
            Self::Unroll(l) => tile::Unroll { r#loop: name(l) }.to_attribute(context),
            Self::Vectorize(l) => tile::Vectorize { r#loop: name(l) }.to_attribute(context),
            Self::Stream => tile::Stream.to_attribute(context),
            Self::EvictLast => tile::EvictLast.to_attribute(context),
            Self::Prefetch => tile::Prefetch.to_attribute(context),
            Self::Resident(threads) => tile::Resident { threads: *threads }.to_attribute(context),
            Self::Hold(value, residency) => tile::Hold {
                value: value.clone(),
                residency: *residency,
            }
            .to_attribute(context),
            Self::LastBlock => tile::LastBlock.to_attribute(context),
        }
    }
}

impl Step {
    /// Returns the names of all loops in the step, including the fused loop of a fusion.
    pub(crate) fn loops(&self) -> Vec<&str> {
        match self {
            Self::Split(l, _)
            | Self::Align(l, _)
            | Self::Bind(l, _)
            | Self::RFactor(l)
            | Self::Unroll(l)
            | Self::Vectorize(l) => vec![l],
            Self::Fuse(loops, to) => loops.iter().chain([to]).map(String::as_str).collect(),
            Self::Reorder(loops) => loops.iter().map(String::as_str).collect(),
            Self::Stream
            | Self::EvictLast
            | Self::Prefetch
            | Self::Resident(_)
            | Self::Hold(..)
            | Self::LastBlock => Vec::new(),
        }
    }
}

impl Step {
    pub(crate) fn is_hold(&self) -> bool {
        matches!(self, Self::Hold(_, tile::Residency::Registers))
    }

    pub(crate) fn renamed(&self, name: impl Fn(&str) -> String) -> Self {
        let all = |loops: &[String]| loops.iter().map(|l| name(l)).collect();
        match self {
            Self::Split(l, factor) => Self::Split(name(l), *factor),
            Self::Align(l, factor) => Self::Align(name(l), *factor),
            Self::Fuse(loops, to) => Self::Fuse(all(loops), to.clone()),
            Self::Reorder(loops) => Self::Reorder(all(loops)),
            Self::Bind(l, processor) => Self::Bind(name(l), *processor),
            Self::RFactor(l) => Self::RFactor(name(l)),
            Self::Unroll(l) => Self::Unroll(name(l)),
            Self::Vectorize(l) => Self::Vectorize(name(l)),
            Self::Stream
            | Self::EvictLast
            | Self::Prefetch
            | Self::Resident(_)
            | Self::Hold(..)
            | Self::LastBlock => self.clone(),
        }
    }

    pub(crate) fn described(&self) -> ScheduleStep {
        let words = |number: &dyn Fn(i64) -> String| match self {
            Self::Split(l, factor) => format!("split {l} by {}", number(*factor)),
            Self::Align(l, factor) => format!("align {l} to {}", number(*factor)),
            Self::Fuse(loops, to) => format!("fuse [{}] to {to}", loops.join(", ")),
            Self::Reorder(loops) => format!("reorder {}", loops.join(", ")),
            Self::Bind(l, processor) => format!("bind {l} to {processor}"),
            Self::RFactor(l) => format!("rfactor {l}"),
            Self::Unroll(l) => format!("unroll {l}"),
            Self::Vectorize(l) => format!("vectorize {l}"),
            Self::Stream => "stream".to_owned(),
            Self::EvictLast => "evict_last".to_owned(),
            Self::Prefetch => "prefetch".to_owned(),
            Self::Resident(threads) => format!("resident {}", number(*threads)),
            Self::Hold(value, residency) => format!("hold {value} in {residency}"),
            Self::LastBlock => "last_block".to_owned(),
        };
        ScheduleStep {
            attribute: self.to_string(),
            words: words(&|number| number.to_string()),
            sort: words(&|_| "n".to_owned()),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |loops: &[String]| {
            let quoted: Vec<String> = loops.iter().map(|l| format!("\"{l}\"")).collect();
            quoted.join(", ")
        };
        match self {
            Self::Split(l, factor) => write!(f, "#tile.split<\"{l}\" by {factor}>"),
            Self::Align(l, factor) => write!(f, "#tile.align<\"{l}\" to {factor}>"),
            Self::Fuse(loops, to) => write!(f, "#tile.fuse<[{}] to \"{to}\">", list(loops)),
            Self::Reorder(loops) => write!(f, "#tile.reorder<{}>", list(loops)),
            Self::Bind(l, processor) => write!(f, "#tile.bind<\"{l}\" to {processor}>"),
            Self::RFactor(l) => write!(f, "#tile.rfactor<\"{l}\">"),
            Self::Unroll(l) => write!(f, "#tile.unroll<\"{l}\">"),
            Self::Vectorize(l) => write!(f, "#tile.vectorize<\"{l}\">"),
            Self::Stream => f.write_str("#tile.stream"),
            Self::EvictLast => f.write_str("#tile.evict_last"),
            Self::Prefetch => f.write_str("#tile.prefetch"),
            Self::Resident(threads) => write!(f, "#tile.resident<{threads}>"),
            Self::Hold(value, residency) => write!(f, "#tile.hold<\"{value}\" in {residency}>"),
            Self::LastBlock => f.write_str("#tile.last_block"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// Lengths that the schedule case covers; `None` if the case covers all lengths that no earlier
    /// case covers.
    pub(crate) up_to: Option<UpTo>,
    pub(crate) steps: Vec<Step>,
}

impl Case {
    /// Returns the dimension and the maximum length of a case that covers all lengths up to a
    /// maximum length; `None` for other cases.
    pub(crate) fn all_up_to(&self) -> Option<(usize, i64)> {
        let all = self.up_to.filter(|up_to| up_to.multiple_of == 1);
        all.map(|up_to| (up_to.dimension, up_to.length))
    }

    /// Returns whether the case covers only multiples of a number. Later cases of the schedule also
    /// cover these lengths, so the host may add conditions to the case.
    pub(crate) fn is_for_multiples(&self) -> bool {
        self.up_to.is_some_and(|up_to| up_to.multiple_of > 1)
    }

    pub(crate) fn always(steps: Vec<Step>) -> Self {
        Self { up_to: None, steps }
    }

    /// Parses one case of the attribute `schedule`. Returns the covered lengths and the list of
    /// steps of the case. Returns `None` for an attribute that is not a case, and for a case whose
    /// loop name does not begin with the letter in `loops`.
    pub(crate) fn of(
        attribute: Attribute<'_>,
        loops: char,
    ) -> Option<(Option<UpTo>, Attribute<'_>)> {
        if let Some(otherwise) = tile::Otherwise::of(attribute) {
            return Some((None, otherwise.schedule));
        }
        let case = tile::Case::of(attribute)?;
        let up_to = UpTo {
            dimension: case.r#loop.strip_prefix(loops)?.parse().ok()?,
            length: case.most,
            multiple_of: case.multiple,
        };
        Some((Some(up_to), case.schedule))
    }

    fn to_attribute<'c>(&self, context: &'c Context, loops: char) -> Attribute<'c> {
        let schedule = to_attribute(context, &self.steps);
        match self.up_to {
            Some(up_to) => tile::Case {
                r#loop: format!("{loops}{}", up_to.dimension),
                most: up_to.length,
                multiple: up_to.multiple_of,
                schedule,
            }
            .to_attribute(context),
            None => tile::Otherwise { schedule }.to_attribute(context),
        }
    }
}

/// Converts schedule cases to the attribute `schedule`. `loops` is the first letter of the loop
/// names: `d` for an op, `r` for a group.
pub(crate) fn cases_to_attribute<'c>(
    context: &'c Context,
    cases: &[Case],
    loops: char,
) -> Attribute<'c> {
    if let [Case { up_to: None, steps }] = cases {
        return to_attribute(context, steps);
    }
    let all: Vec<Attribute<'c>> = cases
        .iter()
        .map(|case| case.to_attribute(context, loops))
        .collect();
    ArrayAttribute::new(context, &all).into()
}

pub(crate) fn to_attribute<'c>(context: &'c Context, steps: &[Step]) -> Attribute<'c> {
    let all: Vec<Attribute<'c>> = steps
        .iter()
        .map(|step| step.to_attribute(context))
        .collect();
    ArrayAttribute::new(context, &all).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tx_plan::{Candidate, Cost};

    #[test]
    fn processors_read_back() {
        for word in tile::Processor::ALL {
            assert_eq!(Processor::of(*word).word(), *word);
            assert_eq!(Processor::of(*word).to_string(), word.name());
        }
    }

    const NOTHING: Cost = Cost {
        microseconds: 0.0,
        bytes: 0.0,
        waves: 0.0,
        resident: 0.0,
        memory: 0.0,
        latency: 0.0,
        instructions: 0.0,
    };

    #[test]
    fn steps_read_back() {
        let name = || "d1.i".to_owned();
        let steps = [
            Step::Split(name(), 32),
            Step::Align(name(), 4),
            Step::Fuse(vec!["d0".to_owned(), name()], "p".to_owned()),
            Step::Reorder(vec![name(), "d0".to_owned()]),
            Step::Bind(name(), Processor::Cluster(1)),
            Step::RFactor(name()),
            Step::Unroll(name()),
            Step::Vectorize(name()),
            Step::Stream,
            Step::EvictLast,
            Step::Prefetch,
            Step::Resident(1024),
            Step::Hold("tmp0".to_owned(), tile::Residency::Registers),
            Step::LastBlock,
        ];
        let session = tx_mlir::Session::new(tile::register);
        tile::load(session.context());
        for step in steps {
            let attribute = step.to_attribute(session.context());
            assert_eq!(attribute.to_string(), step.to_string());
            assert_eq!(Step::of(attribute), Some(step));
        }
        let cases = [
            Case {
                up_to: Some(UpTo {
                    multiple_of: 4,
                    ..UpTo::new(1, 64)
                }),
                steps: vec![Step::Stream],
            },
            Case {
                up_to: Some(UpTo::new(1, 64)),
                steps: vec![Step::Prefetch],
            },
            Case::always(vec![Step::LastBlock]),
        ];
        let attribute = cases_to_attribute(session.context(), &cases, 'd');
        let listed = |case: &Case| {
            let steps = case.steps.iter().map(Step::described);
            (case.up_to, steps.collect())
        };
        let described = Candidate {
            cost: NOTHING,
            cases: cases.iter().map(listed).collect(),
        };
        assert_eq!(attribute.to_string(), described.text());
    }
}
