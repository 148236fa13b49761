//! Rust part of the `tile` dialect: registration, typed views of ops and types, and verifiers. The
//! file `Tile.td` defines the ops.

mod attributes;
mod diagnostic;
mod discardable;
mod ffi;
mod keyword;
mod layout;
mod ops;
mod verify;

pub use attributes::{
    Align, Axis, Bind, Case, Determinism, EvictLast, Fuse, Fusion, Hold, Kind, LastBlock, Math,
    Nan, Otherwise, Prefetch, Processor, RFactor, Reorder, Residency, Resident, Scope, Split,
    Stream, Unroll, Vectorize,
};
pub use discardable::{
    CANDIDATES, CLEARED, DETERMINISM, EVICT_LAST, FUSION, GROUP, ISOLATED, MATH, OWNED,
    check_nested_attributes,
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
            /// Type that marks a builder field as set.
            pub struct Set;
            /// Type that marks a builder field as not yet set.
            pub struct Unset;
        }
    }
}

use dialect::{DialectHandle, DialectRegistry};
use mlir_sys::MlirDialectHandle;
use std::sync::Once;

/// Returns the handle of the dialect, and installs the Rust verifiers on the first call.
///
/// # Safety
/// `handle` has no safety preconditions: it is `unsafe` only because the function type in the C API
/// is `unsafe`.
pub unsafe extern "C" fn handle() -> MlirDialectHandle {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `Once` writes the function pointers once, before the dialect is registered.
        unsafe {
            ffi::tileVerifyOp = Some(verify::verify_op);
            ffi::tileVerifyAttribute = Some(discardable::verify_attribute);
            ffi::tileVerifyLayout = Some(verify::verify_layout);
            ffi::tileVerifyFragment = Some(verify::verify_fragment);
            ffi::tileUnknownWord = Some(keyword::unknown_keyword);
            ffi::tileExplain = Some(diagnostic::explain);
        }
    });
    // SAFETY: the function only returns a static handle.
    unsafe { ffi::mlirGetDialectHandle__tile__() }
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
