//! Rewriting of calls of module functions, device driver functions and intrinsics.

use super::{
    emit::{erase, remove_attribute, replace},
    float,
    instrument::Instrumenter,
    layout::address_space,
    operation::{operand, result_type, symbol_attribute, unsupported},
};
use crate::fault::Error;
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::StringAttribute, operation::OperationLike,
    r#type::IntegerType,
};
use std::collections::BTreeSet;

/// Intrinsics without side effects that device IR may call by name.
const CALLED: [&str; 8] = [
    "llvm.ceil",
    "llvm.copysign",
    "llvm.fabs",
    "llvm.floor",
    "llvm.fma",
    "llvm.roundeven",
    "llvm.sqrt",
    "llvm.trunc",
];

/// Intrinsics of approximate f32 instructions, and the hooks that replace the intrinsics.
const APPROXIMATIONS: [(&str, &str); 4] = [
    ("llvm.nvvm.ex2.approx.ftz.f32", "__tx_exp2"),
    ("llvm.nvvm.lg2.approx.ftz.f", "__tx_log2"),
    ("llvm.nvvm.rsqrt.approx.f", "__tx_rsqrt"),
    ("llvm.nvvm.sqrt.approx.f", "__tx_sqrt"),
];

/// A print or assertion function of the device driver, and the hook that replaces it.
#[derive(Clone, Copy)]
pub(super) struct DriverFunction {
    name: &'static str,
    operands: &'static [OperandType],
    result: Option<OperandType>,
    hook: &'static str,
    /// Number of leading operands that the rewritten call passes to the hook as addresses.
    addresses: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperandType {
    Pointer,
    Int(u32),
}

impl OperandType {
    fn of(r#type: Type<'_>) -> Option<Self> {
        if let Ok(integer) = IntegerType::try_from(r#type) {
            return Some(Self::Int(integer.width()));
        }
        (address_space(r#type) == Some(0)).then_some(Self::Pointer)
    }
}

const DRIVER_FUNCTIONS: [DriverFunction; 2] = [
    DriverFunction {
        name: "vprintf",
        operands: &[OperandType::Pointer, OperandType::Pointer],
        result: Some(OperandType::Int(32)),
        hook: "__tx_print",
        addresses: 2,
    },
    DriverFunction {
        name: "__assertfail",
        operands: &[
            OperandType::Pointer,
            OperandType::Pointer,
            OperandType::Int(32),
            OperandType::Pointer,
            OperandType::Int(64),
        ],
        result: None,
        hook: "__tx_assert",
        addresses: 1,
    },
];

impl DriverFunction {
    pub(super) fn of(name: &str) -> Option<Self> {
        DRIVER_FUNCTIONS
            .iter()
            .find(|known| known.name == name)
            .copied()
    }
}

/// Rewrites a call of a function. The list `functions` contains the names of the functions in the
/// module. Returns the name of the callee if the list `functions` contains the name.
pub(super) fn rewrite_call<'c, 'a>(
    instrumenter: &mut Instrumenter<'c>,
    operation: OperationRef<'c, 'a>,
    functions: &BTreeSet<String>,
) -> Result<Option<String>, Error> {
    let callee = symbol_attribute(operation, "callee");
    if let Some(called) = callee.as_deref().and_then(DriverFunction::of)
        && callee
            .as_ref()
            .is_some_and(|callee| !functions.contains(callee))
    {
        rewrite_driver_call(instrumenter, operation, called)?;
        return Ok(None);
    }
    let callee = callee
        .filter(|callee| functions.contains(callee))
        .ok_or_else(|| unsupported(operation, "llvm.call (through a pointer)"))?;
    for name in [
        "access_groups",
        "alias_scopes",
        "noalias_scopes",
        "tbaa",
        "memory_effects",
        "arg_attrs",
        "res_attrs",
    ] {
        remove_attribute(operation, name);
    }
    Ok(Some(callee))
}

fn rewrite_driver_call<'c, 'a>(
    instrumenter: &mut Instrumenter<'c>,
    operation: OperationRef<'c, 'a>,
    called: DriverFunction,
) -> Result<(), Error> {
    let emitter = instrumenter.emitter(operation)?;
    let word = emitter.integer_type(64);
    let site = emitter.constant(32, instrumenter.site(operation)?)?;
    let result = operation.result(0).ok().map(|result| result.r#type());
    let types = operation
        .operands()
        .map(|operand| OperandType::of(operand.r#type()));
    let is_known = types.eq(called.operands.iter().copied().map(Some))
        && result.map(OperandType::of) == called.result.map(Some);
    if !is_known {
        return Err(unsupported(
            operation,
            &format!(
                "llvm.call of `{}` (with other types than it has)",
                called.name
            ),
        ));
    }
    let mut arguments = Vec::new();
    for index in 0..called.addresses {
        arguments.push(emitter.cast("llvm.ptrtoint", operand(operation, index)?, word)?);
    }
    arguments.push(site);
    replace(operation, emitter.call(called.hook, &arguments, result)?);
    // SAFETY: all uses of the result, if any, were replaced.
    unsafe { erase(operation) };
    Ok(())
}

/// Replaces a call of an intrinsic by an operation, or by a hook call.
pub(super) fn rewrite_intrinsic<'c, 'a>(
    instrumenter: &Instrumenter<'c>,
    operation: OperationRef<'c, 'a>,
) -> Result<(), Error> {
    let called = operation
        .attribute("intrin")
        .ok()
        .and_then(|attribute| StringAttribute::try_from(attribute).ok())
        .map(|attribute| attribute.value().to_owned())
        .unwrap_or_default();
    if let Some((_, hook)) = APPROXIMATIONS.iter().find(|(known, _)| *known == called) {
        let operands: Vec<_> = operation.operands().collect();
        let emitter = instrumenter.emitter(operation)?;
        replace(
            operation,
            emitter.call(hook, &operands, Some(result_type(operation)?))?,
        );
        // SAFETY: all uses of the result were replaced.
        unsafe { erase(operation) };
        return Ok(());
    }
    let Some(known) = CALLED.iter().find(|known| **known == called) else {
        return Err(unsupported(
            operation,
            &format!("llvm.call_intrinsic of {called}"),
        ));
    };
    let name = known.replacen("llvm.", "llvm.intr.", 1);
    let emitter = instrumenter.emitter(operation)?;
    let value = match float::lower(&emitter, operation, &name)? {
        Some(value) => value,
        None => {
            let operands: Vec<_> = operation.operands().collect();
            emitter.value(&name, &operands, &[], result_type(operation)?)?
        }
    };
    replace(operation, Some(value));
    // SAFETY: all uses of the result were replaced.
    unsafe { erase(operation) };
    Ok(())
}
