//! Conversions from and to 8-bit floats, for which LLVM has no type.

use super::arithmetic::{convert, parts};
use super::constants::constant_float;
use crate::analysis::target::{Target, targets};
use crate::emit::{scalars, vector_of};
use melior::ir::{Type, TypeLike, ValueLike};
use tx_mlir::build::{Cond, Predicate};
use tx_mlir::{Builder, Failed, Op, Val, defining_op, f32_of, is, name, operands, results, users};
use tx_scalar::Float;
use tx_target::{Chip, Operation};

/// Method by which conversions of 8-bit floats are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Narrow {
    /// Integer ops.
    #[default]
    Arithmetic,
    /// `cvt` on pairs.
    Instructions,
}

/// Names of the ops that convert a pair of f32 to 8-bit floats, and a pair of 8-bit floats to f16.
const TO_F8: &str = "nvvm.convert.f32x2.to.f8x2";
const FROM_F8: &str = "nvvm.convert.f8x2.to.f16x2";

impl Narrow {
    pub(crate) fn on(chip: &Chip) -> Self {
        match chip.converts_f8 {
            true => Self::Instructions,
            false => Self::Arithmetic,
        }
    }

    /// Returns the expansion method that every target of a GPU module supports.
    pub(crate) fn of_module(module: Op<'_>) -> Result<Self, Failed> {
        let mut targets = targets(module)
            .map(|target| Target::read(module, &target))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .peekable();
        let needs = |op| Operation::named(op).and_then(|known| known.needs);
        let has =
            |target: &Target, op| needs(op).is_none_or(|n| n.are_met(&target.chip, target.ptx));
        let all = targets.peek().is_some()
            && targets.all(|target| has(&target, TO_F8) && has(&target, FROM_F8));
        Ok(if all {
            Self::Instructions
        } else {
            Self::Arithmetic
        })
    }

    /// Returns the approximate number of instructions per element of a conversion from or to an
    /// 8-bit float; `None` if the op is no such conversion.
    pub(super) fn weight(self, op: Op<'_>) -> Option<i64> {
        let is_f8 = |value: Option<&Val<'_>>| value.is_some_and(|v| f8_of(v.r#type()).is_some());
        let is_to = is(op, "arith.truncf") && is_f8(results(op).first());
        let is_from = is(op, "arith.extf") && is_f8(operands(op).first());
        match (is_to, is_from, self) {
            (true, _, Self::Instructions) => Some(4),
            (true, _, Self::Arithmetic) => Some(16),
            (_, true, Self::Instructions) => Some(2),
            (_, true, Self::Arithmetic) => Some(9),
            _ => None,
        }
    }
}

/// Returns the 8-bit float type of a scalar, or of the elements of a vector.
pub(super) fn f8_of(ty: Type<'_>) -> Option<Float> {
    Float::of(parts(ty).1).filter(|float| float.bits() == 8)
}

/// Builder of ops on vectors of `lanes` elements, or on scalars if `lanes` is `None`.
struct Lanes<'b, 'c> {
    b: &'b Builder<'c>,
    lanes: Option<u64>,
}

impl<'c> Lanes<'_, 'c> {
    fn shaped(&self, ty: Type<'c>) -> Type<'c> {
        self.lanes.map_or(ty, |n| Type::vector(&[n], ty))
    }

    fn cast(&self, op: &str, value: Val<'c>, element: Type<'c>) -> Val<'c> {
        convert(self.b, op, value, self.shaped(element))
    }

    fn int(&self, like: Val<'c>, n: i64) -> Val<'c> {
        self.b.int(n, like.r#type())
    }

    fn with(&self, op: &str, value: Val<'c>, n: i64) -> Val<'c> {
        self.b.binary(op, value, self.int(value, n))
    }
}

/// Emits the expansion of `arith.extf` or `arith.truncf`, if one of the types is an 8-bit float. If
/// the caller replaces a value by the expansion, `result` contains this value.
pub(super) fn expand<'c>(
    b: &Builder<'c>,
    by: Narrow,
    op: &str,
    value: Val<'c>,
    to: Type<'c>,
    result: Option<Val<'c>>,
) -> Option<Val<'c>> {
    let lanes = Lanes {
        b,
        lanes: parts(to).0,
    };
    let element = parts(to).1;
    match (op, f8_of(value.r#type()), f8_of(to)) {
        ("arith.extf", Some(from), None) => {
            let shows_nan = result.is_none_or(|result| !is_only_computed_with(result));
            Some(match by {
                // The integer ops preserve the NaN payloads of f8E5M2, and compile to three
                // instructions.
                Narrow::Instructions if from != Float::F8E5M2 || !shows_nan => {
                    widen_pairs(&lanes, from, value, element, shows_nan)
                }
                _ => widen(&lanes, from, value, element),
            })
        }
        ("arith.truncf", None, Some(to)) => match by {
            Narrow::Instructions if !element_of(value).is_f64() => {
                Some(round_pairs(&lanes, value, to, element))
            }
            _ => round(&lanes, value, to, element),
        },
        _ => None,
    }
}

fn element_of(value: Val<'_>) -> Type<'_> {
    parts(value.r#type()).1
}

/// Float ops whose results do not depend on the payload of a NaN operand.
const COMPUTE: [&str; 10] = [
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.cmpf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
    "math.fma",
];

/// Returns whether every user of a value is an op of [`COMPUTE`]; users of an extracted vector
/// element count as users of the vector.
fn is_only_computed_with(value: Val<'_>) -> bool {
    users(value).into_iter().all(|op| match name(op) {
        "vector.extract" => is_only_computed_with(results(op)[0]),
        name => COMPUTE.contains(&name),
    })
}

/// Returns a vector of all `scalars` if `m` builds ops on vectors, else the first of the `scalars`.
fn whole<'c>(m: &Lanes<'_, 'c>, scalars: &[Val<'c>]) -> Val<'c> {
    match m.lanes {
        Some(_) => vector_of(m.b, scalars),
        None => scalars[0],
    }
}

/// Converts 8-bit floats to the float type `to`, like [`widen`], but by the instruction `cvt`. The
/// bits of a NaN that `cvt` returns differ from the bits of a NaN that [`widen`] returns. If
/// `shows_nan` is set, the expansion replaces the bits of each NaN from `cvt` by the bits that
/// [`widen`] returns.
fn widen_pairs<'c>(
    m: &Lanes<'_, 'c>,
    from: Float,
    value: Val<'c>,
    to: Type<'c>,
    shows_nan: bool,
) -> Val<'c> {
    let b = m.b;
    let (byte, pair) = (b.int_type(8), b.int_type(16));
    let count = m.lanes.unwrap_or(1);
    let bytes = m.cast("arith.bitcast", value, byte);
    // The expansion extracts pairs as integers. If it split the vector into bytes, the PTX would
    // also split the vector into bytes.
    let mut pairs = match count % 2 {
        0 => scalars(
            b,
            convert(b, "vector.bitcast", bytes, Type::vector(&[count / 2], pair)),
        ),
        _ => scalars(b, bytes),
    };
    for value in pairs.iter_mut().filter(|value| value.r#type() == byte) {
        *value = convert(b, "arith.extui", *value, pair);
    }
    let per_pair = if count.is_multiple_of(2) { 2 } else { 1 };
    let (half, single) = (b.float_type("f16"), f32_of(value.r#type()));
    let mut elements = Vec::new();
    for value in pairs {
        let both = b.create("vector.broadcast").operands(&[value]);
        let both = both.result(Type::vector(&[1], pair)).value();
        let both = convert(b, "vector.bitcast", both, Type::vector(&[2], byte));
        let halves = b
            .create(FROM_F8)
            .operands(&[both])
            .attr_type("srcType", parts_type(b, from))
            .boolean("relu", false)
            .result(Type::vector(&[2], half))
            .value();
        elements.extend(scalars(b, halves).into_iter().take(per_pair));
    }
    if to == half && !shows_nan {
        return whole(m, &elements);
    }
    let singles = elements
        .into_iter()
        .map(|value| convert(b, "arith.extf", value, single));
    let singles = whole(m, &singles.collect::<Vec<_>>());
    let in_single = match shows_nan {
        true => {
            let is_nan = b.compare_floats(UNORDERED, singles, singles);
            b.select(
                Cond::Val(is_nan),
                b.float(f64::NAN, singles.r#type()),
                singles,
            )
        }
        false => singles,
    };
    from_single(m, in_single, to)
}

/// Predicates of `arith.cmpf`.
const LESS: i64 = 4;
const LESS_OR_EQUAL: i64 = 5;
const UNORDERED: i64 = 14;

fn parts_type<'c>(b: &Builder<'c>, float: Float) -> Type<'c> {
    match float {
        Float::F8E5M2 => b.float_type("f8E5M2"),
        _ => b.float_type("f8E4M3FN"),
    }
}

/// Rounds numbers of f32 or narrower types to 8-bit floats, like [`round`], but by the instruction
/// `cvt`. `cvt` saturates, and every NaN that `cvt` returns has the same bits.
fn round_pairs<'c>(m: &Lanes<'_, 'c>, value: Val<'c>, to: Float, element: Type<'c>) -> Val<'c> {
    let b = m.b;
    let is_within = is_within(value, to);
    let (byte, pair) = (b.int_type(8), b.int_type(16));
    let single = f32_of(value.r#type());
    let value = match element_of(value) == single {
        true => value,
        false => m.cast("arith.extf", value, single),
    };
    let values = scalars(b, value);
    let mut rounded = Vec::new();
    if values.len().is_multiple_of(2) {
        for pair in values.chunks(2) {
            rounded.push(round_pair(b, to, [pair[0], pair[1]], is_within));
        }
        let pairs = vector_of(b, &rounded);
        let bytes = convert(
            b,
            "vector.bitcast",
            pairs,
            Type::vector(&[values.len() as u64], byte),
        );
        return convert(b, "arith.bitcast", bytes, m.shaped(element));
    }
    for value in values {
        let zero = b.float(0.0, single);
        let both = round_pair(b, to, [value, zero], is_within);
        debug_assert!(both.r#type() == pair);
        rounded.push(convert(b, "arith.trunci", both, byte));
    }
    convert(b, "arith.bitcast", whole(m, &rounded), m.shaped(element))
}

/// Rounds a pair of f32 numbers to 8-bit floats. The lower byte of the i16 result contains the
/// first 8-bit float.
///
/// `cvt` saturates, so numbers outside the range of the 8-bit type are replaced before the
/// instruction: by NaN for f8E4M3FN, by zero for f8E5M2. `cvt` loses the sign of a NaN, and for
/// f8E5M2 the bits of an infinity or NaN; the expansion sets these bits after `cvt`.
fn round_pair<'c>(b: &Builder<'c>, to: Float, pair: [Val<'c>; 2], is_within: bool) -> Val<'c> {
    let single = pair[0].r#type();
    let (word, narrow) = (b.int_type(32), b.int_type(16));
    let convert_pair = |[low, high]: [Val<'c>; 2]| {
        let mode = "#nvvm.fp_rnd_mode<rn>";
        b.create(TO_F8)
            .operands(&[high, low])
            .attr_text("rnd", mode)
            .attr_text("sat", "#nvvm.sat_mode<satfinite>")
            .boolean("relu", false)
            .attr_type("dstTy", parts_type(b, to))
            .result(narrow)
            .value()
    };
    if is_within {
        return convert_pair(pair);
    }
    // A tie rounds to even, which is the largest number of f8E4M3FN and the infinity of f8E5M2.
    let (limit, predicate) = match to {
        Float::F8E5M2 => (61440.0, LESS),
        _ => (464.0, LESS_OR_EQUAL),
    };
    let (mut kept, mut added) = (Vec::new(), Vec::new());
    for (i, value) in pair.into_iter().enumerate() {
        if constant_float(value) == Some(0.0) {
            kept.push(value);
            continue;
        }
        let magnitude = b
            .create("math.absf")
            .operands(&[value])
            .result(single)
            .value();
        let fits = b.compare_floats(predicate, magnitude, b.float(limit, single));
        let otherwise = if to == Float::F8E5M2 { 0.0 } else { f64::NAN };
        kept.push(b.select(Cond::Val(fits), value, b.float(otherwise, single)));
        let place = 8 * i as i64;
        let bits = convert(b, "arith.bitcast", value, word);
        let sign = b.binary("arith.shrui", bits, b.int(24 - place, word));
        added.push(b.binary("arith.andi", sign, b.int(0x80 << place, word)));
        if to == Float::F8E5M2 {
            let is_nan = b.compare_floats(UNORDERED, value, value);
            let constant = |bits: i64| b.int(bits << place, word);
            let special = b.select(Cond::Val(is_nan), constant(0x7e), constant(0x7c));
            added.push(b.select(Cond::Val(fits), constant(0), special));
        }
    }
    let added = added.into_iter().reduce(|a, c| b.binary("arith.ori", a, c));
    let rounded = convert_pair([kept[0], kept[1]]);
    match added {
        Some(added) => {
            let added = convert(b, "arith.trunci", added, narrow);
            b.binary("arith.ori", rounded, added)
        }
        None => rounded,
    }
}

/// Returns whether two properties of a value are provable: the value is in the range of the type
/// `to`, and every NaN has the bits that `cvt` returns. Every NaN that a minimum or maximum op
/// returns has the same bits, and its sign bit is 0. `minnumf` and `maxnumf` return no NaN if one
/// operand is a number.
fn is_within(value: Val<'_>, to: Float) -> bool {
    let mut root = defining_op(value);
    while let Some(op) = root.filter(|op| is(*op, "arith.extf")) {
        root = defining_op(operands(op)[0]);
    }
    let Some(root) = root else {
        return false;
    };
    let has_known_nan = match to {
        Float::F8E5M2 => {
            let mut bounds = operands(root).into_iter().filter_map(constant_float);
            matches!(name(root), "arith.maxnumf" | "arith.minnumf")
                && bounds.any(|bound| !bound.is_nan())
        }
        _ => EXTREMA.iter().any(|(extremum, _)| is(root, extremum)),
    };
    let (low, high) = range(value, 0);
    has_known_nan && low >= -to.largest() && high <= to.largest()
}

/// Minimum and maximum ops; the flag is true for a maximum.
const EXTREMA: [(&str, bool); 4] = [
    ("arith.maximumf", true),
    ("arith.maxnumf", true),
    ("arith.minimumf", false),
    ("arith.minnumf", false),
];

/// Maximum number of ops in a chain of defining ops that the function `range` visits.
const MAX_FOLLOWED: usize = 8;

fn range(value: Val<'_>, followed: usize) -> (f64, f64) {
    let unknown = (f64::NEG_INFINITY, f64::INFINITY);
    if let Some(number) = constant_float(value).filter(|number| !number.is_nan()) {
        return (number, number);
    }
    let Some(op) = defining_op(value).filter(|_| followed < MAX_FOLLOWED) else {
        return unknown;
    };
    let of = |i: usize| range(operands(op)[i], followed + 1);
    if let Some((_, is_maximum)) = EXTREMA.iter().find(|(extremum, _)| is(op, extremum)) {
        let ((a, b), (c, d)) = (of(0), of(1));
        return match is_maximum {
            true => (a.max(c), b.max(d)),
            false => (a.min(c), b.min(d)),
        };
    }
    match is(op, "arith.extf") {
        true => of(0),
        false => unknown,
    }
}

/// Emits the exact conversion of an 8-bit float to the float type `to`. The bits of an f8E5M2
/// number are the upper half of the bits of the equal f16 number. The exponent and fraction of
/// f8E4M3FN are shifted to their positions in an f16, and the result is scaled by 2^8, because the
/// exponent bias is 15 in f16 and 7 in f8E4M3FN. The only non-finite value of f8E4M3FN is NaN, with
/// all bits of the magnitude set.
fn widen<'c>(m: &Lanes<'_, 'c>, from: Float, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    let half = m.b.float_type("f16");
    let single = f32_of(value.r#type());
    let bits = m.cast("arith.bitcast", value, m.b.int_type(8));
    let bits = m.cast("arith.extui", bits, m.b.int_type(16));
    let in_single = if from == Float::F8E5M2 {
        let bits = m.with("arith.shli", bits, 8);
        let value = m.cast("arith.bitcast", bits, half);
        m.cast("arith.extf", value, single)
    } else {
        let magnitude = m.with("arith.andi", bits, 0x7f);
        let sign = m.with("arith.andi", bits, 0x80);
        let low = m.with("arith.shli", magnitude, 7);
        let high = m.with("arith.shli", sign, 8);
        let placed = m.cast("arith.bitcast", m.b.binary("arith.ori", low, high), half);
        let small = m.cast("arith.extf", placed, single);
        let number = |n: f64| m.b.float(n, m.shaped(single));
        let scaled = m.b.binary("arith.mulf", small, number(256.0));
        let is_nan =
            m.b.compare_ints(Predicate::Eq as i64, magnitude, m.int(magnitude, 0x7f));
        m.b.select(Cond::Val(is_nan), number(f64::NAN), scaled)
    };
    from_single(m, in_single, to)
}

/// Converts an f32 with the value of an 8-bit float to the float type `to`.
fn from_single<'c>(m: &Lanes<'_, 'c>, in_single: Val<'c>, to: Type<'c>) -> Val<'c> {
    match Float::of(to) {
        Some(Float::F32) => in_single,
        Some(Float::F64) => m.cast("arith.extf", in_single, to),
        // f16 and bf16 contain all values of the 8-bit types.
        _ => m.cast("arith.truncf", in_single, to),
    }
}

/// Rounds a number to an 8-bit float, to nearest, ties to even. A number out of range becomes an
/// infinity of f8E5M2 or a NaN of f8E4M3FN, as in `arith.truncf`.
///
/// If the result is a normal number, the exponent and the fraction of the operand are rounded as
/// one integer, so a carry from the fraction increments the exponent. For a subnormal result, the
/// expansion adds a power of two whose last fraction bit has the weight of the smallest subnormal
/// number of the 8-bit type; this addition rounds the operand.
fn round<'c>(m: &Lanes<'_, 'c>, value: Val<'c>, to: Float, element: Type<'c>) -> Option<Val<'c>> {
    let (value, from) = match Float::of(parts(value.r#type()).1)? {
        wide @ (Float::F32 | Float::F64) => (value, wide),
        _ => (
            m.cast("arith.extf", value, f32_of(value.r#type())),
            Float::F32,
        ),
    };
    let width = from.bits();
    let float = parts(value.r#type()).1;
    let whole = m.b.int_type(width);
    let (wide, narrow) = (from.digits() - 1, to.digits() - 1);
    let (bias, own) = (1 - from.least_exponent(), 1 - to.least_exponent());
    let drop = i64::from(wide - narrow);

    let bits = m.cast("arith.bitcast", value, whole);
    let sign = m.with("arith.shrui", bits, i64::from(width) - 8);
    let sign = m.with("arith.andi", sign, 0x80);
    let magnitude = m.with("arith.andi", bits, !(1 << (width - 1)) & mask(width));

    let last = m.with("arith.andi", m.with("arith.shrui", magnitude, drop), 1);
    let up = m.b.binary("arith.addi", magnitude, last);
    let up = m.with("arith.addi", up, (1 << (drop - 1)) - 1);
    let normal = m.with("arith.shrui", up, drop);
    let normal = m.with("arith.subi", normal, i64::from(bias - own) << narrow);

    let shift = i64::from(to.least_exponent() - narrow + wide + bias) << wide;
    let shifted = m.cast("arith.bitcast", m.int(magnitude, shift), float);
    let small = m.cast("arith.bitcast", magnitude, float);
    let small = m.cast(
        "arith.bitcast",
        m.b.binary("arith.addf", small, shifted),
        whole,
    );
    let small = m.with("arith.subi", small, shift);

    let least = i64::from(to.least_exponent() + bias) << wide;
    let is_small =
        m.b.compare_ints(Predicate::Ult as i64, magnitude, m.int(magnitude, least));
    let rounded = m.b.select(Cond::Val(is_small), small, normal);
    // NaN has a larger magnitude than any number, so saturation converts a NaN to the NaN of
    // f8E4M3FN.
    let (most, nan) = match to {
        Float::F8E5M2 => (0x7c, Some(0x7e)),
        _ => (0x7f, None),
    };
    let rounded = m.b.binary("arith.minui", rounded, m.int(rounded, most));
    let rounded = match nan {
        Some(nan) => {
            let infinity = m.int(magnitude, i64::from(2 * bias + 1) << wide);
            let is_nan = m.b.compare_ints(Predicate::Ult as i64, infinity, magnitude);
            m.b.select(Cond::Val(is_nan), m.int(rounded, nan), rounded)
        }
        None => rounded,
    };
    let rounded = m.b.binary("arith.ori", rounded, sign);
    let byte = m.cast("arith.trunci", rounded, m.b.int_type(8));
    Some(m.cast("arith.bitcast", byte, element))
}

fn mask(width: u32) -> i64 {
    (u64::MAX >> (64 - width)).cast_signed()
}
