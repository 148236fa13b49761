//! Element types: bits, numbers and names.
//!
//! The conversions are generic in exponent and mantissa sizes, and independent of the compiler,
//! LLVM and the runtime.

/// Element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    I1,
    I8,
    I16,
    I32,
    I64,
    F8E4M3FN,
    F8E5M2,
    F16,
    BF16,
    F32,
    F64,
}

use Element::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64};

/// Float format.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) mantissa: u32,
    /// Set if the largest exponent encodes infinities and NaN; otherwise one bit pattern is NaN.
    pub(crate) infinities: bool,
}

impl Format {
    pub(crate) fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Returns the exponent of the smallest normal number.
    pub(crate) fn smallest(self) -> i32 {
        1 - self.bias()
    }

    fn sign(self) -> u64 {
        1 << (self.exponent + self.mantissa)
    }

    /// Returns the bits of infinity, or of NaN in a format without infinity.
    fn beyond(self) -> u64 {
        if self.infinities {
            ((1 << self.exponent) - 1) << self.mantissa
        } else {
            self.sign() - 1
        }
    }

    fn nan(self) -> u64 {
        if self.infinities {
            self.beyond() | 1 << (self.mantissa - 1)
        } else {
            self.beyond()
        }
    }
}

pub(crate) fn power(exponent: i32) -> f64 {
    f64::powi(2.0, exponent)
}

impl Element {
    pub(crate) fn mlir(self) -> &'static str {
        match self {
            I1 => "i1",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            F8E4M3FN => "f8E4M3FN",
            F8E5M2 => "f8E5M2",
            F16 => "f16",
            BF16 => "bf16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    /// Returns NumPy's name of the type in a file.
    pub(crate) fn descr(self) -> &'static str {
        match self {
            I1 => "|b1",
            I8 => "|i1",
            I16 => "<i2",
            I32 => "<i4",
            I64 => "<i8",
            F8E4M3FN | F8E5M2 => "|u1",
            F16 => "<f2",
            BF16 => "<u2",
            F32 => "<f4",
            F64 => "<f8",
        }
    }

    /// Returns the type suffix for `tx run` if NumPy lacks the type.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            F8E4M3FN => ":f8E4M3FN",
            F8E5M2 => ":f8E5M2",
            BF16 => ":bf16",
            _ => "",
        }
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            I1 => 1,
            I8 | F8E4M3FN | F8E5M2 => 8,
            I16 | F16 | BF16 => 16,
            I32 | F32 => 32,
            I64 | F64 => 64,
        }
    }

    /// Returns the size in bytes.
    pub(crate) fn size(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub(crate) fn is_float(self) -> bool {
        self.format().is_some()
    }

    pub(crate) fn format(self) -> Option<Format> {
        let format = |exponent, mantissa| {
            Some(Format {
                exponent,
                mantissa,
                infinities: self != F8E4M3FN,
            })
        };
        match self {
            F8E4M3FN => format(4, 3),
            F8E5M2 => format(5, 2),
            F16 => format(5, 10),
            BF16 => format(8, 7),
            F32 => format(8, 23),
            F64 => format(11, 52),
            _ => None,
        }
    }

    /// Returns the default accumulator type.
    pub(crate) fn accumulator(self) -> Self {
        match self {
            F8E4M3FN | F8E5M2 | F16 | BF16 => F32,
            other => other,
        }
    }

    /// Returns the number of mantissa bits, including the implicit bit.
    pub(crate) fn precision(self) -> i32 {
        self.format().map_or(0, |format| format.mantissa as i32 + 1)
    }

    /// Returns the relative error of one rounding.
    pub(crate) fn roundoff(self) -> f64 {
        power(-self.precision())
    }

    pub(crate) fn largest(self) -> f64 {
        self.format()
            .map_or(f64::NAN, |format| self.number(format.beyond() - 1))
    }

    /// Returns the smallest positive number.
    pub(crate) fn tiniest(self) -> f64 {
        self.number(1)
    }

    /// Returns the exact number that a float's bits represent.
    pub(crate) fn number(self, bits: u64) -> f64 {
        let Some(format) = self.format() else {
            return self.signed(bits) as f64;
        };
        if self == F64 {
            return f64::from_bits(bits);
        }
        let magnitude = bits & (format.sign() - 1);
        let sign = if bits & format.sign() == 0 { 1.0 } else { -1.0 };
        let mantissa = magnitude & ((1 << format.mantissa) - 1);
        let exponent = (magnitude >> format.mantissa) as i32;
        let value = if format.infinities && magnitude == format.beyond() {
            f64::INFINITY
        } else if magnitude >= format.beyond() {
            f64::NAN
        } else if exponent == 0 {
            mantissa as f64 * power(format.smallest() - format.mantissa as i32)
        } else {
            let whole = (mantissa | 1 << format.mantissa) as f64;
            whole * power(exponent - format.bias() - format.mantissa as i32)
        };
        sign * value
    }

    /// Returns the bits of the nearest float, with ties to even.
    pub(crate) fn nearest(self, value: f64) -> u64 {
        let Some(format) = self.format() else {
            return self.wrap(value as i64 as u64);
        };
        if self == F64 {
            return value.to_bits();
        }
        if value.is_nan() {
            return format.nan();
        }
        let sign = if value.is_sign_negative() {
            format.sign()
        } else {
            0
        };
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign | format.beyond();
        }
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        let normal = exponent >= format.smallest();
        let step = power(exponent.max(format.smallest()) - format.mantissa as i32);
        // Exact, because the step is a power of two.
        let steps = (magnitude / step).round_ties_even() as u64;
        // Rounding up to the next power of two carries into the exponent.
        let bits = if normal {
            (((exponent + format.bias()) as u64) << format.mantissa) + steps
                - (1 << format.mantissa)
        } else {
            steps
        };
        sign | bits.min(format.beyond())
    }

    /// Returns the low bits of this type's width.
    pub(crate) fn wrap(self, bits: u64) -> u64 {
        bits & (u64::MAX >> (64 - self.bits()))
    }

    /// Returns the number that a signed integer's bits represent.
    pub(crate) fn signed(self, bits: u64) -> i64 {
        let unused = 64 - self.bits();
        ((bits << unused) as i64) >> unused
    }

    /// Returns whether the bits are NaN.
    pub(crate) fn is_nan(self, bits: u64) -> bool {
        self.is_float() && self.number(bits).is_nan()
    }

    /// Formats one element for messages.
    pub(crate) fn show(self, bits: u64) -> String {
        if self.is_float() {
            format!(
                "{:?} (0x{bits:0width$x})",
                self.number(bits),
                width = 2 * self.size()
            )
        } else if self == I1 {
            bits.to_string()
        } else {
            self.signed(bits).to_string()
        }
    }

    pub(crate) fn pack(self, values: &[u64]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes()[..self.size()].to_vec())
            .collect()
    }

    pub(crate) fn unpack(self, bytes: &[u8]) -> Vec<u64> {
        bytes
            .chunks_exact(self.size())
            .map(|bytes| {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(wide)
            })
            .collect()
    }
}
