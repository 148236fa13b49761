//! LLVM IR modules. Each LLVM IR module has its own LLVM context.

use super::capi::{
    ADD, ERROR, LLVMContextCreate, LLVMContextDispose, LLVMContextSetDiagnosticHandler,
    LLVMDisposeModule, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity, LLVMGetFirstBasicBlock,
    LLVMGetFirstFunction, LLVMGetFirstInstruction, LLVMGetInstructionOpcode, LLVMGetNextBasicBlock,
    LLVMGetNextFunction, LLVMGetNextInstruction, LLVMGetValueName2, OwnedRef, Ref,
    mlirTranslateModuleToLLVMIR, take_message,
};
use crate::ffi::{TxStr, txFreeGate, txGatePasses};
use crate::ir::Op;
use std::collections::BTreeSet;
use std::ffi::c_void;

/// Maximum number of integer additions in a function for which LLVM runs straight-line strength
/// reduction. Straight-line strength reduction compares each pair of additions. For a kernel with
/// 512 additions, straight-line strength reduction took 3.4 s of the compile time of 3.5 s, and did
/// not change the emitted code.
const MAX_COMPARED_ADDITIONS: usize = 64;

/// Names of functions for which LLVM skips straight-line strength reduction.
struct LargeFunctions(BTreeSet<String>);

/// Error messages of one LLVM context.
#[derive(Default)]
struct ErrorMessages(Vec<String>);

unsafe extern "C" fn record_error(diagnostic: Ref, messages: *mut c_void) {
    // SAFETY: LLVM passes a diagnostic, and the pointer to the `ErrorMessages` with which the
    // handler was registered. The messages outlive the context, and no other code accesses the
    // messages during the call.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) == ERROR {
            let text = take_message(LLVMGetDiagInfoDescription(diagnostic));
            (*messages.cast::<ErrorMessages>()).0.push(text);
        }
    }
}

/// LLVM IR module with its own LLVM context. Rust drops fields in declaration order, so Rust drops
/// the LLVM module before its LLVM context.
pub(super) struct LlvmModule {
    pub(super) module: OwnedRef,
    context: OwnedRef,
    messages: Box<ErrorMessages>,
    /// Pass gate of the LLVM context. The pass gate skips straight-line strength reduction for the
    /// functions in the set `LargeFunctions`.
    gate: Option<(OwnedRef, Box<LargeFunctions>)>,
}

// SAFETY: an LLVM context has no thread-local state, and one thread at a time owns this value.
unsafe impl Send for LlvmModule {}

impl LlvmModule {
    /// Translates a module in the LLVM dialect to LLVM IR.
    pub(super) fn new(module: Op<'_>) -> Result<Self, String> {
        let mut messages = Box::<ErrorMessages>::default();
        // SAFETY: the context outlives the module, and the messages outlive both.
        unsafe {
            let context = OwnedRef(LLVMContextCreate(), LLVMContextDispose);
            LLVMContextSetDiagnosticHandler(context.0, record_error, (&raw mut *messages).cast());
            let translated = mlirTranslateModuleToLLVMIR(module.to_raw(), context.0);
            if translated.is_null() {
                return Err("it cannot be translated to LLVM IR".to_owned());
            }
            Ok(Self {
                module: OwnedRef(translated, LLVMDisposeModule),
                context,
                messages,
                gate: None,
            })
        }
    }

    /// Disables straight-line strength reduction for functions with many integer additions.
    pub(super) fn gate(&mut self) {
        // SAFETY: the module is alive; gate and names outlive the context.
        unsafe {
            let mut large = Box::new(LargeFunctions(with_many_additions(self.module.0)));
            if !large.0.is_empty() {
                let names = (&raw mut *large).cast();
                let gate = txGatePasses(self.context.0.cast(), runs_pass, names);
                self.gate = Some((OwnedRef(gate.cast(), free_gate), large));
            }
        }
    }

    /// Frees the module and its context, and returns the diagnostics that LLVM emitted.
    pub(super) fn finish(self) -> Vec<String> {
        let Self {
            module,
            context,
            messages,
            gate,
        } = self;
        drop(module);
        drop(context);
        drop(gate);
        messages.0
    }
}

unsafe extern "C" fn free_gate(gate: Ref) {
    // SAFETY: the function is called once, with a pointer that `txGatePasses` returned.
    unsafe { txFreeGate(gate.cast()) }
}

/// Returns the names of the functions with more than [`MAX_COMPARED_ADDITIONS`] integer additions.
///
/// # Safety
/// The LLVM IR module must be alive.
unsafe fn with_many_additions(module: Ref) -> BTreeSet<String> {
    fn all(first: Ref, next: unsafe extern "C" fn(Ref) -> Ref) -> impl Iterator<Item = Ref> {
        let some = |value: Ref| (!value.is_null()).then_some(value);
        // SAFETY: a non-null element belongs to the module, which is alive.
        std::iter::successors(some(first), move |value| some(unsafe { next(*value) }))
    }
    // SAFETY: the module is alive, and owns its functions, blocks and instructions.
    unsafe {
        let additions = |function| {
            let blocks = all(LLVMGetFirstBasicBlock(function), LLVMGetNextBasicBlock);
            let instructions = blocks
                .flat_map(|block| all(LLVMGetFirstInstruction(block), LLVMGetNextInstruction));
            instructions
                .filter(|instruction| LLVMGetInstructionOpcode(*instruction) == ADD)
                .count()
        };
        all(LLVMGetFirstFunction(module), LLVMGetNextFunction)
            .filter(|function| additions(*function) > MAX_COMPARED_ADDITIONS)
            .map(|function| {
                let mut length = 0;
                let name = LLVMGetValueName2(function, &raw mut length).cast::<u8>();
                String::from_utf8_lossy(std::slice::from_raw_parts(name, length)).into_owned()
            })
            .collect()
    }
}

/// Returns whether LLVM may run `pass` over `unit`: false only for straight-line strength reduction
/// of a function in `large`.
unsafe extern "C" fn runs_pass(large: *mut c_void, pass: TxStr, unit: TxStr) -> bool {
    // SAFETY: LLVM passes valid texts, and the pointer to the names given to `txGatePasses`, which
    // outlive the context.
    let (pass, unit, large) = unsafe {
        (
            pass.as_str(),
            unit.as_str(),
            &*large.cast::<LargeFunctions>(),
        )
    };
    let function = unit
        .strip_prefix("function (")
        .and_then(|rest| rest.strip_suffix(')'));
    pass != "slsr" || !function.is_some_and(|name| large.0.contains(name))
}
