//! Which blocks of a function are reached, and which are in loops.

use super::ranges::always;
use std::collections::BTreeMap;
use tx_mlir::{Blk, Op, blocks, is, successors};

/// A block that control may reach.
#[derive(Clone, Copy)]
pub(super) struct Reached<'c> {
    pub(super) block: Blk<'c>,
    /// Whether control may come back to it.
    pub(super) in_loop: bool,
    /// Whether what it does may be left out, since LLVM can see that it or its end is never reached.
    pub(super) removable: bool,
}

/// The blocks of a function that control may reach, in the order of the text.
pub(super) fn reached<'c>(function: Op<'c>) -> Vec<Reached<'c>> {
    let blocks = blocks(function);
    let numbers: BTreeMap<usize, usize> = blocks
        .iter()
        .enumerate()
        .map(|(number, block)| (block.to_raw().ptr as usize, number))
        .collect();
    let next: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| {
            successors(*block)
                .iter()
                .filter_map(|to| numbers.get(&(to.to_raw().ptr as usize)).copied())
                .collect()
        })
        .collect();
    let taken: Vec<Vec<usize>> = blocks
        .iter()
        .zip(&next)
        .map(|(block, next)| {
            let last = tx_mlir::ops(*block).pop();
            match (last.and_then(always), &next[..]) {
                (Some(true), &[yes, _]) => vec![yes],
                (Some(false), &[_, no]) => vec![no],
                _ => next.clone(),
            }
        })
        .collect();
    let passed = components(&taken);
    let components = components(&next);
    let mut sizes = BTreeMap::new();
    for component in components.iter().flatten() {
        *sizes.entry(*component).or_insert(0) += 1;
    }
    blocks
        .iter()
        .enumerate()
        .filter_map(|(number, block)| {
            let component = components[number]?;
            let last = tx_mlir::ops(*block).pop();
            Some(Reached {
                block: *block,
                in_loop: sizes[&component] > 1 || next[number].contains(&number),
                removable: passed[number].is_none()
                    || last.is_some_and(|op| is(op, "llvm.unreachable")),
            })
        })
        .collect()
}

/// For each node the number of its strongly connected component, and nothing for those that the first node does not
/// lead to (Tarjan, with a stack of its own).
fn components(next: &[Vec<usize>]) -> Vec<Option<usize>> {
    #[derive(Clone, Copy)]
    struct Seen {
        order: usize,
        low: usize,
        open: bool,
    }
    let mut seen: Vec<Option<Seen>> = vec![None; next.len()];
    let mut components = vec![None; next.len()];
    let (mut order, mut found) = (0, 0);
    let mut open = Vec::new();
    // A node, and how many of its successors were looked at.
    let mut way: Vec<(usize, usize)> = if next.is_empty() {
        Vec::new()
    } else {
        vec![(0, 0)]
    };
    while let Some(&mut (node, ref mut done)) = way.last_mut() {
        let mut here = *seen[node].get_or_insert_with(|| {
            order += 1;
            open.push(node);
            Seen {
                order,
                low: order,
                open: true,
            }
        });
        if let Some(&to) = next[node].get(*done) {
            match seen[to] {
                // Looked at again when it is done, for its `low`.
                None => way.push((to, 0)),
                Some(other) => {
                    *done += 1;
                    if other.open {
                        here.low = here.low.min(other.low);
                        seen[node] = Some(here);
                    }
                }
            }
            continue;
        }
        way.pop();
        if here.low == here.order {
            while let Some(member) = open.pop() {
                components[member] = Some(found);
                if let Some(member) = &mut seen[member] {
                    member.open = false;
                }
                if member == node {
                    break;
                }
            }
            found += 1;
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::components;

    /// Two loops, one in the other, a way around them and a node that nothing leads to.
    #[test]
    fn loops_are_found() {
        //      0 → 1 → 2 → 3 → 1, 3 → 2, 1 → 4, 5 → 4
        let next = [vec![1], vec![2, 4], vec![3], vec![2, 1], vec![], vec![4]];
        let found = components(&next);
        assert_eq!(found[1], found[2]);
        assert_eq!(found[1], found[3]);
        assert_ne!(found[0], found[1]);
        assert_ne!(found[4], found[1]);
        assert_eq!(found[5], None);
    }

    /// A function of one block, and one of none.
    #[test]
    fn small_ones() {
        assert_eq!(components(&[vec![0]]), [Some(0)]);
        assert_eq!(components(&[]), []);
    }
}
