//! Element types.

use serde::{Deserialize, Serialize};

/// Element type of a tile.
#[expect(missing_docs, reason = "the names are those of MLIR")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Element {
    F8E4M3FN,
    F8E5M2,
    F16,
    BF16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
}

use Element::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64};

impl Element {
    pub(crate) fn mlir(self) -> &'static str {
        match self {
            F8E4M3FN => "f8E4M3FN",
            F8E5M2 => "f8E5M2",
            F16 => "f16",
            BF16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            I1 => "i1",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, F8E4M3FN | F8E5M2 | F16 | BF16 | F32 | F64)
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            F8E4M3FN | F8E5M2 | I1 | I8 => 1,
            F16 | BF16 | I16 => 2,
            F32 | I32 => 4,
            F64 | I64 => 8,
        }
    }

    pub(crate) fn accumulator(self) -> Self {
        match self {
            F8E4M3FN | F8E5M2 | F16 | BF16 => F32,
            other => other,
        }
    }

    /// Returns the accumulator types that an element type allows.
    pub(crate) fn accumulators(self) -> &'static [Self] {
        match self {
            F8E4M3FN | F8E5M2 => &[F16, BF16, F32, F64],
            F16 => &[F16, F32, F64],
            BF16 => &[BF16, F32, F64],
            F32 => &[F32, F64],
            F64 => &[F64],
            I1 => &[I1],
            I8 => &[I8, I16, I32, I64],
            I16 => &[I16, I32, I64],
            I32 => &[I32, I64],
            I64 => &[I64],
        }
    }

    /// Returns the destination types that an element type allows.
    pub(crate) fn destinations(self) -> &'static [Self] {
        match self {
            F8E4M3FN | F8E5M2 => &[F16, BF16, F32, F64],
            F16 => &[F16, F32, F64],
            BF16 => &[BF16, F32, F64],
            F32 => &[F32, F64],
            F64 => &[F64],
            I1 => &[I1],
            I8 => &[I8],
            I16 => &[I16],
            I32 => &[I32],
            I64 => &[I64],
        }
    }

    pub(crate) fn plan(self) -> tx_plan::ElementType {
        use tx_plan::ElementType as Plan;
        match self {
            F8E4M3FN => Plan::F8E4M3FN,
            F8E5M2 => Plan::F8E5M2,
            F16 => Plan::F16,
            BF16 => Plan::BF16,
            F32 => Plan::F32,
            F64 => Plan::F64,
            I1 => Plan::I1,
            I8 => Plan::I8,
            I16 => Plan::I16,
            I32 => Plan::I32,
            I64 => Plan::I64,
        }
    }
}
