//! Typed Rust attributes of the dialect, generated from `Tile.td`.

use melior_upstream::Context;
use melior_upstream::ir::{Attribute, AttributeLike};
use mlir_sys::{MlirAttribute, MlirContext, MlirStringRef};

/// # Safety
/// The pointer of `text` must point to `text.length` readable bytes.
unsafe fn owned(text: MlirStringRef) -> String {
    // SAFETY: the caller guarantees a valid text.
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
