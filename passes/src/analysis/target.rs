//! Targets of GPU modules.

use melior::ir::operation::OperationLike;
use tx_mlir::pass::{PassInfo, option_error};
use tx_mlir::{Failed, NvvmTarget, Op, attribute, codes, elements, error};
use tx_target::Chip;

/// PTX versions that LLVM 22 can emit, multiplied by ten: 78 is PTX 7.8.
const PTX_VERSIONS: [u32; 31] = [
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82,
    83, 84, 85, 86, 87, 88, 90,
];

/// Target features that LLVM uses for an `#nvvm.target` without features.
const LLVM_DEFAULT: &str = "+ptx60";

pub(crate) struct Target {
    pub(crate) chip: Chip,
    /// Newest PTX version among the target features, multiplied by ten. If the features contain no
    /// PTX version, `ptx` is the oldest PTX version that supports the chip.
    pub(crate) ptx: u32,
}

impl Target {
    /// Reads an `#nvvm.target` of `module`. Reports an unknown chip or feature as an error.
    pub(crate) fn read(module: Op<'_>, target: &NvvmTarget) -> Result<Self, Failed> {
        let chip = Chip::parse(&target.chip).map_err(|e| {
            error(module.location(), e.to_string())
                .code(codes::TX0501)
                .emit()
        })?;
        let mut newest = None;
        let features = match target.features.as_str() {
            "" => LLVM_DEFAULT,
            features => features,
        };
        for feature in features.split(',').map(str::trim) {
            let version = PTX_VERSIONS
                .into_iter()
                .find(|v| *feature == format!("+ptx{v}"));
            match version {
                Some(_) => newest = newest.max(version),
                _ if feature.is_empty() => {}
                _ => {
                    let known: Vec<String> =
                        PTX_VERSIONS.iter().map(|v| format!("+ptx{v}")).collect();
                    let reason = format!("unknown target feature `{feature}`");
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

pub(crate) fn targets(module: Op<'_>) -> impl Iterator<Item = NvvmTarget> {
    let targets = attribute(module, "targets").and_then(elements);
    targets
        .unwrap_or_default()
        .into_iter()
        .filter_map(NvvmTarget::of)
}

pub(crate) fn chip_option(module: Op<'_>, pass: &PassInfo, name: &str) -> Result<Chip, Failed> {
    Chip::parse(name)
        .map_err(|e| option_error(module, pass, "chip", name, format!("option `chip`: {e}")).emit())
}

/// Formats a PTX version: `7.8` for 78.
pub(crate) fn version(ptx: u32) -> String {
    format!("{}.{}", ptx / 10, ptx % 10)
}
