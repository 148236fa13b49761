//! Basic blocks, and detection of loops.

use std::collections::{BTreeMap, BTreeSet};

use super::error::FlowError;
use super::flatten::Flat;
use super::site::{Block, Site};
use crate::instruction::Operand;

/// Returns whether an instruction ends its basic block: some or all threads may leave the basic
/// block at this instruction.
fn ends_block(site: &Site<'_>) -> bool {
    matches!(
        site.instruction.opcode.name(),
        "bra" | "brx" | "ret" | "exit" | "trap"
    )
}

pub(super) fn blocks(flat: &Flat<'_>) -> Result<Vec<Block>, FlowError> {
    let end = flat.sites.len();
    let mut leaders: BTreeSet<usize> = flat.labelled().filter(|&site| site < end).collect();
    if end > 0 {
        leaders.insert(0);
    }
    for (index, site) in flat.sites.iter().enumerate() {
        if ends_block(site) && index + 1 < end {
            leaders.insert(index + 1);
        }
    }
    let starts: Vec<usize> = leaders.into_iter().collect();
    let of_site: BTreeMap<usize, usize> = starts
        .iter()
        .enumerate()
        .map(|(block, &start)| (start, block))
        .collect();
    let mut blocks = Vec::with_capacity(starts.len());
    for (index, &start) in starts.iter().enumerate() {
        let stop = starts.get(index + 1).copied().unwrap_or(end);
        // A label at the end of the body belongs to no block, because the function returns at this
        // label.
        let successors: BTreeSet<usize> = next_sites(flat, stop - 1)?
            .into_iter()
            .filter_map(|site| of_site.get(&site).copied())
            .collect();
        blocks.push(Block {
            sites: start..stop,
            successors: successors.into_iter().collect(),
            in_loop: false,
            reachable: false,
        });
    }
    mark_reachable(&mut blocks);
    mark_loops(&mut blocks);
    Ok(blocks)
}

/// Returns the indices of the instructions that may execute directly after instruction `index`.
fn next_sites(flat: &Flat<'_>, index: usize) -> Result<Vec<usize>, FlowError> {
    let site = &flat.sites[index];
    let instruction = site.instruction;
    let mut next = Vec::new();
    if !ends_block(site) || instruction.guard.is_some() {
        next.push(index + 1);
    }
    let name = |operand: Option<&Operand>| match operand {
        Some(Operand::Symbol(name)) => Ok(name.clone()),
        _ => Err(FlowError::NoTarget {
            opcode: instruction.opcode.as_str().to_owned(),
            at: instruction.at,
        }),
    };
    let find = |scope: usize, label: &str| {
        flat.find_label(scope, label)
            .ok_or_else(|| FlowError::UndefinedLabel {
                label: label.to_owned(),
                at: instruction.at,
            })
    };
    match instruction.opcode.name() {
        "bra" => {
            let label = name(instruction.operands.first())?;
            next.push(find(site.scope, &label)?);
        }
        "brx" => {
            let table = name(instruction.operands.get(1))?;
            let (scope, labels) =
                flat.find_targets(site.scope, &table)
                    .ok_or_else(|| FlowError::UndefinedLabel {
                        label: table.clone(),
                        at: instruction.at,
                    })?;
            for label in labels {
                next.push(find(scope, label)?);
            }
        }
        _ => {}
    }
    Ok(next)
}

fn mark_reachable(blocks: &mut [Block]) {
    let mut open = Vec::new();
    if !blocks.is_empty() {
        open.push(0);
    }
    while let Some(index) = open.pop() {
        if !blocks[index].reachable {
            blocks[index].reachable = true;
            open.extend(blocks[index].successors.iter().copied());
        }
    }
}

/// Marks the basic blocks that are part of a cycle of the control-flow graph, using Tarjan's
/// algorithm for strongly connected components. An explicit stack replaces recursion, so a PTX
/// function with many basic blocks does not overflow the call stack.
fn mark_loops(blocks: &mut [Block]) {
    const UNSEEN: usize = usize::MAX;
    let count = blocks.len();
    let mut order = vec![UNSEEN; count];
    let mut low = vec![UNSEEN; count];
    let mut on_path = vec![false; count];
    let mut path = Vec::new();
    let mut seen = 0;
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        // Each stack entry holds a block and the number of its visited successors.
        let mut calls = vec![(root, 0)];
        while let Some(&mut (block, ref mut done)) = calls.last_mut() {
            if *done == 0 {
                order[block] = seen;
                low[block] = seen;
                seen += 1;
                path.push(block);
                on_path[block] = true;
            }
            if let Some(&next) = blocks[block].successors.get(*done) {
                *done += 1;
                if order[next] == UNSEEN {
                    calls.push((next, 0));
                } else if on_path[next] {
                    low[block] = low[block].min(order[next]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[block]);
            }
            if low[block] != order[block] {
                continue;
            }
            let first = path.iter().rposition(|&each| each == block).unwrap_or(0);
            let component = path.split_off(first);
            let around = component.len() > 1 || blocks[block].successors.contains(&block);
            for each in component {
                on_path[each] = false;
                blocks[each].in_loop = around;
            }
        }
    }
}
