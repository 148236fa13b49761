//! Elements, arrays of them, and NumPy's random numbers.

use half::{bf16, f16};

use crate::npy::Array;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    F16,
    BF16,
    F32,
    F64,
    I8,
    I32,
    I64,
}

impl Element {
    /// From NumPy's name.
    pub(crate) fn parse(dtype: &str) -> Result<Self, String> {
        match dtype {
            "float16" => Ok(Self::F16),
            "bfloat16" => Ok(Self::BF16),
            "float32" => Ok(Self::F32),
            "float64" => Ok(Self::F64),
            "int8" => Ok(Self::I8),
            "int32" => Ok(Self::I32),
            "int64" => Ok(Self::I64),
            other => Err(format!("there is no rule for elements of type `{other}`")),
        }
    }

    /// MLIR's name.
    pub(crate) fn mlir(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::I32 => "i32",
            Self::I64 => "i64",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// NumPy's name in a file. It has no bf16; files hold the words as numbers.
    pub(crate) fn descr(self) -> &'static str {
        match self {
            Self::F16 => "<f2",
            Self::BF16 => "<u2",
            Self::F32 => "<f4",
            Self::F64 => "<f8",
            Self::I8 => "|i1",
            Self::I32 => "<i4",
            Self::I64 => "<i8",
        }
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::F16 | Self::BF16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }

    /// The nearest value of this type, as NumPy's `astype` rounds.
    pub(crate) fn round(self, value: f64) -> f64 {
        match self {
            // Conversion from f64 may round twice, by way of f32. Rounded to a multiple of the
            // last place first, which f64 does exactly, a value has nothing left to round.
            Self::F16 => round_to(value, 10, -14, |value| f16::from_f64(value).to_f64()),
            Self::BF16 => round_to(value, 7, -126, |value| bf16::from_f64(value).to_f64()),
            Self::F32 => f64::from(value as f32),
            Self::F64 => value,
            Self::I8 => f64::from(value as i64 as i8),
            Self::I32 => f64::from(value as i64 as i32),
            Self::I64 => value.trunc(),
        }
    }

    pub(crate) fn array(self, shape: &[usize], values: &[f64]) -> Array {
        let bytes = values
            .iter()
            .flat_map(|value| match self {
                Self::F16 => f16::from_f64(self.round(*value)).to_le_bytes().to_vec(),
                Self::BF16 => bf16::from_f64(self.round(*value)).to_le_bytes().to_vec(),
                Self::F32 => (*value as f32).to_le_bytes().to_vec(),
                Self::F64 => value.to_le_bytes().to_vec(),
                Self::I8 => (*value as i64 as i8).to_le_bytes().to_vec(),
                Self::I32 => (*value as i64 as i32).to_le_bytes().to_vec(),
                Self::I64 => (*value as i64).to_le_bytes().to_vec(),
            })
            .collect();
        Array {
            descr: self.descr().to_owned(),
            shape: shape.to_vec(),
            bytes,
        }
    }

    pub(crate) fn values(self, array: &Array) -> Vec<f64> {
        array
            .bytes
            .chunks_exact(self.size())
            .map(|bytes| {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                let word = u64::from_le_bytes(wide);
                match self {
                    Self::F16 => f16::from_bits(word as u16).to_f64(),
                    Self::BF16 => bf16::from_bits(word as u16).to_f64(),
                    Self::F32 => f64::from(f32::from_bits(word as u32)),
                    Self::F64 => f64::from_bits(word),
                    Self::I8 => f64::from(word as i8),
                    Self::I32 => f64::from(word as i32),
                    Self::I64 => word as i64 as f64,
                }
            })
            .collect()
    }
}

/// `value` with `digits` binary places behind the first, or the step that all subnormal numbers
/// share.
fn round_to(value: f64, digits: i32, least_exponent: i32, convert: fn(f64) -> f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    let step = f64::powi(2.0, exponent.max(least_exponent) - digits);
    convert((value / step).round_ties_even() * step)
}

/// What an operation makes of two values.
pub(crate) fn combine(op: &str) -> Result<fn(f64, f64) -> f64, String> {
    match op {
        "sum" => Ok(|a, b| a + b),
        "prod" => Ok(|a, b| a * b),
        "max" => Ok(f64::max),
        "min" => Ok(f64::min),
        other => Err(format!("there is no rule for the operation `{other}`")),
    }
}

/// What an operation makes of nothing.
pub(crate) fn identity(op: &str, element: Element) -> Result<f64, String> {
    let least = match element {
        Element::I8 => f64::from(i8::MIN),
        Element::I32 => f64::from(i32::MIN),
        Element::I64 => i64::MIN as f64,
        _ => f64::NEG_INFINITY,
    };
    match op {
        "sum" => Ok(0.0),
        "prod" => Ok(1.0),
        "max" => Ok(least),
        // Integers have one value less above zero.
        "min" if element.is_float() => Ok(-least),
        "min" => Ok(-(least + 1.0)),
        other => Err(format!("there is no rule for the operation `{other}`")),
    }
}

/// NumPy's legacy generator: `numpy.random.seed` and `numpy.random.uniform`.
pub(crate) struct Mt19937 {
    state: [u32; 624],
    index: usize,
}

impl Mt19937 {
    pub(crate) fn new(seed: u32) -> Self {
        let mut state = [0; 624];
        state[0] = seed;
        for i in 1..624 {
            let last: u32 = state[i - 1];
            state[i] = 1_812_433_253_u32
                .wrapping_mul(last ^ (last >> 30))
                .wrapping_add(i as u32);
        }
        Self { state, index: 624 }
    }

    fn word(&mut self) -> u32 {
        if self.index == 624 {
            for i in 0..624 {
                let bits =
                    (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7fff_ffff);
                let twist = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + 397) % 624] ^ (bits >> 1) ^ twist;
            }
            self.index = 0;
        }
        let mut word = self.state[self.index];
        self.index += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// In [0, 1), with 53 random bits.
    pub(crate) fn uniform(&mut self) -> f64 {
        let high = f64::from(self.word() >> 5);
        let low = f64::from(self.word() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }

    /// `count` of them times `scale`, rounded to elements.
    pub(crate) fn fill(&mut self, element: Element, count: usize, scale: f64) -> Vec<f64> {
        (0..count)
            .map(|_| element.round(self.uniform() * scale))
            .collect()
    }
}
