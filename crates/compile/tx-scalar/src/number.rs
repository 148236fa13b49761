//! Scalar types, and conversion between values and bits.

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};

/// Scalar type of an element. The type `index` is a 64-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Signless integer of 1 to 64 bits.
    Int(u32),
    /// Float.
    Float(Float),
}

/// Floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// 8-bit float with 4 exponent bits and 3 fraction bits, without infinity.
    F8E4M3FN,
    /// 8-bit float with 5 exponent bits and 2 fraction bits.
    F8E5M2,
    /// IEEE half.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

impl Scalar {
    /// Converts an MLIR type; `None` if the type is not a supported scalar type.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        if ty.is_index() {
            return Some(Self::Int(64));
        }
        if let Ok(int) = IntegerType::try_from(ty) {
            return (1..=64)
                .contains(&int.width())
                .then(|| Self::Int(int.width()));
        }
        Float::of(ty).map(Self::Float)
    }

    /// Returns the size of an element in memory, in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Int(bits) => (bits.div_ceil(8) as usize).next_power_of_two(),
            Self::Float(float) => float.bits() as usize / 8,
        }
    }

    /// Returns the float type; `None` for an integer type.
    pub fn float(self) -> Option<Float> {
        match self {
            Self::Float(float) => Some(float),
            Self::Int(_) => None,
        }
    }

    /// Formats the value with the bit pattern `bits` as decimal text.
    pub fn show(self, bits: u64) -> String {
        match self {
            Self::Int(1) => (bits & 1 == 1).to_string(),
            Self::Int(width) => signed(bits, width).to_string(),
            Self::Float(Float::F32) => format!("{:?}", f32::from_bits(bits as u32)),
            Self::Float(float) => format!("{:?}", float.value(bits)),
        }
    }
}

impl Float {
    /// Converts an MLIR type; `None` if the type is not a supported float type.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        let known = [
            (ty.is_f32(), Self::F32),
            (ty.is_f64(), Self::F64),
            (ty.is_f16(), Self::F16),
            (ty.is_bf16(), Self::BF16),
            (ty.is_float8e4m3fn(), Self::F8E4M3FN),
            (ty.is_float8e5m2(), Self::F8E5M2),
        ];
        known
            .into_iter()
            .find_map(|(is, float)| is.then_some(float))
    }

    /// Returns the width of the float type in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::F8E4M3FN | Self::F8E5M2 => 8,
            Self::F16 | Self::BF16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// Returns the number of bits in the significand, including the implicit leading bit.
    pub fn digits(self) -> i32 {
        self.fraction() as i32 + 1
    }

    fn fraction(self) -> u32 {
        match self {
            Self::F8E4M3FN => 3,
            Self::F8E5M2 => 2,
            Self::F16 => 10,
            Self::BF16 => 7,
            Self::F32 => 23,
            Self::F64 => 52,
        }
    }

    fn bias(self) -> i32 {
        match self {
            Self::F8E4M3FN => 7,
            Self::F8E5M2 | Self::F16 => 15,
            Self::BF16 | Self::F32 => 127,
            Self::F64 => 1023,
        }
    }

    /// Returns the exponent of the smallest normal number.
    pub fn least_exponent(self) -> i32 {
        1 - self.bias()
    }

    /// Returns the largest finite value of the float type.
    pub fn largest(self) -> f64 {
        match self {
            Self::F8E4M3FN => 448.0,
            Self::F8E5M2 => 57344.0,
            Self::F16 => 65504.0,
            Self::BF16 => f64::from(f32::from_bits(0x7f7f_0000)),
            Self::F32 => f64::from(f32::MAX),
            Self::F64 => f64::MAX,
        }
    }

    /// Returns the exact value that `bits` encodes.
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::F64 => return f64::from_bits(bits),
            Self::F32 => return f64::from(f32::from_bits(bits as u32)),
            Self::BF16 => return f64::from(f32::from_bits((bits as u32 & 0xffff) << 16)),
            Self::F8E4M3FN | Self::F8E5M2 | Self::F16 => {}
        }
        let width = self.bits();
        let fraction_bits = self.fraction();
        let sign = if bits >> (width - 1) & 1 == 1 {
            -1.0
        } else {
            1.0
        };
        let fraction = bits & ((1 << fraction_bits) - 1);
        let exponent_mask = (1_u64 << (width - 1 - fraction_bits)) - 1;
        let exponent = bits >> fraction_bits & exponent_mask;
        let has_infinity = self != Self::F8E4M3FN;
        if exponent == exponent_mask && has_infinity {
            return if fraction == 0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        if !has_infinity && exponent == exponent_mask && fraction == (1 << fraction_bits) - 1 {
            return f64::NAN;
        }
        let scale = |exponent: i32| power_of_two(exponent - fraction_bits as i32);
        if exponent == 0 {
            return sign * fraction as f64 * scale(self.least_exponent());
        }
        let significand = (fraction | 1 << fraction_bits) as f64;
        sign * significand * scale(exponent as i32 - self.bias())
    }

    /// Rounds `value` to the nearest value of the float type, ties to even.
    pub fn round(self, value: f64) -> f64 {
        match self {
            Self::F64 => value,
            Self::F32 => f64::from(value as f32),
            Self::F8E4M3FN if value.is_infinite() => f64::NAN,
            _ if value == 0.0 || !value.is_finite() => value,
            _ => {
                let exponent = exponent_of(value).max(self.least_exponent());
                let unit = power_of_two(exponent - self.fraction() as i32);
                let rounded = (value / unit).round_ties_even() * unit;
                if rounded.abs() > self.largest() {
                    match self {
                        Self::F8E4M3FN => f64::NAN,
                        _ => f64::INFINITY.copysign(value),
                    }
                } else {
                    rounded
                }
            }
        }
    }

    /// Returns the bits of the value of the float type that is nearest to `value`. Every NaN is
    /// encoded as the positive quiet NaN.
    pub fn to_bits(self, value: f64) -> u64 {
        let value = self.round(value);
        if value.is_nan() {
            return self.nan();
        }
        match self {
            Self::F64 => return value.to_bits(),
            Self::F32 => return u64::from((value as f32).to_bits()),
            Self::BF16 => return u64::from((value as f32).to_bits() >> 16),
            Self::F8E4M3FN | Self::F8E5M2 | Self::F16 => {}
        }
        let fraction_bits = self.fraction();
        let sign = u64::from(value.is_sign_negative()) << (self.bits() - 1);
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            let exponent_mask = (1_u64 << (self.bits() - 1 - fraction_bits)) - 1;
            return sign | exponent_mask << fraction_bits;
        }
        let exponent = if magnitude == 0.0 {
            self.least_exponent()
        } else {
            exponent_of(magnitude).max(self.least_exponent())
        };
        let significand = (magnitude / power_of_two(exponent - fraction_bits as i32)) as u64;
        if significand >> fraction_bits == 0 {
            return sign | significand;
        }
        let biased = (exponent + self.bias()) as u64;
        sign | biased << fraction_bits | (significand & ((1 << fraction_bits) - 1))
    }

    fn nan(self) -> u64 {
        match self {
            Self::F8E4M3FN => 0x7f,
            Self::F8E5M2 => 0x7e,
            Self::F16 => 0x7e00,
            Self::BF16 => 0x7fc0,
            Self::F32 => 0x7fc0_0000,
            Self::F64 => 0x7ff8 << 48,
        }
    }
}

/// Returns 2 to the power of `exponent`. The function returns correct subnormal results, in
/// contrast to `powi`.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074.. => f64::from_bits(1 << (exponent + 1074)),
        _ => 0.0,
    }
}

/// Returns the binary exponent `e` of a finite nonzero `value`: `2^e <= |value| < 2^(e+1)`.
pub(crate) fn exponent_of(value: f64) -> i32 {
    let bits = (value.to_bits() >> 52 & 0x7ff) as i32;
    if bits == 0 {
        // The code first scales a subnormal double to a normal double.
        return exponent_of(value * 2_f64.powi(100)) - 100;
    }
    bits - 1023
}

/// Sign-extends the low `width` bits of `bits`.
pub fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift).cast_signed() >> shift
}

/// Returns the low `width` bits of `number`.
pub fn truncated(number: i64, width: u32) -> u64 {
    number.cast_unsigned() & (!0 >> (64 - width.clamp(1, 64)))
}

/// Returns the smallest and the largest signed integer of `width` bits.
pub fn extremes(width: u32) -> (i64, i64) {
    let shift = 64 - width.clamp(1, 64);
    (i64::MIN >> shift, i64::MAX >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_values_are_inverse() {
        for float in [Float::F8E4M3FN, Float::F8E5M2, Float::F16, Float::BF16] {
            for bits in 0..1_u64 << float.bits() {
                let value = float.value(bits);
                if !value.is_nan() {
                    assert_eq!(float.to_bits(value), bits, "{float:?} {bits:#x} {value}");
                }
            }
        }
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        assert_eq!(Float::F16.round(2049.0), 2048.0);
        assert_eq!(Float::F16.round(2051.0), 2052.0);
        assert_eq!(Float::F16.round(65519.0), 65504.0);
        assert_eq!(Float::F16.round(65520.0), f64::INFINITY);
        assert_eq!(Float::BF16.round(1.0 + 1.0 / 256.0), 1.0);
        assert!(Float::F8E4M3FN.round(1000.0).is_nan());
        assert_eq!(Float::F16.round(2_f64.powi(-25)), 0.0);
        assert_eq!(power_of_two(1024), f64::INFINITY);
        assert_eq!(power_of_two(-1022), f64::MIN_POSITIVE);
        assert_eq!(power_of_two(-1074), f64::from_bits(1));
        assert_eq!(power_of_two(-1075), 0.0);
    }
}
