//! Queries on a module between passes, and copies of a module.

use crate::plain;
use crate::verdict::Verdict;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use tx_mlir::{Op, Session, attribute, is, name, string_attribute, walk};
use tx_runtime::FaultKind;

/// Returns the text of a module. If the text before a pass is equal to the text after the pass, the
/// pass did not change the module.
pub(crate) fn text(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    module
        .as_operation()
        .to_string_with_flags(flags)
        .unwrap_or_default()
}

fn ops<'m>(module: &'m Module<'_>) -> Vec<Op<'m>> {
    // SAFETY: the op lives as long as the module, which is borrowed for `'m`.
    walk(unsafe { Op::from_raw(module.as_operation().to_raw()) })
}

/// Returns the selected variants of all `tile.reduce` ops; an op without a variant has no entry.
pub(crate) fn variants(module: &Module<'_>) -> Vec<String> {
    ops(module)
        .into_iter()
        .filter(|op| is(*op, "tile.reduce"))
        .filter_map(|op| string_attribute(op, "variant"))
        .collect()
}

/// Returns the grid that the validation assumes for the kernel `entry`; `None` unless the kernel
/// reads block ids and has an unknown grid size.
pub(crate) fn assumed_grid(module: &Module<'_>, entry: &str) -> Option<&'static str> {
    let is_entry = |op: &Op<'_>| string_attribute(*op, "sym_name").as_deref() == Some(entry);
    ops(module)
        .into_iter()
        .find(|op| is(*op, "gpu.func") && is_entry(op))
        .and_then(tx::assumed_grid)
}

pub(crate) fn counts_on_alignment(module: &Module<'_>) -> bool {
    let mut all = ops(module).into_iter();
    all.any(|op| attribute(op, "alignment").is_some())
}

/// Erases all functions and kernels except `entry` and the symbols that `entry` references.
pub(crate) fn keep_only(module: &Module<'_>, entry: &str) {
    let named = |op: &Op<'_>| string_attribute(*op, "sym_name");
    let all = ops(module);
    let is_entry = |op: &Op<'_>| {
        (is(*op, "func.func") || is(*op, "gpu.func")) && named(op).as_deref() == Some(entry)
    };
    let Some(found) = all.iter().copied().find(is_entry) else {
        return;
    };
    let holder = tx_mlir::enclosing(found, "gpu.module");
    for op in &all {
        let is_beside = is(*op, "gpu.func") && tx_mlir::parent(*op) == holder;
        if is_beside && *op != found && attribute(*op, "gpu.kernel").is_some() {
            tx_mlir::erase(*op);
        }
    }
    // SAFETY: the op lives as long as the module, which is borrowed.
    let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
    let mut needed = vec![holder.unwrap_or(found).to_string()];
    let mut others: Vec<Op<'_>> = tx_mlir::blocks(top)
        .into_iter()
        .flat_map(tx_mlir::ops)
        .filter(|op| is(*op, "func.func") || is(*op, "gpu.module"))
        .filter(|op| *op != holder.unwrap_or(found))
        .collect();
    // A symbol may match by accident if its name is a prefix of another name; an unnecessary
    // function is harmless.
    while let Some(next) = others.iter().position(|op| {
        named(op).is_some_and(|name| needed.iter().any(|text| text.contains(&format!("@{name}"))))
    }) {
        needed.push(others.swap_remove(next).to_string());
    }
    others.into_iter().for_each(tx_mlir::erase);
}

pub(crate) fn is_binary(module: &Module<'_>) -> bool {
    ops(module).into_iter().any(|op| is(op, "gpu.binary"))
}

/// Returns the name of the `gpu.module` that contains the `llvm.func` of a kernel.
pub(crate) fn kernels_in_llvm(module: &Module<'_>, kernel: &str) -> Option<String> {
    let kernel = ops(module).into_iter().find(|op| {
        is(*op, "llvm.func")
            && string_attribute(*op, "sym_name").as_deref() == Some(kernel)
            && tx_mlir::enclosing(*op, "gpu.module").is_some()
    })?;
    string_attribute(tx_mlir::enclosing(kernel, "gpu.module")?, "sym_name")
}

pub(crate) fn asks_for_addresses(module: &Module<'_>) -> bool {
    ops(module).into_iter().any(|op| is(op, "llvm.ptrtoint"))
}

/// Returns the text of a module with linalg ops, including locations; `None` for a module without
/// linalg ops.
pub(crate) fn source_to_convert(module: &Module<'_>) -> Option<String> {
    let converts = |op: Op<'_>| name(op).starts_with("linalg.");
    let flags = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form();
    let op = module.as_operation();
    ops(module)
        .into_iter()
        .any(converts)
        .then(|| op.to_string_with_flags(flags).ok())?
}

/// Returns a copy of the module in which the interpreter supports all ops.
pub(crate) fn generic<'c>(session: &Session, module: &Module<'c>) -> Result<Module<'c>, String> {
    // SAFETY: the op lives as long as the module; `copy` returns an owned op.
    let op = unsafe { Op::from_raw(module.as_operation().to_raw()) };
    let mut copy = Module::from_operation(tx_mlir::copy(op)).ok_or("cannot copy the module")?;
    plain::follow_nan(&ops(&copy));
    for pass in plain::passes(&ops(&copy)) {
        if !session.run(&mut copy, pass) {
            let _ = session.take_diagnostics();
            return Err(format!("`{pass}` does not support an op of this stage"));
        }
    }
    plain::rewrite(ops(&copy));
    Ok(copy)
}

/// Returns the verdict for an interpreter run that stopped with an error.
pub(crate) fn verdict_of(trouble: &tx_interp::Trouble, input: &str) -> Verdict {
    let text = format!("{trouble} ({input})");
    match trouble {
        tx_interp::Trouble::Unsupported { .. } => Verdict::Unsupported(trouble.to_string()),
        tx_interp::Trouble::Fault {
            kind: tx_interp::FaultKind::Race,
            ..
        } => Verdict::Race(text),
        _ => Verdict::Fault {
            what: text,
            code: trouble.code(),
        },
    }
}

/// Returns the verdict for an executor run that stopped with an error.
pub(crate) fn verdict_of_run(error: &tx_runtime::Error, input: &str) -> Verdict {
    let text = match error {
        // The message already contains the locations.
        tx_runtime::Error::Fault(fault) => format!("{} ({input})", fault.message),
        _ => format!("{error} ({input})"),
    };
    let faulty = |what| Verdict::Fault {
        what,
        code: error.code().and_then(|code| code.parse().ok()),
    };
    match error {
        tx_runtime::Error::DeviceIr(reason) => Verdict::Unsupported(reason.clone()),
        tx_runtime::Error::Fault(fault) => match fault.kind {
            FaultKind::Race => Verdict::Race(text),
            FaultKind::Stack => Verdict::Unsupported(text),
            _ => faulty(text),
        },
        _ => faulty(text),
    }
}
