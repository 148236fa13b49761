//! Conversion of device IR to modules for the host.
//!
//! The executor converts each kernel to a separate module. If kernels of a `gpu.module` can share
//! functions or global-memory variables, all kernels of this `gpu.module` are converted to one
//! module. The conversion copies the operations of the device module, and module `rewrite` rewrites
//! the copies. GPU-specific operations become calls of executor functions (hooks). Module
//! `instrument` inserts a hook call before every memory access.

mod access;
mod call;
mod emit;
mod float;
mod instrument;
mod layout;
mod nvvm;
mod operation;
mod rewrite;

use crate::{
    fault::{Diagnostic, Error},
    hook_interface,
    launch::{KernelInfo, ParamKind},
    libm,
    location::SiteInfo,
    shared::{GAP, SharedVariable},
};
use call::DriverFunction;
use emit::{remove_attribute, set_attribute};
use layout::{address_space, layout};
use melior::{
    Context,
    ir::{
        Attribute, BlockLike, Module, OperationRef, RegionLike, Type, TypeLike, ValueLike,
        attribute::{DenseI32ArrayAttribute, StringAttribute, TypeAttribute},
        operation::OperationLike,
        r#type::IntegerType,
    },
};
use mlir_sys as raw;
use operation::{integer, internal, name, source, text, unsupported_type};
use rewrite::{Rewriter, Uses};
use std::collections::{BTreeMap, BTreeSet};

/// Prefix of the names of device symbols. The prefix prevents name collisions of device symbols
/// with host symbols.
const PREFIX: &str = "tx.";

/// A module for the host, with the data that the executor needs to run the module.
pub(crate) struct ConvertedModule<'c> {
    pub(crate) module: Module<'c>,
    pub(crate) sites: Vec<SiteInfo>,
    pub(crate) kernels: Vec<ConvertedKernel>,
    /// Host functions that the module calls, each with the symbol name of the function.
    pub(crate) externals: Vec<(String, *mut ())>,
    pub(crate) globals: Vec<Global>,
    /// Number of stack bytes that the functions of the module need for private memory allocated on
    /// entry, and for spilled values.
    pub(crate) frame_bytes: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct ConvertedKernel {
    pub(crate) info: KernelInfo,
    pub(crate) symbol: String,
    /// Shared-memory variables of the module, in the order of their variable indices; `None` in
    /// place of each variable that the kernel does not use.
    pub(crate) shared: Vec<Option<SharedVariable>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) symbol: String,
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) constant: bool,
}

#[derive(Clone, Debug)]
struct Shared {
    name: String,
    bytes: u64,
    align: u64,
}

/// Converts every device module that contains a kernel.
pub(crate) fn convert<'c>(
    context: &'c Context,
    device: OperationRef<'c, '_>,
) -> Result<Vec<ConvertedModule<'c>>, Error> {
    let mut modules = Vec::new();
    let mut names = BTreeSet::new();
    let nested = operations(device)
        .into_iter()
        .filter(|operation| name(*operation) == "gpu.module");
    for container in nested.chain([device]) {
        if !operations(container).into_iter().any(is_kernel) {
            continue;
        }
        for part in parts(container) {
            let module = convert_module(context, container, part)?;
            for kernel in &module.kernels {
                if !names.insert(kernel.info.name.clone()) {
                    return Err(Error::DuplicateKernel {
                        location: source(container.location()),
                        name: kernel.info.name.clone(),
                    });
                }
            }
            modules.push(module);
        }
    }
    if modules.is_empty() {
        return Err(Error::NoKernel);
    }
    Ok(modules)
}

/// Splits the operations of a device module into units that are compiled separately.
///
/// Each compilation unit contains one kernel, and all operations of the device module that are not
/// kernels. Only the compilation units of launched kernels are compiled. If kernels can share
/// functions or variables, all operations of the device module are compiled as one unit.
fn parts<'c, 'a>(container: OperationRef<'c, 'a>) -> Vec<Vec<OperationRef<'c, 'a>>> {
    let all = operations(container);
    let is_shared = |operation: &OperationRef<'_, '_>| match name(*operation).as_str() {
        "llvm.mlir.global" => !is_shared_memory(*operation),
        "llvm.func" => is_definition(*operation) && !is_kernel(*operation),
        _ => false,
    };
    if all.iter().any(is_shared) {
        return vec![all];
    }
    let (kernels, rest): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|operation| is_kernel(*operation));
    kernels
        .into_iter()
        .map(|kernel| rest.iter().copied().chain([kernel]).collect())
        .collect()
}

fn is_shared_memory(variable: OperationRef<'_, '_>) -> bool {
    integer(variable, "addr_space") == Some(3)
}

/// Returns the operations in the first block of the first region of `operation`.
fn operations<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut operations = Vec::new();
    let block = operation
        .region(0)
        .ok()
        .and_then(|region| region.first_block());
    let mut next = block.and_then(|block| block.first_operation());
    while let Some(operation) = next {
        operations.push(operation);
        next = operation.next_in_block();
    }
    operations
}

fn is_kernel(operation: OperationRef<'_, '_>) -> bool {
    name(operation) == "llvm.func"
        && (operation.has_attribute("gpu.kernel") || operation.has_attribute("nvvm.kernel"))
}

fn symbol(operation: OperationRef<'_, '_>) -> Result<String, Error> {
    operation
        .attribute("sym_name")
        .ok()
        .and_then(|name| StringAttribute::try_from(name).ok())
        .map(|name| name.value().to_string())
        .ok_or_else(|| internal("a symbol without a name"))
}

fn is_definition(function: OperationRef<'_, '_>) -> bool {
    function
        .region(0)
        .is_ok_and(|region| region.first_block().is_some())
}

fn convert_module<'c>(
    context: &'c Context,
    container: OperationRef<'c, '_>,
    part: Vec<OperationRef<'c, '_>>,
) -> Result<ConvertedModule<'c>, Error> {
    let module = Module::parse(
        context,
        &format!("module {{\n{}}}", hook_interface::DECLARATIONS),
    )
    .ok_or_else(|| internal("the declarations of the hooks do not parse"))?;
    let mut shared = BTreeMap::new();
    let mut variables = Vec::new();
    let mut globals = Vec::new();
    let mut externals = Vec::new();
    let mut functions = Vec::new();
    for operation in part {
        let operation_name = name(operation);
        match operation_name.as_str() {
            "llvm.mlir.global" if is_shared_memory(operation) => {
                shared.insert(symbol(operation)?, variables.len());
                variables.push(shared_variable(operation)?);
            }
            "llvm.mlir.global" => {
                let copy = copy(operation, &module);
                globals.push(global(context, copy)?);
            }
            "llvm.func"
                if !is_definition(operation)
                    && DriverFunction::of(&symbol(operation)?).is_some() => {}
            "llvm.func" => {
                let copy = copy(operation, &module);
                let name = symbol(copy)?;
                if !is_definition(copy) {
                    let address = libm::external(&name).ok_or_else(|| Error::UnknownFunction {
                        location: source(operation.location()),
                        name: name.clone(),
                    })?;
                    externals.push((format!("{PREFIX}{name}"), address));
                }
                functions.push((name, copy));
            }
            "gpu.module" | "builtin.module" if name(container) == "builtin.module" => {}
            // Top-level host code next to the kernels is ignored.
            _ if name(container) == "builtin.module" && !operation_name.starts_with("llvm.") => {}
            _ => {
                return Err(Error::UnsupportedOperation {
                    location: source(operation.location()),
                    operation: operation_name,
                });
            }
        }
    }
    // All parameters, attributes and symbol uses are read before any symbol is renamed.
    let mut kernels = Vec::new();
    for &(_, function) in &functions {
        if is_kernel(function) {
            kernels.push(kernel_info(function)?);
        }
        prepare_function(context, function);
    }
    let known: BTreeSet<_> = functions.iter().map(|(name, _)| name.clone()).collect();
    let mut rewriter = Rewriter::new(context, &shared, &known);
    let mut uses = BTreeMap::new();
    for (name, function) in &functions {
        uses.insert(
            name.clone(),
            rewriter.function(
                *function,
                kernels
                    .iter()
                    .any(|kernel: &KernelInfo| kernel.name == *name),
            )?,
        );
    }
    let (sites, frame_bytes) = rewriter.finish();
    for (name, function) in &functions {
        rename(context, &module, *function, name);
    }
    for global in &globals {
        let operation = operations(module.as_operation())
            .into_iter()
            .find(|operation| symbol(*operation).is_ok_and(|name| name == global.name));
        if let Some(operation) = operation {
            rename(context, &module, operation, &global.name);
        }
    }
    let kernels = kernels
        .into_iter()
        .map(|info| place_shared(info, &uses, &variables))
        .collect();
    Ok(ConvertedModule {
        module,
        sites,
        kernels,
        externals,
        globals,
        frame_bytes,
    })
}

fn copy<'c, 'a>(operation: OperationRef<'c, '_>, module: &'a Module<'c>) -> OperationRef<'c, 'a> {
    // SAFETY: the clone has no other owner, and the block takes ownership.
    let clone =
        unsafe { melior::ir::Operation::from_raw(raw::mlirOperationClone(operation.to_raw())) };
    let copy = module.body().append_operation(clone);
    // SAFETY: the operation lives as long as the module that contains it.
    unsafe { OperationRef::from_raw(copy.to_raw()) }
}

fn global_type<'c>(operation: OperationRef<'c, '_>) -> Result<Type<'c>, Error> {
    operation
        .attribute("global_type")
        .ok()
        .and_then(|attribute| TypeAttribute::try_from(attribute).ok())
        .map(|attribute| attribute.value())
        .ok_or_else(|| internal("a global variable without a type"))
}

fn shared_variable(operation: OperationRef<'_, '_>) -> Result<Shared, Error> {
    let r#type = global_type(operation)?;
    let layout = layout(r#type).ok_or_else(|| unsupported_type(operation, r#type))?;
    let align = integer(operation, "alignment").and_then(|align| u64::try_from(align).ok());
    Ok(Shared {
        name: symbol(operation)?,
        bytes: layout.stored,
        // Vector accesses require 16-byte alignment. The CUDA driver aligns shared variables to at
        // least 16 bytes.
        align: align.unwrap_or(1).max(layout.align).max(16),
    })
}

fn global(context: &Context, operation: OperationRef<'_, '_>) -> Result<Global, Error> {
    let r#type = global_type(operation)?;
    let layout = layout(r#type).ok_or_else(|| unsupported_type(operation, r#type))?;
    let name = symbol(operation)?;
    // The executor looks up the address of the variable, which requires external linkage.
    set_linkage(context, operation);
    Ok(Global {
        symbol: format!("{PREFIX}{name}"),
        name,
        bytes: layout.stored,
        constant: operation.has_attribute("constant"),
    })
}

fn set_linkage(context: &Context, operation: OperationRef<'_, '_>) {
    let linkage = melior::dialect::llvm::attributes::linkage(
        context,
        melior::dialect::llvm::attributes::Linkage::External,
    );
    set_attribute(operation, "linkage", linkage);
}

fn kernel_info(function: OperationRef<'_, '_>) -> Result<KernelInfo, Error> {
    let block = function
        .region(0)
        .ok()
        .and_then(|region| region.first_block())
        .ok_or_else(|| Error::UnsupportedOperation {
            location: source(function.location()),
            operation: "llvm.func (a kernel without a body)".into(),
        })?;
    let mut parameters = Vec::new();
    for index in 0..block.argument_count() {
        let argument = block
            .argument(index)
            .map_err(|error| internal(&error.to_string()))?;
        let r#type = argument.r#type();
        parameters.push(param_kind(r#type).ok_or_else(|| unsupported_type(function, r#type))?);
    }
    let of_arguments = function.attribute("arg_attrs").ok();
    let of_arguments = of_arguments.and_then(tx_mlir::elements).unwrap_or_default();
    let by_value = |(name, _): (String, _)| name == "llvm.byval";
    if of_arguments
        .into_iter()
        .flat_map(tx_mlir::dictionary)
        .any(by_value)
    {
        return Err(Error::UnsupportedType {
            location: source(function.location()),
            r#type: "a parameter passed by value in memory (llvm.byval)".into(),
        });
    }
    let size = |name: &str| {
        let attribute = function.attribute(name).ok()?;
        let array = DenseI32ArrayAttribute::try_from(attribute).ok()?;
        let mut size = [1; 3];
        for (index, size) in size.iter_mut().enumerate().take(array.len()) {
            *size = u32::try_from(array.element(index).ok()?).ok()?;
        }
        Some(size)
    };
    let block_size = size("gpu.known_block_size")
        .or_else(|| size("known_block_size"))
        .or_else(|| size("nvvm.reqntid"));
    Ok(KernelInfo {
        name: symbol(function)?,
        location: source(function.location()),
        parameters,
        block_size,
        cluster_size: size("nvvm.cluster_dim"),
        max_threads: size("nvvm.maxntid").map(|size| size.iter().product()),
        static_shared_bytes: 0,
    })
}

fn param_kind(r#type: Type<'_>) -> Option<ParamKind> {
    if let Some(space) = address_space(r#type) {
        return Some(ParamKind::Pointer { space });
    }
    if let Ok(integer) = IntegerType::try_from(r#type) {
        let bits = integer.width();
        return (1..=64).contains(&bits).then_some(ParamKind::Int { bits });
    }
    if r#type.is_f16() {
        Some(ParamKind::F16)
    } else if r#type.is_bf16() {
        Some(ParamKind::Bf16)
    } else if r#type.is_f32() {
        Some(ParamKind::F32)
    } else if r#type.is_f64() {
        Some(ParamKind::F64)
    } else {
        None
    }
}

/// Removes the device attributes of a function, and sets the target CPU of the function to the CPU
/// that `host_cpu` returns.
fn prepare_function(context: &Context, function: OperationRef<'_, '_>) {
    const KEPT_ATTRIBUTES: [&str; 6] = [
        "sym_name",
        "function_type",
        "CConv",
        "linkage",
        "unnamed_addr",
        "visibility_",
    ];
    let is_kernel = is_kernel(function);
    let names: Vec<_> = function
        .attributes()
        .filter_map(|(name, _)| text(name))
        .filter(|name| !KEPT_ATTRIBUTES.contains(&name.as_str()))
        .collect();
    for name in names {
        remove_attribute(function, &name);
    }
    let set = |name: &str, value: &str| {
        if let Some(attribute) = Attribute::parse(context, value) {
            set_attribute(function, name, attribute);
        }
    };
    set("CConv", "#llvm.cconv<ccc>");
    set_linkage(context, function);
    if is_kernel {
        // Without `no_inline`, LLVM inlines the kernel into a wrapper that is compiled with all
        // instruction set extensions of the host CPU.
        set_attribute(function, "no_inline", Attribute::unit(context));
    }
    if let Some(cpu) = host_cpu() {
        set("target_cpu", &format!("\"{cpu}\""));
        set("target_features", "#llvm.target_features<[\"-avx512f\"]>");
    }
}

/// Returns the name of the LLVM target CPU; `None` selects the host CPU.
///
/// Results must not depend on the model of the host CPU. Newer x86 CPUs convert to bf16 with an
/// instruction that flushes subnormals. In f16 arithmetic, newer x86 CPUs round fewer intermediate
/// results than older x86 CPUs. LLVM therefore compiles host code for one of two fixed targets,
/// `x86-64` or `x86-64-v3`.
#[cfg(target_arch = "x86_64")]
fn host_cpu() -> Option<&'static str> {
    let has_v3 = std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("fma")
        && std::is_x86_feature_detected!("f16c")
        && std::is_x86_feature_detected!("bmi1")
        && std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("lzcnt")
        && std::is_x86_feature_detected!("movbe");
    Some(if has_v3 { "x86-64-v3" } else { "x86-64" })
}

#[cfg(not(target_arch = "x86_64"))]
fn host_cpu() -> Option<&'static str> {
    None
}

fn rename(context: &Context, module: &Module<'_>, operation: OperationRef<'_, '_>, old: &str) {
    let new = format!("{PREFIX}{old}");
    // SAFETY: the operations are alive, and the strings outlive the call. The call only fails for
    // unregistered operations, which the module does not contain.
    unsafe {
        raw::mlirSymbolTableReplaceAllSymbolUses(
            melior::StringRef::new(old).to_raw(),
            melior::StringRef::new(&new).to_raw(),
            module.as_operation().to_raw(),
        );
    }
    set_attribute(
        operation,
        "sym_name",
        StringAttribute::new(context, &new).into(),
    );
}

/// Returns the name by which messages identify a shared-memory variable. MLIR names workgroup
/// attributions of a kernel `__wg_<kernel>_<number>`.
fn shared_label(name: &str) -> String {
    let buffer = name
        .strip_prefix("__wg_")
        .and_then(|rest| rest.rsplit_once('_'));
    match buffer {
        Some((kernel, number)) if number.parse::<u32>().is_ok() => {
            format!("shared buffer {number} of kernel `{kernel}`")
        }
        _ => format!("shared @{name}"),
    }
}

/// Assigns an offset to each shared-memory variable that a kernel uses. Dynamic shared memory
/// starts after all shared-memory variables of fixed size.
fn place_shared(
    mut info: KernelInfo,
    uses: &BTreeMap<String, Uses>,
    variables: &[Shared],
) -> ConvertedKernel {
    let mut reached = BTreeSet::new();
    let mut used = BTreeSet::new();
    let mut open = vec![info.name.clone()];
    while let Some(function) = open.pop() {
        if let Some(uses) = uses.get(&function)
            && reached.insert(function)
        {
            used.extend(uses.shared.iter().copied());
            open.extend(uses.calls.iter().cloned());
        }
    }
    let mut shared = vec![None; variables.len()];
    // `packed` is the total size on a GPU; `end` is the total size in the executor, including gaps.
    let (mut packed, mut end) = (0u64, 0u64);
    let (dynamic, fixed): (Vec<_>, Vec<_>) = used
        .into_iter()
        .partition(|&variable: &usize| variables[variable].bytes == 0);
    for variable in fixed {
        let Shared { name, bytes, align } = &variables[variable];
        packed = packed.next_multiple_of(*align) + bytes;
        let offset = end.next_multiple_of(*align);
        shared[variable] = Some(SharedVariable {
            label: shared_label(name).into(),
            offset,
            length: Some(*bytes),
        });
        end = offset + bytes + GAP;
    }
    let align = dynamic
        .iter()
        .map(|&variable| variables[variable].align)
        .max()
        .unwrap_or(1);
    for variable in dynamic {
        shared[variable] = Some(SharedVariable {
            label: "dynamic shared memory".into(),
            offset: end.next_multiple_of(align),
            length: None,
        });
    }
    info.static_shared_bytes = packed.next_multiple_of(align);
    ConvertedKernel {
        symbol: format!("{PREFIX}{}", info.name),
        info,
        shared,
    }
}

pub(crate) fn diagnostic(diagnostic: &melior::diagnostic::Diagnostic<'_>) -> Diagnostic {
    let mut message = diagnostic.to_string();
    for index in 0..diagnostic.note_count() {
        if let Ok(note) = diagnostic.note(index) {
            message.push_str("\nnote: ");
            message.push_str(&note.to_string());
        }
    }
    Diagnostic {
        location: source(diagnostic.location()),
        message,
    }
}
