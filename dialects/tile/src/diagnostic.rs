//! Diagnostics of the ops of the dialect.

use crate::ffi::Sink;
use melior_upstream::ir::Type;
use melior_upstream::ir::operation::OperationLike;
use std::ffi::{c_uint, c_void};
use tx_mlir::diagnostic::{ErrorSeverity, Report};
use tx_mlir::{Blk, Code, Failed, Op, error, name, ops};

/// Returns an error at `op`. The error message begins with the name of `op`, like the messages of
/// MLIR's verifiers.
pub(crate) fn complain<'c>(op: Op<'c>, message: impl AsRef<str>) -> Report<'c, ErrorSeverity> {
    error(
        op.location(),
        format!("'{}' op {}", name(op), message.as_ref()),
    )
}

/// Returns an error at `inner`, an op in a region of `op`, with a note at `op`.
pub(crate) fn complain_within<'c>(
    op: Op<'c>,
    inner: Op<'c>,
    message: impl AsRef<str>,
) -> Report<'c, ErrorSeverity> {
    complain(inner, message).note_at(op.location(), format!("in this `{}`", name(op)))
}

/// Returns an error at the last op of `block`, a block of `op`.
pub(crate) fn complain_at_end<'c>(
    op: Op<'c>,
    block: Blk<'c>,
    message: String,
) -> Report<'c, ErrorSeverity> {
    match ops(block).last() {
        Some(end) => complain_within(op, *end, message),
        None => complain(op, message),
    }
}

/// Reports that `block` does not end with `tile.yield`. `block` is the body of a region of `op`;
/// `region` is the name of this region.
pub(crate) fn no_yield(op: Op<'_>, block: Blk<'_>, code: Code, region: &str) -> Failed {
    complain_at_end(op, block, format!("{region} must end with `tile.yield`"))
        .code(code)
        .emit()
}

/// Returns the text of a type, or `unknown` if `ty` is `None`.
pub(crate) fn type_text(ty: Option<Type<'_>>) -> String {
    ty.map_or_else(|| "unknown".to_owned(), |t| t.to_string())
}

/// Passes the code and the message of the diagnostic `wrong` to the C++ callback. If `wrong` is
/// `None`, the function does not call the callback.
pub(crate) unsafe fn send(wrong: Option<(Code, String)>, emit: Sink, sink: *mut c_void) {
    if let Some((code, message)) = wrong {
        let code = code.number().into();
        // SAFETY: `emit` copies the text.
        unsafe { emit(sink, code, message.as_ptr().cast(), message.len()) }
    }
}

/// Passes the note that explains a diagnostic code to the C++ callback. If the diagnostic code has
/// no note, the function does not call the C++ callback.
pub(crate) unsafe extern "C" fn explain(code: c_uint, emit: Sink, sink: *mut c_void) {
    let code = u16::try_from(code).map(Code::new);
    let note = code
        .ok()
        .and_then(|code| Some((code, tx_mlir::explanation(code)?)));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(note, emit, sink) }
}
