//! NVPTX target machines, LLVM IR pass pipelines, and assembly emission through LLVM's C API.

mod kernels;

use crate::ffi::{TxStr, txFreeGate, txGatePasses};
use crate::ir::Op;
use crate::threads;
use kernels::{MAX_BATCH_OPS, Separable};
use melior::ir::operation::OperationLike;
use mlir_sys::MlirOperation;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::{PhantomData, PhantomPinned};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

#[repr(C)]
struct Opaque {
    _bytes: [u8; 0],
    _not_ours: PhantomData<(*mut u8, PhantomPinned)>,
}

type Ref = *mut Opaque;

// Declarations from `llvm-c` of LLVM 22 and from `mlir-c/Target/LLVMIR.h`.
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
    fn LLVMGetFirstFunction(module: Ref) -> Ref;
    fn LLVMGetNextFunction(function: Ref) -> Ref;
    fn LLVMGetFirstBasicBlock(function: Ref) -> Ref;
    fn LLVMGetNextBasicBlock(block: Ref) -> Ref;
    fn LLVMGetFirstInstruction(block: Ref) -> Ref;
    fn LLVMGetNextInstruction(instruction: Ref) -> Ref;
    fn LLVMGetInstructionOpcode(instruction: Ref) -> c_int;
    fn LLVMGetValueName2(value: Ref, length: *mut usize) -> *const c_char;
    fn LLVMGetBufferStart(buffer: Ref) -> *const c_char;
    fn LLVMGetBufferSize(buffer: Ref) -> usize;
    fn LLVMDisposeMemoryBuffer(buffer: Ref);
}

/// Value of `LLVMAssemblyFile`.
const ASSEMBLY: c_int = 0;
/// Value of `LLVMDSError`.
const ERROR: c_int = 0;

/// `LLVMAdd`.
const ADD: c_int = 8;

/// LLVM runs straight-line strength reduction only on functions with at most this many integer
/// additions. Straight-line strength reduction compares each pair of additions. For a kernel with
/// 512 additions, straight-line strength reduction took 3.4 s of 3.5 s of compile time, although
/// the emitted code did not change.
const MAX_COMPARED_ADDITIONS: usize = 128;

/// Target of code generation.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// Target triple, such as `nvptx64-nvidia-cuda`.
    pub triple: &'a str,
    /// Chip, such as `sm_90`.
    pub chip: &'a str,
    /// Target features, such as `+ptx78`.
    pub features: &'a str,
    /// Optimization level of the code generator, 0 to 3.
    pub level: u8,
}

/// Names of functions for which LLVM skips straight-line strength reduction.
struct LargeFunctions(BTreeSet<String>);

/// Error messages of one LLVM context.
#[derive(Default)]
struct ErrorMessages(Vec<String>);

unsafe extern "C" fn record_error(diagnostic: Ref, messages: *mut c_void) {
    // SAFETY: LLVM passes its diagnostic and the `ErrorMessages` given at the registration of the
    // handler. The messages outlive the context, and nothing else accesses them during the call.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) == ERROR {
            let text = take_message(LLVMGetDiagInfoDescription(diagnostic));
            (*messages.cast::<ErrorMessages>()).0.push(text);
        }
    }
}

/// Copies a message of LLVM into a `String`, and frees the message.
///
/// # Safety
/// `message` is null, or a string that `LLVMDisposeMessage` frees.
unsafe fn take_message(message: *mut c_char) -> String {
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

/// LLVM object with the function that frees it.
struct OwnedRef(Ref, unsafe extern "C" fn(Ref));

impl Drop for OwnedRef {
    fn drop(&mut self) {
        // SAFETY: the object was stored with the function that frees it.
        unsafe { (self.1)(self.0) }
    }
}

/// Input of code generation: a module and its target.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a, 'c> {
    /// Op with one region, which contains functions in the LLVM dialect.
    pub module: Op<'c>,
    /// Target of code generation.
    pub machine: Machine<'a>,
    /// Passes over the LLVM IR, in the syntax of `opt`.
    pub passes: &'a str,
}

/// Returns the assembly of each module, after running its LLVM IR passes.
///
/// LLVM compiles independent kernels separately, with one thread per idle processor. Several small
/// kernels form a batch, which LLVM compiles as one module. The assembly does not depend on the
/// number of threads.
///
/// # Errors
/// Returns LLVM's message for each module that LLVM cannot compile. Causes are an unknown triple,
/// an invalid pipeline, and IR that the code generator does not support. Some errors in LLVM's code
/// generator end the process.
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
    // Index of the module, index of its batch if the module is split, and cost of the job in ops.
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
        // The batches of a module usually fail for the same reason.
        errors.dedup();
        of_each.push(if !errors.is_empty() {
            Err(errors.join("; "))
        } else if let Some(separable) = &separable[number] {
            // If the PTX of the batches cannot be joined, the whole module is compiled at once.
            let whole = || emit(LlvmModule::new(code.module)?, code.machine, code.passes);
            separable.join(&texts).map_or_else(whole, Ok)
        } else {
            Ok(texts.concat())
        });
    }
    of_each
}

/// Maximum number of idle target machines in the cache.
const MAX_MACHINES: usize = 64;

/// Cache of idle target machines, most recently used first. The creation of a target machine takes
/// as long as several passes over a kernel.
static MACHINES: Mutex<Vec<CachedMachine>> = Mutex::new(Vec::new());

fn machines() -> MutexGuard<'static, Vec<CachedMachine>> {
    MACHINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// LLVM IR module in an LLVM context of its own. The fields are declared in the order of their
/// drop: the module must be dropped before its context.
struct LlvmModule {
    module: OwnedRef,
    context: OwnedRef,
    messages: Box<ErrorMessages>,
    /// Pass gate of the LLVM context. The gate skips straight-line strength reduction for the
    /// functions whose names are in the set.
    gate: Option<(OwnedRef, Box<LargeFunctions>)>,
}

// SAFETY: an LLVM context has no thread-local state, and one thread at a time owns this value.
unsafe impl Send for LlvmModule {}

impl LlvmModule {
    fn new(module: Op<'_>) -> Result<Self, String> {
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
    fn gate(&mut self) {
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
    fn finish(self) -> Vec<String> {
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

/// Target machine with the parameters of its creation.
struct CachedMachine {
    triple: CString,
    chip: String,
    features: String,
    level: u8,
    machine: OwnedRef,
}

// SAFETY: a target machine has no thread-local state, and one thread at a time owns this value.
unsafe impl Send for CachedMachine {}

impl CachedMachine {
    fn new(machine: Machine<'_>) -> Result<Self, String> {
        let (triple, chip) = (terminated(machine.triple)?, terminated(machine.chip)?);
        let features = terminated(machine.features)?;
        let (mut target, mut error) = (null_mut(), null_mut());
        // SAFETY: LLVM reads the texts and writes the two pointers only during the calls.
        let made = unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut error) != 0 {
                return Err(take_message(error));
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
            machine: OwnedRef(made, LLVMDisposeTargetMachine),
        })
    }

    fn is(&self, machine: &Machine<'_>) -> bool {
        self.triple.as_bytes() == machine.triple.as_bytes()
            && self.chip == machine.chip
            && self.features == machine.features
            && self.level == machine.level
    }
}

fn terminated(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("`{text:?}` has a NUL"))
}

/// Returns the names of the functions with more than [`MAX_COMPARED_ADDITIONS`] integer additions.
///
/// # Safety
/// The module must be alive.
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

/// Returns the assembly of an LLVM IR module, with a target machine from the cache or a new one.
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
