//! Input of a compilation.

/// Input of a compilation.
#[derive(Debug, Clone)]
pub struct Source {
    /// File name for locations.
    pub name: String,
    /// MLIR text or bytecode.
    pub text: Vec<u8>,
    /// Name of the function or kernel to compile. If the program has only one function or kernel,
    /// the name may be `None`.
    pub entry: Option<String>,
    /// If `keep_stages` is set, the compiler keeps the IR after each stage in
    /// [`Artifact::stages`](crate::Artifact::stages).
    pub keep_stages: bool,
}

impl Source {
    /// Creates a source from MLIR text or bytecode that contains a single entry (function or
    /// kernel). The locations in the parsed program contain `name` as the file name.
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            entry: None,
            keep_stages: false,
        }
    }
}
