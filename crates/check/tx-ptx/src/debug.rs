//! Debug information: files, source lines and DWARF sections.

/// A `.file` directive: `.file 1 "a.mlir", 1700000000, 42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Index of the file in `.loc` directives.
    pub index: u64,
    /// Path, with escapes unchanged.
    pub name: String,
    /// Modification time and size of the file.
    pub stamp: Option<(u64, u64)>,
}

/// A section of DWARF data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name of the DWARF section, without the leading dot.
    pub name: String,
    /// Lines of the section.
    pub lines: Vec<SectionLine>,
}

/// One line of a DWARF section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionLine {
    /// `$L__info_string0:`
    Label(String),
    /// `.b32 $L__tmp1-$L__tmp0`
    Data {
        /// Data type of the values without the leading dot, such as `b32`.
        ty: String,
        /// The values.
        values: Vec<DataValue>,
    },
}

/// A value in a DWARF section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataValue {
    /// A number.
    Integer(i128),
    /// `a`, `a+4`, `.debug_abbrev`, `a-b`.
    Symbol {
        /// A label, or the name of a section with its leading dot.
        name: String,
        /// The subtracted label.
        minus: Option<String>,
        /// The added offset.
        offset: i64,
    },
}

/// Source line of the following instructions (`.loc`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index of the `.file`.
    pub file: u64,
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
    /// Inlined function that contains the instructions, and its call site; `None` if the
    /// instructions are not inlined.
    pub inlined: Option<Inlined>,
}

/// Call site of an inlined function: `function_name $L__info_string0+4, inlined_at 1 5 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// A label in `.debug_str`.
    pub function_name: String,
    /// Offset from the label, in bytes.
    pub offset: i64,
    /// File index, line and column of the call.
    pub at: (u64, u64, u64),
}
