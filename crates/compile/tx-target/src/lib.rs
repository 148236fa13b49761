//! Properties of NVIDIA GPUs as constant tables.
//!
//! The properties of chips are from the PTX ISA and from the table of compute capabilities in the
//! CUDA programming guide. The crate does not query a device.

mod operations;

use std::fmt;

pub use operations::{Form, Memory, Needs, Operation, Role};

/// Number of threads in a warp.
pub const WARP: u32 = 32;
/// Number of warps in a warpgroup.
pub const WARPS_PER_GROUP: u32 = 4;
/// Maximum number of threads per block.
pub const MAX_THREADS: u32 = 1024;
/// Maximum number of threads per block along x, y and z.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Maximum number of blocks per grid along x, y and z.
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// Maximum number of resident threads per SM, over all chips.
pub const MAX_RESIDENT: u32 = 2048;
/// Maximum number of resident blocks per SM, over all chips.
pub const MAX_RESIDENT_BLOCKS: u32 = 32;
/// Maximum number of blocks per cluster. A kernel with more than [`PORTABLE_CLUSTER`] blocks per
/// cluster must opt in to a non-portable cluster size.
pub const MAX_CLUSTER: u32 = 16;
/// Maximum static shared memory per kernel on every chip, in bytes. A kernel that needs more than
/// 48 KiB of shared memory must use dynamic shared memory.
pub const STATIC_SHARED_BYTES: u64 = 48 * 1024;
/// Maximum number of blocks per cluster without an opt-in to a non-portable cluster size. Every
/// chip with clusters supports `PORTABLE_CLUSTER` blocks per cluster.
pub const PORTABLE_CLUSTER: u32 = 8;
/// Number of named barriers per block, including barrier 0 (`bar.sync 0`).
pub const NAMED_BARRIERS: u32 = 16;

/// GPU architecture that `tx` compiles for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chip {
    /// Name of the chip in LLVM and ptxas, such as `sm_90a`.
    pub name: &'static str,
    /// Compute capability times ten.
    pub capability: u32,
    /// Whether the chip is an architecture-specific variant such as `sm_90a`. PTX that is compiled
    /// for an architecture-specific variant runs only on GPUs of the same architecture.
    pub specific: bool,
    /// PTX ISA version of the emitted code, times ten. The field `ptx` is the lowest PTX ISA
    /// version that supports both the chip and all instructions that `tx` emits for the chip. For
    /// example, the three-operand `max.f32` of sm_100 requires PTX 8.8, and the `cvt` of 8-bit
    /// floats of sm_89 requires PTX 8.1.
    pub ptx: u32,
    /// Maximum shared memory per block, in bytes. A kernel with more than 48 KiB of shared memory
    /// must opt in with a function attribute of the CUDA driver.
    pub shared_bytes: u32,
    /// Whether the chip supports `redux.sync` on 32-bit integers.
    pub redux_i32: bool,
    /// Whether the chip supports `redux.sync` with f32 `min` and `max`.
    pub redux_f32: bool,
    /// Whether `tx` uses `add.f32x2` and three-operand `max.f32`/`min.f32` on the chip. The
    /// function `chip` sets the field `packed_f32` to true for compute capabilities from 10.0 to
    /// 10.9.
    pub packed_f32: bool,
    /// Whether the chip supports `cvt` instructions that convert a pair of 8-bit floats (f8E4M3FN
    /// or f8E5M2) from or to a pair of f32 or f16.
    pub converts_f8: bool,
    /// Whether the chip supports thread block clusters with distributed shared memory.
    pub clusters: bool,
}

const fn chip(name: &'static str, capability: u32, ptx: u32, shared_kib: u32) -> Chip {
    Chip {
        name,
        capability,
        specific: false,
        ptx,
        shared_bytes: shared_kib * 1024,
        redux_i32: capability >= 80,
        redux_f32: false,
        packed_f32: capability >= 100 && capability < 110,
        converts_f8: capability >= 89,
        clusters: capability >= 90,
    }
}

const fn specific(name: &'static str, base: Chip) -> Chip {
    Chip {
        name,
        specific: true,
        redux_f32: base.capability == 100,
        ..base
    }
}

/// All supported chips, in ascending order of compute capability.
pub const CHIPS: [Chip; 7] = [
    chip("sm_80", 80, 70, 163),
    chip("sm_86", 86, 71, 99),
    chip("sm_89", 89, 81, 99),
    chip("sm_90", 90, 81, 227),
    specific("sm_90a", chip("sm_90a", 90, 81, 227)),
    chip("sm_100", 100, 88, 227),
    specific("sm_100a", chip("sm_100a", 100, 88, 227)),
];

/// Properties of one GPU board, as input of a performance model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Board {
    /// Product name, such as `H200`.
    pub name: &'static str,
    /// Lowest compute capability, times ten, of the chips for which the performance model uses the
    /// board.
    pub capability: u32,
    /// Number of SMs.
    pub multiprocessors: f64,
    /// Memory read bandwidth, in bytes per second.
    pub bytes_per_second: f64,
    /// SM clock frequency, in hertz.
    pub hertz: f64,
    /// Overhead of each kernel launch in a sequence of launches, in seconds.
    pub launch_seconds: f64,
}

const fn board(
    name: &'static str,
    capability: u32,
    multiprocessors: f64,
    gb: f64,
    mhz: f64,
) -> Board {
    Board {
        name,
        capability,
        multiprocessors,
        bytes_per_second: gb * 1e9,
        hertz: mhz * 1e6,
        launch_seconds: 1.4e-6,
    }
}

/// GPU boards of the performance model, one per chip generation. The bandwidth and the clock
/// frequency of the H200 were measured; the bandwidths and clock frequencies of all other GPU
/// boards are from data sheets.
pub const BOARDS: [Board; 5] = [
    board("A100", 80, 108.0, 1555.0, 1410.0),
    board("GeForce RTX 3090", 86, 82.0, 936.0, 1695.0),
    board("GeForce RTX 4090", 89, 128.0, 1008.0, 2520.0),
    board("H200", 90, 132.0, 4600.0, 1700.0),
    board("B200", 100, 148.0, 8000.0, 1850.0),
];

/// Target chip of a compilation that does not specify a chip.
pub const DEFAULT_CHIP: &str = "sm_80";

/// Error for a chip name that is not in [`CHIPS`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown chip `{found}`; known chips: {}{}", known(), meant(found))]
pub struct UnknownChip {
    /// Chip name that the user passed.
    pub found: String,
}

fn known() -> String {
    CHIPS.map(|c| c.name).join(", ")
}

/// Compute capabilities of GPU products and architectures, times ten. All names in the table of
/// products and architectures are in lower case, without punctuation.
const PRODUCTS: &[(&str, u32)] = &[
    ("v100", 70),
    ("volta", 70),
    ("t4", 75),
    ("turing", 75),
    ("rtx2080", 75),
    ("a100", 80),
    ("a30", 80),
    ("a800", 80),
    ("ampere", 80),
    ("a10", 86),
    ("a16", 86),
    ("a40", 86),
    ("a6000", 86),
    ("rtxa6000", 86),
    ("rtx3060", 86),
    ("rtx3070", 86),
    ("rtx3080", 86),
    ("rtx3090", 86),
    ("l4", 89),
    ("l40", 89),
    ("l40s", 89),
    ("ada", 89),
    ("lovelace", 89),
    ("adalovelace", 89),
    ("rtx6000ada", 89),
    ("rtx4060", 89),
    ("rtx4070", 89),
    ("rtx4080", 89),
    ("rtx4090", 89),
    ("h100", 90),
    ("h200", 90),
    ("h20", 90),
    ("h800", 90),
    ("gh200", 90),
    ("hopper", 90),
    ("b100", 100),
    ("b200", 100),
    ("gb200", 100),
    ("blackwell", 100),
    ("b300", 103),
    ("gb300", 103),
    ("rtx5070", 120),
    ("rtx5080", 120),
    ("rtx5090", 120),
];
/// Compute capabilities of GPUs that `tx` does not compile for, times ten.
const OTHERS: &[u32] = &[
    50, 52, 53, 60, 61, 62, 70, 72, 75, 87, 88, 103, 110, 120, 121,
];
/// Prefixes that the function `meant` removes from a chip name before it searches for a product
/// name or a compute capability.
const IGNORED_PREFIXES: &[&str] = &["sm", "compute", "cc", "nvidia", "geforce", "tesla"];

/// Returns a suggestion for a name that is not in [`CHIPS`]. The function recognizes product names
/// such as `H100 SXM`, and spellings of compute capabilities such as `cc 9.0`. Returns an empty
/// text for a name that is neither a product name nor a compute capability.
fn meant(found: &str) -> String {
    let small = found.to_ascii_lowercase();
    let mut word: String = small.chars().filter(char::is_ascii_alphanumeric).collect();
    while let Some(rest) = IGNORED_PREFIXES
        .iter()
        .find_map(|before| word.strip_prefix(before))
    {
        word = rest.to_owned();
    }
    // A product name can have a suffix, as in `H100 SXM`.
    let first = |product: &str| {
        let rest = word.strip_prefix(product)?;
        ["", "sxm", "pcie", "nvl", "ti", "super"]
            .iter()
            .any(|tail| rest.starts_with(tail) && (rest.is_empty() || !tail.is_empty()))
            .then_some(())
    };
    let product = PRODUCTS
        .iter()
        .find(|(product, _)| first(product).is_some())
        .map(|(_, capability)| *capability);
    // The suffix `a` denotes an architecture-specific variant.
    let specific = word.ends_with('a');
    let number = word.trim_end_matches(['a', 'f']).parse::<u32>().ok();
    let Some(capability) = product.or(number) else {
        return String::new();
    };
    let exact = CHIPS.iter().find(|chip| {
        chip.capability == capability && chip.specific == (specific && product.is_none())
    });
    if let Some(chip) = exact {
        return format!("; did you mean `{}`?", chip.name);
    }
    if !OTHERS.contains(&capability) {
        return String::new();
    }
    let before = CHIPS
        .iter()
        .rfind(|chip| !chip.specific && chip.capability <= capability);
    let name = match product {
        Some(_) => format!("it is sm_{capability}: "),
        None => String::new(),
    };
    match before {
        Some(chip) => format!("; {name}code for `{}` runs on this chip", chip.name),
        None => format!("; {name}the oldest supported chip is `{}`", CHIPS[0].name),
    }
}

/// Operand types of `redux.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReduxType {
    /// `redux.sync` on 32-bit integers: `add`, `min` and `max` (signed and unsigned), `and`, `or`,
    /// `xor`.
    I32,
    /// `redux.sync` on f32: `min` and `max`, with or without NaN propagation.
    F32,
}

impl ReduxType {
    /// Returns the names of the chips that support `redux.sync` on the type `self`, separated by
    /// commas.
    pub fn chips(self) -> String {
        let names: Vec<&str> = CHIPS
            .iter()
            .filter(|c| c.has_redux(self))
            .map(|c| c.name)
            .collect();
        names.join(", ")
    }
}

impl fmt::Display for ReduxType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I32 => "32-bit integers",
            Self::F32 => "f32",
        })
    }
}

impl Chip {
    /// Returns the GPU board whose properties the performance model uses for the chip.
    pub fn board(&self) -> Board {
        let mut newest_first = BOARDS.iter().rev();
        *newest_first
            .find(|board| board.capability <= self.capability)
            .unwrap_or(&BOARDS[0])
    }

    /// Returns whether the chip supports `redux.sync` on the type `ty`.
    pub fn has_redux(&self, ty: ReduxType) -> bool {
        match ty {
            ReduxType::I32 => self.redux_i32,
            ReduxType::F32 => self.redux_f32,
        }
    }

    /// Returns the chip named `name`.
    ///
    /// # Errors
    /// Returns [`UnknownChip`] if no supported chip is named `name`. The message of the error lists
    /// the known chips.
    ///
    /// ```
    /// use tx_target::Chip;
    /// assert_eq!(Chip::parse("sm_90")?.capability, 90);
    /// assert!(Chip::parse("sm_91").unwrap_err().to_string().contains("sm_90a"));
    /// # Ok::<(), tx_target::UnknownChip>(())
    /// ```
    pub fn parse(name: &str) -> Result<Self, UnknownChip> {
        CHIPS
            .into_iter()
            .find(|c| c.name == name)
            .ok_or_else(|| UnknownChip {
                found: name.to_owned(),
            })
    }

    /// Returns the properties of the chip as pairs of name and value, for tables.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let kinds = |has: bool, which: &str| if has { which } else { "no" }.to_owned();
        let yes = |has: bool| kinds(has, "yes");
        vec![
            ("chip", self.name.to_owned()),
            (
                "compute capability",
                format!("{}.{}", self.capability / 10, self.capability % 10),
            ),
            ("architecture-specific", yes(self.specific)),
            (
                "PTX ISA",
                format!("{}.{} or newer", self.ptx / 10, self.ptx % 10),
            ),
            (
                "shared memory of a block",
                format!("{} KiB", self.shared_bytes / 1024),
            ),
            (
                "redux.sync of 32-bit integers",
                kinds(self.redux_i32, "add, min, max, umin, umax, and, or, xor"),
            ),
            (
                "redux.sync of f32",
                kinds(self.redux_f32, "min, max, with and without NaN"),
            ),
            ("packed f32 (add.f32x2)", yes(self.packed_f32)),
            ("three-operand max.f32, min.f32", yes(self.packed_f32)),
            ("packed f16 (f16x2)", "add, mul, min, max".to_owned()),
            (
                "packed bf16 (bf16x2)",
                if self.capability >= 90 {
                    "add, mul, min, max"
                } else {
                    "add and mul by fma, min, max"
                }
                .to_owned(),
            ),
            ("cvt of 8-bit floats", yes(self.converts_f8)),
            ("clusters", yes(self.clusters)),
        ]
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_that_are_called_otherwise_are_named() {
        for (found, expected) in [
            ("h100", "; did you mean `sm_90`?"),
            ("H100 SXM5", "; did you mean `sm_90`?"),
            ("NVIDIA GeForce RTX 4090", "; did you mean `sm_89`?"),
            ("hopper", "; did you mean `sm_90`?"),
            ("sm90", "; did you mean `sm_90`?"),
            ("compute_90a", "; did you mean `sm_90a`?"),
            ("8.6", "; did you mean `sm_86`?"),
            ("sm_87", "; code for `sm_86` runs on this chip"),
            (
                "rtx5090",
                "; it is sm_120: code for `sm_100` runs on this chip",
            ),
            (
                "v100",
                "; it is sm_70: the oldest supported chip is `sm_80`",
            ),
            ("sm_1", ""),
            ("sm_91", ""),
            ("gfx90a", ""),
            ("l4x", ""),
            ("", ""),
        ] {
            assert_eq!(meant(found), expected, "{found}");
        }
        for (product, _) in PRODUCTS {
            assert!(!meant(product).is_empty(), "{product}");
        }
    }
}
