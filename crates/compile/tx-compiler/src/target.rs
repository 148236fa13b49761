//! Target of a compilation.

use crate::error::{Error, ErrorKind};
use tx_mlir::codes;
use tx_target::Chip;

/// Chip to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    chip: Chip,
}

impl Target {
    /// Returns the target named `name`, such as `sm_90`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Target`] for an unknown name; the message lists the known names.
    pub fn parse(name: &str) -> Result<Self, Error> {
        Chip::parse(name)
            .map(|chip| Self { chip })
            .map_err(|e| Error::plain(ErrorKind::Target, e.to_string()).with_code(codes::TX0501))
    }

    /// Returns the chip.
    pub fn chip(self) -> Chip {
        self.chip
    }
}
