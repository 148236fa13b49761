//! Library functions that device modules declare but do not define: CUDA's libdevice, the C math
//! library, and the float conversions of LLVM's runtime library.

use melior::ir::{Type, TypeLike};

/// Rounds `value` to the nearest value of a binary format, with ties to even. The binary format has
/// `exponent` exponent bits and `mantissa` fraction bits, and at most 16 bits including the sign. A
/// NaN becomes a quiet NaN.
fn narrow(value: f64, exponent: u32, mantissa: u32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u16) << (exponent + mantissa);
    let all_ones = (1i64 << exponent) - 1;
    let infinity = sign | (all_ones as u16) << mantissa;
    let fraction = bits & ((1 << 52) - 1);
    let field = (bits >> 52 & 0x7ff) as i64;
    if field == 0x7ff {
        let payload = (fraction >> (52 - mantissa)) as u16 | 1 << (mantissa - 1);
        return infinity | if fraction == 0 { 0 } else { payload };
    }
    let scaled = field - 1023 + (all_ones >> 1);
    if scaled >= all_ones {
        return infinity;
    }
    // A subnormal result has fewer fraction bits. A subnormal f64 operand is far below the smallest
    // subnormal of the format, so it becomes zero.
    let shift = i64::from(52 - mantissa) + (1 - scaled).max(0);
    if field == 0 || shift > 54 {
        return sign;
    }
    let significand = fraction | 1 << 52;
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
    // The implicit leading one of a normal number adds 1 to the exponent field, like a carry out of
    // the fraction.
    let base = if scaled > 0 {
        ((scaled - 1) as u64) << mantissa
    } else {
        0
    };
    sign | (base + rounded) as u16
}

fn to_f16(value: f64) -> u16 {
    narrow(value, 5, 10)
}

fn to_bf16(value: f64) -> u16 {
    narrow(value, 8, 7)
}

fn from_f16(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 0x3ff));
    match exponent {
        0 => {
            let magnitude = fraction as f32 / (1 << 24) as f32;
            f32::from_bits(sign | magnitude.to_bits())
        }
        31 if fraction == 0 => f32::from_bits(sign | 0x7f80_0000),
        31 => f32::from_bits(sign | 0x7fc0_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum F8 {
    E4M3FN,
    E5M2,
}

impl F8 {
    pub(crate) fn of(r#type: Type<'_>) -> Option<Self> {
        match (r#type.is_float8e4m3fn(), r#type.is_float8e5m2()) {
            (true, _) => Some(Self::E4M3FN),
            (_, true) => Some(Self::E5M2),
            _ => None,
        }
    }

    /// Returns the number that identifies the 8-bit float format in generated code.
    pub(crate) fn code(self) -> i64 {
        self as i64
    }

    fn from_code(code: i32) -> Self {
        match code {
            0 => Self::E4M3FN,
            _ => Self::E5M2,
        }
    }

    /// Returns three parameters of the 8-bit float format: the number of fraction bits, the
    /// exponent of the smallest normal number, and the bits of the largest finite number.
    fn parameters(self) -> (i32, i32, u8) {
        match self {
            Self::E4M3FN => (3, -6, 0x7e),
            Self::E5M2 => (2, -14, 0x7b),
        }
    }

    /// Rounds `value` to the nearest finite number of the 8-bit float format, ties to even, as
    /// `cvt.rn.satfinite` does. Every NaN becomes the byte 0x7f, and loses its sign.
    fn saturated(self, value: f32) -> u8 {
        let (fraction, least, largest) = self.parameters();
        if value.is_nan() {
            return 0x7f;
        }
        let sign = u8::from(value.is_sign_negative()) << 7;
        let magnitude = f64::from(value.abs());
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
        // The division by a power of two is exact.
        let unit = f64::from_bits(((exponent - fraction + 1023) as u64) << 52);
        let units = (magnitude / unit).round_ties_even().min(255.0) as i64;
        let bits = units + (i64::from(exponent - least) << fraction);
        sign | bits.min(largest.into()) as u8
    }

    /// Converts a float of an 8-bit format to f16, without rounding. A NaN becomes 0x7fff, the NaN
    /// that PTX instructions return.
    fn to_f16(self, bits: u8) -> u16 {
        let (fraction, least, largest) = self.parameters();
        let (sign, magnitude) = (u16::from(bits & 0x80) << 8, bits & 0x7f);
        match self {
            Self::E5M2 if magnitude == largest + 1 => sign | 0x7c00,
            _ if magnitude > largest => 0x7fff,
            _ => {
                let exponent = i32::from(magnitude >> fraction);
                let low = i32::from(magnitude) & ((1 << fraction) - 1);
                let units = if exponent == 0 {
                    low
                } else {
                    low | 1 << fraction
                };
                let scale = exponent.max(1) - 1 + least - fraction;
                sign | to_f16(f64::from(units) * 2f64.powi(scale))
            }
        }
    }
}

/// Rounds `upper` and `lower` to an 8-bit float format. The upper byte of the result contains the
/// rounded `upper`.
pub(crate) extern "C" fn to_f8_pair(upper: f32, lower: f32, format: i32) -> i32 {
    let format = F8::from_code(format);
    i32::from(format.saturated(upper)) << 8 | i32::from(format.saturated(lower))
}

/// Converts two 8-bit floats to f16. The upper half of the result contains the f16 value of the
/// upper byte of `pair`.
pub(crate) extern "C" fn from_f8_pair(pair: i32, format: i32) -> i32 {
    let format = F8::from_code(format);
    let [lower, upper, ..] = pair
        .to_le_bytes()
        .map(|byte| u32::from(format.to_f16(byte)));
    (upper << 16 | lower).cast_signed()
}

// LLVM passes and returns `half` and `bfloat` in the low 16 bits of a floating-point register,
// according to the ABIs of x86-64 and AArch64. An f32 is passed in the same register.
extern "C" fn truncsfhf2(value: f32) -> f32 {
    f32::from_bits(to_f16(value.into()).into())
}
extern "C" fn truncdfhf2(value: f64) -> f32 {
    f32::from_bits(to_f16(value).into())
}
extern "C" fn truncsfbf2(value: f32) -> f32 {
    f32::from_bits(to_bf16(value.into()).into())
}
extern "C" fn truncdfbf2(value: f64) -> f32 {
    f32::from_bits(to_bf16(value).into())
}
extern "C" fn extendhfsf2(value: f32) -> f32 {
    from_f16(value.to_bits() as u16)
}
extern "C" fn extendhfdf2(value: f32) -> f64 {
    from_f16(value.to_bits() as u16).into()
}

/// Computes `a * b + c` of f16 or bf16 values, rounded to odd in f64. Rounding to odd replaces an
/// inexact result by the neighbouring f64 whose last bit is 1. Rounding the returned f64 to f16 or
/// bf16 yields the correctly rounded `a * b + c`.
pub(crate) extern "C" fn fma_to_odd(a: f64, b: f64, c: f64) -> f64 {
    // The product is exact, because it has at most 22 significant bits, and its exponent is far
    // from both limits of f64.
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return sum;
    }
    // Exact rounding error of the sum (Knuth's TwoSum).
    let c_part = sum - product;
    let error = (product - (sum - c_part)) + (c - c_part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        sum
    } else if (error > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    }
}

/// Replaces a subnormal number by a zero of the same sign.
fn flushed(value: f32) -> f32 {
    match value.is_subnormal() {
        true => 0_f32.copysign(value),
        false => value,
    }
}

/// Exact counterpart of `ex2.approx.ftz.f32`.
pub(crate) extern "C" fn exp2(x: f32) -> f32 {
    flushed(f64::from(flushed(x)).exp2() as f32)
}

/// Exact counterpart of `lg2.approx.ftz.f32`.
pub(crate) extern "C" fn log2(x: f32) -> f32 {
    flushed(f64::from(flushed(x)).log2() as f32)
}

/// Exact counterpart of `rsqrt.approx.f32`.
pub(crate) extern "C" fn rsqrt(x: f32) -> f32 {
    f64::from(x).sqrt().recip() as f32
}

/// Exact counterpart of `sqrt.approx.f32`.
pub(crate) extern "C" fn sqrt(x: f32) -> f32 {
    x.sqrt()
}

/// Returns the PTX maximum of two values: a NaN operand is ignored, and +0 is greater than −0.
macro_rules! maximum {
    ($x:expr, $y:expr) => {
        match ($x.is_nan(), $y.is_nan()) {
            (true, _) => $y,
            (_, true) => $x,
            _ if $x.total_cmp(&$y).is_gt() => $x,
            _ => $y,
        }
    };
}

mod c {
    // The C library defines these functions, but the stable standard library of Rust does not.
    unsafe extern "C" {
        pub(super) safe fn erff(x: f32) -> f32;
        pub(super) safe fn erf(x: f64) -> f64;
        pub(super) safe fn erfcf(x: f32) -> f32;
        pub(super) safe fn erfc(x: f64) -> f64;
        pub(super) safe fn tgammaf(x: f32) -> f32;
        pub(super) safe fn tgamma(x: f64) -> f64;
        pub(super) safe fn fmodf(x: f32, y: f32) -> f32;
        pub(super) safe fn fmod(x: f64, y: f64) -> f64;
        pub(super) safe fn remainderf(x: f32, y: f32) -> f32;
        pub(super) safe fn remainder(x: f64, y: f64) -> f64;
    }
}

/// Defines `($argument: type, …) -> type { … }` as an `extern "C"` function, and returns its
/// address.
macro_rules! function {
    (($($argument:ident: $type:ty),*) -> $result:ty { $body:expr }) => {{
        extern "C" fn function($($argument: $type),*) -> $result {
            $body
        }
        function as *mut ()
    }};
}

/// Expands to a `match` over the names of functions with one or two float operands. The name of an
/// f32 function is the name of the f64 function with the suffix `f`.
macro_rules! floats {
    ($name:expr; $($base:literal ($($argument:ident),+) => $single:expr, $double:expr;)*) => {
        match $name {
            $(
                concat!($base, "f") => Some(function!(($($argument: f32),+) -> f32 { $single })),
                $base => Some(function!(($($argument: f64),+) -> f64 { $double })),
            )*
            _ => None,
        }
    };
}

/// Returns the C math function with the name `name`. libdevice uses the same names with the prefix
/// `__nv_`.
fn mathematics(name: &str) -> Option<*mut ()> {
    floats! { name;
        "acos" (x) => x.acos(), x.acos();
        "acosh" (x) => x.acosh(), x.acosh();
        "asin" (x) => x.asin(), x.asin();
        "asinh" (x) => x.asinh(), x.asinh();
        "atan" (x) => x.atan(), x.atan();
        "atan2" (y, x) => y.atan2(x), y.atan2(x);
        "atanh" (x) => x.atanh(), x.atanh();
        "cbrt" (x) => x.cbrt(), x.cbrt();
        "ceil" (x) => x.ceil(), x.ceil();
        "copysign" (x, y) => x.copysign(y), x.copysign(y);
        "cos" (x) => x.cos(), x.cos();
        "cosh" (x) => x.cosh(), x.cosh();
        "erf" (x) => c::erff(x), c::erf(x);
        "erfc" (x) => c::erfcf(x), c::erfc(x);
        "exp" (x) => x.exp(), x.exp();
        "exp10" (x) => 10f64.powf(x.into()) as f32, 10f64.powf(x);
        "exp2" (x) => x.exp2(), x.exp2();
        "expm1" (x) => x.exp_m1(), x.exp_m1();
        "fabs" (x) => x.abs(), x.abs();
        "fdim" (x, y) => if x > y { x - y } else if x <= y { 0.0 } else { f32::NAN },
            if x > y { x - y } else if x <= y { 0.0 } else { f64::NAN };
        "floor" (x) => x.floor(), x.floor();
        "fma" (x, y, z) => x.mul_add(y, z), x.mul_add(y, z);
        "fmax" (x, y) => maximum!(x, y), maximum!(x, y);
        "fmin" (x, y) => -maximum!(-x, -y), -maximum!(-x, -y);
        "fmod" (x, y) => c::fmodf(x, y), c::fmod(x, y);
        "hypot" (x, y) => x.hypot(y), x.hypot(y);
        "log" (x) => x.ln(), x.ln();
        "log10" (x) => x.log10(), x.log10();
        "log1p" (x) => x.ln_1p(), x.ln_1p();
        "log2" (x) => x.log2(), x.log2();
        "nearbyint" (x) => x.round_ties_even(), x.round_ties_even();
        "pow" (x, y) => x.powf(y), x.powf(y);
        "remainder" (x, y) => c::remainderf(x, y), c::remainder(x, y);
        "rint" (x) => x.round_ties_even(), x.round_ties_even();
        "round" (x) => x.round(), x.round();
        "roundeven" (x) => x.round_ties_even(), x.round_ties_even();
        "rsqrt" (x) => (1.0 / f64::from(x).sqrt()) as f32, 1.0 / x.sqrt();
        "sin" (x) => x.sin(), x.sin();
        "sinh" (x) => x.sinh(), x.sinh();
        "sqrt" (x) => x.sqrt(), x.sqrt();
        "tan" (x) => x.tan(), x.tan();
        "tanh" (x) => x.tanh(), x.tanh();
        "tgamma" (x) => c::tgammaf(x), c::tgamma(x);
        "trunc" (x) => x.trunc(), x.trunc();
    }
}

/// Returns the host function for a device function that only libdevice defines.
fn device(name: &str) -> Option<*mut ()> {
    Some(match name {
        "powif" => function!((x: f32, n: i32) -> f32 { f64::from(x).powi(n) as f32 }),
        "powi" => function!((x: f64, n: i32) -> f64 { x.powi(n) }),
        "isnanf" => function!((x: f32) -> i32 { i32::from(x.is_nan()) }),
        "isnand" => function!((x: f64) -> i32 { i32::from(x.is_nan()) }),
        "isinff" => function!((x: f32) -> i32 { i32::from(x.is_infinite()) }),
        "isinfd" => function!((x: f64) -> i32 { i32::from(x.is_infinite()) }),
        "finitef" => function!((x: f32) -> i32 { i32::from(x.is_finite()) }),
        "isfinited" => function!((x: f64) -> i32 { i32::from(x.is_finite()) }),
        "signbitf" => function!((x: f32) -> i32 { i32::from(x.is_sign_negative()) }),
        "signbitd" => function!((x: f64) -> i32 { i32::from(x.is_sign_negative()) }),
        "abs" => function!((x: i32) -> i32 { x.wrapping_abs() }),
        "llabs" => function!((x: i64) -> i64 { x.wrapping_abs() }),
        "fdividef" => function!((x: f32, y: f32) -> f32 { x / y }),
        _ => return None,
    })
}

/// Returns the host function for an external function of a device module.
///
/// The executor maps the fast variants of libdevice functions to accurate host functions, because
/// CUDA specifies only an upper bound of the errors of the fast variants.
pub(crate) fn external(name: &str) -> Option<*mut ()> {
    if let Some(base) = name.strip_prefix("__nv_") {
        let base = base.strip_prefix("fast_").unwrap_or(base);
        return mathematics(base).or_else(|| device(base));
    }
    mathematics(name)
}

pub(crate) fn builtins() -> impl Iterator<Item = (&'static str, *mut ())> {
    let conversions = [
        ("__truncsfhf2", truncsfhf2 as *mut ()),
        ("__truncdfhf2", truncdfhf2 as *mut ()),
        ("__truncsfbf2", truncsfbf2 as *mut ()),
        ("__truncdfbf2", truncdfbf2 as *mut ()),
        ("__extendhfsf2", extendhfsf2 as *mut ()),
        ("__extendhfdf2", extendhfdf2 as *mut ()),
        (
            "__powisf2",
            function!((x: f32, n: i32) -> f32 { f64::from(x).powi(n) as f32 }),
        ),
        (
            "__powidf2",
            function!((x: f64, n: i32) -> f64 { x.powi(n) }),
        ),
        (
            "__gnu_f2h_ieee",
            function!((x: f32) -> u16 { to_f16(x.into()) }),
        ),
        ("__gnu_h2f_ieee", function!((x: u16) -> f32 { from_f16(x) })),
    ];
    // Math functions that LLVM calls for an intrinsic without a host instruction.
    const CALLED: [&str; 44] = [
        "acosf", "acos", "asinf", "asin", "atanf", "atan", "atan2f", "atan2", "ceilf", "ceil",
        "cosf", "cos", "coshf", "cosh", "expf", "exp", "exp10f", "exp10", "exp2f", "exp2",
        "floorf", "floor", "fmaf", "fma", "fmodf", "fmod", "logf", "log", "log10f", "log10",
        "log2f", "log2", "powf", "pow", "sinf", "sin", "sinhf", "sinh", "sqrtf", "sqrt", "tanf",
        "tan", "tanhf", "tanh",
    ];
    let called = CALLED
        .into_iter()
        .filter_map(|name| mathematics(name).map(|address| (name, address)));
    let more = [
        "fmaxf", "fmax", "fminf", "fmin", "rintf", "rint", "roundf", "round",
    ]
    .into_iter()
    .chain([
        "nearbyintf",
        "nearbyint",
        "roundevenf",
        "roundeven",
        "truncf",
        "trunc",
    ])
    .filter_map(|name| mathematics(name).map(|address| (name, address)));
    conversions.into_iter().chain(called).chain(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every f16 and bf16 value is unchanged after conversion to f64 and back. Checks
    /// that a midpoint between two adjacent f16 or bf16 values rounds to even, and that an f64
    /// value above a midpoint rounds up.
    #[test]
    fn narrowing_rounds_to_nearest_even() {
        for (exponent, mantissa, widen) in [
            (
                5,
                10,
                (|bits| half::f16::from_bits(bits).to_f64()) as fn(u16) -> f64,
            ),
            (8, 7, |bits| half::bf16::from_bits(bits).to_f64()),
        ] {
            let infinity = ((1u16 << exponent) - 1) << mantissa;
            for bits in 0..infinity {
                let value = widen(bits);
                assert_eq!(narrow(value, exponent, mantissa), bits);
                assert_eq!(narrow(-value, exponent, mantissa), bits | 0x8000);
                if bits + 1 < infinity {
                    let middle = (value + widen(bits + 1)) / 2.0;
                    let even = bits + (bits & 1);
                    assert_eq!(narrow(middle, exponent, mantissa), even, "{bits:#x}");
                    assert_eq!(narrow(middle.next_up(), exponent, mantissa), bits + 1);
                    assert_eq!(narrow(middle.next_down(), exponent, mantissa), bits);
                }
            }
            assert_eq!(narrow(f64::INFINITY, exponent, mantissa), infinity);
            assert_eq!(narrow(f64::MAX, exponent, mantissa), infinity);
            assert!(narrow(f64::NAN, exponent, mantissa) & 0x7fff > infinity);
        }
    }

    #[test]
    fn widening_is_exact() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (from_f16(bits), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan());
        }
    }
}
