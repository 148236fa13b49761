//! Check that LLVM copies each basic block of a loop as a whole.

use std::collections::BTreeMap;

use super::difference::{Copied, Difference};
use crate::facts::{Fact, KernelFacts};

/// Maximum number of steps of the search that determines how often LLVM copied each basic block. If
/// the search needs more than `TRIED` steps, the function `compare` reports no difference.
const TRIED: u32 = 50_000;

/// Reports operations in loops if their instruction counts in the PTX cannot result from copies of
/// whole basic blocks.
///
/// LLVM copies whole basic blocks when it unrolls or peels a loop. All operations of a basic block
/// therefore have the same number of copies in the PTX, which is at least 1. The check skips memory
/// accesses, and operations that LLVM may remove. The check also skips an operation whose basic
/// block [`KernelFacts::together`] did not record, and an operation that shares a matching PTX
/// instruction with a second operation of the IR.
pub(super) fn compare(
    kernel: &str,
    ir: &KernelFacts,
    ptx: &KernelFacts,
    differences: &mut Vec<Difference>,
) {
    let known = known(ir, ptx);
    let facts: Vec<&Fact> = known.keys().copied().collect();
    let blocks: Vec<Vec<u64>> = ir
        .blocks()
        .iter()
        .map(|block| {
            facts
                .iter()
                .map(|fact| block.get(fact).copied().unwrap_or(0))
                .collect::<Vec<u64>>()
        })
        .filter(|counts| counts.iter().any(|&count| count > 0))
        .collect();
    let found: Vec<u64> = known.values().copied().collect();
    let mut left = TRIED;
    if !blocks.is_empty() && !reach(&blocks, &found, &mut left) && left > 0 {
        let copies = known
            .into_iter()
            .map(|(fact, found)| Copied {
                fact: fact.clone(),
                found,
                expected: ir.count(fact).inside,
            })
            .collect();
        differences.push(Difference::Copies {
            kernel: kernel.to_owned(),
            copies,
        });
    }
}

/// Returns each operation that the check does not skip, with the number of PTX instructions that
/// stem from its occurrences in loops. The number of PTX instructions from loops is the instruction
/// count in the PTX, minus the number of occurrences outside loops in the IR.
fn known<'f>(ir: &'f KernelFacts, ptx: &KernelFacts) -> BTreeMap<&'f Fact, u64> {
    let mut known = BTreeMap::new();
    for (fact, count) in ir.iter() {
        let in_blocks: u64 = ir.blocks().iter().filter_map(|block| block.get(fact)).sum();
        if fact.is_access()
            || count.inside == 0
            || count.inside != in_blocks
            || count.required() != count.total()
        {
            continue;
        }
        let mut found: u64 = 0;
        let mut alone = true;
        for (made, count) in ptx.iter().filter(|(made, _)| fact.matches(made)) {
            found = found.saturating_add(count.total());
            alone &= ir
                .iter()
                .all(|(other, _)| other == fact || !other.matches(made));
        }
        if let Some(found) = found.checked_sub(count.outside).filter(|_| alone) {
            known.insert(fact, found);
        }
    }
    known
}

/// Returns whether the instruction counts `found` can result from at least one copy of each basic
/// block.
fn reach(blocks: &[Vec<u64>], found: &[u64], left: &mut u32) -> bool {
    let Some((block, rest)) = blocks.split_first() else {
        return found.iter().all(|&count| count == 0);
    };
    let mut found = found.to_vec();
    loop {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        for (found, count) in found.iter_mut().zip(block) {
            match found.checked_sub(*count) {
                Some(less) => *found = less,
                None => return false,
            }
        }
        if reach(rest, &found, left) {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reach;

    /// The first basic block contains operation A once and operation B five times; the second basic
    /// block contains A once. Two copies of the first and three copies of the second basic block
    /// contain A five times and B ten times.
    #[test]
    fn copies_are_found() {
        let blocks = [vec![1, 5], vec![1, 0]];
        assert!(reach(&blocks, &[5, 10], &mut 100));
        assert!(!reach(&blocks, &[5, 11], &mut 100));
        assert!(!reach(&blocks, &[2, 10], &mut 100));
        assert!(!reach(&blocks, &[1, 5], &mut 100));
    }
}
