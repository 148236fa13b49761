//! NVPTX target machines, LLVM IR pass pipelines, and assembly emission through LLVM's C API.

mod capi;
mod kernels;
mod machine;
mod module;

pub use machine::Machine;

use crate::ir::Op;
use crate::threads;
use capi::{
    ASSEMBLY, LLVMCreatePassBuilderOptions, LLVMCreateTargetDataLayout, LLVMDisposeErrorMessage,
    LLVMDisposeMemoryBuffer, LLVMDisposePassBuilderOptions, LLVMDisposeTargetData,
    LLVMGetBufferSize, LLVMGetBufferStart, LLVMGetErrorMessage, LLVMInitializeNVPTXAsmPrinter,
    LLVMInitializeNVPTXTarget, LLVMInitializeNVPTXTargetInfo, LLVMInitializeNVPTXTargetMC,
    LLVMRunPasses, LLVMSetModuleDataLayout, LLVMSetTarget, LLVMTargetMachineEmitToMemoryBuffer,
    OwnedRef, take_message, terminated,
};
use kernels::{MAX_BATCH_OPS, Separable};
use machine::{CachedMachine, MAX_MACHINES, machines};
use melior::ir::operation::OperationLike;
use module::LlvmModule;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::Once;

/// Input of code generation: an MLIR module, the target of the module, and the LLVM IR passes.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a, 'c> {
    /// Op with one region, which contains functions in the LLVM dialect.
    pub module: Op<'c>,
    /// Target of code generation.
    pub machine: Machine<'a>,
    /// Passes over the LLVM IR, in the syntax of `opt`.
    pub passes: &'a str,
}

/// Runs the LLVM IR passes on each module, and returns the assembly of each module.
///
/// The function compiles independent kernels in parallel, with at most one thread per idle
/// processor. LLVM compiles a batch of several small kernels as one module. The assembly does not
/// depend on the number of threads.
///
/// # Errors
/// If LLVM cannot compile a module, the result for this module is LLVM's error message. Compilation
/// fails for an unknown triple, for an invalid pipeline, and for IR that the code generator does
/// not support. Some errors in LLVM's code generator end the process.
pub fn assembly(codes: &[Code<'_, '_>]) -> Vec<Result<String, String>> {
    assembly_by_parts(codes, MAX_BATCH_OPS)
}

/// Implements [`assembly`] with batches of at most `most_ops` ops. A kernel with more than
/// `most_ops` ops is the only kernel of its batch.
fn assembly_by_parts(codes: &[Code<'_, '_>], most_ops: usize) -> Vec<Result<String, String>> {
    static ONCE: Once = Once::new();
    // SAFETY: LLVM's target registration runs once.
    ONCE.call_once(|| unsafe {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
    let separable: Vec<_> = codes
        .iter()
        .map(|code| Separable::of(code.module, most_ops))
        .collect();
    // A job contains the index of the module, the index of the batch if the module is split into
    // batches, and the cost: the number of ops of the batch, or `usize::MAX` for a whole module.
    let mut jobs: Vec<(usize, Option<usize>, usize)> = Vec::new();
    for (number, separable) in separable.iter().enumerate() {
        match separable {
            Some(separable) => jobs
                .extend((separable.sizes().enumerate()).map(|(k, size)| (number, Some(k), size))),
            None => jobs.push((number, None, usize::MAX)),
        }
    }
    let translated = jobs.iter().map(|(number, part, size)| {
        let made = match (&separable[*number], part) {
            (Some(separable), Some(part)) => {
                let part = separable.part(*part);
                // SAFETY: the op lives as long as this call.
                LlvmModule::new(unsafe { Op::from_raw(part.to_raw()) })
            }
            _ => LlvmModule::new(codes[*number].module),
        };
        let Code {
            machine, passes, ..
        } = codes[*number];
        (*size, (machine, passes, made))
    });
    let made = threads::map(translated, |(machine, passes, translated)| {
        emit(translated?, machine, passes)
    });
    let mut made = jobs.iter().zip(made).peekable();
    let mut of_each = Vec::new();
    for (number, code) in codes.iter().enumerate() {
        let (mut texts, mut errors) = (Vec::new(), Vec::new());
        while let Some((_, result)) = made.next_if(|((of, _, _), _)| *of == number) {
            match result {
                Ok(text) => texts.push(text),
                Err(error) => errors.push(error),
            }
        }
        // All batches of a module usually fail with the same error message.
        errors.dedup();
        of_each.push(if !errors.is_empty() {
            Err(errors.join("; "))
        } else if let Some(separable) = &separable[number] {
            // If the function cannot join the PTX of the batches, it compiles the whole module at
            // once.
            let whole = || emit(LlvmModule::new(code.module)?, code.machine, code.passes);
            separable.join(&texts).map_or_else(whole, Ok)
        } else {
            Ok(texts.concat())
        });
    }
    of_each
}

/// Returns the assembly of an LLVM IR module. Uses an idle target machine from the cache, or
/// creates a target machine.
fn emit(translated: LlvmModule, machine: Machine<'_>, passes: &str) -> Result<String, String> {
    let cached = {
        let mut machines = machines();
        let at = machines.iter().position(|cached| cached.is(&machine));
        at.map(|at| machines.remove(at))
    };
    let cached = cached.map_or_else(|| CachedMachine::new(machine), Ok)?;
    let made = emit_by(&cached, translated, passes);
    let mut machines = machines();
    machines.truncate(MAX_MACHINES - 1);
    machines.insert(0, cached);
    made
}

fn emit_by(
    cached: &CachedMachine,
    mut translated: LlvmModule,
    passes: &str,
) -> Result<String, String> {
    let CachedMachine {
        triple, machine, ..
    } = cached;
    let passes = terminated(passes)?;
    let mut error = null_mut();
    let module = translated.module.0;
    // SAFETY: each object outlives its users, because locals are dropped in reverse order. LLVM
    // reads the texts only during the calls.
    let text = unsafe {
        let layout = OwnedRef(LLVMCreateTargetDataLayout(machine.0), LLVMDisposeTargetData);
        LLVMSetTarget(module, triple.as_ptr());
        LLVMSetModuleDataLayout(module, layout.0);
        let options = OwnedRef(
            LLVMCreatePassBuilderOptions(),
            LLVMDisposePassBuilderOptions,
        );
        let failed = LLVMRunPasses(module, passes.as_ptr(), machine.0, options.0);
        if !failed.is_null() {
            let message = LLVMGetErrorMessage(failed);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            return Err(text);
        }
        translated.gate();
        let mut buffer = null_mut();
        if LLVMTargetMachineEmitToMemoryBuffer(machine.0, module, ASSEMBLY, &mut error, &mut buffer)
            != 0
        {
            return Err(take_message(error));
        }
        let buffer = OwnedRef(buffer, LLVMDisposeMemoryBuffer);
        let (start, size) = (LLVMGetBufferStart(buffer.0), LLVMGetBufferSize(buffer.0));
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), size);
        String::from_utf8_lossy(bytes).into_owned()
    };
    let messages = translated.finish();
    match messages.is_empty() {
        true => Ok(text),
        false => Err(messages.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    #[test]
    fn parts_make_the_same_as_the_module() {
        let kernel = |name: &str, comparison: &str| {
            format!(
                "llvm.func @{name}(%p: !llvm.ptr, %v: i32) attributes {{gpu.kernel, nvvm.kernel}} {{
                   %zero = llvm.mlir.constant(0 : i32) : i32
                   %is = llvm.icmp \"{comparison}\" %v, %zero : i32
                   llvm.cond_br %is, ^end, ^store
                 ^store:
                   %scratch = llvm.mlir.addressof @{name}_scratch : !llvm.ptr<3>
                   llvm.store volatile %v, %scratch : i32, !llvm.ptr<3>
                   %w = llvm.load volatile %scratch : !llvm.ptr<3> -> i32
                   llvm.store volatile %w, %p : i32, !llvm.ptr
                   llvm.br ^end
                 ^end:
                   llvm.return
                 }}"
            )
        };
        let scratch = |name: &str| {
            let ty = "!llvm.array<4 x f32>";
            format!("llvm.mlir.global private @{name}_scratch() {{addr_space = 3 : i32}} : {ty}\n")
        };
        let names = ["c", "b", "d", "a"];
        let globals: String = ["a", "c", "b", "d"].map(scratch).concat();
        let kernels = names.map(|name| kernel(name, "slt")).join("\n");
        let text = format!("gpu.module @m {{ {globals}{kernels} }}");
        let session = Session::new(|_| ());
        let module = session.parse("kernels", text.as_bytes()).expect("a module");
        // SAFETY: the op lives as long as the module.
        let top = unsafe { Op::from_raw(module.as_operation().to_raw()) };
        let code = Code {
            module: crate::ops(crate::blocks(top)[0])[0],
            machine: Machine {
                triple: "nvptx64-nvidia-cuda",
                chip: "sm_90",
                features: "+ptx78",
                level: 2,
            },
            passes: "function(instcombine)",
        };
        let of = |ops| assembly_by_parts(&[code], ops).remove(0);
        let whole = of(usize::MAX).expect("PTX");
        assert!(whole.contains("$L__BB3_2:"), "{whole}");
        // One kernel per batch, then two.
        for most_ops in [0, 25] {
            assert_eq!(of(most_ops).as_ref(), Ok(&whole));
        }
    }
}
