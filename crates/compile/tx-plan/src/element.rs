//! Element types of memrefs and scalars.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Type of a memref element or a scalar argument, with its MLIR name.
///
/// Integers are signless, as in MLIR: each op determines the signedness of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// IEEE 754 half precision.
    F16,
    /// Upper half of an `f32`: 8 exponent bits, 7 mantissa bits.
    BF16,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// 1-bit integer, stored in one byte as 0 or 1.
    I1,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// MLIR's `index`, 64 bits on every supported device.
    Index,
    /// 8-bit float with 4 exponent and 3 mantissa bits, no infinities, largest value 448.
    F8E4M3FN,
    /// 8-bit float with 5 exponent and 2 mantissa bits, with infinities.
    F8E5M2,
}

impl ElementType {
    /// All element types, in the order in which messages list them.
    pub const ALL: [Self; 12] = [
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
        Self::I1,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::Index,
        Self::F8E4M3FN,
        Self::F8E5M2,
    ];

    /// Returns the size of one element in memory, in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::I1 | Self::I8 | Self::F8E4M3FN | Self::F8E5M2 => 1,
            Self::F16 | Self::BF16 | Self::I16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 | Self::Index => 8,
        }
    }

    /// Returns the MLIR name, such as `f8E4M3FN`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Index => "index",
            Self::F8E4M3FN => "f8E4M3FN",
            Self::F8E5M2 => "f8E5M2",
        }
    }

    /// Returns whether the type is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16 | Self::BF16 | Self::F32 | Self::F64 | Self::F8E4M3FN | Self::F8E5M2
        )
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ElementType {
    type Err = UnknownElementType;

    fn from_str(text: &str) -> Result<Self, UnknownElementType> {
        Self::ALL
            .into_iter()
            .find(|element| element.name() == text)
            .ok_or_else(|| UnknownElementType {
                found: text.to_owned(),
            })
    }
}

impl Serialize for ElementType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ElementType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// Error for a name that is not an element type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown element type `{found}`; known types: {}{}",
    ElementType::ALL.map(ElementType::name).join(", "),
    meant(found).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
)]
pub struct UnknownElementType {
    /// Unknown name.
    pub found: String,
}

/// Table of type names from other tools. Each entry contains a type name in lower case, and the
/// corresponding element type.
const FOREIGN_NAMES: &[(&str, ElementType)] = &[
    ("half", ElementType::F16),
    ("float16", ElementType::F16),
    ("fp16", ElementType::F16),
    ("bfloat16", ElementType::BF16),
    ("bfloat", ElementType::BF16),
    ("float", ElementType::F32),
    ("single", ElementType::F32),
    ("float32", ElementType::F32),
    ("fp32", ElementType::F32),
    ("double", ElementType::F64),
    ("float64", ElementType::F64),
    ("fp64", ElementType::F64),
    ("d64", ElementType::F64),
    ("bool", ElementType::I1),
    ("int8", ElementType::I8),
    ("int16", ElementType::I16),
    ("short", ElementType::I16),
    ("int", ElementType::I32),
    ("int32", ElementType::I32),
    ("s32", ElementType::I32),
    ("long", ElementType::I64),
    ("int64", ElementType::I64),
    ("s64", ElementType::I64),
    ("fp8", ElementType::F8E4M3FN),
    ("e4m3", ElementType::F8E4M3FN),
    ("e5m2", ElementType::F8E5M2),
];

/// Returns the element type that the user probably means. The argument `found` is the type name of
/// another tool, or an MLIR type name in the wrong letter case.
fn meant(found: &str) -> Option<ElementType> {
    let small = found.to_ascii_lowercase();
    let mut all = ElementType::ALL.into_iter();
    all.find(|element| element.name().to_ascii_lowercase() == small)
        .or_else(|| {
            let known = FOREIGN_NAMES.iter().find(|(name, _)| *name == small);
            known.map(|(_, element)| *element)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elsewhere_are_understood() {
        for (found, expected) in [
            ("F64", Some("f64")),
            ("double", Some("f64")),
            ("f8e4m3fn", Some("f8E4M3FN")),
            ("complex", None),
        ] {
            assert_eq!(meant(found).map(ElementType::name), expected, "{found}");
        }
        for (name, element) in FOREIGN_NAMES {
            let told = name.parse::<ElementType>().unwrap_err().to_string();
            assert!(
                told.ends_with(&format!("; did you mean `{element}`?")),
                "{told}"
            );
        }
    }
}
