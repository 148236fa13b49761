//! GPU modules of a program: lookup, target, text and PTX.

use melior::ir::Module;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use tx_mlir::{NvvmTarget, Op, attribute, elements, is, string_attribute, top, walk};
use tx_target::Chip;

/// Returns the `gpu.module` ops of a module, and the `gpu.binary` ops that replaced `gpu.module`
/// ops.
pub(crate) fn gpu_modules<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Op<'m>> {
    walk(top(module))
        .into_iter()
        .filter(|op| is(*op, "gpu.module") || is(*op, "gpu.binary"))
}

pub(crate) fn is_named(op: Op<'_>, name: &str) -> bool {
    string_attribute(op, "sym_name").as_deref() == Some(name)
}

/// Returns the chip in the target attribute of the `gpu.module` named `kernels`.
pub(crate) fn chip_of(module: &Module<'_>, kernels: &str) -> Option<Chip> {
    let holder = gpu_modules(module).find(|op| is_named(*op, kernels))?;
    let targets = attribute(holder, "targets").and_then(elements)?;
    let mut targets = targets.into_iter().filter_map(NvvmTarget::of);
    targets.find_map(|target| Chip::parse(&target.chip).ok())
}

/// Returns the text of the target attribute of each GPU module, in program order.
pub(crate) fn targets(module: &Module<'_>) -> Vec<Option<String>> {
    gpu_modules(module)
        .map(|op| attribute(op, "targets").map(|targets| targets.to_string()))
        .collect()
}

/// Returns the `gpu.module` named `kernels` in generic form, with the location of every op. The
/// executor reports faults at the op locations in the returned text. The text is in generic form
/// because MLIR cannot parse the custom form of `nvvm.barrier` with a location.
pub fn device_ir(module: &Module<'_>, kernels: Option<&str>) -> String {
    let device = Module::new(module.as_operation().location());
    let holder = kernels.and_then(|kernels| gpu_modules(module).find(|op| is_named(*op, kernels)));
    if let Some(holder) = holder {
        device.body().append_operation(tx_mlir::copy(holder));
    }
    generic(&device)
}

/// Returns a module in generic form, with the location of every op.
pub(crate) fn generic(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form();
    tx_mlir::text(top(module), &flags)
}

/// Returns the PTX of the `gpu.binary` that replaced a `gpu.module`.
pub(crate) fn ptx_of(module: &Module<'_>, kernels: &str) -> Option<String> {
    let binary = gpu_modules(module).find(|op| is_named(*op, kernels))?;
    tx_mlir::gpu::object_texts(binary).into_iter().next()
}
