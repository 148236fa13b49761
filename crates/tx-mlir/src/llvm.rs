//! LLVM, of which MLIR's C interface has no more than the translation: targets, pipelines over its
//! IR, and code.

mod kernels;

use crate::ir::Op;
use crate::threads;
use kernels::{MOST_OPS, Separable};
use melior::ir::operation::OperationLike;
use mlir_sys::MlirOperation;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Something of LLVM's that is known by its address alone.
#[repr(C)]
struct Opaque {
    _bytes: [u8; 0],
    _not_ours: PhantomData<(*mut u8, PhantomPinned)>,
}

type Ref = *mut Opaque;

// As in the headers of LLVM 22 under `llvm-c`, and in `mlir-c/Target/LLVMIR.h`.
unsafe extern "C" {
    fn mlirTranslateModuleToLLVMIR(module: MlirOperation, context: Ref) -> Ref;
    fn LLVMContextCreate() -> Ref;
    fn LLVMContextDispose(context: Ref);
    fn LLVMContextSetDiagnosticHandler(
        context: Ref,
        handler: unsafe extern "C" fn(Ref, *mut c_void),
        data: *mut c_void,
    );
    fn LLVMGetDiagInfoDescription(diagnostic: Ref) -> *mut c_char;
    fn LLVMGetDiagInfoSeverity(diagnostic: Ref) -> c_int;
    fn LLVMDisposeMessage(message: *mut c_char);
    fn LLVMDisposeModule(module: Ref);
    fn LLVMSetTarget(module: Ref, triple: *const c_char);
    fn LLVMSetModuleDataLayout(module: Ref, layout: Ref);
    fn LLVMInitializeNVPTXTargetInfo();
    fn LLVMInitializeNVPTXTarget();
    fn LLVMInitializeNVPTXTargetMC();
    fn LLVMInitializeNVPTXAsmPrinter();
    fn LLVMGetTargetFromTriple(
        triple: *const c_char,
        target: *mut Ref,
        error: *mut *mut c_char,
    ) -> c_int;
    fn LLVMCreateTargetMachine(
        target: Ref,
        triple: *const c_char,
        chip: *const c_char,
        features: *const c_char,
        level: c_int,
        relocation: c_int,
        model: c_int,
    ) -> Ref;
    fn LLVMDisposeTargetMachine(machine: Ref);
    fn LLVMCreateTargetDataLayout(machine: Ref) -> Ref;
    fn LLVMDisposeTargetData(layout: Ref);
    fn LLVMCreatePassBuilderOptions() -> Ref;
    fn LLVMDisposePassBuilderOptions(options: Ref);
    fn LLVMRunPasses(module: Ref, passes: *const c_char, machine: Ref, options: Ref) -> Ref;
    fn LLVMGetErrorMessage(error: Ref) -> *mut c_char;
    fn LLVMDisposeErrorMessage(message: *mut c_char);
    fn LLVMTargetMachineEmitToMemoryBuffer(
        machine: Ref,
        module: Ref,
        kind: c_int,
        error: *mut *mut c_char,
        buffer: *mut Ref,
    ) -> c_int;
    fn LLVMGetBufferStart(buffer: Ref) -> *const c_char;
    fn LLVMGetBufferSize(buffer: Ref) -> usize;
    fn LLVMDisposeMemoryBuffer(buffer: Ref);
}

/// `LLVMAssemblyFile`.
const ASSEMBLY: c_int = 0;
/// `LLVMDSError`.
const ERROR: c_int = 0;

/// What to make code for.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Such as `nvptx64-nvidia-cuda`.
    pub triple: &'a str,
    /// Such as `sm_90`.
    pub chip: &'a str,
    /// Such as `+ptx78`.
    pub features: &'a str,
    /// How much the code generator optimizes, 0 to 3.
    pub level: u8,
}

/// What LLVM reports is kept here while it works.
#[derive(Default)]
struct Reports(Vec<String>);

unsafe extern "C" fn keep(diagnostic: Ref, reports: *mut c_void) {
    // SAFETY: LLVM calls this with its diagnostic, and with the reports that the handler was set
    // with, which outlive the context; nothing else refers to them meanwhile.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) == ERROR {
            let text = taken(LLVMGetDiagInfoDescription(diagnostic));
            (*reports.cast::<Reports>()).0.push(text);
        }
    }
}

/// A message of LLVM's, which is freed.
///
/// # Safety
/// It is null, or one that `LLVMDisposeMessage` frees.
unsafe fn taken(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: as above; it ends in a NUL.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Calls a function when it goes.
struct Owned(Ref, unsafe extern "C" fn(Ref));

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made with the function that frees what it holds.
        unsafe { (self.1)(self.0) }
    }
}

/// What to make code of: an op that holds functions in LLVM's dialect, and for which machine.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a, 'c> {
    /// The op.
    pub module: Op<'c>,
    /// The machine.
    pub machine: Machine<'a>,
}

/// Assembly of each module: `passes`, in the syntax of `opt`, run over its LLVM IR first. Kernels
/// of all of them are compiled by themselves, small ones some at a time, where they have nothing in
/// common, by as many threads as there are processors that do not do so already for another call.
/// The result does not depend on them.
///
/// # Errors
/// Says of each what LLVM reports: a triple that it does not know, a pipeline that it does not
/// understand, or what it cannot make code of. Some of the latter ends the process.
pub fn assembly(codes: &[Code<'_, '_>], passes: &str) -> Vec<Result<String, String>> {
    assembly_by_parts(codes, passes, MOST_OPS)
}

/// [`assembly`], where parts have so many ops at most, or one kernel.
fn assembly_by_parts(
    codes: &[Code<'_, '_>],
    passes: &str,
    most_ops: usize,
) -> Vec<Result<String, String>> {
    static ONCE: Once = Once::new();
    // SAFETY: registers targets, once.
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
    // The number of a module, that of a part where it has several, and what it takes.
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
                Translated::new(unsafe { Op::from_raw(part.to_raw()) })
            }
            _ => Translated::new(codes[*number].module),
        };
        (*size, (codes[*number].machine, made))
    });
    let made = threads::map(translated, |(machine, translated)| {
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
        // Parts fail for the same reason mostly.
        errors.dedup();
        of_each.push(if !errors.is_empty() {
            Err(errors.join("; "))
        } else if let Some(separable) = &separable[number] {
            // What cannot be put together is compiled together.
            let whole = || emit(Translated::new(code.module)?, code.machine, passes);
            separable.join(&texts).map_or_else(whole, Ok)
        } else {
            Ok(texts.concat())
        });
    }
    of_each
}

/// So many machines are kept, the last that were used.
const MOST_MACHINES: usize = 64;

/// Machines that no thread uses: to make one takes as long as several passes over a kernel.
static MACHINES: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

fn machines() -> MutexGuard<'static, Vec<Kept>> {
    MACHINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// LLVM IR, in a context of its own. What is dropped first was made last.
struct Translated {
    module: Owned,
    context: Owned,
    reports: Box<Reports>,
}

// SAFETY: LLVM has nothing of a context that belongs to a thread; only one at a time has it.
unsafe impl Send for Translated {}

impl Translated {
    fn new(module: Op<'_>) -> Result<Self, String> {
        let mut reports = Box::<Reports>::default();
        // SAFETY: the context outlives the module, and the reports outlive both.
        unsafe {
            let context = Owned(LLVMContextCreate(), LLVMContextDispose);
            LLVMContextSetDiagnosticHandler(context.0, keep, (&raw mut *reports).cast());
            let translated = mlirTranslateModuleToLLVMIR(module.to_raw(), context.0);
            if translated.is_null() {
                return Err("it cannot be translated to LLVM IR".to_owned());
            }
            Ok(Self {
                module: Owned(translated, LLVMDisposeModule),
                context,
                reports,
            })
        }
    }

    /// What LLVM reported, when it has nothing more to say.
    fn finish(self) -> Vec<String> {
        let Self {
            module,
            context,
            reports,
        } = self;
        drop(module);
        drop(context);
        reports.0
    }
}

/// A machine of LLVM's.
struct Kept {
    triple: CString,
    chip: String,
    features: String,
    level: u8,
    machine: Owned,
}

// SAFETY: nothing of a machine belongs to a thread; only one at a time has it.
unsafe impl Send for Kept {}

impl Kept {
    fn new(machine: Machine<'_>) -> Result<Self, String> {
        let (triple, chip) = (terminated(machine.triple)?, terminated(machine.chip)?);
        let features = terminated(machine.features)?;
        let (mut target, mut error) = (null_mut(), null_mut());
        // SAFETY: LLVM reads texts, and writes the two addresses, while it is called.
        let made = unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut error) != 0 {
                return Err(taken(error));
            }
            LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                chip.as_ptr(),
                features.as_ptr(),
                c_int::from(machine.level),
                0,
                0,
            )
        };
        if made.is_null() {
            return Err(format!("LLVM has no target machine for `{}`", machine.chip));
        }
        Ok(Self {
            triple,
            chip: machine.chip.to_owned(),
            features: machine.features.to_owned(),
            level: machine.level,
            machine: Owned(made, LLVMDisposeTargetMachine),
        })
    }

    fn is(&self, machine: &Machine<'_>) -> bool {
        self.triple.as_bytes() == machine.triple.as_bytes()
            && self.chip == machine.chip
            && self.features == machine.features
            && self.level == machine.level
    }
}

/// A text for LLVM.
fn terminated(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("`{text:?}` has a NUL"))
}

/// Assembly of LLVM IR.
fn emit(translated: Translated, machine: Machine<'_>, passes: &str) -> Result<String, String> {
    let kept = {
        let mut machines = machines();
        let at = machines.iter().position(|kept| kept.is(&machine));
        at.map(|at| machines.remove(at))
    };
    let kept = kept.map_or_else(|| Kept::new(machine), Ok)?;
    let made = emit_by(&kept, translated, passes);
    let mut machines = machines();
    machines.truncate(MOST_MACHINES - 1);
    machines.insert(0, kept);
    made
}

/// [`emit`] with a machine that was made.
fn emit_by(kept: &Kept, translated: Translated, passes: &str) -> Result<String, String> {
    let Kept {
        triple, machine, ..
    } = kept;
    let passes = terminated(passes)?;
    let mut error = null_mut();
    let module = &translated.module;
    // SAFETY: everything lives as long as it is used: what is dropped first was made last. LLVM
    // reads texts while it is called.
    let text = unsafe {
        let layout = Owned(LLVMCreateTargetDataLayout(machine.0), LLVMDisposeTargetData);
        LLVMSetTarget(module.0, triple.as_ptr());
        LLVMSetModuleDataLayout(module.0, layout.0);
        let options = Owned(
            LLVMCreatePassBuilderOptions(),
            LLVMDisposePassBuilderOptions,
        );
        let failed = LLVMRunPasses(module.0, passes.as_ptr(), machine.0, options.0);
        if !failed.is_null() {
            let message = LLVMGetErrorMessage(failed);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            return Err(text);
        }
        let mut buffer = null_mut();
        if LLVMTargetMachineEmitToMemoryBuffer(
            machine.0,
            module.0,
            ASSEMBLY,
            &mut error,
            &mut buffer,
        ) != 0
        {
            return Err(taken(error));
        }
        let buffer = Owned(buffer, LLVMDisposeMemoryBuffer);
        let (start, size) = (LLVMGetBufferStart(buffer.0), LLVMGetBufferSize(buffer.0));
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), size);
        String::from_utf8_lossy(bytes).into_owned()
    };
    let reports = translated.finish();
    match reports.is_empty() {
        true => Ok(text),
        false => Err(reports.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    /// However many kernels are compiled at once, what comes out is what LLVM makes of the module.
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
        };
        let of = |ops| assembly_by_parts(&[code], "function(instcombine)", ops).remove(0);
        let whole = of(usize::MAX).expect("PTX");
        assert!(whole.contains("$L__BB3_2:"), "{whole}");
        // One kernel at a time, then two.
        for most_ops in [0, 25] {
            assert_eq!(of(most_ops).as_ref(), Ok(&whole));
        }
    }
}
