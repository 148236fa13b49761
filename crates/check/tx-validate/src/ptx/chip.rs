//! Target properties.

/// Target properties that affect how LLVM lowers an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chip {
    /// Number of the chip: 90 for `sm_90a`.
    pub(super) sm: u32,
    pub(super) ptx: (u32, u32),
}

impl Chip {
    pub(super) fn new(name: &str, ptx: (u32, u32)) -> Self {
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        Self {
            sm: digits.parse().unwrap_or(0),
            ptx,
        }
    }
}
