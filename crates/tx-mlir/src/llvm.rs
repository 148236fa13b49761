//! LLVM, of which MLIR's C interface has no more than the translation: targets, pipelines over its IR, and code.

use crate::ir::Op;
use mlir_sys::MlirOperation;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};
use std::ptr::null_mut;
use std::sync::Once;

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
    // SAFETY: LLVM calls this with its diagnostic, and with the reports that the handler was set with, which outlive the
    // context; nothing else refers to them meanwhile.
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

/// Assembly of what an op holds, in LLVM's dialect: `passes`, in the syntax of `opt`, run over its LLVM IR first.
///
/// # Errors
/// Says what LLVM reports: a triple that it does not know, a pipeline that it does not understand, or what it cannot make code
/// of. Some of the latter ends the process.
pub fn assembly(module: Op<'_>, machine: Machine<'_>, passes: &str) -> Result<String, String> {
    static ONCE: Once = Once::new();
    // SAFETY: registers targets, once.
    ONCE.call_once(|| unsafe {
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    });
    MACHINES.with_borrow_mut(|kept| {
        let at = match kept.iter().position(|kept| kept.is(&machine)) {
            Some(at) => at,
            None => {
                kept.truncate(MOST_MACHINES - 1);
                kept.insert(0, Kept::new(machine)?);
                0
            }
        };
        assembly_for(&kept[at], module, passes)
    })
}

/// So many machines are kept by a thread, the last that were made.
const MOST_MACHINES: usize = 8;

thread_local! {
    /// Machines for the chips that this thread has compiled for: to make one takes as long as several passes over a kernel, and
    /// LLVM does not share them among threads.
    static MACHINES: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// A machine of LLVM's.
struct Kept {
    triple: CString,
    chip: String,
    features: String,
    level: u8,
    machine: Owned,
}

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

/// [`assembly`] with a machine that was made.
fn assembly_for(kept: &Kept, module: Op<'_>, passes: &str) -> Result<String, String> {
    let Kept {
        triple, machine, ..
    } = kept;
    let passes = terminated(passes)?;
    let mut error = null_mut();
    let mut reports = Reports::default();
    // SAFETY: everything lives as long as it is used: what is dropped first was made last. LLVM reads texts while it is called.
    unsafe {
        let context = Owned(LLVMContextCreate(), LLVMContextDispose);
        let kept = (&raw mut reports).cast::<c_void>();
        LLVMContextSetDiagnosticHandler(context.0, keep, kept);
        let translated = mlirTranslateModuleToLLVMIR(module.to_raw(), context.0);
        if translated.is_null() {
            return Err("it cannot be translated to LLVM IR".to_owned());
        }
        let module = Owned(translated, LLVMDisposeModule);
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
        if (*kept.cast::<Reports>()).0.is_empty() {
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), size);
            return Ok(String::from_utf8_lossy(bytes).into_owned());
        }
    }
    Err(reports.0.join("; "))
}
