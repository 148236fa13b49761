//! What ops of `arith` and `math` do to numbers.

use super::scalar::{Scalar, Sort, unsigned, wrap};

/// What an op does.
#[derive(Clone, Copy)]
pub(crate) enum Code {
    Float1(fn(f64) -> f64),
    Float2(fn(f64, f64) -> f64),
    Float3(fn(f64, f64, f64) -> f64),
    FloatTest(fn(f64) -> bool),
    /// A float to an integer power.
    Power,
    /// Signed operands, and their width; `None` where the result is not defined.
    Int2(fn(i64, i64) -> Option<i64>),
    /// The same on unsigned operands.
    Uint2(fn(u64, u64) -> Option<u64>),
    /// An absolute value.
    IntAbs,
    /// A shift by less than the width.
    Shift(fn(i64, u32, u32) -> i64),
    CompareFloats(i64),
    CompareInts(i64),
    Select,
    /// The result's type takes what fits.
    SignedCast,
    UnsignedCast,
}

impl Code {
    /// What the op called `name` does; comparisons are told by `predicate`.
    pub(crate) fn of(name: &str, predicate: Option<i64>) -> Option<Self> {
        Some(match (name, predicate) {
            ("arith.cmpf", Some(p)) => Self::CompareFloats(p),
            ("arith.cmpi", Some(p)) => Self::CompareInts(p),
            ("arith.select", _) => Self::Select,
            ("math.fma", _) => Self::Float3(f64::mul_add),
            ("math.clampf", _) => Self::Float3(|x, low, high| x.max(low).min(high)),
            ("math.fpowi", _) => Self::Power,
            ("math.absi", _) => Self::IntAbs,
            ("arith.shli", _) => Self::Shift(|n, by, _| n.wrapping_shl(by)),
            ("arith.shrsi", _) => Self::Shift(|n, by, _| n >> by),
            ("arith.shrui", _) => {
                Self::Shift(|n, by, bits| (unsigned(n, bits) >> by).cast_signed())
            }
            (
                "arith.extf" | "arith.truncf" | "arith.sitofp" | "arith.fptosi" | "arith.extsi"
                | "arith.trunci" | "arith.index_cast",
                _,
            ) => Self::SignedCast,
            ("arith.uitofp" | "arith.fptoui" | "arith.extui" | "arith.index_castui", _) => {
                Self::UnsignedCast
            }
            _ => float1(name)
                .map(Self::Float1)
                .or_else(|| float2(name).map(Self::Float2))
                .or_else(|| float_test(name).map(Self::FloatTest))
                .or_else(|| int2(name).map(Self::Int2))
                .or_else(|| uint2(name).map(Self::Uint2))?,
        })
    }

    /// The value for `arguments` of these sorts; `None` where it is not defined.
    pub(crate) fn run(self, arguments: &[Scalar], from: &[Sort], to: Sort) -> Option<Scalar> {
        let float = |i: usize| arguments.get(i)?.float();
        let int = |i: usize| arguments.get(i)?.int();
        let bits = match from.first() {
            Some(Sort::Int(bits)) => *bits,
            _ => 64,
        };
        let result = match self {
            Self::Float1(f) => Scalar::Float(f(float(0)?)),
            Self::Float2(f) => Scalar::Float(f(float(0)?, float(1)?)),
            Self::Float3(f) => Scalar::Float(f(float(0)?, float(1)?, float(2)?)),
            Self::FloatTest(f) => Scalar::Int(-i64::from(f(float(0)?))),
            Self::Power => Scalar::Float(float(0)?.powi(i32::try_from(int(1)?).ok()?)),
            Self::Int2(f) => Scalar::Int(f(int(0)?, int(1)?)?),
            Self::Uint2(f) => {
                Scalar::Int(f(unsigned(int(0)?, bits), unsigned(int(1)?, bits))?.cast_signed())
            }
            Self::IntAbs => Scalar::Int(int(0)?.wrapping_abs()),
            Self::Shift(f) => {
                let by = u32::try_from(unsigned(int(1)?, bits)).ok()?;
                if by >= bits {
                    return None;
                }
                Scalar::Int(f(int(0)?, by, bits))
            }
            Self::CompareFloats(p) => {
                Scalar::Int(-i64::from(compare_floats(p, float(0)?, float(1)?)))
            }
            Self::CompareInts(p) => {
                Scalar::Int(-i64::from(compare_ints(p, int(0)?, int(1)?, bits)))
            }
            Self::Select => *arguments.get(if int(0)? == 0 { 2 } else { 1 })?,
            Self::SignedCast => cast(*arguments.first()?, to, |n| n as f64, |x| x as i64),
            Self::UnsignedCast => cast(
                match arguments.first()? {
                    Scalar::Int(n) => Scalar::Int(unsigned(*n, bits).cast_signed()),
                    float => *float,
                },
                to,
                |n| n.cast_unsigned() as f64,
                |x| (x as u64).cast_signed(),
            ),
        };
        Some(match (result, to) {
            (Scalar::Int(n), Sort::Int(bits)) => Scalar::Int(wrap(n, bits)),
            (Scalar::Float(x), sort) => Scalar::Float(sort.round(x)),
            (other, _) => other,
        })
    }
}

fn cast(value: Scalar, to: Sort, up: fn(i64) -> f64, down: fn(f64) -> i64) -> Scalar {
    match (value, to) {
        (Scalar::Float(x), Sort::Int(_)) => Scalar::Int(down(x)),
        (Scalar::Int(n), Sort::F16 | Sort::BF16 | Sort::F32 | Sort::F64) => Scalar::Float(up(n)),
        (same, _) => same,
    }
}

fn float1(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "arith.negf" => |x| -x,
        "math.absf" => f64::abs,
        "math.exp" => f64::exp,
        "math.exp2" => f64::exp2,
        "math.expm1" => f64::exp_m1,
        "math.log" => f64::ln,
        "math.log2" => f64::log2,
        "math.log10" => f64::log10,
        "math.log1p" => f64::ln_1p,
        "math.sqrt" => f64::sqrt,
        "math.rsqrt" => |x| x.sqrt().recip(),
        "math.cbrt" => f64::cbrt,
        "math.sin" => f64::sin,
        "math.cos" => f64::cos,
        "math.tan" => f64::tan,
        "math.asin" => f64::asin,
        "math.acos" => f64::acos,
        "math.atan" => f64::atan,
        "math.sinh" => f64::sinh,
        "math.cosh" => f64::cosh,
        "math.tanh" => f64::tanh,
        "math.asinh" => f64::asinh,
        "math.acosh" => f64::acosh,
        "math.atanh" => f64::atanh,
        "math.floor" => f64::floor,
        "math.ceil" => f64::ceil,
        "math.round" => f64::round,
        "math.roundeven" => f64::round_ties_even,
        "math.trunc" => f64::trunc,
        _ => return None,
    })
}

fn float2(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "arith.addf" => |a, b| a + b,
        "arith.subf" => |a, b| a - b,
        "arith.mulf" => |a, b| a * b,
        "arith.divf" => |a, b| a / b,
        "arith.remf" => |a, b| a % b,
        "arith.maximumf" => |a, b| {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else {
                a.max(b)
            }
        },
        "arith.minimumf" => |a, b| {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else {
                a.min(b)
            }
        },
        "arith.maxnumf" => f64::max,
        "arith.minnumf" => f64::min,
        "math.powf" => f64::powf,
        "math.atan2" => f64::atan2,
        "math.copysign" => f64::copysign,
        _ => return None,
    })
}

fn float_test(name: &str) -> Option<fn(f64) -> bool> {
    Some(match name {
        "math.isnan" => f64::is_nan,
        "math.isinf" => f64::is_infinite,
        "math.isfinite" => f64::is_finite,
        "math.isnormal" => f64::is_normal,
        _ => return None,
    })
}

fn int2(name: &str) -> Option<fn(i64, i64) -> Option<i64>> {
    Some(match name {
        "arith.addi" => |a, b| Some(a.wrapping_add(b)),
        "arith.subi" => |a, b| Some(a.wrapping_sub(b)),
        "arith.muli" => |a, b| Some(a.wrapping_mul(b)),
        "arith.andi" => |a, b| Some(a & b),
        "arith.ori" => |a, b| Some(a | b),
        "arith.xori" => |a, b| Some(a ^ b),
        "arith.maxsi" => |a, b| Some(a.max(b)),
        "arith.minsi" => |a, b| Some(a.min(b)),
        "arith.divsi" => i64::checked_div,
        "arith.remsi" => i64::checked_rem,
        "arith.floordivsi" => |a, b| {
            let below = i64::from(a.checked_rem(b)? != 0 && (a < 0) != (b < 0));
            Some(a.checked_div(b)? - below)
        },
        "arith.ceildivsi" => |a, b| {
            let above = i64::from(a.checked_rem(b)? != 0 && (a < 0) == (b < 0));
            Some(a.checked_div(b)? + above)
        },
        _ => return None,
    })
}

fn uint2(name: &str) -> Option<fn(u64, u64) -> Option<u64>> {
    Some(match name {
        "arith.maxui" => |a, b| Some(a.max(b)),
        "arith.minui" => |a, b| Some(a.min(b)),
        "arith.divui" => u64::checked_div,
        "arith.remui" => u64::checked_rem,
        "arith.ceildivui" => |a, b| (b != 0).then(|| a.div_ceil(b)),
        _ => return None,
    })
}

/// `arith.cmpf` by the encoding of its predicate.
fn compare_floats(predicate: i64, a: f64, b: f64) -> bool {
    let relation = match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Equal) => 0,
        Some(std::cmp::Ordering::Greater) => 1,
        Some(std::cmp::Ordering::Less) => 2,
        None => 3,
    };
    // For each predicate the relations it holds for: 1 equal, 2 greater, 4 less, 8 unordered.
    const HOLDS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15];
    usize::try_from(predicate)
        .ok()
        .and_then(|p| HOLDS.get(p))
        .is_some_and(|holds| holds >> relation & 1 == 1)
}

/// `arith.cmpi` by the encoding of its predicate.
fn compare_ints(predicate: i64, a: i64, b: i64, bits: u32) -> bool {
    let (ua, ub) = (unsigned(a, bits), unsigned(b, bits));
    match predicate {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        5 => a >= b,
        6 => ua < ub,
        7 => ua <= ub,
        8 => ua > ub,
        _ => ua >= ub,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn predicates_are_those_of_arith() {
        let holds = |p| {
            [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (f64::NAN, 1.0)]
                .map(|(a, b)| compare_floats(p, a, b))
        };
        assert_eq!(holds(2), [false, true, false, false], "ogt");
        assert_eq!(holds(11), [false, false, true, true], "ult");
        assert_eq!(holds(13), [false, true, true, true], "une");
        assert_eq!(holds(14), [false, false, false, true], "uno");
    }

    #[test]
    fn integers_wrap() {
        let add = Code::of("arith.addi", None).unwrap();
        let sum = add.run(
            &[Scalar::Int(127), Scalar::Int(1)],
            &[Sort::Int(8); 2],
            Sort::Int(8),
        );
        assert_eq!(sum, Some(Scalar::Int(-128)));
        let less = Code::of("arith.cmpi", Some(6)).unwrap();
        let wins = less.run(
            &[Scalar::Int(1), Scalar::Int(-1)],
            &[Sort::Int(8); 2],
            Sort::Int(1),
        );
        assert_eq!(wins, Some(Scalar::Int(-1)));
    }
}
