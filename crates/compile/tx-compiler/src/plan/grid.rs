//! Detection of kernels that read their block index but have no known grid size.

use super::kernel::cluster_of;
use crate::position::line_column;
use std::collections::BTreeSet;
use tx_mlir::gpu::is_kernel;
use tx_mlir::{
    Op, attribute, enclosing, has_uses, is, name, results, string_attribute, symbol_name,
    symbol_path, walk,
};
use tx_plan::Warning;

/// GPU dialect ops whose result depends on the block index or on the grid size.
const BLOCK_OPS: [&str; 5] = [
    "gpu.block_id",
    "gpu.cluster_dim",
    "gpu.cluster_id",
    "gpu.global_id",
    "gpu.grid_dim",
];

/// Names of NVVM special registers whose value depends on the block index or on the grid size.
const BLOCK_REGISTERS: [&str; 4] = ["ctaid", "nctaid", "clusterid", "nclusterid"];

fn reads_block(op: Op<'_>) -> bool {
    let name = name(op);
    let register = name.strip_prefix("nvvm.read.ptx.sreg.");
    let register = register.and_then(|register| register.split('.').next());
    let is_one =
        BLOCK_OPS.contains(&name) || register.is_some_and(|one| BLOCK_REGISTERS.contains(&one));
    is_one && results(op).into_iter().any(has_uses)
}

/// Returns an op of the kernel `entry` that reads the block index. Returns `None` if the kernel has
/// a known grid size or contains no op that reads the block index.
fn block_reader(entry: Op<'_>) -> Option<Op<'_>> {
    if !is_kernel(entry) || attribute(entry, "known_grid_size").is_some() {
        return None;
    }
    reached(entry)
        .into_iter()
        .flat_map(walk)
        .find(|op| reads_block(*op))
}

/// Returns the unit of the grid size of the kernel `entry` (`blocks` or `clusters`), and a
/// description of the smallest grid (`one block` or `one cluster`).
fn smallest_grid(entry: Op<'_>) -> (&'static str, &'static str) {
    match cluster_of(entry) {
        Some(_) => ("clusters", "one cluster"),
        None => ("blocks", "one block"),
    }
}

/// Returns the assumed grid of a kernel that reads its block index but has no known grid size: `one
/// block` or `one cluster`.
pub fn assumed_grid(entry: Op<'_>) -> Option<&'static str> {
    block_reader(entry).map(|_| smallest_grid(entry).1)
}

/// Returns the warning that the kernel `entry` is launched with an assumed grid size.
pub(super) fn unknown_grid(entry: Op<'_>) -> Option<Warning> {
    let block_reader = block_reader(entry)?;
    let (what, assumed) = smallest_grid(entry);
    let kernel = symbol_name(entry);
    Some(Warning {
        message: format!(
            "`{}` depends on the grid, but the number of {what} of `{kernel}` is not known: \
             {assumed} is launched",
            name(block_reader)
        ),
        place: line_column(block_reader),
        notes: vec![format!(
            "set the number of blocks with `--grid N`, or with `known_grid_size = array<i32: N, 1, \
             1>` next to the block size of `{kernel}`"
        )],
    })
}

/// Returns a kernel and the functions that it calls, directly or indirectly.
fn reached(kernel: Op<'_>) -> Vec<Op<'_>> {
    let beside: Vec<Op<'_>> = enclosing(kernel, "gpu.module").map_or_else(Vec::new, |module| {
        let all = walk(module).into_iter();
        all.filter(|op| is(*op, "gpu.func") || is(*op, "func.func") || is(*op, "llvm.func"))
            .collect()
    });
    let mut found = vec![kernel];
    let mut known = BTreeSet::from([symbol_name(kernel)]);
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        for call in walk(function) {
            let callee = attribute(call, "callee").and_then(symbol_path);
            let Some(callee) = callee.and_then(|mut path| path.pop()) else {
                continue;
            };
            let function = beside
                .iter()
                .find(|op| string_attribute(**op, "sym_name").as_ref() == Some(&callee));
            if let (Some(function), true) = (function, known.insert(callee)) {
                found.push(*function);
            }
        }
    }
    found
}
