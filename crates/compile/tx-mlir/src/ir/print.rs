//! Text of ops.

use super::Op;
use melior::ir::operation::OperationPrintingFlags;
use mlir_sys::MlirStringRef;
use std::ffi::c_void;

/// Returns the printed text of `op`. MLIR prints the text of an op in pieces. The function joins
/// the pieces of text before it decodes UTF-8, because a piece can end inside a character.
pub fn text(op: Op<'_>, flags: &OperationPrintingFlags) -> String {
    collect(|append, text| {
        // SAFETY: `op` and the flags are alive.
        unsafe {
            mlir_sys::mlirOperationPrintWithFlags(op.to_raw(), flags.to_raw(), append, text);
        }
    })
}

/// Printer for the ops of one module. The module must not change while the printer exists. The
/// printer numbers the SSA values of the module only once. Without a printer for the module, MLIR
/// numbers all SSA values of the module again for each printed op.
#[derive(Debug)]
pub struct Printer<'m> {
    state: mlir_sys::MlirAsmState,
    module: std::marker::PhantomData<Op<'m>>,
}

impl<'m> Printer<'m> {
    /// Creates a printer for the ops of `module`.
    pub fn new(module: Op<'m>) -> Self {
        let flags = OperationPrintingFlags::new();
        Self {
            // SAFETY: the op and the flags are alive; the state keeps a copy of the flags.
            state: unsafe {
                mlir_sys::mlirAsmStateCreateForOperation(module.to_raw(), flags.to_raw())
            },
            module: std::marker::PhantomData,
        }
    }

    /// Returns the text of `op`, which must be in the module of the printer.
    pub fn text(&self, op: Op<'_>) -> String {
        collect(|append, text| {
            // SAFETY: the op and the state are alive.
            unsafe {
                mlir_sys::mlirOperationPrintWithState(op.to_raw(), self.state, append, text);
            }
        })
    }
}

impl Drop for Printer<'_> {
    fn drop(&mut self) {
        // SAFETY: `mlirAsmStateCreateForOperation` created the state, which is destroyed once.
        unsafe { mlir_sys::mlirAsmStateDestroy(self.state) }
    }
}

fn collect(print: impl FnOnce(mlir_sys::MlirStringCallback, *mut c_void)) -> String {
    unsafe extern "C" fn append(piece: MlirStringRef, text: *mut c_void) {
        if piece.length > 0 {
            // SAFETY: MLIR calls this function with a piece of text and the `text` pointer from
            // below.
            unsafe {
                let piece = std::slice::from_raw_parts(piece.data.cast::<u8>(), piece.length);
                (*text.cast::<Vec<u8>>()).extend_from_slice(piece);
            }
        }
    }
    let mut text: Vec<u8> = Vec::new();
    print(Some(append), (&raw mut text).cast());
    String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}
