//! The attributes of the dialect, typed, as `Tile.td` has them.

use melior_upstream::Context;
use melior_upstream::ir::{Attribute, AttributeLike};
use mlir_sys::{MlirAttribute, MlirContext, MlirStringRef};

/// # Safety
/// The text is alive.
unsafe fn owned(text: MlirStringRef) -> String {
    // SAFETY: by the function's contract.
    let bytes = unsafe {
        match text.length {
            0 => &[],
            length => std::slice::from_raw_parts(text.data.cast::<u8>(), length),
        }
    };
    String::from_utf8_lossy(bytes).into_owned()
}

fn borrowed(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

include!(concat!(env!("OUT_DIR"), "/attributes.rs"));
