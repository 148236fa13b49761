//! Comparison of PTX with the IR from which LLVM compiled it.

mod copies;
mod difference;
mod matching;
mod width;

use std::collections::BTreeSet;

pub use difference::{Copied, Difference, Vanished};

use crate::facts::{Count, Fact, Facts, KernelFacts};
use matching::saturate;

/// Returns the differences between the PTX and the IR, in a fixed order. The result is empty if PTX
/// and IR agree.
///
/// `ir` contains the counted operations of the last MLIR module before the translation to LLVM IR.
/// The operations of a called function count once per call. LLVM may transform the code, so the
/// comparison follows these rules:
///
/// * **Outside loops**, every operation occurs equally often in PTX and in IR. LLVM neither
///   removes, adds nor duplicates convergent operations.
/// * **In loops**, LLVM may duplicate operations, because it unrolls and peels loops. If an
///   operation is in a loop of the IR, the PTX must contain at least as many instances of the
///   operation as the IR, inside or outside loops. Operations of one basic block in a loop
///   ([`KernelFacts::together`]) have equal numbers of copies in the PTX.
/// * **Removable operations** ([`KernelFacts::add_removable`]) may be missing from the PTX: they
///   are unreachable or in a loop that may have no iteration. [`vanished`] lists the missing
///   operations.
/// * **No additions**: every counted instruction of the PTX must match an operation of the IR.
/// * **Unknown values** match any value. Unknown values are masks and clamps that are not constant,
///   and scopes that the PTX omits. An access of generic memory in the IR matches an access of any
///   state space in the PTX, because LLVM infers state spaces.
/// * **Vector accesses** of the IR must not be split: PTX accesses of at least the vector width
///   must move at least as many bytes as the vector accesses of the IR. The vector width is the
///   largest power of two that divides the vector size, at most 16 bytes, since PTX has no vectors
///   of 12 bytes. LLVM may merge scalar accesses into a vector access, and vector accesses into a
///   wider vector access. LLVM must split a vector access whose alignment is smaller than its size,
///   so the vector access counts as an operation that LLVM may remove.
/// * **Scalar accesses** are not compared, because LLVM merges and removes them. Scalar accesses of
///   the PTX still count as replacements of vector accesses, because one 32-bit load can replace
///   the load of a vector of two halves. `ir` must contain all scalar accesses of the IR, including
///   those that LLVM may remove. If scalar accesses were missing from `ir`, scalar accesses of the
///   PTX could count as replacements of a vector access that LLVM split. The comparison also limits
///   the number of bytes that accesses narrower than the vector width move in the PTX. The limit on
///   narrow accesses does not apply if a loop of the IR contains a narrow access, or an access that
///   LLVM may remove.
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

/// Returns the operations of the IR that LLVM may remove, and that are missing from the PTX. Memory
/// accesses are omitted.
pub fn vanished(ir: &Facts, ptx: &Facts) -> Vec<Vanished> {
    let mut notes = Vec::new();
    for (kernel, ir) in &ir.kernels {
        if let Some(ptx) = ptx.kernels.get(kernel) {
            Matched::of(ir, ptx).vanished(kernel, &mut notes);
        }
    }
    notes
}

/// A group of equal instructions of the PTX.
struct InstructionGroup<'a> {
    fact: &'a Fact,
    inside: bool,
    count: u64,
}

/// A group of equal operations of the IR.
struct OperationGroup<'a> {
    fact: &'a Fact,
    inside: bool,
    required: u64,
    optional: u64,
    /// Maximum number of PTX instructions that may match the IR operations of the operation group.
    capacity: u64,
}

/// A matching between instructions of the PTX and operations of the IR.
///
/// Several operations of the IR can match one PTX instruction, for example if their masks are not
/// constant. If one matching covers all instructions and a second matching covers all operations, a
/// perfect matching exists (Mendelsohn and Dulmage, 1958). The comparison therefore computes the
/// matching for all instructions and the matching for all operations separately.
struct Matched<'a> {
    found: Vec<InstructionGroup<'a>>,
    slots: Vec<OperationGroup<'a>>,
    /// Number of unmatched instructions in each group of PTX instructions.
    surplus: Vec<u64>,
    /// Number of unmatched operations that LLVM must keep, in each group of IR operations.
    missing: Vec<u64>,
    /// Number of unmatched operations that LLVM may remove, in each group of IR operations.
    gone: Vec<u64>,
}

impl<'a> Matched<'a> {
    fn of(ir: &'a KernelFacts, ptx: &'a KernelFacts) -> Matched<'a> {
        let mut found: Vec<InstructionGroup<'_>> = ptx
            .iter()
            .filter(|(fact, _)| !fact.is_access())
            .flat_map(|(fact, count)| {
                [(false, count.outside), (true, count.inside)].map(|(inside, count)| {
                    InstructionGroup {
                        fact,
                        inside,
                        count,
                    }
                })
            })
            .filter(|found| found.count > 0)
            .collect();
        let mut slots: Vec<OperationGroup<'_>> = ir
            .iter()
            .filter(|(fact, _)| !fact.is_access())
            .flat_map(|(fact, count)| {
                let outside = OperationGroup {
                    fact,
                    inside: false,
                    required: count.required_outside(),
                    optional: count.outside - count.required_outside(),
                    capacity: count.outside,
                };
                let inside = OperationGroup {
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
        // First match each fact that both PTX and IR contain, if possible with an equal fact. The
        // messages about the unmatched facts are then clearer.
        found.sort_by_key(|found| ir.count(found.fact).total() == 0);
        slots.sort_by_key(|slot| ptx.count(slot.fact).total() == 0);
        let fit = |found: &InstructionGroup<'_>, slot: &OperationGroup<'_>| {
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
            // The count of an operation with a non-constant mask includes all instructions that
            // match the operation.
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

impl InstructionGroup<'_> {
    fn count(&self) -> Count {
        count(self.inside, self.count, 0)
    }
}

impl OperationGroup<'_> {
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
