//! What kernels do, as multisets.

mod collect;
mod fact;

use std::collections::BTreeMap;
use std::fmt;

pub use collect::{FactsError, FunctionFacts};
pub use fact::Fact;

/// What the kernels of a module do, by their names.
///
/// Of PTX, [`Facts::of`] collects them. Of IR, the caller fills them in: see
/// [`compare`](crate::compare()) for what is to be said of IR so that the two can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The kernels.
    pub kernels: BTreeMap<String, KernelFacts>,
}

impl Facts {
    /// The facts of a kernel, to add to; none at first.
    pub fn kernel(&mut self, name: &str) -> &mut KernelFacts {
        self.kernels.entry(name.to_owned()).or_default()
    }
}

/// What one kernel does, and how often it stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    counts: BTreeMap<Fact, Count>,
    /// Of blocks in loops, how often each stands there.
    blocks: Vec<BTreeMap<Fact, u64>>,
}

/// Whether something stands in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// It executes once at most.
    OutsideLoops,
    /// Control may come back to it.
    InLoop,
}

/// How often something stands in a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Outside of loops.
    pub outside: u64,
    /// In loops.
    pub inside: u64,
    /// How many of [`outside`](Count::outside) an optimiser may remove, since they are never reached or
    /// nobody uses what they do. Of PTX it is 0.
    pub outside_may_vanish: u64,
    /// How many of [`inside`](Count::inside) it may remove, for instance with a loop that never runs.
    pub inside_may_vanish: u64,
}

impl Count {
    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.outside.saturating_add(self.inside)
    }

    /// How many have to be left.
    pub fn required(&self) -> u64 {
        self.required_outside()
            .saturating_add(self.required_inside())
    }

    /// How many of those outside of loops have to be left.
    pub fn required_outside(&self) -> u64 {
        self.outside.saturating_sub(self.outside_may_vanish)
    }

    /// How many of those in loops have to be left.
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

/// "2 outside loops and 1 in loops", "none".
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
    /// Adds something that has to be there.
    pub fn add(&mut self, fact: Fact, place: Place) {
        let count = match place {
            Place::OutsideLoops => Count {
                outside: 1,
                ..Count::default()
            },
            Place::InLoop => Count {
                inside: 1,
                ..Count::default()
            },
        };
        self.add_count(fact, count);
    }

    /// Adds something that an optimiser may remove.
    pub fn add_removable(&mut self, fact: Fact, place: Place) {
        let count = match place {
            Place::OutsideLoops => Count {
                outside: 1,
                outside_may_vanish: 1,
                ..Count::default()
            },
            Place::InLoop => Count {
                inside: 1,
                inside_may_vanish: 1,
                ..Count::default()
            },
        };
        self.add_count(fact, count);
    }

    /// Adds something several times.
    pub fn add_count(&mut self, fact: Fact, count: Count) {
        self.counts
            .entry(fact.normalized())
            .or_default()
            .merge(count);
    }

    /// Says that some of what was added in loops stands in one block: control passes all of it or
    /// nothing. An optimiser that copies one copies all.
    pub fn together(&mut self, facts: impl IntoIterator<Item = Fact>) {
        let mut block = BTreeMap::new();
        for fact in facts {
            *block.entry(fact.normalized()).or_default() += 1;
        }
        if !block.is_empty() {
            self.blocks.push(block);
        }
    }

    /// Of blocks in loops, how often each fact stands there, as far as it was [said](KernelFacts::together).
    pub(crate) fn blocks(&self) -> &[BTreeMap<Fact, u64>] {
        &self.blocks
    }

    /// Adds all of a function that is called at a place: what it does in loops and what a loop calls is
    /// in loops.
    pub fn include(&mut self, callee: &KernelFacts, place: Place) {
        for (fact, count) in callee.iter() {
            let count = match place {
                Place::OutsideLoops => count,
                Place::InLoop => Count {
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
        // Blocks that are outside of loops in the function are not known.
        self.blocks.extend(callee.blocks.iter().cloned());
    }

    /// How often something is there.
    pub fn count(&self, fact: &Fact) -> Count {
        self.counts.get(fact).copied().unwrap_or_default()
    }

    /// All facts, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&Fact, Count)> {
        self.counts.iter().map(|(fact, &count)| (fact, count))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
