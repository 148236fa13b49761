//! Reachability and loop membership of basic blocks.

use super::ranges::Arguments;
use melior::ir::BlockLike;
use std::collections::BTreeMap;
use tx_mlir::{Blk, Op, Val, blocks, is, name, operand_groups, operands, successors};

#[derive(Clone, Copy)]
pub(super) struct Reached<'c> {
    pub(super) block: Blk<'c>,
    pub(super) in_loop: bool,
    /// Set if LLVM may remove the block, because the block is unreachable or execution never
    /// reaches the end of the block.
    pub(super) removable: bool,
}

/// Returns the reachable blocks of a function, in textual order.
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
    let passed = passed(&blocks, &next);
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
                removable: !passed[number] || last.is_some_and(|op| is(op, "llvm.unreachable")),
            })
        })
        .collect()
}

/// Returns one flag for each block of a function; the flag is set if the block may execute. The
/// function uses conditional constant propagation (Wegman and Zadeck, 1991) with integer ranges.
fn passed(blocks: &[Blk<'_>], next: &[Vec<usize>]) -> Vec<bool> {
    let mut arguments = Arguments::default();
    let mut passed = vec![false; blocks.len()];
    passed.iter_mut().take(1).for_each(|first| *first = true);
    loop {
        let mut changed = false;
        for (number, block) in blocks.iter().enumerate() {
            let Some(last) = tx_mlir::ops(*block).pop().filter(|_| passed[number]) else {
                continue;
            };
            let always = arguments.always(last);
            for (way, &to) in next[number].iter().enumerate() {
                // If the condition of a conditional branch is true, execution continues at the
                // first successor.
                if always.is_some_and(|holds| holds != (way == 0)) {
                    continue;
                }
                changed |= !std::mem::replace(&mut passed[to], true);
                let given = given(last, way);
                for i in 0..blocks[to].argument_count() {
                    if let Ok(argument) = blocks[to].argument(i) {
                        let value = given.as_ref().and_then(|given| given.get(i).copied());
                        changed |= arguments.join(argument.into(), value);
                    }
                }
            }
        }
        if !changed {
            return passed;
        }
    }
}

/// Returns the values that a branch passes to the block arguments of the successor with index
/// `way`; `None` if the values are unknown.
fn given<'c>(branch: Op<'c>, way: usize) -> Option<Vec<Val<'c>>> {
    match name(branch) {
        "llvm.br" => Some(operands(branch)),
        "llvm.cond_br" => operand_groups(branch)?.get(way + 1).cloned(),
        _ => None,
    }
}

/// Returns the strongly connected component of each node (Tarjan, iterative); `None` for nodes that
/// are unreachable from node 0.
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
    // Node, and the number of its visited successors.
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
                // The loop visits `to` again after its successors, to read its `low`.
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

    /// Checks the components of a graph with nested loops, an exit from a loop, and an unreachable
    /// node.
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

    /// Checks the components of a graph with one node, and of an empty graph.
    #[test]
    fn small_ones() {
        assert_eq!(components(&[vec![0]]), [Some(0)]);
        assert_eq!(components(&[]), []);
    }
}
