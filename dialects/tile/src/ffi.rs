//! Rust declarations of the C interface of `tile.cpp`.

use mlir_sys::{MlirAttribute, MlirDialectHandle, MlirOperation, MlirStringRef, MlirType};
use std::ffi::{c_char, c_uint, c_void};

/// C++ callback that receives a diagnostic code and a message. The first argument of the callback
/// is the C++ object that receives the diagnostic.
pub(crate) type Sink = unsafe extern "C" fn(*mut c_void, c_uint, *const c_char, usize);

unsafe extern "C" {
    pub(crate) fn mlirGetDialectHandle__tile__() -> MlirDialectHandle;
    pub(crate) static mut tileVerifyOp: Option<unsafe extern "C" fn(MlirOperation) -> bool>;
    pub(crate) static mut tileVerifyAttribute: Option<
        unsafe extern "C" fn(MlirOperation, *const c_char, usize, MlirAttribute, Sink, *mut c_void),
    >;
    pub(crate) static mut tileVerifyLayout:
        Option<unsafe extern "C" fn(*const i64, usize, usize, usize, Sink, *mut c_void)>;
    pub(crate) static mut tileVerifyFragment: Option<
        unsafe extern "C" fn(*const i64, usize, MlirType, *const i64, usize, Sink, *mut c_void),
    >;
    pub(crate) static mut tileUnknownWord: Option<
        unsafe extern "C" fn(
            MlirStringRef,
            MlirStringRef,
            *const MlirStringRef,
            usize,
            Sink,
            *mut c_void,
        ),
    >;
    pub(crate) static mut tileExplain: Option<unsafe extern "C" fn(c_uint, Sink, *mut c_void)>;
    pub(crate) fn tileFragment(
        ty: MlirType,
        element: *mut MlirType,
        numbers: unsafe extern "C" fn(*mut c_void, *const i64, usize),
        data: *mut c_void,
    ) -> bool;
}
