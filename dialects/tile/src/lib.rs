//! Rust side of the `tile` dialect: registration, typed views of ops and types, and verifiers.
//! `Tile.td` defines the ops.

mod attributes;
mod known;
mod layout;
mod ops;
mod verify;

pub use attributes::{
    Align, Axis, Bind, Case, Determinism, Fuse, Fusion, Hold, Kind, LastBlock, Math, Nan,
    Otherwise, Processor, RFactor, Reorder, Residency, Resident, Scope, Split, Stream, Unroll,
    Vectorize,
};
pub use known::{
    CANDIDATES, CLEARED, DETERMINISM, FUSION, GROUP, ISOLATED, MATH, OWNED, check_nested_attributes,
};
pub use layout::{Fragment, Iter, Layout};
pub use ops::{
    AllReduce, Copy, Reduce, TILE_OPS, default_accumulator, element_type, is_tile_op, kind, scope,
};

// `melior::dialect!` generates code that refers to two marker types in `::melior::dialect::ods`.
// The module `ods` of melior contains builders of every MLIR dialect and takes 90 seconds to
// compile. The definitions below replace the module `ods` of melior.
extern crate self as melior;
use melior_upstream::{Context, Error, ir};

mod dialect {
    pub(crate) use melior_upstream::dialect::{DialectHandle, DialectRegistry};

    pub(crate) mod ods {
        pub(crate) mod __private {
            /// Type state of a builder field that is set.
            pub struct Set;
            /// Type state of a builder field that is not set yet.
            pub struct Unset;
        }
    }
}

use dialect::{DialectHandle, DialectRegistry};
use mlir_sys::{MlirAttribute, MlirDialectHandle, MlirOperation, MlirStringRef, MlirType};
use std::ffi::{c_char, c_uint, c_void};
use std::sync::Once;

/// C++ callback that receives a diagnostic code and a message. The first argument is the C++ object
/// that receives the diagnostic.
type Sink = unsafe extern "C" fn(*mut c_void, c_uint, *const c_char, usize);

unsafe extern "C" {
    fn mlirGetDialectHandle__tile__() -> MlirDialectHandle;
    static mut tileVerifyOp: Option<unsafe extern "C" fn(MlirOperation) -> bool>;
    static mut tileVerifyAttribute: Option<
        unsafe extern "C" fn(MlirOperation, *const c_char, usize, MlirAttribute, Sink, *mut c_void),
    >;
    static mut tileVerifyLayout:
        Option<unsafe extern "C" fn(*const i64, usize, usize, usize, Sink, *mut c_void)>;
    static mut tileVerifyFragment: Option<
        unsafe extern "C" fn(*const i64, usize, MlirType, *const i64, usize, Sink, *mut c_void),
    >;
    static mut tileUnknownWord: Option<
        unsafe extern "C" fn(
            MlirStringRef,
            MlirStringRef,
            *const MlirStringRef,
            usize,
            Sink,
            *mut c_void,
        ),
    >;
    static mut tileExplain: Option<unsafe extern "C" fn(c_uint, Sink, *mut c_void)>;
    fn tileFragment(
        ty: MlirType,
        element: *mut MlirType,
        numbers: unsafe extern "C" fn(*mut c_void, *const i64, usize),
        data: *mut c_void,
    ) -> bool;
}

/// Returns the handle of the dialect, and installs the Rust verifiers on the first call.
///
/// # Safety
/// The function is always safe to call; it is `unsafe` because the C API requires this signature.
pub unsafe extern "C" fn handle() -> MlirDialectHandle {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `Once` writes the function pointers once, before the dialect is registered.
        unsafe {
            tileVerifyOp = Some(verify::verify_op);
            tileVerifyAttribute = Some(known::verify_attribute);
            tileVerifyLayout = Some(verify::verify_layout);
            tileVerifyFragment = Some(verify::verify_fragment);
            tileUnknownWord = Some(known::unknown_word);
            tileExplain = Some(verify::explain);
        }
    });
    // SAFETY: the function only returns a static handle.
    unsafe { mlirGetDialectHandle__tile__() }
}

/// Adds the dialect to `registry`.
pub fn register(registry: &DialectRegistry) {
    // SAFETY: the handle refers to static data.
    unsafe { DialectHandle::from_raw(handle()) }.insert_dialect(registry);
}

/// Loads the dialect into `context`.
pub fn load(context: &Context) {
    // SAFETY: the handle refers to static data.
    unsafe { DialectHandle::from_raw(handle()) }.load_dialect(context);
}

/// Typed builders and accessors of the ops, generated from `Tile.td`.
#[allow(missing_docs, unused_imports, reason = "generated code")]
pub mod ods {
    melior_upstream::dialect! {
        name: "tile",
        files: ["Tile.td"],
        include_directory_env_vars: ["TX_TILE_TD_DIR"],
    }
}
