//! Operations from integers to integers.

use super::operation::{Calc, Operation};
use crate::number::{signed, truncated};

/// Returns the operation that evaluates the op `name` with integer operands of `bits` bits and an
/// integer result of `result` bits.
pub(super) fn integer_operation(
    name: &str,
    predicate: Option<i64>,
    bits: u32,
    result: u32,
) -> Option<Operation> {
    let two = |f: fn(i64, i64) -> Option<i64>| -> Calc {
        Box::new(move |x| {
            f(signed(x[0], bits), signed(x[1], bits))
                .map(|n| truncated(n, bits))
                .ok_or("the result is not defined")
        })
    };
    // The smallest signed integer divided by -1 overflows.
    let quotient = |f: fn(i64, i64) -> Option<i64>| -> Calc {
        Box::new(move |x| {
            f(signed(x[0], bits), signed(x[1], bits))
                .filter(|n| signed(truncated(*n, bits), bits) == *n)
                .map(|n| truncated(n, bits))
                .ok_or("the result is not defined")
        })
    };
    let unsigned = |f: fn(u64, u64) -> Option<u64>| -> Calc {
        Box::new(move |x| {
            f(x[0], x[1])
                .map(|n| truncated(n.cast_signed(), bits))
                .ok_or("the result is not defined")
        })
    };
    let shift = |f: fn(u64, u32, u32) -> u64| -> Calc {
        Box::new(move |x| match u32::try_from(x[1]) {
            Ok(by) if by < bits => Ok(truncated(f(x[0], by, bits).cast_signed(), bits)),
            _ => Err("the shift is as wide as the number or wider"),
        })
    };
    let calc: Calc = match name {
        "arith.addi" => two(|a, b| Some(a.wrapping_add(b))),
        "arith.subi" => two(|a, b| Some(a.wrapping_sub(b))),
        "arith.muli" => two(|a, b| Some(a.wrapping_mul(b))),
        "arith.andi" => two(|a, b| Some(a & b)),
        "arith.ori" => two(|a, b| Some(a | b)),
        "arith.xori" => two(|a, b| Some(a ^ b)),
        "arith.maxsi" => two(|a, b| Some(a.max(b))),
        "arith.minsi" => two(|a, b| Some(a.min(b))),
        "arith.divsi" => quotient(i64::checked_div),
        "arith.remsi" => two(i64::checked_rem),
        "arith.floordivsi" => quotient(|a, b| {
            let below = i64::from(a.checked_rem(b)? != 0 && (a < 0) != (b < 0));
            Some(a.checked_div(b)? - below)
        }),
        "arith.ceildivsi" => quotient(|a, b| {
            let above = i64::from(a.checked_rem(b)? != 0 && (a < 0) == (b < 0));
            Some(a.checked_div(b)? + above)
        }),
        "arith.maxui" => unsigned(|a, b| Some(a.max(b))),
        "arith.minui" => unsigned(|a, b| Some(a.min(b))),
        "arith.divui" => unsigned(u64::checked_div),
        "arith.remui" => unsigned(u64::checked_rem),
        "arith.ceildivui" => unsigned(|a, b| (b != 0).then(|| a.div_ceil(b))),
        "arith.shli" => shift(|n, by, _| n << by),
        "arith.shrui" => shift(|n, by, _| n >> by),
        "arith.shrsi" => shift(|n, by, bits| (signed(n, bits) >> by).cast_unsigned()),
        "arith.cmpi" => {
            let predicate = predicate?;
            Box::new(move |x| Ok(u64::from(compare_ints(predicate, x[0], x[1], bits))))
        }
        "arith.extsi" | "arith.index_cast" => {
            Box::new(move |x| Ok(truncated(signed(x[0], bits), result)))
        }
        "arith.extui" | "arith.index_castui" | "arith.trunci" | "arith.bitcast" => {
            Box::new(move |x| Ok(truncated(x[0].cast_signed(), result)))
        }
        "math.ipowi" => two(power_of_integer),
        "math.absi" => Box::new(move |x| Ok(truncated(signed(x[0], bits).wrapping_abs(), bits))),
        "math.ctpop" => Box::new(|x| Ok(u64::from(x[0].count_ones()))),
        "math.ctlz" => Box::new(move |x| Ok(u64::from(x[0].leading_zeros() - (64 - bits)))),
        "math.cttz" => Box::new(move |x| Ok(u64::from(x[0].trailing_zeros().min(bits)))),
        _ => return None,
    };
    Some(Operation::of(calc))
}

/// Returns the wrapping power of `math.ipowi`; `None` for 0 with a negative exponent, which is
/// undefined.
fn power_of_integer(base: i64, exponent: i64) -> Option<i64> {
    if exponent < 0 {
        return match base {
            0 => None,
            1 => Some(1),
            -1 => Some(if exponent & 1 == 1 { -1 } else { 1 }),
            _ => Some(0),
        };
    }
    let (mut product, mut square, mut rest) = (1_i64, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            product = product.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    Some(product)
}

fn compare_ints(predicate: i64, a: u64, b: u64, bits: u32) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match predicate {
        0 => a == b,
        1 => a != b,
        2 => x < y,
        3 => x <= y,
        4 => x > y,
        5 => x >= y,
        6 => a < b,
        7 => a <= b,
        8 => a > b,
        _ => a >= b,
    }
}
