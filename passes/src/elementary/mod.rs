//! Elementary functions in arithmetic that gives the same bits on every machine: sums, products,
//! quotients, square roots and fused multiplications, each correctly rounded, and integers.
//!
//! Nothing here branches. What is right for some numbers only is selected at the end.

mod arithmetic;
mod error;
mod exponential;
mod logarithm;
mod power;
mod sign;

use arithmetic::{Arithmetic, Float, convert, parts};
use melior::ir::{Type, ValueLike};
use tx_mlir::{Blk, Builder, Val, f32_of, name};

/// A function of one argument or of two.
#[derive(Clone, Copy)]
enum Function {
    One(for<'a, 'c> fn(Float<'a, 'c>) -> Float<'a, 'c>),
    Two(for<'a, 'c> fn(Float<'a, 'c>, Float<'a, 'c>) -> Float<'a, 'c>),
}

use Function::{One, Two};

/// Every function, by the name of its op.
const FUNCTIONS: [(&str, Function); 11] = [
    ("math.erf", One(error::erf)),
    ("math.exp", One(exponential::exp)),
    ("math.exp2", One(exponential::exp2)),
    ("math.expm1", One(exponential::expm1)),
    ("math.log", One(logarithm::log)),
    ("math.log10", One(logarithm::log10)),
    ("math.log1p", One(logarithm::log1p)),
    ("math.log2", One(logarithm::log2)),
    ("math.powf", Two(power::powf)),
    ("math.rsqrt", One(rsqrt)),
    ("math.tanh", One(exponential::tanh)),
];

/// 1 / √x.
fn rsqrt<'a, 'c>(x: Float<'a, 'c>) -> Float<'a, 'c> {
    x.arithmetic().number(1.0) / x.sqrt()
}

/// The names of all ops that are functions here.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Ops that a function becomes, about.
const WEIGHT: i64 = 20;

/// Ops that those of a block become, about.
pub(crate) fn weight(block: Blk<'_>) -> i64 {
    let weight = |op| match names().any(|function| function == name(op)) {
        true => WEIGHT,
        false => 1,
    };
    tx_mlir::ops(block).into_iter().map(weight).sum()
}

/// What the op called `name` computes of `arguments`, if it is a function here and has their type.
pub(crate) fn expand<'c>(b: &Builder<'c>, name: &str, arguments: &[Val<'c>]) -> Option<Val<'c>> {
    let (_, function) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    let ty = arguments.first()?.r#type();
    let wide = computed_in(ty)?;
    let m = Arithmetic::new(b, wide)?;
    let of = |value: &Val<'c>| {
        m.value(if wide == ty {
            *value
        } else {
            convert(b, "arith.extf", *value, wide)
        })
    };
    let result = match (function, arguments) {
        (One(function), [x]) => function(of(x)),
        (Two(function), [x, y]) => function(of(x), of(y)),
        _ => return None,
    }
    .into_value();
    Some(if wide == ty {
        result
    } else {
        convert(b, "arith.truncf", result, ty)
    })
}

/// The type that a function of `ty` is computed in: f32 for 16-bit floats.
fn computed_in(ty: Type<'_>) -> Option<Type<'_>> {
    let (lanes, element) = parts(ty);
    let wide = match tx_scalar::Float::of(element)? {
        tx_scalar::Float::F16 | tx_scalar::Float::BF16 => f32_of(ty),
        tx_scalar::Float::F32 | tx_scalar::Float::F64 => return Some(ty),
        tx_scalar::Float::F8E4M3FN | tx_scalar::Float::F8E5M2 => return None,
    };
    Some(lanes.map_or(wide, |n| Type::vector(&[n], wide)))
}
