//! Schedules as plain data, and as the attribute `schedule`.

use std::fmt;
use tx_mlir::melior::ir::Attribute;

/// What a loop is bound to. The number is the dimension: x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processor {
    Block(usize),
    /// A block of a cluster.
    Cluster(usize),
    Thread(usize),
}

/// One step of a schedule.
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
    /// Threads of a multiprocessor that registers must do for.
    Resident(i64),
    LastBlock,
}

const STREAM: &str = "#tile.stream";
const LAST_BLOCK: &str = "#tile.last_block";
const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(d) => write!(f, "block_{}", DIMENSIONS[*d]),
            Self::Cluster(d) => write!(f, "cluster_{}", DIMENSIONS[*d]),
            Self::Thread(d) => write!(f, "thread_{}", DIMENSIONS[*d]),
        }
    }
}

impl Processor {
    fn parse(text: &str) -> Option<Self> {
        let (sort, dimension) = text.split_once('_')?;
        let dimension = DIMENSIONS.iter().position(|d| *d == dimension)?;
        match sort {
            "block" => Some(Self::Block(dimension)),
            "cluster" => Some(Self::Cluster(dimension)),
            "thread" => Some(Self::Thread(dimension)),
            _ => None,
        }
    }
}

impl Step {
    /// Reads one entry of the attribute; `None` when it is no step.
    pub(crate) fn of(attribute: Attribute<'_>) -> Option<Self> {
        let text = attribute.to_string();
        if text == STREAM {
            return Some(Self::Stream);
        }
        if text == LAST_BLOCK {
            return Some(Self::LastBlock);
        }
        let (name, rest) = text.strip_prefix("#tile.")?.split_once('<')?;
        let rest = rest.strip_suffix('>')?;
        if name == "resident" {
            return Some(Self::Resident(rest.trim().parse().ok()?));
        }
        // Names of loops are the quoted parts.
        let loops: Vec<String> = rest
            .split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        let after = rest.rsplit('"').next()?.trim();
        let first = loops.first()?.clone();
        Some(match name {
            "split" => Self::Split(first, after.strip_prefix("by")?.trim().parse().ok()?),
            "align" => Self::Align(first, after.strip_prefix("to")?.trim().parse().ok()?),
            "fuse" => {
                let (to, loops) = loops.split_last()?;
                Self::Fuse(loops.to_vec(), to.clone())
            }
            "reorder" => Self::Reorder(loops),
            "bind" => Self::Bind(first, Processor::parse(after.strip_prefix("to")?.trim())?),
            "rfactor" => Self::RFactor(first),
            "unroll" => Self::Unroll(first),
            "vectorize" => Self::Vectorize(first),
            _ => return None,
        })
    }
}

impl Step {
    /// The loops that it speaks of, and the one that it makes of several.
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
            Self::Stream | Self::Resident(_) | Self::LastBlock => Vec::new(),
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
            Self::Stream => f.write_str(STREAM),
            Self::Resident(threads) => write!(f, "#tile.resident<{threads}>"),
            Self::LastBlock => f.write_str(LAST_BLOCK),
        }
    }
}

/// A schedule, and for which lengths it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    /// Dimension of the iteration space, and the most that it may be long; none for what no other case takes.
    pub(crate) most: Option<(usize, i64)>,
    pub(crate) steps: Vec<Step>,
}

impl Case {
    /// The schedule for all lengths.
    pub(crate) fn always(steps: Vec<Step>) -> Self {
        Self { most: None, steps }
    }

    /// Reads one entry of the attribute: for which lengths it is, and the list of its steps. `None` when it is no case.
    pub(crate) fn of(attribute: Attribute<'_>) -> Option<(Option<(usize, i64)>, String)> {
        let text = attribute.to_string();
        let body = |name: &str| {
            text.strip_prefix(name)?
                .strip_suffix('>')
                .map(str::to_owned)
        };
        if let Some(list) = body("#tile.otherwise<") {
            return Some((None, list));
        }
        let inside = body("#tile.case<")?;
        let (dimension, rest) = inside.strip_prefix("\"d")?.split_once('"')?;
        let (most, list) = rest.trim().strip_prefix("to")?.split_once(',')?;
        let most = (dimension.parse().ok()?, most.trim().parse().ok()?);
        Some((Some(most), list.trim().to_owned()))
    }
}

/// The text of the attribute for some cases.
pub(crate) fn cases_to_text(cases: &[Case]) -> String {
    if let [Case { most: None, steps }] = cases {
        return to_text(steps);
    }
    let texts: Vec<String> = cases
        .iter()
        .map(|case| match case.most {
            Some((dimension, most)) => {
                format!(
                    "#tile.case<\"d{dimension}\" to {most}, {}>",
                    to_text(&case.steps)
                )
            }
            None => format!("#tile.otherwise<{}>", to_text(&case.steps)),
        })
        .collect();
    format!("[{}]", texts.join(", "))
}

/// The text of the attribute.
pub(crate) fn to_text(steps: &[Step]) -> String {
    let texts: Vec<String> = steps.iter().map(ToString::to_string).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A processor reads back as it is printed, and nothing else is one.
    #[test]
    fn processors_read_back() {
        let all = |d| {
            [
                Processor::Block(d),
                Processor::Cluster(d),
                Processor::Thread(d),
            ]
        };
        for processor in (0..3).flat_map(all) {
            assert_eq!(Processor::parse(&processor.to_string()), Some(processor));
        }
        for text in ["block", "block_w", "lane_x", "_x", ""] {
            assert_eq!(Processor::parse(text), None, "{text}");
        }
    }
}
