//! Launch plan of a kernel entry, which is launched once.

use super::launch_plan::LaunchPlan;
use super::types::argument_types;
use super::written;
use tx_mlir::{Failed, Op, attribute, enclosing, integers, symbol_name};
use tx_plan::{Argument, ArgumentType, EntryKind, Expr, Operand, Plan, Step, VERSION};

/// Returns the launch plan of a kernel with the block size `block`.
pub(super) fn plan(kernel: Op<'_>, name: &str, block: &[i64]) -> Result<LaunchPlan, Failed> {
    let grid = attribute(kernel, "known_grid_size")
        .and_then(integers)
        .unwrap_or_default();
    let written = written::parameters(kernel);
    let arguments = argument_types(kernel, name)?
        .into_iter()
        .enumerate()
        .map(|(i, ty)| {
            let written = matches!(ty, ArgumentType::Memref(_))
                && written.as_ref().is_none_or(|written| written.contains(&i));
            Argument { ty, written }
        })
        .collect::<Vec<_>>();
    let sizes = |sizes: &[i64]| -> [Expr; 3] {
        std::array::from_fn(|i| Expr::Const(sizes.get(i).copied().unwrap_or(1)))
    };
    let cluster = cluster_of(kernel);
    // An unknown grid is assumed to be the smallest possible one.
    let grid = match (grid.is_empty(), &cluster) {
        (true, Some(cluster)) => cluster.clone(),
        _ => sizes(&grid),
    };
    Ok(LaunchPlan {
        plan: Plan {
            version: VERSION,
            chip: String::new(),
            entry: name.to_owned(),
            entry_kind: EntryKind::Kernel,
            steps: vec![Step {
                kernel: name.to_owned(),
                module: name.to_owned(),
                choice: None,
                when: Vec::new(),
                grid,
                block: sizes(block),
                cluster,
                dynamic_shared_bytes: Expr::Const(0),
                operands: (0..arguments.len()).map(Operand::Argument).collect(),
            }],
            arguments,
            checks: Vec::new(),
            temporaries: Vec::new(),
        },
        gpu_module: enclosing(kernel, "gpu.module").map(symbol_name),
    })
}

/// Returns the `known_cluster_size` of a kernel.
pub(super) fn cluster_of(kernel: Op<'_>) -> Option<[Expr; 3]> {
    let sizes = attribute(kernel, "known_cluster_size").and_then(integers)?;
    let sizes: [i64; 3] = sizes.try_into().ok()?;
    Some(sizes.map(Expr::Const))
}
