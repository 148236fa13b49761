//! Facts about GPUs as data. Everything here is from the CUDA programming guide's table of
//! compute capabilities and the PTX ISA; nothing is asked of a device.

use std::fmt;

/// Threads in a warp.
pub const WARP: u32 = 32;
/// Warps in a warpgroup.
pub const WARPS_PER_GROUP: u32 = 4;
/// Most threads in a block.
pub const MAX_THREADS: u32 = 1024;
/// Most threads of a block along x, y and z.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most threads that a multiprocessor of any chip has at a time.
pub const MAX_RESIDENT: u32 = 2048;
/// Most blocks that it has.
pub const MAX_RESIDENT_BLOCKS: u32 = 32;
/// Most blocks of a cluster; more than [`PORTABLE_CLUSTER`] a kernel must ask for.
pub const MAX_CLUSTER: u32 = 16;
/// Blocks of a cluster that every chip with clusters takes.
pub const PORTABLE_CLUSTER: u32 = 8;
/// Named barriers of a block, number 0 (`bar.sync 0`) included.
pub const NAMED_BARRIERS: u32 = 16;

/// A GPU architecture that `tx` compiles for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chip {
    /// Name as LLVM and ptxas spell it.
    pub name: &'static str,
    /// Compute capability times ten.
    pub capability: u32,
    /// Whether it is the architecture-specific variant (`sm_90a`), whose code runs on that
    /// architecture only.
    pub specific: bool,
    /// PTX ISA version to emit, times ten: the least that knows the chip and all of its
    /// instructions that `tx` uses (the three-operand `max.f32` of sm_100 came with 8.8).
    pub ptx: u32,
    /// Shared memory that one block may use, in bytes (with opt-in above 48 KiB).
    pub shared_bytes: u32,
    /// `redux.sync` of 32-bit integers.
    pub redux_i32: bool,
    /// `redux.sync` of f32 `min` and `max`.
    pub redux_f32: bool,
    /// `add.f32x2` and three-operand `max.f32`/`min.f32`.
    pub packed_f32: bool,
    /// Thread block clusters with distributed shared memory.
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

/// Every known chip, oldest first.
pub const CHIPS: [Chip; 7] = [
    chip("sm_80", 80, 70, 163),
    chip("sm_86", 86, 71, 99),
    chip("sm_89", 89, 78, 99),
    chip("sm_90", 90, 78, 227),
    specific("sm_90a", chip("sm_90a", 90, 80, 227)),
    chip("sm_100", 100, 88, 227),
    specific("sm_100a", chip("sm_100a", 100, 88, 227)),
];

/// What a model of speed has to know of a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Board {
    /// Its name.
    pub name: &'static str,
    /// Least compute capability of the chips that it stands for, times ten.
    pub capability: u32,
    /// Multiprocessors.
    pub multiprocessors: f64,
    /// What its memory reads in a second, in bytes.
    pub bytes_per_second: f64,
    /// Clock of its multiprocessors, in hertz.
    pub hertz: f64,
    /// What a launch takes after another one, in seconds.
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

/// A board for each sort of chip: that of the H200 as measured, the others as their data sheets say.
pub const BOARDS: [Board; 5] = [
    board("A100", 80, 108.0, 1555.0, 1410.0),
    board("GeForce RTX 3090", 86, 82.0, 936.0, 1695.0),
    board("GeForce RTX 4090", 89, 128.0, 1008.0, 2520.0),
    board("H200", 90, 132.0, 4600.0, 1700.0),
    board("B200", 100, 148.0, 8000.0, 1850.0),
];

/// The chip that is compiled for when none is named.
pub const DEFAULT_CHIP: &str = "sm_80";

/// A chip name that is not in [`CHIPS`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown chip `{found}`; known chips: {}", known())]
pub struct UnknownChip {
    /// What was asked for.
    pub found: String,
}

fn known() -> String {
    CHIPS.map(|c| c.name).join(", ")
}

/// Operand types of `redux.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReduxType {
    /// 32-bit integers: add, min, max (signed and unsigned), and, or, xor.
    I32,
    /// f32: min and max, with and without NaN.
    F32,
}

impl ReduxType {
    /// The chips that have it, for messages.
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
    /// The board that stands for the chip.
    pub fn board(&self) -> Board {
        let mut newest_first = BOARDS.iter().rev();
        *newest_first
            .find(|board| board.capability <= self.capability)
            .unwrap_or(&BOARDS[0])
    }

    /// Whether the chip has `redux.sync` of this type.
    pub fn has_redux(&self, ty: ReduxType) -> bool {
        match ty {
            ReduxType::I32 => self.redux_i32,
            ReduxType::F32 => self.redux_f32,
        }
    }

    /// The chip with this name.
    ///
    /// # Errors
    /// When there is none; the error lists the known ones.
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

    /// The facts as rows of name and value, for tables.
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
            ("clusters", yes(self.clusters)),
        ]
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
