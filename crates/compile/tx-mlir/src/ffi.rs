//! Rust declarations of the C interface `bridge/include/tx/bridge.h`.

use mlir_sys::{
    MlirAttribute, MlirContext, MlirDiagnostic, MlirDialectRegistry, MlirLocation, MlirModule,
    MlirOperation, MlirType, MlirValue,
};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Borrowed text that stays valid during one call of a function of the C++ bridge.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TxStr {
    data: *const c_char,
    length: usize,
}

impl TxStr {
    pub(crate) fn new(text: &str) -> Self {
        Self::bytes(text.as_bytes())
    }

    pub(crate) fn bytes(bytes: &[u8]) -> Self {
        Self {
            data: bytes.as_ptr().cast(),
            length: bytes.len(),
        }
    }

    /// # Safety
    /// The bytes of the text must stay alive for the lifetime `'a`.
    pub(crate) unsafe fn as_str<'a>(self) -> std::borrow::Cow<'a, str> {
        if self.length == 0 {
            return "".into();
        }
        // SAFETY: by the contract of the bridge, `data` points at `length` bytes.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.length) };
        String::from_utf8_lossy(bytes)
    }

    /// # Safety
    /// The bytes of the text must stay alive for the lifetime `'a`.
    pub(crate) unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: by the contract of the bridge, `data` points at `length` bytes.
        unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.length) }
    }
}

#[repr(C)]
pub(crate) struct TxOption {
    pub(crate) name: *const c_char,
    pub(crate) help: *const c_char,
    pub(crate) ty: *const c_char,
    pub(crate) init: *const c_char,
}

#[repr(C)]
pub(crate) struct TxStatistic {
    pub(crate) name: *const c_char,
    pub(crate) help: *const c_char,
}

#[repr(C)]
pub(crate) struct TxNvvmTarget {
    pub(crate) chip: TxStr,
    pub(crate) features: TxStr,
    pub(crate) plain: bool,
}

pub(crate) type TxSink = unsafe extern "C" fn(*mut c_void, TxStr);

#[repr(C)]
pub(crate) struct TxPass {
    pub(crate) argument: TxStr,
    pub(crate) summary: TxStr,
    pub(crate) anchor: TxStr,
    pub(crate) options: *const TxOption,
    pub(crate) option_count: usize,
    pub(crate) statistics: *const TxStatistic,
    pub(crate) statistic_count: usize,
    pub(crate) rust: *const c_void,
    pub(crate) dialects: unsafe extern "C" fn(*const c_void, MlirDialectRegistry),
    pub(crate) check:
        unsafe extern "C" fn(*const c_void, *const TxStr, TxSink, *mut c_void) -> bool,
    pub(crate) run:
        unsafe extern "C" fn(*const c_void, MlirOperation, *const TxStr, *mut i64) -> bool,
}

#[repr(C)]
pub(crate) struct TxPipeline {
    pub(crate) argument: TxStr,
    pub(crate) summary: TxStr,
    pub(crate) options: *const TxOption,
    pub(crate) option_count: usize,
    pub(crate) rust: *const c_void,
    pub(crate) expand:
        unsafe extern "C" fn(*const c_void, *const TxStr, TxSink, *mut c_void, *mut c_void) -> bool,
}

unsafe extern "C" {
    pub(crate) fn txRegisterPass(pass: *const TxPass);
    pub(crate) fn txRegisterPipeline(pipeline: *const TxPipeline);
    pub(crate) fn txIsRegistered(name: TxStr) -> bool;
    pub(crate) fn txRegisterTranslations(registry: MlirDialectRegistry);
    pub(crate) fn txOptMain(
        argc: c_int,
        argv: *mut *mut c_char,
        overview: TxStr,
        registry: MlirDialectRegistry,
    ) -> c_int;
    pub(crate) fn txLspMain(
        argc: c_int,
        argv: *mut *mut c_char,
        registry: MlirDialectRegistry,
    ) -> c_int;
    pub(crate) fn txParseModule(context: MlirContext, name: TxStr, source: TxStr) -> MlirModule;
    pub(crate) fn txHoldsNumbers(attribute: MlirAttribute) -> bool;
    pub(crate) fn txEnumerator(attribute: MlirAttribute) -> TxStr;
    pub(crate) fn txHasFlag(attribute: MlirAttribute, flag: TxStr) -> bool;
    pub(crate) fn txConstantRange(attribute: MlirAttribute, bounds: *mut i64) -> bool;
    pub(crate) fn txArrayLength(r#type: MlirType) -> i64;
    pub(crate) fn txResourceBytes(attribute: MlirAttribute) -> TxStr;
    pub(crate) fn txNvvmTarget(attribute: MlirAttribute, target: *mut TxNvvmTarget) -> bool;
    pub(crate) fn txNvvmTargetFor(
        context: MlirContext,
        like: MlirAttribute,
        chip: TxStr,
        features: TxStr,
    ) -> MlirAttribute;
    pub(crate) fn txEmit(
        location: MlirLocation,
        severity: c_int,
        code: c_uint,
        message: TxStr,
        note_locations: *const MlirLocation,
        notes: *const TxStr,
        note_count: usize,
    );
    pub(crate) fn txCode(diagnostic: MlirDiagnostic) -> c_uint;
    pub(crate) fn txMemoryEffects(
        op: MlirOperation,
        effect: unsafe extern "C" fn(*mut c_void, c_int, MlirValue),
        data: *mut c_void,
    ) -> bool;
    pub(crate) fn txGatePasses(
        context: *mut c_void,
        run: unsafe extern "C" fn(*mut c_void, TxStr, TxStr) -> bool,
        data: *mut c_void,
    ) -> *mut c_void;
    pub(crate) fn txFreeGate(gate: *mut c_void);
    pub(crate) fn txIsPure(op: MlirOperation) -> bool;
    /// Sets the process-wide handler of fatal errors in LLVM. LLVM ends the process after the
    /// handler returns.
    pub(crate) fn LLVMInstallFatalErrorHandler(handler: unsafe extern "C" fn(*const c_char));
}
