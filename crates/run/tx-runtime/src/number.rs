//! Single numbers: parsing, and conversion to and from the bits of an element type.

use std::fmt;
use std::str::FromStr;

use tx_plan::ElementType;

/// Number without an element type: a scalar argument, or the fill value of an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Integer value; `i128` covers the range of every integer element type.
    Int(i128),
    /// Floating-point number.
    Float(f64),
}

impl Number {
    /// Converts this number to the type `element`, and returns the zero-extended bits; `None` if
    /// the type cannot represent the number.
    ///
    /// The conversion to a float type rounds an integer to the nearest float. A float converts to
    /// an integer type only if the float has an integral value. The type `i1` represents 0 and 1. A
    /// signless integer type of `n` > 1 bits represents −2ⁿ⁻¹ … 2ⁿ−1. A float type can represent a
    /// number unless the rounding of the number to the type overflows. Infinity becomes NaN in a
    /// type without infinities.
    pub fn to_bits(self, element: ElementType) -> Option<u64> {
        if let Some(format) = FloatFormat::of(element) {
            let value = match self {
                Self::Float(value) => value,
                Self::Int(value) if format.mantissa_bits < 52 => rounded_to_odd(value),
                Self::Int(value) => value as f64,
            };
            let bits = format.encode(value);
            let fits = format.decode(bits).is_finite() || !value.is_finite();
            return fits.then_some(bits);
        }
        let value = match self {
            Self::Int(value) => value,
            // The bound of 1e30 is within `i128`, and beyond every 64-bit integer.
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e30 => value as i128,
            Self::Float(_) => return None,
        };
        let (low, high) = integer_range(element);
        (low..=high)
            .contains(&value)
            .then_some(value as u64 & mask(element))
    }

    /// Returns the number that `bits` encodes in the type `element`; all integers except `i1` are
    /// signed.
    pub fn from_bits(bits: u64, element: ElementType) -> Self {
        match FloatFormat::of(element) {
            Some(format) => Self::Float(format.decode(bits)),
            None if element == ElementType::I1 => Self::Int(i128::from(bits & 1)),
            None => {
                let unused = 64 - 8 * element.size() as u32;
                Self::Int(i128::from((bits << unused) as i64 >> unused))
            }
        }
    }

    /// Returns the nearest `f64`.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

/// Returns the smallest and the largest integer that a type accepts: the signed minimum and the
/// unsigned maximum of the type.
pub(crate) fn integer_range(element: ElementType) -> (i128, i128) {
    match element {
        ElementType::I1 => (0, 1),
        _ => {
            let bits = 8 * element.size() as u32;
            (-(1 << (bits - 1)), (1 << bits) - 1)
        }
    }
}

fn mask(element: ElementType) -> u64 {
    u64::MAX >> (64 - 8 * element.size())
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        Self::Float(value.into())
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Int(value.into())
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        Self::Int(value as i128)
    }
}

impl From<bool> for Number {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => fmt::Debug::fmt(value, f),
        }
    }
}

/// Error for a text that is not a number, or that is a number beyond the largest f64.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{found}` is {}",
    if *.too_large {
        "too large for every type; infinity is written `inf`"
    } else {
        "not a number"
    }
)]
pub struct NotANumber {
    /// Invalid text.
    pub found: String,
    /// Whether the text is a number beyond the largest f64.
    pub too_large: bool,
}

/// Parses decimal integers, `0x` hexadecimal, `true`, `false`, decimal floats, `inf`, `-inf` and
/// `nan`.
impl FromStr for Number {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let refused = |too_large| NotANumber {
            found: text.to_owned(),
            too_large,
        };
        match text {
            "true" => return Ok(Self::Int(1)),
            "false" => return Ok(Self::Int(0)),
            _ => {}
        }
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16)
                .map(|value| Self::Int(value.into()))
                .map_err(|_| refused(false));
        }
        if let Ok(value) = text.parse() {
            return Ok(Self::Int(value));
        }
        match text.parse::<f64>() {
            // A text with digits that parses as infinity is a number beyond the largest f64;
            // infinity itself is written `inf`.
            Ok(value) if value.is_infinite() && text.contains(|c: char| c.is_ascii_digit()) => {
                Err(refused(true))
            }
            Ok(value) => Ok(Self::Float(value)),
            Err(_) => Err(refused(false)),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatFormat {
    exponent_bits: u32,
    mantissa_bits: u32,
    /// Whether the float format has infinities. If a float format has infinities, the largest
    /// exponent encodes infinities and NaNs. In a float format without infinities, a float is a NaN
    /// only if all exponent and mantissa bits are ones.
    infinities: bool,
}

impl FloatFormat {
    pub(crate) const fn of(element: ElementType) -> Option<Self> {
        let (exponent_bits, mantissa_bits) = match element {
            ElementType::F16 => (5, 10),
            ElementType::BF16 => (8, 7),
            ElementType::F32 => (8, 23),
            ElementType::F64 => (11, 52),
            ElementType::F8E4M3FN => (4, 3),
            ElementType::F8E5M2 => (5, 2),
            _ => return None,
        };
        Some(Self {
            exponent_bits,
            mantissa_bits,
            infinities: !matches!(element, ElementType::F8E4M3FN),
        })
    }

    /// Returns the number of significand bits of the float format, including the implicit bit.
    pub(crate) const fn precision(self) -> u32 {
        self.mantissa_bits + 1
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Rounds `value` to the nearest value of the float format, ties to even, and returns the bits
    /// of the result. A value beyond the largest finite value becomes infinity, or NaN in a format
    /// without infinities.
    pub(crate) fn encode(self, value: f64) -> u64 {
        let sign = u64::from(value.is_sign_negative()) << (self.exponent_bits + self.mantissa_bits);
        let exponent_ones = ((1_u64 << self.exponent_bits) - 1) << self.mantissa_bits;
        let mantissa_ones = (1_u64 << self.mantissa_bits) - 1;
        let (infinity, nan) = if self.infinities {
            (exponent_ones, exponent_ones | 1 << (self.mantissa_bits - 1))
        } else {
            (exponent_ones | mantissa_ones, exponent_ones | mantissa_ones)
        };
        if value.is_nan() {
            return sign | nan;
        }
        if value.is_infinite() {
            return sign | infinity;
        }
        if value == 0.0 {
            return sign;
        }
        if self.mantissa_bits == 52 {
            return value.to_bits();
        }
        let bits = value.to_bits();
        // Subnormal f64 values round to 0 in every narrower format, so their exponent need not be
        // exact.
        let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
        let significand = (bits & ((1 << 52) - 1)) | 1 << 52;
        // Number of low bits of the 53-bit significand to drop. A subnormal result drops additional
        // bits.
        let smallest_normal = 1 - self.bias();
        let dropped = 52 - self.mantissa_bits as i32 + (smallest_normal - exponent).max(0);
        if dropped > 54 {
            return sign;
        }
        let kept = significand >> dropped;
        let rest = significand & ((1_u64 << dropped) - 1);
        let half = 1_u64 << (dropped - 1);
        let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
        // A carry out of the mantissa increments the exponent field, also if the value was
        // subnormal before rounding.
        let magnitude = if exponent >= smallest_normal {
            (((exponent - smallest_normal) as u64) << self.mantissa_bits) + rounded
        } else {
            rounded
        };
        sign | magnitude.min(infinity)
    }

    /// Decodes the float in the low bits of `bits`. The decoded value is exact, because f64
    /// represents all values of every supported float format.
    pub(crate) fn decode(self, bits: u64) -> f64 {
        if self.mantissa_bits == 52 {
            return f64::from_bits(bits);
        }
        let exponent_ones = (1_u64 << self.exponent_bits) - 1;
        let mantissa_ones = (1_u64 << self.mantissa_bits) - 1;
        let exponent = (bits >> self.mantissa_bits) & exponent_ones;
        let mantissa = bits & mantissa_ones;
        let magnitude =
            if exponent == exponent_ones && (self.infinities || mantissa == mantissa_ones) {
                if self.infinities && mantissa == 0 {
                    f64::INFINITY
                } else {
                    f64::NAN
                }
            } else {
                let scale = exponent.max(1) as i32 - self.bias() - self.mantissa_bits as i32;
                let significand = mantissa
                    | if exponent == 0 {
                        0
                    } else {
                        1 << self.mantissa_bits
                    };
                significand as f64 * 2_f64.powi(scale)
            };
        let negative = (bits >> (self.exponent_bits + self.mantissa_bits)) & 1 == 1;
        if negative { -magnitude } else { magnitude }
    }
}

/// Returns the integer rounded to odd in f64: an inexact result is rounded toward zero, and its
/// last bit is set to 1. Rounding the returned f64 to a format with at most 50 mantissa bits then
/// yields the same number as rounding the integer.
fn rounded_to_odd(value: i128) -> f64 {
    let nearest = value as f64;
    let exact = nearest as i128;
    if exact == value {
        return nearest;
    }
    let is_away = exact.unsigned_abs() > value.unsigned_abs();
    f64::from_bits((nearest.to_bits() - u64::from(is_away)) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that decoding and encoding preserve every 8- and 16-bit float, and that the crate
    /// `half` returns the same values.
    #[test]
    fn every_narrow_float_round_trips() {
        for (element, bits) in [
            (ElementType::F16, 16_u32),
            (ElementType::BF16, 16),
            (ElementType::F8E4M3FN, 8),
            (ElementType::F8E5M2, 8),
        ] {
            let format = FloatFormat::of(element).expect("a float");
            for pattern in 0..1_u64 << bits {
                let value = format.decode(pattern);
                if value.is_nan() {
                    assert!(format.decode(format.encode(value)).is_nan());
                } else {
                    assert_eq!(format.encode(value), pattern, "{element} {pattern:#x}");
                }
                let reference = match element {
                    ElementType::F16 => half::f16::from_bits(pattern as u16).to_f64(),
                    ElementType::BF16 => half::bf16::from_bits(pattern as u16).to_f64(),
                    _ => value,
                };
                assert!(value == reference || value.is_nan() && reference.is_nan());
            }
        }
    }

    /// Checks that an integer beyond 2⁵³ is rounded only once: 2⁵⁴ + 2³⁰ + 1 is above the midpoint
    /// of two adjacent f32 values, and rounds up.
    #[test]
    fn rounds_integers_once() {
        for (value, rounded) in [
            ((1 << 54) + (1 << 30) + 1, 18_014_400_656_965_632.0),
            ((1 << 54) + (1 << 30), 18_014_398_509_481_984.0),
            (-(1 << 54) - (1 << 30) - 1, -18_014_400_656_965_632.0),
            ((1 << 54) + 1, 18_014_398_509_481_984.0),
        ] {
            let bits = Number::Int(value).to_bits(ElementType::F32);
            assert_eq!(bits, Some(u64::from(f32::to_bits(rounded))), "{value}");
        }
    }

    /// Checks that rounding to nearest, ties to even, yields the same values as the crate `half`
    /// and the host processor.
    #[test]
    fn rounds_as_the_hardware_does() {
        let check = |value: f32| {
            let wide = f64::from(value);
            let of = |element| Number::Float(wide).to_bits(element);
            // A finite number that rounds to infinity is rejected.
            let fits = |bits: u16, infinite: bool| {
                (!infinite || value.is_infinite()).then_some(u64::from(bits))
            };
            let (half, bfloat) = (half::f16::from_f32(value), half::bf16::from_f32(value));
            let expected = fits(half.to_bits(), half.is_infinite());
            assert_eq!(of(ElementType::F16), expected, "{value}");
            let expected = fits(bfloat.to_bits(), bfloat.is_infinite());
            assert_eq!(of(ElementType::BF16), expected, "{value}");
        };
        for i in 0..200_000_u32 {
            let value = f32::from_bits(i.wrapping_mul(0x9e37_79b1));
            if !value.is_nan() {
                check(value);
            }
            let wide = f64::from_bits(u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            if !wide.is_nan() {
                let bits = Number::Float(wide).to_bits(ElementType::F32);
                let nearest = wide as f32;
                let expected = nearest.is_finite().then_some(nearest.to_bits().into());
                assert_eq!(bits, expected, "{wide}");
            }
        }
    }

    /// Checks the largest and smallest values of the 8-bit float formats, and values outside the
    /// range of the formats.
    #[test]
    fn eight_bit_limits() {
        let bits = |element, value| Number::Float(value).to_bits(element);
        use ElementType::{F8E4M3FN, F8E5M2};
        assert_eq!(bits(F8E4M3FN, 448.0), Some(0x7e));
        assert_eq!(bits(F8E4M3FN, 464.0), Some(0x7e));
        assert_eq!(bits(F8E4M3FN, 465.0), None);
        assert_eq!(bits(F8E4M3FN, f64::NEG_INFINITY), Some(0xff));
        assert_eq!(bits(F8E4M3FN, 2_f64.powi(-9)), Some(0x01));
        assert_eq!(bits(F8E4M3FN, 2_f64.powi(-10)), Some(0x00));
        assert_eq!(bits(F8E5M2, 57344.0), Some(0x7b));
        assert_eq!(bits(F8E5M2, 61439.0), Some(0x7b));
        assert_eq!(bits(F8E5M2, 61440.0), None);
        assert_eq!(bits(F8E5M2, f64::INFINITY), Some(0x7c));
        assert_eq!(bits(F8E5M2, f64::NAN).map(|bits| bits & 0x7f), Some(0x7e));
    }

    #[test]
    fn floats_fit_or_are_refused() {
        let of = |text: &str, element| text.parse::<Number>().expect("a number").to_bits(element);
        assert_eq!(of("65519", ElementType::F16), Some(0x7bff));
        assert_eq!(of("65520", ElementType::F16), None);
        assert_eq!(of("-1e39", ElementType::F32), None);
        assert_eq!(of("-1e39", ElementType::F64), Some((-1e39_f64).to_bits()));
        assert_eq!(of("1e39", ElementType::BF16), None);
        assert_eq!(of("inf", ElementType::F16), Some(0x7c00));
        let digits = "9".repeat(400);
        for text in ["1e400", "-1e400", digits.as_str()] {
            let error = text.parse::<Number>().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("`{text}` is too large for every type; infinity is written `inf`")
            );
        }
        for text in ["inf", "+inf", "infinity", "Inf"] {
            assert_eq!(text.parse(), Ok(Number::Float(f64::INFINITY)), "{text}");
        }
    }

    #[test]
    fn integers_fit_or_are_refused() {
        let of = |text: &str, element| text.parse::<Number>().expect("a number").to_bits(element);
        assert_eq!(of("255", ElementType::I8), Some(255));
        assert_eq!(of("-1", ElementType::I8), Some(255));
        assert_eq!(of("256", ElementType::I8), None);
        assert_eq!(of("-129", ElementType::I8), None);
        assert_eq!(of("2.0", ElementType::I32), Some(2));
        assert_eq!(of("2.5", ElementType::I32), None);
        assert_eq!(of("nan", ElementType::I32), None);
        assert_eq!(of("18446744073709551615", ElementType::I64), Some(u64::MAX));
        assert_eq!(of("true", ElementType::I1), Some(1));
        assert_eq!(of("2", ElementType::I1), None);
        assert_eq!(of("0xff", ElementType::I8), Some(255));
        assert_eq!(of("-inf", ElementType::F32), Some(0xff80_0000));
        assert_eq!(Number::from_bits(0xff, ElementType::I8), Number::Int(-1));
        assert!("1.5.2".parse::<Number>().is_err());
    }
}
