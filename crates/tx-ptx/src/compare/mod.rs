//! Whether PTX does what the IR says.

mod copies;
mod difference;
mod matching;
mod width;

use std::collections::BTreeSet;

pub use difference::{Copied, Difference, Vanished};

use crate::facts::{Count, Fact, Facts, KernelFacts};
use matching::saturate;

/// What PTX does otherwise than the IR says, in a fixed order; nothing if they agree.
///
/// The facts of the IR are those of the last level before LLVM, with a function that is called counted
/// once for each call. What LLVM may do with it, and so what may differ:
///
/// * **Outside loops** everything stands in PTX as often as in IR: LLVM neither removes, adds nor
///   duplicates what threads do together.
/// * **In loops** LLVM unrolls and peels. What stands in a loop of the IR stands in PTX at least as
///   often, in loops or outside, and what stands in one block of a loop, by
///   [`KernelFacts::together`], stands there equally often.
/// * **What may vanish**, by [`KernelFacts::add_removable`], since it is never reached or in a loop
///   that may never run, may be missing. [`vanished`] lists it.
/// * **Nothing new**: what matches nothing of the IR may not be in PTX.
/// * **What is not constant**, a mask or a clamp of `None`, matches any. So does generic memory of the
///   IR, whose kind LLVM infers, and a scope that PTX leaves out.
/// * **Vector accesses** of the IR are not split: as many bytes have to be moved by accesses of at
///   least their width. Their width is that of IR, but at most 16 bytes, and the largest power of
///   two that divides it: vectors of 12 bytes are no PTX. There may be more vector accesses, and
///   wider ones, since LLVM merges. Those of an alignment below their size, which LLVM has to
///   split, are removable.
/// * **Scalar accesses** are not compared, since LLVM merges and removes them. They count for
///   vectors: two halves may be loaded as one element of 32 bits. So if the IR has scalars of 8
///   bytes, say, they have to be in its facts, or they would stand in for vectors that were split.
///   All of them have to be there, removable or not: where the IR has vectors, narrower accesses of
///   PTX may not move more bytes than the IR's own narrower or removable ones, unless some of these
///   are in loops.
pub fn compare(ir: &Facts, ptx: &Facts) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (kernel, ir) in &ir.kernels {
        match ptx.kernels.get(kernel) {
            None => differences.push(Difference::MissingKernel {
                kernel: kernel.clone(),
            }),
            Some(ptx) => {
                let before = differences.len();
                Matched::of(ir, ptx).differences(kernel, &mut differences);
                if differences.len() == before {
                    copies::compare(kernel, ir, ptx, &mut differences);
                }
                width::compare(kernel, ir, ptx, &mut differences);
            }
        }
    }
    for kernel in ptx.kernels.keys() {
        if !ir.kernels.contains_key(kernel) {
            differences.push(Difference::UnknownKernel {
                kernel: kernel.clone(),
            });
        }
    }
    differences
}

/// What the IR says may vanish, and did: worth a note. Memory accesses are left out.
pub fn vanished(ir: &Facts, ptx: &Facts) -> Vec<Vanished> {
    let mut notes = Vec::new();
    for (kernel, ir) in &ir.kernels {
        if let Some(ptx) = ptx.kernels.get(kernel) {
            Matched::of(ir, ptx).vanished(kernel, &mut notes);
        }
    }
    notes
}

/// Instructions of PTX, all alike.
struct Found<'a> {
    fact: &'a Fact,
    inside: bool,
    count: u64,
}

/// Operations of IR, all alike.
struct Slot<'a> {
    fact: &'a Fact,
    inside: bool,
    required: u64,
    optional: u64,
    /// How many instructions they may become.
    capacity: u64,
}

/// Which instruction comes from which operation is not known, where masks are not constant. There is
/// a way to say it that leaves nothing over on either side if there is one that leaves no instruction
/// over and another that leaves no operation over (Mendelsohn and Dulmage, 1958), so that the two are
/// looked for one by one.
struct Matched<'a> {
    found: Vec<Found<'a>>,
    slots: Vec<Slot<'a>>,
    /// Instructions for which there is no operation.
    surplus: Vec<u64>,
    /// Required operations for which there is no instruction.
    missing: Vec<u64>,
    /// Removable operations for which there is no instruction.
    gone: Vec<u64>,
}

fn is_access(fact: &Fact) -> bool {
    matches!(fact, Fact::VectorAccess { .. } | Fact::ScalarAccess { .. })
}

impl<'a> Matched<'a> {
    fn of(ir: &'a KernelFacts, ptx: &'a KernelFacts) -> Matched<'a> {
        let mut found: Vec<Found<'_>> = ptx
            .iter()
            .filter(|(fact, _)| !is_access(fact))
            .flat_map(|(fact, count)| {
                [(false, count.outside), (true, count.inside)].map(|(inside, count)| Found {
                    fact,
                    inside,
                    count,
                })
            })
            .filter(|found| found.count > 0)
            .collect();
        let mut slots: Vec<Slot<'_>> = ir
            .iter()
            .filter(|(fact, _)| !is_access(fact))
            .flat_map(|(fact, count)| {
                let outside = Slot {
                    fact,
                    inside: false,
                    required: count.required_outside(),
                    optional: count.outside - count.required_outside(),
                    capacity: count.outside,
                };
                let inside = Slot {
                    fact,
                    inside: true,
                    required: count.required_inside(),
                    optional: count.inside - count.required_inside(),
                    capacity: if count.inside > 0 { u64::MAX } else { 0 },
                };
                [outside, inside]
            })
            .filter(|slot| slot.capacity > 0)
            .collect();
        // What is the same on both sides goes first, and to its like, so that what is left over is what
        // one would name.
        found.sort_by_key(|found| ir.count(found.fact).total() == 0);
        slots.sort_by_key(|slot| ptx.count(slot.fact).total() == 0);
        let fit = |found: &Found<'_>, slot: &Slot<'_>| {
            let may = slot.fact.matches(found.fact) && (slot.inside || !found.inside);
            may.then(|| (slot.fact != found.fact, slot.inside != found.inside))
        };
        let counts: Vec<u64> = found.iter().map(|found| found.count).collect();
        let capacities: Vec<u64> = slots.iter().map(|slot| slot.capacity).collect();
        let surplus = saturate(&counts, &capacities, |a, b| fit(&found[a], &slots[b]));
        let demands: Vec<u64> = slots
            .iter()
            .map(|slot| slot.required)
            .chain(slots.iter().map(|slot| slot.optional))
            .collect();
        let mut missing = saturate(&demands, &counts, |a, b| {
            fit(&found[b], &slots[a % slots.len()])
        });
        let gone = missing.split_off(slots.len());
        Matched {
            found,
            slots,
            surplus,
            missing,
            gone,
        }
    }

    fn differences(&self, kernel: &str, differences: &mut Vec<Difference>) {
        let left = |fact: &Fact| {
            let surplus = self.found.iter().zip(&self.surplus);
            let surplus = surplus.filter(|(found, _)| found.fact == fact);
            let missing = self.slots.iter().zip(&self.missing);
            let missing = missing.filter(|(slot, _)| slot.fact == fact);
            (
                missing
                    .map(|(_, &count)| count)
                    .fold(0, u64::saturating_add),
                surplus
                    .map(|(_, &count)| count)
                    .fold(0, u64::saturating_add),
            )
        };
        let facts: BTreeSet<&Fact> = self
            .slots
            .iter()
            .map(|slot| slot.fact)
            .chain(self.found.iter().map(|found| found.fact))
            .collect();
        for fact in facts {
            let (missing, surplus) = left(fact);
            if missing == 0 && surplus == 0 {
                continue;
            }
            // What a mask that is not constant may stand for counts with it.
            let mut found = Count::default();
            for each in &self.found {
                if each.fact == fact || fact.matches(each.fact) {
                    found.merge(each.count());
                }
            }
            let mut expected = Count::default();
            for slot in &self.slots {
                if slot.fact == fact || slot.fact.matches(fact) {
                    expected.merge(slot.count());
                }
            }
            differences.push(Difference::Count {
                kernel: kernel.to_owned(),
                fact: fact.clone(),
                found,
                expected,
                missing,
                surplus,
            });
        }
    }

    fn vanished(&self, kernel: &str, notes: &mut Vec<Vanished>) {
        for (slot, &gone) in self.slots.iter().zip(&self.gone) {
            if gone > 0 {
                notes.push(Vanished {
                    kernel: kernel.to_owned(),
                    fact: slot.fact.clone(),
                    in_loop: slot.inside,
                    count: gone,
                });
            }
        }
    }
}

impl Found<'_> {
    fn count(&self) -> Count {
        count(self.inside, self.count, 0)
    }
}

impl Slot<'_> {
    fn count(&self) -> Count {
        count(self.inside, self.required + self.optional, self.optional)
    }
}

fn count(inside: bool, count: u64, may_vanish: u64) -> Count {
    if inside {
        Count {
            inside: count,
            inside_may_vanish: may_vanish,
            ..Count::default()
        }
    } else {
        Count {
            outside: count,
            outside_may_vanish: may_vanish,
            ..Count::default()
        }
    }
}
