//! Buffers of a bound plan.

use tx_plan::ElementType;

/// Memory of a memref argument or of a temporary.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) label: String,
    pub(crate) bytes: usize,
    /// Initial contents of the buffer, with a length of `bytes` bytes; `None` for a temporary, and
    /// for device memory of the caller.
    pub(crate) contents: Option<Vec<u8>>,
    /// Device address of the buffer; `None` unless the caller owns the memory.
    pub(crate) address: Option<u64>,
    /// Whether a buffer without initial contents is filled with zeros before the first run.
    pub(crate) cleared: bool,
    #[cfg_attr(
        not(feature = "simt"),
        expect(dead_code, reason = "only the executor places arrays anywhere")
    )]
    pub(crate) element: ElementType,
    /// Whether the final contents of the buffer are copied back and replace `contents`.
    pub(crate) read_back: bool,
}
