//! Rust declarations of LLVM's C API, and Rust structs that own objects of this API.

use mlir_sys::MlirOperation;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};

/// Object of LLVM's C API.
#[repr(C)]
pub(super) struct Opaque {
    _bytes: [u8; 0],
    _not_ours: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Pointer to an object of LLVM.
pub(super) type Ref = *mut Opaque;

// Declarations from `llvm-c` of LLVM 22 and from `mlir-c/Target/LLVMIR.h`.
unsafe extern "C" {
    pub(super) fn mlirTranslateModuleToLLVMIR(module: MlirOperation, context: Ref) -> Ref;
    pub(super) fn LLVMContextCreate() -> Ref;
    pub(super) fn LLVMContextDispose(context: Ref);
    pub(super) fn LLVMContextSetDiagnosticHandler(
        context: Ref,
        handler: unsafe extern "C" fn(Ref, *mut c_void),
        data: *mut c_void,
    );
    pub(super) fn LLVMGetDiagInfoDescription(diagnostic: Ref) -> *mut c_char;
    pub(super) fn LLVMGetDiagInfoSeverity(diagnostic: Ref) -> c_int;
    pub(super) fn LLVMDisposeMessage(message: *mut c_char);
    pub(super) fn LLVMDisposeModule(module: Ref);
    pub(super) fn LLVMSetTarget(module: Ref, triple: *const c_char);
    pub(super) fn LLVMSetModuleDataLayout(module: Ref, layout: Ref);
    pub(super) fn LLVMInitializeNVPTXTargetInfo();
    pub(super) fn LLVMInitializeNVPTXTarget();
    pub(super) fn LLVMInitializeNVPTXTargetMC();
    pub(super) fn LLVMInitializeNVPTXAsmPrinter();
    pub(super) fn LLVMGetTargetFromTriple(
        triple: *const c_char,
        target: *mut Ref,
        error: *mut *mut c_char,
    ) -> c_int;
    pub(super) fn LLVMCreateTargetMachine(
        target: Ref,
        triple: *const c_char,
        chip: *const c_char,
        features: *const c_char,
        level: c_int,
        relocation: c_int,
        model: c_int,
    ) -> Ref;
    pub(super) fn LLVMDisposeTargetMachine(machine: Ref);
    pub(super) fn LLVMCreateTargetDataLayout(machine: Ref) -> Ref;
    pub(super) fn LLVMDisposeTargetData(layout: Ref);
    pub(super) fn LLVMCreatePassBuilderOptions() -> Ref;
    pub(super) fn LLVMDisposePassBuilderOptions(options: Ref);
    pub(super) fn LLVMRunPasses(
        module: Ref,
        passes: *const c_char,
        machine: Ref,
        options: Ref,
    ) -> Ref;
    pub(super) fn LLVMGetErrorMessage(error: Ref) -> *mut c_char;
    pub(super) fn LLVMDisposeErrorMessage(message: *mut c_char);
    pub(super) fn LLVMTargetMachineEmitToMemoryBuffer(
        machine: Ref,
        module: Ref,
        kind: c_int,
        error: *mut *mut c_char,
        buffer: *mut Ref,
    ) -> c_int;
    pub(super) fn LLVMGetFirstFunction(module: Ref) -> Ref;
    pub(super) fn LLVMGetNextFunction(function: Ref) -> Ref;
    pub(super) fn LLVMGetFirstBasicBlock(function: Ref) -> Ref;
    pub(super) fn LLVMGetNextBasicBlock(block: Ref) -> Ref;
    pub(super) fn LLVMGetFirstInstruction(block: Ref) -> Ref;
    pub(super) fn LLVMGetNextInstruction(instruction: Ref) -> Ref;
    pub(super) fn LLVMGetInstructionOpcode(instruction: Ref) -> c_int;
    pub(super) fn LLVMGetValueName2(value: Ref, length: *mut usize) -> *const c_char;
    pub(super) fn LLVMGetBufferStart(buffer: Ref) -> *const c_char;
    pub(super) fn LLVMGetBufferSize(buffer: Ref) -> usize;
    pub(super) fn LLVMDisposeMemoryBuffer(buffer: Ref);
}

/// Value of `LLVMAssemblyFile`.
pub(super) const ASSEMBLY: c_int = 0;

/// Value of `LLVMDSError`.
pub(super) const ERROR: c_int = 0;

/// `LLVMAdd`.
pub(super) const ADD: c_int = 8;

/// LLVM object, together with the function that frees the object.
pub(super) struct OwnedRef(pub(super) Ref, pub(super) unsafe extern "C" fn(Ref));

impl Drop for OwnedRef {
    fn drop(&mut self) {
        // SAFETY: the object was stored with the function that frees it.
        unsafe { (self.1)(self.0) }
    }
}

/// Copies a message of LLVM into a `String`, and frees the message.
///
/// # Safety
/// `message` must be null, or a string that `LLVMDisposeMessage` can free.
pub(super) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of the function, `message` ends in a NUL.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Returns a text as a C string, or an error if the text has a NUL.
pub(super) fn terminated(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("`{text:?}` has a NUL"))
}
