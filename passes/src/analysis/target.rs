//! Targets of GPU modules, from their text.

use melior::ir::operation::OperationLike;
use tx_mlir::{Failed, Op, codes, error};
use tx_pass::{PassInfo, option_error};
use tx_target::{Chip, UnknownChip};

/// PTX versions that LLVM 22 can emit, times ten.
const PTX_VERSIONS: [u32; 31] = [
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82,
    83, 84, 85, 86, 87, 88, 90,
];

/// What an `#nvvm.target` says of the code that is made for it.
pub(crate) struct NvvmTarget {
    pub(crate) chip: Chip,
    /// The newest PTX version that its features name, or the oldest that knows the chip where they
    /// name none; times ten.
    pub(crate) ptx: u32,
}

impl NvvmTarget {
    /// The text of an `#nvvm.target` of `module`; refused where LLVM does not know what it names.
    pub(crate) fn parse(module: Op<'_>, text: &str) -> Result<Self, Failed> {
        let chip = chip(text).map_err(|e| {
            error(module.location(), e.to_string())
                .code(codes::TX0501)
                .emit()
        })?;
        let mut newest = None;
        for feature in field(text, "features", "+ptx60").split(',') {
            match feature.trim().strip_prefix("+ptx").map(str::parse) {
                Some(Ok(version)) if PTX_VERSIONS.contains(&version) => {
                    newest = newest.max(Some(version));
                }
                _ if feature.trim().is_empty() => {}
                _ => {
                    let known: Vec<String> =
                        PTX_VERSIONS.iter().map(|v| format!("+ptx{v}")).collect();
                    let reason = format!("unknown target feature `{}`", feature.trim());
                    return Err(error(module.location(), reason)
                        .code(codes::TX0502)
                        .note(format!("known: {}", known.join(", ")))
                        .emit());
                }
            }
        }
        Ok(Self {
            chip,
            ptx: newest.unwrap_or(chip.ptx),
        })
    }
}

/// The chip that the option `chip` of a pass names.
pub(crate) fn chip_option(module: Op<'_>, pass: &PassInfo, name: &str) -> Result<Chip, Failed> {
    Chip::parse(name)
        .map_err(|e| option_error(module, pass, "chip", name, format!("option `chip`: {e}")).emit())
}

/// The chip of an `#nvvm.target`.
pub(crate) fn chip(text: &str) -> Result<Chip, UnknownChip> {
    Chip::parse(field(text, "chip", "sm_50"))
}

/// A quoted field, or its default in MLIR, which stays unprinted.
fn field<'a>(text: &'a str, name: &str, default: &'a str) -> &'a str {
    text.split_once(&format!("{name} = \""))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or(default, |(value, _)| value)
}

/// A PTX version as it is written: 7.8 for 78.
pub(crate) fn version(ptx: u32) -> String {
    format!("{}.{}", ptx / 10, ptx % 10)
}
