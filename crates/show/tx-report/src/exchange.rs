//! Derives the data exchange between the threads of a kernel from the ops of the kernel, in program
//! order.
//!
//! Integers that depend only on the thread id are evaluated for every thread of the block.
//! Therefore, the source lanes of a shuffle and the threads that satisfy a branch condition are
//! known exactly.

mod describe;
mod integers;
mod reader;
#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use self::describe::describe;
pub use self::reader::steps;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// Kernel as plain data.
#[derive(Debug, Clone, Default)]
pub struct ReportedKernel {
    /// Name.
    pub name: String,
    /// Row lengths for which the kernel is launched, if the program selects among several kernels.
    pub lengths: Option<String>,
    /// Number of threads of a block along x, y and z.
    pub block: [usize; 3],
    /// SSA value number and name of each argument.
    pub arguments: Vec<(usize, String)>,
    /// Body.
    pub body: Region,
}

/// Region of an op; the arguments and ops of all blocks are concatenated.
#[derive(Debug, Clone, Default)]
pub struct Region {
    /// SSA value numbers of the block arguments.
    pub arguments: Vec<usize>,
    /// Ops, over all blocks.
    pub ops: Vec<Op>,
}

/// Op whose operands and results are SSA value numbers.
#[derive(Debug, Clone, Default)]
pub struct Op {
    /// Name, such as `arith.addi`.
    pub name: String,
    /// Name and printed value of each attribute. The printed value of an enumeration attribute is
    /// the keyword of its enumerator.
    pub attributes: Vec<(String, String)>,
    /// Operands.
    pub operands: Vec<usize>,
    /// Types of the operands.
    pub operand_types: Vec<String>,
    /// Results.
    pub results: Vec<usize>,
    /// Types of the results.
    pub result_types: Vec<String>,
    /// Value of the result, if the op is an integer constant.
    pub constant: Option<i64>,
    /// Regions.
    pub regions: Vec<Region>,
    /// Source line.
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

/// Set of threads of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threads {
    /// One flag per thread of the block; the flag is set if the thread is active.
    pub mask: Rc<Vec<bool>>,
    /// True if the set of active threads depends on conditions that are not functions of the thread
    /// id.
    pub depends: bool,
}

impl Threads {
    /// Returns whether a lane of the first warp is active.
    pub fn lane(&self, lane: usize) -> bool {
        self.mask.get(lane).copied().unwrap_or(false)
    }

    /// Returns a description of the active threads, such as `lanes 0–3 of each warp`.
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

/// Formats lanes as ranges: `lanes 0–3, 8`.
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

/// Memory space that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Global memory.
    Global,
    /// Shared memory of a block.
    Shared,
    /// Distributed shared memory of a cluster.
    Cluster,
}

/// Kind of memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Load.
    Load,
    /// Store.
    Store,
    /// Atomic read-modify-write.
    Atomic,
}

/// Threads that a barrier synchronises, or `Fence` for a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierScope {
    /// The lanes of a warp synchronise.
    Warp,
    /// Some warps of a block synchronise at a named barrier.
    Group,
    /// All threads of a block synchronise.
    Block,
    /// All blocks of a cluster synchronise.
    Cluster,
    /// A fence, which orders the memory accesses of one thread and synchronizes no threads.
    Fence,
}

/// Step of a kernel: an exchange of values, a synchronization, a memory access or a loop.
#[derive(Debug, Clone, PartialEq)]
pub enum KernelStep {
    /// Shuffle within a warp.
    Shuffle {
        /// Mode of the shuffle: `xor`, `up`, `down` or `idx`.
        mode: String,
        /// Distance between a lane and its source lane; `None` if the distance differs between
        /// lanes.
        distance: Option<i64>,
        /// Source lane of each lane of the first warp; `None` for an unknown source lane.
        sources: Vec<Option<usize>>,
        /// True if all warps have the same source lanes.
        alike: bool,
        /// Ops that combine the values that the shuffle returns, in program order.
        combine: Option<String>,
        /// Number of consecutive shuffles with equal source lanes.
        count: usize,
        /// Source line.
        line: Option<usize>,
    },
    /// Warp-wide reduction in one instruction (`redux.sync`).
    Redux {
        /// Combiner, such as `add`.
        kind: String,
        /// Participating threads.
        threads: Threads,
        /// Number of consecutive reductions.
        count: usize,
        /// Source line.
        line: Option<usize>,
    },
    /// Barrier or fence.
    Barrier {
        /// Scope.
        scope: BarrierScope,
        /// Name of the op.
        op: String,
        /// Participating threads.
        threads: Threads,
    },
    /// Access to shared or global memory.
    Memory {
        /// Kind of access.
        access: Access,
        /// Memory space.
        space: Space,
        /// Name of the memory.
        memory: String,
        /// Type of the value that each access loads or stores, such as `vector<4xf32>`.
        element: String,
        /// Participating threads.
        threads: Threads,
        /// Number of accesses per thread.
        count: usize,
        /// Source line.
        line: Option<usize>,
    },
    /// Loop.
    Loop {
        /// Trip count of the loop; `None` if the count is unknown, or differs between threads.
        trips: Option<i64>,
        /// Steps of the body.
        steps: Vec<KernelStep>,
    },
}
