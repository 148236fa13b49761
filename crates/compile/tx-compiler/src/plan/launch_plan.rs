//! Launch plan of a program, with the GPU module of its kernels.

use melior::ir::Module;
use tx_mlir::gpu::is_kernel;
use tx_mlir::{enclosing, symbol_name, top, walk};
use tx_plan::{Expr, Plan};

/// Launch plan with the name of the GPU module of its kernels.
pub(crate) struct LaunchPlan {
    pub(crate) plan: Plan,
    /// Name of the `gpu.module` that contains the kernels; `None` if the program launches no
    /// kernel.
    pub(crate) gpu_module: Option<String>,
}

/// Sets the dynamic shared memory size of each launch step to the number of bytes that the lowered
/// kernel accesses.
pub(crate) fn with_dynamic_shared(mut launch_plan: LaunchPlan, module: &Module<'_>) -> LaunchPlan {
    for step in &mut launch_plan.plan.steps {
        let kernel = walk(top(module)).into_iter().find(|op| {
            let gpu_module = enclosing(*op, "gpu.module").map(symbol_name);
            is_kernel(*op)
                && symbol_name(*op) == step.kernel
                && gpu_module == launch_plan.gpu_module
        });
        let bytes = kernel.and_then(tx_mlir::gpu::dynamic_shared_bytes);
        step.dynamic_shared_bytes = Expr::Const(bytes.map_or(0, u64::cast_signed));
    }
    launch_plan
}
