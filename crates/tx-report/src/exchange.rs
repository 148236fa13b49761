//! How the threads of a kernel exchange values: read off its ops, in program order.
//!
//! Integers that depend on nothing but the thread are computed for every thread of the block: from
//! which lane a shuffle takes its value, which threads get past a condition, is not guessed.

mod describe;
mod integers;
mod reader;
#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use self::describe::describe;
use self::reader::Reader;

/// Lanes of a warp.
pub const LANES: usize = 32;
/// Threads of a block, at most.
const MOST_THREADS: usize = 1024;

/// A kernel, as plain data.
#[derive(Debug, Clone, Default)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// For which lengths it is launched, where there are others for others.
    pub lengths: Option<String>,
    /// Threads of a block along x, y and z.
    pub block: [usize; 3],
    /// Its arguments: the value, and what it is called.
    pub arguments: Vec<(usize, String)>,
    /// Its ops.
    pub body: Region,
}

/// A region: the arguments of its blocks, and their ops, one block after the other.
#[derive(Debug, Clone, Default)]
pub struct Region {
    /// Values.
    pub arguments: Vec<usize>,
    /// Ops.
    pub ops: Vec<Op>,
}

/// An op. Values are numbers.
#[derive(Debug, Clone, Default)]
pub struct Op {
    /// Such as `arith.addi`.
    pub name: String,
    /// Attributes, as they are printed; of an enumeration the keyword alone.
    pub attributes: Vec<(String, String)>,
    /// Operands.
    pub operands: Vec<usize>,
    /// Their types.
    pub operand_types: Vec<String>,
    /// Results.
    pub results: Vec<usize>,
    /// Their types.
    pub result_types: Vec<String>,
    /// The integer that it is, if it is a constant.
    pub constant: Option<i64>,
    /// Regions.
    pub regions: Vec<Region>,
    /// The line of the program that it comes from.
    pub line: Option<usize>,
}

impl Op {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, text)| text.as_str())
    }
}

/// Threads of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threads {
    /// For each thread, whether it takes part.
    pub mask: Rc<Vec<bool>>,
    /// Whether a condition that depends on more than the thread decides as well.
    pub depends: bool,
}

impl Threads {
    /// Whether a lane of the first warp takes part.
    pub fn lane(&self, lane: usize) -> bool {
        self.mask.get(lane).copied().unwrap_or(false)
    }

    /// Who they are, in words.
    pub fn describe(&self) -> String {
        let count = self.mask.iter().filter(|m| **m).count();
        let total = self.mask.len();
        let warps: Vec<&[bool]> = self.mask.chunks(LANES).collect();
        let who = if count == total {
            match total {
                1 => "the thread".to_owned(),
                n => format!("all {n} threads"),
            }
        } else if count == 0 {
            "no thread".to_owned()
        } else {
            let taking: Vec<usize> = (0..warps.len())
                .filter(|w| warps[*w].contains(&true))
                .collect();
            let first = warps[taking[0]];
            if taking.len() > 1 && taking.iter().all(|w| warps[*w] == first) {
                let lanes = ranges(first);
                let of = if taking.len() == warps.len() {
                    format!("each of {} warps", warps.len())
                } else {
                    format!("{} of {} warps", taking.len(), warps.len())
                };
                if first.iter().all(|m| *m) {
                    format!("all lanes of {of}")
                } else {
                    format!("{lanes} of {of}")
                }
            } else if total <= LANES {
                ranges(&self.mask)
            } else {
                ranges(&self.mask).replace("lane", "thread")
            }
        };
        if self.depends {
            format!("{who}, where a condition holds")
        } else {
            who
        }
    }
}

/// Lanes as ranges: `lanes 0–3, 8`.
fn ranges(mask: &[bool]) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < mask.len() {
        let run = mask[at..].iter().take_while(|m| **m).count();
        match run {
            0 => at += 1,
            1 => parts.push(at.to_string()),
            _ => parts.push(format!("{at}–{}", at + run - 1)),
        }
        at += run;
    }
    let many = parts.len() > 6;
    parts.truncate(6);
    let plural = if parts.len() == 1 && !parts[0].contains('–') {
        ""
    } else {
        "s"
    };
    format!(
        "lane{plural} {}{}",
        parts.join(", "),
        if many { " …" } else { "" }
    )
}

/// A kind of memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Of all threads.
    Global,
    /// Of a block.
    Shared,
    /// Of the blocks of a cluster.
    Cluster,
}

/// What is done with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Load,
    /// Written.
    Store,
    /// Both, at once.
    Atomic,
}

/// Who waits for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The lanes of a warp.
    Warp,
    /// Some warps: a named barrier.
    Group,
    /// The block.
    Block,
    /// The blocks of a cluster.
    Cluster,
    /// Nobody: later accesses come after earlier ones.
    Fence,
}

/// A step of a kernel, in program order.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Lanes take each other's values.
    Shuffle {
        /// `xor`, `up`, `down` or `idx`.
        mode: String,
        /// The distance, where it is the same for all lanes.
        distance: Option<i64>,
        /// For each lane of the first warp, the lane whose value it takes, where that is known.
        sources: Vec<Option<usize>>,
        /// Whether every other warp does the same.
        alike: bool,
        /// The ops that combine what was taken, in order.
        combine: Option<String>,
        /// How many values: shuffles of the same pattern one after the other.
        count: usize,
        /// Line of the program.
        line: Option<usize>,
    },
    /// One instruction gives every member what all of them have together.
    Redux {
        /// Such as `add`.
        kind: String,
        /// Members.
        threads: Threads,
        /// How many values.
        count: usize,
        /// Line of the program.
        line: Option<usize>,
    },
    /// Threads wait.
    Barrier {
        /// Who waits for whom.
        wait: Wait,
        /// The op.
        op: String,
        /// Who gets here.
        threads: Threads,
    },
    /// Threads access memory.
    Memory {
        /// Read or written.
        access: Access,
        /// Which kind.
        space: Space,
        /// What the memory is called.
        memory: String,
        /// What each access moves, such as `vector<4xf32>`.
        element: String,
        /// Who.
        threads: Threads,
        /// How many accesses of a thread.
        count: usize,
        /// Line of the program.
        line: Option<usize>,
    },
    /// Steps that are repeated.
    Loop {
        /// How often, where that is known and the same for all threads.
        trips: Option<i64>,
        /// What is repeated.
        steps: Vec<Step>,
    },
}

/// The steps of a kernel, in program order.
pub fn steps(kernel: &Kernel) -> Vec<Step> {
    let threads = kernel
        .block
        .iter()
        .product::<usize>()
        .clamp(1, MOST_THREADS);
    let all = Threads {
        mask: Rc::new(vec![true; threads]),
        depends: false,
    };
    let mut steps = Vec::new();
    Reader::new(kernel, threads).region(&kernel.body, &all, &mut steps);
    steps
}
