//! Separate PTX modules, one per kernel.

use crate::gpu_modules::{gpu_modules, is_named, ptx_of};
use melior::ir::Module;
use std::collections::BTreeSet;
use tx_mlir::{Op, Session, blocks, copy, erase, ops, string_attribute, symbol_uses, top, walk};
use tx_plan::{KernelModule, Step};

/// Compiles the kernel of each launch step to its own PTX module. Each separate PTX module contains
/// only one kernel, and the globals and functions that the kernel uses. Returns `None` if a pass
/// fails.
pub(crate) fn compile(
    session: &Session,
    module: &Module<'_>,
    gpu_module: &str,
    steps: &[Step],
) -> Option<Vec<KernelModule>> {
    let mut made: Vec<KernelModule> = Vec::new();
    for step in steps {
        if made.iter().any(|known| known.name == step.module) {
            continue;
        }
        let mut part = Module::from_operation(copy(top(module)))?;
        keep_kernel(&part, gpu_module, &step.kernel);
        for pass in tx_passes::EMIT {
            if !session.run_unverified(&mut part, pass) {
                return None;
            }
        }
        made.push(KernelModule {
            name: step.module.clone(),
            ptx: ptx_of(&part, gpu_module)?,
        });
    }
    Some(made)
}

/// Erases every symbol that the kernel references neither directly nor indirectly.
fn keep_kernel(module: &Module<'_>, gpu_module: &str, kernel: &str) {
    for holder in gpu_modules(module).collect::<Vec<_>>() {
        if !is_named(holder, gpu_module) {
            erase(holder);
            continue;
        }
        let symbols: Vec<Op<'_>> = blocks(holder).into_iter().flat_map(ops).collect();
        let mut needed = BTreeSet::from([kernel.to_owned()]);
        let mut pending = vec![kernel.to_owned()];
        while let Some(name) = pending.pop() {
            for op in symbols.iter().filter(|op| is_named(**op, &name)) {
                for name in referred(*op) {
                    if needed.insert(name.clone()) {
                        pending.push(name);
                    }
                }
            }
        }
        let is_unneeded = |op: &Op<'_>| {
            string_attribute(*op, "sym_name").is_some_and(|name| !needed.contains(&name))
        };
        symbols.into_iter().filter(is_unneeded).for_each(erase);
    }
}

fn referred(op: Op<'_>) -> Vec<String> {
    walk(op).into_iter().flat_map(symbol_uses).collect()
}
