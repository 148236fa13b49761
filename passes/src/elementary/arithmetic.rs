//! Wrappers of SSA float values; the operators of a wrapper emit ops.

mod wide;

pub(super) use wide::Wide;

use crate::emit::scalars;
use melior::ir::{Type, ValueLike};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};
use tx_mlir::{Builder, Val};

/// Binary float format of the computation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Single,
    Double,
}

/// A constant: the bits of its value as f32 and as f64.
#[derive(Clone, Copy)]
pub(super) struct Constant(pub(super) u32, pub(super) u64);

impl Constant {
    pub(super) const INFINITY: Self = Self(0x7f80_0000, 0x7ff0_0000_0000_0000);
    pub(super) const NAN: Self = Self(0x7fc0_0000, 0x7ff8_0000_0000_0000);
    pub(super) const SMALLEST_NORMAL: Self = Self(0x0080_0000, 0x0010_0000_0000_0000);
}

/// Constant 1.5 · 2^f, where f is the number of fraction bits of the format.
const SHIFT: Constant = Constant(0x4b40_0000, 0x4338_0000_0000_0000);

/// 2^-64.
const SMALL: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// A constant with more significant bits than the float type, represented by the sum of two
/// constants: the rounded value and the rounded remainder.
#[derive(Clone, Copy)]
pub(super) struct Precise(pub(super) Constant, pub(super) Constant);

impl Precise {
    /// ln 2.
    pub(super) const LN_2: Self = Self(
        Constant(0x3f31_7218, 0x3fe6_2e42_fefa_39ef),
        Constant(0xb102_e308, 0x3c7a_bc9e_3b39_803f),
    );

    /// 1 / ln 2.
    pub(super) const LOG2_E: Self = Self(
        Constant(0x3fb8_aa3b, 0x3ff7_1547_652b_82fe),
        Constant(0x32a5_7060, 0x3c77_77d0_ffda_0d24),
    );
}

/// Coefficients of a polynomial in ascending powers, as bits of f32 and of f64.
pub(super) struct Polynomial {
    pub(super) single: &'static [u32],
    pub(super) double: &'static [u64],
}

/// Returns the length and the element type of a one-dimensional vector with a static length. For
/// every type that is not a one-dimensional static vector, returns `None` and the type itself.
pub(super) fn parts(ty: Type<'_>) -> (Option<u64>, Type<'_>) {
    match tx_mlir::vector_parts(ty) {
        Some((lanes, element)) if Type::vector(&[lanes], element) == ty => (Some(lanes), element),
        _ => (None, ty),
    }
}

/// Returns the float type of a scalar, or of the elements of a vector.
pub(super) fn float_of(value: Val<'_>) -> Option<tx_scalar::Float> {
    tx_scalar::Float::of(parts(value.r#type()).1)
}

pub(super) fn convert<'c>(b: &Builder<'c>, op: &str, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
    b.create(op).operands(&[value]).result(ty).value()
}

/// Emits the largest element of a vector of unsigned integers; a scalar is returned unchanged.
pub(super) fn greatest<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    scalars(b, value)
        .into_iter()
        .reduce(|left, right| b.binary("arith.maxui", left, right))
        .unwrap_or(value)
}

/// Builder of arithmetic in one float type: f32, f64, or a vector of f32 or f64.
pub(super) struct Arithmetic<'b, 'c> {
    b: &'b Builder<'c>,
    format: Format,
    /// Number of vector elements; `None` for scalars.
    lanes: Option<u64>,
    float: Type<'c>,
    whole: Type<'c>,
}

impl<'b, 'c> Arithmetic<'b, 'c> {
    pub(super) fn new(b: &'b Builder<'c>, ty: Type<'c>) -> Option<Self> {
        let (lanes, element) = parts(ty);
        let (format, bits) = match tx_scalar::Float::of(element) {
            Some(tx_scalar::Float::F32) => (Format::Single, 32),
            Some(tx_scalar::Float::F64) => (Format::Double, 64),
            _ => return None,
        };
        let whole = b.int_type(bits);
        let whole = lanes.map_or(whole, |n| Type::vector(&[n], whole));
        Some(Self {
            b,
            format,
            lanes,
            float: ty,
            whole,
        })
    }

    fn flagged<'a>(&'a self, op: &str, operands: &[Float<'a, 'c>]) -> Float<'a, 'c> {
        let operands: Vec<_> = operands.iter().map(|operand| operand.value).collect();
        let flags = self.b.attribute("#arith.fastmath<afn>");
        let op = self
            .b
            .create(op)
            .operands(&operands)
            .attr("fastmath", flags);
        self.value(op.result(self.float).value())
    }

    pub(super) fn value(&self, value: Val<'c>) -> Float<'_, 'c> {
        Float { m: self, value }
    }

    pub(super) fn pick<T>(&self, single: T, double: T) -> T {
        match self.format {
            Format::Single => single,
            Format::Double => double,
        }
    }

    fn fraction(&self) -> i64 {
        self.pick(23, 52)
    }

    fn bias(&self) -> i64 {
        self.pick(127, 1023)
    }

    /// Emits a scalar or splat constant of `ty` from its bits.
    fn bits(&self, bits: u64, ty: Type<'c>) -> Val<'c> {
        let digits = self.pick(8, 16);
        let text = match self.lanes {
            Some(_) => format!("dense<0x{bits:0digits$X}> : {ty}"),
            None => format!("0x{bits:0digits$X} : {ty}"),
        };
        self.b.constant(self.b.attribute(&text), ty)
    }

    pub(super) fn constant(&self, constant: Constant) -> Float<'_, 'c> {
        self.value(self.bits(self.pick(constant.0.into(), constant.1), self.float))
    }

    fn constant_bits(&self, constant: Constant) -> Whole<'_, 'c> {
        self.integer(self.pick(constant.0.into(), constant.1.cast_signed()))
    }

    /// Emits the rounded value and the remainder of a constant.
    pub(super) fn precise(&self, constant: Precise) -> (Float<'_, 'c>, Float<'_, 'c>) {
        (self.constant(constant.0), self.constant(constant.1))
    }

    /// Emits a constant that is exact in both formats, f32 and f64.
    pub(super) fn number(&self, number: f64) -> Float<'_, 'c> {
        let single = number as f32;
        debug_assert!(
            f64::from(single).to_bits() == number.to_bits(),
            "{number} is no f32"
        );
        self.constant(Constant(single.to_bits(), number.to_bits()))
    }

    /// Emits an integer constant as wide as the floats.
    pub(super) fn integer(&self, integer: i64) -> Whole<'_, 'c> {
        let bits = integer.cast_unsigned() & self.pick(u64::from(u32::MAX), u64::MAX);
        Whole {
            m: self,
            value: self.bits(bits, self.whole),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Float<'a, 'c> {
    m: &'a Arithmetic<'a, 'c>,
    value: Val<'c>,
}

/// An integer as wide as the floats of the computation, or a vector of integers.
#[derive(Clone, Copy)]
pub(super) struct Whole<'a, 'c> {
    m: &'a Arithmetic<'a, 'c>,
    value: Val<'c>,
}

#[derive(Clone, Copy)]
pub(super) struct Truth<'a, 'c> {
    m: &'a Arithmetic<'a, 'c>,
    value: Val<'c>,
}

impl<'a, 'c> Float<'a, 'c> {
    pub(super) fn arithmetic(self) -> &'a Arithmetic<'a, 'c> {
        self.m
    }

    pub(super) fn into_value(self) -> Val<'c> {
        self.value
    }

    fn apply(self, op: &str, others: &[Self]) -> Self {
        let all: Vec<_> = std::iter::once(self.value)
            .chain(others.iter().map(|o| o.value))
            .collect();
        let op = self.m.b.create(op).operands(&all);
        self.m.value(op.result(self.m.float).value())
    }

    pub(super) fn fma(self, factor: Self, term: Self) -> Self {
        self.apply("math.fma", &[factor, term])
    }

    pub(super) fn abs(self) -> Self {
        self.apply("math.absf", &[])
    }

    pub(super) fn floor(self) -> Self {
        self.apply("math.floor", &[])
    }

    /// Emits the unary op `op` on this number with `fastmath<afn>`.
    pub(super) fn approximate(self, op: &str) -> Self {
        self.m.flagged(op, &[self])
    }

    pub(super) fn reciprocal(self) -> Self {
        self.m.flagged("arith.divf", &[self.m.number(1.0), self])
    }

    pub(super) fn sqrt(self) -> Self {
        self.apply("math.sqrt", &[])
    }

    pub(super) fn with_sign_of(self, other: Self) -> Self {
        self.apply("math.copysign", &[other])
    }

    /// Emits `self`, negated if the sign bit of `other` is set.
    pub(super) fn times_sign_of(self, other: Self) -> Self {
        self * self.m.number(1.0).with_sign_of(other)
    }

    fn compare(self, predicate: i64, other: Self) -> Truth<'a, 'c> {
        Truth {
            m: self.m,
            value: self.m.b.compare_floats(predicate, self.value, other.value),
        }
    }

    /// Emits an ordered comparison for equality, which is false for NaN. The comparisons `above`
    /// and `below` are ordered: they are false for NaN.
    pub(super) fn equals(self, other: Self) -> Truth<'a, 'c> {
        self.compare(1, other)
    }

    /// Emits an unordered comparison for inequality, which is true for NaN.
    pub(super) fn differs(self, other: Self) -> Truth<'a, 'c> {
        self.compare(13, other)
    }

    pub(super) fn above(self, other: Self) -> Truth<'a, 'c> {
        self.compare(2, other)
    }

    pub(super) fn below(self, other: Self) -> Truth<'a, 'c> {
        self.compare(4, other)
    }

    /// Emits the maximum of `self` and `low`. If `self` is NaN, the result of `at_least`, `at_most`
    /// and `clamp` is NaN.
    pub(super) fn at_least(self, low: Self) -> Self {
        self.below(low).select(low, self)
    }

    pub(super) fn at_most(self, high: Self) -> Self {
        self.above(high).select(high, self)
    }

    pub(super) fn clamp(self, low: Self, high: Self) -> Self {
        self.at_least(low).at_most(high)
    }

    /// Emits the nearest integer to `self` · `scale` twice: as a float, and as an integer to which
    /// the bits of [`SHIFT`] are added. The magnitude of `self` · `scale` must be below 2^(fraction
    /// bits − 2). For a magnitude of at least 2^(fraction bits − 2), and for NaN, the results are
    /// arbitrary.
    ///
    /// The sum `self` · `scale` + [`SHIFT`] has no fraction bits, and its lowest bits are the bits
    /// of the nearest integer. The function `power_of_two` shifts the integer, or half of the
    /// integer, to the exponent field. The shift discards the other bits of [`SHIFT`].
    pub(super) fn nearest_integer(self, scale: Self) -> (Self, Whole<'a, 'c>) {
        let m = self.m;
        let shifted = self.fma(scale, m.constant(SHIFT));
        (shifted - m.constant(SHIFT), shifted.bits())
    }

    pub(super) fn bits(self) -> Whole<'a, 'c> {
        Whole {
            m: self.m,
            value: convert(self.m.b, "arith.bitcast", self.value, self.m.whole),
        }
    }

    /// Emits `self` · 2^`exponent`, rounded once. The magnitude of `self` must be about 1, and the
    /// exponent must be within twice the exponent range of the type. The exponent may contain the
    /// bits of [`SHIFT`].
    pub(super) fn scaled(self, exponent: Whole<'a, 'c>) -> Self {
        let half = exponent.shift_right(1);
        self * half.power_of_two() * (exponent - half).power_of_two()
    }

    /// Emits `self` · 2^`exponent` as [`Self::scaled`] does, for exponents that are at most 0.
    pub(super) fn scaled_down(self, exponent: Whole<'a, 'c>) -> Self {
        // The scale 2^64 exceeds the number of fraction bits, so the first product is not
        // subnormal.
        let raised = exponent + self.m.integer(64);
        self * raised.power_of_two() * SMALL
    }

    /// Splits a positive, finite, normal number into significand · 2^exponent. The significand is
    /// between √½ and √2.
    pub(super) fn split(self) -> (Self, Whole<'a, 'c>) {
        let m = self.m;
        // √½, rounded down.
        let root = m.constant_bits(Constant(0x3f35_04f3, 0x3fe6_a09e_667f_3bcc));
        let fraction = m.fraction();
        let bits = self.bits();
        let exponent = (bits - root).shift_right(fraction);
        let significand = bits - exponent.shift_left(fraction);
        (significand.as_bits(), exponent)
    }

    /// Splits a number as [`Self::split`] does; the number may be subnormal.
    pub(super) fn split_any(self) -> (Self, Whole<'a, 'c>) {
        let m = self.m;
        // The power exceeds the number of fraction bits, so the scaled number is normal.
        let (factor, power) = (
            m.pick(16_777_216.0, 18_014_398_509_481_984.0),
            m.pick(24, 54),
        );
        let small = self.below(m.constant(Constant::SMALLEST_NORMAL));
        let (significand, exponent) = small.select(self * factor, self).split();
        let shift = small.select_whole(m.integer(power), m.integer(0));
        (significand, exponent - shift)
    }

    /// Emits the value of a polynomial at this number, by Horner's method.
    pub(super) fn polynomial(self, polynomial: &Polynomial) -> Self {
        let constant = |bits| self.m.value(self.m.bits(bits, self.m.float));
        let coefficients: Vec<u64> = match self.m.format {
            Format::Single => polynomial.single.iter().copied().map(u64::from).collect(),
            Format::Double => polynomial.double.to_vec(),
        };
        let (last, rest) = coefficients
            .split_last()
            .expect("a polynomial has coefficients");
        rest.iter()
            .rev()
            .fold(constant(*last), |sum, next| sum.fma(self, constant(*next)))
    }
}

impl<'a, 'c> Whole<'a, 'c> {
    fn apply(self, op: &str, other: Self) -> Self {
        Self {
            m: self.m,
            value: self.m.b.binary(op, self.value, other.value),
        }
    }

    pub(super) fn without_shift(self) -> Self {
        self - self.m.constant_bits(SHIFT)
    }

    pub(super) fn shift_left(self, places: i64) -> Self {
        self.apply("arith.shli", self.m.integer(places))
    }

    /// Emits an arithmetic right shift: division by a power of two, rounded down.
    pub(super) fn shift_right(self, places: i64) -> Self {
        self.apply("arith.shrsi", self.m.integer(places))
    }

    pub(super) fn as_bits(self) -> Float<'a, 'c> {
        let m = self.m;
        m.value(convert(m.b, "arith.bitcast", self.value, m.float))
    }

    pub(super) fn to_float(self) -> Float<'a, 'c> {
        let m = self.m;
        m.value(convert(m.b, "arith.sitofp", self.value, m.float))
    }

    /// Emits 2^`self`, which must be a normal number.
    pub(super) fn power_of_two(self) -> Float<'a, 'c> {
        let m = self.m;
        (self + m.integer(m.bias()))
            .shift_left(m.fraction())
            .as_bits()
    }

    /// Emits 2^`self`, or 0 if 2^`self` would be subnormal.
    pub(super) fn power_of_two_or_zero(self) -> Float<'a, 'c> {
        self.apply("arith.maxsi", self.m.integer(-self.m.bias()))
            .power_of_two()
    }
}

impl<'a, 'c> Truth<'a, 'c> {
    fn choose(self, yes: Val<'c>, no: Val<'c>) -> Val<'c> {
        self.m
            .b
            .create("arith.select")
            .operands(&[self.value, yes, no])
            .result(yes.r#type())
            .value()
    }

    pub(super) fn select(self, yes: Float<'a, 'c>, no: Float<'a, 'c>) -> Float<'a, 'c> {
        self.m.value(self.choose(yes.value, no.value))
    }

    pub(super) fn select_whole(self, yes: Whole<'a, 'c>, no: Whole<'a, 'c>) -> Whole<'a, 'c> {
        Whole {
            m: self.m,
            value: self.choose(yes.value, no.value),
        }
    }
}

macro_rules! operators {
    ($($number:ident: $operator:ident $method:ident $op:literal;)*) => { $(
        impl $operator for $number<'_, '_> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self {
                    m: self.m,
                    value: self.m.b.binary($op, self.value, other.value),
                }
            }
        }
    )* };
}

operators! {
    Float: Add add "arith.addf";
    Float: Sub sub "arith.subf";
    Float: Mul mul "arith.mulf";
    Float: Div div "arith.divf";
    Whole: Add add "arith.addi";
    Whole: Sub sub "arith.subi";
    Truth: BitAnd bitand "arith.andi";
    Truth: BitOr bitor "arith.ori";
}

/// Implements operators whose right operand is a constant that is exact in both formats, f32 and
/// f64.
macro_rules! with_numbers {
    ($($operator:ident $method:ident)*) => { $(
        impl $operator<f64> for Float<'_, '_> {
            type Output = Self;

            fn $method(self, other: f64) -> Self {
                self.$method(self.m.number(other))
            }
        }
    )* };
}

with_numbers! { Add add Sub sub Mul mul }

impl Neg for Float<'_, '_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.apply("arith.negf", &[])
    }
}
