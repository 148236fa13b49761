//! PTX operations of each kernel, with the number of occurrences of each operation in the kernel.

mod collect;
mod fact;

use std::collections::BTreeMap;
use std::fmt;

pub use collect::{FactsError, FunctionFacts};
pub use fact::Fact;

/// Operations of all kernels of a module, by kernel name.
///
/// [`Facts::of`] collects the operations of a PTX module. The caller of
/// [`compare`](crate::compare()) collects the operations of the IR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The kernels.
    pub kernels: BTreeMap<String, KernelFacts>,
}

impl Facts {
    /// Returns a mutable reference to the operations of the kernel `name`. If no operations are
    /// recorded for the kernel, the function creates an empty list.
    pub fn kernel(&mut self, name: &str) -> &mut KernelFacts {
        self.kernels.entry(name.to_owned()).or_default()
    }
}

/// The operations of one kernel, each with its number of occurrences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    counts: BTreeMap<Fact, Count>,
    /// Number of occurrences of each operation in each basic block that [`KernelFacts::together`]
    /// recorded.
    blocks: Vec<BTreeMap<Fact, u64>>,
}

/// Position of an operation: outside loops or in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoopNesting {
    /// The operation executes at most once.
    OutsideLoops,
    /// The operation can execute several times.
    InLoop,
}

/// Number of occurrences of an operation in a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of occurrences of the operation outside loops.
    pub outside: u64,
    /// Number of occurrences of the operation in loops.
    pub inside: u64,
    /// Number of the occurrences counted in [`outside`](Count::outside) that LLVM may remove,
    /// because the code is unreachable or the result of the operation is unused. For operations of
    /// PTX, `outside_may_vanish` is 0.
    pub outside_may_vanish: u64,
    /// Number of the occurrences counted in [`inside`](Count::inside) that LLVM may remove, for
    /// example because a loop has no iterations.
    pub inside_may_vanish: u64,
}

impl Count {
    /// Returns the total number of occurrences of the operation, outside and inside loops.
    pub fn total(&self) -> u64 {
        self.outside.saturating_add(self.inside)
    }

    /// Returns the number of occurrences of the operation that LLVM must keep.
    pub fn required(&self) -> u64 {
        self.required_outside()
            .saturating_add(self.required_inside())
    }

    /// Returns the number of occurrences of the operation outside loops that LLVM must keep.
    pub fn required_outside(&self) -> u64 {
        self.outside.saturating_sub(self.outside_may_vanish)
    }

    /// Returns the number of occurrences of the operation in loops that LLVM must keep.
    pub fn required_inside(&self) -> u64 {
        self.inside.saturating_sub(self.inside_may_vanish)
    }

    pub(crate) fn merge(&mut self, other: Count) {
        self.outside = self.outside.saturating_add(other.outside);
        self.inside = self.inside.saturating_add(other.inside);
        self.outside_may_vanish = self
            .outside_may_vanish
            .saturating_add(other.outside_may_vanish);
        self.inside_may_vanish = self
            .inside_may_vanish
            .saturating_add(other.inside_may_vanish);
    }
}

/// Formats a count, such as "2 outside loops and 1 in loops" or "none".
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.outside, self.inside) {
            (0, 0) => f.write_str("none"),
            (outside, 0) => write!(f, "{outside} outside loops"),
            (0, inside) => write!(f, "{inside} in loops"),
            (outside, inside) => write!(f, "{outside} outside loops and {inside} in loops"),
        }
    }
}

impl KernelFacts {
    /// Adds to the kernel one occurrence of an operation that LLVM must keep.
    pub fn add(&mut self, fact: Fact, place: LoopNesting) {
        let count = match place {
            LoopNesting::OutsideLoops => Count {
                outside: 1,
                ..Count::default()
            },
            LoopNesting::InLoop => Count {
                inside: 1,
                ..Count::default()
            },
        };
        self.add_count(fact, count);
    }

    /// Adds to the kernel one occurrence of an operation that LLVM may remove.
    pub fn add_removable(&mut self, fact: Fact, place: LoopNesting) {
        let count = match place {
            LoopNesting::OutsideLoops => Count {
                outside: 1,
                outside_may_vanish: 1,
                ..Count::default()
            },
            LoopNesting::InLoop => Count {
                inside: 1,
                inside_may_vanish: 1,
                ..Count::default()
            },
        };
        self.add_count(fact, count);
    }

    /// Adds `count` to the number of occurrences of the operation `fact`.
    pub fn add_count(&mut self, fact: Fact, count: Count) {
        self.counts
            .entry(fact.normalized())
            .or_default()
            .merge(count);
    }

    /// Records that the given operations are in one basic block. Before a call of `together`, the
    /// caller must add each operation of `facts` to the kernel, with the position
    /// [`LoopNesting::InLoop`]. If LLVM unrolls a loop, LLVM copies all operations of a basic block
    /// of the loop together.
    pub fn together(&mut self, facts: impl IntoIterator<Item = Fact>) {
        let mut block = BTreeMap::new();
        for fact in facts {
            *block.entry(fact.normalized()).or_default() += 1;
        }
        if !block.is_empty() {
            self.blocks.push(block);
        }
    }

    /// Returns the basic blocks that [`KernelFacts::together`] recorded. Each basic block is a map
    /// from the operations of the block to their numbers of occurrences.
    pub(crate) fn blocks(&self) -> &[BTreeMap<Fact, u64>] {
        &self.blocks
    }

    /// Adds the operations of a called function to the operations of the kernel; `place` is the
    /// position of the call. If the call is in a loop, every operation of the callee counts as an
    /// operation in a loop.
    pub fn include(&mut self, callee: &KernelFacts, place: LoopNesting) {
        for (fact, count) in callee.iter() {
            let count = match place {
                LoopNesting::OutsideLoops => count,
                LoopNesting::InLoop => Count {
                    outside: 0,
                    inside: count.total(),
                    outside_may_vanish: 0,
                    inside_may_vanish: count
                        .outside_may_vanish
                        .saturating_add(count.inside_may_vanish),
                },
            };
            self.add_count(fact.clone(), count);
        }
        // Only basic blocks in loops are recorded. Straight-line code of the callee is not
        // recorded, even if the call is in a loop.
        self.blocks.extend(callee.blocks.iter().cloned());
    }

    /// Returns the number of occurrences of the operation `fact` in the kernel.
    pub fn count(&self, fact: &Fact) -> Count {
        self.counts.get(fact).copied().unwrap_or_default()
    }

    /// Returns all operations of the kernel and their numbers of occurrences, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&Fact, Count)> {
        self.counts.iter().map(|(fact, &count)| (fact, count))
    }

    /// Returns whether no operations are recorded for the kernel.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
